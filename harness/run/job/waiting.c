#include "run/job/waiting.h"

#include "base/mem.h"

int run_queue_reserve(run_queue *q, size_t n) {
    enum { FIRST_ROOM = 16 };
    if (n <= q->room)
        return 0;
    const size_t room = n < FIRST_ROOM ? FIRST_ROOM : n > 2 * q->room ? n : 2 * q->room;
    size_t *at = gnt_resize(q->at, room, sizeof *at);
    if (!at)
        return -1;
    q->at = at;
    q->room = room;
    return 0;
}

void run_queue_add(run_queue *q, size_t number) {
    size_t i = q->n++;
    for (; i > 0 && q->at[(i - 1) / 2] > number; i = (i - 1) / 2)
        q->at[i] = q->at[(i - 1) / 2];
    q->at[i] = number;
}

int run_queue_take(run_queue *q, size_t *number) {
    if (q->n == 0)
        return 0;
    *number = q->at[0];
    const size_t last = q->at[--q->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < q->n; i = child) {
        if (child + 1 < q->n && q->at[child + 1] < q->at[child])
            child++;
        if (q->at[child] >= last)
            break;
        q->at[i] = q->at[child];
    }
    q->at[i] = last;
    return 1;
}

void run_queue_free(run_queue *q) {
    gnt_free(q->at);
    *q = (run_queue){0};
}

void run_wait_for(run_waiter *w, run_waiter **list) {
    w->next = *list;
    *list = w;
}

void run_wake(run_waiter **list) {
    for (run_waiter *w = *list, *next; w; w = next) {
        next = w->next;
        w->next = NULL;
        run_queue_add(w->queue, w->number);
    }
    *list = NULL;
}
