/* "hide": which private attributes the clients want hidden, and how much (γ of RecUP-FL): what defenses are
 * told as the attributes' weights. */
#include "suite/suite_impl.h"

int suite_which_attribute(suite_reader *r, const char *path, const json_t *name, const gnt_suite_task *t) {
    const char *names[GNT_DATA_ATTRS];
    int index = -1;
    for (int32_t i = 0; i < t->facts.n_attrs; i++)
        names[i] = t->facts.attr[i].name;
    return gnt_doc_choice_at(r->doc, path, name, names, (size_t)t->facts.n_attrs, &index, r->err) ? -1
                                                                                                  : index;
}

/* ["sex", "race"]: hidden as much as can be. */
static int read_list(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t) {
    const json_t *name;
    size_t i;
    json_array_foreach(list, i, name) {
        const gnt_path at = gnt_path_item(path, i);
        const int index = suite_which_attribute(r, at.text, name, t);
        if (index < 0)
            return -1;
        if (t->hide[index] > 0)
            return suite_fail(r, at.text, "is \"%s\" a second time; name it once", json_string_value(name));
        t->hide[index] = 1;
    }
    return 0;
}

/* {"sex": 1, "race": 0.5} */
static int read_weights(suite_reader *r, const char *path, const json_t *weights, gnt_suite_task *t) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)weights, key, value) {
        const gnt_path at = gnt_path_key(path, key);
        json_t *name = json_string(key);
        const int index = suite_which_attribute(r, at.text, name, t);
        json_decref(name);
        if (index < 0 || gnt_doc_real_at(r->doc, at.text, value, 0, 1, &t->hide[index], r->err))
            return -1;
    }
    return 0;
}

int suite_read_hide(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *hide = json_object_get(object, "hide");
    const gnt_path at = gnt_path_key(path, "hide");
    if (!hide)
        return 0;
    if (t->facts.n_attrs == 0)
        return suite_fail(
            r, at.text, "names attributes, but %s has no private attributes; remove it or choose other data",
            t->data);
    if (json_is_array(hide))
        return read_list(r, at.text, hide, t);
    if (json_is_object(hide))
        return read_weights(r, at.text, hide, t);
    return suite_fail(r, at.text,
                      "is %s; expected a list of attributes, or an object with a weight from 0 to 1 for each",
                      gnt_show(hide).text);
}
