/* Groups: each is what its cells give. */
#include <math.h>

#include "check/check_impl.h"
#include "derive/derive.h"

/* True if a cell of a group lacks its utility, as where its training diverged: then only the group has it. */
static int lost_utility(const check *c, size_t first, size_t n) {
    for (size_t i = first; i < first + n; i++) {
        const gnt_outcome *cell = &c->of->cells.at[i];
        if (check_is_ok(cell) && !*cell->utility.measure)
            return 1;
    }
    return 0;
}

/* Checks which cells a group joins, then its numbers: statistics are compared relative to their size,
 * everything else exactly. */
static int check_group(const check *c, size_t i, size_t first, gnt_outcome *should) {
    static const size_t coordinates[] = {
        offsetof(gnt_outcome, task),        offsetof(gnt_outcome, stage),   offsetof(gnt_outcome, defense),
        offsetof(gnt_outcome, strength),    offsetof(gnt_outcome, mode),    offsetof(gnt_outcome, attack),
        offsetof(gnt_outcome, status),      offsetof(gnt_outcome, reason),  offsetof(gnt_outcome, n_cells),
        offsetof(gnt_outcome, n_ok),        offsetof(gnt_outcome, utility), offsetof(gnt_outcome, matched),
        offsetof(gnt_outcome, utility.none)};
    static const size_t guesses[] = {offsetof(gnt_outcome, floors), offsetof(gnt_outcome, chance)};
    const gnt_outcome *is = &c->of->groups.at[i];
    const gnt_path at = gnt_path_item("groups", i);
    check_says says = {.of = c, .because = "its cells give", .may_have_more = 1};
    gnt_outcome seen = *is;
    if (!seen.floors.at) /* no list and an empty one are the same */
        seen.floors.at = should->floors.at;
    if (!seen.chance.at)
        seen.chance.at = should->chance.at;
    if (lost_utility(c, first, (size_t)should->n_cells))
        should->utility.none = seen.utility.none;
    if (check_members(&says, &gnt_group_fields, at.text, &seen, should, coordinates,
                      sizeof coordinates / sizeof *coordinates) != 0)
        return -1;
    says.may_have_more = 0;
    says.slack = 2e-9;
    if (check_members(&says, &gnt_group_fields, at.text, &seen, should, guesses, 2) != 0)
        return -1;
    says.because = "the targets of its cells give";
    return check_stats(&says, gnt_path_key(at.text, "measures").text, &is->measures, &should->measures);
}

int check_groups(const check *c) {
    gnt_arena arena = {0};
    gnt_outcomes should;
    const gnt_outcomes *is = &c->of->groups;
    int rc = gnt_derive_groups(&should, &c->of->cells, &c->of->tasks, &arena, c->err);
    for (size_t i = 0, first = 0; rc == 0 && i < should.n && i < is->n; i++) {
        rc = check_group(c, i, first, &should.at[i]);
        first += (size_t)should.at[i].n_cells;
    }
    if (rc == 0 && is->n != should.n)
        rc = gnt_fail(c->err, "%s: groups has %zu entries, but its cells make %zu", c->file, is->n, should.n);
    gnt_arena_free(&arena);
    return rc;
}
