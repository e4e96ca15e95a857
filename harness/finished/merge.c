#include "finished/merge.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "run/store.h"

enum { MOST_PLAN = 256 << 20 };

typedef struct merge {
    const char *const *run;
    size_t n;
    const char *folder;
    json_t *entry; /* hex key -> {"run": number, "record"} */
    gnt_merge_counts *counts;
    void (*say)(void *user, const char *line);
    void *user;
} merge;

/* Where a run's number is n, the folder that all are joined in is meant. */
static const char *folder_of(const merge *m, size_t run) {
    return run < m->n ? m->run[run] : m->folder;
}

__attribute__((format(printf, 2, 3))) static void say(const merge *m, const char *format, ...) {
    gnt_err line; /* cut to fit and without control characters, as sentences are */
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    m->say(m->user, line.text);
}

/* ---- one entry of a store ---- */

static gnt_digest key_of(const char *hex) {
    gnt_digest key;
    for (size_t i = 0; i < sizeof key.b; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
        key.b[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return key;
}

/* The same outputs and facts; jobs with one key may have several names. */
static int same_record(const json_t *a, const json_t *b) {
    return json_equal(json_object_get(a, "outputs"), json_object_get(b, "outputs")) &&
           json_equal(json_object_get(a, "facts"), json_object_get(b, "facts"));
}

/* ---- first pass: what there is, and whether it fits together ---- */

static int is_hex(const char *name, size_t digits) {
    return strlen(name) == digits && strspn(name, "0123456789abcdef") == digits;
}

static int take_entry(merge *m, size_t run, gnt_store *store, const char *hex, size_t *broken, gnt_err *err) {
    const gnt_digest key = key_of(hex);
    json_t *record;
    if (gnt_store_find(store, &key, &record, err) != 0)
        return -1;
    if (!record) {
        ++*broken;
        return 0;
    }
    const json_t *known = json_object_get(m->entry, hex);
    int rc = 0;
    if (!known)
        rc = json_object_set_new(m->entry, hex,
                                 json_pack("{s:I, s:O}", "run", (json_int_t)run, "record", record));
    else if (!same_record(json_object_get(known, "record"), record)) {
        size_t other = (size_t)json_integer_value(json_object_get(known, "run"));
        say(m, "conflict: %s and %s have other bytes under the key %s, %s", folder_of(m, other),
            folder_of(m, run), hex, json_string_value(json_object_get(record, "job")));
        m->counts->conflicts++;
    }
    json_decref(record);
    return rc == 0 ? 0 : gnt_fail(err, "out of memory for the entries of a store");
}

static int is_folder(const char *path) {
    struct stat st;
    return path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Calls for each name of `digits` hexadecimal digits that is a folder, in order. */
static int each_folder(merge *m, size_t run, gnt_store *store, const char *folder, const char *part,
                       size_t *broken, gnt_err *err) {
    char *path = part ? gnt_format("%s/%s", folder, part) : gnt_strdup(folder);
    struct dirent **names = NULL;
    int n = is_folder(path) ? scandir(path, &names, NULL, alphasort) : 0, rc = 0;
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        char *inner = gnt_format("%s/%s", path, name);
        if (rc == 0 && is_hex(name, part ? 64 : 2) && (!part || strncmp(name, part, 2) == 0) &&
            is_folder(inner))
            rc = part ? take_entry(m, run, store, name, broken, err)
                      : each_folder(m, run, store, folder, name, broken, err);
        gnt_free(inner);
        free(names[i]);
    }
    free(names);
    gnt_free(path);
    return rc;
}

static int take_store(merge *m, size_t run, gnt_err *err) {
    char *folder = gnt_format("%s/store", folder_of(m, run));
    gnt_store *store = NULL;
    size_t broken = 0;
    int rc = folder ? 0 : gnt_fail(err, "out of memory for a store");
    if (rc == 0 && run < m->n && !is_folder(folder))
        rc = gnt_fail(err, "%s: is no folder (links are not followed); expected the store of a run", folder);
    if (rc == 0)
        rc = gnt_store_open(&store, folder, err);
    if (rc == 0)
        rc = each_folder(m, run, store, folder, NULL, &broken, err);
    gnt_store_close(store);
    gnt_free(folder);
    if (broken)
        say(m, "%s: %zu entries of its store are not whole and are left out", folder_of(m, run), broken);
    m->counts->broken += broken;
    return rc;
}

/* ---- second pass: copying ---- */

static int copy_entry(const merge *m, gnt_store *to, const char *hex, const json_t *entry, gnt_err *err) {
    gnt_stored_output output[GNT_STORE_MOST_OUTPUTS];
    uint8_t *bytes[GNT_STORE_MOST_OUTPUTS] = {0};
    size_t n = 0;
    const gnt_digest key = key_of(hex);
    const json_t *found = json_object_get(entry, "record");
    json_t *value, *record = json_copy((json_t *)(uintptr_t)found);
    char *folder =
        gnt_format("%s/store", folder_of(m, (size_t)json_integer_value(json_object_get(entry, "run"))));
    gnt_store *from = NULL;
    const char *name;
    int rc =
        record && folder ? gnt_store_open(&from, folder, err) : gnt_fail(err, "out of memory for a store");
    json_object_foreach(json_object_get(found, "outputs"), name, value) {
        size_t size = 0;
        if (rc != 0)
            break;
        rc = gnt_store_read(from, &key, found, name, &bytes[n], &size, err);
        output[n] = (gnt_stored_output){name, bytes[n], size};
        n++;
    }
    json_t *times = rc == 0 ? gnt_store_times(from, &key) : NULL;
    if (times)
        rc = gnt_store_put_times(to, &key, times, err);
    json_decref(times);
    if (rc == 0)
        rc = gnt_store_put(to, &key, record, output, n, err);
    for (size_t i = 0; i < n; i++)
        gnt_free(bytes[i]);
    gnt_store_close(from);
    json_decref(record);
    gnt_free(folder);
    return rc;
}

static int copy_all(const merge *m, gnt_err *err) {
    gnt_store *to = NULL;
    const char *hex;
    json_t *entry;
    char *path = gnt_format("%s/store", m->folder);
    int rc = path ? gnt_store_open_writable(&to, path, err) : gnt_fail(err, "out of memory for a store");
    gnt_free(path);
    if (rc != 0)
        return -1;
    json_object_foreach(m->entry, hex, entry) {
        if ((size_t)json_integer_value(json_object_get(entry, "run")) == m->n) {
            m->counts->known++;
            continue;
        }
        if ((rc = copy_entry(m, to, hex, entry, err)) != 0)
            break;
        m->counts->joined++;
    }
    gnt_store_close(to);
    return rc;
}

/* ---- of one plan ---- */

static int read_plan(const char *folder, uint8_t **bytes, size_t *size, gnt_err *err) {
    char *path = gnt_format("%s/plan.json", folder);
    int rc =
        path ? gnt_file_read(path, MOST_PLAN, bytes, size, err) : gnt_fail(err, "out of memory for a plan");
    gnt_free(path);
    return rc;
}

static int of_one_plan(const merge *m, gnt_err *err) {
    uint8_t *first = NULL, *other = NULL;
    size_t size, other_size;
    char *path = gnt_format("%s/plan.json", m->folder);
    int begun = path && gnt_file_exists(path), rc = read_plan(m->run[0], &first, &size, err);
    for (size_t i = 1; rc == 0 && i < m->n + (size_t)begun; i++) {
        if ((rc = read_plan(folder_of(m, i), &other, &other_size, err)) != 0)
            break;
        if (size != other_size || memcmp(first, other, size) != 0)
            rc = gnt_fail(
                err, "%s: its plan.json is not that of %s; only runs of one suite, at one scale, are joined",
                folder_of(m, i), m->run[0]);
        gnt_free(other);
    }
    gnt_free(first);
    gnt_free(path);
    return rc;
}

/* "identity" of host.json, NULL where it cannot be read. The caller frees. */
static char *identity_of(const char *folder) {
    char *path = gnt_format("%s/host.json", folder), *identity = NULL;
    gnt_doc doc;
    if (path && gnt_doc_load(&doc, path, MOST_PLAN, NULL) == 0) {
        identity = gnt_strdup(json_string_value(json_object_get(doc.root, "identity")));
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return identity;
}

static void look_at_machines(const merge *m) {
    char *first = identity_of(m->run[0]);
    for (size_t i = 1; first && i < m->n; i++) {
        char *other = identity_of(m->run[i]);
        if (other && strcmp(first, other) != 0)
            say(m,
                "%s: was made by another build or on another kind of machine than %s; what only it has is "
                "found "
                "again only there",
                m->run[i], m->run[0]);
        gnt_free(other);
    }
    gnt_free(first);
}

/* plan.json, so that a later merge into the folder is checked against it; the suite where there is one. */
static int copy_files(const merge *m, gnt_err *err) {
    static const char *const names[] = {"plan.json", "suite.json"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 2; i++) {
        char *from = gnt_format("%s/%s", m->run[0], names[i]), *to = gnt_format("%s/%s", m->folder, names[i]);
        uint8_t *bytes = NULL;
        size_t size;
        if (!from || !to)
            rc = gnt_fail(err, "out of memory");
        else if (!gnt_file_exists(to) && gnt_file_exists(from) &&
                 (rc = gnt_file_read(from, MOST_PLAN, &bytes, &size, err)) == 0)
            rc = gnt_file_write(to, bytes, size, err);
        gnt_free(bytes);
        gnt_free(from);
        gnt_free(to);
    }
    return rc;
}

int gnt_merge(const char *const *run, size_t n, const char *folder, gnt_merge_counts *counts,
              void (*sink)(void *user, const char *line), void *user, gnt_err *err) {
    *counts = (gnt_merge_counts){0};
    merge m = {.run = run,
               .n = n,
               .folder = folder,
               .entry = json_object(),
               .counts = counts,
               .say = sink,
               .user = user};
    int rc = m.entry ? of_one_plan(&m, err) : gnt_fail(err, "out of memory for the entries of a store");
    if (rc == 0)
        rc = take_store(&m, n, err); /* what is there already comes first */
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = take_store(&m, i, err);
    if (rc == 0 && counts->conflicts == 0) {
        look_at_machines(&m);
        rc = gnt_make_dirs(folder, err);
        if (rc == 0)
            rc = copy_files(&m, err);
        if (rc == 0)
            rc = copy_all(&m, err);
    }
    json_decref(m.entry);
    return rc;
}
