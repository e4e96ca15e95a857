/* The loaders on files made here: what the formats' documents say comes in as it should, and every way a file
 * can lie, be cut or be stuffed is an error that names file, offset or line, and what was expected. The real
 * files are checked where GAUNTLET_DATA names their folder. */
#include "data/content_check.h"
#include "data_files.h"

/* ---- MNIST */

enum { PIXELS = 784, IMAGES = 3, IMAGES_SIZE = 16 + IMAGES * PIXELS, LABELS_SIZE = 8 + IMAGES };

static void big_endian(uint8_t *at, uint32_t v) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void fill_images(uint8_t *file) {
    big_endian(file, 0x803);
    big_endian(file + 4, IMAGES);
    big_endian(file + 8, 28);
    big_endian(file + 12, 28);
    for (int i = 0; i < IMAGES * PIXELS; i++)
        file[16 + i] = (uint8_t)(i * 7 + i / PIXELS);
}

static void fill_labels(uint8_t *file) {
    big_endian(file, 0x801);
    big_endian(file + 4, IMAGES);
    file[8] = 7;
    file[9] = 0;
    file[10] = 9;
}

static void put_mnist(void) {
    uint8_t images[IMAGES_SIZE], labels[LABELS_SIZE];
    fill_images(images);
    fill_labels(labels);
    empty_folder();
    put("train-images-idx3-ubyte", images, sizeof images);
    put("train-labels-idx1-ubyte", labels, sizeof labels);
    put_gz("t10k-images-idx3-ubyte.gz", images, sizeof images);
    put_gz("t10k-labels-idx1-ubyte.gz", labels, sizeof labels);
}

static void mnist_reads(void **state) {
    (void)state;
    uint8_t images[IMAGES_SIZE];
    fill_images(images);
    put_mnist();
    gnt_data *d = open_here("mnist");
    static const int64_t part[3] = {3, 3, 0};
    static const int32_t label[6] = {7, 0, 9, 7, 0, 9}, even[6] = {0, 1, 0, 0, 1, 0};
    assert_memory_equal(d->part, part, sizeof part);
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->attrs, even, sizeof even);
    assert_memory_equal(d->pixels, images + 16, IMAGES * PIXELS);
    assert_memory_equal(d->pixels + IMAGES * PIXELS, images + 16, IMAGES * PIXELS);
    gnt_data_free(d);
}

static void mnist_cut_anywhere(void **state) {
    (void)state;
    uint8_t images[IMAGES_SIZE], labels[LABELS_SIZE];
    static const size_t cut[] = {0, 1, 4, 8, 15, 16, 17, 800, IMAGES_SIZE - 1};
    fill_images(images);
    fill_labels(labels);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        char offset[32];
        put_mnist();
        put("train-images-idx3-ubyte", images, cut[i]);
        snprintf(offset, sizeof offset, "offset %zu", cut[i]);
        refuse("mnist", "train-images-idx3-ubyte: ", offset, "expected");
    }
    for (size_t n = 0; n < LABELS_SIZE; n++) {
        put_mnist();
        put("train-labels-idx1-ubyte", labels, n);
        refuse("mnist", "train-labels-idx1-ubyte: ", "the file ends", "expected");
    }
}

static void mnist_lies(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        const char *a, *b;
    } lie[] = {{0, 0x801, "offset 0", "0x00000803"},
               {0, 0x03080000, "offset 0", "0x03080000"},
               {4, 4, "record 4 of the 4", "3152 bytes"},
               {4, 2, "offset 1584", "784 bytes after"},
               {4, 0, "offset 4", "no records"},
               {4, 0xffffffff, "offset 4", "4294967295"},
               {4, 60001, "offset 4", "60000"},
               {8, 27, "offset 8", "27"},
               {12, 0x80000000, "offset 12", "2147483648"}};
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        uint8_t images[IMAGES_SIZE];
        fill_images(images);
        big_endian(images + lie[i].at, lie[i].value);
        put_mnist();
        put("train-images-idx3-ubyte", images, sizeof images);
        refuse("mnist", "train-images-idx3-ubyte", lie[i].a, lie[i].b);
    }
    uint8_t labels[LABELS_SIZE + 1] = {0};
    fill_labels(labels);
    put_mnist();
    put("train-labels-idx1-ubyte", labels, sizeof labels);
    refuse("mnist", "train-labels-idx1-ubyte", "offset 11", "1 bytes after");
    labels[9] = 10;
    put("train-labels-idx1-ubyte", labels, LABELS_SIZE);
    refuse("mnist", "train-labels-idx1-ubyte", "offset 9", "label 10; expected 0 to 9");
    fill_labels(labels);
    big_endian(labels + 4, 2);
    put("train-labels-idx1-ubyte", labels, LABELS_SIZE - 1);
    refuse("mnist", "train-labels-idx1-ubyte", "2 labels", "3 images");
}

