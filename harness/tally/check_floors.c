/* Floors and chance: what a guess comes to that has seen nothing. They hang on a task's targets and public
 * rows of a seed, not on who defends or attacks, so that all cells of a task and seed say the same. In the
 * round each stage has targets of its own; and where any member of a client's set may stand behind an answer,
 * a guess has the same choice. */
#include "tally/tally_impl.h"

#include <string.h>

#include "base/mem.h"

/* Of a secure sum they hang on what clients gave, which the defense decides; of encoded sets on which were
 * encoded. */
static int in_common(const tally *t, const json_t *cell, const char *measure) {
    return strncmp(measure, "contribution_", 13) != 0 && !json_object_get(tally_task(t, cell), "set");
}

/* What the targets of a cell are: the same in all cells that have it in common. The caller frees. */
static char *targets_of(const tally *t, const json_t *cell, const json_t *seen) {
    const int round = strcmp(tally_text(tally_task(t, cell), "observe_from"), "round") == 0;
    const int members = json_object_get(seen, tally_text(cell, "defense")) != NULL;
    const json_int_t stage = round ? json_integer_value(json_object_get(cell, "stage")) : 0;
    return gnt_format("%s/r%lld/s%lld/%d", tally_text(cell, "task"), (long long)stage,
                      (long long)json_integer_value(json_object_get(cell, "seed")), members);
}

static int check_part(const tally *t, size_t i, const char *part, json_t *seen) {
    const json_t *cell = json_array_get(t->cells, i);
    const gnt_path at = gnt_path_key(gnt_path_item("cells", i).text, part);
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(cell, part), name, value) {
        char *targets = in_common(t, cell, name) ? targets_of(t, cell, seen) : NULL;
        char *key = targets ? gnt_format("%s/%s/%s", targets, part, name) : NULL;
        gnt_free(targets);
        if (!key)
            continue;
        json_t *first = json_object_get(seen, key);
        const gnt_tally_says says = tally_says(t, "an earlier cell of the same targets has");
        const int rc =
            first ? gnt_tally_same(&says, gnt_path_key(at.text, name).text, value, first, 2e-9, 0) : 0;
        if (!first)
            json_object_set(seen, key, value);
        gnt_free(key);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Under which defenses any member of a set may stand behind an answer: some of their cells say which. */
static void note_members(const tally *t, json_t *seen) {
    for (size_t i = 0; i < json_array_size(t->cells); i++) {
        const json_t *cell = json_array_get(t->cells, i);
        if (json_object_get(json_array_get(json_object_get(cell, "targets"), 0), "member"))
            json_object_set_new(seen, tally_text(cell, "defense"), json_true());
    }
}

int tally_check_floors(const tally *t) {
    json_t *seen = json_object();
    int rc = seen ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    if (rc == 0)
        note_members(t, seen);
    for (size_t i = 0; rc == 0 && i < json_array_size(t->cells); i++)
        rc = check_part(t, i, "floors", seen) || check_part(t, i, "chance", seen) ? -1 : 0;
    json_decref(seen);
    return rc;
}
