/* SVHN's MATLAB files, made here after the format's document ("MAT-File Format", version 5): plain and packed
 * ones come in alike, and those that are cut, that lie, or that hold junk are refused. */
#include "data_files.h"

enum { SIDE = 32, CELLS = 3 * SIDE * SIDE, IMAGES = 3, ROOM = 1 << 15 };
enum { INT8 = 1, UINT8 = 2, INT32 = 5, UINT32 = 6, DOUBLE = 9, ARRAY = 14, PACKED = 15 };

typedef struct bytes {
    uint8_t at[ROOM];
    size_t n;
} bytes;

static void add(bytes *b, const void *from, size_t n) {
    assert_true(b->n + n <= ROOM);
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

static void add_u32(bytes *b, uint32_t v) {
    const uint8_t at[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    add(b, at, 4);
}

/* A data element: type, size, content, zeros up to a multiple of eight. */
static void add_element(bytes *b, uint32_t type, const void *from, size_t n) {
    static const uint8_t zeros[8];
    add_u32(b, type);
    add_u32(b, (uint32_t)n);
    add(b, from, n);
    add(b, zeros, (8 - n % 8) % 8);
}

/* An array of class uint8 (9) or double (6). */
static void add_array(bytes *b, const char *name, int class_, const int32_t *dim, int rank, const void *from,
                      size_t n) {
    static bytes inside;
    inside.n = 0;
    const uint32_t flags[2] = {(uint32_t)class_, 0};
    add_element(&inside, UINT32, flags, sizeof flags);
    add_element(&inside, INT32, dim, (size_t)rank * sizeof *dim);
    add_element(&inside, INT8, name, strlen(name));
    add_element(&inside, class_ == 6 ? DOUBLE : UINT8, from, n);
    add_u32(b, ARRAY);
    add_u32(b, (uint32_t)inside.n);
    add(b, inside.at, inside.n);
}

static void add_packed(bytes *b, const uint8_t *from, size_t n) {
    uint8_t packed[ROOM];
    uLongf size = sizeof packed;
    assert_int_equal(compress2(packed, &size, from, n, 9), Z_OK);
    add_u32(b, PACKED);
    add_u32(b, (uint32_t)size);
    add(b, packed, size);
}

/* The byte of image i at a place: no two rows, columns, planes or images are alike. */
static uint8_t pixel(int i, int channel, int row, int column) {
    return (uint8_t)(37 * i + 80 * channel + 3 * row + 7 * column + row * column);
}

typedef struct shape {
    int packed, doubles, images, labels;
    uint8_t label[IMAGES];
} shape;
static const shape good = {0, 0, IMAGES, IMAGES, {10, 1, 9}};

static void make(bytes *b, const shape *s) {
    static uint8_t x[IMAGES * CELLS];
    static bytes one;
    char head[129];
    double wide[IMAGES];
    const int32_t x_dim[4] = {SIDE, SIDE, 3, s->images}, y_dim[2] = {s->labels, 1};
    for (int i = 0; i < s->images; i++) /* rows run fastest, then columns, planes, images */
        for (int c = 0; c < 3; c++)
            for (int column = 0; column < SIDE; column++)
                for (int row = 0; row < SIDE; row++)
                    x[((i * 3 + c) * SIDE + column) * SIDE + row] = pixel(i, c, row, column);
    for (int i = 0; i < s->labels; i++)
        wide[i] = s->label[i];
    snprintf(head, sizeof head, "%-124s", "MATLAB 5.0 MAT-file, made by a test");
    b->n = 0;
    add(b, head, 124);
    add(b, "\0\1IM", 4);
    for (int k = 0; k < 2; k++) {
        one.n = 0;
        if (k == 0)
            add_array(&one, "X", 9, x_dim, 4, x, (size_t)s->images * CELLS);
        else
            add_array(&one, "y", s->doubles ? 6 : 9, y_dim, 2,
                      s->doubles ? (void *)wide : (const void *)s->label,
                      (size_t)s->labels * (s->doubles ? sizeof *wide : 1));
        if (s->packed)
            add_packed(b, one.at, one.n);
        else
            add(b, one.at, one.n);
    }
}

static void put_shape(const char *name, const shape *s) {
    static bytes b;
    make(&b, s);
    put(name, b.at, b.n);
}

static void put_good(void) {
    empty_folder();
    put_shape("train_32x32.mat", &good);
    put_shape("test_32x32.mat", &good);
}

static void check_rows(const gnt_data *d, int64_t first) {
    static const int32_t label[IMAGES] = {0, 1, 9}, even[IMAGES] = {1, 0, 0};
    assert_memory_equal(d->label + first, label, sizeof label);
    assert_memory_equal(d->attrs + first, even, sizeof even);
    for (int i = 0; i < IMAGES; i++)
        for (int c = 0; c < 3; c++)
            for (int row = 0; row < SIDE; row++)
                for (int column = 0; column < SIDE; column++)
                    assert_int_equal(d->pixels[(first + i) * CELLS + (c * SIDE + row) * SIDE + column],
                                     pixel(i, c, row, column));
}

static void reads_plain_and_packed(void **state) {
    (void)state;
    shape packed = good, doubles = good;
    packed.packed = doubles.packed = doubles.doubles = 1;
    put_good();
    put_shape("test_32x32.mat", &packed);
    gnt_data *d = open_here("svhn");
    static const int64_t two[3] = {IMAGES, IMAGES, 0}, three[3] = {IMAGES, IMAGES, IMAGES};
    assert_memory_equal(d->part, two, sizeof two);
    check_rows(d, 0);
    check_rows(d, IMAGES);
    gnt_data_free(d);
    put_shape("extra_32x32.mat", &doubles); /* the public part */
    d = open_here("svhn");
    assert_memory_equal(d->part, three, sizeof three);
    check_rows(d, 2 * IMAGES);
    gnt_data_free(d);
}

static void cut_anywhere(void **state) {
    (void)state;
    static bytes b;
    for (int packed = 0; packed < 2; packed++) {
        shape s = good;
        s.packed = packed;
        make(&b, &s);
        put_good();
        size_t x_end = 128 + 8 + (b.at[132] | (size_t)b.at[133] << 8 | (size_t)b.at[134] << 16);
        for (size_t n = 0; n < b.n; n += n < 300 || n + 300 > b.n ? 1 : 97) {
            char offset[40];
            snprintf(offset, sizeof offset, n == 128 || n == x_end ? "no variable" : "offset %zu", n);
            put("train_32x32.mat", b.at, n);
            refuse("svhn", "train_32x32.mat", offset, n == 128 ? "X" : n == x_end ? "y" : "the file ends");
        }
    }
}

static void lies(void **state) {
    (void)state;
    shape s = good;
    put_good();
    s.label[1] = 11;
    put_shape("train_32x32.mat", &s);
    refuse("svhn", "train_32x32.mat", "entry 2 of y is label 11", "expected 1 to 10");
    s.label[1] = 0;
    s.doubles = 1;
    put_shape("train_32x32.mat", &s);
    refuse("svhn", "train_32x32.mat", "entry 2 of y is label 0", "expected 1 to 10");
    s = good;
    s.labels = 2;
    put_shape("train_32x32.mat", &s);
    refuse("svhn", "train_32x32.mat", "X holds 3 images but y 2 labels", "");
    put_good();
    char path[512];
    in_folder(path, sizeof path, "test_32x32.mat");
    unlink(path);
    refuse("svhn", "test_32x32.mat", "is missing", "");
}

/* A change to the bytes of a sound file. */
static void put_changed(size_t at, const char *to, size_t n) {
    static bytes b;
    make(&b, &good);
    memcpy(b.at + at, to, n);
    put("train_32x32.mat", b.at, b.n);
}

static void bad_layout(void **state) {
    (void)state;
    put_good();
    put_changed(0, "HDF 7.3 of", 10);
    refuse("svhn", "offset 0", "no little-endian MATLAB file of version 5", "");
    put_changed(124, "\0\2IM", 4);
    refuse("svhn", "offset 124", "version 5", "");
    put_changed(126, "MI", 2);
    refuse("svhn", "offset 124", "little-endian", "");
    put_changed(128, "\2", 1);
    refuse("svhn", "offset 128", "variable 1 is of type 2", "expected an array (14)");
    put_changed(152 + 8, "\37", 1); /* the first length of X */
    refuse("svhn", "variable X", "shape", "");
    /* the fourth length: more images than were published, and a negative number of them */
    put_changed(152 + 8 + 12, "\0\0\2\0", 4);
    refuse("svhn", "variable X", "131072 entries along axis 4", "expected 1 to 73257");
    put_changed(152 + 8 + 12, "\xff\xff\xff\xff", 4);
    refuse("svhn", "train_32x32.mat", "", "");
}

static void packed_badly(void **state) {
    (void)state;
    static bytes b, changed;
    shape s = good;
    s.packed = 1;
    make(&b, &s);
    put_good();
    for (size_t at = 136; at + 1 < b.n; at += 61) { /* zlib's checksum finds what its grammar does not */
        memcpy(changed.at, b.at, b.n);
        changed.at[at] ^= 0x10;
        put("train_32x32.mat", changed.at, b.n);
        refuse("svhn", "train_32x32.mat", "", "");
    }
    /* a stream of more than the 26,032 images of the published test set */
    enum { ZEROS = 90 << 20, PACKED_ROOM = 1 << 20 };
    uint8_t *zeros = gnt_array(ZEROS, 1), *packed = gnt_array(PACKED_ROOM, 1);
    uLongf size = PACKED_ROOM - 136;
    assert_true(zeros && packed);
    memcpy(packed, b.at, 128);
    assert_int_equal(compress2(packed + 136, &size, zeros, ZEROS, 1), Z_OK);
    packed[128] = PACKED;
    for (int i = 0; i < 4; i++)
        packed[132 + i] = (uint8_t)(size >> (8 * i));
    put_good();
    put("test_32x32.mat", packed, 136 + size);
    refuse("svhn", "test_32x32.mat", "variable 1, at offset 136, unpacks to more than its set can hold", "");
    gnt_free(zeros);
    gnt_free(packed);
}

/* Whatever a file says, it is taken as sound or refused with a sentence: no crash, nothing out of bounds. */
static void junk(void **state) {
    (void)state;
    static bytes b, changed;
    static const uint8_t put_there[] = {0, 1, 7, 0x7f, 0x80, 0xff};
    make(&b, &good);
    put_good();
    for (size_t at = 128; at < 208; at++)
        for (size_t k = 0; k < sizeof put_there; k++) {
            gnt_data *d = NULL;
            gnt_err err = {{0}};
            gnt_data_spec spec = {.name = "svhn"};
            memcpy(changed.at, b.at, b.n);
            changed.at[at] = put_there[k];
            put("train_32x32.mat", changed.at, b.n);
            int rc = gnt_data_open(&d, &spec, folder, &err);
            assert_true(rc == 0 ? d && d->part[0] >= 1 && d->part[0] <= 73257 : !d && strlen(err.text) > 20);
            gnt_data_free(d);
        }
}

/* The genuine file that was cut short. */
static void real_truncated_file(void **state) {
    (void)state;
    const char *real = getenv("GAUNTLET_DATA");
    char from[4200], to[512];
    snprintf(from, sizeof from, "%.4000s/svhn_truncated/train_32x32.first712704.mat", real ? real : "");
    if (!real || !gnt_file_exists(from)) {
        print_message("skip: no truncated file of SVHN; GAUNTLET_DATA names no folder that holds it\n");
        skip();
    }
    put_good();
    in_folder(to, sizeof to, "train_32x32.mat");
    unlink(to);
    assert_int_equal(symlink(from, to), 0);
    refuse("svhn", "train_32x32.mat: offset 712704: the file ends here, inside variable 1",
           "begins at offset 128 and has 182004347 bytes", "expected a file of at least 182004483 bytes");
}

static int without_matio(void) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    gnt_data_spec spec = {.name = "svhn"};
    put_good();
    int rc = gnt_data_open(&d, &spec, folder, &err);
    gnt_data_free(d);
    return rc != 0 && strstr(err.text, "install libmatio") != NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_and_packed),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(lies),
        cmocka_unit_test(bad_layout),
        cmocka_unit_test(packed_badly),
        cmocka_unit_test(junk),
        cmocka_unit_test(real_truncated_file),
    };
    make_folder(NULL);
    int skips = without_matio();
    remove_folder(NULL);
    if (skips) {
        printf("skip: libmatio is not there\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
