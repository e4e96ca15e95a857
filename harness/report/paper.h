/* paper: a paper's tables as the suite lays them out (docs/suites.md, "tables"), filled from the results, with what
 * the paper prints on a line of its own below each of ours. The results are treated as hostile: a table that makes no
 * sense is left out. */
#ifndef GNT_REPORT_PAPER_H
#define GNT_REPORT_PAPER_H

#include "results/results.h"
#include "render/table.h"

typedef struct gnt_paper_table {
    const char *id, *title, *note; /* of the results; note "" for none */
    const json_t *spec;
} gnt_paper_table;

size_t gnt_paper_count(const gnt_results *r);
/* The i-th table; 0, or −1 where it makes no sense. */
int gnt_paper_at(const gnt_results *r, size_t i, gnt_paper_table *out);
void gnt_paper_fill(const gnt_results *r, const gnt_paper_table *p, gnt_table *t);

#endif
