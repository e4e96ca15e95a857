#include "fl/defense_chain.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/mem.h"
#include "fl/input_sums.h"

enum { MOST_GROWTH = 64 }; /* an encoding may give at most this many samples for each that came in */

/* Collects what an encoding hook puts. */
typedef struct collector {
    const gnt_samples *source;
    int query;                 /* labels and names are neither given nor taken */
    const gnt_mixture *before; /* what the source is made of; NULL: not wanted */
    gnt_mixture made_of;
    gnt_batch out;
    int64_t n, room, most;
    int mixes; /* it said that another sample than the one it is mostly of went into one */
    gnt_err err;
} collector;

static int make_room(collector *c) {
    int64_t room = c->room ? 2 * c->room : 16;
    float *x = gnt_resize(c->out.x, (size_t)(room * c->source->features), sizeof *x);
    if (x)
        c->out.x = x;
    float *y = gnt_resize(c->out.y, (size_t)(room * c->source->classes), sizeof *y);
    if (y)
        c->out.y = y;
    int64_t *id = gnt_resize(c->out.id, (size_t)room, sizeof *id);
    if (id)
        c->out.id = id;
    if (!x || !y || !id)
        return gnt_fail(&c->err, "out of memory for %lld encoded samples", (long long)room);
    c->room = room;
    return 0;
}

/* Records the source of an encoding. If several samples share one id, their t-th encoding is made of the
 * t-th. */
static int note_source(collector *c, int64_t source_id) {
    int64_t same = 0, earlier = 0, row = -1;
    for (int64_t r = 0; r < c->source->n; r++)
        same += c->source->id[r] == source_id;
    if (!same)
        return gnt_fail(&c->err,
                        "encoded sample %lld says it is mostly of sample %lld, which is not in the set",
                        (long long)c->n, (long long)source_id);
    for (int64_t i = 0; same > 1 && i < c->n; i++)
        earlier += c->out.id[i] == source_id;
    for (int64_t left = earlier % same; left >= 0; left -= c->source->id[row] == source_id)
        row++;
    return gnt_mixture_copy(&c->made_of, c->before, row, &c->err);
}

static gnt_status put(void *context, const float *x, const float *y, int64_t source_id) {
    collector *c = context;
    int64_t f = c->source->features, k = c->source->classes;
    if (c->n >= c->most) {
        gnt_fail(&c->err, "the encoding gave more than %lld samples", (long long)c->most);
        return GNT_FAILED;
    }
    if (c->n == c->room && make_room(c) != 0)
        return GNT_FAILED;
    if (gnt_first_not_finite(x, f) < f) {
        gnt_fail(&c->err, "encoded sample %lld holds a value that is not finite", (long long)c->n);
        return GNT_FAILED;
    }
    if (c->before && note_source(c, source_id) != 0)
        return GNT_FAILED;
    memcpy(c->out.x + c->n * f, x, (size_t)f * sizeof *x);
    if (!c->query)
        memcpy(c->out.y + c->n * k, y, (size_t)k * sizeof *y);
    c->out.id[c->n++] = source_id;
    return GNT_OK;
}

static gnt_status mixed(void *context, int64_t n, const int64_t *source_id, const double *weight) {
    collector *c = context;
    int good = c->n > 0 && n >= 0;
    for (int64_t i = 0; good && i < n; i++)
        good = isfinite(weight[i]) && weight[i] >= 0;
    if (!good) {
        gnt_fail(&c->err, "encoded sample %lld has a mixing weight that is no number ≥ 0",
                 (long long)c->n - 1);
        return GNT_FAILED;
    }
    for (int64_t i = 0; i < n; i++)
        c->mixes |= weight[i] > 0 && source_id[i] != c->out.id[c->n - 1];
    return c->before &&
                   gnt_mixture_mix(&c->made_of, c->before, c->source->id, n, source_id, weight, &c->err) != 0
               ? GNT_FAILED
               : GNT_OK;
}

