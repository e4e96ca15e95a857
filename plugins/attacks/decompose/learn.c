#include "learn.h"

#include <math.h>
#include <string.h>

#include "shared/try.h"

typedef struct step {
    gnt_program *program;
    dec_whitener white;
    dec_batch batch;
    float *whitened, *mix, *share, *gradient; /* mix: whitened with its signs */
    float aid;
    gnt_adam *adam;
} step;

static void hide_signs(const dec_law *law, float *e, int64_t n) {
    for (int64_t i = 0; law->instahide && i < n; i++)
        e[i] = fabsf(e[i]);
}

gnt_status dec_learn_gain(const gnt_host *host, const dec_law *law, const gnt_samples *from, float *filter) {
    enum { SOME = DEC_PAIR_BATCH, MOST_ORIGINALS = 16 };
    const int64_t left = from->n - law->k; /* images for originals, all different */
    const int32_t originals = left < MOST_ORIGINALS ? (int32_t)left : MOST_ORIGINALS;
    int64_t size = SOME * from->features, taps = from->dim[0] * from->dim[0] * DEC_FILTER * DEC_FILTER;
    dec_batch b = {.e = gnt_host_scratch(host, size, sizeof *b.e),
                   .weight = gnt_host_scratch(host, SOME * originals, sizeof *b.weight)};
    float *out = gnt_host_scratch(host, size, sizeof *out);
    dec_whitener z = {0};
    TRY(have_memory(host, b.e && b.weight && out, "no memory for a batch of encodings"));
    dec_make_batch(host, law, from, originals, SOME, &b);
    hide_signs(law, b.e, size);
    gnt_status status = dec_whiten_open(&z, host, from->dim[0], from->dim[1], from->dim[2], filter);
    if (status == GNT_OK) {
        double squares = 0;
        dec_whiten(&z, b.e, SOME, out);
        for (int64_t i = 0; i < size; i++)
            squares += (double)out[i] * (double)out[i];
        for (int64_t i = 0; i < taps && squares > 0; i++)
            filter[i] *= (float)sqrt((double)size / squares);
    }
    dec_whiten_close(&z);
    return status;
}

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the similarity network");
}

static gnt_status compile(step *s, const gnt_host *host, const dec_net *net, const float *flat) {
    int64_t image[4] = {DEC_PAIR_BATCH, net->c, net->h, net->w}, pairs[2] = {DEC_PAIR_BATCH, DEC_PAIR_BATCH};
    gnt_node param[DEC_PARAMS], out[DEC_PARAMS + 2];
    char error[300] = "";
    gnt_graph *g = gnt_graph_new();
    if (!g)
        return no_memory(host);
    gnt_node e = gnt_nn_input(g, "e", 4, image, 0), white = gnt_nn_input(g, "white", 4, image, 0);
    gnt_node share = gnt_nn_input(g, "share", 2, pairs, 0), mix = gnt_nn_input(g, "mix", 4, image, 0);
    gnt_node aid = gnt_nn_input(g, "aid", 0, NULL, 0);
    dec_net_inputs(g, net, param);
    gnt_node z = dec_net_embed(g, net, param, e, white);
    out[0] = dec_net_loss(g, dec_net_pairs(g, net, param, z, z), share);
    out[1] = gnt_nn_add(g, out[0], gnt_nn_mul(g, aid, dec_net_miss(g, net, z, mix)));
    gnt_nn_vjp(g, out + 1, NULL, 1, param, net->n, out + 2);
    s->program = gnt_program_new(g, out, NULL, net->n + 2, 4, error, sizeof error);
    gnt_graph_free(g);
    if (!s->program)
        return gnt_host_fail(host, error);
    gnt_program_bind(s->program, e, s->batch.e);
    gnt_program_bind(s->program, white, s->whitened);
    gnt_program_bind(s->program, mix, s->mix);
    gnt_program_bind(s->program, share, s->share);
    gnt_program_bind(s->program, aid, &s->aid);
    dec_net_bind(s->program, net, param, flat);
    return GNT_OK;
}

