/* linear-layer for an update of one sample that was pruned, or lacks the first layer's bias.
 *
 *  1. survivor_rows.h reads the inputs that survived, up to a factor a, and bounds for the others.
 *  2. If no bias gives a, the network does: the update of an estimate has a δ, and a is the factor by which
 *     the survivors' ratios explain it. Estimate and factor are computed in turn, from either sign, and the
 *     sign is taken that explains the whole update better (network_fit.h).
 *  3. head_survivors.h reads hidden units of a network with one hidden layer. They give a without a search,
 *     and equations of the inputs.
 *  4. bounded.h estimates the inputs between their bounds, under these equations. */
#include <math.h>

#include "defense/survivors.h"
#include "linear/head_survivors.h"
#include "linear/linear_layer.h"
#include "linear/network_fit.h"
#include "linear/survivor_rows.h"
#include "prior/bounded.h"
#include "prior/natural_rows.h"
#include "prior/prior_choice.h"
#include "hook.h"

enum { TURNS = 5, LAST_TURNS = 2 };
static const double settled = 1e-3; /* of a, relative */
/* Where a search begins, over the least |a| that images allow: extreme values are rare. */
static const double usual_room = 1.5;

typedef struct pruned {
    linear_layer *s;
    const gnt_host *host;
    sample_shape shape;
    survivor_rows rows;
    rank_one_input input;
    sample_prior prior;
    prior_room *room;
    whole_covariance whole; /* of images */
    int has_whole;
    bounded_room bounded;
    entry_bounds bounds;
    network_fit network;
    head_survivors head;
    projections hidden; /* if head.found */
    double *x;
} pruned;

static gnt_status open_prior(pruned *p, const gnt_samples *known) {
    const float *x = known ? known->x : NULL;
    const int64_t n = known ? known->n : 0;
    entry_bounds_count(&p->bounds, x, n, p->shape.features);
    kept_prior_begin(&p->s->known, x, n, p->shape.features);
    TRY(kept_prior_get(&p->s->known, &p->prior, p->host, &p->shape, x, n, PRIOR_BY_DISTANCE));
    p->room = prior_room_make(p->host, &p->prior);
    TRY(hook_memory(p->host, p->room != NULL));
    p->has_whole = n > 0 && p->shape.height * p->shape.width > 1;
    return p->has_whole ? whole_covariance_make(&p->whole, p->host, &p->shape, x, n,
                                                prior_candidate(PRIOR_BY_DISTANCE).by_distance)
                        : GNT_OK;
}

static gnt_status open_memory(pruned *p) {
    const int64_t d = p->shape.features;
    p->x = gnt_host_scratch(p->host, d, sizeof *p->x);
    return hook_memory(p->host, p->x && entry_bounds_make(&p->bounds, p->host, d) &&
                                    bounded_room_make(&p->bounded, p->host, d) &&
                                    rank_one_input_make(&p->input, p->host, d));
}

/* Returns the factor by which the survivors' ratios explain the network's δ, over the units that are on in
 * both; 0 if there are none. */
static double factor_of(const pruned *p) {
    double products = 0, squares = 0;
    for (int64_t i = 0; i < p->rows.units; i++)
        if (p->network.delta[i] != 0) {
            products += p->rows.ratio[i] * p->network.delta[i];
            squares += p->rows.ratio[i] * p->rows.ratio[i];
        }
    return squares > 0 ? p->network.loudness * products / squares : 0;
}

/* Replaces a by the network's, within the range of its sign, at the estimate x. Returns the relative change.
 */
static gnt_status turn(pruned *p, double sign, double least, double most, double *a, double *change) {
    TRY(network_fit_at(&p->network, p->x));
    const double size = fmin(most, fmax(least, sign * factor_of(p)));
    *change = fabs(size / fabs(*a) - 1);
    *a = sign * size;
    return GNT_OK;
}

static gnt_status estimate(pruned *p, double a, const whole_covariance *whole) {
    survivor_rows_bounds(&p->rows, &p->input, a, &p->bounds);
    return bounded_estimate(&p->prior, whole, p->host, &p->bounds, p->head.found ? &p->hidden : NULL,
                            &p->bounded, p->room, p->x);
}

/* Reads the hidden units, and a by them if no bias gives it. They are dropped if they contradict a bias, or
 * no image has the survivors at their scale. */
static gnt_status read_head(pruned *p, const gnt_observation *seen, const dense_layer *l,
                            const float *bound) {
    const double as_bias = 0.3; /* relative */
    double least, most;
    TRY(head_survivors_read(&p->head, p->host, seen, l, &p->rows, bound));
    if (!p->head.found)
        return GNT_OK;
    survivor_rows_range(&p->rows, &p->input, p->head.a < 0 ? -1 : 1, &least, &most);
    p->head.found = p->rows.a != 0 ? fabs(p->head.a / p->rows.a - 1) < as_bias
                                   : least <= most && fabs(p->head.a) > (1 - as_bias) * least;
    if (!p->head.found)
        return GNT_OK;
    if (p->rows.a == 0)
        p->rows.a = (p->head.a < 0 ? -1 : 1) * fmin(most, fmax(least, fabs(p->head.a)));
    gnt_host_fact(p->host, "hidden_shown", (double)p->head.shown);
    return head_survivors_project(&p->head, p->host, &p->input, p->shape.features, &p->hidden);
}