/* Returns the row of the sample with the largest weight in encoding i; 0 if no sample has that id. */
static int64_t row_of(const collector *c, int64_t i) {
    const gnt_samples *from = c->source;
    int64_t id = c->out.id[i], row = id;
    if (row < 0 || row >= from->n || from->id[row] != id)
        for (row = from->n - 1; row > 0 && from->id[row] != id;)
            row--;
    return row;
}

/* Copies the attributes to the encodings, if each sample gave one encoding and no two were mixed. */
static int keep_attributes(collector *c, gnt_err *err) {
    const gnt_samples *from = c->source;
    size_t each = (size_t)from->n_attributes;
    int one_to_one = from->a && from->id && c->n == from->n && !c->mixes;
    uint8_t *taken = one_to_one ? gnt_array((size_t)c->n, 1) : NULL;
    if (!one_to_one)
        return 0;
    c->out.a = gnt_array((size_t)c->n * each, sizeof *c->out.a);
    if (!taken || !c->out.a) {
        gnt_free(taken);
        return gnt_fail(err, "out of memory for the attributes of %lld samples", (long long)c->n);
    }
    for (int64_t i = 0; one_to_one && i < c->n; i++) {
        int64_t row = row_of(c, i);
        one_to_one = from->id[row] == c->out.id[i] && !taken[row];
        taken[row] = 1;
        memcpy(c->out.a + (size_t)i * each, from->a + (size_t)row * each, each * sizeof *c->out.a);
    }
    gnt_free(taken);
    if (!one_to_one) {
        gnt_free(c->out.a);
        c->out.a = NULL;
    }
    return 0;
}

/* Copies to each encoding the mask of the sample with the largest weight in it. */
static int keep_masks(collector *c, gnt_err *err) {
    const gnt_samples *from = c->source;
    size_t m = (size_t)gnt_mask_size(from);
    if (!from->mask)
        return 0;
    c->out.mask = gnt_array((size_t)c->n, m);
    if (!c->out.mask)
        return gnt_fail(err, "out of memory for the masks of %lld samples", (long long)c->n);
    for (int64_t i = 0; i < c->n; i++)
        memcpy(c->out.mask + (size_t)i * m, from->mask + (size_t)row_of(c, i) * m, m);
    return 0;
}

typedef gnt_status (*encode_hook)(void *self, const gnt_client *client, int64_t when,
                                  const gnt_samples_sink *out);

static int encode(const gnt_chain *chain, const gnt_member *m, encode_hook hook, const char *name,
                  gnt_client *client, int64_t when, gnt_batch *b, gnt_err *err) {
    const int query = hook == m->hooks->encode_query && !b->view.id;
    collector c = {.source = &b->view,
                   .query = query,
                   .before = query ? NULL : b->made_of,
                   .most = b->view.n * MOST_GROWTH};
    if (c.before)
        c.made_of = gnt_mixture_empty(c.before);
    /* a plugin always finds `mixed`: it must not see whether the host needs it */
    gnt_samples_sink sink = {.size = sizeof sink, .context = &c, .put = put, .mixed = mixed};
    client->samples = &b->view;
    client->artefacts = m->artefacts;
    gnt_inputs before = gnt_inputs_of(chain, m, client);
    m->begin(m->owner, name);
    int rc = m->done(m->owner, hook(m->self, client, when, &sink), err);
    if (c.err.text[0])
        rc = gnt_fail(err, "%s", c.err.text);
    else if (rc == 0)
        rc = gnt_inputs_check(chain, m, client, name, &before, err);
    if (rc == 0 && c.n == 0)
        rc = gnt_fail(err, "the encoding of %lld samples gave none", (long long)b->view.n);
    if (rc == 0)
        rc = keep_masks(&c, err) != 0 ? -1 : keep_attributes(&c, err);
    if (rc != 0) {
        gnt_batch_free(&c.out);
        gnt_mixture_free(&c.made_of);
        return -1;
    }
    c.out.made_of = b->made_of;
    if (c.before) {
        gnt_mixture_free(b->made_of);
        *b->made_of = c.made_of;
    }
    gnt_samples view = b->view;
    view.n = c.n;
    view.x = c.out.x;
    view.y = c.query ? NULL : c.out.y;
    view.id = c.query ? NULL : c.out.id;
    view.a = c.out.a;
    view.mask = c.out.mask;
    gnt_batch_free(b);
    *b = c.out;
    b->view = view;
    return 0;
}

