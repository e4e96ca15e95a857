/* A described set of tables as text: of each part one CSV file with a header line. Columns are numbers,
 * scaled from a stated range to [0, 1], categories, as a one-hot block, labels, private attributes, and
 * groups. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/csv.h"
#include "data/described.h"
#include "data/described_form.h"
#include "data/kept_texts.h"
#include "data/source.h"

enum { MOST_COLUMNS = 4096, MOST_LINE = 1 << 20, MOST_BYTES = 0x7fffffff };

enum { NUMBER, CATEGORY, LABEL, ATTRIBUTE, GROUP, IGNORED };
static const char *const uses[] = {"number", "category", "label", "attribute", "group", "ignored"};

typedef struct column {
    const char *name;
    int use, is_feature, clips; /* is_feature: an attribute that is one-hot in the sample, too */
    double low, high;
    int32_t values, attribute;
    const char *const *value_name;
    int64_t at; /* first feature */
} column;

typedef struct table {
    const data_description *of;
    column column[MOST_COLUMNS];
    int n;
    data_form form;
    /* of the file at hand: which column of the description each of its columns is */
    int order[MOST_COLUMNS];
    data_field field[MOST_COLUMNS];
} table;

/* ---- the description ---- */

static int read_range(table *t, const char *path, const json_t *object, column *c, gnt_err *err) {
    const json_t *range = NULL;
    const gnt_path at = gnt_path_key(path, "range");
    if (gnt_doc_need(&t->of->doc, path, object, "range", "the values that become 0 and 1, such as [0, 120]",
                     err) ||
        gnt_doc_list(&t->of->doc, path, object, "range", 2, 2, &range, err) ||
        gnt_doc_real_at(&t->of->doc, gnt_path_item(at.text, 0).text, json_array_get(range, 0), -1e15, 1e15,
                        &c->low, err) ||
        gnt_doc_real_at(&t->of->doc, gnt_path_item(at.text, 1).text, json_array_get(range, 1), -1e15, 1e15,
                        &c->high, err) ||
        gnt_doc_bool(&t->of->doc, path, object, "clip", &c->clips, err))
        return -1;
    return c->low < c->high ? 0
                            : gnt_doc_fail(err, &t->of->doc, at.text,
                                           "is from %.9g to %.9g; expected a range", c->low, c->high);
}

static int read_names(table *t, const char *path, const json_t *object, column *c, gnt_err *err) {
    if (data_described_values(t->of, path, object, "values", &c->values, &c->value_name, err))
        return -1;
    return c->value_name
               ? 0
               : gnt_doc_fail(err, &t->of->doc, gnt_path_key(path, "values").text,
                              "is a number; expected the list of the values that the column may have");
}

