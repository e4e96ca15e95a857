/* Defenses that train a shared feature extractor so that its representation hides an attribute. */
#ifndef REPRESENTATION_H
#define REPRESENTATION_H

#include "extractor.h"

extern const gnt_defense representation_hooks;

/* The rows with which their tables begin. */
#define REPRESENTATION_ROWS                                                                                  \
    GNT_STRENGTH_REAL_ID("lambda", extractor, setting.lambda, 0, 1, 0.5, GNT_SCALE_LINEAR, 1, "",            \
                         "λ: how much hiding the attribute counts against keeping the rest, 0 to 1"),        \
        GNT_INT_ID("pretrain", extractor, setting.pretrain, 0, 1000000, 0, "rounds",                         \
                   "first rounds, in which λ is 0"),                                                         \
        GNT_REAL_ID("side_rate", extractor, setting.rate, 0, 10, 0, GNT_SCALE_LINEAR, "",                    \
                    "learning rate of the networks beside the extractor; 0: that of the clients, as in the " \
                    "paper"),                                                                                \
        GNT_REAL_ID("g_rate", extractor, setting.g_rate, 0, 10, 0, GNT_SCALE_LINEAR, "",                     \
                    "learning rate of g instead; 0: as `side_rate` says"),                                   \
        GNT_REAL_ID("width", extractor, setting.width, 0.001, 4, 1, GNT_SCALE_LINEAR, "",                    \
                    "how wide the layers of these networks are; 1: as published"),                           \
        GNT_REAL_ID("g_width", extractor, setting.g_width, 0, 4, 0, GNT_SCALE_LINEAR, "",                    \
                    "how wide those of g, and of a task's head, are instead; 0: as `width` says"),           \
        GNT_REAL_ID(                                                                                         \
            "validation", extractor, setting.validation, 0, 0.9, 0, GNT_SCALE_LINEAR, "",                    \
            "share of a device's samples on which g is tried in the end, and nothing is learnt from")

extern const gnt_descriptor tappfl_descriptor, adversarial_descriptor, dpfe_descriptor;

#endif
