/* forest_grow: grows trees. A node is split by the column and threshold of least Gini impurity, among
 * √columns drawn for each node, and among more only if none of these splits it. Thresholds are halfway
 * between neighbouring entries. A node that is pure, too small or too deep is a leaf. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forest.h"
#include "shared/try.h"

enum { POLL = 1 << 16 /* entries sorted between two calls of should_stop */ };

typedef struct entry {
    float x;
    int32_t label;
} entry;

/* A node that is not split yet, with its rows of the sample. */
typedef struct open_node {
    int64_t from, to, node, depth;
} open_node;

typedef struct split {
    int64_t column;
    float threshold;
    /* Σ_sides Σ_values count²/rows: larger means less impurity; 0: no split */
    double purity;
} split;

typedef struct grower {
    const gnt_host *host;
    const forest_recipe *recipe;
    const attr_table *t;
    int64_t tried;    /* columns considered in a node */
    int64_t stride;   /* of a node */
    int32_t *sample;  /* n_train rows of this tree; those of a node are contiguous */
    int64_t *column;  /* columns, in an order that draws change */
    entry *sorted;    /* n_train */
    int64_t *count;   /* 2 × values: in a node, or right and left of a threshold */
    open_node *stack; /* n_train */
    float *node;      /* of all trees */
    int64_t nodes, room, work;
} grower;

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for its trees; fewer `trees`, or larger leaves, need less");
}

static gnt_status open_grower(grower *g) {
    const attr_table *t = g->t;
    const size_t n = (size_t)t->n_train;
    const gnt_host *host = g->host;
    if (t->columns > FOREST_MOST || t->n_train > FOREST_MOST / 2)
        return gnt_host_fail(host, "there are more pooled entries, or shadow updates, than it can "
                                   "count; a larger window leaves fewer entries");
    g->tried = (int64_t)sqrt((double)t->columns);
    g->stride = FOREST_SHARES + t->values;
    g->sample = gnt_host_scratch(host, n, sizeof *g->sample);
    g->column = gnt_host_scratch(host, t->columns, sizeof *g->column);
    g->sorted = gnt_host_scratch(host, n, sizeof *g->sorted);
    g->count = gnt_host_scratch(host, 2 * t->values, sizeof *g->count);
    g->stack = gnt_host_scratch(host, n, sizeof *g->stack);
    if (!g->sample || !g->column || !g->sorted || !g->count || !g->stack)
        return no_memory(host);
    for (int64_t j = 0; j < t->columns; j++)
        g->column[j] = j;
    return GNT_OK;
}

/* Draws rows with replacement; balanced: all values present are equally likely. */
static void draw_sample(grower *g, int balanced) {
    const gnt_host *host = g->host;
    const attr_table *t = g->t;
    for (int64_t i = 0; i < t->n_train; i++) {
        const int32_t *of = t->row;
        int64_t among = t->n_train;
        if (balanced) {
            int32_t v;
            do
                v = (int32_t)gnt_host_below(host, "values", (uint64_t)t->values);
            while (t->count[v] == 0);
            for (int32_t c = 0; c < v; c++)
                of += t->count[c];
            among = t->count[v];
        }
        g->sample[i] = of[gnt_host_below(host, "sample", (uint64_t)among)];
    }
}

/* Makes room for `more` nodes. */
static gnt_status reserve(grower *g, int64_t more) {
    if (g->nodes + more <= g->room)
        return GNT_OK;
    const int64_t room = 2 * g->room + more;
    float *node = realloc(g->node, (size_t)(room * g->stride) * sizeof *node);
    if (!node)
        return no_memory(g->host);
    g->node = node;
    g->room = room;
    return GNT_OK;
}

/* ---- one node ---- */

/* Sorts by Shell's method, with gaps that shrink by 4/9. */
static void sort(entry *e, int64_t n) {
    for (int64_t gap = n > 2 ? n * 4 / 9 : 1; gap > 0; gap = gap == 1 ? 0 : gap < 4 ? 1 : gap * 4 / 9)
        for (int64_t i = gap; i < n; i++) {
            const entry moved = e[i];
            int64_t k = i;
            for (; k >= gap && e[k - gap].x > moved.x; k -= gap)
                e[k] = e[k - gap];
            e[k] = moved;
        }
}

static float halfway(float a, float b) {
    const float middle = (float)(((double)a + (double)b) / 2);
    return middle < b ? middle : a;
}

/* Finds the best threshold in one column of the rows [from, to), whose values are counted in `count`. The
 * first of equal ones is taken, within a column and among columns. */
