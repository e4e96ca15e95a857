#include "process/sandbox_request.h"

#include <stdio.h>
#include <string.h>

#include "process/child.h"

enum { MOST_FILES = 64 };
static const double try_seconds = 20;

json_t *gnt_sandbox_request(const gnt_sandbox_wish *wish, json_t *files, int may_fork) {
    static const gnt_sandbox_wish nothing;
    const gnt_sandbox_wish *w = wish ? wish : &nothing;
    return json_pack("{s:o, s:b, s:i, s:i, s:i}", "files", files, "may_fork", may_fork, "without",
                     (int)w->without, "landlock", w->landlock_most, "least", (int)w->least);
}

int gnt_sandbox_request_enter(const json_t *request, gnt_sandbox_report *report, gnt_err *err) {
    const json_t *box = json_object_get(request, "sandbox"), *files = json_object_get(box, "files");
    const char *path[MOST_FILES];
    gnt_sandbox_spec spec = {
        .files = path,
        .wish = {.without = (unsigned)json_integer_value(json_object_get(box, "without")),
                 .landlock_most = (int)json_integer_value(json_object_get(box, "landlock")),
                 .least = (gnt_sandbox_level)json_integer_value(json_object_get(box, "least"))},
        .may_fork = json_is_true(json_object_get(box, "may_fork"))};
    if (json_array_size(files) > MOST_FILES)
        return gnt_fail(err, "the request names more than %d readable files", MOST_FILES);
    for (size_t i = 0; i < json_array_size(files); i++)
        path[spec.n_files++] = json_string_value(json_array_get(files, i));
    return gnt_sandbox_enter(&spec, report, err);
}

int gnt_sandbox_request_try(const gnt_sandbox_wish *wish, gnt_sandbox_report *report, gnt_err *err) {
    json_t *request =
        json_pack("{s:s, s:o}", "job", "walls", "sandbox", gnt_sandbox_request(wish, json_array(), 0));
    gnt_child_spec spec = {.request = request, .seconds = try_seconds};
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
