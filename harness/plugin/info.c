#include "plugin/info.h"

#include <string.h>

#include "base/mem.h"
#include "plugin/info_impl.h"
#include "plugin/members.h"
#include "plugin/params.h"
#include "plugin/sized.h"
#include "plugin/abi_words.h"

/* ---- copies ---- */

static void free_parameter(gnt_parameter *p) {
    gnt_free((void *)p->id);
    gnt_free((void *)p->unit);
    gnt_free((void *)p->preset_text);
    gnt_free((void *)p->help);
    for (size_t i = 0; p->choices && p->choices[i]; i++)
        gnt_free((void *)p->choices[i]);
    gnt_free((void *)p->choices);
}

static void free_texts(char **list, int32_t n) {
    for (int32_t i = 0; list && i < n; i++)
        gnt_free(list[i]);
    gnt_free(list);
}

void gnt_info_free(gnt_plugin_info *info) {
    gnt_free(info->id);
    gnt_free(info->version);
    gnt_free(info->line);
    gnt_free(info->licence);
    gnt_free(info->citation);
    gnt_free(info->file);
    for (int32_t i = 0; info->parameters && i < info->n_parameters; i++)
        free_parameter(&info->parameters[i]);
    gnt_free(info->parameters);
    free_texts(info->services, info->n_services);
    free_texts(info->families, info->n_families);
    *info = (gnt_plugin_info){0};
}

/* Copies a foreign string, which must exist and end within `most` bytes. */
static int copy_text(char **out, const char *text, size_t most, const char *where, const char *field,
                     gnt_err *err) {
    if (!text)
        return gnt_fail(err, "%s: %s is NULL; expected text, \"\" where there is none", where, field);
    if (strnlen(text, most + 1) > most)
        return gnt_fail(err, "%s: %s is longer than %zu bytes", where, field, most);
    *out = gnt_strdup(text);
    return *out ? 0 : gnt_fail(err, "%s: out of memory", where);
}

/* Copies a NULL-terminated list of ids, or NULL; messages call them `what`. */
static int copy_texts(char ***out, int32_t *n_out, const char *const *list, int32_t most, const char *where,
                      const char *what, gnt_err *err) {
    int32_t n = 0;
    while (list && n <= most && list[n])
        n++;
    if (n > most)
        return gnt_fail(err, "%s: more than %d %s", where, most, what);
    *out = gnt_array((size_t)n, sizeof **out);
    if (!*out)
        return gnt_fail(err, "%s: out of memory", where);
    for (*n_out = 0; *n_out < n; ++*n_out)
        if (copy_text(&(*out)[*n_out], list[*n_out], GNT_PLUGIN_ID, where, what, err))
            return -1;
    return 0;
}

static int copy_choices(gnt_parameter *to, const gnt_parameter *from, const char *where, gnt_err *err) {
    size_t n = 0;
    while (from->choices && n <= GNT_PLUGIN_CHOICES && from->choices[n])
        n++;
    if (n > GNT_PLUGIN_CHOICES)
        return gnt_fail(err, "%s: more than %d choices", where, GNT_PLUGIN_CHOICES);
    char **copy = gnt_array(n + 1, sizeof *copy);
    if (!copy)
        return gnt_fail(err, "%s: out of memory", where);
    to->choices = (const char *const *)copy;
    for (size_t i = 0; i < n; i++)
        if (copy_text(&copy[i], from->choices[i], GNT_PLUGIN_ID, where, "a choice", err))
            return -1;
    return 0;
}

/* Copies a parameter; sets members that its type does not use to 0, so that equal tables have equal
 * copies. */
static int copy_parameter(gnt_parameter *to, const gnt_parameter *from, const char *where, gnt_err *err) {
    int32_t t = from->type;
    int list = t == GNT_TYPE_INT_LIST || t == GNT_TYPE_REAL_LIST,
        number = t == GNT_TYPE_INT || t == GNT_TYPE_REAL;
    if (from->reserved || from->reserved_word)
        return gnt_fail(err, "%s: a parameter has reserved members that are not 0", where);
    *to = (gnt_parameter){.type = t, .strength = from->strength};
    to->preset = number || t == GNT_TYPE_BOOL ? from->preset : 0;
    if (number || list) {
        to->scale = from->scale;
        to->least = from->least;
        to->most = from->most;
    }
    char *id = NULL, *unit = NULL, *help = NULL, *preset = NULL;
    int bad = copy_text(&id, from->id, GNT_PLUGIN_ID, where, "a parameter's id", err) ||
              copy_text(&unit, from->unit ? from->unit : "", GNT_PLUGIN_ID, where, "a unit", err) ||
              copy_text(&help, from->help ? from->help : "", GNT_PLUGIN_LINE, where, "a help text", err);
    if (!bad && (list || t == GNT_TYPE_TEXT || t == GNT_TYPE_CHOICE))
        bad = copy_text(&preset, from->preset_text, 32 * GNT_PLUGIN_LIST, where, "preset_text", err);
    if (!bad && t == GNT_TYPE_MODEL && from->preset_text)
        bad = copy_text(&preset, from->preset_text, GNT_PLUGIN_TEXT, where, "preset_text", err);
    to->id = id;
    to->unit = unit;
    to->help = help;
    to->preset_text = preset;
    if (!bad && t == GNT_TYPE_CHOICE)
        bad = copy_choices(to, from, where, err);
    return bad ? -1 : 0;
}

