/* Attacks that infer a private attribute from an update, learnt from updates of shadow samples. What is
 * made of an update and the network are shared with the defenses that act against such networks
 * (shared/attribute). */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include "gauntlet/plugin.h"

extern const gnt_descriptor attr_nn_descriptor;

#endif
