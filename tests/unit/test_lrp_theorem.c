/* Theorem 1 of Wan et al. (ICCV 2023): how far federated averaging with lrp's rates is from the optimum, on
 * ridge logistic regression, trained by the host with the rates that the plugin draws.
 *
 *     E L(w_T) − L* ≤ κ/(γ + T)·(2(B + C)/µ + µγ/2·D)
 *     B = Σ p_k²·(σ_k² + G²/3) + 6LΓ + 32(E − 1)²G²,   C = (N − K)/(N − 1)·16/K·E²G²
 *     κ = L/µ,   γ = max{8κ, E},   step t = 0, 1, … with a rate from U(0, 2η_t),   η_t = 2/(µ(γ + t))
 *
 * Of N clients K take part in a round of E local steps, drawn without replacement; p_k = 1/N. Units: losses
 * are ℓ, weights 1, so µ, L, Γ, L* are ℓ, gradients and G too, σ_k², G², B and C ℓ², rates 1/ℓ, D, κ, γ none.
 * What each constant is here, where client k holds rows (x, y), x̃ is (x, 1), and its loss is F_k = mean
 * cross entropy + µ/2·‖w‖²:
 *
 *     µ     the decay of local steps, on all weights and biases
 *     L     µ + ½·max_k λ_max(mean x̃x̃ᵀ), since diag(p) − ppᵀ ≼ ½ for a softmax p
 *     G     √2·X + µR with X = max ‖x̃‖, since ‖p − y‖ ≤ √2; R = √2·X/µ bounds ‖w‖, since with w_0 = 0
 *           and rates below 1/µ each iterate is a mean of w and a vector no longer than that
 *     σ_k²  (n − b)/(b(n − 1))·2·mean ‖x̃‖²: the mean of b of n rows, drawn without replacement
 *     Γ     L* − Σ p_k·F_k*, each minimised in double
 *     D     ‖w_0 − w*‖² (the paper prints the loss's L for the expectation E, and calls w_0 w_1)
 *
 * Bounds hold at every iterate, those of local steps too. One thing is not as assumed: the batches of one
 * round are dealt without replacement, so that they are independent of each other where E = 1 alone.
 *
 * The theorem does not distinguish G from G/2: as T grows, the bound with G/2 is still at least 2.4 times the
 * gap. Strong convexity contracts ‖w − w*‖² by 1 − 2µη a step, of which the proof uses 1 − µη: a factor of 3.
 * At w* a step's noise is η_t²·Σ p_k²·(4/3·σ_k² + ‖∇F_k(w*)‖²/3) where E = 1 and K = N; G/2 leaves σ_k² +
 * G²/12 ≥ 13/12·σ_k², and Σ p_k²·‖∇F_k(w*)‖²/3 ≤ 2/3·LΓ. C and the term in (E − 1)²G² take each rate for 2η_t
 * and the worst of G: they are 12 times what such rates can do. What does distinguish them is the inequality
 * that the proof repeats for each step,
 *
 *     E‖w_{t+1} − w*‖² ≤ (1 − µη_t)·E‖w_t − w*‖² + η_t²·(B + C),
 *
 * which is sharp at w* where Γ = 0, E = 1 and K = N: there the second test begins. `--keep FILE` writes the
 * table of the first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "fl/federate.h"
#include "must_work.h"
#include "try_plugin.h"

enum { F = 5, C = 3, P = C * (F + 1), CLIENTS = 8, ROWS = 40, ALL = CLIENTS * ROWS, POINTS = 20 };

/* ---- the problem ---- */

typedef struct problem {
    double mu;
    int k, e, batch; /* clients in a round, local steps, rows a step */
    float x[ALL * F], y[ALL * C];
    int64_t id[ALL];
} problem;

/* alike: all clients hold the same rows, in equal parts of each label; else four of five rows of client k
 * have its own label. */
static void fill(problem *p, int alike) {
    const gnt_key key = gnt_key_of_seed(20);
    gnt_stream s = gnt_stream_open(&key, "rows");
    double centre[C * F];
    for (int i = 0; i < C * F; i++)
        centre[i] = 0.7 * gnt_random_normal(&s);
    memset(p->y, 0, sizeof p->y);
    for (int i = 0; i < ALL; i++) {
        const int c = alike || i % 5 == 0 ? i % C : i / ROWS % C, from = alike && i >= ROWS ? i - ROWS : i;
        p->id[i] = i;
        p->y[i * C + c] = 1;
        for (int f = 0; f < F; f++)
            p->x[i * F + f] = (float)(centre[c * F + f] + 0.5 * gnt_random_normal(&s));
        if (from != i) {
            memcpy(p->x + i * F, p->x + from * F, F * sizeof *p->x);
            memcpy(p->y + i * C, p->y + from * C, C * sizeof *p->y);
        }
    }
}

