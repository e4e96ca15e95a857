/* The features of a face: eyes, brows, nose, mouth, beard, wrinkles, and what is worn before the eyes. */
#include "data/face.h"

static void stroke(face_view *f, const face_person *p, const face_look *l, const double from[2],
                   const double over[2], const double to[2], double half, rgb colour, double cover) {
    double a[2], b[2], c[2];
    face_seen(p, l, from[0], from[1], a);
    face_seen(p, l, over[0], over[1], b);
    face_seen(p, l, to[0], to[1], c);
    face_shape line = face_stroke(a, b, c, half);
    face_flat(f, &line, colour, cover);
}

/* ---- eyes ---- */

/* Returns how far a point lies inside the iris, which shows only where the eye is open. */
static double inside_iris(const face_shape *s, double u, double v) {
    double a = (u - s->p[0]) * s->p[4], b = (v - s->p[1]) * s->p[5];
    double iris = (1 - a * a - b * b) * 0.5 * s->p[2];
    double x = (u - s->p[7]) * s->p[9], y = (v - s->p[8]) * s->p[10];
    double open = (1 - x * x - y * y) * 0.5 * s->p[11];
    return iris < open ? iris : open;
}

static void paint_iris(face_view *f, const double at[2], double ru, double rv, double radius, double gaze,
                       rgb colour) {
    face_shape iris = face_disk(at[0] + gaze, at[1], radius, radius);
    iris.inside = inside_iris;
    iris.p[7] = at[0];
    iris.p[8] = at[1];
    iris.p[9] = 1 / ru;
    iris.p[10] = 1 / rv;
    iris.p[11] = rv;
    face_flat(f, &iris, colour, 1);
}

static void paint_eye(face_view *f, const face_person *p, const face_look *l, int side, double gaze) {
    static const rgb dark = {.10, .07, .06};
    double at[2], size = p->eye * draw_clamp(1 + 0.2 * side * l->yaw, 0.8, 1.1);
    double ru = 0.150 * size, rv = 0.086 * p->eye * l->lids;
    int painted = p->sex == FACE_FEMALE && p->age >= FACE_YOUTH;
    face_seen(p, l, side * p->eye_u, p->eye_v, at);
    face_shape socket = face_disk(at[0], at[1] - 0.03, 0.24, 0.16);
    face_soft(f, &socket, rgb_scale(p->skin, painted ? 0.62 : 0.74), 0.45, 0.14);
    if (l->lids > 0) {
        face_shape white = face_disk(at[0], at[1], ru, rv);
        face_flat(f, &white, rgb_mix((rgb){.95, .94, .92}, p->skin, 0.12), 1);
        paint_iris(f, at, ru, rv, 0.078 * p->eye, gaze, p->iris);
        paint_iris(f, at, ru, rv, 0.038 * p->eye, gaze, dark);
    }
    double lift = l->lids > 0 ? 1.9 * rv : -0.05;
    const double a[2] = {at[0] - ru * 1.05, at[1] + 0.005}, b[2] = {at[0], at[1] - lift},
                 c[2] = {at[0] + ru * 1.05, at[1] + 0.005};
    face_shape lid = face_stroke(a, b, c, painted ? 0.034 : 0.022);
    face_flat(f, &lid, painted ? dark : rgb_mix(dark, p->skin, 0.25), 0.9);
    if (painted) { /* lashes at the outer corner */
        const double tip[2] = {at[0] + side * ru * 1.4, at[1] - 0.06},
                     root[2] = {at[0] + side * ru * 0.95, at[1]};
        face_shape lash = face_stroke(root, root, tip, 0.024);
        face_flat(f, &lash, dark, 0.8);
    }
}

static void paint_brow(face_view *f, const face_person *p, const face_look *l, int side) {
    double v = p->brow_v - l->brows, u = p->eye_u;
    double arch = p->sex == FACE_FEMALE ? 0.10 : 0.06;
    const double a[2] = {side * (u - 0.17), v + 0.03}, b[2] = {side * (u + 0.02), v - arch},
                 c[2] = {side * (u + 0.21), v + 0.045};
    stroke(f, p, l, a, b, c, p->brow, p->brows, p->age == FACE_BABY ? 0.4 : 0.9);
}

/* ---- nose and mouth ---- */

