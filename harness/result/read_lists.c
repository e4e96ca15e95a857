/* read_lists: the entries of the long lists of results.json, one at a time. The tree of a value takes several
 * times its text, and that of all cells of a large run gigabytes. */
#include <string.h>

#include "result/read_impl.h"

/* A walk over text that has not been checked yet: it ends at the text's end at the latest, wherever it
 * leads. */
typedef struct walk {
    const char *text;
    size_t at, end;
} walk;

static char next(const walk *w) {
    return w->at < w->end ? w->text[w->at] : 0;
}

static void skip_spaces(walk *w) {
    while (w->at < w->end && strchr(" \t\r\n", w->text[w->at]) && w->text[w->at])
        w->at++;
}

static void skip_string(walk *w) {
    for (w->at++; w->at < w->end && w->text[w->at] != '"'; w->at++)
        w->at += w->text[w->at] == '\\';
    w->at++;
}

/* Goes over a value: to after its last bracket or quote, or to the character that ends a word. */
static void skip_value(walk *w) {
    size_t depth = 0;
    do {
        const char c = next(w);
        if (c == '"') {
            skip_string(w);
            continue;
        }
        if (depth == 0 && strchr(",]}", c)) /* or the end */
            return;
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        w->at++;
    } while (w->at < w->end && (depth > 0 || !strchr(" \t\r\n,]}", next(w))));
}

/* Goes over a character after spaces; −1 if it is another one. */
static int expect(walk *w, char c) {
    skip_spaces(w);
    if (next(w) != c)
        return -1;
    w->at++;
    return 0;
}

static const gnt_field *field_of(const gnt_field *const *field, size_t n, const char *name, size_t length) {
    for (size_t i = 0; i < n; i++)
        if (strlen(field[i]->name) == length && memcmp(field[i]->name, name, length) == 0)
            return field[i];
    return NULL;
}

int result_find_lists(result_list *found, size_t *n_found, const gnt_field *const *field, size_t n,
                      const char *text, size_t size) {
    walk w = {text, 0, size};
    *n_found = 0;
    if (expect(&w, '{') != 0)
        return -1;
    do {
        skip_spaces(&w);
        const size_t name = w.at + 1;
        if (next(&w) != '"')
            return -1;
        skip_string(&w);
        const gnt_field *f = w.at <= size ? field_of(field, n, text + name, w.at - 1 - name) : NULL;
        if (expect(&w, ':') != 0)
            return -1;
        skip_spaces(&w);
        const result_list here = {f, w.at, 0};
        const int is_list = f && next(&w) == '[';
        skip_value(&w);
        if (w.at > size || (is_list && (*n_found == n || text[w.at - 1] != ']')))
            return -1;
        if (is_list) {
            found[*n_found] = here;
            found[(*n_found)++].end = w.at;
        }
    } while (expect(&w, ',') == 0);
    return expect(&w, '}');
}

/* Finds the next entry of a list, at whose bracket or comma the walk is; 0: there is none. */
static int next_entry(walk *w, size_t *first) {
    w->at++;
    skip_spaces(w);
    *first = w->at;
    skip_value(w);
    const size_t end = w->at;
    skip_spaces(w);
    return end > *first;
}

size_t result_count_entries(const result_list *list, const char *text) {
    walk w = {text, list->first, list->end - 1};
    size_t n = 0, first;
    while (w.at < w.end && next_entry(&w, &first))
        n++;
    return n;
}

int result_each_entry(const result_list *list, const char *text,
                      int (*take)(void *user, size_t i, const json_t *entry), void *user) {
    walk w = {text, list->first, list->end - 1};
    size_t first;
    for (size_t i = 0; w.at < w.end; i++) {
        if (i > 0 && next(&w) != ',')
            return -1;
        if (!next_entry(&w, &first))
            return i == 0 && w.at == w.end ? 0 : -1;
        json_t *entry = json_loadb(text + first, w.at - first, JSON_REJECT_DUPLICATES, NULL);
        const int rc = entry ? take(user, i, entry) : -1;
        json_decref(entry);
        if (rc != 0)
            return -1;
    }
    return 0;
}
