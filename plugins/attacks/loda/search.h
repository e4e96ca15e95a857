/* search: descent on a cost of n images at once, each by itself, within the box. What the two attacks
 * share. */
#ifndef LODA_SEARCH_H
#define LODA_SEARCH_H

#include "gauntlet/plugin.h"

enum { SEARCH_NORMALISED, SEARCH_ADAM };
extern const char *const search_names[]; /* "normalised", "adam" */

typedef struct search {
    const gnt_host *host;
    int64_t n, pixels, steps;
    double rate; /* normalised: length of a step, L2 over the image; adam: its learning rate */
    int how;
    /* Costs of the images at x, and the gradient of each by itself. */
    gnt_status (*cost)(void *context, const float *x, double *cost, float *grad);
    /* Shown x after each step; may be NULL. */
    void (*watch)(void *watcher, int64_t step, const float *x);
    void *context, *watcher;
    double done, all; /* for progress: steps before this search, and of all */
} search;

/* x: the starts, which become the result. total: steps + 1 entries, to which the costs
 * at every step are added. */
gnt_status search_run(const search *s, float *x, double *total);

enum { START_PUBLIC, START_MEAN, START_NOISE };
extern const char *const start_names[]; /* "public", "mean", "noise" */
/* Where the searches for n encodings begin: a random public image, the mean of them, or noise, and
 * noise in the place of either where there is no public data. Never at the encoding itself, where the
 * residual is zero for no reason. */
void search_start(const gnt_host *host, int how, const gnt_samples *public_data, const float *encoded,
                  int64_t n, int64_t pixels, float *x);

/* Puts noise in the place of every start that is its encoding. */
void search_keep_off(const gnt_host *host, const float *encoded, int64_t n, int64_t pixels, float *x);

#endif
