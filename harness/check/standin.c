/* Plugins that are not here: what results.json says of one takes the place of its descriptor, so that the
 * suite can be read. A substitute has the version and parameters that the run recorded and fits everything:
 * what a plan has against it is because of others. A plugin that is here in another version than the run's is
 * not here. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "plugin/abi_words.h"
#include "check/check_impl.h"

enum { STANDIN = -1, MOST_STANDINS = 4096 };
#define WIDEST 1e150 /* of a strength whose range is not known; its square is finite */

/* A defense or an attack of a results.json. strength: the name of a defense's strength, its unit and
 * scale. */
typedef struct entry {
    int32_t kind;
    const gnt_result_members *members;
    const char *strength, *unit, *scale;
    /* A defense whose server aggregates. */
    int aggregates;
} entry;

int check_is_standin(const gnt_plugin_info *info) {
    return info && info->index == STANDIN;
}

int check_unknown_defense(const gnt_suite_defense *d) {
    for (size_t i = 0; i < d->n_members; i++)
        if (check_is_standin(d->member[i].info))
            return 1;
    return 0;
}

int check_unknown_attack(const gnt_suite_attack *a) {
    return check_is_standin(a->member.info) || check_is_standin(a->first.info);
}

/* ---- one parameter ---- */

static char *list_text(const json_t *value) {
    return json_dumps(value, JSON_COMPACT);
}

/* Makes a parameter of a value. Returns 1 if no parameter has such a value: it is left out; else 0. */
static int take_parameter(gnt_parameter *p, const char *id, const json_t *value) {
    if (!gnt_id_ok(id, '_'))
        return 1;
    *p = (gnt_parameter){.least = -WIDEST, .most = WIDEST};
    if (json_is_boolean(value)) {
        p->type = GNT_TYPE_BOOL;
        p->preset = json_is_true(value);
    } else if (json_is_number(value)) {
        p->type = GNT_TYPE_REAL;
        p->preset = json_number_value(value);
    } else if (json_is_string(value)) {
        p->type = GNT_TYPE_TEXT;
        p->preset_text = gnt_strdup(json_string_value(value));
    } else if (json_is_array(value)) {
        p->type = GNT_TYPE_REAL_LIST;
        char *text = list_text(value);
        p->preset_text = gnt_strdup(text);
        free(text);
    } else
        return 1;
    p->id = gnt_strdup(id);
    p->unit = gnt_strdup("");
    p->help = gnt_strdup("");
    return 0;
}

static void make_strength(gnt_parameter *p, const entry *e) {
    uint32_t scale = GNT_SCALE_LINEAR;
    p->strength = 1;
    gnt_free((void *)(uintptr_t)p->unit);
    p->unit = gnt_strdup(e->unit);
    if (gnt_word_bit(&gnt_scale_words, e->scale, &scale) != 0)
        return;
    p->scale = (int32_t)scale;
    if (scale == GNT_SCALE_LOG)
        p->least = 0;
    if (scale == GNT_SCALE_COMPLEMENT) {
        p->least = 0;
        p->most = 1;
    }
}

/* ---- one plugin ---- */

static uint32_t flags_of(const gnt_result_member *member) {
    uint32_t flags = 0, bit;
    for (size_t i = 0; i < member->flags.n; i++)
        if (gnt_word_bit(&gnt_flag_words, member->flags.at[i], &bit) == 0)
            flags |= bit;
    return flags;
}

/* True if a plugin aggregates; where the run does not say which hooks it has, if its defense does. */
static int has_aggregate(const entry *e, const gnt_result_member *member) {
    return member->hooks.at ? gnt_result_has_hook(member, "aggregate") : e->aggregates;
}

static int fill_standin(gnt_plugin_info *out, const entry *e, const gnt_result_member *member,
                        const json_t *params) {
    const size_t n = json_object_size(params);
    const char *id;
    json_t *value;
    *out =
        (gnt_plugin_info){.kind = e->kind,
                          .strength = -1,
                          .surfaces = gnt_words_all(&gnt_surface_words),
                          .goals = gnt_words_all(&gnt_goal_words),
                          .data_kinds = gnt_words_all(&gnt_data_kind_words),
                          .flags = flags_of(member),
                          .hooks = GNT_HOOK_CONTRIBUTE | (has_aggregate(e, member) ? GNT_HOOK_AGGREGATE : 0),
                          .index = STANDIN};
    out->id = gnt_strdup(member->id);
    out->version = gnt_strdup(member->version);
    out->line = gnt_strdup("");
    out->licence = gnt_strdup("");
    out->citation = gnt_strdup("");
    out->file = gnt_strdup("");
    out->parameters = gnt_array(n + 1, sizeof *out->parameters);
    if (!out->id || !out->version || !out->parameters || n > GNT_PLUGIN_PARAMS)
        return -1;
    /* a flag says what it needs, not what was recorded of it */
    out->flags &= ~(uint32_t)(GNT_FLAG_NEEDS_PUBLIC | GNT_FLAG_NEEDS_SHADOW | GNT_FLAG_FIRST_DENSE);
    json_object_foreach((json_t *)(uintptr_t)params, id, value) {
        gnt_parameter *p = &out->parameters[out->n_parameters];
        if (take_parameter(p, id, value) != 0)
            continue;
        if (e->kind == GNT_PLUGIN_DEFENSE && strcmp(id, e->strength) == 0 && p->type == GNT_TYPE_REAL) {
            make_strength(p, e);
            out->strength = out->n_parameters;
        }
        out->n_parameters++;
    }
    return 0;
}

