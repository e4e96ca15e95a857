/* err: an error is a value with a sentence for a person: what, where, what was expected, what to do.
 *
 * Every fallible function takes a `gnt_err *` last and returns 0 on success or -1 on failure; on
 * failure the sentence is set and nothing half-made is left behind. Only main exits. */
#ifndef GNT_BASE_ERR_H
#define GNT_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

typedef struct gnt_err {
    char text[1600]; /* "" while nothing went wrong; always terminated */
} gnt_err;

/* Sets the sentence (cut to fit, control characters replaced by '?') and returns -1. `err` may be NULL. */
int gnt_fail(gnt_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int gnt_vfail(gnt_err *err, const char *format, va_list args);

/* Puts "`context`: " before the sentence already there and returns -1. */
int gnt_fail_in(gnt_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the one of the n `names` that is nearest to `word` by edit distance, or NULL if none is near enough
 * to be worth suggesting. */
const char *gnt_nearest(const char *word, const char *const *names, size_t n);

#endif
