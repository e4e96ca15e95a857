/* Adds attacks on the influence of updates to those that the suite lists: where a server aggregates by a
 * hook, each attack on updates in the round is also run on what the updates did to the model. */
#include <string.h>

#include "plugin/info.h"
#include "suite/suite_impl.h"

/* Updates of a training whose influence is measured, each by two processes of its own; and rounds, of each of
 * which one is. */
enum { MOST_UPDATES = 8, MOST_ROUNDS = 31 };

int gnt_suite_aggregates(const gnt_suite_defense *d) {
    for (size_t i = 0; i < d->n_members; i++)
        if (d->member[i].info->hooks & GNT_HOOK_AGGREGATE)
            return 1;
    return 0;
}

int64_t gnt_suite_influences_of(int64_t targets, size_t n_stages) {
    if (n_stages == 0 || n_stages > MOST_ROUNDS)
        return 0;
    const int64_t each = MOST_UPDATES / (int64_t)n_stages;
    return targets < each ? targets : each > 1 ? each : 1;
}

int64_t gnt_suite_influences(const gnt_suite_task *t) {
    const gnt_suite_observe *o = &t->observe;
    if (o->probe || o->surface != GNT_SURFACE_UPDATE || t->federated.rounds == 0)
        return 0;
    return gnt_suite_influences_of(o->targets, t->n_stages);
}

int gnt_suite_is_attacked(const gnt_suite *s, size_t task, size_t defense, size_t attack) {
    const gnt_suite_attack *a = &s->attack[attack];
    return a->on_task[task] && (!a->influence_of || gnt_suite_aggregates(&s->defense[defense]));
}

/* True if some defense of the task aggregates and its influence can be measured. */
static int is_wanted(const gnt_suite *s, size_t task) {
    for (size_t d = 0; d < s->n_defenses; d++)
        if (s->defense[d].on_task[task] && gnt_suite_aggregates(&s->defense[d]))
            return gnt_suite_influences(&s->task[task]) > 0;
    return 0;
}

static int is_on_any(const gnt_suite *s, const gnt_suite_attack *a) {
    for (size_t t = 0; t < s->n_tasks; t++)
        if (a->on_task[t] && is_wanted(s, t))
            return 1;
    return 0;
}

static int copy_attack(const gnt_suite *s, const gnt_suite_attack *from, gnt_suite_attack *to) {
    *to = (gnt_suite_attack){.label = gnt_format("%s on influence", from->label),
                             .influence_of = gnt_strdup(from->label),
                             .list = from->list,
                             .plugin = gnt_strdup(from->plugin),
                             .member = {from->member.info, gnt_strdup(from->member.params)},
                             .grants = from->grants,
                             .budget = from->budget,
                             .start = from->start ? gnt_strdup(from->start) : NULL,
                             .on_task = gnt_array(s->n_tasks, 1)};
    for (size_t t = 0; to->on_task && t < s->n_tasks; t++)
        to->on_task[t] = from->on_task[t] && is_wanted(s, t);
    return to->label && to->influence_of && to->plugin && to->member.params && to->on_task &&
                   (to->start || !from->start)
               ? 0
               : -1;
}

static int check_label_is_free(suite_reader *r, const char *label, size_t listed) {
    for (size_t i = 0; i < listed; i++)
        if (strcmp(r->s->attack[i].label, label) == 0)
            return suite_fail(
                r, gnt_path_item("attacks", i).text,
                "has the label \"%s\", which an attack on influence has; expected another label", label);
    return 0;
}

int suite_add_influence(suite_reader *r) {
    gnt_suite *s = r->s;
    const size_t listed = s->n_attacks;
    size_t more = 0;
    for (size_t i = 0; i < listed; i++)
        more += !s->attack[i].first.info && is_on_any(s, &s->attack[i]);
    if (more == 0)
        return 0;
    if (listed + more > GNT_SUITE_MOST_ENTRIES)
        return suite_fail(r, "attacks",
                          "lists %zu, which with those on influence are %zu; expected at most %d together",
                          listed, listed + more, GNT_SUITE_MOST_ENTRIES);
    gnt_suite_attack *all = gnt_resize(s->attack, listed + more, sizeof *all);
    if (!all)
        return suite_no_memory(r);
    s->attack = all;
    for (size_t i = 0; i < listed; i++) {
        if (all[i].first.info || !is_on_any(s, &all[i]))
            continue;
        gnt_suite_attack *a = &all[s->n_attacks++];
        if (copy_attack(s, &all[i], a) != 0)
            return suite_no_memory(r);
        if (check_label_is_free(r, a->label, listed) != 0)
            return -1;
    }
    return 0;
}
