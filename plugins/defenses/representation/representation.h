/* Defenses that train a shared feature extractor so that its representation hides an attribute. */
#ifndef REPRESENTATION_H
#define REPRESENTATION_H

#include "extractor.h"

extern const gnt_descriptor tappfl_descriptor;

#endif
