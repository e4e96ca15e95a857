#include "job/influence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "job/agreement.h"
#include "job/undone.h"

/* The least agreement of two replacements, by signs or by the span (job/agreement.h). */
static const double least_agreement = 0.5;

/* What one further process of the server does: replaces one update, none, or all. */
typedef enum role { ZEROS, SHADOW, REPEAT, CONTROL } role;

/* One update whose influence is measured. */
typedef struct measured {
    int32_t round, client;
    /* By how much a mean scales that update. */
    double scale;
    gnt_replacement shadow;
    /* What the client would have sent without a defense, and what it sent; NULL: unknown. */
    float *plain, *sent;
    /* How far its two replacements agreed, after the round; 1 where that is unknown. */
    double agreement;
} measured;

typedef struct server_copy {
    role role;
    /* The update that it replaces; NULL: not one. */
    measured *of;
    /* Shared parameters and running statistics before the next round. */
    float *weights, *buffers;
    /* Why it gave no answer; "" if it always did. */
    gnt_err refused;
} server_copy;

struct gnt_influence {
    gnt_influence_spec spec;
    gnt_arena memory;
    server_copy *copy;
    size_t n;
    measured *measured;
    size_t n_measured;
    int64_t n_shared, n_buffers;
    gnt_tensors tensors;
    /* After the last round; NULL before round 0. */
    float *real;
    int32_t rounds;
    /* n_shared and n_buffers: what a process answers. */
    float *next, *next_buffers;
    /* n_shared: zeros, and another influence. */
    float *zeros, *other;
    /* Updates with shifted entries, of all clients of a round. */
    float **shifted;
    size_t n_shifted;
    /* The updates of a round, as one process gets them. */
    const float **update;
    /* The first round in which a process with the same updates as the server gave something else, or −1. */
    int32_t differs;
};

/* ---- opening ---- */

/* Processes of zeros come first, then those of shadow rows, each in the order of the updates. */
static void set_roles(gnt_influence *f) {
    for (size_t i = 0; i < f->n_measured; i++) {
        gnt_record_influenced(f->spec.record, i, &f->measured[i].round, &f->measured[i].client);
        f->measured[i].agreement = 1;
    }
    for (size_t i = 0; i < f->n; i++) {
        server_copy *c = &f->copy[i];
        c->role = i < f->n_measured ? ZEROS : i + 2 < f->n ? SHADOW : i + 1 < f->n ? REPEAT : CONTROL;
        c->of = i + 2 < f->n ? &f->measured[i % f->n_measured] : NULL;
    }
}

static int make_room(gnt_influence *f) {
    gnt_arena *a = &f->memory;
    const size_t shared = (size_t)f->n_shared, buffers = (size_t)f->n_buffers;
    f->next = gnt_arena_array(a, shared, sizeof *f->next);
    f->next_buffers = gnt_arena_array(a, buffers, sizeof *f->next_buffers);
    f->zeros = gnt_arena_array(a, shared, sizeof *f->zeros);
    f->other = gnt_arena_array(a, shared, sizeof *f->other);
    f->copy = gnt_arena_array(a, f->n, sizeof *f->copy);
    f->measured = gnt_arena_array(a, f->n_measured, sizeof *f->measured);
    for (size_t i = 0; !a->failed && i < f->n; i++) {
        server_copy *c = &f->copy[i];
        c->weights = gnt_arena_array(a, shared, sizeof *c->weights);
        c->buffers = gnt_arena_array(a, buffers, sizeof *c->buffers);
        if (a->failed)
            break;
        gnt_model_pick(f->spec.model, 1, f->spec.weights, c->weights);
        memcpy(c->buffers, f->spec.buffers, buffers * sizeof *c->buffers);
    }
    return a->failed ? -1 : 0;
}

