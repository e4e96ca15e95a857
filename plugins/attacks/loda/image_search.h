/* image_search: descent on a cost of n independent images at once, within the box. */
#ifndef LODA_IMAGE_SEARCH_H
#define LODA_IMAGE_SEARCH_H

#include "gauntlet/plugin.h"

enum { SEARCH_NORMALISED, SEARCH_ADAM };
extern const char *const search_names[]; /* "normalised", "adam" */

typedef struct search {
    const gnt_host *host;
    int64_t n, pixels, steps;
    double rate; /* normalised: length of a step, L2 over the image; adam: its learning rate */
    int64_t how;
    /* Computes the costs of the images at x, and the gradient of each. */
    gnt_status (*cost)(void *context, const float *x, double *cost, float *grad);
    /* Called with x after each step; may be NULL. */
    void (*watch)(void *watcher, int64_t step, const float *x);
    void *context, *watcher;
    double done, all; /* for progress: steps before this search, and of all */
} search;

/* Searches from x, which becomes the result. total: steps + 1 entries, to which the costs at every step are
 * added. */
gnt_status search_run(const search *s, float *x, double *total);

enum { START_PUBLIC, START_MEAN, START_NOISE };
extern const char *const start_names[]; /* "public", "mean", "noise" */
/* Sets the starts of the searches for n encodings: a random public image, the mean of them, or noise, also if
 * there is no public data. Never the encoding itself, where the residual is trivially zero. */
void search_start(const gnt_host *host, int64_t how, const gnt_samples *public_data, const float *encoded,
                  int64_t n, int64_t pixels, float *x);

/* Replaces every start that is its encoding by noise. */
void search_keep_off(const gnt_host *host, const float *encoded, int64_t n, int64_t pixels, float *x);

#endif
