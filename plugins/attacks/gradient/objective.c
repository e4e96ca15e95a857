/* The cost of dlg and idlg, and its gradient: Σ‖u(x, y) − o‖² over all tensors, u the update that x and y
 * would give and o the one observed. */
#include <math.h>
#include <string.h>

#include "dlg.h"
#include "survivors.h"
#include "update.h"

/* What an empty update costs where costs are relative: L-BFGS's tolerances are absolute, and this leaves room
 * for nine digits above them. */
static const double empty_cost = 1000;

static gnt_status out_of_memory(const gnt_host *host) {
    return host->fail(host->context, "no memory for the search: the limit on scratch memory is too low");
}

static gnt_status refuse(const gnt_host *host, const char *why) {
    host->fail(host->context, why);
    return GNT_UNSUPPORTED;
}

/* The prepared function is kept from one observation to the next while their shape stays the same. */
static gnt_status prepare(dlg *self, const gnt_observation *seen, int32_t masked) {
    const gnt_host *host = self->host;
    const gnt_model_service *m = host->model;
    if (self->match && self->n == seen->n && self->local_steps == seen->steps && self->batch == seen->batch &&
        self->masked == masked) {
        m->changed(m->context, self->match);
        return GNT_OK;
    }
    if (self->match)
        m->release(m->context, self->match);
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_MATCH,
                              .n = seen->n,
                              .steps = seen->steps,
                              .batch = seen->batch,
                              .training = -1,
                              .cost = GNT_COST_L2,
                              .masked = masked,
                              .vjp = GNT_WRT_X | (self->fixed_label ? 0 : GNT_WRT_Y),
                              .held = GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED};
    self->match = m->prepare(m->context, &spec);
    if (!self->match)
        return host->fail(host->context, host->last_error(host->context));
    self->n = seen->n;
    self->local_steps = seen->steps;
    self->batch = seen->batch;
    self->masked = masked;
    return GNT_OK;
}

static gnt_status bind_update(dlg_objective *o, const gnt_observation *seen, int32_t *masked) {
    const gnt_host *host = o->self->host;
    double squares = 0;
    if (!is_whole_update(host->model->info, seen->update))
        return refuse(host, "it needs one tensor of the update for each parameter that clients share");
    const int64_t n = seen->update->n;
    const float **observed = host->scratch(host->context, (size_t)n * sizeof *observed);
    if (!observed)
        return out_of_memory(host);
    for (int64_t t = 0; t < n; t++) {
        const gnt_view *v = &seen->update->view[t];
        for (int64_t i = 0; i < v->count; i++)
            squares += (double)v->data[i] * (double)v->data[i];
        observed[t] = v->data;
    }
    if (!isfinite(squares))
        return host->fail(host->context, "the observed update holds NaN or infinite entries");
    o->args.observed = observed;
    o->observed = squares;
    return survivors_mask(host, seen->update, o->self->mask_zeros, masked, &o->args.mask);
}

/* Local steps: the rates that were granted, else the announced one at every step. Their sum turns a weight
 * delta into a mean gradient, which keeps the cost in the units that L-BFGS's tolerances are made for. */
static gnt_status bind_rates(dlg_objective *o, const gnt_observation *seen) {
    const gnt_host *host = o->self->host;
    double sum = 0;
    o->scale = 1;
    if (seen->steps == 0)
        return GNT_OK;
    float *rates = host->scratch(host->context, (size_t)seen->steps * sizeof *rates);
    if (!rates)
        return out_of_memory(host);
    for (int32_t i = 0; i < seen->steps; i++)
        sum += rates[i] = seen->rates ? seen->rates[i] : (float)seen->rate;
    if (!(sum > 0) || !isfinite(sum))
        return refuse(host, "it needs positive learning rates to read a weight delta");
    o->args.rates = rates;
    o->scale = 1 / (sum * sum);
    return GNT_OK;
}

