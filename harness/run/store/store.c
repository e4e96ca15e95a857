#include "run/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/remove.h"
#include "plugin/info.h"

struct gnt_store {
    char *folder;
};

enum { MOST_RECORD = 1 << 20, MOST_JOB = 1000, HEX = GNT_HEX_SIZE - 1 };
/* Seconds without a write after which a writer counts as dead. */
enum { IDLE_WRITER = 60 };
static const size_t most_output = (size_t)8 << 30;
static const char sum_key[] = ",\"sum\":\"", sum_end[] = "\"}";

int gnt_store_open(gnt_store **out, const char *folder, gnt_err *err) {
    if (gnt_make_dirs(folder, err) != 0)
        return -1;
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        return gnt_fail(err, "%s: cannot be written: %s; a run keeps there what it computes", folder,
                        strerror(errno));
    gnt_store *s = gnt_alloc(sizeof *s);
    if (s)
        s->folder = gnt_strdup(folder);
    if (!s || !s->folder) {
        gnt_free(s);
        return gnt_fail(err, "out of memory for the store");
    }
    *out = s;
    return 0;
}

void gnt_store_close(gnt_store *s) {
    if (!s)
        return;
    gnt_free(s->folder);
    gnt_free(s);
}

/* Returns the path of the entry's folder or, with a name, of a file in it. The caller frees. */
static char *path_of(const gnt_store *s, const gnt_digest *key, const char *name, const char *ending) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    return gnt_format("%s/%.2s/%s%s%s%s", s->folder, hex, hex, name ? "/" : "", name ? name : "", ending);
}

static char *output_path(const gnt_store *s, const gnt_digest *key, const char *name) {
    return path_of(s, key, name, ".safetensors");
}

/* ---- the record ---- */

void gnt_store_sum(const gnt_digest *key, const char *text, size_t size, char sum[GNT_HEX_SIZE]) {
    char hex[GNT_HEX_SIZE];
    crypto_generichash_state state;
    gnt_digest d;
    gnt_digest_hex(key, hex);
    crypto_generichash_init(&state, NULL, 0, sizeof d.b);
    crypto_generichash_update(&state, (const uint8_t *)hex, HEX);
    crypto_generichash_update(&state, (const uint8_t *)text, size);
    crypto_generichash_final(&state, d.b, sizeof d.b);
    gnt_digest_hex(&d, sum);
}

static int sum_holds(const gnt_digest *key, const char *text, size_t size) {
    enum { TAIL = sizeof sum_key - 1 + HEX + sizeof sum_end - 1 };
    char sum[GNT_HEX_SIZE], tail[TAIL + 1];
    if (size < TAIL)
        return 0;
    gnt_store_sum(key, text, size - TAIL, sum);
    snprintf(tail, sizeof tail, "%s%s%s", sum_key, sum, sum_end);
    return memcmp(text + size - TAIL, tail, TAIL) == 0;
}

/* Returns the text of done.json; the caller frees. */
static char *record_text(const gnt_digest *key, const json_t *record) {
    char *text = gnt_json_canonical(record), *whole = NULL, sum[GNT_HEX_SIZE];
    size_t size = text ? strlen(text) : 0;
    if (size > 1) {
        gnt_store_sum(key, text, size - 1, sum); /* without the bracket at the end */
        whole = gnt_format("%.*s%s%s%s", (int)(size - 1), text, sum_key, sum, sum_end);
    }
    gnt_free(text);
    return whole;
}

static int is_released(const json_t *record, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(record, "released"), i,
                       one) if (strcmp(json_string_value(one), name) == 0) return 1;
    return 0;
}

/* True if what was released are outputs. */
static int released_ok(const json_t *released, const json_t *outputs) {
    const json_t *one;
    size_t i;
    json_array_foreach(released, i, one) if (!json_is_string(one) ||
                                             !json_object_get(outputs, json_string_value(one))) return 0;
    return !released || (json_is_array(released) && json_array_size(released) > 0);
}

