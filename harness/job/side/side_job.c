/* The job `side`: a chain's hooks on one side of the protocol, requested over a socket (side_job.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fl/secure_sum.h"
#include "job/side/side_job.h"
#include "job/side/side_carried.h"
#include "job/side/side_copies.h"

typedef struct side {
    gnt_work *work;
    gnt_work_model model;
    gnt_work_chain chain;
    gnt_sampleset public_data;
    gnt_frame_connection connection;
    gnt_frame in, out;
    side_client client;
    /* Keys of the random streams at present. */
    gnt_key key;
    int has_key;
    gnt_tensors tensors;
    /* One for each running statistic, in sent_buffers; n_statistics of them. */
    gnt_tensors statistics;
    int64_t n_statistics;
    float *sent_buffers;
    int64_t n_params, n_buffers, n_shared;
    /* This process serves one client alone (side_copies.h). */
    int copy;
} side;

static int stop(void *context) {
    gnt_work *w = context;
    return w->should_stop(w->context);
}

/* ---- what every hook needs ---- */

/* Gives each member the key of its own random streams for this client and round. */
static void take_key(side *s) {
    if (s->has_key && memcmp(&s->key, &s->client.key, sizeof s->key) == 0)
        return;
    for (int32_t i = 0; i < s->chain.chain.n; i++) {
        char name[32];
        snprintf(name, sizeof name, "member %d", i);
        const gnt_key own = gnt_key_derive(&s->client.key, name);
        gnt_instance_rekey(s->chain.plugin[i].instance, &own);
    }
    s->key = s->client.key;
    s->has_key = 1;
}

static int read_client(side *s, gnt_err *err) {
    const gnt_samples *public_data = s->public_data.view.n ? &s->public_data.view : NULL;
    if (side_get_client(&s->in, &s->client, s->n_params, s->n_buffers, public_data, err) != 0)
        return -1;
    take_key(s);
    return 0;
}

/* Returns a chain of the one member that the message names. */
static gnt_chain chain_of(const side *s, int64_t member) {
    gnt_chain c = s->chain.chain;
    c.member += member;
    c.n = 1;
    return c;
}

static int unreadable(gnt_err *err) {
    return gnt_fail(err, "a message cannot be read");
}

/* Each of the functions below answers in s->out, which begins with GNT_OK and an empty sentence. After −1 its
 * caller starts the answer again, with the sentence. */

/* ---- encodings ---- */

static void answer_mixture(side *s, const gnt_mixture *m) {
    for (int64_t r = 0; r < m->rows; r++) {
        int64_t n = 0;
        gnt_frame_put_int(&s->out, m->source[r]);
        for (int64_t o = 0; o < m->originals; o++)
            n += m->weight[r * m->originals + o] > 0;
        gnt_frame_put_int(&s->out, n);
        for (int64_t o = 0; o < m->originals; o++)
            if (m->weight[r * m->originals + o] > 0) {
                gnt_frame_put_int(&s->out, o);
                gnt_frame_put_real(&s->out, (double)m->weight[r * m->originals + o]);
            }
    }
}

static int encode(side *s, int64_t member, uint64_t op, gnt_err *err) {
    if (read_client(s, err) != 0)
        return -1;
    const int64_t when = gnt_frame_get_int(&s->in), wanted = gnt_frame_get_int(&s->in);
    const int claims = wanted && op != SIDE_ENCODE_QUERY;
    if (s->in.bad || !s->client.client.samples)
        return unreadable(err);
    gnt_chain chain = chain_of(s, member);
    gnt_mixture made_of = {0};
    gnt_batch b;
    gnt_batch_borrow(&b, &s->client.samples);
    int rc = claims ? gnt_mixture_identity(&made_of, b.view.n, err) : 0;
    if (claims)
        b.made_of = &made_of;
    if (rc == 0)
        rc = op == SIDE_ENCODE_SET     ? gnt_chain_encode_set(&chain, &s->client.client, when, &b, err)
             : op == SIDE_ENCODE_BATCH ? gnt_chain_encode_batch(&chain, &s->client.client, when, &b, err)
                                       : gnt_chain_encode_query(&chain, &s->client.client, when, &b, err);
    s->client.client.samples = &s->client.samples;
    if (rc == 0) {
        gnt_frame_put_int(&s->out, b.view.n);
        gnt_frame_put_array(&s->out, b.view.x, b.view.n * b.view.features, sizeof *b.view.x);
        gnt_frame_put_array(&s->out, b.view.y, b.view.n * b.view.classes, sizeof *b.view.y);
        gnt_frame_put_array(&s->out, b.view.id, b.view.n, sizeof *b.view.id);
        gnt_frame_put_int(&s->out, claims);
        gnt_frame_put_int(&s->out, s->client.samples.a && !b.view.a);
        if (claims)
            answer_mixture(s, &made_of);
    }
    gnt_batch_free(&b);
    gnt_mixture_free(&made_of);
    return rc;
}

