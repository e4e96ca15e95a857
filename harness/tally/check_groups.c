/* Groups: each is what its cells come to. */
#include "derive/derive.h"
#include "tally/tally_impl.h"

/* First which cells it is of, then what they come to: statistics are compared by their size, everything else
 * by its own. */
static int check_group(const tally *t, size_t i, json_t *should) {
    static const char *const tables[] = {"floors", "chance", "measures"};
    const json_t *is = json_array_get(t->groups, i);
    const gnt_path at = gnt_path_item("groups", i);
    gnt_tally_says says = tally_says(t, "its cells give");
    json_t *part[3], *none = json_object();
    int rc = none ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t k = 0; k < 3; k++) {
        part[k] = json_incref(json_object_get(should, tables[k]));
        json_object_del(should, tables[k]);
    }
    rc = rc ? rc : gnt_tally_same(&says, at.text, is, should, 0, 0);
    for (size_t k = 0; k < 3; k++) {
        const json_t *there = json_object_get(is, tables[k]);
        const gnt_path path = gnt_path_key(at.text, tables[k]);
        there = there && !json_is_null(there) ? there : none;
        if (rc == 0 && k < 2)
            rc = gnt_tally_same(&says, path.text, there, part[k], 2e-9, 1);
        says.because = "the targets of its cells give";
        if (rc == 0 && k == 2)
            rc = gnt_tally_same_measures(&says, path.text, there, part[k]);
        says.because = "its cells give";
        json_decref(part[k]);
    }
    json_decref(none);
    return rc;
}

/* Utilities of a group whose training came to nothing stand in the file, where its cells have none. */
static void drop_lost_utility(const tally *t, size_t first, json_t *should) {
    const size_t n = (size_t)json_integer_value(json_object_get(should, "n_cells"));
    for (size_t i = first; i < first + n; i++) {
        const json_t *cell = json_array_get(t->cells, i);
        if (tally_is_ok(cell) && !json_is_object(json_object_get(cell, "utility"))) {
            json_object_del(should, "utility_none");
            return;
        }
    }
}

static json_t *groups_of(const tally *t) {
    gnt_result all;
    json_t *list = NULL, *root = NULL;
    if (gnt_result_decode(&all, t->file, t->root, t->err) != 0)
        return NULL;
    if (gnt_derive_groups(&all.groups, &all.cells, &all.tasks, &all.memory, t->err) == 0)
        root = gnt_fields_encode(&gnt_result_fields, &all, GNT_FIELDS_ALL);
    list = json_incref(json_object_get(root, "groups"));
    json_decref(root);
    gnt_result_free(&all);
    return list;
}

int tally_check_groups(const tally *t) {
    json_t *should = groups_of(t);
    if (!should)
        return -1;
    const size_t n = json_array_size(should);
    int rc = 0;
    for (size_t i = 0, first = 0; rc == 0 && i < n && i < json_array_size(t->groups); i++) {
        json_t *one = json_array_get(should, i);
        const size_t cells = (size_t)json_integer_value(json_object_get(one, "n_cells"));
        drop_lost_utility(t, first, one);
        rc = check_group(t, i, one);
        first += cells;
    }
    if (rc == 0 && json_array_size(t->groups) != n)
        rc = gnt_fail(t->err, "%s: groups has %zu entries, but its cells make %zu", t->file,
                      json_array_size(t->groups), n);
    json_decref(should);
    return rc;
}