static gnt_status open_step(step *s, const gnt_host *host, const dec_learning *how, const dec_net *net,
                            const float *filter, const float *flat) {
    size_t size = (size_t)(DEC_PAIR_BATCH * net->c * net->h * net->w);
    s->batch.e = gnt_host_scratch(host, size, sizeof(float));
    s->batch.weight = gnt_host_scratch(host, DEC_PAIR_BATCH * how->originals, sizeof(float));
    s->whitened = gnt_host_scratch(host, size, sizeof(float));
    s->mix = gnt_host_scratch(host, size, sizeof(float));
    s->share = gnt_host_scratch(host, DEC_PAIR_BATCH * DEC_PAIR_BATCH, sizeof(float));
    s->gradient = gnt_host_scratch(host, net->size, sizeof(float));
    s->adam = gnt_adam_new(net->size, 0.9, 0.99, 1e-8);
    if (!s->batch.e || !s->batch.weight || !s->whitened || !s->mix || !s->share || !s->gradient || !s->adam)
        return no_memory(host);
    TRY(dec_whiten_open(&s->white, host, net->c, net->h, net->w, filter));
    return compile(s, host, net, flat);
}

static double one_step(step *s, const gnt_host *host, const dec_law *law, const gnt_samples *from,
                       const dec_learning *how, const dec_net *net, float *flat, double rate) {
    dec_make_batch(host, law, from, (int32_t)how->originals, DEC_PAIR_BATCH, &s->batch);
    dec_shared(s->batch.weight, DEC_PAIR_BATCH, (int32_t)how->originals, s->share);
    for (int64_t i = 0; i < DEC_PAIR_BATCH * DEC_PAIR_BATCH; i++)
        s->share[i] = s->share[i] > 0;
    dec_whiten(&s->white, s->batch.e, DEC_PAIR_BATCH, s->mix);
    hide_signs(law, s->batch.e, DEC_PAIR_BATCH * from->features);
    dec_whiten(&s->white, s->batch.e, DEC_PAIR_BATCH, s->whitened);
    s->aid = (float)(how->aid * rate / how->rate);
    gnt_program_run(s->program, 0);
    for (int32_t i = 0; i < net->n; i++)
        memcpy(s->gradient + net->param[i].at, gnt_program_output(s->program, i + 2),
               (size_t)net->param[i].count * sizeof(float));
    for (int64_t i = 0; i < net->size; i++)
        flat[i] *= (float)(1 - rate * how->decay);
    gnt_adam_step(s->adam, flat, s->gradient, rate);
    return (double)*(const float *)gnt_program_output(s->program, 0);
}

gnt_status dec_learn(const gnt_host *host, const dec_law *law, const gnt_samples *from, const float *filter,
                     const dec_learning *how, const dec_net *net, float *flat, double *loss) {
    step s = {0};
    gnt_status status = open_step(&s, host, how, net, filter, flat);
    int64_t last = how->steps / 10 + 1;
    *loss = 0;
    for (int64_t k = 0; status == GNT_OK && k < how->steps; k++) {
        double ramp = k < how->warm ? ((double)k + 1) / (double)how->warm : 1;
        double rate = ramp * gnt_rate_cosine(how->rate, k, how->steps);
        double l = one_step(&s, host, law, from, how, net, flat, rate);
        *loss += k >= how->steps - last ? l / (double)last : 0;
        if (!isfinite(l))
            status = gnt_host_fail(host, "its similarity network diverged; give a lower `rate`");
        else if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
        gnt_host_progress(host, (double)k + 1, (double)how->steps);
    }
    gnt_program_free(s.program);
    dec_whiten_close(&s.white);
    gnt_adam_free(s.adam);
    return status;
}

/* ---- scores of all pairs ---- */

typedef struct scorer {
    gnt_program *embed, *pairs;
    float *e, *white, *za, *zb; /* a batch each */
} scorer;