int gnt_influence_open(gnt_influence **out, const gnt_influence_spec *spec, gnt_err *err) {
    *out = NULL;
    const size_t n = gnt_remote_server_copies(spec->remote);
    if (n == 0)
        return 0;
    gnt_influence *f = gnt_alloc(sizeof *f);
    if (!f)
        return gnt_fail(err, "out of memory for the influence of updates");
    *f = (gnt_influence){.spec = *spec,
                         .n = n,
                         .n_measured = (n - 2) / (spec->shadow ? 2 : 1),
                         .n_shared = gnt_model_shared_size(spec->model),
                         .n_buffers = gnt_model_buffer_size(spec->model),
                         .differs = -1};
    int rc = make_room(f) == 0
                 ? gnt_fl_tensors(&f->tensors, spec->model, err)
                 : gnt_fail(err, "out of memory for %zu servers of %" PRId64 " weights", n, f->n_shared);
    if (rc != 0) {
        gnt_influence_free(f);
        return -1;
    }
    set_roles(f);
    *out = f;
    return 0;
}

void gnt_influence_free(gnt_influence *f) {
    if (!f)
        return;
    for (size_t k = 0; k < f->n_shifted; k++)
        gnt_free(f->shifted[k]);
    for (size_t i = 0; f->measured && i < f->n_measured; i++) {
        gnt_free(f->measured[i].shadow.sent);
        gnt_free(f->measured[i].shadow.plain);
        gnt_free(f->measured[i].plain);
        gnt_free(f->measured[i].sent);
    }
    gnt_free(f->shifted);
    gnt_free(f->update);
    gnt_free(f->real);
    gnt_free(f->tensors.tensor);
    gnt_arena_free(&f->memory);
    gnt_free(f);
}

static const server_copy *zeros_of(const gnt_influence *f, size_t i) {
    return &f->copy[i];
}

/* Returns NULL if there is no update of shadow rows. */
static const server_copy *shadow_of(const gnt_influence *f, size_t i) {
    return f->spec.shadow && f->measured[i].shadow.made ? &f->copy[f->n_measured + i] : NULL;
}

static int has_answered(const server_copy *c) {
    return c && !*c->refused.text;
}

/* ---- before a round ---- */

static measured *find(gnt_influence *f, int32_t round, int32_t client) {
    for (size_t i = 0; i < f->n_measured; i++)
        if (f->measured[i].round == round && f->measured[i].client == client)
            return &f->measured[i];
    return NULL;
}

/* Makes room for an update, once. */
static int make_update(const gnt_influence *f, float **update, gnt_err *err) {
    if (!*update && !(*update = gnt_array((size_t)f->n_shared, sizeof **update)))
        return gnt_fail(err, "out of memory for the influence of updates");
    return 0;
}

int gnt_influence_replaces(gnt_influence *f, int32_t round, int32_t client, gnt_replacement **out,
                           gnt_err *err) {
    measured *m = f->spec.shadow ? find(f, round, client) : NULL;
    *out = m ? &m->shadow : NULL;
    return m && (make_update(f, &m->shadow.sent, err) != 0 || make_update(f, &m->shadow.plain, err) != 0) ? -1
                                                                                                          : 0;
}

int gnt_influence_note(gnt_influence *f, int32_t round, int32_t client, const float *plain, const float *sent,
                       gnt_err *err) {
    measured *m = find(f, round, client);
    if (!m)
        return 0;
    if (make_update(f, &m->plain, err) != 0 || make_update(f, &m->sent, err) != 0)
        return -1;
    memcpy(m->plain, plain, (size_t)f->n_shared * sizeof *plain);
    memcpy(m->sent, sent, (size_t)f->n_shared * sizeof *sent);
    return 0;
}

/* ---- one round ---- */

static int make_round_room(gnt_influence *f, size_t clients, gnt_err *err) {
    const float **update = gnt_resize(f->update, clients, sizeof *update);
    if (update)
        f->update = update;
    float **shifted = clients > f->n_shifted ? gnt_resize(f->shifted, clients, sizeof *shifted) : f->shifted;
    if (shifted)
        f->shifted = shifted;
    int good = update && shifted;
    for (; good && f->n_shifted < clients; f->n_shifted += (size_t)good)
        good = (f->shifted[f->n_shifted] = gnt_array((size_t)f->n_shared, sizeof **shifted)) != NULL;
    return good ? 0 : gnt_fail(err, "out of memory for the updates of %zu clients", clients);
}

