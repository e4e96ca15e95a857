/* Data sets of one's own: the same rows from each form that they may have, and every fault of a
 * description or of its files in a sentence that says where. */
#include "data_files.h"

#include "nn/io/safetensors.h"

static const char arrays[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"shapes\", \"kind\": \"image\", \"layout\": "
    "\"NCHW\",\n"
    " \"classes\": [\"red\", \"green\", \"blue\"], \"attributes\": [{\"name\": \"sex\", \"values\": 2}], "
    "\"groups\": "
    "\"person\",\n"
    " \"parts\": {\"train\": \"train.safetensors\", \"test\": {\"x\": \"x.npy\", \"y\": \"y.npy\", \"sex\": "
    "\"sex.npy\", \"group\": \"group.npy\"}}}";
static const char table[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"people\", \"kind\": \"tabular\",\n"
    " \"missing\": [\"?\"], \"columns\": [\n"
    "  {\"column\": \"age\", \"as\": \"number\", \"range\": [0, 100]},\n"
    "  {\"column\": \"work\", \"as\": \"category\", \"values\": [\"a\", \"b\"]},\n"
    "  {\"column\": \"income\", \"as\": \"label\", \"values\": [\"lo\", \"hi\"]},\n"
    "  {\"column\": \"sex\", \"as\": \"attribute\", \"values\": [\"f\", \"m\"], \"feature\": true},\n"
    "  {\"column\": \"id\", \"as\": \"group\"}, {\"column\": \"note\", \"as\": \"ignored\"}],\n"
    " \"parts\": {\"train\": \"train.csv\", \"test\": \"test.csv\"}}";
static const char rows[] =
    "age,note,sex,work,income,id\n25,\"x, y\",m,b,hi,7\n?,,f,a,lo,1\n 100 ,,f,a,lo,7\n";

enum { N = 2, C = 3, H = 2, W = 2, PIXELS = C * H * W };

static char text[8192];

/* Puts `from` with the first `old` replaced by `new` (NULL: as it is). */
static void put_changed(const char *name, const char *from, const char *old, const char *new) {
    const char *at = old ? strstr(from, old) : from;
    assert_non_null(at);
    const int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - from), from, old ? new : "",
                           at + (old ? strlen(old) : 0));
    assert_true(n > 0 && n < (int)sizeof text);
    put(name, text, (size_t)n);
}

/* Puts an array as numpy writes it. */
static void put_npy(const char *name, const char *header, const void *elements, size_t n) {
    uint8_t bytes[4096] = "\x93NUMPY\1";
    const size_t length = strlen(header);
    bytes[8] = (uint8_t)length;
    memcpy(bytes + 10, header, length);
    memcpy(bytes + 10 + length, elements, n);
    put(name, bytes, 10 + length + n);
}

static uint8_t pixel(int row, int c, int y, int x) {
    return (uint8_t)(60 * row + 20 * c + 7 * y + x);
}

/* Puts the files of `arrays`; its images are in NHWC if `nhwc`. */
static void put_arrays(int nhwc) {
    uint8_t x[N * PIXELS];
    char header[100];
    for (int row = 0, at = 0; row < N; row++)
        for (int k = 0; k < PIXELS; k++, at++)
            x[at] =
                nhwc ? pixel(row, k % C, k / C / W, k / C % W) : pixel(row, k / (H * W), k / W % H, k % W);
    snprintf(header, sizeof header, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, %s), }",
             nhwc ? "2, 2, 3" : "3, 2, 2");
    put_npy("x.npy", header, x, sizeof x);
    put_npy("y.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", (int64_t[]){0, 2}, 16);
    put_npy("sex.npy", "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\1", 2);
    put_npy("group.npy", "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", (uint16_t[]){9, 40000},
            4);
    gnt_st st;
    gnt_err err;
    char path[512];
    float real[N * PIXELS];
    const int64_t dim[2][4] = {{N, C, H, W}, {N, H, W, C}};
    for (int i = 0; i < N * PIXELS; i++)
        real[i] = (float)x[i] / 255;
    gnt_st_init(&st);
    assert_int_equal(gnt_st_add(&st, "x", GNT_ST_F32, 4, dim[nhwc], real, NULL, &err), 0);
    assert_int_equal(gnt_st_add(&st, "y", GNT_ST_U8, 1, dim[0], "\0\2", NULL, &err), 0);
    assert_int_equal(gnt_st_add(&st, "sex", GNT_ST_I32, 1, dim[0], (int32_t[]){1, 0}, NULL, &err), 0);
    assert_int_equal(gnt_st_add(&st, "group", GNT_ST_I64, 1, dim[0], (int64_t[]){9, 40000}, NULL, &err), 0);
    in_folder(path, sizeof path, "train.safetensors");
    assert_int_equal(gnt_st_save(&st, path, &err), 0);
    gnt_st_free(&st);
}

