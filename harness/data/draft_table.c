/* Drafts for CSV files: tables, and lists of pictures. What a column is follows from its name and its
 * fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/described_form.h"
#include "data/draft.h"
#include "data/image_folders.h"

enum {
    MOST_COLUMNS = 1024,
    MOST_LINE = 1 << 20,
    MOST_BYTES = 512 << 20,
    MOST_VALUES = 256, /* different fields of a column that are kept */
    MOST_CATEGORY = 64,
    LOOKED_AT = 8,
    MOST_PATH = 255
};

static const char *const missing_texts[] = {"", "?", "NA", "N/A", "nan", "NaN", "NULL", "null"};
enum { MISSING_TEXTS = sizeof missing_texts / sizeof *missing_texts };

typedef struct column {
    char name[GNT_DATA_NAME];
    data_field value[MOST_VALUES]; /* without missing ones; n_values > MOST_VALUES: there are more */
    int n_values, is_number, is_comma_number, is_whole, is_unfit;
    double low, high;
    /* is_unfit: one of its texts cannot be the name of a value */
    const char *as; /* what it becomes; NULL: not decided */
} column;

typedef struct sheet {
    data_draft *draft;
    const char *file[3]; /* of the parts; only the first: one file for all */
    data_bytes bytes[3];
    data_form form;
    column *column;
    int n, has_missing[MISSING_TEXTS];
    data_field field[MOST_COLUMNS];
} sheet;

/* ---- reading ---- */

static char separator_of(data_field line) {
    static const char all[] = {',', ';', '\t'};
    size_t most = 0;
    char best = ',';
    for (size_t k = 0; k < sizeof all; k++) {
        size_t n = 0;
        for (size_t i = 0; i < line.n; i++)
            n += line.at[i] == all[k];
        if (n > most) {
            most = n;
            best = all[k];
        }
    }
    return best;
}

static int is_missing(sheet *s, data_field f) {
    for (int i = 0; i < MISSING_TEXTS; i++)
        if (data_field_is(f, missing_texts[i]))
            return s->has_missing[i] = 1;
    return 0;
}

