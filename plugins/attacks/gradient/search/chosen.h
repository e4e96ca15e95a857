/* chosen: attacks whose parts are chosen when they run, by parameters, grants and trials. In their rows
 * (recipes.c) a part is a function that chooses; what they share is the search of invert.h. */
#ifndef GRADIENT_CHOSEN_H
#define GRADIENT_CHOSEN_H

#include "defense/granted_defense.h"
#include "search/invert.h"

/* Each function returns GNT_OK, or a status after host->fail. */
typedef struct chosen_recipe {
    const char *id;
    /* Adds to what was read of the granted defense. NULL: nothing. */
    void (*reads)(granted_defense *granted, const gnt_observation *seen);
    /* Sets *cost to a DATA_* other than auto, and `data` of the instance. Refuses parameters that contradict
     * the grants; takes from *seen, a copy, what the attack is not to use. */
    gnt_status (*cost)(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost);
    prior_setting (*prior)(const invert *self, int cost, const gnt_artefacts *own);
    /* Fills y, or makes the labels unknowns. */
    gnt_status (*label)(search *s, const gnt_observation *seen, float *y);
    /* Binds what else was granted (earlier rounds, statistics, the region), or makes the rates unknowns. */
    gnt_status (*bind)(search *s, const gnt_observation *seen, const granted_defense *granted);
    gnt_status (*run)(search *s, const gnt_observation *seen);
    int64_t trials; /* public images for each sample that no prior is made of */
} chosen_recipe;

/* The functions below are the parts that the rows name. */
gnt_status invert_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost);
prior_setting invert_prior(const invert *self, int cost, const gnt_artefacts *own);
gnt_status invert_bind(search *s, const gnt_observation *seen, const granted_defense *granted);
gnt_status invert_label(search *s, const gnt_observation *seen, float *y);
gnt_status invert_run(search *s, const gnt_observation *seen); /* invert_gradients.c */
gnt_status lrp_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost);
prior_setting lrp_prior(const invert *self, int cost, const gnt_artefacts *own);
gnt_status lrp_bind(search *s, const gnt_observation *seen, const granted_defense *granted);
gnt_status lrp_run(search *s, const gnt_observation *seen); /* lrp_search.c */
gnt_status likely_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost);
prior_setting likely_prior(const invert *self, int cost, const gnt_artefacts *own);
gnt_status likely_label(search *s, const gnt_observation *seen, float *y);
gnt_status likely_bind(search *s, const gnt_observation *seen, const granted_defense *granted);
gnt_status likely_run(search *s, const gnt_observation *seen); /* likely_search.c */
gnt_status region_bind(search *s, const gnt_observation *seen, const granted_defense *granted);
gnt_status region_run(search *s, const gnt_observation *seen); /* region_known.c */

/* Returns the row of this id. */
const chosen_recipe *chosen_recipe_of(const char *id);

/* Searches by the row of that id. s: with `answer` set, the rest zero; afterwards s->winner holds the images,
 * s->n × features. images outlives s. */
gnt_status chosen_search(search *s, const char *id, invert *self, const gnt_observation *seen,
                         const gnt_artefacts *own, public_images *images);
/* Searches, and answers with the images. self: the instance, a struct invert. */
gnt_status chosen_run(const char *id, void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer);

/* Defines the hook `run` of the attack of that id. */
#define CHOSEN_RUN(id)                                                                                       \
    static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,                 \
                          const gnt_answer *answer) {                                                        \
        return chosen_run(id, self, seen, own, answer);                                                      \
    }

#endif
