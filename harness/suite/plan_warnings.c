/* What in a plan keeps its run from a verdict, and what in the suite has no effect. All of it is known before
 * anything runs. */
#include <string.h>

#include "metric/compare.h"
#include "plugin/abi_words.h"
#include "suite/plan.h"
#include "suite/plan_fit.h"

/* Cells of a task, an attack or a defense. `planned` of them run. */
typedef struct tally {
    size_t cells, planned;
    size_t undefended, defended; /* planned, without a defense and with one */
    size_t rankable;             /* planned, of defenses that are matched, or have no strength */
    uint32_t granted;            /* grants that reach one of the planned cells */
    const gnt_cell *first;       /* the first, or the first that is planned */
} tally;

static void add(tally *t, const gnt_cell *c) {
    if (!t->first || (t->first->reason && !c->reason))
        t->first = c;
    t->cells++;
    if (c->reason)
        return;
    t->planned++;
    t->undefended += c->mode == GNT_MODE_NONE;
    t->defended += c->mode != GNT_MODE_NONE;
    t->rankable += c->mode == GNT_MODE_MATCHED || c->mode == GNT_MODE_AS_IS;
    t->granted |= c->grants | c->first_grants;
}

/* ---- tasks: can its defenses be ranked? ---- */

static tally of_task(const gnt_plan *p, size_t task) {
    tally t = {0};
    for (size_t i = 0; i < p->n; i++)
        if (p->cell[i].task == task)
            add(&t, &p->cell[i]);
    return t;
}

static int lists_none(const gnt_plan *p, size_t task) {
    for (size_t i = 0; i < p->n; i++)
        if (p->cell[i].task == task && p->cell[i].mode == GNT_MODE_NONE)
            return 1;
    return 0;
}

/* Writes what is wrong with the task; returns 1 if some defense of it could be ranked after more training
 * runs. */
static int check_task(const gnt_plan *p, const gnt_suite *s, size_t task, gnt_text *out) {
    const tally t = of_task(p, task);
    const char *id = s->task[task].id;
    if (t.defended == 0)
        return 0;
    if (t.rankable == 0)
        gnt_text_add(
            out,
            "task %s: no defense is ranked, because each is measured at strengths of the suite, which "
            "leave different utilities; give some \"match\": true\n",
            id);
    else if (t.undefended == 0 && !lists_none(p, task))
        gnt_text_add(out,
                     "task %s: no defense is ranked, because the suite does not measure attacks without a "
                     "defense; add {\"defense\": \"none\"}\n",
                     id);
    else if (t.undefended == 0)
        gnt_text_add(out,
                     "task %s: no defense is ranked, because no attack applies without a defense (none), so "
                     "that none is known to be adequate\n",
                     id);
    return t.rankable > 0 && t.undefended > 0;
}

static void check_tasks(const gnt_plan *p, const gnt_suite *s, gnt_text *out) {
    int any = 0;
    for (size_t i = 0; i < s->n_tasks; i++)
        any |= check_task(p, s, i, out);
    if (any && s->n_seeds < GNT_METRIC_COMPARE_LEAST)
        gnt_text_add(
            out,
            "no defense is ranked, because a rank takes %d training runs and \"seeds\" lists %zu; list "
            "%zu more\n",
            GNT_METRIC_COMPARE_LEAST, s->n_seeds, (size_t)GNT_METRIC_COMPARE_LEAST - s->n_seeds);
}

/* ---- attacks and defenses: do they, and what they are granted, have an effect? ---- */

static uint32_t knowledge_of(const gnt_suite_attack *a) {
    return gnt_info_knowledge(a->member.info) | (a->first.info ? gnt_info_knowledge(a->first.info) : 0);
}

/* Writes the grants of an attack that reach none of its cells. */
static void check_grants(const gnt_suite *s, const gnt_suite_attack *a, const tally *t, gnt_text *out) {
    const uint32_t lost = a->grants & ~t->granted;
    for (uint32_t bit = 1; bit && bit <= lost; bit <<= 1) {
        const char *name = lost & bit ? gnt_word_name(&gnt_knowledge_words, bit) : NULL;
        if (!name)
            continue;
        if (knowledge_of(a) & bit)
            gnt_text_add(out, "attack %s: the grant %s is filled in no cell: %s\n", a->label, name,
                         plan_why_absent(s, t->first, bit));
        else
            gnt_text_add(out, "attack %s: the grant %s has no effect, because %s does not use it\n", a->label,
                         name, a->plugin);
    }
}

static void check_attack(const gnt_plan *p, const gnt_suite *s, size_t attack, gnt_text *out) {
    const gnt_suite_attack *a = &s->attack[attack];
    tally t = {0};
    for (size_t i = 0; i < p->n; i++)
        if (p->cell[i].attack == attack)
            add(&t, &p->cell[i]);
    /* a list has attacks for every task, most of which do not apply to any one */
    if (a->influence_of || a->list || t.cells == 0)
        return;
    if (t.planned && gnt_suite_is_of_captures(s)) /* what they do not have is said of each that lacks it */
        return;
    if (t.planned)
        check_grants(s, a, &t, out);
    else
        gnt_text_add(out, "attack %s: n/a in each of its %zu cells; in the first: %s\n", a->label, t.cells,
                     t.first->reason);
}

/* Writes that a defense is n/a everywhere, unless no attack applies to anything there. */
static void check_defense(const gnt_plan *p, const gnt_suite *s, size_t defense, gnt_text *out) {
    tally t = {0}, all = {0};
    for (size_t i = 0; i < p->n; i++) {
        add(&all, &p->cell[i]);
        if (p->cell[i].defense == defense)
            add(&t, &p->cell[i]);
    }
    if (t.cells && !t.planned && all.planned)
        gnt_text_add(out, "defense %s: n/a in each of its %zu cells; in the first: %s\n",
                     s->defense[defense].label, t.cells, t.first->reason);
}

void gnt_plan_warnings(const gnt_plan *p, const gnt_suite *s, gnt_text *out) {
    /* a suite that fills a paper's tables compares as the paper does, and captures are not compared */
    if (!s->tables && !gnt_suite_is_of_captures(s))
        check_tasks(p, s, out);
    for (size_t i = 0; i < s->n_attacks; i++)
        check_attack(p, s, i, out);
    for (size_t i = 0; i < s->n_defenses; i++)
        check_defense(p, s, i, out);
}
