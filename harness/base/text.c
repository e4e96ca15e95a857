#include "base/text.h"

#include <stdarg.h>
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
