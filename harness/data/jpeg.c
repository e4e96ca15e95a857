#include "data/jpeg.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/exif.h"
#include "base/library.h"

#ifdef GNT_JPEG

#include <jpeglib.h>
#include <setjmp.h>

/* The functions of libjpeg that are called. */
typedef struct libjpeg {
    __typeof__(&jpeg_std_error) errors;
    __typeof__(&jpeg_CreateDecompress) create;
    __typeof__(&jpeg_mem_src) source;
    __typeof__(&jpeg_save_markers) markers;
    __typeof__(&jpeg_read_header) header;
    __typeof__(&jpeg_has_multiple_scans) scans;
    __typeof__(&jpeg_start_decompress) start;
    __typeof__(&jpeg_read_scanlines) lines;
    __typeof__(&jpeg_finish_decompress) finish;
    __typeof__(&jpeg_destroy_decompress) destroy;
} libjpeg;

static int libjpeg_load(libjpeg *j, gnt_err *err) {
    static const char *const files[] = {"libjpeg.so.62", "libjpeg.so.8", "libjpeg.so", NULL};
    const gnt_symbol wanted[] = {
        {"jpeg_std_error", &j->errors},         {"jpeg_CreateDecompress", &j->create},
        {"jpeg_mem_src", &j->source},           {"jpeg_save_markers", &j->markers},
        {"jpeg_read_header", &j->header},       {"jpeg_has_multiple_scans", &j->scans},
        {"jpeg_start_decompress", &j->start},   {"jpeg_read_scanlines", &j->lines},
        {"jpeg_finish_decompress", &j->finish}, {"jpeg_destroy_decompress", &j->destroy}};
    return gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted, "libjpeg, which reads .jpg files,",
                            "libjpeg62-turbo-dev", err);
}

/* A picture being decoded. */
typedef struct work {
    /* Where libjpeg goes when it finds a fault, and what it says of it. */
    struct jpeg_error_mgr calls; /* first, so that libjpeg's pointer to it is one to this */
    jmp_buf to;
    char said[JMSG_LENGTH_MAX];
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct d;
    libjpeg j;
    const char *path;
    int grey, most_scans, orientation;
    data_bitmap *out;
} work;

static void leave(j_common_ptr of) {
    work *w = (work *)of->err;
    w->calls.format_message(of, w->said);
    longjmp(w->to, 1);
}

static void hear(j_common_ptr of, int level) {
    if (level < 0) /* a fault that libjpeg would pass over */
        leave(of);
}

static void count_scans(j_common_ptr of) {
    work *w = (work *)of->err;
    if (w->d.input_scan_number > w->most_scans) {
        snprintf(w->said, sizeof w->said, "more than %d scans", w->most_scans);
        longjmp(w->to, 1);
    }
}

static int check_header(work *w, gnt_err *err) {
    if (data_bitmap_fits(w->path, w->d.image_width, w->d.image_height, err))
        return -1;
    if (w->most_scans == 1 && w->j.scans(&w->d))
        return gnt_fail(err, "%s: is a picture in several scans; expected one, as baseline JPEG has",
                        w->path);
    const J_COLOR_SPACE of = w->d.jpeg_color_space;
    if (of == JCS_GRAYSCALE || (w->grey && of != JCS_UNKNOWN))
        w->d.out_color_space = JCS_GRAYSCALE;
    else if (of == JCS_YCbCr || of == JCS_RGB)
        w->d.out_color_space = JCS_RGB;
    else
        return gnt_fail(err, "%s: is a JPEG file of %s; expected grey or RGB, convert it", w->path,
                        of == JCS_CMYK || of == JCS_YCCK ? "the colours of print (CMYK)" : "unknown colours");
    return 0;
}

/* Takes the picture's rows; whatever libjpeg finds wrong ends in `leave`. */
static int take_rows(work *w, gnt_err *err) {
    struct jpeg_decompress_struct *d = &w->d;
    data_bitmap *p = w->out;
    d->dct_method = JDCT_ISLOW; /* the same numbers on every processor */
    if (data_bitmap_make(p, w->path, (int)d->image_width, (int)d->image_height,
                         d->out_color_space == JCS_RGB ? 3 : 1, err))
        return -1;
    w->progress.progress_monitor = count_scans;
    d->progress = &w->progress;
    w->j.start(d);
    while (d->output_scanline < d->output_height) {
        JSAMPROW row = p->at + (size_t)d->output_scanline * (size_t)p->wide * (size_t)p->channels;
        w->j.lines(d, &row, 1);
    }
    w->j.finish(d);
    return 0;
}

/* Returns the orientation of the first EXIF marker. */
static int orientation_of(const work *w) {
    static const char mark[6] = "Exif\0";
    for (jpeg_saved_marker_ptr m = w->d.marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && m->data_length >= sizeof mark &&
            !memcmp(m->data, mark, sizeof mark))
            return data_exif_orientation(m->data + sizeof mark, m->data_length - sizeof mark);
    return 1;
}

static int take_picture(work *w, const uint8_t *at, size_t size, gnt_err *err) {
    if (setjmp(w->to))
        return gnt_fail(err, "%s: is no sound JPEG file: libjpeg says \"%s\"; fetch it again", w->path,
                        w->said);
    w->j.create(&w->d, JPEG_LIB_VERSION, sizeof w->d);
    w->j.source(&w->d, at, size);
    if (!w->grey)
        w->j.markers(&w->d, JPEG_APP0 + 1, 0xffff);
    w->j.header(&w->d, TRUE);
    w->orientation = orientation_of(w); /* finishing frees the markers */
    return check_header(w, err) || take_rows(w, err) ? -1 : 0;
}

int data_jpeg_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, int grey,
                     int most_scans, gnt_err *err) {
    work w = {.path = path, .grey = grey, .most_scans = most_scans, .out = out};
    *out = (data_bitmap){.wide = 0};
    if (libjpeg_load(&w.j, err))
        return gnt_fail_in(err, "%s", path);
    w.d.err = w.j.errors(&w.calls);
    w.calls.error_exit = leave;
    w.calls.emit_message = hear;
    int rc = take_picture(&w, at, size, err);
    if (rc == 0)
        rc = data_bitmap_turn(out, path, w.orientation, err);
    w.j.destroy(&w.d);
    if (rc != 0)
        data_bitmap_free(out);
    return rc;
}

#else

int data_jpeg_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, int grey,
                     int most_scans, gnt_err *err) {
    (void)at, (void)size, (void)grey, (void)most_scans;
    *out = (data_bitmap){.wide = 0};
    return gnt_fail(err,
                    "%s: cannot be read: this build has no libjpeg; install libjpeg62-turbo-dev and build "
                    "again",
                    path);
}

#endif

int data_jpeg_read(data_bitmap *out, const char *path, gnt_err *err) {
    enum { MOST_BYTES = 32 << 20 };
    uint8_t *at = NULL;
    size_t size = 0;
    *out = (data_bitmap){.wide = 0};
    int rc = gnt_file_read(path, MOST_BYTES, &at, &size, err);
    if (rc == 0)
        rc = size ? data_jpeg_decode(out, path, at, size, 1, 1, err)
                  : gnt_fail(err, "%s: is empty; expected a JPEG file", path);
    gnt_free(at);
    return rc;
}
