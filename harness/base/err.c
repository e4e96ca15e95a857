#include "base/err.h"

#include <stdio.h>
#include <string.h>

static void make_printable(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

int gnt_vfail(gnt_err *err, const char *format, va_list args) {
    if (!err)
        return -1;
    char text[sizeof err->text]; /* the arguments may point into err->text */
    vsnprintf(text, sizeof text, format, args);
    make_printable(text);
    memcpy(err->text, text, sizeof text);
    return -1;
}

int gnt_fail(gnt_err *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    gnt_vfail(err, format, args);
    va_end(args);
    return -1;
}

int gnt_fail_in(gnt_err *err, const char *format, ...) {
    if (!err)
        return -1;
    gnt_err context = {0}, old = *err;
    va_list args;
    va_start(args, format);
    gnt_vfail(&context, format, args);
    va_end(args);
    return gnt_fail(err, "%.600s: %.900s", context.text, old.text);
}

enum { LONGEST_WORD = 64 };

/* Counts the insertions, deletions, replacements and exchanges of two neighbours (optimal string
 * alignment) that turn a into b: mistakes of typing. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb) {
    size_t row[LONGEST_WORD + 1], above[LONGEST_WORD + 1] = {0}, previous[LONGEST_WORD + 1];
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        memcpy(previous, row, sizeof *row * (nb + 1));
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t cost = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < cost)
                cost = row[j] + 1;
            if (row[j - 1] + 1 < cost)
                cost = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above[j - 2] + 1 < cost)
                cost = above[j - 2] + 1;
            row[j] = cost;
        }
        memcpy(above, previous, sizeof *row * (nb + 1));
    }
    return row[nb];
}

const char *gnt_nearest(const char *word, const char *const *names, size_t n) {
    size_t length = strnlen(word, LONGEST_WORD + 1);
    const char *best = NULL;
    size_t least = length / 2 + 1;
    if (length == 0 || length > LONGEST_WORD)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strnlen(names[i], LONGEST_WORD + 1);
        if (other > LONGEST_WORD)
            continue;
        size_t d = edit_distance(word, length, names[i], other);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
