/* A clip that is known, and an update that was seen behind it: whether it shortened that one, what it makes
 * of a candidate, the cosine behind it, and their derivatives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/cost/clipped_cosine.c"
#include "../../plugins/attacks/gradient/defense/noise_law.c"
#include "../../plugins/attacks/gradient/defense/seen_clip.c"
#include <cmocka.h>

#include "base/random.h"

enum { TENSORS = 3, ENTRIES = 5, ALL = TENSORS * ENTRIES };

typedef struct trial {
    float u[ALL], o[ALL], mask[ALL], d[ALL];
    gnt_view view[2][TENSORS];
    gnt_views made, seen;
    const float *observed[TENSORS], *masks[TENSORS];
    float *slope[TENSORS];
    uint8_t state[TENSORS + 1];
    gnt_host host;
    granted_defense granted;
    seen_clip clip;
} trial;

static void *scratch(void *context, size_t bytes) {
    trial *t = context;
    assert_true(bytes <= sizeof t->state);
    return t->state;
}

/* Candidate and observation of normal entries, and a clip of `mode` at 1 that is the last of its chain. */
static void start(trial *t, int mode) {
    gnt_key key = gnt_key_of_seed(7);
    gnt_stream s = gnt_stream_open(&key, "values");
    *t = (trial){.host = {.size = sizeof t->host, .context = t, .scratch = scratch}};
    for (int i = 0; i < ALL; i++) {
        t->u[i] = (float)gnt_random_normal(&s);
        t->o[i] = (float)gnt_random_normal(&s);
        t->mask[i] = (float)(i % 4 != 1);
    }
    for (int k = 0; k < TENSORS; k++) {
        t->view[0][k] = (gnt_view){.rank = 1, .dim = {ENTRIES}, .count = ENTRIES, .data = t->u + k * ENTRIES};
        t->view[1][k] = (gnt_view){.rank = 1, .dim = {ENTRIES}, .count = ENTRIES, .data = t->o + k * ENTRIES};
        t->observed[k] = t->o + k * ENTRIES;
        t->masks[k] = t->mask + k * ENTRIES;
        t->slope[k] = t->d + k * ENTRIES;
    }
    t->made = (gnt_views){TENSORS, t->view[0]};
    t->seen = (gnt_views){TENSORS, t->view[1]};
    t->granted = (granted_defense){
        .is_complete = 1, .noise = {.clip = 1, .clip_mode = mode}, .noise_is_first = 1, .clip_is_last = 1};
}

static void open_clip(trial *t) {
    assert_int_equal(seen_clip_open(&t->clip, &t->host, &t->granted, &t->seen), GNT_OK);
}

/* Brings n entries to this length. */
static void set_length(float *v, int n, double length) {
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += (double)v[i] * (double)v[i];
    for (int i = 0; i < n; i++)
        v[i] = (float)((double)v[i] * length / sqrt(squares));
}

/* A norm at the bound was brought there, and one below it is the client's own. */
static void the_observed_norm_reveals_whether_it_was_clipped(void **state) {
    (void)state;
    trial t;
    start(&t, NOISE_CLIP_GLOBAL);
    for (int k = 0; k < 2; k++) {
        set_length(t.o, ALL, k ? 1 : 0.9999);
        open_clip(&t);
        assert_float_equal(seen_clip_of(&t.clip, &t.made, 0).norm,
                           k ? noise_clip_of(&t.granted.noise, t.view[0], TENSORS).norm : 0, 1e-9);
        assert_true(k || seen_clip_of(&t.clip, &t.made, 0).factor == 1);
        assert_false(seen_clip_turns(&t.clip));
    }
    start(&t, NOISE_CLIP_PER_TENSOR);
    for (int k = 0; k < TENSORS; k++)
        set_length(t.o + k * ENTRIES, ENTRIES, k == 1 ? 1 : 0.5);
    open_clip(&t);
    for (int k = 0; k < TENSORS; k++)
        assert_true((seen_clip_of(&t.clip, &t.made, k).factor == 1) == (k != 1));
    assert_true(seen_clip_turns(&t.clip));
    set_length(t.o + ENTRIES, ENTRIES, 0.5);
    open_clip(&t);
    assert_false(seen_clip_turns(&t.clip));
}

