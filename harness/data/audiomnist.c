/* AudioMNIST (Becker et al. 2018): spoken digits as data/NN/D_NN_I.wav, speaker NN from 01, digit D, take I,
 * and audioMNIST_meta.txt, a JSON object of the speakers. A row is the picture of a recording (spectrum.h).
 *
 * The files have no test part: the last fifth of the speakers that are there is it. Native speech is
 * an attribute if it is known of all speakers. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/bytes.h"
#include "data/source.h"
#include "data/spectrum.h"

enum { SPEAKERS = 60, DIGITS = 10, TAKES = 50, CELLS = DATA_SPECTRUM_SIDE * DATA_SPECTRUM_SIDE };
enum { MOST_META = 1 << 20, FIFTH = 5 };

static const char *const sex_names[2] = {"female", "male"};
static const char *const native_names[2] = {"no", "yes"};
static const char *const voice_names[4] = {"female", "male", "female native", "male native"};

typedef struct speaker {
    int number, sex, native;
    uint8_t has[DIGITS][TAKES];
    int64_t recordings;
} speaker;

typedef struct speakers {
    speaker at[SPEAKERS];
    int n, say_native; /* say_native: how many say whether they are natives */
} speakers;

/* ---- who is there ---- */

#define RECORDING "%s/data/%02d/%d_%02d_%d.wav" /* of folder, speaker, digit, speaker, take */

static int find_recordings(speakers *all, const char *folder, gnt_err *err) {
    for (int number = 1; number <= SPEAKERS; number++) {
        speaker *s = &all->at[all->n];
        *s = (speaker){.number = number};
        for (int digit = 0; digit < DIGITS; digit++)
            for (int take = 0; take < TAKES; take++) {
                s->has[digit][take] = (uint8_t)data_has(RECORDING, folder, number, digit, number, take);
                s->recordings += s->has[digit][take];
            }
        all->n += s->recordings > 0;
    }
    return all->n >= 2
               ? 0
               : gnt_fail(err,
                          "%s: data/NN/D_NN_I.wav are recordings of %d speakers; expected 2 or more, for "
                          "a train and a test part",
                          folder, all->n);
}

/* Returns the index of the value among two words; −1 if it is neither. */
static int read_word(const json_t *one, const char *key, const char *const *words) {
    const char *said = json_string_value(json_object_get(one, key));
    for (int i = 0; said && i < 2; i++)
        if (strcmp(said, words[i]) == 0)
            return i;
    return -1;
}

static int read_speaker(speakers *all, speaker *s, const char *path, const json_t *meta, gnt_err *err) {
    char name[16];
    snprintf(name, sizeof name, "%02d", s->number);
    const json_t *one = json_object_get(meta, name);
    s->sex = read_word(one, "gender", sex_names);
    s->native = read_word(one, "native speaker", native_names);
    all->say_native += s->native >= 0;
    if (s->sex < 0)
        return gnt_fail(err,
                        "%s: speaker \"%s\", of whom there are recordings, has no \"gender\"; expected "
                        "\"female\" or \"male\"",
                        path, name);
    if (s->native < 0 && json_object_get(one, "native speaker"))
        return gnt_fail(err, "%s: speaker \"%s\": \"native speaker\" is not \"yes\" or \"no\"", path, name);
    return 0;
}

static int read_meta(speakers *all, const char *folder, gnt_err *err) {
    uint8_t *text = NULL;
    size_t size = 0;
    json_error_t why;
    json_t *meta = NULL;
    const char *under =
        data_has("%s/audioMNIST_meta.txt", folder) ? "" : "/data"; /* as its authors have it */
    char *path = gnt_format("%s%s/audioMNIST_meta.txt", folder, under);
    int rc =
        path ? gnt_file_read(path, MOST_META, &text, &size, err) : gnt_fail(err, "%s: out of memory", folder);
    if (rc == 0 && !(meta = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &why)))
        rc = gnt_fail(err, "%s: line %d: %s; expected a JSON object of speakers", path, why.line, why.text);
    for (int i = 0; rc == 0 && i < all->n; i++)
        rc = read_speaker(all, &all->at[i], path, meta, err);
    if (rc == 0 && all->say_native && all->say_native < all->n)
        rc = gnt_fail(err, "%s: %d of %d speakers have a \"native speaker\"; expected all or none", path,
                      all->say_native, all->n);
    json_decref(meta);
    gnt_free(text);
    gnt_free(path);
    return rc;
}

