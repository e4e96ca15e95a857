#include "job/side/remote.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/side/side_carried.h"
#include "job/side/side_job.h"
#include "plugin/info.h"
#include "request/side.h"

typedef struct remote_side {
    /* fd is −1 if there is no such process. */
    gnt_frame_connection connection;
    side_sent sent;
    gnt_frame out, in;
} remote_side;

/* One member of the chain. */
typedef struct proxy {
    gnt_remote *remote;
    gnt_defense hooks;
    int32_t index;
    /* Entries of its secure sum, as the last contribute_size said. */
    int64_t n_sum;
} proxy;

enum { MOST_ENCODED = 1 << 24 };

struct gnt_remote {
    gnt_work *work;
    gnt_key role;
    remote_side client, server, query;
    /* Connections to all processes of the server, the server first; server.connection is the one in use. */
    gnt_frame_connection servers[1 + GNT_SIDE_MOST_COPIES];
    size_t n_servers;
    gnt_chain chain;
    proxy *proxy;
    int64_t n_params, n_buffers, n_shared;
    /* in_copy: between copy_begin and copy_end. in_shadow: and the work there is no part of the training. */
    int uses_copies, in_copy, in_shadow;
    /* Request claims: what encodings are made of. */
    int claims;
    /* The sentence that goes with a status other than GNT_OK. */
    gnt_err failure;
};

/* ---- requests ---- */

static gnt_status broken(gnt_remote *r, const char *what) {
    gnt_fail(&r->failure, "%s", what);
    return GNT_FAILED;
}

/* Sends s->out and receives the answer. What follows its status and its sentence is left in s->in. */
static gnt_status exchange(gnt_remote *r, remote_side *s) {
    if (s->connection.fd < 0)
        return broken(r, "the hook has no process to run in");
    if (gnt_frame_send(&s->connection, &s->out, &r->failure) != 0 ||
        gnt_frame_receive(&s->connection, &s->in, &r->failure) != 0)
        return GNT_FAILED;
    const int64_t status = gnt_frame_get_int(&s->in);
    const char *sentence = gnt_frame_get_text(&s->in);
    if (s->in.bad || s->in.op != s->out.op || status < GNT_OK || status > GNT_STOPPED)
        return broken(r, "a defense's process gives an answer that cannot be read");
    if (status != GNT_OK)
        gnt_fail(&r->failure, "%s", *sentence ? sentence : "it gave no reason");
    return (gnt_status)status;
}

static void begin(remote_side *s, const proxy *p, uint64_t op) {
    gnt_frame_begin(&s->out, op);
    gnt_frame_put_int(&s->out, p->index);
}

/* Derives the key of a client hook's random streams from the round and the client. */
static gnt_key key_of(const gnt_remote *r, const gnt_client *c) {
    char name[64];
    snprintf(name, sizeof name, "%sround %d client %d", r->in_shadow ? "shadow of " : "", c->round, c->index);
    return gnt_key_derive(&r->role, name);
}

static void put_client(remote_side *s, const gnt_remote *r, const gnt_client *c) {
    const gnt_key key = key_of(r, c);
    side_put_client(&s->out, c, &key, r->n_params, r->n_buffers, &s->sent);
}

static gnt_status unreadable(gnt_remote *r) {
    return broken(r, "a defense's process gives an answer of another shape than asked for");
}

/* ---- encodings ---- */

typedef struct claim {
    int64_t n, *id;
    double *weight;
} claim;

/* Reads what one encoding is claimed to be made of; ids are those of the samples that went in. */
static int read_claim(gnt_remote *r, gnt_frame *f, const gnt_samples *from, claim *c, int64_t *source) {
    *source = gnt_frame_get_int(f);
    c->n = gnt_frame_get_int(f);
    if (f->bad || *source < 0 || *source >= from->n || c->n < 0 || c->n > from->n)
        return unreadable(r), -1;
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t row = gnt_frame_get_int(f);
        c->weight[i] = gnt_frame_get_real(f);
        if (f->bad || row < 0 || row >= from->n)
            return unreadable(r), -1;
        c->id[i] = from->id[row];
    }
    return 0;
}

