/* Clients that share a part of the parameters, against local SGD by hand in double. Two dense layers without
 * anything in between, z = V(Ux + c) + d, of which U and c are shared:
 *   δ = (softmax z − y)/n   ∂V = δ hᵀ   ∂d = δ   ∂U = (Vᵀδ) xᵀ   ∂c = Vᵀδ, summed over samples; h = Ux + c */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fl/federate.h"
#include "plugin/model_service.h"

enum { F = 3, H = 2, C = 2, N = 8, SHARED = F * H + H, OWN = H * C + C, P = SHARED + OWN, CLIENTS = 2 };

static const char whole_json[] = "{\"layers\": [{\"type\": \"dense\", \"name\": \"a\", \"out\": 2},"
                                 "{\"type\": \"dense\", \"name\": \"b\", \"out\": \"classes\"}]}";
static const char part_json[] =
    "{\"share\": [\"a\"], \"layers\": [{\"type\": \"dense\", \"name\": \"a\", \"out\": 2},"
    "{\"type\": \"dense\", \"name\": \"b\", \"out\": \"classes\"}]}";
static float data_x[N * F], data_y[N * C];
static int64_t data_id[N];
static gnt_samples data = {.size = sizeof data,
                           .kind = GNT_KIND_TABULAR,
                           .n = N,
                           .rank = 1,
                           .classes = C,
                           .dim = {F},
                           .features = F,
                           .id = data_id,
                           .x = data_x,
                           .y = data_y};
static uint32_t order[N] = {0, 1, 2, 3, 4, 5, 6, 7};
static int64_t starts[CLIENTS + 1] = {0, 4, N};
static gnt_partition part = {CLIENTS, starts, order};

static gnt_model *open_model(const char *json) {
    gnt_nn_shape sample = {1, {F}};
    gnt_err err = {0};
    gnt_model *m = NULL;
    if (gnt_model_parse(&m, "two layers", json, &sample, C, NULL, NULL, &err) != 0)
        fail_msg("%s", err.text);
    return m;
}

static int fill(void **state) {
    (void)state;
    for (int i = 0; i < N; i++) {
        data_id[i] = i;
        data_y[i * C + (i / 3) % C] = 1;
        for (int f = 0; f < F; f++)
            data_x[i * F + f] = (float)((i * 5 + f * 3) % 7) / 7;
    }
    return 0;
}

static float start_of(int k, int i) {
    return 0.1f * (float)((i * 3 + k * 5) % 11) - 0.5f;
}

/* Mean gradient over rows from … to − 1 at w = (U, c, V, d). */
static void gradient(const double *w, int from, int to, double *g) {
    const double *u = w, *c = w + F * H, *v = c + H, *d = v + H * C;
    memset(g, 0, P * sizeof *g);
    for (int i = from; i < to; i++) {
        const float *x = data_x + i * F;
        double h[H], z[C], total = 0, back[H] = {0};
        for (int j = 0; j < H; j++) {
            h[j] = c[j];
            for (int f = 0; f < F; f++)
                h[j] += u[j * F + f] * x[f];
        }
        for (int k = 0; k < C; k++) {
            z[k] = d[k];
            for (int j = 0; j < H; j++)
                z[k] += v[k * H + j] * h[j];
            total += exp(z[k]);
        }
        for (int k = 0; k < C; k++) {
            double e = (exp(z[k]) / total - data_y[i * C + k]) / (to - from);
            g[SHARED + H * C + k] += e;
            for (int j = 0; j < H; j++) {
                g[SHARED + k * H + j] += e * h[j];
                back[j] += e * v[k * H + j];
            }
        }
        for (int j = 0; j < H; j++) {
            g[F * H + j] += back[j];
            for (int f = 0; f < F; f++)
                g[j * F + f] += back[j] * x[f];
        }
    }
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

static int nothing(void *context, int32_t done, const float *weights, const float *buffers, gnt_err *err) {
    (void)context, (void)done, (void)weights, (void)buffers, (void)err;
    return 0;
}

/* Batches of all of a client's samples: their order does not matter. */
static void train(const gnt_fl_config *config, const gnt_chain *chain, float *weights, float *own) {
    gnt_model *m = open_model(part_json);
    gnt_fl *fl;
    gnt_err err = {0};
    gnt_key key = gnt_key_of_seed(1);
    float buffers[1] = {0};
    gnt_fl_watch watch = {.after_round = nothing, .should_stop = keep_going};
    assert_int_equal(gnt_model_shared_size(m), SHARED);
    assert_int_equal(gnt_model_own_size(m), OWN);
    if (gnt_fl_new(&fl, m, config, chain, &key, &err) != 0 ||
        gnt_fl_train(fl, &data, &part, NULL, weights, buffers, own, &watch, &err) != 0)
        fail_msg("%s", err.text);
    gnt_fl_free(fl);
    gnt_model_free(m);
}

static void start(float *weights, float *own) {
    for (int i = 0; i < P; i++)
        weights[i] = start_of(0, i);
    for (int k = 0; k < CLIENTS; k++)
        for (int i = 0; i < OWN; i++)
            own[k * OWN + i] = start_of(k + 1, i);
}

static void clients_go_on_from_what_they_kept(void **state) {
    (void)state;
    for (int steps = 0; steps <= 2; steps += 2) {
        gnt_fl_config config = {
            .rounds = 3, .steps = steps, .batch = 4, .rate = 0.5, .participation = 1, .clients = CLIENTS};
        float w[P], own[CLIENTS * OWN];
        double shared[SHARED], kept[CLIENTS][OWN], local[P], g[P];
        start(w, own);
        for (int i = 0; i < SHARED; i++)
            shared[i] = w[i];
        for (int k = 0; k < CLIENTS; k++)
            for (int i = 0; i < OWN; i++)
                kept[k][i] = own[k * OWN + i];
        for (int round = 0; round < 3; round++) {
            double next[SHARED] = {0};
            for (int k = 0; k < CLIENTS; k++) {
                memcpy(local, shared, sizeof shared);
                memcpy(local + SHARED, kept[k], sizeof kept[k]);
                for (int step = 0; step < (steps ? steps : 1); step++) {
                    gradient(local, 4 * k, 4 * k + 4, g);
                    for (int i = 0; i < P; i++)
                        local[i] -= 0.5 * g[i];
                }
                for (int i = 0; i < SHARED; i++)
                    next[i] += local[i] / CLIENTS;
                memcpy(kept[k], local + SHARED, sizeof kept[k]);
            }
            memcpy(shared, next, sizeof shared);
        }
        train(&config, &(gnt_chain){.n = 0}, w, own);
        for (int i = 0; i < SHARED; i++)
            assert_true(fabs(w[i] - shared[i]) < 1e-5);
        for (int i = SHARED; i < P; i++)
            assert_true(w[i] == start_of(0, i)); /* no client's parameters reach the server */
        for (int k = 0; k < CLIENTS; k++)
            for (int i = 0; i < OWN; i++)
                assert_true(fabs(own[k * OWN + i] - kept[k][i]) < 1e-5);
    }
}

/* ---- what defenses see ---- */

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    (void)owner;
    return status == GNT_OK ? 0 : gnt_fail(err, "refused");
}

