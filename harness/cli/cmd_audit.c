/* gauntlet audit: some cells of a run, run again and compared. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <sodium/randombytes.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/world.h"
#include "run/audit.h"
#include "run/child.h"

static const char help[] =
    "Usage: gauntlet audit RUN_FOLDER [options]\n"
    "\n"
    "Runs randomly chosen cells of a run again, from its suite.json and in a scratch folder that starts "
    "empty, and "
    "compares\n"
    "every field and picture with what the run says. Nothing in the run's folder is written, nothing in its "
    "store is "
    "read.\n"
    "  --cells N          how many of the cells that are ok (3)\n"
    "  --seed S           which: the same seed chooses the same cells (drawn, and told)\n"
    "  --jobs N           processes at once (the number of processors)\n"
    "  --data DIR         where data files are (the environment variable GAUNTLET_DATA)\n"
    "  --models DIR       one more folder of model files\n"
    "  --plugins DIR      one more folder of plugins\n"
    "  -h, --help         this text\n"
    "Files that the suite names are looked for in the run's folder, then in the working folder. Only the "
    "same build on "
    "the\n"
    "same kind of processor gives the same bytes; a note says where the run had another.\n"
    "Exit code: 0 all the same, 1 a cell is different, 2 the command is wrong, or the folder no finished "
    "run, 130 "
    "interrupted.\n";

typedef struct options {
    const char *data, *models, *plugins;
    gnt_audit_options how;
    int help;
} options;

static int read_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (!errno && !*end && text[0] >= '0' && text[0] <= '9' && *out >= least && *out <= most)
        return 0;
    fprintf(stderr,
            "gauntlet audit: %s is \"%.40s\", expected a whole number from %" PRIu64 " to %" PRIu64 "\n",
            name, text, least, most);
    return -1;
}

static int read_options(int argc, char **argv, options *o) {
    static const struct option known[] = {
        {"cells", required_argument, NULL, 'c'},  {"seed", required_argument, NULL, 's'},
        {"jobs", required_argument, NULL, 'j'},   {"data", required_argument, NULL, 'd'},
        {"models", required_argument, NULL, 'm'}, {"plugins", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    uint64_t number;
    *o = (options){.data = getenv("GAUNTLET_DATA"),
                   .how = {.cells = 3, .jobs = cli_processors(), .seed = randombytes_random()}};
    optind = 0;
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;)
        switch (c) {
        case 'c':
            if (read_number("--cells", optarg, 1, GNT_SUITE_MOST_CELLS, &number) != 0)
                return -1;
            o->how.cells = (size_t)number;
            break;
        case 's':
            if (read_number("--seed", optarg, 0, UINT64_MAX, &o->how.seed) != 0)
                return -1;
            break;
        case 'j':
            if (read_number("--jobs", optarg, 1, 256, &number) != 0)
                return -1;
            o->how.jobs = (int)number;
            break;
        case 'd':
            o->data = optarg;
            break;
        case 'm':
            o->models = optarg;
            break;
        case 'p':
            o->plugins = optarg;
            break;
        case 'h':
            o->help = 1;
            return 0;
        default:
            return -1; /* getopt has said what is wrong */
        }
    if (optind + 1 != argc) {
        fprintf(stderr, "gauntlet audit: expected one run folder; see gauntlet audit --help\n");
        return -1;
    }
    o->how.folder = argv[optind];
    o->how.data_folder = o->data;
    return 0;
}

/* The scale that the run says it had; NULL: the suite's own. The caller frees. */
static int read_scale(const char *folder, char **scale, gnt_err *err) {
    gnt_doc doc;
    char *path = gnt_format("%s/results.json", folder);
    *scale = NULL;
    int rc = path ? gnt_doc_load(&doc, path, (size_t)1 << 30, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc != 0)
        return -1;
    *scale = gnt_strdup(json_string_value(json_object_get(json_object_get(doc.root, "scale"), "name")));
    gnt_doc_free(&doc);
    return 0;
}

static void say(void *user, const char *line) {
    (void)user;
    puts(line);
    fflush(stdout);
}

static int audit(const options *o, const cli_world *world, gnt_err *err) {
    gnt_suite suite = {0};
    gnt_plan plan = {0};
    gnt_audit_counts counts = {0};
    char *path = gnt_format("%s/suite.json", o->how.folder);
    int rc = path ? gnt_suite_load(&suite, path, &world->suite, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_plan_make(&plan, &suite, err);
    if (rc == 0) {
        printf("cells chosen with --seed %" PRIu64 "\n", o->how.seed);
        gnt_interrupt_catch();
        rc = gnt_audit(&suite, &plan, &o->how, &counts, say, NULL, err);
    }
    gnt_plan_free(&plan);
    gnt_suite_free(&suite);
    gnt_free(path);
    if (rc != 0)
        return GNT_EXIT_WRONG;
    if (counts.interrupted)
        return GNT_EXIT_INTERRUPTED;
    printf("%zu of %zu cells came out different\n", counts.different, counts.chosen);
    return counts.different ? GNT_EXIT_FAILED : GNT_EXIT_OK;
}

int gnt_cmd_audit(int argc, char **argv) {
    options o;
    gnt_err err = {0};
    cli_world world;
    char *scale = NULL;
    int code = GNT_EXIT_WRONG;
    if (read_options(argc, argv, &o) != 0)
        return GNT_EXIT_WRONG;
    if (o.help) {
        fputs(help, stdout);
        return GNT_EXIT_OK;
    }
    int rc = cli_world_open(&world, o.data, o.models, o.plugins, &err);
    if (rc == 0 && read_scale(o.how.folder, &scale, &err) == 0) {
        world.suite.scale = scale;
        code = audit(&o, &world, &err);
    }
    if (code == GNT_EXIT_WRONG)
        fprintf(stderr, "gauntlet audit: %s\n", err.text);
    gnt_free(scale);
    cli_world_close(&world);
    return code;
}