/* Where it is known to have shortened the update, a candidate gets to the bound from either side. */
static void a_faint_candidate_is_brought_to_the_bound(void **state) {
    (void)state;
    for (int mode = NOISE_CLIP_GLOBAL; mode <= NOISE_CLIP_PER_TENSOR; mode++)
        for (double length = 0.1; length < 20; length *= 10) {
            trial t;
            start(&t, mode);
            const int group = mode == NOISE_CLIP_GLOBAL ? TENSORS : 1;
            for (int k = 0; k < TENSORS; k += group) {
                set_length(t.o + k * ENTRIES, group * ENTRIES, 1);
                set_length(t.u + k * ENTRIES, group * ENTRIES, length);
            }
            open_clip(&t);
            for (int k = 0; k < TENSORS; k += group)
                assert_float_equal(seen_clip_of(&t.clip, &t.made, k).factor, 1 / length, 1e-5 / length);
        }
}

/* Behind the clip an update may be pruned: then its norm reveals nothing, and the clip is what it is. */
static void what_follows_it_leaves_the_law(void **state) {
    (void)state;
    trial t;
    start(&t, NOISE_CLIP_GLOBAL);
    t.granted.clip_is_last = 0;
    set_length(t.o, ALL, 0.5);
    set_length(t.u, ALL, 4);
    open_clip(&t);
    assert_float_equal(seen_clip_of(&t.clip, &t.made, 0).factor, 0.25, 1e-6);
    set_length(t.u, ALL, 0.75);
    assert_true(seen_clip_of(&t.clip, &t.made, 0).factor == 1);
    t.granted.noise.kind = NOISE_GAUSSIAN;
    t.granted.noise_is_first = 0; /* behind noise nobody sees what it has counted */
    set_length(t.u, ALL, 4);
    open_clip(&t);
    assert_true(seen_clip_of(&t.clip, &t.made, 0).factor == 1);
}

/* o = clip(prune(u)): the norm is that of what pruning left, wherever the candidate has more. */
static void behind_pruning_the_norm_is_the_survivors_(void **state) {
    (void)state;
    trial t;
    start(&t, NOISE_CLIP_GLOBAL);
    t.granted.noise_is_first = 0;
    double squares = 0;
    for (int i = 0; i < ALL; i++) {
        t.o[i] = fabsf(t.u[i]) < 0.5f ? 0 : t.u[i];
        squares += (double)t.o[i] * (double)t.o[i];
    }
    set_length(t.o, ALL, 1);
    open_clip(&t);
    const noise_clip clip = seen_clip_of(&t.clip, &t.made, 0);
    assert_float_equal(clip.factor, 1 / sqrt(squares), 1e-6);
    for (int i = 0; i < ALL; i++)
        assert_true(t.o[i] == 0 || fabs(clip.factor * (double)t.u[i] - (double)t.o[i]) < 1e-6);
}

/* A clip of each tensor turns the whole: the truth behind it is all the same an exact match. */
static void the_truth_points_the_same_way_behind_the_clip(void **state) {
    (void)state;
    trial t;
    start(&t, NOISE_CLIP_PER_TENSOR);
    memcpy(t.o, t.u, sizeof t.o);
    set_length(t.o, ENTRIES, 1);
    set_length(t.o + ENTRIES, ENTRIES, 1);
    set_length(t.u + 2 * ENTRIES, ENTRIES, 0.25);
    memcpy(t.o + 2 * ENTRIES, t.u + 2 * ENTRIES, ENTRIES * sizeof(float));
    set_length(t.u, ENTRIES, 30);
    open_clip(&t);
    assert_float_equal(clipped_cosine(&t.clip, &t.made, t.observed, NULL, t.slope), 0, 1e-9);
    for (int i = 0; i < ALL; i++)
        assert_float_equal(t.d[i], 0, 1e-5);
    t.clip = (seen_clip){.seen = &t.seen}; /* not known */
    assert_true(clipped_cosine(&t.clip, &t.made, t.observed, NULL, t.slope) > 0.1);
    memset(t.u, 0, sizeof t.u);
    assert_true(clipped_cosine(&t.clip, &t.made, t.observed, NULL, t.slope) == 1);
    assert_true(t.d[0] == 0);
}

