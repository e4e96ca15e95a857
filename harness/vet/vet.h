/* vet: does a stranger's plugin keep the contract of gauntlet/plugin.h? Named checks, each in a child of its
 * own behind the sandbox; this process never loads the file.
 *
 * What vet finds is mistakes. A plugin shares its process with the host's half of a check and could speak in
 * its name:
 * against malice stands the sandbox, not this. */
#ifndef GNT_VET_VET_H
#define GNT_VET_VET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "job/work.h"
#include "process/sandbox.h"

enum { GNT_VET_CHECKS = 13 };

typedef struct gnt_vet_check {
    const char *name, *line; /* line: what it makes sure of */
} gnt_vet_check;

extern const gnt_vet_check gnt_vet_checks[GNT_VET_CHECKS];

typedef enum gnt_vet_verdict { GNT_VET_OK, GNT_VET_FAILED, GNT_VET_NOT_APPLICABLE } gnt_vet_verdict;

typedef struct gnt_vet_finding {
    const char *check;
    const char *plugin; /* its id; NULL where the check is of the file as a whole */
    int32_t kind;       /* GNT_PLUGIN_*; 0 where plugin is NULL */
    gnt_vet_verdict verdict;
    const char *why; /* a sentence; "" when ok */
} gnt_vet_finding;

typedef struct gnt_vet_params { /* of one plugin, in place of its defaults */
    const char *id, *json;
} gnt_vet_params;

typedef struct gnt_vet_options {
    const char *file;
    unsigned char wanted[GNT_VET_CHECKS]; /* 1: do it */
    const gnt_vet_params *params;
    size_t n_params;
    const struct gnt_plugin_info *behind; /* the defense behind an attack's observations, or NULL */
    const char *behind_params;            /* JSON, in place of its defaults; NULL: those */
    double seconds;                       /* of one walk through all hooks */
    uint64_t memory_mb;
    gnt_sandbox_options walls;
    /* Called as soon as a check is done; the finding is valid during the call. */
    void (*found)(void *user, const gnt_vet_finding *finding);
    void *user;
} gnt_vet_options;

/* *failed: how many checks failed. −1: the file is no shared object, or the run was interrupted. */
int gnt_vet(const gnt_vet_options *options, int *failed, gnt_err *err);

/* In the worker: the job `vet`, one check of one plugin. 0, or −1 with a sentence and w->status set. */
int gnt_vet_work(gnt_work *w, gnt_err *err);

#endif
