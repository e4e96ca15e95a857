/* likely_search: what the attacks that search by the noise of each layer (whitening.h) share: the rows of
 * their tables, and how their search is set up. */
#ifndef GRADIENT_LIKELY_SEARCH_H
#define GRADIENT_LIKELY_SEARCH_H

#include "search/invert.h"
#include "search/invert_parameters.h"

/* Behind the common parameters. */
enum { LIKELY_OPTIMISER = INVERT_COMMON, LIKELY_COST };

/* The choices of the parameters, in their order. */
enum { OPTIMISER_AUTO, OPTIMISER_ADAM, OPTIMISER_LBFGS };
enum { COST_WHITENED, COST_PLAIN };
extern const char *const likely_optimisers[], *const likely_costs[];

#define LIKELY_ROWS                                                                                          \
    INVERT_ROWS(2000, 0.1, "weight of the total variation prior, 1 as Laplace's law says; images only"),     \
        {.id = "optimiser",                                                                                  \
         .type = GNT_TYPE_CHOICE,                                                                            \
         .unit = "",                                                                                         \
         .preset_text = "auto",                                                                              \
         .choices = likely_optimisers,                                                                       \
         .help = "auto: L-BFGS through a network without kinks (ReLU, max pooling), else Adam"},             \
    {                                                                                                        \
        .id = "cost", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = "whitened",                        \
        .choices = likely_costs,                                                                             \
        .help = "whitened: each layer by its own noise, clipped; plain: all layers alike"                    \
    }

/* For `create`; `destroy` is free. */
void *likely_search_create(const gnt_host *host, const gnt_value *values);

/* The terms of the observation and of its history, labels (granted, else searched), the prior. images
 * outlives the search. GNT_OK, or a status after host->fail. */
gnt_status likely_search_open(search *s, invert *self, const gnt_observation *seen, public_images *images);

/* All restarts, with the steps of the parameters or the suite's budget. */
gnt_status likely_search_run(search *s, const gnt_observation *seen);

#endif
