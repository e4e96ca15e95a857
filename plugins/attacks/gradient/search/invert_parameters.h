/* invert_parameters: the rows with which the tables of invert-gradients and lrp-search begin, in the order
 * of INVERT_STEPS and its like. */
#ifndef GRADIENT_INVERT_PARAMETERS_H
#define GRADIENT_INVERT_PARAMETERS_H

#include "search/invert.h"
#include "defense/survivors.h"

/* How long a restart is and what `tv` means differ. */
#define INVERT_ROWS(usual_steps, usual_tv, tv_help)                                                          \
    {.id = "steps",                                                                                          \
     .type = GNT_TYPE_INT,                                                                                   \
     .unit = "steps",                                                                                        \
     .least = 1,                                                                                             \
     .most = 10000000,                                                                                       \
     .preset = (usual_steps),                                                                                \
     .help = "steps of each restart; a suite's budget is shared among the restarts instead"},                \
        {.id = "rate",                                                                                       \
         .type = GNT_TYPE_REAL,                                                                              \
         .scale = GNT_SCALE_LOG,                                                                             \
         .unit = "",                                                                                         \
         .least = 1e-6,                                                                                      \
         .most = 10,                                                                                         \
         .preset = 0.1,                                                                                      \
         .help = "Adam's first learning rate, in the model's normalised space"},                             \
        {.id = "milestones",                                                                                 \
         .type = GNT_TYPE_REAL_LIST,                                                                         \
         .unit = "fraction of steps",                                                                        \
         .least = 0,                                                                                         \
         .most = 1,                                                                                          \
         .preset_text = "[0.375, 0.625, 0.875]",                                                             \
         .help = "where the rate is multiplied by decay"},                                                   \
        {.id = "decay",                                                                                      \
         .type = GNT_TYPE_REAL,                                                                              \
         .scale = GNT_SCALE_LOG,                                                                             \
         .unit = "",                                                                                         \
         .least = 1e-6,                                                                                      \
         .most = 1,                                                                                          \
         .preset = 0.1,                                                                                      \
         .help = "factor of the rate at each milestone"},                                                    \
        {.id = "signed",                                                                                     \
         .type = GNT_TYPE_CHOICE,                                                                            \
         .unit = "",                                                                                         \
         .preset_text = "auto",                                                                              \
         .choices = invert_signed_choices,                                                                   \
         .help = "Adam sees the sign of the gradient only; not of a likelihood. auto: unless 1,000 steps "   \
                 "or more go through a network without kinks (ReLU, max pooling)"},                          \
        {.id = "tv",                                                                                         \
         .type = GNT_TYPE_REAL,                                                                              \
         .scale = GNT_SCALE_LINEAR,                                                                          \
         .unit = "",                                                                                         \
         .least = 0,                                                                                         \
         .most = 1000,                                                                                       \
         .preset = (usual_tv),                                                                               \
         .help = tv_help},                                                                                   \
        {.id = "restarts",                                                                                   \
         .type = GNT_TYPE_INT,                                                                               \
         .unit = "restarts",                                                                                 \
         .least = 1,                                                                                         \
         .most = 1000,                                                                                       \
         .preset = 1,                                                                                        \
         .help = "starts from fresh noise, of which the least cost wins"},                                   \
        {.id = "mask_zeros",                                                                                 \
         .type = GNT_TYPE_CHOICE,                                                                            \
         .unit = "",                                                                                         \
         .preset_text = "auto",                                                                              \
         .choices = survivors_choices,                                                                       \
         .help = "match only entries that are not zero: auto does in updates that look pruned, or in "       \
                 "zeroed columns"},                                                                          \
    {                                                                                                        \
        .id = "outliers", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = "auto",                        \
        .choices = outliers_choices, .help = OUTLIERS_HELP                                                   \
    }

#define INVERT_COMMON_ROWS INVERT_ROWS(4800, 1e-4, "weight of the total variation prior; images only")

#endif
