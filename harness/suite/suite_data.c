/* A task's data: the set, how many rows, and which roles get them. */
#include <stdio.h>
#include <string.h>

#include "suite/suite_impl.h"

static const char *const part_names[3] = {"train", "test", "public"};
enum { MOST_ROWS = 100000000, MOST_TARGETS = 100000 };

/* ---- facts of a set ---- */

static void copy_facts(gnt_data_facts *out, const gnt_data *d) {
    *out = (gnt_data_facts){.kind = d->kind,
                            .rank = d->rank,
                            .features = d->features,
                            .classes = d->classes,
                            .has_maps = d->has_maps,
                            .n_attrs = d->n_attrs,
                            .group_name = d->group_name};
    memcpy(out->dim, d->dim, sizeof out->dim);
    memcpy(out->attr, d->attr, sizeof out->attr);
    memcpy(out->part, d->part, sizeof out->part);
}

/* Fills the facts of a generated set from one with a single row: the shape is the same. */
static int generated_facts(const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
    gnt_data *d = NULL;
    gnt_data_spec small = {.name = spec->name, .rows = {1, 1, 1}, .seed = spec->seed};
    int64_t rows[3];
    if (gnt_data_default_rows(spec->name, rows) || gnt_data_open(&d, &small, NULL, err))
        return -1;
    copy_facts(out, d);
    gnt_data_free(d);
    for (int p = 0; p < 3; p++)
        out->part[p] = spec->rows[p] ? spec->rows[p] : rows[p];
    return 0;
}

int gnt_suite_data_facts(const gnt_data_spec *spec, const char *folder, gnt_data_facts *out, gnt_err *err) {
    gnt_data *d = NULL;
    if (gnt_data_is_builtin(spec->name))
        return generated_facts(spec, out, err);
    if (gnt_data_open(&d, spec, folder, err) != 0)
        return -1;
    copy_facts(out, d);
    gnt_data_free(d);
    return 0;
}

int gnt_suite_published_facts(const gnt_data_spec *spec, gnt_data_facts *out, gnt_err *err) {
    gnt_data *d = NULL;
    if (gnt_data_published(&d, spec->name, err) != 0)
        return -1;
    copy_facts(out, d);
    gnt_data_free(d);
    return 0;
}

static int find_facts(suite_reader *r, const gnt_data_spec *spec, gnt_data_facts *out) {
    const gnt_suite_env *w = r->env;
    if (w->data_facts)
        return w->data_facts(w->context, spec, out, r->err);
    for (int i = 0; i < r->n_memo; i++)
        if (strcmp(r->memo[i].name, spec->name) == 0) {
            *out = r->memo[i].facts;
            return 0;
        }
    if (gnt_suite_data_facts(spec, w->data_folder, out, r->err) != 0)
        return -1;
    if (!gnt_data_is_builtin(spec->name) && r->n_memo < SUITE_DATA_CACHE) {
        snprintf(r->memo[r->n_memo].name, sizeof r->memo[0].name, "%s", spec->name);
        r->memo[r->n_memo++].facts = *out;
    }
    return 0;
}

static int read_rows(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *rows = NULL;
    const gnt_path at = gnt_path_key(path, "rows");
    if (suite_object(r, path, object, "rows", &rows))
        return -1;
    if (!rows)
        return 0;
    if (gnt_doc_keys(r->doc, at.text, rows, part_names, 3, r->err))
        return -1;
    for (int p = 0; p < 3; p++)
        if (suite_int(r, at.text, rows, part_names[p], 1, MOST_ROWS, &t->rows[p]))
            return -1;
    return 0;
}

static int read_seed(suite_reader *r, const char *path, const json_t *object, const char *set,
                     int64_t *seed) {
    if (suite_int(r, path, object, "seed", 0, INT64_MAX, seed))
        return -1;
    return *seed && !gnt_data_is_builtin(set)
               ? suite_fail_key(r, path, "seed", "is %lld, but %s is read from files; remove it",
                                (long long)*seed, set)
               : 0;
}

