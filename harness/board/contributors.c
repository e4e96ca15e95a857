/* The contributor of a run: the owner of the key that signed it, or one whom the maker of the board names.
 * Nothing proves what an unsigned run says of itself, so each is its own contributor. Names that look alike
 * are shown apart. */
#include <string.h>

#include "base/lookalike.h"
#include "base/mem.h"
#include "board/board_impl.h"

enum { SHOWN_OF_KEY = 16 };

int board_is_same_contributor(const board *b, size_t one, size_t other) {
    return b->run[one].contributor_of == b->run[other].contributor_of;
}

/* True if one key signed both, or the maker of the board names both alike. */
static int is_same(const board *b, size_t one, size_t other) {
    const board_run *x = &b->run[one], *y = &b->run[other];
    const char *first = b->options->source[one].contributor, *second = b->options->source[other].contributor;
    return (*x->key && strcmp(x->key, y->key) == 0) || (first && second && strcmp(first, second) == 0);
}

/* Joins a run with those before it that are of the same contributor, and these with each other. */
static void join(const board *b, size_t at) {
    b->run[at].contributor_of = at;
    for (size_t k = 0; k < at; k++) {
        const size_t old = b->run[k].contributor_of, now = b->run[at].contributor_of;
        if (old == now || !is_same(b, at, k))
            continue;
        const size_t first = old < now ? old : now;
        for (size_t i = 0; i <= at; i++)
            if (b->run[i].contributor_of == old || b->run[i].contributor_of == now)
                b->run[i].contributor_of = first;
    }
}

/* Returns 1 if a run's name for itself could be read as one that is set apart, or as two names; −1 after
 * an error. */
static int is_ambiguous(const board *b, size_t run, const char *name, gnt_err *err) {
    if (b->options->source[run].contributor)
        return 0;
    char *skeleton = gnt_skeleton(name, err);
    const int found = skeleton ? strpbrk(skeleton, "(,") != NULL : -1;
    gnt_free(skeleton);
    return found;
}

/* Returns 1 if a run's name has to be set apart: it is ambiguous, or looks like another contributor's,
 * which the caller gave if it gave the run's; −1 after an error. */
static int is_taken(const board *b, size_t run, char *const *name, gnt_err *err) {
    int taken = is_ambiguous(b, run, name[run], err);
    for (size_t k = 0; k < b->n_run && taken == 0; k++)
        if (!board_is_same_contributor(b, run, k) &&
            (!b->options->source[run].contributor || b->options->source[k].contributor))
            taken = gnt_looks_alike(name[run], name[k], err);
    return taken;
}

/* Returns the name with what sets it apart; NULL after an error. */
static char *shown_name(const board *b, size_t run, char *const *name, gnt_err *err) {
    const char *key = b->run[run].key;
    const int taken = is_taken(b, run, name, err), given = b->options->source[run].contributor != NULL;
    if (taken < 0)
        return NULL;
    char *shown;
    if (*key && taken)
        shown = gnt_format("%s (key %.*s)", name[run], SHOWN_OF_KEY, key);
    else if (taken)
        shown = gnt_format("%s (unsigned, run %zu)", name[run], run + 1);
    else
        shown = *key || given ? gnt_strdup(name[run]) : gnt_format("%s (unsigned)", name[run]);
    if (!shown)
        gnt_fail(err, "out of memory");
    return shown;
}

int board_find_contributors(board *b, gnt_err *err) {
    char **name = gnt_array(b->n_run + 1, sizeof *name);
    int failed = name ? 0 : gnt_fail(err, "out of memory");
    for (size_t i = 0; !failed && i < b->n_run; i++) {
        join(b, i);
        name[i] = b->run[i].contributor;
    }
    for (size_t i = 0; !failed && i < b->n_run; i++) {
        b->run[i].contributor = shown_name(b, i, name, err);
        failed = !b->run[i].contributor;
    }
    for (size_t i = 0; name && i < b->n_run; i++)
        if (name[i] != b->run[i].contributor)
            gnt_free(name[i]);
    gnt_free(name);
    return failed ? gnt_fail_in(err, "leaderboard") : 0;
}
