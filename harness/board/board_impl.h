/* The structs of this room: runs, the contests they meet in, places. */
#ifndef GNT_BOARD_BOARD_IMPL_H
#define GNT_BOARD_BOARD_IMPL_H

#include <stdint.h>

#include "base/arena.h"
#include "board/about_impl.h"
#include "board/board.h"
#include "judge/measure_text.h"
#include "judge/judge.h"
#include "render/table.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"
#include "check/check.h"

typedef struct board_run {
    const char *folder;
    char *contributor;     /* the name that is shown */
    size_t contributor_of; /* the first run of the same contributor */
    gnt_board_about about;
    gnt_results results;
    char *seal;                 /* "signed by KEY" or "unsigned" */
    char key[65];               /* of the signature, hexadecimal; "": unsigned */
    json_t *plugins;            /* the plugin files that host.json lists; NULL: none */
    const gnt_checked *checked; /* what the check of results.json left open; NULL: nothing */
    /* SHA-256 of the key of the run's season ("": it has none), the submission as a board of one run, its
     * folder, and what the folder of the submission was called. */
    char season[65];
    struct board *submitted;
    char *submitted_folder, *submitted_as;
    gnt_season_strength_list strengths; /* in season_memory */
    gnt_arena season_memory;
} board_run;

/* An attack with its settings: entries of two suites that differ in anything are two attacks. */
typedef struct board_attack {
    const char *label;
    char *settings;
    size_t first;     /* the run that brought it */
    uint32_t grants;  /* GNT_KNOWS_* */
    int required;     /* mandatory: a defense needs a number under it for a rank */
    int on_influence; /* it is run against defenses that aggregate alone */
} board_attack;

/* A defense with its settings, versions and plugin files; several contributors may have measured the same
 * one. */
typedef struct board_row {
    const char *label;
    char *settings;
    size_t first;    /* the run that brought it; of one contributor's runs the last */
    uint32_t flags;  /* GNT_FLAG_*, all members together */
    uint8_t *in_run; /* n_run flags of the board: whose it is */
    int aggregates;  /* it has the hook, by any of its runs: attacks on influence apply */
    int guest;       /* the contributor of the contest's first run did not measure it */
    /* a cell of any run in which the host found something wrong with it, or NULL */
    const gnt_outcome *marked;
} board_row;

/* A run's number for a row under an attack at a stage. Those of one run, row and attack are adjacent. */
typedef struct board_number {
    size_t run, row, attack;
    const gnt_results *results; /* of the run */
    size_t of_stages;           /* how many stages that run has here */
    const gnt_outcome *group;
    gnt_public_verdict against_public; /* of the row in that run */
} board_number;

/* A task at a stage that the suite fixed, or at all that the host drew, in all runs that request the same
 * there. Only numbers of one contest are compared. */
typedef struct board_contest {
    const char *task;
    int64_t stage;      /* GNT_EVERY_STAGE: all, which the host drew in each run; the worst counts */
    int in_round;       /* what was seen took part in training; else it was probed */
    size_t *run, n_run; /* in the order given */
    board_attack *attack;
    size_t n_attack;
    board_row *row;
    size_t n_row;
    board_number *number; /* those that count: what a contributor has measured again is left out */
    size_t n_number;
    /* threat models: what an attacker may know; the first is everything granted to anyone here */
    uint32_t *threat;
    size_t n_threat;
    /* of the first run that trained on the public data alone; else of the first */
    const gnt_task_facts *facts;
    const gnt_measure *lead; /* what it is ranked by on the pages; NULL: no number at all */
    int is_arena;            /* gnt_is_arena, by its first run */
    const char *absent;      /* a mandatory attack that no run here has: nothing is ranked; NULL: none */
    size_t like; /* an earlier contest of the same task and stage with another request; own index: none */
} board_contest;