static int same_field(data_field a, data_field b) {
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

/* True for a text that can be the name of a column or a value. */
static int is_name(data_field f) {
    char text[GNT_DATA_NAME];
    if (f.n >= sizeof text || memchr(f.at, 0, f.n))
        return 0;
    memcpy(text, f.at, f.n);
    text[f.n] = 0;
    return gnt_text_ok(text, 1, sizeof text - 1);
}

static void see(const data_csv *csv, column *c, data_field f) {
    static const data_form dot = {.decimal_comma = 0}, comma = {.decimal_comma = 1};
    double v = 0;
    int64_t whole = 0;
    int known = c->n_values > MOST_VALUES;
    for (int i = 0; !known && i < c->n_values; i++)
        known = same_field(c->value[i], f);
    if (!known && c->n_values < MOST_VALUES)
        c->value[c->n_values] = f;
    c->is_unfit |= !is_name(f);
    const int is_first = c->n_values == 0;
    c->n_values += !known;
    c->is_whole = c->is_whole && data_csv_whole(csv, f, c->name, &whole, NULL) == 0;
    const int is_dot = c->is_number && data_form_number(&dot, csv, f, c->name, &v, NULL) == 0;
    const int is_comma =
        !is_dot && c->is_comma_number && data_form_number(&comma, csv, f, c->name, &v, NULL) == 0;
    c->is_number = is_dot;
    c->is_comma_number =
        c->is_comma_number && (is_comma || data_form_number(&comma, csv, f, c->name, &v, NULL) == 0);
    if (is_first || v < c->low)
        c->low = v;
    if (is_first || v > c->high)
        c->high = v;
}

static int read_header(sheet *s, data_csv *csv, gnt_err *err) {
    data_field line;
    const int more = data_csv_line(csv, &line, err);
    if (more <= 0)
        return more ? -1 : gnt_fail(err, "%s: the file is empty; expected a header line", csv->b->path);
    if (!s->column)
        s->form.separator = separator_of(line);
    csv->separator = s->form.separator;
    const int n = data_csv_split(csv, line, s->field, MOST_COLUMNS, err);
    if (n < 0)
        return -1;
    if (n < 2 || n > MOST_COLUMNS || (s->column && n != s->n))
        return gnt_fail(err, "%s: a header of %d columns; expected 2 to %d, the same in all parts",
                        csv->b->path, n, MOST_COLUMNS);
    for (int i = 0; s->column && i < n; i++)
        if (!data_field_is(s->field[i], s->column[i].name))
            return data_csv_bad(csv, s->field[i], "a column of the header",
                                "the columns of the train part, in their order", err);
    if (s->column)
        return 0;
    s->n = n;
    s->column = gnt_array((size_t)n, sizeof *s->column);
    for (int i = 0; s->column && i < n; i++) {
        const data_field f = s->field[i];
        column *c = &s->column[i];
        if (!is_name(f))
            return data_csv_bad(csv, f, "the name of a column",
                                "a text of 1 to 63 bytes; give the column a name", err);
        memcpy(c->name, f.at, f.n);
        c->is_number = c->is_comma_number = c->is_whole = 1;
    }
    return s->column ? 0 : gnt_fail(err, "%s: out of memory", csv->b->path);
}

static int read_file(sheet *s, int part, gnt_err *err) {
    data_csv csv = {.b = &s->bytes[part], .most_line = MOST_LINE};
    data_field line;
    int more = 0;
    if (data_bytes_open(&s->bytes[part], s->draft->folder, s->file[part], MOST_BYTES, err) ||
        read_header(s, &csv, err))
        return -1;
    while ((more = data_csv_line(&csv, &line, err)) > 0) {
        if (data_csv_record(&csv, line, s->field, s->n, "the header", err))
            return -1;
        for (int i = 0; i < s->n; i++)
            if (!is_missing(s, s->field[i]))
                see(&csv, &s->column[i], s->field[i]);
    }
    return more;
}

/* ---- deciding ---- */

static int is_called(const column *c, const char *const *names) {
    int is = 0;
    for (; *names; names++)
        is |= strcasecmp(c->name, *names) == 0;
    return is;
}

static int has_values(const column *c, int most) {
    return c->n_values >= 2 && c->n_values <= most && !c->is_unfit;
}

static int by_field(const void *a, const void *b) {
    const data_field *x = a, *y = b;
    const int order = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static int by_length(const void *a, const void *b) { /* whole numbers */
    const data_field *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : by_field(a, b);
}

static json_t *values_of(column *c) {
    json_t *values = json_array();
    qsort(c->value, (size_t)c->n_values, sizeof *c->value, c->is_whole ? by_length : by_field);
    for (int i = 0; i < c->n_values; i++)
        json_array_append_new(values, json_stringn(c->value[i].at, c->value[i].n));
    return values;
}

/* Chooses the column of labels: by its name, else the last that has few values. */
static void choose_label(sheet *s) {
    static const char *const names[] = {"label", "class", "target", "y", "outcome", "category", NULL};
    column *label = NULL;
    int is_named = 0;
    for (int i = 0; i < s->n; i++) {
        column *c = &s->column[i];
        const int named = is_called(c, names);
        if (c->as || !has_values(c, MOST_VALUES) || (is_named && !named))
            continue;
        label = named && is_named ? label : c;
        is_named |= named;
    }
    if (!label)
        data_draft_note(s->draft, "columns: no column has 2 to %d different values, so none can be the label",
                        MOST_VALUES);
    else {
        label->as = "label";
        if (!is_named)
            data_draft_note(
                s->draft,
                "columns: the label is %s, the last column with few values; change \"as\" if it is "
                "another",
                label->name);
    }
}

static void choose_groups(sheet *s, int whole_alone) {
    int has_group = 0;
    for (int i = 0; i < s->n; i++) {
        column *c = &s->column[i];
        if (c->as || has_group || !data_draft_is_group(c->name))
            continue;
        if (whole_alone && !c->is_whole) {
            data_draft_note(s->draft, "columns: %s could be the group, but tables have whole numbers there",
                            c->name);
            continue;
        }
        c->as = "group";
        has_group = 1;
    }
    if (!has_group)
        data_draft_note(s->draft,
                        "columns: no column says who a row is of; if one does, make it the \"group\"");
}

static void choose_attributes(sheet *s, const char *others) {
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        column *c = &s->column[i];
        if (c->as || n == GNT_DATA_ATTRS || !data_draft_is_private(c->name) || !has_values(c, MOST_CATEGORY))
            continue;
        c->as = "attribute";
        n++;
    }
    if (n == 0)
        data_draft_note(s->draft, "columns: no private attribute was found by its name; make %s one", others);
}

/* ---- writing ---- */

/* Rounds outwards to two figures of the width. */
static json_t *range_of(const column *c) {
    const double step = pow(10, floor(log10(c->high - c->low)) - 1);
    const double low = floor(c->low / step) * step, high = ceil(c->high / step) * step;
    return json_pack("[f, f]", low, high);
}

static json_t *table_column(sheet *s, column *c) {
    json_t *one = json_pack("{s:s, s:s}", "column", c->name, "as", c->as);
    if (strcmp(c->as, "number") == 0)
        json_object_set_new(one, "range", range_of(c));
    if (strcmp(c->as, "label") == 0 || strcmp(c->as, "category") == 0 || strcmp(c->as, "attribute") == 0)
        json_object_set_new(one, "values", values_of(c));
    if (strcmp(c->as, "attribute") == 0)
        json_object_set_new(one, "feature", json_true());
    (void)s;
    return one;
}

static void put_form(sheet *s) {
    const char separator[2] = {s->form.separator, 0};
    if (s->form.separator != ',')
        data_draft_set(s->draft, "separator", json_string(separator));
    if (s->form.decimal_comma)
        data_draft_set(s->draft, "decimal", json_string(","));
    json_t *missing = json_array();
    for (int i = 0; i < MISSING_TEXTS; i++)
        if (s->has_missing[i])
            json_array_append_new(missing, json_string(missing_texts[i]));
    if (json_array_size(missing))
        data_draft_set(s->draft, "missing", missing);
    else
        json_decref(missing);
}

static void draft_columns(sheet *s) {
    static const char *const rows[] = {"id", "index", "row", "unnamed: 0", NULL};
    json_t *columns = json_array();
    for (int i = 0; i < s->n; i++)
        if (is_called(&s->column[i], rows))
            s->column[i].as = "ignored";
    choose_groups(s, 1);
    choose_label(s);
    choose_attributes(s, "a category");
    for (int i = 0; i < s->n; i++) {
        column *c = &s->column[i];
        if (!c->as && c->n_values >= 2 && (s->form.decimal_comma ? c->is_comma_number : c->is_number) &&
            c->low < c->high)
            c->as = "number";
        else if (!c->as && has_values(c, MOST_CATEGORY))
            c->as = "category";
        else if (!c->as) {
            c->as = "ignored";
            data_draft_note(s->draft, "columns: %s has %s, so it is ignored", c->name,
                            c->n_values < 2 ? "one value alone"
                            : c->is_unfit   ? "texts that cannot name values"
                                            : "too many different texts for a category");
        }
        json_array_append_new(columns, table_column(s, c));
    }
    data_draft_set(s->draft, "columns", columns);
}

static int draft_table(sheet *s) {
    data_draft_set(s->draft, "kind", json_string("tabular"));
    put_form(s);
    draft_columns(s);
    const char *test = s->file[GNT_PART_TEST] ? s->file[GNT_PART_TEST] : "test.csv";
    data_draft_set(
        s->draft, "parts",
        json_pack("{s:s, s:s, s:s*}", "train", s->file[0], "test", test, "public", s->file[GNT_PART_PUBLIC]));
    if (!s->file[GNT_PART_TEST])
        data_draft_note(
            s->draft,
            "parts: there is no test part; move some rows of %s into test.csv, with the header line",
            s->file[0]);
    data_draft_note(
        s->draft,
        "columns: ranges are those of these files, rounded; state what the columns can have, so that "
        "ranges do not depend on private rows");
    return 1;
}

/* ---- a list of pictures ---- */

static void put_parts(sheet *s, json_t *one, const column *c) {
    static const char *const train[] = {"train", "training", "0", NULL},
                             *const test[] = {"test", "testing", "2", NULL},
                             *const others[] = {"val", "valid", "validation", "public", "1", NULL},
                             *const *const of[] = {train, test, others, NULL};
    static const char *const key[] = {"train", "test", "public", "unused"};
    json_t *list[4] = {json_array(), json_array(), json_array(), json_array()};
    for (int i = 0; i < c->n_values && i < MOST_VALUES; i++) {
        int part = 3;
        for (int p = 0; p < 3; p++)
            for (const char *const *word = of[p]; *word; word++)
                if (strlen(*word) == c->value[i].n && strncasecmp(*word, c->value[i].at, c->value[i].n) == 0)
                    part = p;
        json_array_append_new(list[part], json_stringn(c->value[i].at, c->value[i].n));
    }
    for (int p = 0; p < 4; p++) {
        if (json_array_size(list[p]))
            json_object_set_new(one, key[p], list[p]);
        else {
            if (p < 2)
                data_draft_note(s->draft,
                                "columns: no text of %s is known to mean the %s part; say which does",
                                c->name, key[p]);
            json_decref(list[p]);
        }
    }
}

static json_t *list_column(sheet *s, column *c) {
    json_t *one = json_pack("{s:s, s:s}", "column", c->name, "as", c->as);
    if (strcmp(c->as, "label") == 0 || strcmp(c->as, "attribute") == 0)
        json_object_set_new(one, "values", values_of(c));
    if (strcmp(c->as, "part") == 0)
        put_parts(s, one, c);
    return one;
}

/* Makes four columns a box if all are there. */
static void choose_box(sheet *s) {
    static const char *const as[] = {"left", "top", "width", "height"}, *const of[2][4] = {
                                                                            {"left", "top", "width",
                                                                             "height"},
                                                                            {"x", "y", "w", "h"}};
    for (int form = 0; form < 2; form++) {
        column *found[4] = {NULL};
        int n = 0;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < s->n; i++)
                if (!s->column[i].as && s->column[i].is_whole &&
                    strcasecmp(s->column[i].name, of[form][k]) == 0)
                    found[k] = &s->column[i];
        for (int k = 0; k < 4; k++)
            n += found[k] != NULL;
        for (int k = 0; n == 4 && k < 4; k++)
            found[k]->as = as[k];
    }
}

