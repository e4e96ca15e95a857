/* gauntlet slurm: a suite on a cluster, by way of Slurm. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/run_suite.h"
#include "cli/sandbox_options.h"
#include "cluster/need.h"
#include "cluster/queue.h"
#include "cluster/status.h"
#include "cluster/submission.h"
#include "run/lease/share.h"
#include "suite/plan.h"

typedef struct options {
    const char *suite, *output, *scale, *baseline, *partition, *time, *mem, *least;
    cli_paths paths;
    uint64_t workers, jobs, lease;
    int dry;
    char **words;
    int n_words;
    /* Arguments after "--"; NULL-terminated. */
    const char *const *sbatch;
} options;

enum { MOST_WORKERS = 10000 };

static int is_action(const char *word) {
    return strcmp(word, "status") == 0 || strcmp(word, "cancel") == 0;
}

/* Reads --require-sandbox, which is passed on as it is. */
static int read_least(void *to, char *text) {
    gnt_sandbox_options checked = {0};
    *(const char **)to = text;
    return cli_read_level(&checked, text);
}

static int read_options(int argc, char **argv, options *o, const char *const *sbatch) {
    const cli_option known[] = {
        {.name = "out", .letter = 'o', .kind = CLI_INTO, .to = &o->output},
        {.name = "output", .kind = CLI_INTO, .to = &o->output},
        {.name = "array", .kind = CLI_WHOLE, .to = &o->workers, .least = 1, .most = MOST_WORKERS},
        {.name = "jobs", .kind = CLI_WHOLE, .to = &o->jobs, .least = 1, .most = CLI_MOST_JOBS},
        {.name = "partition", .kind = CLI_TEXT, .to = &o->partition},
        {.name = "time", .kind = CLI_TEXT, .to = &o->time},
        {.name = "mem", .kind = CLI_TEXT, .to = &o->mem},
        {.name = "dry-run", .kind = CLI_FLAG, .to = &o->dry},
        {.name = "scale", .kind = CLI_TEXT, .to = &o->scale},
        {.name = "baseline", .kind = CLI_TEXT, .to = &o->baseline},
        {.name = "require-sandbox", .kind = CLI_READ, .to = &o->least, .read = read_least},
        {.name = "lease",
         .kind = CLI_WHOLE,
         .to = &o->lease,
         .least = GNT_LEASE_LEAST,
         .most = GNT_LEASE_MOST},
        CLI_PATHS(&o->paths),
        {0}};
    const cli_command command = {.name = "slurm", .options = known};
    cli_words words;
    *o = (options){.paths.data = cli_data_folder(), .workers = 8, .jobs = 1, .sbatch = sbatch};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    o->words = words.word;
    o->n_words = words.n;
    const int on_run = words.n == 2 && is_action(words.word[0]);
    if (words.n != 1 && !on_run)
        return cli_wrong(&command, "expected one suite file, or status or cancel and a run folder");
    if (words.n == 1 && is_action(words.word[0]) && !gnt_file_exists(words.word[0]))
        return cli_wrong(&command, "%s needs the folder of a run", words.word[0]);
    if (*sbatch && **sbatch != '-')
        return cli_wrong(&command,
                         "%.60s after -- is no option of sbatch; expected one such as --constraint=FEATURE",
                         *sbatch);
    return CLI_GO_ON;
}

static int failed(const gnt_err *err) {
    return cli_error("slurm", err, GNT_EXIT_FAILED);
}

static int wrong(const gnt_err *err) {
    return cli_error("slurm", err, GNT_EXIT_WRONG);
}

/* ---- submitting ---- */

