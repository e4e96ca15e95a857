#include "base/mem.h"
#include "result/result.h"

char *gnt_result_text(const gnt_result *r, int indented) {
    json_t *all = gnt_fields_encode(&gnt_result_fields, r, GNT_FIELDS_ALL);
    char *text =
        all ? json_dumps(all, (indented ? JSON_INDENT(1) : JSON_COMPACT) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    return text;
}
