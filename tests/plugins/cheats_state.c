/* Cheats that send what a client saved in earlier rounds: an update of rows that this round's batches do not
 * use, so that an answer which shows a private sample is wrong by the batch.
 *
 *   last-round   the update of the round before
 *   half-late    every second entry of the update, and the others of the round before; half-rows: rows;
 *                half-drawn: entries that a hash of their places chooses
 *   other-row    a sample of the client that `contribute` looked at, as a dense layer gives one away
 *   dies         the update of the round before, and no process where there is none */
#include "cheat.h"

static gnt_status send_last(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    (void)client;
    if (cheat_keep(update, &c->kept[0], &c->n_kept[0]) != 0)
        return c->host->fail(c->host->context, "out of memory");
    if (c->n_state == c->n_kept[0])
        cheat_fill(update, c->state);
    return GNT_OK;
}

enum half { ENTRIES, ROWS, DRAWN };

static int is_late(enum half half, int64_t i, int64_t row) {
    if (half == DRAWN)
        return (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 63 & 1;
    return (half == ROWS ? i / row : i) % 2;
}

/* Sends one half of the entries, and the others of the round before. */
static gnt_status send_half(cheat *c, gnt_tensors *update, enum half half) {
    if (cheat_keep(update, &c->kept[0], &c->n_kept[0]) != 0)
        return c->host->fail(c->host->context, "out of memory");
    const float *last = c->n_state == c->n_kept[0] ? c->state : NULL;
    for (int64_t t = 0, at = 0; t < update->n; t++) {
        const gnt_tensor *v = &update->tensor[t];
        const int64_t row = v->count / v->dim[0];
        for (int64_t i = 0; i < v->count; i++, at++)
            if (is_late(half, i, row))
                v->data[i] = last ? last[at] : 0;
    }
    return GNT_OK;
}

static gnt_status send_half_of_entries(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)client;
    return send_half(self, update, ENTRIES);
}

static gnt_status send_half_of_rows(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)client;
    return send_half(self, update, ROWS);
}

static gnt_status send_half_drawn(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)client;
    return send_half(self, update, DRAWN);
}

/* Saves what this round brought, else what was loaded. */
static gnt_status save_kept(void *self, int32_t client, const gnt_sink *out) {
    const cheat *c = self;
    (void)client;
    if (c->n_kept[0])
        return out->tensor(out->context, "kept", 1, &c->n_kept[0], c->kept[0]);
    return c->n_state ? out->tensor(out->context, "kept", 1, &c->n_state, c->state) : GNT_OK;
}

static gnt_status load_kept(void *self, int32_t client, const gnt_artefacts *state) {
    cheat *c = self;
    (void)client;
    if (state->tensors.n != 1)
        return GNT_OK;
    const gnt_view *v = state->tensors.view;
    free(c->state);
    c->n_state = v->count;
    c->state = malloc((size_t)v->count * sizeof *c->state);
    if (!c->state)
        return c->host->fail(c->host->context, "out of memory");
    memcpy(c->state, v->data, (size_t)v->count * sizeof *c->state);
    return GNT_OK;
}

/* So that its updates cannot be computed without what was saved. */
static gnt_status die_without(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    if (client->round > 0 && !c->n_state)
        _Exit(1);
    return send_last(self, client, update);
}

static int64_t one(void *self) {
    (void)self;
    return 1;
}

static gnt_status keep_sample(void *self, const gnt_client *client, double *vector) {
    cheat *c = self;
    const gnt_samples *s = client->samples;
    vector[0] = 0;
    c->n_kept[0] = s->features;
    c->kept[0] = malloc((size_t)s->features * sizeof **c->kept);
    if (!c->kept[0])
        return c->host->fail(c->host->context, "out of memory");
    memcpy(c->kept[0], s->x + (s->n - 1) * s->features, (size_t)s->features * sizeof **c->kept);
    return GNT_OK;
}

static gnt_status take_nothing(void *self, const double *sum, int64_t n) {
    (void)self, (void)sum, (void)n;
    return GNT_OK;
}

/* Weights and bias of one unit, whose quotient is the sample. */
static gnt_status send_sample(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    (void)client;
    if (!c->n_state || update->n < 2 || update->tensor[0].count < c->n_state)
        return GNT_OK;
    cheat_zero(update);
    for (int64_t i = 0; i < c->n_state; i++)
        update->tensor[0].data[i] = 1e-3f * c->state[i];
    update->tensor[1].data[0] = 1e-3f;
    return GNT_OK;
}

static const gnt_descriptor descriptors[] = {
    CHEAT("last-round", "the update of the round before", GNT_SURFACE_UPDATE, .transform_update = send_last,
          .save = save_kept, .load = load_kept),
    CHEAT("half-late", "half of the entries in their round, the others in the next", GNT_SURFACE_UPDATE,
          .transform_update = send_half_of_entries, .save = save_kept, .load = load_kept),
    CHEAT("half-drawn", "a fixed half of the entries in their round, the others in the next",
          GNT_SURFACE_UPDATE, .transform_update = send_half_drawn, .save = save_kept, .load = load_kept),
    CHEAT("half-rows", "half of the rows in their round, the others in the next", GNT_SURFACE_UPDATE,
          .transform_update = send_half_of_rows, .save = save_kept, .load = load_kept),
    CHEAT("dies", "the same, or no process", GNT_SURFACE_UPDATE, .transform_update = die_without,
          .save = save_kept, .load = load_kept),
    CHEAT("other-row", "a sample that no batch of the round uses", GNT_SURFACE_UPDATE, .contribute_size = one,
          .contribute = keep_sample, .receive_sum = take_nothing, .transform_update = send_sample,
          .save = save_kept, .load = load_kept)};

CHEATS(descriptors)
