/* layout: places all buffers in one arena by first and last use, after the scratch of the running step.
 *
 * The steps are taken in their order over all stages. A buffer that a later stage reads, or that is an
 * output, lives to the end, so no later run can overwrite it; everything else may share its place with what
 * lives before or after it. Free places are kept sorted and are filled best fit. */
#include "nn/plan/nn_plan.h"

#include <string.h>

#include "base/mem.h"

enum { ALIGN = 64 };
#define MOST_BYTES ((size_t)1 << 46)

typedef struct block {
    size_t at, size;
} block;

typedef struct space {
    block *free;
    int32_t n;
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
    if (GNT_GROW(s->free, s->n) != 0)
        return -1;
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

static void touch(gnt_nn_plan *plan, int32_t value, int32_t step) {
    if (value < 0)
        return;
    gnt_nn_plan_value *root = &plan->value[plan->value[value].root];
    if (root->first < 0)
        root->first = step;
    root->last = step;
    if (plan->step[step].stage != root->stage)
        root->is_kept = 1;
}

/* Notes the first and last use of all values that step i writes and reads. */
static void touch_all(gnt_nn_plan *plan, int32_t i) {
    const gnt_nn_plan_step *t = &plan->step[i];
    touch(plan, t->out, i);
    for (int k = 0; k < 3; k++)
        touch(plan, t->in[k], i);
    for (int32_t k = 0; t->op == GNT_STEP_CHAIN && k < t->u.chain->n_slots; k++)
        touch(plan, t->u.chain->slot[k].value, i);
}

static int make(gnt_nn_plan *plan, space *s, int32_t value, int32_t step) {
    gnt_nn_plan_value *v = value < 0 ? NULL : &plan->value[value];
    if (!v || v->first != step || v->is_placed)
        return 0;
    v->is_placed = 1;
    return take(s, rounded(v->bytes), &v->at);
}

static int drop(gnt_nn_plan *plan, space *s, int32_t value, int32_t step) {
    gnt_nn_plan_value *root = value < 0 ? NULL : &plan->value[plan->value[value].root];
    if (!root || root->is_input || root->is_kept || root->is_free || root->last != step)
        return 0;
    root->is_free = 1; /* once, though an operand may be listed twice */
    return give(s, root->at, rounded(root->bytes));
}

/* True if output slot y of a chain may reuse the buffer of slot x: x ends here, nothing else in the chain
 * reads its buffer, and no operation reads x after y is written. */
static int can_take_over(const gnt_nn_plan *plan, const gnt_fused_chain *c, int32_t y, int32_t x,
                         int32_t step) {
    const gnt_fused_slot *from = &c->slot[x];
    if (from->value < 0 || !from->moves || from->output || from->last_op > c->slot[y].first_op)
        return 0;
    const gnt_nn_plan_value *v = &plan->value[from->value], *root = &plan->value[v->root];
    if (root->is_input || root->is_kept || root->is_free || root->last != step || v->offset != 0 ||
        root->bytes != plan->value[c->slot[y].value].bytes)
        return 0;
    for (int32_t k = 0; k < c->n_slots; k++)
        if (k != x && c->slot[k].value >= 0 && plan->value[c->slot[k].value].root == v->root)
            return 0;
    return 1;
}

static int make_chain(gnt_nn_plan *plan, space *s, const gnt_fused_chain *c, int32_t step) {
    for (int32_t y = 0; y < c->n_slots; y++) {
        if (!c->slot[y].output)
            continue;
        gnt_nn_plan_value *v = &plan->value[c->slot[y].value];
        for (int32_t x = 0; x < c->n_slots && c->slot[y].moves && !v->is_placed; x++)
            if (can_take_over(plan, c, y, x, step)) {
                gnt_nn_plan_value *root = &plan->value[plan->value[c->slot[x].value].root];
                root->is_free = 1;
                v->is_placed = 1;
                v->at = root->at;
            }
        if (make(plan, s, c->slot[y].value, step))
            return -1;
    }
    return 0;
}

static int place_step(gnt_nn_plan *plan, space *s, int32_t i) {
    const gnt_nn_plan_step *t = &plan->step[i];
    if (t->op != GNT_STEP_CHAIN) {
        int failed = make(plan, s, t->out, i) || drop(plan, s, t->out, i);
        for (int k = 0; k < 3 && !failed; k++)
            failed = drop(plan, s, t->in[k], i);
        return failed;
    }
    int failed = make_chain(plan, s, t->u.chain, i);
    for (int32_t k = 0; k < t->u.chain->n_slots && !failed; k++)
        failed = drop(plan, s, t->u.chain->slot[k].value, i);
    return failed;
}

int gnt_nn_plan_layout(gnt_nn_plan *plan) {
    space s = {0};
    int failed = 0;
    for (int32_t i = 0; i < plan->n_steps; i++) {
        touch_all(plan, i);
        size_t bytes = rounded(plan->step[i].scratch);
        plan->scratch = bytes > plan->scratch ? bytes : plan->scratch;
    }
    for (int32_t i = 0; i < plan->n_outputs; i++)
        plan->value[plan->value[plan->output[i]].root].is_kept = 1;
    s.top = plan->scratch;
    for (int32_t i = 0; i < plan->n_steps && !failed; i++)
        failed = place_step(plan, &s, i);
    plan->arena = s.top;
    gnt_free(s.free);
    return failed || s.top > MOST_BYTES ? -1 : 0;
}
