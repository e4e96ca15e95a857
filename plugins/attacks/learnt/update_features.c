#include "update_features.h"

#include <math.h>
#include <string.h>

enum { SUMS = 256, LEAST_SUMS = 4, POWER_STEPS = 20 };

static int is_first_dense(const gnt_model_info *info, int32_t layer) {
    for (int32_t i = 0; i < layer; i++)
        if (strcmp(info->layer[i].type, "flatten") != 0)
            return 0;
    return layer >= 0 && layer < info->n_layers && strcmp(info->layer[layer].type, "dense") == 0;
}

update_layout update_layout_of(const gnt_model_info *info, const gnt_views *update) {
    update_layout l = {.tensors = update->n, .weight = -1, .bias = -1};
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        l.entries += v->count;
        if (!is_first_dense(info, v->layer))
            continue;
        if (v->rank == 2) {
            l.weight = t;
            l.units = v->dim[0];
            l.row = v->dim[1];
        } else
            l.bias = t;
    }
    l.each = l.tensors > 0 && SUMS / l.tensors > LEAST_SUMS ? SUMS / l.tensors : LEAST_SUMS;
    return l;
}

int update_fits(const update_layout *l, const gnt_views *update) {
    int64_t entries = 0;
    if (!update || update->n != l->tensors)
        return 0;
    for (int64_t t = 0; t < update->n; t++)
        entries += update->view[t].count;
    return entries == l->entries && (l->weight < 0 || update->view[l->weight].count == l->units * l->row) &&
           (l->bias < 0 || update->view[l->bias].count == l->units);
}

int64_t update_features_count(const update_layout *l, int parts) {
    return (parts & (UPDATE_ROW | UPDATE_ROW_SHRUNK) ? l->row : 0) +
           (parts & UPDATE_SKETCH ? l->tensors * l->each : 0);
}

/* ---- the principal row ---- */

static double length_of(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Computes left = W·row. */
static void times(const gnt_view *w, const double *row, double *left) {
    for (int64_t i = 0; i < w->dim[0]; i++) {
        left[i] = 0;
        for (int64_t k = 0; k < w->dim[1]; k++)
            left[i] += (double)w->data[i * w->dim[1] + k] * row[k];
    }
}

/* Computes row = Wᵀ·left, scaled to length 1. */
static void times_transposed(const gnt_view *w, const double *left, double *row) {
    for (int64_t k = 0; k < w->dim[1]; k++)
        row[k] = 0;
    for (int64_t i = 0; i < w->dim[0]; i++)
        for (int64_t k = 0; k < w->dim[1]; k++)
            row[k] += left[i] * (double)w->data[i * w->dim[1] + k];
    const double length = length_of(row, w->dim[1]);
    for (int64_t k = 0; length > 0 && k < w->dim[1]; k++)
        row[k] /= length;
}

static void principal_row(const update_layout *l, const gnt_views *update, int shrunk, double *room,
                          float *out) {
    const gnt_view *w = &update->view[l->weight], *b = l->bias >= 0 ? &update->view[l->bias] : NULL;
    double *left = room, *row = room + l->units, all = 0, sign = 0;
    for (int64_t i = 0; i < w->count; i++)
        all += (double)w->data[i] * (double)w->data[i];
    for (int64_t i = 0; i < l->units; i++) /* a start that no symmetry makes 0 */
        left[i] = b && b->data[i] != 0 ? (double)b->data[i] : 1e-3 * (double)(1 + i % 3);
    for (int step = 0; step < POWER_STEPS; step++) {
        times_transposed(w, left, row);
        times(w, row, left);
    }
    const double energy = length_of(left, l->units);
    for (int64_t i = 0; i < l->units; i++)
        sign += left[i] * (b ? (double)b->data[i] : 0);
    for (int64_t k = 0; !b && k < l->row; k++) /* samples are not negative */
        sign += row[k];
    const double by = (sign < 0 ? -1 : 1) * (shrunk && all > 0 ? energy * energy / all : 1);
    for (int64_t k = 0; k < l->row; k++)
        out[k] = (float)(by * row[k]);
}

/* ---- sketches ---- */

/* Hashes a place by SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t hash_of(uint64_t place) {
    place += 0x9e3779b97f4a7c15u;
    place = (place ^ place >> 30) * 0xbf58476d1ce4e5b9u;
    place = (place ^ place >> 27) * 0x94d049bb133111ebu;
    return place ^ place >> 31;
}

static void sketch(const update_layout *l, const gnt_views *update, float *out) {
    double squares = 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->view[t].count; i++)
            squares += (double)update->view[t].data[i] * (double)update->view[t].data[i];
    const double by = squares > 0 ? 1 / sqrt(squares) : 0;
    for (int64_t t = 0; t < update->n; t++, out += l->each) {
        const gnt_view *v = &update->view[t];
        memset(out, 0, (size_t)l->each * sizeof *out);
        for (int64_t i = 0; i < v->count; i++) {
            const uint64_t h = hash_of((uint64_t)t << 40 ^ (uint64_t)i);
            const double value = by * (double)v->data[i];
            /* few entries have a sum each */
            const uint64_t at = v->count <= l->each ? (uint64_t)i : (h >> 1) % (uint64_t)l->each;
            out[at] += (float)(h & 1 ? value : -value);
        }
    }
}

void update_features(const update_layout *l, const gnt_views *update, int parts, double *room, float *out) {
    const int64_t count = update_features_count(l, parts);
    float *at = out;
    if (l->row > 0 && parts & (UPDATE_ROW | UPDATE_ROW_SHRUNK)) {
        principal_row(l, update, (parts & UPDATE_ROW_SHRUNK) != 0, room, at);
        at += l->row;
    }
    if (parts & UPDATE_SKETCH)
        sketch(l, update, at);
    for (int64_t i = 0; i < count; i++)
        out[i] = isfinite(out[i]) ? out[i] : 0;
}