/* Cross entropy of row i at w = (C × F weights, C biases); its gradient into g. */
static double row_loss(const problem *p, int i, const double *w, double *g) {
    const float *x = p->x + i * F, *y = p->y + i * C;
    double z[C], most = -INFINITY, total = 0, loss = 0;
    for (int c = 0; c < C; c++) {
        z[c] = w[C * F + c];
        for (int f = 0; f < F; f++)
            z[c] += w[c * F + f] * x[f];
        most = fmax(most, z[c]);
    }
    for (int c = 0; c < C; c++)
        total += exp(z[c] - most);
    for (int c = 0; c < C; c++) {
        const double log_p = z[c] - most - log(total), d = exp(log_p) - y[c];
        loss -= y[c] * log_p;
        g[C * F + c] = d;
        for (int f = 0; f < F; f++)
            g[c * F + f] = d * x[f];
    }
    return loss;
}

static double square(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sum;
}

/* Loss of rows from … to − 1 with the ridge term, its gradient into g; *scatter: the mean of
 * ‖gradient of a row − g‖². */
static double loss_of(const problem *p, int from, int to, const double *w, double *g, double *scatter) {
    double loss = 0, squares = 0, one[P];
    memset(g, 0, P * sizeof *g);
    for (int i = from; i < to; i++) {
        loss += row_loss(p, i, w, one) / (to - from);
        squares += square(one, P) / (to - from);
        for (int j = 0; j < P; j++)
            g[j] += one[j] / (to - from);
    }
    *scatter = squares - square(g, P);
    for (int j = 0; j < P; j++)
        g[j] += p->mu * w[j];
    return loss + p->mu / 2 * square(w, P);
}

/* The least loss of rows from … to − 1, by gradient descent in steps of 1/l, and where it is. */
static double minimise(const problem *p, int from, int to, double l, double *w) {
    double g[P], scatter, loss = 0;
    int left = 100000;
    memset(w, 0, P * sizeof *w);
    do {
        loss = loss_of(p, from, to, w, g, &scatter);
        for (int j = 0; j < P; j++)
            w[j] -= g[j] / l;
    } while (square(g, P) > 1e-24 && --left > 0);
    assert_true(left > 0);
    return loss;
}

static double extended(const problem *p, int i, int f) {
    return f < F ? (double)p->x[i * F + f] : 1;
}

/* λ_max of the mean of x̃x̃ᵀ over client k's rows, by powers of it; never below. */
static double widest(const problem *p, int k) {
    double v[F + 1], u[F + 1], size = 0;
    for (int f = 0; f <= F; f++)
        v[f] = 1;
    for (int round = 0; round < 200; round++) {
        memset(u, 0, sizeof u);
        for (int i = k * ROWS; i < (k + 1) * ROWS; i++) {
            double dot = 0;
            for (int f = 0; f <= F; f++)
                dot += extended(p, i, f) * v[f];
            for (int f = 0; f <= F; f++)
                u[f] += extended(p, i, f) * dot / ROWS;
        }
        size = sqrt(square(u, F + 1) / square(v, F + 1));
        memcpy(v, u, sizeof v);
        for (int f = 0; f <= F; f++)
            v[f] /= size;
    }
    return size * (1 + 1e-6);
}

/* ---- the theorem's constants ---- */

typedef struct constants {
    double l, g, sigma2[CLIENTS], gap_of_clients; /* Γ */
    double kappa, gamma, d;
    double best, w[P]; /* L*, w* */
} constants;

/* Returns the constants of the problem at any weights; D and γ are those of a training from weights 0. */
static constants bounded(const problem *p) {
    constants t = {.l = 0};
    double longest = 0, unused[P];
    for (int k = 0; k < CLIENTS; k++) {
        double mean = 0;
        t.l = fmax(t.l, p->mu + widest(p, k) / 2);
        for (int i = k * ROWS; i < (k + 1) * ROWS; i++) {
            double xx = 1;
            for (int f = 0; f < F; f++)
                xx += (double)p->x[i * F + f] * p->x[i * F + f];
            longest = fmax(longest, sqrt(xx));
            mean += xx / ROWS;
        }
        t.sigma2[k] = (double)(ROWS - p->batch) / (p->batch * (ROWS - 1)) * 2 * mean;
    }
    t.g = 2 * sqrt(2) * longest; /* √2·X + µ·√2·X/µ */
    t.kappa = t.l / p->mu;
    t.gamma = fmax(8 * t.kappa, p->e);
    t.best = t.gap_of_clients = minimise(p, 0, ALL, t.l, t.w);
    t.d = square(t.w, P);
    for (int k = 0; k < CLIENTS; k++)
        t.gap_of_clients -= minimise(p, k * ROWS, (k + 1) * ROWS, t.l, unused) / CLIENTS;
    return t;
}

