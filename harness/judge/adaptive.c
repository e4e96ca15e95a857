#include "judge/adaptive.h"

#include <string.h>

#include "judge/adequacy.h"

static int holds(const gnt_texts *list, const char *word) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i], word) == 0)
            return 1;
    return 0;
}

size_t gnt_mechanisms(const gnt_results *r, const char *defense, gnt_mechanism out[GNT_MOST_MECHANISMS]) {
    const gnt_result_defense *d = gnt_defense_of(r, defense);
    size_t n = 0;
    for (size_t i = 0; d && i < d->members.n; i++) {
        const gnt_result_member *member = &d->members.at[i];
        const size_t before = n;
        for (size_t k = 0; k < member->families.n && n < GNT_MOST_MECHANISMS; k++)
            out[n++] = (gnt_mechanism){member->id, member->families.at[k]};
        if (n == before && n < GNT_MOST_MECHANISMS)
            out[n++] = (gnt_mechanism){member->id, ""};
    }
    return n;
}

int gnt_attack_knows(const gnt_results *r, const gnt_outcome *cell, const gnt_mechanism *m) {
    const gnt_result_attack *a = gnt_attack_of(r, cell->attack);
    const int knows = holds(&cell->grants, "defense"), learns = holds(&cell->grants, "shadow_observations");
    for (size_t i = 0; a && i < a->members.n; i++) {
        const gnt_texts *families = &a->members.at[i].families;
        if (knows && (holds(families, m->plugin) || (*m->family && holds(families, m->family))))
            return 1;
        if (learns && holds(families, "any"))
            return 1;
    }
    return 0;
}

/* Returns whether an attack is inadequate. An attack on influence is run on no undefended group: it is as
 * adequate as the same attack on updates as received. */
static int is_inadequate(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                         const gnt_measure *m) {
    const gnt_result_attack *a = gnt_attack_of(r, attack);
    const char *on = a && a->influence_of && *a->influence_of ? a->influence_of : attack;
    return gnt_adequacy_of(r, task, stage, on, m).state == GNT_INADEQUATE;
}

static int is_mechanism_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
                            const gnt_measure *measure, const gnt_mechanism *m) {
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->status == GNT_CELL_OK && c->n_score > 0 && c->mode != GNT_ROW_SWEEP &&
            gnt_is_at(c, task, stage) && strcmp(c->defense, defense) == 0 && gnt_attack_knows(r, c, m) &&
            !is_inadequate(r, task, stage, c->attack, measure))
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