typedef struct board {
    const gnt_board_options *options;
    const char *title;
    board_run *run;
    size_t n_run;
    board_contest *contest;
    size_t n_contest;
    uint32_t *threat; /* every set of grants that some attack had, by how much it is */
    size_t n_threat;
    uint8_t *has_report;       /* n_run flags: reports/N was made */
    gnt_doc mandatory;         /* options->mandatory, read and checked */
    struct board_group *group; /* board/arenas_impl.h */
    size_t n_group;
    gnt_text notices;
} board;

/* The place of a defense in a contest, against attackers that know no more than a threat model says. */
typedef struct board_place {
    const board_row *row;
    gnt_group_kind kind;
    const board_number *worst; /* where it leaks most; NULL: no number */
    const gnt_score *score;
    gnt_stat measured;     /* read at exactly the target where place.at_target is set, else of `score` */
    int comparable;        /* at the target utility, by that run (gnt_is_comparable) */
    int saturated;         /* in the run of its training runs even the strongest setting left more utility */
    size_t judged, of;     /* attacks with a number, of those that apply and gave any defense one */
    size_t lacking;        /* of the required ones, those without a number; `missing` is the first of them */
    size_t missing;        /* c->n_attack: c->absent */
    gnt_rank_state state;  /* why it has no rank */
    gnt_leak_place place;  /* by its leakage above the floor; rank 0: not ranked */
    double floor;          /* of the contest; NAN: unknown */
    size_t trainings;      /* of the run that `worst` is of, those with a number */
    gnt_duty unmet, shown; /* the first that no attack discharged: costs a rank, and is shown only */
    /* shown next to the measure (gnt_next_to): where that leaks most of all attacks; NULL: not measured */
    const board_number *next;
    gnt_stat next_stat; /* PSNR as a ranking by it reads it; else of the score */
} board_place;

/* ---- season.c: runs under the key of a season ---- */

/* Reads season.json of a run, if the board has a season and the folder such a file. */
int board_read_season(const board *b, board_run *run, gnt_err *err);
/* Finds what was submitted for a place of a run of a season, by the same measure against the same
 * attackers. 0: nothing. */
int board_submitted(const board *b, const board_contest *c, const gnt_measure *m, uint32_t threat,
                    const board_place *p, gnt_stat *out);
/* Writes the submitted number, and that it differs from the measured one by more than both intervals; nothing
 * for a run of no season. */
void board_say_submitted(const board *b, const board_contest *c, const gnt_measure *m, uint32_t threat,
                         const board_place *p, gnt_text *out);
/* Writes with which strengths a run of a season was made, and which were submitted; nothing for others. */
void board_say_strengths(const board *b, const board_place *p, gnt_text *out);
/* Writes that a rank rests on draws that the submitter knew; nothing for a run of a season. */
void board_say_draws(const board *b, const board_place *p, gnt_text *out);
/* Writes which plugin files of a place are not those that the submission says it ran; or nothing. */
void board_say_other_file(const board *b, const board_place *p, gnt_text *out);
/* Adds a notice for each defense that leaks otherwise than submitted, or whose file is another. */
int board_note_season(board *b, gnt_err *err);

/* ---- unproven.c: what a run's own files leave open ---- */

void board_mark_unproven(board_run *run, const gnt_checked *checked);
int board_read_seal(board_run *run,
                    gnt_err *err); /* sets run->seal and key; −1: signature.json does not fit */
int board_is_proven(const board_run *run, const char *task); /* 1: the task's digest is what it must be */
int board_suite_is_proven(const board_run *run);

/* ---- plugin_files.c ---- */

int board_read_plugins(board_run *run, gnt_err *err); /* sets run->plugins; −1: host.json is no JSON */
/* Returns the digest of the file that a member of a run's defense was; "" if the run does not say. */
const char *board_plugin_digest(const board_run *run, const gnt_result_member *m);
/* Writes the plugins behind a row's label, as in "prune @ 31aafa489cef", without an id that is the label and
 * without an unknown digest; nothing if nothing is left. */
void board_say_plugins(const board *b, const board_row *row, gnt_text *out);
/* Writes "prune 1.0 @ DIGEST" for each member of a row; "?" instead of an unknown digest. */
void board_say_plugin_files(const board *b, const board_row *row, gnt_text *out);

