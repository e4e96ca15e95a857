/* The functions that write leaderboard.html. */
#ifndef GNT_BOARD_PAGE_IMPL_H
#define GNT_BOARD_PAGE_IMPL_H

#include "board/board_impl.h"

typedef struct page {
    const board *b;
    gnt_text out;
    size_t pictured; /* bytes of pictures so far */
} page;

/* Scale of the bars of a table, and its columns. */
typedef struct page_scale {
    double low, high, floor, none;
    int leak; /* to the right leaks more, whatever the measure */
    uint32_t threat;
    int shows[BOARD_CELLS]; /* board_shows of each cell */
} page_scale;

/* ---- page_text.c ---- */

/* Adds markup of the page itself. */
void page_add(page *w, const char *text);
/* Adds foreign text, escaped. */
void page_say(page *w, const char *text);
/* Adds foreign text, escaped; takes the text and leaves it empty. */
void page_say_text(page *w, gnt_text *text);
/* Adds the attribute by which a cell is sorted. */
void page_number(page *w, double value);
int page_base64(page *w, const uint8_t *bytes, size_t n);

/* ---- page_rows.c ---- */

page_scale page_scale_of(const page *w, const board_contest *c, uint32_t threat, const board_place *places,
                         size_t n);
void page_ranked(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n);
void page_apart(page *w, const board_contest *c, const page_scale *s, const board_place *places, size_t n);

/* ---- page_arenas.c ---- */

/* Adds the summary over arenas: of each group a figure, a table, and folded the pairs of defenses. */
void page_arenas(page *w);

/* ---- page_pictures.c ---- */

/* Adds the plots and image sheets of each run of a contest, folded. */
void page_pictures(page *w, const board_contest *c);

#endif
