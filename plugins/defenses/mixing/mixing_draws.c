/* Weights and partners. */
#include <math.h>
#include <stdio.h>

#include "mixing_defenses.h"
#include "shared/try.h"

enum { MOST_DRAWS = 10000 };

gnt_status mixing_draw_weights(const mixing *m, int64_t privates, double *weight) {
    const gnt_host *host = m->host;
    char text[200];
    float draw[MOST_PARTNERS];
    for (int tries = 0; tries < MOST_DRAWS; tries++) {
        double sum = 0, most = 0, own = 0;
        gnt_host_normal(host, "weights", m->k, draw);
        for (int64_t c = 0; c < m->k; c++)
            sum += weight[c] = fabs((double)draw[c]);
        if (!(sum > 0))
            continue;
        for (int64_t c = 0; c < m->k; c++) {
            weight[c] /= sum;
            most = fmax(most, weight[c]);
            own += c < privates ? weight[c] : 0;
        }
        if (most <= m->most && (m->scheme == SCHEME_INTRA || own >= m->least_private))
            return GNT_OK;
    }
    snprintf(
        text, sizeof text,
        "no weights for k = %d with none above max_weight = %g were found in %d draws; raise max_weight%s",
        (int)m->k, m->most, MOST_DRAWS, m->scheme == SCHEME_CROSS ? " or lower private_weight" : "");
    return unsupported(host, text); /* the values do not go together */
}

static void swap(int64_t *a, int64_t *b) {
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts 0 … n − 1 into `order` in random order. */
static void shuffle(const mixing *m, int64_t n, int64_t *order) {
    const gnt_host *host = m->host;
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--)
        swap(&order[i], &order[gnt_host_below(host, "partners", (uint64_t)i + 1)]);
}

/* True if mix i has column c's sample in an earlier column too. */
static int repeats(const int64_t *partner, int64_t n, int64_t c, int64_t i) {
    for (int64_t d = 0; d < c; d++)
        if (partner[d * n + i] == partner[c * n + i])
            return 1;
    return 0;
}

/* Swaps what repeats with others of the column where that helps; 0 where it did not come out. */
static int repair(const mixing *m, int64_t n, int64_t c, int64_t *partner) {
    const gnt_host *host = m->host;
    int64_t *column = partner + c * n;
    for (int64_t i = 0; i < n; i++)
        for (int tries = 0; repeats(partner, n, c, i); tries++) {
            int64_t other = (int64_t)gnt_host_below(host, "partners", (uint64_t)n);
            if (tries == 1000)
                return 0;
            swap(&column[i], &column[other]);
            if (other < i && repeats(partner, n, c, other))
                swap(&column[i], &column[other]); /* it was right before */
        }
    return 1;
}

/* Sets hardly larger than k: the mixes are k neighbours on one random circle, which always comes out. */
static void go_round(const mixing *m, int64_t n, int64_t columns, int64_t *partner) {
    const gnt_host *host = m->host;
    int64_t *circle = gnt_host_scratch(host, n, sizeof *circle);
    if (!circle)
        return;
    shuffle(m, n, circle);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < n; i++)
            partner[c * n + i] = circle[(i + c) % n];
}

gnt_status mixing_draw_partners(const mixing *m, int64_t n, int64_t columns, int64_t *partner) {
    const gnt_host *host = m->host;
    for (int64_t c = 0; c < columns; c++) {
        shuffle(m, n, partner + c * n);
        if (!repair(m, n, c, partner)) {
            go_round(m, n, columns, partner);
            break;
        }
    }
    for (int64_t c = 1; c < columns; c++)
        for (int64_t i = 0; i < n; i++)
            if (repeats(partner, n, c, i))
                return gnt_host_fail(host, "no memory for the partners of a mix");
    return GNT_OK;
}

void mixing_draw_public(const mixing *m, int64_t n, int64_t count, int64_t *row) {
    const gnt_host *host = m->host;
    for (int64_t c = 0; c < count; c++) {
        int again = 1;
        while (again) {
            row[c] = (int64_t)gnt_host_below(host, "public partners", (uint64_t)n);
            again = 0;
            for (int64_t d = 0; d < c; d++)
                again |= row[d] == row[c];
        }
    }
}
