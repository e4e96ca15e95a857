/* The batch-norm statistics that the batch of a search is to have. */
#include "cost/observed_statistics.h"
#include "hook.h"
#include "search/invert.h"

/* Weights where `bn` leaves them to the attack: against 1 − cos; and against an update with noise, granted
 * or seen, if the statistics are exactly the batch's, so that they decide wherever the noise does not let the
 * update. */
static const double usual = 0.1, exact = 10;

static double weight_of(const search *s, const gnt_observation *seen, const float *sent) {
    const data_term *own = &s->term[0];
    const int has_noise =
        own->cost == DATA_LIKELIHOOD || (own->cost == DATA_WHITENED && own->white.has_noise);
    if (s->self->bn >= 0)
        return s->self->bn;
    if (seen->batch_mean)
        return usual;
    if (!sent || observed_statistics_are_noisy(seen))
        return 0;
    return has_noise && seen->steps <= 1 ? exact : usual;
}

/* Scales the weight up for a likelihood, which is of the order of half the entries of the update where 1 −
 * cos is of the order of 1. */
gnt_status search_statistics(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    const gnt_model_info *info = host->model->info;
    const float *sent;
    TRY(observed_statistics(host, seen, &sent));
    const float *wanted = seen->batch_mean ? seen->batch_mean : sent ? sent : seen->buffers;
    const double weight = weight_of(s, seen, sent);
    if (weight == 0 || !wanted || !statistics_layers(info))
        return GNT_OK;
    gnt_host_fact(host, "bn", weight);
    gnt_host_fact(host, "bn_observed", wanted == sent);
    s->bn = search_is_likely(s) ? weight * 0.5 * (double)info->n_params : weight;
    return statistics_open(&s->statistics, &s->self->statistics, host, seen, wanted);
}
