/* model_name: names of layers: given, numbered in a repeat, or generated. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/model/model_parse.h"

/* Copies `text` with the count for each #, truncated to MODEL_MOST_NAME letters. */
static void put_count(char to[MODEL_MOST_NAME + 1], const char *text, int32_t count) {
    size_t at = 0;
    for (; *text && at < MODEL_MOST_NAME; text++)
        at += *text == '#' && count != MODEL_NO_COUNT
                  ? (size_t)snprintf(to + at, MODEL_MOST_NAME + 1 - at, "%" PRId32, count)
                  : (size_t)snprintf(to + at, 2, "%c", *text);
    to[at < MODEL_MOST_NAME ? at : MODEL_MOST_NAME] = 0;
}

static int is_name(const char *text) {
    const char *c = text;
    while (*c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *c))
        c++;
    return *c == 0;
}

int model_read_name(model_parser *p, const json_t *spec, model_kind kind, const char *prefix, int32_t count,
                    char name[MODEL_MOST_NAME], gnt_err *err) {
    char text_counted[MODEL_MOST_NAME + 1];
    const json_t *given = json_object_get(spec, "name");
    const char *text = json_string_value(given);
    int repeated = count != MODEL_NO_COUNT;
    p->seen[kind]++;
    if (given && (!text || !*text))
        return gnt_fail(err, "\"name\" must be text");
    if (!text && model_has_params(kind))
        return gnt_fail(err, "\"name\" is missing: a %s has parameters, and they are called after it",
                        model_kind_name(kind));
    if (text)
        put_count(text_counted, text, count);
    if (text && !is_name(text_counted))
        return gnt_fail(err, "the name \"%s\" may hold letters, digits, '_', '-' and '.' only%s", text,
                        strchr(text, '#') && !repeated ? "; # is the count of a repeat, and this is in none"
                                                       : "");
    int n = text ? snprintf(name, MODEL_MOST_NAME, "%s%s", prefix, text_counted)
                 : snprintf(name, MODEL_MOST_NAME, "%s_%d", model_kind_name(kind), p->seen[kind]);
    if (n >= MODEL_MOST_NAME)
        return gnt_fail(err, "the name %s… is longer than %d letters", name, MODEL_MOST_NAME - 1);
    for (int32_t i = 0; i < p->m->n_layers; i++)
        if (strcmp(p->m->layer[i].name, name) == 0)
            return gnt_fail(err, "two layers have the name %s%s", name,
                            repeated ? "; a # in a name is the count of the repeat it is in" : "");
    return 0;
}
