/* Observations whose private samples are withheld, as those of captures may be: an answer is compared with
 * nothing. There is an entry for each sample, without a score; what the attack says of its searches; and its
 * images. */
#include "base/mem.h"
#include "job/score/score.h"

/* Reads the shape of a sample, which the observations state; rank 0: they do not. */
static int read_shape(score *s, const json_t *sample) {
    int64_t side[3] = {1, 1, 1};
    const size_t rank = json_array_size(sample);
    for (size_t i = 0; i < rank && i < 3; i++) {
        side[i] = json_integer_value(json_array_get(sample, i));
        if (side[i] < 1 || side[i] > 100000)
            return 0;
    }
    s->is_image = rank == 3 && side[0] * side[1] < 100000000 / side[2];
    if (s->is_image)
        s->shape = (gnt_metric_shape){side[0], side[1], side[2]};
    return rank == 1 || s->is_image;
}

int score_open_withheld(score *s, gnt_err *err) {
    json_t *all = json_loads(s->observed.metadata ? s->observed.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const int known = read_shape(s, json_object_get(all, "sample"));
    json_decref(all);
    if (!known || s->layout.observations < 1 || s->layout.batch < 1)
        return gnt_fail(err, "seen: does not say what samples it is of, and there are none to compare with");
    s->layout.members = s->layout.batch;
    s->layout.n = s->layout.rows = s->layout.observations * s->layout.batch;
    s->target = gnt_array((size_t)s->layout.n, sizeof *s->target);
    return s->target ? score_find_silent(s, err)
                     : gnt_fail(err, "out of memory for %lld targets", (long long)s->layout.n);
}
