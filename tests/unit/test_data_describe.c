/* Drafts of descriptions: each layout is recognised, its draft is read as it is, and what files do not say is
 * noted. */
#include "image_files.h"

#include "nn/io/safetensors.h"

/* Drafts a description of a folder within the test's, into own.json there. Returns the notes, to be freed. */
static char *draft(const char *in) {
    char path[512], name[64];
    char *words = NULL, *notes = NULL;
    gnt_err err = {{0}};
    in_folder(path, sizeof path, in);
    if (gnt_data_describe(path, &words, &notes, &err))
        fail_msg("%s", err.text);
    snprintf(name, sizeof name, "%s/own.json", in);
    snprintf(text, sizeof text, "%s", words);
    put_text(name, words);
    gnt_free(words);
    return notes;
}

/* Opens the set of the draft. */
static gnt_data *open_draft(const char *in) {
    char name[64];
    snprintf(name, sizeof name, "%s/own.json", in);
    return open_here(name);
}

static void expect(const char *words, const char *part) {
    if (!strstr(words, part))
        fail_msg("\"%s\" lacks \"%s\"", words, part);
}

static void put_classes(const char *in) {
    static const char *const classes[] = {"cat", "dog"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 20; i++) {
            char name[128];
            snprintf(name, sizeof name, "%s/%s", in, classes[k]);
            if (i == 0)
                make(name);
            snprintf(name, sizeof name, "%s/%s/%d.png", in, classes[k], i);
            put_picture(name, i % 6);
        }
}

static void folders_of_classes(void **state) {
    (void)state;
    put_classes("pets");
    char *notes = draft("pets");
    expect(text, "\"name\": \"pets\"");
    expect(text, "\"images\": {\"colour\": \"rgb\"}");
    expect(text, "\"classes\": [\"cat\", \"dog\"]");
    expect(notes, "split: the files do not say what is for tests");
    gnt_free(notes);
    gnt_data *d = open_draft("pets");
    assert_int_equal(d->rows, 40);
    gnt_data_free(d);
    empty();
    put_classes("mnist/train");
    put_classes("mnist/val");
    notes = draft("mnist");
    expect(text, "\"name\": \"own_mnist\""); /* there is a set of this name */
    expect(text, "\"parts\": {\"train\": \"train\", \"test\": \"val\"}");
    gnt_free(notes);
    d = open_draft("mnist");
    assert_int_equal(d->part[0], 40);
    assert_int_equal(d->part[1], 40);
    gnt_data_free(d);
    put_classes("mnist/test");
    notes = draft("mnist");
    expect(text, "\"parts\": {\"train\": \"train\", \"test\": \"test\", \"public\": \"val\"}");
    expect(notes, "parts: val is the public part");
    gnt_free(notes);
    empty();
    put_classes("pets/train");
    notes = draft("pets");
    expect(text, "\"images\": {\"folder\": \"train\", \"colour\": \"rgb\"}");
    expect(text, "\"split\"");
    gnt_free(notes);
    gnt_data_free(open_draft("pets"));
    empty();
}

static void lists_of_pictures(void **state) {
    (void)state;
    static const uint8_t shades[6] = {1, 2, 3, 4, 5, 6};
    make("own/img");
    put_picture("own/img/0.png", 0);
    put_picture("own/img/1.png", 1);
    put_text("own/list.csv",
             "file;sex;set;smile;person;note\n0.png;f;train;no;Ann;x\n1.png;m;test;yes;Bob;y\n"
             "0.png;?;train;yes;Ann;z\n0.png;m;later;yes;Ann;z\n");
    char *notes = draft("own");
    expect(text, "\"folder\": \"img\"");
    expect(text, "{\"column\": \"sex\", \"as\": \"attribute\", \"values\": [\"f\", \"m\"]}");
    expect(text, "\"train\": [\"train\"], \"test\": [\"test\"], \"unused\": [\"later\"]");
    expect(text, "{\"column\": \"person\", \"as\": \"group\"}");
    expect(text, "\"missing\": [\"?\"]");
    expect(notes, "columns: the label is note, the last column with few values");
    gnt_free(notes);
    gnt_data *d = open_draft("own");
    assert_int_equal(d->rows, 2);
    gnt_data_free(d);
    /* each part has a list; one picture has another size */
    put_png("own/img/1.png", 3, 2, PNG_FORMAT_GRAY, shades);
    put_text("own/train.csv", "label,x,y,w,h,path\n10,0,0,2,2,img/0.png\n9,0,0,2,2,img/1.png\n");
    put_text("own/test.csv", "label,x,y,w,h,path\n9,0,0,2,2,img/1.png\n");
    notes = draft("own");
    expect(text, "\"values\": [\"9\", \"10\"]");
    expect(text, "{\"column\": \"h\", \"as\": \"height\"}");
    expect(text, "\"parts\": {\"train\": \"train.csv\", \"test\": \"test.csv\"}");
    expect(text, "\"crop\": \"centre square\", \"size\": [64, 64]");
    expect(notes, "and others are not");
    gnt_free(notes);
    gnt_data_free(open_draft("own"));
    empty();
}

