#include "shared/attribute/perturb.h"

#include <math.h>
#include <string.h>

#include "shared/try.h"

static const double momentum = 0.9; /* µ of Eq. 13 */

gnt_status attr_room_open(attr_room *room, const attr_zoo *zoo) {
    const gnt_host *host = zoo->host;
    const size_t entries = (size_t)(zoo->rows * zoo->size);
    room->base = gnt_host_scratch(host, entries, sizeof *room->base);
    room->sum = gnt_host_scratch(host, entries, sizeof *room->sum);
    room->work = gnt_host_scratch(host, zoo->rows, sizeof *room->work);
    TRY(have_memory(host, room->base && room->sum && room->work, "no memory for a perturbed update"));
    for (int64_t r = 0; r < zoo->rows; r++)
        room->work[r] = room->base + r * zoo->size;
    return GNT_OK;
}

static void copy(const attr_zoo *zoo, float *const *to, float *const *from) {
    for (int64_t r = 0; r < zoo->rows; r++)
        memcpy(to[r], from[r], (size_t)zoo->size * sizeof *to[r]);
}

/* Draws Q different networks. */
static void draw(const attr_zoo *zoo, int32_t q, int32_t which[ATTR_ZOO_MOST]) {
    for (int32_t k = 0; k < zoo->nets; k++)
        which[k] = k;
    for (int32_t k = 0; k < q; k++) {
        const int32_t other = k + (int32_t)gnt_host_below(zoo->host, "drawn", (uint64_t)(zoo->nets - k));
        const int32_t kept = which[k];
        which[k] = which[other];
        which[other] = kept;
    }
}

/* Adds to += step·sign of the derivative of network `which` at `at`. */
static gnt_status add_sign(attr_zoo *zoo, int32_t which, float *const *at, const int32_t *label, double step,
                           float *const *to) {
    const float *g;
    const int64_t *where;
    TRY(attr_zoo_slope(zoo, which, (const float *const *)at, label, &g, &where));
    for (int64_t r = 0; r < zoo->rows; r++, g += zoo->columns, where += zoo->columns)
        for (int64_t j = 0; j < zoo->columns; j++)
            if (g[j] != 0)
                to[r][where[j]] += (float)(g[j] > 0 ? step : -step);
    return GNT_OK;
}

/* Adds to *sum the cosine of work − update with the signs of the derivative of network `which` at `at`, for
 * each row that has both. */
static gnt_status add_cosine(attr_zoo *zoo, const attr_room *room, int32_t which, float *const *at,
                             float *const *update, const int32_t *label, double *sum) {
    const float *g;
    const int64_t *where;
    TRY(attr_zoo_slope(zoo, which, (const float *const *)at, label, &g, &where));
    for (int64_t r = 0; r < zoo->rows; r++, g += zoo->columns, where += zoo->columns) {
        double dot = 0, moved = 0, signs = 0;
        for (int64_t i = 0; i < zoo->size; i++) {
            const double by = (double)room->work[r][i] - (double)update[r][i];
            moved += by * by;
        }
        for (int64_t j = 0; j < zoo->columns; j++) {
            const double by = (double)room->work[r][where[j]] - (double)update[r][where[j]];
            dot += g[j] > 0 ? by : g[j] < 0 ? -by : 0;
            signs += g[j] != 0;
        }
        *sum += moved > 0 && signs > 0 ? dot / sqrt(moved * signs) : 0;
    }
    return GNT_OK;
}

static gnt_status compare_steps(attr_zoo *zoo, const attr_room *room, int32_t which, int toward,
                                float *const *update, const int32_t *label, attr_agreement *add) {
    double learnt = 0, unlearnt = 0;
    TRY(add_cosine(zoo, room, which, room->work, update, label, &learnt));
    TRY(add_cosine(zoo, room, which, update, update, label, &unlearnt));
    add->learnt += toward ? -learnt : learnt;
    add->unlearnt += toward ? -unlearnt : unlearnt;
    add->n += zoo->rows;
    return GNT_OK;
}

/* Runs one iteration of Algorithm 1, lines 15 to 22: after Q − 1 steps from the update, the update moves by
 * the step against the last network at that point. */
static gnt_status learn_and_test(const attr_perturbation *p, attr_zoo *zoo, attr_room *room, int32_t q,
                                 double step, float *const *update, const int32_t *label) {
    int32_t which[ATTR_ZOO_MOST];
    draw(zoo, q, which);
    copy(zoo, room->work, update);
    for (int32_t k = 0; k + 1 < q; k++)
        TRY(add_sign(zoo, which[k], room->work, label, step / q, room->work));
    if (p->agreement && q > 1)
        TRY(compare_steps(zoo, room, which[q - 1], p->toward, update, label, p->agreement));
    return add_sign(zoo, which[q - 1], room->work, label, step, update);
}

/* Sets sum ← µ·sum + g/‖g‖₁, update += step·sign(sum) */
static gnt_status add_momentum(attr_zoo *zoo, attr_room *room, int32_t which, double step,
                               float *const *update, const int32_t *label) {
    const float *g;
    const int64_t *where;
    TRY(attr_zoo_slope(zoo, which, (const float *const *)update, label, &g, &where));
    for (int64_t r = 0; r < zoo->rows; r++, g += zoo->columns, where += zoo->columns) {
        float *sum = room->sum + r * zoo->size;
        double length = 0;
        for (int64_t j = 0; j < zoo->columns; j++)
            length += fabs((double)g[j]);
        for (int64_t i = 0; i < zoo->size; i++)
            sum[i] = (float)(momentum * (double)sum[i]);
        for (int64_t j = 0; length > 0 && j < zoo->columns; j++)
            sum[where[j]] += (float)((double)g[j] / length);
        for (int64_t i = 0; i < zoo->size; i++)
            update[r][i] += (float)(sum[i] > 0 ? step : sum[i] < 0 ? -step : 0);
    }
    return GNT_OK;
}

gnt_status attr_perturb(const attr_perturbation *p, attr_zoo *zoo, attr_room *room, float *const *update,
                        const int32_t *label) {
    const double step = p->toward ? -p->epsilon : p->epsilon;
    const int32_t q = p->method == ATTR_ONE ? 1 : p->drawn < zoo->nets ? (int32_t)p->drawn : zoo->nets;
    int32_t which[ATTR_ZOO_MOST];
    gnt_status status = GNT_OK;
    if (p->method == ATTR_META) {
        for (int32_t i = 0; status == GNT_OK && i < p->iterations; i++)
            status = learn_and_test(p, zoo, room, q, step, update, label);
        return status;
    }
    draw(zoo, q, which);
    memset(room->sum, 0, (size_t)(zoo->rows * zoo->size) * sizeof *room->sum);
    copy(zoo, room->work, update);
    for (int32_t k = 0; status == GNT_OK && k < q; k++)
        status = p->method == ATTR_MOMENTUM  ? add_momentum(zoo, room, which[k], step / q, update, label)
                 : p->method == ATTR_AVERAGE ? add_sign(zoo, which[k], room->work, label, step / q, update)
                                             : add_sign(zoo, which[k], update, label, step / q, update);
    return status;
}
