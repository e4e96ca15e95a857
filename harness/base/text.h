/* text: a growing piece of text with a stated greatest size. Once an append fails (memory, or the limit) the
 * text is marked and every later append is ignored, so that a writer checks once, at its end. */
#ifndef GNT_BASE_TEXT_H
#define GNT_BASE_TEXT_H

#include <stddef.h>

typedef struct gnt_text {
    char *data; /* terminated; NULL while empty */
    size_t size, room, most;
    int failed;
} gnt_text;

void gnt_text_init(gnt_text *text, size_t most);
void gnt_text_add(gnt_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gnt_text_bytes(gnt_text *text, const void *bytes, size_t n);
const char *gnt_text_get(const gnt_text *text); /* "" while empty */
char *gnt_text_take(gnt_text *text);            /* the caller frees; NULL when failed; leaves text empty */
void gnt_text_free(gnt_text *text);

/* True for valid UTF-8 on one line of `least` to `most` bytes: no control characters, nothing that reorders
 * or breaks lines. */
int gnt_text_ok(const char *text, size_t least, size_t most);

#endif