/* Reads which set it is: the "name" of one, or the "file" that describes one. */
static int read_name(suite_reader *r, const char *path, const json_t *object, const char *example,
                     const char **name) {
    size_t n = 0;
    int which = 0;
    const char *const *names = gnt_data_names(&n);
    if (json_object_get(object, "file")) {
        if (json_object_get(object, "name"))
            return suite_fail_key(r, path, "file", "is given in addition to \"name\"; remove one of them");
        if (gnt_doc_text(r->doc, path, object, "file", 255, name, r->err))
            return -1;
        return gnt_data_is_described(*name)
                   ? 0
                   : suite_fail_key(r, path, "file",
                                    "is %s; expected the path of a description, a .json file below the "
                                    "folder of data files",
                                    gnt_show_text(*name).text);
    }
    if (suite_need(r, path, object, "name", example) ||
        suite_choice(r, path, object, "name", names, n, &which))
        return -1;
    *name = names[which];
    return 0;
}

static int read_set(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const char *name = NULL;
    int64_t seed = 0;
    if (read_name(r, path, object, "the data set, such as \"name\": \"glyphs\", or \"file\": \"own.json\"",
                  &name) ||
        read_rows(r, path, object, t) || read_seed(r, path, object, name, &seed))
        return -1;
    t->data = gnt_strdup(name);
    t->data_seed = (uint64_t)seed;
    if (!t->data)
        return suite_no_memory(r);
    gnt_data_spec spec = {.name = t->data, .seed = t->data_seed};
    memcpy(spec.rows, t->rows, sizeof spec.rows);
    if (find_facts(r, &spec, &t->facts))
        return suite_fail_in(r, gnt_path_key(path, gnt_data_is_described(name) ? "file" : "name").text);
    if (gnt_data_is_builtin(t->data))
        return 0;
    for (int p = 0; p < 3; p++) {
        const gnt_path at = gnt_path_key(gnt_path_key(path, "rows").text, part_names[p]);
        if (t->rows[p] > t->facts.part[p])
            return suite_fail(r, at.text,
                              "is %lld, but the %s part of %s has %lld rows here; expected at most that",
                              (long long)t->rows[p], part_names[p], t->data, (long long)t->facts.part[p]);
        t->split.first[p] = t->rows[p];
    }
    return 0;
}

/* Reads "without": attributes whose features are set to 0. */
static int read_without(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    if (suite_list(r, path, object, "without", 1, GNT_DATA_ATTRS, &list))
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const gnt_path at = gnt_path_item(gnt_path_key(path, "without").text, i);
        const int index = suite_which_attribute(r, at.text, json_array_get(list, i), t);
        if (index < 0)
            return -1;
        if (!t->facts.attr[index].n_stated)
            return suite_fail(r, at.text, "is \"%s\", which is not a feature of %s; remove it",
                              t->facts.attr[index].name, t->data);
        for (size_t k = 0; k < t->n_without; k++)
            if (t->without[k] == index)
                return suite_fail(r, at.text, "names \"%s\" twice; remove one", t->facts.attr[index].name);
        t->without[t->n_without++] = index;
    }
    return 0;
}

/* Reads "coin": an additional random attribute, independent of the samples. */
static int read_coin(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    int64_t values = 0;
    gnt_data_facts *f = &t->facts;
    if (!json_object_get(object, "coin"))
        return 0;
    if (suite_int(r, path, object, "coin", 2, 64, &values))
        return -1;
    if (f->n_attrs == GNT_DATA_ATTRS)
        return suite_fail_key(r, path, "coin",
                              "adds an attribute, but %s has %d, which is the maximum; remove it", t->data,
                              f->n_attrs);
    t->coin = (int)values;
    f->attr[f->n_attrs] = (gnt_data_attr){.values = (int32_t)values};
    snprintf(f->attr[f->n_attrs].name, sizeof f->attr[f->n_attrs].name, "%s", gnt_data_coin);
    f->n_attrs++;
    return 0;
}

/* ---- roles ---- */

