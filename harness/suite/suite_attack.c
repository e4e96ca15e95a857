/* Attacks: the plugin (or the chain of two), what it is granted, its budget. */
#include <stdio.h>
#include <string.h>

#include "plugin/abi_words.h"
#include "suite/suite_impl.h"

int suite_read_grants(suite_reader *r, const char *path, const json_t *object, const char *key,
                      uint32_t *grants) {
    const char *names[32];
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, key);
    size_t n = gnt_knowledge_words.n < 32 ? gnt_knowledge_words.n : 32;
    for (size_t i = 0; i < n; i++)
        names[i] = gnt_knowledge_words.word[i].name;
    if (suite_list(r, path, object, key, 0, 32, &list))
        return -1;
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        int which = 0;
        const gnt_path item = gnt_path_item(at.text, i);
        if (suite_choice_at(r, item.text, json_array_get(list, i), names, n, &which))
            return -1;
        if (*grants & gnt_knowledge_words.word[which].bit)
            return suite_fail(r, item.text, "\"%s\" is listed twice; remove one", names[which]);
        *grants |= gnt_knowledge_words.word[which].bit;
    }
    return 0;
}

static int read_budget(suite_reader *r, const char *path, const json_t *value, int64_t *out) {
    return value ? suite_int_at(r, path, value, 1, 1000000000, out) : 0;
}

/* Reads one plugin with its parameters and budget, or a chain of two, with a list of each. */
static int read_members(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    static const char *const lists[] = {"params", "budget"};
    const json_t *ids = json_object_get(object, "attack"), *params = json_object_get(object, "params"),
                 *budget = json_object_get(object, "budget");
    const gnt_path at = gnt_path_key(path, "attack"), own = gnt_path_key(path, "params"),
                   limit = gnt_path_key(path, "budget");
    if (!json_is_array(ids))
        return suite_read_member(r, at.text, ids, GNT_PLUGIN_ATTACK, own.text, params, &a->member) ||
               read_budget(r, limit.text, budget, &a->budget);
    if (json_array_size(ids) != 2)
        return suite_fail(
            r, at.text,
            "lists %zu plugins; expected one id, or two: the second gets the reconstructions of "
            "the first",
            json_array_size(ids));
    for (size_t i = 0; i < 2; i++) {
        const json_t *list = json_object_get(object, lists[i]);
        if (list && (!json_is_array(list) || json_array_size(list) != 2))
            return suite_fail_key(
                r, path, lists[i],
                "is %s, but \"attack\" lists two plugins; expected a list of two, one for each",
                gnt_show(list).text);
    }
    return suite_read_member(r, gnt_path_item(at.text, 0).text, json_array_get(ids, 0), GNT_PLUGIN_ATTACK,
                             gnt_path_item(own.text, 0).text, json_array_get(params, 0), &a->first) ||
           suite_read_member(r, gnt_path_item(at.text, 1).text, json_array_get(ids, 1), GNT_PLUGIN_ATTACK,
                             gnt_path_item(own.text, 1).text, json_array_get(params, 1), &a->member) ||
           read_budget(r, gnt_path_item(limit.text, 0).text, json_array_get(budget, 0), &a->first_budget) ||
           read_budget(r, gnt_path_item(limit.text, 1).text, json_array_get(budget, 1), &a->budget);
}

/* Reads "start"; the job checks it against the shape of its targets, which is not known here. */
static int read_start(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    const gnt_path at = gnt_path_key(path, "start");
    const char *name = NULL;
    if (suite_text(r, path, object, "start", 4000, &name))
        return -1;
    if (!name)
        return 0;
    if (a->first.info)
        return suite_fail(r, at.text, "is %s, but \"attack\" lists two plugins; expected one plugin",
                          gnt_show_text(name).text);
    if (!(a->member.info->flags & GNT_FLAG_TAKES_START))
        return suite_fail(r, at.text, "is %s, but %s takes no starting points; remove it",
                          gnt_show_text(name).text, a->member.info->id);
    a->start = r->env->files_may_lack ? gnt_strdup(name)
                                      : suite_find_file(r, at.text, name, "the path of a .safetensors file");
    return a->start ? 0 : r->env->files_may_lack ? suite_no_memory(r) : -1;
}

