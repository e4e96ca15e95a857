#include "data/kept_texts.h"

#include <string.h>

#include "base/mem.h"

typedef struct kept {
    struct kept *next;
    size_t n;
    char **text;
} kept;

static kept *all;

static int is_same(const kept *k, const char *const *text, size_t n) {
    int same = k->n == n;
    for (size_t i = 0; same && i < n; i++)
        same = strcmp(k->text[i], text[i]) == 0;
    return same;
}

static void drop(kept *k) {
    for (size_t i = 0; k && k->text && i < k->n; i++)
        gnt_free(k->text[i]);
    if (k)
        gnt_free(k->text);
    gnt_free(k);
}

const char *const *data_keep_texts(const char *const *text, size_t n) {
    for (const kept *k = all; k; k = k->next)
        if (is_same(k, text, n))
            return (const char *const *)k->text;
    kept *k = gnt_alloc(sizeof *k);
    int whole = k != NULL && (k->text = gnt_array(n + 1, sizeof *k->text)) != NULL;
    for (size_t i = 0; whole && i < n; i++) {
        k->text[i] = gnt_strdup(text[i]);
        k->n = i + 1;
        whole = k->text[i] != NULL;
    }
    if (!whole) {
        drop(k);
        return NULL;
    }
    k->n = n;
    k->next = all;
    all = k;
    return (const char *const *)k->text;
}

const char *data_keep_text(const char *text) {
    const char *const *list = data_keep_texts(&text, 1);
    return list ? list[0] : NULL;
}
