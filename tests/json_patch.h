/* json_patch: lines of text cases that change a JSON document, and lines that stand for bytes. */
#ifndef TESTS_JSON_PATCH_H
#define TESTS_JSON_PATCH_H

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"

/* Returns the parent of what `path` names, and its last step: *key, or NULL and *index. */
static inline json_t *patch_walk(json_t *root, char *path, char **key, size_t *index) {
    json_t *at = root, *parent = NULL;
    while (*path) {
        parent = at;
        if (*path == '[') {
            *key = NULL;
            *index = strtoul(path + 1, &path, 10);
            path += *path == ']';
            at = json_array_get(parent, *index);
        } else {
            path += *path == '.';
            size_t n = strcspn(path, ".[");
            char kept = path[n];
            *key = path;
            path[n] = 0;
            at = json_object_get(parent, path);
            *key = strdup(*key);
            path[n] = kept;
            path += n;
            if (*path)
                free(*key);
        }
        if (!parent)
            fail_msg("no such path in the base");
    }
    return parent;
}

static inline void patch_json(json_t *root, const char *line) {
    int set = strncmp(line, "set ", 4) == 0;
    char *path = strdup(line + (set ? 4 : 5)), *equals = set ? strstr(path, " = ") : NULL, *key = NULL;
    size_t index = 0;
    if (equals)
        *equals = 0;
    json_t *value = set ? json_loads(equals ? equals + 3 : "", JSON_DECODE_ANY, NULL) : NULL;
    if (set && !value)
        fail_msg("no JSON value in: %s", line);
    json_t *parent = patch_walk(root, path, &key, &index);
    int rc = key && set                         ? json_object_set_new(parent, key, value)
             : key                              ? json_object_del(parent, key)
             : !set                             ? json_array_remove(parent, index)
             : index == json_array_size(parent) ? json_array_append_new(parent, value)
                                                : json_array_set_new(parent, index, value);
    if (rc != 0)
        fail_msg("cannot apply: %s", line);
    free(key);
    free(path);
}

/* Appends bytes: \n, \t, \\ and \xNN stand for one. */
static inline void append_text(gnt_text *text, const char *line) {
    for (; *line; line++) {
        char byte = *line;
        if (line[0] == '\\' && line[1] == 'x') {
            byte = (char)strtol((char[]){line[2], line[3], 0}, NULL, 16);
            line += 3;
        } else if (line[0] == '\\') {
            line++;
            byte = *line == 'n' ? '\n' : *line == 't' ? '\t' : *line;
        }
        gnt_text_bytes(text, &byte, 1);
    }
}

#endif