static int join_ids(suite_reader *r, gnt_suite_attack *a) {
    a->plugin = a->first.info ? gnt_format("%s+%s", a->first.info->id, a->member.info->id)
                              : gnt_strdup(a->member.info->id);
    return a->plugin ? 0 : suite_no_memory(r);
}

int suite_read_plugins(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    return read_members(r, path, object, a) || join_ids(r, a);
}

/* Refuses a label that reads like that of a list's member, "standard-1:dlg". */
static int check_no_member(suite_reader *r, const char *path, const json_t *object) {
    char name[GNT_SUITE_NAME + 1];
    const char *label = json_string_value(json_object_get(object, "label")),
               *colon = label ? strchr(label, ':') : NULL;
    if (!colon)
        return 0;
    snprintf(name, sizeof name, "%.*s", (int)(colon - label), label);
    if (!suite_is_id(name) || !suite_is_id(colon + 1))
        return 0;
    return suite_fail_key(r, path, "label",
                          "is \"%s\", which reads like an attack of a list %s; expected another label", label,
                          name);
}

static int read_attack(suite_reader *r, const char *path, const json_t *object, const char *const *labels,
                       size_t n, gnt_suite_attack *a) {
    return suite_keys(r, path, object, "attack", "params", "grants", "label", "tasks", "budget", "start") ||
           suite_need(r, path, object, "attack", "the id of a plugin, such as \"attack\": \"dlg\"") ||
           suite_read_plugins(r, path, object, a) || read_start(r, path, object, a) ||
           suite_read_grants(r, path, object, "grants", &a->grants) ||
           suite_read_label(r, path, object, a->plugin, "attacks", labels, n, &a->label) ||
           check_no_member(r, path, object) || suite_read_on_task(r, path, object, &a->on_task);
}

/* Returns the number of attacks of an entry, which is an attack or the name of a list. */
static size_t entry_size(suite_reader *r, const json_t *entry) {
    return json_is_string(entry) ? suite_list_size(r, json_string_value(entry)) : 1;
}

static int allocate(suite_reader *r, const json_t *list) {
    size_t n = 0, n_lists = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        n += entry_size(r, json_array_get(list, i));
        n_lists += json_is_string(json_array_get(list, i));
    }
    if (n > GNT_SUITE_MOST_ENTRIES)
        return suite_fail(r, "attacks",
                          "lists %zu with those of the lists that it names; expected at most %d", n,
                          GNT_SUITE_MOST_ENTRIES);
    r->s->attack = gnt_array(n, sizeof *r->s->attack);
    r->s->list = gnt_array(n_lists, sizeof *r->s->list);
    return r->s->attack && r->s->list ? 0 : suite_no_memory(r);
}

/* Adds the attacks of a list, which the suite names once. */
static int add_list(suite_reader *r, const char *path, const char *name) {
    gnt_suite *s = r->s;
    for (size_t i = 0; i < s->n_lists; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return suite_fail(r, path, "is \"%s\", which is listed already; remove one", name);
    return suite_read_list(r, name, &s->list[s->n_lists++], &s->attack[s->n_attacks], &s->n_attacks);
}

int suite_read_attacks(suite_reader *r, const json_t *list) {
    gnt_suite *s = r->s;
    const size_t n = json_array_size(list);
    /* labels of the entries; of a list "", whose members cannot be called like an entry */
    const char **labels = gnt_array(n, sizeof *labels);
    int rc = labels ? allocate(r, list) : suite_no_memory(r);
    for (size_t i = 0; i < n && rc == 0; i++) {
        const json_t *entry = json_array_get(list, i);
        const gnt_path at = gnt_path_item("attacks", i);
        labels[i] = "";
        if (json_is_string(entry)) {
            rc = add_list(r, at.text, json_string_value(entry));
            continue;
        }
        gnt_suite_attack *a = &s->attack[s->n_attacks++];
        rc = read_attack(r, at.text, entry, labels, i, a);
        labels[i] = a->label;
    }
    gnt_free(labels);
    return rc;
}

void suite_free_attack(gnt_suite_attack *a) {
    gnt_free(a->label);
    gnt_free(a->influence_of);
    gnt_free(a->plugin);
    gnt_free(a->says);
    gnt_free(a->start);
    suite_free_member(&a->member);
    suite_free_member(&a->first);
    gnt_free(a->on_task);
}
