/* Says over what the intervals of a section are taken. */
#include <inttypes.h>

#include "report/table/report_tables.h"

/* Kinds of interval over the groups of a section. */
typedef struct seen {
    /* of intervals over training runs, the fewest and most of these; 0: none is */
    int64_t fewest, most;
    int over_targets;
} seen;

static void look(seen *s, const gnt_stat *stat) {
    s->over_targets |= stat->trainings > 0 && stat->over == GNT_INTERVAL_TARGETS;
    if (stat->trainings < 1 || stat->over != GNT_INTERVAL_TRAININGS)
        return;
    s->fewest = s->most && s->fewest < stat->trainings ? s->fewest : stat->trainings;
    s->most = s->most > stat->trainings ? s->most : stat->trainings;
}

void gnt_interval_write(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                        gnt_text *out) {
    seen s = {0};
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_score *score =
            gnt_is_at(&r->group[i], task, stage) ? gnt_number_of(&r->group[i], m->name) : NULL;
        if (score)
            look(&s, &score->stat);
    }
    gnt_text_add(out, "95 %% confidence interval");
    if (s.most > s.fewest)
        gnt_text_add(out, " over %" PRId64 " to %" PRId64 " training runs", s.fewest, s.most);
    else if (s.most)
        gnt_text_add(out, " over %" PRId64 " training runs", s.most);
    if (s.over_targets)
        gnt_text_add(out,
                     s.most ? ", for some over the targets of one" : " over the targets of one training run");
}
