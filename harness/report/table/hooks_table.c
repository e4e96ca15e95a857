/* How long hooks took, of the run's host.json: the one table of a report that another run of the same suite
 * does not repeat. The pages link to it and show nothing of it. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "report/table/report_tables.h"
#include "judge/hook_seconds.h"

enum { MOST_HOST = 64 << 20 };

static void add_rows(const json_t *list, const char *label, int of_attack, gnt_table *t) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        gnt_hook_row row;
        if (!gnt_hook_row_read(json_array_get(list, i), &row) || row.of_attack != of_attack ||
            strcmp(row.label, label) != 0)
            continue;
        gnt_table_text(t, of_attack ? "attack" : "defense");
        gnt_table_text(t, label);
        gnt_table_text(t, row.plugin);
        gnt_table_text(t, row.hook);
        gnt_table_number(t, (double)row.calls);
        gnt_table_number(t, row.seconds);
        gnt_table_number(t, row.seconds / (double)row.calls);
    }
}

void gnt_table_hooks(const gnt_results *r, const json_t *host, gnt_table *t) {
    const json_t *machine = json_object_get(json_object_get(host, "provenance"), "machine");
    const char *cpu = json_string_value(json_object_get(machine, "cpu"));
    json_t *list = gnt_hook_seconds(host);
    gnt_table_init(t, "Time inside hooks");
    t->failed |= !list;
    GNT_TABLE_COLUMNS(t, "of", "label", "plugin", "hook", "calls", "seconds", "seconds a call");
    gnt_table_caption(t,
                      "Wall time of all calls in all jobs of the run, while other jobs ran, on "
                      "%.100s. It differs from run to run and from machine to machine.",
                      cpu ? cpu : "an unknown processor");
    for (size_t i = 0; i < r->n_defense; i++)
        add_rows(list, r->defense[i], 0, t);
    for (size_t i = 0; i < r->n_attack; i++)
        add_rows(list, r->attack[i], 1, t);
    json_decref(list);
}

int gnt_table_hooks_of(const gnt_results *r, const char *run, gnt_table *t) {
    char *path = gnt_format("%s/host.json", run);
    gnt_doc doc;
    if (!path || gnt_doc_load(&doc, path, MOST_HOST, NULL) != 0) {
        gnt_free(path);
        return 0;
    }
    gnt_free(path);
    gnt_table_hooks(r, doc.root, t);
    gnt_doc_free(&doc);
    if (t->failed || gnt_table_rows(t) > 0)
        return 1;
    gnt_table_free(t);
    return 0;
}
