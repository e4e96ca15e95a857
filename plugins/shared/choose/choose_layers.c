/* Parses layers, names and ranges in one line of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose_layers.h"

enum { LONGEST_NAME = 100 };

typedef struct choice {
    const gnt_model_info *info;
    uint8_t *taken; /* n_layers flags */
    char *why;
} choice;

static int is_conv(const gnt_layer_info *l) {
    return strcmp(l->type, "conv") == 0;
}

/* Takes the last `n` (with from_start the first) convolutions. */
static int take_convs(choice *c, const char *token, int64_t n, int from_start) {
    int64_t all = 0, at = 0;
    for (int32_t i = 0; i < c->info->n_layers; i++)
        all += is_conv(&c->info->layer[i]);
    if (n < 1 || n > all) {
        snprintf(c->why, CHOOSE_WHY, "layers: \"%s\" asks for %lld convolutions, but %s has %lld", token,
                 (long long)n, c->info->name, (long long)all);
        return -1;
    }
    for (int32_t i = 0; i < c->info->n_layers; i++)
        if (is_conv(&c->info->layer[i])) {
            c->taken[i] |= from_start ? at < n : at >= all - n;
            at++;
        }
    return 0;
}

/* Returns the edit distance of two short names. */
static int distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    int row[LONGEST_NAME + 1];
    if (n > LONGEST_NAME || m > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int swap = corner + (a[i - 1] != b[j - 1]), least = row[j] + 1;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            corner = row[j];
            row[j] = swap < least ? swap : least;
        }
    }
    return row[m];
}

static int unknown(choice *c, const char *token) {
    const char *near = "";
    int least = LONGEST_NAME + 1;
    for (int32_t i = 0; i < c->info->n_layers; i++) {
        int d = distance(token, c->info->layer[i].name);
        if (d < least) {
            least = d;
            near = c->info->layer[i].name;
        }
    }
    snprintf(
        c->why, CHOOSE_WHY,
        "layers: %s has no layer \"%s\"; the nearest is \"%s\"; expected names of layers, \"convs:firstN\", "
        "\"convs:lastN\", \"convs:all\" or \"dense\"",
        c->info->name, token, near);
    return -1;
}

static int take(choice *c, const char *token) {
    int32_t found = 0;
    for (int32_t i = 0; i < c->info->n_layers; i++)
        if (strcmp(c->info->layer[i].name, token) == 0) {
            c->taken[i] = 1;
            found++;
        }
    if (found)
        return 0;
    if (strncmp(token, "convs:", 6) == 0) {
        const char *rest = token + 6;
        char *end;
        int from_start = strncmp(rest, "first", 5) == 0, from_end = strncmp(rest, "last", 4) == 0;
        if (strcmp(rest, "all") == 0) {
            for (int32_t i = 0; i < c->info->n_layers; i++)
                found += is_conv(&c->info->layer[i]);
            return take_convs(c, token, found, 1);
        }
        const char *digits = rest + (from_start ? 5 : from_end ? 4 : 0);
        long n = strtol(digits, &end, 10);
        if ((from_start || from_end) && *digits >= '0' && *digits <= '9' && !*end)
            return take_convs(c, token, n, from_start);
    }
    if (strcmp(token, "dense") == 0) {
        for (int32_t i = 0; i < c->info->n_layers; i++)
            if (strcmp(c->info->layer[i].type, "dense") == 0)
                c->taken[i] = (uint8_t)(found = 1);
        if (found)
            return 0;
    }
    return unknown(c, token);
}

int choose_layers(const gnt_model_info *info, const char *text, uint8_t *taken, char why[CHOOSE_WHY]) {
    static const char joints[] = "+, ";
    choice c = {.info = info, .taken = taken, .why = why};
    int chosen = 0;
    memset(taken, 0, (size_t)info->n_layers);
    for (text += strspn(text, joints); *text; text += strspn(text, joints)) {
        char token[LONGEST_NAME + 1];
        size_t length = strcspn(text, joints);
        snprintf(token, sizeof token, "%.*s", (int)length, text);
        if (take(&c, token) != 0)
            return -1;
        text += length;
        chosen = 1;
    }
    if (chosen)
        return 0;
    snprintf(why, CHOOSE_WHY, "layers: none is named; expected names of layers of %s, or \"convs:all\"",
             info->name);
    return -1;
}