/* ---- updates ---- */

static int local_rate(side *s, int64_t member, gnt_err *err) {
    if (read_client(s, err) != 0)
        return -1;
    const int64_t step = gnt_frame_get_int(&s->in);
    double rate = gnt_frame_get_real(&s->in);
    if (s->in.bad)
        return unreadable(err);
    gnt_chain chain = chain_of(s, member);
    if (gnt_chain_local_rate(&chain, &s->client.client, step, &rate, err) != 0)
        return -1;
    gnt_frame_put_real(&s->out, rate);
    return 0;
}

/* Reads what the client is about to send of its running statistics. */
static int read_buffers(side *s, gnt_err *err) {
    int any;
    s->statistics.n = s->n_statistics;
    gnt_fl_tensors_into(&s->statistics, s->sent_buffers);
    if (side_get_buffers(&s->in, &s->statistics, s->n_buffers, &any, err) != 0)
        return -1;
    s->client.client.sent_buffers = any ? &s->statistics : NULL;
    return 0;
}

static int update(side *s, int64_t member, uint64_t op, gnt_err *err) {
    if (read_client(s, err) != 0)
        return -1;
    const float *before = gnt_frame_get_array(&s->in, s->n_shared, sizeof *before);
    float *flat = gnt_aligned((size_t)s->n_shared, sizeof *flat);
    int took, rc = before && flat ? read_buffers(s, err) : unreadable(err);
    if (rc == 0) {
        memcpy(flat, before, (size_t)s->n_shared * sizeof *flat);
        gnt_fl_tensors_into(&s->tensors, flat);
        gnt_chain chain = chain_of(s, member);
        rc = op == SIDE_TRANSFORM
                 ? gnt_chain_transform(&chain, &s->client.client, &s->tensors, err)
                 : gnt_chain_client_update(&chain, &s->client.client, &s->tensors, &took, err);
    }
    if (rc == 0) {
        gnt_frame_put_array(&s->out, flat, s->n_shared, sizeof *flat);
        side_put_buffers(&s->out, s->client.client.sent_buffers, s->n_buffers);
    }
    s->client.client.sent_buffers = NULL;
    gnt_free_aligned(flat);
    return rc;
}

/* Reads n arrays of `each` floats, which stay in the message. */
static int read_floats(side *s, const float **out, int64_t n, int64_t each) {
    for (int64_t k = 0; k < n; k++)
        if (!(out[k] = gnt_frame_get_array(&s->in, each, sizeof **out)))
            return -1;
    return 0;
}

/* Reads the arguments of `aggregate`. The updates stay in the message; what the hook may write is in
 * `next` and `statistics`. */
static int read_aggregate(side *s, gnt_aggregate *in, const float **updates, const float **of_clients,
                          float *statistics, gnt_err *err) {
    const int64_t n = in->n_clients;
    in->old_weights = gnt_frame_get_array(&s->in, s->n_shared, sizeof *in->old_weights);
    in->share = gnt_frame_get_array(&s->in, n, sizeof *in->share);
    if (!in->old_weights || !in->share || read_floats(s, updates, n, s->n_shared) != 0)
        return unreadable(err);
    in->client = gnt_frame_get_array(&s->in, n, sizeof *in->client);
    in->samples = gnt_frame_get_array(&s->in, n, sizeof *in->samples);
    in->buffers = gnt_frame_get_array(&s->in, s->n_buffers, sizeof *in->buffers);
    const float *average = gnt_frame_get_array(&s->in, s->n_buffers, sizeof *average);
    if (s->in.bad || !in->client || !in->samples || (s->n_buffers && (!in->buffers || !average)))
        return unreadable(err);
    in->update = updates;
    if (s->n_buffers == 0)
        return 0;
    if (read_floats(s, of_clients, n, s->n_buffers) != 0)
        return unreadable(err);
    memcpy(statistics, average, (size_t)s->n_buffers * sizeof *statistics);
    in->n_buffers = s->n_buffers;
    in->client_buffers = of_clients;
    in->new_buffers = statistics;
    return 0;
}

