/* What all targets of an attack have in common: what is known of the defense, goals, budget. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/seen.h"

/* ---- a defense's parameters, as an adaptive attacker knows them ---- */

json_t *gnt_known_values(const gnt_params *params) {
    json_t *list = json_array();
    for (int32_t i = 0; i < params->n; i++) {
        const gnt_value *v = &params->value[i];
        json_t *numbers = json_array();
        for (int64_t k = 0; k < v->n; k++)
            json_array_append_new(numbers, json_real(v->list[k]));
        json_array_append_new(list, json_pack("{s:s, s:i, s:I, s:f, s:s, s:o}", "id", v->id, "type",
                                              (int)v->type, "i", (json_int_t)v->i, "r", v->r, "text",
                                              v->text ? v->text : "", "list", numbers));
    }
    return list;
}

int gnt_known_read(gnt_known *out, const json_t *list, gnt_err *err) {
    size_t n = json_array_size(list);
    *out = (gnt_known){.value = gnt_array(n, sizeof *out->value)};
    if (!out->value)
        return gnt_fail(err, "out of memory for the defense's parameters");
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i), *numbers = json_object_get(one, "list");
        gnt_value *v = &out->value[out->n++];
        *v = (gnt_value){.id = json_string_value(json_object_get(one, "id")),
                         .type = (int32_t)json_integer_value(json_object_get(one, "type")),
                         .i = json_integer_value(json_object_get(one, "i")),
                         .r = json_number_value(json_object_get(one, "r")),
                         .text = json_string_value(json_object_get(one, "text")),
                         .n = (int64_t)json_array_size(numbers)};
        double *values = gnt_array((size_t)v->n, sizeof *values);
        v->list = values;
        if (!values || !v->id) {
            gnt_known_free(out);
            return gnt_fail(err, "the request's parameters of the defense cannot be read");
        }
        for (int64_t k = 0; k < v->n; k++)
            values[k] = json_number_value(json_array_get(numbers, (size_t)k));
    }
    return 0;
}

void gnt_known_free(gnt_known *k) {
    for (int64_t i = 0; i < k->n; i++)
        gnt_free((double *)(uintptr_t)k->value[i].list);
    gnt_free(k->value);
    *k = (gnt_known){0};
}

/* ---- what all targets have in common ---- */

int gnt_work_artefacts(gnt_artefact_set *out, gnt_work *w, const char *name, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    if (w->has(w->context, name) && w->read(w->context, name, &st, err) != 0)
        return -1;
    int rc = gnt_artefacts_from(out, &st, err);
    gnt_st_free(&st);
    return rc;
}

/* Public artefacts of all members that prepared, in one set: those of the first keep their names, those of member i > 0
 * are called "i/NAME". */
static int read_defense_artefacts(gnt_setting *s, gnt_work *w, int *any, gnt_err *err) {
    enum { MOST_MEMBERS = 16 };
    gnt_st all;
    gnt_st_init(&all);
    int rc = 0;
    *any = 0;
    for (int i = 0; rc == 0 && i < MOST_MEMBERS; i++) {
        char input[48];
        snprintf(input, sizeof input, "defense_artefacts.%d", i);
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
        rc = gnt_artefacts_from(&s->defense, &all, err);
    gnt_st_free(&all);
    return rc;
}

int gnt_setting_open(gnt_setting *s, gnt_work *w, gnt_observation *o, gnt_err *err) {
    int any;
    if (read_defense_artefacts(s, w, &any, err) != 0 ||
        gnt_known_read(&s->known, gnt_request(w, "known.values"), err) != 0)
        return -1;
    o->granted = (uint32_t)gnt_request_int(w, "granted");
    o->goals = (uint32_t)gnt_request_int(w, "goals");
    o->budget = gnt_request_int(w, "budget");
    o->momentum = o->steps ? gnt_request_real(w, "federated.momentum") : 0;
    if (gnt_request(w, "attribute")) {
        o->attribute = (int32_t)gnt_request_int(w, "attribute.index");
        o->attribute_values = (int32_t)gnt_request_int(w, "attribute.values");
    }
    if (gnt_request(w, "known")) {
        o->defense = gnt_request_text(w, "known.ids");
        o->defense_values = s->known.value;
        o->n_defense_values = s->known.n;
        o->defense_artefacts = any ? &s->defense.view : NULL;
    }
    return 0;
}

void gnt_setting_free(gnt_setting *s) {
    gnt_artefact_set_free(&s->defense);
    gnt_known_free(&s->known);
}
