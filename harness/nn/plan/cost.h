/* cost: flops and bytes of a plan and its steps; see program.h for what counts. */
#ifndef GNT_NN_COST_H
#define GNT_NN_COST_H

#include "nn/plan/nn_plan.h"
#include "nn/plan/program.h"

gnt_step_cost gnt_cost_of_step(const gnt_nn_plan *plan, const gnt_nn_plan_step *s);
gnt_program_size
gnt_cost_of_plan(const gnt_nn_plan *plan); /* except graph_nodes, which a plan does not know */

#endif
