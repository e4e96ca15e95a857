/* time_builds: two builds of gauntlet run the same jobs in turns, so that other work on the machine affects
 * both alike.
 *
 * Each is started once as `PROGRAM pace RUN …` and queried over a pipe, a line of JSON for a line of JSON:
 *     {"jobs": [{"cell": ID, "training": BOOL}, …]}   ->  {"ready": N}
 *     {"round": K}                                    ->  {"seconds": [N numbers]}
 * or {"error": SENTENCE} for either. It ends when its input does.
 *
 * Owner and lifetime: options are borrowed for the call; both programs have ended when it returns.
 * Thread: one, for SIGPIPE is ignored during the call.
 * Errors: −1 with a sentence; *seconds is then undefined. */
#ifndef GNT_FINISHED_TIME_BUILDS_H
#define GNT_FINISHED_TIME_BUILDS_H

#include <stddef.h>

#include "base/err.h"

enum { GNT_TIME_BUILDS_MOST_ARGUMENTS = 16, GNT_TIMED_JOBS_MOST = 256 };

typedef struct gnt_timed_job {
    const char *cell;
    /* The training of the cell, else its attack. */
    int is_training;
} gnt_timed_job;

typedef struct gnt_time_builds_options {
    const char *program[2];
    /* Arguments of both after `pace`: the run's folder, and the folders of data and plugins. NULL-terminated,
     * at most GNT_TIME_BUILDS_MOST_ARGUMENTS. */
    const char *const *arguments;
    const gnt_timed_job *job;
    /* At most GNT_TIMED_JOBS_MOST. */
    size_t n;
    size_t rounds;
    /* Called after each round; may be NULL. */
    void (*round)(void *user, size_t done);
    void *user;
} gnt_time_builds_options;

/* Times the jobs: seconds[(program · n + job) · rounds + round] of processor time. The program that begins
 * changes from round to round. */
int gnt_time_builds(const gnt_time_builds_options *options, double *seconds, gnt_err *err);

#endif
