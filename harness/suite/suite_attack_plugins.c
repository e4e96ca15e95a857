/* What an attack of a suite and a member of a list share: the plugin, or the chain of two, with parameters
 * and budgets, and what it is granted. */
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

static int join_ids(suite_reader *r, gnt_suite_attack *a) {
    a->plugin = a->first.info ? gnt_format("%s+%s", a->first.info->id, a->member.info->id)
                              : gnt_strdup(a->member.info->id);
    return a->plugin ? 0 : suite_no_memory(r);
}

int suite_read_plugins(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    return read_members(r, path, object, a) || join_ids(r, a);
}
