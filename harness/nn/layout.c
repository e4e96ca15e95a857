/* layout: one arena, and a place in it for every buffer and scratch, by first and last use.
 *
 * The steps are taken in their order over all stages. A buffer that a later stage reads, or that is an
 * output, lives to the end, so no later run can overwrite it; everything else may share its place with what
 * lives before or after it. Free places are kept sorted and are filled best fit. */
#include "nn/plan.h"

#include <string.h>

#include "base/mem.h"

enum { ALIGN = 64 };
#define MOST_BYTES ((size_t)1 << 46)

typedef struct block {
    size_t at, size;
} block;

typedef struct space {
    block *free;
    int32_t n, room;
    size_t top;
} space;

static size_t rounded(size_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static int give(space *s, size_t at, size_t size) {
    int32_t low = 0, high = s->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->free[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    int joins_left = low > 0 && s->free[low - 1].at + s->free[low - 1].size == at;
    int joins_right = low < s->n && at + size == s->free[low].at;
    if (joins_left) {
        s->free[low - 1].size += size;
        if (joins_right) {
            s->free[low - 1].size += s->free[low].size;
            memmove(s->free + low, s->free + low + 1, (size_t)(s->n - low - 1) * sizeof *s->free);
            s->n--;
        }
        return 0;
    }
    if (joins_right) {
        s->free[low].at = at;
        s->free[low].size += size;
        return 0;
    }
    if (s->n == s->room) {
        int32_t room = s->room ? s->room * 2 : 64;
        block *grown = gnt_resize(s->free, (size_t)room, sizeof *grown);
        if (!grown)
            return -1;
        s->free = grown;
        s->room = room;
    }
    memmove(s->free + low + 1, s->free + low, (size_t)(s->n - low) * sizeof *s->free);
    s->free[low] = (block){at, size};
    s->n++;
    return 0;
}

static int take(space *s, size_t size, size_t *at) {
    int32_t best = -1;
    for (int32_t i = 0; i < s->n; i++)
        if (s->free[i].size >= size && (best < 0 || s->free[i].size < s->free[best].size))
            best = i;
    if (best >= 0) {
        *at = s->free[best].at;
        s->free[best].at += size;
        s->free[best].size -= size;
    } else if (s->n > 0 && s->free[s->n - 1].at + s->free[s->n - 1].size == s->top) { /* grow the last gap */
        best = s->n - 1;
        *at = s->free[best].at;
        s->top = *at + size;
        s->free[best].size = 0;
    } else {
        *at = s->top;
        s->top += size;
    }
    if (best >= 0 && s->free[best].size == 0) {
        memmove(s->free + best, s->free + best + 1, (size_t)(s->n - best - 1) * sizeof *s->free);
        s->n--;
    }
    return size > MOST_BYTES || s->top > MOST_BYTES ? -1 : 0;
}

static void touch(gnt_plan *plan, int32_t value, int32_t step) {
    if (value < 0)
        return;
    gnt_value *root = &plan->value[plan->value[value].root];
    if (root->first < 0)
        root->first = step;
    root->last = step;
    if (plan->step[step].stage != root->stage)
        root->is_kept = 1;
}

int gnt_plan_layout(gnt_plan *plan) {
    space s = {0};
    int failed = -1;
    for (int32_t i = 0; i < plan->n_steps; i++) {
        touch(plan, plan->step[i].out, i);
        for (int k = 0; k < 3; k++)
            touch(plan, plan->step[i].in[k], i);
    }
    for (int32_t i = 0; i < plan->n_outputs; i++)
        plan->value[plan->value[plan->output[i]].root].is_kept = 1;
    for (int32_t i = 0; i < plan->n_steps; i++) {
        gnt_step *t = &plan->step[i];
        gnt_value *out = &plan->value[t->out];
        if (out->first == i && take(&s, rounded(out->bytes), &out->at))
            goto cleanup;
        if (t->scratch > 0 &&
            (take(&s, rounded(t->scratch), &t->scratch_at) || give(&s, t->scratch_at, rounded(t->scratch))))
            goto cleanup;
        for (int k = -1; k < 3; k++) {
            int32_t used = k < 0 ? t->out : t->in[k];
            if (used < 0)
                continue;
            gnt_value *root = &plan->value[plan->value[used].root];
            if (root->is_input || root->is_kept || root->is_free || root->last != i)
                continue;
            root->is_free = 1; /* once, though an operand may stand twice */
            if (give(&s, root->at, rounded(root->bytes)))
                goto cleanup;
        }
    }
    plan->arena = s.top;
    failed = 0;
cleanup:
    gnt_free(s.free);
    return failed;
}
