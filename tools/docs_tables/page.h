/* page: a Markdown page with blocks that are made from what is kept:
 *
 *     <!-- table: leakage mnist mnist-lenet -->
 *     … this text is made, see page_tables.h for the words …
 *     <!-- end -->
 *
 * One number within a line is in a block on that line. On a page of results no number outside of
 * blocks is said to be measured: no decibels, no per cent, no table whose cells begin with a digit. */
#ifndef DOCS_TABLES_PAGE_H
#define DOCS_TABLES_PAGE_H

#include "base/err.h"
#include "base/text.h"

/* Compares the blocks with what the scores give, and says on standard output where they differ and, unless
 * `blocks_alone`, where a number is outside. The number of such places, or −1 with a sentence. `used`
 * gets the names of the runs and the kept tables, a line each. */
int page_check(const char *path, int blocks_alone, gnt_text *used, gnt_err *err);
/* Writes the blocks again; a page without a change is left alone. *changed says which. */
int page_write(const char *path, int *changed, gnt_err *err);

#endif
