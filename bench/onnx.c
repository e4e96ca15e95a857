#include "onnx.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "side.h"

/* ---- the library ---- */

/* Places of functions in the library's table, which only ever grows at its end, and values of its
 * enumerations. */
enum {
    ERROR_MESSAGE = 2,
    CREATE_ENVIRONMENT = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_OPTIONS = 10,
    SET_INNER_THREADS = 24,
    SET_OUTER_THREADS = 25,
    CREATE_TENSOR = 49,
    TENSOR_DATA = 51,
    CREATE_MEMORY_INFO = 69,
    INTERFACE = 1, /* the version whose functions are used */
    WARNINGS = 2,
    ARENA = 1,
    FLOATS = 1
};

typedef void status;         /* NULL: success */
typedef void (*entry)(void); /* of the table; called as what it is */
typedef struct library_base {
    const entry *(*table)(uint32_t version);
    const char *(*version)(void);
} library_base;

typedef struct onnx {
    const library_base *base;
    const entry *function;
    void *environment, *options, *session, *memory, *input, *output;
    gnt_st st;
} onnx;

#if defined(__aarch64__)
#define MACHINE "arm64"
#else
#define MACHINE "x64"
#endif

char *bench_onnx_library(gnt_err *err) {
    const char *place = getenv(BENCH_ONNX_PLACE);
    char *path = NULL;
    if (!place || !*place) {
        gnt_fail(err, "no ONNX Runtime: " BENCH_ONNX_PLACE " is not set");
        return NULL;
    }
    char *pattern = gnt_format(
        "%s/node_modules/onnxruntime-node/bin/napi-v*/linux/" MACHINE "/libonnxruntime.so.1", place);
    glob_t found = {0};
    if (pattern && glob(pattern, 0, NULL, &found) == 0)
        path = gnt_strdup(found.gl_pathv[0]);
    else if (strstr(place, ".so") && gnt_file_exists(place))
        path = gnt_strdup(place);
    else
        gnt_fail(err, "no ONNX Runtime: no node_modules/onnxruntime-node in " BENCH_ONNX_PLACE);
    globfree(&found);
    gnt_free(pattern);
    return path;
}

/* Calls function `at` of the table, whose arguments are as `type` says; fails with the library's words. */
#define CALL(o, at, type, ...) failed((o), ((status * (*)type)(o)->function[at])(__VA_ARGS__), err)

static int failed(const onnx *o, status *s, gnt_err *err) {
    if (!s)
        return 0;
    const char *(*message)(const status *) = (const char *(*)(const status *))o->function[ERROR_MESSAGE];
    return gnt_fail(err, "ONNX Runtime: %.300s", message(s));
}

static int open_library(onnx *o, gnt_err *err) {
    char *path = bench_onnx_library(err);
    if (!path)
        return -1;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    gnt_free(path);
    if (!library)
        return gnt_fail(err, "ONNX Runtime: %.300s", dlerror());
    void *symbol = dlsym(library, "OrtGetApiBase");
    if (!symbol)
        return gnt_fail(err, "ONNX Runtime: the library has no OrtGetApiBase");
    const library_base *(*base)(void);
    memcpy(&base, &symbol, sizeof base);
    o->base = base();
    o->function = o->base->table(INTERFACE);
    return o->function ? 0 : gnt_fail(err, "ONNX Runtime: it lacks version %d of its interface", INTERFACE);
}

/* ---- the row ---- */

static int open_session(onnx *o, const char *network, gnt_err *err) {
    return CALL(o, CREATE_ENVIRONMENT, (int, const char *, void **), WARNINGS, "bench", &o->environment) ||
           CALL(o, CREATE_OPTIONS, (void **), &o->options) ||
           CALL(o, SET_INNER_THREADS, (void *, int), o->options, 1) ||
           CALL(o, SET_OUTER_THREADS, (void *, int), o->options, 1) ||
           CALL(o, CREATE_SESSION, (void *, const char *, void *, void **), o->environment, network,
                o->options, &o->session) ||
           CALL(o, CREATE_MEMORY_INFO, (int, int, void **), ARENA, 0, &o->memory);
}

static int open_input(onnx *o, const char *problem, gnt_err *err) {
    if (gnt_st_load(&o->st, problem, err))
        return -1;
    const gnt_st_tensor *x = gnt_st_find(&o->st, "x");
    if (!x || x->type != GNT_ST_F32)
        return gnt_fail(err, "%s: it has no tensor x of float", problem);
    return CALL(o, CREATE_TENSOR, (void *, void *, size_t, const int64_t *, size_t, int, void **), o->memory,
                x->data, x->bytes, x->dim, (size_t)x->rank, FLOATS, &o->input);
}

/* Computes the output; after the first time into the same memory. */
static int forward(onnx *o, gnt_err *err) {
    static const char *const in[] = {"x"}, *const out[] = {"z"};
    return CALL(
        o, RUN,
        (void *, void *, const char *const *, void *const *, size_t, const char *const *, size_t, void **),
        o->session, NULL, in, &o->input, 1, out, 1, &o->output);
}

/* Returns the relative L2 distance of the output from the right one; NaN after a failure. */
static double distance(onnx *o, gnt_err *err) {
    const gnt_st_tensor *z = gnt_st_find(&o->st, "r.z");
    float *got = NULL;
    if (!z || z->type != GNT_ST_F64 || forward(o, err) ||
        CALL(o, TENSOR_DATA, (void *, float **), o->output, &got))
        return NAN;
    const double *right = z->data;
    double d = 0, s = 0;
    for (size_t i = 0; i < z->bytes / sizeof *right; i++) {
        d += ((double)got[i] - right[i]) * ((double)got[i] - right[i]);
        s += right[i] * right[i];
    }
    return sqrt(d / s);
}

static double clock_now(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(onnx *o, long long n, gnt_err *err) {
    const double wall = clock_now(CLOCK_MONOTONIC), cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
    for (long long i = 0; i < n; i++)
        if (forward(o, err))
            return -1;
    const double took = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%lld %.9g %.9g\n", n, took, clock_now(CLOCK_MONOTONIC) - wall);
    return 0;
}

static int answer(onnx *o, const char *line, gnt_err *err) {
    if (strncmp(line, "check", 5) == 0) {
        const double apart = distance(o, err);
        if (isnan(apart))
            return -1;
        bench_forget_peak();
        printf("%.9g\n", apart);
    } else if (strncmp(line, "run ", 4) == 0) {
        if (run(o, strtoll(line + 4, NULL, 10), err))
            return -1;
    } else if (strncmp(line, "peak", 4) == 0) {
        printf("%.0f\n", bench_peak());
    } else {
        return gnt_fail(err, "\"%.40s\" is no request", line);
    }
    return fflush(stdout) ? -1 : 0;
}

int bench_onnx_side(const char *problem, const char *network) {
    onnx o = {0};
    gnt_err err = {0};
    char line[256];
    int rc = open_library(&o, &err) || open_session(&o, network, &err) || open_input(&o, problem, &err);
    if (rc == 0)
        printf("ready %s\n", o.base->version());
    fflush(stdout);
    while (rc == 0 && fgets(line, sizeof line, stdin))
        rc = answer(&o, line, &err);
    if (rc != 0)
        fprintf(stderr, "ONNX Runtime's side: %s\n", err.text);
    gnt_st_free(&o.st); /* the library's own goes with the process */
    return rc == 0 ? 0 : 2;
}
