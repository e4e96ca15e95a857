#include "data/image_list.h"

#include <string.h>

#include "base/mem.h"
#include "data/described_form.h"
#include "data/face_lists.h"
#include "data/kept_texts.h"
#include "data/source.h"

enum { MOST_LISTED = 64, MOST_COLUMNS = 4096, MOST_LINE = 1 << 16, MOST_BYTES = 512 << 20, MOST_ABOVE = 32 };

enum { FILE_NAME, LABEL, ATTRIBUTE, GROUP, PART, LEFT, TOP, WIDTH, HEIGHT, MAP, MASK, USES };
static const char *const uses[USES] = {"file", "label", "attribute", "group", "part", "left",
                                       "top",  "width", "height",    "map",   "mask"};
/* What stands for the parts in a column; a row with an "unused" text is in none. */
enum { UNUSED = 3, PARTS };
static const char *const part_keys[PARTS] = {"train", "test", "public", "unused"};

/* A column that the description names. One of the list may be named for several uses. */
typedef struct column {
    const char *name;
    int use;
    int32_t values, attribute;
    const char *const *value_name;
    double above[MOST_ABOVE]; /* a score's value is the number of these that it is above */
    size_t n_above;
    const json_t *part[PARTS];
    int at; /* which of the list's columns it is */
} column;

typedef struct list {
    const data_description *of;
    data_form form;
    column column[MOST_LISTED];
    int n, use[USES]; /* whether there is a column of each use */
    data_field field[MOST_COLUMNS];
} list;

/* ---- the description ---- */

static int read_above(list *l, const char *path, const json_t *object, column *c, gnt_err *err) {
    const json_t *value = json_object_get(object, "above");
    const gnt_path at = gnt_path_key(path, "above");
    if (!value)
        return 0;
    const int is_list = json_is_array(value);
    c->n_above = is_list ? json_array_size(value) : 1;
    if (c->n_above < 1 || c->n_above > MOST_ABOVE)
        return gnt_doc_fail(err, &l->of->doc, at.text, "is %s; expected a number, or a list of 1 to %d",
                            gnt_show(value).text, MOST_ABOVE);
    for (size_t i = 0; i < c->n_above; i++) {
        const gnt_path item = is_list ? gnt_path_item(at.text, i) : at;
        if (gnt_doc_real_at(&l->of->doc, item.text, is_list ? json_array_get(value, i) : value, -1e15, 1e15,
                            &c->above[i], err))
            return -1;
        if (i > 0 && c->above[i] <= c->above[i - 1])
            return gnt_doc_fail(err, &l->of->doc, item.text,
                                "is not above the number before it; expected them to rise");
    }
    if (c->values != (int32_t)c->n_above + 1)
        return gnt_doc_fail(err, &l->of->doc, at.text,
                            "divides scores into %zu values, but \"values\" has %d", c->n_above + 1,
                            c->values);
    return 0;
}

static int read_part_column(list *l, const char *path, const json_t *object, column *c, gnt_err *err) {
    for (int p = 0; p < PARTS; p++) {
        const gnt_path at = gnt_path_key(path, part_keys[p]);
        if (gnt_doc_list(&l->of->doc, path, object, part_keys[p], 1, MOST_LISTED, &c->part[p], err))
            return -1;
        for (size_t i = 0; i < json_array_size(c->part[p]); i++)
            if (!json_is_string(json_array_get(c->part[p], i)))
                return gnt_doc_fail(err, &l->of->doc, gnt_path_item(at.text, i).text,
                                    "is %s; expected a text that the column has",
                                    gnt_show(json_array_get(c->part[p], i)).text);
    }
    return 0;
}

static int read_name(list *l, const char *path, const json_t *object, const char **name, gnt_err *err) {
    return gnt_doc_text(&l->of->doc, path, object, "name", GNT_DATA_NAME - 1, name, err);
}

