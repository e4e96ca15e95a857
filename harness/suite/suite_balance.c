/* "balance" of a task's data: values of an attribute that get equally many rows. */
#include "suite/suite_impl.h"

static int all_values(suite_reader *r, const char *path, gnt_suite_task *t) {
    const gnt_data_attr *a = &t->facts.attr[t->balance[0]];
    if (a->values > GNT_SUITE_BALANCED)
        return suite_fail(r, path, "is \"%s\", which has %d values; at most %d can be balanced", a->name,
                          a->values, GNT_SUITE_BALANCED);
    for (int32_t v = 0; v < a->values; v++)
        t->balance[t->n_balance++] = v;
    return 0;
}

/* Reads a list of values by name: ["White", "Black"]. */
static int some_values(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t) {
    const gnt_data_attr *a = &t->facts.attr[t->balance[0]];
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || n < 2 || n > GNT_SUITE_BALANCED || !a->value_name)
        return suite_fail(r, path, "is %s; expected a list of two to %d values of \"%s\", by name",
                          gnt_show(list).text, GNT_SUITE_BALANCED, a->name);
    for (size_t i = 0; i < n; i++) {
        const gnt_path at = gnt_path_item(path, i);
        int value = -1;
        if (suite_choice_at(r, at.text, json_array_get(list, i), a->value_name, (size_t)a->values, &value))
            return -1;
        for (size_t k = 1; k < t->n_balance; k++)
            if (t->balance[k] == value)
                return suite_fail(r, at.text, "is \"%s\" a second time; name it once", a->value_name[value]);
        t->balance[t->n_balance++] = value;
    }
    return 0;
}

int suite_read_balance(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *balance = json_object_get(object, "balance");
    const gnt_path at = gnt_path_key(path, "balance");
    if (!balance)
        return 0;
    const char *key = json_is_object(balance) && json_object_size(balance) == 1
                          ? json_object_iter_key(json_object_iter((json_t *)(uintptr_t)balance))
                          : NULL;
    json_t *name = key ? json_string(key) : json_incref((json_t *)(uintptr_t)balance);
    const int index =
        t->facts.n_attrs > 0 && json_is_string(name) ? suite_which_attribute(r, at.text, name, t) : -2;
    json_decref(name);
    if (index == -2)
        return suite_fail(
            r, at.text,
            "is %s; expected a private attribute, as \"sex\", or one with some of its values, as "
            "{\"race\": [\"White\", \"Black\"]}",
            gnt_show(balance).text);
    if (index < 0)
        return -1;
    t->balance[0] = index;
    t->n_balance = 1;
    return key ? some_values(r, gnt_path_key(at.text, key).text, json_object_get(balance, key), t)
               : all_values(r, at.text, t);
}
