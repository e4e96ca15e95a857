/* plots: the pictures of a report, each drawn by the file NAME_plot.c. They become FOLDER/NAME.svg and .png,
 * as `formats` says; *drawn says which of them came out, 0 also if there is nothing to draw. */
#ifndef GNT_REPORT_PLOT_PLOTS_H
#define GNT_REPORT_PLOT_PLOTS_H

#include "judge/measure_text.h"
#include "judge/judge.h"
#include "metric/leak.h"

/* tradeoff: the picture the benchmark is for. Utility on x, leakage on y, a panel for the worst of all
 * attacks (of each defense and strength the one that leaks most, named at its point where there is room),
 * next to it the same of the identification rate where that is shown with the measure (gnt_identified), and
 * one for each attack, a colour and shape for each defense: curves of sweeps, matched points filled,
 * unmatched ones hollow, no defense as a star, the Pareto front as a grey step, baselines as broken lines,
 * the target utility as a band. */

/* Counts settings that have a utility and a number: 0, 1, or 2 for more. */
int gnt_tradeoff_points(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when fewer than two settings have both numbers. */
int gnt_plot_tradeoff(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

/* strength: leakage against the strength of a defense, for sweeps: a row of panels for each family of
 * defenses that was swept (the first eight), a column for each attack (the first six). Strengths are on the
 * scale that spreads a sweep: their logarithm, that of their distance from one, or as they are. The picture
 * for tasks whose utility says nothing, such as an untrained network's. */

typedef enum gnt_spread { GNT_SPREAD_PLAIN, GNT_SPREAD_LOG, GNT_SPREAD_TO_ONE } gnt_spread;

/* Chooses the scale for strengths from low to high: a logarithm if they span a factor of twenty or more. */
gnt_spread gnt_spread_of(const char *scale, double low, double high);
double gnt_spread_at(gnt_spread spread, double strength);

/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when no sweep has a number. */
int gnt_plot_strength(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

/* heat: the defense × attack matrix as a picture. A row for each defense (best first; those not at matched
 * utility below a gap), below another gap one for each point of a sweep; a column for each attack and one for
 * the worst case; white is the baseline, darkest the undefended worst case; the number and its
 * interval are written in each field. Fields without a
 * number are grey and say why in a word, notes below in a line. */

/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when there is no number. */
int gnt_plot_heat(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                  const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

/* overview: every defense by every attack, over all tasks and stages, outside of sweeps. Colour and number of
 * a field are the share of targets that were identified, or of attributes that were inferred in balanced
 * accuracy, from chance (0) to all (100); of several tasks the one that leaks most, attacks on influence
 * counted with the same attack on updates. Hatched: does not apply. A dot: the attack knows the defense
 * (judge/duties.h). */

/* Draws FOLDER/NAME.svg and .png. *drawn is 0 with fewer than three defenses or attacks. */
int gnt_plot_overview(const gnt_results *r, const char *folder, const char *name, int formats, int *drawn,
                      gnt_err *err);

/* convergence: the attacks' own cost over steps, a panel for each attack, a line for each defense: the median
 * over targets, in a band from the lower to the upper quartile. Of a target's restarts the one that ended
 * lowest counts, as it would for the attack. A curve that ended early keeps its last cost. A mark at the end
 * says why a search ended: its budget while the cost still fell, at rest, or done. */

int gnt_plot_convergence(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                         const char *name, int formats, int *drawn, gnt_err *err);

/* rounds: the model's utility on the test samples by round of the training, a panel for the task's measure
 * and, below an accuracy, one for the loss; a line for each defense: the mean over seeds, in a band from the
 * lowest to the highest. A defense is drawn at its strength of the matrix, or, if only swept, with
 * a thin line for each strength. The key has the best at the end on top. */

int gnt_plot_rounds(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                    const char *name, int formats, int *drawn, gnt_err *err);

/* utility: what a training ends at against the strength of its defense: a panel for each name of a strength
 * (the first eight) that some defense was tried at two values of, a line for each defense that has it,
 * whatever plugins these are. The task's measure, with an accuracy also the loss, where the file has
 * curves, and the facts that the suite names, with a straight line through each defense's. A whisker is the
 * 95 % interval over seeds, of a single one over the test samples. */

int gnt_plot_utility(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                     const char *name, int formats, int *drawn, gnt_err *err);
/* True if some setting has another utility at `stage` than at the stage `before`. */
int gnt_utility_is_another(const gnt_results *r, const char *task, int64_t before, int64_t stage);

/* points: observed representations as points of a plane, coloured by the attribute that attackers are after:
 * a column for the samples themselves, one without a defense, and one for each defense, at its strength of
 * the matrix or at the last of its sweep (the first twelve columns). Above their principal components, below
 * t-SNE; in the title how well a linear probe infers the attribute. */

int gnt_plot_points(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                    const char *name, int formats, int *drawn, gnt_err *err);

/* shares: a forest plot: a row for each defense, with what it leaks as a share of what leaks undefended: the
 * mean over arenas with its interval in black, and below it a point for each training run, a colour and a
 * line for each task. At the right the mean in per cent. */

typedef struct gnt_share_row {
    const char *label;
    gnt_leak mean;       /* NAN: none, its place is empty */
    const double *share; /* of training run s of a task at `task * trainings + s`; NAN: none */
} gnt_share_row;

typedef struct gnt_share_picture {
    const char *title;
    const char *const *task;
    const gnt_share_row *row;
    size_t n_task, n_row, trainings;
} gnt_share_picture;

enum { GNT_SHARE_ROWS = 40 };
/* Draws FOLDER/NAME.svg and .png: the first GNT_SHARE_ROWS rows with a number. *drawn is 0 if none has. */
int gnt_plot_shares(const gnt_share_picture *of, const char *folder, const char *name, int formats,
                    int *drawn, gnt_err *err);

/* sheet: the private images and what attacks recovered, as one PNG for each task, stage and attack. First
 * row the private images; then, for each defense at each strength, what the attacker observed (smaller, where
 * that is an image) and what it recovered, with the PSNR of each. Eight defenses and strengths are shown: all
 * that are in the matrix, then points of sweeps, spread evenly; the others are named below. Pixels are
 * enlarged by a whole number, so that each stays visible. */

/* Draws FOLDER/NAME.png from the run's image files. A file that cannot be used is left out and named in `err`
 * while the others are drawn: *drawn is 1 if a sheet was written, the return value 0 if nothing was left
 * out. */
int gnt_sheet_make(const gnt_results *r, const char *run, const char *task, int64_t stage, const char *attack,
                   const char *folder, const char *name, int *drawn, gnt_err *err);

#endif
