/* `gauntlet data describe`: a first description of what a folder holds. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "data/data.h"
#include "data/draft.h"
#include "data/source.h"

enum { MOST_TEXT = 4 << 20, MOST_NAME = GNT_DATA_NAME - 1 };

/* Returns the last name of a path as the name of a set: letters and digits. The caller frees it. */
static char *name_of(const char *folder) {
    size_t end = strlen(folder), from, n = 0;
    while (end && (folder[end - 1] == '/' || folder[end - 1] == '.'))
        end--;
    for (from = end; from && folder[from - 1] != '/';)
        from--;
    char *name = gnt_array(MOST_NAME + 1, 1);
    for (size_t i = from; name && i < end && n < MOST_NAME; i++) {
        const char c = folder[i];
        const int fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '-' || c == '_';
        name[n++] = fits ? c : '_';
    }
    if (!name || (n > 0 && !data_find(name)))
        return name;
    char *other = n ? gnt_format("own_%.50s", name) : gnt_strdup("own"); /* the name of a set that there is */
    gnt_free(name);
    return other;
}

static void add_json(gnt_text *to, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    gnt_text_add(to, "%s", text ? text : "null");
    free(text);
}

/* Writes a line for each key; of lists of objects, a line for each object. */
static char *write_all(json_t *all) {
    gnt_text to;
    const char *key;
    json_t *value;
    int n = 0;
    gnt_text_init(&to, MOST_TEXT);
    json_object_foreach(all, key, value) {
        gnt_text_add(&to, "%s", n++ ? ",\n " : "{");
        gnt_json_add_text(&to, key);
        gnt_text_add(&to, ": ");
        if (!json_is_array(value) || !json_is_object(json_array_get(value, 0))) {
            add_json(&to, value);
            continue;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            gnt_text_add(&to, i ? ",\n  " : "[\n  ");
            add_json(&to, json_array_get(value, i));
        }
        gnt_text_add(&to, "]");
    }
    gnt_text_add(&to, "}\n");
    char *text = gnt_text_take(&to);
    gnt_text_free(&to);
    return text;
}

static int recognise(data_draft *draft, gnt_err *err) {
    static int (*const recognisers[])(data_draft *, gnt_err *) = {data_draft_faces, data_draft_arrays,
                                                                  data_draft_table, data_draft_folders};
    for (size_t i = 0; i < sizeof recognisers / sizeof *recognisers; i++) {
        const int rc = recognisers[i](draft, err);
        if (rc != 0)
            return rc < 0 ? -1 : 0;
    }
    return gnt_fail(
        err,
        "%s: holds nothing that is recognised; expected one of: train.npz and test.npz (or .safetensors, or "
        ".npy files such as x_train.npy), train.csv and test.csv or one .csv file, a folder of PNG or JPEG "
        "pictures for each class, the lists of CelebA or LFW",
        draft->folder);
}

int gnt_data_describe(const char *folder, char **text, char **notes, gnt_err *err) {
    data_draft draft = {.folder = folder, .all = json_object()};
    char *name = name_of(folder);
    gnt_text_init(&draft.notes, MOST_TEXT);
    *text = *notes = NULL;
    int rc = name && draft.all ? data_names_list(&draft.in, folder, err)
                               : gnt_fail(err, "%s: out of memory", folder);
    if (rc == 0) {
        data_draft_set(&draft, "format", json_string("gauntlet data"));
        data_draft_set(&draft, "version", json_integer(1));
        data_draft_set(&draft, "name", json_string(name));
        rc = recognise(&draft, err);
    }
    if (rc == 0) {
        *text = write_all(draft.all);
        *notes = draft.notes.size ? gnt_text_take(&draft.notes) : gnt_strdup("");
        if (!*text || !*notes) {
            gnt_free(*text);
            gnt_free(*notes);
            *text = *notes = NULL;
            rc = gnt_fail(err, "%s: out of memory for its description", folder);
        }
    }
    gnt_text_free(&draft.notes);
    data_names_free(&draft.in);
    json_decref(draft.all);
    gnt_free(name);
    return rc;
}
