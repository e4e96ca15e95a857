/* Inputs of an attack's hooks: observations, and for prepare shadow observations with their samples. */
#include "vet/setting_impl.h"

enum { SHADOW_OBSERVATIONS = 24 };

static int make_shadow_observations(gnt_vet_setting *s, gnt_attack_prepare *in, const gnt_samples *shadow,
                                    gnt_err *err) {
    const gnt_observation **observed =
        gnt_guard_put(s->guard, "shadow observations", NULL, SHADOW_OBSERVATIONS * sizeof *observed);
    const gnt_samples **truth =
        gnt_guard_put(s->guard, "shadow samples", NULL, SHADOW_OBSERVATIONS * sizeof *truth);
    for (int64_t j = 0; observed && truth && j < SHADOW_OBSERVATIONS; j++) {
        const int64_t whole = shadow->n / s->spec.batch;
        const gnt_samples part = gnt_samples_part(shadow, j % whole * s->spec.batch, s->spec.batch);
        if (!(truth[j] = gnt_guard_put(s->guard, "shadow samples", &part, sizeof part)))
            break;
        if (!(observed[j] = gnt_vet_put_observation(s, truth[j], err)))
            return -1;
    }
    in->n_shadow = SHADOW_OBSERVATIONS;
    in->shadow = observed;
    in->shadow_truth = truth;
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for shadow observations") : 0;
}

int gnt_vet_make_attack_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    const uint32_t granted = s->spec.granted;
    gnt_observation setting = gnt_vet_common_observation(s, own);
    gnt_attack_prepare in = {.size = sizeof in,
                             .stage = -1,
                             .public_data = granted & GNT_KNOWS_PUBLIC ? s->public_data : NULL,
                             .shadow_data =
                                 granted & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS) ? s->shadow : NULL,
                             .attribute = setting.attribute,
                             .attribute_values = setting.attribute_values,
                             .weights = s->weights,
                             .buffers = s->buffers};
    for (int64_t j = 0; j < GNT_VET_OBSERVATIONS; j++) {
        gnt_samples part = gnt_samples_part(own, j * s->spec.batch, s->spec.batch);
        if (!(s->observation[j] = gnt_vet_put_observation(s, &part, err)))
            return -1;
    }
    if (s->spec.prepares_once) {
        in.attribute = -1;
        in.attribute_values = 0;
        in.weights = in.buffers = NULL;
        s->attack_prepare = gnt_guard_put(s->guard, "prepare's input", &in, sizeof in);
        return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for an attack's input") : 0;
    }
    if (granted & GNT_KNOWS_SHADOW_OBS && make_shadow_observations(s, &in, s->shadow, err) != 0)
        return -1;
    if (granted & GNT_KNOWS_HISTORY)
        gnt_vet_add_history(s, &setting);
    in.setting = gnt_guard_put(s->guard, "setting", &setting, sizeof setting);
    s->attack_prepare = gnt_guard_put(s->guard, "prepare's input", &in, sizeof in);
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for an attack's input") : 0;
}
