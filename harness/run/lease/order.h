/* order: decides which of several ready jobs is started first when several machines share a run: long ones,
 * and those on which long ones depend. The time of a job is estimated by the mean over similar jobs, in the
 * store or of this run, else by a constant for its kind. Estimates change nothing but the order.
 *
 * Jobs are similar if they are of one kind, task and attack. The time of the longest chain of jobs that a
 * cell still needs after a job (an attack after a training run, a score after an attack) is added to its own.
 * A training run of a search counts several times, as others follow it one by one.
 *
 * Owner and lifetime: run_order_make makes one, run_order_free frees it. Thread: any, one for each order.
 * Errors: when memory runs out, a job keeps the constant. */
#ifndef GNT_RUN_ORDER_H
#define GNT_RUN_ORDER_H

#include <stddef.h>

typedef struct run_order run_order;

/* Returns an empty order; NULL when out of memory. */
run_order *run_order_make(void);
void run_order_free(run_order *o);

/* True while the time of one more such job improves the estimate. name: of a job, such as
 * "attack t/r0/none/dlg/s1"; attack: its label, or NULL; also below. */
int run_order_wants(run_order *o, const char *name, const char *attack);
void run_order_learn(run_order *o, const char *name, const char *attack, double seconds);
/* Returns the estimated seconds of a job. */
double run_order_seconds(run_order *o, const char *name, const char *attack);
/* Returns the priority: the larger, the earlier. */
double run_order_priority(run_order *o, const char *name, const char *attack);

/* Returns a number for all jobs of one priority, which is found once for a job; and the priority of that
 * number by the times known now, so that many jobs can be compared before each that is started. */
size_t run_order_rank_of(run_order *o, const char *name, const char *attack);
double run_order_rank_priority(run_order *o, size_t rank);

#endif
