#include "search/likely_search.h"

#include <string.h>

#include "defense/perturbed.h"
#include "search/chosen.h"
#include "label/soft_labels.h"
#include "search/invert_parameters.h"
#include "hook.h"

/* How often the noise is estimated again. */
enum { REFITS = 3 };

/* Choices of the parameter `optimiser`, in its order. */
enum { OPTIMISER_AUTO, OPTIMISER_ADAM, OPTIMISER_LBFGS };
static const char *const optimisers[] = {"auto", "adam", "lbfgs", NULL};
static const char *const costs[] = {"whitened", "plain", NULL};

const gnt_parameter likely_parameters[] = {
    INVERT_ROWS(2000, 0.1, "weight of the total variation prior, 1 as Laplace's law says; images only"),
    GNT_CHOICE(invert, optimiser, optimisers, "auto",
               "auto: L-BFGS through a network without kinks (ReLU, max pooling), else Adam"),
    GNT_CHOICE_ID("cost", invert, plain, costs, "whitened",
                  "whitened: each layer by its own noise, clipped; plain: all layers alike"),
    GNT_REAL(invert, bn, -1, 1000, -1, GNT_SCALE_LINEAR, "", INVERT_BN_HELP)};

/* Plugins, not families: what they make of the grant are their parameters. */
const char *const likely_families[] = {"fedre",      "fedre-sample", "uniform",           "dp-gaussian",
                                       "dp-laplace", "clip",         PERTURBING_DEFENSES, NULL};
const char *const region_families[] = {"fedre",      "fedre-sample", "uniform",  "dp-gaussian",
                                       "dp-laplace", "clip",         "blur-lus", NULL};

gnt_status likely_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost) {
    const gnt_host *host = self->host;
    *cost = self->plain ? DATA_PLAIN : DATA_WHITENED;
    /* who is granted the defense has to adapt to count as an attack that knows it */
    if (self->plain && (seen->granted & GNT_KNOWS_DEFENSE))
        return unsupported(
            host, "cost is \"plain\", as by an attacker who does not know of the layers' noise, but the "
                  "defense is granted: leave that grant out, or take \"whitened\"");
    for (int k = 0; k < INVERT_ROUNDS; k++)
        self->data[k].by_labels = 1;
    return granted_defense_check(host, granted);
}

prior_setting likely_prior(const invert *self, int cost, const gnt_artefacts *own) {
    (void)cost, (void)own;
    return (prior_setting){.kind = PRIOR_TV, .weight = self->tv};
}

gnt_status likely_label(search *s, const gnt_observation *seen, float *y) {
    if (!seen->labels)
        return search_soft_labels(s, y);
    memcpy(y, seen->labels, (size_t)(seen->n * s->self->host->model->info->classes) * sizeof *y);
    return GNT_OK;
}

gnt_status likely_bind(search *s, const gnt_observation *seen, const granted_defense *granted) {
    const invert *self = s->self;
    TRY(search_history(s, seen, granted, NULL));
    TRY(search_statistics(s, seen));
    gnt_host_fact(self->host, "rounds", s->n_terms);
    s->by_lbfgs = self->optimiser == OPTIMISER_LBFGS ||
                  (self->optimiser == OPTIMISER_AUTO && !search_has_kinks(self->host->model->info));
    return GNT_OK;
}

/* Continues from the winner, with noise that no grant gives estimated from the winner's residual. begin:
 * room. */
static gnt_status refit(search *s, int64_t steps, float *begin) {
    memcpy(begin, s->winner_q, (size_t)search_size(s) * sizeof *begin);
    if (s->y_sought)
        soft_labels_set(s->self->host->model->info->output, begin + s->at[s->n] + s->n_rates, s->n,
                        s->self->host->model->info->classes, s->y_sought);
    for (int k = 0; k < s->n_terms; k++)
        TRY(data_term_refit(&s->term[k], s->winner));
    s->begin_q = begin;
    return search_run(s, 1, steps, 0);
}

gnt_status likely_run(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    const int64_t restarts = s->self->restarts;
    const int64_t all = seen->budget > 0 ? seen->budget : restarts * s->self->steps;
    /* so few steps are not divided */
    const int refits = s->term[0].white.is_known || all / 2 < REFITS ? 0 : REFITS;
    /* half of the steps for all restarts, half for the best of them */
    const int64_t first = (refits ? all / 2 : all) / restarts, later = refits ? all / 2 / refits : 0;
    const size_t size = (size_t)search_size(s);
    float *begin = gnt_host_scratch(host, size, sizeof *begin);
    s->winner_q = gnt_host_scratch(host, size, sizeof *s->winner_q);
    TRY(hook_memory(host, begin && s->winner_q));
    s->total = all;
    TRY(search_run(s, restarts, first > 0 ? first : 1, 0));
    const int32_t chosen = s->chosen;
    for (int k = 0; k < refits && later > 0; k++)
        TRY(refit(s, later, begin));
    s->chosen = chosen;
    return GNT_OK;
}
