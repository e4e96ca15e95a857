/* What a defense's process answers to a training, over a socket: encodings, rates, updates, aggregates, sums
 * and states of a process that answers whatever the bytes say; and messages to such a process. Input: a byte
 * that chooses the hook (bit 7: claims are requested), then answers. Each: a byte (bit 0: another operation,
 * bit 1: a status and a sentence of the bytes, bit 2: cut off), then fields up to a byte 0: their kind and
 * their entries. */
#include <signal.h>
#include <sys/socket.h>

#include "fl/defense_chain.h"
#include "job/work/defense_state.h"
#include "job/side/remote.h"
#include "job/side/side_job.h"
#include "plugin/info.h"
#include "work.h"

enum { CLIENTS = 2, SAMPLES = 3, MOST_ANSWERS = 8, MOST_FIELDS = 64 };

static int to_process = -1;      /* the training's end of the socket */
static const char *of_side = ""; /* the side that there is */

static int socket_of(void *context, const char *name) {
    (void)context;
    return strcmp(name, of_side) == 0 ? to_process : -1;
}

/* ---- answers ---- */

static void put_field(gnt_frame *f, uint8_t kind, fuzz_bytes *b) {
    static const int64_t sizes[] = {
        SAMPLES * FUZZ_FEATURES, SAMPLES * FUZZ_CLASSES, SAMPLES, FUZZ_WEIGHTS, 1, 2};
    const uint8_t how = fuzz_byte(b);
    const int64_t n = how & 128 ? how & 127 : sizes[how % 6];
    double numbers[256] = {0};
    if (kind == 1)
        gnt_frame_put_int(f, fuzz_whole(b));
    else if (kind == 2)
        gnt_frame_put_real(f, fuzz_value(b));
    else if (kind == 3)
        gnt_frame_put_array(f, NULL, 0, 4);
    else if (kind == 4) { /* a state */
        gnt_st st;
        gnt_err err = {0};
        gnt_st_init(&st);
        fuzz_bytes part = fuzz_part(b, how);
        static const char *const names[] = {"kept", "a b", "note"};
        fuzz_tensors(&st, &part, names, 3);
        (void)err;
        side_put_bundle(f, &st);
        gnt_st_free(&st);
    } else if (kind == 5) {
        fuzz_bytes part = fuzz_part(b, how);
        gnt_frame_put(f, part.at ? (const void *)part.at : "", part.left);
    } else {
        const gnt_st_type type = kind % 3 == 0 ? GNT_ST_F32 : kind % 3 == 1 ? GNT_ST_F64 : GNT_ST_I64;
        fuzz_bytes part = fuzz_part(b, fuzz_byte(b));
        fuzz_fill(numbers, type, (size_t)n, &part);
        gnt_frame_put_array(f, numbers, n, gnt_st_type_size(type));
    }
}

static void answer_all(int fd, const uint64_t *ops, int n_ops, fuzz_bytes *b) {
    gnt_frame f = {0};
    gnt_err err = {0};
    const gnt_frame_connection line = {.fd = fd, .most = side_most_message};
    for (int i = 0; b->left && i < MOST_ANSWERS; i++) {
        const uint8_t how = fuzz_byte(b);
        gnt_frame_begin(&f, how & 1 ? fuzz_byte(b) : ops[i % n_ops]);
        gnt_frame_put_int(&f, how & 2 ? fuzz_whole(b) : GNT_OK);
        gnt_frame_put_text(&f, how & 2 ? "because" : "");
        uint8_t kind;
        for (int k = 0; k < MOST_FIELDS && (kind = fuzz_byte(b)) != 0; k++)
            put_field(&f, kind, b);
        if (how & 4)
            f.n = f.n / 16 * 8;
        if (f.n < 16384)
            MUST(gnt_frame_send(&line, &f, &err) == 0);
    }
    gnt_frame_free(&f);
    MUST(shutdown(fd, SHUT_WR) == 0);
}

/* ---- requests ---- */

static float weights[FUZZ_WEIGHTS];

static void request_encode(const gnt_chain *chain, int how, const gnt_samples *samples, int claims) {
    gnt_client client = {.size = sizeof client, .n_clients = CLIENTS, .weights = weights};
    gnt_mixture made_of = {0};
    gnt_batch b;
    gnt_err err = {0};
    gnt_batch_borrow(&b, samples);
    if (claims && how < 2) {
        b.made_of = &made_of;
        MUST(gnt_mixture_identity(&made_of, samples->n, &err) == 0);
    }
    if (fuzz_ok(how == 0   ? gnt_chain_encode_set(chain, &client, 0, &b, &err)
                : how == 1 ? gnt_chain_encode_batch(chain, &client, 0, &b, &err)
                           : gnt_chain_encode_query(chain, &client, 0, &b, &err),
                &err)) {
        MUST(b.view.n >= 1 && (!b.made_of || made_of.rows == b.view.n));
        for (int64_t i = 0; i < b.view.n * b.view.features; i++)
            MUST(isfinite(b.view.x[i]));
        for (int64_t i = 0; i < made_of.rows * made_of.originals; i++)
            MUST(made_of.weight[i] >= 0);
    }
    gnt_batch_free(&b);
    gnt_mixture_free(&made_of);
}