/* ---- rows ---- */

static int read_row(gnt_data *d, int64_t row, const char *path, data_spectrum **spectrum, gnt_err *err) {
    data_wav w;
    int rc = data_wav_read(&w, path, err);
    if (rc == 0)
        rc = data_spectrum_draw(spectrum, &w, path, d->pixels + row * CELLS, err);
    data_wav_free(&w);
    return rc;
}

static void describe_row(gnt_data *d, int64_t row, const speaker *s, int digit) {
    int32_t *a = d->attrs + row * d->n_attrs;
    d->label[row] = digit;
    d->group[row] = s->number;
    a[0] = s->sex;
    if (d->n_attrs > 1) {
        a[1] = s->native;
        a[2] = 2 * s->native + s->sex;
    }
}

static int read_rows(gnt_data *d, const speakers *all, const char *folder, gnt_err *err) {
    data_spectrum *spectrum = NULL;
    int64_t row = 0;
    int rc = 0;
    for (int i = 0; i < all->n; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            for (int take = 0; rc == 0 && take < TAKES; take++) {
                if (!all->at[i].has[digit][take])
                    continue;
                char *path = gnt_format(RECORDING, folder, all->at[i].number, digit, all->at[i].number, take);
                rc = path ? read_row(d, row, path, &spectrum, err)
                          : gnt_fail(err, "%s: out of memory", folder);
                gnt_free(path);
                describe_row(d, row++, &all->at[i], digit);
            }
    data_spectrum_free(spectrum);
    return rc;
}

static void shape(gnt_data *d) {
    data_shape_image(d, 1, DATA_SPECTRUM_SIDE, DATA_SPECTRUM_SIDE, DIGITS);
    d->class_name = data_digit_names;
    d->group_name = "speaker";
    data_add_attr(d, "sex", 2, sex_names);
    data_add_attr(d, "native", 2, native_names);
    data_add_attr(d, "voice", 4, voice_names);
}

static int load(gnt_data *d, const char *folder, data_notes *notes, gnt_err *err) {
    static const int64_t official[2] = {24000, 6000};
    speakers *all = gnt_alloc(sizeof *all);
    int64_t part[3] = {0, 0, 0};
    int rc = all ? 0 : gnt_fail(err, "%s: out of memory", folder);
    if (rc == 0)
        rc = find_recordings(all, folder, err) || read_meta(all, folder, err) ? -1 : 0;
    if (rc == 0) {
        const int tested = all->n < FIFTH ? 1 : all->n / FIFTH;
        for (int i = 0; i < all->n; i++)
            part[i >= all->n - tested] += all->at[i].recordings;
        if (!all->say_native)
            d->n_attrs = 1;
        for (int p = 0; rc == 0 && p < 2; p++)
            rc = data_note(notes, folder, p, part[p], official[p], err);
    }
    if (rc == 0)
        rc = data_reserve(d, part, err);
    if (rc == 0)
        rc = read_rows(d, all, folder, err);
    gnt_free(all);
    return rc;
}

static const char *const files[] = {"audioMNIST_meta.txt", "data/audioMNIST_meta.txt", NULL};

const data_source data_audiomnist = {.name = "audiomnist",
                                     .about = "AudioMNIST, spectra of spoken digits, WAV files",
                                     .rows = {24000, 6000, 0},
                                     .shape = shape,
                                     .load = load,
                                     .folders = (const char *const[]){"audiomnist", "AudioMNIST", ".", NULL},
                                     .files = files};