static gnt_status take_over(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    if (update->n != 2 || update->tensor[0].count != F * H || update->tensor[1].count != H)
        return GNT_FAILED;
    for (int i = 0; i < OWN; i++) /* the client's own, untouched by rounds that a defense took over */
        if (client->weights[SHARED + i] != start_of(client->index + 1, i))
            return GNT_FAILED;
    for (int i = 0; i < H; i++)
        update->tensor[1].data[i] = 1;
    return GNT_OK;
}

static gnt_status aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    if (in->n_params != SHARED || in->update[1][SHARED - 1] != 1 || in->update[0][0] != 0)
        return GNT_FAILED;
    for (int i = 0; i < SHARED; i++)
        new_weights[i] = in->old_weights[i] + 2 * in->update[0][i];
    return GNT_OK;
}

static void defenses_get_the_shared_part(void **state) {
    (void)state;
    static const gnt_defense hooks = {
        .size = sizeof hooks, .client_update = take_over, .aggregate = aggregate};
    gnt_member member = {.hooks = &hooks, .begin = begin, .done = done, .id = "taker"};
    gnt_chain chain = {.member = &member, .n = 1, .n_params = P};
    gnt_fl_config config = {.rounds = 2, .batch = 4, .rate = 0.5, .participation = 1, .clients = CLIENTS};
    float w[P], own[CLIENTS * OWN];
    start(w, own);
    train(&config, &chain, w, own);
    for (int i = 0; i < P; i++)
        assert_true(fabsf(w[i] - (start_of(0, i) + (i >= F * H && i < SHARED ? 4 : 0))) < 1e-6f);
    for (int k = 0; k < CLIENTS; k++)
        for (int i = 0; i < OWN; i++)
            assert_true(own[k * OWN + i] == start_of(k + 1, i));
}

/* ---- the model service ---- */

typedef struct served {
    gnt_model *model;
    gnt_service *service;
    const gnt_model_service *s;
} served;

static served serve(const char *json) {
    served v = {.model = open_model(json)};
    gnt_service_spec spec = {.model = v.model, .name = "two layers"};
    assert_int_equal(gnt_service_new(&v.service, &spec, NULL), 0);
    v.s = gnt_service_table(v.service);
    return v;
}

static void unserve(served *v) {
    gnt_service_free(v->service);
    gnt_model_free(v->model);
}

