/* lrp, ada-lrp and scheme-one: each client takes steps of a size that the server does not know.
 *
 * Of N clients, client k holds n_k samples of |Y_k| different labels; p_k = n_k / Σ n. In a round whose
 * announced rate is η, each local step of client k has a rate of its own:
 *
 *     scheme-one   p_k·N·η
 *     lrp          uniform from 0 to 2·p_k·N·η
 *     ada-lrp      uniform from 0 to 2·K·p_k·N·η,   K = ζ·(|Y_k| − Σ|Y| / N) + β
 *
 * and the server takes the plain mean of the updates. This is FedAvg's scheme I with each LOSS scaled by
 * p_k·N (Li et al., On the Convergence of FedAvg on Non-IID Data, 2020): of plain SGD, with or without
 * momentum, a scaled loss is a scaled rate. Weights scaled by p_k·N, as the scheme is often printed, would
 * shrink or blow up the model itself. A client that holds nothing counts in N and takes no part.
 *
 * That is the law `uniform`. The paper leaves others to later work; of two of them a rate is
 * p_k·N·η·(1 + x)/c, x normal or Laplacian with the uniform law's deviation, 1/√3, drawn again while 1 + x is
 * negative, and c the mean of what is left, so that the expectation is as before. Nothing bounds such a rate
 * from above.
 *
 * Clients learn Σ n and Σ|Y| by a secure sum, the server the same and no client's part. It is handed each
 * client's number of samples by the host; `aggregate` does not look at it.
 *
 * A client that shares one gradient multiplies it by its rate over the announced one: what the server gets
 * when it divides one local step's delta by the rate that it announced. */
#include <math.h>
#include <string.h>

#include "lrp.h"
#include "shared/try.h"

static int64_t contribute_size(void *context) {
    const lrp *self = context;
    return self->adaptive ? SUM_ENTRIES : SUM_LABELS; /* only sent by defenses that need their sum */
}

static gnt_status contribute(void *context, const gnt_client *client, double *vector) {
    const lrp *self = context;
    vector[SUM_SAMPLES] = (double)client->n_samples;
    if (self->adaptive)
        vector[SUM_LABELS] = (double)client->n_labels;
    return GNT_OK;
}

static gnt_status receive_sum(void *context, const double *sum, int64_t n) {
    lrp *self = context;
    if (n != contribute_size(self))
        return gnt_host_fail(self->host, "the secure sum has another length than was contributed");
    memcpy(self->sum, sum, (size_t)n * sizeof *sum);
    self->received = 1;
    return GNT_OK;
}

/* Returns the mean of 1 + x over x ≥ −1, x normal with that deviation, or Laplacian. */
static double mean_above_zero(int64_t law, double deviation) {
    if (law == LAW_GAUSSIAN) {
        const double t = 1 / deviation, below = erfc(t / sqrt(2)) / 2;
        const double density = exp(-t * t / 2) / sqrt(2 * acos(-1));
        return 1 + deviation * density / (1 - below);
    }
    const double b = deviation / sqrt(2), below = exp(-1 / b) / 2;
    return 1 + below * (1 + b) / (1 - below);
}

/* Draws the rate of one step over its expectation; its mean is 1. */
static double draw_factor(const lrp *self) {
    const gnt_host *host = self->host;
    const double deviation = self->spread / sqrt(3);
    double u, factor = -1;
    float x;
    if (!(self->spread > 0))
        return 1;
    if (self->law == LAW_UNIFORM) {
        gnt_host_uniform(host, "rate", 1, &u);
        return 1 + self->spread * (2 * u - 1);
    }
    while (factor < 0) {
        if (self->law == LAW_GAUSSIAN)
            gnt_host_normal(host, "rate", 1, &x);
        else
            gnt_host_laplace(host, "rate", 1, &x);
        factor = 1 + deviation * (self->law == LAW_GAUSSIAN ? 1 : 1 / sqrt(2)) * (double)x;
    }
    return factor / mean_above_zero(self->law, deviation);
}

/* Draws the rate of one step. */
static gnt_status draw_rate(const lrp *self, const gnt_client *client, double *rate) {
    const gnt_host *host = self->host;
    lrp_mean mean;
    TRY(lrp_mean_of(self, client, &mean));
    *rate = mean.rate * draw_factor(self);
    gnt_host_fact(host, "share", mean.share);
    if (self->adaptive)
        gnt_host_fact(host, "k", mean.k);
    if (client->rate > 0)
        gnt_host_fact(host, "rate_factor", *rate / client->rate);
    return GNT_OK;
}

static gnt_status local_rate(void *context, const gnt_client *client, int64_t step, double *rate) {
    (void)step;
    return draw_rate(context, client, rate);
}

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const lrp *self = context;
    const gnt_host *host = self->host;
    double rate;
    if (client->steps > 0)
        return GNT_OK; /* the rates of its steps did it */
    if (!(client->rate > 0))
        return gnt_host_fail(host, "the announced learning rate is not above 0");
    TRY(draw_rate(self, client, &rate));
    for (int64_t t = 0; t < update->n; t++) {
        TRY(may_go_on(host));
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] = (float)(rate / client->rate * (double)update->tensor[t].data[i]);
    }
    return GNT_OK;
}