static void mnist_missing(void **state) {
    (void)state;
    char path[512];
    put_mnist();
    in_folder(path, sizeof path, "t10k-labels-idx1-ubyte.gz");
    unlink(path);
    refuse("mnist", "t10k-labels-idx1-ubyte", "missing", ".gz");
    in_folder(path, sizeof path, "train-images-idx3-ubyte");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse("mnist", "train-images-idx3-ubyte", "regular file", "");
    empty_folder();
    refuse("mnist", "no file of this set", folder, "train-images-idx3-ubyte");
    assert_false(gnt_data_present("mnist", folder));
}

static int64_t rows_of(const char *name) {
    gnt_data *d = open_here(name);
    const int64_t rows = d->rows;
    gnt_data_free(d);
    return rows;
}

/* Browsers unpack a file and keep its name, or pack it without .gz in it. */
static void bytes_decide_what_is_packed(void **state) {
    (void)state;
    uint8_t images[IMAGES_SIZE], labels[LABELS_SIZE];
    fill_images(images);
    fill_labels(labels);
    put_mnist();
    put("t10k-images-idx3-ubyte.gz", images, sizeof images);
    assert_int_equal(rows_of("mnist"), 2 * IMAGES);
    put_gz("train-images-idx3-ubyte", images, sizeof images);
    assert_int_equal(rows_of("mnist"), 2 * IMAGES);
}

/* Kaggle's names have a dot; other versions are named with what to do. */
static void other_forms_are_read_or_named(void **state) {
    (void)state;
    uint8_t images[IMAGES_SIZE], labels[LABELS_SIZE];
    fill_images(images);
    fill_labels(labels);
    empty_folder();
    put("train-images.idx3-ubyte", images, sizeof images);
    put("train-labels.idx1-ubyte", labels, sizeof labels);
    put("t10k-images.idx3-ubyte", images, sizeof images);
    put("t10k-labels.idx1-ubyte", labels, sizeof labels);
    assert_int_equal(rows_of("mnist"), 2 * IMAGES);
    empty_folder();
    put("mnist.npz", "PK", 2);
    put("data_batch_1", "\x80\x02", 2);
    put("cifar-100-python.tar.gz", "\x1f\x8b", 2);
    put("adult.csv", "age", 3);
    refuse("mnist", "/mnist.npz is Keras' form", "which is not read", "fetch the IDX files");
    refuse("cifar10", "/data_batch_1 is the Python version (pickle)", "binary version", "unpack it there");
    refuse("cifar100", "/cifar-100-python.tar.gz is an archive", "cifar-100-binary.tar.gz", "");
    refuse("adult", "/adult.csv is Kaggle's table", "adult.data", "");
    refuse("svhn", "no file of this set", "", "");
}

static void content_is_compared_with_what_was_published(void **state) {
    (void)state;
    static const data_impostor other[] = {{"Another", NULL}, {NULL, NULL}};
    data_impostor impostors[2] = {other[0], other[1]};
    data_source source = *data_find("mnist");
    char hex[GNT_HEX_SIZE];
    put_mnist();
    gnt_data *d = open_here("mnist");
    data_content c = data_check_content(d, &source, 1);
    assert_true(c.differs && !c.other && data_is_unsound(d, &c));
    assert_false(data_check_content(d, &source, 0).differs); /* a subset may be any */
    gnt_digest_hex(&d->digest, hex);
    impostors[0].content = hex;
    source.impostors = impostors;
    assert_string_equal(data_check_content(d, &source, 1).other, "Another");
    source.content = hex;
    assert_false(data_check_content(d, &source, 1).differs);
    assert_int_equal(c.repeated, IMAGES); /* both parts have the same rows here */
    d->pixels[IMAGES * PIXELS] ^= 1;
    c = data_check_content(d, &source, 1);
    assert_int_equal(c.repeated, IMAGES - 1);
    assert_false(data_is_unsound(d, &c));
    gnt_data_free(d);
}

