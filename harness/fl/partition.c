#include "fl/partition.h"

#include "base/mem.h"

void gnt_partition_free(gnt_partition *p) {
    gnt_free(p->start);
    gnt_free(p->index);
    *p = (gnt_partition){0};
}

/* Entries of `order` by label, in the order they had within a label. */
static int sort_by_label(uint32_t *sorted, const uint32_t *order, const int32_t *label, int64_t n,
                         int32_t classes) {
    int64_t *at = gnt_array((size_t)classes + 1, sizeof *at);
    if (!at)
        return -1;
    for (int64_t i = 0; i < n; i++)
        at[label[i] + 1]++;
    for (int32_t c = 0; c < classes; c++)
        at[c + 1] += at[c];
    for (int64_t i = 0; i < n; i++)
        sorted[at[label[order[i]]]++] = order[i];
    gnt_free(at);
    return 0;
}

static void deal_evenly(gnt_partition *p, const uint32_t *order, int64_t n) {
    for (int32_t k = 0; k <= p->clients; k++)
        p->start[k] = n * k / p->clients;
    for (int64_t i = 0; i < n; i++)
        p->index[i] = order[i];
}

static int deal_shards(gnt_partition *p, int32_t shards, const uint32_t *sorted, int64_t n,
                       gnt_stream *random) {
    int64_t pieces = (int64_t)p->clients * shards, size = n / pieces, at = 0;
    uint32_t *piece = gnt_array((size_t)pieces, sizeof *piece);
    if (!piece)
        return -1;
    for (int64_t i = 0; i < pieces; i++)
        piece[i] = (uint32_t)i;
    gnt_random_shuffle(random, piece, (size_t)pieces);
    for (int32_t k = 0; k < p->clients; k++) {
        p->start[k] = at;
        for (int32_t s = 0; s < shards; s++)
            for (int64_t i = 0; i < size; i++)
                p->index[at++] = sorted[(int64_t)piece[(int64_t)k * shards + s] * size + i];
    }
    p->start[p->clients] = at;
    gnt_free(piece);
    return 0;
}

/* owner[i]: the client of sorted[i]; within a class cut at the cumulated shares of a Dirichlet draw. */
static void draw_owners(int32_t *owner, double *share, const uint32_t *sorted, const int32_t *label,
                        int64_t n, int32_t clients, double alpha, gnt_stream *random) {
    for (int64_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && label[sorted[to]] == label[sorted[from]];)
            to++;
        double sum = 0;
        for (int32_t k = 0; k < clients; k++)
            sum += share[k] = gnt_random_gamma(random, alpha);
        double before = 0;
        int64_t at = from;
        for (int32_t k = 0; k < clients; k++) {
            before += sum > 0 ? share[k] / sum : 1.0 / clients;
            int64_t end = k + 1 == clients ? to : from + (int64_t)(before * (double)(to - from) + 0.5);
            for (; at < end && at < to; at++)
                owner[at] = k;
        }
    }
}

static int deal_dirichlet(gnt_partition *p, double alpha, const uint32_t *sorted, const int32_t *label,
                          int64_t n, gnt_stream *random) {
    int32_t *owner = gnt_array((size_t)n, sizeof *owner);
    double *share = gnt_array((size_t)p->clients, sizeof *share);
    int64_t *at = gnt_array((size_t)p->clients, sizeof *at);
    int rc = owner && share && at ? 0 : -1;
    if (rc == 0) {
        draw_owners(owner, share, sorted, label, n, p->clients, alpha, random);
        for (int64_t i = 0; i < n; i++)
            p->start[owner[i] + 1]++;
        for (int32_t k = 0; k < p->clients; k++)
            p->start[k + 1] += p->start[k];
        for (int64_t i = 0; i < n; i++)
            p->index[p->start[owner[i]] + at[owner[i]]++] = sorted[i];
    }
    gnt_free(owner);
    gnt_free(share);
    gnt_free(at);
    return rc;
}

static int check(const gnt_partition_spec *spec, int64_t n, gnt_err *err) {
    if (spec->clients < 1)
        return gnt_fail(err, "a partition needs at least one client, not %d", spec->clients);
    if (n < spec->clients)
        return gnt_fail(err,
                        "%lld samples cannot be shared among %d clients; take fewer clients or more samples",
                        (long long)n, spec->clients);
    if (n > INT32_MAX)
        return gnt_fail(err, "a partition of %lld samples is above the limit of %d", (long long)n, INT32_MAX);
    if (spec->kind == GNT_PARTITION_SHARDS && (spec->shards < 1 || (int64_t)spec->clients * spec->shards > n))
        return gnt_fail(err, "%lld samples cannot be cut into %d clients × %d shards", (long long)n,
                        spec->clients, spec->shards);
    if (spec->kind == GNT_PARTITION_DIRICHLET && !(spec->alpha > 0 && spec->alpha < 1e6))
        return gnt_fail(err, "a Dirichlet partition needs alpha above 0 and below 1e6, not %g", spec->alpha);
    return 0;
}

int gnt_partition_make(gnt_partition *out, const gnt_partition_spec *spec, const int32_t *label, int64_t n,
                       int32_t classes, const gnt_key *key, gnt_err *err) {
    *out = (gnt_partition){0};
    if (check(spec, n, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (label[i] < 0 || label[i] >= classes)
            return gnt_fail(err, "sample %lld has label %d, outside 0 … %d", (long long)i, label[i],
                            classes - 1);
    gnt_partition p = {.clients = spec->clients};
    gnt_stream random = gnt_stream_open(key, "partition");
    uint32_t *order = gnt_array((size_t)n, sizeof *order), *sorted = gnt_array((size_t)n, sizeof *sorted);
    p.start = gnt_array((size_t)spec->clients + 1, sizeof *p.start);
    p.index = gnt_array((size_t)n, sizeof *p.index);
    int rc = order && sorted && p.start && p.index ? 0 : -1;
    if (rc == 0) {
        for (int64_t i = 0; i < n; i++)
            order[i] = (uint32_t)i;
        gnt_random_shuffle(&random, order, (size_t)n);
        if (spec->kind == GNT_PARTITION_IID)
            deal_evenly(&p, order, n);
        else if ((rc = sort_by_label(sorted, order, label, n, classes)) == 0)
            rc = spec->kind == GNT_PARTITION_SHARDS
                     ? deal_shards(&p, spec->shards, sorted, n, &random)
                     : deal_dirichlet(&p, spec->alpha, sorted, label, n, &random);
    }
    gnt_free(order);
    gnt_free(sorted);
    if (rc != 0) {
        gnt_partition_free(&p);
        return gnt_fail(err, "out of memory for a partition of %lld samples", (long long)n);
    }
    *out = p;
    return 0;
}
