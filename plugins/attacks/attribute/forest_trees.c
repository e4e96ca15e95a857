/* forest_trees: a forest's scores and artefacts. */
#include <math.h>
#include <string.h>

#include "forest.h"
#include "shared/try.h"

void forest_scores(const void *classifier, const float *x, float *scores) {
    const forest *f = classifier;
    const int64_t stride = FOREST_SHARES + f->values;
    const float *tree = f->node;
    memset(f->room, 0, (size_t)f->values * sizeof *f->room);
    for (int64_t t = 0; t < f->trees; tree += (int64_t)f->size[t++] * stride) {
        const float *at = tree;
        while (at[FOREST_LEFT] > 0) {
            const int64_t left = (int64_t)at[FOREST_LEFT];
            at = tree + (left + !(x[(int64_t)at[FOREST_COLUMN]] <= at[FOREST_THRESHOLD])) * stride;
        }
        for (int32_t v = 0; v < f->values; v++)
            f->room[v] += (double)at[FOREST_SHARES + v];
    }
    for (int32_t v = 0; v < f->values; v++)
        scores[v] = (float)(f->room[v] / (double)f->trees);
}

gnt_status forest_open(forest *f, const gnt_host *host) {
    f->room = gnt_host_scratch(host, f->values, sizeof *f->room);
    return f->room ? GNT_OK : gnt_host_fail(host, "no memory for its scores");
}

gnt_status forest_write(const forest *f, const gnt_sink *out) {
    int64_t dim[2] = {0, FOREST_SHARES + f->values};
    for (int64_t t = 0; t < f->trees; t++)
        dim[0] += (int64_t)f->size[t];
    TRY(out->tensor(out->context, "size", 1, &f->trees, f->size));
    return out->tensor(out->context, "node", 2, dim, f->node);
}

/* True for an integer from `least` to `most`; false for NaN. */
static int is_whole(float x, int64_t least, int64_t most) {
    return (double)x >= (double)least && (double)x <= (double)most && x == floorf(x);
}

static int is_tree(const forest *f, const float *node, int64_t nodes) {
    const int64_t stride = FOREST_SHARES + f->values;
    for (int64_t i = 0; i < nodes; i++, node += stride) {
        if (node[FOREST_LEFT] != 0 && (!is_whole(node[FOREST_LEFT], i + 1, nodes - 2) ||
                                       !is_whole(node[FOREST_COLUMN], 0, f->columns - 1)))
            return 0;
        for (int32_t v = 0; v < f->values; v++)
            if (!(node[FOREST_SHARES + v] >= 0 && node[FOREST_SHARES + v] <= 1))
                return 0;
    }
    return 1;
}

int forest_read(forest *f, int64_t trees, const gnt_artefacts *own, int64_t columns, int32_t values) {
    const gnt_view *size = attr_find(own, "", "size", 1), *node = attr_find(own, "", "node", 2);
    if (!size || !node || size->count != trees || !classic_matrix(node, -1, FOREST_SHARES + (int64_t)values))
        return -1;
    *f = (forest){
        .trees = trees, .columns = columns, .values = values, .size = size->data, .node = node->data};
    int64_t at = 0;
    for (int64_t t = 0; t < trees; t++) {
        const int64_t rest = node->dim[0] - at;
        if (!is_whole(size->data[t], 1, rest < FOREST_MOST ? rest : FOREST_MOST) ||
            !is_tree(f, node->data + at * node->dim[1], (int64_t)size->data[t]))
            return -1;
        at += (int64_t)size->data[t];
    }
    return at == node->dim[0] ? 0 : -1;
}