static void paint_nose(face_view *f, const face_person *p, const face_look *l) {
    rgb shade = rgb_scale(p->skin, 0.66), glow = rgb_mix(p->skin, (rgb){1, 1, 1}, 0.3);
    double tip[2], bridge = l->side > 0 ? -0.07 : 0.07;
    face_seen(p, l, 0, p->nose_v, tip);
    tip[0] += 0.08 * l->yaw;
    double top[2], mid[2];
    face_seen(p, l, bridge, p->eye_v + 0.02, top);
    face_seen(p, l, bridge * 1.1, 0.5 * (p->eye_v + p->nose_v), mid);
    const double end[2] = {tip[0] + bridge * 1.4, tip[1] - 0.06};
    face_shape flank = face_stroke(top, mid, end, 0.026);
    face_flat(f, &flank, shade, p->age <= FACE_CHILD ? 0.22 : 0.45);
    face_shape ball = face_disk(tip[0], tip[1] - 0.07, p->nose * 0.7, 0.09);
    face_soft(f, &ball, glow, 0.5, 0.08);
    const double left[2] = {tip[0] - p->nose, tip[1] - 0.05}, low[2] = {tip[0], tip[1] + 0.075},
                 right[2] = {tip[0] + p->nose, tip[1] - 0.05};
    face_shape base = face_stroke(left, low, right, 0.022);
    face_flat(f, &base, shade, 0.7);
    for (int side = -1; side <= 1; side += 2) {
        face_shape hole = face_disk(tip[0] + side * 0.52 * p->nose, tip[1] + 0.012, 0.036, 0.024);
        face_flat(f, &hole, rgb_scale(p->skin, 0.3), 0.75);
    }
}

static void paint_mouth(face_view *f, const face_person *p, const face_look *l) {
    static const rgb throat = {.22, .06, .06}, teeth = {.95, .93, .89};
    double at[2], half = p->mouth * (l->smiles ? 1.2 : 1) * (l->open > 0 && !l->smiles ? 0.85 : 1);
    face_seen(p, l, 0, p->mouth_v, at);
    at[0] += 0.03 * l->yaw;
    double lip = p->lip, up = lip + 0.25 * l->open, low = 1.25 * lip + l->open;
    face_shape lips = face_lens(at[0], at[1], half, l->bend, up, low);
    face_flat(f, &lips, p->lips, 0.95);
    if (l->open > 0) {
        face_shape hole = face_lens(at[0], at[1], half * 0.92, l->bend, 0.2 * l->open, l->open);
        face_flat(f, &hole, throat, 1);
        face_shape row = face_lens(at[0], at[1], half * 0.84, l->bend, 0.15 * l->open,
                                   (l->smiles ? 0.75 : 0.15) * l->open);
        face_flat(f, &row, teeth, l->smiles ? 1 : 0.6);
    } else {
        const double a[2] = {at[0] - half, at[1] - 0.5 * l->bend}, b[2] = {at[0], at[1] + 1.5 * l->bend},
                     c[2] = {at[0] + half, at[1] - 0.5 * l->bend};
        face_shape line = face_stroke(a, b, c, 0.019);
        face_flat(f, &line, rgb_scale(p->lips, 0.42), 0.95);
    }
    face_shape chin = face_disk(at[0], at[1] + low + 0.09, 0.2, 0.07);
    face_soft(f, &chin, rgb_scale(p->skin, 0.72), p->beard < FACE_BEARD ? 0.4 : 0, 0.07);
}

/* ---- beard and wrinkles ---- */

/* Returns how far a point lies in the part of the head's outline below a line that falls from the ears to
 * under the mouth. */
static double inside_beard(const face_shape *s, double u, double v) {
    double t = u * s->p[5], line = s->p[6] - s->p[7] * t * t + 0.02 * face_wave(8 * u);
    double within = face_in_outline(s, u, v), under = 0.7 * (v - line);
    return within < under ? within : under;
}

static void paint_beard(face_view *f, const face_person *p, const face_look *l) {
    if (p->beard == FACE_SHAVED)
        return;
    rgb colour = rgb_mix(p->hairs, (rgb){.12, .09, .08}, p->age == FACE_SENIOR ? 0.1 : 0.4);
    double at[2];
    face_seen(p, l, 0, p->mouth_v, at);
    if (p->beard != FACE_MOUSTACHE) {
        face_shape beard = face_outline(p, 0.03);
        beard.inside = inside_beard;
        beard.p[6] = at[1] + 0.12;
        beard.p[7] = 0.62;
        const face_paint full = {.colour = colour, .cover = 0.92, .strands = 0.15, .across = 5, .down = 2},
                         grown = {.colour = colour, .cover = 0.38, .soft = 0.12};
        face_fill(f, &beard, p->beard == FACE_BEARD ? &full : &grown);
    }
    const double a[2] = {at[0] - p->mouth * 1.05, at[1] - 0.01 - 0.3 * l->bend}, b[2] = {at[0], at[1] - 0.20},
                 c[2] = {at[0] + p->mouth * 1.05, at[1] - 0.01 - 0.3 * l->bend};
    face_shape lip = face_stroke(a, b, c, 0.055);
    face_flat(f, &lip, colour, p->beard == FACE_STUBBLE ? 0.3 : 0.9);
}

