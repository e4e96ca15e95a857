#include "region/region_values.h"

#include <math.h>

#include "cost/update_match.h"
#include "hook.h"

gnt_status region_examples_fit(const gnt_host *host, const gnt_observation *seen, int64_t features) {
    const gnt_samples *s = seen->public_data;
    const int fits = s && s->a && seen->attribute >= 0 && seen->attribute < s->n_attributes &&
                     s->attribute[seen->attribute].values == seen->attribute_values &&
                     s->features == features;
    return fits
               ? GNT_OK
               : unsupported(host, "it needs public images of the model's size with the attribute asked for");
}

void region_rank_unseen(float *score, int32_t values) {
    double lowest = 0;
    for (int32_t v = 0; v < values; v++)
        if (!isnan(score[v]))
            lowest = fmin(lowest, (double)score[v]);
    for (int32_t v = 0; v < values; v++)
        score[v] = isnan(score[v]) ? (float)(lowest * 1.01 - 1) : score[v];
}

gnt_status region_answer_values(const gnt_host *host, const gnt_observation *seen, const float *score,
                                const gnt_answer *answer) {
    const int32_t values = seen->attribute_values;
    if (seen->n == 1)
        return answer->attribute(answer->context, values, score);
    float *expected = gnt_host_scratch(host, values, sizeof *expected);
    TRY(hook_memory(host, expected != NULL));
    for (int64_t i = 0; i < seen->n; i++) {
        const float *own = score + i * values;
        float most = own[0], sum = 0;
        for (int32_t v = 1; v < values; v++)
            most = fmaxf(most, own[v]);
        for (int32_t v = 0; v < values; v++)
            sum += expf(own[v] - most);
        for (int32_t v = 0; v < values; v++)
            expected[v] += expf(own[v] - most) / sum;
    }
    TRY(answer->attribute(answer->context, values, expected));
    return answer->attributes(answer->context, seen->attribute, seen->n, values, score);
}
