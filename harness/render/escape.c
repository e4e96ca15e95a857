#include "render/escape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

/* Returns the next character of UTF-8 text and its length in bytes. An invalid sequence counts as one '?' of
 * one byte. */
static uint32_t next_char(const char *text, size_t *length) {
    const uint8_t *p = (const uint8_t *)text;
    *length = 1;
    if (p[0] < 0x80)
        return p[0];
    size_t n = p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (n == 0 || p[0] >= 0xf8)
        return '?';
    uint32_t c = p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return '?';
        c = c << 6 | (p[i] & 0x3fu);
    }
    *length = n;
    return c;
}

/* Controls (C0, DEL, C1), line and paragraph separators, direction marks, byte order mark. */
static int is_unseen(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* Walks `text`; `map` gives what stands for an ASCII character, or NULL for itself. */
static void escape(gnt_text *out, const char *text, const char *(*map)(char)) {
    for (size_t n; *text; text += n) {
        uint32_t c = next_char(text, &n);
        const char *instead = c < 0x80 ? map((char)c) : NULL;
        if (is_unseen(c))
            gnt_text_bytes(out, " ", 1);
        else if (instead)
            gnt_text_bytes(out, instead, strlen(instead));
        else if (c == '?')
            gnt_text_bytes(out, "?", 1);
        else
            gnt_text_bytes(out, text, n);
    }
}

static const char *html(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static const char *markdown(char c) {
    static const char special[] = "\\`*_{}[]#!|~$@";
    static const char escaped[sizeof special - 1][3] = {"\\\\", "\\`", "\\*", "\\_", "\\{", "\\}", "\\[",
                                                        "\\]",  "\\#", "\\!", "\\|", "\\~", "\\$", "\\@"};
    const char *at = c ? strchr(special, c) : NULL;
    if (at)
        return escaped[at - special];
    return c == '\'' || c == '"' ? NULL : html(c);
}

static const char *as_it_is(char c) {
    (void)c;
    return NULL;
}

void gnt_escape_line(gnt_text *out, const char *text) {
    escape(out, text, as_it_is);
}

void gnt_escape_html(gnt_text *out, const char *text) {
    escape(out, text, html);
}

void gnt_escape_markdown(gnt_text *out, const char *text) {
    escape(out, text, markdown);
}

static const char *doubled(char c) {
    return c == '"' ? "\"\"" : NULL;
}

void gnt_escape_csv(gnt_text *out, const char *text) {
    /* Spreadsheets also skip blanks before they look for a formula. */
    const char *first = text + strspn(text, " \t\r\n");
    int formula = *first && strchr("=+-@", *first) != NULL;
    int quoted = formula || strpbrk(text, ",;\"\r\n\t") || text[0] == ' ' || first != text;
    if (quoted)
        gnt_text_bytes(out, "\"", 1);
    if (formula)
        gnt_text_bytes(out, "'", 1);
    escape(out, text, doubled);
    if (quoted)
        gnt_text_bytes(out, "\"", 1);
}

static const char *plot(char c) {
    switch (c) {
    case '"':
    case '`':
        return "'";
    case '\\':
        return "/";
    case '<':
        return "‹";
    case '>':
        return "›";
    case '&':
        return "+";
    case '{':
        return "(";
    case '}':
        return ")";
    default:
        return NULL;
    }
}

static void cut(gnt_text *out, const char *text, size_t most, uint32_t beyond, const char *(*map)(char),
                const char *ellipsis) {
    size_t width = gnt_text_width(text), keep = width <= most ? width : most - 1, n;
    for (size_t i = 0; i < keep; i++, text += n) {
        uint32_t c = next_char(text, &n);
        const char *instead = c < 0x80 && map ? map((char)c) : NULL;
        if (is_unseen(c))
            gnt_text_bytes(out, " ", 1);
        else if (c >= beyond || c == '?')
            gnt_text_bytes(out, "?", 1);
        else if (instead)
            gnt_text_bytes(out, instead, strlen(instead));
        else
            gnt_text_bytes(out, text, n);
    }
    if (keep < width)
        gnt_text_bytes(out, ellipsis, strlen(ellipsis));
}

void gnt_escape_plot(gnt_text *out, const char *text, size_t most) {
    cut(out, text, most, 0x2e80, plot, "…");
}

void gnt_escape_ascii(gnt_text *out, const char *text, size_t most) {
    cut(out, text, most, 0x7f, NULL, "~");
}

void gnt_slug(const char *text, char slug[GNT_SLUG_SIZE]) {
    enum { MOST = GNT_SLUG_SIZE - 10 };
    size_t n = 0, length = strlen(text);
    int changed = length == 0 || length > MOST;
    for (size_t i = 0; i < length && n < MOST; i++) {
        char c = text[i];
        int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    (c == '-' && n > 0);
        changed |= !plain;
        if (plain)
            slug[n++] = c;
        else if (n > 0 && slug[n - 1] != '-')
            slug[n++] = '-';
    }
    slug[n] = 0;
    if (!changed)
        return;
    gnt_digest d = gnt_digest_bytes(text, length);
    snprintf(slug + n, GNT_SLUG_SIZE - n, "%s%02x%02x%02x%02x", n ? "-" : "x", d.b[0], d.b[1], d.b[2],
             d.b[3]);
}

size_t gnt_text_width(const char *text) {
    size_t width = 0;
    for (size_t n; *text; text += n, width++)
        next_char(text, &n);
    return width;
}