/* ---- mandatory.c ---- */

/* Marks the mandatory attacks of a contest whose numbers are gathered. */
void board_mark_mandatory(const board *b, board_contest *c);

/* ---- contributors.c ---- */

/* Finds which runs are of one contributor, once all are read, and changes names so that no two contributors
 * look alike. */
int board_find_contributors(board *b, gnt_err *err);
int board_is_same_contributor(const board *b, size_t one, size_t other);

/* ---- chosen.c: boards of some defenses only ---- */

/* Fails with a sentence if options->defenses names a defense that no run has. */
int board_check_chosen(const board *b, gnt_err *err);
/* True if a defense of a run is on the board. */
int board_is_chosen(const board *b, const gnt_results *r, const char *label);
/* Writes "Only a and b are compared. "; nothing if all defenses are. */
void board_say_chosen(const board *b, gnt_text *out);

/* ---- gather.c: runs to contests ---- */

int board_gather(board *b, gnt_err *err);
/* Lists the stages of a run in a contest, rising. */
size_t board_stages(const board_contest *c, const gnt_results *r, int64_t stages[GNT_MOST_STAGES]);
/* True if attackers with either knowledge can run the same attacks of a contest. */
int board_same_reach(const board_contest *c, uint32_t one, uint32_t other);
void board_contest_free(board_contest *c);
/* Returns a run's settings of a defense, with the digests of its plugin files, as canonical text: equal
 * texts are equal settings of equal files. The caller frees; NULL when out of memory. */
char *board_defense_settings(const board_run *run, const char *label);

/* ---- rank.c ---- */

/* Fills places (room for c->n_row), best first, those without a rank after them; returns how many. */
size_t board_rank(const board_contest *c, const gnt_measure *m, uint32_t threat, board_place *places);
/* Does the same, and fills what each place leaked in its training runs: c->n_run * GNT_MOST_TRAININGS numbers
 * for each place (room for c->n_row + 1), of which those of c->run[k] begin at k * GNT_MOST_TRAININGS, in the
 * order of gnt_seeds; NAN: none. Only one run of a place has numbers. */
size_t board_rank_trainings(const board_contest *c, const gnt_measure *m, uint32_t threat,
                            board_place *places, double *value);
/* True if an attack of the threat model succeeds without a defense. */
int board_is_adequate(const board_contest *c, const gnt_measure *m, uint32_t threat);
/* How an attack counts for a row, against attackers of a threat model. NO_TRIAL: it is beyond the threat
 * model, or gave no defense a number. */
typedef enum board_trial { BOARD_NO_TRIAL, BOARD_UNFIT, BOARD_UNTRIED, BOARD_TRIED } board_trial;
board_trial board_trial_of(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                           uint32_t threat, gnt_group_kind kind);
/* Returns the baseline: the score of a guess without the update, from the first run that has it; NAN and ""
 * when unknown. */
double board_floor(const board_contest *c, const gnt_measure *m, uint32_t threat, const char **name);
/* True if some place has a number. */
int board_any_number(const board_place *places, size_t n);

/* ---- board_words.c: sentences and names; all foreign text, escape it ---- */

void board_say_place(const board *b, const board_contest *c, gnt_text *out); /* "glyphs, round 10" */
void board_say_threat(uint32_t threat, gnt_text *out);                       /* "labels, public" */
void board_say_attack(const board *b, const board_contest *c, const board_number *n, gnt_text *out);
/* Writes "not yet tried: a, b; untested, does not apply: c"; nothing if every attack was tried. */
void board_say_untried(const board_contest *c, const gnt_measure *m, uint32_t threat, const board_place *p,
                       gnt_text *out);
