/* ridge: the linear filter that best maps encodings to images in the least squares sense, one for each
 * channel of the image over a square window of all channels of the encoding, edges repeated.
 *
 *   w = argmin Σ over pixels (x − w·patch(E))² + λ·‖w‖²,  patch with a constant entry that λ does not
 * penalise.
 *
 * An encoding that moves pixels is not undone by a filter. Where a map of the whole image errs less on pairs
 * held out (whole_map.h), that is learnt instead, from all pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "learnt.h"
#include "shared/by_name.h"
#include "shared/try.h"
#include "whole_map.h"

enum { PATCH_MOST = 16 * 9 * 9 + 1, FOLDS = 5, LEAST_LEFT = 8 };

typedef struct ridge {
    const gnt_host *host;
    int64_t window, pairs;
    double ridge;
} ridge;

static gnt_status start(void *self) {
    const ridge *r = self;
    return r->window % 2 ? GNT_OK : gnt_host_fail(r->host, "the window must be odd, so that it has a middle");
}

static int64_t inside(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Copies the entries around pixel (row, column) of e, then 1. */
static void patch_at(const float *e, int64_t channels, int64_t height, int64_t width, int64_t window,
                     int64_t row, int64_t column, double *patch) {
    const int64_t reach = window / 2;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = -reach; i <= reach; i++) {
            const float *line = e + (c * height + inside(row + i, height)) * width;
            for (int64_t k = -reach; k <= reach; k++)
                *patch++ = (double)line[inside(column + k, width)];
        }
    *patch = 1;
}

/* Adds the pixels of one pair: a ← a + p pᵀ (its lower half), b_c ← b_c + x_c p. */
static void add_pair(const learnt_pairs *p, const learnt_pair *one, int64_t window, int64_t n, double *a,
                     double *b) {
    double patch[PATCH_MOST];
    for (int64_t row = 0; row < p->height; row++)
        for (int64_t column = 0; column < p->width; column++) {
            patch_at(one->encoded, p->channels, p->height, p->width, window, row, column, patch);
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k <= i; k++)
                    a[i * n + k] += patch[i] * patch[k];
            for (int64_t c = 0; c < p->channels; c++) {
                const double x = (double)one->x[(c * p->height + row) * p->width + column];
                for (int64_t i = 0; i < n; i++)
                    b[c * n + i] += x * patch[i];
            }
        }
}

/* Learns the filter from the first n pairs but those held out (NULL: none). */
static gnt_status learn_filter(const ridge *r, const learnt_pairs *p, int64_t pairs, const uint8_t *held_out,
                               float **filter) {
    const gnt_host *host = r->host;
    const int64_t n = p->channels * r->window * r->window + 1, all = p->channels * n;
    double *a = gnt_host_scratch(host, n * n, sizeof *a);
    double *b = gnt_host_scratch(host, all, sizeof *b);
    float *w = *filter = gnt_host_scratch(host, all, sizeof *w);
    TRY(have_memory(host, a && b && w, "no memory for the normal equations"));
    int64_t used = 0;
    for (int64_t i = 0; i < pairs; i++) {
        TRY(may_go_on(host));
        if (held_out && held_out[i])
            continue;
        add_pair(p, &p->pair[i], r->window, n, a, b);
        used++;
        gnt_host_progress(host, (double)i + 1, (double)pairs);
    }
    const double pixels = (double)(used * p->height * p->width);
    for (int64_t i = 0; i + 1 < n; i++)
        a[i * n + i] += r->ridge * pixels;
    if (gnt_cholesky(a, n) != 0)
        return gnt_host_fail(host,
                             "the encodings leave its equations without one solution; give a larger ridge");
    for (int64_t c = 0; c < p->channels; c++)
        gnt_cholesky_solve(a, n, b + c * n, 1);
    for (int64_t i = 0; i < all; i++)
        w[i] = (float)b[i];
    return GNT_OK;
}

