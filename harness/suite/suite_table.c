/* Tables of a paper, for the report: columns and rows select groups of cells, next to the numbers that the
 * paper prints. The suite only validates them; the report fills them from the results. */
#include <stdio.h>
#include <string.h>

#include "metric/measure.h"
#include "suite/suite_impl.h"

/* Names after "utility.": numbers that a training run reports in addition to its utility. */
static const char *const show_names[] = {"utility",
                                         "mean",
                                         "deviation",
                                         "worst",
                                         "median",
                                         "utility.loss",
                                         "utility.iou",
                                         "utility.precision",
                                         "utility.recall",
                                         "utility.f_score",
                                         "utility.image_iou",
                                         "utility.image_precision",
                                         "utility.image_recall",
                                         "utility.image_f_score"};
enum { SHOWS = sizeof show_names / sizeof *show_names };

/* Checks that the object's `key`, if any, is one of the n labels. */
static int check_label(suite_reader *r, const char *path, const json_t *object, const char *key,
                       const char *const *labels, size_t n) {
    int which;
    return suite_choice(r, path, object, key, labels, n, &which);
}

typedef struct labels {
    const char *task[GNT_SUITE_MOST_TASKS], *defense[GNT_SUITE_MOST_ENTRIES], *attack[GNT_SUITE_MOST_ENTRIES];
} labels;

static int check_attacks(suite_reader *r, const char *path, const json_t *object, const labels *known) {
    const json_t *value = json_object_get(object, "attack");
    if (!json_is_array(value))
        return check_label(r, path, object, "attack", known->attack, r->s->n_attacks);
    const gnt_path at = gnt_path_key(path, "attack");
    for (size_t i = 0; i < json_array_size(value); i++) {
        int which;
        if (suite_choice_at(r, gnt_path_item(at.text, i).text, json_array_get(value, i), known->attack,
                            r->s->n_attacks, &which))
            return -1;
    }
    return 0;
}

/* Checks "minus": an attack's label, or how the subtracted cells differ. */
static int check_minus(suite_reader *r, const char *path, const json_t *object, const labels *known) {
    const gnt_path at = gnt_path_key(path, "minus");
    const json_t *minus = json_object_get(object, "minus");
    int64_t stage;
    double strength;
    if (!json_is_object(minus))
        return check_label(r, path, object, "minus", known->attack, r->s->n_attacks);
    if (json_object_size(minus) == 0)
        return suite_fail(r, at.text,
                          "is empty; expected at least one of task, stage, defense, strength and "
                          "attack, in which the cells that are subtracted differ");
    return suite_keys(r, at.text, minus, "task", "stage", "defense", "strength", "attack") ||
           check_label(r, at.text, minus, "task", known->task, r->s->n_tasks) ||
           check_label(r, at.text, minus, "defense", known->defense, r->s->n_defenses) ||
           check_label(r, at.text, minus, "attack", known->attack, r->s->n_attacks) ||
           suite_int(r, at.text, minus, "stage", 0, INT32_MAX, &stage) ||
           suite_real(r, at.text, minus, "strength", -1e30, 1e30, &strength);
}

/* Checks the selection of cells by a row, a column or the table itself. */
static int check_choice(suite_reader *r, const char *path, const json_t *object, const labels *known) {
    const gnt_suite *s = r->s;
    const char *measures[GNT_MEASURES], *fact;
    int64_t stage;
    double strength;
    gnt_measure_names(measures);
    return check_label(r, path, object, "task", known->task, s->n_tasks) ||
           check_label(r, path, object, "defense", known->defense, s->n_defenses) ||
           check_attacks(r, path, object, known) || check_minus(r, path, object, known) ||
           check_label(r, path, object, "show", show_names, SHOWS) ||
           check_label(r, path, object, "measure", measures, GNT_MEASURES) ||
           suite_text(r, path, object, "fact", 64, &fact) ||
           suite_int(r, path, object, "stage", 0, INT32_MAX, &stage) ||
           suite_real(r, path, object, "strength", -1e30, 1e30, &strength);
}

#define CHOICE_KEYS "task", "stage", "defense", "strength", "attack", "minus", "show", "measure", "fact"

