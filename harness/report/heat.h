/* heat: the defense × attack matrix as a picture. A row for each defense (best first; those not at matched
 * utility below a gap), below another gap one for each point of a sweep; a column for each attack and one for
 * the worst case; darker leaks more; the number and its interval are written in each field. Fields without a
 * number are grey and say why in a word, notes below in a line. */
#ifndef GNT_REPORT_HEAT_H
#define GNT_REPORT_HEAT_H

#include "results/measure.h"
#include "results/results.h"

/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when there is no number. */
int gnt_plot_heat(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                  const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

#endif