static void arrays_give_the_rows_whatever_their_form(void **state) {
    (void)state;
    gnt_digest digest[2];
    for (int nhwc = 0; nhwc < 2; nhwc++) {
        put_arrays(nhwc);
        put_changed("own.json", arrays, nhwc ? "NCHW" : NULL, "NHWC");
        gnt_data *d = open_here("own.json");
        assert_string_equal(d->name, "shapes");
        assert_int_equal(d->rows, 2 * N);
        assert_int_equal(d->part[1], N);
        assert_int_equal(d->dim[0], C);
        for (int64_t row = 0; row < 2 * N; row++) {
            for (int k = 0; k < PIXELS; k++)
                assert_int_equal(d->pixels[row * PIXELS + k],
                                 pixel((int)row % N, k / (H * W), k / W % H, k % W));
            assert_int_equal(d->label[row], row % N ? 2 : 0);
            assert_int_equal(d->attrs[row], row % N ? 0 : 1);
            assert_int_equal(d->group[row], row % N ? 40000 : 9);
        }
        assert_string_equal(d->class_name[1], "green");
        assert_string_equal(d->group_name, "person");
        digest[nhwc] = d->digest;
        gnt_data_free(d);
    }
    assert_memory_equal(&digest[0], &digest[1], sizeof digest[0]);
    empty_folder();
}

static void a_table_is_scaled_and_one_hot(void **state) {
    (void)state;
    /* age, work a, work b, sex f, sex m */
    static const float x[2][5] = {{0.25f, 0, 1, 0, 1}, {1, 1, 0, 1, 0}};
    gnt_digest digest[2];
    for (int german = 0; german < 2; german++) {
        put_changed("own.json", table, german ? "\"missing\"" : NULL,
                    "\"separator\": \";\", \"decimal\": \",\", \"missing\"");
        const char *const written = german ? "\xef\xbb\xbf"
                                             "id;age;note;sex;work;income\r\n7;2,5e1;\"x; "
                                             "y\";m;b;hi\r\n1;?;;f;a;lo\r\n7;+100,0;;f;a;lo\r\n"
                                           : rows;
        put("train.csv", written, strlen(written));
        put("test.csv", written, strlen(written));
        gnt_data *d = open_here("own.json");
        assert_int_equal(d->kind, GNT_DATA_TABULAR);
        assert_int_equal(d->features, 5);
        assert_int_equal(d->rows, 4);
        for (int row = 0; row < 4; row++) {
            assert_memory_equal(d->table + 5 * row, x[row % 2], sizeof x[0]);
            assert_int_equal(d->label[row], row % 2 ? 0 : 1);
            assert_int_equal(d->attrs[row], row % 2 ? 0 : 1);
            assert_int_equal(d->group[row], 7);
        }
        assert_int_equal(d->attr[0].stated, 3);
        assert_int_equal(d->attr[0].n_stated, 2);
        digest[german] = d->digest;
        gnt_data_free(d);
    }
    assert_memory_equal(&digest[0], &digest[1], sizeof digest[0]);
    empty_folder();
}

/* A fault: what is replaced in the description, or in the table, and what the sentence must say. */
typedef struct fault {
    const char *old, *new, *where, *what;
} fault;

