#include "job/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

struct gnt_store {
    char *folder;
};

enum { MOST_RECORD = 1 << 20 };

int gnt_store_open(gnt_store **out, const char *folder, gnt_err *err) {
    if (gnt_make_dirs(folder, err) != 0)
        return -1;
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

static char *entry_path(const gnt_store *s, const gnt_digest *key) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    return gnt_format("%s/%.2s/%s", s->folder, hex, hex);
}

char *gnt_store_path(const gnt_store *s, const gnt_digest *key, const char *name) {
    char *entry = entry_path(s, key);
    char *path = entry ? gnt_format("%s/%s.safetensors", entry, name) : NULL;
    gnt_free(entry);
    return path;
}

/* Every output named by the record is there with the digest it had. */
static int outputs_hold(const gnt_store *s, const gnt_digest *key, json_t *record) {
    const char *name;
    json_t *value, *outputs = json_object_get(record, "outputs");
    if (!json_is_object(outputs) || !json_is_string(json_object_get(record, "status")))
        return 0;
    json_object_foreach(outputs, name, value) {
        char *path = gnt_store_path(s, key, name), hex[GNT_HEX_SIZE];
        gnt_digest d;
        int same = path && json_is_string(value) && gnt_digest_file(path, &d, NULL) == 0;
        gnt_free(path);
        if (!same)
            return 0;
        gnt_digest_hex(&d, hex);
        if (strcmp(hex, json_string_value(value)) != 0)
            return 0;
    }
    return 1;
}

int gnt_store_find(gnt_store *s, const gnt_digest *key, json_t **record, gnt_err *err) {
    *record = NULL;
    char *entry = entry_path(s, key), *path = entry ? gnt_format("%s/done.json", entry) : NULL;
    int rc = 0;
    if (!path)
        rc = gnt_fail(err, "out of memory for the store");
    else if (gnt_file_exists(path)) {
        gnt_doc doc;
        if (gnt_doc_load(&doc, path, MOST_RECORD, NULL) == 0) {
            if (outputs_hold(s, key, doc.root))
                *record = json_incref(doc.root);
            gnt_doc_free(&doc);
        }
    }
    gnt_free(entry);
    gnt_free(path);
    return rc;
}

static int write_outputs(gnt_store *s, const gnt_digest *key, json_t *digests,
                         const gnt_stored_output *outputs, size_t n, gnt_err *err) {
    for (size_t i = 0; i < n; i++) {
        char *path = gnt_store_path(s, key, outputs[i].name), hex[GNT_HEX_SIZE];
        int rc = path ? gnt_file_write(path, outputs[i].bytes, outputs[i].size, err)
                      : gnt_fail(err, "out of memory for the store");
        gnt_free(path);
        if (rc != 0)
            return -1;
        gnt_digest d = gnt_digest_bytes(outputs[i].bytes, outputs[i].size);
        gnt_digest_hex(&d, hex);
        json_object_set_new(digests, outputs[i].name, json_string(hex));
    }
    return 0;
}

int gnt_store_put(gnt_store *s, const gnt_digest *key, json_t *record, const gnt_stored_output *outputs,
                  size_t n, gnt_err *err) {
    char *entry = entry_path(s, key), *path = entry ? gnt_format("%s/done.json", entry) : NULL, *text = NULL;
    json_t *digests = json_object();
    int rc = path && digests ? gnt_make_dirs(entry, err) : gnt_fail(err, "out of memory for the store");
    if (rc == 0)
        rc = write_outputs(s, key, digests, outputs, n, err);
    if (rc == 0) {
        json_object_set(record, "outputs", digests);
        text = gnt_json_canonical(record);
        rc = text ? gnt_file_write(path, text, strlen(text), err)
                  : gnt_fail(err, "out of memory for the store");
    }
    json_decref(digests);
    gnt_free(text);
    gnt_free(path);
    gnt_free(entry);
    return rc;
}

int gnt_store_open_output(gnt_store *s, const gnt_digest *key, const char *name, gnt_err *err) {
    char *path = gnt_store_path(s, key, name);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        gnt_fail(err, "%s: cannot open: %s", path ? path : name, strerror(errno));
    gnt_free(path);
    return fd;
}
