#include "linear/step_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hook.h"
#include "linear/column_choice.h"
#include "linear/sample_columns.h"
#include "linear/small_matrix.h"
#include "linear/update_columns.h"

/* Share of the squares of a sample's δ that may not follow from its features: of one step, and of
 * several. */
static const double most_apart = 1e-2, most_apart_of_steps = 0.5;
/* Share of the squares of the later layers' update that is left, where a few samples were not found. */
static const double least_left_of_part = 0.1;
static const double rounding = 1e-7;       /* of such a share */
static const double certain_apart = 1e-6;  /* share, of a sample that certainly is of the step */
static const double most_of_others = 1e-5; /* share of the squares of f̃ that samples left do not have */
static const double same_scale = 0.005;    /* a scale that is so near to the announced one is that */
static const double same_features = 2e-2;  /* distance of the features of one sample, in their length */
static const double again_share = 0.1;     /* of the effort, for each further search */
enum { IN_VAIN = 2 };                      /* further searches that let no sample of a step be certain */

/* True if these are the features of one sample. */
static int is_same(const float *a, const float *b, int64_t n) {
    double apart = 0, squares = 0;
    for (int64_t k = 0; k < n; k++) {
        const double d = (double)a[k] - (double)b[k];
        apart += d * d;
        squares += (double)a[k] * (double)a[k];
    }
    return apart <= same_features * same_features * squares;
}

typedef struct fitted {
    head_fit fit;
    int64_t sample;
} fitted;

static int by_distance(const void *a, const void *b) {
    const fitted *x = a, *y = b;
    const int order = (x->fit.apart > y->fit.apart) - (x->fit.apart < y->fit.apart);
    return order ? order : x->sample < y->sample ? -1 : 1;
}

typedef struct replay {
    dense_features *d;
    dense_head *head;
    update_columns *columns; /* of the update less the samples that are certain */
    exact_batch *batch;
    fitted *left;    /* samples whose step is not known yet */
    int64_t n;       /* of these */
    int64_t samples; /* in the update that is left */
    float *w, *b;    /* the layer's at the present step */
    double effort;   /* of all searches */
    double *delta;   /* of each sample left, as the others leave it to it */
    int has_delta;   /* once a step is incomplete; no sample is added after that */
    int64_t certain; /* samples whose step is certain */
} replay;

/* Returns by how much the update grows with a gradient of step k: the sum of the rates from there on,
 * each as momentum repeats it. */
static double growth_of(const gnt_observation *seen, int32_t k) {
    double sum = 0, repeated = 1;
    for (int32_t j = k; j < seen->steps; j++, repeated *= seen->momentum)
        sum += repeated * (seen->rates ? (double)seen->rates[j] : seen->rate);
    return sum > 0 ? sum : 1;
}

/* Returns how many samples a step has. */
static int64_t batch_of(const gnt_observation *seen) {
    return seen->steps ? seen->batch : seen->n;
}

/* Fits all samples that are left to the present weights; those that fit best come first. */
static gnt_status fit_left(replay *r, int32_t k, int by_delta) {
    dense_features *d = r->d;
    const int64_t units = r->head->layer[0].units;
    for (int64_t i = 0; i < r->n; i++) {
        fitted *own = &r->left[i];
        TRY(may_go_on(d->host));
        own->fit = dense_head_fit(r->head, d->f + own->sample * d->features, r->columns,
                                  by_delta ? r->delta + own->sample * units : NULL);
        if (by_delta && own->fit.apart < d->apart[own->sample]) { /* a guess, until the step is known */
            d->label[own->sample] = own->fit.label;
            d->step[own->sample] = k;
            d->apart[own->sample] = own->fit.apart;
        }
    }
    qsort(r->left, (size_t)r->n, sizeof *r->left, by_distance);
    return GNT_OK;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns how many samples, at most `most`, certainly are of the present step. */
static int64_t count_certain(const replay *r, int64_t most) {
    int64_t n = 0;
    while (n < r->n && n < most && r->left[n].fit.label >= 0 && r->left[n].fit.apart < certain_apart)
        n++;
    return n;
}

/* Returns the scale of the first n samples, which are of one step: the median, or what the announced rates
 * give if that is about the same. */
static gnt_status scale_of(const replay *r, int64_t n, double announced, double *scale) {
    double *all = gnt_host_scratch(r->d->host, n + 1, sizeof *all);
    int64_t count = 0;
    TRY(hook_memory(r->d->host, all != NULL));
    for (int64_t i = 0; i < n; i++)
        if (r->left[i].fit.scale > 0)
            all[count++] = r->left[i].fit.scale;
    qsort(all, (size_t)count, sizeof *all, by_size);
    *scale = count ? all[count / 2] : announced;
    if (fabs(*scale - announced) < same_scale * announced)
        *scale = announced;
    return GNT_OK;
}

/* Makes the sample that fits best one of step k. scale: of the step. */
static void take_best(replay *r, int32_t k, double scale) {
    dense_features *d = r->d;
    const fitted *own = r->left;
    const float *f = d->f + own->sample * d->features;
    d->label[own->sample] = own->fit.label;
    d->step[own->sample] = k;
    d->apart[own->sample] = own->fit.apart;
    if (own->fit.label >= 0 && scale > 0)
        dense_head_add(r->head, f, own->fit.label, scale / growth_of(d->seen, k));
    r->n--;
    memmove(r->left, r->left + 1, (size_t)r->n * sizeof *r->left);
}

/* Returns a place for one more sample: of one that was dropped, or after all others. */
static int64_t free_place(const replay *r) {
    dense_features *d = r->d;
    for (int64_t at = 0; at < d->found; at++) {
        int is_used = d->label[at] >= 0;
        for (int64_t i = 0; i < r->n; i++)
            is_used |= r->left[i].sample == at;
        if (!is_used)
            return at;
    }
    d->label[d->found] = -1;
    d->apart[d->found] = INFINITY;
    return d->found++;
}

/* Drops samples that are not in the update that is left: they were mixtures with some that were taken. */
static void drop_mixtures(replay *r) {
    dense_features *d = r->d;
    int64_t n = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t at = r->left[i].sample;
        if (update_columns_apart_row(r->columns, d->f + at * d->features) < most_of_others) {
            r->left[n++] = r->left[i];
            continue;
        }
        d->label[at] = -1;
        d->apart[at] = INFINITY;
    }
    r->n = n;
}

