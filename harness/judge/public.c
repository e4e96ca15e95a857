#include "judge/public.h"

#include <math.h>
#include <string.h>

#include "judge/measure_text.h"
#include "judge/judge_impl.h"

/* Lists the utilities of a task's defense, by the seeds that were trained on public data alone. The attacks
 * of a seed share its training run. */
static void collect(const gnt_results *r, const gnt_task_facts *of, const char *task, const char *defense,
                    int undefended_too, gnt_public_pair *pair) {
    for (size_t k = 0; k < of->n_only; k++)
        pair[k] = (gnt_public_pair){NAN, NAN, of->only[k].utility, of->only[k].error};
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const int wanted = c->mode == GNT_ROW_MATCHED || c->mode == GNT_ROW_AS_IS ||
                           (undefended_too && c->mode == GNT_ROW_NONE);
        if (!wanted || !isfinite(c->utility.value) || strcmp(c->task, task) != 0 ||
            strcmp(c->defense, defense) != 0)
            continue;
        for (size_t k = 0; k < of->n_only; k++)
            if (of->only[k].seed == c->seed) {
                pair[k].with = c->utility.value;
                pair[k].with_error = c->utility.error;
            }
    }
}

void results_fill_scatter(gnt_results *r) {
    gnt_public_pair pair[GNT_MOST_PUBLIC_ONLY];
    double x[GNT_MOST_PUBLIC_ONLY];
    for (size_t t = 0; t < r->n_facts; t++) {
        gnt_task_facts *of = &r->facts[t];
        for (size_t k = 0; k < of->n_only; k++)
            x[k] = of->only[k].utility;
        gnt_seed_scatter_add(&of->scatter, x, of->n_only);
        for (size_t d = 0; of->n_only && d < r->n_defense; d++) {
            collect(r, of, of->id, r->defense[d], 1, pair);
            for (size_t k = 0; k < of->n_only; k++)
                x[k] = pair[k].with;
            gnt_seed_scatter_add(&of->scatter, x, of->n_only);
        }
    }
}

gnt_public_verdict gnt_beats_public(const gnt_results *r, const gnt_task_facts *of, const char *task,
                                    const char *defense) {
    gnt_public_pair pair[GNT_MOST_PUBLIC_ONLY];
    if (of->n_only == 0)
        return GNT_PUBLIC_UNKNOWN;
    const char *measure = "";
    for (size_t i = 0; i < r->n_cell && !*measure; i++)
        if (!strcmp(r->cell[i].task, task))
            measure = r->cell[i].utility.measure;
    collect(r, of, task, defense, 0, pair);
    return gnt_metric_public_only(pair, of->n_only, gnt_utility_sign(measure), &of->scatter);
}
