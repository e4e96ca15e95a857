#include "cli/strata.h"

#include <string.h>

#include "base/random.h"

/* True if a cell is of the stratum that begins with another: cells differ in their seeds last. */
static int is_alike(const gnt_outcome *a, const gnt_outcome *b) {
    return a->mode == b->mode && a->stage == b->stage && strcmp(a->task, b->task) == 0 &&
           strcmp(a->defense, b->defense) == 0 && strcmp(a->attack, b->attack) == 0;
}

static int is_wanted(const gnt_results *r, const gnt_outcome *cell, const gnt_doc *mandatory) {
    const int may_count =
        cell->mode == GNT_ROW_MATCHED || cell->mode == GNT_ROW_AS_IS || cell->mode == GNT_ROW_NONE;
    return may_count && (!mandatory || gnt_board_is_mandatory(mandatory, r, cell->task, cell->attack));
}

/* Draws one of the cells first … end − 1 that are ok; `end` if none is. */
static size_t draw(const gnt_results *r, size_t first, size_t end, gnt_stream *stream) {
    size_t drawn = end;
    uint64_t n = 0;
    for (size_t i = first; i < end; i++)
        if (r->cell[i].status == GNT_CELL_OK && gnt_random_below(stream, ++n) == 0)
            drawn = i;
    return drawn;
}

void cli_flag_strata(uint8_t *flags, size_t n, const gnt_results *r, uint64_t seed,
                     const gnt_doc *mandatory) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream stream = gnt_stream_open(&key, "strata");
    const size_t cells = n < r->n_cell ? n : r->n_cell;
    for (size_t first = 0, end; first < cells; first = end) {
        for (end = first + 1; end < cells && is_alike(&r->cell[first], &r->cell[end]); end++)
            continue;
        const size_t drawn = is_wanted(r, &r->cell[first], mandatory) ? draw(r, first, end, &stream) : end;
        if (drawn < end)
            flags[drawn] = 1;
    }
}
