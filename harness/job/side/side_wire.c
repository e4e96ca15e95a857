/* How clients and bundles are written into messages and read from them. */
#include <string.h>

#include "base/mem.h"
#include "fl/input_sums.h"
#include "job/side/side_job.h"

enum { SAME = 0, SENT = 1, ABSENT = 2, WITHHELD = 3, MOST_ROWS = 1 << 24, CLIENT_HEAD = 10 };

/* ---- samples ---- */

static uint64_t sum_of(const gnt_samples *s) {
    const size_t n = (size_t)s->n;
    uint64_t sum = gnt_quick_sum(s->x, n * (size_t)s->features * sizeof *s->x);
    sum = sum * 31 + gnt_quick_sum(s->y, n * (size_t)s->classes * sizeof *s->y);
    sum = sum * 31 + gnt_quick_sum(s->id, n * sizeof *s->id);
    sum = sum * 31 + (s->a ? gnt_quick_sum(s->a, n * (size_t)s->n_attributes * sizeof *s->a) : 1);
    sum = sum * 31 + (s->mask ? gnt_quick_sum(s->mask, n * (size_t)gnt_mask_size(s)) : 1);
    for (int32_t i = 0; i < s->n_attributes; i++)
        sum = sum * 31 + gnt_quick_sum(&s->attribute[i].weight, sizeof s->attribute[i].weight);
    return (sum * 31 + n) * 31 + (s->y != NULL);
}

static void put_samples(gnt_frame *f, const gnt_samples *s, side_sent *sent) {
    if (!s) {
        gnt_frame_put_int(f, ABSENT);
        return;
    }
    const uint64_t sum = sum_of(s);
    const int same = sent->has_samples && sent->samples == sum;
    gnt_frame_put_int(f, same ? SAME : SENT);
    sent->samples = sum;
    sent->has_samples = 1;
    if (same)
        return;
    const int64_t head[8] = {s->n,      s->kind,   s->rank,   s->classes,
                             s->dim[0], s->dim[1], s->dim[2], s->features};
    gnt_frame_put(f, head, sizeof head);
    gnt_frame_put_int(f, s->n_attributes);
    for (int32_t i = 0; i < s->n_attributes; i++) {
        gnt_frame_put_text(f, s->attribute[i].name);
        gnt_frame_put_int(f, s->attribute[i].values);
        gnt_frame_put_real(f, (double)s->attribute[i].weight);
    }
    gnt_frame_put_array(f, s->x, s->n * s->features, sizeof *s->x);
    gnt_frame_put_array(f, s->y, s->n * s->classes, sizeof *s->y);
    gnt_frame_put_array(f, s->id, s->n, sizeof *s->id);
    gnt_frame_put_array(f, s->a, s->n * s->n_attributes, sizeof *s->a);
    gnt_frame_put_array(f, s->mask, s->n * gnt_mask_size(s), 1);
}

static int read_attributes(gnt_frame *f, side_client *c) {
    const int64_t n = gnt_frame_get_int(f);
    if (n < 0 || n > GNT_DATA_ATTRS)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        const char *name = gnt_frame_get_text(f);
        const size_t length = strlen(name);
        if (length >= sizeof c->attribute_name[i])
            return -1;
        memcpy(c->attribute_name[i], name, length + 1);
        c->attribute[i] = (gnt_attribute){.name = c->attribute_name[i]};
        c->attribute[i].values = (int32_t)gnt_frame_get_int(f);
        c->attribute[i].weight = (float)gnt_frame_get_real(f);
    }
    c->samples.n_attributes = (int32_t)n;
    c->samples.attribute = c->attribute;
    return 0;
}

/* Copies an array of the frame to *owned; *shown is NULL if NULL was put. */
static int copy_array(gnt_frame *f, void **owned, const void **shown, int64_t n, size_t size) {
    const void *data = gnt_frame_get_array(f, n, size);
    *shown = NULL;
    if (f->bad)
        return -1;
    if (!data)
        return 0;
    void *larger = gnt_resize(*owned, n ? (size_t)n : 1, size);
    if (!larger)
        return -1;
    *owned = larger;
    if (n)
        memcpy(larger, data, (size_t)n * size);
    *shown = larger;
    return 0;
}

