/* Receipts of SROIE, made here: which text is of which key field; scans of blocks whose grey follows from the
 * definition of JPEG; tiles, masks and splices where they belong; parts by receipt; and files that are cut,
 * that lie, or that are of another kind. */
#include "data_files.h"

#include "data/jpeg.h"
#include "data/sroie.h"

/* A scan of BLOCKS_X by BLOCKS_Y blocks of one grey each. */
enum { BLOCK = 8, BLOCKS_X = 40, BLOCKS_Y = 34, ROOM = 16384 };
/* Where a line of text begins in it, how far lines are apart, and how large they are: twice what is read. */
enum { LINES = 6, LEFT = 16, TOP = 16, APART = 40, WIDE = 240, HIGH = 24, STEP = 2, MARGIN = 2 };

typedef struct file {
    uint8_t at[ROOM];
    size_t n;
    uint32_t bits;
    int n_bits; /* bits of `bits` */
} file;

/* ---- baseline JPEG (ITU-T T.81) of blocks that have a mean and nothing else ---- */

static void add(file *f, const void *bytes, size_t n) {
    assert_true(f->n + n <= ROOM);
    memcpy(f->at + f->n, bytes, n);
    f->n += n;
}

static void add_bits(file *f, uint32_t value, int n) {
    f->bits = f->bits << n | value;
    for (f->n_bits += n; f->n_bits >= 8; f->n_bits -= 8) {
        const uint8_t byte = (uint8_t)(f->bits >> (f->n_bits - 8));
        add(f, &byte, 1);
        if (byte == 0xff)
            add(f, "", 1);
    }
}

static int grey(int number, int x, int y) {
    return 40 + (7 * x + 13 * y + 31 * number) % 200;
}

/* All steps of quantisation are 1, so that a block's mean of v is the coefficient 8(v − 128). Its code is
 * four bits, how many bits the difference from the block before has; then these; then the end of the block,
 * one bit. */
static void make_scan(file *f, int number) {
    static const uint8_t frame[] = {0xff,
                                    0xc0,
                                    0,
                                    11,
                                    8,
                                    BLOCKS_Y * BLOCK >> 8,
                                    BLOCKS_Y * BLOCK & 255,
                                    BLOCKS_X * BLOCK >> 8,
                                    BLOCKS_X * BLOCK & 255,
                                    1,
                                    1,
                                    0x11,
                                    0};
    static const uint8_t scan[] = {0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0};
    uint8_t steps[2 + 2 + 1 + 64] = {0xff, 0xdb, 0, 67}, means[2 + 2 + 1 + 16 + 12] = {0xff, 0xc4, 0, 31, 0},
                              rest[2 + 2 + 1 + 16 + 1] = {0xff, 0xc4, 0, 20, 0x10, 1};
    int before = 0;
    memset(steps + 5, 1, 64);
    means[5 + 3] = 12; /* codes of four bits, one for each number of bits from 0 */
    for (int i = 0; i < 12; i++)
        means[5 + 16 + i] = (uint8_t)i;
    *f = (file){.n = 0};
    add(f, "\xff\xd8", 2);
    add(f, steps, sizeof steps);
    add(f, frame, sizeof frame);
    add(f, means, sizeof means);
    add(f, rest, sizeof rest);
    add(f, scan, sizeof scan);
    for (int y = 0; y < BLOCKS_Y; y++)
        for (int x = 0; x < BLOCKS_X; x++) {
            const int mean = BLOCK * (grey(number, x, y) - 128), by = mean - before;
            int bits = 0;
            while (abs(by) >> bits)
                bits++;
            add_bits(f, (uint32_t)bits, 4);
            add_bits(f, (uint32_t)(by > 0 ? by : by + (1 << bits) - 1), bits);
            add_bits(f, 0, 1);
            before = mean;
        }
    add_bits(f, 0x7f, 7); /* what is left of the last byte is ones */
    add(f, "\xff\xd9", 2);
}

static void put_bytes(const char *kind, int number, const void *bytes, size_t n) {
    char *path = sroie_path(folder, kind, number);
    assert_non_null(path);
    assert_int_equal(gnt_file_write(path, bytes, n, NULL), 0);
    gnt_free(path);
}

static void put_text(const char *kind, int number, const char *text) {
    put_bytes(kind, number, text, strlen(text));
}

