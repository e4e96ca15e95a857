#include "fl/input_sums.h"

#include <string.h>

#include "base/clones.h"

/* Lanes are rotated, since floats may differ in their high bits alone: in a sum that only multiplies two
 * changed signs would cancel. */
enum { LANES = 16 }; /* side by side, so that the compiler may vectorise: it runs at the speed of memory */

GNT_CLONES uint64_t gnt_quick_sum(const void *bytes, size_t n) {
    uint32_t lane[LANES] = {0}, word[LANES];
    uint64_t sum = 0;
    const uint8_t *at = bytes;
    if (!bytes)
        return 0;
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < LANES; i++) {
            const uint32_t turned = lane[i] << 13 | lane[i] >> 19;
            lane[i] = (turned << 5) - turned + word[i];
        }
    }
    for (int i = 0; i < LANES; i++)
        sum = sum * 0x9e3779b97f4a7c15u + lane[i];
    for (; n; n--)
        sum = sum * 0x9e3779b97f4a7c15u + *at++ + 1;
    return sum;
}

static uint64_t sum_of_samples(const gnt_samples *s) {
    if (!s || s->n < 1)
        return 0;
    size_t n = (size_t)s->n;
    uint64_t x = gnt_quick_sum(s->x, n * (size_t)s->features * sizeof *s->x);
    uint64_t y = gnt_quick_sum(s->y, n * (size_t)s->classes * sizeof *s->y);
    uint64_t a = gnt_quick_sum(s->a, n * (size_t)s->n_attributes * sizeof *s->a);
    uint64_t mask = s->mask ? gnt_quick_sum(s->mask, n * (size_t)gnt_mask_size(s)) : 0;
    return ((x * 31 + y) * 31 + a) * 31 + mask;
}

gnt_inputs gnt_inputs_of(const gnt_chain *chain, const gnt_member *member, const gnt_client *client) {
    if (member->remote)
        return (gnt_inputs){0};
    return (gnt_inputs){
        .samples = sum_of_samples(client->samples),
        .weights = gnt_quick_sum(client->weights, (size_t)chain->n_params * sizeof *client->weights),
        .buffers = gnt_quick_sum(client->buffers, (size_t)chain->n_buffers * sizeof *client->buffers),
        .public_data = sum_of_samples(client->public_data)};
}

int gnt_inputs_check(const gnt_chain *chain, const gnt_member *member, const gnt_client *client,
                     const char *hook, const gnt_inputs *before, gnt_err *err) {
    gnt_inputs now = gnt_inputs_of(chain, member, client);
    const char *what = now.samples != before->samples           ? "samples"
                       : now.weights != before->weights         ? "weights"
                       : now.buffers != before->buffers         ? "buffers"
                       : now.public_data != before->public_data ? "public data"
                                                                : NULL;
    if (!what)
        return 0;
    return gnt_inputs_changed(member, hook, what, err);
}

int gnt_inputs_changed(const gnt_member *member, const char *hook, const char *what, gnt_err *err) {
    return gnt_fail(err, "defense %s: %s changed what it was given to read: %s", member->id ? member->id : "",
                    hook, what);
}

uint64_t gnt_inputs_of_aggregate(const gnt_aggregate *in) {
    const size_t bytes = (size_t)in->n_params * sizeof *in->old_weights;
    uint64_t sum = gnt_quick_sum(in->old_weights, bytes) * 31 + sum_of_samples(in->public_data);
    for (int64_t k = 0; k < in->n_clients; k++)
        sum = sum * 31 + gnt_quick_sum(in->update[k], bytes);
    return sum * 31 + gnt_quick_sum(in->share, (size_t)in->n_clients * sizeof *in->share);
}