static int aggregate(side *s, int64_t member, gnt_err *err) {
    const int64_t *head = gnt_frame_get(&s->in, 4 * sizeof *head);
    const double rate = gnt_frame_get_real(&s->in);
    if (!head || head[1] < 1 || head[1] > INT32_MAX)
        return unreadable(err);
    gnt_aggregate in = {.size = sizeof in,
                        .round = (int32_t)head[0],
                        .n_clients = head[1],
                        .n_params = s->n_shared,
                        .rate = rate,
                        .is_gradient = (int32_t)head[2],
                        .public_data = head[3] && s->public_data.view.n ? &s->public_data.view : NULL};
    const float **updates = gnt_array((size_t)in.n_clients, sizeof *updates);
    const float **of_clients = gnt_array((size_t)in.n_clients, sizeof *of_clients);
    float *next = gnt_array((size_t)s->n_shared, sizeof *next);
    float *statistics = gnt_array((size_t)s->n_buffers, sizeof *statistics);
    int took, rc = updates && of_clients && next && statistics
                       ? read_aggregate(s, &in, updates, of_clients, statistics, err)
                       : gnt_fail(err, "out of memory for an aggregation");
    if (rc == 0) {
        gnt_chain chain = chain_of(s, member);
        rc = gnt_chain_aggregate(&chain, &in, next, &took, err);
    }
    if (rc == 0)
        gnt_frame_put_array(&s->out, next, s->n_shared, sizeof *next);
    if (rc == 0 && s->n_buffers)
        gnt_frame_put_array(&s->out, statistics, s->n_buffers, sizeof *statistics);
    gnt_free(updates);
    gnt_free(of_clients);
    gnt_free(next);
    gnt_free(statistics);
    return rc;
}

/* ---- secure sums and state ---- */

static int contribute_size(side *s, const gnt_member *m, gnt_err *err) {
    m->begin(m->owner, "contribute_size");
    const int64_t n = m->hooks->contribute_size(m->self);
    gnt_frame_put_int(&s->out, n);
    return m->done(m->owner, GNT_OK, err);
}

static int contribute(side *s, int64_t member, gnt_err *err) {
    if (read_client(s, err) != 0)
        return -1;
    const int64_t n = gnt_frame_get_int(&s->in);
    double *vector = n >= 1 && n <= GNT_SUM_MOST_ENTRIES ? gnt_array((size_t)n, sizeof *vector) : NULL;
    if (!vector)
        return unreadable(err);
    gnt_chain chain = chain_of(s, member);
    const int rc = gnt_chain_contribute(&chain.member[0], &chain, &s->client.client, vector, err);
    if (rc == 0)
        gnt_frame_put_array(&s->out, vector, n, sizeof *vector);
    gnt_free(vector);
    return rc;
}

static int receive_sum(side *s, const gnt_member *m, gnt_err *err) {
    const int64_t n = gnt_frame_get_int(&s->in);
    const double *sum = n >= 1 ? gnt_frame_get_array(&s->in, n, sizeof *sum) : NULL;
    if (!sum)
        return unreadable(err);
    m->begin(m->owner, "receive_sum");
    return m->done(m->owner, m->hooks->receive_sum(m->self, sum, n), err);
}

static int save(side *s, const gnt_member *m, gnt_err *err) {
    const int64_t client = gnt_frame_get_int(&s->in);
    gnt_st st;
    gnt_st_init(&st);
    const gnt_sink sink = gnt_sink_into(&st);
    m->begin(m->owner, "save");
    const int rc = m->done(m->owner, m->hooks->save(m->self, (int32_t)client, &sink), err);
    if (rc == 0)
        side_put_bundle(&s->out, &st);
    gnt_st_free(&st);
    return rc;
}

static int load(side *s, const gnt_member *m, gnt_err *err) {
    const int64_t client = gnt_frame_get_int(&s->in);
    gnt_artefact_set state = {0};
    gnt_st st;
    gnt_st_init(&st);
    int rc = side_get_bundle(&s->in, &st, err) || gnt_artefact_set_from(&state, &st, err) ? -1 : 0;
    if (rc == 0) {
        m->begin(m->owner, "load");
        rc = m->done(m->owner, m->hooks->load(m->self, (int32_t)client, &state.view), err);
    }
    gnt_artefact_set_free(&state);
    gnt_st_free(&st);
    return rc;
}

