/* Drawn receipts: maps lie where a row was tampered with, masks around the total, shops in one part each; a
 * row does not depend on how many are drawn; a splice changes nothing outside of its box. The frozen
 * content is in test_data.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/data.h"
#include "data/receipt.h"
#include "fl/partition.h"

enum { FORMAT, TAMPERED, DIGIT };
static const char *const sets[2] = {"receipts", "receipts32"};

static gnt_data *open_set(const char *name, int64_t train, int64_t test, int64_t publics) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    const gnt_data_spec spec = {.name = name, .rows = {train, test, publics}};
    if (gnt_data_open(&d, &spec, NULL, &err))
        fail_msg("%s", err.text);
    return d;
}

static int64_t ones(const uint8_t *plane, int64_t n) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(plane[i], 0, 1);
        sum += plane[i];
    }
    return sum;
}

static void a_map_is_set_where_a_row_was_tampered_with(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        gnt_data *d = open_set(sets[k], 0, 0, 0);
        const int64_t cells = d->dim[1] * d->dim[2];
        int64_t tampered = 0, within = 0, format[RECEIPT_FORMATS] = {0}, digit[10] = {0};
        assert_true(d->has_maps);
        assert_int_equal(d->classes, cells);
        for (int64_t i = 0; i < d->rows; i++) {
            const int32_t *a = d->attrs + i * d->n_attrs;
            const uint8_t *map = d->map + i * cells, *mask = d->mask + i * cells;
            const int64_t found = ones(map, cells), total = ones(mask, cells);
            int both = 0;
            assert_int_equal(d->label[i], 0);
            assert_true(found > 0 ? a[TAMPERED] == 1 : a[TAMPERED] == 0);
            assert_true(found < cells / 5 && total > cells / 20 && total < cells / 5);
            for (int64_t j = 0; j < cells; j++)
                both |= map[j] & mask[j];
            tampered += a[TAMPERED];
            within += both;
            format[a[FORMAT]]++;
            digit[a[DIGIT]]++;
        }
        /* within five deviations of what docs/data.md says, 0.7; the total is chosen in two of five */
        assert_in_range(tampered * 1000 / d->rows, 670, 730);
        assert_in_range(within * 1000 / tampered, 400, 600);
        for (int v = 0; v < RECEIPT_FORMATS; v++)
            assert_int_equal(format[v], d->rows / RECEIPT_FORMATS);
        for (int v = 0; v < 10; v++)
            assert_in_range(digit[v] * 1000 / d->rows, 80, 120);
        gnt_data_free(d);
    }
}

/* Dealt by format, each client's preference is a region of its own: receipts of one format have the total in
 * about the same place, those of others elsewhere. */
static void clients_by_format_have_regions_of_their_own(void **state) {
    (void)state;
    enum { PIXELS = 32 * 32 };
    static double where[RECEIPT_FORMATS][PIXELS];
    gnt_data *d = open_set("receipts32", 500, 0, 0);
    int32_t format[500];
    gnt_partition p;
    gnt_err err = {{0}};
    const gnt_key key = gnt_key_of_seed(3);
    for (int64_t i = 0; i < 500; i++)
        format[i] = d->attrs[i * d->n_attrs + FORMAT];
    const gnt_partition_spec spec = {
        .kind = GNT_PARTITION_GROUP, .clients = RECEIPT_FORMATS, .group = format};
    if (gnt_partition_make(&p, &spec, d->label, 500, 1, &key, &err) != 0)
        fail_msg("%s", err.text);
    memset(where, 0, sizeof where);
    for (int k = 0; k < RECEIPT_FORMATS; k++) {
        const int64_t n = p.start[k + 1] - p.start[k];
        for (int64_t i = p.start[k]; i < p.start[k + 1]; i++) {
            assert_int_equal(format[p.index[i]], format[p.index[p.start[k]]]);
            for (int64_t j = 0; j < PIXELS; j++)
                where[k][j] += (double)d->mask[p.index[i] * PIXELS + j] / (double)n;
        }
    }
    for (int a = 0; a < RECEIPT_FORMATS; a++)
        for (int b = 0; b < a; b++) {
            double both = 0, any = 0;
            for (int64_t j = 0; j < PIXELS; j++) {
                both += where[a][j] < where[b][j] ? where[a][j] : where[b][j];
                any += where[a][j] > where[b][j] ? where[a][j] : where[b][j];
            }
            assert_true(any > 0 && both < 0.8 * any);
        }
    gnt_partition_free(&p);
    gnt_data_free(d);
}

