/* gauntlet leaderboard: several runs and contributors in one ranking. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "board/board.h"
#include "cli/cmd.h"

static const char help[] =
    "Usage: gauntlet leaderboard RUN … -o DIR [--contributor NAME=RUN …] [--title TEXT] [--no-plots]\n"
    "\n"
    "Ranks the defenses of several runs by the attack under which each leaks most, at matched utility. Each "
    "RUN is\n"
    "the folder of a run; runs are compared where they ask the same. A file board.json beside its "
    "results.json may\n"
    "say who made it and what is claimed (docs/leaderboard.md).\n"
    "  -o, --output DIR          where leaderboard.html, .md, .csv, .json and reports/ go\n"
    "  --contributor NAME=RUN    a run, and whose it is; runs count in the order given\n"
    "  --title TEXT              the heading of the page\n"
    "  --no-plots                neither plots nor image sheets; gnuplot is not needed\n"
    "  -h, --help                this text\n"
    "\n"
    "Exit code: 0 made, 1 a file could not be written, 2 the command or a run is wrong.\n";

enum { MOST_NAME = 80 };

static int wrong(const char *sentence, const char *what) {
    fprintf(stderr, "gauntlet leaderboard: %s%.200s; `gauntlet leaderboard --help` tells more\n", sentence,
            what);
    return GNT_EXIT_WRONG;
}

static int add_source(gnt_board_options *o, gnt_board_source *sources, char *text, int named) {
    char *equals = named ? strchr(text, '=') : NULL;
    if (o->n_source == GNT_BOARD_MOST_RUNS)
        return wrong("there are more runs than one leaderboard takes: ", text);
    if (named && (!equals || equals == text || !equals[1] || equals - text > MOST_NAME))
        return wrong("--contributor takes NAME=RUN, the name of at most 80 bytes, not ", text);
    if (equals)
        *equals = 0; /* the name ends where the folder begins */
    sources[o->n_source++] = equals ? (gnt_board_source){equals + 1, text} : (gnt_board_source){text, NULL};
    return 0;
}

static int make(const gnt_board_options *options) {
    gnt_err err = {""};
    gnt_text notices;
    gnt_text_init(&notices, 1 << 20);
    const int failed = gnt_board_make(options, &notices, &err);
    fputs(gnt_text_get(&notices), stderr);
    gnt_text_free(&notices);
    if (failed) {
        fprintf(stderr, "gauntlet leaderboard: %s\n", err.text);
        return failed == GNT_BOARD_UNREADABLE ? GNT_EXIT_WRONG : GNT_EXIT_FAILED;
    }
    printf("%s/leaderboard.html\n", options->folder);
    return GNT_EXIT_OK;
}

int gnt_cmd_leaderboard(int argc, char **argv) {
    static const struct option known[] = {{"help", no_argument, NULL, 'h'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"contributor", required_argument, NULL, 'c'},
                                          {"title", required_argument, NULL, 't'},
                                          {"no-plots", no_argument, NULL, 'n'},
                                          {NULL, 0, NULL, 0}};
    gnt_board_source sources[GNT_BOARD_MOST_RUNS];
    gnt_board_options options = {.source = sources, .plots = 1};
    optind = 0; /* 0 starts getopt afresh */
    /* '-': what is no option comes in its order too, since the order of runs means something */
    for (int c; (c = getopt_long(argc, argv, "-ho:", known, NULL)) != -1;) {
        if (c == 'h') {
            fputs(help, stdout);
            return GNT_EXIT_OK;
        }
        if (c == 'o')
            options.folder = optarg;
        else if (c == 't')
            options.title = optarg;
        else if (c == 'n')
            options.plots = 0;
        else if ((c != 1 && c != 'c') || add_source(&options, sources, optarg, c == 'c'))
            return GNT_EXIT_WRONG; /* what is wrong has been said */
    }
    for (; optind < argc; optind++) /* after "--" */
        if (add_source(&options, sources, argv[optind], 0))
            return GNT_EXIT_WRONG;
    if (options.n_source == 0)
        return wrong("expected the folders of runs, such as results/quick", "");
    if (!options.folder)
        return wrong("expected -o DIR, the folder to write to", "");
    return make(&options);
}
