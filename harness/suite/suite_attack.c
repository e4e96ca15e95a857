/* Attacks: the plugin, what it is granted, how long it may try. */
#include "plugin/words.h"
#include "suite/suite_impl.h"

static int read_grants(suite_reader *r, const char *path, const json_t *object, gnt_suite_attack *a) {
    const char *names[32];
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "grants");
    size_t n = gnt_knowledge_words.n < 32 ? gnt_knowledge_words.n : 32;
    for (size_t i = 0; i < n; i++)
        names[i] = gnt_knowledge_words.word[i].name;
    if (gnt_doc_list(r->doc, path, object, "grants", 0, 32, &list, r->err))
        return -1;
    for (size_t i = 0; list && i < json_array_size(list); i++) {
        int which = 0;
        const gnt_path item = gnt_path_item(at.text, i);
        if (gnt_doc_choice_at(r->doc, item.text, json_array_get(list, i), names, n, &which, r->err))
            return -1;
        if (a->grants & gnt_knowledge_words.word[which].bit)
            return suite_fail(r, item.text, "\"%s\" stands twice; remove one", names[which]);
        a->grants |= gnt_knowledge_words.word[which].bit;
    }
    return 0;
}

static int read_attack(suite_reader *r, const char *path, const json_t *object, char *const *labels, size_t n,
                       gnt_suite_attack *a) {
    static const char *const keys[] = {"attack", "params", "grants", "label", "tasks", "budget"};
    const gnt_path at = gnt_path_key(path, "attack"), params = gnt_path_key(path, "params");
    return gnt_doc_keys(r->doc, path, object, keys, sizeof keys / sizeof *keys, r->err) ||
                   gnt_doc_need(r->doc, path, object, "attack",
                                "the id of a plugin, such as \"attack\": \"dlg\"", r->err) ||
                   suite_read_member(r, at.text, json_object_get(object, "attack"), GNT_PLUGIN_ATTACK,
                                     params.text, json_object_get(object, "params"), &a->member) ||
                   read_grants(r, path, object, a) ||
                   gnt_doc_int(r->doc, path, object, "budget", 1, 1000000000, &a->budget, r->err) ||
                   suite_read_label(r, path, object, a->member.info->id, "attacks", labels, n, &a->label) ||
                   suite_read_on_task(r, path, object, &a->on_task)
               ? -1
               : 0;
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
    suite_free_member(&a->member);
    gnt_free(a->on_task);
}