/* True if the record is one that this store writes. */
static int record_ok(const json_t *record) {
    const json_t *outputs = json_object_get(record, "outputs"), *facts = json_object_get(record, "facts");
    const json_t *released = json_object_get(record, "released");
    const char *status = json_string_value(json_object_get(record, "status"));
    const char *job = json_string_value(json_object_get(record, "job")), *name;
    const json_t *sandbox = json_object_get(record, "sandbox"); /* only of jobs that open plugins */
    json_t *value;
    if (json_object_size(record) != (size_t)(4 + !!sandbox + !!released) ||
        (sandbox && !json_is_string(sandbox)) || !released_ok(released, outputs) || !status ||
        strcmp(status, "ok") != 0 || !job || strlen(job) > MOST_JOB || !json_is_object(outputs) ||
        !json_is_object(facts) || json_object_size(outputs) > GNT_STORE_MOST_OUTPUTS)
        return 0;
    json_object_foreach((json_t *)(uintptr_t)outputs, name, value) {
        const char *hex = json_string_value(value);
        if (!gnt_id_ok(name, '_') || !hex || strlen(hex) != HEX || strspn(hex, "0123456789abcdef") != HEX)
            return 0;
    }
    json_object_foreach((json_t *)(uintptr_t)facts, name,
                        value) if (!gnt_id_ok(name, '_') || !json_is_number(value)) return 0;
    return 1;
}

const char *gnt_store_digest(const json_t *record, const char *name) {
    return json_string_value(json_object_get(json_object_get(record, "outputs"), name));
}

/* ---- reading ---- */

/* True if every output of the record that was not released is there and has its digest. */
static int outputs_hold(const gnt_store *s, const gnt_digest *key, const json_t *record) {
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "outputs"), name, value) {
        if (is_released(record, name))
            continue;
        char *path = output_path(s, key, name), hex[GNT_HEX_SIZE];
        gnt_digest d;
        int same = path && gnt_digest_file(path, &d, NULL) == 0;
        gnt_free(path);
        if (!same)
            return 0;
        gnt_digest_hex(&d, hex);
        if (strcmp(hex, json_string_value(value)) != 0)
            return 0;
    }
    return 1;
}

static int is_there(const gnt_store *s, const gnt_digest *key, const char *name) {
    struct stat st;
    char *path = output_path(s, key, name);
    const int there = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    gnt_free(path);
    return there;
}

/* True if every output of the record that was not released is there. */
static int outputs_are_there(const gnt_store *s, const gnt_digest *key, const json_t *record) {
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "outputs"), name,
                        value) if (!is_released(record, name) && !is_there(s, key, name)) return 0;
    return 1;
}

int gnt_store_has(const gnt_store *s, const gnt_digest *key, const json_t *record, const char *name) {
    return gnt_store_digest(record, name) && !is_released(record, name) && is_there(s, key, name);
}

static int find(const gnt_store *s, const gnt_digest *key,
                int (*holds)(const gnt_store *s, const gnt_digest *key, const json_t *record),
                json_t **record, gnt_err *err) {
    *record = NULL;
    gnt_doc doc;
    char *path = path_of(s, key, "done", ".json");
    if (!path)
        return gnt_fail(err, "out of memory for the store");
    if (gnt_doc_load(&doc, path, MOST_RECORD, NULL) == 0) {
        if (sum_holds(key, doc.text, doc.size) && json_object_del(doc.root, "sum") == 0 &&
            record_ok(doc.root) && holds(s, key, doc.root))
            *record = json_incref(doc.root);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return 0;
}

int gnt_store_find(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err) {
    return find(s, key, outputs_hold, record, err);
}

int gnt_store_find_record(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err) {
    return find(s, key, outputs_are_there, record, err);
}

int gnt_store_open_output(gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err) {
    char *path = output_path(s, key, name);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        gnt_fail(err, "%s: cannot open: %s", path ? path : name, strerror(errno));
    gnt_free(path);
    return fd;
}

int gnt_store_read(gnt_store *s, const gnt_digest *key, const json_t *record, const char *name,
                   uint8_t **bytes, size_t *size, gnt_err *err) {
    const char *wanted = gnt_store_digest(record, name);
    char *path = output_path(s, key, name), found[GNT_HEX_SIZE];
    int rc = path && wanted ? gnt_file_read(path, most_output, bytes, size, err)
                            : gnt_fail(err, "the store has no output \"%s\" of that job", name);
    if (rc == 0) {
        gnt_digest d = gnt_digest_bytes(*bytes, *size);
        gnt_digest_hex(&d, found);
        if (strcmp(found, wanted) != 0) {
            gnt_free(*bytes);
            *bytes = NULL;
            rc = gnt_fail(err, "%s: its bytes are not those that were stored; run again to recompute it",
                          path);
        }
    }
    gnt_free(path);
    return rc;
}

json_t *gnt_store_times(gnt_store *s, const gnt_digest *key) {
    char *path = path_of(s, key, "times", ".json");
    json_t *times = NULL;
    gnt_doc doc;
    if (path && gnt_doc_load(&doc, path, MOST_RECORD, NULL) == 0) {
        times = json_incref(doc.root);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return times;
}

/* ---- checkpoints ---- */

char *gnt_store_checkpoint(const gnt_store *s, const gnt_digest *key, gnt_err *err) {
    char hex[GNT_HEX_SIZE], *folder = realpath(s->folder, NULL), *path = NULL;
    gnt_digest_hex(key, hex);
    if (folder)
        path = gnt_format("%s/%.2s/%s/checkpoint", folder, hex, hex);
    free(folder);
    if (!path)
        gnt_fail(err, "%s: has no absolute path: %s", s->folder, strerror(errno));
    return path;
}

/* ---- writing ---- */

/* Removes what the store never puts at a path: a folder in a file's place, or the reverse. If that fails,
 * writing fails. */
static void remove_foreign(const char *path, int for_folder) {
    struct stat st;
    if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) != 0) != for_folder)
        gnt_remove_tree(path, NULL, NULL);
}

