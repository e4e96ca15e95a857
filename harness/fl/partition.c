#include "fl/partition.h"

#include "base/mem.h"
#include "fl/partition_group.h"

enum { MOST_TRIES = 1000 }; /* of the counts of shards */

int gnt_partition_may_leave(gnt_partition_kind kind) {
    return kind != GNT_PARTITION_IID && kind != GNT_PARTITION_DIRICHLET && kind != GNT_PARTITION_GROUP;
}

static int out_of_memory(int64_t n, gnt_err *err) {
    return gnt_fail(err, "out of memory for a partition of %lld samples", (long long)n);
}

void gnt_partition_free(gnt_partition *p) {
    gnt_free(p->start);
    gnt_free(p->index);
    *p = (gnt_partition){0};
}

/* Sorts the entries of `order` by label, in the order they had within a label. */
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

/* Fills in owner[i], the client of sorted[i]; each class is cut at the cumulated shares of a Dirichlet
 * draw. */
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

/* Draws each client's number of shards; returns 0 if some draw has a sum of no more than `pieces`. */
static int draw_counts(int32_t *count, const gnt_partition_spec *spec, int64_t pieces, gnt_stream *random) {
    const uint64_t choices = (uint64_t)(spec->most - spec->least) + 1;
    for (int i = 0; i < MOST_TRIES; i++) {
        int64_t sum = 0;
        for (int32_t k = 0; k < spec->clients; k++)
            sum += count[k] = spec->least + (int32_t)gnt_random_below(random, choices);
        if (sum <= pieces)
            return 0;
    }
    return -1;
}

static int deal_sized_shards(gnt_partition *p, const gnt_partition_spec *spec, const uint32_t *sorted,
                             int64_t n, gnt_stream *random, gnt_err *err) {
    const int64_t size = spec->size, pieces = n / size;
    uint32_t *piece = gnt_array((size_t)pieces, sizeof *piece);
    int32_t *count = gnt_array((size_t)p->clients, sizeof *count);
    int64_t at = 0, dealt = 0;
    int rc = piece && count ? 0 : out_of_memory(n, err);
    if (rc == 0 && (rc = draw_counts(count, spec, pieces, random)) != 0)
        gnt_fail(
            err,
            "%lld samples make %lld shards of %lld, but %d clients with %d … %d each want %g on average, "
            "and %d draws all came to more than there are; lower the most, take fewer clients, or make "
            "the shards smaller",
            (long long)n, (long long)pieces, (long long)size, p->clients, spec->least, spec->most,
            p->clients * (spec->least + (double)spec->most) / 2, MOST_TRIES);
    if (rc == 0) {
        for (int64_t i = 0; i < pieces; i++)
            piece[i] = (uint32_t)i;
        gnt_random_shuffle(random, piece, (size_t)pieces);
    }
    for (int32_t k = 0; rc == 0 && k < p->clients; k++) {
        for (int32_t s = 0; s < count[k]; s++, dealt++)
            for (int64_t i = 0; i < size; i++)
                p->index[at++] = sorted[piece[dealt] * size + i];
        p->start[k + 1] = at;
    }
    gnt_free(piece);
    gnt_free(count);
    return rc;
}

/* Returns the number of rows of the j-th label that client k names. */
static int64_t rows_of_label(const gnt_partition_spec *spec, int32_t k, int64_t j) {
    return spec->rows[k] / spec->n_labels[k] + (j < spec->rows[k] % spec->n_labels[k]);
}

/* Checks that clients want no more samples of a label than there are. has[c]: samples of label c. */
static int check_labels(const gnt_partition_spec *spec, const int64_t *has, int64_t *wanted, int32_t classes,
                        gnt_err *err) {
    const int64_t *name = spec->labels;
    for (int32_t k = 0; k < spec->clients; name += spec->n_labels[k++])
        for (int64_t j = 0; j < spec->n_labels[k]; j++) {
            if (name[j] < 0 || name[j] >= classes)
                return gnt_fail(err, "client %d wants samples of label %lld, outside 0 … %d", k,
                                (long long)name[j], classes - 1);
            wanted[name[j]] += rows_of_label(spec, k, j);
        }
    for (int32_t c = 0; c < classes; c++)
        if (wanted[c] > has[c])
            return gnt_fail(err,
                            "label %d has %lld samples, but the clients that name it want %lld; lower their "
                            "rows, or give them other labels",
                            c, (long long)has[c], (long long)wanted[c]);
    return 0;
}

