/* The generated sets: frozen content, rows that do not depend on how many are drawn, private attributes
 * that are related as documented; the drawing primitives against libm and moments; the sheet's picture
 * writer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#include "data/data.h"
#include "data/draw.h"
#include "data/person.h"
#include "data/source.h"
#include "render/png.h"

static gnt_data *open_set(const char *name, int64_t train, int64_t test, int64_t publics, uint64_t seed) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    gnt_data_spec spec = {.name = name, .rows = {train, test, publics}, .seed = seed};
    if (gnt_data_open(&d, &spec, NULL, &err))
        fail_msg("%s", err.text);
    return d;
}

/* The sets are frozen: results measured on them stay comparable. A change here is a new set, not a fix. */
static const char *const frozen[][2] = {
    {"glyphs", "f4c6a720e43bd3ed6e0264967057c9a85f4da3383ef958d0610105b3ace0d4c4"},
    {"scenes", "f1cbbe02d8fd023dd2de9815a30de91dd19c71799b48cce6eddd75eba7b5d934"},
    {"census", "c8e49b3548ae5d5b166a8a4797a4b3624cc8ccb4c6a514b9c6b018a2ac92f3be"},
    {"faces", "8191f9918ad0f1608460ea65961212fd7cf268dddbc8eabcbfa91e1339f41f50"},
    {"faces32", "0aceb5f0801874256a936b72b238d7587995d34afb78b66d168cd24bc9aa837a"},
};
enum { FROZEN = sizeof frozen / sizeof *frozen };

static void content_is_frozen(void **state) {
    (void)state;
    for (size_t i = 0; i < FROZEN; i++) {
        char hex[GNT_HEX_SIZE];
        gnt_data *d = open_set(frozen[i][0], 0, 0, 0, 0);
        gnt_digest_hex(&d->digest, hex);
        assert_string_equal(hex, frozen[i][1]);
        gnt_data_free(d);
    }
}

/* Its own features are 0, all others as they were; race has none. */
static void a_feature_that_states_an_attribute_can_go(void **state) {
    (void)state;
    enum { ROWS = 500 };
    gnt_data *d = open_set("census", ROWS, 10, 10, 0), *plain = open_set("census", ROWS, 10, 10, 0);
    gnt_err err = {{0}};
    for (int64_t i = 0; i < plain->rows; i++) { /* the columns state the attribute, and no others do */
        const float *x = plain->table + i * plain->features;
        const int32_t *a = plain->attrs + i * plain->n_attrs;
        assert_true(x[59 + a[0]] == 1 && x[59 + !a[0]] == 0);
    }
    assert_int_equal(gnt_data_blank(d, 0, &err), 0);
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t k = 0; k < d->features; k++)
            assert_true(d->table[i * d->features + k] ==
                        (k == 59 || k == 60 ? 0 : plain->table[i * d->features + k]));
    assert_int_equal(gnt_data_blank(d, 2, &err), 0);
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t k = 31; k < 38; k++)
            assert_true(d->table[i * d->features + k] == 0);
    assert_memory_equal(d->attrs, plain->attrs, (size_t)(d->rows * d->n_attrs) * sizeof *d->attrs);
    assert_int_equal(gnt_data_blank(d, 1, &err), -1);
    assert_non_null(strstr(err.text, "no feature states"));
    assert_int_equal(gnt_data_blank(d, 3, &err), -1);
    gnt_data_free(d);
    gnt_data_free(plain);
}

