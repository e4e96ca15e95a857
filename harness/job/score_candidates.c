/* What identification chooses among: every private sample that is judged, then samples of clients. One that is a judged
 * sample, byte for byte, is left out: it would be as near to every answer, and halve each hit. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "job/score.h"

enum { MOST_CANDIDATES = 256 }; /* of clients' */

typedef struct hashed {
    uint64_t hash;
    int64_t row;
} hashed;

/* FNV-1a over the words of a row. */
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
    uint64_t x = ((const hashed *)a)->hash, y = ((const hashed *)b)->hash;
    return (x > y) - (x < y);
}

/* list: the n judged rows of x, sorted. */
static int is_among(const hashed *list, int64_t n, const float *x, const float *one, int64_t features) {
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
            return 1;
    return 0;
}

int score_candidates(const score *s, float **rows, size_t *n, gnt_err *err) {
    const int64_t f = s->targets.view.features, judged = s->rows, others = s->clients.view.n;
    const size_t row_size = (size_t)f * sizeof **rows;
    const int64_t room = judged + (others < MOST_CANDIDATES ? others : MOST_CANDIDATES);
    int64_t taken = 0;
    hashed *list = gnt_array((size_t)judged, sizeof *list);
    *rows = gnt_array((size_t)(room * f), sizeof **rows);
    if (!list || !*rows) {
        gnt_free(list);
        gnt_free(*rows);
        *rows = NULL;
        return gnt_fail(err, "out of memory for %lld candidates", (long long)room);
    }
    for (int64_t i = 0; i < judged; i++)
        list[i] = (hashed){hash_row(s->targets.x + i * f, f), i};
    qsort(list, (size_t)judged, sizeof *list, by_hash);
    memcpy(*rows, s->targets.x, (size_t)judged * row_size);
    for (int64_t i = 0; i < others && taken < MOST_CANDIDATES; i++) {
        const float *one = s->clients.x + i * f;
        if (!is_among(list, judged, s->targets.x, one, f))
            memcpy(*rows + (judged + taken++) * f, one, row_size);
    }
    gnt_free(list);
    *n = (size_t)(judged + taken);
    return 0;
}