/* B + C with this G. */
static double noise(const problem *p, const constants *t, double g) {
    const double e = p->e, out = (double)(CLIENTS - p->k) / (CLIENTS - 1);
    double b = 6 * t->l * t->gap_of_clients + 32 * (e - 1) * (e - 1) * g * g;
    for (int k = 0; k < CLIENTS; k++)
        b += (t->sigma2[k] + g * g / 3) / (CLIENTS * CLIENTS);
    return b + out * 16 / p->k * e * e * g * g;
}

static double bound(const problem *p, const constants *t, double steps) {
    return t->kappa / (t->gamma + steps) * (2 * noise(p, t, t->g) / p->mu + p->mu * t->gamma / 2 * t->d);
}

static double mean_rate(const problem *p, const constants *t, double step) {
    return 2 / (p->mu * (t->gamma + step));
}

/* ---- training ---- */

/* lrp, to which each step's η_t is announced in place of one rate for all steps of a round. */
typedef struct announced {
    tried lrp;
    const problem *p;
    const constants *t;
} announced;

static gnt_status local_rate(void *context, const gnt_client *client, int64_t step, double *rate) {
    const announced *a = context;
    gnt_client announced_to = *client;
    announced_to.rate = mean_rate(a->p, a->t, (double)((int64_t)client->round * client->steps + step));
    return gnt_instance_defense(a->lrp.instance)
        ->local_rate(gnt_instance_self(a->lrp.instance), &announced_to, step, rate);
}

static gnt_status aggregate(void *context, const gnt_aggregate *in, float *next) {
    const announced *a = context;
    return gnt_instance_defense(a->lrp.instance)->aggregate(gnt_instance_self(a->lrp.instance), in, next);
}

static const gnt_defense hooks = {.size = sizeof hooks, .local_rate = local_rate, .aggregate = aggregate};

static void begin(void *owner, const char *hook) {
    gnt_instance_enter(((announced *)owner)->lrp.instance, hook);
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    return gnt_instance_leave(((announced *)owner)->lrp.instance, status, err) == GNT_OK ? 0 : -1;
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

typedef int visit(void *context, int32_t rounds, const float *weights, const float *buffers, gnt_err *err);

static gnt_model *model;

static int open_model(void **state) {
    const gnt_nn_shape sample = {1, {F}};
    (void)state;
    MUST_WORK(gnt_model_parse(&model, "softmax regression",
                              "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}",
                              &sample, C, NULL, NULL, err));
    return 0;
}

static int close_model(void **state) {
    (void)state;
    gnt_model_free(model);
    return 0;
}

/* From `start`, with batches, clients and rates drawn by `seed`. */
static void train(const problem *p, const constants *t, const double *start, int rounds, uint64_t seed,
                  visit *after, void *context) {
    const gnt_samples data = {.size = sizeof data,
                              .kind = GNT_KIND_TABULAR,
                              .n = ALL,
                              .rank = 1,
                              .classes = C,
                              .dim = {F},
                              .features = F,
                              .id = p->id,
                              .x = p->x,
                              .y = p->y};
    announced a = {.p = p, .t = t};
    gnt_member member = {.hooks = &hooks, .self = &a, .begin = begin, .done = done, .owner = &a};
    const gnt_chain chain = {.member = &member, .n = 1, .n_params = P};
    const gnt_fl_config config = {.rounds = rounds,
                                  .steps = p->e,
                                  .batch = p->batch,
                                  .rate = 1,
                                  .decay = p->mu,
                                  .participation = (double)p->k / CLIENTS,
                                  .clients = CLIENTS};
    const gnt_fl_watch watch = {.context = context, .after_round = after, .should_stop = keep_going};
    const gnt_key key = gnt_key_of_seed(seed);
    int64_t from[CLIENTS + 1];
    uint32_t order[ALL];
    const gnt_partition part = {CLIENTS, from, order};
    float w[P], none[1] = {0};
    char path[4096];
    gnt_fl *fl;
    for (int k = 0; k <= CLIENTS; k++)
        from[k] = k * ROWS;
    for (uint32_t i = 0; i < ALL; i++)
        order[i] = i;
    for (int j = 0; j < P; j++)
        w[j] = (float)start[j];
    MUST_WORK(try_open(&a.lrp, built("plugins/defenses/lrp.so", path), GNT_PLUGIN_DEFENSE, "lrp",
                       "{\"share\": 1}", seed, err));
    MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, &data, &part, NULL, w, none, NULL, &watch, err));
    gnt_fl_free(fl);
    try_close(&a.lrp);
}

