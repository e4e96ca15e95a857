#include "data/image_form.h"

#include <string.h>

#include "base/mem.h"
#include "data/bitmap_read.h"
#include "data/resample.h"

enum { MOST_SIDE = 1024, HALF = 128 };

/* ---- the description ---- */

static int read_sizes(const data_description *of, const char *path, const json_t *list, size_t n,
                      int64_t least, int64_t most, int32_t *out, gnt_err *err) {
    for (size_t i = 0; i < n; i++) {
        int64_t v = 0;
        if (gnt_doc_int_at(&of->doc, gnt_path_item(path, i).text, json_array_get(list, i), least, most, &v,
                           err))
            return -1;
        out[i] = (int32_t)v;
    }
    return 0;
}

static int read_crop(data_image_form *form, const data_description *of, gnt_err *err) {
    static const char *const words[] = {"centre square"};
    const json_t *crop = json_object_get(of->images, "crop"), *list = NULL;
    int32_t v[4] = {0};
    int word;
    if (!crop)
        return 0;
    if (json_is_string(crop)) {
        form->crop = DATA_CENTRE_SQUARE;
        return gnt_doc_choice_at(&of->doc, "images.crop", crop, words, 1, &word, err);
    }
    if (!json_is_array(crop))
        return gnt_doc_fail(err, &of->doc, "images.crop",
                            "is %s; expected \"centre square\", or [left, top, width, height] in pixels",
                            gnt_show(crop).text);
    if (gnt_doc_list(&of->doc, "images", of->images, "crop", 4, 4, &list, err) ||
        read_sizes(of, "images.crop", list, 4, 0, DATA_BITMAP_MOST_SIDE, v, err))
        return -1;
    form->crop = DATA_BOX_OF_ALL;
    form->box = (data_box){v[0], v[1], v[2], v[3]};
    return v[2] >= 1 && v[3] >= 1 ? 0
                                  : gnt_doc_fail(err, &of->doc, "images.crop",
                                                 "is %d wide and %d high; expected at least 1", v[2], v[3]);
}

static int read_folder(data_image_form *form, const data_description *of, gnt_err *err) {
    const json_t *folder = json_object_get(of->images, "folder");
    if (folder)
        return (form->folder = data_described_file(of, "images.folder", folder, err)) ? 0 : -1;
    return (form->folder = gnt_strdup(of->folder)) ? 0 : gnt_fail(err, "%s: out of memory", of->doc.name);
}

int data_image_form_read(data_image_form *form, const data_description *of, gnt_err *err) {
    static const char *const keys[] = {"folder", "colour", "crop", "size", "filter"},
                             *const colours[] = {"grey", "rgb"},
                             *const filters[] = {[DATA_BILINEAR] = "bilinear", [DATA_BOX] = "box"};
    const gnt_doc *doc = &of->doc;
    const json_t *size = NULL;
    int colour = 0;
    int32_t v[2] = {0};
    *form = (data_image_form){.filter = DATA_BILINEAR};
    if (gnt_doc_keys(doc, "images", of->images, keys, sizeof keys / sizeof *keys, err) ||
        gnt_doc_need(doc, "images", of->images, "colour", "grey or rgb", err) ||
        gnt_doc_choice(doc, "images", of->images, "colour", colours, 2, &colour, err) ||
        gnt_doc_choice(doc, "images", of->images, "filter", filters, 2, &form->filter, err) ||
        gnt_doc_list(doc, "images", of->images, "size", 2, 2, &size, err) ||
        read_sizes(of, "images.size", size, json_array_size(size), 1, MOST_SIDE, v, err) ||
        read_crop(form, of, err))
        return -1;
    form->channels = colour == 0 ? 1 : 3;
    form->high = v[0];
    form->wide = v[1];
    form->resizes = v[0] > 0;
    return read_folder(form, of, err);
}

void data_image_form_free(data_image_form *form) {
    gnt_free(form->folder);
    form->folder = NULL;
}

/* ---- a picture ---- */

/* Cuts out a box, which a list or the description gives. */
static int cut(data_bitmap *p, data_box box, const char *path, const char *whose, gnt_err *err) {
    if (box.left < 0 || box.top < 0 || box.wide < 1 || box.high < 1 || box.left > p->wide - box.wide ||
        box.top > p->high - box.high)
        return gnt_fail(
            err, "%s: is %d by %d pixels, which do not have %s [%d, %d, %d, %d]: left, top, width, height",
            path, p->wide, p->high, whose, box.left, box.top, box.wide, box.high);
    data_bitmap_crop(p, box);
    return 0;
}

static int crop(const data_image_form *form, const data_image_row *row, data_bitmap *p, const char *path,
                gnt_err *err) {
    if (row->box.wide && cut(p, row->box, path, "the box of its row,", err))
        return -1;
    if (form->crop == DATA_BOX_OF_ALL)
        return cut(p, form->box, path, "\"crop\",", err);
    const int side = p->wide < p->high ? p->wide : p->high;
    if (form->crop == DATA_CENTRE_SQUARE)
        data_bitmap_crop(p, (data_box){(p->wide - side) / 2, (p->high - side) / 2, side, side});
    return 0;
}

