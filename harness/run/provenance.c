/* Records what a run was made from: the program, the plugins, models and data that it read, the machine.
 * Digests are those in store keys, BLAKE2b-256. No path of the user's, and no secret key. */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "metric/features.h"
#include "nn/conv/dnnl.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/blas_core.h"
#include "run/identity.h"
#include "run/run_impl.h"
#include "run/version.h"

static json_t *hex_json(const gnt_digest *d) {
    char hex[GNT_HEX_SIZE];
    gnt_digest_hex(d, hex);
    return json_string(hex);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True if an entry of the list has the same members. */
static int listed(const json_t *list, const json_t *entry) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), entry))
            return 1;
    return 0;
}

/* Takes ownership of the entry. */
static void add_once(json_t *list, json_t *entry) {
    if (entry && !listed(list, entry))
        json_array_append(list, entry);
    json_decref(entry);
}

/* ---- what was read ---- */

static void add_plugin(json_t *list, const gnt_suite_member *m) {
    if (m->info)
        add_once(list, json_pack("{s:s, s:s, s:s, s:s}", "id", m->info->id, "version", m->info->version,
                                 "file", last_part(m->info->file), "digest", m->info->digest));
}

static json_t *plugins_json(const gnt_suite *s) {
    json_t *list = json_array();
    for (size_t d = 0; d < s->n_defenses; d++)
        for (size_t m = 0; m < s->defense[d].n_members; m++)
            add_plugin(list, &s->defense[d].member[m]);
    for (size_t a = 0; a < s->n_attacks; a++) {
        add_plugin(list, &s->attack[a].first);
        add_plugin(list, &s->attack[a].member);
    }
    return list;
}

static void add_data(json_t *list, const char *name, uint64_t seed, const gnt_digest *d) {
    add_once(list,
             json_pack("{s:s, s:I, s:o}", "name", name, "seed", (json_int_t)seed, "digest", hex_json(d)));
}

static void add_model(json_t *list, const gnt_suite_task *t) {
    gnt_digest d = gnt_digest_bytes(t->model_json, strlen(t->model_json));
    add_once(list, json_pack("{s:s, s:o}", "name", t->model, "digest", hex_json(&d)));
}

static void add_weights(json_t *list, const char *path, const gnt_digest *d) {
    if (path)
        add_once(list, json_pack("{s:s, s:o}", "file", last_part(path), "digest", hex_json(d)));
}

static void add_inputs(const run *r, json_t *all) {
    const gnt_suite *s = r->suite;
    json_t *data = json_array(), *models = json_array(), *weights = json_array();
    for (size_t t = 0; t < s->n_tasks; t++) {
        const gnt_suite_task *task = &s->task[t];
        add_data(data, task->data, task->data_seed, &r->requests.inputs.data[t]);
        if (task->public_set.data)
            add_data(data, task->public_set.data, task->public_set.seed, &r->requests.inputs.public_set[t]);
        if (task->prior_set.data)
            add_data(data, task->prior_set.data, task->prior_set.seed, &r->requests.inputs.prior_set[t]);
        add_model(models, task);
        add_weights(weights, task->weights, &r->requests.inputs.weights[t]);
    }
    for (size_t m = 0; m < s->n_models; m++) {
        const gnt_suite_task *of = &s->model[m].of;
        add_data(data, of->data, of->data_seed, &r->requests.inputs.model_data[m]);
        add_model(models, of);
        add_weights(weights, of->weights, &r->requests.inputs.model_weights[m]);
    }
    for (size_t a = 0; a < s->n_attacks; a++)
        add_weights(weights, s->attack[a].start, &r->requests.inputs.start[a]);
    for (int i = 0; i < GNT_LPIPS_NETS; i++)
        add_weights(weights, r->requests.inputs.lpips_path[i], &r->requests.inputs.lpips[i]);
    json_object_set_new(all, "data", data);
    json_object_set_new(all, "models", models);
    json_object_set_new(all, "weights", weights);
}

/* ---- program, machine, time ---- */

static json_t *program_json(const run *r) {
    const char *source = gnt_version_source();
    size_t n = strcspn(source, "-");
    json_t *known = json_pack("{s:s, s:s, s:o, s:s}", "version", GNT_VERSION, "source", source, "dirty",
                              strcmp(source, "unknown") == 0 ? json_null() : json_boolean(source[n] != 0),
                              "compiler", gnt_version_compiler());
    if (known && source[n])
        json_object_set_new(known, "source", json_stringn(source, n));
    if (known)
        json_object_set_new(known, "digest", hex_json(&r->program));
    return known;
}

static json_t *machine_json(void) {
    char cpu[GNT_CPU_NAME], dnnl[64], forced[GNT_BLAS_CORE_TEXT];
    struct utsname kernel = {0};
    const char *core = gnt_blas_core_choice();
    gnt_run_cpu_name(cpu);
    uname(&kernel);
    gnt_dnnl_version(dnnl);
    return json_pack("{s:s, s:I, s:s, s:{s:s, s:s, s:b, s:i}, s:o}", "cpu", cpu, "processors",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "kernel", kernel.release, "openblas", "build",
                     gnt_blas_config(), "core", *core ? core : gnt_blas_core(), "core_forced",
                     gnt_blas_core_is_forced_down(forced), "threads", 1, "onednn",
                     strcmp(dnnl, "none") == 0 ? json_null() : json_string(dnnl));
}

static json_t *sandbox_json(const run *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->jobs.n; i++)
        if (r->jobs.at[i]->sandbox && *r->jobs.at[i]->sandbox)
            add_once(list, json_string(r->jobs.at[i]->sandbox));
    return list;
}

static json_t *seeds_json(const gnt_suite *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_seeds; i++)
        json_array_append_new(list, json_integer((json_int_t)s->seeds[i]));
    return json_pack("{s:o, s:o}", "run", s->secret ? json_null() : json_integer((json_int_t)s->seed),
                     "replicates", list);
}

/* Returns a time as 2024-02-29T23:59:59Z. */
static json_t *moment_json(time_t when) {
    char text[32];
    struct tm parts;
    if (!gmtime_r(&when, &parts) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return json_null();
    return json_string(text);
}

json_t *run_provenance(const run *r) {
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "program", program_json(r), "machine",
                            machine_json(), "sandbox", sandbox_json(r), "seeds", seeds_json(r->suite),
                            "started", moment_json(r->progress.started), "ended", moment_json(time(NULL)),
                            "plugins", plugins_json(r->suite));
    if (all)
        add_inputs(r, all);
    if (all && r->options->sandbox_here)
        json_object_set_new(all, "sandbox_layers", json_string(r->options->sandbox_here));
    return all;
}