/* Searches a of one sign, by rough estimates first; *cost: that of the whole
 * update, INFINITY where no image has that sign. */
static gnt_status search_sign(pruned *p, double sign, double *a, double *cost) {
    double least, most, change = INFINITY;
    survivor_rows_range(&p->rows, &p->input, sign, &least, &most);
    *cost = INFINITY;
    if (!(least <= most) || !isfinite(least))
        return GNT_OK;
    *a = sign * fmin(most, usual_room * least);
    for (int i = 0; i < TURNS && change > settled; i++) {
        survivor_rows_bounds(&p->rows, &p->input, *a, &p->bounds);
        if (bounded_guess(&p->prior, &p->bounds, &p->bounded, p->room, p->x) != 0)
            return GNT_OK;
        TRY(turn(p, sign, least, most, a, &change));
    }
    const double rough = p->network.cost;
    change = INFINITY;
    for (int i = 0; i < LAST_TURNS && change > settled; i++) {
        TRY(estimate(p, *a, NULL));
        TRY(turn(p, sign, least, most, a, &change));
    }
    *cost = sqrt(rough * p->network.cost);
    return GNT_OK;
}

/* Finds a by the network. *found: 0 if neither sign is of an image. */
static gnt_status find_factor(pruned *p, int *found) {
    double positive, negative, a;
    TRY(search_sign(p, 1, &p->rows.a, &positive));
    TRY(search_sign(p, -1, &a, &negative));
    if (negative < positive)
        p->rows.a = a;
    *found = isfinite(fmin(positive, negative));
    return GNT_OK;
}

static gnt_status solve(pruned *p, int *found) {
    *found = 1;
    if (p->rows.a == 0) {
        gnt_status status = network_fit_open(&p->network);
        if (status == GNT_OK)
            status = find_factor(p, found);
        network_fit_close(&p->network);
        TRY(status);
    }
    return *found ? estimate(p, p->rows.a, p->has_whole ? &p->whole : NULL) : GNT_OK;
}

static gnt_status give(const pruned *p, const gnt_answer *answer) {
    float *x = gnt_host_scratch(p->host, p->shape.features, sizeof *x);
    double squares = 0;
    TRY(hook_memory(p->host, x != NULL));
    for (int64_t k = 0; k < p->shape.features; k++)
        x[k] = (float)p->x[k];
    for (int64_t i = 0; i < p->rows.units; i++)
        squares += p->rows.ratio[i] * p->rows.ratio[i];
    gnt_host_fact(p->host, "delta_norm", fabs(p->rows.a) * sqrt(squares));
    gnt_host_fact(p->host, "inputs_shown", (double)p->rows.n_shown);
    return answer->reconstruction(answer->context, 1, x);
}

/* Sets the bounds on the zeros of each tensor: none where it was not sent. */
static void find_bounds(const gnt_views *update, const outliers *apart, const layer_noise *noise,
                        float *bound) {
    survivors_bounds(update, apart, SURVIVORS_AUTO, noise->pruned_together, bound);
    for (int64_t t = 0; t < update->n && !noise->pruned; t++)
        if (squares_of(&update->view[t]) == 0)
            bound[t] = INFINITY;
}

gnt_status linear_pruned_run(linear_layer *s, const gnt_observation *seen, const layer_noise *noise,
                             const gnt_answer *answer, int *answered) {
    const gnt_host *host = s->host;
    pruned p = {.s = s, .host = host, .shape = sample_shape_of(host->model->info)};
    dense_layer l;
    *answered = 0;
    TRY(linear_find(s, seen, p.shape.features, &l));
    if (!isfinite(squares_of(l.w) + squares_of(l.b)))
        return gnt_host_fail(host, "the observed update holds NaN or infinite entries");
    float *bound = gnt_host_scratch(host, seen->update->n, sizeof *bound);
    TRY(hook_memory(host, bound != NULL));
    find_bounds(seen->update, &l.apart, noise, bound);
    TRY(survivor_rows_read(&p.rows, host, &l, p.shape.features, (double)bound[l.w_at],
                           (double)bound[l.b_at]));
    if (p.rows.n_shown == 0)
        return GNT_OK;
    TRY(open_memory(&p));
    TRY(open_prior(&p, natural_rows(seen, p.shape.features)));
    gnt_host_fact(host, "scale_known", p.rows.a != 0);
    if (noise_clip_group(&noise->law, seen->update->n) == seen->update->n)
        TRY(read_head(&p, seen, &l, bound));
    p.network = (network_fit){
        .host = host, .seen = seen, .apart = &l.apart, .clip = &noise->law, .b_at = l.b_at, .bound = bound};
    TRY(solve(&p, answered));
    return *answered ? give(&p, answer) : GNT_OK;
}