/* Adds the clients' mean update to the weights; a mean gradient times −rate. Running statistics stay the
 * host's average: there is no loss in them to be scaled. */
static gnt_status aggregate(void *context, const gnt_aggregate *in, float *new_weights) {
    const lrp *self = context;
    const double weight = (in->is_gradient ? -in->rate : 1) / (double)in->n_clients;
    enum { CHUNK = 1 << 20 };
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        if (i % CHUNK == 0 && gnt_host_should_stop(self->host))
            return GNT_STOPPED;
        for (int64_t k = 0; k < in->n_clients; k++)
            sum += (double)in->update[k][i];
        new_weights[i] = (float)((double)in->old_weights[i] + weight * sum);
    }
    return GNT_OK;
}

/* ---- instances ---- */

static gnt_status start_lrp(void *context) {
    const lrp *self = context;
    if (self->rates.n > 0 && self->share > 0)
        return gnt_host_fail(self->host,
                             "share and rates are both given; rates says all of a client's rate, so "
                             "leave one of them out");
    return GNT_OK;
}

static gnt_status start_ada_lrp(void *context) {
    ((lrp *)context)->adaptive = 1;
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks,
                                  .contribute_size = contribute_size,
                                  .contribute = contribute,
                                  .receive_sum = receive_sum,
                                  .local_rate = local_rate,
                                  .transform_update = transform_update,
                                  .aggregate = aggregate};

#define SPREAD                                                                                               \
    GNT_STRENGTH_REAL(                                                                                       \
        lrp, spread, 0, 1, 1, GNT_SCALE_LINEAR, 1, "",                                                       \
        "greatest deviation of a rate from its expectation, as a fraction of it; 1 is the paper's, "         \
        "from 0 to twice the expectation; of other laws than uniform, root 3 times the standard deviation")
#define LAW                                                                                                  \
    GNT_CHOICE(lrp, law, laws, "uniform",                                                                    \
               "distribution of a rate about its expectation; gaussian, laplace: with the deviation of "     \
               "the uniform one, drawn again while negative, and unbounded above")
#define SHARE                                                                                                \
    GNT_REAL(lrp, share, 0, 1000, 0, GNT_SCALE_LINEAR, "",                                                   \
             "p_k*N, a client's samples over the mean of all clients, the same for each client; 0: "         \
             "computed by a secure sum")

static const char *const laws[] = {"uniform", "gaussian", "laplace", NULL}; /* as LAW_UNIFORM … */

static const gnt_parameter lrp_parameters[] = {
    SPREAD,
    SHARE,
    GNT_REAL_LIST(lrp, rates, 0, 1000, "[]", "",
                  "expectation of each client's rate, one entry for each client, in place of p_k*N times the "
                  "announced rate, whatever the schedule; none: not fixed"),
    LAW,
};

static const gnt_parameter ada_lrp_parameters[] = {
    SPREAD,
    SHARE,
    GNT_REAL(lrp, zeta, 0, 10, 0.1, GNT_SCALE_LINEAR, "",
             "how much a label more than the clients' mean adds to K; the paper has 1/6 for MNIST, 1/10 for "
             "CIFAR-10, 1/20 for CIFAR-100 and 1/400 for ImageNet"),
    GNT_REAL(lrp, beta, 0, 100, 1, GNT_SCALE_LINEAR, "", "the mean of K over all clients"),
    LAW,
};

/* A word of its own: what an attack must do to know it is to be free of the size of steps. */
static const char *const families[] = {"step-size", NULL};

#define COMMON                                                                                               \
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_TRANSCRIPT, .families = families,                           \
    .data_kinds = GNT_KIND_ANY, .defense = &hooks, .instance_size = GNT_INSTANCE(lrp)
#define DRAWN(law)                                                                                           \
    GNT_PARAMETERS(law##_parameters), COMMON, .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,               \
                                              .start = start_##law
#define PAPER                                                                                                \
    "Wan, Du, Yuan, Yang, Chen and Xu, Enhancing Privacy Preservation in Federated Learning via Learning "   \
    "Rate Perturbation, ICCV 2023, equations 10 to 13"

static const gnt_descriptor plain = {
    GNT_DEFENSE("lrp", "1.1", "draws the learning rate of each local step at random", "MIT", PAPER),
    DRAWN(lrp),
};
static const gnt_descriptor ada_lrp = {
    GNT_DEFENSE("ada-lrp", "1.1",
                "draws the learning rate of each local step at random, larger for clients with more labels",
                "MIT", PAPER),
    DRAWN(ada_lrp),
};
static const gnt_descriptor scheme_one = {
    GNT_DEFENSE("scheme-one", "1.0",
                "scales each client's loss by its share of the samples; the server takes the plain mean",
                "MIT",
                "Li, Huang, Yang, Wang and Zhang, On the Convergence of FedAvg on Non-IID Data, ICLR 2020, "
                "scheme I with transformed losses"),
    COMMON,
    .flags = GNT_FLAG_RESUMES,
};

static const gnt_descriptor *const list[] = {&plain, &ada_lrp, &scheme_one};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
