/* safetensors: what is written is read back, the bytes are stable, and hostile files get a sentence instead
 * of a crash. The layout follows the format's description: u64 size, JSON header, data. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"

/* A file of a header text and `data_size` bytes of data, each byte its place; the caller frees. */
static uint8_t *file_of(const char *header, size_t data_size, size_t *size) {
    size_t length = strlen(header);
    uint8_t *bytes = gnt_alloc(8 + length + data_size);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data_size; i++)
        bytes[8 + length + i] = (uint8_t)i;
    *size = 8 + length + data_size;
    return bytes;
}

static int parse(gnt_st *st, const char *header, size_t data_size, gnt_err *err) {
    size_t size;
    uint8_t *bytes = file_of(header, data_size, &size);
    int rc = gnt_st_parse(st, "evil", bytes, size, err);
    gnt_free(bytes);
    return rc;
}

/* The header is refused with a sentence that opens with the file's name and holds `say`. */
static void refused(const char *header, size_t data_size, const char *say) {
    gnt_st st;
    gnt_err err = {0};
    assert_int_equal(parse(&st, header, data_size, &err), -1);
    if (strncmp(err.text, "evil: ", 6) != 0 || !strstr(err.text, say))
        fail_msg("wanted \"%s\" in: %s", say, err.text);
    assert_int_equal(st.n, 0);
    assert_null(st.tensor);
    assert_null(st.metadata);
}

static void make_sample(gnt_st *st) {
    const float weights[6] = {0, -1.5f, 2, INFINITY, 1e-42f, -0.0f};
    const int64_t labels[2] = {-7, INT64_MAX};
    const uint8_t mask[3] = {1, 0, 255};
    gnt_st_init(st);
    assert_int_equal(gnt_st_add(st, "fc.weight", GNT_ST_F32, 2, (int64_t[]){2, 3}, weights, NULL, NULL), 0);
    assert_int_equal(gnt_st_add(st, "mask \"ü\"", GNT_ST_U8, 1, (int64_t[]){3}, mask, NULL, NULL), 0);
    assert_int_equal(gnt_st_add(st, "labels", GNT_ST_I64, 1, (int64_t[]){2}, labels, NULL, NULL), 0);
    assert_int_equal(gnt_st_add(st, "none", GNT_ST_F64, 2, (int64_t[]){0, 4}, NULL, NULL, NULL), 0);
    assert_int_equal(gnt_st_add(st, "scalar", GNT_ST_I32, 0, NULL, (int32_t[]){-3}, NULL, NULL), 0);
    assert_int_equal(gnt_st_set_metadata(st, "{\"surface\": \"update\", \"round\": 3}", NULL), 0);
}

static void round_trip_keeps_everything_and_the_bytes(void **state) {
    (void)state;
    gnt_st a, b;
    gnt_err err = {0};
    uint8_t *bytes, *again;
    size_t size, size_again;
    make_sample(&a);
    assert_int_equal(gnt_st_write(&a, &bytes, &size, &err), 0);
    assert_int_equal(gnt_st_parse(&b, "sample", bytes, size, &err), 0);
    assert_int_equal(b.n, a.n);
    assert_string_equal(b.metadata, a.metadata);
    for (size_t i = 0; i < a.n; i++) {
        assert_string_equal(b.tensor[i].name, a.tensor[i].name);
        assert_int_equal(b.tensor[i].type, a.tensor[i].type);
        assert_int_equal(b.tensor[i].rank, a.tensor[i].rank);
        assert_memory_equal(b.tensor[i].dim, a.tensor[i].dim, sizeof a.tensor[i].dim);
        assert_int_equal(b.tensor[i].bytes, a.tensor[i].bytes);
        assert_memory_equal(b.tensor[i].data, a.tensor[i].data, a.tensor[i].bytes);
        assert_int_equal((uintptr_t)b.tensor[i].data % 64, 0);
    }
    assert_int_equal(gnt_st_write(&b, &again, &size_again, &err), 0);
    assert_int_equal(size_again, size);
    assert_memory_equal(again, bytes, size);
    gnt_free(again);
    gnt_free(bytes);
    gnt_st_free(&a);
    gnt_st_free(&b);
}