static int write_one(const char *path, const void *bytes, size_t size, gnt_err *err) {
    if (!path)
        return gnt_fail(err, "out of memory for the store");
    remove_foreign(path, 0);
    return gnt_file_write(path, bytes, size, err);
}

static int write_outputs(gnt_store *s, const gnt_digest *key, json_t *digests,
                         const gnt_stored_output *outputs, size_t n, gnt_err *err) {
    for (size_t i = 0; i < n; i++) {
        char *path = output_path(s, key, outputs[i].name), hex[GNT_HEX_SIZE];
        int rc = write_one(path, outputs[i].bytes, outputs[i].size, err);
        gnt_free(path);
        if (rc != 0)
            return -1;
        gnt_digest d = gnt_digest_bytes(outputs[i].bytes, outputs[i].size);
        gnt_digest_hex(&d, hex);
        json_object_set_new(digests, outputs[i].name, json_string(hex));
    }
    return 0;
}

/* Makes the entry's folder. */
static int make_entry(gnt_store *s, const gnt_digest *key, gnt_err *err) {
    char *entry = path_of(s, key, NULL, "");
    int rc = entry ? 0 : gnt_fail(err, "out of memory for the store");
    if (rc == 0) {
        remove_foreign(entry, 1);
        rc = gnt_make_dirs(entry, err);
    }
    gnt_free(entry);
    return rc;
}

/* Removes what writers on other machines left unfinished next to the record at `done`. */
static void sweep_entry(const char *done) {
    char *folder = gnt_strdup(done);
    if (folder) {
        *strrchr(folder, '/') = 0;
        gnt_file_sweep_parts(folder, done, IDLE_WRITER);
    }
    gnt_free(folder);
}

/* Writes done.json, which makes an entry count. */
static int write_record(const gnt_digest *key, const char *path, const json_t *record, gnt_err *err) {
    char *text = record_text(key, record);
    const int rc =
        text ? write_one(path, text, strlen(text), err) : gnt_fail(err, "out of memory for the store");
    gnt_free(text);
    return rc;
}

static int write_entry(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                       size_t n, gnt_err *err) {
    char *path = path_of(s, key, "done", ".json");
    json_t *digests = json_object();
    int rc = path && digests ? make_entry(s, key, err) : gnt_fail(err, "out of memory for the store");
    if (rc == 0)
        rc = write_outputs(s, key, digests, outputs, n, err);
    if (rc == 0) {
        json_object_set(record, "outputs", digests);
        rc = write_record(key, path, record, err);
    }
    if (rc == 0)
        sweep_entry(path);
    json_decref(digests);
    gnt_free(path);
    return rc;
}

/* Replaces `record` by that of an entry without released outputs that was made in a sandbox of the same
 * level. Returns 1, 0 if there is none, −1 on error. */
