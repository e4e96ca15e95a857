/* The job `vet`: one check of one plugin, in a process of its own. Its facts:
 *   verdict  "ok", "failed" or "n/a"
 *   why      a sentence
 *   gave     [[hook, digest], …]: digests of each hook's output, for the check "record" */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plugin/load.h"
#include "vet/checking.h"
#include "vet/vet.h"

enum {
    /* Steps of an attack in checks that do not depend on the quality of its answer. */
    BUDGET = 6,
    /* Calls of should_stop before it returns true, for the check "stops". */
    STOP_POLLS = 2,
    /* Runs from create to destroy, to detect memory that is not freed. The first ones may fill caches that
     * live as long as the process. */
    CYCLES = 5,
    WARM = 2
};
/* Seconds that a hook may continue after should_stop returned true. */
static const double late_cpu = 1, late_wall = 10;

/* Makes the settings of a check. budget: of an attack. A defense for its observations encodes sets of
 * GNT_VET_SET samples. */
static void make_specs(checking *v, int64_t budget) {
    v->n_specs = gnt_vet_specs(v->descriptor, budget, v->spec);
    for (int i = 0; v->behind && i < v->n_specs; i++) {
        v->spec[i].behind = v->behind;
        v->spec[i].behind_params = &v->behind_params;
        if (v->spec[i].surface == GNT_SURFACE_ENCODING)
            v->spec[i].batch = GNT_VET_SET;
    }
}

static int run_all_settings(checking *v, gnt_vet_sequence_spec like, inspect_hook inspect, gnt_err *err) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < v->n_specs && !v->failed.text[0]; i++) {
        like.setting = v->spec[i];
        rc = vet_check_run(v, &like, inspect, err);
    }
    return rc;
}

/* ---- the checks ---- */

static int check_hooks(checking *v, gnt_err *err) {
    return run_all_settings(v, vet_check_sequence(v, 0), vet_check_inspect_works, err);
}

static int inspect_any(checking *v, const gnt_vet_sequence_spec *sequence,
                       const gnt_vet_hook_result *result) {
    (void)v, (void)sequence, (void)result;
    return 1;
}

static int check_limits(checking *v, gnt_err *err) { /* the parent process enforces the limits */
    return run_all_settings(v, vet_check_sequence(v, 0), inspect_any, err);
}

static int inspect_record(checking *v, const gnt_vet_sequence_spec *sequence,
                          const gnt_vet_hook_result *result) {
    char name[80];
    char *full = gnt_format("%s (%s)", result->name, gnt_vet_spec_name(&sequence->setting, name));
    const int bad =
        !full || json_array_append_new(v->digests, json_pack("[s, s]", full, result->digest)) != 0;
    gnt_free(full);
    return !bad;
}

static int check_record(checking *v, gnt_err *err) {
    return run_all_settings(v, vet_check_sequence(v, 0), inspect_record, err);
}

static int inspect_inputs(checking *v, const gnt_vet_sequence_spec *sequence,
                          const gnt_vet_hook_result *result) {
    gnt_err what = {0};
    if (!result->written)
        return 1;
    gnt_fail(&what, "it wrote to its read-only input: %s", result->written);
    vet_check_fail(v, &sequence->setting, result->name, what.text);
    return 0;
}

static int check_inputs(checking *v, gnt_err *err) {
    gnt_vet_sequence_spec like = vet_check_sequence(v, 0);
    like.guarded = 1;
    return run_all_settings(v, like, inspect_inputs, err);
}

static int inspect_finite(checking *v, const gnt_vet_sequence_spec *sequence,
                          const gnt_vet_hook_result *result) {
    if (result->infinite.text[0])
        vet_check_fail(v, &sequence->setting, result->name, result->infinite.text);
    return 1;
}

static int check_finite(checking *v, gnt_err *err) {
    return run_all_settings(v, vet_check_sequence(v, 0), inspect_finite, err);
}

static int inspect_stops(checking *v, const gnt_vet_sequence_spec *sequence,
                         const gnt_vet_hook_result *result) {
    gnt_err what = {0};
    if (result->cpu_late > late_cpu || result->wall_late > late_wall)
        gnt_fail(&what, "it continued for %.1f s after should_stop returned true; 1 s is allowed",
                 result->cpu_late > late_cpu ? result->cpu_late : result->wall_late);
    else if (result->polls == 0 && result->seconds > late_cpu)
        gnt_fail(&what, "it worked for %.1f s without calling should_stop", result->seconds);
    else if (result->wall_late > 0 && result->status == GNT_FAILED)
        gnt_fail(&what, "it failed after should_stop returned true: %s", result->err.text);
    if (what.text[0])
        vet_check_fail(v, &sequence->setting, result->name, what.text);
    if (result->status == GNT_STOPPED)
        v->n_ran++;
    return 1;
}

