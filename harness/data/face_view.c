#include "data/face_view.h"

#include <math.h>

double face_wave(double x) {
    double t = x - (double)(int64_t)x;
    t = t < 0 ? t + 1 : t;
    return t < 0.5 ? 4 * t - 1 : 3 - 4 * t;
}

static void bound(face_shape *s, double u0, double v0, double u1, double v1) {
    s->least_u = u0;
    s->least_v = v0;
    s->most_u = u1;
    s->most_v = v1;
}

static inline double inside_disk(const face_shape *s, double u, double v) {
    double a = (u - s->p[0]) * s->p[4], b = (v - s->p[1]) * s->p[5];
    return (1 - a * a - b * b) * s->p[6];
}

face_shape face_disk(double u, double v, double ru, double rv) {
    face_shape s = {.inside = inside_disk, .p = {u, v, ru, rv, 1 / ru, 1 / rv, 0.5 * (ru < rv ? ru : rv)}};
    bound(&s, u - ru, v - rv, u + ru, v + rv);
    return s;
}

static double inside_ring(const face_shape *s, double u, double v) {
    double d = inside_disk(s, u, v);
    return s->p[7] - (d < 0 ? -d : d);
}

face_shape face_ring(double u, double v, double ru, double rv, double half) {
    face_shape s = face_disk(u, v, ru, rv);
    s.inside = inside_ring;
    s.p[7] = half;
    bound(&s, u - ru - half, v - rv - half, u + ru + half, v + rv + half);
    return s;
}

static inline double inside_stroke(const face_shape *s, double u, double v) {
    double least = 1e9, at = 0;
    for (int i = 0; i < FACE_STROKE_PIECES; i++) {
        const double *a = s->piece[i];
        double x = u - a[0], y = v - a[1], t = draw_clamp((x * a[2] + y * a[3]) * a[4], 0, 1);
        double ex = x - t * a[2], ey = y - t * a[3], e = ex * ex + ey * ey;
        at = e < least ? i + t : at;
        least = e < least ? e : least;
    }
    double along = at * (2.0 / FACE_STROKE_PIECES) - 1;
    return (1 - 0.5 * along * along) * s->p[0] - sqrt(least);
}

face_shape face_stroke(const double a[2], const double b[2], const double c[2], double half) {
    face_shape s = {.inside = inside_stroke, .p = {half}};
    double least[2] = {a[0], a[1]}, most[2] = {a[0], a[1]}, from[2] = {a[0], a[1]};
    for (int i = 0; i < FACE_STROKE_PIECES; i++) {
        double t = (i + 1.0) / FACE_STROKE_PIECES, r = 1 - t, length2 = 1e-12;
        for (int k = 0; k < 2; k++) {
            double to = r * r * a[k] + 2 * r * t * b[k] + t * t * c[k];
            least[k] = to < least[k] ? to : least[k];
            most[k] = to > most[k] ? to : most[k];
            s.piece[i][k] = from[k];
            s.piece[i][2 + k] = to - from[k];
            length2 += (to - from[k]) * (to - from[k]);
            from[k] = to;
        }
        s.piece[i][4] = 1 / length2;
    }
    bound(&s, least[0] - half, least[1] - half, most[0] + half, most[1] + half);
    return s;
}

static double inside_lens(const face_shape *s, double u, double v) {
    double t = (u - s->p[0]) * s->p[2], bow = 1 - t * t;
    if (bow < 0)
        return -1;
    double line = s->p[1] + s->p[3] * (0.5 - t * t);
    double up = v - (line - s->p[4] * bow), low = line + s->p[5] * bow - v;
    return up < low ? up : low;
}

face_shape face_lens(double u, double v, double half, double bend, double above, double below) {
    face_shape s = {.inside = inside_lens, .p = {u, v, 1 / half, bend, above, below}};
    double reach = bend < 0 ? -bend : bend;
    bound(&s, u - half, v - reach - above, u + half, v + reach + below);
    return s;
}

