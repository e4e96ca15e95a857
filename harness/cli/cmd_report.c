/* gauntlet report: tables, plots and pages from the folder of a run. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "report/report.h"

static const char help[] =
    "Usage: gauntlet report RUN_FOLDER [-o DIR] [--format svg,png] [--no-plots]\n"
    "\n"
    "Makes tables, plots, image sheets and the pages index.md and index.html from a run's results.json.\n"
    "  -o, --output DIR   where the report goes (default: RUN_FOLDER/report)\n"
    "  --format LIST      formats of the plots, svg and png separated by a comma (default: both)\n"
    "  --no-plots         tables, image sheets and pages only; gnuplot is not needed\n"
    "  -h, --help         this text\n"
    "\n"
    "Where gnuplot is missing the plots are left out and a line says so; that is no failure.\n"
    "Exit code: 0 made, 1 a file could not be written, 2 the command or results.json is wrong.\n";

static int read_formats(const char *list, int *formats) {
    *formats = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n == 3 && !strncmp(list, "svg", 3))
            *formats |= GNT_FORMAT_SVG;
        else if (n == 3 && !strncmp(list, "png", 3))
            *formats |= GNT_FORMAT_PNG;
        else
            return -1;
        list += n + (list[n] == ',');
    }
    return *formats ? 0 : -1;
}

static int make(const char *run, const gnt_report_options *options) {
    gnt_err err = {""};
    gnt_text notices;
    gnt_text_init(&notices, 1 << 20);
    int failed = gnt_report_make(run, options, &notices, &err);
    fputs(gnt_text_get(&notices), stderr);
    gnt_text_free(&notices);
    if (failed) {
        fprintf(stderr, "gauntlet report: %s\n", err.text);
        return failed == GNT_REPORT_UNREADABLE ? GNT_EXIT_WRONG : GNT_EXIT_FAILED;
    }
    printf("%s%s/index.html\n", options->folder ? options->folder : run, options->folder ? "" : "/report");
    return GNT_EXIT_OK;
}

int gnt_cmd_report(int argc, char **argv) {
    static const struct option known[] = {{"help", no_argument, NULL, 'h'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"no-plots", no_argument, NULL, 'n'},
                                          {NULL, 0, NULL, 0}};
    gnt_report_options options = {.formats = GNT_FORMAT_SVG | GNT_FORMAT_PNG};
    int no_plots = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "ho:", known, NULL)) != -1;) {
        if (c == 'h') {
            fputs(help, stdout);
            return GNT_EXIT_OK;
        }
        if (c == 'o')
            options.folder = optarg;
        else if (c == 'n')
            no_plots = 1;
        else if (c != 'f')
            return GNT_EXIT_WRONG; /* getopt has said what is wrong */
        else if (read_formats(optarg, &options.formats)) {
            fprintf(stderr, "gauntlet report: --format is \"%s\"; expected svg, png or svg,png\n", optarg);
            return GNT_EXIT_WRONG;
        }
    }
    if (optind + 1 != argc) {
        fprintf(
            stderr,
            "gauntlet report: expected one run folder, such as results/quick; see gauntlet report --help\n");
        return GNT_EXIT_WRONG;
    }
    if (no_plots)
        options.formats = 0;
    return make(argv[optind], &options);
}
