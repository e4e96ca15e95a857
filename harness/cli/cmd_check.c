/* gauntlet check: is a run worse than a baseline? */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "gate/gate.h"

static const char help[] =
    "Usage: gauntlet check RUN --against BASELINE [options]\n"
    "\n"
    "Holds a run against a baseline of the same suite, target by target and seed by seed, and fails where a "
    "defense\n"
    "leaks more or costs more utility than the suite's tolerance, where cells fail or are missing, or where "
    "a match is\n"
    "lost. What is new, or better, is a note. RUN and BASELINE are folders of runs, or results.json files.\n"
    "  --against BASELINE  what to hold it against; results/baselines/ is the place to keep one\n"
    "  --junit FILE        also as JUnit XML\n"
    "  --markdown FILE     also as Markdown, such as for a job's summary\n"
    "  --json FILE         also as JSON, with every comparison\n"
    "  --github            also as annotations of GitHub's workflows, on standard output\n"
    "  -q, --quiet         nothing on standard output but annotations\n"
    "  -h, --help          this text\n"
    "\n"
    "The chance of any false alarm in a whole comparison is at most the suite's alpha (5 %). Time is not "
    "judged: runs\n"
    "of different moments do not compare.\n"
    "Exit code: 0 no regression, 1 a regression, 2 the command or a file is wrong, 3 there is no baseline "
    "yet.\n";

enum { EXIT_NO_BASELINE = 3 };

typedef struct options {
    const char *run, *against, *junit, *markdown, *json;
    int github, quiet, help;
} options;

static int read_options(int argc, char **argv, options *o) {
    static const struct option known[] = {
        {"against", required_argument, NULL, 'a'},  {"junit", required_argument, NULL, 'u'},
        {"markdown", required_argument, NULL, 'm'}, {"json", required_argument, NULL, 'J'},
        {"github", no_argument, NULL, 'g'},         {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};
    *o = (options){0};
    optind = 0;
    for (int c; (c = getopt_long(argc, argv, "qh", known, NULL)) != -1;)
        switch (c) {
        case 'a':
            o->against = optarg;
            break;
        case 'u':
            o->junit = optarg;
            break;
        case 'm':
            o->markdown = optarg;
            break;
        case 'J':
            o->json = optarg;
            break;
        case 'g':
            o->github = 1;
            break;
        case 'q':
            o->quiet = 1;
            break;
        case 'h':
            o->help = 1;
            break;
        default:
            return -1; /* getopt has said what is wrong */
        }
    if (o->help)
        return 0;
    if (argc - optind != 1 || !o->against) {
        fprintf(
            stderr,
            "gauntlet check: expected a run and --against BASELINE, such as `gauntlet check results/quick "
            "--against results/baselines/quick.json`\n");
        return -1;
    }
    o->run = argv[optind];
    return 0;
}

/* The results file of a folder, or the file itself. The caller frees; NULL when out of memory. */
static char *results_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? gnt_format("%s/results.json", path)
                                                       : gnt_strdup(path);
}

static int wrong(const char *sentence) {
    fprintf(stderr, "gauntlet check: %s\n", *sentence ? sentence : "out of memory");
    return GNT_EXIT_WRONG;
}

static int no_baseline(const options *o, const char *run, const char *baseline) {
    struct stat st;
    int folder = stat(o->against, &st) == 0;
    fprintf(stderr,
            "gauntlet check: there is no baseline %s yet. If this run is as it should be, make it one:\n    ",
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
        wrong(err.text);
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
    int code = GNT_EXIT_WRONG;
    if (gnt_results_load(&now, run, &err) != 0)
        return wrong(err.text);
    if (gnt_results_load(&before, baseline, &err) != 0) {
        gnt_results_free(&now);
        return wrong(err.text);
    }
    if (gnt_gate_make(&gate, &now, run, &before, baseline, &err) != 0)
        wrong(err.text);
    else {
        code = gate.n_failures ? GNT_EXIT_FAILED : GNT_EXIT_OK;
        if (!o->quiet)
            print(&gate, gnt_gate_write_text);
        if (o->github)
            print(&gate, gnt_gate_write_github);
        if (write_file(&gate, o->junit, gnt_gate_write_junit) ||
            write_file(&gate, o->markdown, gnt_gate_write_markdown) ||
            write_file(&gate, o->json, gnt_gate_write_json))
            code = GNT_EXIT_WRONG;
        gnt_gate_free(&gate);
    }
    gnt_results_free(&now);
    gnt_results_free(&before);
    return code;
}

int gnt_cmd_check(int argc, char **argv) {
    options o;
    if (read_options(argc, argv, &o) != 0)
        return GNT_EXIT_WRONG;
    if (o.help) {
        fputs(help, stdout);
        return GNT_EXIT_OK;
    }
    char *run = results_of(o.run), *baseline = results_of(o.against);
    int code;
    if (!run || !baseline)
        code = wrong("");
    else if (gnt_file_exists(run) && !gnt_file_exists(baseline))
        code = no_baseline(&o, run, baseline);
    else
        code = check(&o, run, baseline);
    gnt_free(run);
    gnt_free(baseline);
    return code;
}
