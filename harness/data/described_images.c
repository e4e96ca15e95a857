/* A described set of image files: pictures in folders that are their classes (image_folders.c), or named in
 * lists (image_list.c). */
#include "base/mem.h"
#include "data/described.h"
#include "data/image_folders.h"
#include "data/image_form.h"
#include "data/image_list.h"
#include "data/source.h"

/* Deals the rows to parts as "split" says, where there are neither parts nor a column that does. */
static int split(const data_description *of, data_image_rows *rows, gnt_err *err) {
    static const char *const keys[] = {"test", "public"};
    const json_t *share = NULL;
    double test = 0, public = 0;
    if (gnt_doc_object(&of->doc, "", of->doc.root, "split", &share, err))
        return -1;
    if (!share)
        return 0;
    if (!of->columns && of->part[GNT_PART_TRAIN])
        return gnt_doc_fail(err, &of->doc, "split", "is there, and so is \"parts\"; expected one of them");
    if (gnt_doc_keys(&of->doc, "split", share, keys, 2, err) ||
        gnt_doc_need(&of->doc, "split", share, "test", "the share of test rows, such as 0.2", err) ||
        gnt_doc_real(&of->doc, "split", share, "test", 0, 1, &test, err) ||
        gnt_doc_real(&of->doc, "split", share, "public", 0, 1, &public, err))
        return -1;
    if (!(test > 0 && test + public < 1))
        return gnt_doc_fail(
            err, &of->doc, "split",
            "has %.9g of the rows for tests and %.9g public; expected more than 0 for tests, and "
            "some left to train",
            test, public);
    data_image_rows_split(rows, test, public);
    return 0;
}

/* Counts the rows of each part. */
static int count(const data_description *of, const data_image_rows *rows, int64_t part[3], gnt_err *err) {
    for (size_t i = 0; i < rows->n; i++)
        if (rows->at[i].part >= 0)
            part[rows->at[i].part]++;
    for (int p = GNT_PART_TRAIN; p <= GNT_PART_TEST; p++)
        if (part[p] == 0)
            return gnt_fail(err, "%s: there is no row in the %s part of %zu rows; expected one or more",
                            of->doc.name, data_part_names[p], rows->n);
    return 0;
}

/* Sets the shape from the description or the first picture of the train part. */
static int shape(data_image_form *form, const data_image_rows *rows, gnt_data *d, gnt_err *err) {
    size_t first = 0;
    while (rows->at[first].part != GNT_PART_TRAIN)
        first++;
    if (!form->resizes && data_image_measure(form, rows, &rows->at[first], err))
        return -1;
    data_shape_image(d, form->channels, form->high, form->wide,
                     d->has_maps ? form->high * form->wide : d->classes);
    return 0;
}

static int fill(data_image_form *form, const data_image_rows *rows, gnt_data *d, gnt_err *err) {
    int64_t next[3] = {0, d->part[0], d->part[0] + d->part[1]};
    for (size_t i = 0; i < rows->n; i++) {
        const data_image_row *row = &rows->at[i];
        if (row->part < 0)
            continue;
        const int64_t at = next[row->part]++;
        if (data_image_put(form, rows, row, d, at, err))
            return -1;
        d->label[at] = row->label;
        for (int32_t a = 0; a < d->n_attrs; a++)
            d->attrs[at * d->n_attrs + a] = row->attr[a];
        if (d->group)
            d->group[at] = row->group_number;
    }
    return 0;
}

int data_described_images(const data_description *of, gnt_data *d, gnt_err *err) {
    data_image_form form;
    data_image_rows rows = {.n = 0};
    int64_t part[3] = {0, 0, 0};
    int rc = data_image_form_read(&form, of, err);
    if (rc == 0)
        rc = of->columns ? data_image_list(of, &rows, d, err)
                         : data_image_folders(of, form.folder, &rows, d, err);
    if (rc == 0 && d->group_name)
        rc = data_image_rows_number(&rows, of->doc.name, err);
    if (rc == 0)
        rc = split(of, &rows, err) || count(of, &rows, part, err) || shape(&form, &rows, d, err) ||
             data_reserve(d, part, err) || fill(&form, &rows, d, err);
    data_image_rows_free(&rows);
    data_image_form_free(&form);
    return rc ? -1 : 0;
}
