/* entry_mix: a matrix of which each entry belongs to one of a few matrices of rank one.
 *
 *     m_ij = u_ki v_kj for one k of each (i, j)
 *
 * as in a layer's update that is made of the entries of several samples' updates. Two rows whose entries in
 * column j both belong to k have the quotient u_ki / u_ri there, whatever j is: quotients of two rows pile up
 * at one value for each k, and scatter elsewhere. The columns of such a pile start a fit, in which u_i and
 * v_j are the values on which most entries of their row or column agree, in turn. No entry belongs to more
 * than one k, so the next fit uses the entries that are left. Where whole rows belong to one k, and columns
 * are equal in all, as a normalised background is, a fit takes rows of several together: such matrices are
 * for linear_mixed.c. */
#ifndef GRADIENT_ENTRY_MIX_H
#define GRADIENT_ENTRY_MIX_H

#include <stdint.h>

enum { ENTRY_MIX_MOST = 4 };

typedef struct entry_mix {
    int64_t rows, columns;
    const double *m; /* rows × columns; 0: nothing is known of the entry */
    /* work, of the caller: */
    double *value;   /* the larger of rows and columns */
    double *u, *v;   /* ENTRY_MIX_MOST × rows, ENTRY_MIX_MOST × columns; NaN: not known */
    double *us, *vs; /* rows, columns */
    uint8_t *left;   /* rows × columns */
    /* the result: */
    int64_t n;        /* matrices found, those with most entries first */
    double explained; /* share of the entries that are not 0 */
} entry_mix;

/* Fills in the result and the first n parts of u and v. The search calls `may_go_on` between the steps of a
 * fit, and ends if that returns 0. */
void entry_mix_find(entry_mix *e, int (*may_go_on)(void *user), void *user);

#endif
