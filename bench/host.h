/* host: a host for plugin code, for rows that time only this code. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "gauntlet/plugin.h"
#include "plugin/model_service.h"

enum { BENCH_HOST_BLOCKS = 16, BENCH_HOST_FACTS = 4 };

typedef struct bench_fact {
    char name[49];
    double value;
} bench_fact;

typedef struct bench_host {
    gnt_host host;
    gnt_stream draws; /* all streams of random numbers, whatever their name */
    const gnt_service *service;
    char said[200]; /* why the plugin's code failed */
    void *scratch[BENCH_HOST_BLOCKS];
    int32_t n_scratch, n_facts;
    size_t worked_in; /* bytes of the scratch that is there now */
    bench_fact fact[BENCH_HOST_FACTS];
} bench_host;

/* Opens a host, which must not be moved while a plugin uses it. service: NULL for none; must outlive it. */
void bench_host_open(bench_host *h, const gnt_service *service);
/* Frees all scratch, as a host does where a hook returns, and forgets facts. */
void bench_host_leave(bench_host *h);
double bench_host_fact(const bench_host *h, const char *name); /* NaN: never reported */

#endif
