/* steps: the list of a plan's steps. */
#include "base/mem.h"
#include "nn/plan/nn_plan.h"

gnt_nn_plan_step *gnt_nn_plan_add(gnt_nn_plan *plan, const gnt_nn_plan_step *s) {
    if (GNT_GROW(plan->step, plan->n_steps) != 0)
        return NULL;
    plan->step[plan->n_steps] = *s;
    return &plan->step[plan->n_steps++];
}
