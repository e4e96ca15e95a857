#include "run/lease/share.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

enum { MOST_RECORD = 1 << 20, NAME_SIZE = 256, JOB_SIZE = 64 };

struct gnt_share {
    char *folder; /* STORE/share */
    char node[NAME_SIZE], slurm_job[JOB_SIZE];
    gnt_leases *leases;
    json_t *failed; /* keys */
};

static const char *const parts[] = {"lease", "failed", "worker"};

static char *share_of(const char *folder) {
    return gnt_format("%s/store/share", folder);
}

static int write_json(const char *path, const json_t *value, gnt_err *err) {
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9)) : NULL;
    int rc = path && text ? gnt_file_write(path, text, strlen(text), err)
                          : gnt_fail(err, "out of memory for the record of a shared run");
    free(text);
    return rc;
}

/* ---- one numerics identity ---- */

/* Reads what the first run wrote; *there: false if there is none. */
static int read_identity(const char *path, gnt_doc *doc, int *there, gnt_err *err) {
    *there = gnt_file_exists(path);
    if (!*there)
        return 0;
    if (gnt_doc_load(doc, path, MOST_RECORD, err) != 0)
        return -1;
    if (json_is_string(json_object_get(doc->root, "identity")) &&
        json_is_string(json_object_get(doc->root, "node")))
        return 0;
    gnt_doc_free(doc);
    return gnt_fail(err, "%s: has no \"identity\" or no \"node\"; remove it when no run works in the folder",
                    path);
}

/* Writes it unless there is one: the first run decides for all. */
static int put_identity(const gnt_share *s, const char *path, const char *identity, gnt_err *err) {
    json_t *mine = json_pack("{s:i, s:s, s:s}", "format", 1, "identity", identity, "node", s->node);
    char *part = gnt_format("%s.%s-%ld.part", path, s->node, (long)getpid());
    int rc = part ? write_json(part, mine, err) : gnt_fail(err, "out of memory for a shared run");
    if (rc == 0 && link(part, path) != 0 && errno != EEXIST)
        rc = gnt_fail(err, "%s: cannot be made: %s; a shared run needs hard links", path, strerror(errno));
    if (part)
        unlink(part);
    gnt_free(part);
    json_decref(mine);
    return rc;
}

static int check_identity(const gnt_share *s, const char *identity, gnt_err *err) {
    char *path = gnt_format("%s/identity.json", s->folder);
    gnt_doc doc;
    int there = 0, rc = path ? read_identity(path, &doc, &there, err) : gnt_fail(err, "out of memory");
    if (rc == 0 && !there && (rc = put_identity(s, path, identity, err)) == 0)
        rc = read_identity(path, &doc, &there, err);
    if (rc == 0 && !there)
        rc = gnt_fail(err, "%s: was removed while a run began", path);
    if (rc == 0) {
        const char *first = json_string_value(json_object_get(doc.root, "identity"));
        if (strcmp(first, identity) != 0)
            rc =
                gnt_fail(err,
                         "the machine %s computes under another numerics identity than %.64s, where the runs "
                         "that share this folder began, so their outputs would not be used together: here "
                         "\"%s\", there \"%.400s\"; run on machines of one kind and one build (with Slurm, "
                         "`gauntlet slurm … -- --constraint=FEATURE`)",
                         s->node, json_string_value(json_object_get(doc.root, "node")), identity, first);
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return rc;
}

/* ---- opening ---- */

static void set_node(gnt_share *s, const char *slurm_job) {
    if (gethostname(s->node, sizeof s->node - 1) != 0 || !gnt_text_ok(s->node, 1, sizeof s->node - 1))
        snprintf(s->node, sizeof s->node, "unknown");
    for (char *at = s->node; *at; at++)
        if (*at == '/')
            *at = '_';
    const char *name = getenv("SLURMD_NODENAME"); /* as squeue and sinfo name it */
    if (*slurm_job && name && gnt_text_ok(name, 1, 64) && !strchr(name, '/'))
        snprintf(s->node, sizeof s->node, "%s", name);
    if (gnt_text_ok(slurm_job, 1, sizeof s->slurm_job - 1) && !strchr(slurm_job, '/'))
        snprintf(s->slurm_job, sizeof s->slurm_job, "%s", slurm_job);
}

static int make_folders(const gnt_share *s, gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++) {
        char *path = gnt_format("%s/%s", s->folder, parts[i]);
        rc = path ? gnt_make_dirs(path, err) : gnt_fail(err, "out of memory for a shared run");
        gnt_free(path);
    }
    return rc;
}