/* Writes the defaults of lists in the canonical form, after they were checked. */
static int normalise_lists(gnt_plugin_info *info, const char *where, gnt_err *err) {
    gnt_params defaults;
    if (gnt_params_read(&defaults, info->parameters, info->n_parameters, NULL, where, NULL, err))
        return -1;
    int bad = 0;
    for (int32_t i = 0; i < info->n_parameters && !bad; i++) {
        gnt_parameter *p = &info->parameters[i];
        if (p->type != GNT_TYPE_INT_LIST && p->type != GNT_TYPE_REAL_LIST)
            continue;
        char *text = gnt_list_text(defaults.value[i].list, defaults.value[i].n);
        bad = !text;
        if (text) {
            gnt_free((void *)p->preset_text);
            p->preset_text = text;
        }
    }
    gnt_params_free(&defaults);
    return bad ? gnt_fail(err, "%s: out of memory", where) : 0;
}

/* ---- hooks ---- */

gnt_defense gnt_defense_table(const gnt_defense *table) {
    gnt_defense copy;
    gnt_copy_sized(&copy, sizeof copy, table, table->size);
    copy.size = sizeof copy;
    return copy;
}

gnt_attack gnt_attack_table(const gnt_attack *table) {
    gnt_attack copy;
    gnt_copy_sized(&copy, sizeof copy, table, table->size);
    copy.size = sizeof copy;
    return copy;
}

gnt_descriptor gnt_descriptor_copy(const gnt_descriptor *d) {
    gnt_descriptor copy;
    gnt_copy_sized(&copy, sizeof copy, d, d->size);
    copy.size = sizeof copy;
    return copy;
}

static int too_small(const char *what, uint32_t size, uint32_t least, const char *where, gnt_err *err) {
    return size < least
               ? gnt_fail(err, "%s: %s %u; expected %u or more", where, what, (unsigned)size, (unsigned)least)
               : 0;
}

static int defense_hooks(uint32_t *hooks, const gnt_descriptor *d, const char *where, gnt_err *err) {
    if (too_small("the table of hooks has size", d->defense->size, GNT_DEFENSE_SIZE_0_10, where, err))
        return -1;
    gnt_defense t = gnt_defense_table(d->defense);
    int sums = !!t.contribute_size + !!t.contribute + !!t.receive_sum;
    if (sums != 0 && sums != 3)
        return gnt_fail(err,
                        "%s: contribute_size, contribute and receive_sum go together; it has %d of the three",
                        where, sums);
    if (!t.save != !t.load)
        return gnt_fail(err, "%s: save and load go together; it has only %s", where,
                        t.save ? "save" : "load");
    *hooks = (t.prepare ? GNT_HOOK_PREPARE : 0) | (sums ? GNT_HOOK_CONTRIBUTE : 0) |
             (t.encode_set ? GNT_HOOK_ENCODE_SET : 0) | (t.encode_batch ? GNT_HOOK_ENCODE_BATCH : 0) |
             (t.local_rate ? GNT_HOOK_LOCAL_RATE : 0) | (t.client_update ? GNT_HOOK_CLIENT_UPDATE : 0) |
             (t.transform_update ? GNT_HOOK_TRANSFORM_UPDATE : 0) | (t.aggregate ? GNT_HOOK_AGGREGATE : 0) |
             (t.save ? GNT_HOOK_STATE : 0) | (t.encode_query ? GNT_HOOK_ENCODE_QUERY : 0);
    return 0;
}