static int check_stops(checking *v, gnt_err *err) {
    gnt_vet_sequence_spec like = vet_check_sequence(v, 0);
    like.polls = STOP_POLLS;
    like.prepares_twice = 1;
    make_specs(v, 0); /* an attack with its own budget, so that there is work to interrupt */
    return run_all_settings(v, like, inspect_stops, err);
}

static int inspect_left(checking *v, const gnt_vet_sequence_spec *sequence,
                        const gnt_vet_hook_result *result) {
    gnt_err what = {0};
    if (!result->leftover.text[0])
        return 1;
    gnt_fail(&what, "it left %s behind", result->leftover.text);
    vet_check_fail(v, &sequence->setting, result->name, what.text);
    return 0;
}

static int check_leaves(checking *v, gnt_err *err) {
    return run_all_settings(v, vet_check_sequence(v, 0), inspect_left, err);
}

/* ---- checks of answers, of outputs and of the strength ---- */

/* Reports that a check is for plugins of the other kind. */
static int is_other_kind(checking *v, int32_t kind, const char *why) {
    if (v->descriptor->kind == kind)
        return 0;
    gnt_fail(&v->reason, "%s", why);
    return 1;
}

static int inspect_goals(checking *v, const gnt_vet_sequence_spec *sequence,
                         const gnt_vet_hook_result *result) {
    if (result->undeclared.text[0])
        vet_check_fail(v, &sequence->setting, result->name, result->undeclared.text);
    return 1;
}

static int check_goals(checking *v, gnt_err *err) {
    return is_other_kind(v, GNT_PLUGIN_ATTACK, "a defense answers nothing")
               ? 0
               : run_all_settings(v, vet_check_sequence(v, 0), inspect_goals, err);
}

static int inspect_answers(checking *v, const gnt_vet_sequence_spec *sequence,
                           const gnt_vet_hook_result *result) {
    if (result->excess.text[0])
        vet_check_fail(v, &sequence->setting, result->name, result->excess.text);
    return 1;
}

static int check_answers(checking *v, gnt_err *err) {
    return is_other_kind(v, GNT_PLUGIN_ATTACK, "a defense answers nothing")
               ? 0
               : run_all_settings(v, vet_check_sequence(v, 0), inspect_answers, err);
}

static int inspect_bounds(checking *v, const gnt_vet_sequence_spec *sequence,
                          const gnt_vet_hook_result *result) {
    gnt_err what = {0};
    if (!result->beyond)
        return 1;
    gnt_fail(&what, "it wrote beyond the ends of %s", result->beyond);
    vet_check_fail(v, &sequence->setting, result->name, what.text);
    return 0;
}

static int check_bounds(checking *v, gnt_err *err) {
    if (is_other_kind(v, GNT_PLUGIN_DEFENSE, "an attack fills no tensor of the host"))
        return 0;
    for (int i = 0; i < v->n_specs; i++)
        v->spec[i].fenced = 1;
    return run_all_settings(v, vet_check_sequence(v, 0), inspect_bounds, err);
}

/* Returns the bytes that the C library has allocated; 0 if it does not report them. Exact, because this
 * process was started without glibc's cache of small blocks (tcache). */
static size_t allocated(void) {
#if defined(__SANITIZE_ADDRESS__)
    return 0;
#else
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
#endif
}

static int check_memory(checking *v, gnt_err *err) {
    const gnt_vet_sequence_spec like = vet_check_sequence(v, 0);
    size_t before = 0, least = SIZE_MAX;
    for (int i = 0; i < CYCLES; i++) {
        if (vet_check_run(v, &like, inspect_any, err) != 0)
            return -1;
        const size_t now = allocated(), more = now > before ? now - before : 0;
        if (i >= WARM && more < least)
            least = more;
        before = now;
    }
    if (before == 0) {
        v->n_ran = 0;
        gnt_fail(&v->reason, "the C library of this build does not report allocated memory");
    } else if (least > 0)
        gnt_fail(&v->failed, "each cycle of create and destroy leaks %zu bytes", least);
    return 0;
}

/* ---- two instances side by side ---- */

enum { MOST_HOOKS = 128 };
typedef char hook_digests[MOST_HOOKS][GNT_HEX_SIZE];