static int read_scan(data_bitmap *g, int number, gnt_err *err) {
    char *path = sroie_path(folder, "img", number);
    assert_non_null(path);
    const int rc = data_jpeg_read(g, path, err);
    gnt_free(path);
    return rc;
}

static void a_scan_is_what_its_coefficients_say(void **state) {
    (void)state;
    static file f;
    data_bitmap g;
    gnt_err err = {{0}};
    make_scan(&f, 3);
    put_bytes("img", 3, f.at, f.n);
    if (read_scan(&g, 3, &err))
        fail_msg("%s", err.text);
    assert_int_equal(g.wide, BLOCKS_X * BLOCK);
    assert_int_equal(g.high, BLOCKS_Y * BLOCK);
    for (int y = 0; y < g.high; y++)
        for (int x = 0; x < g.wide; x++)
            assert_int_equal(g.at[y * g.wide + x], grey(3, x / BLOCK, y / BLOCK));
    data_bitmap_free(&g);
}

/* ---- which field a text is of ---- */

static void texts_are_found_in_the_key_fields(void **state) {
    (void)state;
    static const char *const key[SROIE_FIELDS] = {
        "BOOK TA .K (TAMAN DAYA) SDN BHD", "25/12/2018",
        "NO.53 55,57 & 59, JALAN SAGU 18, 81100 JOHOR BAHRU, JOHOR.", "RM 9.00"};
    static const char *const nothing[SROIE_FIELDS] = {"", "", "", ""};
    static const struct {
        const char *text;
        int field;
    } said[] = {{"BOOK TA .K(TAMAN DAYA) SDN BND", SROIE_COMPANY}, /* one letter of 22 is wrong */
                {"book ta k taman daya sdn bhd (789417-w)", SROIE_COMPANY},
                {"B00K TA .K(TANAN DAVA) SDM BND", -1}, /* six are */
                {"81100 JOHOR BAHRU,", SROIE_ADDRESS},
                {"JOHOR.", SROIE_ADDRESS},
                {"JOHAR.", -1}, /* one of five may not be */
                {"SAGU", -1},   /* too short to be found by */
                {"25/12/2018 8:13:39 PM", SROIE_DATE},
                {"DATE:25-12-2018", SROIE_DATE},
                {"25/12/2017", -1},
                {"9.00", SROIE_TOTAL},
                {"TOTAL: RM9.00", SROIE_TOTAL},
                {"1 X 9.00.", SROIE_TOTAL},
                {"19.00", -1},
                {"9.000", -1},
                {"1,9.00", -1},
                {"9.00.1", -1},
                {"TOTAL:", -1},
                {"", -1}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const int field = sroie_field_of(said[i].text, strlen(said[i].text), key);
        if (field != said[i].field)
            fail_msg("\"%s\" is of field %d; expected %d", said[i].text, field, said[i].field);
        assert_int_equal(sroie_field_of(said[i].text, strlen(said[i].text), nothing), -1);
    }
}

/* ---- the set ---- */

static const char sound_key[] = "{\"company\": \"HAPPY PHARMACY\", \"date\": \"01/02/2018\", "
                                "\"address\": \"NO 12, JALAN MAMANDA 5, AMPANG\", \"total\": \"20.50\"}";
static const char *const line_text[LINES] = {
    "HAPPY PHARMACY", "DATE: 01/02/2018", "NO 12, JALAN MAMANDA 5,", "COFFEE, 2 X 10.25",
    "20.50",          "THANK YOU"};
static const int line_field[LINES] = {SROIE_COMPANY, SROIE_DATE, SROIE_ADDRESS, -1, SROIE_TOTAL, -1};

static void put_boxes(int number) {
    char text[1024];
    int n = 0;
    for (int i = 0; i < LINES; i++) {
        const int y = TOP + APART * i, x = LEFT + WIDE;
        n += snprintf(text + n, sizeof text - (size_t)n, "%d,%d,%d,%d,%d,%d,%d,%d,%s\n", LEFT, y, x, y, x,
                      y + HIGH, LEFT, y + HIGH, line_text[i]);
    }
    put_text("box", number, text);
}

static void put_receipt(int number) {
    static file f;
    make_scan(&f, number);
    put_bytes("img", number, f.at, f.n);
    put_text("key", number, sound_key);
    put_boxes(number);
}

