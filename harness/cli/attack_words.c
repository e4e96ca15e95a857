/* What a suite's sentence says of the keys that `gauntlet attack` wrote, as options of its command line. */
#include <string.h>

#include "base/mem.h"
#include "cli/attack_suite.h"

typedef struct place {
    const char *key, *option;
} place;

/* The first that fits counts. */
static const place places[] = {
    {"data.public.name", "--public"}, {"data.public.file", "--public"}, {"data.public", "--public"},
    {"data.shadow.name", "--shadow"}, {"data.shadow.file", "--shadow"}, {"data.shadow", "--shadow"},
    {"defenses[0]", "--defense"},     {"attacks", "--attacks"},
};

/* Returns what follows `before`, a whole number and `behind`, or the text itself without them. */
static const char *after(const char *text, const char *before, const char *behind) {
    const size_t n = strlen(before);
    if (strncmp(text, before, n) != 0)
        return text;
    const char *end = text + n + strspn(text + n, "0123456789");
    return strncmp(end, behind, strlen(behind)) == 0 ? end + strlen(behind) : text;
}

void cli_attack_words(gnt_err *err) {
    const char *sentence = after(err->text, CLI_ATTACK_SUITE ":", ": ");
    const char *key = after(sentence, "tasks[", "].");
    char *said = NULL;
    for (size_t i = 0; !said && i < sizeof places / sizeof *places; i++) {
        const size_t n = strlen(places[i].key);
        if (strncmp(key, places[i].key, n) == 0 && strchr(".:[", key[n]) && key[n])
            said =
                gnt_format("%s%s%s", places[i].option, key[n] == '.' ? ": " : "", key + n + (key[n] == '.'));
    }
    if (!said)
        said = gnt_strdup(sentence);
    if (said)
        gnt_fail(err, "%s", said);
    gnt_free(said);
}
