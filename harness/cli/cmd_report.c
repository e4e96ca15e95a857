/* gauntlet report: writes tables, plots and pages from a run folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/consistency.h"
#include "cli/env.h"
#include "report/report.h"

static int read_formats(void *to, char *text) {
    int *formats = to;
    const char *list = text;
    *formats = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n == 3 && !strncmp(list, "svg", 3))
            *formats |= GNT_FORMAT_SVG;
        else if (n == 3 && !strncmp(list, "png", 3))
            *formats |= GNT_FORMAT_PNG;
        else
            break;
        list += n + (list[n] == ',');
    }
    if (!*list && *formats)
        return 0;
    fprintf(stderr, "gauntlet report: --format is \"%s\"; expected svg, png or svg,png\n", text);
    return -1;
}

static int check(const char *run, const cli_paths *paths) {
    gnt_err err = {""};
    char *path = gnt_format("%s/results.json", run);
    const int rc = path ? cli_consistency_path(path, paths, "report", &err) : gnt_fail(&err, "out of memory");
    gnt_free(path);
    if (rc != 0)
        cli_error("report", &err, GNT_EXIT_WRONG);
    return rc;
}

static int make(const char *run, const gnt_report_options *options) {
    gnt_err err = {""};
    gnt_text notices;
    gnt_text_init(&notices, 1 << 20);
    int failed = gnt_report_make(run, options, &notices, &err);
    fputs(gnt_text_get(&notices), stderr);
    gnt_text_free(&notices);
    if (failed)
        return cli_error("report", &err, failed == GNT_REPORT_UNREADABLE ? GNT_EXIT_WRONG : GNT_EXIT_FAILED);
    printf("%s%s/index.html\n", options->folder ? options->folder : run, options->folder ? "" : "/report");
    return GNT_EXIT_OK;
}

int gnt_cmd_report(int argc, char **argv) {
    gnt_report_options options = {.formats = GNT_FORMAT_SVG | GNT_FORMAT_PNG};
    cli_paths paths = {.data = cli_data_folder()};
    int no_plots = 0;
    const cli_option known[] = {
        {.name = "output", .letter = 'o', .kind = CLI_INTO, .to = &options.folder},
        {.name = "format", .kind = CLI_READ, .to = &options.formats, .read = read_formats},
        {.name = "no-plots", .kind = CLI_FLAG, .to = &no_plots},
        CLI_PATHS(&paths),
        CLI_KEY(&paths),
        {0}};
    const cli_command command = {.name = "report", .options = known};
    cli_words words;
    int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one run folder, such as results/quick");
    if (no_plots)
        options.formats = 0;
    const char *run = cli_run_of(words.word[0]);
    return check(run, &paths) ? GNT_EXIT_WRONG : make(run, &options);
}
