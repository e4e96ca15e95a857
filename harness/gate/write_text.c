/* A comparison for a terminal, for GitHub's pages and for its annotations. */
#include <stdio.h>
#include <string.h>

#include "gate/gate_impl.h"
#include "gate/suite_lines.h"
#include "render/escape.h"

enum { SHOWN = 1 << 20, PLACE_WIDTH = 60 };

static void pad(gnt_text *out, size_t width, size_t to) {
    for (size_t i = width; i < to; i++)
        gnt_text_bytes(out, " ", 1);
}

static size_t width_of_places(const gnt_gate *g) {
    size_t widest = 0;
    for (size_t i = 0; i < g->n_finding; i++) {
        size_t w = gnt_text_width(g->finding[i].place);
        widest = w > widest ? w : widest;
    }
    return widest < PLACE_WIDTH ? widest : PLACE_WIDTH;
}

void gnt_gate_write_text(const gnt_gate *g, gnt_text *out) {
    size_t places = width_of_places(g);
    for (size_t i = 0; i < g->n_finding; i++) {
        const gnt_gate_finding *f = &g->finding[i];
        const char *kind = gnt_gate_kind_words(f->kind);
        if (i == 0 && g->n_failures)
            gnt_text_add(out, "Got worse:\n");
        if (i == g->n_failures)
            gnt_text_add(out, "Notes:\n");
        gnt_text_add(out, "  %s", kind);
        pad(out, strlen(kind), 22);
        gnt_escape_line(out, f->place);
        pad(out, gnt_text_width(f->place), places);
        gnt_text_add(out, "  ");
        gnt_escape_line(out, f->text);
        gnt_text_add(out, "\n");
    }
    gnt_gate_summary(g, out);
    gnt_text_add(out, "\n");
}

/* ---- a redrawn run ---- */

static void redrawn_line(const gnt_gate_row *row, gnt_text *out) {
    static const char *const words[] = {"same", "same", "cannot tell", "same", "different", "different"};
    gnt_text place, text;
    gnt_text_init(&place, SHOWN);
    gnt_text_init(&text, SHOWN);
    gnt_gate_place(row, &place);
    gnt_gate_row_words(row, &text);
    gnt_text_add(out, "%s ", words[row->verdict]);
    gnt_escape_line(out, gnt_text_get(&place));
    gnt_text_add(out, ": ");
    gnt_escape_line(out, gnt_text_get(&text));
    gnt_text_add(out, "\n");
    out->failed |= place.failed || text.failed;
    gnt_text_free(&place);
    gnt_text_free(&text);
}

size_t gnt_gate_write_redrawn(const gnt_gate *g, gnt_text *out) {
    size_t different = 0, all = g->n_row;
    for (size_t i = 0; i < g->n_row; i++) {
        redrawn_line(&g->row[i], out);
        different += g->row[i].verdict == GNT_GATE_WORSE || g->row[i].verdict == GNT_GATE_BETTER;
    }
    for (size_t i = 0; i < g->n_finding; i++) {
        const gnt_gate_finding *f = &g->finding[i];
        if (f->row || i >= g->n_failures)
            continue;
        gnt_text_add(out, "different ");
        gnt_escape_line(out, f->place);
        gnt_text_add(out, ": %s: ", gnt_gate_kind_words(f->kind));
        gnt_escape_line(out, f->text);
        gnt_text_add(out, "\n");
        different++;
        all++;
    }
    gnt_text_add(out, "%zu of %zu comparisons came out different, tested at %.3g %% in all\n", different, all,
                 100 * g->settings.alpha);
    return different;
}

/* ---- Markdown ---- */

static void markdown_table(const gnt_gate *g, size_t first, size_t end, gnt_text *out) {
    gnt_text_add(out, "\n| | where | what |\n|---|---|---|\n");
    for (size_t i = first; i < end; i++) {
        gnt_text_add(out, "| %s | ", gnt_gate_kind_words(g->finding[i].kind));
        gnt_escape_markdown(out, g->finding[i].place);
        gnt_text_add(out, " | ");
        gnt_escape_markdown(out, g->finding[i].text);
        gnt_text_add(out, " |\n");
    }
}

void gnt_gate_write_markdown(const gnt_gate *g, gnt_text *out) {
    gnt_text_add(out, "## ");
    gnt_escape_markdown(out, g->now->suite);
    gnt_text_add(out, " against its baseline\n\n");
    gnt_gate_summary(g, out);
    gnt_text_add(out, ".\n");
    if (g->n_failures)
        markdown_table(g, 0, g->n_failures, out);
    if (g->n_finding > g->n_failures) {
        gnt_text_add(out, "\n### Notes\n");
        markdown_table(g, g->n_failures, g->n_finding, out);
    }
}

/* ---- annotations ---- */

/* Writes a text for a workflow command, which takes %, line breaks and, in properties, : and , only as
 * %XX. */
static void annotate(gnt_text *out, const char *text, int is_property) {
    gnt_text line;
    gnt_text_init(&line, SHOWN);
    gnt_escape_line(&line, text);
    for (const char *c = gnt_text_get(&line); *c; c++)
        if (*c == '%' || (is_property && (*c == ':' || *c == ',')))
            gnt_text_add(out, "%%%02X", (unsigned)*c);
        else
            gnt_text_bytes(out, c, 1);
    out->failed |= line.failed;
    gnt_text_free(&line);
}

void gnt_gate_write_github(const gnt_gate *g, gnt_text *out) {
    gnt_text line;
    for (size_t i = 0; i < g->n_finding; i++) {
        const gnt_gate_finding *f = &g->finding[i];
        gnt_text_add(out, "::%s ", i < g->n_failures ? "error" : "notice");
        if (g->lines) {
            gnt_text_add(out, "file=");
            annotate(out, g->lines->file, 1);
            gnt_text_add(out, ",line=%zu,", gnt_suite_lines_of(g->lines, f));
        }
        gnt_text_add(out, "title=");
        annotate(out, gnt_gate_kind_words(f->kind), 1);
        gnt_text_add(out, "::");
        annotate(out, f->place, 0);
        gnt_text_add(out, ": ");
        annotate(out, f->text, 0);
        gnt_text_add(out, "\n");
    }
    gnt_text_init(&line, SHOWN);
    gnt_gate_summary(g, &line);
    gnt_text_add(out, "::notice title=gauntlet check::");
    annotate(out, gnt_text_get(&line), 0);
    gnt_text_add(out, "\n");
    gnt_text_free(&line);
}
