/* args: reads the arguments after a command's name by a table of its options. Every command also has --help
 * and -h. A value is not empty, an option that stores one is given once, and no word is empty. */
#ifndef GNT_CLI_ARGS_H
#define GNT_CLI_ARGS_H

#include "base/err.h"

typedef enum cli_kind {
    CLI_FLAG,   /* no value; *(int *)to becomes 1 */
    CLI_TEXT,   /* *(const char **)to: the value, in argv */
    CLI_FOLDER, /* a folder that exists, as an absolute path (cli/absolute.h): workers have another working
                 * folder */
    CLI_INTO,   /* as CLI_TEXT: a folder to write into, which need not exist; no file */
    CLI_WHOLE,  /* *(uint64_t *)to: an integer from least to most */
    CLI_REAL,   /* *(double *)to: a number from least to most */
    CLI_READ    /* read(to, value) parses it; not 0: it has printed an error */
} cli_kind;

typedef struct cli_option {
    const char *name; /* without its dashes; NULL ends a table */
    char letter;      /* 0: none */
    cli_kind kind;
    void *to;
    double least, most;
    int (*read)(void *to, char *value);
} cli_option;

typedef struct cli_command {
    const char *name; /* as typed after "gauntlet": "run", "data check"; --help prints cli_help(name) */
    const cli_option *options; /* at most 40 */
    /* Called for each word that is not an option, in order among the options; NULL: words go to cli_words. */
    int (*word)(void *user, char *word);
    void *user;
} cli_command;

typedef struct cli_words {
    char **word; /* within argv */
    int n;
} cli_words;

enum { CLI_GO_ON = -1 };

/* Reads the arguments; returns CLI_GO_ON, or an exit code: 0 after --help, 2 after an error message. `words`
 * may be NULL if command->word takes them. */
int cli_args(const cli_command *command, int argc, char **argv, cli_words *words);

/* Prints "gauntlet NAME: message; see `gauntlet NAME --help`" on standard error; returns the exit code 2. */
int cli_wrong(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "gauntlet COMMAND: error" on standard error, "out of memory" if there is no error; returns
 * `code`. */
int cli_error(const char *command, const gnt_err *err, int code);

#endif
