/* sheet: the private images beside what attacks recovered, as one PNG for each task, stage and attack. First
 * row the private images; then, for each defense at each strength, what the attacker observed (smaller, where
 * that is an image) and what it recovered, with the PSNR of each. Eight defenses and strengths are shown: all that
 * stand in the matrix, then points of sweeps, spread evenly; the others are named below. Pixels are enlarged by
 * a whole number, so that each stays visible. */
#ifndef GNT_REPORT_SHEET_H
#define GNT_REPORT_SHEET_H

#include "base/err.h"
#include "results/results.h"

/* Draws FOLDER/NAME.png from the run's image files. A file that cannot be used is left out and named in `err`
 * while the others are drawn: *drawn tells whether a sheet was written, the return value whether all went
 * well. */
int gnt_sheet_make(const gnt_results *r, const char *run, const char *task, int64_t stage, const char *attack,
                   const char *folder, const char *name, int *drawn, gnt_err *err);

#endif
