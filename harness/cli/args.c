#include "cli/args.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "cli/absolute.h"
#include "cli/cmd.h"
#include "cli/env.h"
#include "cli/help.h"

enum { MOST_OPTIONS = 40, FIRST_LONG = 256 };

int cli_wrong(const cli_command *command, const char *format, ...) {
    va_list list;
    fprintf(stderr, "gauntlet %s: ", command->name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "; see `gauntlet %s --help`\n", command->name);
    return GNT_EXIT_WRONG;
}

int cli_error(const char *command, const gnt_err *err, int code) {
    fprintf(stderr, "gauntlet %s: %s\n", command, err->text[0] ? err->text : "out of memory");
    return code;
}

static int read_whole(const cli_command *command, const cli_option *o, const char *text) {
    const uint64_t least = (uint64_t)o->least, most = o->most >= 0x1p64 ? UINT64_MAX : (uint64_t)o->most;
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9' || n < least || n > most)
        return cli_wrong(command, "--%s is \"%.40s\", expected an integer from %" PRIu64 " to %" PRIu64,
                         o->name, text, least, most);
    *(uint64_t *)o->to = n;
    return 0;
}

static int read_real(const cli_command *command, const cli_option *o, const char *text) {
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || !(x >= o->least && x <= o->most))
        return cli_wrong(command, "--%s is \"%.40s\", expected a number from %g to %g", o->name, text,
                         o->least, o->most);
    *(double *)o->to = x;
    return 0;
}

static int take(const cli_command *command, const cli_option *o, char *value) {
    switch (o->kind) {
    case CLI_FLAG:
        *(int *)o->to = 1;
        return 0;
    case CLI_TEXT:
        *(const char **)o->to = value;
        return 0;
    case CLI_FOLDER:
        if (!cli_is_folder(value))
            return cli_wrong(command, "--%s: %.200s is not a folder; expected one that exists", o->name,
                             value);
        *(const char **)o->to = cli_absolute(value);
        return 0;
    case CLI_INTO:
        if (gnt_file_exists(value) && !cli_is_folder(value))
            return cli_wrong(command, "--%s: %.200s is a file; expected a folder to write into", o->name,
                             value);
        *(const char **)o->to = value;
        return 0;
    case CLI_WHOLE:
        return read_whole(command, o, value);
    case CLI_REAL:
        return read_real(command, o, value);
    case CLI_READ:
        return o->read(o->to, value);
    }
    return -1;
}

/* A table of options in the forms of getopt. */
typedef struct forms {
    struct option known[MOST_OPTIONS + 2];
    char letters[2 * MOST_OPTIONS + 8];
    const char *names[MOST_OPTIONS + 1]; /* for "did you mean" */
    size_t n;
} forms;

static void make_forms(forms *f, const cli_command *command) {
    size_t at = 0;
    *f = (forms){.n = 0};
    if (command->word)
        f->letters[at++] = '-'; /* words in their order among the options */
    f->letters[at++] = ':';     /* ':' for a missing value, '?' for an unknown option */
    f->letters[at++] = 'h';
    for (const cli_option *o = command->options; o->name && f->n < MOST_OPTIONS; o++) {
        const int wants = o->kind == CLI_FLAG ? no_argument : required_argument;
        f->known[f->n] = (struct option){o->name, wants, NULL, FIRST_LONG + (int)f->n};
        f->names[f->n++] = o->name;
        if (o->letter)
            f->letters[at++] = o->letter;
        if (o->letter && wants)
            f->letters[at++] = ':';
    }
    f->known[f->n] = (struct option){"help", no_argument, NULL, 'h'};
    f->names[f->n] = "help";
}

static const cli_option *option_of(const cli_command *command, int c) {
    for (const cli_option *o = command->options; o->name; o++)
        if (c == (unsigned char)o->letter || c == FIRST_LONG + (int)(o - command->options))
            return o;
    return NULL;
}

