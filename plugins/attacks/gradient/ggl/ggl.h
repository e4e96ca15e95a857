/* What the files of ggl share. */
#ifndef GRADIENT_GGL_H
#define GRADIENT_GGL_H

#include "prior/kept_generator.h"
#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "ggl/granted_distance.h"

enum { GGL_COSINE, GGL_SCALE_FREE, GGL_L2 }; /* choices of `cost` */
enum { GGL_CMAES, GGL_GRADIENT };            /* choices of `search` */

typedef struct ggl {
    const gnt_host *host;
    int64_t cost, search, steps, population, restarts;
    double rate, weight; /* of the search by gradient; of the latents' norm */
    generator_plan plan;
    match_choice choice;
    match match;
} ggl;

/* The image of least cost so far. */
typedef struct ggl_found {
    float *x; /* pixels */
    double cost;
    int32_t restart;
} ggl_found;

/* The cost of an image x = G(w): the distance of the updates, relative to what was observed, plus
 * weight·‖w‖²/latents. Lives for one run. */
typedef struct ggl_cost {
    ggl *self;
    generator_shape shape;
    gnt_function_args args;
    outliers apart;
    granted_distance granted;
    double scale; /* of the distance, where the host computes it */
    double weight;
    int64_t pixels;
    const gnt_answer *answer;
    ggl_found found;
} ggl_cost;

/* Binds one observation. GNT_OK, or a status after host->fail. */
gnt_status ggl_cost_open(ggl_cost *c, ggl *self, const generator_shape *s, const gnt_observation *seen,
                         const gnt_answer *answer);

/* Searches by `steps` populations of CMA-ES, or steps of Adam, shared among the restarts; sets c->found.
 * GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status ggl_search(ggl_cost *c, const generator_learnt *learnt, int64_t label, int64_t steps);

#endif
