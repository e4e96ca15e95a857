/* Tables of the time that hooks took: times of one machine, kept with the other facts of the host. */
#include "page_tables.h"

#include <inttypes.h>
#include <string.h>

#include "judge/hook_seconds.h"

enum { MOST_LABELS = 16 };

/* True for hooks that are work of a defense: all but the one that makes an instance. */
static int is_work(const gnt_hook_row *row) {
    return strcmp(row->hook, "create") != 0;
}

/* The words after the run's name: labels, and LABEL=SECONDS, what a paper prints for one update. */
typedef struct wanted {
    char *label[MOST_LABELS], *printed[MOST_LABELS];
    size_t n_labels, n_printed;
} wanted;

static int sort_words(wanted *w, char *const *word, size_t n, gnt_err *err) {
    *w = (wanted){0};
    if (n > MOST_LABELS)
        return gnt_fail(err, "hooks: has %zu words after the run, expected at most %d", n, MOST_LABELS);
    for (size_t i = 0; i < n; i++)
        if (strchr(word[i], '='))
            w->printed[w->n_printed++] = word[i];
        else
            w->label[w->n_labels++] = word[i];
    return 0;
}

static const char *printed_of(const wanted *w, const gnt_hook_row *row) {
    const size_t length = strlen(row->label);
    for (size_t i = 0; !row->of_attack && !strcmp(row->hook, "transform_update") && i < w->n_printed; i++)
        if (!strncmp(w->printed[i], row->label, length) && w->printed[i][length] == '=')
            return w->printed[i] + length + 1;
    return "–";
}

static void add_rows(const json_t *list, const char *label, int of_attack, const wanted *w, gnt_table *t) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        gnt_hook_row row;
        if (!gnt_hook_row_read(json_array_get(list, i), &row) || row.of_attack != of_attack ||
            strcmp(row.label, label) != 0 || !is_work(&row))
            continue;
        gnt_table_text(t, label);
        gnt_table_text(t, row.plugin);
        gnt_table_text(t, row.hook);
        gnt_table_format(t, "%" PRId64, row.calls);
        gnt_table_format(t, "%.3g", row.seconds / (double)row.calls);
        if (w->n_printed)
            gnt_table_text(t, printed_of(w, &row));
    }
}

int table_hooks(const scores *s, char *const *labels, size_t n, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {"defense or attack", "plugin", "hook", "calls", "seconds a call"};
    const json_t *list = json_object_get(s->host, "hooks");
    const char *cpu = json_string_value(json_object_get(s->host, "cpu"));
    gnt_table t;
    wanted w;
    if (sort_words(&w, labels, n, err))
        return -1;
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gnt_table_column(&t, columns[i]);
    if (w.n_printed)
        gnt_table_column(&t, "the paper");
    for (size_t i = 0; i < s->results.n_defense; i++)
        if (tables_wants(w.label, w.n_labels, s->results.defense[i]))
            add_rows(list, s->results.defense[i], 0, &w, &t);
    for (size_t i = 0; i < s->results.n_attack; i++)
        if (tables_wants(w.label, w.n_labels, s->results.attack[i]))
            add_rows(list, s->results.attack[i], 1, &w, &t);
    if (gnt_table_rows(&t) > 0)
        gnt_text_add(out, "Wall time on %s.\n", cpu ? cpu : "an unknown machine");
    tables_add(&t, out);
    gnt_table_free(&t);
    return 0;
}
