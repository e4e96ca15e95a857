/* How a receipt looks: a font of three by five dots, ink, paper and grain. */
#include <math.h>

#include "data/receipt.h"

/* Five rows of three dots, from the top, one octal digit each; 4 is the dot to the left. */
static const uint16_t digits[10] = {075557, 026227, 071747, 071317, 055711,
                                    074717, 074757, 071222, 075757, 075717};
static const uint16_t letters[26] = {025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
                                     011152, 055655, 044447, 057755, 075555, 025552, 065644, 025563, 065655,
                                     034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};

static unsigned dots_of(char c) {
    if (c >= '0' && c <= '9')
        return digits[c - '0'];
    if (c >= 'A' && c <= 'Z')
        return letters[c - 'A'];
    return c == '.' ? 4 : c == '-' ? 0700 : c == '=' ? 07070 : 0;
}

double receipt_wide(char c) {
    return c == '.' || c == ' ' ? 1 : 3;
}

/* Returns which part of a window of that width around x lies in [from, to], 0 to 1. */
static double share_in(double x, double window, double from, double to) {
    double a = x - window / 2, b = x + window / 2;
    a = a > from ? a : from;
    b = b < to ? b : to;
    return b > a ? (b - a) / window : 0;
}

static int at_least(double x, int least) { /* ⌊x⌋ within the picture */
    return x < least ? least : (int)x;
}

/* Inks [x0, x1] × [y0, y1], in pixels. Overlapping pieces of one pen are no blacker. */
static void put_ink(double *plane, receipt_box within, int side, double x0, double y0, double x1, double y1,
                    double window, double ink) {
    const double reach = window / 2 + 0.5;
    const int left = at_least(x0 - reach, within.x0), top = at_least(y0 - reach, within.y0);
    for (int y = top; y < within.y1 && y < y1 + reach; y++) {
        const double high = share_in(y + 0.5, window, y0, y1);
        for (int x = left; x < within.x1 && x < x1 + reach; x++) {
            double *v = &plane[y * side + x], more = *v + high * ink * share_in(x + 0.5, window, x0, x1);
            more = more < ink ? more : ink;
            *v = *v < more ? more : *v;
        }
    }
}

/* Returns the width that a pixel averages over: its own and the smear. */
static double window_of(const receipt_pen *pen, int unit) {
    const double soft = pen->soft * unit;
    return sqrt(1 + soft * soft);
}

static void put_char(double *plane, receipt_box within, int unit, const receipt_char *k) {
    const unsigned dots = dots_of(k->c);
    const double half = k->pen.weight / 2, window = window_of(&k->pen, unit);
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 3; column++) {
            if (!(dots >> (3 * (4 - row) + 2 - column) & 1))
                continue;
            const double x = k->x + column + 0.5, y = k->y + (row + 0.5) * k->pen.high;
            put_ink(plane, within, RECEIPT_DOTS * unit, (x - half) * unit, (y - half) * unit,
                    (x + half) * unit, (y + half) * unit, window, k->pen.ink);
        }
}

static void put_page(double *plane, receipt_box within, int unit, const receipt_page *page) {
    const double half = page->pen.weight / 4;
    for (int i = 0; i < page->n; i++)
        put_char(plane, within, unit, &page->at[i]);
    for (int i = 0; i < page->rules; i++)
        put_ink(plane, within, RECEIPT_DOTS * unit, 2.0 * unit, (page->rule[i] - half) * unit, 30.0 * unit,
                (page->rule[i] + half) * unit, window_of(&page->pen, unit), page->pen.ink);
}

void receipt_print_box(const receipt_page *page, int unit, receipt_box box, double shade, uint8_t *pixels,
                       gnt_stream *s) {
    double plane[RECEIPT_CELLS] = {0};
    const int side = RECEIPT_DOTS * unit;
    put_page(plane, box, unit, page);
    for (int y = box.y0; y < box.y1; y++)
        for (int x = box.x0; x < box.x1; x++) {
            const double u = (x + 0.5) / side - 0.5, v = (y + 0.5) / side - 0.5;
            const double folded = (y + 0.5) / unit > page->fold ? page->fold_step : 0;
            const double paper = page->paper + page->along * u + page->down * v - folded + shade;
            const uint32_t r = gnt_random_u32(s);
            const double noise =
                ((double)(r & 255) + (double)(r >> 8 & 255) + (double)(r >> 16 & 255) - 382.5) / 127.5;
            pixels[y * side + x] = draw_byte(paper * (1 - plane[y * side + x]) + page->grain * noise);
        }
}

void receipt_print(const receipt_page *page, int unit, uint8_t *pixels, gnt_stream *s) {
    const receipt_box all = {.x1 = RECEIPT_DOTS * unit, .y1 = RECEIPT_DOTS * unit};
    receipt_print_box(page, unit, all, 0, pixels, s);
}

static int within(double x, int most) {
    return (int)draw_clamp(x, 0, most);
}

receipt_box receipt_around(const receipt_page *page, int unit, int from, int to, double margin) {
    double x0 = RECEIPT_DOTS, y0 = RECEIPT_DOTS, x1 = 0, y1 = 0;
    for (int i = from; i < to; i++) {
        const receipt_char *k = &page->at[i];
        const double right = k->x + receipt_wide(k->c), low = k->y + 5 * k->pen.high;
        x0 = k->x < x0 ? k->x : x0;
        y0 = k->y < y0 ? k->y : y0;
        x1 = right > x1 ? right : x1;
        y1 = low > y1 ? low : y1;
    }
    const int side = RECEIPT_DOTS * unit;
    return (receipt_box){within((x0 - margin) * unit, side), within((y0 - margin) * unit, side),
                         within((x1 + margin) * unit + 1, side), within((y1 + margin) * unit + 1, side)};
}

receipt_box receipt_key(const receipt_page *page, int unit) {
    int from = 0, to;
    while (!page->at[from].key)
        from++;
    for (to = from; to < page->n && page->at[to].key; to++)
        ;
    return receipt_around(page, unit, from, to, 1);
}

int receipt_digit(const receipt_page *page) {
    int i = 0;
    while (!page->at[i].key)
        i++;
    return page->at[i].c - '0';
}