/* Nothing else changes, the same key draws the same, and the values go with nothing. */
static void a_coin_is_an_attribute_more(void **state) {
    (void)state;
    enum { ROWS = 2000, VALUES = 4 };
    gnt_data *d = open_set("census", ROWS, 10, 10, 0), *plain = open_set("census", ROWS, 10, 10, 0);
    gnt_data *again = open_set("census", ROWS, 10, 10, 0), *other = open_set("census", ROWS, 10, 10, 0);
    const gnt_key key = gnt_key_of_seed(1), another = gnt_key_of_seed(2);
    const int32_t n = plain->n_attrs;
    int64_t count[VALUES][2] = {{0}};
    int differ = 0;
    gnt_err err = {{0}};
    assert_int_equal(gnt_data_add_coin(d, VALUES, &key, &err), 0);
    assert_int_equal(gnt_data_add_coin(again, VALUES, &key, &err), 0);
    assert_int_equal(gnt_data_add_coin(other, VALUES, &another, &err), 0);
    assert_int_equal(d->n_attrs, n + 1);
    assert_string_equal(d->attr[n].name, "coin");
    assert_int_equal(d->attr[n].values, VALUES);
    for (int64_t i = 0; i < d->rows; i++) {
        const int32_t coin = d->attrs[i * (n + 1) + n];
        assert_memory_equal(d->attrs + i * (n + 1), plain->attrs + i * n, (size_t)n * sizeof *d->attrs);
        assert_in_range(coin, 0, VALUES - 1);
        assert_int_equal(coin, again->attrs[i * (n + 1) + n]);
        differ += coin != other->attrs[i * (n + 1) + n];
        count[coin][d->label[i] == 1]++;
    }
    assert_in_range(differ, ROWS * 7 / 10, ROWS * 8 / 10);
    for (int v = 0; v < VALUES; v++) { /* within five deviations of a quarter, in each class */
        const double all = (double)(count[0][0] + count[1][0] + count[2][0] + count[3][0]);
        const double ones = (double)d->rows - all;
        assert_true(fabs((double)count[v][0] / all - 0.25) < 5 * 0.43 / sqrt(all));
        assert_true(fabs((double)count[v][1] / ones - 0.25) < 5 * 0.43 / sqrt(ones));
    }
    while (d->n_attrs < GNT_DATA_ATTRS)
        assert_int_equal(gnt_data_add_coin(d, 2, &key, &err), 0);
    assert_int_equal(gnt_data_add_coin(d, 2, &key, &err), -1);
    assert_non_null(strstr(err.text, "no room"));
    gnt_data_free(d);
    gnt_data_free(plain);
    gnt_data_free(again);
    gnt_data_free(other);
}

/* The digest of a set without groups is what it was before there were any (content_is_frozen). */
static void groups_are_part_of_the_content(void **state) {
    (void)state;
    uint8_t pixels[5] = {1, 2, 3, 4, 5};
    int32_t label[5] = {0, 1, 0, 1, 0}, group[5] = {7, 3, 7, 0, 9}, other[5] = {7, 3, 7, 0, 8};
    gnt_data d = {.name = "five", .rank = 1, .dim = {1}, .features = 1, .classes = 2, .rows = 5};
    d.part[GNT_PART_TRAIN] = 3;
    d.part[GNT_PART_TEST] = 2;
    d.pixels = pixels;
    d.label = label;
    const gnt_digest without = data_content_digest(&d);
    assert_int_equal(gnt_data_groups(&d, GNT_PART_TRAIN), 0);
    d.group_name = "speaker";
    d.group = group;
    const gnt_digest with = data_content_digest(&d);
    assert_int_equal(gnt_data_groups(&d, GNT_PART_TRAIN), 2);
    assert_int_equal(gnt_data_groups(&d, GNT_PART_TEST), 2);
    assert_int_equal(gnt_data_groups(&d, GNT_PART_PUBLIC), 0);
    d.group = other;
    const gnt_digest changed = data_content_digest(&d);
    assert_memory_not_equal(&with, &without, sizeof with);
    assert_memory_not_equal(&with, &changed, sizeof with);
}

static int same_row(const gnt_data *a, int64_t i, const gnt_data *b, int64_t j) {
    size_t n = (size_t)a->features, attrs = (size_t)a->n_attrs;
    int same = a->label[i] == b->label[j] && (!a->group || a->group[i] == b->group[j]) &&
               !memcmp(a->attrs + (size_t)i * attrs, b->attrs + (size_t)j * attrs, attrs * sizeof *a->attrs);
    if (a->pixels)
        return same && !memcmp(a->pixels + (size_t)i * n, b->pixels + (size_t)j * n, n);
    return same && !memcmp(a->table + (size_t)i * n, b->table + (size_t)j * n, n * sizeof *a->table);
}

