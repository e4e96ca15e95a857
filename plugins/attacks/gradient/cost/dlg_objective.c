/* The cost of a recipe as a function of its unknowns; and the cost part `squares`: the squared distance of
 * the update of x and y from the one observed, as residual.h has it. */
#include <math.h>
#include <string.h>

#include "dlg.h"
#include "defense/common_rows.h"
#include "label/soft_labels.h"
#include "hook.h"

/* What an empty update costs where costs are relative: L-BFGS's tolerances are absolute, and this leaves room
 * for nine digits above them. */
static const double empty_cost = 1000;

/* Sets the rates of local steps: those granted, else the announced one at every step. The sum of their sizes
 * turns a weight delta into a mean gradient, which keeps the cost in the units that L-BFGS's tolerances are
 * made for. A client may take negative steps, and send their sum with the other sign. */
static gnt_status bind_rates(dlg_objective *o, const gnt_observation *seen) {
    const gnt_host *host = o->self->host;
    double sum = 0;
    o->scale = 1;
    if (seen->steps == 0)
        return GNT_OK;
    const float *rates = hook_rates(host, seen);
    TRY(hook_memory(host, rates != NULL));
    for (int32_t i = 0; i < seen->steps; i++)
        sum += fabs((double)rates[i]);
    if (!(sum > 0) || !isfinite(sum))
        return unsupported(host, "it needs learning rates to read a weight delta, and all are zero");
    o->args.rates = rates;
    o->scale = 1 / (sum * sum);
    return GNT_OK;
}

static gnt_status squares_open(dlg_objective *o, const gnt_observation *seen, int by_labels) {
    dlg *self = o->self;
    const gnt_host *host = self->host;
    gnt_observation matched = *seen;
    if (!self->reference) /* the authors' programs match what was sent */
        TRY(common_rows_off(&matched, host, seen, self->choice.outliers));
    TRY(residual_open(&o->residual, host, &matched, self->choice.mask_zeros, self->choice.outliers));
    TRY(match_check_size(host, o->residual.squares, MATCH_SIZE));
    TRY(bind_rates(o, seen));
    TRY(match_prepare_update(&self->match, host, seen, GNT_WRT_X | (by_labels ? GNT_WRT_Y : 0)));
    o->observed = o->residual.squares;
    o->units = o->scale;
    if (!self->reference)
        o->scale = empty_cost / o->observed;
    o->observed *= o->scale;
    o->args = hook_args(seen, NULL, o->y, o->args.rates);
    return GNT_OK;
}

static double squares_eval(dlg_objective *o, const float *x, const gnt_gradient **g) {
    const gnt_model_service *m = o->self->host->model;
    const gnt_views *out;
    o->args.x = x;
    o->failed = m->eval(m->context, o->self->match.function, &o->args, &out) != GNT_OK;
    const double cost = o->failed ? NAN : o->scale * residual_squares(&o->residual, out);
    const float *const *cotangent = (const float *const *)o->residual.cotangent;
    o->failed |= !o->failed && m->vjp(m->context, o->self->match.function, cotangent, g) != GNT_OK;
    return o->failed ? NAN : cost;
}

const cost_part cost_squares = {.name = "squares", .open = squares_open, .eval = squares_eval};

int dlg_searches_labels(const dlg_objective *o) {
    return !o->self->parts->label->find;
}

gnt_status dlg_objective_open(dlg_objective *o, dlg *self, const gnt_observation *seen) {
    const gnt_host *host = self->host;
    *o = (dlg_objective){.self = self};
    if (!host->model)
        return unsupported(host, "it needs the model");
    if (host->model->info->output == GNT_OUTPUT_MAP)
        return unsupported(host, "it looks for a label among classes, and this model's output is a map");
    if (seen->n < 1 || seen->steps < 0)
        return unsupported(host, "it needs the number of samples in the batch");
    /* who is granted the defense has to use it to count as an attack that knows it */
    if (self->reference && (seen->granted & GNT_KNOWS_DEFENSE))
        return unsupported(host,
                           "mode is \"reference\", the authors' program, which knows of no defense, but "
                           "the defense is granted: leave that grant out, or take \"guarded\"");
    const gnt_model_info *info = host->model->info;
    o->n = seen->n;
    o->classes = info->classes;
    o->features = hook_features(info);
    o->y = gnt_host_scratch(host, o->n * o->classes, sizeof *o->y);
    return o->y ? self->parts->cost->open(o, seen, dlg_searches_labels(o)) : hook_no_memory(host);
}

gnt_status dlg_objective_open_prior(dlg_objective *o, const gnt_artefacts *own) {
    const gnt_host *host = o->self->host;
    TRY(o->self->parts->prior->open(o, own));
    o->size = o->unknowns + (dlg_searches_labels(o) ? o->n * o->classes : 0);
    o->best = gnt_host_scratch(host, o->size, sizeof *o->best);
    TRY(hook_memory(host, o->best != NULL));
    dlg_objective_begin(o, 0);
    return GNT_OK;
}

void dlg_objective_close(dlg_objective *o) {
    if (o->self->parts->prior->close)
        o->self->parts->prior->close(o);
}

void dlg_objective_begin(dlg_objective *o, double weight) {
    o->weight = weight;
    o->least = o->fit = INFINITY;
}

double dlg_cost(void *objective, const float *z, float *grad) {
    dlg_objective *o = objective;
    const recipe *parts = o->self->parts;
    const int by_labels = dlg_searches_labels(o);
    const gnt_gradient *g;
    if (!o->stopped)
        o->stopped = gnt_host_should_stop(o->self->host);
    if (o->stopped || o->failed)
        return NAN;
    if (by_labels)
        soft_labels_set(GNT_OUTPUT_CLASSES, z + o->unknowns, o->n, o->classes, o->y);
    const float *x = parts->prior->image(o, z);
    double cost = x ? parts->cost->eval(o, x, &g) : NAN;
    o->failed |= !x || (!o->failed && !parts->prior->pull(o, o->scale, g->x, grad));
    if (o->failed)
        return NAN;
    double fit = cost;
    cost += parts->prior->add(o, z, o->weight, grad);
    if (by_labels)
        soft_labels_vjp(GNT_OUTPUT_CLASSES, o->y, g->y, o->n, o->classes, o->scale, grad + o->unknowns);
    if (cost < o->least) {
        o->least = cost;
        o->fit = fit;
        memcpy(o->best, z, (size_t)o->size * sizeof *z);
    }
    return cost;
}