int gnt_chain_encodes_sets(const gnt_chain *chain) {
    for (int32_t i = 0; i < chain->n; i++)
        if (chain->member[i].hooks->encode_set)
            return 1;
    return 0;
}

int gnt_chain_encode_set(const gnt_chain *chain, gnt_client *client, int64_t epoch, gnt_batch *b,
                         gnt_err *err) {
    for (int32_t i = 0; i < chain->n; i++)
        if (chain->member[i].hooks->encode_set &&
            encode(chain, &chain->member[i], chain->member[i].hooks->encode_set, "encode_set", client, epoch,
                   b, err) != 0)
            return -1;
    client->samples = &b->view;
    return 0;
}

int gnt_chain_encode_query(const gnt_chain *chain, gnt_client *client, int64_t draw, gnt_batch *b,
                           gnt_err *err) {
    const int64_t n = b->view.n;
    /* a party that queries a model knows no label, and its samples have no names */
    b->view.y = NULL;
    b->view.id = NULL;
    b->view.a = NULL;
    b->view.mask = NULL;
    for (int32_t i = 0; i < chain->n; i++) {
        const gnt_member *m = &chain->member[i];
        if (!m->hooks->encode_query)
            continue;
        if (encode(chain, m, m->hooks->encode_query, "encode_query", client, draw, b, err) != 0)
            return -1;
        if (b->view.n != n)
            return gnt_fail(err, "defense %s: encode_query made %lld samples of %lld; expected as many",
                            m->id ? m->id : "", (long long)b->view.n, (long long)n);
    }
    return 0;
}

int gnt_chain_encode_batch(const gnt_chain *chain, gnt_client *client, int64_t step, gnt_batch *b,
                           gnt_err *err) {
    for (int32_t i = 0; i < chain->n; i++)
        if (chain->member[i].hooks->encode_batch &&
            encode(chain, &chain->member[i], chain->member[i].hooks->encode_batch, "encode_batch", client,
                   step, b, err) != 0)
            return -1;
    client->samples = &b->view;
    return 0;
}

int gnt_chain_local_rate(const gnt_chain *chain, gnt_client *client, int64_t step, double *rate,
                         gnt_err *err) {
    for (int32_t i = 0; i < chain->n; i++) {
        const gnt_member *m = &chain->member[i];
        if (!m->hooks->local_rate)
            continue;
        client->artefacts = m->artefacts;
        gnt_inputs before = gnt_inputs_of(chain, m, client);
        m->begin(m->owner, "local_rate");
        if (m->done(m->owner, m->hooks->local_rate(m->self, client, step, rate), err) != 0 ||
            gnt_inputs_check(chain, m, client, "local_rate", &before, err) != 0)
            return -1;
        if (!isfinite(*rate))
            return gnt_fail(err, "the defense set a learning rate that is not finite");
    }
    return 0;
}

static int all_finite(const gnt_member *m, const gnt_tensors *update, gnt_err *err) {
    for (int64_t t = 0; t < update->n; t++) {
        const int64_t i = gnt_first_not_finite(update->tensor[t].data, update->tensor[t].count);
        if (i < update->tensor[t].count)
            return gnt_fail(err, "defense %s: its update holds a value that is not finite in %s[%lld]",
                            m->id ? m->id : "", update->tensor[t].name, (long long)i);
    }
    return 0;
}