/* Hands the samples of an answer to the sink. Queries have no ids, so they have no claims either. */
static gnt_status read_encoded(gnt_remote *r, remote_side *s, const gnt_samples *from,
                               const gnt_samples_sink *out) {
    gnt_frame *f = &s->in;
    const int64_t n = gnt_frame_get_int(f);
    if (f->bad || n < 0 || n > MOST_ENCODED)
        return unreadable(r);
    const float *x = gnt_frame_get_array(f, n * from->features, sizeof *x);
    const float *y = gnt_frame_get_array(f, n * from->classes, sizeof *y);
    const int64_t *id = gnt_frame_get_array(f, n, sizeof *id);
    const int64_t claims = gnt_frame_get_int(f), mixes = gnt_frame_get_int(f);
    if (f->bad || (n && !x) || (n && from->y && (!y || !id)) || (claims != 0) != (r->claims && from->id))
        return unreadable(r);
    claim c = {0, gnt_array((size_t)from->n, sizeof *c.id), gnt_array((size_t)from->n, sizeof *c.weight)};
    gnt_status status = c.id && c.weight ? GNT_OK : broken(r, "out of memory for encodings");
    for (int64_t i = 0; status == GNT_OK && i < n; i++) {
        int64_t source = 0;
        if (claims && read_claim(r, f, from, &c, &source) != 0)
            status = GNT_FAILED;
        else
            status = out->put(out->context, x + i * from->features, y ? y + i * from->classes : NULL,
                              claims ? from->id[source]
                              : id   ? id[i]
                                     : 0);
        if (status == GNT_OK && claims)
            status = out->mixed(out->context, c.n, c.id, c.weight);
        else if (status == GNT_OK && mixes && from->n > 1 && id &&
                 from->id) /* the sink learns only that encodings are mixed */
            status = out->mixed(out->context, 1, &from->id[id[i] == from->id[0]], &(double){1});
    }
    gnt_free(c.id);
    gnt_free(c.weight);
    return status;
}

static gnt_status encode(proxy *p, remote_side *s, uint64_t op, const gnt_client *client, int64_t when,
                         const gnt_samples_sink *out) {
    gnt_remote *r = p->remote;
    begin(s, p, op);
    put_client(s, r, client);
    gnt_frame_put_int(&s->out, when);
    gnt_frame_put_int(&s->out, p->remote->claims);
    const gnt_status status = exchange(r, s);
    return status == GNT_OK ? read_encoded(r, s, client->samples, out) : status;
}

static gnt_status encode_set(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    proxy *p = self;
    return encode(p, &p->remote->client, SIDE_ENCODE_SET, client, epoch, out);
}

static gnt_status encode_batch(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out) {
    proxy *p = self;
    return encode(p, &p->remote->client, SIDE_ENCODE_BATCH, client, step, out);
}

static gnt_status encode_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    proxy *p = self;
    return encode(p, &p->remote->query, SIDE_ENCODE_QUERY, client, draw, out);
}

/* ---- updates ---- */

static gnt_status local_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = &r->client;
    begin(s, p, SIDE_LOCAL_RATE);
    put_client(s, r, client);
    gnt_frame_put_int(&s->out, step);
    gnt_frame_put_real(&s->out, *rate);
    const gnt_status status = exchange(r, s);
    if (status == GNT_OK)
        *rate = gnt_frame_get_real(&s->in);
    return status == GNT_OK && s->in.bad ? unreadable(r) : status;
}

/* Reads what the hook leaves of the running statistics to be sent; none: the client has none to send. */
static int read_buffers(const gnt_remote *r, remote_side *s, gnt_tensors *sent) {
    gnt_tensors none = {0};
    gnt_err ignored;
    int any;
    return side_get_buffers(&s->in, sent ? sent : &none, r->n_buffers, &any, &ignored) == 0 &&
                   any == (sent != NULL)
               ? 0
               : -1;
}

/* Runs a hook that changes an update, whose tensors lie one behind the other (see gnt_fl_client). */
static gnt_status change_update(proxy *p, uint64_t op, const gnt_client *client, gnt_tensors *update) {
    gnt_remote *r = p->remote;
    remote_side *s = &r->client;
    float *flat = update->n ? update->tensor[0].data : NULL;
    begin(s, p, op);
    put_client(s, r, client);
    gnt_frame_put_array(&s->out, flat, r->n_shared, sizeof *flat);
    side_put_buffers(&s->out, client->sent_buffers, r->n_buffers);
    const gnt_status status = exchange(r, s);
    if (status != GNT_OK)
        return status;
    const float *changed = gnt_frame_get_array(&s->in, r->n_shared, sizeof *changed);
    if (!changed || read_buffers(r, s, client->sent_buffers) != 0)
        return unreadable(r);
    if (flat)
        memcpy(flat, changed, (size_t)r->n_shared * sizeof *flat);
    return GNT_OK;
}