static void rows_stand_alone(void **state) {
    (void)state;
    for (size_t k = 0; k < FROZEN; k++) {
        gnt_data *small = open_set(frozen[k][0], 20, 6, 7, 0), *large = open_set(frozen[k][0], 45, 9, 11, 0);
        gnt_data *other = open_set(frozen[k][0], 20, 6, 7, 1);
        int64_t small_at = 0, large_at = 0;
        for (int p = 0; p < 3; p++) {
            for (int64_t i = 0; i < small->part[p]; i++) {
                assert_true(same_row(small, small_at + i, large, large_at + i));
                assert_false(same_row(small, small_at + i, other, small_at + i));
            }
            small_at += small->part[p];
            large_at += large->part[p];
        }
        assert_memory_not_equal(&small->digest, &large->digest, sizeof small->digest);
        gnt_data_free(small);
        gnt_data_free(large);
        gnt_data_free(other);
    }
}

/* Rows that are drawn one by one are those of the whole set; faces share people and are always whole. */
static void rows_can_be_drawn_later(void **state) {
    (void)state;
    static const int64_t wanted[] = {1, 19, 20, 31};
    for (size_t k = 0; k < FROZEN; k++) {
        const gnt_data_spec spec = {.name = frozen[k][0], .rows = {20, 6, 7}, .seed = 3};
        gnt_data *whole = open_set(spec.name, 20, 6, 7, 3), *some = NULL;
        gnt_err err = {{0}};
        assert_int_equal(gnt_data_open_undrawn(&some, &spec, NULL, &err), 0);
        assert_int_equal(some->undrawn, !whole->group);
        if (some->undrawn)
            assert_false(same_row(some, 19, whole, 19));
        gnt_data_draw(some, &spec, wanted, 4);
        for (int i = 0; i < 4; i++)
            assert_true(same_row(some, wanted[i], whole, wanted[i]));
        if (some->undrawn)
            assert_false(same_row(some, 2, whole, 2));
        gnt_data_free(some);
        gnt_data_free(whole);
    }
}

/* No row twice, neither inside a part nor across parts: the public part really is disjoint. */
static void no_row_repeats(void **state) {
    (void)state;
    static const char *const name[] = {"glyphs", "scenes", "faces", "faces32", "receipts", "receipts32"};
    for (size_t k = 0; k < 6; k++) {
        gnt_data *d = open_set(name[k], 200, 100, 200, 0);
        for (int64_t i = 0; i < d->rows; i++)
            for (int64_t j = 0; j < i; j++)
                assert_memory_not_equal(d->pixels + i * d->features, d->pixels + j * d->features,
                                        (size_t)d->features);
        gnt_data_free(d);
    }
}

static void rows_are_scaled(void **state) {
    (void)state;
    float x[3072];
    gnt_data *d = open_set("scenes", 3, 2, 2, 0);
    gnt_data_row(d, 4, x);
    for (int i = 0; i < 3072; i++)
        assert_true(x[i] == (float)d->pixels[4 * 3072 + i] / 255.0f);
    gnt_data_free(d);
    d = open_set("census", 50, 2, 2, 0);
    for (int64_t r = 0; r < d->rows; r++) {
        static const int first[] = {6, 15, 31, 38, 53, 59, 61, 103}; /* the one-hot groups of person.h */
        gnt_data_row(d, r, x);
        for (int i = 0; i < 6; i++)
            assert_true(x[i] >= 0 && x[i] <= 1);
        for (int g = 0; g < 7; g++) {
            float sum = 0;
            for (int i = first[g]; i < first[g + 1]; i++) {
                assert_true(x[i] == 0 || x[i] == 1);
                sum += x[i];
            }
            assert_true(sum == 1);
        }
        assert_true(x[59 + d->attrs[3 * r]] == 1);     /* sex */
        assert_true(x[31 + d->attrs[3 * r + 2]] == 1); /* marital status */
    }
    gnt_data_free(d);
}