/* Returns how many candidates can be left. */
static int64_t room_of(const replay *r) {
    return CANDIDATES * r->d->seen->n - r->certain - (r->d->seen->n - r->samples - r->certain);
}

/* Solves for samples that were not found while there were more in the update; adds those that are new. */
static gnt_status search_again(replay *r) {
    dense_features *d = r->d;
    const head_layer *first = &r->head->layer[0];
    const int64_t units = first->units, size = d->features;
    layer_rows rows = r->columns->rows;
    float *f = gnt_host_scratch(d->host, r->samples * size, sizeof *f);
    TRY(hook_memory(d->host, f != NULL));
    for (int64_t i = 0; i < units * size; i++)
        r->w[i] = (float)first->w[i];
    for (int64_t i = 0; i < units; i++)
        r->b[i] = (float)first->b[i];
    rows.weight = r->w;
    rows.bias = r->b;
    r->batch->effort = fmin(r->effort - r->batch->spent, again_share * r->effort);
    TRY(exact_batch_solve(r->batch, &rows, r->samples, f));
    for (int64_t i = 0; i < r->batch->found && r->n < room_of(r); i++) {
        const float *own = f + i * size;
        int is_there = 0;
        for (int64_t j = 0; j < r->n && !is_there; j++)
            is_there = is_same(own, d->f + r->left[j].sample * size, size);
        if (is_there)
            continue;
        const int64_t at = free_place(r);
        memcpy(d->f + at * size, own, (size_t)size * sizeof *own);
        r->left[r->n++] = (fitted){.sample = at};
    }
    return GNT_OK;
}

/* Returns how many of the samples left, which fit the weights the better the earlier they come, are of this
 * step: where the next one fits worst in comparison, between the fewest and the most that can be. */
static int64_t count_step(const replay *r, int64_t batch, int is_last) {
    const int64_t most = batch < r->n ? batch : r->n, missing = r->samples - r->n;
    const int64_t fewest = batch - missing > 0 ? batch - missing : 0;
    int64_t best = most;
    double widest = 0;
    if (is_last || fewest >= most)
        return most;
    for (int64_t i = fewest; i <= most && i < r->n; i++) {
        const double before = i > 0 ? fmax(r->left[i - 1].fit.apart, rounding) : rounding;
        const double gap = fmax(r->left[i].fit.apart, rounding) / before;
        if (gap > widest) {
            widest = gap;
            best = i;
        }
    }
    return best;
}

/* Finds what each sample left added to the update, as far as the others leave it to it. */
static gnt_status find_deltas(replay *r) {
    const dense_features *d = r->d;
    const row_space *space = &r->columns->space;
    const int64_t b = space->rank, units = space->units, n = r->n;
    column_choice choice;
    const int is_done = r->has_delta;
    r->has_delta = 1;
    if (is_done || n == 0 || b == 0)
        return GNT_OK;
    double *sample = gnt_host_scratch(d->host, n * b, sizeof *sample);
    double *own = gnt_host_scratch(d->host, n * units, sizeof *own);
    TRY(hook_memory(d->host, sample && own));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < b; k++) {
            const double *basis = space->basis + k * space->width;
            const float *f = d->f + r->left[i].sample * d->features;
            double at = basis[d->features];
            for (int64_t j = 0; j < d->features; j++)
                at += (double)f[j] * basis[j];
            sample[i * b + k] = at;
        }
    TRY(column_choice_start(&choice, d->host, space, &r->columns->rows,
                            d->seen->update_kind == GNT_UPDATE_DELTA));
    TRY(sample_columns_of(d->host, space, &choice, sample, n, own));
    for (int64_t i = 0; i < n; i++)
        memcpy(r->delta + r->left[i].sample * units, own + i * units, (size_t)units * sizeof *own);
    return GNT_OK;
}