static void report_refusal(gnt_share *s, const gnt_err *err) {
    json_t *state = json_pack("{s:s, s:s}", "state", "refused", "reason", err ? err->text : "");
    if (state)
        gnt_share_report(s, state, NULL);
    json_decref(state);
}

static int open_leases(gnt_share *s, double term, gnt_err *err) {
    char *path = gnt_format("%s/lease", s->folder);
    json_t *holder =
        json_pack("{s:s, s:s, s:I}", "node", s->node, "job", s->slurm_job, "pid", (json_int_t)getpid());
    int rc = path && holder ? gnt_leases_open(&s->leases, path, holder, term, err)
                            : gnt_fail(err, "out of memory for a shared run");
    json_decref(holder);
    gnt_free(path);
    return rc;
}

int gnt_share_open(gnt_share **out, const char *folder, const char *identity, const char *slurm_job,
                   double term, gnt_err *err) {
    gnt_share *s = gnt_alloc(sizeof *s);
    if (s) {
        s->folder = share_of(folder);
        s->failed = json_object();
    }
    int rc = s && s->folder && s->failed ? 0 : gnt_fail(err, "out of memory for a shared run");
    if (rc == 0) {
        set_node(s, slurm_job);
        rc = make_folders(s, err);
    }
    if (rc == 0 && (rc = check_identity(s, identity, err)) != 0)
        report_refusal(s, err);
    if (rc == 0)
        rc = open_leases(s, term, err);
    if (rc != 0) {
        gnt_share_close(s);
        return -1;
    }
    gnt_leases_sweep(s->leases);
    *out = s;
    return 0;
}

void gnt_share_close(gnt_share *s) {
    if (!s)
        return;
    if (s->leases) /* leases of processes that died while this one ran */
        gnt_leases_sweep(s->leases);
    gnt_leases_close(s->leases);
    json_decref(s->failed);
    gnt_free(s->folder);
    gnt_free(s);
}

const char *gnt_share_node(const gnt_share *s) {
    return s->node;
}

gnt_leases *gnt_share_leases(gnt_share *s) {
    return s->leases;
}

/* ---- jobs that failed ---- */

static char *failure_path(const gnt_share *s, const char *hex) {
    return gnt_format("%s/failed/%s.json", s->folder, hex);
}

int gnt_share_look(gnt_share *s, gnt_err *err) {
    char *path = gnt_format("%s/failed", s->folder);
    DIR *d = path ? opendir(path) : NULL;
    int rc = d ? 0 : gnt_fail(err, "%s: cannot list it: %s", path ? path : "failed", strerror(errno));
    json_object_clear(s->failed);
    for (const struct dirent *e; rc == 0 && (e = readdir(d));) {
        char hex[GNT_HEX_SIZE];
        if (strlen(e->d_name) != GNT_HEX_SIZE - 1 + strlen(".json") ||
            strcmp(e->d_name + GNT_HEX_SIZE - 1, ".json") != 0)
            continue;
        memcpy(hex, e->d_name, GNT_HEX_SIZE - 1);
        hex[GNT_HEX_SIZE - 1] = 0;
        if (json_object_set_new(s->failed, hex, json_true()) != 0)
            rc = gnt_fail(err, "out of memory for a shared run");
    }
    if (d)
        closedir(d);
    gnt_free(path);
    return rc;
}

