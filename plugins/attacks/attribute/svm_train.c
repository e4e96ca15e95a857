/* svm_train: trains a machine by libsvm. Its probability estimates, which draw from rand(), are not used, and
 * its output is discarded. It cannot be stopped while it solves the problem of one pair: the longest part,
 * the kernel's values, is computed before, and `rows` bounds the rest. */
#include "svm.h"

#ifdef GNT_SVM

#include <libsvm/svm.h>
#include <stdlib.h>
#include <string.h>

#include "shared/try.h"

typedef struct lesson {
    const classic *c;
    const svm_recipe *recipe;
    const attr_table *t;
    int64_t n, *count; /* training rows; values: of each */
    int32_t *row;      /* n, by value */
    /* n × (n + 1), libsvm's format of a precomputed kernel: a row has a serial number from 1, then the kernel
     * of its vector with each */
    struct svm_node *kernel;
    struct svm_node **x; /* n: of the pair that is solved, first those of its first value */
    double *y;           /* n */
    float *coefficient;  /* pairs × n */
    float *rho;          /* pairs */
} lesson;

static gnt_status no_memory(const gnt_host *host) {
    return gnt_host_fail(host, "no memory for the kernel of its rows; fewer `rows` need less");
}

static void say_nothing(const char *text) {
    (void)text;
}

/* Chooses all rows of the training part; or, if they are too many, draws some of each value. */
static gnt_status choose_rows(lesson *l) {
    const attr_table *t = l->t;
    const gnt_host *host = l->c->host;
    const int64_t most = l->recipe->rows;
    int32_t *from = gnt_host_scratch(host, t->n_train, sizeof *from);
    l->row = gnt_host_scratch(host, t->n_train, sizeof *l->row);
    l->count = gnt_host_scratch(host, t->values, sizeof *l->count);
    if (!from || !l->row || !l->count)
        return no_memory(host);
    memcpy(from, t->row, (size_t)t->n_train * sizeof *from);
    for (int32_t v = 0; v < t->values; from += t->count[v++]) {
        const int64_t has = t->count[v], share = (int64_t)((double)has * (double)most / (double)t->n_train);
        const int64_t taken = t->n_train <= most ? has : share > 0 ? share : has > 0;
        for (int64_t i = 0; i < taken; i++) {
            const int64_t k =
                taken < has ? i + (int64_t)gnt_host_below(host, "rows", (uint64_t)(has - i)) : i;
            l->row[l->n++] = from[k];
            from[k] = from[i];
        }
        l->count[v] = taken;
    }
    return GNT_OK;
}

static gnt_status fill_kernel(lesson *l, double gamma) {
    const gnt_host *host = l->c->host;
    const int64_t n = l->n, columns = l->t->columns;
    l->kernel = gnt_host_scratch(host, n * (n + 1), sizeof *l->kernel);
    if (!l->kernel)
        return no_memory(host);
    for (int64_t i = 0; i < n; i++) {
        struct svm_node *own = l->kernel + i * (n + 1);
        own[0].value = (double)(i + 1);
        TRY(may_go_on(host));
        for (int64_t k = 0; k <= i; k++) {
            const float *a = l->t->x + l->row[i] * columns, *b = l->t->x + l->row[k] * columns;
            const struct svm_node one = {.index = (int)(k + 1), .value = svm_kernel(a, b, columns, gamma)};
            own[k + 1] = one;
            l->kernel[k * (n + 1) + i + 1] = (struct svm_node){.index = (int)(i + 1), .value = one.value};
        }
    }
    return GNT_OK;
}

/* Solves the pair of the rows from `a` and `b` on; the first one's label is 1. */
static gnt_status solve(lesson *l, int64_t a, int64_t n_a, int64_t b, int64_t n_b, int64_t pair) {
    const gnt_host *host = l->c->host;
    int label[2] = {1, -1};
    double weight[2] = {(double)(n_a + n_b) / (2 * (double)n_a), (double)(n_a + n_b) / (2 * (double)n_b)};
    const int64_t n = n_a + n_b;
    struct svm_problem problem = {.l = (int)n, .x = l->x, .y = l->y};
    const struct svm_parameter how = {.svm_type = C_SVC,
                                      .kernel_type = PRECOMPUTED,
                                      .cache_size = 1 + (double)n * (double)n * sizeof(float) /
                                                            (1 << 20), /* MiB: the whole kernel */
                                      .eps = 1e-3,
                                      .C = l->recipe->cost,
                                      .nr_weight = l->c->balanced ? 2 : 0,
                                      .weight_label = label,
                                      .weight = weight,
                                      .shrinking = 1};
    for (int64_t i = 0; i < n; i++) {
        l->x[i] = l->kernel + (i < n_a ? a + i : b + i - n_a) * (l->n + 1);
        l->y[i] = i < n_a ? 1 : -1;
    }
    const char *wrong = svm_check_parameter(&problem, &how);
    if (wrong)
        return gnt_host_fail(host, wrong);
    struct svm_model *model = svm_train(&problem, &how);
    if (!model)
        return no_memory(host);
    l->rho[pair] = (float)model->rho[0];
    for (int i = 0; i < model->l; i++)
        l->coefficient[pair * l->n + (int64_t)model->SV[i]->value - 1] = (float)model->sv_coef[0][i];
    svm_free_and_destroy_model(&model);
    return GNT_OK;
}

