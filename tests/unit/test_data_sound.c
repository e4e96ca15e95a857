/* AudioMNIST's recordings, made here: tones whose place in the picture follows from their frequency and time,
 * whatever the rate; parts by speaker; and files that are cut, that lie, or that are of another kind. */
#include "data_files.h"

#include <math.h>

#include "data/spectrum.h"
#include "data/wav.h"

enum { SIDE = DATA_SPECTRUM_SIDE, MOST_RATE = 48000, HEAD = 44, ROOM = HEAD + 2 * MOST_RATE };

typedef struct file {
    uint8_t at[ROOM];
    size_t n;
} file;

static void set_word(uint8_t *at, uint32_t v) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

/* `seconds` of silence but for a tone from `begin` on for a quarter of a second. */
static void make_tone(file *f, int rate, double seconds, double begin, double frequency) {
    static const uint8_t head[HEAD] = "RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\2\0\20\0data";
    const int samples = (int)(seconds * rate);
    memcpy(f->at, head, HEAD);
    f->n = HEAD + 2 * (size_t)samples;
    assert_true(f->n <= ROOM);
    set_word(f->at + 4, (uint32_t)f->n - 8);
    set_word(f->at + 24, (uint32_t)rate);
    set_word(f->at + 28, 2 * (uint32_t)rate);
    set_word(f->at + 40, 2 * (uint32_t)samples);
    for (int i = 0; i < samples; i++) {
        const double t = (double)i / rate;
        const int on = t >= begin && t < begin + 0.25;
        const int v = on ? (int)(12000 * sin(2 * 3.14159265358979 * frequency * t)) : 0;
        f->at[HEAD + 2 * i] = (uint8_t)(v & 255);
        f->at[HEAD + 2 * i + 1] = (uint8_t)(v >> 8 & 255);
    }
}

/* ---- pictures ---- */

static void draw(const file *f, uint8_t *pixels) {
    char path[512];
    gnt_err err = {{0}};
    data_wav w;
    data_spectrum *s = NULL;
    put("tone.wav", f->at, f->n);
    in_folder(path, sizeof path, "tone.wav");
    if (data_wav_read(&w, path, &err) || data_spectrum_draw(&s, &w, path, pixels, &err))
        fail_msg("%s", err.text);
    data_spectrum_free(s);
    data_wav_free(&w);
}

static int brightest_row(const uint8_t *pixels, int column) {
    int best = 0;
    for (int row = 1; row < SIDE; row++)
        if (pixels[row * SIDE + column] > pixels[best * SIDE + column])
            best = row;
    return best;
}

/* Rows are 8000/455 Hz apart, the lowest at that frequency. A tone of a quarter of a second is in the
 * middle of the picture, 56 of 224 columns wide and a window's 13 columns at most on either side. */
static void tones_are_where_they_belong(void **state) {
    (void)state;
    static const int rates[] = {8000, 16000, 44100, 48000};
    static const double frequencies[] = {200, 1000, 3500};
    static uint8_t pixels[SIDE * SIDE];
    static file f;
    for (size_t r = 0; r < 4; r++)
        for (size_t k = 0; k < 3; k++) {
            make_tone(&f, rates[r], 0.9, 0.5, frequencies[k]);
            draw(&f, pixels);
            const int window = (int)((int64_t)rates[r] * 455 / 8000);
            const double step = (double)rates[r] / window;
            assert_int_equal(brightest_row(pixels, 112), SIDE - (int)lround(frequencies[k] / step));
            assert_true(pixels[brightest_row(pixels, 112) * SIDE + 112] > 250);
            for (int column = 0; column < SIDE; column++)
                if (column < 112 - 28 - 13 || column >= 112 + 28 + 13)
                    for (int row = 0; row < SIDE; row++)
                        assert_int_equal(pixels[row * SIDE + column], 0);
        }
}

/* The second is the one around the sound, wherever in the recording that is, also beyond its ends. */
static void time_is_counted_from_the_sound(void **state) {
    (void)state;
    static uint8_t early[SIDE * SIDE], late[SIDE * SIDE];
    static file f;
    make_tone(&f, 16000, 1.4, 0.0625, 1000);
    draw(&f, early);
    make_tone(&f, 16000, 1.4, 1.0625, 1000); /* a whole number of periods and of samples later */
    draw(&f, late);
    int differ = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        differ += abs(early[i] - late[i]) > 2;
    assert_int_equal(differ, 0);
}

/* ---- the set ---- */

static const char *const native = "{\"01\": {\"gender\": \"male\", \"native speaker\": \"no\"}, "
                                  "\"03\": {\"gender\": \"female\", \"native speaker\": \"yes\"}}";

static void in_data(char *path, size_t size, const char *name) {
    char under[300];
    assert_true(snprintf(under, sizeof under, "data/%s", name) < (int)sizeof under);
    in_folder(path, size, under);
}

static void put_recording(const char *name, const file *f) {
    char under[300];
    assert_true(snprintf(under, sizeof under, "data/%s", name) < (int)sizeof under);
    put(under, f->at, f->n);
}

static int make_set(void **state) {
    static const char *const folders[] = {"data", "data/01", "data/03"};
    if (make_folder(state))
        return -1;
    for (int i = 0; i < 3; i++) {
        char path[512];
        in_folder(path, sizeof path, folders[i]);
        if (mkdir(path, 0700))
            return -1;
    }
    return 0;
}

static void put_set(void) {
    static file f;
    make_tone(&f, 16000, 0.5, 0.1, 500);
    put_recording("01/7_01_0.wav", &f);
    put_recording("01/2_01_49.wav", &f);
    put_recording("03/2_03_1.wav", &f);
    put("audioMNIST_meta.txt", native, strlen(native));
}