static int read_column(table *t, size_t i, gnt_data *d, gnt_err *err) {
    static const char *const keys[][6] = {[NUMBER] = {"column", "as", "range", "clip"},
                                          [CATEGORY] = {"column", "as", "values"},
                                          [LABEL] = {"column", "as", "values"},
                                          [ATTRIBUTE] = {"column", "as", "values", "feature"},
                                          [GROUP] = {"column", "as"},
                                          [IGNORED] = {"column", "as"}};
    const gnt_doc *doc = &t->of->doc;
    const json_t *object = json_array_get(t->of->columns, i);
    const gnt_path at = gnt_path_item("columns", i);
    column *c = &t->column[i];
    size_t n = 0;
    *c = (column){.attribute = -1};
    if (!json_is_object(object))
        return gnt_doc_fail(err, doc, at.text, "is %s; expected an object", gnt_show(object).text);
    if (gnt_doc_need(doc, at.text, object, "column", "its name in the header line", err) ||
        gnt_doc_text(doc, at.text, object, "column", GNT_DATA_NAME - 1, &c->name, err) ||
        gnt_doc_need(doc, at.text, object, "as", "what the column is", err) ||
        gnt_doc_choice(doc, at.text, object, "as", uses, sizeof uses / sizeof *uses, &c->use, err))
        return -1;
    while (n < 6 && keys[c->use][n])
        n++;
    if (gnt_doc_keys(doc, at.text, object, keys[c->use], n, err))
        return -1;
    for (size_t k = 0; k < i; k++)
        if (strcmp(t->column[k].name, c->name) == 0)
            return gnt_doc_fail(err, doc, at.text, "is the column \"%s\" a second time; remove one", c->name);
    if (c->use == NUMBER)
        return read_range(t, at.text, object, c, err);
    if (c->use == GROUP) {
        if (d->group_name)
            return gnt_doc_fail(err, doc, at.text, "is a second group; rows have one");
        return (d->group_name = data_keep_text(c->name)) ? 0 : gnt_fail(err, "%s: out of memory", doc->name);
    }
    if (c->use == IGNORED)
        return 0;
    if (read_names(t, at.text, object, c, err))
        return -1;
    if (c->use == LABEL && d->class_name)
        return gnt_doc_fail(err, doc, at.text, "is a second label; rows have one");
    if (c->use == LABEL) {
        d->class_name = c->value_name;
        d->classes = c->values;
    }
    if (c->use != ATTRIBUTE)
        return 0;
    c->attribute = d->n_attrs;
    return gnt_doc_bool(doc, at.text, object, "feature", &c->is_feature, err) ||
                   data_described_attribute(t->of, at.text, c->name, c->values, c->value_name, d, err)
               ? -1
               : 0;
}

static int read_columns(table *t, gnt_data *d, gnt_err *err) {
    int64_t features = 0;
    t->n = (int)json_array_size(t->of->columns);
    for (int i = 0; i < t->n; i++) {
        column *c = &t->column[i];
        if (read_column(t, (size_t)i, d, err))
            return -1;
        c->at = features;
        features += c->use == NUMBER ? 1 : c->use == CATEGORY || c->is_feature ? c->values : 0;
        if (c->is_feature) {
            d->attr[c->attribute].stated = (int32_t)c->at;
            d->attr[c->attribute].n_stated = c->values;
        }
    }
    if (!d->class_name)
        return gnt_doc_fail(err, &t->of->doc, "columns", "has no label; expected a column \"as\": \"label\"");
    if (features < 1)
        return gnt_doc_fail(err, &t->of->doc, "columns", "has no features; expected a number or a category");
    data_shape_table(d, features, d->classes);
    return 0;
}

/* ---- a file ---- */

/* Finds the columns of the file in its header line. */
static int read_header(table *t, const data_csv *csv, data_field line, gnt_err *err) {
    const int n = data_csv_split(csv, line, t->field, MOST_COLUMNS, err);
    if (n < 0)
        return -1;
    if (n != t->n)
        return gnt_fail(err,
                        "%s: line %zu: a header of %d columns, where the description has %d; list those that "
                        "are not used as \"ignored\"",
                        csv->b->path, csv->line, n, t->n);
    for (int f = 0; f < n; f++) {
        t->order[f] = -1;
        for (int i = 0; i < t->n; i++)
            if (data_field_is(t->field[f], t->column[i].name))
                t->order[f] = i;
        for (int k = 0; k < f; k++)
            if (t->order[k] == t->order[f])
                t->order[f] = -1;
        if (t->order[f] < 0)
            return data_csv_bad(
                csv, t->field[f], "a column of the header",
                "one that the description lists, once; list those that are not used as \"ignored\"", err);
    }
    return 0;
}

static int store_number(const table *t, const data_csv *csv, data_field f, const column *c, float *x,
                        gnt_err *err) {
    double v = 0;
    if (data_form_number(&t->form, csv, f, c->name, &v, err))
        return -1;
    const double share = (v - c->low) / (c->high - c->low);
    if (!c->clips && !(share >= 0 && share <= 1))
        return data_csv_bad(csv, f, c->name, "a number within its \"range\"; widen that, or set \"clip\"",
                            err);
    x[c->at] = (float)fmin(fmax(share, 0), 1);
    return 0;
}

