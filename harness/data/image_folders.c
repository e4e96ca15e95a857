#include "data/image_folders.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/folder_names.h"
#include "data/source.h"

static int ends_in(const char *name, const char *const *endings) {
    const char *dot = strrchr(name, '.');
    int does = 0;
    for (; dot && *endings; endings++)
        does |= strcasecmp(dot + 1, *endings) == 0;
    return does;
}

int data_is_image_name(const char *name) {
    static const char *const read[] = {"png", "jpg", "jpeg", NULL};
    return ends_in(name, read);
}

static int is_other_image(const char *name) {
    static const char *const others[] = {"gif", "bmp", "tif", "tiff", "webp", "avif", "heic", "heif",
                                         "jp2", "ppm", "pgm", "pbm",  "ico",  "svg",  "psd",  NULL};
    return ends_in(name, others);
}

/* Adds the pictures of one class; `under` is the path of its folder from the root. */
static int add_class(const char *root, const char *under, int part, int32_t label, data_image_rows *rows,
                     gnt_err *err) {
    data_names in;
    char *path = gnt_format("%s/%s", root, under);
    int rc = path ? data_names_list(&in, path, err) : gnt_fail(err, "%s: out of memory", root);
    size_t pictures = 0;
    if (!path)
        return -1;
    for (size_t i = 0; rc == 0 && i < in.n; i++) {
        const char *name = in.at[i];
        if (is_other_image(name))
            rc = gnt_fail(err, "%s/%s: expected PNG or JPEG pictures; convert or remove it", path, name);
        else if (data_is_folder(path, name))
            rc = gnt_fail(
                err, "%s/%s: is a folder in the folder of a class; expected pictures alone, move them up",
                path, name);
        if (rc != 0 || !data_is_image_name(name))
            continue;
        char *file = gnt_format("%s/%s", under, name);
        rc = data_image_rows_keep(rows, file, path, err);
        data_image_row *row = rc == 0 ? data_image_rows_add(rows, path, err) : NULL;
        if (!row) {
            rc = -1;
            continue;
        }
        row->file = (data_field){file, strlen(file)};
        row->part = part;
        row->label = label;
        pictures++;
    }
    if (rc == 0 && pictures == 0)
        rc = gnt_fail(err, "%s: has no picture; expected .png, .jpg or .jpeg files", path);
    data_names_free(&in);
    gnt_free(path);
    return rc;
}

/* Refuses folders that are no class. */
static int check_folders(const data_description *of, const char *root, const char *under, const gnt_data *d,
                         gnt_err *err) {
    data_names in;
    char *path = *under ? gnt_format("%s/%s", root, under) : gnt_strdup(root);
    int rc = path ? data_names_list(&in, path, err) : gnt_fail(err, "%s: out of memory", root);
    if (!path)
        return -1;
    for (size_t i = 0; rc == 0 && i < in.n; i++) {
        int is_class = 0;
        for (int32_t k = 0; k < d->classes; k++)
            is_class |= strcmp(in.at[i], d->class_name[k]) == 0;
        if (!is_class && data_is_folder(path, in.at[i]))
            rc = gnt_doc_fail(err, &of->doc, "classes", "does not have %s, a folder in %s; list or remove it",
                              gnt_show_text(in.at[i]).text, path);
    }
    data_names_free(&in);
    gnt_free(path);
    return rc;
}

static int add_part(const data_description *of, const char *root, const char *part_folder, int part,
                    data_image_rows *rows, const gnt_data *d, gnt_err *err) {
    if (check_folders(of, root, part_folder, d, err))
        return -1;
    for (int32_t k = 0; k < d->classes; k++) {
        char *under =
            *part_folder ? gnt_format("%s/%s", part_folder, d->class_name[k]) : gnt_strdup(d->class_name[k]);
        const int rc =
            under ? add_class(root, under, part, k, rows, err) : gnt_fail(err, "%s: out of memory", root);
        gnt_free(under);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int read_classes(const data_description *of, gnt_data *d, gnt_err *err) {
    if (data_described_values(of, "", of->doc.root, "classes", &d->classes, &d->class_name, err))
        return -1;
    if (!d->class_name)
        return gnt_doc_fail(err, &of->doc, "classes", "is a number; expected the list of the folders' names");
    for (int32_t k = 0; k < d->classes; k++)
        if (strchr(d->class_name[k], '/') || d->class_name[k][0] == '.')
            return gnt_doc_fail(err, &of->doc, gnt_path_item("classes", (size_t)k).text,
                                "is %s; expected the name of a folder", gnt_show_text(d->class_name[k]).text);
    return 0;
}

int data_image_folders(const data_description *of, const char *root, data_image_rows *rows, gnt_data *d,
                       gnt_err *err) {
    if (read_classes(of, d, err))
        return -1;
    if (!of->part[GNT_PART_TRAIN])
        return add_part(of, root, "", GNT_PART_TRAIN, rows, d, err);
    for (int p = 0; p < 3; p++) {
        const gnt_path at = gnt_path_key("parts", data_part_names[p]);
        const char *folder = NULL;
        if (!of->part[p])
            continue;
        if (gnt_doc_text_at(&of->doc, at.text, of->part[p], DATA_MOST_PATH, &folder, err))
            return -1;
        if (!data_stays_below(folder))
            return gnt_doc_fail(err, &of->doc, at.text, "is %s; expected a folder below %s, without \"..\"",
                                gnt_show_text(folder).text, root);
        if (add_part(of, root, folder, p, rows, d, err))
            return -1;
    }
    return 0;
}