/* The bytes of one small file, spelt out, so that another reader's file and ours are the same thing. */
static void bytes_are_the_formats(void **state) {
    (void)state;
    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  ";
    gnt_st st;
    gnt_st_init(&st);
    assert_int_equal(gnt_st_add(&st, "w", GNT_ST_F32, 1, (int64_t[]){1}, (float[]){1}, NULL, NULL), 0);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(gnt_st_write(&st, &bytes, &size, NULL), 0);
    assert_int_equal(sizeof header - 1, 56);
    assert_int_equal(size, 8 + 56 + 4);
    assert_memory_equal(bytes, "\x38\0\0\0\0\0\0\0", 8);
    assert_memory_equal(bytes + 8, header, 56);
    assert_memory_equal(bytes + 64, "\0\0\x80\x3f", 4);
    gnt_free(bytes);
    gnt_st_free(&st);
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    gnt_st a;
    uint8_t *bytes;
    size_t size;
    make_sample(&a);
    assert_int_equal(gnt_st_write(&a, &bytes, &size, NULL), 0);
    for (size_t cut = 0; cut < size; cut++) {
        gnt_st st;
        gnt_err err = {0};
        uint8_t *part = gnt_alloc(cut); /* of exactly this size, so that reading past it is seen */
        memcpy(part, bytes, cut);
        assert_int_equal(gnt_st_parse(&st, "cut", part, cut, &err), -1);
        assert_memory_equal(err.text, "cut: ", 5);
        assert_int_equal(st.n, 0);
        gnt_free(part);
    }
    gnt_free(bytes);
    gnt_st_free(&a);
}

/* Any single byte changed: either refused or read as something else, never a crash. */
static void every_flipped_byte_is_survived(void **state) {
    (void)state;
    gnt_st a;
    uint8_t *bytes;
    size_t size, accepted = 0;
    make_sample(&a);
    assert_int_equal(gnt_st_write(&a, &bytes, &size, NULL), 0);
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            gnt_st st;
            bytes[at] ^= (uint8_t)(1 << bit);
            if (gnt_st_parse(&st, "flipped", bytes, size, NULL) == 0) {
                accepted++;
                gnt_st_free(&st);
            }
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    assert_true(accepted > 0 && accepted < 8 * size);
    gnt_free(bytes);
    gnt_st_free(&a);
}

