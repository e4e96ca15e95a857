/* gate: is a run worse than a baseline? Cells of the two are joined by their ids, and what got worse is
 * distinguished from what is merely different.
 *
 * Everything in a gnt_gate borrows from the two gnt_results, which must outlive it, but for the texts of
 * findings. Names in it are as the files have them: the writer of a format escapes them. */
#ifndef GNT_GATE_GATE_H
#define GNT_GATE_GATE_H

#include "base/text.h"
#include "gate/evidence.h"
#include "judge/measure_text.h"
#include "judge/judge.h"

/* The suite's "check", with defaults filled in. */
typedef struct gnt_gate_settings {
    double alpha;              /* the chance of any false alarm in a whole comparison */
    gnt_named_reals tolerance; /* by measure, "utility" or "time"; others have their defaults */
} gnt_gate_settings;

/* One measure of one cell over its seeds, or the utility of one training over its seeds, in both runs. */
typedef enum gnt_gate_verdict {
    GNT_GATE_SAME,   /* every pair the same to the last digit: nothing to test */
    GNT_GATE_WITHIN, /* no more than the tolerance, or no more than chance gives */
    GNT_GATE_UNABLE, /* too few pairs to fail, whatever they say */
    /* leaks more at a weaker matched strength, by no more than the utility which that gives back explains */
    GNT_GATE_MOVED,
    GNT_GATE_BETTER,
    GNT_GATE_WORSE
} gnt_gate_verdict;

typedef enum gnt_gate_about {
    GNT_GATE_LEAKAGE,
    GNT_GATE_UTILITY,
    /* of a matched defense: its utility at the same strength, more and less */
    GNT_GATE_STRENGTH_GAIN,
    GNT_GATE_STRENGTH_LOSS,
    GNT_GATE_TRAINING_TIME, /* processor seconds of two builds, in turns */
    GNT_GATE_ATTACK_TIME
} gnt_gate_about;

typedef struct gnt_gate_row {
    gnt_gate_about about;
    const gnt_outcome *cell; /* of the new run, the first seed's: coordinates and strength */
    const gnt_outcome *old;
    const char *measure;
    /* means over pairs; worse > 0: in the direction that is worse. Of time medians, and that of the share of
     * time more */
    double is, was, worse;
    double tolerance;
    /* how much more than the tolerance a weaker matched strength may leak; 0 at others */
    double allowance;
    /* of a row about a strength: which one */
    double at;
    /* both are of one strength, at which the baseline was matched and the new run was not */
    int is_at_baseline;
    /* e has its p already, which knows nothing of other rows */
    int settled;
    /* of pairs of five seeds or more: that of the jumps alone (compare_cells.c); else NAN */
    double p_jumps;
    gnt_evidence e;
    double p, p_less; /* corrected for the number of comparisons */
    gnt_gate_verdict verdict;
} gnt_gate_row;

/* Failures and notes. Failures come first here and in the list. */
typedef enum gnt_gate_kind {
    GNT_GATE_LEAKS_MORE,
    GNT_GATE_COSTS_MORE,
    GNT_GATE_WEAKER,
    GNT_GATE_SLOWER,
    GNT_GATE_FAILS_NOW,
    GNT_GATE_MISSING,
    GNT_GATE_UNMATCHED,
    GNT_GATE_NO_NUMBER,
    GNT_GATE_FAILURES, /* the kinds before this one are failures */
    GNT_GATE_NEW = GNT_GATE_FAILURES,
    GNT_GATE_WORKS_NOW,
    GNT_GATE_MATCHED_NOW,
    GNT_GATE_NOT_FOUND,
    GNT_GATE_SATURATED,
    GNT_GATE_STRONGER,
    GNT_GATE_LEAKS_LESS,
    GNT_GATE_CHEAPER,
    GNT_GATE_FASTER,
    GNT_GATE_ALONG_CURVE,
    GNT_GATE_UNPAIRED,
    GNT_GATE_UNDECIDED,
    GNT_GATE_OTHER_SUITE,
    GNT_GATE_KINDS
} gnt_gate_kind;

typedef struct gnt_gate_finding {
    gnt_gate_kind kind;
    const gnt_gate_row *row; /* or NULL */
    char *place;             /* "glyphs/r10/prune@0.9/dlg" */
    char *text;              /* a sentence */
} gnt_gate_finding;

typedef struct gnt_gate {
    const gnt_results *now, *before;
    int redrawn; /* made by gnt_gate_make_redrawn */
    gnt_gate_settings settings;
    gnt_gate_row *row;
    size_t n_row;
    gnt_gate_finding *finding;
    size_t n_finding, n_failures;
    size_t same, tested, unable; /* of the rows */
    size_t timed;                /* rows about time; 0: it was not judged */
    /* tasks without a verdict: other targets than the baseline's, and too few training runs */
    size_t undecided;
    /* searches that ended at another strength than the baseline's, at which the new run has no cells */
    size_t elsewhere;
    gnt_arena memory; /* of the settings */
    /* Where entries are in the suite's file, which annotations name; NULL: not known. Borrowed. */
    const struct gnt_suite_lines *lines;
} gnt_gate;

/* Compares two runs. Sentences call the files `now_name` and `before_name`. On failure *g is empty. */
int gnt_gate_make(gnt_gate *g, const gnt_results *now, const char *now_name, const gnt_results *before,
                  const char *before_name, gnt_err *err);
/* A job that both builds ran in turns, in rounds of which each has one `now` and one `before`. */
typedef struct gnt_gate_timed {
    const char *cell; /* its id, of the new run */
    int is_training;  /* of the cell, else its attack */
    const double *now, *before;
    size_t rounds; /* ≥ 1 */
} gnt_gate_timed;

/* Compares two runs, and tests times too. Seconds are finite and above 0. */
int gnt_gate_make_timed(gnt_gate *g, const gnt_results *now, const char *now_name, const gnt_results *before,
                        const char *before_name, const gnt_gate_timed *timed, size_t n_timed, gnt_err *err);
/* Compares a run of which some cells were run again with another seed: their targets are others, so samples
 * are compared instead of pairs, and less leakage is as much a difference as more: both directions share
 * alpha. Cells of `now` that are unfinished were not requested. Matched strengths were given, not searched
 * for. */
int gnt_gate_make_redrawn(gnt_gate *g, const gnt_results *now, const char *now_name,
                          const gnt_results *before, const char *before_name, gnt_err *err);
void gnt_gate_free(gnt_gate *g);

/* Writes a line for each comparison of a redrawn run, and returns how many differ. */
size_t gnt_gate_write_redrawn(const gnt_gate *g, gnt_text *out);

/* Append a whole document, or lines, in a format each. Foreign text is escaped for the format. */
void gnt_gate_write_text(const gnt_gate *g, gnt_text *out);
void gnt_gate_write_markdown(const gnt_gate *g, gnt_text *out);
void gnt_gate_write_junit(const gnt_gate *g, gnt_text *out);
void gnt_gate_write_github(const gnt_gate *g, gnt_text *out);
void gnt_gate_write_json(const gnt_gate *g, gnt_text *out);
void gnt_gate_write_sarif(const gnt_gate *g, gnt_text *out);

#endif
