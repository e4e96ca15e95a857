#include "data/wav.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/library.h"

void data_wav_free(data_wav *w) {
    gnt_free(w->x);
    *w = (data_wav){0};
}

#ifdef GNT_SNDFILE

#include <sndfile.h>

enum { MOST_BYTES = 8 << 20 };

/* The functions of libsndfile that are called. */
typedef struct sndfile {
    __typeof__(&sf_open_virtual) open;
    __typeof__(&sf_readf_float) read;
    __typeof__(&sf_close) close;
} sndfile;

static int sndfile_load(sndfile *s, gnt_err *err) {
    static const char *const files[] = {"libsndfile.so.1", "libsndfile.so", NULL};
    const gnt_symbol wanted[] = {
        {"sf_open_virtual", &s->open}, {"sf_readf_float", &s->read}, {"sf_close", &s->close}};
    return gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                            "libsndfile, which reads recordings,", "libsndfile1-dev", err);
}

/* ---- the checked bytes, as a file in memory ---- */

typedef struct memory_file {
    const uint8_t *at;
    sf_count_t size, here;
} memory_file;

static sf_count_t memory_size(void *of) {
    return ((const memory_file *)of)->size;
}

static sf_count_t memory_place(void *of) {
    return ((const memory_file *)of)->here;
}

static sf_count_t memory_seek(sf_count_t to, int whence, void *of) {
    memory_file *f = of;
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? f->here : f->size;
    if (to < -from || to > f->size - from)
        return -1;
    return f->here = from + to;
}

static sf_count_t memory_read(void *to, sf_count_t n, void *of) {
    memory_file *f = of;
    n = n < 0 ? 0 : n < f->size - f->here ? n : f->size - f->here;
    memcpy(to, f->at + f->here, (size_t)n);
    f->here += n;
    return n;
}

static sf_count_t memory_write(const void *from, sf_count_t n, void *of) {
    (void)from, (void)n, (void)of;
    return 0;
}

static int decode(data_wav *w, const char *path, const uint8_t *at, size_t size, gnt_err *err) {
    SF_VIRTUAL_IO calls = {memory_size, memory_seek, memory_read, memory_write, memory_place};
    memory_file bytes = {at, (sf_count_t)size, 0};
    SF_INFO info = {0};
    sndfile s;
    if (sndfile_load(&s, err))
        return gnt_fail_in(err, "%s", path);
    w->x = gnt_array((size_t)w->samples, sizeof *w->x);
    if (!w->x)
        return gnt_fail(err, "%s: out of memory for %lld samples", path, (long long)w->samples);
    SNDFILE *file = s.open(&calls, SFM_READ, &info, &bytes);
    if (!file)
        return gnt_fail(err, "%s: libsndfile cannot read it", path);
    const int as_checked = info.channels == 1 && info.samplerate == w->rate && info.frames == w->samples &&
                           s.read(file, w->x, w->samples) == w->samples;
    s.close(file);
    return as_checked
               ? 0
               : gnt_fail(err, "%s: libsndfile does not read its %lld samples", path, (long long)w->samples);
}

int data_wav_read(data_wav *out, const char *path, gnt_err *err) {
    uint8_t *at = NULL;
    size_t size = 0;
    *out = (data_wav){0};
    int rc = gnt_file_read(path, MOST_BYTES, &at, &size, err);
    if (rc == 0)
        rc = data_wav_check(path, at, size, &out->rate, &out->samples, err);
    if (rc == 0)
        rc = decode(out, path, at, size, err);
    gnt_free(at);
    if (rc != 0)
        data_wav_free(out);
    return rc;
}

#else

int data_wav_read(data_wav *out, const char *path, gnt_err *err) {
    *out = (data_wav){0};
    return gnt_fail(err,
                    "%s: cannot be read: this build has no libsndfile; install libsndfile1-dev and build "
                    "again",
                    path);
}

#endif
