/* leaderboard.md: what the page shows, for reading as text. */
#include "base/mem.h"
#include "board/arenas_impl.h"
#include "render/pen.h"

enum { MOST_TEXT = 64 << 20 };

/* Takes the cell's text and notes as the next item. */
static void add_cell(board_cell *cell, gnt_table *t) {
    int n = 0;
    for (int k = 0; k < cell->n_note; k++)
        gnt_text_add(&cell->text, "%s%s", n++ ? "; " : " (", cell->note[k]);
    if (cell->is_exceeded)
        gnt_text_add(&cell->text, "%sleaks more", n++ ? "; " : " (");
    gnt_text_add(&cell->text, "%s", n ? ")" : "");
    board_item(t, &cell->text);
}

static void add_plugins(const board *b, const board_row *row, gnt_text *out) {
    gnt_text plugins;
    gnt_text_init(&plugins, BOARD_MOST_SAID);
    board_say_plugins(b, row, &plugins);
    if (plugins.size)
        gnt_text_add(out, " (%s)", gnt_text_get(&plugins));
    out->failed |= plugins.failed;
    gnt_text_free(&plugins);
}

static void add_place(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                      const int shows[BOARD_CELLS], gnt_table *t) {
    board_cell cell[BOARD_CELLS];
    uint32_t flag;
    const char *mark, *words;
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    if (p->place.rank)
        gnt_rank_write(p->state, &p->place, &text);
    else
        board_say_state(c, p, &text);
    board_item(t, &text);
    gnt_text_add(&text, "%s", p->row->label);
    for (size_t n = 0, any = 0; board_footnote(n, &flag, &mark, &words); n++)
        if (p->row->flags & flag)
            gnt_text_add(&text, "%s%s", any++ ? "," : " ^", mark);
    add_plugins(b, p->row, &text);
    board_item(t, &text);
    gnt_text_free(&text);
    board_fill_cells(b, c, threat, p, cell);
    for (int i = 0; i < BOARD_CELLS; i++)
        if (shows[i])
            add_cell(&cell[i], t);
    board_free_cells(cell);
}

static void add_threat(const board *b, const board_contest *c, size_t threat, board_place *places,
                       gnt_pen *pen) {
    int shows[BOARD_CELLS];
    const size_t n = board_rank(c, c->lead, c->threat[threat], places);
    gnt_text text;
    gnt_table t;
    if (!board_any_number(places, n))
        return;
    gnt_text_init(&text, BOARD_MOST_SAID);
    gnt_text_add(&text,
                 threat ? "Attackers that know no more than: " : "Any attacker here; all together know: ");
    board_say_threat(c->threat[threat], &text);
    gnt_pen_write_text(pen, GNT_PEN_SUBHEADING, &text);
    gnt_table_init(&t, NULL);
    gnt_table_column(&t, "rank");
    gnt_table_column(&t, "defense");
    for (int i = 0; i < BOARD_CELLS; i++)
        if ((shows[i] = board_shows(b, c, i, places, n)))
            gnt_table_column(&t, board_cell_title(c, i));
    for (size_t i = 0; i < n; i++)
        add_place(b, c, c->threat[threat], &places[i], shows, &t);
    gnt_pen_table(pen, &t);
}

static void add_contest(const board *b, const board_contest *c, gnt_pen *pen) {
    static const struct {
        gnt_pen_part part;
        void (*say)(const board *, const board_contest *, gnt_text *);
    } said[] = {{GNT_PEN_HEADING, board_say_place},
                {GNT_PEN_PARAGRAPH, board_say_alone},
                {GNT_PEN_PARAGRAPH, board_say_head},
                {GNT_PEN_PARAGRAPH, board_say_answer}};
    board_place *places = gnt_array(c->n_row + 1, sizeof *places);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        gnt_text text;
        gnt_text_init(&text, BOARD_MOST_SAID);
        said[i].say(b, c, &text);
        gnt_pen_write_text(pen, said[i].part, &text);
    }
    pen->out.failed |= !places;
    for (size_t threat = 0; places && c->lead && threat < c->n_threat; threat++)
        add_threat(b, c, threat, places, pen);
    gnt_free(places);
}

/* Adds the summary over the arenas of a group. */
static void add_group(const board_group *g, gnt_pen *pen) {
    static const struct {
        gnt_pen_part part;
        void (*say)(const board_group *, gnt_text *);
    } said[] = {{GNT_PEN_HEADING, board_say_group}, {GNT_PEN_PARAGRAPH, board_say_group_head}};
    gnt_table t;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        gnt_text text;
        gnt_text_init(&text, BOARD_MOST_SAID);
        said[i].say(g, &text);
        gnt_pen_write_text(pen, said[i].part, &text);
    }
    if (g->picture) {
        char *file = gnt_format("%s.svg", g->picture);
        pen->out.failed |= !file;
        if (file)
            gnt_pen_image(pen, file, file, "Share of what leaks undefended, by defense");
        gnt_free(file);
    }
    board_table_group(g, &t);
    gnt_pen_table(pen, &t);
}

int board_write_markdown(const board *b, gnt_err *err) {
    gnt_pen pen = {.format = GNT_PEN_MARKDOWN};
    gnt_table t;
    uint32_t flag;
    const char *mark, *words;
    gnt_text_init(&pen.out, MOST_TEXT);
    gnt_pen_write(&pen, GNT_PEN_TITLE, b->title);
    gnt_text_add(
        &pen.out,
        "A defense is judged at the target utility by the attack under which it leaks "
        "most. `=` marks a tie: the difference is not statistically significant, or the one "
        "that leaks less left less utility. Where no defense surely leaks less than no defense, there "
        "is no first place: all are `as undefended`.\n\n");
    gnt_text chosen;
    gnt_text_init(&chosen, BOARD_MOST_SAID);
    board_say_chosen(b, &chosen);
    gnt_pen_write_text(&pen, GNT_PEN_PARAGRAPH, &chosen);
    if (b->options->season)
        gnt_text_add(&pen.out, "The SHA-256 of this season's secret key is %s.\n\n", b->options->season);
    for (size_t i = 0; i < b->n_group; i++)
        add_group(&b->group[i], &pen);
    for (size_t i = 0; i < b->n_contest; i++)
        add_contest(b, &b->contest[i], &pen);
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        gnt_text_add(&pen.out, "- %s: %s\n", mark, words);
    gnt_text_add(&pen.out, "\n");
    board_table_history(b, &t);
    if (gnt_table_rows(&t))
        gnt_table_markdown(&t, &pen.out);
    gnt_table_free(&t);
    board_table_plugins(b, &t);
    gnt_table_markdown(&t, &pen.out);
    gnt_table_free(&t);
    board_table_runs(b, &t);
    gnt_table_markdown(&t, &pen.out);
    gnt_table_free(&t);
    return board_write_text(b, "leaderboard.md", &pen.out, err);
}
