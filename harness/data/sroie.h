/* sroie: one receipt of SROIE, what is known of it, and how it is cut into tiles. Private to the sets of it.
 *
 * Files: data/img/NNN.jpg, the scan; data/box/NNN.csv, its texts, a line "x,y" four times (the corners of the
 * text's box), then the text, commas and all; data/key/NNN.json, its four key fields.
 *
 * Scans are of many sizes. A receipt is read at the size at which half of its boxes are SROIE_LINE pixels
 * high or less, never enlarged. Places are in these pixels, from a margin above and to the left of all boxes.
 */
#ifndef GNT_DATA_SROIE_H
#define GNT_DATA_SROIE_H

#include "data/draw.h"
#include "data/jpeg.h"

enum { SROIE_FIELDS = 4, SROIE_BOXES = 512, SROIE_LINE = 12, SROIE_MOST_SIDE = 128 };
enum { SROIE_COMPANY, SROIE_DATE, SROIE_ADDRESS, SROIE_TOTAL };
extern const char *const sroie_field_names[SROIE_FIELDS];

typedef struct sroie_box {
    int x0, y0, x1, y1; /* [x0, x1) × [y0, y1), not empty */
    int field;          /* of which key field the text is; −1: of none */
    int letters;        /* letters and digits in the text */
} sroie_box;

typedef struct sroie_receipt {
    int number, n;
    sroie_box box[SROIE_BOXES];
    double x, y, step; /* in the scan: the corner from which places count, and pixels to one of ours, ≥ 1 */
    int wide, high;    /* what all boxes take */
} sroie_receipt;

/* One tile of side × side pixels. */
typedef struct sroie_tile {
    uint8_t *pixels, *map;
    int field, tampered; /* the key field of most of its mask */
} sroie_tile;

char *sroie_path(const char *folder, const char *kind,
                 int number); /* "img", "box" or "key"; NULL: no memory */
/* Reads the boxes and key fields of one receipt. */
int sroie_read(sroie_receipt *out, const char *folder, int number, gnt_err *err);

/* Returns which key field a text of `n` bytes belongs to; −1 if none. key: the fields' texts, terminated, ""
 * if there is none. The total matches if an amount of the same digits occurs in the text, the date if it
 * occurs in it, company and address if either occurs in the other, up to one error in six letters. */
int sroie_field_of(const char *text, size_t n, const char *const key[SROIE_FIELDS]);

/* Computes the mask of the tile at (column, row) of the grid, and the field that covers most of it. Returns
 * 1, or 0 if too little of a key field is in the tile for a row. */
int sroie_mask(const sroie_receipt *r, int side, int column, int row, uint8_t *mask, int *field);
/* Fails if a box does not begin in the scan, as when the two are of different receipts. */
int sroie_fits(const sroie_receipt *r, const data_bitmap *scan, const char *path, gnt_err *err);
/* Draws pixels, map and `tampered` of that tile. Seven of ten are tampered with, once for each 64 × 64
 * pixels, if they have a text to be replaced and the receipt has another of its size. */
void sroie_draw(const sroie_receipt *r, const data_bitmap *scan, int side, int column, int row,
                sroie_tile *tile, gnt_stream *s);

#endif
