/* A column of zeros counts as zeroed where r_j is known to live.
 *
 *  - The unit before it learns: its own row of the layer that makes it has a gradient, which a dead unit has
 *    not. Where a dense layer or a norm makes r_j alone, that is exact.
 *  - Or what makes r is never 0: sigmoid, tanh, softplus.
 *  - Or the defense is granted, has soteria in it, and this is the layer that it defends. Then only a unit
 *    that is known to be dead is matched as 0.
 *
 * Without the grant two more signs have to agree, for pruning by magnitude leaves empty columns too, and
 * their zeros are known to be small (survivors.h): a column is empty or whole, with no row missing but of
 * dead units, and of the update hardly an entry is zero by itself. */
#include "defense/zeroed_columns.h"

#include <string.h>

#include "first_dense.h"
#include "defense/granted_defense.h"
#include "hook.h"

/* Entries that are zero by themselves for each that is not, from which on an update counts as pruned entry by
 * entry. */
static const double scattered = 0.01;

/* ---- lines of a tensor, rows × columns ---- */

typedef struct live_lines {
    int64_t rows, columns;
    uint8_t *row, *column; /* 1: has an entry that is not 0 */
} live_lines;

static int64_t columns_of(const gnt_view *v) {
    return v->dim[0] > 0 ? v->count / v->dim[0] : 0;
}

static gnt_status find_live_lines(live_lines *l, const gnt_host *host, const gnt_view *v) {
    *l = (live_lines){.rows = v->dim[0], .columns = columns_of(v)};
    l->row = gnt_host_scratch(host, (size_t)(l->rows + l->columns + 1), 1);
    TRY(hook_memory(host, l->row != NULL));
    l->column = l->row + l->rows;
    memset(l->row, 0, (size_t)(l->rows + l->columns));
    for (int64_t r = 0; r < l->rows; r++)
        for (int64_t j = 0; j < l->columns; j++)
            if (v->data[r * l->columns + j] != 0)
                l->row[r] = l->column[j] = 1;
    return GNT_OK;
}

/* Returns the layer's bias in the update; NULL if it has none. */
static const gnt_view *bias_of(const gnt_views *update, int32_t layer) {
    for (int64_t t = 0; t < update->n; t++)
        if (update->view[t].layer == layer && update->view[t].rank == 1)
            return &update->view[t];
    return NULL;
}

/* True if no row is missing except those of units that die. If no column is left, the bias shows which rows
 * there were. */
static int has_all_rows(const gnt_model_info *info, const gnt_views *update, const gnt_view *v,
                        const live_lines *l) {
    const gnt_view *bias = bias_of(update, v->layer);
    int columns = 0, missing = 0;
    for (int64_t j = 0; j < l->columns; j++)
        columns |= l->column[j];
    if (!columns && (!bias || bias->count != l->rows))
        return 0;
    for (int64_t r = 0; r < l->rows; r++)
        missing |= columns ? !l->row[r] : bias->data[r] == 0;
    return !missing || is_before_relu(info, v->layer);
}

/* True if every column has either no entry, or one in every row that has any. */
static int is_by_columns(const gnt_view *v, const live_lines *l) {
    for (int64_t r = 0; r < l->rows; r++)
        for (int64_t j = 0; l->row[r] && j < l->columns; j++)
            if (l->column[j] && v->data[r * l->columns + j] == 0)
                return 0;
    return 1;
}

/* Tests whether the update was pruned entry by entry. *yes: 1 if many zeros have other entries both in their
 * row and in their column. */
static gnt_status is_scattered(const gnt_host *host, const gnt_views *update, int *yes) {
    int64_t alone = 0, kept = 0;
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        live_lines l;
        for (int64_t i = 0; i < v->count; i++)
            kept += v->data[i] != 0;
        if (v->rank < 2)
            continue;
        TRY(find_live_lines(&l, host, v));
        for (int64_t r = 0; r < l.rows; r++)
            for (int64_t j = 0; l.row[r] && j < l.columns; j++)
                alone += l.column[j] && v->data[r * l.columns + j] == 0;
    }
    *yes = (double)alone > scattered * (double)kept;
    return GNT_OK;
}

/* ---- what makes a dense layer's input ---- */

typedef struct source {
    int never_zero; /* it has no zeros */
    int32_t maker;  /* layer whose row j makes entry j alone; −1: none is known */
} source;

/* True if the layer may be part of a residual or concat layer, which is listed after its parts. Then it
 * need not read the layer before it. */
static int is_part(const gnt_model_info *info, int32_t layer) {
    static const char *const whole[] = {"residual", "concat", NULL};
    for (int32_t i = layer + 1; i < info->n_layers; i++)
        if (is_any(info->layer[i].type, whole))
            return 1;
    return 0;
}

