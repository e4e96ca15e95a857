#include "gate/suite_lines.h"

#include <string.h>

int gnt_suite_lines_open(gnt_suite_lines *out, const char *file, gnt_err *err) {
    *out = (gnt_suite_lines){.file = file};
    return gnt_doc_load(&out->doc, file, GNT_DOC_MOST, err);
}

void gnt_suite_lines_close(gnt_suite_lines *s) {
    gnt_doc_free(&s->doc);
    *s = (gnt_suite_lines){0};
}

/* Returns the label of an entry: its own, or the ids of its plugins; "" if it has neither. */
static const char *label_of(const json_t *entry) {
    const char *label = json_string_value(json_object_get(entry, "label"));
    const char *plugin = json_string_value(json_object_get(entry, "defense"));
    return label ? label : plugin ? plugin : "";
}

/* True if a part of the place, "task/r10/LABEL@strength/attack", is the label. */
static int names(const char *place, const char *label) {
    const size_t n = strlen(label);
    while (n && *place) {
        const size_t part = strcspn(place, "/"), end = strcspn(place, "/@");
        if (end == n && strncmp(place, label, n) == 0)
            return 1;
        place += part + (place[part] == '/');
    }
    return 0;
}

size_t gnt_suite_lines_of(const gnt_suite_lines *s, const gnt_gate_finding *f) {
    const json_t *list = json_object_get(s->doc.root, "defenses");
    const char *path = "defenses";
    gnt_path item;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *label = label_of(json_array_get(list, i));
        if (f->row && f->row->cell ? strcmp(f->row->cell->defense, label) != 0 : !names(f->place, label))
            continue;
        item = gnt_path_item("defenses", i);
        path = item.text;
        break;
    }
    return gnt_doc_line(&s->doc, path);
}
