/* A job's entry in the store: its key, whether it is there, what its outputs say, and how they get there. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "plugin/info.h"
#include "plugin/python.h"
#include "run/run_impl.h"
#include "run/side_processes.h"

static int opens_script(const run_job *j) {
    for (size_t i = 0; i < j->n_plugins; i++)
        if (gnt_is_script(j->plugin[i]))
            return 1;
    return 0;
}

int run_set_key(const run *r, run_job *j) {
    json_t *identity = gnt_request_encode(&j->request, GNT_FIELDS_IDENTITY);
    char *text = identity ? gnt_json_canonical(identity) : NULL;
    json_decref(identity);
    if (!text)
        return -1;
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, "job 1");
    gnt_hasher_text(&h, r->host);
    gnt_hasher_text(&h, text);
    gnt_free(text);
    if (opens_script(j))
        gnt_hasher_text(&h, r->scripts ? r->scripts : "");
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_input *in = &j->input[i];
        gnt_hasher_text(&h, in->name);
        if (in->from) {
            const char *digest = gnt_store_digest(in->from->stored.record, in->output);
            gnt_hasher_text(&h, digest ? digest : "none");
        }
    }
    j->stored.key = gnt_hasher_end(&h);
    return 0;
}

/* True unless the output was made by a plugin in a sandbox below the required level. */
static int has_required_sandbox(const run *r, const run_job *j, const json_t *record) {
    const char *level = json_string_value(json_object_get(record, "sandbox"));
    return j->n_plugins == 0 || gnt_sandbox_level_of(level ? level : "") >= r->options->sandbox.least;
}

int run_find_stored(const run *r, const run_job *j, json_t **record, gnt_err *err) {
    const int rc = r->options->share == GNT_SHARE_WORK
                       ? gnt_store_find_record(r->store, &j->stored.key, record, err)
                       : gnt_store_find(r->store, &j->stored.key, record, err);
    if (rc == 0 && *record &&
        (!has_required_sandbox(r, j, *record) || (j->stored.restoring && !run_is_restored(r, j, *record)))) {
        json_decref(*record);
        *record = NULL;
    }
    return rc;
}

json_t *run_metadata(const run *r, const run_job *j, const char *output) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_st st;
    gnt_st_init(&st);
    json_t *all = NULL;
    if (gnt_store_read(r->store, &j->stored.key, j->stored.record, output, &bytes, &size, NULL) == 0 &&
        gnt_st_parse(&st, output, bytes, size, NULL) == 0 && st.metadata)
        all = json_loads(st.metadata, JSON_REJECT_DUPLICATES, NULL);
    gnt_st_free(&st);
    gnt_free(bytes);
    return all;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the numbers with a proper name: facts come from a process that a plugin shares. They are sorted, as
 * in a record that is read from the store. */
static json_t *checked_facts(json_t *facts) {
    enum { MOST_FACTS = 1024 };
    json_t *all = json_object(), *value;
    const char *name, *found[MOST_FACTS];
    size_t n = 0;
    json_object_foreach(facts, name, value) {
        if (json_is_number(value) && gnt_id_ok(name, '_') && n < MOST_FACTS)
            found[n++] = name;
    }
    qsort(found, n, sizeof *found, by_name);
    for (size_t i = 0; i < n; i++)
        json_object_set_new(all, found[i], json_real(json_number_value(json_object_get(facts, found[i]))));
    return all;
}

int run_store_outputs(run *r, run_job *j, gnt_err *err) {
    gnt_stored_output output[RUN_MOST_OUTPUTS];
    uint8_t *bytes[RUN_MOST_OUTPUTS] = {0};
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && j->outputs[i]; i++) {
        size_t size = 0;
        rc = gnt_child_output_read(j->processes.child, j->outputs[i], &bytes[i], &size, err);
        if (rc == 0 && size > 0)
            output[n++] = (gnt_stored_output){j->outputs[i], bytes[i], size};
    }
    json_t *facts = run_sides_facts(j);
    json_t *record =
        json_pack("{s:s, s:s, s:o}", "status", "ok", "job", j->name, "facts", checked_facts(facts));
    json_decref(facts);
    if (j->n_plugins > 0)
        json_object_set_new(record, "sandbox", json_string(j->sandbox));
    if (rc == 0)
        rc = run_cost_put(r, j, err);
    if (rc == 0)
        rc = record ? gnt_store_put(r->store, &j->stored.key, record, output, n, err)
                    : gnt_fail(err, "out of memory for the job %s", j->name);
    json_decref(j->stored.record);
    j->stored.record = record;
    j->stored.restoring = 0;
    for (size_t i = 0; i < RUN_MOST_OUTPUTS; i++)
        gnt_free(bytes[i]);
    return rc;
}
