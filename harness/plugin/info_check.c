/* Checks a copy of a descriptor, from any source. */
#include "plugin/info_impl.h"

#include <math.h>
#include <string.h>

#include "plugin/params.h"
#include "plugin/abi_words.h"

int gnt_id_ok(const char *id, char joint) {
    if (!id || id[0] < 'a' || id[0] > 'z')
        return 0;
    size_t n = strnlen(id, GNT_PLUGIN_ID + 1);
    if (n > GNT_PLUGIN_ID)
        return 0;
    for (size_t i = 0; i < n; i++) {
        char c = id[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == joint))
            return 0;
    }
    return 1;
}

static int has_range(int32_t type) {
    return type == GNT_TYPE_INT || type == GNT_TYPE_REAL || type == GNT_TYPE_INT_LIST ||
           type == GNT_TYPE_REAL_LIST;
}

static int check_range(const gnt_parameter *p, const char *at, gnt_err *err) {
    if (!isfinite(p->least) || !isfinite(p->most) || p->least > p->most)
        return gnt_fail(err, "%s: its range is %g … %g; expected finite bounds, the lesser first", at,
                        p->least, p->most);
    int whole = p->type == GNT_TYPE_INT || p->type == GNT_TYPE_INT_LIST;
    if (whole && (p->least != floor(p->least) || p->most != floor(p->most) || fabs(p->least) > 0x1p53 ||
                  fabs(p->most) > 0x1p53))
        return gnt_fail(err, "%s: the bounds %g … %g of whole numbers must be whole and within ±2^53", at,
                        p->least, p->most);
    if (p->scale == GNT_SCALE_LOG && p->least < 0)
        return gnt_fail(err, "%s: a logarithmic scale cannot begin at %g; expected 0 or more", at, p->least);
    if (p->scale == GNT_SCALE_COMPLEMENT && (whole || p->most > 1 || p->least == 1))
        return gnt_fail(err, "%s: a scale of log(1 - p) is for real numbers below 1, not %s %g … %g", at,
                        whole ? "whole ones in" : "in", p->least, p->most);
    if (p->type != GNT_TYPE_INT && p->type != GNT_TYPE_REAL)
        return 0;
    if (!(p->preset >= p->least && p->preset <= p->most) || (whole && p->preset != floor(p->preset)))
        return gnt_fail(err, "%s: the default %g is not %s %g … %g", at, p->preset,
                        whole ? "a whole number in" : "in", p->least, p->most);
    return 0;
}

static int check_choices(const gnt_parameter *p, const char *at, gnt_err *err) {
    int found = 0;
    size_t n = 0;
    for (; p->choices && p->choices[n]; n++) {
        if (!gnt_text_ok(p->choices[n], 1, GNT_PLUGIN_ID))
            return gnt_fail(err, "%s: choice %zu is not 1 to %d bytes of printable UTF-8", at, n,
                            GNT_PLUGIN_ID);
        for (size_t j = 0; j < n; j++)
            if (strcmp(p->choices[j], p->choices[n]) == 0)
                return gnt_fail(err, "%s: the choice \"%s\" is listed twice", at, p->choices[n]);
        found |= p->preset_text && strcmp(p->choices[n], p->preset_text) == 0;
    }
    if (n == 0)
        return gnt_fail(err, "%s: it has no choices; expected at least one", at);
    if (!found)
        return gnt_fail(err, "%s: the default \"%.60s\" is not one of its choices", at,
                        gnt_text_ok(p->preset_text, 0, GNT_PLUGIN_TEXT) ? p->preset_text : "?");
    return 0;
}

/* Checks the default of a list with the reader of values, so that the two agree. */
static int check_list(const gnt_parameter *p, const char *at, gnt_err *err) {
    gnt_params defaults = {0};
    gnt_err why = {0};
    if (!gnt_text_ok(p->preset_text, 2, 32 * GNT_PLUGIN_LIST))
        return gnt_fail(err, "%s: its default must be JSON text such as \"[1, 2]\"", at);
    int bad = gnt_params_read(&defaults, p, 1, NULL, "default", NULL, &why) != 0;
    gnt_params_free(&defaults);
    return bad ? gnt_fail(err, "%s: %s", at, why.text) : 0;
}

