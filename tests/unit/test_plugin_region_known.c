/* Attacks that know the rest of the image: region-known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../drowned.h"

enum { SIDE = 28, TOP = 9, BOTTOM = 19, LEFT = 8, RIGHT = 20 };

typedef struct hidden { /* what of a client's images is granted */
    attacked a;
    uint8_t mask[BATCH * FEATURES];
    float x[BATCH * FEATURES];
    gnt_samples outside;
} hidden;

static void open_hidden(hidden *h, int64_t row, int64_t n) {
    attacked *a = &h->a;
    open_client(a, lenet_json, row, n);
    observe(a, &a->seen, ROUNDS, a->x, a->y, n, 0);
    for (int64_t i = 0; i < n * FEATURES; i++) {
        const int64_t y = i % FEATURES / SIDE, x = i % SIDE;
        h->mask[i] = y >= TOP && y < BOTTOM && x >= LEFT && x < RIGHT;
        h->x[i] = h->mask[i] ? 0 : a->x[i];
    }
    h->outside = (gnt_samples){.size = sizeof h->outside,
                               .kind = GNT_KIND_IMAGE,
                               .n = n,
                               .rank = 3,
                               .classes = CLASSES,
                               .dim = {1, SIDE, SIDE},
                               .features = FEATURES,
                               .x = h->x,
                               .mask = h->mask};
    a->seen.outside = &h->outside;
    a->seen.labels = a->y;
    a->seen.granted |= GNT_KNOWS_REGION;
}

/* Of the region alone; n images. */
static double region_psnr(const hidden *h, int64_t n) {
    double sum = 0, pixels = 0;
    for (int64_t i = 0; i < n * FEATURES; i++) {
        const double d = (double)h->a.found[i] - (double)h->a.x[i];
        sum += h->mask[i] ? d * d : 0;
        pixels += h->mask[i];
    }
    return -10 * log10(sum / pixels + 1e-9);
}

static void assert_rest_is_as_given(const hidden *h, int64_t n) {
    assert_int_equal(h->a.count, n);
    for (int64_t i = 0; i < n * FEATURES; i++)
        assert_true(h->mask[i] || h->a.found[i] == h->a.x[i]);
}

/* Without noise the region comes back, by either optimiser, of a batch too; the rest stays as it was given,
 * to the bit. */
static void the_region_comes_back(void **state) {
    (void)state;
    static const struct {
        const char *json;
        int64_t n;
    } cases[] = {{"{}", 1},
                 {"{\"optimiser\": \"adam\"}", 1},
                 {"{\"cost\": \"plain\", \"steps\": 1000}", 1},
                 {"{}", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hidden h;
        open_hidden(&h, (int64_t)k, cases[k].n);
        recovered(&h.a, "region-known", cases[k].json);
        print_message("%s: %.1f dB\n", cases[k].json, region_psnr(&h, cases[k].n));
        assert_true(region_psnr(&h, cases[k].n) > 35);
        assert_rest_is_as_given(&h, cases[k].n);
        assert_true(fact_of(&h.a, "pixels_sought") == (double)(cases[k].n * (BOTTOM - TOP) * (RIGHT - LEFT)));
        forget(&h.a);
    }
}

/* Who knows the rest tells more of the region through noise than who does not. */
static void knowing_the_rest_helps(void **state) {
    (void)state;
    double known = 0, unknown = 0;
    for (int64_t row = 0; row < 3; row++) {
        hidden h;
        open_hidden(&h, row, 1);
        drown(&h.a, ROUNDS, -1, 0.03);
        h.a.seen.public_data = &h.a.public_data;
        recovered(&h.a, "dlg-whitened", "{\"steps\": 600}");
        unknown += region_psnr(&h, 1) / 3;
        recovered(&h.a, "region-known", "{\"steps\": 600}");
        known += region_psnr(&h, 1) / 3;
        assert_rest_is_as_given(&h, 1);
        forget(&h.a);
    }
    print_message("unknown %.1f dB, known %.1f dB\n", unknown, known);
    assert_true(known > unknown + 2);
}

static void a_drowned_layer_needs_whitening(void **state) {
    (void)state;
    hidden h;
    open_hidden(&h, 1, 1);
    drown(&h.a, ROUNDS, DENSE_LAYER, 2);
    recovered(&h.a, "region-known", "{\"cost\": \"plain\"}");
    const double plain = region_psnr(&h, 1);
    recovered(&h.a, "region-known", "{}");
    print_message("plain %.1f dB, whitened %.1f dB\n", plain, region_psnr(&h, 1));
    assert_true(region_psnr(&h, 1) > 35 && region_psnr(&h, 1) > plain + 10);
    /* who knows of the defense is to use it */
    grant_gaussian(&h.a, 2);
    assert_int_equal(attack(&h.a, "{\"cost\": \"plain\"}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(h.a.err.text, "leave that grant out"));
    forget(&h.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_region_comes_back),
        cmocka_unit_test(knowing_the_rest_helps),
        cmocka_unit_test(a_drowned_layer_needs_whitening),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