static void tables(void **state) {
    (void)state;
    make("own");
    put_text("own/people.csv",
             "id;age;work;sex;same;income\n1;17,5;a;f;1;lo\n2;60;b;m;1;hi\n3;NA;b;m;1;hi\n");
    char *notes = draft("own");
    expect(text, "\"kind\": \"tabular\"");
    expect(text, "\"separator\": \";\"");
    expect(text, "\"decimal\": \",\"");
    expect(text, "{\"column\": \"age\", \"as\": \"number\", \"range\": [17.0, 60.0]}");
    expect(text, "{\"column\": \"work\", \"as\": \"category\", \"values\": [\"a\", \"b\"]}");
    expect(text, "\"as\": \"attribute\", \"values\": [\"f\", \"m\"], \"feature\": true");
    expect(text, "{\"column\": \"income\", \"as\": \"label\", \"values\": [\"hi\", \"lo\"]}");
    expect(text, "{\"column\": \"id\", \"as\": \"ignored\"}");
    expect(notes, "columns: same has one value alone, so it is ignored");
    expect(notes, "parts: there is no test part; move some rows of people.csv into test.csv");
    expect(notes, "columns: ranges are those of these files");
    gnt_free(notes);
    put_text("own/test.csv", "id;age;work;sex;same;income\n4;20;a;f;1;hi\n");
    refuse("own/none.json", "no such description", "", "");
    gnt_data_free(open_draft("own"));
    /* a text that cannot be the name of a value */
    put_text("own/people.csv", "work,notes,income\na,x,lo\nb,\1,hi\na,x,hi\n");
    put_text("own/test.csv", "");
    assert_int_equal(unlink((in_folder(text, sizeof text, "own/test.csv"), text)), 0);
    notes = draft("own");
    expect(text, "{\"column\": \"notes\", \"as\": \"ignored\"}");
    gnt_free(notes);
    empty();
}

static void put_tensor(gnt_st *st, const char *name, int rank, const int64_t *dim, const void *bytes) {
    gnt_err err;
    assert_int_equal(gnt_st_add(st, name, GNT_ST_U8, rank, dim, bytes, NULL, &err), 0);
}

static void arrays(void **state) {
    (void)state;
    static const int64_t dim[] = {2, 5, 6, 3};
    static const uint8_t x[2 * 5 * 6 * 3] = {7}, y[] = {0, 3}, sex[] = {1, 0}, group[] = {9, 9};
    gnt_st st;
    gnt_err err;
    char path[512];
    make("own");
    gnt_st_init(&st);
    put_tensor(&st, "x", 4, dim, x);
    put_tensor(&st, "y", 1, dim, y);
    put_tensor(&st, "sex", 1, dim, sex);
    put_tensor(&st, "group", 1, dim, group);
    in_folder(path, sizeof path, "own/train.safetensors");
    assert_int_equal(gnt_st_save(&st, path, &err), 0);
    in_folder(path, sizeof path, "own/test.safetensors");
    assert_int_equal(gnt_st_save(&st, path, &err), 0);
    gnt_st_free(&st);
    char *notes = draft("own");
    expect(text, "\"layout\": \"NHWC\"");
    expect(text, "\"classes\": 4");
    expect(text, "\"groups\": \"group\"");
    expect(text, "{\"name\": \"sex\", \"values\": 2}");
    gnt_free(notes);
    gnt_data_free(open_draft("own"));
    empty();
    make("own");
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }";
    uint8_t bytes[10 + sizeof header - 1 + 8] = "\x93NUMPY\1\0";
    bytes[8] = sizeof header - 1;
    memcpy(bytes + 10, header, sizeof header - 1);
    put("own/x_train.npy", bytes, sizeof bytes);
    put("own/test-images.npy", bytes, sizeof bytes);
    notes = draft("own");
    expect(text, "\"train\": {\"x\": \"x_train.npy\"}, \"test\": {\"x\": \"test-images.npy\"}");
    expect(text, "\"layout\": \"NHW\"");
    expect(notes, "classes: there is no array \"y\"");
    gnt_free(notes);
    empty();
}

