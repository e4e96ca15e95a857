#include "job/attack_setting.h"

#include "base/mem.h"
#include "request/inputs.h"

/* Fills the defense's parameters in the form of plugin.h. Texts and lists stay the request's. */
static int open_values(gnt_attack_setting *s, const gnt_request_known *known, gnt_err *err) {
    const size_t n = known->values.n;
    s->value = gnt_array(n, sizeof *s->value);
    if (!s->value)
        return gnt_fail(err, "out of memory for the defense's parameters");
    for (size_t i = 0; i < n; i++) {
        const gnt_request_value *v = &known->values.at[i];
        s->value[i] = (gnt_value){.id = v->id,
                                  .type = v->type,
                                  .i = v->i,
                                  .r = v->r,
                                  .text = v->text,
                                  .list = v->list.at,
                                  .n = (int64_t)v->list.n};
    }
    return 0;
}

/* Reads the public artefacts of all members that prepared into one set: those of the first keep their
 * names, those of member i > 0 are called "i/NAME". */
static int read_defense_artefacts(gnt_attack_setting *s, gnt_work *w, int *any, gnt_err *err) {
    gnt_st all;
    gnt_st_init(&all);
    int rc = 0;
    *any = 0;
    for (int i = 0; rc == 0 && i < GNT_INPUT_MOST_MEMBERS; i++) {
        const char *input = gnt_input_defense_artefacts[i];
        if (!w->has(w->context, input))
            continue;
        gnt_st st;
        gnt_st_init(&st);
        rc = w->read(w->context, input, &st, err);
        for (size_t k = 0; rc == 0 && k < st.n; k++) {
            const gnt_st_tensor *t = &st.tensor[k];
            char *name = *any ? gnt_format("%d/%s", i, t->name) : gnt_strdup(t->name);
            rc = name ? gnt_st_add(&all, name, t->type, t->rank, t->dim, t->data, NULL, err)
                      : gnt_fail(err, "out of memory for artefacts");
            gnt_free(name);
        }
        gnt_st_free(&st);
        *any = 1;
    }
    if (rc == 0)
        rc = gnt_artefact_set_from(&s->defense, &all, err);
    gnt_st_free(&all);
    return rc;
}

int gnt_attack_setting_open(gnt_attack_setting *s, gnt_work *w, const gnt_request_attacker *q,
                            gnt_observation *o, gnt_err *err) {
    int any;
    if (read_defense_artefacts(s, w, &any, err) != 0 || (q->known && open_values(s, q->known, err) != 0))
        return -1;
    o->granted = q->granted;
    o->goals = q->goals;
    o->budget = q->budget;
    o->momentum = o->steps ? q->federated.momentum : 0;
    o->decay = o->steps ? q->federated.decay : 0;
    o->optimizer = o->steps && q->federated.adam ? GNT_OPTIMIZER_ADAM : GNT_OPTIMIZER_SGD;
    if (q->attribute) {
        o->attribute = (int32_t)q->attribute->index;
        o->attribute_values = (int32_t)q->attribute->values;
    }
    if (q->known) {
        o->defense = q->known->ids;
        o->defense_values = s->value;
        o->n_defense_values = (int64_t)q->known->values.n;
        o->defense_artefacts = any ? &s->defense.view : NULL;
    }
    return 0;
}

void gnt_attack_setting_free(gnt_attack_setting *s) {
    gnt_artefact_set_free(&s->defense);
    gnt_free(s->value);
    *s = (gnt_attack_setting){0};
}
