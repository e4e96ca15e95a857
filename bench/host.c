#include "host.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static gnt_status fail(void *context, const char *text) {
    bench_host *h = context;
    snprintf(h->said, sizeof h->said, "%s", text);
    return GNT_FAILED;
}

static const char *last_error(void *context) {
    const bench_host *h = context;
    return h->service ? gnt_service_error(h->service) : "";
}

static int32_t should_stop(void *context) {
    (void)context;
    return 0;
}

static void uniform(void *context, const char *name, int64_t n, double *out) {
    bench_host *h = context;
    (void)name;
    for (int64_t i = 0; i < n; i++)
        out[i] = gnt_random_uniform(&h->draws);
}

static uint64_t below(void *context, const char *name, uint64_t n) {
    bench_host *h = context;
    (void)name;
    return gnt_random_below(&h->draws, n);
}

static void *scratch(void *context, size_t bytes) {
    bench_host *h = context;
    void *block = h->n_scratch < BENCH_HOST_BLOCKS ? gnt_aligned(bytes, 1) : NULL;
    if (!block)
        return NULL;
    h->worked_in += bytes;
    return h->scratch[h->n_scratch++] = block;
}

static void fact(void *context, const char *name, double value) {
    bench_host *h = context;
    if (h->n_facts == BENCH_HOST_FACTS)
        return;
    bench_fact *f = &h->fact[h->n_facts++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->value = value;
}

void bench_host_open(bench_host *h, const gnt_service *service) {
    *h = (bench_host){.service = service};
    h->host = (gnt_host){.size = sizeof h->host,
                         .context = h,
                         .should_stop = should_stop,
                         .fail = fail,
                         .last_error = last_error,
                         .uniform = uniform,
                         .below = below,
                         .scratch = scratch,
                         .fact = fact,
                         .model = service ? gnt_service_table(service) : NULL};
}

void bench_host_leave(bench_host *h) {
    for (int32_t i = 0; i < h->n_scratch; i++)
        gnt_free_aligned(h->scratch[i]);
    h->n_scratch = h->n_facts = 0;
    h->worked_in = 0;
}

double bench_host_fact(const bench_host *h, const char *name) {
    for (int32_t i = 0; i < h->n_facts; i++)
        if (strcmp(h->fact[i].name, name) == 0)
            return h->fact[i].value;
    return NAN;
}
