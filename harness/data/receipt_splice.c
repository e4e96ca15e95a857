/* The forger: some characters of a printed receipt are replaced, by a pen and on paper that nearly match. */
#include "data/receipt.h"

enum { CUES = 6 };
static const double margin = 0.8; /* dots of paper that come with the characters */

static int is_sign(char c) {
    return c == '.' || c == '-' || c == '=';
}

/* True if characters i and i + 1 are neighbours in one word. */
static int joined(const receipt_page *page, int i) {
    const receipt_char *a = &page->at[i], *b = a + 1;
    return i + 1 < page->n && a->line == b->line && a->key == b->key &&
           b->x < a->x + receipt_wide(a->c) + 1.5;
}

/* Chooses one to four characters of one word: of the total in two of five receipts, else of any other. */
static void choose(const receipt_page *page, int *from, int *to, gnt_stream *s) {
    const int key = draw_chance(s, 0.4);
    do
        *from = (int)gnt_random_below(s, (uint64_t)page->n);
    while (page->at[*from].key != key || is_sign(page->at[*from].c));
    const int most = 2 + (int)gnt_random_below(s, 3);
    for (*to = *from + 1; *to - *from < most && joined(page, *to - 1); ++*to)
        ;
}

/* Returns another digit for a digit, another letter for a letter. */
static char other(char c, gnt_stream *s) {
    const char first = c >= 'A' ? 'A' : '0';
    const int n = c >= 'A' ? 26 : 10;
    return is_sign(c) ? c : (char)(first + (c - first + 1 + (int)gnt_random_below(s, (uint64_t)n - 1)) % n);
}

static double either(double x, gnt_stream *s) { /* x or −x */
    return gnt_random_below(s, 2) ? x : -x;
}

receipt_box receipt_splice(receipt_page *page, int unit, uint8_t *pixels, gnt_stream *s) {
    int from, to;
    uint32_t cue[CUES] = {1, 1, 1, 0, 0, 0}; /* three of six things differ */
    choose(page, &from, &to, s);
    gnt_random_shuffle(s, cue, CUES);
    const double weight = either(draw_between(s, 0.1, 0.25), s),
                 high = either(draw_between(s, 0.06, 0.12), s);
    const double up = either(draw_between(s, 0.25, 0.6), s), soft = draw_between(s, 0.3, 0.7);
    const double ink = draw_between(s, 0.72, 0.88), shade = either(draw_between(s, 0.06, 0.14), s);
    const double grain = page->grain;
    const receipt_box box = receipt_around(page, unit, from, to, margin);
    for (int i = from; i < to; i++) {
        receipt_char *k = &page->at[i];
        k->c = other(k->c, s);
        k->pen.weight = draw_clamp(k->pen.weight + (cue[0] ? weight : 0), 0.7, 2);
        k->pen.high += cue[1] ? high : 0;
        k->pen.soft += cue[2] ? soft : 0;
        k->pen.ink *= cue[3] ? ink : 1;
        k->y += cue[1] || cue[4] ? up : 0;
    }
    if (cue[5])
        page->grain *= gnt_random_below(s, 2) ? 0.3 : 1.8;
    receipt_print_box(page, unit, box, shade, pixels, s);
    page->grain = grain;
    return box;
}
