/* attack_suite: the suite that `gauntlet attack` runs: its tasks are the captures, of which those of one
 * round and kind of client are one task.
 *
 * Owner: the options are borrowed. Errors: NULL or −1 with a sentence. */
#ifndef GNT_CLI_ATTACK_SUITE_H
#define GNT_CLI_ATTACK_SUITE_H

#include <jansson.h>

#include "base/err.h"
#include "plugin/find.h"
#include "plugin/info.h"

/* The name by which sentences know the suite. */
#define CLI_ATTACK_SUITE "suite"

/* What the command line says; NULL: it does not. */
typedef struct cli_attack_suite {
    char **folder;
    size_t n;
    /* Names with commas between them, a JSON list, or a file with one. */
    const char *attacks;
    /* NAME or FILE.json, and maybe ":ROWS". */
    const char *public_data, *shadow;
    /* "captured", ID, ID:NAME=VALUE,… or a JSON object. */
    const char *defense;
    uint64_t seed;
    /* 0: a suite's own. */
    double seconds;
    uint64_t memory_mb;
} cli_attack_suite;

/* Reads and checks the captures, and returns the text of the suite, which the caller frees. A capture that
 * contradicts itself is an error. */
char *cli_attack_suite_text(const cli_attack_suite *of, const gnt_plugin_list *plugins, gnt_err *err);
/* Says what is wrong with that suite by the options that wrote it. */
void cli_attack_words(gnt_err *err);

#endif