/* Gives a picture the size of samples, which is that of the first where the description has none. */
static int resize(data_image_form *form, data_bitmap *p, const char *path, gnt_err *err) {
    if (form->resizes)
        return data_bitmap_resize(p, path, form->wide, form->high, form->filter, err);
    if (p->wide > MOST_SIDE || p->high > MOST_SIDE)
        return gnt_fail(
            err, "%s: is %d by %d pixels; expected at most %d along a side, or a \"size\" in \"images\"",
            path, p->wide, p->high, MOST_SIDE);
    if (form->wide && (form->wide != p->wide || form->high != p->high))
        return gnt_fail(
            err,
            "%s: is %d by %d pixels, the first picture is %d by %d; expected a \"size\" in \"images\", "
            "or equal pictures",
            path, p->wide, p->high, form->wide, form->high);
    form->wide = p->wide;
    form->high = p->high;
    return 0;
}

/* Makes each pixel that is not black white: a region as it is drawn. */
static int take_region(data_bitmap *p, const char *path, gnt_err *err) {
    const size_t n = (size_t)p->wide * (size_t)p->high * (size_t)p->channels;
    for (size_t i = 0; i < n; i++)
        p->at[i] = p->at[i] ? 255 : 0;
    for (size_t i = 0; p->channels == 3 && i < n; i += 3)
        memset(p->at + i, p->at[i] | p->at[i + 1] | p->at[i + 2], 3);
    return data_bitmap_convert(p, path, 1, err);
}

/* Loads a picture, or a map or mask of one whose file is *high by *wide pixels; else sets these. */
static int load(data_image_form *form, const data_image_row *row, const char *path, int is_region, int *wide,
                int *high, data_bitmap *p, gnt_err *err) {
    if (data_bitmap_read(p, path, err))
        return -1;
    if (is_region && (p->wide != *wide || p->high != *high))
        return gnt_fail(err, "%s: is %d by %d pixels; expected %d by %d, as its picture is", path, p->wide,
                        p->high, *wide, *high);
    *wide = p->wide;
    *high = p->high;
    if ((is_region && take_region(p, path, err)) || crop(form, row, p, path, err) ||
        (!is_region && data_bitmap_convert(p, path, form->channels, err)))
        return -1;
    return resize(form, p, path, err);
}

static int load_file(data_image_form *form, const data_image_row *row, data_field file, int is_region,
                     int *wide, int *high, data_bitmap *p, gnt_err *err) {
    char *path = gnt_format("%s/%.*s", form->folder, (int)file.n, file.at);
    *p = (data_bitmap){.wide = 0};
    const int rc = path ? load(form, row, path, is_region, wide, high, p, err)
                        : gnt_fail(err, "%s: out of memory", form->folder);
    gnt_free(path);
    if (rc != 0)
        data_bitmap_free(p);
    return rc;
}

/* Fills a map or a mask: 1 where the drawn region covers half of a pixel or more. */
static int put_region(data_image_form *form, const data_image_row *row, data_field file, int wide, int high,
                      int is_mask, uint8_t *out, gnt_err *err) {
    data_bitmap p;
    int seen = 0;
    if (load_file(form, row, file, 1, &wide, &high, &p, err))
        return -1;
    for (int64_t i = 0; i < (int64_t)p.wide * p.high; i++)
        seen |= out[i] = p.at[i] >= HALF;
    data_bitmap_free(&p);
    return !is_mask || seen
               ? 0
               : gnt_fail(err, "%.*s: is black after cropping and resizing; expected a sensitive region",
                          (int)file.n, file.at);
}

static int put_row(data_image_form *form, const data_image_row *row, gnt_data *d, int64_t at, gnt_err *err) {
    data_bitmap p;
    int wide = 0, high = 0;
    const int64_t area = d->dim[1] * d->dim[2];
    if (load_file(form, row, row->file, 0, &wide, &high, &p, err))
        return -1;
    uint8_t *out = d->pixels + at * d->features;
    for (int64_t c = 0; c < d->dim[0]; c++)
        for (int64_t i = 0; i < area; i++)
            out[c * area + i] = p.at[i * d->dim[0] + c];
    data_bitmap_free(&p);
    if (!d->has_maps)
        return 0;
    return put_region(form, row, row->map, wide, high, 0, d->map + at * area, err) ||
                   put_region(form, row, row->mask, wide, high, 1, d->mask + at * area, err)
               ? -1
               : 0;
}

/* Puts before a sentence which line of a list a row is from. */
static int in_line(int rc, const data_image_rows *rows, const data_image_row *row, gnt_err *err) {
    return rc && row->line ? gnt_fail_in(err, "%s: line %d", rows->list[row->list].path, row->line) : rc;
}

int data_image_put(data_image_form *form, const data_image_rows *rows, const data_image_row *row, gnt_data *d,
                   int64_t at, gnt_err *err) {
    return in_line(put_row(form, row, d, at, err), rows, row, err);
}

int data_image_measure(data_image_form *form, const data_image_rows *rows, const data_image_row *row,
                       gnt_err *err) {
    data_bitmap p;
    int wide = 0, high = 0;
    const int rc = load_file(form, row, row->file, 0, &wide, &high, &p, err);
    if (rc == 0)
        data_bitmap_free(&p);
    return in_line(rc, rows, row, err);
}