static void faults_of_descriptions_are_named(void **state) {
    (void)state;
    static const fault faults[] = {
        {"\"gauntlet data\"", "\"data\"", "own.json:1: format", "expected \"gauntlet data\""},
        {"\"version\": 1", "\"version\": 2", "version", "is 2"},
        {"\"shapes\"", "\"mnist\"", "name", "the name of another set"},
        {"\"layout\": \"NCHW\",", "", "own.json:1", "\"layout\" is missing"},
        {"\"layout\"", "\"lay\"", "own.json:1: lay", "unknown key"},
        {"NCHW", "CHW", "layout", "expected \"NCHW\", \"NHWC\" or \"NHW\""},
        {"[\"red\", \"green\", \"blue\"]", "1", "classes", "is 1"},
        {"\"blue\"]", "\"red\"]", "classes[2]", "a second time"},
        {"\"blue\"]", "3]", "classes[2]", "is 3"},
        {"\"name\": \"sex\"", "\"name\": \"age\"", "own.json:3: parts.train", "no array called \"age\""},
        {"\"values\": 2", "\"values\": [\"f\"]", "attributes[0].values", "a list of 1"},
        {"\"kind\": \"image\"", "\"kind\": \"tabular\"", "layout", "is of images"},
        {"\"train.safetensors\"", "\"../train.safetensors\"", "parts.train", "without \"..\""},
        {"\"train.safetensors\"", "\"/train.safetensors\"", "parts.train",
         "begins in the description's folder"},
        {"\"train.safetensors\"", "\"other.npz\"", "parts.train", "there is no such file"},
        {"\"train.safetensors\"", "\"x.npy\"", "parts.train", "expected a .npz or .safetensors file"},
        {"\"train.safetensors\"", "7", "parts.train", "is 7"},
        {"\"train\"", "\"clients\"", "parts.clients", "unknown key"},
        {"\"test\"", "\"public\"", "parts", "\"test\" is missing"},
        {"\"x\": \"x.npy\", ", "", "parts.test", "no array called \"x\""},
        {"\"x\": \"x.npy\"", "\"x\": \"y.npy\"", "parts.test", "has an \"x\" with 1 sizes; expected 4"},
        {"\"y\": \"y.npy\"", "\"y\": \"x.npy\"", "parts.test", "no list of whole numbers"},
        {"\"sex\": \"sex.npy\"", "\"sex\": \"y.npy\"", "parts.test",
         "has 2 in row 1 of \"sex\"; expected 0 to 1"},
    };
    put_arrays(0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        put_changed("own.json", arrays, faults[i].old, faults[i].new);
        refuse("own.json", "own.json", faults[i].where, faults[i].what);
    }
    refuse("none.json", "none.json", "no such description", "folder of data files");
    refuse("/own.json", "/own.json", "below the folder of data files", "");
    refuse("a/../../own.json", "a/../../own.json", "below the folder of data files", "");
    refuse("../own.json", "../own.json", "below the folder of data files", "\"..\"");
    put("own.json", "{", 1);
    refuse("own.json", "own.json", "", "");
    empty_folder();
}

static void faults_of_arrays_are_named(void **state) {
    (void)state;
    static const struct {
        const char *header, *elements, *what;
        size_t n;
    } arrays_of[] = {
        {"{'descr': '>i8', 'fortran_order': False, 'shape': (2,), }", "", ">i8; expected integers", 16},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "", "|O; expected integers", 16},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "", "structured type", 8},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (2, 1), }", "", "Fortran's order", 8},
        {"{'descr': '<i4', 'fortran_order': No, 'shape': (2,), }", "", "neither True nor False", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': [2], }", "", "no tuple", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, -1), }", "", "no tuple", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2), }", "", "at most 8", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", "",
         "than any file", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", "", "8 bytes of elements", 8},
        {"{'descr': '<i4', 'fortran_order': False, }", "", "lacks descr", 8},
        {"{'descr': '<i4', 'order': False, }", "", "unknown key", 8},
        {"'descr'", "", "no dictionary", 0},
        {"{'descr': '<i4", "", "does not end", 0},
        {"{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }", "\xff\xff\xff\xff\xff\xff\xff\xff",
         "above 2^63", 16},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", "\xff\xff\xff\xff",
         "has -1 in row 0 of \"y\"", 8},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "", "has 1 entries of \"y\"", 4},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (), }", "", "has 0 entries of \"y\"", 4},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "", "no list of whole numbers", 8},
    };
    put_arrays(0);
    put_changed("own.json", arrays, NULL, NULL);
    for (size_t i = 0; i < sizeof arrays_of / sizeof *arrays_of; i++) {
        uint8_t elements[16] = {0};
        memcpy(elements, arrays_of[i].elements, strlen(arrays_of[i].elements));
        put_npy("y.npy", arrays_of[i].header, elements, arrays_of[i].n);
        refuse("own.json", "", "", arrays_of[i].what);
    }
    put("y.npy", "GIF89a....", 10);
    refuse("own.json", "y.npy", "no array that numpy.save wrote", "");
    put_arrays(0);
    put_npy("x.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2, 2), }",
            (float[N * PIXELS]){0.5f, 1.5f}, sizeof(float) * N * PIXELS);
    refuse("own.json", "parts.test", "1.5 in row 0 of \"x\"", "from 0 to 1");
    put_npy("x.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3, 2, 2), }",
            (int32_t[N * PIXELS]){0}, sizeof(int32_t) * N * PIXELS);
    refuse("own.json", "parts.test", "whole numbers", "uint8 from 0 to 255");
    put_npy("x.npy", "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 2, 2), }", (uint8_t[8]){0}, 8);
    refuse("own.json", "parts.test", "another shape than the train part", "");
    put("bad.npz", "PK", 2);
    put_changed("own.json", arrays, "train.safetensors", "bad.npz");
    refuse("own.json", "bad.npz", "zip", "");
    empty_folder();
}