/* Checks the running statistics after a hook that may change them: it leaves all of them, or none. */
static int check_buffers(const gnt_member *m, const gnt_tensors *sent, int64_t before, gnt_err *err) {
    if (!sent || sent->n == 0)
        return 0;
    if (sent->n != before)
        return gnt_fail(err,
                        "defense %s: it left %lld tensors in sent_buffers; expected %lld, or 0 to send none",
                        m->id ? m->id : "", (long long)sent->n, (long long)before);
    return all_finite(m, sent, err);
}

static int64_t count_of(const gnt_tensors *t) {
    return t ? t->n : 0;
}

int gnt_chain_client_update(const gnt_chain *chain, gnt_client *client, gnt_tensors *update, int *took,
                            gnt_err *err) {
    *took = 0;
    for (int32_t i = 0; i < chain->n && !*took; i++) {
        const gnt_member *m = &chain->member[i];
        if (!m->hooks->client_update)
            continue;
        client->artefacts = m->artefacts;
        gnt_inputs before = gnt_inputs_of(chain, m, client);
        const int64_t n_buffers = count_of(client->sent_buffers);
        m->begin(m->owner, "client_update");
        if (m->done(m->owner, m->hooks->client_update(m->self, client, update), err) != 0 ||
            gnt_inputs_check(chain, m, client, "client_update", &before, err) != 0 ||
            all_finite(m, update, err) != 0 || check_buffers(m, client->sent_buffers, n_buffers, err) != 0)
            return -1;
        *took = 1;
    }
    return 0;
}

int gnt_chain_transform(const gnt_chain *chain, gnt_client *client, gnt_tensors *update, gnt_err *err) {
    for (int32_t i = 0; i < chain->n; i++) {
        const gnt_member *m = &chain->member[i];
        if (!m->hooks->transform_update)
            continue;
        client->artefacts = m->artefacts;
        gnt_inputs before = gnt_inputs_of(chain, m, client);
        const int64_t n_buffers = count_of(client->sent_buffers);
        m->begin(m->owner, "transform_update");
        if (m->done(m->owner, m->hooks->transform_update(m->self, client, update), err) != 0 ||
            gnt_inputs_check(chain, m, client, "transform_update", &before, err) != 0 ||
            all_finite(m, update, err) != 0 || check_buffers(m, client->sent_buffers, n_buffers, err) != 0)
            return -1;
    }
    return 0;
}

int gnt_chain_contribute(const gnt_member *m, const gnt_chain *chain, const gnt_client *client,
                         double *vector, gnt_err *err) {
    const gnt_inputs before = gnt_inputs_of(chain, m, client);
    m->begin(m->owner, "contribute");
    if (m->done(m->owner, m->hooks->contribute(m->self, client, vector), err) != 0)
        return -1;
    return gnt_inputs_check(chain, m, client, "contribute", &before, err);
}

int gnt_chain_aggregate(const gnt_chain *chain, gnt_aggregate *in, float *new_weights, int *took,
                        gnt_err *err) {
    *took = 0;
    for (int32_t i = 0; i < chain->n && !*took; i++) {
        const gnt_member *m = &chain->member[i];
        if (!m->hooks->aggregate)
            continue;
        in->artefacts = m->artefacts;
        const uint64_t before = m->remote ? 0 : gnt_inputs_of_aggregate(in);
        m->begin(m->owner, "aggregate");
        if (m->done(m->owner, m->hooks->aggregate(m->self, in, new_weights), err) != 0)
            return -1;
        if (!m->remote && gnt_inputs_of_aggregate(in) != before)
            return gnt_inputs_changed(m, "aggregate", "weights, updates, shares or public data", err);
        *took = 1;
    }
    if (*took && gnt_first_not_finite(new_weights, in->n_params) < in->n_params)
        return gnt_fail(err, "the defense's aggregate holds a weight that is not finite");
    if (*took && in->new_buffers && gnt_first_not_finite(in->new_buffers, in->n_buffers) < in->n_buffers)
        return gnt_fail(err, "the defense's aggregate holds a running statistic that is not finite");
    return 0;
}
