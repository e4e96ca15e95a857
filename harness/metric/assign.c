#include "metric/assign_impl.h"

#include <math.h>

#include "base/arena.h"

/* The smaller side is called `job`, the larger `slot`. Potentials u (jobs) and v (slots) keep every reduced
 * cost cost − u − v at or above 0, and 0 on assigned pairs; that makes the assignment so far the cheapest of
 * its size. */
typedef struct solver {
    const double *cost;
    size_t jobs, slots;
    size_t job_step, slot_step;
    double *u, *v;
    double *distance; /* of each slot from the job being placed, along reduced costs */
    /* [slots + 1] the job in a slot, `jobs` = none; the last is a slot outside for the new job */
    size_t *job_at;
    size_t *from; /* the slot before this one on the shortest path */
    unsigned char *done;
} solver;

static double cost_at(const solver *s, size_t job, size_t slot) {
    return s->cost[job * s->job_step + slot * s->slot_step];
}

/* Takes one step of Dijkstra's algorithm: relaxes from slot `at`, moves the potentials by the distance of
 * the nearest open slot, and returns that slot. */
static size_t advance(solver *s, size_t at) {
    size_t job = s->job_at[at], next = s->slots;
    double least = INFINITY;
    s->done[at] = 1;
    for (size_t j = 0; j < s->slots; j++) {
        if (s->done[j])
            continue;
        double reduced = cost_at(s, job, j) - s->u[job] - s->v[j];
        if (reduced < s->distance[j]) {
            s->distance[j] = reduced;
            s->from[j] = at;
        }
        if (next == s->slots || s->distance[j] < least) {
            least = s->distance[j];
            next = j;
        }
    }
    for (size_t j = 0; j <= s->slots; j++) {
        if (s->done[j]) {
            s->u[s->job_at[j]] += least;
            s->v[j] -= least;
        } else if (j < s->slots) {
            s->distance[j] -= least;
        }
    }
    return next;
}

static void place(solver *s, size_t job) {
    size_t at = s->slots;
    s->job_at[at] = job;
    for (size_t j = 0; j <= s->slots; j++) {
        s->distance[j] = INFINITY;
        s->done[j] = 0;
    }
    while (s->job_at[at] != s->jobs)
        at = advance(s, at);
    while (at != s->slots) { /* shift every job on the path one slot on */
        s->job_at[at] = s->job_at[s->from[at]];
        at = s->from[at];
    }
}

int gnt_metric_assign(int64_t *column_of_r, const double *cost_rc, size_t rows, size_t columns,
                      gnt_err *err) {
    for (size_t r = 0; r < rows; r++)
        column_of_r[r] = -1;
    if (rows == 0 || columns == 0)
        return 0;
    for (size_t i = 0; i < rows * columns; i++)
        if (!isfinite(cost_rc[i]))
            return gnt_fail(err, "the cost of row %zu and column %zu is not finite", i / columns,
                            i % columns);
    int wide = rows <= columns;
    solver s = {.cost = cost_rc,
                .jobs = wide ? rows : columns,
                .slots = wide ? columns : rows,
                .job_step = wide ? columns : 1,
                .slot_step = wide ? 1 : columns};
    gnt_arena a = {0};
    s.u = gnt_arena_array(&a, s.jobs, sizeof *s.u);
    s.v = gnt_arena_array(&a, s.slots + 1, sizeof *s.v);
    s.distance = gnt_arena_array(&a, s.slots + 1, sizeof *s.distance);
    s.job_at = gnt_arena_array(&a, s.slots + 1, sizeof *s.job_at);
    s.from = gnt_arena_array(&a, s.slots + 1, sizeof *s.from);
    s.done = gnt_arena_array(&a, s.slots + 1, sizeof *s.done);
    if (a.failed) {
        gnt_arena_free(&a);
        return gnt_fail(err, "out of memory while assigning %zu rows to %zu columns", rows, columns);
    }
    for (size_t j = 0; j <= s.slots; j++)
        s.job_at[j] = s.jobs;
    for (size_t job = 0; job < s.jobs; job++)
        place(&s, job);
    for (size_t j = 0; j < s.slots; j++)
        if (s.job_at[j] != s.jobs)
            column_of_r[wide ? s.job_at[j] : j] = (int64_t)(wide ? j : s.job_at[j]);
    gnt_arena_free(&a);
    return 0;
}