static gnt_status client_update(void *self, const gnt_client *client, gnt_tensors *update) {
    return change_update(self, SIDE_CLIENT_UPDATE, client, update);
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    return change_update(self, SIDE_TRANSFORM, client, update);
}

static gnt_status aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = &r->server;
    const int64_t head[4] = {in->round, in->n_clients, in->is_gradient, in->public_data != NULL};
    begin(s, p, SIDE_AGGREGATE);
    gnt_frame_put(&s->out, head, sizeof head);
    gnt_frame_put_real(&s->out, in->rate);
    gnt_frame_put_array(&s->out, in->old_weights, in->n_params, sizeof *in->old_weights);
    gnt_frame_put_array(&s->out, in->share, in->n_clients, sizeof *in->share);
    for (int64_t k = 0; k < in->n_clients; k++)
        gnt_frame_put_array(&s->out, in->update[k], in->n_params, sizeof **in->update);
    gnt_frame_put_array(&s->out, in->client, in->n_clients, sizeof *in->client);
    gnt_frame_put_array(&s->out, in->samples, in->n_clients, sizeof *in->samples);
    gnt_frame_put_array(&s->out, in->buffers, in->n_buffers, sizeof *in->buffers);
    gnt_frame_put_array(&s->out, in->new_buffers, in->n_buffers, sizeof *in->new_buffers);
    for (int64_t k = 0; in->client_buffers && k < in->n_clients; k++)
        gnt_frame_put_array(&s->out, in->client_buffers[k], in->n_buffers, sizeof **in->client_buffers);
    const gnt_status status = exchange(r, s);
    if (status != GNT_OK)
        return status;
    const float *next = gnt_frame_get_array(&s->in, in->n_params, sizeof *next);
    const float *buffers =
        in->new_buffers ? gnt_frame_get_array(&s->in, in->n_buffers, sizeof *buffers) : NULL;
    if (!next || (in->new_buffers && !buffers))
        return unreadable(r);
    memcpy(new_weights, next, (size_t)in->n_params * sizeof *next);
    if (in->new_buffers)
        memcpy(in->new_buffers, buffers, (size_t)in->n_buffers * sizeof *buffers);
    return GNT_OK;
}

/* ---- secure sums and state ---- */

static int64_t contribute_size(void *self) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = &r->client;
    const int copied = r->uses_copies && !r->in_copy; /* it concerns no client: a copy of its own */
    if (copied && gnt_remote_copy_begin(r, &r->failure) != 0)
        return -1;
    begin(s, p, SIDE_CONTRIBUTE_SIZE);
    const int64_t size = exchange(r, s) == GNT_OK ? gnt_frame_get_int(&s->in) : -1, n = s->in.bad ? -1 : size;
    p->n_sum = n;
    return copied && n >= 0 && gnt_remote_copy_end(r, &r->failure) != 0 ? -1 : n;
}

/* Runs the hook contribute. It comes before every round: its streams are those of a round −1. */
static gnt_status contribute(void *self, const gnt_client *client, double *vector) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = &r->client;
    const int64_t n = p->n_sum;
    if (n < 1)
        return broken(r, "a secure sum of no entries");
    begin(s, p, SIDE_CONTRIBUTE);
    gnt_client early = *client;
    early.round = -1;
    const gnt_key key = key_of(r, &early);
    side_put_client(&s->out, client, &key, r->n_params, r->n_buffers, &s->sent);
    gnt_frame_put_int(&s->out, n);
    const gnt_status status = exchange(r, s);
    if (status != GNT_OK)
        return status;
    const double *given = gnt_frame_get_array(&s->in, n, sizeof *given);
    if (!given)
        return unreadable(r);
    memcpy(vector, given, (size_t)n * sizeof *vector);
    return GNT_OK;
}

/* Sends the further processes of the server what it was sent, and drops their answers. */
static gnt_status repeat(gnt_remote *r, const remote_side *s) {
    gnt_status status = GNT_OK;
    for (size_t i = 1; s == &r->server && status == GNT_OK && i < r->n_servers; i++) {
        gnt_remote_use_server(r, i);
        status = exchange(r, &r->server);
    }
    gnt_remote_use_server(r, 0);
    return status;
}

