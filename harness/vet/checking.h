/* checking: shared by the files of the job `vet`: one check of one plugin. */
#ifndef GNT_VET_CHECKING_H
#define GNT_VET_CHECKING_H

#include "vet/hook_sequence.h"

typedef struct checking {
    gnt_work *work;
    const gnt_descriptor *descriptor;
    const char *id;
    gnt_params defaults;
    /* The defense that produces an attack's observations, or NULL. */
    const gnt_descriptor *behind;
    gnt_params behind_params;
    gnt_vet_spec spec[GNT_VET_MOST_SETTINGS];
    int n_specs;
    /* GNT_HOOK_*; 0: it can only be created. */
    uint32_t hooks;
    gnt_key key;
    /* What the check "strength" collects. */
    struct vet_given *given;
    /* Facts of the check "record". */
    json_t *digests;
    /* The first failure, and the first reason that a hook could not be checked. */
    gnt_err failed, reason;
    /* Hooks that ran correctly. */
    int64_t n_ran;
} checking;

/* Called after each hook: fails the check, or returns 0 if no other hook is needed. */
typedef int (*inspect_hook)(checking *v, const gnt_vet_sequence_spec *sequence,
                            const gnt_vet_hook_result *result);

/* ---- checking.c ---- */

/* Fails the check, unless it has already failed. */
void vet_check_fail(checking *v, const gnt_vet_spec *spec, const char *hook, const char *what);
/* Returns all hooks on the plugin's setting of that number, with its default parameters. */
gnt_vet_sequence_spec vet_check_sequence(const checking *v, int setting);
/* Runs all hooks and calls `inspect` after each; returns −1 if the host itself failed. */
int vet_check_run(checking *v, const gnt_vet_sequence_spec *spec, inspect_hook inspect, gnt_err *err);
/* Fails the check if a hook failed or gave a wrong output. */
int vet_check_inspect_works(checking *v, const gnt_vet_sequence_spec *sequence,
                            const gnt_vet_hook_result *result);

/* ---- parameters.c ---- */

/* The host's verdict on values of parameters. */
typedef enum accepted { VALUES_FAILED = -1, VALUES_ACCEPTED = 0, VALUES_REFUSED = 1 } accepted;

/* Parses the parameters of a plugin: the JSON object `given` ("" for {}), in which `id` gets the JSON value
 * `value` (NULL: unchanged). Required models get a name. REFUSED: *out is empty, and the host's message is in
 * `why`. */
accepted vet_check_values(const gnt_descriptor *d, const char *plugin, const char *given, const char *id,
                          const char *value, gnt_params *out, gnt_err *why, gnt_err *err);
/* Runs the check "edges": parameters at the ends of their ranges and beyond. */
int vet_check_edges(checking *v, gnt_err *err);
/* Runs the check "strength": a defense's hooks give other bytes at one end of its strength's range than at
 * the other. */
int vet_check_strength(checking *v, gnt_err *err);

#endif
