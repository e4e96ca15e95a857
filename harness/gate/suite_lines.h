/* suite_lines: where a defense's entry is in the suite's file, for annotations of that file. */
#ifndef GNT_GATE_SUITE_LINES_H
#define GNT_GATE_SUITE_LINES_H

#include "base/json.h"
#include "gate/gate.h"

typedef struct gnt_suite_lines {
    const char *file; /* as the user names it */
    gnt_doc doc;
} gnt_suite_lines;

/* Reads the file as JSON; on failure *out is empty. */
int gnt_suite_lines_open(gnt_suite_lines *out, const char *file, gnt_err *err);
void gnt_suite_lines_close(gnt_suite_lines *s);
/* Returns the line of the entry of the defense that a finding is about; of "defenses" where there is none, as
 * in suites whose scale has the list. */
size_t gnt_suite_lines_of(const gnt_suite_lines *s, const gnt_gate_finding *f);

#endif
