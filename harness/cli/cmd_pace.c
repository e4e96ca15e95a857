/* gauntlet pace: the other side of finished/time_builds.h, by which `gauntlet check --time` runs the jobs of
 * a build; not for users. */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/mem.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/run_suite.h"
#include "cli/sandbox_options.h"
#include "process/child.h"
#include "finished/time_jobs.h"

enum { MOST_LINE = 1 << 20 };

typedef struct pacer {
    gnt_time_jobs_options how;
    gnt_timed_job job[GNT_TIMED_JOBS_MOST];
    json_t *request;
    char *line;
} pacer;

/* Reads a line of JSON; NULL at the end of input. The caller releases it. */
static json_t *read_line(pacer *p) {
    return fgets(p->line, MOST_LINE, stdin) ? json_loads(p->line, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

/* Writes a line of JSON; takes ownership of `answer`. */
static int say(json_t *answer) {
    char *line = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    const int rc = line && puts(line) >= 0 && fflush(stdout) == 0 ? 0 : -1;
    free(line);
    json_decref(answer);
    return rc;
}

static int next(void *user, const double *seconds) {
    pacer *p = user;
    json_t *list = seconds ? json_array() : NULL;
    for (size_t i = 0; list && i < p->how.n; i++)
        json_array_append_new(list, json_real(seconds[i]));
    if (say(list ? json_pack("{s:o}", "seconds", list) : json_pack("{s:I}", "ready", (json_int_t)p->how.n)) !=
        0)
        return 0;
    json_t *round = read_line(p);
    json_decref(round);
    return round != NULL;
}

static int read_jobs(pacer *p, gnt_err *err) {
    const json_t *jobs = json_object_get(p->request = read_line(p), "jobs");
    p->how.n = json_array_size(jobs);
    if (p->how.n == 0 || p->how.n > GNT_TIMED_JOBS_MOST)
        return gnt_fail(
            err, "expected a line {\"jobs\": [{\"cell\": ID, \"training\": BOOL}, …]} with 1 to %d jobs",
            GNT_TIMED_JOBS_MOST);
    for (size_t i = 0; i < p->how.n; i++) {
        const json_t *job = json_array_get(jobs, i);
        p->job[i] = (gnt_timed_job){.cell = json_string_value(json_object_get(job, "cell")),
                                    .is_training = json_is_true(json_object_get(job, "training"))};
        if (!p->job[i].cell)
            return gnt_fail(err, "jobs[%zu].cell: expected the id of a cell", i);
    }
    return 0;
}

int gnt_cmd_pace(int argc, char **argv) {
    static pacer p;
    cli_paths paths = {.data = cli_data_folder()};
    const cli_option known[] = {CLI_PATHS(&paths), CLI_KEY(&paths), CLI_SANDBOX(&p.how.sandbox), {0}};
    const cli_command command = {.name = "pace", .options = known};
    cli_words words;
    cli_run_suite stored = {0};
    gnt_err err = {0};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one run folder");
    p.how.folder = words.word[0];
    p.how.data_folder = paths.data;
    p.how.job = p.job;
    p.how.next = next;
    p.how.user = &p;
    gnt_interrupt_catch();
    p.line = gnt_alloc(MOST_LINE);
    int rc = p.line ? read_jobs(&p, &err) : gnt_fail(&err, "out of memory");
    if (rc == 0)
        rc = cli_run_suite_open(&stored, p.how.folder, &paths, &p.how.sandbox, &err);
    if (rc == 0)
        rc = gnt_time_jobs(&stored.suite, &stored.plan, &p.how, &err);
    if (rc != 0)
        say(json_pack("{s:s}", "error", err.text));
    cli_run_suite_close(&stored);
    json_decref(p.request);
    gnt_free(p.line);
    return rc == 0 ? GNT_EXIT_OK : GNT_EXIT_WRONG;
}
