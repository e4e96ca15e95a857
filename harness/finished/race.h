/* race: two builds of gauntlet run the same jobs in turns, so that what the machine does besides hits both alike.
 *
 * Each is started once as `PROGRAM pace RUN` and asked over a pipe, a line of JSON for a line of JSON:
 *     {"jobs": [{"cell": ID, "training": BOOL}, …]}   ->  {"ready": N}
 *     {"round": K}                                    ->  {"seconds": [N numbers]}
 * or {"error": SENTENCE} for either. It ends when its input does. */
#ifndef GNT_RUN_RACE_H
#define GNT_RUN_RACE_H

#include <stddef.h>

#include "base/err.h"

enum { GNT_RACE_MOST_ARGUMENTS = 16, GNT_RACE_MOST_JOBS = 256 };

typedef struct gnt_race_job {
    const char *cell;
    int is_training; /* the training of the cell, else its attack */
} gnt_race_job;

typedef struct gnt_race_options {
    const char *program[2];
    const char *const
        *arguments; /* of both, behind `pace`: the run's folder and where things are; NULL-terminated, at
                                     most GNT_RACE_MOST_ARGUMENTS */
    const gnt_race_job *job;
    size_t n; /* ≤ GNT_RACE_MOST_JOBS */
    size_t rounds;
    void (*round)(void *user, size_t done); /* after each; may be NULL */
    void *user;
} gnt_race_options;

/* seconds[(program · n + job) · rounds + round] of processor time. Which program begins changes from round to round. */
int gnt_race(const gnt_race_options *options, double *seconds, gnt_err *err);

#endif