/* Filters an encoding. */
static void apply(const float *w, const ridge *r, const int64_t dim[3], const float *e, float *x) {
    const int64_t channels = dim[0], height = dim[1], width = dim[2];
    const int64_t n = channels * r->window * r->window + 1;
    double patch[PATCH_MOST];
    for (int64_t row = 0; row < height; row++)
        for (int64_t column = 0; column < width; column++) {
            patch_at(e, channels, height, width, r->window, row, column, patch);
            for (int64_t c = 0; c < channels; c++) {
                double sum = 0;
                for (int64_t i = 0; i < n; i++)
                    sum += (double)w[c * n + i] * patch[i];
                x[(c * height + row) * width + column] = (float)fmin(1, fmax(0, sum));
            }
        }
}

/* ---- the choice between a filter and a map of the whole image ---- */

/* Holds out the pairs of every fifth image, whole: encodings of one image say more of each other than those
 * of others. Returns how many pairs are left to learn from. */
static int64_t hold_out(const learnt_pairs *p, int64_t n, uint8_t *held_out) {
    int64_t left = 0;
    for (int64_t i = 0, images = 0; i < n; i++) {
        int64_t first = 0;
        while (p->pair[first].x != p->pair[i].x)
            first++;
        held_out[i] = first < i ? held_out[first] : images++ % FOLDS == 0;
        left += !held_out[i];
    }
    return left;
}

/* Computes the filter's mean squared error on pairs held out, over the entries by which a map is judged. */
static gnt_status filter_error(const ridge *r, const learnt_pairs *p, int64_t n, const uint8_t *held_out,
                               double *error) {
    const int64_t dim[3] = {p->channels, p->height, p->width};
    const judged_entries entries = judged_entries_of(dim[0] * dim[1] * dim[2]);
    float *x = gnt_host_scratch(r->host, entries.features, sizeof *x), *w;
    int64_t judged = 0;
    *error = 0;
    TRY(have_memory(r->host, x != NULL, "no memory for the choice of a map"));
    TRY(learn_filter(r, p, n, held_out, &w));
    for (int64_t i = 0; i < n; i++) {
        if (!held_out[i])
            continue;
        TRY(may_go_on(r->host));
        apply(w, r, dim, p->pair[i].encoded, x);
        for (int64_t o = 0; o < entries.n; o++) {
            const int64_t at = judged_entry(&entries, o);
            *error += ((double)x[at] - (double)p->pair[i].x[at]) * ((double)x[at] - (double)p->pair[i].x[at]);
        }
        judged += entries.n;
    }
    *error /= (double)judged;
    return GNT_OK;
}

/* Sets *whole if a map of the whole image errs less than the filter on pairs held out, and *ridge to its. */
static gnt_status choose(const ridge *r, const learnt_pairs *p, int64_t pairs, int *whole,
                         int *ridge_of_map) {
    const int64_t n = whole_map_pairs(pairs, p->channels * p->height * p->width);
    uint8_t *held_out = gnt_host_scratch(r->host, n + 1, 1);
    double by_filter, by_map;
    *whole = *ridge_of_map = 0;
    TRY(have_memory(r->host, held_out != NULL, "no memory for the choice of a map"));
    const int64_t left = hold_out(p, n, held_out);
    if (left < LEAST_LEFT || left == n)
        return GNT_OK;
    TRY(filter_error(r, p, n, held_out, &by_filter));
    TRY(whole_map_judge(r->host, p, n, held_out, ridge_of_map, &by_map));
    *whole = by_map < by_filter;
    return GNT_OK;
}

static gnt_status keep_filter(const ridge *r, const learnt_pairs *p, int64_t pairs, const gnt_sink *out) {
    const int64_t dim[2] = {p->channels, p->channels * r->window * r->window + 1};
    float *w;
    TRY(learn_filter(r, p, pairs, NULL, &w));
    return out->tensor(out->context, "filter", 2, dim, w) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(r->host, "its filter could not be stored");
}

