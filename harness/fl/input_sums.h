/* input_sums: checks that the inputs of a hook are unchanged after it. A process cannot keep a plugin off
 * memory they share, so it compares a quick checksum before and after, which detects any careless change and
 * is no defense against a plugin that forges sums. */
#ifndef GNT_FL_INPUT_SUMS_H
#define GNT_FL_INPUT_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fl/defense_chain.h"

typedef struct gnt_inputs {
    uint64_t samples, weights, buffers, public_data;
} gnt_inputs;

/* Returns a checksum that depends on every byte and its place; 0 for no bytes or NULL. */
uint64_t gnt_quick_sum(const void *bytes, size_t n);

/* Sums a hook's inputs; zeros for a member that runs in another process. */
gnt_inputs gnt_inputs_of(const gnt_chain *chain, const gnt_member *member, const gnt_client *client);
/* Returns −1 with a sentence if anything differs from `before`. */
int gnt_inputs_check(const gnt_chain *chain, const gnt_member *member, const gnt_client *client,
                     const char *hook, const gnt_inputs *before, gnt_err *err);

/* Sums what an aggregation is given; and says what a hook changed, as a sentence. */
uint64_t gnt_inputs_of_aggregate(const gnt_aggregate *in);
int gnt_inputs_changed(const gnt_member *member, const char *hook, const char *what, gnt_err *err);

#endif