/* The kinds of clip that the derivatives are tried with. */
static void choose(trial *t, int which) {
    start(t, which & 1 ? NOISE_CLIP_PER_TENSOR : NOISE_CLIP_GLOBAL);
    t->granted.noise.clip = which & 2 ? 1 : 0.2; /* of the candidate's norm of about 4 */
    t->granted.clip_is_last = (which & 4) == 0;
    t->granted.noise_is_first = (which & 8) == 0;
    if (which & 8)
        for (int i = 0; i < ALL; i += 3)
            t->o[i] = 0;
    if (t->granted.clip_is_last)
        for (int k = 0; k < TENSORS; k++)
            set_length(t->o + k * ENTRIES, ENTRIES,
                       k == 1 && which & 1 ? t->granted.noise.clip : 0.5 * t->granted.noise.clip);
    if (!(which & 1) && t->granted.clip_is_last)
        set_length(t->o, ALL, t->granted.noise.clip);
}

/* Σ w·(s(u)·u), w the observed entries: so that the derivative is the clip's alone. */
static double weighed(trial *t) {
    const int64_t group = noise_clip_group(&t->clip.law, TENSORS);
    double sum = 0;
    for (int64_t k = 0; k < TENSORS; k++) {
        const double factor = seen_clip_of(&t->clip, &t->made, k - k % group).factor;
        for (int i = 0; i < ENTRIES; i++)
            sum += factor * (double)(t->u[k * ENTRIES + i] * (t->o[k * ENTRIES + i] + 0.5f));
    }
    for (int i = 0; i < ALL; i++)
        t->d[i] = t->o[i] + 0.5f;
    for (int64_t k = 0; k < TENSORS; k += group)
        seen_clip_vjp(&t->clip, seen_clip_of(&t->clip, &t->made, k), &t->made, k, t->slope);
    return sum;
}

static double cosine(trial *t) {
    return clipped_cosine(&t->clip, &t->made, t->observed, NULL, t->slope);
}

static double masked_cosine(trial *t) {
    return clipped_cosine(&t->clip, &t->made, t->observed, t->masks, t->slope);
}

/* By central differences: whole updates and tensors, shortened or not, with and without zeros. */
static void they_have_their_gradients(void **state) {
    (void)state;
    double (*const costs[])(trial *) = {weighed, cosine, masked_cosine};
    for (int which = 0; which < 16; which++)
        for (int c = 0; c < 3; c++) {
            trial t;
            float exact[ALL];
            choose(&t, which);
            open_clip(&t);
            costs[c](&t);
            memcpy(exact, t.d, sizeof exact);
            for (int i = 0; i < ALL; i++) {
                const float was = t.u[i], h = 0x1p-9f;
                t.u[i] = was + h;
                const double up = costs[c](&t), high = (double)t.u[i];
                t.u[i] = was - h;
                const double down = costs[c](&t), slope = (up - down) / (high - (double)t.u[i]);
                t.u[i] = was;
                if (fabs(slope - (double)exact[i]) > 1e-3 * (0.1 + fabs(slope)))
                    fail_msg("clip %d cost %d entry %d: %g by differences, %g", which, c, i, slope,
                             (double)exact[i]);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_observed_norm_reveals_whether_it_was_clipped),
        cmocka_unit_test(a_faint_candidate_is_brought_to_the_bound),
        cmocka_unit_test(what_follows_it_leaves_the_law),
        cmocka_unit_test(behind_pruning_the_norm_is_the_survivors_),
        cmocka_unit_test(the_truth_points_the_same_way_behind_the_clip),
        cmocka_unit_test(they_have_their_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
