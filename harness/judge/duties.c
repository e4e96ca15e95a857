#include "judge/duties.h"

#include <string.h>

#include "judge/adequacy.h"

static int holds(const gnt_texts *list, const char *word) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i], word) == 0)
            return 1;
    return 0;
}

/* ---- what follows from the hooks ---- */

/* What a task shows to attackers. A task that the run does not list is one whose updates are observed. */
typedef struct view {
    int updates, encodings, in_round, images;
} view;

static view view_of(const gnt_results *r, const char *task) {
    const gnt_result_task *t = gnt_task_of(r, task);
    const char *surface = t ? t->surface : "", *kind = t ? t->data_kind : "";
    return (view){.updates = !*surface || !strcmp(surface, "update"),
                  .encodings = !strcmp(surface, "encoding"),
                  .in_round = t && !strcmp(t->observe_from, "round"),
                  .images = !*kind || !strcmp(kind, "image")};
}

/* Returns the built-in attacks that learn what a measure shows from shadow observations; NULL: none. */
static const char *learnt_attack(const view *v, const gnt_measure *m) {
    if (v->encodings)
        return m->recovers == GNT_RECOVERS_DATA ? "decoder or ridge would, granted shadow_observations"
                                                : NULL;
    if (m->recovers == GNT_RECOVERS_ATTRIBUTE)
        return "attr-nn would, granted shadow_observations";
    return m->recovers == GNT_RECOVERS_DATA && !v->images
               ? "update-decoder would, granted shadow_observations"
               : NULL;
}

/* The same of what is recovered of samples that are encoded, and queries with them: the model may live in
 * another space than the samples, and what an update gives is in that space. */
static const char *learnt_of_encoded(const view *v, const gnt_measure *m, const gnt_result_member *member) {
    return v->updates && m->recovers == GNT_RECOVERS_DATA && gnt_result_has_hook(member, "encode_query")
               ? "update-decoder would, granted shadow_observations"
               : learnt_attack(v, m);
}

static const char *first_of(const gnt_texts *hooks, const char *const *name, size_t n, int known) {
    for (size_t i = 0; i < n; i++)
        if (!known || holds(hooks, name[i]))
            return name[i];
    return NULL;
}

static size_t add_hook_duties(const view *v, const gnt_measure *m, const gnt_result_member *member,
                              gnt_duty *out) {
    static const char *const update[] = {"client_update", "transform_update", "local_rate"},
                             *const encode[] = {"encode_set", "encode_batch"};
    const gnt_texts *hooks = &member->hooks;
    const int known = hooks->at != NULL, is_private = holds(&member->flags, "artefacts_private");
    const char *learnt = learnt_attack(v, m), *hook;
    size_t n = 0;
    if (v->updates && (known || learnt) && (hook = first_of(hooks, update, 3, known)))
        out[n++] =
            (gnt_duty){GNT_DUTY_UPDATE, member->id, hook, .private_artefacts = is_private, .attack = learnt};
    if ((v->encodings || (v->updates && known)) && (hook = first_of(hooks, encode, 2, known)))
        out[n++] = (gnt_duty){GNT_DUTY_ENCODE, member->id, hook, .private_artefacts = is_private,
                              .attack = learnt_of_encoded(v, m, member)};
    if (v->updates && gnt_result_has_hook(member, "aggregate"))
        out[n++] = (gnt_duty){GNT_DUTY_AGGREGATE, member->id, "aggregate",
                              .attack = v->in_round ? "an attack on updates in the round would" : NULL};
    for (size_t i = 0; i < n; i++)
        out[i].shown_only = !out[i].attack;
    return n;
}

size_t gnt_duties(const gnt_results *r, const char *task, const char *defense, const gnt_measure *m,
                  gnt_duty out[GNT_MOST_DUTIES]) {
    enum { HOOK_DUTIES = 3 };
    const gnt_result_defense *d = gnt_defense_of(r, defense);
    const view v = view_of(r, task);
    size_t n = 0;
    for (size_t i = 0; d && i < d->members.n; i++) {
        const gnt_result_member *member = &d->members.at[i];
        gnt_duty hooks[HOOK_DUTIES];
        const size_t n_hooks = add_hook_duties(&v, m, member, hooks);
        for (size_t k = 0; k < member->families.n && n < GNT_MOST_DUTIES; k++)
            out[n++] =
                (gnt_duty){.kind = GNT_DUTY_FAMILY, .plugin = member->id, .what = member->families.at[k]};
        if (member->families.n == 0 && n < GNT_MOST_DUTIES)
            out[n++] = (gnt_duty){.kind = GNT_DUTY_FAMILY, .plugin = member->id, .what = ""};
        for (size_t k = 0; k < n_hooks && n < GNT_MOST_DUTIES; k++)
            out[n++] = hooks[k];
    }
    return n;
}