/* True if a word is one of the options: "--name", "--name=VALUE" or "-x". */
static int is_option(const forms *f, const char *word) {
    if (word[0] != '-' || !word[1])
        return 0;
    if (word[1] != '-')
        return !word[2] && word[1] != ':' && strchr(f->letters, word[1]);
    const size_t n = strcspn(word + 2, "=");
    for (size_t i = 0; i <= f->n; i++)
        if (strlen(f->names[i]) == n && strncmp(f->names[i], word + 2, n) == 0)
            return 1;
    return !n;
}

/* Finds the first two options that begin as a word does. Returns how many there are, at most two. */
static int begin_so(const forms *f, const char *word, const char *found[2]) {
    int n = 0;
    for (size_t i = 0; i <= f->n && n < 2; i++)
        if (*word && strncmp(f->names[i], word, strlen(word)) == 0)
            found[n++] = f->names[i];
    return n;
}

static int refuse(const cli_command *command, const forms *f, int c, char **argv) {
    const char *word = argv[optind - 1], *alike[2];
    if (c == ':')
        return cli_wrong(command, "%.60s needs a value", word);
    if (word[0] != '-' || word[1] != '-')
        return cli_wrong(command, "there is no option -%c", optopt);
    if (optopt) /* getopt knows the option, but not with "=VALUE" */
        return cli_wrong(command, "--%.*s takes no value", (int)strcspn(word + 2, "="), word + 2);
    if (begin_so(f, word + 2, alike) == 2)
        return cli_wrong(command, "%.60s may be --%s or --%s; write it out", word, alike[0], alike[1]);
    const char *near = gnt_nearest(word + 2, f->names, f->n + 1);
    return cli_wrong(command, "there is no option %.60s%s%s%s", word, near ? " (did you mean --" : "",
                     near ? near : "", near ? "?)" : "");
}

/* Refuses an empty value, and an option that is given twice, whose first value would be lost. */
static int check_value(const cli_command *command, const forms *f, const cli_option *o, const char *value,
                       unsigned char *seen) {
    if (o->kind == CLI_FLAG)
        return 0;
    if (!*value)
        return cli_wrong(command, "the value of --%s is empty; expected one, or no --%s", o->name, o->name);
    if (is_option(f, value))
        return cli_wrong(command, "--%s needs a value, but the option %.60s follows", o->name, value);
    if (o->kind != CLI_READ && (*seen)++)
        return cli_wrong(command, "--%s is given twice; expected it once", o->name);
    return 0;
}

static int refuse_empty(const cli_command *command) {
    return cli_wrong(command, "one of the words is empty: \"\"; give it a value, or leave it out");
}

int cli_args(const cli_command *command, int argc, char **argv, cli_words *words) {
    forms f;
    unsigned char seen[MOST_OPTIONS] = {0};
    make_forms(&f, command);
    opterr = 0;
    optind = 0; /* 0 resets getopt */
    for (int c; (c = getopt_long(argc, argv, f.letters, f.known, NULL)) != -1;) {
        const cli_option *o = option_of(command, c);
        if (c == 'h') {
            fputs(cli_help(command->name), stdout);
            return GNT_EXIT_OK;
        }
        if (c == '?' || c == ':')
            return refuse(command, &f, c, argv);
        if (c == 1 && !*optarg)
            return refuse_empty(command);
        if (c == 1 ? command->word(command->user, optarg) != 0
                   : !o || check_value(command, &f, o, optarg, &seen[o - command->options]) != 0 ||
                         take(command, o, optarg) != 0)
            return GNT_EXIT_WRONG;
    }
    for (int i = optind; i < argc; i++)
        if (!*argv[i])
            return refuse_empty(command);
    for (; command->word && optind < argc; optind++) /* after "--" */
        if (command->word(command->user, argv[optind]) != 0)
            return GNT_EXIT_WRONG;
    if (words)
        *words = (cli_words){argv + optind, argc - optind};
    return CLI_GO_ON;
}
