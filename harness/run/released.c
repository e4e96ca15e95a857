/* Outputs that the store does not keep: once no job reads an observation, or what an attack has prepared, any
 * more, its entry keeps their digests alone. A job that must read one after all, such as that of an attack
 * which a suite did not have before, has it computed again, from the same rows, weights and random streams;
 * its bytes must be those of the digests. */
#include <string.h>

#include "base/mem.h"
#include "run/run_impl.h"

int run_release_inputs(run *r, run_job *j, gnt_err *err) {
    const int needs_none =
        j->state == RUN_OK || (j->state == RUN_ENDED && strcmp(j->ending.verdict, "unsupported") == 0);
    if (!needs_none || j->has_read)
        return 0;
    j->has_read = 1;
    for (size_t i = 0; i < j->n_inputs; i++) {
        run_job *from = j->input[i].from;
        if (!from || --from->readers > 0 || !from->stays || from->state != RUN_OK || r->options->done)
            continue;
        if (gnt_store_release(r->store, &from->stored.key, from->stored.record, from->stays, err) != 0)
            return -1;
    }
    return 0;
}

/* Takes a job from RUN_OK → RUN_WAITING, to store its outputs again. */
static void restore(run *r, run_job *j) {
    run_job_look_again(&r->jobs, j);
    j->stored.restoring = 1;
    if (!j->has_read)
        return;
    j->has_read = 0;
    for (size_t i = 0; i < j->n_inputs; i++)
        if (j->input[i].from)
            j->input[i].from->readers++;
}

int run_restore_inputs(run *r, const run_job *j) {
    int any = 0;
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_input *in = &j->input[i];
        run_job *from = in->from;
        if (!from || !from->stays || from->state == RUN_ENDED)
            continue;
        if (from->state == RUN_OK && gnt_store_digest(from->stored.record, in->output) &&
            !gnt_store_has(r->store, &from->stored.key, from->stored.record, in->output))
            restore(r, from);
        any |= from->state != RUN_OK;
    }
    return any;
}

int run_is_restored(const run *r, const run_job *j, const json_t *record) {
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "outputs"), name,
                        value) if (!gnt_store_has(r->store, &j->stored.key, record, name)) return 0;
    return 1;
}

int run_check_restored(const run_job *j, gnt_err *reason) {
    const char *name, *first;
    json_t *value;
    if (!j->stored.restoring)
        return 0;
    json_object_foreach(json_object_get(j->stored.record, "outputs"), name, value) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        char now[GNT_HEX_SIZE];
        if (gnt_child_output_read(j->processes.child, name, &bytes, &size, reason) != 0)
            return -1;
        const gnt_digest d = gnt_digest_bytes(bytes, size);
        gnt_free(bytes);
        gnt_digest_hex(&d, now);
        first = json_string_value(value);
        if (strcmp(now, first) != 0)
            return gnt_fail(reason,
                            "was computed again, and its output \"%s\" has other bytes than at first (digest "
                            "%.16s, at first %.16s): what it computes does not follow from its inputs alone",
                            name, now, first);
    }
    return 0;
}