static int read_target_rows(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "target_rows");
    int part = GNT_PART_TRAIN;
    if (suite_list(r, path, object, "target_rows", 1, MOST_TARGETS, &list) ||
        suite_choice(r, path, object, "target_part", part_names, 3, &part))
        return -1;
    if (!list)
        return json_object_get(object, "target_part")
                   ? suite_fail_key(
                         r, path, "target_part",
                         "goes with \"target_rows\", which is missing; add the rows or remove this")
                   : 0;
    if (json_object_get(object, "targets"))
        return suite_fail_key(
            r, path, "targets",
            "is given in addition to \"target_rows\", whose length is the number of targets; remove this");
    size_t n = json_array_size(list);
    int64_t *rows = gnt_array(n, sizeof *rows), most = t->facts.part[part];
    t->split.target_rows = rows;
    if (!rows)
        return suite_no_memory(r);
    t->split.n_target_rows = (int64_t)n;
    t->split.n[GNT_ROLE_TARGETS] = (int64_t)n;
    t->split.target_part = part;
    if (most < 1)
        return suite_fail(r, at.text, "names rows of the %s part, which is empty in %s", part_names[part],
                          t->data);
    for (size_t i = 0; i < n; i++)
        if (suite_int_at(r, gnt_path_item(at.text, i).text, json_array_get(list, i), 0, most - 1, &rows[i]))
            return -1;
    return 0;
}

/* Puts the role that the data room's message could not fill into the path. */
static int fail_split(suite_reader *r, const char *path) {
    const gnt_err said = *r->err;
    for (int role = 0; role < GNT_ROLES; role++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "rows wanted for %s,", gnt_role_names[role]);
        if (strstr(said.text, wanted))
            return suite_fail(r, gnt_path_key(path, gnt_role_names[role]).text,
                              "%s; reduce it, or give other roles fewer rows", said.text);
    }
    return suite_fail(r, strstr(said.text, "target row ") ? gnt_path_key(path, "target_rows").text : path,
                      "%s", said.text);
}

/* Splits rows of a set that has counts but no content, to apply the data room's own rules and messages. */
int suite_deal_rows(suite_reader *r, const char *path, const gnt_data_facts *of, gnt_suite_task *t) {
    static const gnt_key any;
    gnt_split split = {0};
    gnt_data *counts = gnt_alloc(sizeof *counts);
    if (!counts)
        return suite_no_memory(r);
    snprintf(counts->name, sizeof counts->name, "%s", t->data);
    counts->group_name = of->group_name;
    for (int p = 0; p < 3; p++) {
        counts->part[p] = of->part[p];
        counts->rows += of->part[p];
    }
    int rc = gnt_split_make(&split, counts, &t->split, &any, r->err);
    if (rc != 0)
        fail_split(r, path);
    memcpy(t->role_rows, split.n, sizeof t->role_rows);
    gnt_split_free(&split);
    gnt_free(counts);
    return rc;
}

static void add_shape(gnt_text *to, int32_t rank, const int64_t *dim) {
    for (int32_t i = 0; i < rank; i++)
        gnt_text_add(to, "%s%lld", i ? "×" : "", (long long)dim[i]);
}

/* Refuses a set whose samples have not the shape of the task's. */
static int check_shape(suite_reader *r, const char *path, const char *name, const gnt_data_facts *f,
                       const gnt_suite_task *t) {
    gnt_text is, should;
    if (f->kind == t->facts.kind && f->rank == t->facts.rank &&
        memcmp(f->dim, t->facts.dim, sizeof f->dim) == 0)
        return 0;
    gnt_text_init(&is, 256);
    gnt_text_init(&should, 256);
    add_shape(&is, f->rank, f->dim);
    add_shape(&should, t->facts.rank, t->facts.dim);
    suite_fail(r, path,
               "is \"%s\", whose samples (%s) have another shape than those of %s (%s); expected a set of "
               "the same shape",
               name, gnt_text_get(&is), t->captures ? "the captures" : t->data, gnt_text_get(&should));
    gnt_text_free(&is);
    gnt_text_free(&should);
    return -1;
}