/* Sets what a column is to the set: its label, an attribute, its groups. */
static int take_column(list *l, const char *path, const json_t *object, column *c, gnt_data *d,
                       gnt_err *err) {
    const char *name = c->name;
    if (c->use == PART)
        return read_part_column(l, path, object, c, err);
    if (c->use == GROUP) {
        if (read_name(l, path, object, &name, err))
            return -1;
        return (d->group_name = data_keep_text(name)) ? 0
                                                      : gnt_fail(err, "%s: out of memory", l->of->doc.name);
    }
    if (c->use != LABEL && c->use != ATTRIBUTE)
        return 0;
    if (data_described_values(l->of, path, object, "values", &c->values, &c->value_name, err) ||
        read_above(l, path, object, c, err))
        return -1;
    if (c->use == LABEL) {
        d->classes = c->values;
        d->class_name = c->value_name;
        return 0;
    }
    c->attribute = d->n_attrs;
    return read_name(l, path, object, &name, err) ||
                   data_described_attribute(l->of, path, name, c->values, c->value_name, d, err)
               ? -1
               : 0;
}

static int read_column(list *l, size_t i, gnt_data *d, gnt_err *err) {
    static const char *const of_label[] = {"column", "as", "values", "above"},
                             *const of_attribute[] = {"column", "as", "values", "above", "name"},
                             *const of_group[] = {"column", "as", "name"},
                             *const of_part[] = {"column", "as", "train", "test", "public", "unused"};
    static const struct {
        const char *const *key;
        size_t n;
    } keys[USES] = {[FILE_NAME] = {of_label, 2}, [LABEL] = {of_label, 4}, [ATTRIBUTE] = {of_attribute, 5},
                    [GROUP] = {of_group, 3},     [PART] = {of_part, 6},   [LEFT] = {of_label, 2},
                    [TOP] = {of_label, 2},       [WIDTH] = {of_label, 2}, [HEIGHT] = {of_label, 2},
                    [MAP] = {of_label, 2},       [MASK] = {of_label, 2}};
    const gnt_doc *doc = &l->of->doc;
    const json_t *object = json_array_get(l->of->columns, i);
    const gnt_path at = gnt_path_item("columns", i);
    column *c = &l->column[i];
    *c = (column){.attribute = -1};
    if (!json_is_object(object))
        return gnt_doc_fail(err, doc, at.text, "is %s; expected an object", gnt_show(object).text);
    if (gnt_doc_need(doc, at.text, object, "column", "its name in the header line", err) ||
        gnt_doc_text(doc, at.text, object, "column", GNT_DATA_NAME - 1, &c->name, err) ||
        gnt_doc_need(doc, at.text, object, "as", "what the column is", err) ||
        gnt_doc_choice(doc, at.text, object, "as", uses, USES, &c->use, err) ||
        gnt_doc_keys(doc, at.text, object, keys[c->use].key, keys[c->use].n, err))
        return -1;
    if (c->use != ATTRIBUTE && l->use[c->use])
        return gnt_doc_fail(err, doc, at.text, "is a second %s; rows have one", uses[c->use]);
    l->use[c->use] = 1;
    return take_column(l, at.text, object, c, d, err);
}

static int read_columns(list *l, gnt_data *d, gnt_err *err) {
    const gnt_doc *doc = &l->of->doc;
    const size_t n = json_array_size(l->of->columns);
    if (n > MOST_LISTED)
        return gnt_doc_fail(err, doc, "columns",
                            "is a list of %zu; expected at most %d, name those alone that are used", n,
                            MOST_LISTED);
    for (size_t i = 0; i < n; i++)
        if (read_column(l, i, d, err))
            return -1;
    l->n = (int)n;
    const int *use = l->use, boxes = use[LEFT] + use[TOP] + use[WIDTH] + use[HEIGHT];
    if (!use[FILE_NAME])
        return gnt_doc_fail(err, doc, "columns", "has no file; expected a column \"as\": \"file\"");
    if (use[MAP] != use[MASK])
        return gnt_doc_fail(err, doc, "columns",
                            "has a %s alone; expected a column of maps and one of masks, or none",
                            use[MAP] ? "map" : "mask");
    if (use[LABEL] == use[MAP])
        return gnt_doc_fail(err, doc, "columns",
                            use[MAP] ? "has a label and maps; expected one of them"
                                     : "has no label; expected a column \"as\": \"label\"");
    if (boxes != 0 && boxes != 4)
        return gnt_doc_fail(err, doc, "columns",
                            "has %d of left, top, width and height; expected all of them, or none", boxes);
    d->has_maps = use[MAP];
    return 0;
}

