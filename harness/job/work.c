#include "job/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

const json_t *gnt_request(const gnt_work *w, const char *path) {
    const json_t *at = w->request;
    char key[64];
    while (*path && at) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof key)
            return NULL;
        memcpy(key, path, n);
        key[n] = 0;
        at = json_object_get(at, key);
        path += n + (path[n] == '.');
    }
    return at;
}

int64_t gnt_request_int(const gnt_work *w, const char *path) {
    const json_t *v = gnt_request(w, path);
    return json_is_boolean(v) ? json_is_true(v) : json_integer_value(v);
}

double gnt_request_real(const gnt_work *w, const char *path) {
    return json_number_value(gnt_request(w, path));
}

const char *gnt_request_text(const gnt_work *w, const char *path) {
    const char *text = json_string_value(gnt_request(w, path));
    return text ? text : "";
}

void gnt_key_hex(const gnt_key *key, char hex[GNT_HEX_SIZE]) {
    gnt_digest d;
    memcpy(d.b, key->b, sizeof d.b);
    gnt_digest_hex(&d, hex);
}

int gnt_request_key(const gnt_work *w, const char *path, gnt_key *out, gnt_err *err) {
    const char *text = gnt_request_text(w, path);
    for (size_t i = 0; i < sizeof out->b; i++) {
        unsigned byte;
        if (strlen(text) != 2 * sizeof out->b || sscanf(text + 2 * i, "%2x", &byte) != 1)
            return gnt_fail(err, "the job's request lacks the key %s", path);
        out->b[i] = (uint8_t)byte;
    }
    return 0;
}

gnt_region gnt_work_region(const gnt_work *w) {
    const json_t *list = gnt_request(w, "region");
    int64_t side[4];
    for (size_t i = 0; i < 4; i++)
        side[i] = json_integer_value(json_array_get(list, i));
    return (gnt_region){side[0], side[1], side[2], side[3]};
}

int gnt_work_samples(gnt_sampleset *out, gnt_work *w, const char *name, gnt_err *err) {
    *out = (gnt_sampleset){0};
    if (!w->has(w->context, name))
        return 0;
    gnt_st st;
    gnt_st_init(&st);
    int rc = w->read(w->context, name, &st, err);
    if (rc == 0)
        rc = gnt_samples_unpack(out, &st, name, err);
    gnt_st_free(&st);
    if (rc == 0)
        gnt_samples_hide(out, gnt_request(w, "hide"));
    gnt_region region = gnt_work_region(w);
    if (rc == 0 && region.height && gnt_samples_mark(out, &region, err) != 0) {
        gnt_sampleset_free(out);
        rc = -1;
    }
    return rc;
}

gnt_fl_config gnt_work_config(const gnt_work *w) {
    return (gnt_fl_config){.rounds = (int32_t)gnt_request_int(w, "federated.rounds"),
                           .steps = (int32_t)gnt_request_int(w, "federated.local_steps"),
                           .batch = gnt_request_int(w, "federated.batch"),
                           .rate = gnt_request_real(w, "federated.rate"),
                           .momentum = gnt_request_real(w, "federated.momentum"),
                           .cosine = (int)gnt_request_int(w, "federated.cosine"),
                           .participation = gnt_request_real(w, "federated.participation"),
                           .training_stats = (int)gnt_request_int(w, "federated.training_stats"),
                           .clients = (int32_t)gnt_request_int(w, "federated.clients")};
}

int gnt_work_partition(gnt_partition *out, const gnt_work *w, const gnt_sampleset *clients, gnt_err *err) {
    const gnt_partition_spec spec = {.kind = (gnt_partition_kind)gnt_request_int(w, "federated.partition"),
                                     .clients = (int32_t)gnt_request_int(w, "federated.clients"),
                                     .shards = (int32_t)gnt_request_int(w, "federated.shards"),
                                     .alpha = gnt_request_real(w, "federated.alpha")};
    gnt_key key;
    return gnt_request_key(w, "keys.partition", &key, err) == 0
               ? gnt_partition_make(out, &spec, clients->label, clients->view.n, clients->view.classes, &key,
                                    err)
               : -1;
}
