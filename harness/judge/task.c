#include "judge/task.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

/* The entry that is read, for sentences. */
typedef struct place {
    const char *file;
    size_t index;
    gnt_err *err;
} place;

static int read_from(const place *at, const char *word, int *in_round) {
    *in_round = !strcmp(word, "round");
    if (!word[0] || *in_round || !strcmp(word, "probe") || !strcmp(word, gnt_of_captures))
        return 0;
    return gnt_fail(at->err,
                    "%s: tasks[%zu].observe_from: expected \"round\", \"probe\" or \"capture\"; run the "
                    "suite again to write this file again",
                    at->file, at->index);
}

static double or_usual(double limit, double usual) {
    return isfinite(limit) ? limit : usual;
}

int results_read_tasks(const gnt_result *of, const char *file, gnt_task_facts **task, size_t *n,
                       gnt_err *err) {
    const gnt_adequate_limits usual = GNT_ADEQUATE_DEFAULTS;
    *n = 0;
    *task = gnt_array(of->tasks.n + 1, sizeof **task);
    if (!*task)
        return gnt_fail(err, "%s: out of memory", file);
    for (size_t i = 0; i < of->tasks.n; i++) {
        const gnt_result_task *one = &of->tasks.at[i];
        const place at = {file, i, err};
        if (!one->id[0])
            continue;
        gnt_task_facts *t = &(*task)[(*n)++];
        *t = (gnt_task_facts){
            .id = one->id,
            .drawn = one->stages_drawn > 0,
            .of_representations = strcmp(one->surface, "representation") == 0,
            .seed_public = one->seed_public > 0,
            .only = one->public_only.at,
            .n_only = one->public_only.n,
            .adequate = {.identified = or_usual(one->adequate.identified, usual.identified),
                         .above_floor = or_usual(one->adequate.above_floor, usual.above_floor),
                         .gain = or_usual(one->adequate.gain, usual.gain)}};
        if (read_from(&at, one->observe_from, &t->in_round))
            return -1;
    }
    return 0;
}

double gnt_public_only_mean(const gnt_task_facts *t) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->n_only; i++)
        if (isfinite(t->only[i].utility)) {
            sum += t->only[i].utility;
            n++;
        }
    return n ? sum / (double)n : NAN;
}
