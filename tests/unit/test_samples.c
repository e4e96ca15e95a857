/* Sets of samples as bundles: maps and masks come back row by row, and what does not fit is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/work/sampleset.h"

enum { ROWS = 3, SIDE = 4, PIXELS = SIDE * SIDE };

static uint8_t pixels[ROWS * PIXELS], maps[ROWS * PIXELS], masks[ROWS * PIXELS];
static int32_t labels[ROWS], groups[ROWS] = {4, 4, 1};

/* Row r has pixel r in its map, and row r of its pixels in its mask. */
static gnt_data made_of_maps(void) {
    gnt_data d = {.kind = GNT_DATA_IMAGE,
                  .rank = 3,
                  .dim = {1, SIDE, SIDE},
                  .features = PIXELS,
                  .classes = PIXELS,
                  .pixels = pixels,
                  .label = labels,
                  .map = maps,
                  .mask = masks,
                  .has_maps = 1,
                  .group = groups,
                  .rows = ROWS};
    memset(maps, 0, sizeof maps);
    memset(masks, 0, sizeof masks);
    for (int r = 0; r < ROWS; r++) {
        pixels[r * PIXELS] = (uint8_t)(51 * r);
        maps[r * PIXELS + r] = 1;
        memset(masks + r * PIXELS + r * SIDE, 1, SIDE);
    }
    return d;
}

static void pack(gnt_st *st, const gnt_data *d) {
    static const int64_t row[] = {2, 0};
    gnt_err err = {0};
    gnt_st_init(st);
    if (gnt_samples_pack(st, d, row, 2, &err) != 0 || gnt_samples_pack_groups(st, d, row, 2, &err) != 0)
        fail_msg("%s", err.text);
}

static void assert_row(const gnt_sampleset *s, int64_t i, int r) {
    assert_true(s->x[i * PIXELS] == (float)(51 * r) / 255.0f);
    for (int p = 0; p < PIXELS; p++) {
        assert_true(s->view.y[i * PIXELS + p] == (p == r));
        assert_int_equal(s->view.mask[i * PIXELS + p], p / SIDE == r);
    }
}

static void maps_and_masks_come_back(void **state) {
    (void)state;
    const gnt_data d = made_of_maps();
    const gnt_region region = {0, 0, 1, 1};
    gnt_st st;
    gnt_sampleset s;
    gnt_err err = {0};
    pack(&st, &d);
    if (gnt_samples_unpack(&s, &st, "here", &err) != 0)
        fail_msg("%s", err.text);
    assert_true(s.has_maps && s.view.n == 2 && s.view.classes == PIXELS);
    assert_row(&s, 0, 2);
    assert_row(&s, 1, 0);
    assert_int_equal(s.group[1], 4);
    /* a rectangle does not take the place of masks */
    assert_int_equal(gnt_samples_mark(&s, &region, &err), 0);
    assert_row(&s, 0, 2);
    const gnt_samples part = gnt_samples_part(&s.view, 1, 1);
    assert_ptr_equal(part.mask, s.mask + PIXELS);
    assert_ptr_equal(part.y, s.y + PIXELS);
    gnt_sampleset_free(&s);
    gnt_st_free(&st);
}

static void rows_of_a_bundle_keep_theirs(void **state) {
    (void)state;
    const gnt_data d = made_of_maps();
    const int64_t second = 1;
    gnt_st st, one;
    gnt_sampleset s;
    gnt_err err = {0};
    pack(&st, &d);
    gnt_st_init(&one);
    if (gnt_samples_rows(&one, &st, &second, 1, &err) != 0 || gnt_samples_unpack(&s, &one, "here", &err) != 0)
        fail_msg("%s", err.text);
    assert_row(&s, 0, 0);
    gnt_sampleset_free(&s);
    gnt_st_free(&one);
    gnt_st_free(&st);
}

static void without_maps_there_are_labels(void **state) {
    (void)state;
    gnt_data d = made_of_maps();
    gnt_st st;
    gnt_sampleset s;
    gnt_err err = {0};
    d.has_maps = 0;
    pack(&st, &d);
    if (gnt_samples_unpack(&s, &st, "here", &err) != 0)
        fail_msg("%s", err.text);
    assert_true(!s.has_maps && !s.view.mask);
    assert_true(s.view.y[0] == 1 && s.view.y[1] == 0);
    gnt_sampleset_free(&s);
    gnt_st_free(&st);
}

static void assert_refused(gnt_st *st, const char *why) {
    gnt_sampleset s;
    gnt_err err = {0};
    assert_int_equal(gnt_samples_unpack(&s, st, "here", &err), -1);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
    gnt_st_free(st);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    gnt_data d = made_of_maps();
    gnt_st st, without;
    gnt_err err = {0};
    maps[0] = 2;
    pack(&st, &d);
    assert_refused(&st, "sample 1 has 2 in its map; expected 0 or 1");
    d = made_of_maps();
    masks[2 * PIXELS] = 7;
    pack(&st, &d);
    assert_refused(&st, "sample 0 has 7 in its mask; expected 0 or 1");
    d = made_of_maps();
    d.classes = PIXELS - 1;
    pack(&st, &d);
    assert_refused(&st, "has maps of 15 entries, which are not the pixels of its samples");
    /* a map without a mask */
    d = made_of_maps();
    pack(&st, &d);
    gnt_st_init(&without);
    for (size_t i = 0; i < st.n; i++) {
        const gnt_st_tensor *t = &st.tensor[i];
        if (strcmp(t->name, "mask") != 0)
            assert_int_equal(gnt_st_add(&without, t->name, t->type, t->rank, t->dim, t->data, NULL, &err), 0);
    }
    assert_int_equal(gnt_st_set_metadata(&without, st.metadata, &err), 0);
    gnt_st_free(&st);
    assert_refused(&without, "mask");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_masks_come_back),
        cmocka_unit_test(rows_of_a_bundle_keep_theirs),
        cmocka_unit_test(without_maps_there_are_labels),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
