/* The partition: how rows are distributed to clients. */
#include <string.h>

#include "suite/suite_impl.h"

static const char *const names[] = {"iid", "shards", "dirichlet", "labels", "group"};
enum { KINDS = sizeof names / sizeof *names, MOST_SHARDS = 10000, MOST_ROWS = 100000000 };

/* Refuses a key that belongs to another kind. */
static int belongs(suite_reader *r, const char *path, const json_t *object, const char *key,
                   gnt_partition_kind to, int kind) {
    if (kind == (int)to || !json_object_get(object, key))
        return 0;
    return suite_fail_key(r, path, key,
                          "goes with \"kind\": \"%s\", but the kind is \"%s\"; remove it or change the kind",
                          names[to], names[kind]);
}

/* ---- shards of a fixed size ---- */

static int read_sized(suite_reader *r, const char *path, const json_t *p, gnt_suite_federated *f) {
    static const char *const of_size[] = {"least", "most"};
    const gnt_path size = gnt_path_key(path, "size"), most = gnt_path_key(path, "most");
    if (!json_object_get(p, "size")) {
        for (int i = 0; i < 2; i++)
            if (json_object_get(p, of_size[i]))
                return suite_fail_key(r, path, of_size[i],
                                      "is how many shards of a fixed size a client draws, but there is no "
                                      "\"size\"; add it, or say \"shards\" alone");
        return 0;
    }
    if (json_object_get(p, "shards"))
        return suite_fail(
            r, size.text,
            "is given in addition to \"shards\", with which each client has the same number of shards "
            "and their size follows; remove one of the two");
    if (suite_need(r, path, p, "least", "the fewest shards of a client, such as \"least\": 1") ||
        suite_need(r, path, p, "most", "the most shards of a client, such as \"most\": 9") ||
        suite_int(r, path, p, "size", 1, MOST_ROWS, &f->shard_size) ||
        suite_int(r, path, p, "least", 1, MOST_SHARDS, &f->least) ||
        suite_int(r, path, p, "most", 1, MOST_SHARDS, &f->most))
        return -1;
    if (f->most < f->least)
        return suite_fail(r, most.text, "is %lld, below \"least\", which is %lld; expected at least that",
                          (long long)f->most, (long long)f->least);
    f->partition = GNT_PARTITION_SIZED_SHARDS;
    return 0;
}

/* ---- rows by label ---- */

/* Appends the labels of one client to f->labels. */
static int read_labels(suite_reader *r, const char *path, const json_t *list, gnt_suite_task *t) {
    gnt_suite_federated *f = &t->federated;
    const size_t n = json_array_size(list);
    const int64_t *own = f->labels + f->labels_in_all;
    for (size_t i = 0; i < n; i++) {
        const gnt_path at = gnt_path_item(path, i);
        int64_t *label = &f->labels[f->labels_in_all];
        if (suite_int_at(r, at.text, json_array_get(list, i), 0, t->facts.classes - 1, label))
            return -1;
        for (const int64_t *before = own; before < label; before++)
            if (*before == *label)
                return suite_fail(r, at.text, "is %lld a second time; expected each label once",
                                  (long long)*label);
        f->labels_in_all++;
    }
    return 0;
}

static int read_dealt(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_suite_federated *f = &t->federated;
    const json_t *list = NULL;
    const size_t k = f->n_dealt;
    if (suite_keys(r, path, object, "labels", "rows") ||
        suite_need(r, path, object, "labels", "the labels of the client, such as [0, 1]") ||
        suite_need(r, path, object, "rows", "the number of the client's rows, such as \"rows\": 800") ||
        suite_list(r, path, object, "labels", 1, (size_t)t->facts.classes, &list) ||
        suite_int(r, path, object, "rows", 1, MOST_ROWS, &f->rows[k]) ||
        read_labels(r, gnt_path_key(path, "labels").text, list, t))
        return -1;
    f->n_labels[k] = (int64_t)json_array_size(list);
    if (f->rows[k] < f->n_labels[k])
        return suite_fail_key(r, path, "rows",
                              "is %lld, fewer than its %lld labels; expected a row of each at least",
                              (long long)f->rows[k], (long long)f->n_labels[k]);
    f->n_dealt++;
    return 0;
}

/* Reads the clients' rows and labels. federated: the object with the partition; it may lack "clients". */
static int read_named(suite_reader *r, const char *path, const json_t *p, const json_t *federated,
                      gnt_suite_task *t) {
    gnt_suite_federated *f = &t->federated;
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "clients");
    if (suite_need(r, path, p, "clients",
                   "the rows and labels of each client, such as [{\"labels\": [0, 1], \"rows\": 800}]") ||
        suite_list(r, path, p, "clients", 1, GNT_SUITE_MOST_LIST, &list))
        return -1;
    const size_t n = json_array_size(list);
    if (json_object_get(federated, "clients") && f->clients != (int64_t)n)
        return suite_fail(r, at.text,
                          "lists %zu clients, but federated.clients is %lld; make them equal, or "
                          "omit the latter",
                          n, (long long)f->clients);
    size_t labels = 0;
    for (size_t k = 0; k < n; k++)
        labels += json_array_size(json_object_get(json_array_get(list, k), "labels"));
    f->clients = (int64_t)n;
    f->rows = gnt_array(n, sizeof *f->rows);
    f->n_labels = gnt_array(n, sizeof *f->n_labels);
    f->labels = gnt_array(labels + 1, sizeof *f->labels);
    if (!f->rows || !f->n_labels || !f->labels)
        return suite_no_memory(r);
    for (size_t k = 0; k < n; k++)
        if (read_dealt(r, gnt_path_item(at.text, k).text, json_array_get(list, k), t))
            return -1;
    return 0;
}

