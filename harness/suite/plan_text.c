/* Formats a plan as text for people and as JSON for programs. */
#include "suite/plan.h"

#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "plugin/abi_words.h"

enum { MOST_TEXT = 256 << 20 };

char *gnt_plan_text(const gnt_plan *p, const gnt_suite *s) {
    gnt_text t;
    gnt_text_init(&t, MOST_TEXT);
    for (size_t i = 0; i < p->n; i++) {
        const gnt_cell *c = &p->cell[i];
        gnt_text_add(&t, c->reason ? "%s  n/a: %s\n" : "%s\n", c->id, c->reason);
    }
    gnt_text_add(&t, "%s: %zu cells on %zu task%s: %zu to run, %zu n/a\n", s->name, p->n, s->n_tasks,
                 s->n_tasks == 1 ? "" : "s", p->n - p->n_na, p->n_na);
    gnt_text_add(&t, "trainings: %lld", (long long)p->trainings);
    if (p->match_trainings)
        gnt_text_add(&t, ", and at most %lld for matching", (long long)p->match_trainings);
    gnt_text_add(&t, "\n");
    return gnt_text_take(&t);
}

static void add_member(gnt_text *t, const char *key, const char *text) {
    gnt_text_add(t, ", \"%s\": ", key);
    gnt_json_add_text(t, text);
}

static void add_bits(gnt_text *t, const char *key, const gnt_words *words, uint32_t bits) {
    const char *comma = "";
    gnt_text_add(t, ", \"%s\": [", key);
    for (size_t i = 0; i < words->n; i++)
        if (bits & words->word[i].bit) {
            gnt_text_add(t, "%s\"%s\"", comma, words->word[i].name);
            comma = ", ";
        }
    gnt_text_add(t, "]");
}

static void add_cell(gnt_text *t, const gnt_suite *s, const gnt_cell *c) {
    gnt_text_add(t, "    {\"cell\": ");
    gnt_json_add_text(t, c->id);
    add_member(t, "task", s->task[c->task].id);
    gnt_text_add(t, ", \"stage\": %lld, \"round\": %lld", (long long)c->stage, (long long)c->round);
    add_member(t, "defense", s->defense[c->defense].label);
    add_member(t, "plugin", s->defense[c->defense].plugin);
    gnt_text_add(t, ", \"strength\": ");
    gnt_json_add_real(t, c->mode == GNT_MODE_FIXED || c->mode == GNT_MODE_SWEEP ? c->strength : NAN);
    add_member(t, "mode", gnt_mode_names[c->mode]);
    add_member(t, "attack", s->attack[c->attack].label);
    add_member(t, "attack_plugin", s->attack[c->attack].plugin);
    gnt_text_add(t, ", \"seed\": %llu", (unsigned long long)c->seed);
    add_member(t, "surface", gnt_word_name(&gnt_surface_words, c->surface));
    add_bits(t, "goals", &gnt_goal_words, c->goals);
    add_bits(t, "grants", &gnt_knowledge_words, c->grants);
    add_member(t, "status", c->reason ? "n/a" : "planned");
    gnt_text_add(t, ", \"reason\": ");
    if (c->reason)
        gnt_json_add_text(t, c->reason);
    else
        gnt_text_add(t, "null");
    gnt_text_add(t, "}");
}

char *gnt_plan_json(const gnt_plan *p, const gnt_suite *s) {
    gnt_text t;
    gnt_text_init(&t, MOST_TEXT);
    gnt_text_add(&t, "{\n  \"format\": 1,\n  \"suite\": ");
    gnt_json_add_text(&t, s->name);
    gnt_text_add(&t, ",\n  \"title\": ");
    gnt_json_add_text(&t, s->title);
    gnt_text_add(&t, ",\n  \"digest\": \"%s\",\n  \"trainings\": %lld,\n  \"match_trainings\": %lld,\n",
                 s->digest, (long long)p->trainings, (long long)p->match_trainings);
    gnt_text_add(&t, "  \"update_bytes\": %.0f,\n", p->update_bytes);
    gnt_text_add(&t, "  \"planned\": %zu,\n  \"n/a\": %zu,\n  \"cells\": [\n", p->n - p->n_na, p->n_na);
    for (size_t i = 0; i < p->n; i++) {
        add_cell(&t, s, &p->cell[i]);
        gnt_text_add(&t, i + 1 < p->n ? ",\n" : "\n");
    }
    gnt_text_add(&t, "  ]\n}\n");
    return gnt_text_take(&t);
}
