#include "vet/vet.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "gauntlet/plugin.h"
#include "plugin/exports.h"
#include "plugin/python.h"
#include "plugin/load.h"
#include "process/child.h"
#include "process/describe.h"
#include "request/request.h"

enum {
    EXPORTS,
    DESCRIPTOR,
    LIMITS,
    HOOKS,
    EDGES,
    STRENGTH,
    GOALS,
    ANSWERS,
    INPUTS,
    BOUNDS,
    FINITE,
    STOPS,
    MEMORY,
    LEAVES,
    REPEATS,
    RANDOM,
    INSTANCES,
    CLIENTS
};

const gnt_vet_check gnt_vet_checks[GNT_VET_CHECKS] = {
    {"exports", "the file exports the symbol gauntlet_entry and no other"},
    {"descriptor", "ids, texts, bits, hooks and members are valid; every default is in its range"},
    {"limits", "one pass through all hooks stays within --seconds and --memory-mb"},
    {"hooks", "with its defaults every hook succeeds on synthetic inputs, with a valid output"},
    {"edges", "each parameter works at both ends of its range, and is refused outside"},
    {"strength", "a defense's hooks do not give the same bytes at both ends of its strength's range"},
    {"goals", "an attack answers goals that it declares"},
    {"answers", "an attack answers once, for as many samples as are observed"},
    {"inputs", "inputs stay unchanged, on pages that are read-only"},
    {"bounds", "nothing is written beyond the ends of what a defense's hooks fill, between guard pages"},
    {"finite", "finite inputs give no NaN and no infinity"},
    {"stops", "hooks return within a second after should_stop turns true"},
    {"memory", "stop (or destroy) frees what start (or create) and the hooks allocated"},
    {"leaves", "hooks leave no thread, process or open file"},
    {"repeats", "the same key gives the same bytes, in another process and a second later"},
    {"random", "another key gives other bytes if GNT_FLAG_RANDOMISED is declared, and the same if not"},
    {"instances", "two instances in one process give what each gives alone"},
    {"clients",
     "a client's hooks give the same bytes whether the instance served another client before or not"},
};

enum { MOST_FILE = 1 << 30, MOST_SYMBOLS = 1 << 20, NOTE = 64, CYCLES = 5 };

/* The outcome of one child. */
typedef struct outcome {
    /* It finished and gave a verdict. */
    int ended;
    /* It exceeded its time or memory. */
    int limits;
    gnt_vet_verdict verdict;
    gnt_err why;
    /* [[hook, digest], …] */
    json_t *digests;
} outcome;

typedef struct vetting {
    const gnt_vet_options *options;
    /* Absolute path. */
    const char *file;
    const gnt_plugin_info *plugin;
    /* Files that its workers may read. */
    gnt_paths files;
    /* Why no further check of this plugin can run; "": they can. */
    gnt_err stuck;
    /* Outcome of the check "record" under the first key. */
    outcome first;
    /* Its end, in seconds of CLOCK_MONOTONIC; 0: not yet. */
    double first_done;
    /* It gave different bytes with the same key. */
    int differs_again;
    int failed;
} vetting;

static void report(vetting *v, int check, gnt_vet_verdict verdict, const char *why) {
    gnt_vet_finding f = {.check = gnt_vet_checks[check].name,
                         .plugin = v->plugin ? v->plugin->id : NULL,
                         .kind = v->plugin ? v->plugin->kind : 0,
                         .verdict = verdict,
                         .why = why};
    v->failed += verdict == GNT_VET_FAILED;
    v->options->found(v->options->user, &f);
}

static int wanted(const vetting *v, int check) {
    return v->options->wanted[check];
}

/* ---- one child ---- */

static json_t *request_of(const vetting *v, const char *check, int64_t seed) {
    const gnt_plugin_info *p = v->plugin, *behind = v->options->behind;
    const char *params = "";
    for (size_t i = 0; i < v->options->n_params; i++)
        if (strcmp(v->options->params[i].id, p->id) == 0)
            params = v->options->params[i].json;
    gnt_request_vetted before = {0};
    if (behind)
        before = (gnt_request_vetted){behind->file, behind->id,
                                      v->options->behind_params ? v->options->behind_params : "",
                                      (uint32_t)behind->kind};
    const gnt_request job = {.kind = GNT_JOB_VET,
                             .vet = {.check = check,
                                     .seed = seed,
                                     .plugin = {v->file, p->id, params, (uint32_t)p->kind},
                                     .behind = behind ? &before : NULL}};
    return gnt_request_encode(&job, GNT_FIELDS_ALL);
}