static int remove_set(void **state) {
    static const char *const names[] = {"01/7_01_0.wav", "01/2_01_49.wav", "03/2_03_1.wav", "01", "03"};
    char path[512];
    for (int i = 0; i < 5; i++) {
        in_data(path, sizeof path, names[i]);
        i < 3 ? unlink(path) : rmdir(path);
    }
    in_folder(path, sizeof path, "data");
    rmdir(path);
    return remove_folder(state);
}

/* Digits in order, then takes; the last of two speakers is the test part. */
static void speakers_are_groups(void **state) {
    (void)state;
    static const int32_t label[3] = {2, 7, 2}, group[3] = {1, 1, 3};
    static const int32_t attrs[9] = {1, 0, 1, 1, 0, 1, 0, 1, 2}, sexes[3] = {1, 1, 0};
    static const char complete[] = "{\"01\": {\"gender\": \"male\"}, \"03\": {\"gender\": \"female\"}}";
    put_set();
    gnt_data *d = open_here("audiomnist");
    assert_int_equal(d->part[GNT_PART_TRAIN], 2);
    assert_int_equal(d->part[GNT_PART_TEST], 1);
    assert_int_equal(d->n_attrs, 3);
    assert_memory_equal(d->label, label, sizeof label);
    assert_memory_equal(d->group, group, sizeof group);
    assert_memory_equal(d->attrs, attrs, sizeof attrs);
    gnt_data_free(d);
    put("audioMNIST_meta.txt", complete, strlen(complete));
    d = open_here("audiomnist");
    assert_int_equal(d->n_attrs, 1);
    assert_memory_equal(d->attrs, sexes, sizeof sexes);
    gnt_data_free(d);
}

static void bad_speakers(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"{\"01\": {\"gender\": \"male\"}}",
         "speaker \"03\", of whom there are recordings, has no \"gender\""},
        {"{\"01\": {\"gender\": \"mail\"}, \"03\": {\"gender\": \"female\"}}", "speaker \"01\""},
        {"{\"01\": {\"gender\": \"male\", \"native speaker\": \"no\"}, \"03\": {\"gender\": \"female\"}}",
         "1 of 2 speakers have a \"native speaker\""},
        {"{\"01\": {\"gender\": \"male\", \"native speaker\": 1}, \"03\": {\"gender\": \"female\"}}",
         "\"native speaker\" is not \"yes\" or \"no\""},
        {"{\"01\": ", "line 1"},
        {"[1, 2]", "speaker \"01\""},
        {"", "expected a JSON object"}};
    put_set();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("audioMNIST_meta.txt", bad[i][0], strlen(bad[i][0]));
        refuse("audiomnist", "audioMNIST_meta.txt", bad[i][1], "");
    }
}

/* ---- hostile recordings ---- */

static void cut_anywhere(void **state) {
    (void)state;
    static file f;
    put_set();
    make_tone(&f, 16000, 0.1, 0, 500);
    for (size_t n = 0; n < f.n; n += n < 60 ? 1 : 137) {
        put("data/01/7_01_0.wav", f.at, n);
        refuse("audiomnist", "7_01_0.wav", n < 12 ? "the file ends inside its header" : "the header promises",
               "");
    }
}

static void put_changed(size_t at, const void *to, size_t n) {
    static file f;
    make_tone(&f, 16000, 0.1, 0, 500);
    memcpy(f.at + at, to, n);
    put_recording("01/7_01_0.wav", &f);
}

static void lies(void **state) {
    (void)state;
    static file silent;
    put_set();
    put_changed(8, "AVI ", 4);
    refuse("audiomnist", "7_01_0.wav", "offset 0", "no WAVE file");
    put_changed(20, "\3", 1);
    refuse("audiomnist", "offset 20", "samples of kind 3", "");
    put_changed(22, "\2", 1);
    refuse("audiomnist", "offset 20", "2 channels", "expected plain ones (1), 1 channel");
    put_changed(24, "\0\1\0\0", 4);
    refuse("audiomnist", "offset 24", "256 samples a second", "8000 to 192000");
    put_changed(40, "\377\377\377\377", 4);
    refuse("audiomnist", "offset 36", "a chunk of 4294967295 bytes", "");
    put_changed(12, "fmx ", 4);
    refuse("audiomnist", "offset 36", "samples before their format", "");
    put_changed(36, "junk", 4);
    refuse("audiomnist", "ends without samples", "", "");
    make_tone(&silent, 16000, 0.1, 2, 500);
    put_recording("01/7_01_0.wav", &silent);
    refuse("audiomnist", "7_01_0.wav", "is silent", "");
}

/* Whatever a file says, it is taken as sound or refused with a sentence: no crash, nothing out of bounds. */
static void junk(void **state) {
    (void)state;
    static const uint8_t there[] = {0, 1, 0x7f, 0x80, 0xff};
    put_set();
    for (size_t at = 0; at < HEAD; at++)
        for (size_t k = 0; k < sizeof there; k++) {
            char path[512];
            gnt_err err = {{0}};
            data_wav w;
            put_changed(at, &there[k], 1);
            in_data(path, sizeof path, "01/7_01_0.wav");
            const int rc = data_wav_read(&w, path, &err);
            assert_true(rc == 0 ? w.samples >= 1 && w.x : !w.x && strlen(err.text) > 20);
            data_wav_free(&w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tones_are_where_they_belong),
        cmocka_unit_test(time_is_counted_from_the_sound),
        cmocka_unit_test(speakers_are_groups),
        cmocka_unit_test(bad_speakers),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(lies),
        cmocka_unit_test(junk),
    };
    return cmocka_run_group_tests_name("sound", tests, make_set, remove_set);
}
