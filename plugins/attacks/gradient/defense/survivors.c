#include "defense/survivors.h"

#include <math.h>
#include <string.h>

#include "first_dense.h"
#include "defense/granted_defense.h"
#include "cost/update_match.h"
#include "defense/zeroed_columns.h"
#include "hook.h"

const char *const survivors_choices[] = {"auto", "never", "always", NULL};

gnt_status survivors_check(const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros) {
    const granted_defense granted = granted_defense_of(seen);
    if (mask_zeros == SURVIVORS_NEVER && (granted.pruned || granted.defended))
        return unsupported(host, "mask_zeros is \"never\", as by an attacker who does not know that the "
                                 "defense leaves zeros, but the defense is granted: leave that grant out, "
                                 "or take \"auto\"");
    return granted_defense_check(host, &granted);
}

/* True if the update looks pruned by magnitude. Many zeros alone do not show it: dead units and black
 * pixels leave zeros that should be matched. Pruning leaves no small entries: in each tensor, none below a
 * hundredth of the survivors' mean magnitude. */
static int looks_pruned(const gnt_views *update, const outliers *apart) {
    int64_t zeros = 0, total = 0;
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        double least = INFINITY, sum = 0;
        int64_t alive = 0;
        for (int64_t i = 0; i < v->count; i++)
            if (v->data[i] != 0 && !outliers_has(apart, t, i)) {
                least = fmin(least, fabs((double)v->data[i]));
                sum += fabs((double)v->data[i]);
                alive++;
            }
        if (alive > 0 && least < 0.01 * sum / (double)alive)
            return 0;
        zeros += v->count - alive;
        total += v->count;
    }
    return 2 * zeros > total;
}

static int has_survivor(const gnt_view *seen, const outliers *apart, int64_t t, int64_t first, int64_t step,
                        int64_t n) {
    for (int64_t k = 0; k < n; k++)
        if (seen->data[first + k * step] != 0 && !outliers_has(apart, t, first + k * step))
            return 1;
    return 0;
}

/* Sets flags[i] to 1 if the observed entry is to be matched: if it survived, or is in a line without
 * survivors that is informative in itself. An empty column of a first dense layer shows that the sample is
 * (near) zero there, as black pixels are; an empty row before a ReLU, that the unit is dead. `seen` is
 * tensor t of the update. */
static void mark_survivors(const gnt_model_info *info, const gnt_view *seen, const outliers *apart, int64_t t,
                           float *flags) {
    int64_t columns = seen->rank == 2 && is_first_dense(info, seen->layer) ? seen->dim[1] : 0;
    int64_t rows = seen->rank >= 2 && is_before_relu(info, seen->layer) ? seen->dim[0] : 0;
    for (int64_t i = 0; i < seen->count; i++)
        flags[i] = seen->data[i] != 0 && !outliers_has(apart, t, i);
    for (int64_t j = 0; j < columns; j++)
        if (!has_survivor(seen, apart, t, j, columns, seen->dim[0]))
            for (int64_t i = j; i < seen->count; i += columns)
                flags[i] = 1;
    for (int64_t r = 0, length = rows ? seen->count / rows : 0; r < rows; r++)
        if (!has_survivor(seen, apart, t, r * length, 1, length))
            for (int64_t i = r * length; i < (r + 1) * length; i++)
                flags[i] = 1;
}

gnt_status survivors_mask(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                          int64_t want, int32_t *masked, const float *const **mask) {
    const gnt_views *update = seen->update;
    zeroed_columns zeroed = {0};
    if (want == SURVIVORS_AUTO)
        TRY(zeroed_columns_find(&zeroed, host, seen));
    int zeros = want == SURVIVORS_ALWAYS || (want == SURVIVORS_AUTO && looks_pruned(update, apart));
    *masked = zeros || zeroed.n > 0 || apart->n > 0;
    *mask = NULL;
    gnt_host_fact(host, "zeros_masked", zeros || zeroed.n > 0);
    if (!*masked)
        return GNT_OK;
    const float **list = gnt_host_scratch(host, update->n, sizeof *list);
    float *flags = gnt_host_scratch(host, entries_of(update), sizeof *flags);
    TRY(hook_memory(host, list && flags));
    for (int64_t t = 0; t < update->n; flags += update->view[t].count, t++) {
        if (zeros)
            mark_survivors(host->model->info, &update->view[t], apart, t, flags);
        for (int64_t i = 0; i < update->view[t].count; i++)
            flags[i] = (zeros ? flags[i] : 1) * (float)!outliers_has(apart, t, i) *
                       (float)!zeroed_columns_has(&zeroed, &update->view[t], t, i);
        list[t] = flags;
    }
    *mask = list;
    return GNT_OK;
}

static float least_survivor(const gnt_views *update, const outliers *apart, int64_t t) {
    const gnt_view *v = &update->view[t];
    float least = INFINITY;
    for (int64_t i = 0; i < v->count; i++)
        if (v->data[i] != 0 && !outliers_has(apart, t, i))
            least = fminf(least, fabsf(v->data[i]));
    return least;
}

void survivors_bounds(const gnt_views *update, const outliers *apart, int64_t want, int together,
                      float *bound) {
    float least = INFINITY;
    for (int64_t t = 0; t < update->n; t++) {
        bound[t] = want == SURVIVORS_NEVER    ? 0
                   : want == SURVIVORS_ALWAYS ? INFINITY
                                              : least_survivor(update, apart, t);
        least = fminf(least, bound[t]);
    }
    for (int64_t t = 0; t < update->n && want == SURVIVORS_AUTO; t++)
        if (together || isinf(bound[t]))
            bound[t] = isinf(least) ? 0 : least; /* all is zero, which is then matched */
}
