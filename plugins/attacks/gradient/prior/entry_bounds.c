#include "prior/entry_bounds.h"
#include "hook.h"

int entry_bounds_make(entry_bounds *e, const gnt_host *host, int64_t n) {
    double **of[] = {&e->lower, &e->upper, &e->zeros, &e->ones};
    int there = 1;
    for (int i = 0; i < 4; i++)
        there &= (*of[i] = gnt_host_scratch(host, n, sizeof(double))) != NULL;
    return there;
}

/* Returns the share of n samples, and one half of a sample at each end, of which `count` are at this end; 0
 * where ends are rare: as clipped highlights of photographs, these depend on the entries around them, which
 * a share by itself does not know. */
static double share_at(int64_t count, int64_t n) {
    const double common = 0.1, share = (double)count / ((double)n + 1);
    return share > common ? share : 0;
}

void entry_bounds_count(entry_bounds *e, const float *x, int64_t n, int64_t features) {
    for (int64_t k = 0; k < features; k++) {
        int64_t zeros = 0, ones = 0;
        for (int64_t i = 0; i < n; i++) {
            zeros += x[i * features + k] == 0;
            ones += x[i * features + k] == 1;
        }
        e->zeros[k] = share_at(zeros, n);
        e->ones[k] = share_at(ones, n);
    }
}