/* Runs all hooks; keeps the digests of those of a client in a round, or of all (−1). */
static int run_by_itself(const gnt_vet_sequence_spec *spec, int client, hook_digests out, gnt_err *err) {
    gnt_vet_sequence *t;
    gnt_vet_hook_result result;
    int rc, n = 0;
    if (gnt_vet_sequence_open(&t, spec, err) != 0)
        return -1;
    while (n < MOST_HOOKS && (rc = gnt_vet_sequence_next(t, &result, err)) == 1)
        if (client < 0 || result.client == client)
            memcpy(out[n++], result.digest, GNT_HEX_SIZE);
    gnt_vet_sequence_free(t);
    return rc;
}

/* Runs two instances in turns, hook by hook, and compares the outputs with those of each alone. */
static int run_in_turns(checking *v, const gnt_vet_sequence_spec spec[2], hook_digests was[2], gnt_err *err) {
    gnt_vet_sequence *t[2] = {NULL, NULL};
    gnt_vet_hook_result result;
    int rc = 0, n[2] = {0, 0}, running = 3;
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = gnt_vet_sequence_open(&t[k], &spec[k], err);
    for (int k = 0; rc == 0 && running; k = 1 - k) {
        if (!(running & 1 << k))
            continue;
        const int more = n[k] < MOST_HOOKS ? gnt_vet_sequence_next(t[k], &result, err) : 0;
        if (more < 0)
            rc = -1;
        else if (more == 0)
            running &= ~(1 << k);
        else if (memcmp(result.digest, was[k][n[k]++], GNT_HEX_SIZE) != 0)
            vet_check_fail(v, &spec[k].setting, result.name,
                           "with a second instance its output changes: it keeps state outside the "
                           "instance");
        else if (result.status == GNT_OK)
            v->n_ran++;
        else if (!v->reason.text[0])
            v->reason = result.err;
    }
    for (int k = 0; k < 2; k++)
        gnt_vet_sequence_free(t[k]);
    return rc;
}

static int check_instances(checking *v, gnt_err *err) {
    hook_digests *was = gnt_array(2, sizeof *was);
    int rc = was ? 0 : gnt_fail(err, "out of memory");
    for (int i = 0; rc == 0 && i < v->n_specs && !v->failed.text[0]; i++) {
        gnt_vet_sequence_spec spec[2] = {vet_check_sequence(v, i), vet_check_sequence(v, i)};
        spec[1].key = gnt_key_derive(&v->key, "the other");
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = run_by_itself(&spec[k], -1, was[k], err);
        if (rc == 0)
            rc = run_in_turns(v, spec, was, err);
    }
    gnt_free(was);
    return rc;
}

/* ---- clients of one instance ---- */

/* Runs the hooks of client 1 in an instance that served no other, and compares them with `was`. */
static int compare_client(checking *v, const gnt_vet_sequence_spec *spec, hook_digests was, gnt_err *err) {
    gnt_vet_sequence *t;
    gnt_vet_hook_result result;
    int rc, n = 0;
    if (gnt_vet_sequence_open(&t, spec, err) != 0)
        return -1;
    while (n < MOST_HOOKS && (rc = gnt_vet_sequence_next(t, &result, err)) == 1) {
        if (result.client != 1)
            continue;
        if (memcmp(result.digest, was[n++], GNT_HEX_SIZE) != 0)
            vet_check_fail(v, &spec->setting, result.name,
                           "its output depends on what the instance did for another client; what lasts "
                           "belongs into `save` and `load`");
        else if (result.status == GNT_OK)
            v->n_ran++;
        else if (!v->reason.text[0])
            v->reason = result.err;
    }
    gnt_vet_sequence_free(t);
    return rc;
}

static int check_clients(checking *v, gnt_err *err) {
    int rc = 0;
    if (is_other_kind(v, GNT_PLUGIN_DEFENSE, "an attack has no hooks of clients"))
        return 0;
    if (v->hooks & (GNT_HOOK_STATE | GNT_HOOK_CONTRIBUTE)) {
        gnt_fail(&v->reason, "each client gets a process of its own");
        return 0;
    }
    hook_digests *was = gnt_array(1, sizeof *was);
    if (!was)
        return gnt_fail(err, "out of memory");
    for (int i = 0; rc == 0 && i < v->n_specs && !v->failed.text[0]; i++) {
        gnt_vet_sequence_spec spec = vet_check_sequence(v, i);
        spec.client_streams = 1;
        rc = run_by_itself(&spec, 1, *was, err);
        spec.skips_client_0 = 1;
        if (rc == 0)
            rc = compare_client(v, &spec, *was, err);
    }
    if (!v->n_ran && !v->reason.text[0])
        gnt_fail(&v->reason, "it has no hooks of clients");
    gnt_free(was);
    return rc;
}