static void faces(void **state) {
    (void)state;
    char list[4096] = "60\nMale Smiling\n", who[2048] = "", one[64];
    make("celeba/img_align_celeba/img_align_celeba");
    for (int i = 0; i < 60; i++) {
        snprintf(one, sizeof one, "celeba/img_align_celeba/img_align_celeba/%d.jpg", i);
        put_picture(one, i % 6);
        snprintf(one, sizeof one, "%d.jpg %d %d\n", i, i % 2 ? 1 : -1, i % 3 ? 1 : -1);
        append(list, sizeof list, one);
        snprintf(one, sizeof one, "%d.jpg %d\n", i, i / 2);
        append(who, sizeof who, one);
    }
    put_text("celeba/list_attr_celeba.txt", list);
    put_text("celeba/identity_CelebA.txt", who);
    char *notes = draft("celeba");
    expect(text, "\"folder\": \"img_align_celeba/img_align_celeba\"");
    expect(text, "\"identity\": \"identity_CelebA.txt\"");
    expect(text, "{\"column\": \"Male\", \"as\": \"attribute\", \"name\": \"sex\"");
    expect(notes, "split: the files do not say");
    gnt_free(notes);
    gnt_data *d = open_draft("celeba");
    assert_int_equal(d->rows, 60);
    assert_string_equal(d->group_name, "person");
    gnt_data_free(d);
    *who = 0;
    for (int i = 0; i < 60; i++) {
        snprintf(one, sizeof one, "%d.jpg %d\n", i, i / 20);
        append(who, sizeof who, one);
    }
    put_text("celeba/list_eval_partition.txt", who);
    notes = draft("celeba");
    expect(text, "\"train\": [\"0\"], \"public\": [\"1\"], \"test\": [\"2\"]");
    gnt_free(notes);
    d = open_draft("celeba");
    assert_int_equal(d->part[2], 20);
    gnt_data_free(d);
    empty();
    for (int flat = 0; flat < 2; flat++) {
        make(flat ? "lfw/faces" : "lfw/lfw-deepfunneled/Ann_Lee");
        make(flat ? "lfw/faces" : "lfw/lfw-deepfunneled/Bob");
        put_picture(flat ? "lfw/faces/Ann_Lee_0001.jpg" : "lfw/lfw-deepfunneled/Ann_Lee/Ann_Lee_0001.jpg", 0);
        put_picture(flat ? "lfw/faces/Bob_0001.jpg" : "lfw/lfw-deepfunneled/Bob/Bob_0001.jpg", 1);
        put_text("lfw/lfw_attributes.txt",
                 "#\tperson\timagenum\tMale\tChubby\nAnn Lee\t1\t-1\t1\nBob\t1\t1\t-1\n");
        notes = draft("lfw");
        expect(text, flat ? "\"flat\": true" : "\"folder\": \"lfw-deepfunneled\"");
        expect(text,
               "{\"column\": \"Chubby\", \"as\": \"label\", \"values\": [\"no\", \"yes\"], \"above\": 0}");
        expect(text, "{\"column\": \"person\", \"as\": \"group\", \"name\": \"person\"}");
        gnt_free(notes);
        empty();
    }
}

static void what_is_not_recognised_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *words, *says;
    } cases[] = {
        {"own/readme.txt", "hello", "holds nothing that is recognised; expected one of: train.npz"},
        {"own/a.csv", "", "a.csv: the file is empty"},
        {"own/a.csv", "one\n1\n", "a header of 1 columns; expected 2 to"},
        {"own/a.csv", ",b\n1,2\n", "is \"\"; expected a text of 1 to 63 bytes; give the column a name"},
        {"own/a.csv", "a,b\n1\n", "line 2"},
        {"own/a.csv", "path,y\nimg/0.png,1\nimg/1.png,2\n", "names pictures, but there is no img/0.png"},
        {"own/train.npz", "PK", "train.npz"},
        {"own/lfw_attributes.txt", "person\n", "no line names the columns"},
        {"own/lfw_attributes.txt", "#\tperson\timagenum\tMale\n", "has no rows"},
        {"own/list_attr_celeba.txt", "1\nMale\n0.jpg 1\n", "has no 0.jpg, the first picture of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512], *words, *notes;
        gnt_err err = {{0}};
        make("own");
        put_text(cases[i].name, cases[i].words);
        in_folder(path, sizeof path, "own");
        assert_int_equal(gnt_data_describe(path, &words, &notes, &err), -1);
        assert_null(words);
        expect(err.text, cases[i].says);
        empty();
    }
    char *words, *notes;
    gnt_err err = {{0}};
    assert_int_equal(gnt_data_describe("/nowhere", &words, &notes, &err), -1);
    expect(err.text, "/nowhere: cannot be opened as a folder");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_classes),
        cmocka_unit_test(lists_of_pictures),
        cmocka_unit_test(tables),
        cmocka_unit_test(arrays),
        cmocka_unit_test(faces),
        cmocka_unit_test(what_is_not_recognised_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_all);
}
