/* What the files of linear-layer share: linear_layer.c divides, linear_noisy.c,
 * linear_pruned.c, linear_mixed.c and linear_entries.c are for single samples. */
#ifndef GRADIENT_LINEAR_LAYER_H
#define GRADIENT_LINEAR_LAYER_H

#include "gauntlet/plugin.h"
#include "prior/kept_prior.h"
#include "defense/noise_law.h"
#include "defense/outliers.h"

typedef struct linear_layer {
    const gnt_host *host;
    double distinct, noise, exact; /* parameters, as the table explains them */
    int64_t outliers, first_alone;
    kept_prior known;
} linear_layer;

/* The defenses whose parameters it reads; ends with NULL. */
extern const char *const linear_layer_families[];

/* The layer's weight and bias in the update, and the outliers among their entries. */
typedef struct dense_layer {
    const gnt_view *w, *b;
    int64_t w_at, b_at; /* tensors of the update */
    outliers apart;
} dense_layer;

/* Finds the first layer's weight W (units × features) and bias b (units). GNT_UNSUPPORTED after a sentence
 * on what is missing. */
gnt_status linear_find(const linear_layer *s, const gnt_observation *seen, int64_t features, dense_layer *l);

/* The noise, as far as it is known. */
typedef struct layer_noise {
    noise_law law;
    int pruned;          /* entries that are zero are small, not zero */
    int pruned_together; /* … of all tensors, by one threshold */
    int granted;         /* by the grant, and nothing else was done to the update */
} layer_noise;

/* Sets *noise; true if the update is of one sample and known or found to be noisy or pruned. */
int linear_is_noisy(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                    layer_noise *noise);
/* Answers with the estimate of rank_one.h and whole_update.h. GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status linear_noisy_run(linear_layer *s, const gnt_observation *seen, const layer_noise *noise,
                            const gnt_answer *answer);
/* Answers an update without noise of which entries, or the layer's bias, are missing with the estimate of
 * bounded.h, and sets *answered to 1; to 0 if no input survived, or no image has the survivors that are
 * there. The same statuses. */
gnt_status linear_pruned_run(linear_layer *s, const gnt_observation *seen, const layer_noise *noise,
                             const gnt_answer *answer, int *answered);
/* Answers an update without noise that should be of one sample and is of several with one of them, and sets
 * *answered to 1; to 0 if it is of one, or these cannot be solved for. The same statuses. */
gnt_status linear_mixed_run(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            const gnt_answer *answer, int *answered);
/* The same where each entry of the update is that of one of these. */
gnt_status linear_entries_run(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                              const gnt_answer *answer, int *answered);

#endif
