#include "data/draw.h"

double draw_between(gnt_stream *s, double least, double most) {
    return least + (most - least) * gnt_random_uniform(s);
}

double draw_bell(gnt_stream *s) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)gnt_random_u32(s);
    return (sum * 0x1p-32 - 2) * 1.7320508075688772; /* the variance of the sum is 4/12 */
}

int draw_chance(gnt_stream *s, double probability) {
    return gnt_random_uniform(s) < probability;
}

int draw_weighted(gnt_stream *s, const int *weight, int n) {
    uint64_t total = 0;
    for (int i = 0; i < n; i++)
        total += (uint64_t)weight[i];
    uint64_t at = gnt_random_below(s, total);
    for (int i = 0; i < n - 1; i++) {
        if (at < (uint64_t)weight[i])
            return i;
        at -= (uint64_t)weight[i];
    }
    return n - 1;
}

double draw_sin(double turns) {
    double whole = (double)(int64_t)turns;
    double t = turns - whole; /* (−1, 1) */
    if (t < 0)
        t += 1;
    double sign = 1;
    if (t >= 0.5) {
        t -= 0.5;
        sign = -1;
    }
    if (t > 0.25)
        t = 0.5 - t;
    /* Taylor to x¹¹ on [0, π/2]: the next term is below 6e-8 */
    double x = 6.283185307179586 * t, y = x * x;
    double p = 1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110))));
    return sign * x * p;
}

double draw_cos(double turns) {
    return draw_sin(turns + 0.25);
}
