/* The entries of "attacks": an attack, or a list of them. */
#include <stdio.h>
#include <string.h>

#include "suite/suite_impl.h"

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
