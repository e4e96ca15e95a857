/* leak: what a defense leaks under a measure, as far as defenses may be ordered by it.
 *
 * Who never saw an update can still guess: the mean public image, the nearest public one, noise, the
 * commonest class. An attack that scores worse than such a guess, the floor, found nothing, and how much
 * worse says nothing of the defense: an attacker would answer with the guess. So the leakage is the worse of
 * the two, and all below a floor are level. A floor is a number without a spread: of an interval only what
 * leaks more than it is left. */
#ifndef GNT_METRIC_LEAK_H
#define GNT_METRIC_LEAK_H

#include <stddef.h>

#include "metric/measure.h"

typedef struct gnt_leak {
    double mean, low, high; /* low … high: the interval of the mean; NAN when unknown */
} gnt_leak;

/* Why a place is shared; both reasons are the sum of either. */
typedef enum gnt_tie {
    GNT_NOT_TIED,
    /* the difference in leakage is not significant */
    GNT_TIED_BY_CHANCE,
    /* the one that leaks less left less utility */
    GNT_TIED_BY_UTILITY,
    GNT_TIED_BY_BOTH = GNT_TIED_BY_CHANCE + GNT_TIED_BY_UTILITY
} gnt_tie;

/* The place of a leakage among others. */
typedef struct gnt_leak_place {
    gnt_leak leak;
    /* by how much the utility at which it leaks that is better than the target; NAN: unknown */
    double surplus;
    int at_target; /* surplus 0: read off a curve at exactly the target */
    int exhausted; /* it left that surplus at its strongest setting, or has no strength */
    /* brought by another contributor than the first: it changes no other row's place (judge/places.h) */
    int guest;
    int rank;     /* from 1 */
    gnt_tie tied; /* of all with which it is */
} gnt_leak_place;

/* True if a mean leaks no more than the floor; a floor that is NAN lies below everything. */
int gnt_leak_is_floored(const gnt_measure *m, double mean, double floor);
/* Returns the worse of a leakage and the floor, end by end. What is unknown stays unknown. */
gnt_leak gnt_leak_above(const gnt_measure *m, gnt_leak x, double floor);
/* True if a surely leaks less than b: their intervals do not touch. An unknown interval decides nothing. */
int gnt_leak_surely_less(const gnt_measure *m, const gnt_leak *a, const gnt_leak *b);

#endif
