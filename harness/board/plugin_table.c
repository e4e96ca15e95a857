/* The table of the defenses' plugins: what each does and which paper it cites, in the words of the plugin
 * that is installed here. */
#include <string.h>

#include "base/mem.h"
#include "board/board_format.h"
#include "board/board_impl.h"
#include "plugin/info.h"

/* Returns the part of a path behind the last slash. */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True if an earlier run, or an earlier defense of this one, has the plugin in this version. */
static int is_listed(const board *b, size_t run, size_t defense, size_t member) {
    const gnt_result_member *m = &b->run[run].results.file->defenses.at[defense].members.at[member];
    for (size_t r = 0; r <= run; r++) {
        const gnt_result_defenses *list = &b->run[r].results.file->defenses;
        for (size_t d = 0; d < (r == run ? defense + 1 : list->n); d++) {
            const gnt_result_members *of = &list->at[d].members;
            for (size_t k = 0; k < (r == run && d == defense ? member : of->n); k++)
                if (!strcmp(of->at[k].id, m->id) && !strcmp(of->at[k].version, m->version))
                    return 1;
        }
    }
    return 0;
}

static void add_plugin(const board *b, const gnt_result_member *m, gnt_table *t) {
    const gnt_plugin_list *list = b->options->plugins;
    const gnt_plugin_info *info = list ? gnt_plugin_list_find(list, GNT_PLUGIN_DEFENSE, m->id) : NULL;
    if (info && strcmp(info->version, m->version) != 0)
        info = NULL;
    const board_plugin_entry e = {.plugin = m->id,
                                  .version = m->version,
                                  .file = info ? base_name(info->file) : "",
                                  .what = info ? info->line : "not installed here in this version",
                                  .paper = info ? info->citation : ""};
    gnt_table_field_items(t, &board_plugin_fields, &e);
}

void board_table_plugins(const board *b, gnt_table *t) {
    gnt_table_init(t, "Plugins of the defenses");
    gnt_table_field_columns(t, &board_plugin_fields);
    for (size_t r = 0; r < b->n_run; r++) {
        const gnt_result_defenses *list = &b->run[r].results.file->defenses;
        for (size_t d = 0; d < list->n; d++)
            for (size_t k = 0; k < list->at[d].members.n; k++)
                if (!is_listed(b, r, d, k))
                    add_plugin(b, &list->at[d].members.at[k], t);
    }
}
