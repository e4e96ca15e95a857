#include "vet/setting.h"

#include "base/mem.h"
#include "vet/defense.h"
#include "vet/samples.h"
#include "vet/setting_impl.h"

/* Numbers of samples. */
enum {
    SHADOW = 192,
    PUBLIC = 16,
    /* Public samples for attacks on one defense, which learn from more of them. */
    PUBLIC_BEHIND = 48,
    /* Samples of clients and targets. */
    OWN = 40
};
/* Bytes of guard pages. */
static const size_t most_guarded = (size_t)64 << 20;

int gnt_vet_setting_open(gnt_vet_setting *out, const gnt_vet_spec *spec, gnt_err *err) {
    *out = (gnt_vet_setting){.spec = *spec};
    gnt_vet_setting *s = out;
    const int64_t public_rows = spec->behind ? PUBLIC_BEHIND : PUBLIC;
    gnt_sampleset all = {0};
    int rc = gnt_vet_make_samples(&all, spec, OWN + SHADOW, public_rows, err);
    if (rc == 0)
        rc = gnt_guard_new(&s->guard, most_guarded, err);
    if (rc == 0) {
        gnt_samples shadow = gnt_samples_part(&all.view, OWN, SHADOW);
        gnt_samples public_data = gnt_samples_part(&all.view, OWN + SHADOW, public_rows);
        s->shadow = gnt_vet_put_samples(s, "shadow data", &shadow);
        s->public_data = gnt_vet_put_samples(s, "public data", &public_data);
        rc = s->shadow && s->public_data ? gnt_vet_make_models(s, &all.view, err)
                                         : gnt_fail(err, "out of memory for samples");
    }
    if (rc == 0 && spec->behind)
        rc = gnt_vet_defense_open(&s->defense, s, spec->behind, spec->behind_params, err);
    if (rc == 0)
        rc = spec->goals ? gnt_vet_make_attack_inputs(s, &all.view, err)
                         : gnt_vet_make_defense_inputs(s, &all.view, err);
    gnt_vet_defense_free(s->defense);
    s->defense = NULL;
    if (rc == 0)
        gnt_guard_save(s->guard);
    else
        gnt_vet_setting_free(s);
    gnt_sampleset_free(&all);
    return rc;
}

void gnt_vet_setting_free(gnt_vet_setting *s) {
    gnt_work_model_free(&s->model);
    gnt_work_model_free(&s->extractor);
    gnt_guard_free(s->guard);
    for (size_t i = 0; i < s->n_outputs; i++)
        gnt_free_aligned(s->output[i]);
    gnt_free(s->output);
    *s = (gnt_vet_setting){0};
}