/* The entries of each tensor, moved on by a number of places that is drawn; those at its end to its start. */
static void shift(const gnt_influence *f, gnt_stream *random, const float *from, float *to) {
    for (int64_t t = 0; t < f->tensors.n; t++) {
        const int64_t n = f->tensors.tensor[t].count;
        const int64_t by = n > 1 ? 1 + (int64_t)gnt_random_below(random, (uint64_t)n - 1) : 0;
        memcpy(to + by, from, (size_t)(n - by) * sizeof *to);
        memcpy(to, from + n - by, (size_t)by * sizeof *to);
        from += n;
        to += n;
    }
}

static void shift_all(const gnt_influence *f, const gnt_aggregate *in) {
    char name[64];
    snprintf(name, sizeof name, "shifts of round %" PRId32, in->round);
    gnt_stream random = gnt_stream_open(f->spec.key, name);
    for (int64_t k = 0; k < in->n_clients; k++)
        shift(f, &random, in->update[k], f->shifted[k]);
}

/* Returns what a process gets in the place of an update that it replaces. Without one of shadow rows it is
 * the update itself. */
static const float *replacement(const gnt_influence *f, const server_copy *c, const float *update) {
    return c->role == ZEROS ? f->zeros : c->of->shadow.made ? c->of->shadow.sent : update;
}

/* Replaces updates. Running statistics of clients are what they are. */
static void replace(gnt_influence *f, const server_copy *c, const gnt_aggregate *in) {
    for (int64_t k = 0; k < in->n_clients; k++) {
        measured *m = c->of;
        const int this_one = m && m->round == in->round && m->client == in->client[k];
        f->update[k] = c->role == CONTROL ? f->shifted[k]
                       : this_one         ? replacement(f, c, in->update[k])
                                          : in->update[k];
        if (this_one)
            m->scale = in->share[k] * (in->is_gradient ? -in->rate : 1);
    }
}

/* Runs one process. One that fails is left out from then on. */
static void run_copy(gnt_influence *f, size_t i, const gnt_aggregate *round) {
    server_copy *c = &f->copy[i];
    gnt_work *w = f->spec.work;
    gnt_aggregate in = *round;
    const gnt_status status = w->status;
    int took;
    replace(f, c, round);
    in.old_weights = c->weights;
    in.update = f->update;
    if (in.n_buffers) {
        in.buffers = c->buffers;
        in.new_buffers = f->next_buffers;
        memcpy(f->next_buffers, round->new_buffers, (size_t)in.n_buffers * sizeof *f->next_buffers);
    }
    gnt_remote_use_server(f->spec.remote, i + 1);
    if (gnt_chain_aggregate(gnt_remote_chain(f->spec.remote), &in, f->next, &took, &c->refused) != 0) {
        w->status = status;
        return;
    }
    memcpy(c->weights, f->next, (size_t)f->n_shared * sizeof *f->next);
    memcpy(c->buffers, f->next_buffers, (size_t)in.n_buffers * sizeof *f->next_buffers);
}

/* True if the process has got the same updates as the server so far. */
static int is_same_so_far(const server_copy *c, int32_t round) {
    return c->role == REPEAT || (c->of && round < c->of->round);
}

/* Returns true if what two processes have made differs by no more than rounding may do. */
static int are_alike(const gnt_influence *f, const float *difference) {
    double square = 0, model = 0;
    for (int64_t i = 0; i < f->n_shared; i++) {
        square += (double)difference[i] * (double)difference[i];
        model += (double)f->real[i] * (double)f->real[i];
    }
    return sqrt(square) <= 16 * 0x1p-25 * sqrt(f->rounds * model);
}

/* Compares what the two replacements of the i-th update have made by now. */
static int compare(gnt_influence *f, size_t i, const gnt_aggregate *in, gnt_err *err) {
    const server_copy *zeros = zeros_of(f, i), *shadow = shadow_of(f, i);
    measured *m = &f->measured[i];
    const int sign = m->scale < 0 ? -1 : 1;
    if (!has_answered(zeros) || !has_answered(shadow))
        return 0;
    for (int64_t k = 0; k < f->n_shared; k++)
        f->other[k] = shadow->weights[k] - zeros->weights[k];
    if (are_alike(f, f->other))
        return 0;
    m->agreement = fmax(sign * gnt_agreement_of_signs(f->other, m->shadow.sent, f->n_shared),
                        sign * gnt_agreement_of_signs(f->other, m->shadow.plain, f->n_shared));
    if (m->agreement >= least_agreement)
        return 0;
    double share;
    for (int64_t k = 0; k < in->n_clients; k++)
        f->update[k] = in->client[k] == m->client ? m->shadow.sent : in->update[k];
    if (gnt_agreement_in_span(&f->tensors, f->other, f->update, in->n_clients, &share, err) != 0)
        return -1;
    m->agreement = fmax(m->agreement, share);
    return 0;
}

