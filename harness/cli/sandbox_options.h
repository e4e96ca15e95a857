/* sandbox_options: the sandbox options of commands that open third-party plugins, and the line that reports
 * the sandbox's level on this machine. */
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

/* Tries a worker's sandbox on this machine and prints its level on standard error if it is unexpectedly below
 * full, or unless quiet. Returns −1 after an error message if it is weaker than required or impossible. */
int cli_sandbox_check(const char *command, const gnt_sandbox_options *wish, int quiet,
                      gnt_sandbox_report *report);

#endif
