#include "cli/help.h"

#include <string.h>

#include "base/embed.h"

/* The files of harness/cli/help/, without .txt. */
/* clang-format off */
#define TEXTS(X) \
    X(overview) X(accept) X(attack) X(audit) X(capture) X(check) X(clean) X(data) X(data_check) \
    X(data_describe) X(data_list) X(data_sheet) X(doctor) X(leaderboard) X(list) X(model) X(model_import) \
    X(model_show) X(new) X(pace) X(program) X(report) X(run) X(schema) X(scores) X(season) X(show) \
    X(sign) X(slurm) X(verify) X(version) X(vet)
/* clang-format on */

#define EMBED(name)                                                                                          \
    GNT_EMBED(cli_help_##name, "harness/cli/help/" #name ".txt");                                            \
    extern const char cli_help_##name[];
TEXTS(EMBED)

#define ROW(name) {#name, cli_help_##name},
static const struct { const char *name, *text; } texts[] = {TEXTS(ROW)};

static int is_called(const char *file, const char *name) {
    while (*file && *file == (*name == ' ' ? '_' : *name))
        file++, name++;
    return *file == *name;
}

const char *cli_help(const char *name) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_called(texts[i].name, name))
            return texts[i].text;
    return "";
}
