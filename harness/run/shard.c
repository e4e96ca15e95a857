#include "run/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/json.h"
#include "base/mem.h"

enum { UNIT_SIZE = 4 * GNT_SUITE_NAME };

/* What stays together, as text. */
static void unit_of(const gnt_suite *s, const gnt_cell *c, char text[UNIT_SIZE]) {
    const gnt_suite_task *t = &s->task[c->task];
    char strength[GNT_NUMBER_SIZE] = "";
    if (c->mode == GNT_MODE_MATCHED || c->bracket) { /* one search */
        snprintf(text, UNIT_SIZE, "%s/%zu/matched", t->trained_as, c->defense);
        return;
    }
    if (c->mode != GNT_MODE_NONE)
        gnt_number_text(c->strength, strength);
    int n = snprintf(text, UNIT_SIZE, "%s/%zu@%s/s%" PRIu64, t->trained_as, c->defense, strength, c->seed);
    if (t->federated.rounds == 0 && n > 0 && n < UNIT_SIZE) /* no training to share */
        snprintf(text + n, (size_t)(UNIT_SIZE - n), "/%zu", c->attack);
}

static int fewest(const size_t *cells, int parts) {
    int least = 0;
    for (int i = 1; i < parts; i++)
        if (cells[i] < cells[least])
            least = i;
    return least;
}

typedef struct unit_size {
    size_t unit, cells;
} unit_size;

/* unit[i] of the cells that will run; the units in the order in which they appear, with their sizes. */
static int find_units(const gnt_suite *s, const gnt_plan *plan, size_t *unit, unit_size *units, size_t *n) {
    json_t *known = json_object();
    int rc = known ? 0 : -1;
    *n = 0;
    for (size_t i = 0; rc == 0 && i < plan->n; i++) {
        char text[UNIT_SIZE];
        if (plan->cell[i].reason)
            continue;
        unit_of(s, &plan->cell[i], text);
        const json_t *at = json_object_get(known, text);
        if (!at)
            rc = json_object_set_new(known, text, json_integer((json_int_t)*n));
        unit[i] = at ? (size_t)json_integer_value(at) : (*n)++;
        units[unit[i]].unit = unit[i];
        units[unit[i]].cells++;
    }
    json_decref(known);
    return rc;
}

static int larger_first(const void *a, const void *b) {
    const unit_size *x = a, *y = b;
    if (x->cells != y->cells)
        return x->cells > y->cells ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* The largest first, each to the part that has the fewest cells. */
static void deal(unit_size *units, size_t n, int parts, int *owner) {
    size_t cells[GNT_MOST_SHARDS] = {0};
    if (n)
        qsort(units, n, sizeof *units, larger_first);
    for (size_t u = 0; u < n; u++) {
        owner[units[u].unit] = fewest(cells, parts);
        cells[owner[units[u].unit]] += units[u].cells;
    }
}

int gnt_shard_pick(const gnt_suite *suite, const gnt_plan *plan, int part, int parts, uint8_t *wanted,
                   gnt_err *err) {
    size_t *unit = gnt_array(plan->n, sizeof *unit), n = 0;
    unit_size *units = gnt_array(plan->n, sizeof *units);
    int *owner = gnt_array(plan->n, sizeof *owner);
    int rc = unit && units && owner && find_units(suite, plan, unit, units, &n) == 0
                 ? 0
                 : gnt_fail(err, "out of memory for the parts of a plan");
    if (rc == 0)
        deal(units, n, parts, owner);
    for (size_t i = 0; rc == 0 && i < plan->n; i++)
        wanted[i] = plan->cell[i].reason || owner[unit[i]] == part - 1;
    gnt_free(unit);
    gnt_free(units);
    gnt_free(owner);
    return rc;
}