gnt_status dlg_objective_open(dlg_objective *o, dlg *self, const gnt_observation *seen) {
    const gnt_host *host = self->host;
    *o = (dlg_objective){.self = self};
    if (!host->model)
        return refuse(host, "it needs the model");
    if (host->model->info->output == GNT_OUTPUT_MAP)
        return refuse(host, "it looks for a label among classes, and this model's output is a map");
    if (seen->n < 1 || seen->steps < 0)
        return refuse(host, "it needs the number of samples in the batch");
    int32_t masked = 0;
    gnt_status s = bind_update(o, seen, &masked);
    if (s == GNT_OK)
        s = bind_rates(o, seen);
    if (s == GNT_OK)
        s = prepare(self, seen, masked);
    if (s != GNT_OK)
        return s;
    const gnt_model_info *info = host->model->info;
    o->units = o->scale;
    if (self->relative && o->observed > 0)
        o->scale = empty_cost / o->observed;
    o->observed *= o->scale;
    o->n = seen->n;
    o->classes = info->classes;
    o->features = 1;
    for (int32_t i = 0; i < info->rank; i++)
        o->features *= info->dim[i];
    o->size = o->n * (o->features + (self->fixed_label ? 0 : o->classes));
    o->y = host->scratch(host->context, (size_t)(o->n * o->classes) * sizeof *o->y);
    o->best = host->scratch(host->context, (size_t)o->size * sizeof *o->best);
    if (!o->y || !o->best)
        return out_of_memory(host);
    o->args.size = sizeof o->args;
    o->args.y = o->y;
    o->args.weights = seen->weights;
    o->args.buffers = seen->buffers;
    o->least = INFINITY;
    return GNT_OK;
}

void dlg_softmax(const float *logits, int64_t n, int64_t classes, float *y) {
    for (int64_t i = 0; i < n; i++, logits += classes, y += classes) {
        float most = logits[0], sum = 0;
        for (int64_t c = 1; c < classes; c++)
            most = logits[c] > most ? logits[c] : most;
        for (int64_t c = 0; c < classes; c++)
            sum += y[c] = expf(logits[c] - most);
        for (int64_t c = 0; c < classes; c++)
            y[c] /= sum;
    }
}

/* d_logits = y ∘ (d_y − ⟨d_y, y⟩): the softmax's Jacobian is symmetric. */
static void softmax_vjp(const float *y, const float *d_y, int64_t n, int64_t classes, double scale,
                        float *d_logits) {
    for (int64_t i = 0; i < n; i++, y += classes, d_y += classes, d_logits += classes) {
        double mean = 0;
        for (int64_t c = 0; c < classes; c++)
            mean += (double)d_y[c] * (double)y[c];
        for (int64_t c = 0; c < classes; c++)
            d_logits[c] = (float)(scale * (double)y[c] * ((double)d_y[c] - mean));
    }
}

double dlg_cost(void *objective, const float *z, float *grad) {
    dlg_objective *o = objective;
    const gnt_host *host = o->self->host;
    const gnt_model_service *m = host->model;
    const gnt_views *out;
    const gnt_gradient *g;
    int64_t pixels = o->n * o->features;
    if (!o->stopped)
        o->stopped = host->should_stop(host->context);
    if (o->stopped || o->failed)
        return NAN;
    if (!o->self->fixed_label)
        dlg_softmax(z + pixels, o->n, o->classes, o->y);
    o->args.x = z;
    if (m->eval(m->context, o->self->match, &o->args, &out) != GNT_OK ||
        m->vjp(m->context, o->self->match, NULL, &g) != GNT_OK) {
        o->failed = 1;
        return NAN;
    }
    double cost = o->scale * (double)out->view[0].data[0];
    for (int64_t i = 0; i < pixels; i++)
        grad[i] = (float)o->scale * g->x[i];
    if (!o->self->fixed_label)
        softmax_vjp(o->y, g->y, o->n, o->classes, o->scale, grad + pixels);
    if (cost < o->least) {
        o->least = cost;
        memcpy(o->best, z, (size_t)o->size * sizeof *z);
    }
    return cost;
}