static gnt_status keep_map(const gnt_host *host, const learnt_pairs *p, int64_t n, int ridge_of_map,
                           const gnt_sink *out) {
    whole_map map;
    TRY(whole_map_learn(host, p, n, ridge_of_map, &map));
    const int64_t dim[2] = {map.n, map.features}, both[4] = {2, p->channels, p->height, p->width};
    return out->tensor(out->context, "rows", 2, dim, map.row) == GNT_OK &&
                   out->tensor(out->context, "shares", 2, dim, map.share) == GNT_OK &&
                   out->tensor(out->context, "means", 4, both, map.mean) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "its map could not be stored");
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const ridge *r = self;
    const gnt_host *host = r->host;
    learnt_pairs p;
    TRY(learnt_pairs_make(&p, host, in));
    const int64_t n = p.channels * r->window * r->window + 1, pairs = p.n < r->pairs ? p.n : r->pairs;
    if (n > PATCH_MOST)
        return gnt_host_fail(host,
                             "its window holds more entries than it has room for; give a smaller window");
    int whole, ridge_of_map;
    TRY(choose(r, &p, pairs, &whole, &ridge_of_map));
    gnt_host_fact(host, "pairs", (double)pairs);
    gnt_host_fact(host, "whole_image", whole);
    return whole ? keep_map(host, &p, whole_map_pairs(pairs, p.channels * p.height * p.width), ridge_of_map,
                            out)
                 : keep_filter(r, &p, pairs, out);
}

/* True if a tensor has the means of encodings and images of this shape. */
static int is_of_shape(const gnt_view *means, const gnt_samples *e) {
    return strcmp(means->name, "means") == 0 && means->rank == 4 && means->dim[1] == e->dim[0] &&
           means->dim[2] == e->dim[1] && means->dim[3] == e->dim[2];
}

/* Finds the map of whole images in the artefacts; 0 if they hold none for such encodings. */
static int find_map(const gnt_artefacts *own, const gnt_samples *e, whole_map *map) {
    const int64_t features = e->features;
    *map = (whole_map){.features = features};
    for (int64_t i = 0; i < own->tensors.n; i++) {
        const gnt_view *one = &own->tensors.view[i];
        if (is_of_shape(one, e))
            map->mean = one->data;
        if (strcmp(one->name, "rows") == 0)
            map->n = one->count / features;
    }
    map->row = artefact_of(own, "rows", map->n * features);
    map->share = artefact_of(own, "shares", map->n * features);
    return map->row && map->share && map->mean;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const ridge *r = self;
    const gnt_host *host = r->host;
    const gnt_samples *e = seen->encoded;
    int64_t targets;
    TRY(learnt_targets(host, seen, e ? e->features : 0, &targets));
    const int64_t n = e->dim[0] * r->window * r->window + 1;
    whole_map map;
    const int whole = find_map(own, e, &map);
    const float *w = whole ? NULL : learnt_artefact(host, own, "filter", e->dim[0] * n);
    float *x = gnt_host_scratch(host, targets * e->features, sizeof *x);
    if (!whole && !w)
        return GNT_FAILED;
    TRY(have_memory(host, x != NULL, "no memory for the answer"));
    for (int64_t i = 0; i < targets; i++) {
        TRY(may_go_on(host));
        if (whole)
            whole_map_apply(&map, e->x + i * e->features, x + i * e->features);
        else
            apply(w, r, e->dim, e->x + i * e->features, x + i * e->features);
    }
    return answer->reconstruction(answer->context, targets, x);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(ridge, window, 1, 9, 5, "pixels", "side of the filter, odd"),
    GNT_REAL(ridge, ridge, 1e-12, 10, 1e-5, GNT_SCALE_LOG, "",
             "penalty on the squared filter, for each pixel learnt from"),
    GNT_INT(ridge, pairs, 2, 1000000, 1000, "pairs", "the most shadow pairs it learns from"),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor learnt_ridge = {
    GNT_ATTACK("ridge", "1.1", "undoes an encoding with a linear filter or map learnt from shadow encodings",
               "MIT", "Hoerl and Kennard, Ridge Regression, Technometrics 1970"),
    LEARNT_ATTACK(ridge),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_ENCODING,
    .data_kinds = GNT_KIND_IMAGE,
    .start = start};
