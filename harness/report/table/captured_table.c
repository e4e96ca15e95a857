/* Attacks on captures: what was captured, what the attacker knows, and what each attack found. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "judge/group_roles.h"
#include "judge/section.h"
#include "report/table/report_tables.h"

static void add_row(const gnt_results *r, const gnt_outcome *g, const gnt_measure *m, gnt_table *t) {
    const gnt_score *score = gnt_number_of(g, m->name);
    double floor[GNT_FLOORS], chance;
    const char *name = "";
    gnt_text value, guess;
    if (!score)
        return;
    gnt_text_init(&value, 1 << 10);
    gnt_text_init(&guess, 1 << 10);
    gnt_measure_write(m, &score->stat, &value);
    gnt_floors(r, g->task, g->stage, g->attack, m, floor, &chance);
    const gnt_stat best = {.mean = gnt_highest_floor(m, floor, chance, &name), .low = NAN, .high = NAN};
    if (isfinite(best.mean)) {
        gnt_measure_write(m, &best, &guess);
        gnt_text_add(&guess, ", %s", name);
    } else
        gnt_text_add(&guess, "–");
    gnt_table_text(t, g->attack);
    gnt_table_text(t, g->defense);
    gnt_table_text(t, m->title);
    gnt_table_take(t, &value);
    gnt_table_take(t, &guess);
}

size_t gnt_table_captured(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    gnt_table_init(t, "What the attacks found");
    GNT_TABLE_COLUMNS(t, "attack", "defense, as known", "measure", "score", "best guess without the update");
    for (size_t a = 0; a < r->n_attack; a++)
        for (size_t d = 0; d < r->n_defense; d++) {
            const gnt_outcome *g = gnt_representative(r, task, stage, r->defense[d], r->attack[a]);
            for (size_t i = 0; g && i < GNT_MEASURES; i++)
                if (gnt_section_draws(r, task, stage, gnt_measure_at(i)))
                    add_row(r, g, gnt_measure_at(i), t);
        }
    return gnt_table_rows(t);
}

static void say_update(const gnt_result_task *t, gnt_text *out) {
    const char *s = t->targets == 1 ? "" : "s", *of = t->batch == 1 ? "" : "s";
    gnt_text_add(out, "%" PRId64 " captured update%s of %s, of %" PRId64 " sample%s%s: ", t->targets, s,
                 t->model, t->batch, of, t->targets == 1 ? "" : " each");
    if (t->local_steps == 0)
        gnt_text_add(out, "one gradient. ");
    else
        gnt_text_add(out, "%" PRId64 " local step%s. ", t->local_steps, t->local_steps == 1 ? "" : "s");
}

static void say_defense(const gnt_result_captures *c, gnt_text *out) {
    const char *s = c->digests.n == 1 ? "" : "s", *says = c->digests.n == 1 ? "s" : "";
    if (c->defense && strcmp(c->defense, "none") == 0)
        gnt_text_add(out, "The capture%s say%s that there was no defense. ", s, says);
    else if (c->defense && *c->defense)
        gnt_text_add(out, "The capture%s name%s the defense %s. ", s, says, c->defense);
    gnt_text_add(out, c->knows_defense ? "The attacker may know the defense. "
                                       : "The attacker does not know the defense. ");
}

void gnt_report_captured(const gnt_results *r, const char *task, gnt_text *out) {
    const gnt_result_task *t = gnt_task_of(r, task);
    if (!t || !t->captures)
        return;
    say_update(t, out);
    say_defense(t->captures, out);
    if (t->captures->withheld)
        gnt_text_add(out, "The private batch is withheld: nothing was scored, and images are what the "
                          "attacks recovered. ");
}
