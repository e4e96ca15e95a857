/* gauntlet schema: prints the JSON Schema of a kind of file. Tests of the readers make those of what people
 * write (tests/expected.h), tools/docs_tables those of what gauntlet writes. */
#include <stdio.h>
#include <string.h>

#include "base/embed.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/cmd.h"

#define KINDS(X) X(suite) X(model) X(data) X(submission) X(results) X(leaderboard)
#define EMBED(kind)                                                                                          \
    GNT_EMBED(cli_schema_##kind, "docs/" #kind ".schema.json");                                              \
    extern const char cli_schema_##kind[];
KINDS(EMBED)
#define NAME(kind) #kind,
#define TEXT(kind) cli_schema_##kind,
static const char *const kinds[] = {KINDS(NAME) NULL};
static const char *const texts[] = {KINDS(TEXT)};

int gnt_cmd_schema(int argc, char **argv) {
    const cli_option known[] = {{0}};
    const cli_command command = {.name = "schema", .options = known};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one kind of file");
    for (size_t i = 0; kinds[i]; i++)
        if (strcmp(words.word[0], kinds[i]) == 0) {
            printf("%s", texts[i]);
            return GNT_EXIT_OK;
        }
    const char *near = gnt_nearest(words.word[0], kinds, sizeof kinds / sizeof *kinds - 1);
    return cli_wrong(&command,
                     "\"%.60s\" is no kind of file%s%s%s; expected suite, model, data, submission, results "
                     "or leaderboard",
                     words.word[0], near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}