/* ---- a list ---- */

/* Finds the columns in the header line. Returns how many columns the list has; −1 on error. */
static int read_header(list *l, data_csv *csv, gnt_err *err) {
    data_field line;
    const int more = data_csv_line(csv, &line, err);
    if (more <= 0)
        return more ? -1 : gnt_fail(err, "%s: the list is empty; expected a header line", csv->b->path);
    const int n = data_csv_split(csv, line, l->field, MOST_COLUMNS, err);
    if (n > MOST_COLUMNS)
        return gnt_fail(err, "%s: line %zu: a header of %d columns; expected at most %d", csv->b->path,
                        csv->line, n, MOST_COLUMNS);
    for (int i = 0; n > 0 && i < l->n; i++) {
        int found = 0;
        for (int f = 0; f < n; f++)
            if (data_field_is(l->field[f], l->column[i].name)) {
                l->column[i].at = f;
                found++;
            }
        if (found != 1)
            return gnt_fail(err, "%s: line %zu: the header has %s \"%s\"; expected one, as columns[%d] says",
                            csv->b->path, csv->line, found ? "more than one column" : "no column",
                            l->column[i].name, i);
    }
    return n;
}

static int read_value(const list *l, const data_csv *csv, data_field f, const column *c, int32_t *out,
                      gnt_err *err) {
    double score = 0;
    int64_t whole = 0;
    if (c->n_above) {
        if (data_form_number(&l->form, csv, f, c->name, &score, err))
            return -1;
        for (size_t i = 0; i < c->n_above; i++)
            *out += score > c->above[i];
        return 0;
    }
    if (c->value_name)
        return data_csv_word(csv, f, c->name, c->value_name, c->values, "one of the \"values\" of its column",
                             out, err);
    if (data_csv_whole(csv, f, c->name, &whole, err))
        return -1;
    if (whole >= c->values)
        return data_csv_bad(csv, f, c->name, "a whole number below the \"values\" of its column", err);
    *out = (int32_t)whole;
    return 0;
}

static int read_part(const data_csv *csv, data_field f, const column *c, int32_t *out, gnt_err *err) {
    const int is_stated = c->part[0] || c->part[1] || c->part[2];
    for (int p = 0; p < PARTS; p++) {
        int is = !is_stated && p < UNUSED && data_field_is(f, part_keys[p]);
        for (size_t i = 0; i < json_array_size(c->part[p]); i++)
            is |= data_field_is(f, json_string_value(json_array_get(c->part[p], i)));
        if (is) {
            *out = p == UNUSED ? -1 : p;
            return 0;
        }
    }
    return data_csv_bad(
        csv, f, c->name,
        is_stated ? "one of the texts that its column has for \"train\", \"test\", \"public\" or \"unused\""
                  : "train, test or public, or the column's own texts for \"train\" and \"test\"",
        err);
}

static int read_path(const data_csv *csv, data_field f, const column *c, data_field *out, gnt_err *err) {
    char path[DATA_MOST_PATH + 1];
    int is_plain = f.n >= 1 && f.n <= DATA_MOST_PATH;
    for (size_t i = 0; is_plain && i < f.n; i++)
        is_plain = (unsigned char)f.at[i] >= 0x20;
    if (is_plain) {
        memcpy(path, f.at, f.n);
        path[f.n] = 0;
    }
    *out = f;
    return is_plain && data_stays_below(path)
               ? 0
               : data_csv_bad(csv, f, c->name, "a path that begins in the folder of pictures, without \"..\"",
                              err);
}

