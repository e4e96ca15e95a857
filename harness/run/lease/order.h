/* order: which of several ready jobs to start first when several machines share a run: long ones, and those
 * that much waits for. The time of a job is estimated by the mean over jobs like it, in the store or of this
 * run, else by a constant for its kind. It decides nothing but the order.
 *
 * Jobs are alike that are of one kind, task and attack. To a job's own time is added that of what a cell
 * still needs behind it (an attack behind a training, a score behind an attack), by the longest such. A
 * training of a search counts for several: others follow it one by one.
 *
 * Owner and lifetime: run_order_make makes one, run_order_free frees it. Thread: any, one for an
 * order. Errors: running out of memory leaves a job with the guess. */
#ifndef GNT_RUN_ORDER_H
#define GNT_RUN_ORDER_H

#include <stddef.h>

typedef struct run_order run_order;

/* Returns an empty order; NULL when out of memory. */
run_order *run_order_make(void);
void run_order_free(run_order *o);

/* name: of a job, such as "attack t/r0/none/dlg/s1"; attack: its label, or NULL. */
/* True while the time of one more job like this is of use. */
int run_order_wants(run_order *o, const char *name, const char *attack);
void run_order_learn(run_order *o, const char *name, const char *attack, double seconds);
/* Returns the seconds that a job like this takes. */
double run_order_seconds(run_order *o, const char *name, const char *attack);
/* Returns the priority: the larger, the earlier. */
double run_order_priority(run_order *o, const char *name, const char *attack);

#endif
