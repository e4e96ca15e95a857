/* work: what the harnesses of jobs share: a gnt_work whose inputs are sets of tensors in memory, and tensors
 * made of an input's bytes.
 *
 * Tensors are described rather than parsed, so that most inputs say something; parsing is tested by
 * safetensors.c. */
#ifndef TESTS_FUZZ_WORK_H
#define TESTS_FUZZ_WORK_H

#include <math.h>

#include "fuzz.h"
#include "job/work/work.h"

enum { FUZZ_INPUTS = 12, FUZZ_MOST_TENSORS = 12, FUZZ_MOST_ENTRIES = 4096 };

typedef struct fuzz_work {
    gnt_work work; /* its context is this */
    gnt_request request;
    struct {
        const char *name;
        gnt_st st;
    } input[FUZZ_INPUTS];
    size_t n;
} fuzz_work;

/* An empty set of that name, to be filled. */
static inline gnt_st *fuzz_input(fuzz_work *w, const char *name) {
    MUST(w->n < FUZZ_INPUTS);
    w->input[w->n].name = name;
    gnt_st_init(&w->input[w->n].st);
    return &w->input[w->n++].st;
}

static inline const gnt_st *fuzz_input_of(const fuzz_work *w, const char *name) {
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->input[i].name, name) == 0)
            return &w->input[i].st;
    return NULL;
}

static inline int fuzz_has(void *context, const char *name) {
    return fuzz_input_of(context, name) != NULL;
}

static inline int fuzz_copy(gnt_st *out, const gnt_st *from, gnt_err *err) {
    gnt_st_init(out);
    for (size_t i = 0; i < from->n; i++) {
        const gnt_st_tensor *t = &from->tensor[i];
        MUST(gnt_st_add(out, t->name, t->type, t->rank, t->dim, t->data, NULL, err) == 0);
    }
    MUST(!from->metadata || gnt_st_set_metadata(out, from->metadata, err) == 0);
    return 0;
}

static inline int fuzz_read(void *context, const char *name, gnt_st *out, gnt_err *err) {
    const gnt_st *st = fuzz_input_of(context, name);
    return st ? fuzz_copy(out, st, err) : gnt_fail(err, "there is no input %s", name);
}

/* What a job leaves can be read by the next. */
static inline int fuzz_write(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    gnt_st again;
    (void)context;
    MUST(gnt_st_write(st, &bytes, &size, err) == 0);
    MUST(gnt_st_parse(&again, name, bytes, size, err) == 0);
    gnt_st_free(&again);
    gnt_free(bytes);
    return 0;
}

static inline void fuzz_progress(void *context, double done, double total) {
    (void)context, (void)done, (void)total;
}

static inline int fuzz_goes_on(void *context) {
    (void)context;
    return 0;
}

/* Takes the request's memory over; what else it points to outlives the work. */
static inline void fuzz_work_open(fuzz_work *w, gnt_request request) {
    *w = (fuzz_work){.request = request,
                     .work = {.request = &w->request,
                              .context = w,
                              .has = fuzz_has,
                              .read = fuzz_read,
                              .write = fuzz_write,
                              .progress = fuzz_progress,
                              .should_stop = fuzz_goes_on,
                              .facts = json_object()}};
    MUST(w->work.facts);
}

static inline void fuzz_work_close(fuzz_work *w) {
    for (size_t i = 0; i < w->n; i++)
        gnt_st_free(&w->input[i].st);
    gnt_request_free(&w->request);
    json_decref(w->work.facts);
}

/* ---- tensors ---- */

/* A byte chooses: mostly plain numbers, else what computing does not like. */
static inline double fuzz_value(fuzz_bytes *b) {
    const uint8_t byte = fuzz_byte(b);
    switch (byte) {
    case 255:
        return (double)NAN;
    case 254:
        return (double)INFINITY;
    case 253:
        return -(double)INFINITY;
    case 252:
        return 3e38;
    case 251:
        return -1e-44;
    case 250:
        return 1e300;
    default:
        return (byte - 64) / 32.0;
    }
}

static inline int64_t fuzz_whole(fuzz_bytes *b) {
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, (int64_t)1 << 40, -1};
    const uint8_t byte = fuzz_byte(b);
    return byte < 250 ? byte : odd[byte - 250];
}