/* Cramér's V of two columns of small whole numbers. */
static double association(const int32_t *a, int stride_a, int na, const int32_t *b, int stride_b, int nb,
                          int64_t n) {
    double joint[16][16] = {{0}}, row[16] = {0}, column[16] = {0}, chi2 = 0;
    for (int64_t i = 0; i < n; i++) {
        joint[a[i * stride_a]][b[i * stride_b]]++;
        row[a[i * stride_a]]++;
        column[b[i * stride_b]]++;
    }
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            double expected = row[i] * column[j] / (double)n;
            if (expected > 0)
                chi2 += (joint[i][j] - expected) * (joint[i][j] - expected) / expected;
        }
    return sqrt(chi2 / (double)n / ((na < nb ? na : nb) - 1));
}

static void attributes_are_related(void **state) {
    (void)state;
    gnt_data *g = open_set("glyphs", 0, 0, 0, 0), *s = open_set("scenes", 0, 0, 0, 0),
             *c = open_set("census", 0, 0, 0, 0);
    /* style and pen belong together and say nothing of the digit (V of independent columns here: about 0.02)
     */
    assert_true(association(g->attrs, 2, 4, g->attrs + 1, 2, 3, g->rows) > 0.2);
    assert_true(association(g->attrs, 2, 4, g->label, 1, 10, g->rows) < 0.04);
    assert_true(association(s->attrs, 2, 4, s->attrs + 1, 2, 3, s->rows) > 0.15);
    double by_kind = association(s->attrs, 2, 4, s->label, 1, 10, s->rows);
    assert_true(by_kind > 0.08 && by_kind < 0.25);
    /* income depends on sex and marital status, both on race */
    assert_true(association(c->attrs, 3, 2, c->label, 1, 2, c->rows) > 0.1);
    assert_true(association(c->attrs + 2, 3, 7, c->label, 1, 2, c->rows) > 0.35);
    assert_true(association(c->attrs, 3, 2, c->attrs + 1, 3, 5, c->rows) > 0.08);
    assert_true(association(c->attrs + 1, 3, 5, c->attrs + 2, 3, 7, c->rows) > 0.05);
    int64_t white = 0, rich = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        white += c->attrs[3 * i + 1] == 0;
        rich += c->label[i];
    }
    assert_in_range(white * 1000 / c->rows, 840, 870);
    assert_in_range(rich * 1000 / c->rows, 220, 280);
    gnt_data_free(g);
    gnt_data_free(s);
    gnt_data_free(c);
}

/* ---- faces ---- */

enum { TONE, SEX, AGE, EYEWEAR, HAIR }; /* the attributes of `faces` */

static double share(const gnt_data *d, int attr, int32_t value) {
    int64_t n = 0;
    for (int64_t i = 0; i < d->rows; i++)
        n += d->attrs[d->n_attrs * i + attr] == value;
    return (double)n / (double)d->rows;
}

static double between(const gnt_data *d, int a, int b) {
    return association(d->attrs + a, d->n_attrs, d->attr[a].values, d->attrs + b, d->n_attrs,
                       d->attr[b].values, d->rows);
}

static double with_label(const gnt_data *d, int a) {
    return association(d->attrs + a, d->n_attrs, d->attr[a].values, d->label, 1, d->classes, d->rows);
}

/* As docs/data.md says: the most frequent values, and what hangs together. */
static void faces_are_as_in_life(void **state) {
    (void)state;
    gnt_data *d = open_set("faces", 0, 0, 0, 0), *small = open_set("faces32", 0, 0, 0, 0);
    assert_true(share(d, TONE, 2) > 0.60 && share(d, TONE, 2) < 0.72);
    assert_true(share(d, AGE, 3) > 0.44 && share(d, AGE, 3) < 0.56);
    assert_true(share(d, EYEWEAR, 0) > 0.60 && share(d, EYEWEAR, 0) < 0.75);
    assert_true(with_label(d, TONE) < 0.05 && with_label(d, SEX) < 0.15);
    assert_true(between(d, TONE, SEX) < 0.1 && between(d, TONE, HAIR) > 0.3);
    assert_true(between(d, SEX, HAIR) > 0.15 && between(d, AGE, HAIR) > 0.15);
    assert_true(with_label(small, 4) > 0.15); /* sex and hair */
    gnt_data_free(d);
    gnt_data_free(small);
}

