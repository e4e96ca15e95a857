#include "cost/explained.h"

#include <math.h>
#include <string.h>

#include "defense/survivors.h"
#include "hook.h"
#include "label/label_scores.h"

gnt_status explained_open(explained *e, const gnt_host *host, const gnt_observation *seen, int64_t tries) {
    const gnt_model_info *info = host->model->info;
    const int64_t labels = seen->n * info->classes;
    gnt_function_spec spec = {.kind = GNT_FN_UPDATE};
    *e = (explained){.host = host, .seen = seen, .granted = granted_defense_of(seen), .tries = tries};
    TRY(hook_needs_update(host, seen));
    TRY(outliers_find(&e->apart, host, seen, OUTLIERS_AUTO));
    e->bound = gnt_host_scratch(host, seen->update->n, sizeof *e->bound);
    e->rates = hook_rates(host, seen);
    e->y = gnt_host_scratch(host, labels, sizeof *e->y);
    e->first = gnt_host_scratch(host, labels, sizeof *e->first);
    TRY(hook_memory(host, e->bound && e->rates && e->y && e->first));
    survivors_bounds(seen->update, &e->apart, SURVIVORS_AUTO, e->granted.pruned_together, e->bound);
    for (int64_t t = 0; t < seen->update->n; t++)
        e->squares += squares_of(&seen->update->view[t]);
    if (seen->labels)
        memcpy(e->first, seen->labels, (size_t)labels * sizeof *e->first);
    else if (seen->n > 1)
        TRY(label_targets(host, seen, &e->apart, tries, e->first));
    spec_unroll(&spec, seen);
    e->function = host->model->prepare(host->model->context, &spec);
    return e->function ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

void explained_close(explained *e) {
    if (e->function)
        e->host->model->release(e->host->model->context, e->function);
    e->function = NULL;
}

/* Returns the cost of tensor t of an update that is `factor` times the one made. */
static double tensor_cost(const explained *e, const gnt_view *made, int64_t t, double factor) {
    const float *seen = e->seen->update->view[t].data;
    const noise_law *law = &e->granted.noise;
    const double bound = (double)e->bound[t];
    double sum = 0, slope;
    for (int64_t i = 0; i < made->count; i++) {
        const double u = factor * (double)made->data[i] + law->mean, r = u - (double)seen[i];
        const double off = seen[i] != 0 ? r : fmax(0, fabs(u) - bound);
        if (!outliers_has(&e->apart, t, i))
            sum += law->kind == NOISE_NONE ? off * off : noise_entry_cost(law, off, &slope);
    }
    return sum;
}

/* Returns the factor of the update made that fits the entries observed best; 0 if none above 0 does. */
static double best_factor(const explained *e, const gnt_views *made) {
    double products = 0, squares = 0;
    for (int64_t t = 0; t < made->n; t++) {
        const float *seen = e->seen->update->view[t].data;
        for (int64_t i = 0; i < made->view[t].count; i++)
            if (seen[i] != 0 && !outliers_has(&e->apart, t, i)) {
                products += (double)made->view[t].data[i] * (double)seen[i];
                squares += (double)made->view[t].data[i] * (double)made->view[t].data[i];
            }
    }
    return products > 0 ? products / squares : 0;
}

/* Computes the cost at x with the labels e->y. */
static gnt_status cost_at(explained *e, const float *x, double *cost) {
    const gnt_function_args args = hook_args(e->seen, x, e->y, e->rates);
    const noise_law *law = &e->granted.noise;
    const int has_law = e->granted.is_complete || law->kind != NOISE_NONE;
    const gnt_views *made;
    TRY(may_go_on(e->host));
    TRY(hook_eval(e->host, e->function, &args, &made));
    const int64_t group = noise_clip_group(law, made->n);
    const double any = has_law ? 1 : best_factor(e, made);
    *cost = 0;
    for (int64_t t = 0; t < made->n; t++) {
        const double clip = has_law ? noise_clip_of(law, made->view + t / group * group, group).factor : any;
        *cost += tensor_cost(e, &made->view[t], t, clip);
    }
    if (law->kind == NOISE_NONE)
        *cost /= fmax(e->squares, 1e-300);
    if (!isfinite(*cost))
        *cost = INFINITY;
    return GNT_OK;
}

static void set_label(explained *e, int64_t i, int64_t label) {
    const int64_t classes = e->host->model->info->classes;
    for (int64_t c = 0; c < classes; c++)
        e->y[i * classes + c] = c == label;
}

/* Gives sample i the label of least cost among all; *changed: it is another one. */
static gnt_status exchange(explained *e, const float *x, int64_t i, double *cost, int *changed) {
    const int64_t classes = e->host->model->info->classes;
    const int64_t own = hook_argmax(e->y + i * classes, classes);
    int64_t best = own;
    for (int64_t c = 0; c < classes; c++) {
        double tried;
        if (c == own && isfinite(*cost))
            continue;
        set_label(e, i, c);
        TRY(cost_at(e, x, &tried));
        if (tried < *cost) {
            *cost = tried;
            best = c;
        }
    }
    set_label(e, i, best);
    *changed |= best != own;
    return GNT_OK;
}

gnt_status explained_cost(explained *e, const float *x, double *cost) {
    const int64_t classes = e->host->model->info->classes, n = e->seen->n;
    memcpy(e->y, e->first, (size_t)(n * classes) * sizeof *e->y);
    *cost = INFINITY;
    if (n > 1 || e->seen->labels)
        TRY(cost_at(e, x, cost));
    if (e->seen->labels)
        return GNT_OK;
    int64_t tries = 0;
    for (int changed = 1; changed && tries < e->tries;) {
        changed = 0;
        for (int64_t i = 0; i < n && tries < e->tries; i++, tries += classes)
            TRY(exchange(e, x, i, cost, &changed));
        changed &= n > 1;
    }
    return GNT_OK;
}
