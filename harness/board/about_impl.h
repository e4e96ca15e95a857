/* about: board.json, which a contributor may put next to results.json: who, when, links, and the
 * numbers that are claimed for its defenses. Checked key by key; texts belong to the document. */
#ifndef GNT_BOARD_ABOUT_IMPL_H
#define GNT_BOARD_ABOUT_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

typedef struct gnt_board_link {
    const char *title, *url; /* the url is http or https, of printable ASCII without quotes and brackets */
} gnt_board_link;

typedef struct gnt_board_claim {
    const char *defense, *measure;
    const char *task, *source; /* "" for every task, and for no source */
    int64_t stage;             /* or GNT_EVERY_STAGE */
    double value;              /* in the unit of results.json */
} gnt_board_claim;

typedef struct gnt_board_about {
    gnt_doc doc;
    const char *contributor, *date, *note; /* "" where the file does not say */
    gnt_board_link *link;
    size_t n_link;
    gnt_board_claim *claim;
    size_t n_claim;
} gnt_board_about;

/* Reads board.json. A missing file leaves everything empty. On failure *about is empty. */
int gnt_board_about_load(gnt_board_about *about, const char *path, gnt_err *err);
void gnt_board_about_free(gnt_board_about *about);

#endif