/* Gives the sum to every process; to a copy, when it begins. */
static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *sides[] = {&r->client, &r->server, &r->query};
    gnt_status status = GNT_OK;
    for (size_t i = 0; status == GNT_OK && i < sizeof sides / sizeof *sides; i++) {
        if (sides[i]->connection.fd < 0 || (r->uses_copies && (sides[i] == &r->client) != r->in_copy))
            continue;
        begin(sides[i], p, SIDE_RECEIVE_SUM);
        gnt_frame_put_int(&sides[i]->out, n);
        gnt_frame_put_array(&sides[i]->out, sum, n, sizeof *sum);
        status = exchange(r, sides[i]);
        if (status == GNT_OK)
            status = repeat(r, sides[i]);
    }
    return status;
}

/* Returns the side that has a client's state; client −1 is the server. */
static remote_side *side_of(gnt_remote *r, int32_t client) {
    return client < 0 && r->server.connection.fd >= 0 ? &r->server : &r->client;
}

static gnt_status write_state(gnt_remote *r, const gnt_st *st, const gnt_sink *out) {
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        gnt_status status;
        if (t->type == GNT_ST_U8 && t->rank == 1)
            status = out->blob(out->context, t->name, t->data, t->dim[0]);
        else if (t->type == GNT_ST_F32)
            status = out->tensor(out->context, t->name, t->rank, t->dim, t->data);
        else
            return unreadable(r);
        if (status != GNT_OK)
            return broken(r, "what the defense saves cannot be kept");
    }
    return GNT_OK;
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = side_of(r, client);
    begin(s, p, SIDE_SAVE);
    gnt_frame_put_int(&s->out, client);
    gnt_status status = exchange(r, s);
    gnt_st st;
    gnt_st_init(&st);
    if (status == GNT_OK)
        status = side_get_bundle(&s->in, &st, &r->failure) == 0 ? write_state(r, &st, out) : GNT_FAILED;
    if (status == GNT_OK)
        status = repeat(r, s);
    gnt_st_free(&st);
    return status;
}

static int gather_state(gnt_st *st, const gnt_artefacts *state, gnt_err *err) {
    for (int64_t i = 0; i < state->tensors.n; i++) {
        const gnt_view *v = &state->tensors.view[i];
        if (gnt_sink_add(st, v->name, GNT_ST_F32, v->rank, v->dim, v->data, err) != 0)
            return -1;
    }
    for (int64_t i = 0; i < state->n_blobs; i++) {
        const gnt_blob *b = &state->blob[i];
        if (gnt_sink_add(st, b->name, GNT_ST_U8, 1, &b->count, b->data, err) != 0)
            return -1;
    }
    return 0;
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    proxy *p = self;
    gnt_remote *r = p->remote;
    remote_side *s = side_of(r, client);
    gnt_st st;
    gnt_st_init(&st);
    gnt_status status = gather_state(&st, state, &r->failure) == 0 ? GNT_OK : GNT_FAILED;
    if (status == GNT_OK) {
        begin(s, p, SIDE_LOAD);
        gnt_frame_put_int(&s->out, client);
        side_put_bundle(&s->out, &st);
        status = exchange(r, s);
    }
    if (status == GNT_OK)
        status = repeat(r, s);
    gnt_st_free(&st);
    return status;
}

/* ---- the chain ---- */

static void begin_hook(void *owner, const char *hook) {
    proxy *p = owner;
    (void)hook;
    p->remote->failure = (gnt_err){0};
}

static int end_hook(void *owner, gnt_status status, gnt_err *err) {
    proxy *p = owner;
    gnt_remote *r = p->remote;
    if (status == GNT_OK && !r->failure.text[0])
        return 0;
    r->work->status = status == GNT_OK ? GNT_FAILED : status;
    return gnt_fail(err, "%s", r->failure.text);
}