/* Computes the rectangle of pixels that the shape can touch. */
static void box(const face_view *f, const face_shape *s, int at[4]) {
    double u = 0.5 * (s->least_u + s->most_u), v = 0.5 * (s->least_v + s->most_v);
    double hu = 0.5 * (s->most_u - s->least_u), hv = 0.5 * (s->most_v - s->least_v);
    double a = f->along, b = f->aside < 0 ? -f->aside : f->aside;
    double x = f->x + f->unit * (f->along * u - f->aside * v),
           y = f->y + f->unit * (f->aside * u + f->along * v);
    double hx = f->unit * (a * hu + b * hv) + 1, hy = f->unit * (b * hu + a * hv) + 1;
    at[0] = (int)draw_clamp(x - hx, 0, f->wide);
    at[1] = (int)draw_clamp(x + hx + 1, 0, f->wide);
    at[2] = (int)draw_clamp(y - hy, 0, f->high);
    at[3] = (int)draw_clamp(y + hy + 1, 0, f->high);
}

static double covered(const face_paint *p, double inside, double unit, double per_soft) {
    if (per_soft <= 0)
        return p->cover * draw_clamp(inside * unit + 0.5, 0, 1);
    double t = draw_clamp(inside * per_soft, 0, 1);
    return p->cover * t * t * (3 - 2 * t);
}

/* Adds two waves in different directions, so that no strand is like the next. */
static double strands(const face_paint *p, double u, double v) {
    return face_wave(p->across * u + p->down * v + p->phase) *
           face_wave(0.41 * p->across * u - 0.7 * p->down * v + 0.3);
}

typedef double (*inside_of)(const face_shape *, double, double);

/* Copies of shape and paint, and a constant `inside`, which the compiler can keep in registers and put in. */
static inline __attribute__((always_inline)) void fill(face_view *f, const face_shape shape,
                                                       const face_paint paint, inside_of inside) {
    int at[4];
    box(f, &shape, at);
    const double unit = f->unit, scale = 1 / unit, along = f->along * scale, aside = f->aside * scale;
    const double per_soft = paint.soft > 0 ? 1 / paint.soft : 0, per_rim = paint.rim > 0 ? 1 / paint.rim : 0;
    const double least = per_soft > 0 ? 0 : -0.5 * scale; /* where nothing is covered */
    for (int y = at[2]; y < at[3]; y++) {
        const double dx = at[0] - f->x, dy = y - f->y;
        double u = along * dx + aside * dy, v = along * dy - aside * dx;
        rgb *to = &f->at[y * f->wide + at[0]];
        for (int x = at[0]; x < at[1]; x++, to++, u += along, v -= aside) {
            const double deep = inside(&shape, u, v);
            if (deep <= least)
                continue;
            rgb colour = paint.colour;
            if (per_rim > 0)
                colour = rgb_mix(paint.edge, colour, draw_clamp(deep * per_rim, 0, 1));
            if (paint.strands > 0)
                colour = rgb_scale(colour, 1 + paint.strands * strands(&paint, u, v));
            const double cover = covered(&paint, deep, unit, per_soft);
            *to = cover < 1 ? rgb_mix(*to, colour, cover) : colour;
        }
    }
}

void face_fill(face_view *f, const face_shape *shape, const face_paint *paint) {
    if (shape->inside == inside_disk)
        fill(f, *shape, *paint, inside_disk);
    else if (shape->inside == inside_stroke)
        fill(f, *shape, *paint, inside_stroke);
    else
        fill(f, *shape, *paint, shape->inside);
}

void face_flat(face_view *f, const face_shape *shape, rgb colour, double cover) {
    const face_paint paint = {.colour = colour, .cover = cover};
    face_fill(f, shape, &paint);
}

void face_soft(face_view *f, const face_shape *shape, rgb colour, double cover, double soft) {
    const face_paint paint = {.colour = colour, .cover = cover, .soft = soft};
    face_fill(f, shape, &paint);
}