static inline void fuzz_fill(void *data, gnt_st_type type, size_t n, fuzz_bytes *b) {
    double value = 0;
    int64_t whole = 0;
    for (size_t i = 0; i < n; i++) {
        if (b->left && type <= GNT_ST_F64) /* the last goes on for ever */
            value = fuzz_value(b);
        else if (b->left)
            whole = fuzz_whole(b);
        if (type == GNT_ST_F32)
            ((float *)data)[i] = (float)value;
        else if (type == GNT_ST_F64)
            ((double *)data)[i] = value;
        else if (type == GNT_ST_I32)
            ((int32_t *)data)[i] = (int32_t)whole;
        else if (type == GNT_ST_I64)
            ((int64_t *)data)[i] = whole;
        else
            ((uint8_t *)data)[i] = (uint8_t)whole;
    }
}

/* Tensors as many as the bytes say, each of them: which of the names, a number that stands for a "#" at the
 * name's end, type and rank, sides, how many bytes of values, the values. */
static inline void fuzz_tensors(gnt_st *st, fuzz_bytes *b, const char *const *names, size_t n_names) {
    for (int i = 0; b->left > 4 && i < FUZZ_MOST_TENSORS; i++) {
        char name[64];
        const char *kind = names[fuzz_byte(b) % n_names];
        const int number = fuzz_byte(b) % 4;
        const uint8_t shape = fuzz_byte(b);
        const gnt_st_type type = (gnt_st_type)(shape % 5);
        const int32_t rank = shape / 5 % 5;
        int64_t dim[5] = {0}, entries = 1;
        for (int32_t k = 0; k < rank; k++) {
            dim[k] = fuzz_byte(b);
            entries *= dim[k];
        }
        fuzz_bytes values = fuzz_part(b, fuzz_byte(b));
        gnt_st_tensor *t;
        gnt_err err = {0};
        if (entries > FUZZ_MOST_ENTRIES)
            continue;
        const size_t length = strcspn(kind, "#");
        snprintf(name, sizeof name, "%.*s%.*d", (int)length, kind, kind[length] ? 1 : 0,
                 kind[length] ? number : 0);
        if (fuzz_ok(gnt_st_add(st, name, type, rank, dim, NULL, &t, &err), &err))
            fuzz_fill(t->data, type, (size_t)entries, &values);
    }
}

/* The text up to "%%" as metadata, where it can be. */
static inline void fuzz_metadata(gnt_st *st, fuzz_bytes *b) {
    char *text = fuzz_string(fuzz_text(b));
    gnt_err err = {0};
    fuzz_ok(gnt_st_set_metadata(st, text, &err), &err);
    gnt_free(text);
}

/* ---- what is sound ---- */

static const char fuzz_model_json[] =
    "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"a\", \"out\": 2}, {\"type\": "
    "\"dense\", \"name\": \"b\", \"out\": \"classes\"}]}";
enum { FUZZ_FEATURES = 16, FUZZ_CLASSES = 3, FUZZ_WEIGHTS = 16 * 2 + 2 + 2 * 3 + 3 };

/* 1×4×4 images of three classes and one attribute of two values. */
static inline void fuzz_samples(gnt_st *st, int64_t n) {
    const int64_t x_dim[2] = {n, FUZZ_FEATURES}, a_dim[2] = {n, 1};
    gnt_st_tensor *t;
    MUST(gnt_st_add(st, "x", GNT_ST_U8, 2, x_dim, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n * FUZZ_FEATURES; i++)
        ((uint8_t *)t->data)[i] = (uint8_t)(i * 37 % 251);
    MUST(gnt_st_add(st, "label", GNT_ST_I32, 1, &n, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = (int32_t)(i % FUZZ_CLASSES);
    MUST(gnt_st_add(st, "a", GNT_ST_I32, 2, a_dim, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = (int32_t)(i % 2);
    MUST(gnt_st_set_metadata(st,
                             "{\"kind\": 0, \"classes\": 3, \"dim\": [1, 4, 4], \"attributes\": [{\"name\": "
                             "\"style\", \"values\": 2}]}",
                             NULL) == 0);
}

static inline gnt_request_model fuzz_model_request(void) {
    static const int64_t sample[] = {1, 4, 4};
    return (gnt_request_model){
        .name = "small", .json = fuzz_model_json, .sample = {sample, 3}, .classes = FUZZ_CLASSES};
}

/* The model of that request, made once. */
static inline const gnt_work_model *fuzz_model(void) {
    static gnt_work_model made;
    if (!made.model) {
        const gnt_request_model request = fuzz_model_request();
        MUST(gnt_work_model_open(&made, &request, 0, NULL) == 0);
    }
    return &made;
}

#endif