static void gz_broken_or_a_bomb(void **state) {
    (void)state;
    enum { ZEROS = 12 << 20 };
    uint8_t *packed, *zeros = gnt_array(ZEROS, 1);
    size_t n;
    char path[512];
    assert_non_null(zeros);
    put_mnist();
    in_folder(path, sizeof path, "t10k-images-idx3-ubyte.gz");
    assert_int_equal(gnt_file_read(path, 1 << 20, &packed, &n, NULL), 0);
    for (size_t keep = 0; keep < n; keep += n / 9) {
        put("t10k-images-idx3-ubyte.gz", packed, keep);
        refuse("mnist", "t10k-images-idx3-ubyte.gz", "offset", "the file ends inside the gzip stream");
    }
    packed[n / 2] ^= 0x20;
    put("t10k-images-idx3-ubyte.gz", packed, n);
    refuse("mnist", "t10k-images-idx3-ubyte.gz", "offset", "");
    packed[n / 2] ^= 0x20;
    packed[0] = 'P';
    put("t10k-images-idx3-ubyte.gz", packed, n);
    refuse("mnist", "t10k-images-idx3-ubyte.gz", "offset 0", "the magic number is 0x508b");
    packed[0] = 0x1f;
    uint8_t *longer = gnt_array(n + 3, 1);
    memcpy(longer, packed, n);
    put("t10k-images-idx3-ubyte.gz", longer, n + 3);
    refuse("mnist", "t10k-images-idx3-ubyte.gz", "3 bytes after the end", "expected none");
    put("t10k-images-idx3-ubyte.gz", packed, n);
    /* a few kilobytes that unpack to 12 MiB, where 10,008 bytes are the most */
    put_gz("t10k-labels-idx1-ubyte.gz", zeros, ZEROS);
    refuse("mnist", "t10k-labels-idx1-ubyte.gz", "unpacks to more than", "10008");
    put("train-labels-idx1-ubyte", zeros, ZEROS);
    refuse("mnist", "train-labels-idx1-ubyte", "12582912 bytes", "60008");
    gnt_free(longer);
    gnt_free(packed);
    gnt_free(zeros);
}

/* ---- CIFAR */

enum { RECORD = 3073, RECORD_100 = 3074 };

static void cifar10_reads_and_refuses(void **state) {
    (void)state;
    static uint8_t train[4 * RECORD], test[2 * RECORD];
    for (int i = 0; i < 4 * RECORD; i++)
        train[i] = i % RECORD ? (uint8_t)(i * 11) : (uint8_t)(i / RECORD * 3);
    memcpy(test, train + RECORD, sizeof test);
    empty_folder();
    put("data_batch_2.bin", train, sizeof train);
    put("data_batch_5.bin", train + RECORD, RECORD);
    put("test_batch.bin", test, sizeof test);
    gnt_data *d = open_here("cifar10");
    static const int64_t part[3] = {5, 2, 0};
    static const int32_t label[7] = {0, 3, 6, 9, 3, 3, 6}, animal[7] = {0, 1, 1, 0, 1, 1, 1};
    assert_memory_equal(d->part, part, sizeof part);
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->attrs, animal, sizeof animal);
    assert_memory_equal(d->pixels + 2 * 3072, train + 2 * RECORD + 1, 3072);
    assert_memory_equal(d->pixels + 6 * 3072, test + RECORD + 1, 3072);
    gnt_data_free(d);

    static const size_t cut[] = {1, RECORD - 1, RECORD + 1, 4 * RECORD - 1};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        char offset[32];
        snprintf(offset, sizeof offset, "offset %zu", cut[i]);
        put("data_batch_2.bin", train, cut[i]);
        refuse("cifar10", "data_batch_2.bin", offset, "multiple of 3073");
    }
    put("data_batch_2.bin", train, 0);
    refuse("cifar10", "data_batch_2.bin", "empty", "3073");
    train[2 * RECORD] = 10;
    put("data_batch_2.bin", train, sizeof train);
    refuse("cifar10", "offset 6146", "record 3 has label 10", "expected 0 to 9");
    char path[512];
    in_folder(path, sizeof path, "test_batch.bin");
    unlink(path);
    train[2 * RECORD] = 0;
    put("data_batch_2.bin", train, sizeof train);
    refuse("cifar10", "test_batch.bin", "missing", "test");
    /* one record more than the published batch: a hole in the file, which takes no space */
    assert_int_equal(truncate(path, 0), -1);
    put("test_batch.bin", test, sizeof test);
    assert_int_equal(truncate(path, 10001L * RECORD), 0);
    refuse("cifar10", "test_batch.bin", "30733073 bytes", "30730000");
}