static const gnt_views *run(served *v, gnt_function_spec spec, const gnt_function_args *args) {
    const gnt_views *out;
    spec.size = sizeof spec;
    spec.n = N;
    gnt_function *f = v->s->prepare(v->s->context, &spec);
    if (!f || v->s->eval(v->s->context, f, args, &out) != GNT_OK)
        fail_msg("%s", gnt_service_error(v->service));
    return out;
}

/* The same numbers as without the restriction, fewer of them: all parameters move in the local steps. */
static void updates_hold_the_shared_part(void **state) {
    (void)state;
    served whole = serve(whole_json), some = serve(part_json);
    float w[P], other[P], rates[2] = {0.5f, 0.25f};
    const float *observed[2] = {other, other + F * H};
    for (int i = 0; i < P; i++) {
        w[i] = start_of(0, i);
        other[i] = start_of(7, i);
    }
    gnt_function_args args = {
        .size = sizeof args, .x = data_x, .y = data_y, .weights = w, .rates = rates, .observed = observed};
    assert_null(whole.s->info->federated);
    const uint8_t *federated = some.s->info->federated;
    assert_true(federated[0] == 1 && federated[1] == 1 && federated[2] == 0 && federated[3] == 0);
    assert_int_equal(some.s->info->n_params, P);
    for (int steps = 0; steps <= 2; steps += 2) {
        gnt_function_spec spec = {.kind = GNT_FN_UPDATE, .steps = steps, .batch = N};
        const gnt_views *all = run(&whole, spec, &args), *shared = run(&some, spec, &args);
        double distance = 0;
        assert_int_equal(all->n, 4);
        assert_int_equal(shared->n, 2);
        for (int t = 0; t < 2; t++) {
            assert_string_equal(shared->view[t].name, all->view[t].name);
            assert_memory_equal(shared->view[t].data, all->view[t].data,
                                (size_t)all->view[t].count * sizeof(float));
            for (int64_t i = 0; i < all->view[t].count; i++)
                distance += pow((double)all->view[t].data[i] - (double)observed[t][i], 2);
        }
        spec.kind = GNT_FN_MATCH;
        spec.cost = GNT_COST_L2;
        assert_true(fabs(run(&some, spec, &args)->view[0].data[0] - distance) < 1e-5 * distance);
    }
    unserve(&whole);
    unserve(&some);
}

/* ---- which layers those are ---- */

static void blocks_and_branches_are_followed(void **state) {
    (void)state;
    /* 3×4×4: a branch that the representation needs, one that it does not, a block */
    static const char body[] =
        "{\"representation\": \"join\", \"share\": %s, \"layers\": ["
        "{\"type\": \"concat\", \"name\": \"join\", \"branches\": [[], [{\"type\": \"conv\", \"name\": "
        "\"p\", "
        "\"out\": 2, \"kernel\": 1}]]},"
        "{\"type\": \"residual\", \"name\": \"res\", \"body\": [{\"type\": \"conv\", \"name\": \"q\", "
        "\"out\": 5, "
        "\"kernel\": 1, \"bias\": false}]},"
        "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
    static const struct {
        const char *share;
        uint8_t shared[5]; /* join.p.weight, join.p.bias, res.q.weight, fc.weight, fc.bias */
    } cases[] = {{"\"representation\"", {1, 1, 0, 0, 0}},
                 {"[\"join\"]", {1, 1, 0, 0, 0}},
                 {"[\"join.p\", \"res\"]", {1, 1, 1, 0, 0}},
                 {"[\"join\", \"fc\"]", {1, 1, 0, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnt_nn_shape sample = {3, {3, 4, 4}};
        gnt_err err = {0};
        gnt_model *m = NULL;
        char *json = gnt_format(body, cases[i].share);
        if (gnt_model_parse(&m, "blocks", json, &sample, C, NULL, NULL, &err) != 0)
            fail_msg("%s", err.text);
        assert_memory_equal(gnt_model_shared(m), cases[i].shared, 5);
        int64_t own = gnt_model_own_size(m), size = gnt_model_size(m), shared = gnt_model_shared_size(m);
        assert_int_equal(own + shared, size);
        float flat[1000], again[1000] = {0}, piece[1000];
        assert_true(size <= 1000);
        for (int64_t k = 0; k < size; k++)
            flat[k] = (float)k + 1;
        gnt_model_pick(m, 1, flat, piece);
        gnt_model_place(m, 1, piece, again);
        int64_t zeros = 0;
        for (int64_t k = 0; k < size; k++)
            zeros += again[k] == 0;
        assert_int_equal(zeros, own);
        gnt_model_pick(m, 0, flat, piece);
        gnt_model_place(m, 0, piece, again);
        assert_memory_equal(flat, again, (size_t)size * sizeof *flat);
        gnt_model_free(m);
        gnt_free(json);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_go_on_from_what_they_kept),
        cmocka_unit_test(defenses_get_the_shared_part),
        cmocka_unit_test(updates_hold_the_shared_part),
        cmocka_unit_test(blocks_and_branches_are_followed),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