json_t *gnt_share_failure(const gnt_share *s, const gnt_digest *key) {
    static const char *const keys[] = {"job", "verdict", "reason", "node", "slurm_job"};
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    if (!json_object_get(s->failed, hex))
        return NULL;
    char *path = failure_path(s, hex);
    json_t *failure = NULL;
    gnt_doc doc;
    if (path && gnt_doc_load(&doc, path, MOST_RECORD, NULL) == 0) {
        failure = json_object();
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (json_is_string(json_object_get(doc.root, keys[i])))
                json_object_set(failure, keys[i], json_object_get(doc.root, keys[i]));
        gnt_doc_free(&doc);
    }
    gnt_free(path);
    return failure;
}

int gnt_share_put_failure(gnt_share *s, const gnt_digest *key, json_t *failure, gnt_err *err) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    char *path = failure_path(s, hex);
    json_object_set_new(failure, "node", json_string(s->node));
    json_object_set_new(failure, "slurm_job", json_string(s->slurm_job));
    int rc = write_json(path, failure, err);
    gnt_free(path);
    return rc;
}

void gnt_share_forget_failure(gnt_share *s, const gnt_digest *key) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(key, hex);
    char *path = json_object_get(s->failed, hex) ? failure_path(s, hex) : NULL;
    if (path)
        unlink(path);
    gnt_free(path);
}

/* ---- how far a run is ---- */

int gnt_share_report(gnt_share *s, const json_t *state, gnt_err *err) {
    json_t *all = json_deep_copy(state);
    char *path = gnt_format("%s/worker/%s-%s%ld.json", s->folder, s->node, *s->slurm_job ? "job" : "",
                            *s->slurm_job ? strtol(s->slurm_job, NULL, 10) : (long)getpid());
    int rc = -1;
    if (all && path && json_object_set_new(all, "node", json_string(s->node)) == 0 &&
        json_object_set_new(all, "slurm_job", json_string(s->slurm_job)) == 0 &&
        json_object_set_new(all, "pid", json_integer((json_int_t)getpid())) == 0)
        rc = write_json(path, all, err);
    else
        gnt_fail(err, "out of memory for the record of a shared run");
    json_decref(all);
    gnt_free(path);
    return rc;
}

static int is_record(const char *name) {
    const size_t n = strlen(name);
    return n > 5 && name[0] != '.' && strcmp(name + n - 5, ".json") == 0;
}

static int named_record(const struct dirent *e) {
    return is_record(e->d_name);
}

json_t *gnt_share_read_all(const char *folder, const char *name) {
    struct dirent **names = NULL;
    json_t *list = json_array();
    char *path = gnt_format("%s/store/share/%s", folder, name);
    int n = path ? scandir(path, &names, named_record, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char *file = gnt_format("%s/%s", path, names[i]->d_name);
        gnt_doc doc;
        if (file && list && gnt_doc_load(&doc, file, MOST_RECORD, NULL) == 0) {
            if (json_is_object(doc.root) &&
                json_object_set_new(doc.root, "file", json_string(names[i]->d_name)) == 0)
                json_array_append(list, doc.root);
            gnt_doc_free(&doc);
        }
        gnt_free(file);
        free(names[i]);
    }
    free(names);
    gnt_free(path);
    return list;
}

static int clear(const char *share, const char *part, gnt_err *err) {
    char *path = gnt_format("%s/%s", share, part);
    DIR *d = path ? opendir(path) : NULL;
    int rc = 0;
    for (const struct dirent *e; d && rc == 0 && (e = readdir(d));)
        if (is_record(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) != 0 && errno != ENOENT)
            rc = gnt_fail(err, "%s/%s: cannot remove it: %s", path, e->d_name, strerror(errno));
    if (d)
        closedir(d);
    gnt_free(path);
    return rc;
}

int gnt_share_reset(const char *folder, gnt_err *err) {
    char *share = share_of(folder), *identity = share ? gnt_format("%s/identity.json", share) : NULL;
    int rc = identity ? 0 : gnt_fail(err, "out of memory for a shared run");
    if (rc == 0 && unlink(identity) != 0 && errno != ENOENT)
        rc = gnt_fail(err, "%s: cannot remove it: %s", identity, strerror(errno));
    if (rc == 0)
        rc = clear(share, "failed", err);
    if (rc == 0)
        rc = clear(share, "worker", err);
    gnt_free(share);
    gnt_free(identity);
    return rc;
}
