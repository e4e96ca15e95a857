/* Boards of some defenses only, which --defenses names: the tests correct for their pairs alone. No defense
 * stays, since leakage is compared with it. */
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"

/* Sets *n to the length of the next label of the list, and returns where it begins; NULL after the last. */
static const char *next(const char **list, size_t *n) {
    const char *at = *list;
    if (!at)
        return NULL;
    *n = strcspn(at, ",");
    *list = at[*n] ? at + *n + 1 : NULL;
    return at;
}

static int is_listed(const char *list, const char *label) {
    size_t n;
    for (const char *at; (at = next(&list, &n)) != NULL;)
        if (strlen(label) == n && strncmp(at, label, n) == 0)
            return 1;
    return 0;
}

static int is_undefended(const gnt_results *r, const char *label) {
    for (size_t i = 0; i < r->n_group; i++)
        if (r->group[i].mode == GNT_ROW_NONE && !strcmp(r->group[i].defense, label))
            return 1;
    return 0;
}

int board_is_chosen(const board *b, const gnt_results *r, const char *label) {
    return !b->options->defenses || is_listed(b->options->defenses, label) || is_undefended(r, label);
}

static int has_label(const board *b, const char *label, size_t n) {
    for (size_t i = 0; i < b->n_run; i++)
        for (size_t d = 0; d < b->run[i].results.n_defense; d++) {
            const char *known = b->run[i].results.defense[d];
            if (strlen(known) == n && strncmp(known, label, n) == 0)
                return 1;
        }
    return 0;
}

/* Lists the labels of all runs, each once. */
static void say_labels(const board *b, gnt_text *out) {
    gnt_text said;
    gnt_text_init(&said, BOARD_MOST_SAID);
    for (size_t i = 0; i < b->n_run; i++)
        for (size_t d = 0; d < b->run[i].results.n_defense; d++) {
            const char *label = b->run[i].results.defense[d];
            if (is_listed(said.size ? gnt_text_get(&said) : NULL, label) ||
                is_undefended(&b->run[i].results, label))
                continue;
            gnt_text_add(out, "%s%s", said.size ? ", " : "", label);
            gnt_text_add(&said, "%s%s", said.size ? "," : "", label);
        }
    gnt_text_free(&said);
}

int board_check_chosen(const board *b, gnt_err *err) {
    const char *list = b->options->defenses;
    size_t n;
    for (const char *at; (at = next(&list, &n)) != NULL;) {
        if (has_label(b, at, n))
            continue;
        gnt_text known;
        gnt_text_init(&known, BOARD_MOST_SAID);
        say_labels(b, &known);
        const int rc = gnt_fail(err, "--defenses: no run has a defense \"%.*s\"; expected some of %.300s",
                                (int)(n < 100 ? n : 100), at, gnt_text_get(&known));
        gnt_text_free(&known);
        return rc;
    }
    return 0;
}

void board_say_chosen(const board *b, gnt_text *out) {
    const char *list = b->options->defenses;
    size_t n, any = 0;
    for (const char *at; (at = next(&list, &n)) != NULL; any++)
        gnt_text_add(out, "%s%.*s", any == 0 ? "Only " : list ? ", " : " and ", (int)n, at);
    if (any)
        gnt_text_add(out, any > 1 ? " are compared." : " is compared.");
}
