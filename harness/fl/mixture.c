#include "fl/mixture.h"

#include <string.h>

#include "base/mem.h"

static int add_row(gnt_mixture *m, gnt_err *err) {
    if (m->rows == m->room) {
        int64_t room = m->room ? 2 * m->room : 16;
        float *weight = gnt_resize(m->weight, (size_t)room, (size_t)m->originals * sizeof *weight);
        if (weight)
            m->weight = weight;
        int64_t *source = gnt_resize(m->source, (size_t)room, sizeof *source);
        if (source)
            m->source = source;
        if (!weight || !source)
            return gnt_fail(err, "out of memory for what %lld encodings are made of", (long long)room);
        m->room = room;
    }
    memset(m->weight + m->rows * m->originals, 0, (size_t)m->originals * sizeof *m->weight);
    m->source[m->rows++] = 0;
    return 0;
}

int gnt_mixture_identity(gnt_mixture *out, int64_t originals, gnt_err *err) {
    *out = (gnt_mixture){.originals = originals};
    for (int64_t i = 0; i < originals; i++) {
        if (add_row(out, err) != 0)
            return -1;
        out->weight[i * originals + i] = 1;
        out->source[i] = i;
    }
    return 0;
}

gnt_mixture gnt_mixture_empty(const gnt_mixture *like) {
    return (gnt_mixture){.originals = like->originals};
}

void gnt_mixture_free(gnt_mixture *m) {
    gnt_free(m->weight);
    gnt_free(m->source);
    *m = (gnt_mixture){0};
}

int gnt_mixture_copy(gnt_mixture *m, const gnt_mixture *of, int64_t row, gnt_err *err) {
    size_t bytes = (size_t)m->originals * sizeof *m->weight;
    if (add_row(m, err) != 0)
        return -1;
    memcpy(m->weight + (m->rows - 1) * m->originals, of->weight + row * m->originals, bytes);
    m->source[m->rows - 1] = of->source[row];
    return 0;
}

int gnt_mixture_mix(gnt_mixture *m, const gnt_mixture *before, const int64_t *id, int64_t n,
                    const int64_t *source_id, const double *weight, gnt_err *err) {
    float *row = m->weight + (m->rows - 1) * m->originals;
    memset(row, 0, (size_t)m->originals * sizeof *row);
    for (int64_t i = 0; i < n; i++) {
        int64_t found = 0;
        for (int64_t r = 0; r < before->rows; r++)
            found += id[r] == source_id[i];
        if (!found)
            return gnt_fail(err,
                            "encoded sample %lld says it was mixed of sample %lld, which is not in the set",
                            (long long)m->rows - 1, (long long)source_id[i]);
        for (int64_t r = 0; r < before->rows; r++)
            for (int64_t o = 0; id[r] == source_id[i] && o < m->originals; o++)
                row[o] += (float)(weight[i] / (double)found) * before->weight[r * m->originals + o];
    }
    return 0;
}