/* Reads the findings of a child that ended well. */
static void read_facts(outcome *o, const gnt_child_result *result) {
    const json_t *facts = json_object_get(result->status, "facts");
    const char *verdict = json_string_value(json_object_get(facts, "verdict"));
    const char *why = json_string_value(json_object_get(facts, "why"));
    o->digests = json_incref(json_object_get(facts, "gave"));
    o->ended = verdict && json_is_array(o->digests);
    if (!o->ended) {
        o->verdict = GNT_VET_FAILED;
        gnt_fail(&o->why, "its process ended without a verdict");
        return;
    }
    o->verdict = strcmp(verdict, "ok") == 0       ? GNT_VET_OK
                 : strcmp(verdict, "failed") == 0 ? GNT_VET_FAILED
                                                  : GNT_VET_NOT_APPLICABLE;
    if (o->verdict != GNT_VET_OK)
        gnt_fail(&o->why, "%s", why ? why : "");
}

static void read_end(outcome *o, const gnt_child *child) {
    const gnt_child_result *result = gnt_child_result_of(child);
    gnt_err why = {0}, none = {0};
    uint8_t *note = NULL;
    size_t size = 0;
    if (strcmp(gnt_child_verdict(child, &why), "ok") == 0) {
        read_facts(o, result);
        return;
    }
    o->verdict = GNT_VET_FAILED;
    char *advice = strstr(why.text, "; raise limits."); /* does not apply without a suite */
    if (advice)
        *advice = 0;
    o->limits = result->end == GNT_CHILD_TIMED_OUT || result->end == GNT_CHILD_OVER_MEMORY;
    if (gnt_child_output_read(child, "note", &note, &size, &none) == 0 && size == NOTE && note[0] >= 'a' &&
        memchr(note, 0, NOTE))
        gnt_fail(&o->why, "%s: %s", (const char *)note, why.text);
    else
        gnt_fail(&o->why, "%s", why.text);
    gnt_free(note);
}

