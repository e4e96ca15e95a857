/* A person's attributes, which hang together as in life, and the geometry that follows from them; and what
 * varies from picture to picture. */
#include "data/face.h"

/* ---- attributes ---- */

static const int tone_weight[FACE_TONES] = {17, 17, 66};
static const int sex_weight[FACE_SEXES] = {40, 60};
static const int age_weight[FACE_SEXES][FACE_AGES] = {{6, 10, 28, 44, 12}, {5, 8, 18, 53, 16}};
/* black, blond, brown of those with hair */
static const int colour_weight[FACE_TONES][3] = {{84, 3, 13}, {56, 6, 38}, {15, 33, 52}};
static const int bald_percent[FACE_SEXES][FACE_AGES] = {{45, 0, 0, 1, 3}, {45, 1, 2, 20, 48}};
static const int worn_weight[FACE_SEXES][FACE_CROWN] = {{16, 26, 36, 8, 14}, {80, 4, 4, 12, 0}};
static const int beard_weight[4] = {56, 18, 10, 16};
static const int glasses_percent[FACE_AGES] = {2, 10, 18, 26, 46};
static const int sunglasses_percent[FACE_AGES] = {4, 9, 15, 13, 7};

/* Returns the value at the cumulative share `at`, 0 to 1, of the weights. */
static int at_share(const int *weight, int n, double at) {
    int total = 0, before = 0;
    for (int i = 0; i < n; i++)
        total += weight[i];
    for (int i = 0; i < n - 1; i++) {
        before += weight[i];
        if (at * total < before)
            return i;
    }
    return n - 1;
}

static int draw_percent(gnt_stream *s, int percent) {
    return gnt_random_below(s, 100) < (uint64_t)percent;
}

static int draw_hair(gnt_stream *s, const face_person *p) {
    if (draw_percent(s, bald_percent[p->sex][p->age]))
        return FACE_BALD;
    int weight[3];
    for (int i = 0; i < 3; i++)
        weight[i] = colour_weight[p->tone][i];
    if (p->sex == FACE_FEMALE || p->age < FACE_YOUTH)
        weight[FACE_BLOND] += weight[FACE_BLOND] / 3;
    return draw_weighted(s, weight, 3);
}

static int draw_worn(gnt_stream *s, const face_person *p) {
    if (p->hair == FACE_BALD)
        return p->age >= FACE_MIDDLE && draw_chance(s, 0.6) ? FACE_CROWN : FACE_NONE;
    if (p->age == FACE_BABY)
        return FACE_SHORT;
    int worn = draw_weighted(s, worn_weight[p->sex], FACE_CROWN);
    if (p->tone == FACE_DARK && worn == FACE_BOB)
        worn = FACE_CURLS;
    if (p->age == FACE_SENIOR && worn == FACE_LONG && draw_chance(s, 0.6))
        worn = FACE_BOB;
    return worn;
}

/* ---- colours ---- */

static rgb vary(gnt_stream *s, rgb base, double all, double each) {
    double a = 1 + all * draw_bell(s);
    double r = 1 + each * draw_bell(s), g = 1 + each * draw_bell(s), b = 1 + each * draw_bell(s);
    return (rgb){base.r * a * r, base.g * a * g, base.b * a * b};
}

static void draw_colours(face_person *p, gnt_stream *s) {
    static const rgb skin[FACE_TONES] = {{.43, .29, .22}, {.70, .51, .37}, {.90, .73, .62}};
    static const rgb hair[4] = {{.10, .08, .08}, {.82, .66, .37}, {.40, .25, .15}, {.30, .21, .15}};
    static const rgb iris[4] = {{.20, .13, .09}, {.30, .20, .12}, {.28, .40, .52}, {.32, .42, .28}};
    p->skin = vary(s, skin[p->tone], 0.08, 0.025);
    if (p->age <= FACE_CHILD)
        p->skin = rgb_mix(p->skin, (rgb){.96, .66, .58}, 0.10);
    p->hairs = vary(s, hair[p->hair], 0.12, 0.05);
    double grey = draw_between(s, 0.25, 0.5);
    if (p->age == FACE_SENIOR)
        p->hairs = rgb_mix(p->hairs, (rgb){.78, .77, .76}, p->hair == FACE_BALD ? 0.75 : grey);
    p->brows = rgb_mix(p->hairs, (rgb){.16, .11, .08}, p->age == FACE_SENIOR ? 0.2 : 0.5);
    rgb lip = p->sex == FACE_FEMALE && p->age >= FACE_YOUTH ? (rgb){.75, .18, .22} : (rgb){.70, .36, .33};
    double painted = draw_between(s, 0.35, 0.75);
    p->lips = rgb_mix(rgb_scale(p->skin, 0.86), lip,
                      p->sex == FACE_FEMALE && p->age >= FACE_YOUTH ? painted : 0.40);
    p->iris = iris[p->tone == FACE_LIGHT ? (int)gnt_random_below(s, 4) : (int)gnt_random_below(s, 2)];
}

/* ---- geometry ---- */

/* By age: half the head's width, height and size of the eyes, end of the nose, height of the mouth,
 * wrinkles. */
static const struct {
    double wide, eye_v, eye, nose_v, mouth_v, lines;
} of_age[FACE_AGES] = {{.93, .17, 1.36, .44, .66, 0},
                       {.86, .10, 1.18, .42, .64, 0},
                       {.78, .00, 1.00, .38, .63, 0},
                       {.78, -.02, .94, .40, .64, .28},
                       {.77, -.02, .84, .43, .67, .85}};

