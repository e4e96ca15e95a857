/* zeroed_columns: columns of dense layers' updates that a defense set to zero, and that therefore reveal
 * nothing.
 *
 * Column j of a dense layer's gradient is Σ_samples δ·r_j, r the layer's input. In an update without a
 * defense it is 0 if r_j is 0 in every sample, since the unit before it is dead or the pixel is black. Such
 * zeros should be matched. A defense such as soteria leaves the same zeros for any r_j. The rest of the
 * update distinguishes the two cases, so that a mask can be chosen before any search, and an update without
 * such a defense is matched as a whole. See zeroed_columns.c for how. */
#ifndef GRADIENT_ZEROED_COLUMNS_H
#define GRADIENT_ZEROED_COLUMNS_H

#include <stdint.h>
#include <string.h>

#include "gauntlet/plugin.h"

/* of[t][j]: column j of tensor t was zeroed; of[t] is NULL where tensor t has no such column, `of` where the
 * update has none. Scratch of the hook. */
typedef struct zeroed_columns {
    uint8_t **of;
    int64_t n;
} zeroed_columns;

/* Finds the zeroed columns, once, before any search; reports the fact `columns_left_out` if there are any.
 * The update is whole (update.h). GNT_OK, or a status after host->fail. */
gnt_status zeroed_columns_find(zeroed_columns *out, const gnt_host *host, const gnt_observation *seen);

/* True if the entry of tensor t, `v`, is in such a column. */
static inline int zeroed_columns_has(const zeroed_columns *z, const gnt_view *v, int64_t t, int64_t entry) {
    return z->of && z->of[t] && z->of[t][entry % v->dim[1]];
}

/* True if a ReLU follows the layer: its units can then be inactive, which makes their rows 0. */
static inline int is_before_relu(const gnt_model_info *info, int32_t layer) {
    return layer >= 0 && layer + 1 < info->n_layers && strcmp(info->layer[layer + 1].type, "relu") == 0;
}

#endif