static int draft_list(sheet *s, column *files, gnt_err *err) {
    static const char *const parts[] = {"part", "split", "partition", "set", "subset", NULL};
    char first[LOOKED_AT][MOST_PATH + 1];
    const char *path[LOOKED_AT];
    size_t n = 0;
    int has_part = 0;
    for (; n < LOOKED_AT && n < (size_t)files->n_values && files->value[n].n <= MOST_PATH; n++) {
        memcpy(first[n], files->value[n].at, files->value[n].n);
        first[n][files->value[n].n] = 0;
        path[n] = first[n];
    }
    char *place = n ? data_draft_place(s->draft, first[0]) : NULL;
    if (!place)
        return gnt_fail(err, "%s/%s: names pictures, but there is no %s in this folder or the folders in it",
                        s->draft->folder, s->file[0], n ? first[0] : "file");
    data_draft_set(s->draft, "kind", json_string("image"));
    const int rc = data_draft_images(s->draft, place, path, n, err);
    gnt_free(place);
    if (rc != 0)
        return -1;
    put_form(s);
    files->as = "file";
    for (int i = 0; i < s->n && !s->file[GNT_PART_TEST]; i++)
        if (!has_part && !s->column[i].as && is_called(&s->column[i], parts) &&
            has_values(&s->column[i], 8)) {
            s->column[i].as = "part";
            has_part = 1;
        }
    choose_box(s);
    choose_groups(s, 0);
    choose_label(s);
    choose_attributes(s, "another column");
    json_t *columns = json_array();
    for (int i = 0; i < s->n; i++) {
        if (s->column[i].as)
            json_array_append_new(columns, list_column(s, &s->column[i]));
        else
            data_draft_note(s->draft, "columns: %s is not used", s->column[i].name);
    }
    if (s->file[GNT_PART_TEST])
        data_draft_set(s->draft, "parts",
                       json_pack("{s:s, s:s, s:s*}", "train", s->file[0], "test", s->file[GNT_PART_TEST],
                                 "public", s->file[GNT_PART_PUBLIC]));
    else
        data_draft_set(s->draft, "list", json_string(s->file[0]));
    data_draft_set(s->draft, "columns", columns);
    if (!s->file[GNT_PART_TEST] && !has_part)
        data_draft_split(s->draft, "the group of a row, or else the name of its file,");
    return 1;
}

