/* leaderboard.md: what the page shows, for reading as text. */
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"
#include "render/escape.h"

enum { MOST_TEXT = 64 << 20 };

static void heading(gnt_text *out, const char *marks, const char *text) {
    gnt_text_add(out, "%s ", marks);
    gnt_escape_markdown(out, text);
    gnt_text_add(out, "\n\n");
}

/* One of the sentences of words.c as a paragraph. */
static void paragraph(gnt_text *out, gnt_text *text) {
    if (text->size) {
        gnt_escape_markdown(out, gnt_text_get(text));
        gnt_text_add(out, "\n\n");
    }
    out->failed |= text->failed;
    gnt_text_free(text);
    gnt_text_init(text, 1 << 20);
}

static void add_place(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                      int identified, gnt_table *t) {
    const gnt_board_claim *claim = board_claim(b, c, p->row, c->lead);
    uint32_t flag;
    const char *mark, *words;
    gnt_text text, untried;
    gnt_text_init(&text, 1 << 20);
    if (p->place.rank)
        gnt_text_add(&text, "%s%d", p->place.tied ? "=" : "", p->place.rank);
    else
        board_say_state(c, p, &text);
    board_item(t, &text);
    gnt_text_add(&text, "%s", p->row->label);
    for (size_t n = 0, any = 0; board_footnote(n, &flag, &mark, &words); n++)
        if (p->row->flags & flag)
            gnt_text_add(&text, "%s%s", any++ ? "," : " ^", mark);
    board_item(t, &text);
    if (claim) {
        gnt_measure_number(c->lead, claim->value, &text);
        gnt_text_add(&text, "%s", c->lead->unit);
        if (*claim->source)
            gnt_text_add(&text, " (%s)", claim->source);
    }
    board_item(t, &text);
    if (p->worst)
        gnt_measure_write(c->lead, &p->score->stat, &text);
    if (p->worst && gnt_leak_is_floored(c->lead, p->score->stat.mean, p->floor))
        gnt_text_add(&text, ", no more than a guess");
    if (p->worst && p->trainings && p->place.surplus == 0)
        gnt_text_add(&text, "; ");
    board_say_at_target(c, p, &text);
    board_item(t, &text);
    if (identified) {
        board_say_identified(b, c, p, &text);
        board_item(t, &text);
    }
    if (p->worst)
        board_say_attack(b, c, p->worst, &text);
    gnt_text_init(&untried, 1 << 20);
    if (p->place.rank)
        board_say_untried(c, c->lead, threat, p, &untried);
    if (untried.size)
        gnt_text_add(&text, " (%s)", gnt_text_get(&untried));
    gnt_text_free(&untried);
    board_item(t, &text);
    if (p->worst)
        gnt_utility_write(p->worst->group->utility.measure, p->worst->group->utility.value, &text);
    board_item(t, &text);
    board_say_contributors(b, p->row, &text);
    board_item(t, &text);
    gnt_text_free(&text);
}

static void add_threat(const board *b, const board_contest *c, size_t threat, board_place *places,
                       gnt_text *out) {
    static const char *const names[] = {"rank",       "defense",           "claimed", "measured",
                                        "identified", "best known attack", "utility", "contributor"};
    const size_t n = board_rank(c, c->lead, c->threat[threat], places);
    gnt_text text;
    gnt_table t;
    int identified = 0;
    if (!board_any_number(places, n))
        return;
    gnt_text_init(&text, 1 << 20);
    gnt_text_add(&text,
                 threat ? "Attackers that know no more than: " : "Any attacker here; all together know: ");
    board_say_threat(c->threat[threat], &text);
    heading(out, "###", gnt_text_get(&text));
    gnt_text_free(&text);
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < n; i++)
        identified |= places[i].identified != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (identified || strcmp(names[i], "identified") != 0)
            gnt_table_column(&t, names[i]);
    for (size_t i = 0; i < n; i++)
        add_place(b, c, c->threat[threat], &places[i], identified, &t);
    gnt_table_markdown(&t, out);
    gnt_table_free(&t);
}

static void add_contest(const board *b, const board_contest *c, gnt_text *out) {
    board_place *places = gnt_array(c->n_row + 1, sizeof *places);
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    board_say_place(b, c, &text);
    heading(out, "##", gnt_text_get(&text));
    gnt_text_free(&text);
    gnt_text_init(&text, 1 << 20);
    board_say_alone(b, c, &text);
    paragraph(out, &text);
    board_say_head(b, c, &text);
    paragraph(out, &text);
    board_say_answer(b, c, &text);
    paragraph(out, &text);
    out->failed |= !places;
    for (size_t threat = 0; places && c->lead && threat < c->n_threat; threat++)
        add_threat(b, c, threat, places, out);
    gnt_text_free(&text);
    gnt_free(places);
}

int board_write_markdown(const board *b, gnt_err *err) {
    gnt_text out;
    gnt_table t;
    uint32_t flag;
    const char *mark, *words;
    gnt_text_init(&out, MOST_TEXT);
    heading(&out, "#", b->title);
    gnt_text_add(&out, "A defense is judged by the attack under which it leaks most, at matched utility. `=` "
                       "marks a tie: the "
                       "interval overlaps that of another.\n\n");
    for (size_t i = 0; i < b->n_contest; i++)
        add_contest(b, &b->contest[i], &out);
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        gnt_text_add(&out, "- %s: %s\n", mark, words);
    gnt_text_add(&out, "\n");
    board_table_history(b, &t);
    if (gnt_table_rows(&t))
        gnt_table_markdown(&t, &out);
    gnt_table_free(&t);
    board_table_runs(b, &t);
    gnt_table_markdown(&t, &out);
    gnt_table_free(&t);
    return board_write_text(b, "leaderboard.md", &out, err);
}
