/* waiting: what waits for what, so that the end of one job costs as much work as it makes possible and not a
 * look at all jobs. Whatever waits is in the list of the one thing that it waits for; once that has happened,
 * its number goes into a queue, from which the lowest is taken first, whatever the order in which they came.
 *
 * Owner and lifetime: a waiter is part of what waits, a list of what is waited for; both must not move in
 * memory. run_queue_free frees a queue. Thread: the scheduler's only one. Errors: −1 when out of memory. */
#ifndef GNT_RUN_WAITING_H
#define GNT_RUN_WAITING_H

#include <stddef.h>

/* Numbers, each at most once: a heap whose top is the lowest. */
typedef struct run_queue {
    size_t *at;
    size_t n, room;
} run_queue;

/* Makes room for n numbers in all. */
int run_queue_reserve(run_queue *q, size_t n);
/* Adds a number, for which there must be room. */
void run_queue_add(run_queue *q, size_t number);
/* Takes the lowest number; false if there is none. */
int run_queue_take(run_queue *q, size_t *number);
void run_queue_free(run_queue *q);

/* The queue that a number of its own goes into. It waits for one thing at a time. */
typedef struct run_waiter {
    run_queue *queue;
    size_t number;
    struct run_waiter *next;
} run_waiter;

/* Puts it into a list. It must be in none, and its number in no queue. */
void run_wait_for(run_waiter *w, run_waiter **list);
/* Empties a list into the queues. */
void run_wake(run_waiter **list);

#endif
