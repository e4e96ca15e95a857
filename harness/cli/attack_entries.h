/* attack_entries: words of the command line of `gauntlet attack` as entries of a suite.
 *
 * Owner: each returns a new value. Errors: NULL with a sentence. */
#ifndef GNT_CLI_ATTACK_ENTRIES_H
#define GNT_CLI_ATTACK_ENTRIES_H

#include <jansson.h>

#include "base/err.h"
#include "plugin/info.h"

/* Reads "NAME", "FILE.json", or either with ":ROWS", of the option of that name: a set of rows. */
json_t *cli_attack_rows(const char *text, const char *option, gnt_err *err);
/* Reads names with commas between them, a JSON list or object, or the name of a file with one: "attacks".
 * A plugin that is named alone is granted what it can use without the private batch. */
json_t *cli_attack_attacks(const char *text, const gnt_plugin_list *plugins, gnt_err *err);
/* Reads "ID", "ID:NAME=VALUE,NAME=VALUE" or a JSON object: an entry of "defenses". */
json_t *cli_attack_defense(const char *text, gnt_err *err);

#endif
