/* The table of jobs by name. */
#include <string.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "process/sandbox.h"
#include "run/run_impl.h"

run_job *run_get_job(run *r, const char *name, int *fresh) {
    const json_t *known = json_object_get(r->index, name);
    *fresh = !known;
    if (known)
        return r->job[json_integer_value(known)];
    if (r->n_jobs == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        run_job **grown = gnt_resize(r->job, room, sizeof *grown);
        if (!grown)
            return NULL;
        r->job = grown;
        r->room = room;
    }
    run_job *j = gnt_alloc(sizeof *j);
    if (j)
        j->name = gnt_strdup(name);
    if (!j || !j->name || json_object_set_new(r->index, name, json_integer((json_int_t)r->n_jobs)) != 0) {
        gnt_free(j);
        return NULL;
    }
    return r->job[r->n_jobs++] = j;
}

run_job *run_find_ok(const run *r, const char *name) {
    const json_t *index = json_object_get(r->index, name);
    run_job *j = index ? r->job[json_integer_value(index)] : NULL;
    return j && j->state == RUN_OK ? j : NULL;
}

int run_add_input(run_job *j, const char *name, run_job *from, const char *output) {
    if (!from || j->n_inputs == RUN_MOST_INPUTS)
        return -1;
    j->input[j->n_inputs++] = (run_input){.name = name, .from = from, .output = output};
    return 0;
}

const run_job *run_input_of(const run_job *j, const char *name) {
    for (size_t i = 0; j && i < j->n_inputs; i++)
        if (strcmp(j->input[i].name, name) == 0)
            return j->input[i].from;
    return NULL;
}

json_t *run_metadata(const run *r, const run_job *j, const char *output) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_st st;
    gnt_st_init(&st);
    json_t *all = NULL;
    if (gnt_store_read(r->store, &j->key, j->record, output, &bytes, &size, NULL) == 0 &&
        gnt_st_parse(&st, output, bytes, size, NULL) == 0 && st.metadata)
        all = json_loads(st.metadata, JSON_REJECT_DUPLICATES, NULL);
    gnt_st_free(&st);
    gnt_free(bytes);
    return all;
}

void run_end_job(run_job *j, const char *verdict, const char *sentence) {
    j->state = RUN_ENDED;
    j->verdict = verdict;
    j->reason = gnt_strdup(sentence);
}

/* An output that was made in a sandbox below the required level does not count. */
static int has_required_sandbox(const run *r, const run_job *j, const json_t *record) {
    const char *level = json_string_value(json_object_get(record, "sandbox"));
    return j->n_plugins == 0 || gnt_sandbox_level_of(level ? level : "") >= r->options->sandbox.least;
}

int run_find_stored(const run *r, const run_job *j, json_t **record, gnt_err *err) {
    const int rc = r->options->share == GNT_SHARE_WORK ? gnt_store_find_record(r->store, &j->key, record, err)
                                                       : gnt_store_find(r->store, &j->key, record, err);
    if (rc == 0 && *record && !has_required_sandbox(r, j, *record)) {
        json_decref(*record);
        *record = NULL;
    }
    return rc;
}

const run_job *run_origin(const run_job *j) {
    return j->origin ? j->origin : j;
}
