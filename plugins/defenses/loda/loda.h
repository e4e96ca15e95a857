/* loda: the defense and the attacks made for it, in one shared object because they share the extractor's features. */
#ifndef LODA_H
#define LODA_H

#include <stdint.h>

#include "gauntlet/plugin.h"

extern const gnt_descriptor loda_defense, loda_inverse, loda_kkt;

/* What the defense's parameters "preset" (its number) and "layers" come to, for features_choose. */
const char *loda_layers(int64_t preset, const char *custom);

#endif