static int read_pixels(const data_csv *csv, data_field f, const column *c, int least, int32_t *out,
                       gnt_err *err) {
    int64_t v = 0;
    if (data_csv_whole(csv, f, c->name, &v, err))
        return -1;
    if (v < least || v > DATA_BITMAP_MOST_SIDE)
        return data_csv_bad(csv, f, c->name, least ? "1 to 10000 pixels" : "0 to 10000 pixels", err);
    *out = (int32_t)v;
    return 0;
}

static int read_field(const list *l, const data_csv *csv, const column *c, data_image_row *row,
                      gnt_err *err) {
    const data_field f = l->field[c->at];
    switch (c->use) {
    case FILE_NAME:
        return read_path(csv, f, c, &row->file, err);
    case MAP:
        return read_path(csv, f, c, &row->map, err);
    case MASK:
        return read_path(csv, f, c, &row->mask, err);
    case LABEL:
        return read_value(l, csv, f, c, &row->label, err);
    case ATTRIBUTE:
        return read_value(l, csv, f, c, &row->attr[c->attribute], err);
    case GROUP:
        row->group = f;
        return f.n ? 0 : data_csv_bad(csv, f, c->name, "a number or a name", err);
    case PART:
        return read_part(csv, f, c, &row->part, err);
    case LEFT:
        return read_pixels(csv, f, c, 0, &row->box.left, err);
    case TOP:
        return read_pixels(csv, f, c, 0, &row->box.top, err);
    case WIDTH:
        return read_pixels(csv, f, c, 1, &row->box.wide, err);
    default:
        return read_pixels(csv, f, c, 1, &row->box.high, err);
    }
}

/* Adds the rows of list `number` without a missing value. */
static int read_rows(list *l, data_image_rows *rows, int number, int part, gnt_err *err) {
    const data_bytes *b = &rows->list[number];
    data_csv csv = {.b = b,
                    .most_line = MOST_LINE,
                    .separator = l->form.separator,
                    .has_no_offsets = !json_is_string(json_object_get(l->of->doc.root, "list")) &&
                                      json_object_get(l->of->doc.root, "list")};
    data_field line;
    int more, columns = read_header(l, &csv, err);
    if (columns < 0)
        return -1;
    while ((more = data_csv_line(&csv, &line, err)) > 0) {
        int drop = 0;
        if (data_csv_record(&csv, line, l->field, columns, "the header", err))
            return -1;
        for (int i = 0; i < l->n; i++)
            drop |= data_form_misses(&l->form, l->field[l->column[i].at]);
        if (drop)
            continue;
        data_image_row *row = data_image_rows_add(rows, b->path, err);
        if (!row)
            return -1;
        row->part = part;
        row->list = number;
        row->line = (int32_t)csv.line;
        for (int i = 0; i < l->n; i++)
            if (read_field(l, &csv, &l->column[i], row, err))
                return -1;
    }
    return more;
}

/* ---- which lists there are ---- */

static int open_csv(const data_description *of, const char *path, const json_t *value, data_bytes *out,
                    gnt_err *err) {
    char *file = data_described_file(of, path, value, err);
    const int rc =
        file ? data_bytes_open(out, of->folder, file + strlen(of->folder) + 1, MOST_BYTES, err) : -1;
    gnt_free(file);
    return rc;
}