static void put_receipts(int n) {
    for (int i = 0; i < n; i++)
        put_receipt(3 * i);
}

static void make_subfolder(const char *name) {
    char path[512];
    in_folder(path, sizeof path, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int make_set(void **state) {
    if (make_folder(state))
        return -1;
    make_subfolder("data");
    make_subfolder("data/img");
    make_subfolder("data/box");
    make_subfolder("data/key");
    return 0;
}

static const char *const kinds[3] = {"img", "box", "key"};

static int empty_set(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int number = 0; number < 100; number++) {
            char *path = sroie_path(folder, kinds[k], number);
            if (path)
                unlink(path);
            gnt_free(path);
        }
    return 0;
}

static int remove_set(void **state) {
    char path[512];
    empty_set(state);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/data/%s", folder, kinds[k]);
        rmdir(path);
    }
    in_folder(path, sizeof path, "data");
    rmdir(path);
    return remove_folder(state);
}

/* The line of text in which pixel (x, y) of a receipt lies, as it is read; −1: in none. */
static int line_at(int x, int y) {
    const int in_y = y - MARGIN, line = in_y / (APART / STEP);
    return in_y >= 0 && line < LINES && in_y % (APART / STEP) < HIGH / STEP && x >= MARGIN &&
                   x < MARGIN + WIDE / STEP
               ? line
               : -1;
}

/* Each pixel of ours is STEP × STEP of the scan, all in one block. */
static void pixels_masks_and_maps_are_where_they_belong(void **state) {
    (void)state;
    put_receipts(10);
    gnt_data *d = open_here("sroie64");
    enum { SIDE = 64, TILES = 4, LEAST = SIDE * SIDE / 16 };
    int64_t tampered = 0, row = 0;
    assert_true(d->has_maps);
    assert_int_equal(d->classes, SIDE * SIDE);
    assert_int_equal(d->part[GNT_PART_TRAIN], 6 * TILES);
    assert_int_equal(d->part[GNT_PART_TEST], 2 * TILES);
    assert_int_equal(d->part[GNT_PART_PUBLIC], 2 * TILES);
    static const int order[10] = {0, 1, 2, 5, 6, 7, 4, 9, 3, 8}; /* of receipts: train, test, public */
    for (int i = 0; i < 10; i++)
        for (int t = 0; t < TILES; t++, row++) {
            const uint8_t *pixels = d->pixels + row * d->features, *map = d->map + row * d->features,
                          *mask = d->mask + row * d->features;
            int count[SROIE_FIELDS] = {0}, spliced = 0, masked = 0;
            assert_int_equal(d->group[row], 3 * order[i]);
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) {
                    const int ours_x = t % 2 * SIDE + x, ours_y = t / 2 * SIDE + y, at = y * SIDE + x;
                    const int line = line_at(ours_x, ours_y), field = line < 0 ? -1 : line_field[line];
                    const int scan_x = LEFT + STEP * (ours_x - MARGIN),
                              scan_y = TOP + STEP * (ours_y - MARGIN);
                    assert_int_equal(mask[at], field >= 0);
                    assert_true(!map[at] || line >= 0);
                    if (!map[at])
                        assert_int_equal(pixels[at], grey(3 * order[i], scan_x / BLOCK, scan_y / BLOCK));
                    spliced += map[at];
                    masked += mask[at];
                    if (field >= 0)
                        count[field]++;
                }
            assert_true(masked >= LEAST);
            for (int f = 0; f < SROIE_FIELDS; f++)
                assert_true(count[f] <= count[d->attrs[2 * row]]);
            assert_int_equal(d->attrs[2 * row + 1], spliced > 0);
            assert_true(spliced == 0 || (spliced >= 10 * 6 && spliced <= 36 * HIGH / STEP));
            assert_int_equal(d->label[row], 0);
            tampered += spliced > 0;
        }
    assert_int_equal(row, d->rows);
    assert_in_range(tampered, 20, 36); /* of 40, at 0.7: within three deviations */
    gnt_data_free(d);
    d = open_here("sroie128");
    int most = 0;
    assert_int_equal(d->rows, 10);
    for (row = 0; row < d->rows; row++) {
        int spliced = 0;
        for (int64_t i = 0; i < d->features; i++)
            spliced += d->map[row * d->features + i];
        most = spliced > most ? spliced : most;
    }
    assert_true(most > 36 * HIGH / STEP && most <= 4 * 36 * HIGH / STEP); /* more than one stretch */
    gnt_data_free(d);
}

