/* lookalike: finds texts that a reader could take for one another, and characters that no reader sees.
 *
 * The skeleton of a text is what is left when everything that looks alike is written alike: Cyrillic and
 * Greek letters as the Latin ones of the same shape, capitals as small letters, accents left out,
 * full-width, mathematical and circled letters as plain ones, 0 as o, 1 and i as l, rn as m, every space as
 * one. It is a part of what Unicode's confusables and NFKC cover, without a library: other scripts stay as
 * they are, and texts that differ may have the same skeleton. */
#ifndef GNT_BASE_LOOKALIKE_H
#define GNT_BASE_LOOKALIKE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the first character that is not shown, or changes the direction of others: control and format
 * characters, zero-width ones, selectors; 0: none. */
uint32_t gnt_hidden_character(const char *text);
/* Returns the skeleton of a UTF-8 text; bytes that are none are replaced. The caller frees; NULL: out of
 * memory. */
char *gnt_skeleton(const char *text);
/* Returns 1 if the names look alike, 0 if they do not, −1 when memory ran out. */
int gnt_looks_alike(const char *a, const char *b);

#endif