static gnt_status open_scorer(scorer *s, const gnt_host *host, const dec_net *net, const float *flat) {
    int64_t image[4] = {DEC_PAIR_BATCH, net->c, net->h, net->w};
    size_t bytes = (size_t)(DEC_PAIR_BATCH * net->c * net->h * net->w) * sizeof(float);
    gnt_node param[DEC_PARAMS];
    char error[300] = "";
    s->e = gnt_host_scratch(host, 1, bytes);
    s->white = gnt_host_scratch(host, 1, bytes);
    s->za = gnt_host_scratch(host, 1, bytes);
    s->zb = gnt_host_scratch(host, 1, bytes);
    gnt_graph *g = gnt_graph_new(), *other = gnt_graph_new();
    if (!g || !other || !s->e || !s->white || !s->za || !s->zb) {
        gnt_graph_free(g);
        gnt_graph_free(other);
        return no_memory(host);
    }
    gnt_node a = gnt_nn_input(g, "e", 4, image, 0), b = gnt_nn_input(g, "white", 4, image, 0);
    dec_net_inputs(g, net, param);
    gnt_node z = dec_net_embed(g, net, param, a, b);
    s->embed = gnt_program_new(g, &z, NULL, 1, 4, error, sizeof error);
    if (s->embed) {
        gnt_program_bind(s->embed, a, s->e);
        gnt_program_bind(s->embed, b, s->white);
        dec_net_bind(s->embed, net, param, flat);
        a = gnt_nn_input(other, "za", 4, image, 0);
        b = gnt_nn_input(other, "zb", 4, image, 0);
        dec_net_inputs(other, net, param);
        z = dec_net_pairs(other, net, param, a, b);
        s->pairs = gnt_program_new(other, &z, NULL, 1, 4, error, sizeof error);
    }
    if (s->pairs) {
        gnt_program_bind(s->pairs, a, s->za);
        gnt_program_bind(s->pairs, b, s->zb);
        dec_net_bind(s->pairs, net, param, flat);
    }
    gnt_graph_free(g);
    gnt_graph_free(other);
    return s->pairs ? GNT_OK : gnt_host_fail(host, error);
}

static int64_t some(int64_t from, int64_t n) {
    return n - from < DEC_PAIR_BATCH ? n - from : DEC_PAIR_BATCH;
}

static gnt_status score_blocks(scorer *s, const gnt_host *host, int64_t features, const float *z, int64_t n,
                               float *score) {
    for (int64_t i = 0; i < n; i += DEC_PAIR_BATCH)
        for (int64_t j = i; j < n; j += DEC_PAIR_BATCH) {
            int64_t ni = some(i, n), nj = some(j, n);
            TRY(may_go_on(host));
            memcpy(s->za, z + i * features, (size_t)(ni * features) * sizeof *z);
            memcpy(s->zb, z + j * features, (size_t)(nj * features) * sizeof *z);
            gnt_program_run(s->pairs, 0);
            const float *block = gnt_program_output(s->pairs, 0);
            for (int64_t a = 0; a < ni; a++)
                for (int64_t b = 0; b < nj; b++)
                    score[(i + a) * n + j + b] = score[(j + b) * n + i + a] = block[a * DEC_PAIR_BATCH + b];
        }
    return GNT_OK;
}

gnt_status dec_learn_score(const gnt_host *host, const dec_net *net, const float *flat, const float *filter,
                           const float *e, int64_t n, float *score) {
    int64_t features = net->c * net->h * net->w;
    scorer s = {0};
    dec_whitener white = {0};
    float *z = gnt_host_scratch(host, n * features, sizeof *z);
    gnt_status status = z ? open_scorer(&s, host, net, flat) : no_memory(host);
    if (status == GNT_OK)
        status = dec_whiten_open(&white, host, net->c, net->h, net->w, filter);
    for (int64_t i = 0; status == GNT_OK && i < n; i += DEC_PAIR_BATCH) {
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
        memcpy(s.e, e + i * features, (size_t)(some(i, n) * features) * sizeof *e);
        dec_whiten(&white, s.e, DEC_PAIR_BATCH, s.white);
        gnt_program_run(s.embed, 0);
        memcpy(z + i * features, gnt_program_output(s.embed, 0), (size_t)(some(i, n) * features) * sizeof *z);
    }
    if (status == GNT_OK)
        status = score_blocks(&s, host, features, z, n, score);
    gnt_program_free(s.embed);
    gnt_program_free(s.pairs);
    dec_whiten_close(&white);
    return status;
}
