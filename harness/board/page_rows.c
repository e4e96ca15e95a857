/* The rows of leaderboard.html: one for each defense, with a bar that shows its interval among the others. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/page_impl.h"

static double at(const page_scale *s, double value) {
    const double share = s->high > s->low ? (value - s->low) / (s->high - s->low) : 0.5;
    return 2 + 96 * (s->leak > 0 ? share : 1 - share);
}

static void widen(page_scale *s, double value) {
    if (!isfinite(value))
        return;
    s->low = isnan(s->low) ? value : fmin(s->low, value);
    s->high = isnan(s->high) ? value : fmax(s->high, value);
}

page_scale page_scale_of(const page *w, const board_contest *c, uint32_t threat, const board_place *places,
                         size_t n) {
    const char *name;
    page_scale s = {.low = NAN,
                    .high = NAN,
                    .floor = board_floor(c, c->lead, threat, &name),
                    .none = NAN,
                    .leak = c->lead->leak,
                    .threat = threat};
    for (int i = 0; i < BOARD_CELLS; i++)
        s.shows[i] = board_shows(w->b, c, i, places, n);
    for (size_t i = 0; i < n; i++) {
        if (!places[i].worst)
            continue;
        widen(&s, places[i].measured.mean);
        widen(&s, places[i].measured.low);
        widen(&s, places[i].measured.high);
        if (places[i].kind == GNT_GROUP_UNDEFENDED)
            s.none = places[i].measured.mean;
    }
    widen(&s, s.floor);
    return s;
}

static void add_tick(page *w, const char *name, const page_scale *s, double value) {
    if (isfinite(value))
        gnt_text_add(&w->out, "<line class=\"%s\" x1=\"%.2f\" x2=\"%.2f\" y1=\"0\" y2=\"10\"/>", name,
                     at(s, value), at(s, value));
}

static void add_bar(page *w, const page_scale *s, const gnt_stat *x) {
    page_add(w, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                "<line x1=\"0\" x2=\"100\" y1=\"5\" y2=\"5\"/>");
    add_tick(w, "floor", s, s->floor);
    add_tick(w, "none", s, s->none);
    if (isfinite(x->low) && isfinite(x->high))
        gnt_text_add(&w->out, "<line class=\"span\" x1=\"%.2f\" x2=\"%.2f\" y1=\"5\" y2=\"5\"/>",
                     at(s, x->low), at(s, x->high));
    gnt_text_add(&w->out, "<path class=\"dot\" d=\"M%.2f 5h.01\"/></svg>", at(s, x->mean));
}

static void add_name(page *w, const board_row *row) {
    uint32_t flag;
    const char *mark, *words;
    int any = 0;
    page_add(w, "<td class=\"name\">");
    page_say(w, row->label);
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        if (row->flags & flag)
            gnt_text_add(&w->out, "%s<a href=\"#note-%s\">%s</a>", any++ ? "," : " <sup>", mark, mark);
    page_add(w, any ? "</sup>" : "");
    gnt_text plugins;
    gnt_text_init(&plugins, BOARD_MOST_SAID);
    board_say_plugins(w->b, row, &plugins);
    if (plugins.size) {
        page_add(w, " <span class=\"soft\">");
        page_say_text(w, &plugins);
        page_add(w, "</span>");
    }
    gnt_text_free(&plugins);
    page_add(w, "</td>");
}

/* Adds the cells that ranked and unranked rows share, and ends the row. */
static void add_cells(page *w, const board_contest *c, const page_scale *s, const board_place *p) {
    board_cell cell[BOARD_CELLS];
    board_fill_cells(w->b, c, s->threat, p, cell);
    for (int i = 0; i < BOARD_CELLS; i++) {
        if (!s->shows[i])
            continue;
        gnt_text_add(&w->out, "<td%s data-label=\"%s\"", cell[i].is_number ? " class=\"n\"" : "",
                     cell[i].label);
        if (cell[i].is_number)
            page_number(w, cell[i].number);
        page_add(w, ">");
        page_say_text(w, &cell[i].text);
        if (cell[i].stat)
            add_bar(w, s, cell[i].stat);
        for (int k = 0; k < cell[i].n_note; k++) {
            page_add(w, " <span class=\"soft\">");
            page_say(w, cell[i].note[k]);
            page_add(w, "</span>");
        }
        page_add(w, cell[i].is_exceeded ? " <span class=\"over\">leaks more</span></td>" : "</td>");
    }
    page_add(w, "</tr>\n");
    board_free_cells(cell);
}

/* Adds two headings, and those of the cells that are shown. */
static void add_heads(page *w, const board_contest *c, const page_scale *s, const char *first,
                      const char *second) {
    gnt_text_add(&w->out, "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\">%s</th>", first, second);
    for (int i = 0; i < BOARD_CELLS; i++)
        if (s->shows[i])
            gnt_text_add(&w->out, "<th scope=\"col\">%s</th>", board_cell_title(c, i));
    page_add(w, "</tr></thead>\n<tbody>\n");
}

void page_ranked(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n) {
    if (n == 0 || !places[0].place.rank) {
        if (s->threat != c->threat[0]) /* of the first the section's own sentence says so */
            page_add(w, "<p>No defense has a place here.</p>\n");
        return;
    }
    page_add(w, "<table class=\"places sort\">");
    add_heads(w, c, s, "rank", "defense");
    for (size_t i = 0; i < n && places[i].place.rank; i++) {
        const board_place *p = &places[i];
        const int first = p->place.rank == 1 && !gnt_is_as_undefended(p->state, &p->place);
        gnt_text_add(&w->out, "<tr%s><td class=\"rank\" data-v=\"%d\">", first ? " class=\"first\"" : "",
                     p->place.rank);
        gnt_rank_write(p->state, &p->place, &w->out);
        page_add(w, "</td>");
        add_name(w, p->row);
        add_cells(w, c, s, p);
    }
    page_add(w, "</tbody></table>\n");
}

void page_apart(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n) {
    size_t i = 0;
    while (i < n && places[i].place.rank)
        i++;
    if (i == n)
        return;
    page_add(w, "<h3>Not ranked</h3>\n<table class=\"places sort apart\">");
    add_heads(w, c, s, "defense", "why");
    for (; i < n; i++) {
        gnt_text text;
        gnt_text_init(&text, BOARD_MOST_SAID);
        page_add(w, "<tr>");
        add_name(w, places[i].row);
        gnt_text_add(&w->out, "<td class=\"%s\" data-label=\"why\">",
                     places[i].state == GNT_UNRANKED_MARKED ? "over" : "why");
        board_say_state(c, &places[i], &text);
        page_say_text(w, &text);
        page_add(w, "</td>");
        add_cells(w, c, s, &places[i]);
        gnt_text_free(&text);
    }
    page_add(w, "</tbody></table>\n");
}