static int deal_labels(gnt_partition *p, const gnt_partition_spec *spec, const uint32_t *sorted,
                       const int32_t *label, int64_t n, int32_t classes, gnt_err *err) {
    int64_t *has = gnt_array((size_t)classes, sizeof *has), *next = gnt_array((size_t)classes, sizeof *next);
    int rc = has && next ? 0 : out_of_memory(n, err);
    for (int64_t i = 0; rc == 0 && i < n; i++)
        has[label[i]]++;
    if (rc == 0)
        rc = check_labels(spec, has, next, classes, err);
    if (rc == 0) {
        next[0] = 0;
        for (int32_t c = 1; c < classes; c++)
            next[c] = next[c - 1] + has[c - 1];
    }
    const int64_t *name = spec->labels;
    int64_t at = 0;
    for (int32_t k = 0; rc == 0 && k < p->clients; name += spec->n_labels[k++]) {
        for (int64_t j = 0; j < spec->n_labels[k]; j++)
            for (int64_t i = 0; i < rows_of_label(spec, k, j); i++)
                p->index[at++] = sorted[next[name[j]]++];
        p->start[k + 1] = at;
    }
    gnt_free(has);
    gnt_free(next);
    return rc;
}

/* Checks the kinds that state how many rows a client gets: at least one, at most all. */
static int check_counts(const gnt_partition_spec *spec, int64_t n, gnt_err *err) {
    if (spec->kind == GNT_PARTITION_SIZED_SHARDS &&
        (spec->size < 1 || spec->size > n || spec->least < 1 || spec->most < spec->least))
        return gnt_fail(err, "%lld samples cannot be cut into shards of %lld, %d … %d a client", (long long)n,
                        (long long)spec->size, spec->least, spec->most);
    for (int32_t k = 0; spec->kind == GNT_PARTITION_LABELS && k < spec->clients; k++)
        if (spec->rows[k] < 1 || spec->rows[k] > n || spec->n_labels[k] < 1)
            return gnt_fail(err, "client %d wants %lld of %lld samples, of %lld labels", k,
                            (long long)spec->rows[k], (long long)n, (long long)spec->n_labels[k]);
    return 0;
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
    if (spec->kind == GNT_PARTITION_GROUP && !spec->group)
        return gnt_fail(err, "a partition by group needs the group of each sample, and there is none");
    return check_counts(spec, n, err);
}

static int is_by_label(gnt_partition_kind kind) {
    return kind != GNT_PARTITION_IID && kind != GNT_PARTITION_GROUP;
}

/* Distributes rows to clients. rows: shuffled, and for kinds that use labels sorted by them. */
static int deal(gnt_partition *p, const gnt_partition_spec *spec, const uint32_t *rows, const int32_t *label,
                int64_t n, int32_t classes, gnt_stream *random, gnt_err *err) {
    switch (spec->kind) {
    case GNT_PARTITION_IID:
        deal_evenly(p, rows, n);
        return 0;
    case GNT_PARTITION_SHARDS:
        return deal_shards(p, spec->shards, rows, n, random) == 0 ? 0 : out_of_memory(n, err);
    case GNT_PARTITION_DIRICHLET:
        return deal_dirichlet(p, spec->alpha, rows, label, n, random) == 0 ? 0 : out_of_memory(n, err);
    case GNT_PARTITION_LABELS:
        return deal_labels(p, spec, rows, label, n, classes, err);
    case GNT_PARTITION_GROUP:
        return gnt_partition_by_group(p, spec, rows, n, random, err);
    case GNT_PARTITION_SIZED_SHARDS:
        return deal_sized_shards(p, spec, rows, n, random, err);
    }
    return gnt_fail(err, "there is no partition of kind %d", (int)spec->kind);
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
    int rc = order && sorted && p.start && p.index ? 0 : out_of_memory(n, err);
    if (rc == 0) {
        for (int64_t i = 0; i < n; i++)
            order[i] = (uint32_t)i;
        gnt_random_shuffle(&random, order, (size_t)n);
        if (is_by_label(spec->kind) && sort_by_label(sorted, order, label, n, classes) != 0)
            rc = out_of_memory(n, err);
        else
            rc = deal(&p, spec, is_by_label(spec->kind) ? sorted : order, label, n, classes, &random, err);
    }
    gnt_free(order);
    gnt_free(sorted);
    if (rc != 0) {
        gnt_partition_free(&p);
        return -1;
    }
    *out = p;
    return 0;
}
