/* plain_host: a host for tests that call the functions of a plugin directly: streams by name, scratch that is
 * freed at the end, sentences kept. For tests that have included cmocka. */
#ifndef TESTS_PLAIN_HOST_H
#define TESTS_PLAIN_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gauntlet/plugin.h"

enum { PLAIN_STREAMS = 32, PLAIN_BLOCKS = 4096 };

typedef struct plain_host {
    gnt_host host;
    gnt_key key;
    int streams, blocks;
    char name[PLAIN_STREAMS][32];
    gnt_stream stream[PLAIN_STREAMS];
    void *block[PLAIN_BLOCKS];
    char said[300];
} plain_host;

static inline gnt_stream *plain_stream(plain_host *p, const char *name) {
    for (int i = 0; i < p->streams; i++)
        if (strcmp(p->name[i], name) == 0)
            return &p->stream[i];
    assert_true(p->streams < PLAIN_STREAMS);
    snprintf(p->name[p->streams], sizeof *p->name, "%s", name);
    p->stream[p->streams] = gnt_stream_open(&p->key, name);
    return &p->stream[p->streams++];
}

static inline void plain_uniform(void *context, const char *name, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++)
        out[i] = gnt_random_uniform(plain_stream(context, name));
}

static inline void plain_normal(void *context, const char *name, int64_t n, float *out) {
    for (int64_t i = 0; i < n; i++)
        out[i] = (float)gnt_random_normal(plain_stream(context, name));
}

static inline uint64_t plain_below(void *context, const char *name, uint64_t n) {
    return gnt_random_below(plain_stream(context, name), n);
}

static inline void *plain_scratch(void *context, size_t bytes) {
    plain_host *p = context;
    assert_true(p->blocks < PLAIN_BLOCKS);
    return p->block[p->blocks++] = calloc(1, bytes ? bytes : 1);
}

static inline int32_t plain_should_stop(void *context) {
    (void)context;
    return 0;
}

static inline gnt_status plain_fail(void *context, const char *text) {
    plain_host *p = context;
    snprintf(p->said, sizeof p->said, "%s", text);
    return GNT_FAILED;
}

static inline void plain_fact(void *context, const char *name, double value) {
    (void)context, (void)name, (void)value;
}

static inline void plain_progress(void *context, double done, double total) {
    (void)context, (void)done, (void)total;
}

static inline const gnt_host *plain_open(plain_host *p, uint64_t seed) {
    *p = (plain_host){.key = gnt_key_of_seed(seed)};
    p->host = (gnt_host){.size = sizeof p->host,
                         .context = p,
                         .progress = plain_progress,
                         .should_stop = plain_should_stop,
                         .fail = plain_fail,
                         .uniform = plain_uniform,
                         .normal = plain_normal,
                         .below = plain_below,
                         .scratch = plain_scratch,
                         .fact = plain_fact};
    return &p->host;
}

static inline void plain_close(plain_host *p) {
    for (int i = 0; i < p->blocks; i++)
        free(p->block[i]);
    p->blocks = 0;
}

#endif