static int check_lines(suite_reader *r, const char *path, const json_t *table, const char *key,
                       const labels *known, const json_t **out) {
    const json_t *list = NULL;
    const char *label;
    const gnt_path at = gnt_path_key(path, key);
    if (suite_need(r, path, table, key, "a list of objects, each with a \"label\"") ||
        suite_list(r, path, table, key, 1, GNT_SUITE_MOST_TABLES, &list))
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        const json_t *line = json_array_get(list, i);
        if (suite_keys(r, item.text, line, "label", CHOICE_KEYS) ||
            suite_need(r, item.text, line, "label", "text for the head of the line") ||
            suite_text(r, item.text, line, "label", 100, &label) || check_choice(r, item.text, line, known))
            return -1;
    }
    *out = list;
    return 0;
}

/* Checks "paper": a list for each row with an entry for each column: text, a number, or null. */
static int check_printed(suite_reader *r, const char *path, const json_t *table, size_t rows,
                         size_t columns) {
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, "paper");
    if (suite_list(r, path, table, "paper", rows, rows, &list))
        return -1;
    for (size_t i = 0; list && i < rows; i++) {
        const json_t *row = json_array_get(list, i);
        const gnt_path item = gnt_path_item(at.text, i);
        if (!json_is_array(row) || json_array_size(row) != columns)
            return suite_fail(r, item.text, "is %s; expected a list of %zu, one for each column",
                              gnt_show(row).text, columns);
        for (size_t k = 0; k < columns; k++) {
            const json_t *one = json_array_get(row, k);
            const char *text;
            const gnt_path entry = gnt_path_item(item.text, k);
            if (json_is_string(one) ? suite_text_at(r, entry.text, one, 60, &text)
                                    : !json_is_number(one) && !json_is_null(one))
                return json_is_string(one)
                           ? -1
                           : suite_fail(r, entry.text,
                                        "is %s; expected text, a number, or null where the paper "
                                        "has nothing",
                                        gnt_show(one).text);
        }
    }
    return 0;
}

static int check_table(suite_reader *r, const char *path, const json_t *table, const labels *known) {
    const json_t *rows, *columns;
    const char *text;
    char *id = NULL;
    if (suite_keys(r, path, table, "id", "title", "columns", "rows", "paper", "note", CHOICE_KEYS) ||
        suite_read_id(r, path, table, "id", "a name for the table's files, such as \"id\": \"table-1\"", &id))
        return -1;
    gnt_free(id);
    if (suite_need(r, path, table, "title", "what the paper's table is called") ||
        suite_text(r, path, table, "title", 200, &text) || suite_text(r, path, table, "note", 1000, &text) ||
        check_choice(r, path, table, known) || check_lines(r, path, table, "columns", known, &columns) ||
        check_lines(r, path, table, "rows", known, &rows))
        return -1;
    return check_printed(r, path, table, json_array_size(rows), json_array_size(columns));
}

static int refuse_repeated(suite_reader *r, const json_t *list, size_t i) {
    const char *id = json_string_value(json_object_get(json_array_get(list, i), "id"));
    for (size_t k = 0; k < i; k++)
        if (!strcmp(id, json_string_value(json_object_get(json_array_get(list, k), "id"))))
            return suite_fail(r, gnt_path_key(gnt_path_item("tables", i).text, "id").text,
                              "is \"%s\", as that of tables[%zu] is; give each table a name of its own", id,
                              k);
    return 0;
}

int suite_read_tables(suite_reader *r, const json_t *root) {
    const json_t *list = NULL;
    const gnt_suite *s = r->s;
    labels *known = NULL;
    int rc = suite_list(r, "", root, "tables", 1, GNT_SUITE_MOST_TABLES, &list);
    if (rc != 0 || !list)
        return rc;
    known = gnt_array(1, sizeof *known);
    if (!known)
        return suite_no_memory(r);
    for (size_t i = 0; i < s->n_tasks; i++)
        known->task[i] = s->task[i].id;
    for (size_t i = 0; i < s->n_defenses; i++)
        known->defense[i] = s->defense[i].label;
    for (size_t i = 0; i < s->n_attacks; i++)
        known->attack[i] = s->attack[i].label;
    for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
        rc = check_table(r, gnt_path_item("tables", i).text, json_array_get(list, i), known);
        if (rc == 0)
            rc = refuse_repeated(r, list, i);
    }
    gnt_free(known);
    if (rc != 0)
        return -1;
    r->s->tables = json_dumps(list, JSON_COMPACT);
    return r->s->tables ? 0 : suite_no_memory(r);
}
