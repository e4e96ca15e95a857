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
