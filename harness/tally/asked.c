#include "tally/asked.h"

#include <math.h>

#include "plugin/words.h"

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

/* A number where there is one. */
static json_t *leakages_json(const gnt_suite_match *m) {
    if (m->n_leakages == 1)
        return json_real(m->leakage[0]);
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_leakages; i++)
        json_array_append_new(list, json_real(m->leakage[i]));
    return list;
}

static json_t *words_json(const gnt_words *words, uint32_t bits) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->n; i++)
        if (bits & words->word[i].bit)
            json_array_append_new(list, json_string(words->word[i].name));
    return list;
}

json_t *gnt_asked_tasks(const gnt_suite *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_tasks; i++) {
        const gnt_suite_task *t = &s->task[i];
        json_t *stages = json_array();
        for (size_t k = 0; k < t->n_stages; k++)
            json_array_append_new(stages, json_integer(t->stages[k]));
        const char *attribute = t->observe.attribute >= 0 ? t->facts.attr[t->observe.attribute].name : NULL;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:b, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:o}",
                      "id", t->id, "digest", t->digest, "data", t->data, "model", t->model, "stages", stages,
                      "stages_drawn", t->stages_drawn > 0, "seed_public", !s->secret, "utility",
                      gnt_utility_names[t->utility], "surface",
                      gnt_word_name(&gnt_surface_words, t->observe.surface), "observe_from",
                      gnt_observe_names[t->observe.probe], "targets", (json_int_t)t->observe.targets, "batch",
                      (json_int_t)t->observe.batch, "local_steps", (json_int_t)t->observe.local_steps,
                      "rounds", (json_int_t)t->federated.rounds, "weights", t->weights != NULL, "attribute",
                      text_or_null(attribute)));
        json_object_set_new(json_array_get(list, i), "adequate",
                            json_pack("{s:f, s:f, s:f}", "identified", t->adequate.identified, "above_floor",
                                      t->adequate.above_floor, "gain", t->adequate.gain));
        json_object_set_new(json_array_get(list, i), "equal_leakage", leakages_json(&t->match));
        if (t->observe.set) {
            json_object_set_new(json_array_get(list, i), "set", json_integer(t->observe.set));
            json_object_set_new(json_array_get(list, i), "epochs", json_integer(t->observe.epochs));
        }
        if (t->curve)
            json_object_set_new(json_array_get(list, i), "curve", json_integer(t->curve));
        if (t->width > 0)
            json_object_set_new(json_array_get(list, i), "width", json_real(t->width));
        if (t->public_set.data)
            json_object_set_new(json_array_get(list, i), "public", json_string(t->public_set.data));
    }
    return list;
}

static json_t *member_json(const gnt_suite_member *m) {
    json_t *families = json_array();
    for (int32_t i = 0; i < m->info->n_families; i++)
        json_array_append_new(families, json_string(m->info->families[i]));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", m->info->id, "version", m->info->version, "flags",
                     words_json(&gnt_flag_words, m->info->flags), "families", families, "params",
                     json_loads(m->params, 0, NULL));
}

json_t *gnt_asked_defenses(const gnt_suite *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_defenses; i++) {
        const gnt_suite_defense *d = &s->defense[i];
        json_t *members = json_array();
        for (size_t k = 0; k < d->n_members; k++)
            json_array_append_new(members, member_json(&d->member[k]));
        const gnt_plugin_info *swept = d->swept >= 0 ? d->member[d->swept].info : NULL;
        const gnt_parameter *p = swept ? &swept->parameters[swept->strength] : NULL;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "label", d->label, "plugin", d->plugin,
                            "members", members, "strength", text_or_null(p ? p->id : NULL), "unit",
                            text_or_null(p ? p->unit : NULL), "scale",
                            text_or_null(p ? gnt_word_name(&gnt_scale_words, (uint32_t)p->scale) : NULL)));
    }
    return list;
}

json_t *gnt_asked_attacks(const gnt_suite *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_attacks; i++) {
        const gnt_suite_attack *a = &s->attack[i];
        json_t *members = json_array();
        if (a->first.info)
            json_array_append_new(members, member_json(&a->first));
        json_array_append_new(members, member_json(&a->member));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:I, s:o}", "label", a->label, "plugin", a->plugin,
                                        "grants", words_json(&gnt_knowledge_words, a->grants), "budget",
                                        (json_int_t)a->budget, "members", members));
        if (a->first.info)
            json_object_set_new(json_array_get(list, i), "first_budget", json_integer(a->first_budget));
    }
    return list;
}

json_t *gnt_asked_baseline(const gnt_suite *s) {
    json_t *list = s->baseline ? json_array() : NULL;
    for (size_t t = 0; list && t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++)
            if (!isnan(gnt_suite_baseline_of(s, t, d)))
                json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "task", s->task[t].id, "defense",
                                                      s->defense[d].label, "strength",
                                                      gnt_suite_baseline_of(s, t, d)));
    return list;
}

json_t *gnt_asked_cell(const gnt_suite *s, const gnt_cell *c) {
    const gnt_suite_task *t = &s->task[c->task];
    const gnt_suite_defense *d = &s->defense[c->defense];
    const gnt_suite_attack *a = &s->attack[c->attack];
    return json_pack("{s:s, s:s, s:I, s:s, s:s, s:n, s:s, s:s, s:s, s:I, s:n, s:n, s:n, s:o, s:o, s:o}",
                     "cell", c->id, "task", t->id, "stage", (json_int_t)c->stage, "defense", d->label,
                     "plugin", d->plugin, "strength", "mode", gnt_mode_names[c->mode], "attack", a->label,
                     "attack_plugin", a->plugin, "seed", (json_int_t)c->seed, "status", "reason", "matched",
                     "grants", words_json(&gnt_knowledge_words, c->grants | c->first_grants), "surface",
                     text_or_null(gnt_word_name(&gnt_surface_words, c->surface)), "goals",
                     words_json(&gnt_goal_words, c->goals));
}