int suite_read_known_rows(suite_reader *r, const char *path, const json_t *object, const gnt_suite_task *t,
                          gnt_suite_other_set *out, gnt_data_facts *f) {
    const char *name = NULL;
    int64_t seed = 0;
    const gnt_path at = gnt_path_key(path, json_object_get(object, "file") ? "file" : "name");
    out->rows = -1;
    if (suite_keys(r, path, object, "name", "file", "seed", "rows") ||
        read_name(r, path, object, "the data set, such as \"name\": \"cifar100\"", &name) ||
        read_seed(r, path, object, name, &seed) ||
        suite_int(r, path, object, "rows", -1, MOST_ROWS, &out->rows))
        return -1;
    if (!t->captures && strcmp(name, t->data) == 0)
        return suite_fail(
            r, at.text,
            "is \"%s\", the task's own set; expected another, or the number of its own rows in the "
            "place of this object",
            t->data);
    const gnt_data_spec spec = {.name = name, .seed = (uint64_t)seed};
    if (find_facts(r, &spec, f))
        return suite_fail_in(r, at.text);
    if (check_shape(r, at.text, name, f, t) != 0)
        return -1;
    out->data = gnt_strdup(name);
    out->seed = (uint64_t)seed;
    return out->data ? 0 : suite_no_memory(r);
}

/* Reads which rows of another set of the same shape a key names, and their number without −1. */
static int read_other_set(suite_reader *r, const char *path, const json_t *object, const gnt_suite_task *t,
                          gnt_suite_other_set *set, int64_t *n) {
    gnt_data_facts f;
    if (suite_read_known_rows(r, path, object, t, set, &f) != 0)
        return -1;
    const int64_t most = f.part[GNT_PART_PUBLIC] ? f.part[GNT_PART_PUBLIC] : f.part[GNT_PART_TRAIN];
    if (set->rows > most)
        return suite_fail_key(r, path, "rows", "is %lld, but %s provides %lld rows; expected at most that",
                              (long long)set->rows, set->data, (long long)most);
    *n = set->rows < 0 ? most : set->rows;
    return 0;
}

/* Refuses target rows if all observations are made in the round, from clients' rows. */
static int check_no_targets(suite_reader *r, const char *path, const json_t *object) {
    static const char *const senseless[] = {"targets", "target_rows"};
    for (size_t i = 0; i < sizeof senseless / sizeof *senseless; i++)
        if (json_object_get(object, senseless[i]))
            return suite_fail_key(
                r, path, senseless[i],
                "reserves rows as targets, but the task is observed in its rounds, where the "
                "targets are the clients' own rows; remove it, or say \"from\": \"probe\" in observe");
    return 0;
}

static int read_apart(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    static const char *const words[] = {"row", "group"};
    if (suite_choice(r, path, object, "apart", words, 2, &t->split.apart))
        return -1;
    if (t->split.apart && !t->facts.group_name)
        return suite_fail_key(
            r, path, "apart",
            "is \"group\", but the rows of %s have none; remove it, or take a set by identity or "
            "speaker",
            t->data);
    return 0;
}

/* Refuses "the rest" (−1) with groups, where it depends on which groups a role gets, and with balance, where
 * it depends on the rows themselves. */
static int check_rest(suite_reader *r, const char *path, const gnt_suite_task *t) {
    for (int role = 0; (t->split.apart || t->n_balance) && role < GNT_ROLES; role++) {
        const int in_train = role != GNT_ROLE_TEST &&
                             !(role == GNT_ROLE_PUBLIC && t->facts.part[GNT_PART_PUBLIC] > 0) &&
                             !(role == GNT_ROLE_TARGETS && t->split.target_rows);
        if (t->split.n[role] == -1 && (in_train || t->n_balance))
            return suite_fail(
                r, gnt_path_key(path, gnt_role_names[role]).text,
                "is -1, all remaining rows, but their number depends on %s; expected a number of "
                "rows",
                t->n_balance ? "the rows where values are balanced"
                             : "the draw where roles are apart by group");
    }
    return 0;
}

/* Reads "shadow": "defender_shadow": the attacker learns from the same rows that the defense prepares on. */
static int read_shared_shadow(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *shadow = json_object_get(object, "shadow");
    if (!json_is_string(shadow))
        return 0;
    t->shadow_shared = strcmp(json_string_value(shadow), gnt_role_names[GNT_ROLE_DEFENDER_SHADOW]) == 0;
    return t->shadow_shared
               ? 0
               : suite_fail_key(r, path, "shadow",
                                "is %s; expected a number of rows, or \"defender_shadow\" for the "
                                "same rows as that role",
                                gnt_show(shadow).text);
}

