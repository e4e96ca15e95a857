/* receipt: a shop's printer and layout, one receipt set in them, its picture, and a splice in that picture.
 * Private to the sets of drawn receipts.
 *
 * A page is 32 by 32 dots, x to the right, y down, (0, 0) its upper left corner. A character is three dots
 * wide and five high. A picture is the page at one or two pixels a dot. */
#ifndef GNT_DATA_RECEIPT_H
#define GNT_DATA_RECEIPT_H

#include "data/draw.h"

enum { RECEIPT_DOTS = 32, RECEIPT_SIDE = 2 * RECEIPT_DOTS, RECEIPT_CELLS = RECEIPT_SIDE * RECEIPT_SIDE };
enum { RECEIPT_FORMATS = 4, RECEIPT_LINES = 5, RECEIPT_CHARS = 56, RECEIPT_STOCK = 6 };
/* The place of the total: in the last line, below the header, between two rules, or below its label. */
enum { RECEIPT_FOOT, RECEIPT_HEAD, RECEIPT_RULED, RECEIPT_COLUMN };

/* What prints: all in dots, but ink, 0 (nothing) to 1 (black). */
typedef struct receipt_pen {
    double weight; /* side of the square that one dot of a character leaves; 1: they touch */
    double soft;   /* how far an edge is smeared */
    double high;   /* height of a character over five dots */
    double ink;
} receipt_pen;

typedef struct receipt_shop {
    int format;
    receipt_pen pen;
    double bold;        /* how much heavier header and total are, 0 of most */
    double paper, tint; /* brightness of its paper; how unevenly it is lit */
    char name[7], stock[RECEIPT_STOCK][4];
} receipt_shop;

typedef struct receipt_char {
    char c;
    int line;
    int key; /* 1: of the total, which is the sensitive region */
    double x, y;
    receipt_pen pen;
} receipt_char;

typedef struct receipt_page {
    receipt_char at[RECEIPT_CHARS];
    int n;
    double rule[2]; /* y of the rules, of a ruled page */
    int rules;
    double paper, along, down; /* brightness in the middle; its change across the page, in x and in y */
    double fold, fold_step;    /* y of a fold, and how much darker it is below */
    double grain;
    receipt_pen pen;
} receipt_page;

/* Pixels [x0, x1) × [y0, y1). */
typedef struct receipt_box {
    int x0, y0, x1, y1;
} receipt_box;

receipt_shop receipt_draw_shop(gnt_stream *s, int format);
/* Draws a receipt whose total begins with `digit`. */
receipt_page receipt_draw_page(const receipt_shop *shop, int digit, gnt_stream *s);

/* Prints the page as (32·unit)² pixels; unit is 1 or 2. */
void receipt_print(const receipt_page *page, int unit, uint8_t *pixels, gnt_stream *s);
/* Prints the pixels of `box` alone, from the present characters; the paper there is brighter by `shade`. */
void receipt_print_box(const receipt_page *page, int unit, receipt_box box, double shade, uint8_t *pixels,
                       gnt_stream *s);
/* Returns the pixels that characters [from, to) and `margin` dots around them touch. */
receipt_box receipt_around(const receipt_page *page, int unit, int from, int to, double margin);
/* Returns the box of the total with all its ink. */
receipt_box receipt_key(const receipt_page *page, int unit);

/* Puts other characters in place of some, by another pen on other paper, and says where. */
receipt_box receipt_splice(receipt_page *page, int unit, uint8_t *pixels, gnt_stream *s);
/* Returns the first digit of the total. */
int receipt_digit(const receipt_page *page);

double receipt_wide(char c); /* dots, without the gap behind it */

#endif
