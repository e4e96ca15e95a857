#include "cli/held.h"

#include <stdio.h>
#include <string.h>

#include "cli/world.h"

void cli_held_world(cli_world *w, const cli_places *places, const gnt_sandbox_wish *walls,
                    const char *command) {
    gnt_err err = {""};
    if (cli_world_open(w, places, walls, &err) != 0)
        fprintf(stderr, "gauntlet %s: note: %s\n", command, err.text);
}

int cli_held_check(gnt_tally *out, const char *path, const cli_world *w, const char *command, gnt_err *err) {
    if (gnt_tally_check(out, path, &w->suite, err) != 0)
        return -1;
    for (const char *line = gnt_text_get(&out->notes); *line;) {
        const size_t n = strcspn(line, "\n");
        fprintf(stderr, "gauntlet %s: note: %.*s\n", command, (int)n, line);
        line += n + (line[n] == '\n');
    }
    return 0;
}

int cli_held_path(const char *path, const cli_places *places, const char *command, gnt_err *err) {
    cli_world w;
    gnt_tally t;
    cli_held_world(&w, places, NULL, command);
    const int rc = cli_held_check(&t, path, &w, command, err);
    if (rc == 0)
        gnt_tally_free(&t);
    cli_world_close(&w);
    return rc;
}
