/* What surrounds the features: background, hair, shoulders, the head itself. */
#include <math.h>

#include "data/face.h"

/* ---- the outline ---- */

double face_in_outline(const face_shape *o, double u, double v) {
    const double *p = o->p; /* half width, taper, square, 1 / scale, shift, 1 / half width */
    double w = (v - p[4]) * p[3], x = u * p[3] * p[5] * (1 + p[1] * w), a = x * x, b = w * w;
    double round = 0.5 * (1 - a - b);
    if (w <= 0)
        return round * p[0];
    double boxed = 0.25 * (1 - a * a - b * b), angular = 2 * w;
    return draw_mix(round, boxed, angular < 1 ? p[2] * angular : p[2]) * p[0];
}

face_shape face_outline(const face_person *p, double more) {
    face_shape s = {.inside = face_in_outline,
                    .p = {p->wide, p->taper, p->square, 1 / (1 + more), -0.3 * more, 1 / p->wide},
                    .least_u = -1.15 * (1 + more) * p->wide,
                    .most_u = 1.15 * (1 + more) * p->wide,
                    .least_v = -1.02 - 1.3 * more,
                    .most_v = 1.02 + 1.3 * more};
    return s;
}

void face_seen(const face_person *p, const face_look *l, double u, double v, double out[2]) {
    double a = u / p->wide, z2 = 1 - 0.9 * a * a - 0.8 * v * v, z = z2 > 0 ? sqrt(z2) : 0;
    out[0] = u * (1 - 0.25 * l->yaw * l->yaw) + 0.30 * p->wide * l->yaw * z;
    out[1] = v + 0.16 * l->nod * z;
}

/* ---- background and clothes ---- */

static rgb any_colour(gnt_stream *s) {
    double r = draw_between(s, 0.08, 0.92), g = draw_between(s, 0.08, 0.92), b = draw_between(s, 0.08, 0.92);
    double grey = (r + g + b) / 3;
    return rgb_mix((rgb){r, g, b}, (rgb){grey, grey, grey}, 0.6);
}

void face_behind(face_view *f, gnt_stream *s) {
    rgb high = any_colour(s), low = rgb_mix(any_colour(s), high, 0.4);
    const double lean = draw_between(s, -0.5, 0.5), down = 1.0 / f->high, across = lean / f->wide;
    for (int y = 0; y < f->high; y++)
        for (int x = 0; x < f->wide; x++)
            f->at[y * f->wide + x] = rgb_mix(high, low, draw_clamp(down * y + across * x - 0.5 * lean, 0, 1));
    for (int k = 0; k < 3; k++) {
        double u = draw_between(s, -1.2, 1.2), v = draw_between(s, -1.5, 1.5);
        double ru = draw_between(s, 0.3, 0.9), rv = draw_between(s, 0.3, 1.0);
        face_shape blob = face_disk(u, v, ru, rv);
        double cover = draw_between(s, 0.3, 0.8);
        face_soft(f, &blob, any_colour(s), cover, k < 2 ? 0.3 : 0.04);
    }
}

void face_shoulders(face_view *f, const face_person *p, gnt_stream *s) {
    rgb cloth = any_colour(s), shade = rgb_scale(p->skin, 0.72);
    double slope = draw_between(s, 0.50, 0.66), broad = p->age <= FACE_CHILD ? 1.15 : 1.6;
    face_shape neck = face_disk(0, 1.0, p->neck, 0.75);
    const face_paint under = {.colour = shade, .cover = 1, .rim = 0.2, .edge = rgb_scale(shade, 0.85)};
    face_shape trunk = face_disk(0, 1.98, broad + (p->sex == FACE_MALE ? 0.15 : 0), slope);
    const face_paint coat = {.colour = cloth, .cover = 1, .rim = 0.3, .edge = rgb_scale(cloth, 0.75)};
    face_fill(f, &neck, &under);
    face_fill(f, &trunk, &coat);
    face_shape collar = face_disk(0, 1.38, p->neck * 0.95, 0.22);
    face_flat(f, &collar, rgb_scale(p->skin, 0.8), 1);
}

/* ---- hair ---- */

static face_paint hair_paint(const face_person *p, double cover) {
    int curls = p->worn == FACE_CURLS;
    return (face_paint){.colour = p->hairs,
                        .cover = cover,
                        .rim = 0.16,
                        .edge = rgb_scale(p->hairs, 0.72),
                        .strands = curls ? 0.24 : 0.20,
                        .across = curls ? 4.3 : 4.6,
                        .down = curls ? 3.6 : 0.8,
                        .phase = p->parting + 4};
}

/* True if the head will be painted over it. */
static int hidden(const face_shape *s, double u, double v) {
    return v * v < 0.36 && u * u < 0.3 * s->p[0] * s->p[0];
}

/* Returns how far a point lies in the hair that hangs behind the face. p has its half width, 1 / its height
 * squared and its lower end. */
static double inside_mane(const face_shape *s, double u, double v) {
    if (hidden(s, u, v))
        return -1;
    double side = s->p[0];
    if (v < 0)
        side = side * sqrt(draw_clamp(1 - v * v * s->p[1], 0, 1)) - 0.03;
    else
        side += 0.04 * draw_clamp(v, 0, 1) * face_wave(1.7 * v + s->p[3]);
    double from_side = side - (u < 0 ? -u : u), from_end = s->p[2] - v;
    return from_side < from_end ? from_side : from_end;
}

