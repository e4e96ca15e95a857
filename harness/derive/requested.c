/* What a suite requests, as results.json repeats it. */
#include <math.h>

#include "derive/derive.h"
#include "plugin/abi_words.h"

/* Returns the names of the bits that are set. */
static gnt_texts names_of(const gnt_words *words, uint32_t bits, gnt_arena *arena) {
    const char **name = gnt_arena_array(arena, words->n, sizeof *name);
    gnt_texts list = {name, 0};
    for (size_t i = 0; name && i < words->n; i++)
        if (bits & words->word[i].bit)
            name[list.n++] = words->word[i].name;
    return list;
}

static const char *text_of(const char *text) {
    return text ? text : gnt_no_text;
}

/* ---- tasks and models ---- */

static const gnt_result_captures *captures_of(const gnt_suite_captures *c, gnt_arena *arena) {
    const char **digest = gnt_arena_array(arena, c->attacked.n, sizeof *digest);
    for (size_t i = 0; digest && i < c->attacked.n; i++)
        digest[i] = c->attacked.digest[i];
    const gnt_result_captures of = {.digests = {digest, digest ? c->attacked.n : 0},
                                    .withheld = c->rows == 0,
                                    .defense = *c->defense ? c->defense : gnt_no_text,
                                    .knows_defense = c->defense_known};
    return gnt_arena_copy(arena, &of, 1, sizeof of);
}

static void fill_task(gnt_result_task *out, const gnt_suite *s, const gnt_suite_task *t, gnt_arena *arena) {
    const size_t n = t->match.n_leakages;
    gnt_fields_clear(&gnt_task_fields, out);
    out->id = t->id;
    out->digest = t->digest;
    out->data = t->data;
    out->data_kind = gnt_word_name(&gnt_data_kind_words, 1u << t->facts.kind /* GNT_KIND_* */);
    out->model = t->model;
    out->stages = (gnt_ints){t->stages, t->n_stages};
    out->stages_drawn = t->stages_drawn > 0;
    out->seed_public = !s->secret;
    out->utility = gnt_utility_names[t->utility];
    out->surface = gnt_word_name(&gnt_surface_words, t->observe.surface);
    out->observe_from = t->captures ? gnt_of_captures : gnt_observe_names[t->observe.probe];
    out->targets = (int64_t)t->observe.targets;
    out->batch = (int64_t)t->observe.batch;
    out->local_steps = (int64_t)t->observe.local_steps;
    out->rounds = (int64_t)t->federated.rounds;
    out->weights = t->weights != NULL;
    out->attribute = text_of(t->observe.attribute >= 0 ? t->facts.attr[t->observe.attribute].name : NULL);
    out->adequate = t->adequate;
    out->equal_leakage = (gnt_reals){gnt_arena_copy(arena, t->match.leakage, n, sizeof(double)), n};
    out->public_set = text_of(t->public_set.data);
    out->prior_set = text_of(t->prior_set.data);
    if (t->observe.set) {
        out->set = (int64_t)t->observe.set;
        out->epochs = (int64_t)t->observe.epochs;
    }
    if (t->captures)
        out->captures = captures_of(t->captures, arena);
    if (t->curve)
        out->curve = (int64_t)t->curve;
    if (t->width > 0)
        out->width = t->width;
}

static void fill_model(gnt_result_model *out, const gnt_suite_task *m) {
    gnt_fields_clear(&gnt_model_fields, out);
    out->id = m->id;
    out->model = m->model;
    out->data = m->data;
    out->weights_given = m->weights != NULL;
}

/* ---- defenses and attacks ---- */

static void fill_member(gnt_result_member *out, const gnt_suite_member *m, gnt_arena *arena) {
    const size_t n = (size_t)m->info->n_families;
    *out = (gnt_result_member){.id = m->info->id,
                               .version = m->info->version,
                               /* whether a killed training goes on changes no result */
                               .flags = names_of(&gnt_flag_words, m->info->flags & ~GNT_FLAG_RESUMES, arena),
                               .hooks = names_of(&gnt_hook_words, m->info->hooks, arena),
                               .families = {gnt_arena_copy(arena, m->info->families, n, sizeof(char *)), n},
                               .params = m->params};
}

static void fill_defense(gnt_result_defense *out, const gnt_suite_defense *d, gnt_arena *arena) {
    const gnt_plugin_info *swept = d->swept >= 0 ? d->member[d->swept].info : NULL;
    const gnt_parameter *p = swept ? &swept->parameters[swept->strength] : NULL;
    gnt_result_member *member = gnt_arena_array(arena, d->n_members, sizeof *member);
    for (size_t i = 0; member && i < d->n_members; i++)
        fill_member(&member[i], &d->member[i], arena);
    *out = (gnt_result_defense){.label = d->label,
                                .plugin = d->plugin,
                                .members = {member, d->n_members},
                                .strength = text_of(p ? p->id : NULL),
                                .unit = text_of(p ? p->unit : NULL),
                                .scale =
                                    text_of(p ? gnt_word_name(&gnt_scale_words, (uint32_t)p->scale) : NULL)};
}

static const gnt_result_list *list_of(const gnt_suite_list *list, gnt_arena *arena) {
    const gnt_result_list of = {list->name, list->digest, list->status};
    return gnt_arena_copy(arena, &of, 1, sizeof of);
}

