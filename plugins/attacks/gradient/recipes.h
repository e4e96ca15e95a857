/* recipes: an attack by search is cost × prior × search × label. recipes.c has a row for each.
 *
 * The unknowns z of a search are those of the images, as the prior sees them, followed by the logits of the
 * labels (n × classes) where the label part makes them unknowns. A part is a struct of functions; a function
 * returns GNT_OK, or a status after host->fail. Memory is scratch of the hook. Every evaluation calls
 * should_stop (cost/dlg_objective.c), so no part has to. */
#ifndef GRADIENT_RECIPES_H
#define GRADIENT_RECIPES_H

#include "gauntlet/plugin.h"

struct dlg;
struct dlg_objective;
struct dlg_search;

/* The distance between the update of a candidate and the one observed. */
typedef struct cost_part {
    const char *name;
    /* Binds the observation; sets `scale` and `observed` of the objective. Derivatives by the labels are
     * needed if `by_labels`. */
    gnt_status (*open)(struct dlg_objective *o, const gnt_observation *seen, int by_labels);
    /* Returns the cost at the images x and the labels of the objective, or NaN after setting `failed`.
     * *g: its derivatives over `scale`, valid until the next call. */
    double (*eval)(struct dlg_objective *o, const float *x, const gnt_gradient **g);
} cost_part;

/* How images are parametrised, and what is known of them without the update. */
typedef struct prior_part {
    const char *name;
    /* Learns what `open` needs. NULL: nothing has to be learnt. */
    gnt_status (*prepare)(void *self, const gnt_attack_prepare *in, const gnt_sink *out);
    /* Sets `unknowns` of the objective. Labels are set before, if they are known. own: left by `prepare`. */
    gnt_status (*open)(struct dlg_objective *o, const gnt_artefacts *own);
    /* Returns the images (n × features) of z, valid until the next call; NULL on failure. */
    const float *(*image)(struct dlg_objective *o, const float *z);
    /* Sets grad (unknowns) to the derivative by z of a cost that has the derivative scale × d_x by the last
     * images. Returns 0 on failure. */
    int (*pull)(struct dlg_objective *o, double scale, const float *d_x, float *grad);
    /* Returns weight × a negative log-density at z, and adds its gradient to grad. */
    double (*add)(const struct dlg_objective *o, const float *z, double weight, float *grad);
    /* Frees what is not scratch, after a failed open too. NULL: there is nothing. */
    void (*close)(struct dlg_objective *o);
} prior_part;

/* The optimiser and its schedule: fills winner, least and chosen. A stop or a failure is flagged in the
 * objective. */
typedef struct search_part {
    const char *name;
    void (*run)(struct dlg_search *s);
} search_part;

/* How labels are found. */
typedef struct label_part {
    const char *name;
    /* Sets scores (classes), and the labels of the objective. NULL: their logits are unknowns. */
    gnt_status (*find)(struct dlg_search *s, float *scores);
} label_part;

typedef struct recipe {
    const char *id;
    const cost_part *cost;
    const prior_part *prior;
    /* By the parameter `mode`: guarded, reference. */
    const search_part *search[2];
    const label_part *label;
} recipe;

extern const cost_part cost_squares;                       /* cost/dlg_objective.c */
extern const prior_part prior_pixels, prior_generator;     /* prior/pixels.c, generated.c */
extern const search_part search_guarded;                   /* search/guarded.c */
extern const search_part search_as_published;              /* search/reference.c */
extern const label_part label_searched, label_from_update; /* label/label_parts.c */

/* Returns the row of this id. */
const recipe *recipe_of(const char *id);

/* Runs an attack by its recipe: the hook run of such attacks, whose instance is a struct dlg. */
gnt_status recipe_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer);

#endif
