/* Mode guarded: outer steps of L-BFGS from random starts.
 *
 * A restart that diverges or stagnates before it has matched the update gives way to the next. If the
 * update does not determine the image, the prior (prior.h) decides the rest. It has two weights, either of
 * which may be 0, for two causes:
 *  - Hidden entries. There the prior only guides the search: its weight falls step by step from about what
 *    zeros may hide, or a hundredth of the update, to nothing, so that among the images that match the one
 *    of least prior is found.
 *  - Noise. There the weight stays: it is 2·β·σ² if the sum of squares is 2σ² × a negative log-likelihood
 *    and the prior β × the negative log-density of a Laplace law. σ² is known if the defense was granted.
 *    Otherwise restarts after the first estimate it from the residual of the best match so far, σ² = fit /
 *    (entries − unknowns), and again whenever the match has improved: in an exact match it vanishes. */
#include <math.h>
#include <string.h>

#include "dlg.h"

/* The cost counts as having moved when it has fallen to this fraction. */
static const double progress = 0.9;
/* Below this fraction of the cost of an empty update a search is on its way to the image: if it stagnates
 * there, stale curvature is discarded, but the iterate is kept. */
static const double nearly = 1e-4;
/* 1/β: the mean difference of two neighbours in an image. */
static const double neighbours = 0.1;
/* The leading weight: at first, of what is hidden for each unknown; and its way down. */
static const double lead = 0.1, least_hidden = 0.01, ahead = 10, fall = 0.3, gone = 1e-5;
/* At first, of what lies within the bounds of zeros. */
static const double shrink = 0.1;
/* Where a search starts: around black, far from where units saturate. */
static const float start_scale = 0.1f;
enum { LEADING_STEPS = 12 }; /* at most, with one weight */

typedef struct guarded {
    dlg_search *s;
    double leading, noise; /* weights of the prior */
    double share;          /* of the leading weight that is left; 0 at the end */
    double variance;       /* of the noise in an entry, in the cost's units; 0: none is known or guessed */
    double fit;            /* at which it was guessed */
    double rank;           /* of the winner, the less the better; see rank_of */
} guarded;

static int below(const dlg_search *s, double cost, double share) {
    return cost <= share * s->objective.observed;
}

/* Returns the cost that is left for each entry that no unknown can fit. */
static double left_over(const dlg_objective *o, double fit) {
    int64_t spare = o->residual.matched - o->size;
    return fit / (double)(spare > o->size ? spare : o->size);
}

static void begin_stage(guarded *g) {
    dlg_search *s = g->s;
    g->noise = s->self->prior * 2 * g->variance / neighbours;
    s->objective.residual.shrink = s->self->prior > 0 ? g->share * shrink : 0;
    dlg_objective_begin(&s->objective, g->share * g->leading + g->noise);
    gnt_lbfgs_reset(s->lbfgs);
}

static void begin_restart(guarded *g, int32_t restart) {
    dlg_search *s = g->s;
    dlg_objective *o = &s->objective;
    const double deviation = noise_deviation(&o->residual.clip.law);
    g->variance = deviation * deviation * o->scale;
    g->fit = 0;
    if (deviation == 0 && restart > 0 && isfinite(s->least)) {
        g->fit = s->least;
        g->variance = left_over(o, g->fit);
    }
    double hidden = fmax(o->residual.hidden * o->scale, least_hidden * o->observed);
    hidden *= lead / (double)o->unknowns;
    g->leading = s->self->prior * (hidden + ahead * 2 * g->variance / neighbours);
    g->share = g->leading > 0 ? 1 : 0;
    dlg_start(s, restart, start_scale);
    begin_stage(g);
}

/* Lessens the prior's weight, from the best place so far. */
static void next_stage(guarded *g) {
    dlg_search *s = g->s;
    dlg_objective *o = &s->objective;
    memcpy(s->z, o->best, (size_t)o->size * sizeof *s->z);
    if (g->fit > 0) {
        g->fit = o->fit;
        g->variance = below(s, o->fit, nearly) ? 0 : fmin(g->variance, left_over(o, o->fit));
    }
    g->share = g->share * fall > gone ? g->share * fall : 0;
    begin_stage(g);
}

/* Steps with one leading weight after another, until nothing of it is left. Returns how many. */
static int64_t follow_lead(guarded *g, int32_t restart) {
    dlg_search *s = g->s;
    dlg_objective *o = &s->objective;
    int64_t k = 0, most = s->steps / 20 < LEADING_STEPS ? s->steps / 20 + 1 : LEADING_STEPS;
    for (int64_t within = 1; g->share > 0 && s->step < s->steps; k++, within++) {
        double before = o->least, cost = dlg_step(s, restart, k);
        if (o->stopped || o->failed || !isfinite(cost))
            break;
        if ((within < most && !(o->least > 0.97 * before)) || s->step == s->steps)
            continue;
        next_stage(g);
        within = 0;
    }
    return k;
}

/* Steps until the match is exact, hopeless or the budget is spent. */
static void climb_down(guarded *g, int32_t restart, int64_t k) {
    dlg_search *s = g->s;
    const dlg *p = s->self;
    dlg_objective *o = &s->objective;
    double mark = INFINITY; /* least cost when progress was last seen */
    int64_t since = 0;
    for (; s->step < s->steps; k++) {
        double cost = dlg_step(s, restart, k);
        if (o->stopped || o->failed)
            return;
        since = o->least < progress * mark ? 0 : since + 1;
        if (since == 0)
            mark = o->least;
        if (!isfinite(cost) || below(s, o->fit, p->tolerance))
            return;
        if (since < p->patience || s->step == s->steps)
            continue;
        if (g->fit > 0 && g->variance > 0 && o->fit < g->fit / 2) { /* so there is less noise than that */
            next_stage(g);
            mark = INFINITY;
        } else if (g->noise > 0 || (restart < p->restarts && !below(s, o->fit, nearly))) {
            return;
        }
        gnt_lbfgs_reset(s->lbfgs);
        since = 0;
    }
}

/* Returns −log of likelihood × prior, with σ² of the noise estimated from the match itself: so results of
 * different weights of the prior can be compared. */
static double rank_of(const dlg_search *s) {
    const dlg_objective *o = &s->objective;
    float *grad = s->z; /* room: the iterate is done with */
    double fit = fmax(o->fit, 1e-12 * o->observed);
    return 0.5 * (double)o->residual.matched * log(fit) +
           s->self->parts->prior->add(o, o->best, s->self->prior / neighbours, grad);
}

static void run_guarded(dlg_search *s) {
    dlg_objective *o = &s->objective;
    guarded g = {.s = s, .rank = INFINITY};
    for (int32_t r = 0; r <= s->self->restarts && s->step < s->steps; r++) {
        begin_restart(&g, r);
        int64_t k = follow_lead(&g, r);
        if (!o->stopped && !o->failed)
            climb_down(&g, r, k);
        if (o->stopped || o->failed)
            return;
        if (!isfinite(o->least))
            continue;
        double rank = rank_of(s);
        if (rank < g.rank) {
            g.rank = rank;
            s->least = o->fit;
            s->chosen = r;
            memcpy(s->winner, o->best, (size_t)o->size * sizeof *s->winner);
        }
        s->matched = below(s, s->least, s->self->tolerance);
        if (below(s, s->least, nearly))
            return;
    }
}

const search_part search_guarded = {.name = "guarded L-BFGS", .run = run_guarded};
