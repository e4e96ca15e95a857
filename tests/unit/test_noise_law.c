/* The likelihood of an update under noise of a known law: its value, and its derivative through the clip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/defense/noise_law.c"
#include <cmocka.h>

#include "base/random.h"

enum { TENSORS = 2, LARGE = 7, SMALL = 3 };

typedef struct residual {
    float u[LARGE + SMALL], o[LARGE + SMALL], mask[LARGE + SMALL], d[LARGE + SMALL];
    gnt_view view[TENSORS];
    gnt_views all;
    const float *observed[TENSORS], *masks[TENSORS];
    float *d_u[TENSORS];
} residual;

static void fill(residual *r, gnt_stream *s) {
    for (int i = 0; i < LARGE + SMALL; i++) {
        r->u[i] = (float)gnt_random_normal(s);
        r->u[i] += r->u[i] < 0 ? -0.05f : 0.05f; /* away from the kink of an L1 norm */
        r->o[i] = (float)gnt_random_normal(s);
        r->mask[i] = (float)(i % 4 != 1);
    }
    r->view[0] = (gnt_view){.rank = 1, .dim = {LARGE}, .count = LARGE, .data = r->u};
    r->view[1] = (gnt_view){.rank = 1, .dim = {SMALL}, .count = SMALL, .data = r->u + LARGE};
    r->all = (gnt_views){TENSORS, r->view};
    for (int t = 0; t < TENSORS; t++) {
        r->observed[t] = r->o + t * LARGE;
        r->masks[t] = r->mask + t * LARGE;
        r->d_u[t] = r->d + t * LARGE;
    }
}

/* By central differences: each law, clip and norm, clipped and not, masked and not. */
static void the_likelihood_has_its_gradient(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream s = gnt_stream_open(&key, "values");
    for (int which = 0; which < 2 * 3 * 2 * 2 * 2; which++) {
        noise_law law = {.kind = which & 1 ? NOISE_GAUSSIAN : NOISE_LAPLACE,
                         .scale = 0.7,
                         .mean = 0.2,
                         .clip = which & 2 ? 0.8 : 100,
                         .l1 = (which & 4) != 0,
                         .clip_mode = which / 16};
        residual r;
        fill(&r, &s);
        const float *const *mask = which & 8 ? r.masks : NULL;
        float exact[LARGE + SMALL];
        (void)noise_cost(&law, &r.all, r.observed, mask, r.d_u);
        memcpy(exact, r.d, sizeof exact);
        for (int i = 0; i < LARGE + SMALL; i++) {
            float was = r.u[i], h = 1e-3f;
            r.u[i] = was + h;
            double up = noise_cost(&law, &r.all, r.observed, mask, r.d_u), high = (double)r.u[i];
            r.u[i] = was - h;
            double down = noise_cost(&law, &r.all, r.observed, mask, r.d_u);
            double slope = (up - down) / (high - (double)r.u[i]);
            r.u[i] = was;
            if (fabs(slope - (double)exact[i]) > 2e-3 * (1 + fabs(slope)))
                fail_msg("law %d entry %d: %g by differences, %g", which, i, slope, (double)exact[i]);
        }
    }
}

/* −log p of N(u, σ²) is r²/(2σ²); what is clipped is compared after the clip, μ added. */
static void the_likelihood_is_what_the_formula_says(void **state) {
    (void)state;
    float u[2] = {3, 4}, o[2] = {0.6f, 1}, d[2];
    gnt_view view = {.rank = 1, .dim = {2}, .count = 2, .data = u};
    gnt_views all = {1, &view};
    const float *observed[1] = {o};
    float *d_u[1] = {d};
    noise_law law = {.kind = NOISE_GAUSSIAN, .scale = 0.5, .clip = 1, .clip_mode = NOISE_CLIP_GLOBAL};
    /* clipped to (0.6, 0.8): r = (0, −0.2) */
    assert_true(fabs(noise_cost(&law, &all, observed, NULL, d_u) - 0.04 / 0.5) < 1e-6);
    law.clip_mode = NOISE_CLIP_NONE;
    law.mean = -2;
    /* r = (0.4, 1) */
    assert_true(fabs(noise_cost(&law, &all, observed, NULL, d_u) - 1.16 / 0.5) < 1e-5);
    law.kind = NOISE_LAPLACE;
    law.l1 = 1;
    /* Σ|r|/b, up to the smoothing of b/10 an entry */
    assert_true(fabs(noise_cost(&law, &all, observed, NULL, d_u) - 1.4 / 0.5) < 0.2);
    float unit[2] = {1, -1}, out[2];
    float *to[1] = {out};
    law = (noise_law){
        .kind = NOISE_GAUSSIAN, .scale = 0.5, .mean = 0.1, .clip = 1, .clip_mode = NOISE_CLIP_GLOBAL};
    noise_apply(&law, &all, unit, to);
    assert_true(fabs((double)out[0] - 1.2) < 1e-6 && fabs((double)out[1] - 0.4) < 1e-6);
}

/* The deviation of N(0, σ²) is σ, that of Laplace's law b·√2; of no noise it is 0. */
static void the_deviation_is_the_law_s(void **state) {
    (void)state;
    const noise_law none = {.kind = NOISE_NONE};
    noise_law law = {.kind = NOISE_LAPLACE, .scale = 0.25};
    assert_true(fabs(noise_deviation(&law) - 0.25 * sqrt(2)) < 1e-12);
    law.kind = NOISE_GAUSSIAN;
    assert_true(noise_deviation(&law) == 0.25);
    assert_true(noise_deviation(&none) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likelihood_has_its_gradient),
        cmocka_unit_test(the_likelihood_is_what_the_formula_says),
        cmocka_unit_test(the_deviation_is_the_law_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
