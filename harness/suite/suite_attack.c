/* Attacks: the plugin (or the chain of two), what it is granted, its budget. */
#include "plugin/abi_words.h"
#include "suite/suite_impl.h"

static int read_grants(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    const char *names[32];
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "grants");
    size_t n = gnt_knowledge_words.n < 32 ? gnt_knowledge_words.n : 32;
    for (size_t i = 0; i < n; i++)
        names[i] = gnt_knowledge_words.word[i].name;
    if (suite_list(r, path, object, "grants", 0, 32, &list))
        return -1;
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        int which = 0;
        const gnt_path item = gnt_path_item(at.text, i);
        if (suite_choice_at(r, item.text, json_array_get(list, i), names, n, &which))
            return -1;
        if (a->grants & gnt_knowledge_words.word[which].bit)
            return suite_fail(r, item.text, "\"%s\" is listed twice; remove one", names[which]);
        a->grants |= gnt_knowledge_words.word[which].bit;
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

static int read_attack(suite_reader *r, const char *path, const json_t *object, char *const *labels, size_t n,
                       gnt_suite_attack *a) {
    return suite_keys(r, path, object, "attack", "params", "grants", "label", "tasks", "budget", "start") ||
           suite_need(r, path, object, "attack", "the id of a plugin, such as \"attack\": \"dlg\"") ||
           read_members(r, path, object, a) || join_ids(r, a) || read_start(r, path, object, a) ||
           read_grants(r, path, object, a) ||
           suite_read_label(r, path, object, a->plugin, "attacks", labels, n, &a->label) ||
           suite_read_on_task(r, path, object, &a->on_task);
}

int suite_read_attacks(suite_reader *r, const json_t *list) {
    gnt_suite *s = r->s;
    size_t n = json_array_size(list);
    char **labels = gnt_array(n, sizeof *labels);
    int rc = 0;
    s->attack = gnt_array(n, sizeof *s->attack);
    if (!s->attack || !labels)
        rc = suite_no_memory(r);
    for (size_t i = 0; i < n && rc == 0; i++) {
        s->n_attacks = i + 1;
        rc = read_attack(r, gnt_path_item("attacks", i).text, json_array_get(list, i), labels, i,
                         &s->attack[i]);
        labels[i] = s->attack[i].label;
    }
    gnt_free(labels);
    return rc;
}

void suite_free_attack(gnt_suite_attack *a) {
    gnt_free(a->label);
    gnt_free(a->influence_of);
    gnt_free(a->plugin);
    gnt_free(a->start);
    suite_free_member(&a->member);
    suite_free_member(&a->first);
    gnt_free(a->on_task);
}