static int hooks_of(uint32_t *hooks, const gnt_descriptor *d, const char *where, gnt_err *err) {
    if (!d->defense == !d->attack)
        return gnt_fail(
            err, "%s: it has %s a table of defense hooks and a table of attack hooks; expected exactly one",
            where, d->defense ? "both" : "neither");
    if (!d->defense != (d->kind == GNT_PLUGIN_ATTACK))
        return gnt_fail(err, "%s: kind is %d, but the hooks are those of the other kind", where, d->kind);
    if (d->defense)
        return defense_hooks(hooks, d, where, err);
    if (too_small("the table of hooks has size", d->attack->size, GNT_ATTACK_SIZE_0_10, where, err))
        return -1;
    gnt_attack t = gnt_attack_table(d->attack);
    *hooks = (t.prepare ? GNT_HOOK_PREPARE : 0) | (t.run ? GNT_HOOK_RUN : 0) |
             (t.broadcast ? GNT_HOOK_BROADCAST : 0);
    return 0;
}

/* ---- from a descriptor ---- */

static int copy_descriptor(gnt_plugin_info *info, const gnt_descriptor *d, const char *where, gnt_err *err) {
    if (copy_text(&info->version, d->version, GNT_PLUGIN_ID, where, "version", err) ||
        copy_text(&info->line, d->line, GNT_PLUGIN_LINE, where, "line", err) ||
        copy_text(&info->licence, d->licence, GNT_PLUGIN_LINE, where, "licence", err) ||
        copy_text(&info->citation, d->citation ? d->citation : "", GNT_PLUGIN_TEXT, where, "citation", err))
        return -1;
    if (d->n_parameters < 0 || d->n_parameters > GNT_PLUGIN_PARAMS || (d->n_parameters && !d->parameters))
        return gnt_fail(err, "%s: n_parameters is %d; expected 0 to %d with a table", where, d->n_parameters,
                        GNT_PLUGIN_PARAMS);
    info->parameters = gnt_array((size_t)d->n_parameters, sizeof *info->parameters);
    if (!info->parameters)
        return gnt_fail(err, "%s: out of memory", where);
    info->n_parameters = d->n_parameters;
    for (int32_t i = 0; i < d->n_parameters; i++)
        if (copy_parameter(&info->parameters[i], &d->parameters[i], where, err))
            return -1;
    if (gnt_members_check(d, where, err))
        return -1;
    return copy_texts(&info->services, &info->n_services, d->services, GNT_PLUGIN_SERVICES, where,
                      "required services", err) ||
                   copy_texts(&info->families, &info->n_families, d->families, GNT_PLUGIN_FAMILIES, where,
                              "families", err)
               ? -1
               : 0;
}

int gnt_info_of_descriptor(gnt_plugin_info *out, const gnt_descriptor *given, const char *file,
                           const char *digest, int32_t index, gnt_err *err) {
    *out = (gnt_plugin_info){0};
    gnt_err place = {0};
    gnt_fail(&place, "%.500s: descriptor %d", file ? file : "plugin", index);
    const char *where = place.text;
    if (!given)
        return gnt_fail(err, "%s: it is NULL", where);
    if (too_small("size is", given->size, GNT_DESCRIPTOR_SIZE_0_10, where, err))
        return -1;
    const gnt_descriptor copy = gnt_descriptor_copy(given), *d = &copy;
    gnt_plugin_info info = {.kind = d->kind,
                            .scope = d->scope,
                            .surfaces = d->surfaces,
                            .goals = d->goals,
                            .needs = d->needs,
                            .uses = d->uses,
                            .data_kinds = d->data_kinds,
                            .flags = d->flags,
                            .conditions = d->conditions,
                            .least_public = d->least_public,
                            .least_shadow = d->least_shadow,
                            .abi_major = GNT_ABI_MAJOR,
                            .abi_minor = GNT_ABI_MINOR,
                            .index = index};
    if (digest && strlen(digest) < sizeof info.digest)
        memcpy(info.digest, digest, strlen(digest) + 1);
    int bad = copy_text(&info.id, d->id, GNT_PLUGIN_ID, where, "id", err) ||
              copy_text(&info.file, file ? file : "", 4096, where, "file", err);
    if (!bad)
        gnt_fail(&place, "%.500s: plugin %s", file ? file : "plugin", info.id);
    bad = bad || hooks_of(&info.hooks, d, where, err) || copy_descriptor(&info, d, where, err) ||
          gnt_info_check(&info, file ? file : "plugin", err) || normalise_lists(&info, where, err);
    info.strength = gnt_params_strength(info.parameters, info.n_parameters);
    if (bad) {
        gnt_info_free(&info);
        return -1;
    }
    *out = info;
    return 0;
}