static int check_parameter(const gnt_plugin_info *info, int32_t i, const char *where, gnt_err *err) {
    const gnt_parameter *p = &info->parameters[i];
    if (!gnt_id_ok(p->id, '_'))
        return gnt_fail(
            err, "%s: the id of parameter %d breaks the rule: 1 to %d of a–z, 0–9 and '_', a letter first",
            where, i, GNT_PLUGIN_ID);
    gnt_err scratch = {0};
    gnt_fail(&scratch, "%.500s: parameter %s", where, p->id);
    const char *at = scratch.text;
    for (int32_t j = 0; j < i; j++)
        if (strcmp(info->parameters[j].id, p->id) == 0)
            return gnt_fail(err, "%s: it is in the table twice", at);
    if (!gnt_word_name(&gnt_type_words, (uint32_t)p->type))
        return gnt_fail(err, "%s: type %d is unknown to this host", at, p->type);
    if (!gnt_word_name(&gnt_scale_words, (uint32_t)p->scale))
        return gnt_fail(err, "%s: scale %d is unknown to this host", at, p->scale);
    if (!gnt_text_ok(p->unit, 0, GNT_PLUGIN_ID) || !gnt_text_ok(p->help, 0, GNT_PLUGIN_LINE))
        return gnt_fail(err, "%s: its unit or help is not printable UTF-8 of at most %d and %d bytes", at,
                        GNT_PLUGIN_ID, GNT_PLUGIN_LINE);
    if (p->strength < -1 || p->strength > 1)
        return gnt_fail(err, "%s: strength is %d; expected −1, 0 or 1", at, p->strength);
    if (p->strength && p->type != GNT_TYPE_INT && p->type != GNT_TYPE_REAL)
        return gnt_fail(err, "%s: only an int or a real can be THE strength", at);
    if (p->strength && info->kind != GNT_PLUGIN_DEFENSE)
        return gnt_fail(err, "%s: only a defense has a strength", at);
    if (has_range(p->type) && check_range(p, at, err))
        return -1;
    if (p->type == GNT_TYPE_BOOL && p->preset != 0 && p->preset != 1)
        return gnt_fail(err, "%s: the default of a bool must be 0 or 1", at);
    if (p->type == GNT_TYPE_TEXT && !gnt_text_ok(p->preset_text, 0, GNT_PLUGIN_TEXT))
        return gnt_fail(err, "%s: its default is not printable UTF-8 of at most %d bytes", at,
                        GNT_PLUGIN_TEXT);
    if (p->type == GNT_TYPE_MODEL && p->preset_text && *p->preset_text)
        return gnt_fail(
            err,
            "%s: its default must be \"\" (a suite may leave the model out) or NULL (it must name one): "
            "a plugin cannot know the models of a suite",
            at);
    if (p->type == GNT_TYPE_CHOICE)
        return check_choices(p, at, err);
    if (p->type == GNT_TYPE_INT_LIST || p->type == GNT_TYPE_REAL_LIST)
        return check_list(p, at, err);
    return 0;
}

static int check_bits(uint32_t bits, const gnt_words *words, const char *field, int wanted, const char *where,
                      gnt_err *err) {
    if (bits & ~gnt_words_all(words))
        return gnt_fail(err,
                        "%s: %s has bits 0x%x that this host does not know; it was written for a later host",
                        where, field, (unsigned)(bits & ~gnt_words_all(words)));
    if (wanted > 0 && !bits)
        return gnt_fail(err, "%s: %s names nothing; expected at least one bit", where, field);
    if (wanted < 0 && bits)
        return gnt_fail(err, "%s: %s must be 0 for this kind of plugin", where, field);
    return 0;
}

static int check_hooks(const gnt_plugin_info *info, const char *where, gnt_err *err) {
    int attack = info->kind == GNT_PLUGIN_ATTACK, prepares = (info->hooks & GNT_HOOK_PREPARE) != 0;
    if (attack && !(info->hooks & GNT_HOOK_RUN))
        return gnt_fail(err, "%s: an attack needs the hook run", where);
    if (attack && info->hooks & ~(GNT_HOOK_RUN | GNT_HOOK_PREPARE | GNT_HOOK_BROADCAST))
        return gnt_fail(err, "%s: an attack has the hooks prepare, run and broadcast only", where);
    if (!attack && info->hooks & (GNT_HOOK_RUN | GNT_HOOK_BROADCAST))
        return gnt_fail(err, "%s: a defense has no hook run or broadcast", where);
    if (!(info->hooks & GNT_HOOK_BROADCAST) != !(info->flags & GNT_FLAG_ACTIVE))
        return gnt_fail(err, "%s: the hook broadcast and the flag GNT_FLAG_ACTIVE go together", where);
    if (prepares && info->scope == GNT_SCOPE_NONE)
        return gnt_fail(err, "%s: it has the hook prepare, so its scope must be task or stage, not none",
                        where);
    if (attack && (info->flags & GNT_FLAG_PREPARES_ONCE) && info->scope != GNT_SCOPE_TASK)
        return gnt_fail(
            err, "%s: an attack with GNT_FLAG_PREPARES_ONCE needs the hook prepare and scope task", where);
    if (!prepares && info->scope != GNT_SCOPE_NONE)
        return gnt_fail(err, "%s: its scope says that it prepares, but it has no hook prepare", where);
    return 0;
}