static void a_row_depends_on_its_receipt_alone(void **state) {
    (void)state;
    put_receipts(5);
    gnt_data *few = open_here("sroie64");
    put_receipts(10);
    gnt_data *many = open_here("sroie64");
    int64_t same = 0;
    for (int64_t i = 0; i < few->rows; i++)
        for (int64_t j = 0; j < many->rows; j++)
            same +=
                few->group[i] == many->group[j] &&
                !memcmp(few->pixels + i * few->features, many->pixels + j * many->features,
                        (size_t)few->features) &&
                !memcmp(few->map + i * few->features, many->map + j * many->features, (size_t)few->features);
    assert_int_equal(same, few->rows);
    gnt_data_free(few);
    gnt_data_free(many);
}

/* ---- hostile files ---- */

static void a_set_needs_five_receipts_and_all_their_files(void **state) {
    (void)state;
    put_receipts(4);
    refuse("sroie64", "data/img/NNN.jpg are 4 receipts", "expected 5 or more", "");
    put_receipts(5);
    for (int k = 1; k < 3; k++) {
        char *path = sroie_path(folder, kinds[k], 6);
        assert_int_equal(unlink(path), 0);
        refuse("sroie64", path, "", "");
        gnt_free(path);
        put_receipt(6);
    }
}

static void bad_boxes(void **state) {
    (void)state;
    static const char *const bad[][3] = {
        {"1,2,3,4,5,6,7\n", "line 1: 6 of the 8 numbers before the text", "four corners"},
        {"1,2,3,4,5,6,7,8\n", "7 of the 8 numbers", ""},
        {"0,0,9,0,9,9,0,9,A\n1,2,x,4,5,6,7,8,A\n", "line 2, offset 22: x of a corner is \"x\"",
         "a whole number"},
        {"1,-2,3,4,5,6,7,8,A\n", "y of a corner is \"-2\"", "a whole number"},
        {"1,2,3,4,5,10001,7,8,A\n", "y of a corner is \"10001\"", "at most 10000"},
        {"1,2,3,4,5,1234567890,7,8,A\n", "y of a corner", "nine digits"},
        {"", "has no box", ""},
        {"5,5,5,5,5,5,5,5,A\n", "has no box that is not empty", ""},
        {"0,0,9,0,9,300,0,300,A\n", "300 pixels high or more", "expected at most 240"},
        {"0,0,9999,0,9999,9,0,9,A\n", "all boxes take 10001 by", "at most 4096 either way"},
        {"300,500,330,500,330,512,300,512,HAPPY PHARMACY\n"
         "10,10,90,10,90,22,10,22,A\n10,10,90,10,90,22,10,22,A\n",
         "is 320 by 272 pixels", "a text begins at 300, 500"},
        {"0,0,9,0,9,9,0,9,A\n", "no text of data/box is one of the key fields", "in 3 receipts"}};
    char text[1 << 17];
    put_receipts(5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (int number = 0; number < 15; number += 3)
            put_text("box", number, bad[i][0]);
        refuse("sroie64", i < 10 ? "000.csv" : "", bad[i][1], bad[i][2]);
    }
    for (size_t i = 0; i < 513; i++)
        memcpy(text + 20 * i, "0,0,9,0,9,9,0,9,ABC\n", 20);
    put_bytes("box", 0, text, 513 * 20);
    refuse("sroie64", "000.csv", "line 513", "more than the 512 boxes");
    memset(text, '7', 2000);
    put_bytes("box", 0, text, 2000);
    refuse("sroie64", "line 1: 2000 bytes long", "at most 1024", "");
}

static void bad_keys(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"", "line 1"},
                                         {"{\"company\": ", "line 1"},
                                         {"[]", "is no JSON object"},
                                         {"{\"total\": 20.5}", "\"total\" is no text"},
                                         {"{\"date\": null}", "\"date\" is no text"},
                                         {"{\"date\": \"a\", \"date\": \"b\"}", "line 1"}};
    put_receipts(5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_text("key", 3, bad[i][0]);
        refuse("sroie64", "003.json", bad[i][1], "");
    }
}

