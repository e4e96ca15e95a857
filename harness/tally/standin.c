/* Plugins that are not here: what results.json says of one stands in for its descriptor, so that the suite
 * can be read. A stand-in has the version and parameters that the run recorded and fits everything: what a
 * plan says against it, it says because of others. A plugin that is here in another version than the run's is
 * not here. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "plugin/words.h"
#include "tally/tally_impl.h"

enum { STANDIN = -1, MOST_STANDINS = 4096 };
#define WIDEST 1e150 /* of a strength whose range is not known; its square is finite */

int tally_is_standin(const gnt_plugin_info *info) {
    return info && info->index == STANDIN;
}

int tally_unknown_defense(const gnt_suite_defense *d) {
    for (size_t i = 0; i < d->n_members; i++)
        if (tally_is_standin(d->member[i].info))
            return 1;
    return 0;
}

int tally_unknown_attack(const gnt_suite_attack *a) {
    return tally_is_standin(a->member.info) || tally_is_standin(a->first.info);
}

/* ---- one parameter ---- */

static char *list_text(const json_t *value) {
    return json_dumps(value, JSON_COMPACT);
}

/* 0: taken; 1: a value that no parameter has, left out. */
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

static void make_strength(gnt_parameter *p, const json_t *entry) {
    uint32_t scale = GNT_SCALE_LINEAR;
    p->strength = 1;
    gnt_free((void *)(uintptr_t)p->unit);
    p->unit = gnt_strdup(tally_text(entry, "unit"));
    if (gnt_word_bit(&gnt_scale_words, tally_text(entry, "scale"), &scale) != 0)
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

static uint32_t flags_of(const json_t *member) {
    const json_t *names = json_object_get(member, "flags");
    uint32_t flags = 0, bit;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name && gnt_word_bit(&gnt_flag_words, name, &bit) == 0)
            flags |= bit;
    }
    return flags;
}

static int make_standin(gnt_plugin_info *out, int32_t kind, const json_t *entry, const json_t *member) {
    const json_t *params = json_object_get(member, "params");
    const size_t n = json_object_size(params);
    const char *id, *strength = tally_text(entry, "strength");
    json_t *value;
    *out = (gnt_plugin_info){.kind = kind,
                             .strength = -1,
                             .surfaces = gnt_words_all(&gnt_surface_words),
                             .goals = gnt_words_all(&gnt_goal_words),
                             .data_kinds = gnt_words_all(&gnt_data_kind_words),
                             .flags = flags_of(member),
                             .hooks = GNT_HOOK_CONTRIBUTE,
                             .index = STANDIN};
    out->id = gnt_strdup(tally_text(member, "id"));
    out->version = gnt_strdup(tally_text(member, "version"));
    out->line = gnt_strdup("");
    out->licence = gnt_strdup("");
    out->citation = gnt_strdup("");
    out->file = gnt_strdup("");
    out->parameters = gnt_array(n + 1, sizeof *out->parameters);
    if (!out->id || !out->version || !out->parameters || n > GNT_PLUGIN_PARAMS)
        return -1;
    /* whether it needs data of its own is what a flag says, not what it was told to be recorded */
    out->flags &= ~(uint32_t)(GNT_FLAG_NEEDS_PUBLIC | GNT_FLAG_NEEDS_SHADOW | GNT_FLAG_FIRST_DENSE);
    json_object_foreach((json_t *)(uintptr_t)params, id, value) {
        gnt_parameter *p = &out->parameters[out->n_parameters];
        if (take_parameter(p, id, value) != 0)
            continue;
        if (kind == GNT_PLUGIN_DEFENSE && strcmp(id, strength) == 0 && p->type == GNT_TYPE_REAL) {
            make_strength(p, entry);
            out->strength = out->n_parameters;
        }
        out->n_parameters++;
    }
    return 0;
}

/* ---- all of them ---- */

static int is_here(const gnt_plugin_list *here, int32_t kind, const json_t *member) {
    const gnt_plugin_info *info = here ? gnt_plugin_list_find(here, kind, tally_text(member, "id")) : NULL;
    return info && strcmp(info->version, tally_text(member, "version")) == 0;
}

/* A plugin that an entry before named: this one may be the first to say what its strength is called. */
static void add_strength(gnt_plugin_info *info, const json_t *entry) {
    const char *strength = tally_text(entry, "strength");
    for (int32_t i = 0; tally_is_standin(info) && info->strength < 0 && i < info->n_parameters; i++)
        if (strcmp(info->parameters[i].id, strength) == 0 && info->parameters[i].type == GNT_TYPE_REAL) {
            make_strength(&info->parameters[i], entry);
            info->strength = i;
        }
}

static gnt_plugin_info *known(gnt_plugin_list *all, int32_t kind, const char *id) {
    for (size_t i = 0; i < all->n; i++)
        if (all->info[i].kind == kind && strcmp(all->info[i].id, id) == 0)
            return &all->info[i];
    return NULL;
}

static int add_entry(gnt_plugin_list *all, const gnt_plugin_list *here, int32_t kind, const json_t *entry,
                     gnt_err *err) {
    const json_t *members = json_object_get(entry, "members");
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *member = json_array_get(members, i);
        const char *id = tally_text(member, "id");
        gnt_plugin_info info, *before = known(all, kind, id);
        if (before && kind == GNT_PLUGIN_DEFENSE)
            add_strength(before, entry);
        if (!gnt_id_ok(id, '-') || is_here(here, kind, member) || before || all->n > MOST_STANDINS)
            continue;
        if (make_standin(&info, kind, entry, member) != 0 || gnt_plugin_list_add(all, &info, err) != 0) {
            gnt_info_free(&info);
            return gnt_fail(err, "a plugin that is not here has more parameters than one may have");
        }
    }
    return 0;
}

/* Those that are here are borrowed: their texts stay the caller's. */
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

int tally_plugins_make(struct tally_plugins *out, const gnt_plugin_list *here, const json_t *root,
                       gnt_err *err) {
    static const struct {
        const char *list;
        int32_t kind;
    } lists[] = {{"defenses", GNT_PLUGIN_DEFENSE}, {"attacks", GNT_PLUGIN_ATTACK}};
    *out = (struct tally_plugins){0};
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get(root, lists[k].list);
        for (size_t i = 0; i < json_array_size(list); i++)
            if (add_entry(&out->all, here, lists[k].kind, json_array_get(list, i), err) != 0)
                return -1;
    }
    return borrow(&out->all, here, err);
}

void tally_plugins_free(struct tally_plugins *p) {
    for (size_t i = 0; i < p->all.n; i++)
        if (tally_is_standin(&p->all.info[i]))
            gnt_info_free(&p->all.info[i]);
    gnt_free(p->all.info);
    *p = (struct tally_plugins){0};
}
