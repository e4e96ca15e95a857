#include "shared/dp/sampled_gaussian.h"

#include <math.h>
#include <stddef.h>

enum { MOST_ORDER = 512 };

/* Beyond 64 the best order is hardly better than one of a few. */
static const int large_orders[] = {72, 80, 96, 112, 128, 160, 192, 256, 320, 384, MOST_ORDER};

/* Returns ln of the number of ways to choose k of n. */
static double log_choices(int n, int k) {
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* Returns ln(e^a + e^b). */
static double log_add(double a, double b) {
    const double top = fmax(a, b);
    return isfinite(top) ? top + log1p(exp(fmin(a, b) - top)) : top;
}

static double poisson_rdp(double q, double sigma, int order) {
    double sum = -INFINITY;
    if (q >= 1)
        return order / (2 * sigma * sigma);
    for (int k = 0; k <= order; k++)
        sum = log_add(sum, log_choices(order, k) + (order - k) * log1p(-q) + (k > 0 ? k * log(q) : 0) +
                               k * (k - 1) / (2 * sigma * sigma));
    return sum / (order - 1);
}

static double fixed_rdp(double q, double sigma, int order) {
    const double each = 2 / (sigma * sigma); /* ε(j) = j·each */
    if (q >= 1)
        return order * each;
    const double second = fmin(log(4) + 2 * each + log1p(-exp(-2 * each)), log(2) + 2 * each);
    double sum = log_add(0, 2 * log(q) + log_choices(order, 2) + second);
    for (int j = 3; j <= order; j++)
        sum = log_add(sum, j * log(q) + log_choices(order, j) + (j - 1) * j * each + log(2));
    return fmin(sum / (order - 1), order * each);
}

double sampled_gaussian_rdp(const sampled_gaussian *s, int order) {
    if (!(s->q > 0))
        return 0;
    if (!(s->sigma > 0))
        return INFINITY;
    const double rdp =
        s->sampling == SAMPLED_FIXED ? fixed_rdp(s->q, s->sigma, order) : poisson_rdp(s->q, s->sigma, order);
    return isfinite(rdp) ? rdp : INFINITY;
}

/* What all steps have, order by order. */
typedef struct curve {
    int order[MOST_ORDER];
    double rdp[MOST_ORDER];
    size_t n;
} curve;

static curve curve_of(const sampled_gaussian *s) {
    curve c = {.n = 0};
    for (int order = 2; order <= 64; order++)
        c.order[c.n++] = order;
    for (size_t i = 0; i < sizeof large_orders / sizeof *large_orders; i++)
        c.order[c.n++] = large_orders[i];
    for (size_t i = 0; i < c.n; i++)
        c.rdp[i] = s->steps * sampled_gaussian_rdp(s, c.order[i]);
    return c;
}

/* Returns the least ε over the orders. */
static double least_epsilon(const curve *c, double log_delta) {
    double least = INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        const double a = c->order[i];
        least = fmin(least, c->rdp[i] + log((a - 1) / a) - (log_delta + log(a)) / (a - 1));
    }
    return fmax(least, 0);
}

double sampled_gaussian_add(const sampled_gaussian *s, double delta) {
    if (s->sampling != SAMPLED_POISSON)
        return NAN;
    const curve c = curve_of(s);
    return delta > 0 ? least_epsilon(&c, log(delta)) : INFINITY;
}

/* Returns 2ε for the largest δ′ with (1 + e^ε)·δ′ ≤ δ, where ε is that of one sample at δ′, by halving. */
static double epsilon_of_two(const curve *c, double log_delta) {
    enum { HALVINGS = 60 };
    double low = log_delta - 1, high = log_delta - log(2);
    for (int i = 0; i < HALVINGS && log_add(0, least_epsilon(c, low)) + low > log_delta; i++)
        low -= 2 * (log_delta - low);
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (log_add(0, least_epsilon(c, middle)) + middle <= log_delta)
            low = middle;
        else
            high = middle;
    }
    return 2 * least_epsilon(c, low);
}

double sampled_gaussian_replace(const sampled_gaussian *s, double delta) {
    const curve c = curve_of(s);
    if (!(delta > 0) || !isfinite(least_epsilon(&c, log(delta))))
        return INFINITY;
    return s->sampling == SAMPLED_FIXED ? least_epsilon(&c, log(delta)) : epsilon_of_two(&c, log(delta));
}