/* Refuses if jobs of an earlier submission wait or run. */
static int check_queue(const options *o, const char *suite_name, const char *folder, gnt_err *err) {
    char *name = gnt_slurm_name(suite_name, folder);
    json_t *queue = name ? gnt_queue_read(name, err) : NULL;
    int rc = queue ? 0 : -1;
    if (json_array_size(queue) > 0) {
        const json_t *one = json_array_get(queue, 0);
        rc = gnt_fail(err,
                      "%zu jobs of an earlier submission for %s wait or run, such as %.40s (%.40s); wait for "
                      "them (`gauntlet slurm status %s`), or `gauntlet slurm cancel %s`",
                      json_array_size(queue), folder, json_string_value(json_object_get(one, "shown")),
                      json_string_value(json_object_get(one, "state")), o->output ? o->output : folder,
                      o->output ? o->output : folder);
    }
    json_decref(queue);
    gnt_free(name);
    return rc;
}

enum { MOST_RUN = 32 };

/* Lists the arguments of `gauntlet run` in both jobs. */
static void run_arguments(const options *o, const char *folder, const char *jobs, const char *lease,
                          const char *argv[MOST_RUN]) {
    const struct {
        const char *name, *value;
    } all[] = {{"-o", folder},
               {"--jobs", jobs},
               {"--lease", o->lease ? lease : NULL},
               {"--scale", o->scale},
               {"--baseline", o->baseline},
               {"--data", o->paths.data},
               {"--models", o->paths.models},
               {"--plugins", o->paths.plugins},
               {"--require-sandbox", o->least}};
    size_t n = 0;
    argv[n++] = o->words[0];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value) {
            argv[n++] = all[i].name;
            argv[n++] = all[i].value;
        }
    argv[n] = NULL;
}

static int submit_or_show(const options *o, const gnt_slurm_request *request, const gnt_need *need) {
    gnt_err err = {0};
    gnt_submission done;
    if (o->dry) {
        char *text = gnt_slurm_dry(request, &err);
        if (!text)
            return failed(&err);
        fputs(text, stdout);
        gnt_free(text);
        return GNT_EXIT_OK;
    }
    const int lock = gnt_folder_hold(request->folder); /* two submissions at once */
    int rc = check_queue(o, request->suite_name, request->folder, &err) != 0 ||
                     gnt_share_reset(request->folder, &err) != 0 ||
                     gnt_slurm_submit(request, &done, &err) != 0
                 ? -1
                 : 0;
    if (lock >= 0)
        close(lock);
    if (rc != 0)
        return failed(&err);
    printf(
        "%lld workers are job %s, the one that gathers is job %s; memory %s, time %s%s; progress: gauntlet "
        "slurm status %s\n",
        (long long)done.workers, done.array, done.gather, request->mem, request->time,
        o->mem && o->time ? ""
        : need->known     ? " (from what earlier jobs took)"
                          : " (from the suite's limits)",
        request->folder);
    gnt_submission_free(&done);
    return GNT_EXIT_OK;
}

static int submit_plan(const options *o, const gnt_suite *suite, const gnt_plan *plan) {
    gnt_err err = {0};
    char real[PATH_MAX], working[PATH_MAX], program[PATH_MAX], mem[32], time[32], jobs[32], lease[32];
    char *folder = o->output ? gnt_strdup(o->output) : cli_run_folder(suite);
    const char *run[MOST_RUN];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    int rc = folder && n > 0 ? 0 : gnt_fail(&err, "out of memory");
    if (rc == 0 && !o->dry)
        rc = gnt_make_dirs(folder, &err);
    if (rc == 0 && !realpath(folder, real)) /* a dry run makes no folder */
        snprintf(real, sizeof real, "%s", folder);
    if (rc == 0 && !getcwd(working, sizeof working))
        rc = gnt_fail(&err, "the working directory has no path");
    gnt_free(folder);
    if (rc != 0)
        return failed(&err);
    program[n] = 0;
    const gnt_need need = gnt_need_of(real, suite, plan, (int64_t)o->workers, (int64_t)o->jobs);
    snprintf(mem, sizeof mem, "%lldM", (long long)need.memory_mb);
    snprintf(time, sizeof time, "%lld", (long long)need.minutes);
    snprintf(jobs, sizeof jobs, "%llu", (unsigned long long)o->jobs);
    snprintf(lease, sizeof lease, "%llu", (unsigned long long)o->lease);
    run_arguments(o, real, jobs, lease, run);
    const gnt_slurm_request request = {.folder = real,
                                       .working_folder = working,
                                       .program = program,
                                       .suite_name = suite->name,
                                       .run = run,
                                       .partition = o->partition,
                                       .time = o->time ? o->time : time,
                                       .mem = o->mem ? o->mem : mem,
                                       .workers = (int64_t)o->workers,
                                       .jobs = (int64_t)o->jobs,
                                       .options = o->sbatch};
    return submit_or_show(o, &request, &need);
}

