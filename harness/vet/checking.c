#include "vet/checking.h"

#include <string.h>

void vet_check_fail(checking *v, const gnt_vet_spec *spec, const char *hook, const char *what) {
    char name[80];
    if (!v->failed.text[0])
        gnt_fail(&v->failed, "%s (%s): %s", hook, gnt_vet_spec_name(spec, name), what);
}

gnt_vet_sequence_spec vet_check_sequence(const checking *v, int setting) {
    return (gnt_vet_sequence_spec){.work = v->work,
                                   .descriptor = v->descriptor,
                                   .params = &v->defaults,
                                   .setting = v->spec[setting],
                                   .key = v->key,
                                   .polls = -1};
}

int vet_check_run(checking *v, const gnt_vet_sequence_spec *spec, inspect_hook inspect, gnt_err *err) {
    gnt_vet_sequence *t;
    gnt_vet_hook_result result;
    gnt_vet_next next = GNT_VET_NEXT_END;
    int more = 1;
    if (gnt_vet_sequence_open(&t, spec, err) != 0)
        return -1;
    while (more && (next = gnt_vet_sequence_next(t, &result, err)) == GNT_VET_NEXT_RAN) {
        if (result.status == GNT_OK && (strcmp(result.name, "create") != 0 || v->hooks == 0))
            v->n_ran++;
        else if (result.status != GNT_OK && !v->reason.text[0])
            v->reason = result.err;
        more = inspect(v, spec, &result);
    }
    if (!v->work->should_stop(v->work->context)) /* else the note still names the hook that took too long */
        v->work->note(v->work->context, "destroy");
    gnt_vet_sequence_free(t);
    return next == GNT_VET_NEXT_FAILED ? -1 : 0;
}

int vet_check_inspect_works(checking *v, const gnt_vet_sequence_spec *sequence,
                            const gnt_vet_hook_result *result) {
    if (result->status == GNT_FAILED || result->status == GNT_STOPPED)
        vet_check_fail(v, &sequence->setting, result->name, result->err.text);
    else if (result->wrong.text[0])
        vet_check_fail(v, &sequence->setting, result->name, result->wrong.text);
    return 1;
}
