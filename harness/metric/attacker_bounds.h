/* attacker_bounds: bounds on how often any attacker can be right, from the information on an attribute that
 * is left. Pure. */
#ifndef GNT_METRIC_ATTACKER_BOUNDS_H
#define GNT_METRIC_ATTACKER_BOUNDS_H

#include <stdint.h>

/* TAPPFL, Theorem 2: of an attribute of two values of which `bits` are unknown, H(u|r), nobody is right more
 * often than this. 1 where nothing is unknown; NaN of a NaN. */
double gnt_bound_of_two(double bits);
/* The same by Fano's inequality, of any number of values from 2: the greatest accuracy a with H₂(a) +
 * (1 − a)·log₂(values − 1) ≥ bits. It is the tighter of the two. */
double gnt_bound_of_values(double bits, int32_t values);

#endif
