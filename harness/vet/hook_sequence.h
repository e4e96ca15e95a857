/* hook_sequence: calls all hooks of one plugin in the order of a run, on one synthetic setting, and reports
 * on each call. Hooks that the plugin lacks are skipped.
 *
 * A defense: prepare; create; the secure sum; encode_set, local_rate, encode_batch, encode_query,
 * client_update, transform_update and save of each client; aggregate and save of the server; then a second
 * instance that loads what the first saved, saves again and transforms once more. An attack: prepare; create;
 * run on each observation.
 *
 * Ownership: gnt_vet_sequence_free frees all. Errors: −1 with a message if the host itself failed; a plugin's
 * faults are in the gnt_vet_hook_result. */
#ifndef GNT_VET_HOOK_SEQUENCE_H
#define GNT_VET_HOOK_SEQUENCE_H

#include "vet/setting.h"

/* The result of one call of a hook. */
typedef struct gnt_vet_hook_result {
    /* "transform_update of client 1". */
    char name[64];
    /* It is one of a client's hooks between `receive_sum` and `aggregate`: that client; else −1. */
    int client;
    gnt_status status;
    /* The reason, unless status is GNT_OK. */
    gnt_err err;
    /* Digest of all its outputs. */
    char digest[GNT_HEX_SIZE];
    /* The first output that is not finite; "" if all are. */
    gnt_err infinite;
    /* The first output that is invalid; "" if none is. */
    gnt_err wrong;
    /* The piece of its input that it wrote to; NULL: none. */
    const char *written;
    /* The output beyond whose ends it wrote, if outputs are fenced; NULL: none. */
    const char *beyond;
    /* The first answer of a goal that the plugin does not declare, and the first that was not requested:
     * given twice, or of another number than there are samples; "": none. */
    gnt_err undeclared, excess;
    /* Threads, processes or files left running or open; "": none. */
    gnt_err leftover;
    /* How often it called should_stop. */
    int64_t polls;
    /* Processor seconds. */
    double seconds;
    /* Processor and wall-clock seconds from should_stop's first true to its return; 0: should_stop stayed
     * false. */
    double cpu_late, wall_late;
} gnt_vet_hook_result;

typedef struct gnt_vet_sequence_spec {
    gnt_work *work;
    const gnt_descriptor *descriptor;
    const gnt_params *params;
    gnt_vet_spec setting;
    gnt_key key;
    /* should_stop turns true after this many calls in a hook; −1: never. */
    int64_t polls;
    /* Guard pages with its input are read-only while a hook runs. */
    int guarded;
    /* A stopped prepare is run once more to its end, for the hooks after it. */
    int prepares_twice;
    /* Each client's hooks have random streams of their own, as in a run. */
    int client_streams;
    /* The hooks of client 0 are skipped, but not its contribution to a secure sum. */
    int skips_client_0;
} gnt_vet_sequence_spec;

typedef struct gnt_vet_sequence gnt_vet_sequence;

/* Opens a sequence. The specification is copied; what it points to belongs to the caller. */
int gnt_vet_sequence_open(gnt_vet_sequence **out, const gnt_vet_sequence_spec *spec, gnt_err *err);

typedef enum gnt_vet_next {
    GNT_VET_NEXT_FAILED = -1,
    /* All hooks have run, or no other can. */
    GNT_VET_NEXT_END = 0,
    /* One more hook has run. */
    GNT_VET_NEXT_RAN = 1
} gnt_vet_next;
/* Runs the next hook; sets *result if it returns GNT_VET_NEXT_RAN. */
gnt_vet_next gnt_vet_sequence_next(gnt_vet_sequence *t, gnt_vet_hook_result *result, gnt_err *err);
/* Destroys the instance and frees the sequence. NULL is allowed. */
void gnt_vet_sequence_free(gnt_vet_sequence *t);

#endif