#define COPY_ARRAY(member, shown_member, n, size)                                                            \
    (owned = c->member, rc = copy_array(f, &owned, &shown, n, size), c->member = owned,                      \
     shown_member = shown, rc)

static int get_samples(gnt_frame *f, side_client *c) {
    const int64_t how = gnt_frame_get_int(f);
    void *owned;
    const void *shown;
    int rc;
    if (how == ABSENT) {
        c->client.samples = NULL;
        return 0;
    }
    c->client.samples = &c->samples;
    if (how == SAME)
        return c->has_samples ? 0 : -1;
    const int64_t *head = gnt_frame_get(f, 8 * sizeof *head);
    if (!head)
        return -1;
    gnt_samples s = {.size = sizeof s,
                     .n = head[0],
                     .kind = (uint32_t)head[1],
                     .rank = (int32_t)head[2],
                     .classes = (int32_t)head[3],
                     .dim = {head[4], head[5], head[6]},
                     .features = head[7]};
    if (s.n < 1 || s.n > MOST_ROWS || s.features < 1 || s.features > MOST_ROWS || s.classes < 1 ||
        (s.rank != 1 && s.rank != 3))
        return -1;
    for (int32_t d = 0; s.rank == 3 && d < 3; d++) /* so that no product of sides overflows */
        if (s.dim[d] < 1 || s.dim[d] > s.features)
            return -1;
    if (s.rank == 3 && (s.features % s.dim[0] != 0 || s.dim[1] * s.dim[2] != s.features / s.dim[0]))
        return -1;
    c->samples = s;
    if (read_attributes(f, c) != 0 || COPY_ARRAY(x, c->samples.x, s.n * s.features, sizeof *c->x) != 0 ||
        !c->samples.x || COPY_ARRAY(y, c->samples.y, s.n * s.classes, sizeof *c->y) != 0 ||
        COPY_ARRAY(id, c->samples.id, s.n, sizeof *c->id) != 0 ||
        COPY_ARRAY(a, c->samples.a, s.n * c->samples.n_attributes, sizeof *c->a) != 0 ||
        COPY_ARRAY(mask, c->samples.mask, s.n * gnt_mask_size(&s), 1) != 0)
        return -1;
    c->has_samples = 1;
    return 0;
}

/* ---- weights ---- */

static void put_floats(gnt_frame *f, const float *x, int64_t n, uint64_t *sum_sent, int *has) {
    const uint64_t sum = x ? gnt_quick_sum(x, (size_t)n * sizeof *x) : 0;
    const int same = *has && sum == *sum_sent;
    gnt_frame_put_int(f, !x ? ABSENT : same ? SAME : SENT);
    if (!x || same)
        return;
    *sum_sent = sum;
    *has = 1;
    gnt_frame_put_array(f, x, n, sizeof *x);
}

static int get_floats(gnt_frame *f, float **owned, const float **shown, int64_t n) {
    const int64_t how = gnt_frame_get_int(f);
    *shown = how == ABSENT ? NULL : *owned;
    if (how != SENT)
        return how == ABSENT || *owned ? 0 : -1;
    void *array = *owned;
    const void *there;
    const int rc = copy_array(f, &array, &there, n, sizeof **owned);
    *owned = array;
    *shown = there;
    return rc == 0 && there ? 0 : -1;
}

/* ---- a client ---- */

void side_put_client(gnt_frame *f, const gnt_client *c, const gnt_key *key, int64_t n_params,
                     int64_t n_buffers, side_sent *sent) {
    const int64_t head[CLIENT_HEAD] = {
        c->index, c->round, c->n_clients, c->n_samples, c->n_labels,
        c->steps, c->batch, c->rounds,    c->per_round, c->public_data != NULL};
    gnt_frame_put(f, key->b, sizeof key->b);
    gnt_frame_put(f, head, sizeof head);
    gnt_frame_put_real(f, c->rate);
    gnt_frame_put_real(f, c->momentum);
    gnt_frame_put_real(f, c->decay);
    put_samples(f, c->samples, sent);
    put_floats(f, c->weights, n_params, &sent->weights, &sent->has_weights);
    put_floats(f, c->buffers, n_buffers, &sent->buffers, &sent->has_buffers);
}

