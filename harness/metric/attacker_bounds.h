/* attacker_bounds: bounds on how often any attacker can be right, from the information on an attribute that
 * is left. Pure. */
#ifndef GNT_METRIC_ATTACKER_BOUNDS_H
#define GNT_METRIC_ATTACKER_BOUNDS_H

#include <stdint.h>

/* Returns the greatest accuracy of an inference of an attribute of two values of which `bits` are unknown,
 * H(u|r): TAPPFL, Theorem 2. 1 if nothing is unknown; NaN of a NaN. */
double gnt_bound_of_two(double bits);
/* Returns the same by Fano's inequality, for any number of values from 2: the greatest accuracy a with
 * H₂(a) + (1 − a)·log₂(values − 1) ≥ bits. It is the tighter of the two. */
double gnt_bound_of_values(double bits, int32_t values);

#endif