/* Curls make the outline bumpy. */
static double inside_curls(const face_shape *s, double u, double v) {
    return face_in_outline(s, u, v) +
           0.05 * face_wave(2.1 * u + 0.7 * v) * face_wave(2.3 * v - 0.6 * u + 0.2);
}

void face_hair_behind(face_view *f, const face_person *p, const face_look *l) {
    const face_paint paint = hair_paint(p, 1);
    double far = -0.12 * l->yaw;
    if (p->worn == FACE_CURLS) {
        face_shape curls = face_outline(p, p->thick * 1.3);
        curls.inside = inside_curls;
        curls.p[4] = -0.18;
        face_fill(f, &curls, &paint);
    }
    if (p->worn == FACE_BUN) {
        face_shape bun = face_disk(far + 0.3 * p->parting, -1.16, 0.30, 0.24);
        face_fill(f, &bun, &paint);
    }
    if (p->worn != FACE_BOB && p->worn != FACE_LONG)
        return;
    double end = p->worn == FACE_BOB ? 0.82 : 1.75, half = p->wide + p->thick * 1.2, top = 1 + p->thick;
    face_shape mane = {.inside = inside_mane,
                       .p = {half, 1 / (top * top), end, p->fringe},
                       .least_u = -half - 0.1,
                       .most_u = half + 0.1,
                       .least_v = -top,
                       .most_v = end};
    face_fill(f, &mane, &paint);
}

/* Returns how far a point lies in the hair that grows over the head: inside an enlarged outline and above the
 * hairline, which falls from p[6] in the middle by p[7] towards the sides. */
static double inside_cap(const face_shape *s, double u, double v) {
    double t = (u - s->p[8]) * s->p[5], t2 = t * t;
    double line = s->p[6] + s->p[7] * t2 * draw_mix(t2, 1, s->p[9]) + 0.025 * face_wave(7 * u);
    double over = 0.8 * (line - v);
    if (over < -0.2)
        return over;
    double within = face_in_outline(s, u, v);
    return within < over ? within : over;
}

void face_hair_before(face_view *f, const face_person *p, const face_look *l) {
    if (p->worn == FACE_NONE)
        return;
    face_shape cap = face_outline(p, p->thick);
    face_paint paint = hair_paint(p, p->age == FACE_BABY ? 0.75 : 1);
    cap.inside = inside_cap;
    cap.p[6] = p->hairline + 0.10 * l->nod;
    cap.p[7] = 0.62;
    cap.p[8] = p->parting * p->fringe + 0.26 * p->wide * l->yaw;
    cap.p[9] = p->fringe * 0.5;
    if (p->worn == FACE_LONG || p->worn == FACE_BOB)
        cap.p[7] = 1.15;
    if (p->worn == FACE_CROWN) { /* what is left above the ears */
        cap.p[6] = -1.25;
        cap.p[7] = 1.30;
        cap.p[9] = 0;
    }
    face_fill(f, &cap, &paint);
    if (p->worn == FACE_CROWN)
        return;
    face_shape shine = face_disk(0.3 + cap.p[8], -0.85, 0.34, 0.12);
    face_soft(f, &shine, rgb_mix(p->hairs, (rgb){1, 1, 1}, 0.35), 0.45, 0.12);
}

/* ---- the head ---- */

void face_head(face_view *f, const face_person *p, const face_look *l) {
    face_shape head = face_outline(p, 0);
    const face_paint skin = {.colour = p->skin, .cover = 1, .rim = 0.34, .edge = rgb_scale(p->skin, 0.80)};
    for (int side = -1; side <= 1; side += 2) {
        double seen = p->ear * draw_clamp(1 - 0.8 * side * l->yaw, 0.3, 1.2);
        face_shape ear =
            face_disk(side * (p->wide + 0.02) - 0.06 * l->yaw, p->eye_v + 0.16, 0.5 * seen, p->ear);
        const face_paint lobe = {.colour = rgb_mix(p->skin, (rgb){.8, .4, .35}, 0.15),
                                 .cover = 1,
                                 .rim = 0.07,
                                 .edge = rgb_scale(p->skin, 0.72)};
        face_fill(f, &ear, &lobe);
    }
    face_fill(f, &head, &skin);
    if (p->worn == FACE_NONE || p->worn == FACE_CROWN) { /* a bare crown shines */
        face_shape shine = face_disk(0.15 + 0.2 * l->yaw, -0.68, 0.36, 0.2);
        face_soft(f, &shine, rgb_mix(p->skin, (rgb){1, 1, 1}, 0.5), 0.7, 0.2);
    }
    for (int side = -1; side <= 1; side += 2) {
        double at[2];
        face_seen(p, l, side * 0.45, 0.40, at);
        face_shape cheek = face_disk(at[0], at[1] - (l->smiles ? 0.05 : 0), 0.24, 0.2);
        double cover = (p->age <= FACE_CHILD ? 0.35 : 0.16) + (l->smiles ? 0.12 : 0);
        face_soft(f, &cheek, rgb_mix(p->skin, (rgb){.98, .50, .45}, 0.4), cover, 0.2);
    }
}