/* ---- which files there are ---- */

/* Returns the name of the only CSV file; NULL: there is none, or several. */
static const char *only_csv(const data_draft *draft) {
    const char *found = NULL;
    for (size_t i = 0; i < draft->in.n; i++) {
        const char *dot = strrchr(draft->in.at[i], '.');
        if (!dot || (strcasecmp(dot, ".csv") != 0 && strcasecmp(dot, ".tsv") != 0))
            continue;
        if (found)
            return NULL;
        found = draft->in.at[i];
    }
    return found;
}

int data_draft_table(data_draft *draft, gnt_err *err) {
    static const char *const stems[3][2] = {{"train", NULL}, {"test", NULL}, {"public", NULL}},
                             *const ends[] = {".csv", ".tsv", NULL};
    sheet *s = gnt_alloc(sizeof *s);
    int rc = s ? 0 : gnt_fail(err, "%s: out of memory", draft->folder);
    if (rc != 0)
        return -1;
    s->draft = draft;
    for (int p = 0; p < 3; p++)
        s->file[p] = data_draft_find(draft, stems[p], ends);
    if (!s->file[0]) {
        s->file[0] = only_csv(draft);
        s->file[1] = s->file[2] = NULL;
    }
    const int is_there = s->file[0] != NULL;
    for (int p = 0; rc == 0 && p < 3; p++)
        if (s->file[p])
            rc = read_file(s, p, err);
    column *files = NULL;
    for (int i = 0; rc == 0 && is_there && i < s->n; i++) {
        column *c = &s->column[i];
        s->form.decimal_comma |=
            s->form.separator != ',' && c->n_values && c->is_comma_number && !c->is_number;
        char name[MOST_PATH + 1] = "";
        if (c->n_values && c->value[0].n <= MOST_PATH)
            memcpy(name, c->value[0].at, c->value[0].n);
        if (!files && data_is_image_name(name))
            files = c;
    }
    if (rc == 0 && is_there)
        rc = files ? draft_list(s, files, err) : draft_table(s);
    for (int p = 0; p < 3; p++)
        data_bytes_free(&s->bytes[p]);
    gnt_free(s->column);
    gnt_free(s);
    return rc;
}