static void faults_of_tables_are_named(void **state) {
    (void)state;
    static const fault descriptions[] = {
        {"\"range\": [0, 100]", "\"range\": [100, 0]", "columns[0].range", "expected a range"},
        {", \"range\": [0, 100]", "", "columns[0]", "\"range\" is missing"},
        {"[0, 100]", "[0, 50]", "train.csv: line 4", "within its \"range\""},
        {"\"values\": [\"a\", \"b\"]", "\"values\": 2", "columns[1].values", "expected the list"},
        {"\"as\": \"category\"", "\"as\": \"text\"", "columns[1].as", "expected \"number\""},
        {"\"as\": \"category\"", "\"as\": \"label\"", "columns[2]", "a second label"},
        {"\"as\": \"label\"", "\"as\": \"category\"", "columns", "has no label"},
        {"\"column\": \"age\"", "\"column\": \"work\"", "columns[1]", "a second time"},
        {"\"column\": \"age\"", "\"column\": \"years\"", "train.csv: line 1",
         "one that the description lists"},
        {", {\"column\": \"note\", \"as\": \"ignored\"}", "", "train.csv: line 1", "a header of 6 columns"},
        {"\"missing\": [\"?\"]", "\"missing\": [0]", "missing[0]", "is 0"},
        {"\"missing\": [\"?\"]", "\"missing\": []", "train.csv: line 3", "a number such as"},
        {"\"missing\"", "\"decimal\": \",\", \"missing\"", "decimal", "so is the separator"},
        {"\"missing\"", "\"separator\": \";\", \"missing\"", "train.csv: line 1", "a header of 1 columns"},
        {"\"missing\"", "\"separator\": \"|\", \"missing\"", "separator", "expected"},
        {"\"missing\"", "\"classes\": 2, \"missing\"", "classes", "unknown key"},
        {"\"kind\": \"tabular\"", "\"kind\": \"image\"", "kind", "is tabular"},
        {"\"train.csv\"", "{\"x\": \"train.csv\"}", "parts.train", "an object"},
    };
    static const fault files[] = {
        {"25", "twenty", "line 2", "age is \"twenty\""},
        {"25", "0x19", "line 2", "age is \"0x19\""},
        {"25", "1e999", "line 2", "age is \"1e999\""},
        {"25", "-1", "line 2", "within its \"range\""},
        {"25", "", "line 2", "age is \"\""},
        {",m,", ",x,", "line 2", "sex is \"x\""},
        {",hi,", ",high,", "line 2", "income is \"high\""},
        {",7\n", ",seven\n", "line 2", "id is \"seven\""},
        {",7\n", ",7,8\n", "line 2", "more than the 6"},
        {",hi,7\n", "\n", "line 2", "fewer than the 6"},
        {"\"x, y\"", "\"x, y", "line 2", "a quote opens"},
        {"note", "age", "line 1", "a column of the header"},
    };
    put("train.csv", rows, strlen(rows));
    put("test.csv", rows, strlen(rows));
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        put_changed("own.json", table, descriptions[i].old, descriptions[i].new);
        refuse("own.json", "", descriptions[i].where, descriptions[i].what);
    }
    put_changed("own.json", table, NULL, NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put_changed("train.csv", rows, files[i].old, files[i].new);
        refuse("own.json", "train.csv", files[i].where, files[i].what);
    }
    put("train.csv", "", 0);
    refuse("own.json", "train.csv", "is empty", "header line");
    put("train.csv", rows, strcspn(rows, "\n") + 1);
    refuse("own.json", "train.csv", "no row without a missing value", "");
    empty_folder();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_give_the_rows_whatever_their_form),
        cmocka_unit_test(a_table_is_scaled_and_one_hot),
        cmocka_unit_test(faults_of_descriptions_are_named),
        cmocka_unit_test(faults_of_arrays_are_named),
        cmocka_unit_test(faults_of_tables_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