static void cifar100_reads_and_refuses(void **state) {
    (void)state;
    static uint8_t train[2 * RECORD_100];
    train[0] = 19;
    train[1] = 99;
    train[2] = 1;
    train[RECORD_100 + 1] = 5;
    empty_folder();
    put("train.bin", train, sizeof train);
    put("test.bin", train, RECORD_100);
    gnt_data *d = open_here("cifar100");
    static const int32_t label[3] = {99, 5, 99}, coarse[3] = {19, 0, 19};
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->attrs, coarse, sizeof coarse);
    assert_int_equal(d->pixels[0], 1);
    gnt_data_free(d);
    train[0] = 20;
    put("train.bin", train, sizeof train);
    refuse("cifar100", "train.bin", "offset 0", "expected 0 to 19");
    train[0] = 0;
    train[RECORD_100 + 1] = 100;
    put("train.bin", train, sizeof train);
    refuse("cifar100", "train.bin", "offset 3075", "expected 0 to 99");
}

/* ---- Adult */

#define ONE                                                                                                  \
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, "   \
    "0, 40, "
#define TWO "38, ?, 1484705, 11th, 7, Widowed, ?, Own-child, Black, Female, 0, 4356, 99, "
static const char good_data[] = ONE "United-States, <=50K\n" TWO "?, >50K\n\n";
static const char good_test[] = "|1x3 Cross validator\n" TWO "Cuba, >50K.\n\n";

static void put_adult(const char *data, const char *test) {
    empty_folder();
    put("adult.data", data, strlen(data));
    put("adult.test", test, strlen(test));
}

/* The places follow from the list in person.h, counted by hand. */
static void adult_encodes(void **state) {
    (void)state;
    put_adult(good_data, good_test);
    gnt_data *d = open_here("adult");
    static const int ones[3][7] = {{6 + 5, 15 + 0, 31 + 2, 38 + 8, 53 + 3, 59 + 1, 61 + 0},
                                   {6 + 8, 15 + 2, 31 + 4, 38 + 14, 53 + 1, 59 + 0, 61 + 41},
                                   {6 + 8, 15 + 2, 31 + 4, 38 + 14, 53 + 1, 59 + 0, 61 + 12}};
    static const double number[3][6] = {
        {22 / 73.0, 65231 / 1472420.0, 12 / 15.0, 2174 / 99999.0, 0, 39 / 98.0},
        {21 / 73.0, 1, 6 / 15.0, 0, 1, 1},
        {21 / 73.0, 1, 6 / 15.0, 0, 1, 1}};
    static const int32_t label[3] = {0, 1, 1}, attrs[9] = {1, 0, 2, 0, 4, 4, 0, 4, 4};
    assert_int_equal(d->rows, 3);
    assert_int_equal(d->features, 103);
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->attrs, attrs, sizeof attrs);
    for (int r = 0; r < 3; r++) {
        float x[103], expected[103] = {0};
        for (int i = 0; i < 6; i++)
            expected[i] = (float)number[r][i];
        for (int i = 0; i < 7; i++)
            expected[ones[r][i]] = 1;
        gnt_data_row(d, r, x);
        for (int i = 0; i < 103; i++)
            if (x[i] != expected[i])
                fail_msg("row %d feature %d is %g, expected %g", r, i, (double)x[i], (double)expected[i]);
    }
    gnt_data_free(d);
    /* line ends of another system, and no blank line at the end */
    put_adult(ONE "United-States, <=50K\r\n" TWO "?, >50K", good_test);
    d = open_here("adult");
    assert_int_equal(d->part[0], 2);
    gnt_data_free(d);
}

