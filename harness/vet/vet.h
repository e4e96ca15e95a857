/* vet: checks that a third-party plugin conforms to the contract in gauntlet/plugin.h: named checks, each in
 * its own sandboxed child process. The calling process never loads the file.
 *
 * Vetting finds mistakes, not malice: a plugin shares its process with the host's part of a check and could
 * forge its verdict. The sandbox protects against malice. */
#ifndef GNT_VET_VET_H
#define GNT_VET_VET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "job/work/work.h"
#include "process/sandbox.h"

enum { GNT_VET_CHECKS = 18 };

typedef struct gnt_vet_check {
    const char *name;
    /* A sentence: what the check verifies. */
    const char *line;
} gnt_vet_check;

extern const gnt_vet_check gnt_vet_checks[GNT_VET_CHECKS];

typedef enum gnt_vet_verdict { GNT_VET_OK, GNT_VET_FAILED, GNT_VET_NOT_APPLICABLE } gnt_vet_verdict;

typedef struct gnt_vet_finding {
    const char *check;
    /* The plugin's id; NULL: a check of the file as a whole. */
    const char *plugin;
    /* GNT_PLUGIN_*; 0 if plugin is NULL. */
    int32_t kind;
    gnt_vet_verdict verdict;
    /* A sentence; "" if the verdict is GNT_VET_OK. */
    const char *why;
} gnt_vet_finding;

/* Parameters of one plugin, in place of its defaults. */
typedef struct gnt_vet_params {
    const char *id, *json;
} gnt_vet_params;

typedef struct gnt_vet_options {
    const char *file;
    /* 1: do this check. */
    unsigned char wanted[GNT_VET_CHECKS];
    const gnt_vet_params *params;
    size_t n_params;
    /* The defense that produces an attack's observations, or NULL. */
    const struct gnt_plugin_info *behind;
    /* Its parameters as JSON; NULL: its defaults. */
    const char *behind_params;
    /* Limit of one run of all hooks. */
    double seconds;
    uint64_t memory_mb;
    gnt_sandbox_options sandbox;
    /* A folder that gets a folder for each check that failed in a process, for `gauntlet worker --job`; NULL:
     * none is kept. */
    const char *keep_failed;
    /* Called as soon as a check is done. The finding is valid during the call. */
    void (*found)(void *user, const gnt_vet_finding *finding);
    void *user;
} gnt_vet_options;

/* Vets all plugins of a file; *failed: the number of failed checks. Returns −1 if the file is not a shared
 * object, or the run was interrupted. */
int gnt_vet(const gnt_vet_options *options, int *failed, gnt_err *err);

/* Runs the job `vet` in the worker: one check of one plugin. On failure −1, a message, and w->status. */
int gnt_vet_work(gnt_work *w, gnt_err *err);

#endif