static void try_column(grower *g, int64_t from, int64_t to, int64_t column, split *best) {
    const attr_table *t = g->t;
    const int64_t n = to - from, leaf = g->recipe->leaf;
    int64_t *right = g->count, *left = g->count + t->values;
    double right_squares = 0, left_squares = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t row = g->sample[from + i];
        g->sorted[i] = (entry){t->x[row * t->columns + column], t->label[row]};
    }
    sort(g->sorted, n);
    for (int32_t v = 0; v < t->values; v++) {
        left[v] = 0;
        right_squares += (double)right[v] * (double)right[v];
    }
    for (int64_t i = 0; i + 1 < n; i++) {
        const int32_t v = g->sorted[i].label;
        left_squares += 2 * (double)left[v]++ + 1; /* (k + 1)² − k² */
        right_squares -= 2 * (double)right[v]-- - 1;
        if (i + 1 < leaf || n - i - 1 < leaf || !(g->sorted[i].x < g->sorted[i + 1].x))
            continue;
        const double purity = left_squares / (double)(i + 1) + right_squares / (double)(n - i - 1);
        if (purity > best->purity)
            *best = (split){column, halfway(g->sorted[i].x, g->sorted[i + 1].x), purity};
    }
    for (int32_t v = 0; v < t->values; v++)
        right[v] += left[v];
}

static gnt_status find_split(grower *g, int64_t from, int64_t to, split *best) {
    const gnt_host *host = g->host;
    const int64_t columns = g->t->columns;
    for (int64_t j = 0; j < columns && (j < g->tried || best->purity <= 0); j++) {
        const int64_t k = j + (int64_t)gnt_host_below(host, "columns", (uint64_t)(columns - j));
        const int64_t column = g->column[k];
        g->column[k] = g->column[j];
        g->column[j] = column;
        try_column(g, from, to, column, best);
        g->work += to - from;
        if (g->work < POLL)
            continue;
        g->work = 0;
        TRY(may_go_on(host));
    }
    return GNT_OK;
}

/* Counts the values of the rows, and writes their shares. Returns 1 if there is only one value. */
static int describe(grower *g, int64_t from, int64_t to, float *node) {
    const attr_table *t = g->t;
    int present = 0;
    memset(g->count, 0, (size_t)t->values * sizeof *g->count);
    for (int64_t i = from; i < to; i++)
        g->count[t->label[g->sample[i]]]++;
    memset(node, 0, (size_t)g->stride * sizeof *node);
    for (int32_t v = 0; v < t->values; v++) {
        node[FOREST_SHARES + v] = (float)((double)g->count[v] / (double)(to - from));
        present += g->count[v] > 0;
    }
    return present == 1;
}

/* Moves the rows that go left to the front. Returns the place of the first that does not. */
static int64_t part(grower *g, int64_t from, int64_t to, const split *by) {
    int64_t right = from;
    for (int64_t i = from; i < to; i++) {
        const int32_t row = g->sample[i];
        if (g->t->x[row * g->t->columns + by->column] <= by->threshold) {
            g->sample[i] = g->sample[right];
            g->sample[right++] = row;
        }
    }
    return right;
}

/* ---- trees ---- */

static gnt_status grow_tree(grower *g, float *size, int64_t *deepest) {
    const int64_t root = g->nodes, leaf = g->recipe->leaf, most = g->recipe->depth;
    int64_t open = 0;
    gnt_status status = reserve(g, 1);
    g->nodes++;
    g->stack[open++] = (open_node){0, g->t->n_train, 0, 0};
    while (status == GNT_OK && open > 0) {
        const open_node at = g->stack[--open];
        const int pure = describe(g, at.from, at.to, g->node + (root + at.node) * g->stride);
        split by = {0};
        *deepest = at.depth > *deepest ? at.depth : *deepest;
        if (!pure && at.to - at.from >= 2 * leaf && (most == 0 || at.depth < most))
            status = find_split(g, at.from, at.to, &by);
        if (status == GNT_OK && by.purity > 0)
            status = reserve(g, 2);
        if (status != GNT_OK || by.purity <= 0)
            continue;
        float *node = g->node + (root + at.node) * g->stride;
        const int64_t left = g->nodes - root, middle = part(g, at.from, at.to, &by);
        node[FOREST_COLUMN] = (float)by.column;
        node[FOREST_THRESHOLD] = by.threshold;
        node[FOREST_LEFT] = (float)left;
        g->nodes += 2;
        g->stack[open++] = (open_node){middle, at.to, left + 1, at.depth + 1};
        g->stack[open++] = (open_node){at.from, middle, left, at.depth + 1};
    }
    *size = (float)(g->nodes - root);
    return status;
}

gnt_status forest_grow(forest *f, float **owned, const classic *c, const forest_recipe *recipe,
                       const attr_table *t) {
    const gnt_host *host = c->host;
    const double trees = (double)recipe->trees;
    grower g = {.host = host, .recipe = recipe, .t = t};
    float *size = gnt_host_scratch(host, recipe->trees, sizeof *size);
    gnt_status status = size ? open_grower(&g) : no_memory(host);
    double deep = 0;
    for (int64_t k = 0; status == GNT_OK && k < recipe->trees; k++) {
        int64_t deepest = 0;
        draw_sample(&g, c->balanced);
        status = grow_tree(&g, size + k, &deepest);
        deep += (double)deepest;
        gnt_host_progress(host, (double)(k + 1), trees);
    }
    *owned = g.node;
    *f = (forest){
        .trees = recipe->trees, .columns = t->columns, .values = t->values, .size = size, .node = g.node};
    if (status != GNT_OK)
        return status;
    gnt_host_fact(host, "nodes", (double)g.nodes / trees);
    gnt_host_fact(host, "depth", deep / trees);
    return forest_open(f, host);
}