#define W(type, shape, offsets)                                                                              \
    "{\"w\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void lying_headers_are_named(void **state) {
    (void)state;
    refused("", 4, "not JSON");
    refused("{", 4, "not JSON");
    refused("[]", 0, "no object");
    refused("{} x", 0, "not JSON");
    refused("{}", 3, "3 bytes after the last tensor");
    refused("{\"w\":3}", 0, "no object");
    refused("{\"\":{}}", 0, "no name");
    refused(W("BOOL", "[4]", "[0,4]"), 4, "dtype BOOL");
    refused("{\"w\":{\"dtype\":3,\"shape\":[],\"data_offsets\":[0,4]}}", 4, "\"dtype\"");
    refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4, "4 keys");
    refused("{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"offsets\":[0,4]}}", 4, "\"data_offsets\"");
    refused(W("F32", "[-1]", "[0,4]"), 4, "no whole number");
    refused(W("F32", "[1.0]", "[0,4]"), 4, "no whole number");
    refused(W("F32", "[\"1\"]", "[0,4]"), 4, "no whole number");
    refused(W("F32", "1", "[0,4]"), 4, "\"shape\"");
    refused(W("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "9 dimensions");
    refused(W("F32", "[99999999999999999999]", "[0,4]"), 4, "not JSON");
    refused(W("F32", "[4294967296,4294967296]", "[0,0]"), 0, "multiply beyond");
    refused(W("F32", "[4611686018427387904,4]", "[0,0]"), 0, "multiply beyond"); /* 2⁶² · 4 · 4 wraps to 0 */
    refused(W("F32", "[2]", "[0,4]"), 4, "8 bytes but its data_offsets give 4");
    refused(W("F32", "[1]", "[0,8]"), 4, "only 4");
    refused(W("F32", "[1]", "[4,0]"), 4, "before they begin");
    refused(W("F32", "[1]", "[-4,0]"), 4, "data_offsets");
    refused(W("F32", "[1]", "[0]"), 4, "data_offsets");
    refused(W("F32", "[1]", "[0,4.0]"), 4, "data_offsets");
    refused(W("F32", "[1]", "[4,8]"), 8, "belong to no tensor");
    refused(W("F32", "[1]", "[0,4]"), 5, "1 bytes after the last tensor");
    refused(W("F32", "[0]", "[4,4]"), 4, "belong to no tensor");
}

static void names_and_places_are_unique(void **state) {
    (void)state;
#define LINE(name, from, to)                                                                                 \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" #from "," #to "]}"
    refused("{" LINE("a", 0, 4) "," LINE("a", 4, 8) "}", 8, "duplicate");
    refused("{" LINE("a", 0, 4) "," LINE("b", 0, 4) "}", 4, "inside those of a");
    refused("{" LINE("a", 0, 4) "," LINE("b", 2, 6) "}", 6, "inside those of a");
    refused("{" LINE("a", 0, 4) "," LINE("b", 5, 9) "}", 9, "bytes 4 to 5");
    /* the header's order is free, as long as the ranges tile the data */
    gnt_st st;
    assert_int_equal(parse(&st, "{" LINE("b", 4, 8) "," LINE("a", 0, 4) "}", 8, NULL), 0);
    assert_string_equal(st.tensor[0].name, "b");
    assert_int_equal(((uint8_t *)st.tensor[0].data)[0], 4);
    gnt_st_free(&st);
}

static void deep_nesting_and_long_names_are_refused(void **state) {
    (void)state;
    char *deep = gnt_alloc(200001);
    memset(deep, '[', 200000);
    refused(deep, 0, "not JSON");
    gnt_free(deep);
    char header[600], name[301];
    memset(name, 'n', 300);
    name[300] = 0;
    snprintf(header, sizeof header, "{\"%s\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", name);
    refused(header, 1, "longer than");
    refused("{\"a\\u0007b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", 1, "control character");
    gnt_st st;
    gnt_st_init(&st);
    gnt_err err = {0};
    assert_int_equal(gnt_st_add(&st, name, GNT_ST_U8, 0, NULL, NULL, NULL, &err), -1);
    assert_int_equal(gnt_st_add(&st, "\xff", GNT_ST_U8, 0, NULL, NULL, NULL, &err), -1);
    assert_int_equal(gnt_st_add(&st, "__metadata__", GNT_ST_U8, 0, NULL, NULL, NULL, &err), -1);
    assert_int_equal(st.n, 0);
}

static void header_size_is_checked_before_use(void **state) {
    (void)state;
    uint8_t bytes[16] = {0};
    gnt_st st;
    gnt_err err = {0};
    memset(bytes, 0xff, 8); /* 2⁶⁴ − 1: adding 8 would wrap */
    assert_int_equal(gnt_st_parse(&st, "evil", bytes, sizeof bytes, &err), -1);
    assert_non_null(strstr(err.text, "only 8 follow"));
}

static void foreign_metadata_are_tolerated_and_ours_are_checked(void **state) {
    (void)state;
    gnt_st st;
    assert_int_equal(parse(&st, "{\"__metadata__\":{\"format\":\"pt\",\"n\":3}}", 0, NULL), 0);
    assert_null(st.metadata);
    gnt_st_free(&st);
    assert_int_equal(parse(&st, "{\"__metadata__\":{\"gauntlet\":\"{\\\"a\\\":1}\"}}", 0, NULL), 0);
    assert_string_equal(st.metadata, "{\"a\":1}");
    gnt_st_free(&st);
    refused("{\"__metadata__\":[]}", 0, "__metadata__ is no object");
    refused("{\"__metadata__\":{\"gauntlet\":{}}}", 0, "no string");
    refused("{\"__metadata__\":{\"gauntlet\":\"[1]\"}}", 0, "no object");
    refused("{\"__metadata__\":{\"gauntlet\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}}", 0, "duplicate");
    refused("{\"__metadata__\":{\"gauntlet\":\"{\\\"a\\\":1}\"},\"w\":3}", 0, "no object");
}

/* Half precision: sign, subnormals, infinity, NaN; values from IEEE 754's definition. bfloat16: the upper
 * half of a float. */
static void halves_are_widened(void **state) {
    (void)state;
    static const struct {
        uint16_t half;
        float value;
    } cases[] = {{0x3c00, 1},        {0xc000, -2},          {0x7bff, 65504},    {0x0400, 0x1p-14f},
                 {0x0001, 0x1p-24f}, {0x83ff, -0x3ffp-24f}, {0x7c00, INFINITY}, {0x3555, 0x1.554p-2f}};
    enum { N = sizeof cases / sizeof *cases };
    size_t size;
    char header[200];
    snprintf(header, sizeof header,
             "{\"h\":{\"dtype\":\"F16\",\"shape\":[%d],\"data_offsets\":[0,%d]},"
             "\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[%d,%d]}}",
             N, 2 * N, 2 * N, 2 * N + 4);
    uint8_t *bytes = file_of(header, 2 * N + 4, &size), *data = bytes + size - 2 * N - 4;
    for (int i = 0; i < N; i++) {
        data[2 * i] = (uint8_t)cases[i].half;
        data[2 * i + 1] = (uint8_t)(cases[i].half >> 8);
    }
    memcpy(data + 2 * N, "\x80\x3f\x49\xc0", 4);
    gnt_st st;
    assert_int_equal(gnt_st_parse(&st, "halves", bytes, size, NULL), 0);
    const gnt_st_tensor *h = gnt_st_need(&st, "halves", "h", GNT_ST_F32, 1, (int64_t[]){N}, NULL);
    const gnt_st_tensor *b = gnt_st_need(&st, "halves", "b", GNT_ST_F32, -1, NULL, NULL);
    assert_non_null(h);
    assert_non_null(b);
    for (int i = 0; i < N; i++)
        assert_true(((float *)h->data)[i] == cases[i].value);
    assert_true(((float *)b->data)[0] == 1 && ((float *)b->data)[1] == -3.140625f);
    gnt_st_free(&st);
    gnt_free(bytes);
}

static void need_names_what_is_wrong(void **state) {
    (void)state;
    gnt_st st;
    make_sample(&st);
    gnt_err err = {0};
    assert_null(gnt_st_need(&st, "w.st", "fc.bias", GNT_ST_F32, -1, NULL, &err));
    assert_non_null(strstr(err.text, "no tensor fc.bias"));
    assert_null(gnt_st_need(&st, "w.st", "labels", GNT_ST_F32, -1, NULL, &err));
    assert_non_null(strstr(err.text, "holds I64 where F32"));
    assert_null(gnt_st_need(&st, "w.st", "fc.weight", GNT_ST_F32, 2, (int64_t[]){3, 2}, &err));
    assert_non_null(strstr(err.text, "is 2×3 where 3×2"));
    assert_null(gnt_st_need(&st, "w.st", "fc.weight", GNT_ST_F32, 1, (int64_t[]){6}, &err));
    assert_non_null(gnt_st_need(&st, "w.st", "scalar", GNT_ST_I32, 0, NULL, &err));
    assert_int_equal(gnt_st_add(&st, "labels", GNT_ST_U8, 0, NULL, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.text, "labels is there twice"));
    assert_int_equal(gnt_st_add(&st, "x", GNT_ST_F64, 2, (int64_t[]){INT64_MAX, 3}, NULL, NULL, &err), -1);
    assert_int_equal(gnt_st_add(&st, "x", GNT_ST_F64, 1, (int64_t[]){-1}, NULL, NULL, &err), -1);
    assert_int_equal(st.n, 5);
    gnt_st_free(&st);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_keeps_everything_and_the_bytes),
        cmocka_unit_test(bytes_are_the_formats),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_byte_is_survived),
        cmocka_unit_test(lying_headers_are_named),
        cmocka_unit_test(names_and_places_are_unique),
        cmocka_unit_test(deep_nesting_and_long_names_are_refused),
        cmocka_unit_test(header_size_is_checked_before_use),
        cmocka_unit_test(foreign_metadata_are_tolerated_and_ours_are_checked),
        cmocka_unit_test(halves_are_widened),
        cmocka_unit_test(need_names_what_is_wrong),
    };
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
