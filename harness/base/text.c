#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void gnt_text_init(gnt_text *text, size_t most) {
    *text = (gnt_text){.most = most};
}

static int make_room(gnt_text *text, size_t more) {
    if (text->failed || more > text->most || text->size > text->most - more) {
        text->failed = 1;
        return 0;
    }
    size_t need = text->size + more + 1;
    if (need <= text->room)
        return 1;
    size_t room = text->room ? text->room : 256;
    while (room < need)
        room *= 2;
    char *data = gnt_resize(text->data, room, 1);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->room = room;
    return 1;
}

void gnt_text_bytes(gnt_text *text, const void *bytes, size_t n) {
    if (!make_room(text, n))
        return;
    memcpy(text->data + text->size, bytes, n);
    text->size += n;
    text->data[text->size] = 0;
}

void gnt_text_add(gnt_text *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        text->failed = 1;
    else if (make_room(text, (size_t)n)) {
        vsnprintf(text->data + text->size, (size_t)n + 1, format, again);
        text->size += (size_t)n;
    }
    va_end(again);
}

const char *gnt_text_get(const gnt_text *text) {
    return text->data ? text->data : "";
}

char *gnt_text_take(gnt_text *text) {
    char *data = text->failed ? NULL : text->data ? text->data : gnt_strdup("");
    if (text->failed)
        gnt_free(text->data);
    *text = (gnt_text){.most = text->most};
    return data;
}

void gnt_text_free(gnt_text *text) {
    gnt_free(text->data);
    *text = (gnt_text){.most = text->most};
}

/* ---- clean text ---- */

/* Returns the length of the UTF-8 sequence at s, which has n bytes, or 0 if it is invalid; *code is its code
 * point. */
static size_t sequence(const unsigned char *s, size_t n, uint32_t *code) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (length == 4 && (s[0] < 0xf0 || s[0] > 0xf4))
        return 0;
    if (length > n)
        return 0;
    *code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return length;
}

int gnt_text_ok(const char *text, size_t least, size_t most) {
    if (!text)
        return 0;
    size_t n = strnlen(text, most + 1);
    if (n < least || n > most)
        return 0;
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        size_t length = sequence(s + i, n - i, &c);
        if (length == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
            return 0;
        /* line and paragraph separators, and marks that change the direction of what follows */
        if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff)
            return 0;
        i += length;
    }
    return 1;
}
