/* parameters: those that several plugins have in common, as rows for their tables: how networks are trained,
 * how updates are read, and what classifiers are judged on. A table names each group of rows by the place of
 * its first and hands the values from there on to the group's reader. */
#ifndef ATTRIBUTE_PARAMETERS_H
#define ATTRIBUTE_PARAMETERS_H

#include "shared/attribute/net.h"
#include "shared/attribute/table.h"

/* How many rows each group has. */
enum { ATTR_SGD = 4, ATTR_POOLING = 2, ATTR_JUDGING = 2 };

/* Each takes the values from the group's first on, and leaves what else the structs hold. */
void attr_read_sgd(attr_recipe *recipe, const gnt_value *first);
void attr_read_pooling(attr_reading *reading, const gnt_value *first);
/* Gives 1 where rare values are to count as much as common ones. */
int attr_read_judging(attr_reading *reading, const gnt_value *first);

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

/* clang-format off */
#define ATTR_SGD_ROWS                                                                                        \
    {.id = "epochs", .type = GNT_TYPE_INT, .unit = "epochs", .least = 1, .most = 100000, .preset = 80,       \
     .help = "passes over the training part of the shadow updates"},                                         \
    {.id = "rate", .type = GNT_TYPE_REAL, .scale = GNT_SCALE_LOG, .unit = "", .least = 1e-6, .most = 10,     \
     .preset = 0.01,                                                                                         \
     .help = "learning rate of SGD; where training diverges it starts again with a quarter of it"},          \
    {.id = "momentum", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 0.999, .preset = 0.9,          \
     .help = "of SGD; 0 is plain SGD, as in the paper, which takes more updates to learn as much"},          \
    {.id = "batch", .type = GNT_TYPE_INT, .unit = "updates", .least = 1, .most = 65536, .preset = 32,        \
     .help = "shadow updates in a step of SGD"}

#define ATTR_POOLING_ROWS                                                                                    \
    {.id = "window", .type = GNT_TYPE_INT, .unit = "entries", .least = 0, .most = 1000000000, .preset = 0,   \
     .help = "width of max pooling over the flat update; 1: none; 0: the least that leaves at most "         \
             "`inputs`"},                                                                                    \
    {.id = "inputs", .type = GNT_TYPE_INT, .unit = "entries", .least = 1, .most = 1000000, .preset = 1024,   \
     .help = "greatest number of pooled entries where the window is chosen by itself"}

/* use: what the validation part is for, and what 0 means. */
#define ATTR_JUDGING_ROWS(use)                                                                               \
    {.id = "validation", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 0.5, .preset = 0.2,          \
     .help = "share of the shadow updates kept out of training, " use},                                      \
    {.id = "weights", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = "none",                            \
     .choices = attr_weightings,                                                                             \
     .help = "balanced: rare values of the attribute count in training and in validation as much as "        \
             "common ones"}
/* clang-format on */

#define ATTR_BEST_EPOCH "on which each network's best epoch is chosen; 0: the last epoch is taken"

#endif