/* What has no such field has a mask of the others; what has none gives no row. */
static void fields_may_be_missing(void **state) {
    (void)state;
    put_receipts(6);
    put_text("key", 3, "{\"total\": \"20.50\"}");
    put_text("key", 6, "{}");
    gnt_data *d = open_here("sroie64");
    int64_t rows[2] = {0};
    for (int64_t i = 0; i < d->rows; i++) {
        rows[0] += d->group[i] == 3;
        rows[1] += d->group[i] == 6;
        assert_true(d->group[i] != 3 || d->attrs[2 * i] == SROIE_TOTAL);
    }
    assert_int_equal(rows[0], 2);
    assert_int_equal(rows[1], 0);
    gnt_data_free(d);
}

static void scans_cut_anywhere(void **state) {
    (void)state;
    static file f;
    make_scan(&f, 0);
    for (size_t n = 0; n < f.n; n += n < 200 ? 1 : 37) {
        data_bitmap g;
        gnt_err err = {{0}};
        put_bytes("img", 0, f.at, n);
        assert_int_equal(read_scan(&g, 0, &err), -1);
        assert_null(g.at);
        assert_non_null(strstr(err.text, n ? "libjpeg says" : "is empty"));
    }
    put_receipts(5);
    put_bytes("img", 3, f.at, f.n / 2);
    refuse("sroie64", "003.jpg", "is no sound JPEG file", "fetch it again");
}

/* The frame begins behind the quantisation steps. */
enum { FRAME = 2 + 69 };

static void lies(void **state) {
    (void)state;
    static const struct {
        size_t at;
        const char *to;
        size_t n;
        const char *says;
    } bad[] = {{0, "GIF89a", 6, "libjpeg says"},
               {FRAME + 1, "\xc2", 1, "in several scans"}, /* progressive */
               {FRAME + 5, "\x27\x11\x00\x01", 4, "is a picture of 1 by 10001 pixels"},
               {FRAME + 5, "\x27\x10\x27\x10", 4, "10000 by 10000 pixels; expected at most"},
               {FRAME + 5, "\x00\x00", 2, "libjpeg says"},
               {FRAME + 5, "\x0f", 1, "libjpeg says"}, /* more lines than there are */
               {FRAME + 9, "\x03", 1, "libjpeg says"}};
    static file f;
    put_receipts(5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        make_scan(&f, 0);
        memcpy(f.at + bad[i].at, bad[i].to, bad[i].n);
        put_bytes("img", 0, f.at, f.n);
        refuse("sroie64", "000.jpg", bad[i].says, "");
    }
}

/* Whatever a file says, it is taken as sound or refused with a sentence: no crash, nothing out of bounds. */
static void junk(void **state) {
    (void)state;
    static const uint8_t there[] = {0, 1, 0x7f, 0x80, 0xff};
    static file f;
    for (size_t at = 0; at < 160; at++)
        for (size_t k = 0; k < sizeof there; k++) {
            data_bitmap g;
            gnt_err err = {{0}};
            make_scan(&f, 0);
            f.at[at] = there[k];
            put_bytes("img", 0, f.at, f.n);
            const int rc = read_scan(&g, 0, &err);
            assert_true(rc == 0 ? g.wide >= 1 && g.high >= 1 && g.at : !g.at && strlen(err.text) > 20);
            data_bitmap_free(&g);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_is_what_its_coefficients_say),
        cmocka_unit_test(texts_are_found_in_the_key_fields),
        cmocka_unit_test_teardown(pixels_masks_and_maps_are_where_they_belong, empty_set),
        cmocka_unit_test_teardown(a_row_depends_on_its_receipt_alone, empty_set),
        cmocka_unit_test_teardown(a_set_needs_five_receipts_and_all_their_files, empty_set),
        cmocka_unit_test_teardown(bad_boxes, empty_set),
        cmocka_unit_test_teardown(bad_keys, empty_set),
        cmocka_unit_test_teardown(fields_may_be_missing, empty_set),
        cmocka_unit_test_teardown(scans_cut_anywhere, empty_set),
        cmocka_unit_test_teardown(lies, empty_set),
        cmocka_unit_test_teardown(junk, empty_set),
    };
    return cmocka_run_group_tests_name("sroie", tests, make_set, remove_set);
}