/* Numbers as above; of each other column its value's place over the last one's, by adult.names. */
static void adult_codes_are_numbers(void **state) {
    (void)state;
    static const double expected[2][13] = {
        {22 / 73.0, 65231 / 1472420.0, 12 / 15.0, 2174 / 99999.0, 0, 39 / 98.0, 5 / 8.0, 0, 2 / 6.0, 8 / 14.0,
         3 / 5.0, 1, 0},
        {21 / 73.0, 1, 6 / 15.0, 0, 1, 1, 1, 2 / 15.0, 4 / 6.0, 1, 1 / 5.0, 0, 1}};
    put_adult(good_data, good_test);
    gnt_data *d = open_here("adult_codes");
    assert_int_equal(d->features, 13);
    for (int r = 0; r < 2; r++) {
        float x[13];
        gnt_data_row(d, r, x);
        for (int i = 0; i < 13; i++)
            if (x[i] != (float)expected[r][i])
                fail_msg("row %d feature %d is %g, expected %g", r, i, (double)x[i], expected[r][i]);
    }
    assert_true(d->attr[0].stated == 11 && d->attr[0].n_stated == 1 && d->attr[2].stated == 8);
    gnt_data_free(d);
}

static void adult_cut_anywhere(void **state) {
    (void)state;
    size_t whole_line = strlen(ONE "United-States, <=50K");
    for (size_t n = 1; n < sizeof good_data - 3; n++) {
        char cut[sizeof good_data];
        memcpy(cut, good_data, n);
        cut[n] = 0;
        put_adult(cut, good_test);
        if (n == whole_line || n == whole_line + 1) { /* a shorter file with whole records is a subset */
            gnt_data *d = open_here("adult");
            assert_int_equal(d->part[0], 1);
            gnt_data_free(d);
        } else {
            refuse("adult", "adult.data", n < whole_line ? "line 1" : "line 2", "offset");
        }
    }
    put_adult("\n\n", good_test);
    refuse("adult", "adult.data", "without a record", "expected");
    put_adult(good_data, "|1x3 Cross validator\n" TWO "Cuba, >50K.\n" TWO "Cuba, >50K");
    refuse("adult", "adult.test", "line 3", "on the lines before");
}

