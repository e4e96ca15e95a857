/* The mandatory attacks: without a number from each of them a defense has no rank. They are those of a file
 * of the keeper's,
 *
 * [{"attack": LABEL or ID, "params": {NAME: VALUE, …}, "tasks": [ID, …]}, …]
 *
 * or, without one, those in the last run of the first contributor of a contest. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "board/board_impl.h"

enum { MOST_ENTRIES = 256, MOST_TASKS = 256, MOST_NAME = 400, MOST_BYTES = 1 << 20 };

/* ---- the file ---- */

static int read_entry(const gnt_doc *doc, size_t i, gnt_err *err) {
    static const char *const keys[] = {"attack", "params", "tasks"};
    const json_t *entry = json_array_get(doc->root, i), *params = NULL, *tasks = NULL;
    const gnt_path at = gnt_path_item("", i);
    const char *name;
    if (gnt_doc_keys(doc, at.text, entry, keys, 3, err) ||
        gnt_doc_need(doc, at.text, entry, "attack", "the label or the id of an attack", err) ||
        gnt_doc_text(doc, at.text, entry, "attack", MOST_NAME, &name, err) ||
        gnt_doc_object(doc, at.text, entry, "params", &params, err) ||
        gnt_doc_list(doc, at.text, entry, "tasks", 1, MOST_TASKS, &tasks, err))
        return -1;
    const gnt_path list = gnt_path_key(at.text, "tasks");
    for (size_t k = 0; k < json_array_size(tasks); k++)
        if (gnt_doc_text_at(doc, gnt_path_item(list.text, k).text, json_array_get(tasks, k), MOST_NAME, &name,
                            err))
            return -1;
    return 0;
}

static int check_entries(const gnt_doc *doc, gnt_err *err) {
    const size_t n = json_array_size(doc->root);
    if (n == 0 || n > MOST_ENTRIES)
        return gnt_doc_fail(err, doc, "",
                            "is %s; expected a list of 1 to %d attacks, such as [{\"attack\": \"dlg\"}]",
                            gnt_show(doc->root).text, MOST_ENTRIES);
    for (size_t i = 0; i < n; i++)
        if (read_entry(doc, i, err) != 0)
            return -1;
    return 0;
}

int gnt_board_mandatory_load(gnt_doc *doc, const char *path, gnt_err *err) {
    if (gnt_doc_load(doc, path, MOST_BYTES, err) != 0)
        return -1;
    if (check_entries(doc, err) == 0)
        return 0;
    gnt_doc_free(doc);
    return -1;
}

/* ---- what an entry is about ---- */

static int is_for_task(const json_t *entry, const char *task) {
    const json_t *list = json_object_get(entry, "tasks"), *one;
    size_t i;
    json_array_foreach(list, i, one) if (strcmp(json_string_value(one), task) == 0) return 1;
    return !list;
}

static int is_equal(const json_t *a, const json_t *b) {
    return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b)
                                                  : json_equal(a, b);
}

/* True if an attack of a run is the entry's: by label or plugins, with each parameter that the entry
 * lists. */
static int is_meant(const json_t *entry, const gnt_results *r, const char *label) {
    const gnt_result_attack *of = gnt_attack_of(r, label);
    const char *wanted = json_string_value(json_object_get(entry, "attack")), *name;
    json_t *params = json_object_get(entry, "params"), *value;
    if (strcmp(wanted, label) != 0 && (!of || strcmp(wanted, of->plugin) != 0))
        return 0;
    if (json_object_size(params) == 0)
        return 1;
    const char *text = of && of->members.n ? of->members.at[of->members.n - 1].params : NULL;
    json_t *has = text ? json_loads(text, 0, NULL) : NULL;
    int same = has != NULL;
    json_object_foreach(params, name, value) same = same && is_equal(json_object_get(has, name), value);
    json_decref(has);
    return same;
}

int gnt_board_is_mandatory(const gnt_doc *doc, const struct gnt_results *r, const char *task,
                           const char *attack) {
    const json_t *entry;
    size_t i;
    json_array_foreach(doc->root, i,
                       entry) if (is_for_task(entry, task) && is_meant(entry, r, attack)) return 1;
    return 0;
}

/* Marks the entry's attack as the first run has it that ran it; later ones of the same name could be
 * anything. */
static int mark_entry(const board *b, board_contest *c, const json_t *entry) {
    for (size_t k = 0; k < c->n_run; k++) {
        int found = 0;
        for (size_t i = 0; i < c->n_number; i++) {
            board_attack *a = &c->attack[c->number[i].attack];
            if (c->number[i].run != c->run[k] || !is_meant(entry, &b->run[c->run[k]].results, a->label))
                continue;
            a->required = 1;
            found = 1;
        }
        if (found)
            return 1;
    }
    return 0;
}

static void mark_entries(const board *b, board_contest *c) {
    const json_t *entry;
    size_t i;
    json_array_foreach(b->mandatory.root, i,
                       entry) if (is_for_task(entry, c->task) && !mark_entry(b, c, entry) && !c->absent)
        c->absent = json_string_value(json_object_get(entry, "attack"));
}

/* Marks the mandatory attacks, those of the first contributor. Others' count where they were run, but
 * cannot exclude anybody from the ranking. */
static void mark_first(const board *b, board_contest *c) {
    size_t last = c->run[0];
    for (size_t k = 1; k < c->n_run; k++)
        if (board_is_same_contributor(b, c->run[k], last))
            last = c->run[k];
    for (size_t i = 0; i < c->n_number; i++)
        if (c->number[i].run == last)
            c->attack[c->number[i].attack].required = 1;
}

void board_mark_mandatory(const board *b, board_contest *c) {
    if (b->options->mandatory)
        mark_entries(b, c);
    else
        mark_first(b, c);
}