static void shops_are_in_one_part_and_keep_their_format(void **state) {
    (void)state;
    enum { MOST = 2000 };
    static int32_t part_of[MOST], format_of[MOST];
    gnt_data *d = open_set("receipts32", 0, 0, 0);
    memset(part_of, -1, sizeof part_of);
    for (int64_t i = 0; i < d->rows; i++) {
        const int32_t g = d->group[i], part = i < d->part[0] ? 0 : i < d->part[0] + d->part[1] ? 1 : 2;
        assert_in_range(g, 0, MOST - 1);
        if (part_of[g] < 0) {
            part_of[g] = part;
            format_of[g] = d->attrs[i * d->n_attrs + FORMAT];
        }
        assert_int_equal(part_of[g], part);
        assert_int_equal(format_of[g], d->attrs[i * d->n_attrs + FORMAT]);
    }
    assert_int_equal(gnt_data_groups(d, GNT_PART_TRAIN), 400);
    assert_int_equal(gnt_data_groups(d, GNT_PART_TEST), 100);
    assert_int_equal(gnt_data_groups(d, GNT_PART_PUBLIC), 100);
    gnt_data_free(d);
}

static void rows_stand_alone(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        gnt_data *few = open_set(sets[k], 20, 6, 7), *many = open_set(sets[k], 215, 9, 11);
        const size_t n = (size_t)few->features;
        int64_t a = 0, b = 0;
        for (int p = 0; p < 3; a += few->part[p], b += many->part[p], p++)
            for (int64_t i = 0; i < few->part[p]; i++) {
                const size_t x = (size_t)(a + i), y = (size_t)(b + i);
                assert_memory_equal(few->pixels + x * n, many->pixels + y * n, n);
                assert_memory_equal(few->map + x * n, many->map + y * n, n);
                assert_memory_equal(few->mask + x * n, many->mask + y * n, n);
                assert_memory_equal(few->attrs + 3 * x, many->attrs + 3 * y, 3 * sizeof *few->attrs);
                assert_int_equal(few->group[x], many->group[y]);
            }
        gnt_data_free(few);
        gnt_data_free(many);
    }
}

static int inside(receipt_box box, int x, int y) {
    return x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1;
}

/* Two receipts that differ in the first digit of the total alone, and all ink of the total's other digits:
 * what differs lies in the mask. */
static void the_mask_holds_all_of_the_total(void **state) {
    (void)state;
    static uint8_t with[RECEIPT_CELLS], without[RECEIPT_CELLS];
    const gnt_key key = gnt_key_of_seed(5);
    for (int k = 0; k < 200; k++) {
        const int unit = 1 + k % 2, side = RECEIPT_DOTS * unit;
        gnt_stream s = gnt_stream_open(&key, "shop"), grain = gnt_stream_open(&key, "grain"), same = grain;
        for (int skip = 0; skip < k; skip++)
            gnt_random_u32(&s);
        const receipt_shop shop = receipt_draw_shop(&s, k / 2 % RECEIPT_FORMATS);
        receipt_page page = receipt_draw_page(&shop, k % 10, &s);
        const receipt_box box = receipt_key(&page, unit);
        int differ = 0;
        assert_int_equal(receipt_digit(&page), k % 10);
        receipt_print(&page, unit, with, &grain);
        for (int i = 0; i < page.n; i++)
            if (page.at[i].key)
                page.at[i].c = ' ';
        receipt_print(&page, unit, without, &same);
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const int other = with[y * side + x] != without[y * side + x];
                assert_true(!other || inside(box, x, y));
                differ += other;
            }
        assert_true(differ > 20);
    }
}

static void a_splice_changes_its_box_alone(void **state) {
    (void)state;
    static uint8_t genuine[RECEIPT_CELLS], spliced[RECEIPT_CELLS];
    const gnt_key key = gnt_key_of_seed(6);
    gnt_stream s = gnt_stream_open(&key, "splices");
    int total = 0;
    for (int k = 0; k < 200; k++) {
        const int unit = 1 + k % 2, side = RECEIPT_DOTS * unit;
        const receipt_shop shop = receipt_draw_shop(&s, k / 2 % RECEIPT_FORMATS);
        receipt_page page = receipt_draw_page(&shop, k % 10, &s);
        receipt_print(&page, unit, genuine, &s);
        memcpy(spliced, genuine, sizeof spliced);
        const receipt_page before = page;
        const receipt_box box = receipt_splice(&page, unit, spliced, &s);
        int changed = 0, characters = 0;
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const int other = genuine[y * side + x] != spliced[y * side + x];
                assert_true(!other || inside(box, x, y));
                changed += other;
            }
        for (int i = 0; i < page.n; i++)
            characters += page.at[i].c != before.at[i].c;
        assert_in_range(characters, 1, 4);
        assert_true(changed * 2 > (box.x1 - box.x0) * (box.y1 - box.y0)); /* grain makes most of it differ */
        assert_true(page.grain == before.grain);
        total += receipt_digit(&page) != receipt_digit(&before);
    }
    assert_in_range(total, 10, 100); /* some totals begin with another digit now */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_set_where_a_row_was_tampered_with),
        cmocka_unit_test(clients_by_format_have_regions_of_their_own),
        cmocka_unit_test(shops_are_in_one_part_and_keep_their_format),
        cmocka_unit_test(rows_stand_alone),
        cmocka_unit_test(the_mask_holds_all_of_the_total),
        cmocka_unit_test(a_splice_changes_its_box_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