/* ---- the job ---- */

/* Opens the defense that produces an attack's observations. */
static int open_behind(checking *v, gnt_err *err) {
    const gnt_request_vetted *q = v->work->request->vet.behind;
    return gnt_plugin_load(&v->behind, q->file, GNT_PLUGIN_DEFENSE, q->id, err) != 0 ||
                   vet_check_values(v->behind, q->id, q->params, NULL, NULL, &v->behind_params, err, err) !=
                       VALUES_ACCEPTED
               ? -1
               : 0;
}

static int open_plugin(checking *v, gnt_err *err) {
    const gnt_request_vet *q = &v->work->request->vet;
    v->id = q->plugin.id;
    if (gnt_plugin_load(&v->descriptor, q->plugin.file, (int32_t)q->plugin.kind, v->id, err) != 0 ||
        vet_check_values(v->descriptor, v->id, q->plugin.params, NULL, NULL, &v->defaults, err, err) !=
            VALUES_ACCEPTED)
        return -1;
    gnt_key all = gnt_key_of_seed((uint64_t)q->seed);
    v->key = gnt_key_derive(&all, "vet");
    if (q->behind && v->descriptor->kind == GNT_PLUGIN_ATTACK && open_behind(v, err) != 0)
        return -1;
    make_specs(v, BUDGET);
    gnt_plugin_info info;
    if (gnt_info_of_descriptor(&info, v->descriptor, NULL, NULL, 0, err) != 0)
        return -1;
    v->hooks = info.hooks;
    gnt_info_free(&info);
    return 0;
}

static int write_verdict(checking *v, gnt_err *err) {
    json_t *facts = v->work->facts;
    const int failed = v->failed.text[0] != 0, ran = v->n_ran > 0;
    if (!v->n_specs)
        gnt_fail(&v->reason, "there is no synthetic input of its data kinds and surfaces");
    const char *why = failed ? v->failed.text : ran ? "" : v->reason.text;
    int bad = json_object_set_new(facts, "verdict",
                                  json_string(failed ? "failed"
                                              : ran  ? "ok"
                                                     : "n/a")) != 0 ||
              json_object_set(facts, "gave", v->digests) != 0;
    /* a plugin's message may have bytes that are not UTF-8 */
    json_t *text = json_string(why);
    bad |=
        json_object_set_new(facts, "why", text ? text : json_string("for a reason that is not UTF-8")) != 0;
    return bad ? gnt_fail(err, "out of memory for a verdict") : 0;
}

/* Lets malloc keep what is freed: else each walk through the hooks has the same pages mapped again, which
 * takes a sixth of its time. A check has made-up inputs alone, of which nothing need be hidden. */
static void keep_freed_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_TOP_PAD, 1 << 20);
}

int gnt_vet_work(gnt_work *w, gnt_err *err) {
    static const struct {
        const char *name;
        int (*run)(checking *v, gnt_err *err);
    } checks[] = {{"limits", check_limits},         {"hooks", check_hooks},   {"edges", vet_check_edges},
                  {"strength", vet_check_strength}, {"goals", check_goals},   {"answers", check_answers},
                  {"bounds", check_bounds},         {"record", check_record}, {"instances", check_instances},
                  {"inputs", check_inputs},         {"finite", check_finite}, {"stops", check_stops},
                  {"memory", check_memory},         {"leaves", check_leaves}, {"clients", check_clients}};
    const char *name = w->request->vet.check;
    keep_freed_memory();
    checking v = {.work = w, .digests = json_array()};
    int rc = open_plugin(&v, err), found = 0;
    for (size_t i = 0; rc == 0 && v.n_specs && i < sizeof checks / sizeof *checks; i++)
        if (strcmp(checks[i].name, name) == 0) {
            found = 1;
            rc = checks[i].run(&v, err);
        }
    if (rc == 0 && v.n_specs && !found)
        rc = gnt_fail(err, "there is no check called \"%s\"", name);
    if (rc == 0)
        rc = write_verdict(&v, err);
    gnt_params_free(&v.defaults);
    gnt_params_free(&v.behind_params);
    json_decref(v.digests);
    return rc;
}