/* A person is in one part alone, and has one tone, sex, age and hair in all pictures. */
static void people_stay_who_they_are(void **state) {
    (void)state;
    enum { MOST = 8000 };
    static int32_t part_of[MOST], first[MOST];
    gnt_data *d = open_set("faces", 0, 0, 0, 0);
    memset(part_of, -1, sizeof part_of);
    for (int64_t i = 0; i < d->rows; i++) {
        const int32_t g = d->group[i], part = i < d->part[0] ? 0 : i < d->part[0] + d->part[1] ? 1 : 2;
        assert_in_range(g, 0, MOST - 1);
        if (part_of[g] < 0) {
            part_of[g] = part;
            first[g] = (int32_t)i;
        }
        assert_int_equal(part_of[g], part);
        const int32_t *a = d->attrs + 5 * i, *b = d->attrs + 5 * (int64_t)first[g];
        assert_true(a[TONE] == b[TONE] && a[SEX] == b[SEX] && a[AGE] == b[AGE] && a[HAIR] == b[HAIR]);
    }
    assert_int_equal(gnt_data_groups(d, GNT_PART_TRAIN), 960);
    assert_int_equal(gnt_data_groups(d, GNT_PART_TEST), 240);
    assert_int_equal(gnt_data_groups(d, GNT_PART_PUBLIC), 240);
    gnt_data_free(d);
}

static void labels_and_attributes_in_range(void **state) {
    (void)state;
    for (size_t k = 0; k < FROZEN; k++) {
        gnt_data *d = open_set(frozen[k][0], 2000, 1, 1, 7);
        int seen[16] = {0};
        for (int64_t i = 0; i < d->rows; i++) {
            assert_in_range(d->label[i], 0, d->classes - 1);
            seen[d->label[i]]++;
            for (int a = 0; a < d->n_attrs; a++)
                assert_in_range(d->attrs[i * d->n_attrs + a], 0, d->attr[a].values - 1);
        }
        for (int c = 0; c < d->classes; c++)
            assert_true(seen[c] > 100);
        gnt_data_free(d);
    }
}

static void refusals(void **state) {
    (void)state;
    gnt_data *d = NULL;
    gnt_err err;
    gnt_data_spec few = {.name = "glyphs", .rows = {-1, 0, 0}},
                  many = {.name = "glyphs", .rows = {INT64_MAX, 0, 0}};
    gnt_data_spec typo = {.name = "glyps"}, file = {.name = "mnist"}, none = {.name = NULL};
    assert_int_equal(gnt_data_open(&d, &few, NULL, &err), -1);
    assert_null(d);
    assert_non_null(strstr(err.text, "-1 rows"));
    assert_int_equal(gnt_data_open(&d, &many, NULL, &err), -1);
    assert_non_null(strstr(err.text, "9223372036854775807 rows"));
    assert_int_equal(gnt_data_open(&d, &typo, NULL, &err), -1);
    assert_non_null(strstr(err.text, "did you mean \"glyphs\""));
    assert_int_equal(gnt_data_open(&d, &file, NULL, &err), -1);
    assert_non_null(strstr(err.text, "--data"));
    assert_int_equal(gnt_data_open(&d, &none, NULL, &err), -1);
}

static void sines(void **state) {
    (void)state;
    for (int i = -4000; i <= 4000; i++) {
        double turns = i / 700.0;
        assert_true(fabs(draw_sin(turns) - sin(2 * M_PI * turns)) < 1e-6);
        assert_true(fabs(draw_cos(turns) - cos(2 * M_PI * turns)) < 1e-6);
    }
}

