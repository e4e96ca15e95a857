#include "fl/undefended.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/mem.h"

int gnt_fl_undefended_open(gnt_fl_undefended *u, int64_t n, gnt_err *err) {
    u->n = n;
    u->update = gnt_aligned((size_t)n, sizeof *u->update);
    u->plain = gnt_array((size_t)n, sizeof *u->plain);
    u->sent = gnt_array((size_t)n, sizeof *u->sent);
    return u->update && u->plain && u->sent
               ? 0
               : gnt_fail(err, "out of memory for an undefended update of %lld entries", (long long)n);
}

void gnt_fl_undefended_free(gnt_fl_undefended *u) {
    gnt_free_aligned(u->update);
    gnt_free(u->plain);
    gnt_free(u->sent);
    gnt_free(u->client);
    *u = (gnt_fl_undefended){0};
}

void gnt_fl_undefended_begin(gnt_fl_undefended *u, int32_t round) {
    memset(u->plain, 0, (size_t)u->n * sizeof *u->plain);
    memset(u->sent, 0, (size_t)u->n * sizeof *u->sent);
    u->round = (gnt_fl_round){.round = round};
    u->n_clients = u->lacks_room = 0;
}

static double cosine_of(double ab, double aa, double bb) {
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Sums go over LANES partial ones, so that they fit vector registers, with the same bits at each width. */
enum { LANES = 16 };

static double sum_of(const double lane[LANES]) {
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* Counts the entries that were sent. Returns 1 if they are the largest of the update, unchanged, as of one
 * that is pruned. */
GNT_CLONES static int are_largest(const float *update, const float *sent, int64_t n, int64_t *kept) {
    float least[LANES], dropped[LANES] = {0};
    int32_t changed[LANES] = {0}, counts[LANES] = {0}; /* n is below 2^35 */
    for (int l = 0; l < LANES; l++)
        least[l] = INFINITY;
    for (int64_t i = 0; i < n; i += LANES) {
        const int some = n - i < LANES ? (int)(n - i) : LANES;
        GNT_INDEPENDENT
        for (int l = 0; l < some; l++) {
            const float size = fabsf(update[i + l]);
            const int is_sent = sent[i + l] != 0;
            counts[l] += is_sent;
            changed[l] |= is_sent & (sent[i + l] != update[i + l]);
            least[l] = is_sent && size < least[l] ? size : least[l];
            dropped[l] = !is_sent && size > dropped[l] ? size : dropped[l];
        }
    }
    *kept = 0;
    for (int l = 0; l < LANES; l++) {
        *kept += counts[l];
        changed[0] |= changed[l];
        least[0] = least[l] < least[0] ? least[l] : least[0];
        dropped[0] = dropped[l] > dropped[0] ? dropped[l] : dropped[0];
    }
    return !changed[0] && dropped[0] <= least[0];
}

/* Sums over the entries of a client's update and of the changed one, both weighted by share, and adds each
 * to its own sum, or their difference to one; NULL: not there. Returns the squared norm of the difference. */
static inline __attribute__((always_inline)) double add_client(double *plain_sum, double *sent_sum,
                                                               double *difference, const float *update,
                                                               const float *changed, double share, int64_t n,
                                                               gnt_fl_products *sums) {
    double added[LANES] = {0}, plain[LANES] = {0}, sent[LANES] = {0}, both[LANES] = {0};
    for (int64_t i = 0; i < n; i += LANES) {
        const int some = n - i < LANES ? (int)(n - i) : LANES;
        GNT_INDEPENDENT
        for (int l = 0; l < some; l++) {
            const double p = share * (double)update[i + l], s = share * (double)changed[i + l], e = s - p;
            if (difference)
                difference[i + l] += e;
            else {
                plain_sum[i + l] += p;
                sent_sum[i + l] += s;
            }
            added[l] += e * e;
            plain[l] += p * p;
            sent[l] += s * s;
            both[l] += p * s;
        }
    }
    sums->plain = sum_of(plain);
    sums->sent = sum_of(sent);
    sums->sent_plain = sum_of(both);
    return sum_of(added);
}

GNT_CLONES static double add_both(const gnt_fl_undefended *u, const float *sent, double share,
                                  gnt_fl_products *sums) {
    return add_client(u->plain, u->sent, NULL, u->update, sent, share, u->n, sums);
}

GNT_CLONES static double add_difference(const gnt_fl_added *a, const float *before, const float *after,
                                        double share, gnt_fl_products *sums) {
    return add_client(NULL, NULL, a->round, before, after, share, a->n, sums);
}

void gnt_fl_undefended_add(gnt_fl_undefended *u, const float *sent, double share, double *cosine,
                           double *ratio) {
    gnt_fl_products sums = {0};
    u->round.added += add_both(u, sent, share, &sums);
    u->round.plain += sums.plain;
    if (GNT_GROW(u->client, u->n_clients) == 0) {
        sums.largest = are_largest(u->update, sent, u->n, &sums.kept);
        u->client[u->n_clients++] = sums;
    } else
        u->lacks_room = 1;
    *cosine = cosine_of(sums.sent_plain, sums.plain, sums.sent);
    *ratio = sums.plain > 0 ? sqrt(sums.sent / sums.plain) : sums.sent > 0 ? INFINITY : 1;
}

/* True if an update of n entries holds little. all: sums over n_updates of them. */
static int is_little(const gnt_fl_products *c, const gnt_fl_products *all, int32_t n_updates, int64_t n) {
    if (!(c->plain > 0) || !(c->sent < all->sent / (4 * (double)n_updates)))
        return 0;
    const double part = c->sent_plain / c->plain, rest = fmax(c->sent - part * c->sent_plain, 0);
    return fabs(part) + 3 * sqrt(rest / ((double)n * c->plain)) < all->sent_plain / all->plain / 4;
}

static int is_turned_away(const gnt_fl_products *c) {
    return c->sent_plain < 0.5 * sqrt(c->plain * c->sent) || !(c->sent > 0);
}

/* Counts those of n_updates that hold little, and the observed ones that are withheld. n: entries of each. */
static int32_t count_little(const gnt_fl_products *update, int32_t n_updates, int64_t n, int32_t *withheld) {
    gnt_fl_products all = {0};
    double kept = 0;
    int32_t little = 0;
    *withheld = 0;
    for (int32_t k = 0; k < n_updates; k++) {
        all.sent_plain += update[k].sent_plain;
        all.plain += update[k].plain;
        all.sent += update[k].sent;
        kept += (double)update[k].kept / n_updates;
    }
    for (int32_t k = 0; k < n_updates; k++) {
        const int is_pruned = update[k].largest && (double)update[k].kept >= kept / 2;
        const int is_one = !is_pruned && is_little(&update[k], &all, n_updates, n);
        little += is_one;
        *withheld += is_one && update[k].observed && is_turned_away(&update[k]);
    }
    return little;
}

void gnt_fl_undefended_end(gnt_fl_undefended *u, const float *old, const float *next, int is_gradient,
                           double rate) {
    double pp = 0, ss = 0, gg = 0, ps = 0, pg = 0;
    int32_t ignored;
    for (int64_t i = 0; i < u->n; i++) {
        const double p = u->plain[i], s = u->sent[i], moved = (double)next[i] - (double)old[i];
        const double g = is_gradient ? -moved : moved;
        pp += p * p;
        ss += s * s;
        gg += g * g;
        ps += p * s;
        pg += p * g;
        u->round.left += (s - p) * (s - p);
    }
    if (!u->lacks_room) {
        u->round.clients = u->n_clients;
        u->round.little = count_little(u->client, u->n_clients, u->n, &ignored);
    }
    u->round.plain_left = pp;
    u->round.sent = cosine_of(ps, pp, ss);
    u->round.server = cosine_of(pg, pp, gg);
    u->round.taken = ss > 0 ? sqrt(gg / ss) / rate : 0;
}

void gnt_fl_undefended_added(gnt_fl_undefended *u, double scale) {
    for (int64_t i = 0; i < u->n; i++)
        u->update[i] = (float)(scale * (u->sent[i] - u->plain[i]));
}

/* ---- over a whole training ---- */

int gnt_fl_added_open(gnt_fl_added *a, int64_t n, gnt_err *err) {
    a->n = n;
    a->round = gnt_array((size_t)n, sizeof *a->round);
    a->all = gnt_array((size_t)n, sizeof *a->all);
    return a->round && a->all
               ? 0
               : gnt_fail(err, "out of memory for what is added to %lld entries", (long long)n);
}

void gnt_fl_added_free(gnt_fl_added *a) {
    gnt_free(a->round);
    gnt_free(a->all);
    gnt_free(a->update);
    *a = (gnt_fl_added){0};
}

void gnt_fl_added_client(gnt_fl_added *a, const float *before, const float *after, double share,
                         int observed) {
    gnt_fl_products sums = {.observed = observed};
    sums.largest = are_largest(before, after, a->n, &sums.kept);
    a->totals.added += add_difference(a, before, after, share, &sums);
    a->totals.plain += sums.plain;
    a->totals.observed += observed != 0;
    if (GNT_GROW(a->update, a->n_updates) == 0)
        a->update[a->n_updates++] = sums;
    else
        a->lacks_room = 1;
}

void gnt_fl_added_end_round(gnt_fl_added *a) {
    for (int64_t i = 0; i < a->n; i++) {
        a->totals.each += a->round[i] * a->round[i];
        a->all[i] += a->round[i];
        a->round[i] = 0;
    }
    a->totals.rounds++;
}

void gnt_fl_added_step(gnt_fl_added *a, double step, double received) {
    a->totals.step += step;
    a->totals.received += received;
}

gnt_fl_totals gnt_fl_added_totals(const gnt_fl_added *a) {
    gnt_fl_totals t = a->totals;
    for (int64_t i = 0; i < a->n; i++)
        t.left += a->all[i] * a->all[i];
    if (!a->lacks_room) {
        t.updates = a->n_updates;
        t.little = count_little(a->update, a->n_updates, a->n, &t.withheld);
    }
    return t;
}

int gnt_fl_added_set(gnt_fl_added *a, int64_t n, const double *all, const gnt_fl_products *update,
                     int32_t n_updates, const gnt_fl_totals *totals, gnt_err *err) {
    gnt_fl_added_free(a);
    if (gnt_fl_added_open(a, n, err) != 0)
        return -1;
    if (n)
        memcpy(a->all, all, (size_t)n * sizeof *all);
    a->totals = *totals;
    for (int32_t k = 0; k < n_updates; k++) {
        if (GNT_GROW(a->update, a->n_updates) != 0)
            return gnt_fail(err, "out of memory for what is added by %d updates", n_updates);
        a->update[a->n_updates++] = update[k];
    }
    return 0;
}