/* Takes the samples of step k, and the step that the client made with them: first those that are certain,
 * without which others may be found. */
static gnt_status take_step(replay *r, int32_t k) {
    const gnt_observation *seen = r->d->seen;
    const int32_t steps = seen->steps > 1 ? seen->steps : 1;
    const int64_t batch = batch_of(seen);
    const double announced = growth_of(seen, k) / (double)batch;
    double scale = announced;
    int64_t taken = 0;
    for (int in_vain = 0; taken < batch && in_vain < IN_VAIN; in_vain++) {
        const int64_t before = taken;
        TRY(fit_left(r, k, 0));
        TRY(scale_of(r, count_certain(r, batch - taken), announced, &scale));
        while (taken < batch && count_certain(r, 1) > 0) {
            const float *f = r->d->f + r->left[0].sample * r->d->features;
            take_best(r, k, scale);
            TRY(update_columns_take(r->columns, f, r->head->delta));
            TRY(fit_left(r, k, 0));
            taken++;
            r->certain++;
            r->samples--;
        }
        if (taken > before) {
            drop_mixtures(r);
            in_vain = -1;
        }
        if (taken == batch && r->n >= r->samples)
            break;
        if (r->certain > 0 && !r->has_delta)
            TRY(search_again(r));
    }
    if (taken < batch) {
        TRY(find_deltas(r));
        TRY(fit_left(r, k, 1));
        for (int64_t n = count_step(r, batch - taken, k + 1 == steps); n > 0; n--)
            take_best(r, k, r->left[0].fit.scale);
        r->samples -= batch - taken;
    }
    dense_head_step(r->head, !seen->steps ? 1 : seen->rates ? (double)seen->rates[k] : seen->rate);
    return GNT_OK;
}

/* Leaves out all samples if they do not explain the update of the later layers, as where a clip left
 * another scale in the weights than in the bias; the less is certain, the less they need to. Without
 * certain samples it leaves out those whose δ is none of this loss, else it forgets their labels: of
 * local steps some are met at weights that are only about right. */
static void leave_out_strange(dense_features *d, double left, int64_t certain) {
    const int64_t known = d->seen->steps > 1 && certain > 0 ? certain : d->found;
    const double missing = 1 - (double)known / (double)d->seen->n;
    const double most_left = missing > 0 ? least_left_of_part + 1.5 * missing : most_apart;
    const double most = d->seen->steps > 1 ? most_apart_of_steps : most_apart;
    int64_t n = 0;
    for (int64_t i = 0; i < d->found && n < d->seen->n && left <= most_left; i++) {
        const int fits = d->label[i] >= 0 && d->apart[i] <= most;
        if (!fits && certain == 0)
            continue;
        memmove(d->f + n * d->features, d->f + i * d->features, (size_t)d->features * sizeof *d->f);
        d->label[n] = fits ? d->label[i] : -1;
        d->step[n] = d->step[i];
        d->apart[n++] = d->apart[i];
    }
    d->found = n;
}

/* Finds label and step of each sample: those whose δ follows from the broadcast weights are of the first
 * step; with them the weights of the next step are known, and so on. */
gnt_status step_samples_find(dense_features *d, dense_head *head, exact_batch *batch) {
    const int64_t n = d->seen->n;
    const double sign = d->seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    update_columns columns;
    replay r = {.d = d, .head = head, .columns = &columns, .batch = batch, .n = d->found, .samples = n};
    r.effort = batch->effort;
    r.left = gnt_host_scratch(d->host, CANDIDATES * n, sizeof *r.left);
    r.delta = gnt_host_scratch(d->host, CANDIDATES * n * batch->units, sizeof *r.delta);
    r.w = gnt_host_scratch(d->host, batch->units * (d->features + 1), sizeof *r.w);
    TRY(hook_memory(d->host, r.left && r.w && r.delta));
    r.b = r.w + batch->units * d->features;
    for (int64_t i = 0; i < r.n; i++) {
        r.left[i].sample = i;
        d->label[i] = -1;
        d->apart[i] = INFINITY;
    }
    TRY(update_columns_open(&columns, d->host, &batch->rows, sign, n));
    for (int32_t k = 0; k == 0 || k < d->seen->steps; k++)
        TRY(take_step(&r, k));
    leave_out_strange(d, dense_head_left(head, d->seen), r.certain);
    return GNT_OK;
}
