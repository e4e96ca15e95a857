/* hook_sequence: calls all hooks of one plugin in the order of a run, on one made-up setting, and reports on
 * each call. Hooks that the plugin lacks are left out.
 *
 * A defense: prepare; create; the secure sum; encode_set, local_rate, encode_batch, encode_query,
 * client_update, transform_update and save of each client; aggregate and save of the server; then a second
 * instance that loads what the first saved, saves again and transforms once more.
 * An attack: prepare; create; run on each observation.
 *
 * Ownership: gnt_vet_sequence_free frees all. Errors: −1 with a sentence, where the host itself failed; what
 * a plugin does wrong stands in the gnt_vet_hook_result. */
#ifndef GNT_VET_HOOK_SEQUENCE_H
#define GNT_VET_HOOK_SEQUENCE_H

#include "vet/setting.h"

/* How one call of a hook went. */
typedef struct gnt_vet_hook_result {
    /* "transform_update of client 1". */
    char name[64];
    gnt_status status;
    /* Why, unless status is GNT_OK. */
    gnt_err err;
    /* Of all that it gave. */
    char digest[GNT_HEX_SIZE];
    /* What of it is not finite; "" where all is. */
    gnt_err infinite;
    /* What of it is not as it should be; "" where all is. */
    gnt_err wrong;
    /* The piece of its input that it wrote to; NULL: none. */
    const char *written;
    /* What it left running or open; "": nothing. */
    gnt_err leftover;
    /* How often it asked should_stop. */
    int64_t polls;
    /* Processor time that it took. */
    double seconds;
    /* Seconds of processor time and of wall-clock time from being told to stop to its return; 0: it was not
     * told. */
    double cpu_late, wall_late;
} gnt_vet_hook_result;

typedef struct gnt_vet_sequence_spec {
    gnt_work *work;
    const gnt_descriptor *descriptor;
    const gnt_params *params;
    gnt_vet_spec setting;
    gnt_key key;
    /* should_stop turns true after so many calls within a hook; −1: never. */
    int64_t polls;
    /* Its input lies on guard pages that are read-only while a hook runs. */
    int guarded;
    /* Where prepare was stopped, it is run once more to its end, for the hooks after it. */
    int prepares_twice;
} gnt_vet_sequence_spec;

typedef struct gnt_vet_sequence gnt_vet_sequence;

/* The specification is copied; what it points to is the caller's. */
int gnt_vet_sequence_open(gnt_vet_sequence **out, const gnt_vet_sequence_spec *spec, gnt_err *err);

typedef enum gnt_vet_next {
    GNT_VET_NEXT_FAILED = -1,
    /* All hooks have run, or no other can. */
    GNT_VET_NEXT_END = 0,
    /* One more hook has run. */
    GNT_VET_NEXT_RAN = 1
} gnt_vet_next;
/* Runs the next hook. *result is set where it returns GNT_VET_NEXT_RAN. */
gnt_vet_next gnt_vet_sequence_next(gnt_vet_sequence *t, gnt_vet_hook_result *result, gnt_err *err);
/* Destroys the instance too. NULL is fine. */
void gnt_vet_sequence_free(gnt_vet_sequence *t);

#endif