static int read_roles(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    int64_t *n = t->split.n;
    int64_t in_train =
        t->split.first[GNT_PART_TRAIN] ? t->split.first[GNT_PART_TRAIN] : t->facts.part[GNT_PART_TRAIN];
    n[GNT_ROLE_CLIENTS] = n[GNT_ROLE_TEST] = -1;
    n[GNT_ROLE_PUBLIC] = t->facts.part[GNT_PART_PUBLIC] ? -1 : 0;
    n[GNT_ROLE_TARGETS] = !r->modes.probe ? 0 : in_train < 16 ? in_train : 16;
    const json_t *public_set = json_object_get(object, "public");
    if (json_is_object(public_set))
        n[GNT_ROLE_PUBLIC] = 0;
    else
        public_set = NULL;
    const json_t *prior = json_object_get(object, "prior_data");
    if (prior && !json_is_object(prior))
        return suite_fail_key(r, path, "prior_data",
                              "is %s; expected another public set, such as {\"name\": \"cifar100\"}",
                              gnt_show(prior).text);
    if (read_shared_shadow(r, path, object, t))
        return -1;
    for (int role = 0; role < GNT_ROLES; role++)
        if (!(public_set && role == GNT_ROLE_PUBLIC) && !(t->shadow_shared && role == GNT_ROLE_SHADOW) &&
            suite_int(r, path, object, gnt_role_names[role], -1, MOST_ROWS, &n[role]))
            return -1;
    if ((!r->modes.probe && check_no_targets(r, path, object)) || read_target_rows(r, path, object, t) ||
        read_apart(r, path, object, t) || suite_read_balance(r, path, object, t) || check_rest(r, path, t) ||
        suite_deal_rows(r, path, &t->facts, t) ||
        (public_set && read_other_set(r, gnt_path_key(path, "public").text, public_set, t, &t->public_set,
                                      &t->role_rows[GNT_ROLE_PUBLIC])) ||
        (prior &&
         read_other_set(r, gnt_path_key(path, "prior_data").text, prior, t, &t->prior_set, &t->prior_rows)))
        return -1;
    if (t->shadow_shared)
        t->role_rows[GNT_ROLE_SHADOW] = t->role_rows[GNT_ROLE_DEFENDER_SHADOW];
    if (t->role_rows[GNT_ROLE_TEST] < 1)
        return suite_fail_key(r, path, "test",
                              "leaves no test rows, so utility cannot be measured; expected at least 1");
    if (r->modes.probe && t->role_rows[GNT_ROLE_TARGETS] < 1)
        return suite_fail_key(r, path, "targets", "leaves no rows to attack; expected at least 1 target");
    return 0;
}

int suite_read_data(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    return suite_keys(r, path, object, "name", "file", "seed", "rows", "clients", "targets", "test", "public",
                      "prior_data", "shadow", "defender_shadow", "target_rows", "target_part", "apart",
                      "balance", "coin", "without") ||
           read_set(r, path, object, t) || read_without(r, path, object, t) ||
           read_coin(r, path, object, t) || read_roles(r, path, object, t);
}

int suite_read_public(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    if (suite_keys(r, path, object, "name", "file", "seed", "rows") || read_set(r, path, object, t))
        return -1;
    t->split.n[GNT_ROLE_PUBLIC] = t->split.n[GNT_ROLE_TEST] = -1;
    if (suite_deal_rows(r, path, &t->facts, t))
        return -1;
    for (int role = GNT_ROLE_TEST; role <= GNT_ROLE_PUBLIC; role++)
        if (t->role_rows[role] < 1)
            return suite_fail_key(r, path, "name", "is %s, which has no rows for the role %s of a model",
                                  t->data, gnt_role_names[role]);
    return 0;
}

int gnt_suite_open_data(const gnt_suite_task *task, const char *data_folder, gnt_data **out, gnt_err *err) {
    gnt_data_spec spec = {.name = task->data, .seed = task->data_seed};
    memcpy(spec.rows, task->rows, sizeof spec.rows);
    return gnt_data_open(out, &spec, data_folder, err);
}

int gnt_suite_open_other_set(const gnt_suite_other_set *set, const char *data_folder, gnt_data **out,
                             gnt_err *err) {
    const gnt_data_spec spec = {.name = set->data, .seed = set->seed};
    return gnt_data_open(out, &spec, data_folder, err);
}
