#include "data/jpeg.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/library.h"

void data_grey_free(data_grey *g) {
    gnt_free(g->at);
    *g = (data_grey){.wide = 0};
}

#ifdef GNT_JPEG

#include <jpeglib.h>
#include <setjmp.h>

enum { MOST_BYTES = 32 << 20 };

/* The functions of libjpeg that are called. */
typedef struct libjpeg {
    __typeof__(&jpeg_std_error) errors;
    __typeof__(&jpeg_CreateDecompress) create;
    __typeof__(&jpeg_mem_src) source;
    __typeof__(&jpeg_read_header) header;
    __typeof__(&jpeg_has_multiple_scans) scans;
    __typeof__(&jpeg_start_decompress) start;
    __typeof__(&jpeg_read_scanlines) lines;
    __typeof__(&jpeg_finish_decompress) finish;
    __typeof__(&jpeg_destroy_decompress) destroy;
} libjpeg;

static int libjpeg_load(libjpeg *j, gnt_err *err) {
    static const char *const files[] = {"libjpeg.so.62", "libjpeg.so.8", "libjpeg.so", NULL};
    const data_symbol wanted[] = {{"jpeg_std_error", &j->errors},
                                  {"jpeg_CreateDecompress", &j->create},
                                  {"jpeg_mem_src", &j->source},
                                  {"jpeg_read_header", &j->header},
                                  {"jpeg_has_multiple_scans", &j->scans},
                                  {"jpeg_start_decompress", &j->start},
                                  {"jpeg_read_scanlines", &j->lines},
                                  {"jpeg_finish_decompress", &j->finish},
                                  {"jpeg_destroy_decompress", &j->destroy}};
    return data_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                             "libjpeg, which reads .jpg files,", "libjpeg62-turbo-dev", err);
}

/* Where libjpeg goes when it finds a fault, and what it says of it. */
typedef struct escape {
    struct jpeg_error_mgr calls; /* first, so that libjpeg's pointer is one to this */
    jmp_buf to;
    char said[JMSG_LENGTH_MAX];
} escape;

static void leave(j_common_ptr of) {
    escape *e = (escape *)of->err;
    e->calls.format_message(of, e->said);
    longjmp(e->to, 1);
}

static void hear(j_common_ptr of, int level) {
    if (level < 0) /* a fault that libjpeg would pass over */
        leave(of);
}

static int check_header(const libjpeg *j, struct jpeg_decompress_struct *d, const char *path, gnt_err *err) {
    if (d->image_width > DATA_JPEG_MOST_SIDE || d->image_height > DATA_JPEG_MOST_SIDE ||
        (int64_t)d->image_width * d->image_height > DATA_JPEG_MOST_PIXELS)
        return gnt_fail(err,
                        "%s: is a picture of %u by %u pixels; expected at most %d either way and %d in all",
                        path, d->image_width, d->image_height, DATA_JPEG_MOST_SIDE, DATA_JPEG_MOST_PIXELS);
    if (j->scans(d)) /* a few bytes of another scan can cause all the work again */
        return gnt_fail(err, "%s: is a picture in several scans; expected one, as baseline JPEG has", path);
    return 0;
}

/* Takes the picture's rows; whatever libjpeg finds wrong ends in `leave`. */
static int take_rows(const libjpeg *j, struct jpeg_decompress_struct *d, data_grey *g, const char *path,
                     gnt_err *err) {
    d->out_color_space = JCS_GRAYSCALE;
    d->dct_method = JDCT_ISLOW; /* the same numbers on every processor */
    g->wide = (int)d->image_width;
    g->high = (int)d->image_height;
    g->at = gnt_array((size_t)g->high, (size_t)g->wide);
    if (!g->at)
        return gnt_fail(err, "%s: out of memory for %d by %d pixels", path, g->wide, g->high);
    j->start(d);
    while (d->output_scanline < d->output_height) {
        JSAMPROW row = g->at + (size_t)d->output_scanline * (size_t)g->wide;
        j->lines(d, &row, 1);
    }
    j->finish(d);
    return 0;
}

static int decode(data_grey *out, const char *path, const uint8_t *at, size_t size, gnt_err *err) {
    struct jpeg_decompress_struct d = {.err = NULL};
    libjpeg j;
    escape e;
    volatile int rc = -1;
    if (libjpeg_load(&j, err))
        return gnt_fail_in(err, "%s", path);
    d.err = j.errors(&e.calls);
    e.calls.error_exit = leave;
    e.calls.emit_message = hear;
    if (setjmp(e.to) == 0) {
        j.create(&d, JPEG_LIB_VERSION, sizeof d);
        j.source(&d, at, size);
        j.header(&d, TRUE);
        rc = check_header(&j, &d, path, err) || take_rows(&j, &d, out, path, err) ? -1 : 0;
    } else
        rc = gnt_fail(err, "%s: is no sound JPEG file: libjpeg says \"%s\"; fetch it again", path, e.said);
    j.destroy(&d);
    return rc;
}

int data_jpeg_read(data_grey *out, const char *path, gnt_err *err) {
    uint8_t *at = NULL;
    size_t size = 0;
    *out = (data_grey){.wide = 0};
    int rc = gnt_file_read(path, MOST_BYTES, &at, &size, err);
    if (rc == 0)
        rc = size ? decode(out, path, at, size, err)
                  : gnt_fail(err, "%s: is empty; expected a JPEG file", path);
    gnt_free(at);
    if (rc != 0)
        data_grey_free(out);
    return rc;
}

#else

int data_jpeg_read(data_grey *out, const char *path, gnt_err *err) {
    *out = (data_grey){.wide = 0};
    return gnt_fail(err,
                    "%s: cannot be read: this build has no libjpeg; install libjpeg62-turbo-dev and build "
                    "again",
                    path);
}

#endif
