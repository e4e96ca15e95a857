/* main: dispatches to a subcommand. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/help.h"
#include "cli/worker_main.h"
#include "cli/worker_blas.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static int worker(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--job") == 0 && cli_is_folder(argv[2])) {
        cli_start_with_worker_blas(argc, argv);
        return gnt_worker_job(argv[2]);
    }
    if (argc > 1) {
        fputs("gauntlet worker: expected --job DIR, a folder written by --keep-failed of `gauntlet run` or "
              "`gauntlet vet`; without it only gauntlet itself starts a worker\n",
              stderr);
        return GNT_EXIT_WRONG;
    }
    return gnt_worker_main();
}

static int help(int argc, char **argv);

static const command commands[] = {
    {"run", gnt_cmd_run},
    {"list", gnt_cmd_list},
    {"show", gnt_cmd_show},
    {"new", gnt_cmd_new},
    {"vet", gnt_cmd_vet},
    {"data", gnt_cmd_data},
    {"model", gnt_cmd_model},
    {"program", gnt_cmd_program},
    {"report", gnt_cmd_report},
    {"scores", gnt_cmd_scores},
    {"leaderboard", gnt_cmd_leaderboard},
    {"accept", gnt_cmd_accept},
    {"season", gnt_cmd_season},
    {"slurm", gnt_cmd_slurm},
    {"audit", gnt_cmd_audit},
    {"clean", gnt_cmd_clean},
    {"sign", gnt_cmd_sign},
    {"verify", gnt_cmd_verify},
    {"check", gnt_cmd_check},
    {"capture", gnt_cmd_capture},
    {"attack", gnt_cmd_attack},
    {"doctor", gnt_cmd_doctor},
    {"schema", gnt_cmd_schema},
    {"version", gnt_cmd_version},
    {"help", help},
    {"pace", gnt_cmd_pace},
    {"worker", worker},
};
/* The last two are started by gauntlet itself and not suggested. */
enum { N_COMMANDS = sizeof commands / sizeof *commands, N_SUGGESTED = N_COMMANDS - 2 };

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
    const char *names[N_SUGGESTED];
    for (size_t i = 0; i < N_SUGGESTED; i++)
        names[i] = commands[i].name;
    static const char *const options[] = {"--help", "--version"};
    const char *near = *name == '-' ? gnt_nearest(name, options, 2) : gnt_nearest(name, names, N_SUGGESTED);
    fprintf(stderr, "gauntlet: there is no command \"%.60s\"%s%s%s; `gauntlet --help` lists them\n", name,
            near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
    return GNT_EXIT_WRONG;
}

static int help(int argc, char **argv) {
    const command *about = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && !about)
        return unknown(argv[1]);
    if (argc > 2) {
        fprintf(stderr, "gauntlet help: expected one command, not \"%.60s\" too; see `gauntlet --help`\n",
                argv[2]);
        return GNT_EXIT_WRONG;
    }
    if (!about || about->run == help) {
        fputs(cli_help("overview"), stdout);
        return GNT_EXIT_OK;
    }
    char help[] = "--help";
    char *arguments[] = {argv[1], help, NULL};
    return about->run(2, arguments);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs(cli_help("overview"), stderr);
        return GNT_EXIT_WRONG;
    }
    cli_absolute_variables();
    const command *found = find(argv[1]);
    return found ? found->run(argc - 1, argv + 1) : unknown(argv[1]);
}
