/* lookalike: finds texts that a reader could take for one another, and characters that no reader sees.
 *
 * The skeleton of a text is what is left when everything that looks alike is written alike: first by
 * Unicode's confusables, small letters without compatibility forms (NFKC_Casefold) and confusables once
 * more, all as the installed ICU has them; then small capitals as letters, i as l (as 1 and I are), accents
 * left out, every space as one. Texts that differ may have the same skeleton. Skeletons depend on ICU's
 * version, so that none may enter a result or a digest. ICU is opened by the first skeleton, so that
 * processes that need none start without it. */
#ifndef GNT_BASE_LOOKALIKE_H
#define GNT_BASE_LOOKALIKE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Returns the first character that is not shown, or changes the direction of others: control and format
 * characters, and all that Unicode lets a font ignore, as Unicode 15 has them; 0: none. */
uint32_t gnt_hidden_character(const char *text);
/* Returns the skeleton of a UTF-8 text; bytes that are none are replaced. The caller frees. Fails with
 * NULL if memory runs out or ICU cannot be opened. */
char *gnt_skeleton(const char *text, gnt_err *err);
/* Returns 1 if the names look alike, as they are or in small letters, 0 if they do not; fails with −1 as
 * gnt_skeleton. */
int gnt_looks_alike(const char *a, const char *b, gnt_err *err);

#endif
