#include "process/sandbox_try.h"

#include <stdio.h>
#include <string.h>

#include "process/child.h"
#include "request/request.h"

static const double try_seconds = 20;

int gnt_sandbox_try(const gnt_sandbox_options *options, gnt_sandbox_report *report, gnt_err *err) {
    const gnt_request job = {.kind = GNT_JOB_SANDBOX};
    const gnt_sandbox_spec sandbox = {.options = *options};
    json_t *request = gnt_request_encode(&job, GNT_FIELDS_ALL);
    gnt_child_spec spec = {.request = request, .sandbox = &sandbox, .seconds = try_seconds};
    gnt_child *child = NULL;
    gnt_err why = {0};
    *report = (gnt_sandbox_report){0};
    int rc = request ? gnt_child_start(&child, &spec, err) : gnt_fail(err, "out of memory for a sandbox");
    if (rc == 0) {
        gnt_children_wait(&child, 1, -1);
        const gnt_child_result *result = gnt_child_result_of(child);
        if (!result)
            rc = gnt_fail(err, "interrupted");
        else if (strcmp(gnt_child_verdict(child, &why), "ok") != 0)
            rc = gnt_fail(err, "%s", why.text);
        else {
            const char *remark =
                json_string_value(json_object_get(json_object_get(result->status, "facts"), "remark"));
            snprintf(report->level, sizeof report->level, "%s", result->sandbox);
            snprintf(report->remark, sizeof report->remark, "%s", remark ? remark : "");
        }
    }
    gnt_child_free(child);
    json_decref(request);
    return rc;
}
