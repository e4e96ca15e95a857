/* args: what stands behind a command's name, read by a table of its options. Every command
 * has --help and -h besides. */
#ifndef GNT_CLI_ARGS_H
#define GNT_CLI_ARGS_H

typedef enum cli_kind {
    CLI_FLAG,  /* takes nothing; *(int *)to becomes 1 */
    CLI_TEXT,  /* *(const char **)to: the value as it stands in argv */
    CLI_WHOLE, /* *(uint64_t *)to: a whole number from least to most */
    CLI_REAL,  /* *(double *)to: a number from least to most */
    CLI_READ   /* read(to, value) takes it; not 0: it has said what is wrong */
} cli_kind;

typedef struct cli_option {
    const char *name; /* without its dashes; NULL ends a table */
    char letter;      /* 0: it has none */
    cli_kind kind;
    void *to;
    double least, most;
    int (*read)(void *to, char *value);
} cli_option;

typedef struct cli_command {
    const char *name; /* as typed after "gauntlet": "run", "data check"; --help prints cli_help(name) */
    const cli_option *options; /* at most 40 */
    /* Takes each word that is no option, in its order among them; NULL: they are gathered in cli_words. */
    int (*word)(void *user, char *word);
    void *user;
} cli_command;

typedef struct cli_words {
    char **word; /* within argv */
    int n;
} cli_words;

enum { CLI_GO_ON = -1 };

/* CLI_GO_ON, or the exit code to end with: 0 after --help, 2 after a sentence about what is wrong. Words may
 * be NULL where `word` takes them. */
int cli_args(const cli_command *command, int argc, char **argv, cli_words *words);

/* "gauntlet NAME: sentence; `gauntlet NAME --help` tells more" on standard error; the exit code 2. */
int cli_wrong(const cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