int gnt_influence_add_round(gnt_influence *f, const gnt_aggregate *in, const float *next, gnt_err *err) {
    const size_t bytes = (size_t)f->n_shared * sizeof *next;
    if (make_round_room(f, (size_t)in->n_clients, err) != 0)
        return -1;
    if (!f->real && !(f->real = gnt_array((size_t)f->n_shared, sizeof *f->real)))
        return gnt_fail(err, "out of memory for the influence of updates");
    memcpy(f->real, next, bytes);
    f->rounds++;
    shift_all(f, in);
    for (size_t i = 0; i < f->n; i++) {
        server_copy *c = &f->copy[i];
        if (*c->refused.text)
            continue;
        run_copy(f, i, in);
        if (f->differs < 0 && is_same_so_far(c, in->round) &&
            (*c->refused.text || memcmp(c->weights, next, bytes) != 0))
            f->differs = in->round;
    }
    gnt_remote_use_server(f->spec.remote, 0);
    for (size_t i = 0; i < f->n_measured; i++)
        if (f->measured[i].round == in->round && compare(f, i, in, err) != 0)
            return -1;
    return f->spec.work->should_stop(f->spec.work->context) ? gnt_fail(err, "stopped") : 0;
}

/* ---- the end ---- */

static void mark_what_differs(const gnt_influence *f) {
    gnt_err says;
    if (f->differs < 0)
        return;
    gnt_fail(&says,
             "the server's side does not do the same twice: given the same updates since the first round, "
             "another process of it made other weights in round %" PRId32,
             f->differs);
    gnt_record_add_mark(f->spec.record, "server-not-reproducible", &says);
}

static void mark_refusal(const gnt_influence *f, const measured *m, const char *what, const char *by,
                         const char *why) {
    gnt_err says;
    gnt_fail(&says,
             "%s where the update of client %" PRId32 " in round %" PRId32
             " is replaced by %s, so that what that update did to the model stays unknown: %s",
             what, m->client, m->round, by, why);
    gnt_record_add_mark(f->spec.record, "refuses-an-update", &says);
}

/* Marks the first refusal of each kind. */
static void mark_refusals(const gnt_influence *f) {
    static const char server[] = "the server's side fails", clients[] = "the clients' side fails";
    static const char *const by[] = {"zeros", "one of shadow rows"};
    int refused[3] = {0};
    for (size_t i = 0; i < f->n_measured; i++) {
        const measured *m = &f->measured[i];
        const server_copy *zeros = zeros_of(f, i), *shadow = shadow_of(f, i);
        if (!has_answered(zeros) && !refused[0]++)
            mark_refusal(f, m, server, by[0], zeros->refused.text);
        if (shadow && !has_answered(shadow) && !refused[1]++)
            mark_refusal(f, m, server, by[1], shadow->refused.text);
        if (*m->shadow.refused.text && !refused[2]++)
            mark_refusal(f, m, clients, by[1], m->shadow.refused.text);
    }
}

/* Sums for a cosine and for norms. */
typedef struct sums {
    double aa, bb, ab;
} sums;

static void add(sums *s, double a, double b) {
    s->aa += a * a;
    s->bb += b * b;
    s->ab += a * b;
}

/* Returns 0 where one of the two is zero. */
static double cosine(const sums *s) {
    return s->aa > 0 && s->bb > 0 ? s->ab / sqrt(s->aa * s->bb) : 0;
}