/* Keeps the request of a check that failed, and why, in a folder of their own. */
static int keep(const vetting *v, const char *check, const json_t *request, const char *why, gnt_err *err) {
    char *folder = gnt_format("%s/%s.%s", v->options->keep_failed, v->plugin->id, check);
    char *text = json_dumps(request, JSON_INDENT(1));
    int rc = folder ? gnt_make_dirs(folder, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_file_write_text(folder, "request.json", text, err);
    if (rc == 0)
        rc = gnt_file_write_text(folder, "reason.txt", why, err);
    free(text);
    gnt_free(folder);
    return rc;
}

/* Runs one check; returns −1 if no child could be started, or the user interrupted. */
static int run_child(outcome *o, const vetting *v, const char *check, int64_t seed, double seconds,
                     gnt_err *err) {
    /* without glibc's cache of small blocks (tcache), which would count as not freed */
    static const char *const counted[] = {"GLIBC_TUNABLES=glibc.malloc.tcache_count=0", NULL};
    json_t *request = request_of(v, check, seed);
    const gnt_sandbox_spec sandbox = {.files = {(const char *const *)v->files.path, v->files.n},
                                      .options = v->options->sandbox,
                                      .may_fork = strcmp(check, gnt_vet_checks[LEAVES].name) == 0};
    gnt_child_output output = {"note", NOTE};
    gnt_child_spec spec = {.request = request,
                           .sandbox = &sandbox,
                           .outputs = &output,
                           .n_outputs = 1,
                           .seconds = seconds,
                           .set = strcmp(check, gnt_vet_checks[MEMORY].name) == 0 ? counted : NULL,
                           .memory = v->options->memory_mb << 20};
    gnt_child *child = NULL;
    *o = (outcome){0};
    int rc = request ? gnt_child_start(&child, &spec, err) : gnt_fail(err, "out of memory for a check");
    if (rc == 0) {
        gnt_children_wait(&child, 1, -1);
        if (gnt_child_result_of(child))
            read_end(o, child);
        else
            rc = gnt_fail(err, "interrupted");
    }
    if (rc == 0 && v->options->keep_failed && o->verdict == GNT_VET_FAILED)
        rc = keep(v, check, request, o->why.text, err);
    gnt_child_free(child);
    json_decref(request);
    return rc;
}

static void outcome_free(outcome *o) {
    json_decref(o->digests);
    *o = (outcome){0};
}

/* ---- checks of the file ---- */

static int check_exports(vetting *v, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_text names;
    gnt_err other = {0};
    if (gnt_is_script(v->file)) {
        if (wanted(v, EXPORTS))
            report(v, EXPORTS, GNT_VET_NOT_APPLICABLE, "a script exports nothing");
        return 0;
    }
    gnt_text_init(&names, MOST_SYMBOLS);
    int rc = gnt_file_read(v->file, MOST_FILE, &bytes, &size, err), entry = 0;
    if (rc == 0)
        rc = gnt_exports(&names, bytes, size, v->options->file, err);
    char *all = rc == 0 ? gnt_text_take(&names) : NULL, *rest = all;
    for (char *name; rest && (name = strsep(&rest, "\n"));) {
        if (strcmp(name, "gauntlet_entry") == 0)
            entry = 1;
        else if (*name && !other.text[0])
            gnt_fail(
                &other,
                "it exports %.100s too; hide all but gauntlet_entry: with -fvisibility=hidden in C, with a "
                "version script in C++ (docs/plugin-howto.md)",
                name);
    }
    if (rc == 0 && !entry)
        gnt_fail(&other, "it does not export gauntlet_entry");
    if (rc == 0 && wanted(v, EXPORTS))
        report(v, EXPORTS, other.text[0] ? GNT_VET_FAILED : GNT_VET_OK, other.text);
    gnt_free(all);
    gnt_free(bytes);
    gnt_text_free(&names);
    return rc;
}

/* Reports the findings of a file that cannot be described. */
static void report_undescribed(vetting *v, const char *why) {
    if (wanted(v, DESCRIPTOR))
        report(v, DESCRIPTOR, GNT_VET_FAILED, why);
    for (int i = LIMITS; i < GNT_VET_CHECKS; i++)
        if (wanted(v, i))
            report(v, i, wanted(v, DESCRIPTOR) ? GNT_VET_NOT_APPLICABLE : GNT_VET_FAILED,
                   wanted(v, DESCRIPTOR) ? "it cannot be described; see descriptor" : why);
}

static int describe(vetting *v, gnt_plugin_list *list, gnt_err *err) {
    gnt_err why = {0};
    gnt_digest digest;
    char hex[GNT_HEX_SIZE], *json = NULL;
    size_t size = 0;
    if (gnt_digest_file(v->file, &digest, err) != 0)
        return -1;
    gnt_digest_hex(&digest, hex);
    const int bad =
        gnt_describe_in_child((void *)(uintptr_t)&v->options->sandbox, v->file, &json, &size, &why) != 0 ||
        gnt_describe_read(list, json, size, v->file, hex, &why) != 0;
    gnt_free(json);
    if (gnt_interrupted())
        return gnt_fail(err, "interrupted");
    if (bad)
        report_undescribed(v, why.text);
    else if (wanted(v, DESCRIPTOR))
        report(v, DESCRIPTOR, GNT_VET_OK, "");
    return bad;
}

/* ---- checks of one plugin ---- */

/* Returns the time limit of a check, if one run of all hooks may take options->seconds. */
static double seconds_of(const vetting *v, int check) {
    const double one = v->options->seconds;
    return check == EDGES       ? one * (v->plugin->n_parameters + 1)
           : check == STRENGTH  ? one * 2
           : check == CLIENTS   ? one * 2
           : check == INSTANCES ? one * 4
           : check == MEMORY    ? one * CYCLES
                                : one;
}

static int check_child(vetting *v, int check, gnt_err *err) {
    outcome o;
    if (run_child(&o, v, gnt_vet_checks[check].name, 1, seconds_of(v, check), err) != 0)
        return -1;
    if (check == LIMITS && !o.limits && !o.ended)
        report(v, check, GNT_VET_NOT_APPLICABLE, "did not finish; see hooks");
    else if (check == LIMITS && o.ended)
        report(v, check, GNT_VET_OK, "");
    else
        report(v, check, o.verdict, o.why.text);
    if (!o.ended && (check == LIMITS ? o.limits : check == HOOKS))
        gnt_fail(&v->stuck, "its hooks did not finish; see %s", gnt_vet_checks[check].name);
    outcome_free(&o);
    return 0;
}

/* Runs the first recording, early, so that a second passes before the next. */
static int run_first(vetting *v, gnt_err *err) {
    if (v->first_done > 0)
        return 0;
    const int rc = run_child(&v->first, v, "record", 1, v->options->seconds, err);
    v->first_done = gnt_clock();
    return rc;
}

/* Waits until a clock in seconds differs from that of the first run. */
static void wait_a_second(const vetting *v) {
    const double left = v->first_done + 1.1 - gnt_clock();
    if (left > 0)
        nanosleep(&(struct timespec){.tv_sec = (time_t)left,
                                     .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)},
                  NULL);
}

