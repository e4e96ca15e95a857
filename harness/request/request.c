#include "request/request.h"

#include <string.h>

#include "base/json.h"
#include "request/request_fields.h"

static const char where[] = "the job's request";

const char *gnt_job_kind_name(gnt_job_kind kind) {
    return gnt_request_kinds[kind].name;
}

json_t *gnt_request_encode(const gnt_request *r, gnt_fields_part part) {
    const gnt_request_kind *k = &gnt_request_kinds[r->kind];
    json_t *all = json_object(), *fields = gnt_fields_encode(k->fields, &r->data, part);
    const int bad = json_object_set_new(all, "job", json_string(k->name)) != 0;
    if (json_object_set_new(all, "ask", fields) == 0 && !bad)
        return all;
    json_decref(all);
    return NULL;
}

static int read_kind(gnt_job_kind *out, const json_t *json, gnt_err *err) {
    const json_t *name = json_object_get(json, "job");
    const char *text = json_string_value(name);
    for (int k = 0; text && k < GNT_JOB_KINDS; k++)
        if (strcmp(text, gnt_request_kinds[k].name) == 0) {
            *out = (gnt_job_kind)k;
            return 0;
        }
    return gnt_fail(err, "%s has the unknown kind of job %s", where, gnt_show(name).text);
}

static int check_members(const json_t *json, gnt_err *err) {
    const char *name;
    json_t *value;
    if (!json_is_object(json))
        return gnt_fail(err, "%s: is %s, expected an object", where, gnt_show(json).text);
    json_object_foreach((json_t *)(uintptr_t)json, name, value) {
        if (strcmp(name, "job") != 0 && strcmp(name, "ask") != 0)
            return gnt_fail(err, "%s: has the unknown field %s", where, gnt_show_text(name).text);
    }
    return 0;
}

int gnt_request_decode(gnt_request *out, const json_t *json, gnt_err *err) {
    *out = (gnt_request){0};
    if (check_members(json, err) == 0 && read_kind(&out->kind, json, err) == 0 &&
        gnt_fields_decode(gnt_request_kinds[out->kind].fields, &out->data, json_object_get(json, "ask"),
                          &out->memory, where, err) == 0)
        return 0;
    gnt_request_free(out);
    return -1;
}

void gnt_request_free(gnt_request *r) {
    gnt_arena_free(&r->memory);
    *r = (gnt_request){0};
}
