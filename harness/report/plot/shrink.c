#include "report/plot/shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_DEPTH = 64, MOST_PATTERNS = 4096 };

/* A part of the text that is read. */
typedef struct piece {
    const char *at;
    size_t n;
} piece;

/* A pattern: its id, what follows the id, and the id of the first one that is equal. */
typedef struct pattern {
    piece id, text, first;
} pattern;

typedef struct shrinking {
    gnt_text *out;
    const char *next;       /* what is still to be read */
    piece open[MOST_DEPTH]; /* the lines that opened the groups */
    size_t depth, pending;  /* pending: the innermost so many were closed, but their ends are not written */
    char until;             /* in a list of coordinates that ends with this; 0: in none */
    pattern seen[MOST_PATTERNS];
    size_t n_seen;
} shrinking;

static int same(piece a, piece b) {
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static int begins(piece p, const char *word) {
    const size_t n = strlen(word);
    return p.n >= n && memcmp(p.at, word, n) == 0;
}

static piece next_line(shrinking *s) {
    const char *end = strchr(s->next, '\n');
    const piece line = {s->next, end ? (size_t)(end - s->next) : strlen(s->next)};
    s->next = end ? end + 1 : line.at + line.n;
    return line;
}

static piece after_blanks(piece p) {
    while (p.n && (*p.at == '\t' || *p.at == ' ')) {
        p.at++;
        p.n--;
    }
    return p;
}

/* ---- numbers and colours ---- */

/* Writes a coordinate with one decimal at most. Returns the bytes that it had; 0: there is none. */
static size_t coordinate(gnt_text *out, piece p) {
    size_t n = p.n && *p.at == '-';
    int dots = 0;
    while (n < p.n && n < 20 && ((p.at[n] >= '0' && p.at[n] <= '9') || p.at[n] == '.'))
        dots += p.at[n++] == '.';
    if (dots != 1)
        return 0;
    const double x = round(strtod(p.at, NULL) * 10) / 10;
    gnt_text_add(out, x == round(x) ? "%.0f" : "%.1f", x == 0 ? 0.0 : x);
    return n;
}

/* Writes rgb(r, g, b) as #rrggbb. Returns the bytes that it had; 0: there is none. */
static size_t colour(gnt_text *out, piece p) {
    unsigned long all = 0;
    const char *at = p.at + 4;
    if (!begins(p, "rgb("))
        return 0;
    for (int i = 0; i < 3; i++) {
        char *end;
        const long part = strtol(at, &end, 10);
        if (end == at || part < 0 || part > 255 || *end != ",,)"[i])
            return 0;
        all = all << 8 | (unsigned long)part;
        at = end + 1;
    }
    gnt_text_add(out, "#%06lx", all);
    return (size_t)(at - p.at);
}

/* Writes a reference to a pattern as that to the first equal one. Returns the bytes that it had. */
static size_t reference(const shrinking *s, piece p) {
    static const char head[] = "url(#";
    const char *end = begins(p, head) ? memchr(p.at, ')', p.n) : NULL;
    const size_t skip = sizeof head - 1;
    for (size_t i = 0; end && i < s->n_seen; i++)
        if (same(s->seen[i].id, (piece){p.at + skip, (size_t)(end - p.at) - skip})) {
            gnt_text_add(s->out, "%s%.*s)", head, (int)s->seen[i].first.n, s->seen[i].first.at);
            return (size_t)(end - p.at) + 1;
        }
    return 0;
}

/* Notes where lists of coordinates begin and end. */
static void look_for_lists(shrinking *s, piece p) {
    static const char *const heads[] = {"points = '", " d='", "translate("};
    if (s->until) {
        if (*p.at == s->until)
            s->until = 0;
        return;
    }
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (begins(p, heads[i]))
            s->until = i == 2 ? ')' : '\'';
}

/* Returns how many bytes of the line are to be copied before a list of coordinates begins. */
static size_t head_of_list(piece p) {
    return begins(p, "points = '") ? 10 : begins(p, " d='") ? 4 : begins(p, "translate(") ? 10 : 1;
}

static void content(shrinking *s, piece p) {
    while (p.n) {
        size_t n = s->until ? coordinate(s->out, p) : 0;
        if (!n && !s->until && !(n = colour(s->out, p)))
            n = reference(s, p);
        if (!n) {
            n = s->until ? 1 : head_of_list(p);
            look_for_lists(s, p);
            gnt_text_bytes(s->out, p.at, n);
        }
        p.at += n;
        p.n -= n;
    }
    gnt_text_bytes(s->out, "\n", 1);
}

/* ---- groups ---- */

static void write_ends(shrinking *s) {
    for (; s->pending; s->pending--, s->depth--)
        gnt_text_add(s->out, "</g>\n");
}

/* Opens a group, or goes on with the last one that was closed at its place, if it has the same attributes. */
static void open_group(shrinking *s, piece line) {
    if (s->pending && same(s->open[s->depth - s->pending], line)) {
        s->pending--;
        return;
    }
    write_ends(s);
    if (s->depth == MOST_DEPTH) {
        s->out->failed = 1;
        return;
    }
    s->open[s->depth++] = line;
    content(s, line);
}

static void close_group(shrinking *s) {
    if (s->depth > s->pending)
        s->pending++;
    else
        s->out->failed = 1; /* of no group */
}

/* ---- patterns ---- */

/* Reads a definition of one pattern, whose first line was read. Returns 1 if an equal one was written. */
static int is_known_pattern(shrinking *s, piece first) {
    static const char head[] = "<pattern id='";
    const piece line = after_blanks((piece){s->next, strcspn(s->next, "\n")});
    const char *end = strstr(s->next, "</defs>");
    const char *id_end = begins(first, "<defs>") && begins(line, head)
                             ? memchr(line.at + sizeof head - 1, '\'', line.n - sizeof head + 1)
                             : NULL;
    if (!id_end || !end || s->n_seen == MOST_PATTERNS)
        return 0;
    pattern new = {.id = {line.at + sizeof head - 1, (size_t)(id_end - line.at) - sizeof head + 1},
                   .text = {id_end, (size_t)(end - id_end)}};
    new.first = new.id;
    for (size_t i = 0; i < s->n_seen && new.first.at == new.id.at; i++)
        if (same(s->seen[i].text, new.text))
            new.first = s->seen[i].first;
    s->seen[s->n_seen++] = new;
    if (new.first.at == new.id.at)
        return 0;
    s->next = end;
    next_line(s);
    return 1;
}

/* ---- the whole ---- */

static int is_foreign(piece word) {
    return begins(word, "<text") || begins(word, "<tspan") || begins(word, "<title");
}

/* Returns what a line has before the first group that is opened after its beginning, or all. */
static piece before_group(piece word) {
    for (size_t k = 1; k < word.n; k++)
        if (begins((piece){word.at + k, word.n - k}, "<g "))
            return (piece){word.at, k};
    return word;
}

/* Reads an element, or a part of one; it may be followed by the end of a group. */
static void other(shrinking *s, piece word) {
    static const char end[] = "</g>";
    const size_t n = sizeof end - 1;
    const int closes = word.n >= n && memcmp(word.at + word.n - n, end, n) == 0;
    if (word.n > n || !closes) {
        write_ends(s);
        content(s, (piece){word.at, word.n - (closes ? n : 0)});
    }
    if (closes)
        close_group(s);
}

static void one_line(shrinking *s, piece line) {
    piece word = after_blanks(line);
    if (s->until) { /* the line goes on with a list */
        const char *end = memchr(word.at, s->until, word.n);
        const size_t n = end ? (size_t)(end - word.at) + 1 : word.n;
        content(s, (piece){word.at, n});
        word = (piece){word.at + n, word.n - n};
    }
    if (is_foreign(word)) {
        write_ends(s);
        gnt_text_bytes(s->out, word.at, word.n);
        gnt_text_bytes(s->out, "\n", 1);
    } else if (word.n && !is_known_pattern(s, word)) {
        for (piece part; word.n; word = after_blanks((piece){word.at + part.n, word.n - part.n})) {
            part = before_group(word);
            if (begins(part, "<g "))
                open_group(s, part);
            else
                other(s, part);
        }
    }
}

void gnt_svg_shrink(const char *svg, gnt_text *out) {
    shrinking *s = gnt_array(1, sizeof *s);
    out->failed |= !s;
    if (!s)
        return;
    s->out = out;
    s->next = svg;
    while (*s->next && !out->failed)
        one_line(s, next_line(s));
    write_ends(s);
    out->failed |= s->depth != 0;
    gnt_free(s);
}
