/* main: hands over to a subcommand. Nothing is decided here but which. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cmd.h"
#include "cli/worker.h"
#include "cli/worker_blas.h"
#include "gauntlet/plugin.h"
#include "nn/kernels/blas_core.h"
#include "run/version.h"

typedef struct command {
    const char *name, *line; /* line NULL: not listed */
    int (*run)(int argc, char **argv);
} command;

static int worker(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--job") == 0) {
        cli_start_with_worker_blas(argc, argv);
        return gnt_worker_job(argv[2]);
    }
    if (argc > 1) {
        fputs("gauntlet worker: expected --job DIR, a folder that `gauntlet run --keep-failed` left, or "
              "nothing, "
              "as gauntlet itself starts it\n",
              stderr);
        return GNT_EXIT_WRONG;
    }
    return gnt_worker_main();
}

static int version(int argc, char **argv);
static int help(int argc, char **argv);

static const command commands[] = {
    {"run", "a suite: every defense against every attack at matched utility", gnt_cmd_run},
    {"list", "the defenses and attacks there are", gnt_cmd_list},
    {"show", "one plugin: its parameters, hooks and needs", gnt_cmd_show},
    {"vet", "does a plugin keep the contract? Named checks, each in a process of its own", gnt_cmd_vet},
    {"data", "the data sets: list them, check their files, draw a sheet", gnt_cmd_data},
    {"program", "what the numeric core makes of a model, and how fast it is", gnt_cmd_program},
    {"report", "tables, plots and pages from the folder of a run", gnt_cmd_report},
    {"leaderboard", "several runs and contributors in one ranking", gnt_cmd_leaderboard},
    {"accept", "a stranger's run: held, checked, audited, put on the board, or refused", gnt_cmd_accept},
    {"slurm", "a suite on a cluster: submit it, how far it is, cancel it", gnt_cmd_slurm},
    {"audit", "do some cells of a run, run again, come out the same?", gnt_cmd_audit},
    {"sign", "the folder of a run, with a key of yours", gnt_cmd_sign},
    {"verify", "is the folder of a run as it was signed?", gnt_cmd_verify},
    {"check", "is a run worse than a baseline? Statistics and an exit code, for CI", gnt_cmd_check},
    {"version", "the version of gauntlet and of its plugin ABI", version},
    {"help", "this text, or `help COMMAND`", help},
    {"pace", NULL, gnt_cmd_pace},
    {"worker", NULL, worker}, /* how this program starts its own children */
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static const command *find(const char *name) {
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[N_COMMANDS];
    size_t n = 0;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].line)
            names[n++] = commands[i].name;
    const char *near = gnt_nearest(name, names, n);
    fprintf(stderr, "gauntlet: there is no command \"%.60s\"%s%s%s; `gauntlet --help` lists them\n", name,
            near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return GNT_EXIT_WRONG;
}

static int version(int argc, char **argv) {
    (void)argc, (void)argv;
    printf("gauntlet %s (plugin ABI %d.%d)\n", GNT_VERSION, GNT_ABI_MAJOR, GNT_ABI_MINOR);
    printf("source %s, compiled by %s\n", gnt_version_source(), gnt_version_compiler());
    const char *core = gnt_blas_core_choice();
    printf("OpenBLAS core of workers: %s\n", *core ? core : "chosen by OpenBLAS");
    return GNT_EXIT_OK;
}

static void print_help(FILE *to) {
    fputs("gauntlet measures how well defenses keep private data private in federated learning, and what "
          "they cost.\n"
          "\nusage: gauntlet COMMAND …\n\n",
          to);
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (commands[i].line)
            fprintf(to, "  %-11s %s\n", commands[i].name, commands[i].line);
    fputs("\n`gauntlet COMMAND --help` tells more. Exit codes: 0 all is well, 1 a cell failed, 2 the command "
          "or the suite "
          "is\nwrong, 130 interrupted.\n",
          to);
}

static int help(int argc, char **argv) {
    const command *about = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && !about)
        return unknown(argv[1]);
    if (!about || about->run == help || about->run == version) {
        print_help(stdout);
        return GNT_EXIT_OK;
    }
    char help[] = "--help";
    char *arguments[] = {argv[1], help, NULL};
    return about->run(2, arguments);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return GNT_EXIT_WRONG;
    }
    const command *asked = find(argv[1]);
    return asked ? asked->run(argc - 1, argv + 1) : unknown(argv[1]);
}