void board_say_contributors(const board *b, const board_row *row, gnt_text *out);
void board_say_state(const board_contest *c, const board_place *p, gnt_text *out); /* why it has no rank */
void board_say_last(const board_place *p, gnt_text *out); /* why its rank is the last; or nothing */
void board_say_answer(const board *b, const board_contest *c, gnt_text *out);
const char *board_utility(const board *b, const board_contest *c); /* "accuracy", or "" */
/* Writes "88.0 % [80.0, 94.0]", and under which attack if that is not the one that leaks most; or nothing. */
void board_say_next(const board *b, const board_contest *c, const board_place *p, gnt_text *out);
/* Writes "at the target utility; 21.1 dB [18.3, 23.8] at the matched strength" for a row that was read there;
 * for one that could not use up its utility, by how much that is above the target; nothing for others. */
void board_say_read(const board_contest *c, const board_place *p, gnt_text *out);
/* Returns the claim for a row, of the last run that makes one; NULL for none. */
const gnt_board_claim *board_claim(const board *b, const board_contest *c, const board_row *row,
                                   const gnt_measure *m);
/* Returns the n-th footnote: its flag, mark and words; 0 if there is none. */
int board_footnote(size_t n, uint32_t *flag, const char **mark, const char **words);

/* ---- section_head.c ---- */

/* Says why the contest is apart from `like`; or nothing. */
void board_say_alone(const board *b, const board_contest *c, gnt_text *out);
/* Writes sentences on how the section was made: probe or round, drawn rounds, public seeds, what public
 * data give; or "". */
void board_say_head(const board *b, const board_contest *c, gnt_text *out);
/* True if a defense could have known what is observed: a probe, or a public seed. */
int board_is_doubtful(const board *b, const board_contest *c);

/* ---- row_cells.c: the cells of a defense's row, which the page and leaderboard.md both show ---- */

enum {
    BOARD_CLAIMED,
    BOARD_MEASURED,
    BOARD_NEXT, /* gnt_next_to, shown where any place of a table has it */
    BOARD_ATTACK,
    BOARD_UTILITY,
    BOARD_CONTRIBUTOR,
    BOARD_CELLS
};
enum { BOARD_NOTES = 5, BOARD_MOST_SAID = 1 << 20 };

typedef struct board_cell {
    const char *label;       /* the head of its column */
    int is_number;           /* the column is sorted by `number`, else by its text */
    double number;           /* NAN: none */
    gnt_text text;           /* "" for none */
    char *note[BOARD_NOTES]; /* smaller print after it */
    int n_note, is_exceeded; /* is_exceeded: what was measured surely leaks more than this claim */
    const gnt_stat *stat;    /* drawn as a bar; NULL: no bar */
} board_cell;

void board_fill_cells(const board *b, const board_contest *c, uint32_t threat, const board_place *p,
                      board_cell cell[BOARD_CELLS]);
void board_free_cells(board_cell cell[BOARD_CELLS]);
/* Returns the heading of a cell's column. */
const char *board_cell_title(const board_contest *c, int cell);
/* True if the tables of these places have the column of this cell: the claims and the second measure need a
 * row that has one. */
int board_shows(const board *b, const board_contest *c, int cell, const board_place *places, size_t n);

/* ---- writing.c ---- */

/* Takes the text as the next item, and leaves it empty. */
void board_item(gnt_table *t, gnt_text *text);
/* Writes a file of the board, and frees the text. */
int board_write_text(const board *b, const char *name, gnt_text *text, gnt_err *err);

/* ---- board_tables.c, history.c, plugin_table.c: each fills a table that the caller frees ---- */

void board_table_runs(const board *b, gnt_table *t);
void board_table_rows(const board *b, gnt_table *t);
void board_table_history(const board *b, gnt_table *t);
void board_table_plugins(const board *b, gnt_table *t);

/* ---- markdown.c, files.c, board_page.c: the files of the board ---- */

int board_write_markdown(const board *b, gnt_err *err);
/* Writes leaderboard.csv, .json and .md. */
int board_write_files(const board *b, gnt_err *err);
int board_write_page(const board *b, gnt_err *err);

/* The page's frame, with {{names}} in it; page.html, put into the program when it is built. */
extern const char board_template[];

#endif
