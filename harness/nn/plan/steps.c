/* steps: the growing list of a plan's steps. */
#include "base/mem.h"
#include "nn/plan/plan.h"

gnt_nn_plan_step *gnt_nn_plan_add(gnt_nn_plan *plan, const gnt_nn_plan_step *s) {
    if (plan->n_steps == plan->room_steps) {
        int32_t room = plan->room_steps ? plan->room_steps * 2 : 64;
        gnt_nn_plan_step *grown = gnt_resize(plan->step, (size_t)room, sizeof *grown);
        if (!grown)
            return NULL;
        plan->step = grown;
        plan->room_steps = room;
    }
    plan->step[plan->n_steps] = *s;
    return &plan->step[plan->n_steps++];
}