/* Marks a server to which zeros are something else than an update. */
static void mark_disagreement(const gnt_influence *f) {
    const measured *least = NULL;
    gnt_err says;
    for (size_t i = 0; f->differs < 0 && i < f->n_measured; i++)
        if (f->measured[i].agreement < (least ? least->agreement : least_agreement))
            least = &f->measured[i];
    if (!least)
        return;
    gnt_fail(&says,
             "where the update of client %" PRId32 " in round %" PRId32
             " is replaced, once by zeros and once by one of shadow rows, the two models differ by something "
             "that neither follows that update nor is made of the round's updates (agreement %.2f, expected "
             "at least %.2f): the server's side does not treat both alike",
             least->client, least->round, least->agreement, least_agreement);
    gnt_record_add_mark(f->spec.record, "replacements-disagree", &says);
}

/* Measures what the update did, in its units: against zeros, or against an update of shadow rows, which is
 * known. */
static void measure_against(const gnt_influence *f, const measured *m, const server_copy *c, float *out) {
    for (int64_t i = 0; i < f->n_shared; i++) {
        const double done = ((double)f->real[i] - (double)c->weights[i]) / m->scale;
        out[i] = (float)(c->role == SHADOW ? done + (double)m->shadow.plain[i] : done);
    }
}

/* Returns the cosine between an influence and what the client would have sent without a defense, each less
 * its part along the shadow update, which says nothing of the client. */
static double likeness_to_plain(const gnt_influence *f, const measured *m, const float *influence) {
    sums ab = {0}, as = {0}, bs = {0};
    for (int64_t i = 0; i < f->n_shared; i++) {
        const double a = influence[i], b = m->plain[i], s = m->shadow.plain[i];
        add(&ab, a, b);
        add(&as, a, s);
        add(&bs, b, s);
    }
    const double ca = cosine(&as), cb = cosine(&bs), rest = (1 - ca * ca) * (1 - cb * cb);
    return rest > 0 ? (cosine(&ab) - ca * cb) / sqrt(rest) : 0;
}

/* Measures the influence of the i-th update into f->next: against what gives the likelier one. Zeros where
 * update had no weight, or neither replacement an answer. */
static void measure(gnt_influence *f, size_t i) {
    const measured *m = &f->measured[i];
    const server_copy *zeros = zeros_of(f, i), *shadow = shadow_of(f, i);
    memset(f->next, 0, (size_t)f->n_shared * sizeof *f->next);
    if (m->scale == 0)
        return;
    if (has_answered(zeros))
        measure_against(f, m, zeros, f->next);
    if (!has_answered(shadow))
        return;
    measure_against(f, m, shadow, f->other);
    if (!has_answered(zeros) || !m->plain ||
        likeness_to_plain(f, m, f->other) > likeness_to_plain(f, m, f->next))
        memcpy(f->next, f->other, (size_t)f->n_shared * sizeof *f->next);
}

/* Records the influences, and for each round, whose updates follow each other, what they are like. */
static int record_all(gnt_influence *f, gnt_err *err) {
    gnt_undone undone = {0};
    for (size_t i = 0; i < f->n_measured; i++) {
        const measured *m = &f->measured[i];
        measure(f, i);
        if (m->plain)
            gnt_undone_add(&undone, f->next, m->plain, m->sent, f->n_shared);
        if (gnt_record_add_influence(f->spec.record, i, f->next, err) != 0)
            return -1;
        if (i + 1 < f->n_measured && m[1].round == m->round)
            continue;
        if (gnt_record_add_undone(f->spec.record, m->round, gnt_is_undone(&undone), err) != 0)
            return -1;
        undone = (gnt_undone){0};
    }
    return 0;
}

int gnt_influence_end(gnt_influence *f, gnt_err *err) {
    if (!f->real)
        return 0;
    mark_refusals(f);
    if (record_all(f, err) != 0)
        return -1;
    mark_disagreement(f);
    mark_what_differs(f);
    return 0;
}

int gnt_influence_control(const gnt_influence *f, float *weights, float *buffers, gnt_err *why) {
    const server_copy *c = &f->copy[f->n - 1];
    if (*c->refused.text) {
        *why = c->refused;
        return 0;
    }
    memcpy(weights, f->spec.weights, (size_t)gnt_model_size(f->spec.model) * sizeof *weights);
    gnt_model_place(f->spec.model, 1, c->weights, weights);
    memcpy(buffers, c->buffers, (size_t)f->n_buffers * sizeof *buffers);
    return 1;
}
