#include "cli/worker.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "job/job.h"
#include "plugin/load.h"
#include "process/child.h"
#include "process/sandbox.h"
#include "process/sandbox_request.h"
#include "vet/vet.h"

static const size_t most_bundle = (size_t)8 << 30;

static int has_input(void *context, const char *name) {
    const json_t *request = context;
    return json_object_get(json_object_get(request, "inputs"), name) != NULL;
}

/* What came from a store is what was stored, or there is no job. */
static int input_holds(const json_t *request, const char *name, const uint8_t *bytes, size_t size,
                       gnt_err *err) {
    const char *wanted = json_string_value(json_object_get(json_object_get(request, "sums"), name));
    char found[GNT_HEX_SIZE];
    if (!wanted)
        return 0;
    gnt_digest d = gnt_digest_bytes(bytes, size);
    gnt_digest_hex(&d, found);
    return strcmp(found, wanted) == 0
               ? 0
               : gnt_fail(
                     err,
                     "the input \"%s\" is not what was stored: its bytes changed since; run again, and it "
                     "is made anew",
                     name);
}

static int read_input(void *context, const char *name, gnt_st *out, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    if (gnt_worker_read(context, name, most_bundle, &bytes, &size, err) != 0)
        return -1;
    int rc = input_holds(context, name, bytes, size, err);
    if (rc == 0)
        rc = gnt_st_parse(out, name, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int write_output(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    if (gnt_st_write(st, &bytes, &size, err) != 0)
        return -1;
    int rc = gnt_worker_write(context, name, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int socket_of(void *context, const char *name) {
    const json_t *request = context;
    const json_t *fd = json_object_get(json_object_get(request, "sockets"), name);
    return fd ? gnt_worker_socket(context, name, NULL) : -1;
}

static void alone(void *context) {
    (void)context;
    gnt_sandbox_alone();
}

static void progress(void *context, double done, double total) {
    (void)context;
    if (done >= 0 && total >= done)
        gnt_worker_progress((uint64_t)done, (uint64_t)total);
}

static int should_stop(void *context) {
    (void)context;
    return gnt_worker_should_stop();
}

static void note(void *context, const char *hook) {
    gnt_worker_note(context, hook);
}

static int others(void *context) {
    (void)context;
    return gnt_worker_others();
}

static int describe(const json_t *request, gnt_err *err) {
    char *text;
    const char *file = json_string_value(json_object_get(request, "file"));
    if (gnt_describe(&text, file ? file : "", err) != 0)
        return -1;
    int rc = gnt_worker_write(request, "description", text, strlen(text), err);
    gnt_free(text);
    return rc;
}

static int work(json_t *request, int vets, json_t *facts, gnt_status *status, gnt_err *err) {
    gnt_work w = {.request = request,
                  .context = request,
                  .has = has_input,
                  .read = read_input,
                  .write = write_output,
                  .socket = socket_of,
                  .alone = alone,
                  .progress = progress,
                  .should_stop = should_stop,
                  .note = note,
                  .others = others,
                  .facts = facts,
                  .status = GNT_FAILED};
    int rc = vets ? gnt_vet_work(&w, err) : gnt_job_run(&w, err);
    *status = rc == 0 ? GNT_OK : w.status;
    return rc;
}

int gnt_worker_main(void) {
    static const char *const words[] = {"ok", "failed", "unsupported", "stopped"};
    gnt_err err = {0};
    gnt_sandbox_report report = {0};
    json_t *request = NULL, *facts = json_object();
    gnt_status status = GNT_FAILED;
    int rc = gnt_worker_request(&request, &err);
    if (rc != 0) {
        fprintf(stderr, "gauntlet: %s\n", err.text); /* someone typed the command */
        json_decref(facts);
        return 2;
    }
    const char *kind = json_string_value(json_object_get(request, "job"));
    const int describes = kind && strcmp(kind, "describe") == 0, tries = kind && strcmp(kind, "walls") == 0;
    const int vets = kind && strcmp(kind, "vet") == 0;
    if (kind && (describes || tries || vets || gnt_job_has_plugin(kind)))
        rc = gnt_sandbox_request_enter(request, &report, &err);
    if (rc == 0 && report.level[0])
        gnt_worker_walls(report.level);
    if (rc == 0 && tries)
        json_object_set_new(facts, "remark", json_string(report.remark));
    else if (rc == 0 && describes)
        rc = describe(request, &err);
    else if (rc == 0)
        rc = work(request, vets, facts, &status, &err);
    if (rc == 0)
        status = GNT_OK;
    else if (status <= GNT_OK || status > GNT_STOPPED)
        status = GNT_FAILED;
    int code = gnt_worker_finish(words[status], err.text, report.level, facts);
    json_decref(facts);
    json_decref(request);
    return code;
}
