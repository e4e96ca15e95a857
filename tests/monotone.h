/* monotone: does a defense that changes updates change them more, the stronger it is turned? Works for any
 * plugin with transform_update and THE strength, whatever it does to updates: what is measured is the
 * distortion E‖T(u) − u‖² / ‖u‖² of a fixed update. */
#ifndef TESTS_MONOTONE_H
#define TESTS_MONOTONE_H

#include <math.h>

#include "base/random.h"
#include "try_plugin.h"

enum { MONOTONE_TENSORS = 2, MONOTONE_COUNT = 1000, MONOTONE_DRAWS = 8 };

/* Mean distortion at one strength; NaN with a sentence where the plugin fails. */
static inline double monotone_distortion(const char *path, const char *id, const char *json, double strength,
                                         gnt_err *err) {
    static float clean[MONOTONE_TENSORS][MONOTONE_COUNT], sent[MONOTONE_TENSORS][MONOTONE_COUNT];
    gnt_key key = gnt_key_of_seed(20);
    gnt_stream stream = gnt_stream_open(&key, "update");
    double moved = 0, size = 0;
    tried t;
    int rc = try_load(&t, path, GNT_PLUGIN_DEFENSE, id, json, err);
    if (rc == 0)
        rc = gnt_params_set_strength(&t.params, t.descriptor->parameters, t.descriptor->n_parameters,
                                     strength, id, err);
    if (rc == 0)
        rc = try_start(&t, 1, (gnt_instance_spec){0}, err);
    for (int k = 0; k < MONOTONE_TENSORS; k++)
        for (int i = 0; i < MONOTONE_COUNT; i++)
            clean[k][i] = (float)(0.1 * gnt_random_normal(&stream));
    for (int draw = 0; rc == 0 && draw < MONOTONE_DRAWS; draw++) {
        memcpy(sent, clean, sizeof sent);
        gnt_tensor list[] = {try_tensor("a.weight", sent[0], MONOTONE_COUNT),
                             try_tensor("b.weight", sent[1], MONOTONE_COUNT)};
        gnt_tensors update = {MONOTONE_TENSORS, list};
        rc = try_transform(&t, &update, err) == GNT_OK ? 0 : -1;
        for (int k = 0; k < MONOTONE_TENSORS; k++)
            for (int i = 0; i < MONOTONE_COUNT; i++) {
                double d = (double)sent[k][i] - (double)clean[k][i];
                moved += d * d;
                size += (double)clean[k][i] * (double)clean[k][i];
            }
    }
    try_close(&t);
    return rc == 0 ? moved / size : NAN;
}

/* 0 when the distortion never falls from one of the n strengths (weakest first) to the next and rises over
 * all of them together, else −1 with a sentence. A fall of one in a thousand is let pass as chance. */
static inline int monotone_check(const char *path, const char *id, const char *json, const double *strength,
                                 int n, gnt_err *err) {
    double first = 0, last = 0;
    for (int i = 0; i < n; i++) {
        double now = monotone_distortion(path, id, json, strength[i], err);
        if (isnan(now))
            return err->text[0] ? -1 : gnt_fail(err, "%s: the distortion at %g is NaN", id, strength[i]);
        if (i > 0 && now < last * (1 - 1e-3))
            return gnt_fail(err, "%s: distortion fell from %g to %g as the strength went from %g to %g", id,
                            last, now, strength[i - 1], strength[i]);
        first = i == 0 ? now : first;
        last = now;
    }
    if (!(last > first * 1.1))
        return gnt_fail(err, "%s: distortion is %g at %g and %g at %g: the strength is ignored", id, first,
                        strength[0], last, strength[n - 1]);
    return 0;
}

#endif