static void widen(const float *w, double *out) {
    for (int j = 0; j < P; j++)
        out[j] = (double)w[j];
}

/* What client k's stochastic gradient is at w, exactly: its variance, and E‖·‖². */
static void moments(const problem *p, int k, const double *w, double *variance, double *norm2) {
    double g[P], scatter;
    loss_of(p, k * ROWS, (k + 1) * ROWS, w, g, &scatter);
    *variance = (double)(ROWS - p->batch) / (p->batch * (ROWS - 1)) * scatter;
    *norm2 = square(g, P) + *variance;
}

/* ---- the theorem ---- */

enum { TRAININGS = 20, LAST = 5 * POINTS * POINTS };

static int point_of(int i) { /* steps: 5, 20, 45, … 2000 */
    return 5 * (i + 1) * (i + 1);
}

typedef struct curve {
    const problem *p;
    const constants *t;
    double gap[POINTS], norm2; /* E L(w_T) − L*; the greatest E‖g_k‖² seen */
} curve;

static int measure(void *context, int32_t rounds, const float *weights, const float *buffers, gnt_err *err) {
    curve *c = context;
    double w[P], g[P], unused, norm2;
    (void)buffers, (void)err;
    for (int i = 0; i < POINTS; i++)
        if (rounds * c->p->e == point_of(i)) {
            widen(weights, w);
            c->gap[i] += (loss_of(c->p, 0, ALL, w, g, &unused) - c->t->best) / TRAININGS;
            for (int k = 0; k < CLIENTS; k++) {
                moments(c->p, k, w, &unused, &norm2);
                c->norm2 = fmax(c->norm2, norm2);
            }
        }
    return 0;
}

typedef struct setting {
    int k, e;
    problem p;
    constants t;
    curve c;
} setting;

enum { SETTINGS = 2 };
static setting all_settings[SETTINGS] = {{.k = CLIENTS, .e = 1}, {.k = 3, .e = 5}};

static void run_settings(void) {
    static const double zero[P];
    for (setting *s = all_settings; s < all_settings + SETTINGS; s++) {
        s->p = (problem){.mu = 0.1, .k = s->k, .e = s->e, .batch = 4};
        fill(&s->p, 0);
        s->t = bounded(&s->p);
        s->c = (curve){.p = &s->p, .t = &s->t};
        for (uint64_t seed = 0; seed < TRAININGS; seed++)
            train(&s->p, &s->t, zero, LAST / s->e, seed, measure, &s->c);
    }
}

/* The theorem's own law: where every client takes part with one step, the gap falls as 1/(γ + T) once the
 * start is forgotten. With rates that do not fall it would not. */
static void check_law(const setting *s) {
    enum { FROM = 6 }; /* T 245 */
    double mean = 0;
    for (int i = FROM; i < POINTS; i++)
        mean += s->c.gap[i] * (s->t.gamma + point_of(i)) / (POINTS - FROM);
    for (int i = FROM; i < POINTS; i++)
        assert_true(fabs(log(s->c.gap[i] * (s->t.gamma + point_of(i)) / mean)) < log(1.6));
}

static void the_gap_is_below_the_bound(void **state) {
    (void)state;
    run_settings();
    for (const setting *s = all_settings; s < all_settings + SETTINGS; s++) {
        print_message(
            "# N %d, K %d, E %d: mu %g, L %.4g, kappa %.4g, gamma %.4g, sigma_1^2 %.4g, G^2 %.4g (seen: "
            "%.4g), Gamma %.4g, D %.4g, B + C %.4g\n",
            CLIENTS, s->k, s->e, s->p.mu, s->t.l, s->t.kappa, s->t.gamma, s->t.sigma2[0], s->t.g * s->t.g,
            s->c.norm2, s->t.gap_of_clients, s->t.d, noise(&s->p, &s->t, s->t.g));
        assert_true(s->c.norm2 <= s->t.g * s->t.g);
        for (int i = 0; i < POINTS; i++) {
            const double most = bound(&s->p, &s->t, point_of(i));
            print_message("# T %4d: gap %.3e, bound %.3e, bound/gap %.1f\n", point_of(i), s->c.gap[i], most,
                          most / s->c.gap[i]);
            assert_true(s->c.gap[i] > 0 && s->c.gap[i] <= most);
        }
    }
    check_law(&all_settings[0]);
}

