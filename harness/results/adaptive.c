#include "results/adaptive.h"

#include <string.h>

#include "results/adequacy.h"

static const json_t *members_of(const gnt_results *r, const char *list, const char *label) {
    const json_t *entries = json_object_get(r->root, list);
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *one = json_array_get(entries, i);
        const char *is = json_string_value(json_object_get(one, "label"));
        if (is && strcmp(is, label) == 0)
            return json_object_get(one, "members");
    }
    return NULL;
}

static int holds(const json_t *list, const char *word) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one && strcmp(one, word) == 0)
            return 1;
    }
    return 0;
}

size_t gnt_mechanisms(const gnt_results *r, const char *defense, gnt_mechanism out[GNT_MOST_MECHANISMS]) {
    const json_t *members = members_of(r, "defenses", defense);
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i), *families = json_object_get(member, "families");
        const char *plugin = json_string_value(json_object_get(member, "id"));
        const size_t before = n;
        for (size_t k = 0; plugin && k < json_array_size(families) && n < GNT_MOST_MECHANISMS; k++) {
            const char *family = json_string_value(json_array_get(families, k));
            if (family)
                out[n++] = (gnt_mechanism){plugin, family};
        }
        if (plugin && n == before && n < GNT_MOST_MECHANISMS)
            out[n++] = (gnt_mechanism){plugin, ""};
    }
    return n;
}

int gnt_attack_knows(const gnt_results *r, const gnt_outcome *cell, const gnt_mechanism *m) {
    const json_t *members = members_of(r, "attacks", cell->attack);
    const int told = holds(cell->grants, "defense"), learns = holds(cell->grants, "shadow_observations");
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *families = json_object_get(json_array_get(members, i), "families");
        if (told && (holds(families, m->plugin) || (*m->family && holds(families, m->family))))
            return 1;
        if (learns && holds(families, "any"))
            return 1;
    }
    return 0;
}

static int is_mechanism_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
                            const gnt_measure *measure, const gnt_mechanism *m) {
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->status == GNT_CELL_OK && c->n_score > 0 && c->mode != GNT_ROW_SWEEP &&
            gnt_is_at(c, task, stage) && strcmp(c->defense, defense) == 0 && gnt_attack_knows(r, c, m) &&
            gnt_adequacy_of(r, task, stage, c->attack, measure).state != GNT_INADEQUATE)
            return 1;
    }
    return 0;
}

int gnt_is_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
               const gnt_measure *m, gnt_mechanism *unmet) {
    gnt_mechanism all[GNT_MOST_MECHANISMS];
    const size_t n = gnt_mechanisms(r, defense, all);
    for (size_t i = 0; i < n; i++)
        if (!is_mechanism_met(r, task, stage, defense, m, &all[i])) {
            if (unmet)
                *unmet = all[i];
            return 0;
        }
    if (n == 0 && unmet)
        *unmet = (gnt_mechanism){defense, ""};
    return n > 0;
}