static int check_texts(const gnt_plugin_info *info, const char *where, gnt_err *err) {
    const struct {
        const char *field, *text;
        size_t least, most;
    } texts[] = {{"version", info->version, 1, GNT_PLUGIN_ID},
                 {"line", info->line, 1, GNT_PLUGIN_LINE},
                 {"licence", info->licence, 1, GNT_PLUGIN_LINE},
                 {"citation", info->citation, 0, GNT_PLUGIN_TEXT}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!gnt_text_ok(texts[i].text, texts[i].least, texts[i].most))
            return gnt_fail(err, "%s: %s is not %zu to %zu bytes of printable UTF-8 on one line", where,
                            texts[i].field, texts[i].least, texts[i].most);
    return 0;
}

static int check_least(const char *what, int64_t rows, const char *at, gnt_err *err) {
    return rows >= 0 && rows <= INT32_MAX
               ? 0
               : gnt_fail(err, "%s: %s is %lld; expected 0 to %d", at, what, (long long)rows, INT32_MAX);
}

static int check_families(const gnt_plugin_info *info, const char *at, gnt_err *err) {
    for (int32_t i = 0; i < info->n_families; i++) {
        if (!gnt_id_ok(info->families[i], '-'))
            return gnt_fail(err, "%s: family %d breaks the rule: 1 to %d of a–z, 0–9 and '-', a letter first",
                            at, i, GNT_PLUGIN_ID);
        if (info->kind == GNT_PLUGIN_DEFENSE && strcmp(info->families[i], GNT_FAMILY_ANY) == 0)
            return gnt_fail(err, "%s: a defense is of no family \"any\": only an attack can adapt to any",
                            at);
    }
    return 0;
}

int gnt_info_check(const gnt_plugin_info *info, const char *where, gnt_err *err) {
    if (!gnt_id_ok(info->id, '-'))
        return gnt_fail(err, "%s: a plugin's id breaks the rule: 1 to %d of a–z, 0–9 and '-', a letter first",
                        where, GNT_PLUGIN_ID);
    gnt_err scratch = {0};
    gnt_fail(&scratch, "%.600s: plugin %s", where, info->id);
    const char *at = scratch.text;
    if (!gnt_word_name(&gnt_kind_words, (uint32_t)info->kind))
        return gnt_fail(err, "%s: kind is %d; expected 1 (defense) or 2 (attack)", at, info->kind);
    if (!gnt_word_name(&gnt_scope_words, (uint32_t)info->scope))
        return gnt_fail(err, "%s: scope is %d; expected 0 (none), 1 (task) or 2 (stage)", at, info->scope);
    int attack = info->kind == GNT_PLUGIN_ATTACK;
    if (check_texts(info, at, err) ||
        check_bits(info->surfaces, &gnt_surface_words, "surfaces", 1, at, err) ||
        check_bits(info->goals, &gnt_goal_words, "goals", attack ? 1 : -1, at, err) ||
        check_bits(info->needs, &gnt_knowledge_words, "needs", attack ? 0 : -1, at, err) ||
        check_bits(info->uses, &gnt_knowledge_words, "uses", attack ? 0 : -1, at, err) ||
        check_bits(info->data_kinds, &gnt_data_kind_words, "data_kinds", 1, at, err) ||
        check_bits(info->flags, &gnt_flag_words, "flags", 0, at, err) ||
        check_bits(info->conditions, &gnt_condition_words, "conditions", 0, at, err) ||
        check_bits(info->hooks, &gnt_hook_words, "hooks", 0, at, err) || check_hooks(info, at, err))
        return -1;
    for (int32_t i = 0; i < info->n_services; i++)
        if (!gnt_text_ok(info->services[i], 1, GNT_PLUGIN_ID))
            return gnt_fail(err, "%s: service %d is not 1 to %d bytes of printable UTF-8", at, i,
                            GNT_PLUGIN_ID);
    if (check_families(info, at, err) || check_least("least_public", info->least_public, at, err) ||
        check_least("least_shadow", info->least_shadow, at, err))
        return -1;
    for (int32_t i = 0; i < info->n_parameters; i++)
        if (check_parameter(info, i, at, err))
            return -1;
    if (gnt_strength_row(info->parameters, info->n_parameters) == -2)
        return gnt_fail(err, "%s: several parameters are marked as THE strength; expected one at most", at);
    return 0;
}