static void paint_lines(face_view *f, const face_person *p, const face_look *l) {
    rgb shade = rgb_scale(p->skin, 0.58);
    double deep = p->lines, fold = draw_clamp(0.6 * deep + (l->smiles ? 0.28 : 0), 0, 0.75);
    for (int side = -1; side <= 1 && fold > 0; side += 2) {
        double m = p->mouth * (l->smiles ? 1.35 : 1.15);
        const double a[2] = {side * p->nose * 1.15, p->nose_v - 0.04},
                     b[2] = {side * (m + 0.02), p->nose_v + 0.04}, c[2] = {side * m, p->mouth_v + 0.02};
        stroke(f, p, l, a, b, c, 0.022, shade, fold);
    }
    if (deep < 0.15)
        return;
    for (int side = -1; side <= 1; side += 2) {
        const double a[2] = {side * (p->eye_u - 0.15), p->eye_v + 0.13},
                     b[2] = {side * p->eye_u, p->eye_v + 0.21},
                     c[2] = {side * (p->eye_u + 0.16), p->eye_v + 0.12};
        stroke(f, p, l, a, b, c, 0.022, shade, 0.65 * deep);
        for (int k = -1; k <= 1 && deep > 0.5; k++) {
            const double from[2] = {side * (p->eye_u + 0.18), p->eye_v + 0.03 * k},
                         to[2] = {side * (p->eye_u + 0.31), p->eye_v + 0.07 * k};
            stroke(f, p, l, from, from, to, 0.018, shade, 0.6 * deep);
        }
    }
    for (int k = 0; k < 3; k++) {
        double v = p->brow_v - 0.13 - 0.105 * k;
        const double a[2] = {-0.36 + 0.05 * k, v + 0.02}, b[2] = {0, v - 0.03},
                     c[2] = {0.36 - 0.05 * k, v + 0.02};
        stroke(f, p, l, a, b, c, 0.020, shade, 0.7 * deep);
    }
}

void face_features(face_view *f, const face_person *p, const face_look *l, gnt_stream *s) {
    double gaze = 0.025 * draw_bell(s) + 0.03 * l->yaw;
    for (int side = -1; side <= 1; side += 2)
        paint_eye(f, p, l, side, gaze);
    paint_nose(f, p, l);
    paint_beard(f, p, l);
    paint_mouth(f, p, l);
    paint_lines(f, p, l);
    for (int side = -1; side <= 1; side += 2)
        paint_brow(f, p, l, side);
}

/* ---- before the eyes ---- */

void face_eyewear(face_view *f, const face_person *p, const face_look *l, gnt_stream *s) {
    static const rgb frames[4] = {{.07, .07, .08}, {.28, .16, .10}, {.62, .50, .28}, {.50, .10, .12}};
    static const rgb tints[3] = {{.06, .06, .07}, {.20, .12, .07}, {.08, .10, .20}};
    if (l->eyewear == FACE_BARE)
        return;
    int sun = l->eyewear == FACE_SUNGLASSES;
    rgb frame = frames[gnt_random_below(s, 4)], tint = tints[gnt_random_below(s, 3)];
    double half = draw_between(s, 0.018, 0.034), rim_u = draw_between(s, 0.215, 0.26),
           rim_v = draw_between(s, 0.15, 0.20), glare = draw_between(s, -0.1, 0.1);
    double inner[2][2], outer[2][2];
    for (int i = 0; i < 2; i++) {
        int side = 2 * i - 1;
        double at[2], ru = rim_u * draw_clamp(1 + 0.15 * side * l->yaw, 0.85, 1.1) + (sun ? 0.03 : 0);
        face_seen(p, l, side * p->eye_u * 1.04, p->eye_v + 0.03, at);
        face_shape lens = face_disk(at[0], at[1], ru, rim_v + (sun ? 0.025 : 0));
        face_shape rim = face_ring(at[0], at[1], ru, rim_v + (sun ? 0.025 : 0), half);
        const face_paint dark = {.colour = tint, .cover = 0.95, .rim = 0.12, .edge = rgb_scale(tint, 0.6)};
        if (sun)
            face_fill(f, &lens, &dark);
        else
            face_flat(f, &lens, (rgb){.95, .97, 1}, 0.10);
        face_flat(f, &rim, frame, 1);
        face_shape shine = face_disk(at[0] + glare, at[1] - 0.06, 0.06, 0.04);
        face_soft(f, &shine, (rgb){1, 1, 1}, sun ? 0.6 : 0.5, 0.04);
        inner[i][0] = at[0] - side * ru;
        outer[i][0] = at[0] + side * ru;
        inner[i][1] = outer[i][1] = at[1] - 0.03;
    }
    const double over[2] = {0.5 * (inner[0][0] + inner[1][0]), inner[0][1] - 0.05};
    face_shape bridge = face_stroke(inner[0], over, inner[1], half);
    face_flat(f, &bridge, frame, 1);
    for (int i = 0; i < 2; i++) {
        const double ear[2] = {(2 * i - 1) * (p->wide + 0.01), p->eye_v + 0.02};
        face_shape temple = face_stroke(outer[i], outer[i], ear, half);
        face_flat(f, &temple, frame, 0.9);
    }
}