/* Returns the first hook with a different digest, or NULL. */
static const char *first_difference(const json_t *a, const json_t *b) {
    const size_t n = json_array_size(a);
    for (size_t i = 0; i < n; i++)
        if (!json_equal(json_array_get(a, i), json_array_get(b, i)))
            return json_string_value(json_array_get(json_array_get(a, i), 0));
    return json_array_size(b) != n ? "the number of hooks that ran" : NULL;
}

/* Compares the outputs under the first key with another run. */
static int check_recorded(vetting *v, int check, gnt_err *err) {
    outcome other;
    gnt_err why = {0};
    if (run_first(v, err) != 0)
        return -1;
    if (check == REPEATS)
        wait_a_second(v);
    if (run_child(&other, v, "record", check == RANDOM ? 2 : 1, v->options->seconds, err) != 0)
        return -1;
    const outcome *bad = v->first.verdict != GNT_VET_OK ? &v->first
                         : other.verdict != GNT_VET_OK  ? &other
                                                        : NULL;
    const char *differs = bad ? NULL : first_difference(v->first.digests, other.digests);
    const int random = (v->plugin->flags & GNT_FLAG_RANDOMISED) != 0;
    v->differs_again |= check == REPEATS && differs;
    if (check == REPEATS && differs)
        gnt_fail(&why, "%s gives different bytes the second time, with the same key and input", differs);
    else if (check == RANDOM && random && !differs && !bad)
        gnt_fail(&why, "it declares GNT_FLAG_RANDOMISED, but another key changes nothing");
    else if (check == RANDOM && !random && differs)
        gnt_fail(&why, "%s gives different bytes with another key, but GNT_FLAG_RANDOMISED is not declared",
                 differs);
    if (bad)
        report(v, check, bad->verdict, bad->why.text);
    else
        report(v, check, why.text[0] ? GNT_VET_FAILED : GNT_VET_OK, why.text);
    outcome_free(&other);
    return 0;
}

static int check_plugin(vetting *v, gnt_err *err) {
    int rc = 0;
    v->stuck = (gnt_err){0};
    v->first_done = v->differs_again = 0;
    for (int i = LIMITS; rc == 0 && i < GNT_VET_CHECKS; i++) {
        if (i > HOOKS && wanted(v, REPEATS) && !v->stuck.text[0])
            rc = run_first(v, err);
        if (rc != 0 || !wanted(v, i))
            continue;
        if (v->stuck.text[0])
            report(v, i, GNT_VET_NOT_APPLICABLE, v->stuck.text);
        else if (v->differs_again)
            report(v, i, GNT_VET_NOT_APPLICABLE, "its output is not repeatable; see repeats");
        else
            rc = i == REPEATS || i == RANDOM ? check_recorded(v, i, err) : check_child(v, i, err);
    }
    outcome_free(&v->first);
    return rc;
}

int gnt_vet(const gnt_vet_options *options, int *failed, gnt_err *err) {
    char real[PATH_MAX];
    gnt_plugin_list list = {0};
    vetting v = {.options = options, .file = real};
    *failed = 0;
    if (!realpath(options->file, real))
        return gnt_fail(err, "%s: there is no such file", options->file);
    int rc = check_exports(&v, err), undescribed = 0;
    if (rc == 0)
        rc = gnt_plugin_files(&v.files, real, err);
    if (rc == 0 && options->behind)
        rc = gnt_plugin_files(&v.files, options->behind->file, err);
    if (rc == 0) {
        undescribed = describe(&v, &list, err);
        rc = undescribed < 0 ? -1 : 0;
    }
    for (size_t i = 0; rc == 0 && !undescribed && i < list.n; i++) {
        v.plugin = &list.info[i];
        rc = check_plugin(&v, err);
    }
    *failed = v.failed;
    gnt_plugin_list_free(&list);
    gnt_paths_free(&v.files);
    return rc;
}