static int make_standin(gnt_plugin_info *out, const entry *e, const gnt_result_member *member) {
    json_t *params = member->params ? json_loads(member->params, 0, NULL) : NULL;
    const int rc = fill_standin(out, e, member, params);
    json_decref(params);
    return rc;
}

/* ---- all of them ---- */

static int is_here(const gnt_plugin_list *here, int32_t kind, const gnt_result_member *member) {
    const gnt_plugin_info *info = here ? gnt_plugin_list_find(here, kind, member->id) : NULL;
    return info && strcmp(info->version, member->version) == 0;
}

/* Adds the name of a strength to a plugin that an earlier entry named: this entry may be the first to name
 * it. */
static void add_strength(gnt_plugin_info *info, const entry *e) {
    for (int32_t i = 0; check_is_standin(info) && info->strength < 0 && i < info->n_parameters; i++)
        if (strcmp(info->parameters[i].id, e->strength) == 0 && info->parameters[i].type == GNT_TYPE_REAL) {
            make_strength(&info->parameters[i], e);
            info->strength = i;
        }
}

static gnt_plugin_info *known(gnt_plugin_list *all, int32_t kind, const char *id) {
    for (size_t i = 0; i < all->n; i++)
        if (all->info[i].kind == kind && strcmp(all->info[i].id, id) == 0)
            return &all->info[i];
    return NULL;
}

static int add_entry(gnt_plugin_list *all, const gnt_plugin_list *here, const entry *e, gnt_err *err) {
    for (size_t i = 0; i < e->members->n; i++) {
        const gnt_result_member *member = &e->members->at[i];
        gnt_plugin_info info, *before = known(all, e->kind, member->id);
        if (before && e->kind == GNT_PLUGIN_DEFENSE)
            add_strength(before, e);
        if (!gnt_id_ok(member->id, '-') || is_here(here, e->kind, member) || before || all->n > MOST_STANDINS)
            continue;
        if (make_standin(&info, e, member) != 0 || gnt_plugin_list_add(all, &info, err) != 0) {
            gnt_info_free(&info);
            return gnt_fail(err, "a plugin that is not here has more parameters than one may have");
        }
    }
    return 0;
}

/* Adds plugins that are here, borrowed: their texts stay the caller's. */
static int borrow(gnt_plugin_list *all, const gnt_plugin_list *here, gnt_err *err) {
    for (size_t i = 0; here && i < here->n; i++) {
        if (gnt_plugin_list_find(all, here->info[i].kind, here->info[i].id))
            continue;
        gnt_plugin_info info = here->info[i];
        if (gnt_plugin_list_add(all, &info, err) != 0)
            return -1;
    }
    return 0;
}

int check_plugins_make(struct check_plugins *out, const gnt_plugin_list *here, const gnt_result *of,
                       gnt_err *err) {
    *out = (struct check_plugins){0};
    for (size_t i = 0; i < of->defenses.n; i++) {
        const gnt_result_defense *d = &of->defenses.at[i];
        const entry e = {GNT_PLUGIN_DEFENSE, &d->members,
                         d->strength,        d->unit,
                         d->scale,           gnt_result_aggregates(of, d->label)};
        if (add_entry(&out->all, here, &e, err) != 0)
            return -1;
    }
    for (size_t i = 0; i < of->attacks.n; i++) {
        const entry e = {GNT_PLUGIN_ATTACK, &of->attacks.at[i].members, "", "", "", 0};
        if (add_entry(&out->all, here, &e, err) != 0)
            return -1;
    }
    return borrow(&out->all, here, err);
}

void check_plugins_free(struct check_plugins *p) {
    for (size_t i = 0; i < p->all.n; i++)
        if (check_is_standin(&p->all.info[i]))
            gnt_info_free(&p->all.info[i]);
    gnt_free(p->all.info);
    *p = (struct check_plugins){0};
}
