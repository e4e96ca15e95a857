/* Data sets of one's own image files: the same rows from folders of classes, from a list and from arrays;
 * CelebA's and LFW's lists; and every fault of a description, a list or a picture in a sentence that says
 * where. */
#include "image_files.h"

#include "nn/io/safetensors.h"

enum { PICTURES = 6 };

static const char by_class[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"animals\", \"kind\": \"image\",\n"
    " \"images\": {\"colour\": \"rgb\"}, \"classes\": [\"cat\", \"dog\"],\n"
    " \"parts\": {\"train\": \"train\", \"test\": \"test\"}}";
static const char by_list[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"animals\", \"kind\": \"image\",\n"
    " \"images\": {\"colour\": \"rgb\", \"folder\": \"train\"}, \"list\": \"list.csv\", \"missing\": "
    "[\"?\"],\n"
    " \"columns\": [{\"column\": \"path\", \"as\": \"file\"}, {\"column\": \"kind\", \"as\": \"label\", "
    "\"values\": "
    "[\"cat\", \"dog\"]},\n"
    "  {\"column\": \"age\", \"as\": \"attribute\", \"name\": \"old\", \"values\": [\"young\", \"grown\", "
    "\"old\"], "
    "\"above\": [1, 9.5]},\n"
    "  {\"column\": \"owner\", \"as\": \"group\"}, {\"column\": \"part\", \"as\": \"part\"}]}";
static const char list[] = "note,part,path,kind,age,owner\n"
                           "a,train,cat/0.png,cat,1,Zoe\n"
                           "b,train,cat/1.png,cat,9.6,Adam\n"
                           "c,train,dog/0.png,dog,?,Adam\n"
                           "d,test,dog/1.png,dog,2,Zoe\n"
                           "e,train,dog/2.png,dog,-1,Zoe 2\n";
static const char celeba[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"celeba\", \"kind\": \"image\",\n"
    " \"images\": {\"colour\": \"grey\", \"folder\": \"train/cat\"},\n"
    " \"list\": {\"format\": \"celeba\", \"attributes\": \"attr.txt\", \"partition\": \"part.txt\", "
    "\"identity\": "
    "\"who.txt\"},\n"
    " \"columns\": [{\"column\": \"file\", \"as\": \"file\"}, {\"column\": \"Smiling\", \"as\": \"label\", "
    "\"values\": "
    "2, \"above\": 0},\n"
    "  {\"column\": \"Male\", \"as\": \"attribute\", \"values\": [\"-1\", \"1\"]}, {\"column\": "
    "\"identity\", \"as\": "
    "\"group\"},\n"
    "  {\"column\": \"part\", \"as\": \"part\", \"train\": [\"0\"], \"test\": [\"2\"], \"unused\": "
    "[\"1\"]}]}";
static const char attributes[] = "3\nBald Male Smiling \n1.png  1 -1  1\n0.png -1  1 -1\n2.png -1  1 -1\n";
static const char lfw[] =
    "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"lfw\", \"kind\": \"image\",\n"
    " \"images\": {\"colour\": \"grey\", \"folder\": \"lfw\"}, \"list\": {\"format\": \"lfw\", "
    "\"attributes\": "
    "\"scores.txt\"},\n"
    " \"columns\": [{\"column\": \"file\", \"as\": \"file\"}, {\"column\": \"Male\", \"as\": \"label\", "
    "\"values\": "
    "[\"female\", \"male\"], \"above\": 0},\n"
    "  {\"column\": \"5 o' Clock Shadow\", \"as\": \"attribute\", \"name\": \"shadow\", \"values\": 2, "
    "\"above\": 0.5},\n"
    "  {\"column\": \"person\", \"as\": \"group\"}], \"split\": {\"test\": 0.5}}";
static const char scores[] =
    "# scores\n#\tperson\timagenum\tMale\t5 o' Clock Shadow\n"
    "Ann Lee\t1\t-1.5\t0.5\nAnn Lee\t2\t-0.25\t0.75\nBob\t1\t0\t1e1\nBob\t12\t2\t-7\n"
    "Cy von Ho\t1\t3\t1\n";

static uint8_t grey(int number, int i) {
    return (uint8_t)((19595 * pixel(number, 0, i) + 38470 * pixel(number, 1, i) + 7471 * pixel(number, 2, i) +
                      32768) >>
                     16);
}

/* Puts the pictures that the descriptions name: 0 and 1 are cats, 2 to 4 dogs, 5 and 0 the test part. */
static void put_pictures(void) {
    make("train/cat");
    make("train/dog");
    make("test/cat");
    make("test/dog");
    put_picture("train/cat/0.png", 0);
    put_picture("train/cat/1.png", 1);
    put_picture("train/dog/0.png", 2);
    put_picture("train/dog/1.png", 3);
    put_picture("train/dog/2.png", 4);
    put_picture("test/cat/x.PNG", 5);
    put_picture("test/dog/y.png", 0);
    put_text("train/dog/.hidden", "");
    put_text("train/dog/notes.txt", "");
}

static void expect_picture(const gnt_data *d, int64_t row, int number) {
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < AREA; i++)
            assert_int_equal(d->pixels[(row * 3 + c) * AREA + i], pixel(number, c, i));
}

static void expect_grey(const gnt_data *d, int64_t row, int number) {
    for (int i = 0; i < AREA; i++)
        assert_int_equal(d->pixels[row * AREA + i], grey(number, i));
}

/* Puts these pictures as arrays, and a description of them without attributes and groups. */
static void put_arrays(const int *train, int n_train, const uint8_t *y_train, const int *test, int n_test,
                       const uint8_t *y_test) {
    static const char description[] = "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": "
                                      "\"animals\", \"kind\": \"image\", \"layout\": "
                                      "\"NCHW\", \"classes\": 2, \"parts\": {\"train\": "
                                      "\"train.safetensors\", \"test\": \"test.safetensors\"}}";
    for (int part = 0; part < 2; part++) {
        const int *of = part ? test : train, n = part ? n_test : n_train;
        const int64_t dim[] = {n, 3, HIGH, WIDE};
        uint8_t x[PICTURES * 3 * AREA];
        char path[512];
        gnt_st st;
        gnt_err err;
        for (int row = 0, at = 0; row < n; row++)
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < AREA; i++)
                    x[at++] = pixel(of[row], c, i);
        gnt_st_init(&st);
        assert_int_equal(gnt_st_add(&st, "x", GNT_ST_U8, 4, dim, x, NULL, &err), 0);
        assert_int_equal(gnt_st_add(&st, "y", GNT_ST_U8, 1, dim, part ? y_test : y_train, NULL, &err), 0);
        in_folder(path, sizeof path, part ? "test.safetensors" : "train.safetensors");
        assert_int_equal(gnt_st_save(&st, path, &err), 0);
        gnt_st_free(&st);
    }
    put_text("arrays.json", description);
}

static void folders_are_classes(void **state) {
    (void)state;
    put_pictures();
    put_text("own.json", by_class);
    gnt_data *d = open_here("own.json");
    assert_int_equal(d->part[0], 5);
    assert_int_equal(d->part[1], 2);
    assert_int_equal(d->dim[0], 3);
    assert_int_equal(d->dim[1], HIGH);
    assert_int_equal(d->dim[2], WIDE);
    assert_string_equal(d->class_name[1], "dog");
    for (int row = 0; row < 7; row++) {
        static const int label[] = {0, 0, 1, 1, 1, 0, 1}, number[] = {0, 1, 2, 3, 4, 5, 0};
        assert_int_equal(d->label[row], label[row]);
        expect_picture(d, row, number[row]);
    }
    put_arrays((int[]){0, 1, 2, 3, 4}, 5, (uint8_t[]){0, 0, 1, 1, 1}, (int[]){5, 0}, 2, (uint8_t[]){0, 1});
    gnt_data *arrays = open_here("arrays.json");
    assert_memory_equal(&d->digest, &arrays->digest, sizeof d->digest);
    gnt_data_free(arrays);
    gnt_data_free(d);
    empty();
}

static void a_list_gives_labels_attributes_groups_and_parts(void **state) {
    (void)state;
    put_pictures();
    put_text("own.json", by_list);
    put_text("list.csv", list);
    gnt_data *d = open_here("own.json");
    static const int number[] = {0, 1, 4, 3}, label[] = {0, 0, 1, 1}, old[] = {0, 2, 0, 1},
                     group[] = {1, 0, 2, 1};
    assert_int_equal(d->part[0], 3); /* the row without an age is left out */
    assert_int_equal(d->part[1], 1);
    assert_string_equal(d->attr[0].name, "old");
    assert_string_equal(d->attr[0].value_name[2], "old");
    assert_string_equal(d->group_name, "owner");
    for (int row = 0; row < 4; row++) {
        expect_picture(d, row, number[row]);
        assert_int_equal(d->label[row], label[row]);
        assert_int_equal(d->attrs[row], old[row]);
        assert_int_equal(d->group[row], group[row]); /* Adam, Zoe, Zoe 2 */
    }
    gnt_data_free(d);
    /* numbers of groups are kept, and each part may have a list of its own */
    put_text("train.csv", "part;path;kind;age;owner\n?;cat/0.png;cat;0,5;40\nx;dog/1.png;dog;10;7\n");
    put_text("test.csv", "owner;path;kind;part;age\n7;dog/2.png;dog;x;3\n");
    put_changed("own.json", by_list, "\"list\": \"list.csv\"",
                "\"separator\": \";\", \"decimal\": \",\", \"parts\": {\"train\": \"train.csv\", \"test\": "
                "\"test.csv\"}");
    put_changed("own.json", text, ", {\"column\": \"part\", \"as\": \"part\"}", "");
    d = open_here("own.json");
    assert_int_equal(d->rows, 3);
    assert_int_equal(d->group[0], 40);
    assert_int_equal(d->group[2], 7);
    assert_int_equal(d->attrs[1], 2);
    gnt_data_free(d);
    empty();
}

static void boxes_crops_and_sizes(void **state) {
    (void)state;
    put_pictures();
    /* the box is cut out first, then the square in its centre, which is resized: one pixel, the mean of
     * four */
    put_text("list.csv", "path,kind,l,t,w,h,part\ncat/0.png,cat,1,0,3,2,train\ndog/0.png,dog,0,1,2,2,test\n");
    put_changed("own.json", by_list, "\"rgb\"",
                "\"rgb\", \"crop\": \"centre square\", \"size\": [1, 1], \"filter\": \"box\"");
    put_changed(
        "own.json", text,
        "{\"column\": \"age\", \"as\": \"attribute\", \"name\": \"old\", \"values\": [\"young\", \"grown\", "
        "\"old\"], \"above\": [1, 9.5]},\n  {\"column\": \"owner\", \"as\": \"group\"}",
        "{\"column\": \"l\", \"as\": \"left\"}, {\"column\": \"t\", \"as\": \"top\"}, {\"column\": \"w\", "
        "\"as\": \"width\"}, {\"column\": \"h\", \"as\": \"height\"}");
    gnt_data *d = open_here("own.json");
    assert_int_equal(d->features, 3);
    for (int c = 0; c < 3; c++) {
        /* pixels 1, 2, 5 and 6 of picture 0; 4, 5, 8 and 9 of picture 2. Rows are averaged first and
         * rounded. */
        static const int of[2][5] = {{0, 1, 2, 5, 6}, {2, 4, 5, 8, 9}};
        for (int row = 0; row < 2; row++) {
            const int *k = of[row], above = (pixel(k[0], c, k[1]) + pixel(k[0], c, k[2]) + 1) / 2,
                      below = (pixel(k[0], c, k[3]) + pixel(k[0], c, k[4]) + 1) / 2;
            assert_int_equal(d->pixels[row * 3 + c], (above + below + 1) / 2);
        }
    }
    gnt_data_free(d);
    put_changed("own.json", by_class, "\"rgb\"", "\"grey\", \"crop\": [1, 1, 2, 2]");
    d = open_here("own.json");
    assert_int_equal(d->features, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(d->pixels[i], grey(0, 5 + i / 2 * WIDE + i % 2));
    gnt_data_free(d);
    empty();
}

static void maps_and_masks_are_where_they_are_drawn(void **state) {
    (void)state;
    uint8_t map[AREA] = {0}, mask[3 * AREA] = {0};
    map[2] = 1; /* any value but 0 is drawn */
    mask[3 * 5 + 1] = 255;
    put_pictures();
    put_png("train/map.png", WIDE, HIGH, PNG_FORMAT_GRAY, map);
    put_png("train/mask.png", WIDE, HIGH, PNG_FORMAT_RGB, mask);
    put_text("list.csv",
             "path,found,private,part\ncat/0.png,map.png,mask.png,train\ndog/0.png,map.png,mask.png,test\n");
    static const char maps[] =
        "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"marks\", \"kind\": \"image\", "
        "\"images\": "
        "{\"colour\": \"grey\", \"folder\": \"train\"}, \"list\": \"list.csv\",\n"
        " \"columns\": [{\"column\": \"path\", \"as\": \"file\"}, {\"column\": \"found\", \"as\": \"map\"}, "
        "{\"column\": \"private\", \"as\": \"mask\"}, {\"column\": \"part\", \"as\": \"part\"}]}";
    put_text("own.json", maps);
    gnt_data *d = open_here("own.json");
    assert_true(d->has_maps);
    assert_int_equal(d->classes, AREA);
    for (int i = 0; i < 2 * AREA; i++) {
        assert_int_equal(d->map[i], i % AREA == 2);
        assert_int_equal(d->mask[i], i % AREA == 5);
    }
    gnt_data_free(d);
    mask[3 * 5 + 1] = 0;
    put_png("train/mask.png", WIDE, HIGH, PNG_FORMAT_RGB, mask);
    refuse("own.json", "list.csv: line 2: mask.png", "is black", "expected a sensitive region");
    put_png("train/mask.png", WIDE - 1, HIGH, PNG_FORMAT_RGB, mask);
    refuse("own.json", "list.csv: line 2", "mask.png: is 3 by 3 pixels; expected 4 by 3, as its picture is",
           "");
    put_changed("own.json", maps, "\"as\": \"map\"", "\"as\": \"label\", \"values\": [\"map.png\", \"x\"]");
    refuse("own.json", "columns", "has a mask alone", "");
    put_changed("own.json", maps, ", {\"column\": \"part\"",
                ", {\"column\": \"part\", \"as\": \"label\", \"values\": [\"train\", \"test\"]}, "
                "{\"column\": \"part\"");
    refuse("own.json", "columns", "has a label and maps", "");
    empty();
}

static void a_split_keeps_groups_whole(void **state) {
    (void)state;
    char words[4096] = "path,kind,age,owner\n", one[64];
    put_pictures();
    for (int i = 0; i < 100; i++) {
        snprintf(one, sizeof one, "dog/%d.png,dog,%d,owner %d\n", i % 3, i % 20, i % 50);
        append(words, sizeof words, one);
    }
    put_text("list.csv", words);
    put_changed("own.json", by_list, ", {\"column\": \"part\", \"as\": \"part\"}]",
                "], \"split\": {\"test\": 0.3, \"public\": 0.2}");
    gnt_data *d = open_here("own.json");
    int part_of[50];
    int64_t rows[3] = {0};
    memset(part_of, -1, sizeof part_of);
    for (int64_t row = 0; row < d->rows; row++) {
        const int part = row < d->part[0] ? 0 : row < d->part[0] + d->part[1] ? 1 : 2;
        assert_true(part_of[d->group[row]] < 0 || part_of[d->group[row]] == part);
        part_of[d->group[row]] = part;
        rows[part]++;
    }
    /* of 50 groups, 25 ± 3.5 train, 15 ± 3.2 test */
    assert_in_range(rows[0], 30, 70);
    assert_in_range(rows[1], 14, 46);
    assert_true(rows[2] > 4);
    gnt_data_free(d);
    /* one folder of classes, without groups: by the files' paths */
    put_changed("own.json", by_class, "\"parts\": {\"train\": \"train\", \"test\": \"test\"}",
                "\"split\": {\"test\": 0.5}");
    put_changed("own.json", text, "\"rgb\"", "\"rgb\", \"folder\": \"train\"");
    d = open_here("own.json");
    assert_int_equal(d->rows, 5);
    gnt_data_free(d);
    empty();
}

static void lists_of_celeba(void **state) {
    (void)state;
    put_pictures();
    put_picture("train/cat/2.png", 2);
    put_text("attr.txt", attributes);
    put_text("part.txt", "0.png 0\n1.png 2\n2.png 1\n");
    put_text("who.txt", "2.png 7\n1.png 77\n0.png 9\n");
    put_text("own.json", celeba);
    gnt_data *d = open_here("own.json");
    assert_int_equal(d->part[0], 1);
    assert_int_equal(d->part[1], 1);
    expect_grey(d, 0, 0);
    expect_grey(d, 1, 1);
    assert_int_equal(d->label[0], 0);
    assert_int_equal(d->label[1], 1);
    assert_int_equal(d->attrs[0], 1);
    assert_int_equal(d->attrs[1], 0);
    assert_int_equal(d->group[0], 9);
    assert_int_equal(d->group[1], 77);
    const gnt_digest digest = d->digest;
    gnt_data_free(d);
    /* the form with commas and header lines */
    put_text("attr.txt", "image_id,Bald,Male,Smiling\n1.png,1,-1,1\n0.png,-1,1,-1\n2.png,-1,1,-1\n");
    put_text("part.txt", "image_id,partition\n0.png,0\n1.png,2\n2.png,1\n");
    d = open_here("own.json");
    assert_memory_equal(&digest, &d->digest, sizeof digest);
    gnt_data_free(d);
    static const struct {
        const char *file, *words, *a, *b;
    } faults[] = {
        {"attr.txt", "4\nBald Male Smiling\n0.png 1 1 1\n1.png 1 1 1\n2.png 1 1 1\n", "attr.txt: has 3 rows",
         "first line says 4"},
        {"attr.txt", "3\nBald Male Smiling\n0.png 1 1 1\n1.png 1 1\n2.png 1 1 1\n",
         "attr.txt: line 4: 3 fields", "the name of a file and 3 attributes"},
        {"attr.txt", "3\n\n", "attr.txt: line 2", "the names of the attributes"},
        {"attr.txt", "", "attr.txt: line 0", "expected the number of rows"},
        {"attr.txt", "9999999999\nA B\n", "attr.txt: line 1", "expected the number of rows"},
        {"attr.txt", "1\nBald Male Smiling\n0.png 1 0 1\n", "attr.txt: line 3: Male is \"0\"",
         "one of the \"values\""},
        {"attr.txt", "1\nBald Male Smiling\n0.png 1 1 x\n", "attr.txt: line 3: Smiling is \"x\"", "a number"},
        {"attr.txt", "1\nBald Male Laughing\n0.png 1 1 1\n", "line 2: the header has no column \"Smiling\"",
         "columns[1]"},
        {"attr.txt", "1\nBald Male Smiling\n3.png 1 1 1\n", "part.txt: has no line of 3.png", "line 3 of"},
        {"part.txt", "0.png 0\n1.png two\n", "part.txt: line 2", "the name of a file and a number"},
        {"part.txt", "0.png 0\n1.png 2\n2.png 3\n", "line 5: part is \"3\"", "\"unused\""},
        {"who.txt", "0.png 1 2\n", "who.txt: line 1", "the name of a file and a number"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        put_text("attr.txt", attributes);
        put_text("part.txt", "0.png 0\n1.png 2\n2.png 1\n");
        put_text("who.txt", "2.png 7\n1.png 77\n0.png 9\n");
        put_text(faults[i].file, faults[i].words);
        refuse("own.json", faults[i].a, faults[i].b, "");
    }
    empty();
}

static void lists_of_lfw(void **state) {
    (void)state;
    static const char *const files[] = {"Ann_Lee/Ann_Lee_0001.jpg", "Ann_Lee/Ann_Lee_0002.jpg",
                                        "Bob/Bob_0001.jpg", "Bob/Bob_0012.jpg",
                                        "Cy_von_Ho/Cy_von_Ho_0001.jpg"};
    gnt_digest digest[2];
    put_pictures();
    make("lfw/Ann_Lee");
    make("lfw/Bob");
    make("lfw/Cy_von_Ho");
    make("flat");
    put_text("scores.txt", scores);
    for (int flat = 0; flat < 2; flat++) {
        for (int i = 0; i < 5; i++) { /* what a file holds decides, not its name */
            char name[64];
            snprintf(name, sizeof name, "%s%s", flat ? "flat" : "lfw/",
                     flat ? strchr(files[i], '/') : files[i]);
            put_picture(name, i);
        }
        put_changed("own.json", lfw, flat ? "\"scores.txt\"" : NULL, "\"scores.txt\", \"flat\": true");
        if (flat)
            put_changed("own.json", text, "\"folder\": \"lfw\"", "\"folder\": \"flat\"");
        gnt_data *d = open_here("own.json");
        assert_int_equal(d->rows, 5);
        assert_string_equal(d->attr[0].name, "shadow");
        for (int64_t row = 0; row < 5; row++) {
            static const int label[] = {0, 0, 0, 1, 1}, shadow[] = {0, 1, 1, 0, 1}, group[] = {0, 0, 1, 1, 2};
            int number = 0;
            while (grey(number, 0) != d->pixels[row * AREA])
                number++;
            expect_grey(d, row, number);
            assert_int_equal(d->label[row], label[number]);
            assert_int_equal(d->attrs[row], shadow[number]);
            assert_int_equal(d->group[row], group[number]);
        }
        digest[flat] = d->digest;
        gnt_data_free(d);
    }
    assert_memory_equal(&digest[0], &digest[1], sizeof digest[0]);
    static const struct {
        const char *old, *new, *a, *b;
    } faults[] = {
        {"#\tperson", "#\tname", "scores.txt: no line names the columns", "person, imagenum"},
        {"# scores\n#", "person", "scores.txt: no line names the columns", "before the first row"},
        {"\t-1.5\t0.5", "\t-1.5", "scores.txt: line 3", "fewer than the 4 columns of its header"},
        {"\t-1.5", "\thigh", "scores.txt: line 3: Male is \"high\"", "a number"},
        {"Bob\t12", "Bob\t12345", "scores.txt: line 6", "at most 9999"},
        {"Bob\t12", "Bob\tone", "scores.txt: line 6", "imagenum is \"one\""},
        {"Bob\t12", "../Bob\t12", "scores.txt: line 6: file is \"../Bob_0012.jpg\"", "without \"..\""},
        {"Bob\t12", "Bob\t13", "scores.txt: line 6", "Bob_0013.jpg"},
        {"Bob\t12", "\t13", "scores.txt: line 6", "person is \"\""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        put_changed("scores.txt", scores, faults[i].old, faults[i].new);
        refuse("own.json", faults[i].a, faults[i].b, "");
    }
    empty();
}

/* A fault: what is replaced, and what the sentence must say. */
typedef struct fault {
    const char *old, *new, *where, *what;
} fault;

static void faults_of_descriptions_are_named(void **state) {
    (void)state;
    static const fault folders[] = {
        {"{\"colour\": \"rgb\"}", "7", "own.json:2: images", "is 7"},
        {"\"colour\": \"rgb\"", "", "own.json:2: images", "\"colour\" is missing"},
        {"\"rgb\"", "\"blue\"", "images.colour", "expected \"grey\" or \"rgb\""},
        {"\"rgb\"", "\"rgb\", \"colours\": 3", "images.colours", "unknown key"},
        {"\"rgb\"", "\"rgb\", \"size\": 32", "images.size", "is 32"},
        {"\"rgb\"", "\"rgb\", \"size\": [32]", "images.size", "a list of 1"},
        {"\"rgb\"", "\"rgb\", \"size\": [0, 9]", "images.size[0]", "is 0"},
        {"\"rgb\"", "\"rgb\", \"size\": [9, 1025]", "images.size[1]", "is 1025"},
        {"\"rgb\"", "\"rgb\", \"filter\": \"cubic\"", "images.filter", "expected \"bilinear\" or \"box\""},
        {"\"rgb\"", "\"rgb\", \"crop\": \"left\"", "images.crop", "expected \"centre square\""},
        {"\"rgb\"", "\"rgb\", \"crop\": 3", "images.crop", "[left, top, width, height]"},
        {"\"rgb\"", "\"rgb\", \"crop\": [0, 0, 3]", "images.crop", "a list of 3"},
        {"\"rgb\"", "\"rgb\", \"crop\": [0, 0, 0, 3]", "images.crop", "expected at least 1"},
        {"\"rgb\"", "\"rgb\", \"crop\": [0, 0, 5, 3]", "train/cat/0.png: is 4 by 3 pixels",
         "\"crop\", [0, 0, 5, 3]"},
        {"\"rgb\"", "\"rgb\", \"folder\": \"..\"", "images.folder", "without \"..\""},
        {"\"rgb\"", "\"rgb\", \"folder\": \"none\"", "images.folder", "there is no such file"},
        {"\"image\"", "\"tabular\"", "kind", "a set with \"images\" is of images"},
        {"[\"cat\", \"dog\"]", "2", "classes", "expected the list of the folders' names"},
        {"\"dog\"]", "\"cow\"]", "classes", "does not have \"dog\", a folder in"},
        {"\"dog\"]", "\"dog\", \"cow\"]", "train/cow", "cannot be opened as a folder"},
        {"\"dog\"]", "\"../dog\"]", "classes[1]", "expected the name of a folder"},
        {"\"test\": \"test\"", "\"test\": \"../test\"", "parts.test", "without \"..\""},
        {"\"test\": \"test\"", "\"test\": \"none\"", "none", "cannot be opened as a folder"},
        {"\"test\": \"test\"", "\"test\": {}", "parts.test", "an object"},
        {"\"parts\": {\"train\": \"train\", \"test\": \"test\"}", "\"version\": 1", "own.json:3",
         "\"version\" occurs twice"},
        {"\"parts\": {\"train\": \"train\", \"test\": \"test\"}", "\"about\": \"x\"", "own.json",
         "\"parts\" is missing"},
        {"\"parts\"", "\"split\": {\"test\": 0.2}, \"parts\"", "split", "and so is \"parts\""},
        {"\"parts\"", "\"layout\": \"NHWC\", \"parts\"", "layout", "unknown key"},
        {"\"parts\"", "\"list\": \"x.csv\", \"parts\"", "list", "unknown key"},
    };
    static const fault lists[] = {
        {"\"list\": \"list.csv\"", "\"list\": \"none.csv\"", "list", "there is no such file"},
        {"\"list\": \"list.csv\"", "\"list\": \"../list.csv\"", "list", "without \"..\""},
        {"\"list\": \"list.csv\"", "\"list\": 7", "list", "expected the path of a CSV file"},
        {"\"list\": \"list.csv\"", "\"list\": {}", "list", "\"format\" is missing"},
        {"\"list\": \"list.csv\"", "\"list\": {\"format\": \"coco\"}", "list.format",
         "expected \"celeba\" or \"lfw\""},
        {"\"list\": \"list.csv\"",
         "\"list\": {\"format\": \"lfw\", \"attributes\": \"list.csv\", \"identity\": \"x\"}",
         "list.identity", "unknown key"},
        {"\"list\": \"list.csv\"",
         "\"separator\": \",\", \"list\": {\"format\": \"lfw\", \"attributes\": \"list.csv\"}", "separator",
         "is of CSV files"},
        {"\"list\": \"list.csv\",", "", "own.json", "\"parts\" is missing"},
        {"\"list\"", "\"parts\": {\"train\": \"list.csv\", \"test\": \"list.csv\"}, \"list\"", "list",
         "and so is \"parts\""},
        {"\"list\"", "\"split\": {\"test\": 0.1}, \"list\"", "split", "is not all that says"},
        {", {\"column\": \"part\", \"as\": \"part\"}", "", "columns", "does not say which part a row is in"},
        {", {\"column\": \"part\", \"as\": \"part\"}]", "], \"split\": {\"test\": 0}", "split",
         "more than 0 for tests"},
        {", {\"column\": \"part\", \"as\": \"part\"}]", "], \"split\": {\"test\": 0.6, \"public\": 0.4}",
         "split", "some left to train"},
        {", {\"column\": \"part\", \"as\": \"part\"}]", "], \"split\": {}", "split", "\"test\" is missing"},
        {", {\"column\": \"part\", \"as\": \"part\"}]", "], \"split\": {\"test\": 0.0001}", "own.json",
         "there is no row in the test part of 4 rows"},
        {"\"as\": \"part\"", "\"as\": \"part\", \"train\": [\"train\"], \"public\": [7]",
         "columns[4].public[0]", "is 7"},
        {"\"as\": \"part\"", "\"as\": \"part\", \"train\": [\"train\"]", "list.csv: line 5",
         "part is \"test\""},
        {"\"as\": \"file\"", "\"as\": \"picture\"", "columns[0].as", "expected \"file\""},
        {"\"as\": \"file\"", "\"as\": \"left\"", "columns", "has no file"},
        {"{\"column\": \"path\", \"as\": \"file\"}",
         "{\"column\": \"path\", \"as\": \"file\"}, {\"column\": \"note\", "
         "\"as\": \"file\"}",
         "columns[1]", "a second file"},
        {"{\"column\": \"path\", \"as\": \"file\"}",
         "{\"column\": \"path\", \"as\": \"file\"}, {\"column\": \"note\", "
         "\"as\": \"top\"}",
         "columns", "has 1 of left, top, width and height"},
        {"\"column\": \"path\"", "\"column\": \"file\"", "list.csv: line 1",
         "the header has no column \"file\""},
        {"\"values\": [\"cat\", \"dog\"]", "\"values\": [\"cat\", \"cow\"]", "list.csv: line 5",
         "kind is \"dog\""},
        {"\"values\": [\"cat\", \"dog\"]", "\"values\": 2", "list.csv: line 2",
         "kind is \"cat\"; expected a whole"},
        {"\"values\": [\"cat\", \"dog\"]", "\"value\": 2", "columns[1].value", "unknown key"},
        {"\"as\": \"label\"", "\"as\": \"attribute\"", "columns", "has no label"},
        {"[1, 9.5]", "[1, 1]", "columns[2].above[1]", "expected them to rise"},
        {"[1, 9.5]", "1", "columns[2].above", "into 2 values, but \"values\" has 3"},
        {"[1, 9.5]", "[]", "columns[2].above", "is an empty list"},
        {"[1, 9.5]", "[1, \"x\"]", "columns[2].above[1]", "is \"x\""},
        {"\"name\": \"old\"", "\"name\": \"\"", "columns[2].name", "is empty text"},
        {"\"folder\": \"train\"", "\"folder\": \"test\"", "list.csv: line 2", "test/cat/0.png"},
    };
    put_pictures();
    put_text("list.csv", list);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        put_changed("own.json", by_class, folders[i].old, folders[i].new);
        refuse("own.json", folders[i].where, folders[i].what, "");
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        put_changed("own.json", by_list, lists[i].old, lists[i].new);
        refuse("own.json", lists[i].where, lists[i].what, "");
    }
    empty();
}

static void faults_of_lists_and_pictures_are_named(void **state) {
    (void)state;
    static const fault lists[] = {
        {"cat/0.png", "/etc/x.png", "list.csv: line 2, offset 38: path is \"/etc/x.png\"", "without \"..\""},
        {"cat/0.png", "cat/../../x", "list.csv: line 2", "without \"..\""},
        {"cat/0.png", "", "list.csv: line 2", "path is \"\""},
        {"cat/0.png", "cat/9.png", "list.csv: line 2", "cat/9.png"},
        {"cat/0.png", "cat", "list.csv: line 2", "train/cat"},
        {"cat/0.png", "cat/\1.png", "list.csv: line 2", "path is \"cat/\\x01.png\""},
        {",1,Zoe", ",one,Zoe", "list.csv: line 2", "age is \"one\""},
        {",1,Zoe", ",1,", "list.csv: line 2", "owner is \"\"; expected a number or a name"},
        {",1,Zoe", ",1,Zoe,2", "list.csv: line 2", "more than the 6 columns of the header"},
        {",1,Zoe", "", "list.csv: line 2", "fewer than the 6 columns"},
        {"a,train", "a,trained", "list.csv: line 2", "part is \"trained\"; expected train, test or public"},
        {"d,test", "d,train", "own.json: there is no row in the test part", "of 4 rows"},
        {"note,", "age,", "list.csv: line 1: the header has more than one column \"age\"", "columns[2]"},
    };
    static const uint8_t small[3] = {1, 2, 3};
    put_pictures();
    put_text("own.json", by_list);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        put_changed("list.csv", list, lists[i].old, lists[i].new);
        refuse("own.json", lists[i].where, lists[i].what, "");
    }
    put_text("list.csv", "");
    refuse("own.json", "list.csv: the list is empty", "expected a header line", "");
    put_text("own.json", by_class);
    put_png("train/dog/3.png", 1, 1, PNG_FORMAT_RGB, small);
    refuse("own.json", "train/dog/3.png: is 1 by 1 pixels, the first picture is 4 by 3", "a \"size\"", "");
    put_text("train/dog/3.png", "GIF89a");
    refuse("own.json", "train/dog/3.png: is a GIF file", "convert it", "");
    put_text("train/dog/3.png", "\x89PNG\r\n\x1a\n");
    refuse("own.json", "train/dog/3.png: is no sound PNG file", "", "");
    put_text("train/dog/3.png", "");
    refuse("own.json", "train/dog/3.png: is empty", "", "");
    assert_int_equal(unlink((in_folder(text, sizeof text, "train/dog/3.png"), text)), 0);
    put_text("train/dog/3.webp", "");
    refuse("own.json", "train/dog/3.webp: expected PNG or JPEG pictures", "convert or remove it", "");
    assert_int_equal(unlink((in_folder(text, sizeof text, "train/dog/3.webp"), text)), 0);
    make("train/dog/more");
    refuse("own.json", "train/dog/more: is a folder in the folder of a class", "", "");
    assert_int_equal(rmdir((in_folder(text, sizeof text, "train/dog/more"), text)), 0);
    make("train/cow");
    refuse("own.json", "classes: does not have \"cow\"", "list or remove it", "");
    put_changed("own.json", by_class, "\"dog\"]", "\"dog\", \"cow\"]");
    refuse("own.json", "train/cow: has no picture", "expected .png, .jpg or .jpeg files", "");
    empty();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_classes),
        cmocka_unit_test(a_list_gives_labels_attributes_groups_and_parts),
        cmocka_unit_test(boxes_crops_and_sizes),
        cmocka_unit_test(maps_and_masks_are_where_they_are_drawn),
        cmocka_unit_test(a_split_keeps_groups_whole),
        cmocka_unit_test(lists_of_celeba),
        cmocka_unit_test(lists_of_lfw),
        cmocka_unit_test(faults_of_descriptions_are_named),
        cmocka_unit_test(faults_of_lists_and_pictures_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_all);
}