/* Opens the lists of CelebA or LFW as the object describes them. */
static int open_published(const data_description *of, const json_t *object, data_bytes *out, gnt_err *err) {
    static const char *const keys[2][4] = {{"format", "attributes", "partition", "identity"},
                                           {"format", "attributes", "flat"}},
                             *const formats[] = {"celeba", "lfw"};
    char *file[3] = {NULL, NULL, NULL};
    int format = 0, flat = 0, rc = 0;
    if (!json_is_object(object))
        return gnt_doc_fail(
            err, &of->doc, "list",
            "is %s; expected the path of a CSV file, or an object such as {\"format\": \"celeba\", "
            "\"attributes\": \"list_attr_celeba.txt\"}",
            gnt_show(object).text);
    if (gnt_doc_need(&of->doc, "list", object, "format", "celeba or lfw", err) ||
        gnt_doc_choice(&of->doc, "list", object, "format", formats, 2, &format, err) ||
        gnt_doc_keys(&of->doc, "list", object, keys[format], format == 0 ? 4 : 3, err) ||
        gnt_doc_need(&of->doc, "list", object, "attributes", "the path of the list of attributes", err) ||
        gnt_doc_bool(&of->doc, "list", object, "flat", &flat, err))
        return -1;
    for (int i = 0; rc == 0 && i < (format == 0 ? 3 : 1); i++) {
        const json_t *value = json_object_get(object, keys[0][i + 1]);
        if (value &&
            !(file[i] = data_described_file(of, gnt_path_key("list", keys[0][i + 1]).text, value, err)))
            rc = -1;
    }
    if (rc == 0)
        rc = format == 0 ? data_celeba_table(out, file[0], file[1], file[2], err)
                         : data_lfw_table(out, file[0], flat, err);
    for (int i = 0; i < 3; i++)
        gnt_free(file[i]);
    return rc;
}

/* Refuses descriptions that say twice, or not at all, which part a row is in. */
static int check_parts(const list *l, gnt_err *err) {
    const gnt_doc *doc = &l->of->doc;
    const int has_list = json_object_get(doc->root, "list") != NULL,
              has_split = json_object_get(doc->root, "split") != NULL, has_parts = l->of->part[0] != NULL;
    if (has_list && has_parts)
        return gnt_doc_fail(err, doc, "list", "is there, and so is \"parts\"; expected one of them");
    if (!has_list && !has_parts)
        return gnt_doc_fail(err, doc, "",
                            "has neither \"list\", a list of all pictures, nor \"parts\", one for each part");
    if (l->use[PART] + has_split + has_parts != 1)
        return gnt_doc_fail(err, doc, has_split ? "split" : "columns",
                            "%s; expected one of: \"parts\", a column \"as\": \"part\", \"split\"",
                            l->use[PART] + has_split + has_parts
                                ? "is not all that says which part a row is in"
                                : "does not say which part a row is in");
    return 0;
}

/* Reads how lists are written; those of CelebA and LFW have one form. */
static int read_form(list *l, gnt_err *err) {
    static const char *const of_text[] = {"separator", "decimal"};
    const json_t *value = json_object_get(l->of->doc.root, "list");
    for (int i = 0; value && !json_is_string(value) && i < 2; i++)
        if (json_object_get(l->of->doc.root, of_text[i]))
            return gnt_doc_fail(err, &l->of->doc, of_text[i], "is of CSV files; remove it");
    if (data_form_read(&l->form, l->of, err))
        return -1;
    if (value && !json_is_string(value))
        l->form.separator = '\t';
    return 0;
}

static int read_lists(list *l, data_image_rows *rows, gnt_err *err) {
    const json_t *value = json_object_get(l->of->doc.root, "list");
    if (value)
        return (json_is_string(value) ? open_csv(l->of, "list", value, &rows->list[0], err)
                                      : open_published(l->of, value, &rows->list[0], err)) ||
                       read_rows(l, rows, 0, GNT_PART_TRAIN, err)
                   ? -1
                   : 0;
    for (int p = 0; p < 3; p++)
        if (l->of->part[p] && (open_csv(l->of, gnt_path_key("parts", data_part_names[p]).text, l->of->part[p],
                                        &rows->list[p], err) ||
                               read_rows(l, rows, p, p, err)))
            return -1;
    return 0;
}

int data_image_list(const data_description *of, data_image_rows *rows, gnt_data *d, gnt_err *err) {
    list *l = gnt_alloc(sizeof *l);
    if (!l)
        return gnt_fail(err, "%s: out of memory", of->doc.name);
    l->of = of;
    const int rc =
        read_columns(l, d, err) || check_parts(l, err) || read_form(l, err) || read_lists(l, rows, err) ? -1
                                                                                                        : 0;
    gnt_free(l);
    return rc;
}
