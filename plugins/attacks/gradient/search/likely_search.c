#include "search/likely_search.h"

#include <string.h>

#include "defense/granted_defense.h"
#include "label/soft_labels.h"

/* How often the noise is taken anew. */
enum { REFITS = 3 };

const char *const likely_optimisers[] = {"auto", "adam", "lbfgs", NULL};
const char *const likely_costs[] = {"whitened", "plain", NULL};

void *likely_search_create(const gnt_host *host, const gnt_value *values) {
    invert *s = invert_new(host, values);
    for (int k = 0; s && k < INVERT_ROUNDS; k++)
        s->data[k].by_labels = 1;
    return s;
}

/* The latest first. What an earlier round shows is taken to be of the same samples. */
static gnt_status add_history(search *s, const gnt_observation *seen, int cost,
                              const granted_defense *granted) {
    invert *self = s->self;
    const match_choice choice = {self->value[INVERT_MASK_ZEROS].i, self->value[INVERT_OUTLIERS].i};
    for (int64_t k = seen->n_history; k > 0 && s->n_terms < INVERT_ROUNDS; k--) {
        const gnt_observation *past = seen->history[k - 1];
        if (!past || !past->update || past->n != seen->n)
            continue;
        data_term *term = &s->term[s->n_terms];
        gnt_status status =
            data_term_open(term, &self->data[s->n_terms], self->host, past, choice, cost, granted);
        if (status != GNT_OK)
            return status;
        term->args.y = s->y;
        s->n_terms++;
    }
    gnt_host_fact(self->host, "rounds", s->n_terms);
    return GNT_OK;
}

gnt_status likely_search_open(search *s, invert *self, const gnt_observation *seen, public_images *images) {
    const gnt_host *host = self->host;
    const prior_setting setting = {.kind = PRIOR_TV, .weight = self->value[INVERT_TV].r};
    const int64_t wanted = self->value[LIKELY_OPTIMISER].i;
    const int cost = self->value[LIKELY_COST].i == COST_PLAIN ? DATA_PLAIN : DATA_WHITENED;
    if (!host->model || seen->n < 1 || seen->steps < 0)
        return match_refuse(host, "it needs the model and the number of samples in the batch");
    /* who is granted the defense has to adapt to count as an attack that knows it */
    if (cost == DATA_PLAIN && (seen->granted & GNT_KNOWS_DEFENSE))
        return match_refuse(
            host, "cost is \"plain\", as by an attacker who does not know of the layers' noise, but the "
                  "defense is granted: leave that grant out, or take \"whitened\"");
    const granted_defense granted = granted_defense_of(seen);
    const size_t labels = (size_t)(seen->n * host->model->info->classes);
    float *y = gnt_host_scratch(host, labels, sizeof *y);
    if (!y)
        return match_no_memory(host);
    gnt_status status = granted_defense_check(host, &granted);
    if (status == GNT_OK)
        status = search_open(s, self, seen, y, cost, &granted);
    if (status == GNT_OK && seen->labels)
        memcpy(y, seen->labels, labels * sizeof *y);
    else if (status == GNT_OK)
        status = search_soft_labels(s, y);
    if (status == GNT_OK)
        status = add_history(s, seen, cost, &granted);
    if (status == GNT_OK)
        status = public_images_open(images, host, seen->public_data, 0);
    if (status == GNT_OK)
        status = search_use(s, &setting, images);
    s->by_lbfgs =
        wanted == OPTIMISER_LBFGS || (wanted == OPTIMISER_AUTO && !search_has_kinks(host->model->info));
    return status;
}

/* Goes on from the winner, with the noise that it leaves for the noise that no grant told. begin: room. */
static gnt_status refit(search *s, int64_t steps, float *begin) {
    gnt_status status = GNT_OK;
    memcpy(begin, s->winner_q, (size_t)search_size(s) * sizeof *begin);
    if (s->y_sought)
        soft_labels_set(s->self->host->model->info->output, begin + s->at[s->n] + s->n_rates, s->n,
                        s->self->host->model->info->classes, s->y_sought);
    for (int k = 0; status == GNT_OK && k < s->n_terms; k++)
        status = data_term_refit(&s->term[k], s->winner);
    s->begin_q = begin;
    return status == GNT_OK ? search_run(s, 1, steps, 0) : status;
}

gnt_status likely_search_run(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    const gnt_value *v = s->self->value;
    const int64_t restarts = v[INVERT_RESTARTS].i;
    const int64_t all = seen->budget > 0 ? seen->budget : restarts * v[INVERT_STEPS].i;
    const int refits = s->term[0].white.is_known ? 0 : REFITS;
    /* half of the steps for all restarts, half for the best of them */
    const int64_t first = (refits ? all / 2 : all) / restarts, later = refits ? all / 2 / refits : 0;
    const size_t size = (size_t)search_size(s);
    float *begin = gnt_host_scratch(host, size, sizeof *begin);
    s->winner_q = gnt_host_scratch(host, size, sizeof *s->winner_q);
    if (!begin || !s->winner_q)
        return match_no_memory(host);
    s->total = all;
    gnt_status status = search_run(s, restarts, first > 0 ? first : 1, 0);
    const int32_t chosen = s->chosen;
    for (int k = 0; status == GNT_OK && k < refits && later > 0; k++)
        status = refit(s, later, begin);
    s->chosen = chosen;
    return status;
}
