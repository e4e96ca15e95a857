#include "judge/adequacy.h"

#include <math.h>
#include <string.h>

#include "judge/group_roles.h"
#include "judge/section.h"

/* Returns the baseline; where none is known, the score of finding nothing: 0 for a share or a PSNR, 1 for a
 * relative error. */
static double floor_at(const gnt_results *r, const gnt_outcome *g, const gnt_measure *m) {
    const char *name;
    const double floor = gnt_section_floor(r, g->task, g->stage, m, &name);
    return !isnan(floor) ? floor : m->leak > 0 ? 0 : 1;
}

/* Returns how far the score lies on the way from the baseline, 0, to the best possible score, 1. The best
 * share is 1, the best error 0. */
static double gain(const gnt_measure *m, double score, double floor) {
    const double best = m->leak > 0 ? 1 : 0;
    return (score - floor) / (best - floor);
}

static int gains(const gnt_results *r, const gnt_outcome *g, const gnt_measure *m,
                 const gnt_adequate_limits *limits) {
    const gnt_score *s = gnt_number_of(g, m->name);
    const double floor = floor_at(r, g, m), end = m->leak > 0 ? s->stat.low : s->stat.high;
    return gain(m, s->stat.mean, floor) >= limits->gain && gnt_leaks_more(m, isnan(end) ? floor : end, floor);
}

int gnt_is_adequate(const gnt_results *r, const gnt_outcome *g, const gnt_measure *m) {
    const gnt_adequate_limits *limits = &gnt_facts_of(r, g->task)->adequate;
    const gnt_measure *psnr = gnt_measure_of(GNT_MEASURE_PSNR);
    const gnt_score *named = gnt_number_of(g, gnt_measure_of(GNT_MEASURE_IDENTIFICATION)->name);
    const gnt_score *seen = gnt_number_of(g, psnr->name);
    if (m->recovers != GNT_RECOVERS_DATA || (!named && !seen))
        return gains(r, g, m, limits);
    return (named && named->stat.mean >= limits->identified &&
            named->stat.mean > floor_at(r, g, gnt_measure_of(GNT_MEASURE_IDENTIFICATION))) ||
           (seen && seen->stat.mean >= floor_at(r, g, psnr) + limits->above_floor);
}

gnt_adequacy gnt_adequacy_of(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                             const gnt_measure *m) {
    gnt_adequacy a = {GNT_ADEQUACY_UNKNOWN, NULL};
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (g->mode != GNT_ROW_NONE || !gnt_is_at(g, task, stage) ||
            (attack && strcmp(g->attack, attack) != 0))
            continue;
        const gnt_score *s = gnt_number_of(g, m->name);
        if (!s)
            continue;
        if (a.state != GNT_ADEQUATE)
            a.state = gnt_is_adequate(r, g, m) ? GNT_ADEQUATE : GNT_INADEQUATE;
        if (!a.best || gnt_leaks_more(m, s->stat.mean, gnt_number_of(a.best, m->name)->stat.mean))
            a.best = g;
    }
    return a;
}

void gnt_adequacy_write(const gnt_results *r, const char *task, const gnt_measure *m, gnt_text *out) {
    const gnt_adequate_limits *limits = &gnt_facts_of(r, task)->adequate;
    if (m->recovers == GNT_RECOVERS_DATA)
        gnt_text_add(out, "%.3g %% identified, or PSNR %.3g dB above the floor", 100 * limits->identified,
                     limits->above_floor);
    else
        gnt_text_add(out, "%s surely beyond the floor, by %.3g %% of the way to the best", m->title,
                     100 * limits->gain);
}