/* Writes the table that docs-tables puts into docs/papers/lrp.md. */
static int keep_table(const char *path) {
    gnt_text out;
    gnt_err err = {""};
    open_model(NULL);
    run_settings();
    gnt_text_init(&out, 1 << 16);
    gnt_text_add(&out, "T");
    for (const setting *s = all_settings; s < all_settings + SETTINGS; s++)
        gnt_text_add(&out, "\tgap, K = %d, E = %d\tbound\tbound/gap", s->k, s->e);
    for (int i = 0; i < POINTS; i++) {
        gnt_text_add(&out, "\n%d", point_of(i));
        for (const setting *s = all_settings; s < all_settings + SETTINGS; s++) {
            const double most = bound(&s->p, &s->t, point_of(i));
            gnt_text_add(&out, "\t%.2e\t%.2e\t%.2g", s->c.gap[i], most, most / s->c.gap[i]);
        }
    }
    gnt_text_add(&out, "\n");
    const int failed = out.failed ? gnt_fail(&err, "out of memory")
                                  : gnt_file_write(path, gnt_text_get(&out), out.size, &err);
    if (failed)
        fprintf(stderr, "test_lrp_theorem: %s\n", err.text);
    gnt_text_free(&out);
    close_model(NULL);
    return failed != 0;
}

/* ---- the inequality of a step ---- */

enum { STEPS = 20, REPEATS = 3000 };

typedef struct steps {
    const problem *p;
    const constants *t;
    double sum[STEPS + 1], squares[STEPS + 1]; /* of ‖w_t − w*‖² and of its square */
    double variance, norm2;                    /* the greatest at any iterate of any training: σ², G² */
} steps;

static int follow(void *context, int32_t rounds, const float *weights, const float *buffers, gnt_err *err) {
    steps *s = context;
    double w[P], variance, norm2, apart = 0;
    (void)buffers, (void)err;
    widen(weights, w);
    for (int j = 0; j < P; j++)
        apart += (w[j] - s->t->w[j]) * (w[j] - s->t->w[j]);
    s->sum[rounds] += apart;
    s->squares[rounds] += apart * apart;
    moments(s->p, 0, w, &variance, &norm2); /* all clients hold the same */
    s->variance = fmax(s->variance, variance);
    s->norm2 = fmax(s->norm2, norm2);
    return 0;
}

/* How many of the steps break the inequality with this G, by more than four standard errors. */
static int broken(const steps *s, double g) {
    int n = 0;
    for (int t = 0; t < STEPS; t++) {
        const double before = s->sum[t] / REPEATS, after = s->sum[t + 1] / REPEATS,
                     error = sqrt((s->squares[t + 1] / REPEATS - after * after) / REPEATS),
                     rate = mean_rate(s->p, s->t, t),
                     most = (1 - s->p->mu * rate) * before + rate * rate * noise(s->p, s->t, g);
        n += after - 4 * error > most;
        print_message("# G^2 %.4g, t %2d: %.4e +- %.1e, at most %.4e, ratio %.3f\n", g * g, t, after, error,
                      most, most / after);
    }
    return n;
}

static void each_step_keeps_its_inequality_and_with_half_the_g_not(void **state) {
    (void)state;
    static problem p = {.mu = 1, .k = CLIENTS, .e = 1, .batch = 4};
    fill(&p, 1);
    constants t = bounded(&p);
    steps s = {.p = &p, .t = &t};
    for (uint64_t seed = 0; seed < REPEATS; seed++)
        train(&p, &t, t.w, STEPS, seed, follow, &s);
    for (int k = 0; k < CLIENTS; k++)
        t.sigma2[k] = s.variance;
    print_message(
        "# N = K = %d, E 1, clients alike: mu %g, L %.4g, gamma %.4g, sigma^2 %.4g, G^2 %.4g, Gamma %.2g\n",
        CLIENTS, p.mu, t.l, t.gamma, s.variance, s.norm2, t.gap_of_clients);
    assert_true(fabs(t.gap_of_clients) < 1e-12);
    assert_int_equal(broken(&s, sqrt(s.norm2)), 0);
    assert_true(broken(&s, sqrt(s.norm2) / 2) > 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_is_below_the_bound),
        cmocka_unit_test(each_step_keeps_its_inequality_and_with_half_the_g_not),
    };
    if (argc == 3 && strcmp(argv[1], "--keep") == 0)
        return keep_table(argv[2]);
    return cmocka_run_group_tests_name("lrp, theorem 1", tests, open_model, close_model);
}