static void request_update(const gnt_chain *chain, int how, const gnt_samples *samples) {
    float values[FUZZ_WEIGHTS] = {0};
    const float *const updates[CLIENTS] = {weights, weights};
    static const double share[CLIENTS] = {0.5, 0.5};
    static const int32_t index[CLIENTS] = {0, 1};
    static const int64_t count[CLIENTS] = {1, 2};
    double rate = 0.1;
    int took = 0;
    gnt_tensors list;
    gnt_err err = {0};
    MUST(gnt_fl_tensors(&list, fuzz_model()->model, &err) == 0);
    float *at = values;
    for (int64_t i = 0; i < list.n; at += list.tensor[i++].count)
        list.tensor[i].data = at;
    gnt_client client = {.size = sizeof client, .n_clients = CLIENTS, .samples = samples, .weights = weights};
    gnt_aggregate in = {.size = sizeof in,
                        .n_clients = CLIENTS,
                        .n_params = FUZZ_WEIGHTS,
                        .old_weights = weights,
                        .update = updates,
                        .share = share,
                        .client = index,
                        .samples = count};
    const int rc = how == 0   ? gnt_chain_client_update(chain, &client, &list, &took, &err)
                   : how == 1 ? gnt_chain_transform(chain, &client, &list, &err)
                   : how == 2 ? gnt_chain_local_rate(chain, &client, 0, &rate, &err)
                              : gnt_chain_aggregate(chain, &in, values, &took, &err);
    if (fuzz_ok(rc, &err))
        for (int i = 0; i < FUZZ_WEIGHTS; i++)
            MUST(isfinite(values[i]) && isfinite(rate));
    gnt_free(list.tensor);
}

static void request_sums(const gnt_chain *chain, const gnt_sampleset *samples) {
    static int64_t start[CLIENTS + 1] = {0, 1, SAMPLES};
    static uint32_t row[SAMPLES] = {0, 1, 2};
    const gnt_partition part = {CLIENTS, start, row};
    const gnt_fl_config config = {.clients = CLIENTS, .rate = 0.1, .participation = 1};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_st out, truth;
    gnt_err err = {0};
    gnt_st_init(&out);
    gnt_st_init(&truth);
    MUST(gnt_state_holdings(samples, &part, &out, &err) == 0);
    const gnt_state_sum_spec sum = {.chain = chain,
                                    .trained = &out,
                                    .samples = samples,
                                    .part = &part,
                                    .config = &config,
                                    .weights = weights};
    if (fuzz_ok(gnt_state_sums(&sum, &key, &out, &truth, &err), &err))
        fuzz_write(NULL, "truth", &truth, &err);
    gnt_st_free(&out);
    gnt_st_free(&truth);
}

static void request_state(const gnt_chain *chain) {
    gnt_st st;
    gnt_err err = {0};
    gnt_st_init(&st);
    if (fuzz_ok(gnt_state_save(chain, 0, 1, &st, &err), &err)) {
        fuzz_write(NULL, "state", &st, &err);
        fuzz_ok(gnt_state_load(chain, &st, 0, 1, &err), &err);
    }
    gnt_st_free(&st);
}

/* ---- messages to a process ---- */

static double touch(const gnt_client *c) {
    const gnt_samples *s = c->samples;
    double sum = 0;
    for (int64_t i = 0; s && i < s->n * s->features; i++)
        sum += (double)s->x[i];
    for (int64_t i = 0; s && s->y && i < s->n * s->classes; i++)
        sum += (double)s->y[i];
    for (int64_t i = 0; s && s->a && i < s->n * s->n_attributes; i++)
        sum += s->a[i];
    for (int64_t i = 0; s && s->mask && i < s->n * gnt_mask_size(s); i++)
        sum += s->mask[i];
    for (int64_t i = 0; c->weights && i < FUZZ_WEIGHTS; i++)
        sum += (double)c->weights[i];
    return sum;
}