static void adult_lies(void **state) {
    (void)state;
    static const struct {
        const char *line, *a, *b;
    } bad[] = {
        {"39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 0, "
         "0, 40, Atlantis, <=50K\n",
         "native-country is \"Atlantis\"", "line 3, offset"},
        {"39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, ?, Male, 0, 0, "
         "40, Cuba, <=50K\n",
         "race is \"?\"", "line 3, offset"},
        {"39, State-gov, 77516, Bachelors, 13, ?, Adm-clerical, Not-in-family, White, Male, 0, 0, 40, Cuba, "
         "<=50K\n",
         "marital-status is \"?\"", "line 3"},
        {"3e1, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, Cuba, <=50K\n",
         "age is \"3e1\"", "whole number"},
        {"-1, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, Cuba, <=50K\n",
         "age is \"-1\"", "whole number"},
        {"39, State-gov, 99999999999999999999, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, "
         "Cuba, <=50K\n",
         "fnlwgt", "nine digits"},
        {"39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, , 40, Cuba, <=50K\n",
         "capital-loss is \"\"", "line 3"},
        {"39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, Cuba, <=50K, "
         "1\n",
         "more", "15 columns"},
        {"39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, Cuba\n", "fewer",
         "15 columns"},
        {"39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 0, 0, 40, Cuba, >50\n",
         "income is \">50\"", "line 3"},
        {"|1x3 Cross validator\n", "line 3", "fewer"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%sUnited-States, <=50K\n%s?, >50K\n%s", ONE, TWO, bad[i].line);
        put_adult(text, good_test);
        refuse("adult", "adult.data", bad[i].a, bad[i].b);
    }
    char longer[3000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    put_adult(longer, good_test);
    refuse("adult", "adult.data", "line 1: 2999 bytes", "400");
    /* zero bytes inside a line are no end of it */
    char zero[sizeof good_data];
    memcpy(zero, good_data, sizeof good_data);
    zero[1] = 0;
    empty_folder();
    put("adult.data", zero, strlen(good_data));
    put("adult.test", good_test, strlen(good_test));
    refuse("adult", "adult.data", "line 1", "age is \"3\\x00\"");
}

static void adult_with_too_many(void **state) {
    (void)state;
    const char *line = ONE "United-States, <=50K\n";
    size_t n = strlen(line), records = 32562;
    char *text = gnt_array(n * records, 1);
    assert_non_null(text);
    for (size_t i = 0; i < records; i++)
        memcpy(text + i * n, line, n);
    empty_folder();
    put("adult.data", text, n * records);
    put("adult.test", good_test, strlen(good_test));
    refuse("adult", "adult.data", "line 32562", "more than the 32561");
    gnt_free(text);
}

/* ---- the check that users run */

static json_t *check_json(const char *name, const char *where, int expected) {
    char *text = NULL;
    gnt_err err = {{0}};
    assert_int_equal(gnt_data_check(name, where, 1, &text, &err), expected);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    gnt_free(text);
    return value;
}

static void check_says_what_is_there(void **state) {
    (void)state;
    char *text = NULL;
    gnt_err err = {{0}};
    put_adult(good_data, good_test);
    assert_int_equal(gnt_data_check("adult", folder, 0, &text, &err), 0);
    assert_non_null(strstr(text, "adult: subset of 48842"));
    assert_non_null(strstr(text, "adult.data: 2 records, subset of 32561"));
    gnt_free(text);
    json_t *v = check_json("adult", folder, 0);
    assert_true(json_is_true(json_object_get(v, "ok")));
    assert_true(json_is_false(json_object_get(v, "complete")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(v, "rows"), "test")), 1);
    json_decref(v);
    put_adult("nonsense\n", good_test);
    v = check_json("adult", folder, -1);
    assert_true(json_is_false(json_object_get(v, "ok")));
    assert_non_null(strstr(json_string_value(json_object_get(v, "error")), "adult.data: line 1"));
    json_decref(v);
    assert_int_equal(gnt_data_check("adult", folder, 0, &text, &err), -1);
    assert_non_null(strstr(text, "adult: "));
    gnt_free(text);
}

/* The published files, or the part of them that is there. */
static void real_files(void **state) {
    (void)state;
    const char *real = getenv("GAUNTLET_DATA");
    static const char *const name[] = {"mnist", "cifar10", "cifar100", "adult", "sroie64"};
    int found = 0;
    for (size_t i = 0; real && i < sizeof name / sizeof *name; i++) {
        if (!gnt_data_present(name[i], real))
            continue;
        found++;
        json_t *v = check_json(name[i], real, 0);
        json_decref(v);
    }
    if (!found) {
        print_message("skip: no real files; GAUNTLET_DATA names no folder that holds some\n");
        skip();
    }
    if (!gnt_data_present("mnist", real) || !gnt_data_present("adult", real))
        return;
    gnt_data *d = NULL;
    gnt_data_spec mnist = {.name = "mnist"}, adult = {.name = "adult"};
    /* the first labels of MNIST's training file, as its page shows them */
    static const int32_t first[8] = {5, 0, 4, 1, 9, 2, 1, 3};
    assert_int_equal(gnt_data_open(&d, &mnist, real, NULL), 0);
    assert_memory_equal(d->label, first, sizeof first);
    gnt_data_free(d);
    assert_int_equal(gnt_data_open(&d, &adult, real, NULL), 0);
    int64_t rich = 0, white = 0;
    for (int64_t i = 0; i < d->part[GNT_PART_TRAIN]; i++) {
        rich += d->label[i];
        white += d->attrs[3 * i + 1] == 0;
    }
    if (d->part[GNT_PART_TRAIN] == 32561) { /* adult.names: 24.08 % above 50K; 85.4 % White is 27,816 rows */
        assert_int_equal(rich, 7841);
        assert_int_equal(white, 27816);
    }
    gnt_data_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mnist_reads),
        cmocka_unit_test(mnist_cut_anywhere),
        cmocka_unit_test(mnist_lies),
        cmocka_unit_test(mnist_missing),
        cmocka_unit_test(bytes_decide_what_is_packed),
        cmocka_unit_test(other_forms_are_read_or_named),
        cmocka_unit_test(content_is_compared_with_what_was_published),
        cmocka_unit_test(gz_broken_or_a_bomb),
        cmocka_unit_test(cifar10_reads_and_refuses),
        cmocka_unit_test(cifar100_reads_and_refuses),
        cmocka_unit_test(adult_encodes),
        cmocka_unit_test(adult_codes_are_numbers),
        cmocka_unit_test(adult_cut_anywhere),
        cmocka_unit_test(adult_lies),
        cmocka_unit_test(adult_with_too_many),
        cmocka_unit_test(check_says_what_is_there),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