/* ---- rows by group ---- */

static int read_by(suite_reader *r, const char *path, const json_t *p, gnt_suite_task *t) {
    const char *names_of[GNT_DATA_ATTRS + 1];
    const gnt_path at = gnt_path_key(path, "by");
    const char *said = json_string_value(json_object_get(p, "by"));
    const int grouped = t->facts.group_name != NULL;
    int which = 0;
    size_t n = 0;
    if (grouped)
        names_of[n++] = GNT_PARTITION_BY_GROUP;
    for (int32_t a = 0; a < t->facts.n_attrs; a++)
        names_of[n++] = t->facts.attr[a].name;
    if (!grouped && (!said || strcmp(said, GNT_PARTITION_BY_GROUP) == 0))
        return suite_fail(r, at.text,
                          "is \"group\"%s, but the rows of %s have none; expected an attribute, such as "
                          "\"by\": \"%s\"",
                          said ? "" : ", the default", t->data, t->facts.attr[0].name);
    if (suite_choice(r, path, p, "by", names_of, n, &which))
        return -1;
    t->federated.by = names_of[which];
    return 0;
}

/* ---- the whole ---- */

int suite_read_partition(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_suite_federated *f = &t->federated;
    const json_t *p = NULL;
    int kind = GNT_PARTITION_IID;
    const gnt_path at = gnt_path_key(path, "partition");
    if (suite_object(r, path, object, "partition", &p))
        return -1;
    if (!p)
        return 0;
    if (suite_keys(r, at.text, p, "kind", "shards", "size", "least", "most", "alpha", "clients", "by") ||
        suite_need(r, at.text, p, "kind",
                   "\"kind\": \"iid\", \"shards\", \"dirichlet\", \"labels\" or \"group\"") ||
        suite_choice(r, at.text, p, "kind", names, KINDS, &kind) ||
        suite_int(r, at.text, p, "shards", 1, MOST_SHARDS, &f->shards) ||
        suite_real(r, at.text, p, "alpha", 1e-3, 1e6, &f->alpha) ||
        belongs(r, at.text, p, "shards", GNT_PARTITION_SHARDS, kind) ||
        belongs(r, at.text, p, "size", GNT_PARTITION_SHARDS, kind) ||
        belongs(r, at.text, p, "least", GNT_PARTITION_SHARDS, kind) ||
        belongs(r, at.text, p, "most", GNT_PARTITION_SHARDS, kind) ||
        belongs(r, at.text, p, "alpha", GNT_PARTITION_DIRICHLET, kind) ||
        belongs(r, at.text, p, "clients", GNT_PARTITION_LABELS, kind) ||
        belongs(r, at.text, p, "by", GNT_PARTITION_GROUP, kind))
        return -1;
    f->partition = (gnt_partition_kind)kind;
    if (t->facts.has_maps && kind != GNT_PARTITION_IID && kind != GNT_PARTITION_GROUP)
        return suite_fail_key(r, at.text, "kind",
                              "is \"%s\", which deals rows by their label, but samples of %s have maps, not "
                              "labels; expected \"iid\" or \"group\"",
                              names[kind], t->data);
    if (f->partition == GNT_PARTITION_SHARDS)
        return read_sized(r, at.text, p, f);
    if (f->partition == GNT_PARTITION_GROUP)
        return read_by(r, at.text, p, t);
    return f->partition == GNT_PARTITION_LABELS ? read_named(r, at.text, p, object, t) : 0;
}

static int check_sized(suite_reader *r, const char *path, const gnt_suite_federated *f, int64_t rows) {
    const int64_t shards = rows / f->shard_size;
    return f->clients > shards / f->least
               ? suite_fail(r, gnt_path_key(gnt_path_key(path, "partition").text, "least").text,
                            "is %lld, so that %lld clients hold at least %lld shards, but the %lld rows that "
                            "data.clients leaves make %lld of %lld; lower it, the size or federated.clients, "
                            "or give the clients more rows",
                            (long long)f->least, (long long)f->clients, (long long)(f->clients * f->least),
                            (long long)rows, (long long)shards, (long long)f->shard_size)
               : 0;
}

static int check_named(suite_reader *r, const char *path, const gnt_suite_federated *f, int64_t rows) {
    int64_t wanted = 0;
    for (size_t k = 0; k < f->n_dealt; k++)
        wanted += f->rows[k];
    return wanted > rows
               ? suite_fail(r, gnt_path_key(gnt_path_key(path, "partition").text, "clients").text,
                            "hold %lld rows in all, but data.clients leaves %lld; lower their rows, or give "
                            "the clients more",
                            (long long)wanted, (long long)rows)
               : 0;
}

int suite_check_partition(suite_reader *r, const char *path, const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    const int64_t rows = t->role_rows[GNT_ROLE_CLIENTS];
    const int64_t each = f->partition == GNT_PARTITION_SHARDS ? f->shards : 1;
    if (f->partition == GNT_PARTITION_SIZED_SHARDS)
        return check_sized(r, path, f, rows);
    if (f->partition == GNT_PARTITION_LABELS)
        return check_named(r, path, f, rows);
    return f->clients * each > rows
               ? suite_fail_key(
                     r, path, "clients",
                     "is %lld, which takes at least %lld rows (%lld each), but data.clients leaves "
                     "%lld; lower this or give the clients more rows",
                     (long long)f->clients, (long long)(f->clients * each), (long long)each, (long long)rows)
               : 0;
}