static void read_messages(fuzz_bytes *b) {
    gnt_frame f = {0};
    side_client client = {0};
    volatile double sum = 0; /* so that a sanitizer sees what is not there */
    for (int i = 0; b->left && i < MOST_ANSWERS; i++) {
        gnt_err err = {0};
        gnt_frame_begin(&f, SIDE_TRANSFORM);
        const uint8_t skeleton = fuzz_byte(b);
        if (skeleton & 1) { /* the key and the head, so that what follows is read */
            const char key[32] = {0};
            const int64_t head[10] = {0};
            gnt_frame_put(&f, key, sizeof key);
            gnt_frame_put(&f, head, sizeof head);
            gnt_frame_put_real(&f, 0.1);
        }
        if (skeleton & 2) {
            const int64_t n = fuzz_whole(b), features = fuzz_whole(b);
            const int64_t head[8] = {n,
                                     0,
                                     skeleton & 4 ? 1 : 3,
                                     skeleton & 8 ? fuzz_whole(b) : 3,
                                     fuzz_whole(b),
                                     fuzz_whole(b),
                                     fuzz_whole(b),
                                     features};
            gnt_frame_put_int(&f, 1);
            gnt_frame_put(&f, head, sizeof head);
        }
        uint8_t kind;
        for (int k = 0; k < MOST_FIELDS && (kind = fuzz_byte(b)) != 0; k++)
            put_field(&f, kind, b);
        if (fuzz_ok(side_get_client(&f, &client, FUZZ_WEIGHTS, 0, NULL, &err), &err))
            sum = sum + touch(&client.client);
        else
            break; /* as the process does: it fails */
    }
    side_client_free(&client);
    gnt_frame_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct {
        uint32_t hook;
        uint64_t op[4];
        int n;
    } hooks[] = {
        {GNT_HOOK_ENCODE_SET, {SIDE_ENCODE_SET}, 1},
        {GNT_HOOK_ENCODE_BATCH, {SIDE_ENCODE_BATCH}, 1},
        {GNT_HOOK_ENCODE_QUERY, {SIDE_ENCODE_QUERY}, 1},
        {GNT_HOOK_CLIENT_UPDATE, {SIDE_CLIENT_UPDATE}, 1},
        {GNT_HOOK_TRANSFORM_UPDATE, {SIDE_TRANSFORM}, 1},
        {GNT_HOOK_LOCAL_RATE, {SIDE_LOCAL_RATE}, 1},
        {GNT_HOOK_AGGREGATE, {SIDE_AGGREGATE}, 1},
        {GNT_HOOK_CONTRIBUTE, {SIDE_CONTRIBUTE_SIZE, SIDE_CONTRIBUTE, SIDE_CONTRIBUTE, SIDE_RECEIVE_SUM}, 4},
        {GNT_HOOK_STATE, {SIDE_SAVE, SIDE_LOAD}, 2}};
    fuzz_bytes b = {data, size};
    const uint8_t choice = fuzz_byte(&b);
    const size_t n_hooks = sizeof hooks / sizeof *hooks, which = (choice & 127) % (n_hooks + 1);
    fuzz_work w;
    gnt_st st;
    gnt_sampleset s;
    gnt_remote *r = NULL;
    gnt_err err = {0};
    int end[2];
    if (which == n_hooks) {
        read_messages(&b);
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
    answer_all(end[1], hooks[which].op, hooks[which].n, &b);
    to_process = end[0];
    of_side = which == 2 ? "query" : which == 6 ? "server" : "client";
    const gnt_request_plugin says = {.id = "says", .hooks = hooks[which].hook};
    const gnt_request_plugins defense = {&says, 1};
    const gnt_key role = gnt_key_of_seed(1);
    const gnt_remote_spec spec = {.defense = &defense, .key = &role, .claims = choice >> 7};
    fuzz_work_open(&w, (gnt_request){.kind = GNT_JOB_TRAIN});
    w.work.socket = socket_of;
    gnt_st_init(&st);
    fuzz_samples(&st, SAMPLES);
    MUST(gnt_samples_unpack(&s, &st, "samples", &err) == 0);
    MUST(gnt_remote_open(&r, &w.work, fuzz_model(), &spec, &err) == 0);
    const gnt_chain *chain = gnt_remote_chain(r);
    if (which < 3)
        request_encode(chain, (int)which, &s.view, choice >> 7);
    else if (which < 7)
        request_update(chain, (int)which - 3, &s.view);
    else if (which == 7)
        request_sums(chain, &s);
    else
        request_state(chain);
    gnt_remote_free(r);
    gnt_sampleset_free(&s);
    gnt_st_free(&st);
    fuzz_work_close(&w);
    close(end[0]);
    close(end[1]);
    return 0;
}
