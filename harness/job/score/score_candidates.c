/* What identification chooses among: every private sample that is judged, then samples of clients. One of
 * these that is a judged sample, byte for byte, is left out: it would be as near to every answer, and halve
 * each hit. For the same reason a sample that is a member of several sets, or repeated, is listed once. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

enum { MOST_CANDIDATES = 256 }; /* of clients' */

typedef struct hashed {
    uint64_t hash;
    int64_t row;
} hashed;

/* Computes FNV-1a over the 32-bit words of a row. */
static uint64_t hash_row(const float *x, int64_t n) {
    uint64_t h = 14695981039346656037u;
    for (int64_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, x + i, sizeof word);
        h = (h ^ word) * 1099511628211u;
    }
    return h;
}

static int by_hash(const void *a, const void *b) {
    const hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash > y->hash ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Returns the first row of x that equals `one`; −1 if there is none. list: the n rows of x, sorted. */
static int64_t find_row(const hashed *list, int64_t n, const float *x, const float *one, int64_t features) {
    uint64_t hash = hash_row(one, features);
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && list[low].hash == hash; low++)
        if (memcmp(x + list[low].row * features, one, (size_t)features * sizeof *one) == 0)
            return list[low].row;
    return -1;
}

/* Copies the judged rows, each once where they may repeat; returns how many. */
static int64_t take_judged(score *s, const hashed *list, float *rows) {
    const int64_t f = s->targets.view.features;
    int64_t taken = 0;
    for (int64_t i = 0; i < s->layout.rows; i++) {
        const float *one = s->targets.x + i * f;
        int64_t same = s->candidates.place ? find_row(list, s->layout.rows, s->targets.x, one, f) : i;
        if (s->candidates.place)
            s->candidates.place[i] = same < i ? s->candidates.place[same] : taken;
        if (same == i)
            memcpy(rows + taken++ * f, one, (size_t)f * sizeof *rows);
    }
    return taken;
}

/* True if rows may be there several times. */
static int may_repeat(const score *s) {
    return score_by_members(s) || s->layout.count;
}

int score_candidates(score *s, float **rows, size_t *n, gnt_err *err) {
    const int64_t f = s->targets.view.features, judged = s->layout.rows, others = s->clients.view.n;
    const size_t row_size = (size_t)f * sizeof **rows;
    const int64_t room = judged + (others < MOST_CANDIDATES ? others : MOST_CANDIDATES);
    int64_t taken = 0;
    s->candidates.place = may_repeat(s) ? gnt_array((size_t)judged, sizeof *s->candidates.place) : NULL;
    hashed *list = gnt_array((size_t)judged, sizeof *list);
    *rows = gnt_array((size_t)(room * f), sizeof **rows);
    if (!list || !*rows || (may_repeat(s) && !s->candidates.place)) {
        gnt_free(list);
        gnt_free(*rows);
        *rows = NULL;
        return gnt_fail(err, "out of memory for %lld candidates", (long long)room);
    }
    for (int64_t i = 0; i < judged; i++)
        list[i] = (hashed){hash_row(s->targets.x + i * f, f), i};
    qsort(list, (size_t)judged, sizeof *list, by_hash);
    const int64_t own = take_judged(s, list, *rows);
    for (int64_t i = 0; i < others && taken < MOST_CANDIDATES; i++) {
        const float *one = s->clients.x + i * f;
        if (find_row(list, judged, s->targets.x, one, f) < 0)
            memcpy(*rows + (own + taken++) * f, one, row_size);
    }
    gnt_free(list);
    *n = (size_t)(own + taken);
    return 0;
}
