/* Writes parts of leaderboard.html: markup, escaped text, numbers, bytes. */
#include <math.h>
#include <string.h>

#include <sodium/utils.h>

#include "base/mem.h"
#include "board/page_impl.h"
#include "render/escape.h"

void page_add(page *w, const char *text) {
    gnt_text_bytes(&w->out, text, strlen(text));
}

void page_say(page *w, const char *text) {
    gnt_escape_html(&w->out, text);
}

void page_say_text(page *w, gnt_text *text) {
    page_say(w, gnt_text_get(text));
    w->out.failed |= text->failed;
    gnt_text_free(text);
    gnt_text_init(text, BOARD_MOST_SAID);
}

void page_number(page *w, double value) {
    if (isfinite(value))
        gnt_text_add(&w->out, " data-v=\"%.9g\"", value);
    else
        page_add(w, " data-v=\"\"");
}

int page_base64(page *w, const uint8_t *bytes, size_t n) {
    const size_t room = sodium_base64_encoded_len(n, sodium_base64_VARIANT_ORIGINAL);
    char *text = gnt_array(room, 1);
    if (!text)
        return -1;
    sodium_bin2base64(text, room, bytes, n, sodium_base64_VARIANT_ORIGINAL);
    page_add(w, text);
    gnt_free(text);
    return 0;
}