static void draw_geometry(face_person *p, gnt_stream *s) {
    int grown = p->age >= FACE_YOUTH, male = p->sex == FACE_MALE;
    double manly = grown ? (male ? 1 : -1) : male ? 0.25 : -0.25;
    p->wide = of_age[p->age].wide + 0.012 * manly + 0.026 * draw_bell(s);
    p->taper = (p->age == FACE_BABY ? 0.02 : 0.12) - 0.035 * manly + 0.03 * draw_bell(s);
    p->square = draw_clamp(0.28 + 0.26 * manly + 0.12 * draw_bell(s), 0, 0.9);
    p->eye_u = 0.355 + 0.016 * draw_bell(s);
    p->eye_v = of_age[p->age].eye_v + 0.02 * draw_bell(s);
    p->eye = of_age[p->age].eye * (1 - 0.06 * manly + 0.05 * draw_bell(s));
    p->brow_v = p->eye_v - 0.215 - 0.02 * draw_bell(s) + 0.02 * manly;
    p->brow = (grown ? 0.030 : 0.018) + 0.011 * manly + 0.004 * draw_bell(s);
    p->nose_v = of_age[p->age].nose_v + 0.022 * draw_bell(s);
    p->nose =
        (grown ? 0.125 : 0.10) + 0.012 * manly + 0.014 * draw_bell(s) + (p->tone == FACE_DARK ? 0.02 : 0);
    p->mouth_v = of_age[p->age].mouth_v + 0.015 * draw_bell(s);
    p->mouth = (grown ? 0.27 : 0.22) + 0.02 * draw_bell(s);
    p->lip = draw_clamp(0.048 - 0.012 * manly + 0.009 * draw_bell(s) + (p->tone == FACE_DARK ? 0.014 : 0) -
                            (p->age == FACE_SENIOR ? 0.016 : 0),
                        0.015, 0.09);
    p->ear = 0.19 + 0.02 * draw_bell(s) + (p->age == FACE_SENIOR ? 0.04 : 0);
    p->neck = grown ? 0.42 + 0.05 * manly : 0.32;
    p->lines = of_age[p->age].lines * (1 + 0.2 * draw_bell(s));
}

static void draw_hairdo(face_person *p, gnt_stream *s) {
    static const double thick[] = {.10, .13, .13, .24, .09, .045, 0};
    p->worn = draw_worn(s, p);
    p->thick = thick[p->worn] * (1 + 0.2 * draw_bell(s));
    p->hairline = -0.60 + 0.06 * draw_bell(s);
    p->fringe = draw_between(s, 0.3, 0.7);
    p->parting = 0.22 * draw_bell(s);
    if (p->age == FACE_BABY) {
        p->thick *= 0.45;
        p->hairline -= 0.16;
    }
    if (p->sex == FACE_FEMALE && draw_chance(s, 0.35))
        p->hairline += 0.22;
    if (p->sex == FACE_MALE && p->age >= FACE_MIDDLE)
        p->hairline -= 0.10;
    p->beard = p->sex == FACE_MALE && p->age >= FACE_YOUTH ? draw_weighted(s, beard_weight, 4) : FACE_SHAVED;
}

face_person face_draw_person(gnt_stream *s, const double share[3]) {
    face_person p = {.tone = at_share(tone_weight, FACE_TONES, share[0])};
    p.sex = at_share(sex_weight, FACE_SEXES, share[1]);
    p.age = at_share(age_weight[p.sex], FACE_AGES, share[2]);
    p.hair = draw_hair(s, &p);
    draw_colours(&p, s);
    draw_geometry(&p, s);
    draw_hairdo(&p, s);
    p.wears = draw_percent(s, glasses_percent[p.age]);
    p.cheerful = 0.48 + 0.16 * draw_bell(s) + (p.sex == FACE_FEMALE ? 0.06 : -0.02) -
                 (p.age == FACE_BABY || p.age == FACE_SENIOR ? 0.06 : 0);
    return p;
}

/* ---- one picture ---- */

static int draw_eyewear(const face_person *p, gnt_stream *s) {
    if (draw_percent(s, sunglasses_percent[p->age]))
        return FACE_SUNGLASSES;
    return draw_chance(s, p->wears ? 0.85 : 0.03) ? FACE_GLASSES : FACE_BARE;
}

static void draw_mouth(face_look *l, gnt_stream *s) {
    double open = gnt_random_uniform(s);
    if (l->smiles) {
        l->bend = draw_between(s, 0.06, 0.17);
        l->open = open < 0.55 ? draw_between(s, 0.05, 0.15) : 0;
    } else {
        l->bend = draw_between(s, -0.06, 0.05);
        l->open = open < 0.25 ? draw_between(s, 0.04, 0.16) : 0;
    }
}

face_look face_draw_look(const face_person *p, gnt_stream *s, double x, double y, double unit) {
    face_look l = {.smiles = draw_chance(s, p->cheerful)};
    l.eyewear = draw_eyewear(p, s);
    l.unit = unit * (1 + 0.06 * draw_bell(s)) * (p->age == FACE_BABY ? 0.96 : 1);
    l.x = x + 0.075 * unit * draw_bell(s);
    l.y = y + 0.065 * unit * draw_bell(s);
    l.turn = 0.018 * draw_bell(s);
    l.yaw = 0.35 * draw_bell(s);
    l.nod = 0.30 * draw_bell(s);
    draw_mouth(&l, s);
    l.lids = draw_chance(s, 0.04) ? 0 : draw_between(s, 0.8, 1.1) * (l.smiles ? 0.85 : 1);
    l.brows = 0.02 * draw_bell(s);
    l.gain = draw_clamp(0.97 + 0.23 * draw_bell(s), 0.45, 1.5);
    l.warm = 0.08 * draw_bell(s);
    l.side = 0.22 * draw_bell(s);
    l.top = 0.05 + 0.08 * draw_bell(s);
    return l;
}
