/* The cells of a defense's row, as the page and leaderboard.md both show them. */
#include <math.h>

#include "base/mem.h"
#include "board/board_impl.h"

/* Takes the text that was collected as the cell's next note. */
static void add_note(board_cell *cell, gnt_text *text) {
    if (text->size && cell->n_note < BOARD_NOTES)
        cell->note[cell->n_note++] = gnt_strdup(gnt_text_get(text));
    cell->text.failed |= text->failed;
    gnt_text_free(text);
    gnt_text_init(text, BOARD_MOST_SAID);
}

/* True if what was measured surely leaks more than was claimed, both above the baseline. */
static int is_exceeded(const board_contest *c, const board_place *p, double claimed) {
    const gnt_leak alone = gnt_leak_above(c->lead, (gnt_leak){claimed, claimed, claimed}, p->floor);
    return p->worst && gnt_leak_surely_less(c->lead, &alone, &p->place.leak);
}

static void fill_claim(const board *b, const board_contest *c, const board_place *p, board_cell *cell) {
    const gnt_board_claim *claim = board_claim(b, c, p->row, c->lead);
    gnt_text note;
    cell->number = claim ? claim->value : NAN;
    if (!claim)
        return;
    gnt_text_init(&note, BOARD_MOST_SAID);
    gnt_measure_number(c->lead, claim->value, &cell->text);
    gnt_text_add(&cell->text, "%s", c->lead->unit);
    gnt_text_add(&note, "%s", claim->source);
    add_note(cell, &note);
    cell->is_exceeded = is_exceeded(c, p, claim->value);
    gnt_text_free(&note);
}

static void fill_measured(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                          board_cell *cell) {
    gnt_text note;
    gnt_text_init(&note, BOARD_MOST_SAID);
    cell->number = p->measured.mean;
    cell->stat = &p->measured;
    gnt_measure_write(c->lead, cell->stat, &cell->text);
    if (gnt_leak_is_floored(c->lead, cell->stat->mean, p->floor))
        gnt_text_add(&note, "no more than a guess");
    add_note(cell, &note);
    board_say_read(c, p, &note);
    add_note(cell, &note);
    board_say_last(p, &note);
    add_note(cell, &note);
    if (gnt_is_of_all_rows(p->worst->group))
        gnt_text_add(&note, "of rows of earlier rounds");
    add_note(cell, &note);
    if (p->worst->group->silent > 0)
        gnt_text_add(&note,
                     "%lld observations of nothing, which count as guesses only where nothing else was sent",
                     (long long)p->worst->group->silent);
    add_note(cell, &note);
    board_say_submitted(b, c, c->lead, threat, p, &note);
    board_say_strengths(b, p, &note);
    add_note(cell, &note);
    gnt_text_free(&note);
}

static void fill_attack(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                        board_cell *cell) {
    gnt_text note;
    gnt_text_init(&note, BOARD_MOST_SAID);
    if (p->worst)
        board_say_attack(b, c, p->worst, &cell->text);
    if (p->worst && p->worst->run != p->row->first)
        gnt_text_add(&note, "run by %s", b->run[p->worst->run].contributor);
    add_note(cell, &note);
    if (p->place.rank)
        board_say_untried(c, c->lead, threat, p, &note);
    add_note(cell, &note);
    gnt_text_free(&note);
}

static void fill_contributor(const board *b, const board_place *p, board_cell *cell) {
    gnt_text note;
    gnt_text_init(&note, BOARD_MOST_SAID);
    board_say_contributors(b, p->row, &cell->text);
    board_say_draws(b, p, &note);
    add_note(cell, &note);
    board_say_other_file(b, p, &note);
    add_note(cell, &note);
    gnt_text_free(&note);
}

const char *board_cell_title(const board_contest *c, int cell) {
    const char *const titles[BOARD_CELLS] = {"claimed",           "measured", gnt_next_title(c->lead),
                                             "best known attack", "utility",  "contributor"};
    return titles[cell];
}

int board_shows(const board *b, const board_contest *c, int cell, const board_place *places, size_t n) {
    int any = cell != BOARD_CLAIMED && cell != BOARD_NEXT;
    for (size_t i = 0; i < n; i++)
        any |= cell == BOARD_CLAIMED ? board_claim(b, c, places[i].row, c->lead) != NULL
                                     : places[i].next != NULL;
    return any;
}

void board_fill_cells(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                      board_cell cell[BOARD_CELLS]) {
    const gnt_outcome *g = p->worst ? p->worst->group : NULL;
    for (int i = 0; i < BOARD_CELLS; i++) {
        cell[i] = (board_cell){.label = board_cell_title(c, i), .number = NAN};
        cell[i].is_number = i != BOARD_ATTACK && i != BOARD_CONTRIBUTOR;
        gnt_text_init(&cell[i].text, BOARD_MOST_SAID);
    }
    fill_claim(b, c, p, &cell[BOARD_CLAIMED]);
    if (g) {
        fill_measured(b, c, threat, p, &cell[BOARD_MEASURED]);
        cell[BOARD_UTILITY].number = g->utility.value;
        gnt_utility_write(g->utility.measure, g->utility.value, &cell[BOARD_UTILITY].text);
    }
    if (p->next)
        cell[BOARD_NEXT].number = p->next_stat.mean;
    board_say_next(b, c, p, &cell[BOARD_NEXT].text);
    fill_attack(b, c, threat, p, &cell[BOARD_ATTACK]);
    fill_contributor(b, p, &cell[BOARD_CONTRIBUTOR]);
}

void board_free_cells(board_cell cell[BOARD_CELLS]) {
    for (int i = 0; i < BOARD_CELLS; i++) {
        gnt_text_free(&cell[i].text);
        for (int k = 0; k < cell[i].n_note; k++)
            gnt_free(cell[i].note[k]);
    }
}
