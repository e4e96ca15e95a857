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

page_scale page_scale_of(const board_contest *c, uint32_t threat, const board_place *places, size_t n) {
    const char *name;
    page_scale s = {NAN, NAN, board_floor(c, c->lead, threat, &name), NAN, c->lead->leak, threat, 0};
    for (size_t i = 0; i < n; i++) {
        s.identified |= places[i].identified != NULL;
        if (!places[i].worst)
            continue;
        widen(&s, places[i].score->stat.mean);
        widen(&s, places[i].score->stat.low);
        widen(&s, places[i].score->stat.high);
        if (places[i].kind == GNT_GROUP_UNDEFENDED)
            s.none = places[i].score->stat.mean;
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
            gnt_text_add(&w->out, "%s<abbr title=\"%s\">%s</abbr>", any++ ? "," : " <sup>", words, mark);
    page_add(w, any ? "</sup>" : "");
    page_add(w, "</td>");
}

/* 1 when what was measured surely leaks more than was claimed, both above the floor. */
static int is_exceeded(const board_contest *c, const board_place *p, double claimed) {
    const gnt_leak alone = gnt_leak_above(c->lead, (gnt_leak){claimed, claimed, claimed}, p->floor);
    return p->worst && gnt_leak_surely_less(c->lead, &alone, &p->place.leak);
}

static void add_claim(page *w, const board_contest *c, const board_place *p) {
    const gnt_board_claim *claim = board_claim(w->b, c, p->row, c->lead);
    gnt_text text;
    gnt_text_init(&text, PAGE_MOST_SAID);
    page_add(w, "<td class=\"n\" data-label=\"claimed\"");
    page_number(w, claim ? claim->value : NAN);
    page_add(w, ">");
    if (claim) {
        gnt_measure_number(c->lead, claim->value, &text);
        gnt_text_add(&text, "%s", c->lead->unit);
        page_say_text(w, &text);
        if (*claim->source) {
            page_add(w, " <span class=\"soft\">");
            page_say(w, claim->source);
            page_add(w, "</span>");
        }
        if (is_exceeded(c, p, claim->value))
            page_add(w, "<br><span class=\"over\">leaks more</span>");
    }
    page_add(w, "</td>");
    gnt_text_free(&text);
}

static void add_identified(page *w, const board_contest *c, const board_place *p) {
    gnt_text text;
    gnt_text_init(&text, PAGE_MOST_SAID);
    page_add(w, "<td class=\"n\" data-label=\"identified\"");
    page_number(w, p->identified ? p->identified_score->stat.mean : NAN);
    page_add(w, ">");
    board_say_identified(w->b, c, p, &text);
    page_say_text(w, &text);
    page_add(w, "</td>");
    gnt_text_free(&text);
}

/* The cells that ranked and unranked rows share. */
static void add_numbers(page *w, const board_contest *c, const page_scale *s, const board_place *p) {
    const gnt_outcome *g = p->worst ? p->worst->group : NULL;
    gnt_text text;
    gnt_text_init(&text, PAGE_MOST_SAID);
    add_claim(w, c, p);
    page_add(w, "<td class=\"n\" data-label=\"measured\"");
    page_number(w, g ? p->score->stat.mean : NAN);
    page_add(w, ">");
    if (g) {
        gnt_measure_write(c->lead, &p->score->stat, &text);
        page_say_text(w, &text);
        add_bar(w, s, &p->score->stat);
        if (gnt_leak_is_floored(c->lead, p->score->stat.mean, p->floor))
            page_add(w, "<span class=\"soft\">no more than a guess</span>");
        board_say_at_target(c, p, &text);
        if (text.size) {
            page_add(w, "<span class=\"soft\">");
            page_say_text(w, &text);
            page_add(w, "</span>");
        }
    }
    page_add(w, "</td>");
    if (s->identified)
        add_identified(w, c, p);
    page_add(w, "<td data-label=\"best known attack\">");
    if (g)
        board_say_attack(w->b, c, p->worst, &text);
    page_say_text(w, &text);
    if (g && p->worst->run != p->row->first) {
        page_add(w, " <span class=\"soft\">run by ");
        page_say(w, w->b->run[p->worst->run].contributor);
        page_add(w, "</span>");
    }
    if (p->place.rank)
        board_say_untried(c, c->lead, s->threat, p, &text);
    if (text.size) {
        page_add(w, "<br><span class=\"soft\">");
        page_say_text(w, &text);
        page_add(w, "</span>");
    }
    page_add(w, "</td><td class=\"n\" data-label=\"utility\"");
    page_number(w, g ? g->utility.value : NAN);
    page_add(w, ">");
    if (g)
        gnt_utility_write(g->utility.measure, g->utility.value, &text);
    page_say_text(w, &text);
    page_add(w, "</td><td data-label=\"contributor\">");
    board_say_contributors(w->b, p->row, &text);
    page_say_text(w, &text);
    page_add(w, "</td></tr>\n");
    gnt_text_free(&text);
}

static void add_heads(page *w, const page_scale *s, const char *const *names, size_t n) {
    page_add(w, "<thead><tr>");
    for (size_t i = 0; i < n; i++)
        if (s->identified || strcmp(names[i], "identified") != 0)
            gnt_text_add(&w->out, "<th scope=\"col\">%s</th>", names[i]);
    page_add(w, "</tr></thead>\n<tbody>\n");
}

void page_ranked(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n) {
    static const char *const names[] = {"rank",       "defense",           "claimed", "measured",
                                        "identified", "best known attack", "utility", "contributor"};
    if (n == 0 || !places[0].place.rank) {
        if (s->threat != c->threat[0]) /* of the first the section's own sentence says so */
            page_add(w, "<p>No defense has a place here.</p>\n");
        return;
    }
    page_add(w, "<table class=\"places sort\">");
    add_heads(w, s, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < n && places[i].place.rank; i++) {
        const board_place *p = &places[i];
        gnt_text_add(&w->out, "<tr%s><td class=\"rank\" data-v=\"%d\">%s%d</td>",
                     p->place.rank == 1 ? " class=\"first\"" : "", p->place.rank, p->place.tied ? "=" : "",
                     p->place.rank);
        add_name(w, p->row);
        add_numbers(w, c, s, p);
    }
    page_add(w, "</tbody></table>\n");
}

void page_apart(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n) {
    static const char *const names[] = {
        "defense", "why", "claimed", "measured", "identified", "best known attack", "utility", "contributor"};
    size_t i = 0;
    while (i < n && places[i].place.rank)
        i++;
    if (i == n)
        return;
    page_add(w, "<h3>Not ranked</h3>\n<table class=\"places sort apart\">");
    add_heads(w, s, names, sizeof names / sizeof *names);
    for (; i < n; i++) {
        gnt_text text;
        gnt_text_init(&text, PAGE_MOST_SAID);
        page_add(w, "<tr>");
        add_name(w, places[i].row);
        gnt_text_add(&w->out, "<td class=\"%s\" data-label=\"why\">",
                     places[i].state == GNT_UNRANKED_MARKED ? "over" : "why");
        board_say_state(c, &places[i], &text);
        page_say_text(w, &text);
        page_add(w, "</td>");
        add_numbers(w, c, s, &places[i]);
        gnt_text_free(&text);
    }
    page_add(w, "</tbody></table>\n");
}