static gnt_defense hooks_of(uint32_t has) {
    gnt_defense h = {.size = sizeof h};
    if (has & GNT_HOOK_CONTRIBUTE) {
        h.contribute_size = contribute_size;
        h.contribute = contribute;
        h.receive_sum = receive_sum;
    }
    if (has & GNT_HOOK_STATE) {
        h.save = save;
        h.load = load;
    }
    h.encode_set = has & GNT_HOOK_ENCODE_SET ? encode_set : NULL;
    h.encode_batch = has & GNT_HOOK_ENCODE_BATCH ? encode_batch : NULL;
    h.encode_query = has & GNT_HOOK_ENCODE_QUERY ? encode_query : NULL;
    h.local_rate = has & GNT_HOOK_LOCAL_RATE ? local_rate : NULL;
    h.client_update = has & GNT_HOOK_CLIENT_UPDATE ? client_update : NULL;
    h.transform_update = has & GNT_HOOK_TRANSFORM_UPDATE ? transform_update : NULL;
    h.aggregate = has & GNT_HOOK_AGGREGATE ? aggregate : NULL;
    return h;
}

static int stop(void *context) {
    gnt_work *w = context;
    return w->should_stop(w->context);
}

static gnt_frame_connection connect_to(gnt_work *w, const char *name) {
    return (gnt_frame_connection){.fd = w->socket ? w->socket(w->context, name) : -1,
                                  .most = side_most_message,
                                  .should_stop = stop,
                                  .context = w};
}

static void connect_servers(gnt_remote *r, size_t copies) {
    r->servers[0] = r->server.connection = connect_to(r->work, "server");
    for (r->n_servers = 1; r->n_servers <= copies; r->n_servers++) {
        char name[GNT_SIDE_NAME_SIZE];
        gnt_server_copy_name(r->n_servers - 1, name);
        r->servers[r->n_servers] = connect_to(r->work, name);
    }
}

int gnt_remote_open(gnt_remote **out, gnt_work *w, const gnt_work_model *m, const gnt_remote_spec *spec,
                    gnt_err *err) {
    const size_t n = spec->defense->n;
    if (spec->server_copies > GNT_SIDE_MOST_COPIES)
        return gnt_fail(err, "%zu further processes of a server, expected at most %d", spec->server_copies,
                        GNT_SIDE_MOST_COPIES);
    gnt_remote *r = gnt_alloc(sizeof *r);
    if (!r)
        return gnt_fail(err, "out of memory for %zu defenses", n);
    r->work = w;
    signal(SIGPIPE, SIG_IGN); /* that a process has ended shows in its missing answer */
    r->client.connection = connect_to(w, "client");
    r->query.connection = connect_to(w, "query");
    connect_servers(r, spec->server_copies);
    r->uses_copies = spec->copies;
    r->claims = spec->claims;
    r->role = *spec->key;
    r->n_params = gnt_model_size(m->model);
    r->n_buffers = gnt_model_buffer_size(m->model);
    r->n_shared = gnt_model_shared_size(m->model);
    r->proxy = gnt_array(n, sizeof *r->proxy);
    r->chain = (gnt_chain){.member = gnt_array(n, sizeof *r->chain.member),
                           .n = (int32_t)n,
                           .n_params = r->n_params,
                           .n_buffers = r->n_buffers};
    int rc = r->proxy && r->chain.member ? 0 : gnt_fail(err, "out of memory for %zu defenses", n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const gnt_request_plugin *of = &spec->defense->at[i];
        r->proxy[i] = (proxy){.remote = r, .index = (int32_t)i, .hooks = hooks_of(of->hooks)};
        r->chain.member[i] = (gnt_member){.hooks = &r->proxy[i].hooks,
                                          .self = &r->proxy[i],
                                          .begin = begin_hook,
                                          .done = end_hook,
                                          .owner = &r->proxy[i],
                                          .remote = 1,
                                          .id = of->id};
    }
    if (rc != 0) {
        gnt_remote_free(r);
        return -1;
    }
    *out = r;
    return 0;
}

void gnt_remote_free(gnt_remote *r) {
    if (!r)
        return;
    remote_side *sides[] = {&r->client, &r->server, &r->query};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        gnt_frame_free(&sides[i]->out);
        gnt_frame_free(&sides[i]->in);
    }
    gnt_free(r->proxy);
    gnt_free(r->chain.member);
    gnt_free(r);
}

const gnt_chain *gnt_remote_chain(const gnt_remote *r) {
    return &r->chain;
}

int gnt_remote_uses_copies(const gnt_remote *r) {
    return r->uses_copies;
}

