/* gauntlet check: compares a run with a baseline run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/consistency.h"
#include "cli/env.h"
#include "cli/timed.h"
#include "gate/gate.h"
#include "gate/suite_lines.h"

enum { EXIT_NO_BASELINE = 3, EXIT_UNDECIDED = 4 };

enum { USUAL_ROUNDS = 15 };

typedef struct options {
    const char *run, *against, *junit, *markdown, *json, *sarif, *suite;
    cli_timing time; /* other NULL: time is not compared */
    int github, quiet;
} options;

static int read_options(int argc, char **argv, options *o) {
    uint64_t rounds = 0;
    const cli_option known[] = {
        {.name = "time", .kind = CLI_TEXT, .to = &o->time.other},
        {.name = "rounds", .kind = CLI_WHOLE, .to = &rounds, .least = 1, .most = 1000},
        {.name = "data", .kind = CLI_FOLDER, .to = &o->time.data},
        {.name = "models", .kind = CLI_FOLDER, .to = &o->time.models},
        {.name = "plugins", .kind = CLI_FOLDER, .to = &o->time.plugins},
        CLI_KEY(&o->time),
        {.name = "against", .kind = CLI_TEXT, .to = &o->against},
        {.name = "junit", .kind = CLI_TEXT, .to = &o->junit},
        {.name = "markdown", .kind = CLI_TEXT, .to = &o->markdown},
        {.name = "json", .kind = CLI_TEXT, .to = &o->json},
        {.name = "sarif", .kind = CLI_TEXT, .to = &o->sarif},
        {.name = "suite", .kind = CLI_TEXT, .to = &o->suite},
        {.name = "github", .kind = CLI_FLAG, .to = &o->github},
        {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .to = &o->quiet},
        {0}};
    const cli_command command = {.name = "check", .options = known};
    cli_words words;
    *o = (options){.time.data = cli_data_folder()};
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1 || !o->against)
        return cli_wrong(&command,
                         "expected a run and --against BASELINE, such as `gauntlet check results/quick "
                         "--against results/baselines/quick.json`");
    o->run = words.word[0];
    if (rounds && !o->time.other)
        return cli_wrong(&command, "--rounds goes with --time");
    o->time.rounds = rounds ? (size_t)rounds : USUAL_ROUNDS;
    o->time.quiet = o->quiet;
    o->time.folder = o->run;
    if (o->time.other && !cli_is_folder(o->run))
        return cli_wrong(&command, "--time needs a run folder, which has the suite; %.200s is not a folder",
                         o->run);
    return CLI_GO_ON;
}

static int wrong(const gnt_err *err) {
    return cli_error("check", err, GNT_EXIT_WRONG);
}

static int no_baseline(const options *o, const char *run, const char *baseline) {
    struct stat st;
    int folder = stat(o->against, &st) == 0;
    fprintf(stderr, "gauntlet check: there is no baseline %s yet. If this run is correct, make it one:\n    ",
            baseline);
    if (folder)
        fprintf(stderr, "cp %s %s\n", run, baseline);
    else
        fprintf(stderr, "mkdir -p \"$(dirname %s)\" && cp %s %s\n", baseline, run, baseline);
    return EXIT_NO_BASELINE;
}

static int write_file(const gnt_gate *g, const char *path, void (*write)(const gnt_gate *, gnt_text *)) {
    gnt_text text;
    gnt_err err = {""};
    if (!path)
        return 0;
    gnt_text_init(&text, (size_t)1 << 30);
    write(g, &text);
    int rc = text.failed ? gnt_fail(&err, "out of memory for %s", path)
                         : gnt_file_write(path, gnt_text_get(&text), strlen(gnt_text_get(&text)), &err);
    gnt_text_free(&text);
    if (rc != 0)
        wrong(&err);
    return rc;
}

static void print(const gnt_gate *g, void (*write)(const gnt_gate *, gnt_text *)) {
    gnt_text text;
    gnt_text_init(&text, (size_t)1 << 30);
    write(g, &text);
    fputs(gnt_text_get(&text), stdout);
    gnt_text_free(&text);
}

static int check(const options *o, const char *run, const char *baseline) {
    gnt_err err = {""};
    gnt_results now, before;
    gnt_gate gate;
    cli_timed t = {0};
    gnt_suite_lines lines = {0};
    int code = GNT_EXIT_WRONG;
    const cli_paths paths = {o->time.data, o->time.models, o->time.plugins, o->time.key};
    if (cli_consistency_path(run, &paths, "check", &err) != 0 ||
        (strcmp(run, baseline) != 0 && cli_consistency_path(baseline, &paths, "check", &err) != 0))
        return wrong(&err);
    if (o->suite && gnt_suite_lines_open(&lines, o->suite, &err) != 0)
        return wrong(&err);
    if (gnt_results_load(&now, run, &err) != 0) {
        gnt_suite_lines_close(&lines);
        return wrong(&err);
    }
    if (gnt_results_load(&before, baseline, &err) != 0) {
        gnt_suite_lines_close(&lines);
        gnt_results_free(&now);
        return wrong(&err);
    }
    if ((o->time.other && cli_time_builds(&t, &o->time, &now, &before, &err) != 0) ||
        gnt_gate_make_timed(&gate, &now, run, &before, baseline, t.timed, t.n, &err) != 0)
        wrong(&err);
    else {
        gate.lines = lines.file ? &lines : NULL;
        code = gate.n_failures ? GNT_EXIT_FAILED : gate.undecided ? EXIT_UNDECIDED : GNT_EXIT_OK;
        if (!o->quiet)
            print(&gate, gnt_gate_write_text);
        if (o->github)
            print(&gate, gnt_gate_write_github);
        if (write_file(&gate, o->junit, gnt_gate_write_junit) ||
            write_file(&gate, o->markdown, gnt_gate_write_markdown) ||
            write_file(&gate, o->json, gnt_gate_write_json) ||
            write_file(&gate, o->sarif, gnt_gate_write_sarif))
            code = GNT_EXIT_WRONG;
        gnt_gate_free(&gate);
    }
    cli_timed_free(&t);
    gnt_suite_lines_close(&lines);
    gnt_results_free(&now);
    gnt_results_free(&before);
    return code;
}

int gnt_cmd_check(int argc, char **argv) {
    options o;
    int code = read_options(argc, argv, &o);
    if (code != CLI_GO_ON)
        return code;
    char *run = cli_results_of(o.run), *baseline = cli_results_of(o.against);
    if (!run || !baseline)
        code = wrong(&(gnt_err){""});
    else if (gnt_file_exists(run) && !gnt_file_exists(baseline))
        code = no_baseline(&o, run, baseline);
    else
        code = check(&o, run, baseline);
    gnt_free(run);
    gnt_free(baseline);
    return code;
}
