#include "fl/partition_group.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"

/* The samples of a group are `sorted` from … from + n − 1. */
typedef struct group {
    int64_t from, n;
    uint32_t drawn; /* its place among groups of its size */
} group;

typedef struct groups {
    group *at;
    int64_t n;
    uint32_t *sorted; /* samples group by group */
} groups;

static int largest_first(const void *a, const void *b) {
    const group *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->drawn > y->drawn) - (x->drawn < y->drawn);
}

static int find_groups(groups *g, const int32_t *of, const uint32_t *order, int64_t n, gnt_stream *random) {
    uint64_t *key = gnt_array((size_t)n, sizeof *key); /* group, then place in `order` */
    uint32_t *drawn = gnt_array((size_t)n, sizeof *drawn);
    g->at = gnt_array((size_t)n, sizeof *g->at);
    g->sorted = gnt_array((size_t)n, sizeof *g->sorted);
    const int rc = key && drawn && g->at && g->sorted ? 0 : -1;
    if (rc == 0) {
        for (int64_t i = 0; i < n; i++)
            key[i] = (uint64_t)(uint32_t)of[order[i]] << 32 | (uint64_t)i;
        gnt_sort_words(key, (size_t)n);
        for (int64_t i = 0; i < n; i++) {
            g->sorted[i] = order[key[i] & UINT32_MAX];
            if (i == 0 || key[i] >> 32 != key[i - 1] >> 32)
                g->at[g->n++].from = i;
            g->at[g->n - 1].n++;
        }
        for (int64_t i = 0; i < g->n; i++)
            drawn[i] = (uint32_t)i;
        gnt_random_shuffle(random, drawn, (size_t)g->n);
        for (int64_t i = 0; i < g->n; i++)
            g->at[i].drawn = drawn[i];
        qsort(g->at, (size_t)g->n, sizeof *g->at, largest_first);
    }
    gnt_free(key);
    gnt_free(drawn);
    return rc;
}

/* ---- as many groups as clients, or more: each goes whole to who has least so far ---- */

/* Restores the order of a heap whose top has changed. heap: indices of clients, the one with fewest
 * samples on top, of equals the first. */
static void sink(uint32_t *heap, int32_t n, const int64_t *samples) {
    const uint32_t top = heap[0];
    int32_t at = 0;
    for (int32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n &&
            (samples[heap[child + 1]] < samples[heap[child]] ||
             (samples[heap[child + 1]] == samples[heap[child]] && heap[child + 1] < heap[child])))
            child++;
        if (samples[heap[child]] > samples[top] ||
            (samples[heap[child]] == samples[top] && heap[child] > top))
            break;
        heap[at] = heap[child];
    }
    heap[at] = top;
}

static int deal_whole(gnt_partition *p, const groups *g, const uint32_t *client) {
    const size_t clients = (size_t)p->clients;
    uint32_t *heap = gnt_array(clients, sizeof *heap), *owner = gnt_array((size_t)g->n, sizeof *owner);
    int64_t *samples = gnt_array(clients, sizeof *samples), *next = gnt_array(clients, sizeof *next);
    const int rc = heap && owner && samples && next ? 0 : -1;
    if (rc == 0) {
        for (size_t k = 0; k < clients; k++)
            heap[k] = (uint32_t)k;
        for (int64_t i = 0; i < g->n; i++) {
            owner[i] = client[heap[0]];
            samples[heap[0]] += g->at[i].n;
            p->start[owner[i] + 1] += g->at[i].n;
            sink(heap, p->clients, samples);
        }
        for (size_t k = 0; k < clients; k++) {
            p->start[k + 1] += p->start[k];
            next[k] = p->start[k];
        }
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t j = 0; j < g->at[i].n; j++)
                p->index[next[owner[i]]++] = g->sorted[g->at[i].from + j];
    }
    gnt_free(heap);
    gnt_free(owner);
    gnt_free(samples);
    gnt_free(next);
    return rc;
}

/* ---- more clients than groups: each client holds samples of one group alone ---- */

/* Gives one more client to the group with most samples for each of its own; all begin with one. */
static void share_clients(int64_t *own, const groups *g, int32_t clients) {
    for (int64_t i = 0; i < g->n; i++)
        own[i] = 1;
    for (int64_t left = clients - g->n; left > 0; left--) {
        int64_t most = 0;
        for (int64_t i = 1; i < g->n; i++)
            if (g->at[i].n * own[most] > g->at[most].n * own[i])
                most = i;
        own[most]++;
    }
}

static int deal_shared(gnt_partition *p, const groups *g, const uint32_t *client) {
    int64_t *own = gnt_array((size_t)g->n, sizeof *own);
    int64_t *from = gnt_array((size_t)p->clients, sizeof *from);
    const int rc = own && from ? 0 : -1;
    if (rc == 0) {
        share_clients(own, g, p->clients);
        int32_t k = 0;
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t j = 0; j < own[i]; j++, k++) {
                const int64_t begin = g->at[i].n * j / own[i], end = g->at[i].n * (j + 1) / own[i];
                from[client[k]] = g->at[i].from + begin;
                p->start[client[k] + 1] = end - begin;
            }
        for (k = 0; k < p->clients; k++) {
            for (int64_t i = 0; i < p->start[k + 1]; i++)
                p->index[p->start[k] + i] = g->sorted[from[k] + i];
            p->start[k + 1] += p->start[k];
        }
    }
    gnt_free(own);
    gnt_free(from);
    return rc;
}

int gnt_partition_by_group(gnt_partition *p, const gnt_partition_spec *spec, const uint32_t *order, int64_t n,
                           gnt_stream *random, gnt_err *err) {
    groups g = {0};
    uint32_t *client = gnt_array((size_t)p->clients, sizeof *client);
    int rc = client && find_groups(&g, spec->group, order, n, random) == 0 ? 0 : -1;
    const int refused = rc == 0 && spec->whole && g.n < p->clients;
    if (refused)
        rc = gnt_fail(err,
                      "the clients' %lld samples are of %lld groups, which cannot be given whole to %d "
                      "clients; take at most %lld clients, or more samples",
                      (long long)n, (long long)g.n, p->clients, (long long)g.n);
    if (rc == 0) {
        for (int32_t k = 0; k < p->clients; k++)
            client[k] = (uint32_t)k;
        gnt_random_shuffle(random, client, (size_t)p->clients);
        rc = g.n < p->clients ? deal_shared(p, &g, client) : deal_whole(p, &g, client);
    }
    if (rc != 0 && !refused)
        gnt_fail(err, "out of memory for a partition of %lld samples", (long long)n);
    gnt_free(client);
    gnt_free(g.at);
    gnt_free(g.sorted);
    return rc;
}
