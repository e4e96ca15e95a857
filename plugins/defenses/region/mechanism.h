/* mechanism: clips each layer of an update and adds Gaussian noise to it, so much that the layer's budget
 * lasts for all rounds (FedRE, Eq. 7 to 9).
 *
 *   g_l·min(1, C_l/‖g_l‖) + N(0, (S·σ_l)²),   σ_l = √(2T ln(1/δ_l)) / ε_l,   δ_l = δ/L
 *
 * T rounds, L layers; C_l is C unless `clips` gives each layer its own, and so is C below. S is C, as Eq. 8
 * prints it, or 2C/|D| for a client with |D| samples: the sensitivity to one sample by the accountant that
 * the paper cites (Wei et al., Federated Learning with Differential Privacy, 2020, Eq. 8). The latter assumes
 * that the update is a mean of the samples' parts, each clipped to C; here the whole update is clipped. Where
 * each sample's part is: per_sample.h.
 *
 * The claim is the sum of the budgets ε_l. The actual budget of a client is accounted separately, by
 * shared/dp/epsilon_facts.h: the layers of one round are one Gaussian release, whose sensitivity over its
 * noise is (C/S)·√(Σ 1/σ_l²). */
#ifndef REGION_MECHANISM_H
#define REGION_MECHANISM_H

#include "shared/region/layers.h"

typedef struct mechanism {
    double epsilon, delta; /* of all layers and rounds */
    double clip;           /* C */
    gnt_list clips;        /* C_l of each layer; none: C */
    int64_t sensitivity;   /* SENSITIVITY_…: what S is */
} mechanism;

enum { SENSITIVITY_CLIP, SENSITIVITY_SAMPLE };
extern const char *const mechanism_sensitivities[];

/* Splits ε by the layers' scores S_l: ε_l = ε·(1/S_l)/Σ(1/S_t) (Eq. 6). No layer takes all because its
 * score is 0: scores below 1e-12 of the largest count as that much, so that ε is split evenly where all
 * are 0. */
void mechanism_split(double epsilon, const double *score, int32_t n, double *out);

/* Splits ε evenly among L layers: ε_l = ε/L. */
void mechanism_split_evenly(double epsilon, int32_t n, double *out);

/* Returns C_l. */
double mechanism_clip(const mechanism *m, int32_t layer);

/* Fails unless there are no `clips`, or one for each of n layers. */
gnt_status mechanism_fits(const gnt_host *host, const mechanism *m, int32_t n);

/* Returns σ_l for a budget that lasts for so many noisy releases. */
double mechanism_sigma(double epsilon, double delta, double rounds);

enum { MECHANISM_CHUNK = 1 << 15 }; /* entries between two looks at should_stop */

/* Adds noise to one tensor, from a random stream for its name: the noise of one says nothing about that of
 * another. noise: room for MECHANISM_CHUNK draws. */
gnt_status mechanism_add_noise(const gnt_host *host, gnt_tensor *t, double deviation, float *noise);

/* Clips the update and adds noise to it, in place; epsilon: that of each layer. Facts: epsilon_claimed,
 * those of shared/dp/epsilon_facts.h, clipped, the share of the layers that were, and noise_to_signal, the
 * root of the expected squared norm of the noise over the norm of the clipped update. */
gnt_status mechanism_apply(const gnt_host *host, const mechanism *m, const gnt_client *client,
                           const layers *l, const double *epsilon, gnt_tensors *update);

/* Rows that the tables of parameters share. */
#define EPSILON_ROW(T)                                                                                       \
    GNT_STRENGTH_REAL_ID(                                                                                    \
        "epsilon", T, mechanism.epsilon, 1e-3, 1e9, 50, GNT_SCALE_LOG, -1, "",                               \
        "the budget of all layers and rounds, as claimed; what holds is reported beside it")
#define CLIP_ROW(T, preset, help)                                                                            \
    GNT_REAL_ID("clip", T, mechanism.clip, 1e-10, 1e6, preset, GNT_SCALE_LOG, "units of the update", help)
#define CLIPS_ROW(T)                                                                                         \
    GNT_REAL_LIST_ID("clips", T, mechanism.clips, 1e-10, 1e6, "[]", "units of the update",                   \
                     "C_l of each layer, in the model's order, in place of clip; none: clip for all")
#define SENSITIVITY_ROW(T)                                                                                   \
    GNT_CHOICE_ID(                                                                                           \
        "sensitivity", T, mechanism.sensitivity, mechanism_sensitivities, "clip",                            \
        "what the noise is in proportion to; clip: C, for a whole client; sample: 2C over the client's "     \
        "samples, for one sample, by the accountant that the paper cites")
#define DELTA_ROW(T)                                                                                         \
    GNT_REAL_ID("delta", T, mechanism.delta, 1e-15, 0.5, 1e-5, GNT_SCALE_LOG, "", "of all layers and rounds")

#endif
