/* Defenses that train a shared feature extractor so that its representation hides an attribute. */
#ifndef REPRESENTATION_H
#define REPRESENTATION_H

#include "extractor.h"

/* The rows with which their tables begin, and what they say. */
enum {
    REPRESENTATION_LAMBDA,
    REPRESENTATION_PRETRAIN,
    REPRESENTATION_RATE,
    REPRESENTATION_G_RATE,
    REPRESENTATION_WIDTH,
    REPRESENTATION_G_WIDTH,
    REPRESENTATION_VALIDATION,
    REPRESENTATION_COMMON
};
extractor_setting representation_setting(const gnt_value *v, objective_build *build, double sign);
extern const gnt_defense representation_hooks;

/* clang-format off */
#define REPRESENTATION_ROWS                                                                                  \
    {.id = "lambda", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 1, .preset = 0.5, .strength = 1, \
     .help = "λ: how much hiding the attribute counts against keeping the rest, 0 to 1"},                    \
    {.id = "pretrain", .type = GNT_TYPE_INT, .unit = "rounds", .least = 0, .most = 1000000, .preset = 0,     \
     .help = "first rounds, in which λ is 0"},                                                               \
    {.id = "side_rate", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 10, .preset = 0,              \
     .help = "learning rate of the networks beside the extractor; 0: that of the clients, as in the paper"}, \
    {.id = "g_rate", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 10, .preset = 0,                 \
     .help = "learning rate of g instead; 0: as `side_rate` says"},                                          \
    {.id = "width", .type = GNT_TYPE_REAL, .unit = "", .least = 0.001, .most = 4, .preset = 1,               \
     .help = "how wide the layers of these networks are; 1: as published"},                                  \
    {.id = "g_width", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 4, .preset = 0,                 \
     .help = "how wide those of g, and of a task's head, are instead; 0: as `width` says"},                  \
    {.id = "validation", .type = GNT_TYPE_REAL, .unit = "", .least = 0, .most = 0.9, .preset = 0,            \
     .help = "share of a device's samples on which g is tried in the end, and nothing is learnt from"}
/* clang-format on */

extern const gnt_descriptor tappfl_descriptor, adversarial_descriptor, dpfe_descriptor;

#endif
