/* vertices: points of a space of few dimensions at which many linear forms that are nowhere negative are
 * 0, found by linear programming.
 *
 * The entries of inputs within their range are forms row·q ≥ 0 of the coordinates q. The points where
 * none is negative form a cone; one at which many more entries are on their bound than it has dimensions
 * is an edge of it that many objectives lead to, while other edges are met by few. So minimising random
 * objectives finds the samples with many entries on their bound, however many samples there are: drawing
 * entries that happen to be on their bound for one sample takes a number of tries that rises
 * exponentially with the rank. (Of non-negative factorisations such samples are the extreme rays; Donoho
 * and Stodden, NeurIPS 2003.) */
#ifndef GRADIENT_VERTICES_H
#define GRADIENT_VERTICES_H

#include "gauntlet/plugin.h"

typedef struct vertices {
    const gnt_host *host;
    int64_t n, rank;
    const double *row;   /* n × rank */
    const double *error; /* rank: deviation of this coordinate of each row */
    double length;       /* root mean square of the rows' lengths */
    double *q;           /* rank: where the last search ended, of length 1 once it was polished */
    double deviation;    /* of a polished q */
    int64_t zeros;       /* forms that are 0 there */
    int is_lone;         /* one of these alone determines q in some direction */
    double spent;        /* floating-point operations so far, about */
    /* the simplex method: forms that are 0; directions in which one of them rises to 1 while the others
     * stay, and as the last one the point, whose entries of all rows sum to 1; values of all forms, and
     * their slopes */
    int64_t *active;
    double *edge, *value, *slope;
    double *sum, *cost, *work;
    int is_open; /* edges are those of a point of the cone */
} vertices;

/* Prepares; rank ≥ 2. row, error: the caller's. GNT_OK, or a status after host->fail. */
gnt_status vertices_start(vertices *v, const gnt_host *host, const double *row, const double *error,
                          int64_t n, int64_t rank);

/* Moves to where the objective (rank entries) is least, from where the last search ended. Returns 0 if it
 * did not get there. */
int vertices_descend(vertices *v, const double *objective);

/* Sets an objective that is less the nearer to 0 the forms are that are small where the last search
 * ended: the sum of all, each divided by about its value there (Candès, Wakin and Boyd, Enhancing
 * sparsity by reweighted ℓ1 minimization, 2008). */
void vertices_favour_zeros(const vertices *v, double *objective);

/* Solves for the point at which the forms are 0 that nearly are, so that it is as exact as the noise
 * allows. Returns 0 if these do not determine it. */
int vertices_polish(vertices *v);

#endif