static int submit(const options *o) {
    gnt_err err = {0};
    cli_env env;
    gnt_suite suite = {0};
    gnt_plan plan = {0};
    int code = GNT_EXIT_WRONG, rc = cli_env_open(&env, &o->paths, NULL, &err);
    env.suite.scale = o->scale;
    char *path = NULL;
    if (rc != 0 || cli_find_suite(&path, o->words[0], &err) != 0 ||
        gnt_suite_load(&suite, path, &env.suite, &err) != 0 || gnt_plan_make(&plan, &suite, &err) != 0)
        wrong(&err);
    else
        code = submit_plan(o, &suite, &plan);
    gnt_plan_free(&plan);
    gnt_suite_free(&suite);
    gnt_free(path);
    cli_env_close(&env);
    return code;
}

/* ---- afterwards ---- */

static int load(const char *folder, gnt_submission *s, gnt_err *err) {
    int there;
    if (gnt_submission_load(folder, s, &there, err) != 0)
        return -1;
    return there ? 0
                 : gnt_fail(err,
                            "%s: has no submission of `gauntlet slurm`; expected the folder of a run that it "
                            "submitted",
                            folder);
}

static int status(const char *folder) {
    gnt_err err = {0};
    gnt_submission s;
    gnt_text text;
    int bad = 0;
    if (load(folder, &s, &err) != 0)
        return wrong(&err);
    json_t *workers = gnt_share_read_all(folder, "worker"), *queue = gnt_queue_read(s.name, &err);
    if (!queue)
        fprintf(
            stderr,
            "gauntlet slurm: Slurm does not answer, so this is the last state that the runs reported: %s\n",
            err.text);
    json_t *ended = gnt_queue_ended(&s, &err);
    gnt_text_init(&text, 1 << 22);
    int rc = workers && ended ? gnt_status_text(&text, workers, queue, ended, &bad, &err) : -1;
    if (rc == 0)
        fputs(gnt_text_get(&text), stdout);
    gnt_text_free(&text);
    json_decref(workers);
    json_decref(queue);
    json_decref(ended);
    gnt_submission_free(&s);
    return rc != 0 ? failed(&err) : bad ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}

static int cancel(const char *folder) {
    gnt_err err = {0};
    gnt_submission s;
    if (load(folder, &s, &err) != 0)
        return wrong(&err);
    int rc = gnt_queue_cancel(&s, &err);
    if (rc == 0)
        printf("jobs %s and %s are cancelled; what they stored is kept\n", s.array, s.gather);
    gnt_submission_free(&s);
    return rc == 0 ? GNT_EXIT_OK : failed(&err);
}

int gnt_cmd_slurm(int argc, char **argv) {
    options o;
    int own = 0;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    static const char *const none[] = {NULL};
    const char *const *sbatch = own < argc ? (const char *const *)(uintptr_t)(argv + own + 1) : none;
    int code = read_options(own, argv, &o, sbatch);
    if (code != CLI_GO_ON)
        return code;
    if (o.n_words == 1)
        return submit(&o);
    return strcmp(o.words[0], "status") == 0 ? status(o.words[1]) : cancel(o.words[1]);
}
