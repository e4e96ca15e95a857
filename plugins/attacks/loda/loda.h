/* The attacks made for the defense loda, in one shared object because they share their search. */
#ifndef LODA_H
#define LODA_H

#include "gauntlet/plugin.h"

extern const gnt_descriptor loda_inverse, loda_kkt;

#endif