/* ---- what was met ---- */

int gnt_discharges(const gnt_results *r, const gnt_outcome *cell, const gnt_duty *duty) {
    const gnt_result_attack *a = gnt_attack_of(r, cell->attack);
    const int knows = holds(&cell->grants, "defense"), learns = holds(&cell->grants, "shadow_observations");
    if (duty->kind == GNT_DUTY_AGGREGATE)
        return gnt_result_influence_of(r->file, cell->attack) != NULL;
    for (size_t i = 0; a && i < a->members.n; i++) {
        const gnt_texts *families = &a->members.at[i].families;
        if (learns && holds(families, "any"))
            return 1;
        if (knows && duty->kind != GNT_DUTY_ENCODE && holds(families, duty->plugin))
            return 1;
        if (knows && duty->kind == GNT_DUTY_FAMILY && *duty->what && holds(families, duty->what))
            return 1;
    }
    return 0;
}

/* Returns whether an attack is inadequate. An attack on influence is run on no undefended group: it is as
 * adequate as the same attack on updates as received. */
static int is_inadequate(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                         const gnt_measure *m) {
    const char *other = gnt_result_influence_of(r->file, attack);
    return gnt_adequacy_of(r, task, stage, other ? other : attack, m).state == GNT_INADEQUATE;
}

static int is_discharged(const gnt_results *r, const char *task, int64_t stage, const char *defense,
                         const gnt_measure *measure, const gnt_duty *duty) {
    const gnt_indices own = gnt_cells_of(r, task, defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &r->cell[own.at[i]];
        if (c->status == GNT_CELL_OK && c->n_score > 0 && c->mode != GNT_ROW_SWEEP &&
            gnt_is_at(c, task, stage) && gnt_discharges(r, c, duty) &&
            !is_inadequate(r, task, stage, c->attack, measure))
            return 1;
    }
    return 0;
}

int gnt_is_met(const gnt_results *r, const char *task, int64_t stage, const char *defense,
               const gnt_measure *m, gnt_duty *unmet, gnt_duty *shown) {
    gnt_duty all[GNT_MOST_DUTIES];
    const size_t n = gnt_duties(r, task, defense, m, all);
    *unmet = *shown = (gnt_duty){.plugin = NULL};
    for (size_t i = 0; i < n; i++) {
        gnt_duty *first = all[i].shown_only ? shown : unmet;
        if (!first->what && !is_discharged(r, task, stage, defense, m, &all[i]))
            *first = all[i];
    }
    if (n == 0)
        *unmet = (gnt_duty){.kind = GNT_DUTY_FAMILY, .plugin = defense, .what = ""};
    return !unmet->what;
}

/* ---- in words ---- */

void gnt_duty_say(const gnt_duty *duty, gnt_text *out) {
    switch (duty->kind) {
    case GNT_DUTY_FAMILY:
        gnt_text_add(out, "no attack that knows %s%s%s met it", *duty->what ? "\"" : "",
                     *duty->what ? duty->what : duty->plugin, *duty->what ? "\"" : "");
        break;
    case GNT_DUTY_UPDATE:
        gnt_text_add(out,
                     "no attack that learnt the %s of %s from shadow observations, or names it by id, "
                     "met it",
                     duty->what, duty->plugin);
        break;
    case GNT_DUTY_ENCODE:
        gnt_text_add(out, "no attack that learnt the %s of %s from shadow observations met it", duty->what,
                     duty->plugin);
        break;
    case GNT_DUTY_AGGREGATE:
        gnt_text_add(out, "no attack on the influence of updates on what %s aggregates met it", duty->plugin);
        break;
    }
    if (duty->attack)
        gnt_text_add(out, "; %s", duty->attack);
    if (duty->shown_only)
        gnt_text_add(out, "; shown only, it costs no rank");
    if (duty->private_artefacts)
        gnt_text_add(out, "; its artefacts are private, so that shadow observations are made with others");
}
