/* dp: privacy accounting. With m = D/σ, a = m/2 − ε/m and v = ε/m + m/2, e^ε φ(v) equals φ(a), so that the
 * delta of Balle and Wang is
 *     δ = Φ(a) − φ(a) R(v),   R(x) = Φ(−x)/φ(x)  (Mills' ratio),
 * and with u = −a also  δ = φ(u) (R(u) − R(v)) = φ(u) ∫_u^v (1 − x R(x)) dx.
 * No e^ε is ever formed, the difference of near-equal tails (small m) becomes an integral of a positive
 * function, and the far tail keeps its relative precision as long as φ(u) does not underflow. */
#include "gauntlet/dp.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double normal_density(double x) {
    return exp(-0.5 * x * x) / sqrt(2 * pi);
}

static double normal_below(double x) {
    return 0.5 * erfc(-x / sqrt(2));
}

/* Returns Mills' ratio for x ≥ 0; for large x by Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/(x +
 * …)))), evaluated from its end. */
static double mills(double x) {
    if (x < 8)
        return sqrt(pi / 2) * exp(0.5 * x * x) * erfc(x / sqrt(2));
    double tail = x;
    for (int k = 60; k > 0; k--)
        tail = x + k / tail;
    return 1 / tail;
}

/* Returns 1 − x R(x) for any x; for large x as T/(x + T), T the first tail of the continued fraction, which
 * does not cancel. */
static double mills_slope(double x) {
    if (x < 0)
        return 1 - x * normal_below(-x) / normal_density(x);
    if (x < 8)
        return 1 - x * mills(x);
    double tail = x;
    for (int k = 60; k > 1; k--)
        tail = x + k / tail;
    return 1 / tail / (x + 1 / tail);
}

/* Returns the integral of 1 − x R(x) from u to u + m by five-point Gauss–Legendre; m is small against 1, the
 * scale of the integrand. */
static double mills_drop(double u, double m) {
    static const double at[3] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weight[3] = {0.56888888888888888889, 0.47862867049936646804, 0.23692688505618908751};
    double middle = u + m / 2, sum = weight[0] * mills_slope(middle);
    for (int i = 1; i < 3; i++)
        sum += weight[i] * (mills_slope(middle - at[i] * m / 2) + mills_slope(middle + at[i] * m / 2));
    return sum * m / 2;
}

static int bad(double x) {
    return !(x >= 0);
}

double gnt_dp_gaussian_delta(double sigma, double epsilon, double sensitivity) {
    if (bad(sigma) || bad(epsilon) || bad(sensitivity))
        return NAN;
    if (sensitivity == 0 || isinf(sigma) || isinf(epsilon))
        return 0;
    double m = sensitivity / sigma; /* infinite for sigma 0: no privacy */
    if (isinf(m))
        return 1;
    if (m == 0)
        return 0;
    double u = epsilon / m - m / 2, v = epsilon / m + m / 2;
    if (isinf(u))
        return 0;
    if (m < 0.1)
        return normal_density(u) * mills_drop(u, m);
    if (u < 0)
        return fmax(normal_below(-u) - normal_density(u) * mills(v), 0);
    return normal_density(u) * (mills(u) - mills(v));
}

typedef struct question {
    double other, delta, sensitivity;
    int solve_sigma;
} question;

static int wrong(const question *q, double x) {
    double delta = q->solve_sigma ? gnt_dp_gaussian_delta(x, q->other, q->sensitivity)
                                  : gnt_dp_gaussian_delta(q->other, x, q->sensitivity);
    return !(delta <= q->delta);
}

/* Returns the least x > 0 at which `wrong` is false, up to the last bit; infinity if there is none. Bisects
 * on a logarithmic scale while the bracket spans more than a factor of two, then on a linear one. */
static double least_right(const question *q, double start) {
    double low = start, high = start;
    while (wrong(q, high) && high < 1e300)
        high *= 2;
    while (!wrong(q, low) && low > 1e-300)
        low /= 2;
    if (wrong(q, high))
        return INFINITY;
    for (int i = 0; i < 200; i++) {
        double middle = high > 2 * low ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (wrong(q, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

double gnt_dp_gaussian_epsilon(double sigma, double delta, double sensitivity) {
    if (bad(sigma) || bad(delta) || bad(sensitivity) || delta > 1)
        return NAN;
    if (gnt_dp_gaussian_delta(sigma, 0, sensitivity) <= delta)
        return 0;
    if (sigma == 0 || delta == 0)
        return INFINITY;
    question q = {.other = sigma, .delta = delta, .sensitivity = sensitivity};
    return least_right(&q, 1);
}

double gnt_dp_gaussian_sigma(double epsilon, double delta, double sensitivity) {
    if (bad(epsilon) || bad(delta) || bad(sensitivity) || delta > 1 || isinf(sensitivity))
        return NAN;
    if (sensitivity == 0 || delta == 1 || isinf(epsilon))
        return 0;
    if (delta == 0)
        return INFINITY;
    question q = {.other = epsilon, .delta = delta, .sensitivity = sensitivity, .solve_sigma = 1};
    return least_right(&q, sensitivity);
}

double gnt_dp_laplace_epsilon(double scale, double sensitivity) {
    if (bad(scale) || bad(sensitivity))
        return NAN;
    return sensitivity == 0 ? 0 : sensitivity / scale;
}

double gnt_dp_laplace_scale(double epsilon, double sensitivity) {
    if (bad(epsilon) || bad(sensitivity))
        return NAN;
    return sensitivity == 0 ? 0 : sensitivity / epsilon;
}

double gnt_dp_zcdp_gaussian(double sigma, double sensitivity) {
    if (bad(sigma) || bad(sensitivity))
        return NAN;
    if (sensitivity == 0)
        return 0;
    double m = sensitivity / sigma;
    return m * m / 2;
}

double gnt_dp_zcdp_pure(double epsilon) {
    return bad(epsilon) ? NAN : epsilon * epsilon / 2;
}

double gnt_dp_zcdp_epsilon(double rho, double delta) {
    if (bad(rho) || bad(delta) || delta > 1)
        return NAN;
    if (rho == 0 || delta == 1)
        return rho;
    return rho + 2 * sqrt(rho * -log(delta));
}
