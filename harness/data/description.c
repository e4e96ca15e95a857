#include "data/description.h"

#include <string.h>

#include "base/mem.h"
#include "data/bytes.h"
#include "data/kept_texts.h"
#include "data/source.h"

enum { MOST_CLASSES = 100000, MOST_VALUES = 1000 };

int data_stays_below(const char *path) {
    if (*path == '/')
        return 0;
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0))
            return 0;
    }
    return 1;
}

char *data_described_file(const data_description *of, const char *path, const json_t *value, gnt_err *err) {
    const char *name = NULL;
    char *file = NULL;
    if (gnt_doc_text_at(&of->doc, path, value, DATA_MOST_PATH, &name, err) != 0)
        return NULL;
    if (!data_stays_below(name))
        gnt_doc_fail(err, &of->doc, path,
                     "is %s; expected a path that begins in the description's folder, without \"..\"",
                     gnt_show(value).text);
    else if (!(file = gnt_format("%s/%s", of->folder, name)))
        gnt_fail(err, "%s: out of memory", of->doc.name);
    else if (!data_has("%s", file)) {
        gnt_doc_fail(err, &of->doc, path, "is %s, but there is no such file in %s", gnt_show(value).text,
                     of->folder);
        gnt_free(file);
        file = NULL;
    }
    return file;
}

int data_described_values(const data_description *of, const char *path, const json_t *object, const char *key,
                          int32_t *n, const char *const **names, gnt_err *err) {
    const json_t *value = json_object_get(object, key);
    const gnt_path at = gnt_path_key(path, key);
    const char *word[MOST_VALUES];
    int64_t count = 0;
    *names = NULL;
    if (gnt_doc_need(&of->doc, path, object, key, "how many there are, or a list of their names", err) != 0)
        return -1;
    if (!json_is_array(value)) {
        if (gnt_doc_int_at(&of->doc, at.text, value, 2, MOST_CLASSES, &count, err) != 0)
            return -1;
        *n = (int32_t)count;
        return 0;
    }
    if (gnt_doc_list(&of->doc, path, object, key, 2, MOST_VALUES, &value, err) != 0)
        return -1;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const gnt_path item = gnt_path_item(at.text, i);
        if (gnt_doc_text_at(&of->doc, item.text, json_array_get(value, i), GNT_DATA_NAME - 1, &word[i], err))
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(word[k], word[i]) == 0)
                return gnt_doc_fail(err, &of->doc, item.text, "is \"%s\" a second time; remove one", word[i]);
    }
    *n = (int32_t)json_array_size(value);
    *names = data_keep_texts(word, (size_t)*n);
    return *names ? 0 : gnt_fail(err, "%s: out of memory", of->doc.name);
}

int data_described_attribute(const data_description *of, const char *path, const char *name, int32_t values,
                             const char *const *names, gnt_data *d, gnt_err *err) {
    if (d->n_attrs == GNT_DATA_ATTRS)
        return gnt_doc_fail(err, &of->doc, path, "is one attribute more than the %d that a set may have",
                            GNT_DATA_ATTRS);
    for (int a = 0; a < d->n_attrs; a++)
        if (strcmp(d->attr[a].name, name) == 0)
            return gnt_doc_fail(err, &of->doc, path, "names the attribute \"%s\" a second time; remove one",
                                name);
    data_add_attr(d, name, values, names);
    return 0;
}