static gnt_status solve_all(lesson *l) {
    const gnt_host *host = l->c->host;
    int64_t pair = 0, a = 0;
    svm_set_print_string_function(say_nothing);
    for (int32_t v = 0; v < l->t->values; a += l->count[v++]) {
        int64_t b = a + l->count[v];
        for (int32_t w = v + 1; w < l->t->values; b += l->count[w++]) {
            if (l->count[v] == 0 || l->count[w] == 0)
                continue;
            TRY(may_go_on(host));
            gnt_status status = solve(l, a, l->count[v], b, l->count[w], pair++);
            if (status != GNT_OK)
                return status;
        }
    }
    return GNT_OK;
}

/* Keeps the rows for which some pair has a coefficient, and these coefficients. */
static gnt_status keep_vectors(const lesson *l, int64_t pairs, svm_machine *m) {
    const gnt_host *host = l->c->host;
    int64_t *kept = gnt_host_scratch(host, l->n, sizeof *kept);
    if (!kept)
        return no_memory(host);
    for (int64_t i = 0; i < l->n; i++) {
        int used = 0;
        for (int64_t p = 0; p < pairs; p++)
            used |= l->coefficient[p * l->n + i] != 0;
        if (used)
            kept[m->vectors++] = i;
    }
    float *vector = gnt_host_scratch(host, m->vectors * m->columns, sizeof *vector);
    float *coefficient = gnt_host_scratch(host, pairs * m->vectors, sizeof *coefficient);
    if (!vector || !coefficient)
        return no_memory(host);
    for (int64_t i = 0; i < m->vectors; i++) {
        memcpy(vector + i * m->columns, l->t->x + l->row[kept[i]] * m->columns,
               (size_t)m->columns * sizeof *vector);
        for (int64_t p = 0; p < pairs; p++)
            coefficient[p * m->vectors + i] = l->coefficient[p * l->n + kept[i]];
    }
    m->vector = vector;
    m->coefficient = coefficient;
    return GNT_OK;
}

gnt_status svm_train_machine(svm_machine *m, const classic *c, const svm_recipe *recipe,
                             const attr_table *t) {
    const gnt_host *host = c->host;
    lesson l = {.c = c, .recipe = recipe, .t = t};
    *m = (svm_machine){.columns = t->columns, .values = t->values, .gamma = svm_gamma(recipe, t->columns)};
    gnt_status status = choose_rows(&l);
    float *present = gnt_host_scratch(host, t->values, sizeof *present);
    if (status != GNT_OK || !present)
        return no_memory(host);
    for (int32_t v = 0; v < t->values; v++) {
        present[v] = l.count[v] > 0;
        m->seen += l.count[v] > 0;
    }
    const int64_t pairs = (int64_t)m->seen * (m->seen - 1) / 2;
    l.x = gnt_host_scratch(host, l.n, sizeof *l.x);
    l.y = gnt_host_scratch(host, l.n, sizeof *l.y);
    l.rho = gnt_host_scratch(host, pairs, sizeof *l.rho);
    l.coefficient = gnt_host_scratch(host, pairs * l.n, sizeof *l.coefficient);
    if (!l.x || !l.y || !l.rho || !l.coefficient)
        return no_memory(host);
    status = fill_kernel(&l, m->gamma);
    if (status == GNT_OK)
        status = solve_all(&l);
    if (status == GNT_OK)
        status = keep_vectors(&l, pairs, m);
    m->present = present;
    m->rho = l.rho;
    gnt_host_fact(host, "rows", (double)l.n);
    gnt_host_fact(host, "support_vectors", (double)m->vectors);
    gnt_host_fact(host, "libsvm", libsvm_version);
    return status == GNT_OK ? svm_open(m, host) : status;
}

#else

gnt_status svm_train_machine(svm_machine *m, const classic *c, const svm_recipe *recipe,
                             const attr_table *t) {
    (void)m, (void)recipe, (void)t;
    c->host->fail(
        c->host->context,
        "this build has no libsvm, which it learns by; install libsvm-dev and build gauntlet again");
    return GNT_UNSUPPORTED;
}

#endif
