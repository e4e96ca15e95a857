/* sandbox_options: the options about the sandbox that the commands which open strangers' plugins have in
 * common, and the line that says how strong it is here. */
#ifndef GNT_CLI_SANDBOX_OPTIONS_H
#define GNT_CLI_SANDBOX_OPTIONS_H

#include "cli/args.h"
#include "process/sandbox.h"

/* Entries of a table of options; wish: a gnt_sandbox_options *. */
#define CLI_SANDBOX(wish)                                                                                    \
    {.name = "require-sandbox", .kind = CLI_READ, .to = (wish), .read = cli_read_level},                     \
        {.name = "sandbox-without", .kind = CLI_READ, .to = (wish), .read = cli_read_layers}, {              \
        .name = "landlock-abi", .kind = CLI_READ, .to = (wish), .read = cli_read_abi                         \
    }
int cli_read_level(void *to, char *text);
int cli_read_layers(void *to, char *text);
int cli_read_abi(void *to, char *text);

/* Finds out how strong a worker's sandbox is here and says so on standard error: always what is less than
 * full and was not asked for, and, unless quiet, the rest. -1 after saying why where it is less than is
 * required, or where there can be none. */
int cli_sandbox_check(const char *command, const gnt_sandbox_options *wish, int quiet,
                      gnt_sandbox_report *report);

#endif