/* ---- the loop ---- */

static int lacks(const gnt_defense *h, uint64_t op) {
    switch (op) {
    case SIDE_ENCODE_SET:
        return !h->encode_set;
    case SIDE_ENCODE_BATCH:
        return !h->encode_batch;
    case SIDE_ENCODE_QUERY:
        return !h->encode_query;
    case SIDE_LOCAL_RATE:
        return !h->local_rate;
    case SIDE_CLIENT_UPDATE:
        return !h->client_update;
    case SIDE_TRANSFORM:
        return !h->transform_update;
    case SIDE_AGGREGATE:
        return !h->aggregate;
    case SIDE_CONTRIBUTE_SIZE:
    case SIDE_CONTRIBUTE:
    case SIDE_RECEIVE_SUM:
        return !h->contribute_size || !h->contribute || !h->receive_sum;
    case SIDE_SAVE:
    case SIDE_LOAD:
        return !h->save || !h->load;
    default:
        return 1;
    }
}

static int answer(side *s, uint64_t op, gnt_err *err) {
    const int64_t member = gnt_frame_get_int(&s->in);
    if (s->in.bad || member < 0 || member >= s->chain.chain.n)
        return unreadable(err);
    const gnt_member *m = &s->chain.chain.member[member];
    if (lacks(m->hooks, op))
        return gnt_fail(err, "defense %s has no hook for the operation %d", m->id ? m->id : "", (int)op);
    switch (op) {
    case SIDE_ENCODE_SET:
    case SIDE_ENCODE_BATCH:
    case SIDE_ENCODE_QUERY:
        return encode(s, member, op, err);
    case SIDE_LOCAL_RATE:
        return local_rate(s, member, err);
    case SIDE_CLIENT_UPDATE:
    case SIDE_TRANSFORM:
        return update(s, member, op, err);
    case SIDE_AGGREGATE:
        return aggregate(s, member, err);
    case SIDE_CONTRIBUTE_SIZE:
        return contribute_size(s, m, err);
    case SIDE_CONTRIBUTE:
        return contribute(s, member, err);
    case SIDE_RECEIVE_SUM:
        return receive_sum(s, m, err);
    case SIDE_SAVE:
        return save(s, m, err);
    default:
        return load(s, m, err);
    }
}

static int carried(side *s, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    const int is_server = s->work->request->side.side == GNT_SIDE_SERVER;
    const int rc = side_carried_level(&st, s->work, err) == 0
                       ? side_carried_of_chain(&st, &s->chain, is_server, err)
                       : -1;
    if (rc == 0)
        side_put_bundle(&s->out, &st);
    gnt_st_free(&st);
    return rc;
}

static int carry(side *s, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    const int rc = side_get_bundle(&s->in, &st, err) == 0 && side_carried_check(&st, NULL, err) == 0
                       ? side_carried_set_chain(&st, &s->chain, err)
                       : -1;
    gnt_st_free(&st);
    return rc;
}

static int answer_one(side *s, gnt_err *err) {
    return s->in.op == SIDE_CARRIED ? carried(s, err)
           : s->in.op == SIDE_CARRY ? carry(s, err)
                                    : answer(s, s->in.op, err);
}

static void begin_answer(side *s, gnt_status status, const char *sentence) {
    gnt_frame_begin(&s->out, s->in.op);
    gnt_frame_put_int(&s->out, status);
    gnt_frame_put_text(&s->out, sentence);
}

/* Sends the facts of a copy's plugins and their hooks' times, its last answer. */
static void send_facts(side *s) {
    gnt_err ignored;
    gnt_work_chain_free(&s->chain);
    char *text = json_dumps(s->work->facts, JSON_COMPACT);
    begin_answer(s, GNT_OK, "");
    gnt_frame_put_text(&s->out, text ? text : "{}");
    char *times = s->work->hooks ? json_dumps(s->work->hooks, JSON_COMPACT) : NULL;
    gnt_frame_put_text(&s->out, times ? times : "[]");
    gnt_frame_send(&s->connection, &s->out, &ignored);
    free(text);
    free(times);
}

/* Frees the memory of a large message: while this process waits, others of a server may need theirs. */
static void shrink(gnt_frame *f) {
    const size_t kept = (size_t)64 << 20;
    if (f->room > kept)
        gnt_frame_free(f);
}