/* Stores a field of row `row` (NULL: only reads it). */
static int store_field(const table *t, const data_csv *csv, data_field f, const column *c, gnt_data *d,
                       int64_t row, gnt_err *err) {
    int32_t which = 0;
    int64_t group = 0;
    float *x = d->table + row * d->features;
    if (c->use == IGNORED)
        return 0;
    if (c->use == NUMBER)
        return store_number(t, csv, f, c, x, err);
    if (c->use == GROUP) {
        if (data_csv_whole(csv, f, c->name, &group, err))
            return -1;
        d->group[row] = (int32_t)group;
        return 0;
    }
    if (data_csv_word(csv, f, c->name, c->value_name, c->values, "one of the \"values\" of its column",
                      &which, err))
        return -1;
    if (c->use == LABEL)
        d->label[row] = which;
    else if (c->use == ATTRIBUTE)
        d->attrs[row * d->n_attrs + c->attribute] = which;
    if (c->use == CATEGORY || c->is_feature)
        x[c->at + which] = 1;
    return 0;
}

/* Counts the rows without a missing value, and stores them from `row` on if `stores`. Returns the number,
 * −1 on error. */
static int64_t read_rows(table *t, const data_bytes *b, gnt_data *d, int stores, int64_t row, gnt_err *err) {
    data_csv csv = {.b = b, .most_line = MOST_LINE, .separator = t->form.separator};
    data_field line = {NULL, 0};
    int64_t n = 0;
    int more = data_csv_line(&csv, &line, err);
    if (more == 0)
        return gnt_fail(err, "%s: the file is empty; expected a header line", b->path);
    if (more < 0 || read_header(t, &csv, line, err))
        return -1;
    while ((more = data_csv_line(&csv, &line, err)) > 0) {
        int drop = 0;
        if (data_csv_record(&csv, line, t->field, t->n, "the header", err))
            return -1;
        for (int f = 0; f < t->n; f++)
            drop |= t->column[t->order[f]].use != IGNORED && data_form_misses(&t->form, t->field[f]);
        if (drop)
            continue;
        for (int f = 0; stores && f < t->n; f++)
            if (store_field(t, &csv, t->field[f], &t->column[t->order[f]], d, row + n, err))
                return -1;
        n++;
    }
    if (more == 0 && n == 0)
        return gnt_fail(err, "%s: the file has no row without a missing value", b->path);
    return more < 0 ? -1 : n;
}

static int read_files(table *t, gnt_data *d, gnt_err *err) {
    data_bytes b[3];
    int64_t rows[3] = {0, 0, 0}, from = 0;
    int rc = 0;
    memset(b, 0, sizeof b);
    for (int p = 0; rc == 0 && p < 3; p++) {
        const gnt_path at = gnt_path_key("parts", data_part_names[p]);
        char *file = t->of->part[p] ? data_described_file(t->of, at.text, t->of->part[p], err) : NULL;
        if (!t->of->part[p])
            continue;
        rc = file ? data_bytes_open(&b[p], t->of->folder, file + strlen(t->of->folder) + 1, MOST_BYTES, err)
                  : -1;
        gnt_free(file);
        if (rc == 0)
            rc = (rows[p] = read_rows(t, &b[p], d, 0, 0, err)) < 0 ? -1 : 0;
    }
    if (rc == 0)
        rc = data_reserve(d, rows, err);
    for (int p = 0; p < 3; from += rows[p++]) {
        if (rc == 0 && b[p].at)
            rc = read_rows(t, &b[p], d, 1, from, err) < 0 ? -1 : 0;
        data_bytes_free(&b[p]);
    }
    return rc;
}

int data_described_table(const data_description *of, gnt_data *d, gnt_err *err) {
    table *t = gnt_alloc(sizeof *t);
    if (!t)
        return gnt_fail(err, "%s: out of memory", of->doc.name);
    t->of = of;
    const int rc =
        data_form_read(&t->form, of, err) || read_columns(t, d, err) || read_files(t, d, err) ? -1 : 0;
    gnt_free(t);
    return rc;
}
