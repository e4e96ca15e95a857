/* recover: groups, weights and images from the similarities of encodings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decompose.h"
#include "image_groups.h"
#include "polish.h"
#include "hidden_signs.h"
#include "shared/try.h"

typedef struct recovery {
    const dec_settings *s;
    const dec_law *law;
    const dec_learnt *own;
    dec_mix *x;
    dec_whitener white;
    const gnt_answer *answer;
    int64_t costs; /* reported so far */
} recovery;

static void report_cost(recovery *r) {
    const dec_mix *x = r->x;
    double sum = 0;
    for (int64_t i = 0; i < x->encodings; i++)
        sum += 1 / (double)x->noise[i] / (double)x->encodings;
    if (r->answer && r->answer->cost)
        r->answer->cost(r->answer->context, 0, r->costs++, sum);
}

/* ---- MixUp: no signs are hidden ---- */

/* Returns 1 − Σ w of an encoding, the weight of its public partners; 0 where it has none. */
static double public_weight(const recovery *r, int64_t encoding) {
    const dec_mix *x = r->x;
    double others = 1;
    for (int64_t o = 0; o < x->originals; o++)
        others -= (double)x->weight[encoding * x->originals + o];
    return r->law->own < r->law->k && others > 0 ? others : 0;
}

/* Computes rest (M × features) = e − (1 − Σ w)·mean, without the mean contribution of public partners. */
static void without_public(const recovery *r, float *rest) {
    const dec_mix *x = r->x;
    for (int64_t i = 0; i < x->encodings; i++) {
        const double others = public_weight(r, i);
        for (int64_t f = 0; f < x->features; f++)
            rest[i * x->features + f] = x->e[i * x->features + f] - (float)others * r->own->mean[f];
    }
}

/* Sets the noise: the variance of public images times the sum of their squared weights, which follows from 1
 * − Σ w, plus a little for errors of the weights. */
static void guess_noise(const recovery *r) {
    const dec_mix *x = r->x;
    for (int64_t i = 0; i < x->encodings; i++) {
        const double others = public_weight(r, i);
        x->noise[i] = (float)(1 / (0.002 + 0.25 * others * others / 1.5));
    }
}

static void solve_images(dec_mix *x, const float *signed_e) {
    for (int64_t o = 0; o < x->originals; o++) {
        float *p = x->p + o * x->features;
        memset(p, 0, (size_t)x->features * sizeof *p);
        for (int64_t i = 0; i < x->encodings; i++) {
            float v = x->solver[o * x->encodings + i];
            const float *e = signed_e + i * x->features;
            for (int64_t f = 0; f < x->features; f++)
                p[f] += v * e[f];
        }
    }
}

static gnt_status unmix(recovery *r) {
    const gnt_host *host = r->s->host;
    dec_mix *x = r->x;
    float *rest = gnt_host_scratch(host, x->encodings * x->features, sizeof *rest);
    gnt_status status = rest ? GNT_OK : gnt_host_fail(host, "no memory for unmixing");
    for (int32_t round = 0; status == GNT_OK && round <= r->s->refits; round++) {
        guess_noise(r);
        status = gnt_host_should_stop(host) ? GNT_STOPPED : dec_ridge(x, 0.25);
        if (status != GNT_OK)
            break;
        without_public(r, rest);
        solve_images(x, rest);
        report_cost(r);
        if (round < r->s->refits)
            status = dec_refit_weights(x, &r->white, r->law, rest);
    }
    return status;
}

/* ---- InstaHide ---- */

static gnt_status settle_signs(recovery *r) {
    const dec_settings *s = r->s;
    dec_mix *x = r->x;
    dec_em em = {0};
    /* with public partners signs are too uncertain to fit weights to: these would get worse, and memberships
     * with them */
    int32_t refits = r->law->own == r->law->k ? s->refits : 0;
    gnt_status status = dec_first_guess(x, s->block, s->starts, s->start_steps);
    if (status == GNT_OK)
        status = dec_em_open(&em, x, x->features, s->coupling);
    for (int64_t block = s->block; status == GNT_OK && block >= 1; block /= 2) {
        status = dec_em_level(&em, x, block, s->em_steps);
        report_cost(r);
    }
    for (int32_t k = 0; status == GNT_OK && k < refits; k++) {
        dec_em_out now = dec_em_step(&em, x, x->p, x->e);
        status = dec_refit_weights(x, &r->white, r->law, now.signed_e);
        if (status == GNT_OK)
            status = dec_em_level(&em, x, 1, s->em_steps);
        report_cost(r);
    }
    dec_em_close(&em);
    return status;
}

/* Negates all images if their negatives are more likely: their odds add up. */
static gnt_status turn(recovery *r) {
    dec_mix *x = r->x;
    const gnt_host *host = r->s->host;
    dec_facing net;
    double *odds = gnt_host_scratch(host, x->originals, sizeof *odds), sum = 0;
    TRY(have_memory(host, odds != NULL, "no memory for the images' signs"));
    dec_facing_plan(&net, x->c, x->h, x->w);
    TRY(dec_facing_odds(&net, host, r->own->facing, x->p, x->originals, odds));
    for (int64_t o = 0; o < x->originals; o++)
        sum += fmin(4, fmax(-4, odds[o]));
    for (int64_t k = 0; sum < 0 && k < x->originals * x->features; k++)
        x->p[k] = -x->p[k];
    gnt_host_fact(host, "sign_odds", fabs(sum));
    return GNT_OK;
}

static gnt_status unhide(recovery *r) {
    const dec_settings *s = r->s;
    double before = 0, after = 0;
    TRY(settle_signs(r));
    if (r->law->own == r->law->k && s->polish_steps > 0)
        TRY(dec_polish(r->x, r->law, s->polish_steps, s->polish_rate, &before, &after));
    return turn(r);
}

gnt_status dec_recover(const dec_settings *s, const dec_law *law, const dec_learnt *own, dec_mix *x,
                       const float *similarity, const gnt_answer *answer) {
    recovery r = {.s = s, .law = law, .own = own, .x = x, .answer = answer};
    dec_groups groups;
    gnt_status status = dec_groups_open(&groups, s->host, x->encodings, x->originals, law->own);
    if (status == GNT_OK)
        status = dec_group(&groups, s->host, similarity, s->rounds);
    if (status != GNT_OK)
        return status;
    dec_weights_of_scores(&groups, law, x->weight);
    status = dec_whiten_open(&r.white, s->host, x->c, x->h, x->w, own->filter);
    if (status == GNT_OK)
        status = law->instahide ? unhide(&r) : unmix(&r);
    dec_whiten_close(&r.white);
    return status;
}