/* Answers one message. Returns 0 if the connection has ended, else 1. */
static int serve_one(side *s) {
    gnt_err why = {0};
    if (gnt_frame_receive(&s->connection, &s->in, &why) != 0)
        return 0; /* the training has ended, and says itself why */
    if (s->in.op == SIDE_COPY_END && s->copy) {
        send_facts(s);
        return 0;
    }
    s->work->status = GNT_FAILED;
    begin_answer(s, GNT_OK, "");
    if (answer_one(s, &why) != 0)
        begin_answer(s, s->work->status == GNT_OK ? GNT_FAILED : s->work->status, why.text);
    const int sent = gnt_frame_send(&s->connection, &s->out, &why) == 0;
    shrink(&s->in);
    shrink(&s->out);
    return sent;
}

/* Opens the plugin in a copy, and answers until its client's work is over. Does not return. */
static void serve_copy(side *s, gnt_err *err) {
    gnt_err ignored;
    s->copy = 1;
    json_array_clear(s->work->hooks); /* earlier copies have reported theirs */
    s->in.op = SIDE_COPY_BEGIN;
    const int opened = gnt_work_chain_open(&s->chain, s->work, &s->model, &s->work->request->side.defense,
                                           &s->work->request->side.key, err) == 0;
    begin_answer(s,
                 opened                      ? GNT_OK
                 : s->work->status == GNT_OK ? GNT_FAILED
                                             : s->work->status,
                 opened ? "" : err->text);
    int more = gnt_frame_send(&s->connection, &s->out, &ignored) == 0 && opened;
    while (more)
        more = serve_one(s);
    _exit(0); /* the first process reports how the job ended */
}

static int open_all(side *s, int by_copies, gnt_err *err) {
    gnt_work *w = s->work;
    const gnt_request_side *q = &w->request->side;
    if (gnt_work_model_open(&s->model, &q->model, q->training_stats, err) != 0 ||
        gnt_work_samples(&s->public_data, w, "public", &q->samples, err) != 0 ||
        (!by_copies && gnt_work_chain_open(&s->chain, w, &s->model, &q->defense, &q->key, err) != 0) ||
        gnt_fl_tensors(&s->tensors, s->model.model, err) != 0 ||
        gnt_fl_buffer_tensors(&s->statistics, s->model.model, err) != 0)
        return -1;
    s->n_params = gnt_model_size(s->model.model);
    s->n_buffers = gnt_model_buffer_size(s->model.model);
    s->n_shared = gnt_model_shared_size(s->model.model);
    s->n_statistics = s->statistics.n;
    s->sent_buffers = gnt_array((size_t)s->n_buffers, sizeof *s->sent_buffers);
    return s->sent_buffers ? 0 : gnt_fail(err, "out of memory for running statistics");
}

int gnt_job_side(gnt_work *w, gnt_err *err) {
    side s = {.work = w,
              .connection = {.fd = w->socket ? w->socket(w->context, "training") : -1,
                             .most = side_most_message,
                             .should_stop = stop,
                             .context = w}};
    const side_copies copies = {.work = w,
                                .training = s.connection.fd,
                                .outer = w->socket ? w->socket(w->context, "outer") : -1,
                                .inner = w->socket ? w->socket(w->context, "inner") : -1};
    const int by_copies = copies.inner >= 0;
    signal(SIGPIPE, SIG_IGN);
    int rc = s.connection.fd >= 0 ? open_all(&s, by_copies, err)
                                  : gnt_fail(err, "the job's request names no training");
    if (rc == 0 && by_copies) {
        const side_copies_end end = side_copies_serve(&copies, err);
        s.connection.fd = copies.inner;
        if (end == SIDE_COPIES_IN_COPY)
            serve_copy(&s, err);
        rc = end == SIDE_COPIES_FAILED ? -1 : 0;
    } else if (rc == 0)
        while (serve_one(&s))
            ;
    gnt_work_chain_free(&s.chain);
    gnt_sampleset_free(&s.public_data);
    gnt_work_model_free(&s.model);
    side_client_free(&s.client);
    gnt_frame_free(&s.in);
    gnt_frame_free(&s.out);
    gnt_free(s.tensors.tensor);
    gnt_free(s.statistics.tensor);
    gnt_free(s.sent_buffers);
    w->status = rc == 0 ? GNT_OK : w->status;
    return rc;
}
