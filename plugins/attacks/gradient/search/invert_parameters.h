/* invert_parameters: the rows with which the tables of invert-gradients and lrp-search begin. */
#ifndef GRADIENT_INVERT_PARAMETERS_H
#define GRADIENT_INVERT_PARAMETERS_H

#include "search/invert.h"
#include "defense/survivors.h"

/* How long a restart is and what `tv` means differ. */
#define INVERT_ROWS(usual_steps, usual_tv, tv_help)                                                          \
    GNT_INT(invert, steps, 1, 10000000, (usual_steps), "steps",                                              \
            "steps of each restart; a suite's budget is shared among the restarts instead"),                 \
        GNT_REAL(invert, rate, 1e-6, 10, 0.1, GNT_SCALE_LOG, "",                                             \
                 "Adam's first learning rate, in the model's normalised space"),                             \
        GNT_REAL_LIST(invert, milestones, 0, 1, "[0.375, 0.625, 0.875]", "fraction of steps",                \
                      "where the rate is multiplied by decay"),                                              \
        GNT_REAL(invert, decay, 1e-6, 1, 0.1, GNT_SCALE_LOG, "", "factor of the rate at each milestone"),    \
        GNT_CHOICE_ID(                                                                                       \
            "signed", invert, signs, invert_signed_choices, "auto",                                          \
            "Adam sees the sign of the gradient only; not of a likelihood. auto: unless 1,000 steps "        \
            "or more go through a network without kinks (ReLU, max pooling)"),                               \
        GNT_REAL(invert, tv, 0, 1000, (usual_tv), GNT_SCALE_LINEAR, "", tv_help),                            \
        GNT_INT(invert, restarts, 1, 1000, 1, "restarts",                                                    \
                "starts from fresh noise, of which the least cost wins"),                                    \
        GNT_CHOICE_ID("mask_zeros", invert, choice.mask_zeros, survivors_choices, "auto",                    \
                      "match only entries that are not zero: auto does in updates that look pruned, or in "  \
                      "zeroed columns"),                                                                     \
        GNT_CHOICE_ID("outliers", invert, choice.outliers, outliers_choices, "auto", OUTLIERS_HELP)

#define INVERT_BN_HELP                                                                                       \
    "weight of the batch-norm statistics prior, 0: none; below 0: 0.1 where the batch's are granted, or "    \
    "sent "                                                                                                  \
    "without known noise (10 against an update with known noise after one step), else 0"

#define INVERT_COMMON_ROWS INVERT_ROWS(4800, 1e-4, "weight of the total variation prior; images only")

#endif
