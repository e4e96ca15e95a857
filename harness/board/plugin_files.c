/* Which plugin files a run was made with, as its host.json lists them: a third party's file may have the id
 * and version of another. */
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "board/board_impl.h"

enum { MOST_BYTES = 1 << 28, SHOWN_OF_DIGEST = 12 };

int board_read_plugins(board_run *run, gnt_err *err) {
    gnt_doc doc;
    char *path = gnt_format("%s/host.json", run->folder);
    if (!path)
        return gnt_fail(err, "leaderboard: out of memory");
    const int rc = gnt_file_exists(path) ? gnt_doc_load(&doc, path, MOST_BYTES, err) : 1;
    gnt_free(path);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    run->plugins = json_incref(json_object_get(json_object_get(doc.root, "provenance"), "plugins"));
    gnt_doc_free(&doc);
    return 0;
}

static int is_digest(const char *text) {
    return text && strlen(text) == GNT_HEX_SIZE - 1 && strspn(text, "0123456789abcdef") == GNT_HEX_SIZE - 1;
}

const char *board_plugin_digest(const board_run *run, const gnt_result_member *m) {
    const json_t *plugin;
    size_t i;
    json_array_foreach(run->plugins, i, plugin) {
        const char *id = json_string_value(json_object_get(plugin, "id"));
        const char *version = json_string_value(json_object_get(plugin, "version"));
        const char *digest = json_string_value(json_object_get(plugin, "digest"));
        if (id && version && !strcmp(id, m->id) && !strcmp(version, m->version) && is_digest(digest))
            return digest;
    }
    return "";
}

void board_say_plugins(const board *b, const board_row *row, gnt_text *out) {
    const board_run *run = &b->run[row->first];
    const gnt_result_defense *of = gnt_defense_of(&run->results, row->label);
    for (size_t i = 0; of && i < of->members.n; i++) {
        const gnt_result_member *m = &of->members.at[i];
        const char *digest = board_plugin_digest(run, m);
        const int named = of->members.n > 1 || strcmp(m->id, row->label) != 0;
        if (!named && !*digest)
            continue;
        gnt_text_add(out, "%s%s%s", i ? " + " : "", named ? m->id : "", named && *digest ? " " : "");
        if (*digest)
            gnt_text_add(out, "@ %.*s", SHOWN_OF_DIGEST, digest);
    }
}

void board_say_plugin_files(const board *b, const board_row *row, gnt_text *out) {
    const board_run *run = &b->run[row->first];
    const gnt_result_defense *of = gnt_defense_of(&run->results, row->label);
    for (size_t i = 0; of && i < of->members.n; i++) {
        const gnt_result_member *m = &of->members.at[i];
        const char *digest = board_plugin_digest(run, m);
        gnt_text_add(out, "%s%s %s @ %s", i ? " + " : "", m->id, m->version, *digest ? digest : "?");
    }
}