static void fill_attack(gnt_result_attack *out, const gnt_suite_attack *a, gnt_arena *arena) {
    gnt_result_member *member = gnt_arena_array(arena, 2, sizeof *member);
    size_t n = 0;
    if (member && a->first.info)
        fill_member(&member[n++], &a->first, arena);
    if (member)
        fill_member(&member[n++], &a->member, arena);
    *out = (gnt_result_attack){.label = a->label,
                               .influence_of = text_of(a->influence_of),
                               .list = a->list ? list_of(a->list, arena) : NULL,
                               .plugin = a->plugin,
                               .grants = names_of(&gnt_knowledge_words, a->grants, arena),
                               .budget = (int64_t)a->budget,
                               .members = {member, n},
                               .first_budget = a->first.info ? (int64_t)a->first_budget : -1};
}

/* ---- the whole ---- */

/* Returns the strengths of the baseline that the run was given. */
static gnt_result_strengths baseline_of(const gnt_suite *s, gnt_arena *arena) {
    gnt_result_strength *list = gnt_arena_array(arena, s->n_tasks * s->n_defenses, sizeof *list);
    size_t n = 0;
    for (size_t t = 0; list && t < s->n_tasks; t++)
        for (size_t d = 0; d < s->n_defenses; d++) {
            const double strength = gnt_suite_baseline_of(s, t, d);
            if (!isnan(strength))
                list[n++] = (gnt_result_strength){s->task[t].id, s->defense[d].label, strength};
        }
    return (gnt_result_strengths){list, n};
}

static void fill_lists(gnt_result *r, const gnt_suite *s, gnt_arena *arena) {
    gnt_result_task *task = gnt_arena_array(arena, s->n_tasks, sizeof *task);
    gnt_result_model *model = gnt_arena_array(arena, s->n_models, sizeof *model);
    gnt_result_defense *defense = gnt_arena_array(arena, s->n_defenses, sizeof *defense);
    gnt_result_attack *attack = gnt_arena_array(arena, s->n_attacks, sizeof *attack);
    for (size_t i = 0; task && i < s->n_tasks; i++)
        fill_task(&task[i], s, &s->task[i], arena);
    for (size_t i = 0; model && i < s->n_models; i++)
        fill_model(&model[i], &s->model[i].of);
    for (size_t i = 0; defense && i < s->n_defenses; i++)
        fill_defense(&defense[i], &s->defense[i], arena);
    for (size_t i = 0; attack && i < s->n_attacks; i++)
        fill_attack(&attack[i], &s->attack[i], arena);
    r->tasks = (gnt_result_tasks){task, s->n_tasks};
    r->models = (gnt_result_models){model, s->n_models};
    r->defenses = (gnt_result_defenses){defense, s->n_defenses};
    r->attacks = (gnt_result_attacks){attack, s->n_attacks};
}

/* Reads the list of facts that the report draws, which a suite keeps as text. */
static int read_facts(gnt_texts *out, const char *text, gnt_arena *arena, gnt_err *err) {
    static const gnt_field row = {.name = "facts", .type = GNT_FIELD_TEXTS};
    static const gnt_fields fields = {.field = &row, .n = 1, .size = sizeof *out, .form = GNT_FIELDS_BARE};
    json_t *list = json_loads(text, 0, NULL);
    const int rc = gnt_fields_decode(&fields, out, list, arena, "facts", err);
    json_decref(list);
    return rc;
}

int gnt_derive_suite(gnt_result *r, const gnt_suite *s, gnt_arena *arena, gnt_err *err) {
    r->suite = s->name;
    r->title = s->title;
    r->suite_digest = s->digest;
    r->run_class = gnt_suite_is_of_captures(s) ? gnt_of_captures : gnt_no_text;
    fill_lists(r, s, arena);
    if (s->scale) {
        const gnt_result_scale scale = {s->scale, s->scale_says};
        r->scale = gnt_arena_copy(arena, &scale, 1, sizeof scale);
    }
    if (s->baseline)
        r->baseline = baseline_of(s, arena);
    r->check = s->check;
    r->tables = s->tables;
    r->points = s->points ? (int64_t)s->points : -1;
    if (s->facts && read_facts(&r->facts, s->facts, arena, err) != 0)
        return -1;
    return arena->failed ? gnt_fail(err, "out of memory for what the suite requests") : 0;
}

static gnt_row_mode mode_of(gnt_cell_mode mode) {
    static const gnt_row_mode modes[] = {[GNT_MODE_NONE] = GNT_ROW_NONE,
                                         [GNT_MODE_FIXED] = GNT_ROW_FIXED,
                                         [GNT_MODE_SWEEP] = GNT_ROW_SWEEP,
                                         [GNT_MODE_MATCHED] = GNT_ROW_MATCHED,
                                         [GNT_MODE_AS_IS] = GNT_ROW_AS_IS};
    return modes[mode];
}

int gnt_derive_cell(gnt_outcome *out, const gnt_suite *s, const gnt_cell *c, gnt_arena *arena, gnt_err *err) {
    const gnt_suite_attack *a = &s->attack[c->attack];
    gnt_fields_clear(&gnt_cell_fields, out);
    out->id = c->id;
    out->task = s->task[c->task].id;
    out->stage = (int64_t)c->stage;
    if (s->task[c->task].drawn)
        out->round = c->round;
    out->defense = s->defense[c->defense].label;
    out->plugin = s->defense[c->defense].plugin;
    out->mode = mode_of(c->mode);
    out->attack = a->label;
    out->attack_plugin = a->plugin;
    out->seed = (int64_t)c->seed;
    out->grants = names_of(&gnt_knowledge_words, c->grants | c->first_grants, arena);
    out->surface = text_of(gnt_word_name(&gnt_surface_words, c->surface));
    out->goals = names_of(&gnt_goal_words, c->goals, arena);
    return arena->failed ? gnt_fail(err, "out of memory for the cell %s", c->id) : 0;
}