static void moments(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream s = gnt_stream_open(&key, "moments");
    double sum = 0, square = 0;
    int n = 40000, count[3] = {0};
    static const int weight[3] = {1, 0, 3};
    for (int i = 0; i < n; i++) {
        double x = draw_bell(&s);
        sum += x;
        square += x * x;
        count[draw_weighted(&s, weight, 3)]++;
    }
    /* five standard errors: 1/√n of the mean, about √(1.7)/√n of the mean square, √(p(1−p)/n) of a share */
    assert_true(fabs(sum / n) < 0.025);
    assert_true(fabs(square / n - 1) < 0.033);
    assert_int_equal(count[1], 0);
    assert_true(fabs(count[0] / (double)n - 0.25) < 0.011);
}

/* Written and read back through libpng: rows from the top, red first. */
static void picture_round_trip(void **state) {
    (void)state;
    char path[] = "/tmp/gauntlet-test-XXXXXX";
    int fd = mkstemp(path);
    uint8_t rgb[3 * 5 * 3], back[sizeof rgb];
    gnt_err err = {{0}};
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (uint8_t)(i * 37);
    close(fd);
    assert_int_equal(gnt_png_write(path, rgb, 5, 3, &err), 0);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, 5);
    assert_int_equal(image.height, 3);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(rgb, back, sizeof rgb);
    unlink(path);
    assert_int_equal(gnt_png_write(path, rgb, 0, 3, &err), -1);
    assert_int_equal(gnt_png_write("/no such folder/x.png", rgb, 5, 3, &err), -1);
}

/* docs/data.md: what the published files hold. */
static void published_sets_are_known_without_their_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t rank, classes;
        int64_t dim[3], part[3];
    } sets[] = {{"mnist", 3, 10, {1, 28, 28}, {60000, 10000, 0}},
                {"cifar10", 3, 10, {3, 32, 32}, {50000, 10000, 0}},
                {"cifar100", 3, 100, {3, 32, 32}, {50000, 10000, 0}},
                {"svhn", 3, 10, {3, 32, 32}, {73257, 26032, 531131}},
                {"adult", 1, 2, {103, 0, 0}, {32561, 16281, 0}},
                {"adult_codes", 1, 2, {13, 0, 0}, {32561, 16281, 0}},
                {"loans", 1, 3, {129, 0, 0}, {30809, 7702, 0}},
                {"loans_ratios", 1, 3, {135, 0, 0}, {30809, 7702, 0}},
                {"audiomnist", 3, 10, {1, 224, 224}, {24000, 6000, 0}},
                {"sroie64", 3, 4096, {1, 64, 64}, {3700, 1200, 1200}},
                {"sroie128", 3, 16384, {1, 128, 128}, {1250, 430, 375}}};
    gnt_err err = {""};
    gnt_data *d;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        assert_int_equal(gnt_data_published(&d, sets[i].name, &err), 0);
        assert_int_equal(d->rank, sets[i].rank);
        assert_int_equal(d->classes, sets[i].classes);
        assert_memory_equal(d->dim, sets[i].dim, sizeof d->dim);
        assert_memory_equal(d->part, sets[i].part, sizeof d->part);
        assert_true(d->n_attrs >= 1);
        gnt_data_free(d);
    }
    assert_int_equal(gnt_data_published(&d, "glyphs", &err), -1);
    assert_null(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_sets_are_known_without_their_files),
        cmocka_unit_test(content_is_frozen),
        cmocka_unit_test(a_feature_that_states_an_attribute_can_go),
        cmocka_unit_test(a_coin_is_an_attribute_more),
        cmocka_unit_test(groups_are_part_of_the_content),
        cmocka_unit_test(rows_stand_alone),
        cmocka_unit_test(rows_can_be_drawn_later),
        cmocka_unit_test(no_row_repeats),
        cmocka_unit_test(rows_are_scaled),
        cmocka_unit_test(attributes_are_related),
        cmocka_unit_test(faces_are_as_in_life),
        cmocka_unit_test(people_stay_who_they_are),
        cmocka_unit_test(labels_and_attributes_in_range),
        cmocka_unit_test(refusals),
        cmocka_unit_test(sines),
        cmocka_unit_test(moments),
        cmocka_unit_test(picture_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
