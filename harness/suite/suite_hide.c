/* "hide": which private attributes the clients want hidden, and how much (γ of RecUP-FL): defenses get them
 * as the attributes' weights. All clients hide the same, or shares of them different ones. */
#include "suite/suite_impl.h"

#include <math.h>

#include "fl/hide.h"

int suite_which_attribute(suite_reader *r, const char *path, const json_t *name, const gnt_suite_task *t) {
    const char *names[GNT_DATA_ATTRS];
    int index = -1;
    for (int32_t i = 0; i < t->facts.n_attrs; i++)
        names[i] = t->facts.attr[i].name;
    return suite_choice_at(r, path, name, names, (size_t)t->facts.n_attrs, &index) ? -1 : index;
}

/* Reads a list of attributes to hide completely: ["sex", "race"]. */
static int read_list(suite_reader *r, const char *path, const json_t *list, const gnt_suite_task *t,
                     double *hide) {
    const json_t *name;
    size_t i;
    json_array_foreach(list, i, name) {
        const gnt_path at = gnt_path_item(path, i);
        const int index = suite_which_attribute(r, at.text, name, t);
        if (index < 0)
            return -1;
        if (hide[index] > 0)
            return suite_fail(r, at.text, "is \"%s\" a second time; name it once", json_string_value(name));
        hide[index] = 1;
    }
    return 0;
}

/* Reads weights of attributes: {"sex": 1, "race": 0.5}. */
static int read_weights(suite_reader *r, const char *path, const json_t *weights, const gnt_suite_task *t,
                        double *hide) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)weights, key, value) {
        const gnt_path at = gnt_path_key(path, key);
        json_t *name = json_string(key);
        const int index = suite_which_attribute(r, at.text, name, t);
        json_decref(name);
        if (index < 0 || suite_real_at(r, at.text, value, 0, 1, &hide[index]))
            return -1;
    }
    return 0;
}

static int read_attributes(suite_reader *r, const char *path, const json_t *attributes,
                           const gnt_suite_task *t, double *hide) {
    if (json_is_array(attributes))
        return read_list(r, path, attributes, t, hide);
    if (json_is_object(attributes))
        return read_weights(r, path, attributes, t, hide);
    return suite_fail(r, path,
                      "is %s; expected a list of attributes, or an object with a weight from 0 to 1 for each",
                      gnt_show(attributes).text);
}

/* ---- shares of the clients ---- */

/* Reads one group of clients: {"share": 0.5, "attributes": ["race"]}. */
static int read_share(suite_reader *r, const char *path, const json_t *group, const gnt_suite_task *t,
                      gnt_suite_hider *out) {
    return suite_keys(r, path, group, "share", "attributes") ||
           suite_need(r, path, group, "share", "the share of the clients, as 0.5") ||
           suite_real(r, path, group, "share", 0, 1, &out->share) ||
           suite_need(r, path, group, "attributes", "what these clients hide") ||
           read_attributes(r, gnt_path_key(path, "attributes").text, json_object_get(group, "attributes"), t,
                           out->hide);
}

/* Checks that shares sum to at most 1, and that each is at least one client. */
static int check_shares(suite_reader *r, const char *path, const gnt_suite_task *t) {
    double share[GNT_SUITE_HIDERS], sum = 0;
    const int32_t clients = (int32_t)t->federated.clients;
    for (size_t k = 0; k < t->n_hiders; k++)
        sum += share[k] = t->hider[k].share;
    if (sum > 1 + 1e-9)
        return suite_fail(r, path, "has shares with the sum %.6g; expected at most 1; the rest hides nothing",
                          sum);
    for (size_t k = 0; k < t->n_hiders; k++)
        if (gnt_hide_count(clients, share, k) < 1)
            return suite_fail(r, gnt_path_key(gnt_path_item(path, k).text, "share").text,
                              "is %.6g, which is less than one of %d clients; raise it, or federated.clients",
                              share[k], clients);
    return 0;
}

static int read_shares(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t) {
    t->n_hiders = json_array_size(list);
    if (t->n_hiders > GNT_SUITE_HIDERS)
        return suite_fail(r, path, "is a list of %zu groups; at most %d are allowed", t->n_hiders,
                          GNT_SUITE_HIDERS);
    for (size_t k = 0; k < t->n_hiders; k++) {
        const gnt_path at = gnt_path_item(path, k);
        if (read_share(r, at.text, json_array_get(list, k), t, &t->hider[k]))
            return -1;
        for (int32_t i = 0; i < t->facts.n_attrs; i++)
            t->hide[i] = fmax(t->hide[i], t->hider[k].hide[i]);
    }
    return check_shares(r, path, t);
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
    return json_is_object(json_array_get(hide, 0)) ? read_shares(r, at.text, hide, t)
                                                   : read_attributes(r, at.text, hide, t, t->hide);
}