static source source_of(const gnt_model_info *info, int32_t layer, int64_t inputs) {
    static const char *const never[] = {"sigmoid", "tanh", "softplus", NULL};
    static const char *const pools[] = {"max_pool", "avg_pool", "global_avg_pool", "flatten", NULL};
    static const char *const each[] = {"relu", "leaky_relu", "gelu", "silu", "dropout", NULL};
    static const char *const makers[] = {"dense", "conv", "batch_norm", NULL};
    source s = {.maker = -1};
    if (is_part(info, layer))
        return s;
    for (int32_t i = layer - 1, may_zero = 0; i >= 0; i--) {
        const char *type = info->layer[i].type;
        may_zero |= is_any(type, each);
        s.never_zero |= !may_zero && is_any(type, never);
        if (is_any(type, makers)) {
            s.maker = info->layer[i].dim[0] == inputs ? i : -1;
            return s;
        }
        if (!is_any(type, pools) && !is_any(type, each) && !is_any(type, never))
            return s;
    }
    return s;
}

/* Sets live[j] to 1 if row j of the layer's tensors has an entry that is not 0. Returns the number of
 * tensors with n rows. */
static int find_live(const gnt_views *update, int32_t layer, int64_t n, uint8_t *live) {
    int tensors = 0;
    memset(live, 0, (size_t)n);
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        if (v->layer != layer || v->rank < 1 || v->dim[0] != n)
            continue;
        tensors++;
        for (int64_t i = 0, length = columns_of(v); i < v->count; i++)
            live[i / length] |= v->data[i] != 0;
    }
    return tensors;
}

/* ---- the columns ---- */

/* Returns the layer that a granted soteria defends; −1 if none is granted or there is no such layer. */
static int32_t defended_layer(const gnt_model_info *info, const granted_defense *granted) {
    int32_t layer = -1;
    for (int32_t i = 0; granted->defended && i < info->n_layers; i++)
        if (*granted->defended ? strcmp(info->layer[i].name, granted->defended) == 0
                               : strcmp(info->layer[i].type, "dense") == 0)
            layer = i;
    return layer;
}

/* Finds zeroed columns in tensor t, of rank 2. `granted`: the grant says that columns of it were zeroed. */
static gnt_status find_in(zeroed_columns *out, const gnt_host *host, const gnt_views *update, int64_t t,
                          int granted) {
    const gnt_model_info *info = host->model->info;
    const gnt_view *v = &update->view[t];
    const source from = source_of(info, v->layer, v->dim[1]);
    live_lines l;
    TRY(find_live_lines(&l, host, v));
    uint8_t *live = gnt_host_scratch(host, (size_t)l.columns + 1, 1);
    TRY(hook_memory(host, live != NULL));
    const int known = from.maker >= 0 && find_live(update, from.maker, l.columns, live) > 0;
    if (!granted && !(has_all_rows(info, update, v, &l) && is_by_columns(v, &l)))
        return GNT_OK;
    int64_t n = 0;
    for (int64_t j = 0; j < l.columns; j++) {
        const int lives = known ? live[j] : granted || from.never_zero;
        n += live[j] = !l.column[j] && lives;
    }
    if (n > 0)
        out->of[t] = live;
    out->n += n;
    return GNT_OK;
}

gnt_status zeroed_columns_find(zeroed_columns *out, const gnt_host *host, const gnt_observation *seen) {
    const gnt_model_info *info = host->model->info;
    const gnt_views *update = seen->update;
    const granted_defense granted = granted_defense_of(seen);
    const int32_t defended = defended_layer(info, &granted);
    int pruned = 0;
    *out = (zeroed_columns){0};
    if (granted.is_complete) /* soteria is none of its members */
        return GNT_OK;
    TRY(is_scattered(host, update, &pruned));
    uint8_t **of = gnt_host_scratch(host, update->n, sizeof *of);
    TRY(hook_memory(host, of != NULL));
    memset(of, 0, (size_t)update->n * sizeof *of);
    out->of = of;
    for (int64_t t = 0; t < update->n; t++) {
        const int32_t layer = update->view[t].layer;
        if (update->view[t].rank == 2 && layer >= 0 && layer < info->n_layers &&
            !is_first_dense(info, layer) && (layer == defended || !pruned))
            TRY(find_in(out, host, update, t, layer == defended));
    }
    if (out->n == 0)
        out->of = NULL;
    else
        gnt_host_fact(host, "columns_left_out", (double)out->n);
    return GNT_OK;
}
