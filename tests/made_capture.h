/* made_capture: the files of a capture of any settings, with weights and samples drawn from named streams,
 * and the update that these samples give. For tests that then change some of it. */
#ifndef TESTS_MADE_CAPTURE_H
#define TESTS_MADE_CAPTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/random.h"
#include "capture/capture_check.h"

/* The three files in memory. */
typedef struct made_files {
    gnt_capture_files files;
    uint8_t *observed, *batch;
} made_files;

/* Serialises the tensors; batch NULL: withheld. foreign: the private batch names other observed tensors. */
static inline void made_files_of(made_files *out, const char *settings, const gnt_st *observed, gnt_st *batch,
                                 int foreign) {
    char hex[GNT_HEX_SIZE];
    size_t size = 0;
    gnt_err err = {0};
    *out = (made_files){.files.settings = {"capture.json", (const uint8_t *)settings, strlen(settings)}};
    if (gnt_st_write(observed, &out->observed, &size, &err) != 0)
        fail_msg("%s", err.text);
    out->files.observed = (gnt_capture_file){"observed.safetensors", out->observed, size};
    if (!batch)
        return;
    const gnt_digest d = gnt_digest_bytes(out->observed, size - (size_t)foreign);
    gnt_digest_hex(&d, hex);
    if (gnt_st_set_json(batch, json_pack("{s:s}", "observed", hex), JSON_COMPACT, "a test", &err) != 0 ||
        gnt_st_write(batch, &out->batch, &size, &err) != 0)
        fail_msg("%s", err.text);
    out->files.private_batch = (gnt_capture_file){"private.safetensors", out->batch, size};
}

static inline void made_files_free(made_files *f) {
    gnt_free(f->observed);
    gnt_free(f->batch);
}

static inline void made_add(gnt_st *st, const char *prefix, const gnt_param *p, const float *flat) {
    gnt_err err = {0};
    char *name = gnt_format("%s.%s", prefix, p->name);
    if (gnt_st_add(st, name, GNT_ST_F32, p->shape.rank, p->shape.dim, flat ? flat + p->offset : NULL, NULL,
                   &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(name);
}

static inline void made_before(gnt_st *st, const gnt_model *m, const float *weights, const float *buffers) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    for (int32_t i = 0; i < n; i++)
        made_add(st, "before", &list[i], list[i].buffer ? buffers : weights);
}

/* Adds the update; NULL: zeros. Running statistics are sent unless they are not trained. */
static inline void made_update(gnt_st *st, const gnt_model *m, const gnt_capture_settings *s,
                               const float *update, const float *sent) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(m);
    const int32_t n = gnt_model_params(m, &list);
    float *whole = gnt_array((size_t)gnt_model_size(m) + 1, sizeof *whole);
    if (update)
        gnt_model_place(m, 1, update, whole);
    for (int32_t i = 0; i < n; i++)
        if (list[i].buffer ? s->training.batch_norm == GNT_CAPTURE_TRAINING : !shared || shared[i])
            made_add(st, "update", &list[i], list[i].buffer ? sent : whole);
    gnt_free(whole);
}

static inline void made_private(gnt_st *st, const gnt_capture_settings *s, gnt_stream *random) {
    const gnt_capture_model *m = &s->model;
    int64_t x[4] = {s->training.samples}, y[2] = {x[0], m->classes}, a[2] = {x[0], (int64_t)s->attributes.n};
    gnt_st_tensor *t;
    for (size_t i = 0; i < m->sample.n; i++)
        x[1 + i] = m->sample.at[i];
    gnt_st_add(st, "x", GNT_ST_F32, (int32_t)m->sample.n + 1, x, NULL, &t, NULL);
    for (size_t i = 0; i < t->bytes / 4; i++)
        ((float *)t->data)[i] = (float)gnt_random_uniform(random);
    gnt_st_add(st, "y", GNT_ST_F32, 2, y, NULL, &t, NULL);
    for (int64_t i = 0; i < x[0]; i++)
        ((float *)t->data)[i * m->classes + i % m->classes] = 1;
    gnt_st_add(st, "a", GNT_ST_I32, 2, a, NULL, &t, NULL);
    for (size_t i = 0; i < t->bytes / 4; i++)
        ((int32_t *)t->data)[i] = (int32_t)(i % 2);
}

/* Makes the tensors of a capture with these settings. With settings that are not sound both sets are
 * empty. */
static inline void made_tensors(gnt_st *observed, gnt_st *batch, const char *settings) {
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "capture");
    const gnt_capture_file file = {"capture.json", (const uint8_t *)settings, strlen(settings)};
    gnt_capture c, read;
    gnt_st draft;
    made_files files;
    gnt_st_init(observed);
    gnt_st_init(batch);
    if (gnt_capture_parse_settings(&c, &file, NULL) != 0)
        return;
    const gnt_model *m = c.model;
    float *weights = gnt_array((size_t)gnt_model_size(m), sizeof *weights),
          *buffers = gnt_array((size_t)gnt_model_buffer_size(m) + 1, sizeof *buffers),
          *update = gnt_array((size_t)gnt_model_shared_size(m), sizeof *update),
          *sent = gnt_array((size_t)gnt_model_buffer_size(m) + 1, sizeof *sent);
    gnt_model_init(m, &random, weights, buffers);
    made_private(batch, &c.settings, &random);
    gnt_st_init(&draft);
    made_before(&draft, m, weights, buffers);
    made_update(&draft, m, &c.settings, NULL, NULL);
    made_files_of(&files, settings, &draft, batch, 0);
    made_before(observed, m, weights, buffers);
    if (gnt_capture_parse(&read, &files.files, NULL) == 0) {
        if (gnt_capture_recompute(&read, update, sent, NULL) != 0)
            fail_msg("the update cannot be computed");
        gnt_capture_free(&read);
    }
    made_update(observed, m, &c.settings, update, sent);
    made_files_free(&files);
    gnt_st_free(&draft);
    gnt_free(weights);
    gnt_free(buffers);
    gnt_free(update);
    gnt_free(sent);
    gnt_capture_free(&c);
}

#endif