static int adopt(gnt_store *s, const gnt_digest *key, json_t *record, gnt_err *err) {
    json_t *there;
    if (gnt_store_find(s, key, &there, err) != 0)
        return -1;
    const char *level = json_string_value(json_object_get(record, "sandbox")),
               *old = json_string_value(json_object_get(there, "sandbox"));
    int found =
        there && !json_object_get(there, "released") && strcmp(level ? level : "", old ? old : "") == 0;
    if (found && (json_object_clear(record) != 0 || json_object_update(record, there) != 0))
        found = gnt_fail(err, "out of memory for the store");
    json_decref(there);
    return found;
}

int gnt_store_put(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                  size_t n, gnt_err *err) {
    const int found = adopt(s, key, record, err);
    if (found)
        return found > 0 ? 0 : -1;
    if (write_entry(s, key, record, outputs, n, err) == 0)
        return 0;
    /* another machine may have stored the same first, and have taken this writer for dead */
    return adopt(s, key, record, NULL) > 0 ? 0 : -1;
}

int gnt_store_open_memo(const gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err) {
    char *path = path_of(s, key, name, ""), *folder = path ? gnt_strdup(path) : NULL;
    int fd = -1;
    if (!folder)
        gnt_fail(err, "out of memory for a path in the store");
    else {
        *strrchr(folder, '/') = 0;
        remove_foreign(path, 0);
        if (gnt_make_dirs(folder, err) == 0 &&
            (fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
            gnt_fail(err, "%s: cannot be opened: %s", path, strerror(errno));
    }
    gnt_free(folder);
    gnt_free(path);
    return fd;
}

void gnt_store_drop_unfinished(const gnt_store *s, const gnt_digest *key) {
    static const char *const names[] = {"checkpoint", GNT_STORE_MEMO_OWN, GNT_STORE_MEMO_CLIENT};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_of(s, key, names[i], "");
        if (path) {
            remove_foreign(path, 0);
            gnt_file_remove(path);
        }
        gnt_free(path);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the names of a record's outputs but `kept`, sorted, so that records have the same bytes whether
 * they were read or made; NULL when out of memory. */
static json_t *all_but(json_t *record, const char *kept) {
    json_t *outputs = json_object_get(record, "outputs"), *names = json_array(), *value;
    const size_t most = json_object_size(outputs) + 1;
    const char **found = gnt_array(most, sizeof *found), *name;
    size_t n = 0;
    int failed = !names || !found;
    if (!failed)
        json_object_foreach(outputs, name, value) if (strcmp(name, kept) != 0) found[n++] = name;
    qsort(found, n, sizeof *found, by_name);
    for (size_t i = 0; i < n && !failed; i++)
        failed = json_array_append_new(names, json_string(found[i])) != 0;
    gnt_free(found);
    if (!failed)
        return names;
    json_decref(names);
    return NULL;
}

int gnt_store_release(gnt_store *s, const gnt_digest *key, json_t *record, const char *kept, gnt_err *err) {
    char *path = path_of(s, key, "done", ".json");
    json_t *names = all_but(record, kept), *one;
    size_t i;
    int rc = path && names ? 0 : gnt_fail(err, "out of memory for the store");
    if (rc == 0 && json_array_size(names) > 0 && !json_object_get(record, "released") &&
        json_object_set(record, "released", names) == 0 && (rc = write_record(key, path, record, err)) != 0)
        json_object_del(record, "released");
    json_array_foreach(json_object_get(record, "released"), i, one) {
        char *output = output_path(s, key, json_string_value(one));
        if (output)
            unlink(output); /* one that stays is in nobody's way */
        gnt_free(output);
    }
    json_decref(names);
    gnt_free(path);
    return rc;
}

int gnt_store_put_times(gnt_store *s, const gnt_digest *key, const json_t *times, gnt_err *err) {
    char *path = path_of(s, key, "times", ".json");
    char *text = json_dumps(times, JSON_COMPACT | JSON_REAL_PRECISION(9));
    int rc = text ? make_entry(s, key, err) : gnt_fail(err, "out of memory for the store");
    if (rc == 0)
        rc = write_one(path, text, strlen(text), err);
    free(text);
    gnt_free(path);
    return rc;
}
