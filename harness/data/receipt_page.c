/* Shops and their receipts: how a page is set in each format. */
#include <stdio.h>
#include <string.h>

#include "data/receipt.h"

enum { GAP = 1 };
static const double left = 2, right = 30; /* margins of a page, dots */

/* ---- shops ---- */

static void draw_letters(char *word, int n, gnt_stream *s) {
    static const char often[] = "AAABCDEEEFGHIIKLLMNNOOOPRRSSTTUVWYZ";
    for (int i = 0; i < n; i++)
        word[i] = often[gnt_random_below(s, sizeof often - 1)];
    word[n] = 0;
}

receipt_shop receipt_draw_shop(gnt_stream *s, int format) {
    receipt_shop shop = {.format = format};
    shop.pen.weight = draw_between(s, 0.8, 1.15);
    shop.pen.soft = draw_between(s, 0.2, 0.75);
    shop.pen.high = draw_between(s, 0.95, 1.06);
    shop.pen.ink = draw_between(s, 0.62, 0.9);
    shop.bold = draw_chance(s, 0.35) ? draw_between(s, 0.1, 0.3) : 0;
    shop.paper = draw_between(s, 0.7, 0.86);
    shop.tint = draw_between(s, 0.02, 0.12);
    draw_letters(shop.name, 4 + (int)gnt_random_below(s, 3), s);
    for (int i = 0; i < RECEIPT_STOCK; i++)
        draw_letters(shop.stock[i], 2 + (int)gnt_random_below(s, 2), s);
    return shop;
}

/* ---- pages ---- */

static double width(const char *text) {
    double w = -GAP;
    for (; *text; text++)
        w += receipt_wide(*text) + GAP;
    return w;
}

static void set_text(receipt_page *page, int line, const char *text, double x, double y, int key,
                     const receipt_pen *pen) {
    for (; *text && page->n < RECEIPT_CHARS; text++) {
        page->at[page->n++] =
            (receipt_char){.c = *text, .line = line, .key = key, .x = x, .y = y, .pen = *pen};
        x += receipt_wide(*text) + GAP;
    }
}

/* Sets a name to the left and a price to the right. */
static void set_item(receipt_page *page, int line, const receipt_shop *shop, double y, const receipt_pen *pen,
                     gnt_stream *s) {
    char price[32];
    const int cents = (int)gnt_random_below(s, 1000);
    snprintf(price, sizeof price, "%d.%02d", cents / 100, cents % 100);
    set_text(page, line, shop->stock[gnt_random_below(s, RECEIPT_STOCK)], left, y, 0, pen);
    set_text(page, line, price, right - width(price), y, 0, pen);
}

static void set_date(receipt_page *page, int line, double y, const receipt_pen *pen, gnt_stream *s) {
    char date[32];
    const int day = 1 + (int)gnt_random_below(s, 28), month = 1 + (int)gnt_random_below(s, 12);
    snprintf(date, sizeof date, "%02d-%02d", day, month);
    set_text(page, line, date, left, y, 0, pen);
}

/* The content of the five lines of each format: H header, I item, T label and total, L the label alone,
 * K the total alone, D date, a blank nothing. */
static const char plan[RECEIPT_FORMATS][RECEIPT_LINES + 1] = {[RECEIPT_FOOT] = "HIIIT",
                                                              [RECEIPT_HEAD] = "HTIII",
                                                              [RECEIPT_RULED] = "HIKI ",
                                                              [RECEIPT_COLUMN] = "HILKD"};
/* Where a line begins, and the rules around the total. */
static const double line_y[RECEIPT_LINES] = {1, 7, 13, 19, 25}, ruled_y[RECEIPT_LINES] = {1, 7, 15.5, 24, 30};
static const double rule_y[2] = {13.75, 22.25};
/* In how many halves of what is free to the left of a header or a total. */
static const int header_halves[RECEIPT_FORMATS] = {1, 0, 1, 2}, total_halves[RECEIPT_FORMATS] = {2, 0, 1, 1};

static double indent(const char *text, int halves) {
    return left + halves * (right - left - width(text)) / 2;
}

static void set_total(receipt_page *page, int line, const receipt_shop *shop, char kind, const char *total,
                      double y, const receipt_pen *pen) {
    static const char *const label[RECEIPT_FORMATS] = {"SUM", "DUE", "", "TOTAL"};
    const char *said = label[shop->format];
    const int before = total_halves[shop->format] == 2;
    if (kind != 'K')
        set_text(page, line, said, before || kind == 'L' ? left : right - width(said), y, 0, pen);
    if (kind != 'L')
        set_text(page, line, total, indent(total, total_halves[shop->format]), y, 1, pen);
}

/* Returns the pen of a line: header and total may be bold, and the ribbon prints some lines paler than
 * others. */
static receipt_pen pen_of(const receipt_page *page, const receipt_shop *shop, char kind, gnt_stream *s) {
    receipt_pen pen = page->pen;
    pen.ink *= draw_between(s, 0.86, 1);
    pen.weight += kind == 'I' || kind == 'D' ? 0 : shop->bold;
    return pen;
}

receipt_page receipt_draw_page(const receipt_shop *shop, int digit, gnt_stream *s) {
    receipt_page page = {.pen = shop->pen, .fold = RECEIPT_DOTS};
    char total[32];
    const int cents = (int)gnt_random_below(s, 100);
    const double dx = draw_between(s, -1.2, 1.2), dy = draw_between(s, -1, 1);
    page.pen.weight += draw_between(s, -0.05, 0.05);
    page.pen.soft += draw_between(s, 0, 0.25);
    page.pen.ink *= draw_between(s, 0.9, 1.05);
    page.paper = shop->paper + draw_between(s, -0.05, 0.04);
    page.along = shop->tint * draw_bell(s);
    page.down = shop->tint * draw_bell(s);
    page.grain = draw_between(s, 0.012, 0.03);
    if (draw_chance(s, 0.3)) {
        page.fold = draw_between(s, 6, 26);
        page.fold_step = draw_between(s, -0.06, 0.06);
    }
    snprintf(total, sizeof total, "%d.%02d", digit, cents);
    const double *top = shop->format == RECEIPT_RULED ? ruled_y : line_y;
    for (int line = 0; line < RECEIPT_LINES; line++) {
        const double y = top[line];
        const char kind = plan[shop->format][line];
        const receipt_pen pen = pen_of(&page, shop, kind, s);
        if (kind == 'H')
            set_text(&page, line, shop->name, indent(shop->name, header_halves[shop->format]), y, 0, &pen);
        else if (kind == 'I')
            set_item(&page, line, shop, y, &pen, s);
        else if (kind == 'D')
            set_date(&page, line, y, &pen, s);
        else if (kind != ' ')
            set_total(&page, line, shop, kind, total, y, &pen);
    }
    page.rules = shop->format == RECEIPT_RULED ? 2 : 0;
    for (int i = 0; i < page.rules; i++)
        page.rule[i] = rule_y[i] + dy;
    for (int i = 0; i < page.n; i++) {
        page.at[i].x += dx;
        page.at[i].y += dy;
    }
    return page;
}
