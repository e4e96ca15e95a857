/* attr_parameters: rows that the tables of several plugins have in common: training of networks, reading of
 * updates, and the validation of classifiers. */
#ifndef ATTRIBUTE_ATTR_PARAMETERS_H
#define ATTRIBUTE_ATTR_PARAMETERS_H

#include "shared/attribute/attr_net.h"
#include "shared/attribute/attr_table.h"

extern const char *const attr_weightings[];

/* Rows for the members of an attr_recipe, or an attr_reading, of the plugin's struct T. */
#define ATTR_SGD_MEMBERS(T, recipe)                                                                          \
    GNT_INT_ID("epochs", T, recipe.epochs, 1, 100000, 80, "epochs",                                          \
               "passes over the training part of the shadow updates"),                                       \
        GNT_REAL_ID("rate", T, recipe.rate, 1e-6, 10, 0.01, GNT_SCALE_LOG, "",                               \
                    "learning rate of SGD; where training diverges it starts again with a quarter of it"),   \
        GNT_REAL_ID("momentum", T, recipe.momentum, 0, 0.999, 0.9, GNT_SCALE_LINEAR, "",                     \
                    "of SGD; 0 is plain SGD, as in the paper, which takes more updates to learn as much"),   \
        GNT_INT_ID("batch", T, recipe.batch, 1, 65536, 32, "updates", "shadow updates in a step of SGD")

#define ATTR_POOLING_MEMBERS(T, reading)                                                                     \
    GNT_INT_ID("window", T, reading.window, 0, 1000000000, 0, "entries",                                     \
               "width of max pooling over the flat update; 1: none; 0: the least that leaves at most "       \
               "`inputs`"),                                                                                  \
        GNT_INT_ID("inputs", T, reading.inputs, 1, 1000000, 1024, "entries",                                 \
                   "greatest number of pooled entries where the window is chosen by itself")

/* balanced: member, 1 if rare values count as much as common ones. use: purpose of the validation part,
 * and what 0 means. */
#define ATTR_JUDGING_MEMBERS(T, reading, balanced, use)                                                      \
    GNT_REAL_ID("validation", T, reading.share, 0, 0.5, 0.2, GNT_SCALE_LINEAR, "",                           \
                "share of the shadow updates kept out of training, " use),                                   \
        GNT_CHOICE_ID("weights", T, balanced, attr_weightings, "none",                                       \
                      "balanced: rare values of the attribute count in training and in validation as much "  \
                      "as common ones")

#define ATTR_BEST_EPOCH "on which each network's best epoch is chosen; 0: the last epoch is taken"

#endif