int gnt_remote_copy_begin(gnt_remote *r, gnt_err *err) {
    r->in_copy = 1;
    r->client.sent = (side_sent){0};
    r->failure = (gnt_err){0};
    gnt_frame_begin(&r->client.out, SIDE_COPY_BEGIN);
    return exchange(r, &r->client) == GNT_OK ? 0 : gnt_fail(err, "%s", r->failure.text);
}

int gnt_remote_shadow_begin(gnt_remote *r, gnt_err *err) {
    r->in_shadow = 1;
    return gnt_remote_copy_begin(r, err);
}

int gnt_remote_copy_end(gnt_remote *r, gnt_err *err) {
    r->client.sent = (side_sent){0}; /* the copy's state ended with it */
    r->in_copy = 0;
    r->failure = (gnt_err){0};
    gnt_frame_begin(&r->client.out, SIDE_COPY_END);
    gnt_frame_put_int(&r->client.out, r->in_shadow);
    r->in_shadow = 0;
    return exchange(r, &r->client) == GNT_OK ? 0 : gnt_fail(err, "%s", r->failure.text);
}

size_t gnt_remote_server_copies(const gnt_remote *r) {
    return r->n_servers - 1;
}

void gnt_remote_use_server(gnt_remote *r, size_t i) {
    r->server.connection = r->servers[i];
}

/* ---- checkpoints ---- */

static const char *const carriers[] = {"client/", "server/"};

static remote_side *carrier(gnt_remote *r, int i) {
    remote_side *s = i == 0 ? &r->client : &r->server;
    return s->connection.fd >= 0 ? s : NULL;
}

/* Reads what a process carries. */
static int read_carried(gnt_remote *r, remote_side *s, gnt_st *out, gnt_err *err) {
    r->failure = (gnt_err){0};
    gnt_frame_begin(&s->out, SIDE_CARRIED);
    if (exchange(r, s) != GNT_OK)
        return gnt_fail(err, "%s", r->failure.text);
    return side_get_bundle(&s->in, out, err) == 0 ? side_carried_check(out, NULL, err) : -1;
}

/* Adds copies: the bundles end before the checkpoint is written. */
static int save_side(gnt_saved *out, const char *prefix, const gnt_st *st, gnt_err *err) {
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        char name[GNT_ST_NAME];
        snprintf(name, sizeof name, "%s%.200s", prefix, t->name);
        if (gnt_saved_copy(out, name, t->type, t->dim[0], t->data, err) != 0)
            return -1;
    }
    return 0;
}

int gnt_remote_save(gnt_remote *r, gnt_saved *out, gnt_err *err) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        remote_side *s = carrier(r, i);
        gnt_st st;
        gnt_st_init(&st);
        if (s)
            rc = read_carried(r, s, &st, err) == 0 ? save_side(out, carriers[i], &st, err) : -1;
        gnt_st_free(&st);
    }
    return rc;
}

static int check_side(gnt_remote *r, remote_side *s, const gnt_st *saved, gnt_err *err) {
    gnt_st now;
    gnt_st_init(&now);
    int rc = read_carried(r, s, &now, err);
    if (rc == 0)
        rc = side_carried_check(saved, &now, err);
    gnt_st_free(&now);
    return rc;
}

/* Sets what was checked. */
static int load_side(gnt_remote *r, remote_side *s, const gnt_st *saved, gnt_err *err) {
    r->failure = (gnt_err){0};
    gnt_frame_begin(&s->out, SIDE_CARRY);
    side_put_bundle(&s->out, saved);
    return exchange(r, s) == GNT_OK ? 0 : gnt_fail(err, "%s", r->failure.text);
}

/* Gives each process's part of a checkpoint to `use`. */
static int each_side(gnt_remote *r, const gnt_st *from,
                     int (*use)(gnt_remote *r, remote_side *s, const gnt_st *saved, gnt_err *err),
                     gnt_err *err) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < 2; i++) {
        remote_side *s = carrier(r, i);
        gnt_st st;
        gnt_st_init(&st);
        if (s)
            rc = gnt_loaded_bundle(from, carriers[i], &st, err) == 0 ? use(r, s, &st, err) : -1;
        gnt_st_free(&st);
    }
    return rc;
}

int gnt_remote_check(gnt_remote *r, const gnt_st *from, gnt_err *err) {
    return each_side(r, from, check_side, err);
}

int gnt_remote_load(gnt_remote *r, const gnt_st *from, gnt_err *err) {
    return each_side(r, from, load_side, err);
}
