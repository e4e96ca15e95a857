/* faces, faces32: drawn faces of people who never were, 3×62×47 as Labeled Faces in the Wild is used and
 * 3×32×32 as CelebA is. One drawing at two sizes; the sets have no person in common, nor have their parts.
 *
 * A row belongs to a person (its group). Every RUN rows of a part are of PEOPLE people, some often and some
 * seldom as `pictures` says, in drawn order: so a row does not depend on how many are drawn, and the
 * first rows of a part are of many people. */
#include <stdio.h>

#include "data/face.h"
#include "data/source.h"

enum { RUN = 500, PEOPLE = 60 };

/* Pictures of each of a run's people, RUN in all. */
static const int pictures[PEOPLE] = {
    39, 32, 28, 24, 22, 20, 18, 17, 15, 13, 13, 12, 11, 10, 10, 9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 6, 6, 6, 6,
    5,  5,  5,  5,  5,  5,  5,  4,  4,  4,  4,  4,  4,  4,  4,  4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1};

static const char *const tone_names[FACE_TONES] = {"dark", "medium", "light"};
static const char *const sex_names[FACE_SEXES] = {"female", "male"};
static const char *const age_names[FACE_AGES] = {"baby", "child", "youth", "middle", "senior"};
static const char *const eyewear_names[FACE_EYEWEARS] = {"none", "glasses", "sunglasses"};
static const char *const hair_names[FACE_HAIRS] = {"black", "blond", "brown", "bald"};
static const char *const smiling_names[2] = {"not smiling", "smiling"};

/* ---- one picture ---- */

static void finish(const face_view *f, const face_look *l, uint8_t *pixels, gnt_stream *s) {
    const int cells = f->wide * f->high;
    const double grain = draw_between(s, 0.006, 0.018), side = l->side / f->unit, top = l->top / f->unit;
    const double red = 1 + l->warm, blue = 1 - l->warm;
    int i = 0;
    for (int y = 0; y < f->high; y++)
        for (int x = 0; x < f->wide; x++, i++) {
            double light = l->gain * (1 + side * (x - f->x) - top * (y - f->y));
            uint32_t r = gnt_random_u32(s);
            double n = grain * (((double)(r & 255) + (double)(r >> 8 & 255) - 255) * (1 / 105.0)),
                   m = grain * (((double)(r >> 16 & 255) - 127.5) * (0.4 / 74));
            rgb p = f->at[i];
            pixels[i] = draw_byte(p.r * light * red + n + m);
            pixels[cells + i] = draw_byte(p.g * light + n - 0.5 * m);
            pixels[2 * cells + i] = draw_byte(p.b * light * blue + n - m);
        }
}

/* Paints one picture, high × wide pixels of three planes; draws its background, clothes and grain from s. */
static void draw_face(uint8_t *pixels, int high, int wide, const face_person *p, const face_look *l,
                      gnt_stream *s) {
    face_view f; /* face_behind paints every pixel */
    f.wide = wide;
    f.high = high;
    f.x = l->x;
    f.y = l->y;
    f.unit = l->unit;
    f.along = draw_cos(l->turn);
    f.aside = draw_sin(l->turn);
    face_behind(&f, s);
    face_hair_behind(&f, p, l);
    face_shoulders(&f, p, s);
    face_head(&f, p, l);
    face_features(&f, p, l, s);
    face_hair_before(&f, p, l);
    face_eyewear(&f, p, l, s);
    finish(&f, l, pixels, s);
}

/* ---- rows and people ---- */

typedef struct run {
    face_person person[PEOPLE];
    uint32_t of_row[RUN]; /* which of them */
} run;

/* Draws the people of one run. Their tone, sex and age are the points of a sequence that fills the cube
 * evenly (Kronecker's, with powers of the root of x⁴ = x + 1): the few hundred people of a part have the
 * shares of all. */
static void draw_run(run *r, const gnt_key *part, int64_t number) {
    char name[40];
    snprintf(name, sizeof name, "run %lld", (long long)number);
    gnt_stream s = gnt_stream_open(part, name);
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double share[3];
    for (int i = 0; i < 3; i++)
        share[i] = gnt_random_uniform(&s);
    int row = 0;
    for (uint32_t k = 0; k < PEOPLE; k++) {
        for (int i = 0; i < 3; i++) {
            share[i] += step[i];
            share[i] -= share[i] >= 1 ? 1 : 0;
        }
        r->person[k] = face_draw_person(&s, share);
        for (int i = 0; i < pictures[k]; i++)
            r->of_row[row++] = k;
    }
    gnt_random_shuffle(&s, r->of_row, RUN);
}

typedef struct face_set {
    int high, wide;
    double x, y, unit; /* middle of the head and half its height, pixels */
    int label_is_sex;
} face_set;

static void put_row(gnt_data *d, int64_t row, const face_person *p, gnt_stream *s) {
    const face_set *set = d->variant;
    const face_look l = face_draw_look(p, s, set->x, set->y, set->unit);
    int32_t *a = d->attrs + row * d->n_attrs;
    d->label[row] = set->label_is_sex ? p->sex : l.smiles;
    a[0] = p->tone;
    a[1] = set->label_is_sex ? l.smiles : p->sex;
    a[2] = p->age;
    a[3] = l.eyewear;
    a[4] = p->hair;
    draw_face(d->pixels + row * d->features, set->high, set->wide, p, &l, s);
}

static int generate(gnt_data *d, const gnt_data_spec *spec, gnt_err *err) {
    if (data_reserve(d, spec->rows, err))
        return -1;
    data_row_keys keys = data_keys(d->name, spec->seed);
    run r;
    int64_t row = 0;
    for (int part = 0; part < 3; part++)
        for (int64_t i = 0; i < d->part[part]; i++, row++) {
            if (i % RUN == 0)
                draw_run(&r, &keys.part[part], i / RUN);
            gnt_stream s = data_row_stream(&keys, part, i);
            uint32_t k = r.of_row[i % RUN];
            d->group[row] = (int32_t)(3 * (i / RUN * PEOPLE + k) + part); /* nobody is in two parts */
            put_row(d, row, &r.person[k], &s);
        }
    return 0;
}

/* ---- the two sets ---- */

static void shape(gnt_data *d) {
    const face_set *set = d->variant;
    data_shape_image(d, 3, set->high, set->wide, 2);
    d->class_name = set->label_is_sex ? sex_names : smiling_names;
    d->group_name = "identity";
    data_add_attr(d, "tone", FACE_TONES, tone_names);
    if (set->label_is_sex)
        data_add_attr(d, "smiling", 2, smiling_names);
    else
        data_add_attr(d, "sex", FACE_SEXES, sex_names);
    data_add_attr(d, "age", FACE_AGES, age_names);
    data_add_attr(d, "eyewear", FACE_EYEWEARS, eyewear_names);
    data_add_attr(d, "hair", FACE_HAIRS, hair_names);
}

static const face_set large = {.high = 62, .wide = 47, .x = 23, .y = 32, .unit = 20.5};
static const face_set small = {.high = 32, .wide = 32, .x = 15.5, .y = 17, .unit = 12.2, .label_is_sex = 1};

const data_source data_faces = {.name = "faces",
                                .about = "drawn faces, 62x47 colour, smiling or not, built in",
                                .rows = {8000, 2000, 2000},
                                .shape = shape,
                                .generate = generate,
                                .variant = &large};
const data_source data_faces32 = {.name = "faces32",
                                  .about = "drawn faces, 32x32 colour, by sex, built in",
                                  .rows = {8000, 2000, 2000},
                                  .shape = shape,
                                  .generate = generate,
                                  .variant = &small};
