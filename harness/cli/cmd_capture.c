/* gauntlet capture: writes updates that a run observed as captures, and checks captures. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/capture_check.h"
#include "cli/absolute.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/run_suite.h"
#include "cli/sandbox_options.h"
#include "finished/keep_captures.h"
#include "process/child.h"

enum { MOST_TARGETS = INT32_MAX, NO_TARGET = MOST_TARGETS };

typedef struct options {
    cli_paths paths;
    gnt_keep_options how;
    uint64_t target;
    int check;
    cli_words words;
} options;

static int read_options(int argc, char **argv, options *o) {
    *o = (options){.paths.data = cli_data_folder(), .target = NO_TARGET};
    const cli_option known[] = {
        {.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &o->how.output},
        {.name = "target", .kind = CLI_WHOLE, .to = &o->target, .most = MOST_TARGETS - 1},
        {.name = "with-private", .kind = CLI_FLAG, .to = &o->how.with_private},
        {.name = "check", .kind = CLI_FLAG, .to = &o->check},
        CLI_PATHS(&o->paths),
        CLI_KEY(&o->paths),
        CLI_SANDBOX(&o->how.sandbox),
        {0}};
    const cli_command command = {.name = "capture", .options = known};
    const int code = cli_args(&command, argc, argv, &o->words);
    if (code != CLI_GO_ON)
        return code;
    if (o->check && (o->how.output || o->how.with_private || o->target != NO_TARGET))
        return cli_wrong(&command, "--check reads captures and writes none; expected their folders alone");
    if (o->check && o->words.n == 0)
        return cli_wrong(&command, "expected folders of captures");
    if (!o->check && (o->words.n != 2 || !o->how.output))
        return cli_wrong(&command,
                         "expected a run folder, the id of one of its cells, and -o DIR; or --check and "
                         "folders of captures");
    o->how.folder = o->words.word[0];
    o->how.data_folder = o->paths.data;
    if (!o->check)
        o->how.cell = o->words.word[1];
    o->how.target = o->target == NO_TARGET ? -1 : (int64_t)o->target;
    return CLI_GO_ON;
}

/* ---- writing ---- */

static void wrote(void *user, const char *folder) {
    (void)user;
    printf("%s\n", folder);
}

static int keep(options *o) {
    gnt_err err = {0};
    cli_run_suite stored;
    o->how.wrote = wrote;
    gnt_interrupt_catch();
    int rc = cli_run_suite_open(&stored, o->how.folder, &o->paths, &o->how.sandbox, &err);
    if (rc == 0)
        rc = gnt_keep_captures(&stored.suite, &stored.plan, &o->how, &err);
    cli_run_suite_close(&stored);
    return rc == 0 ? GNT_EXIT_OK : cli_error("capture", &err, GNT_EXIT_WRONG);
}

/* ---- checking ---- */

/* A capture may describe a network beyond this machine: its memory then ends with a sentence, not with the
 * machine. */
static void limit_memory(void) {
#if !defined(__SANITIZE_ADDRESS__) /* whose address space is far beyond any memory */
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const rlim_t bytes = (rlim_t)pages * (rlim_t)size;
    struct rlimit limit;
    if (pages > 0 && size > 0 && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur > bytes) {
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
#endif
}

static void say(void *user, const char *line) {
    printf("%s: %s\n", (const char *)user, line);
}

/* Returns the exit code of one capture. */
static int check(char *folder) {
    gnt_err err = {0};
    gnt_capture c;
    if (gnt_capture_read(&c, folder, &err) != 0)
        return cli_error("capture", &err, GNT_EXIT_WRONG);
    const int contradictions = gnt_capture_check(&c, say, folder, &err);
    gnt_capture_free(&c);
    if (contradictions < 0)
        return cli_error("capture", &err, GNT_EXIT_WRONG);
    return contradictions ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}

static int check_all(const cli_words *folders) {
    int worst = GNT_EXIT_OK;
    limit_memory();
    for (int i = 0; i < folders->n; i++) {
        const int code = check(folders->word[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

int gnt_cmd_capture(int argc, char **argv) {
    options o;
    const int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    return o.check ? check_all(&o.words) : keep(&o);
}
