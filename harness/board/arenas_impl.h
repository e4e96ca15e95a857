/* The summary over arenas: one row for a defense over all arenas of one surface and goal.
 *
 * An arena is a suite of the board's first contributor with a target utility, attacks of a list and
 * observations in training; each of its tasks is a target. Shares are judge/shares.h's, of the identification
 * rate where data are recovered, else of the measure that leads the task. */
#ifndef GNT_BOARD_ARENAS_IMPL_H
#define GNT_BOARD_ARENAS_IMPL_H

#include "base/arena.h"
#include "board/board_impl.h"
#include "judge/shares.h"

typedef enum board_share_kind {
    BOARD_SHARE_ABSENT,  /* the defense was not run here */
    BOARD_SHARE_UNFIT,   /* it does not apply */
    BOARD_SHARE_UNKNOWN, /* no verdict */
    BOARD_SHARE_KNOWN
} board_share_kind;

/* What a defense leaks in one task of an arena. */
typedef struct board_share {
    board_share_kind kind;
    const char *why;       /* why there is no verdict, or why all counts as leaked; "": measured */
    double *share;         /* of each training run of the group's `trainings`; NAN: none */
    gnt_leak leak;         /* over these */
    double listed, others; /* means under the attacks of the list alone and under all others; NAN: none */
    size_t clipped;        /* training runs whose share was cut */
    int few;               /* too few training runs for a rank */
    double psnr;           /* NAN: not measured */
    const board_row *row;  /* NULL: absent */
} board_share;

/* A task of an arena. */
typedef struct board_target {
    const board_contest *contest;
    const char *task, *suite;
    size_t arena; /* number of the arena in the group, from 0 */
} board_target;

/* A defense over the group. */
typedef struct board_summary {
    const board_row *row; /* in the first task that has it */
    board_share *at;      /* of each target */
    gnt_rank_state state;
    gnt_leak_place place;  /* its leak is the mean share over arenas */
    double listed, others; /* means over arenas; NAN where a target has none */
    size_t clipped;
    const char *why; /* why it has no mean, or no rank; "": it has both */
} board_summary;

typedef struct board_group {
    const char *surface, *goal, *list; /* list: "standard-1 (draft list 0123456789ab)" */
    const gnt_measure *measure;
    board_target *target;
    size_t n_target, n_arena, trainings;
    board_summary *row; /* ranked rows first, by rank and mean; then those with a mean; then the others */
    size_t n_row;
    double *share; /* of rows and arenas, as gnt_shares has them */
    gnt_share_pair *pair;
    size_t n_pair;
    const char *found; /* sentences on what is left out, such as tasks whose attacks are not adequate; "" */
    char *picture;     /* name of the figure, without ending; NULL: none */
    gnt_arena memory;
} board_group;

/* Returns what a measure says was recovered in a contest: "image", "attribute" … */
const char *board_goal(const board *b, const board_contest *c, const gnt_measure *m);
/* Fills b->group, which board_free_groups frees. */
int board_gather_groups(board *b, gnt_err *err);
void board_free_groups(board *b);

/* ---- arena_verdict.c ---- */

/* Decides on a place of a task with a target of utility. *lost: all counts as leaked. Writes why there is no
 * verdict or why it is lost; nothing for what was measured. */
board_share_kind board_share_verdict(const board_contest *c, const board_place *p, int *lost, gnt_text *why);

/* ---- arena_tables.c ---- */

/* Writes "update → image". */
void board_say_group(const board_group *g, gnt_text *out);
/* Writes how the table below it is read, and what was found. */
void board_say_group_head(const board_group *g, gnt_text *out);
/* Fills the table of a group for reading. */
void board_table_group(const board_group *g, gnt_table *t);
/* Adds the rows of all groups to the table of places. */
void board_add_shares(const board *b, gnt_table *t);
void board_table_pairs(const board *b, gnt_table *t);

/* ---- arena_picture.c ---- */

/* Draws the figure of each group into the board's folder. */
int board_draw_groups(board *b, gnt_err *err);

#endif