int side_get_client(gnt_frame *f, side_client *c, int64_t n_params, int64_t n_buffers,
                    const gnt_samples *public_data, gnt_err *err) {
    const void *key = gnt_frame_get(f, sizeof c->key.b);
    const int64_t *head = gnt_frame_get(f, CLIENT_HEAD * sizeof *head);
    if (key)
        memcpy(c->key.b, key, sizeof c->key.b);
    if (head)
        c->client = (gnt_client){.size = sizeof c->client,
                                 .index = (int32_t)head[0],
                                 .round = (int32_t)head[1],
                                 .n_clients = (int32_t)head[2],
                                 .n_samples = head[3],
                                 .n_labels = head[4],
                                 .steps = (int32_t)head[5],
                                 .batch = head[6],
                                 .rounds = (int32_t)head[7],
                                 .per_round = (int32_t)head[8],
                                 .public_data = head[9] ? public_data : NULL};
    c->client.rate = gnt_frame_get_real(f);
    c->client.momentum = gnt_frame_get_real(f);
    c->client.decay = gnt_frame_get_real(f);
    if (get_samples(f, c) != 0 || get_floats(f, &c->weights, &c->client.weights, n_params) != 0 ||
        get_floats(f, &c->buffers, &c->client.buffers, n_buffers) != 0 || f->bad)
        return gnt_fail(err, "a message about a client cannot be read");
    return 0;
}

void side_client_free(side_client *c) {
    gnt_free(c->x);
    gnt_free(c->y);
    gnt_free(c->weights);
    gnt_free(c->buffers);
    gnt_free(c->id);
    gnt_free(c->a);
    gnt_free(c->mask);
    *c = (side_client){0};
}

/* ---- running statistics that are about to be sent ---- */

void side_put_buffers(gnt_frame *f, const gnt_tensors *t, int64_t n_buffers) {
    gnt_frame_put_int(f, !t ? ABSENT : t->n > 0 ? SENT : WITHHELD);
    if (t && t->n > 0)
        gnt_frame_put_array(f, t->tensor[0].data, n_buffers, sizeof *t->tensor[0].data);
}

int side_get_buffers(gnt_frame *f, gnt_tensors *t, int64_t n_buffers, int *any, gnt_err *err) {
    const int64_t how = gnt_frame_get_int(f);
    const float *x = how == SENT ? gnt_frame_get_array(f, n_buffers, sizeof *x) : NULL;
    if (f->bad || (how != ABSENT && how != WITHHELD && (how != SENT || !x || t->n == 0)))
        return gnt_fail(err, "a message about running statistics cannot be read");
    *any = how != ABSENT;
    if (x && n_buffers)
        memcpy(t->tensor[0].data, x, (size_t)n_buffers * sizeof *x);
    if (!x)
        t->n = 0;
    return 0;
}

/* ---- bundles ---- */

void side_put_bundle(gnt_frame *f, const gnt_st *st) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_st_write(st, &bytes, &size, NULL) != 0)
        f->bad = 1;
    gnt_frame_put_int(f, (int64_t)size);
    gnt_frame_put(f, bytes, size);
    gnt_free(bytes);
}

int side_get_bundle(gnt_frame *f, gnt_st *st, gnt_err *err) {
    const int64_t size = gnt_frame_get_int(f);
    const void *bytes = size >= 0 ? gnt_frame_get(f, (size_t)size) : NULL;
    if (!bytes)
        return gnt_fail(err, "a message with a defense's state cannot be read");
    return gnt_st_parse(st, "a defense's state", bytes, (size_t)size, err);
}
