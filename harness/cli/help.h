/* help: the text of each command's --help, from a file in harness/cli/help/. */
#ifndef GNT_CLI_HELP_H
#define GNT_CLI_HELP_H

/* Returns help/NAME.txt, with '_' for a space in the name: "run", "data check", "overview" (of all
 * commands). */
const char *cli_help(const char *name);

#endif
