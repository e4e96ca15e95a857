#include "data/described.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/kept_texts.h"
#include "data/source.h"

static const char *const kinds[] = {"image", "tabular"};
static const char *const layouts[] = {"NCHW", "NHWC", "NHW"};

int gnt_data_is_described(const char *name) {
    const size_t n = name ? strlen(name) : 0;
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

/* Returns the path of the description; the caller frees it. */
static char *path_of(const char *name, const char *folder, gnt_err *err) {
    char *path = NULL;
    if (!data_stays_below(name))
        gnt_fail(err, "%s: expected the path of a description below the folder of data files, without \"..\"",
                 name);
    else if (!folder || !*folder)
        gnt_fail(err, "%s: name the folder that has this description with --data DIR or GAUNTLET_DATA", name);
    else if (!(path = gnt_format("%s/%s", folder, name)))
        gnt_fail(err, "%s: out of memory", name);
    else if (!data_has("%s", path)) {
        gnt_fail(err, "%s: there is no such description in %s, the folder of data files", name, folder);
        gnt_free(path);
        path = NULL;
    }
    return path;
}

int data_described_present(const char *name, const char *folder) {
    return folder && data_stays_below(name) && data_has("%s/%s", folder, name);
}

/* Reads the attributes of a set of arrays; a table's are among its columns. */
static int read_attributes(data_description *of, gnt_data *d, gnt_err *err) {
    static const char *const keys[] = {"name", "values"};
    if (gnt_doc_list(&of->doc, "", of->doc.root, "attributes", 0, GNT_DATA_ATTRS, &of->attributes, err) != 0)
        return -1;
    for (size_t i = 0; i < json_array_size(of->attributes); i++) {
        const gnt_path at = gnt_path_item("attributes", i);
        const json_t *one = json_array_get(of->attributes, i);
        const char *name = NULL, *const * names;
        int32_t n;
        if (gnt_doc_keys(&of->doc, at.text, one, keys, 2, err) ||
            gnt_doc_need(&of->doc, at.text, one, "name", "the name of the attribute, and of its array",
                         err) ||
            gnt_doc_text(&of->doc, at.text, one, "name", GNT_DATA_NAME - 1, &name, err) ||
            data_described_values(of, at.text, one, "values", &n, &names, err) ||
            data_described_attribute(of, at.text, name, n, names, d, err))
            return -1;
    }
    return 0;
}

static int read_parts(data_description *of, gnt_err *err) {
    const json_t *parts = NULL;
    if (gnt_doc_need(&of->doc, "", of->doc.root, "parts",
                     "the files of each part, such as {\"train\": \"train.npz\", \"test\": \"test.npz\"}",
                     err) ||
        gnt_doc_object(&of->doc, "", of->doc.root, "parts", &parts, err) ||
        gnt_doc_keys(&of->doc, "parts", parts, data_part_names, 3, err) ||
        gnt_doc_need(&of->doc, "parts", parts, "train", "the rows of clients, targets and shadow", err) ||
        gnt_doc_need(&of->doc, "parts", parts, "test", "the rows that measure utility", err))
        return -1;
    for (int p = 0; p < 3; p++)
        of->part[p] = json_object_get(parts, data_part_names[p]);
    return 0;
}

/* Reads what a set of arrays says besides its parts. */
static int read_arrays(data_description *of, gnt_data *d, gnt_err *err) {
    const gnt_doc *doc = &of->doc;
    const char *group = NULL, *const *names = NULL;
    if (d->kind == GNT_DATA_IMAGE &&
        (gnt_doc_need(doc, "", doc->root, "layout", "the order of the sizes of x: NCHW, NHWC or NHW", err) ||
         gnt_doc_choice(doc, "", doc->root, "layout", layouts, 3, &of->layout, err)))
        return -1;
    if (d->kind == GNT_DATA_TABULAR && json_object_get(doc->root, "layout"))
        return gnt_doc_fail(err, doc, "layout", "is of images; remove it");
    if (gnt_doc_bool(doc, "", doc->root, "maps", &d->has_maps, err) || read_attributes(of, d, err) ||
        gnt_doc_text(doc, "", doc->root, "groups", GNT_DATA_NAME - 1, &group, err))
        return -1;
    if (group && !(d->group_name = data_keep_text(group)))
        return gnt_fail(err, "%s: out of memory", doc->name);
    if (d->has_maps && (d->kind != GNT_DATA_IMAGE || json_object_get(doc->root, "classes")))
        return gnt_doc_fail(
            err, doc, "maps",
            "is true, so that images have a map in the place of a class; expected \"kind\" image, "
            "and no \"classes\"");
    if (!d->has_maps && data_described_values(of, "", doc->root, "classes", &d->classes, &names, err))
        return -1;
    d->class_name = names;
    return data_described_arrays(of, d, err);
}

/* The forms that a description may have. */
enum { ANY, ARRAYS, TABLE, FOLDERS, LISTS };

/* Refuses keys of another form than the description has. */
static int check_keys(const data_description *of, int form, gnt_err *err) {
    static const char *const any[] = {"format",  "version",    "name",   "about",     "kind",    "layout",
                                      "classes", "attributes", "groups", "maps",      "parts",   "columns",
                                      "list",    "split",      "images", "separator", "decimal", "missing"};
    static const char *const of_arrays[] = {"format",  "version",    "name",   "about", "kind", "layout",
                                            "classes", "attributes", "groups", "maps",  "parts"};
    static const char *const of_tables[] = {"format", "version", "name",      "about",   "kind",
                                            "parts",  "columns", "separator", "decimal", "missing"};
    static const char *const of_folders[] = {"format", "version", "name",  "about", "kind",
                                             "images", "classes", "parts", "split"};
    static const char *const of_lists[] = {"format",    "version", "name",   "about", "kind",
                                           "images",    "columns", "list",   "parts", "split",
                                           "separator", "decimal", "missing"};
    static const struct {
        const char *const *key;
        size_t n;
    } of_form[] = {[ANY] = {any, sizeof any / sizeof *any},
                   [ARRAYS] = {of_arrays, sizeof of_arrays / sizeof *of_arrays},
                   [TABLE] = {of_tables, sizeof of_tables / sizeof *of_tables},
                   [FOLDERS] = {of_folders, sizeof of_folders / sizeof *of_folders},
                   [LISTS] = {of_lists, sizeof of_lists / sizeof *of_lists}};
    return gnt_doc_keys(&of->doc, "", of->doc.root, of_form[form].key, of_form[form].n, err);
}

/* Reads the keys that every form has, and those that decide which form it is. */
static int read_common(data_description *of, gnt_data *d, gnt_err *err) {
    static const char *const formats[] = {"gauntlet data"};
    const gnt_doc *doc = &of->doc;
    const char *name = NULL, *about = NULL;
    int format, kind;
    int64_t version = 1;
    if (check_keys(of, ANY, err) || gnt_doc_need(doc, "", doc->root, "format", "\"gauntlet data\"", err) ||
        gnt_doc_choice(doc, "", doc->root, "format", formats, 1, &format, err) ||
        gnt_doc_need(doc, "", doc->root, "version", "1", err) ||
        gnt_doc_int(doc, "", doc->root, "version", 1, 1, &version, err) ||
        gnt_doc_need(doc, "", doc->root, "name", "a name of the set", err) ||
        gnt_doc_text(doc, "", doc->root, "name", GNT_DATA_NAME - 1, &name, err) ||
        gnt_doc_text(doc, "", doc->root, "about", 1000, &about, err) ||
        gnt_doc_need(doc, "", doc->root, "kind", "image or tabular", err) ||
        gnt_doc_choice(doc, "", doc->root, "kind", kinds, 2, &kind, err) ||
        gnt_doc_object(doc, "", doc->root, "images", &of->images, err) ||
        gnt_doc_list(doc, "", doc->root, "columns", 2, 4096, &of->columns, err))
        return -1;
    if (data_find(name))
        return gnt_doc_fail(err, doc, "name", "is \"%s\", the name of another set; expected a new one", name);
    snprintf(d->name, sizeof d->name, "%s", name);
    d->kind = kind == 0 ? GNT_DATA_IMAGE : GNT_DATA_TABULAR;
    return 0;
}

static int read_description(data_description *of, gnt_data *d, gnt_err *err) {
    const gnt_doc *doc = &of->doc;
    if (read_common(of, d, err) || check_keys(of,
                                              of->images    ? (of->columns ? LISTS : FOLDERS)
                                              : of->columns ? TABLE
                                                            : ARRAYS,
                                              err))
        return -1;
    if (of->images && d->kind != GNT_DATA_IMAGE)
        return gnt_doc_fail(err, doc, "kind", "is tabular, but a set with \"images\" is of images");
    if (of->columns && !of->images && d->kind != GNT_DATA_TABULAR)
        return gnt_doc_fail(
            err, doc, "kind",
            "is image, but a set with \"columns\" is tabular, unless \"images\" says that they name "
            "pictures");
    const int has_parts = json_object_get(doc->root, "parts") != NULL,
              may_lack =
                  of->images && (json_object_get(doc->root, "list") || json_object_get(doc->root, "split"));
    if ((has_parts || !may_lack) && read_parts(of, err))
        return -1;
    return of->images    ? data_described_images(of, d, err)
           : of->columns ? data_described_table(of, d, err)
                         : read_arrays(of, d, err);
}

int data_described_open(gnt_data **out, const char *name, const char *folder, gnt_err *err) {
    data_description of = {.folder = NULL};
    gnt_data *d = gnt_alloc(sizeof *d);
    char *path = path_of(name, folder, err);
    *out = NULL;
    int rc = !path ? -1 : d ? gnt_doc_load(&of.doc, path, GNT_DOC_MOST, err) : gnt_fail(err, "out of memory");
    if (rc == 0) {
        of.folder = gnt_strdup(path);
        if (of.folder)
            *strrchr(of.folder, '/') = 0;
        rc = of.folder ? read_description(&of, d, err) : gnt_fail(err, "%s: out of memory", name);
        gnt_doc_free(&of.doc);
    }
    if (rc == 0) {
        d->digest = data_content_digest(d);
        *out = d;
    } else
        gnt_data_free(d);
    gnt_free(of.folder);
    gnt_free(path);
    return rc;
}
