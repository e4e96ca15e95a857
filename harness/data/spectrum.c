#include "data/spectrum.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/library.h"

#ifdef GNT_FFTW

#include <fftw3.h>

enum { SIDE = DATA_SPECTRUM_SIDE };
/* The window of Becker et al. (2018), who made AudioMNIST: 455 samples of 8,000 a second. */
enum { WINDOW_SAMPLES = 455, WINDOW_RATE = 8000 };
static const double deepest = 80; /* dB */

typedef struct fftw {
    __typeof__(&fftwf_malloc) take;
    __typeof__(&fftwf_free) give;
    __typeof__(&fftwf_plan_dft_r2c_1d) plan;
    __typeof__(&fftwf_execute) run;
    __typeof__(&fftwf_destroy_plan) drop;
} fftw;

struct data_spectrum {
    fftw f;
    fftwf_plan plan;
    int32_t rate, n; /* n: samples of a window */
    float *in, *hann;
    fftwf_complex *out;
    double magnitude[SIDE * SIDE];
};

static int fftw_load(fftw *f, gnt_err *err) {
    static const char *const files[] = {"libfftw3f.so.3", "libfftw3f.so", NULL};
    const gnt_symbol wanted[] = {{"fftwf_malloc", &f->take},
                                 {"fftwf_free", &f->give},
                                 {"fftwf_plan_dft_r2c_1d", &f->plan},
                                 {"fftwf_execute", &f->run},
                                 {"fftwf_destroy_plan", &f->drop}};
    return gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                            "FFTW, which makes spectra of recordings,", "libfftw3-dev", err);
}

void data_spectrum_free(data_spectrum *s) {
    if (!s)
        return;
    if (s->plan)
        s->f.drop(s->plan);
    s->f.give(s->in);
    s->f.give(s->out);
    gnt_free(s->hann);
    gnt_free(s);
}

static int open_for(data_spectrum **out, int32_t rate, gnt_err *err) {
    data_spectrum *s = gnt_alloc(sizeof *s);
    data_spectrum_free(*out);
    *out = NULL;
    if (!s)
        return gnt_fail(err, "out of memory for a spectrum");
    s->rate = rate;
    s->n = (int32_t)((int64_t)rate * WINDOW_SAMPLES / WINDOW_RATE);
    if (fftw_load(&s->f, err)) {
        gnt_free(s);
        return -1;
    }
    s->hann = gnt_array((size_t)s->n, sizeof *s->hann);
    s->in = s->f.take((size_t)s->n * sizeof *s->in);
    s->out = s->f.take(((size_t)s->n / 2 + 1) * sizeof *s->out);
    /* FFTW_ESTIMATE: a plan that measures nothing, so that it is the same each time */
    s->plan = s->hann && s->in && s->out ? s->f.plan(s->n, s->in, s->out, FFTW_ESTIMATE) : NULL;
    if (!s->plan) {
        data_spectrum_free(s);
        return gnt_fail(err, "out of memory for spectra of %d samples", s->n);
    }
    for (int32_t i = 0; i < s->n; i++)
        s->hann[i] = (float)(0.5 - 0.5 * cos(2 * 3.14159265358979323846 * (i + 0.5) / s->n));
    *out = s;
    return 0;
}

static double mean_of(const data_wav *w) {
    double sum = 0;
    for (int64_t i = 0; i < w->samples; i++)
        sum += (double)w->x[i];
    return sum / (double)w->samples;
}

/* Finds the sample at which the second begins, which may be before the first; −1 if there is only silence. */
static int find_second(const data_wav *w, double mean, int64_t *begin) {
    double energy = 0, moment = 0;
    for (int64_t i = 0; i < w->samples; i++) {
        const double x = (double)w->x[i] - mean, e = x * x;
        energy += e;
        moment += e * (double)i;
    }
    if (!(energy > 1e-12))
        return -1;
    *begin = (int64_t)(moment / energy) - w->rate / 2;
    return 0;
}

static int draw(data_spectrum *s, const data_wav *w, const char *path, uint8_t *pixels, gnt_err *err) {
    const double mean = mean_of(w);
    int64_t begin;
    double most = 0;
    if (find_second(w, mean, &begin))
        return gnt_fail(err, "%s: is silent; expected a recording of something", path);
    for (int t = 0; t < SIDE; t++) {
        const int64_t from = begin + (2 * t + 1) * (int64_t)s->rate / (2 * SIDE) - s->n / 2;
        for (int32_t i = 0; i < s->n; i++) {
            const int64_t at = from + i;
            s->in[i] = at < 0 || at >= w->samples ? 0 : s->hann[i] * (w->x[at] - (float)mean);
        }
        s->f.run(s->plan);
        for (int k = 0; k < SIDE; k++) {
            const double re = (double)s->out[k + 1][0], im = (double)s->out[k + 1][1],
                         m = sqrt(re * re + im * im);
            s->magnitude[(SIDE - 1 - k) * SIDE + t] = m;
            most = m > most ? m : most;
        }
    }
    if (!(most > 0))
        return gnt_fail(err, "%s: has nothing below 4,000 Hz; expected speech", path);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double share = s->magnitude[i] / most, db = share > 1e-9 ? 20 * log10(share) : -deepest;
        pixels[i] = db <= -deepest ? 0 : (uint8_t)((1 + db / deepest) * 255 + 0.5);
    }
    return 0;
}

int data_spectrum_draw(data_spectrum **s, const data_wav *w, const char *path, uint8_t *pixels,
                       gnt_err *err) {
    if ((!*s || (*s)->rate != w->rate) && open_for(s, w->rate, err) != 0)
        return -1;
    return draw(*s, w, path, pixels, err);
}

#else

void data_spectrum_free(data_spectrum *s) {
    (void)s;
}

int data_spectrum_draw(data_spectrum **s, const data_wav *w, const char *path, uint8_t *pixels,
                       gnt_err *err) {
    (void)s, (void)w, (void)pixels;
    return gnt_fail(err,
                    "%s: this build has no FFTW, which makes spectra of recordings; install libfftw3-dev "
                    "and build again",
                    path);
}

#endif
