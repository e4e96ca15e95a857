#include "data/canvas.h"

#include <math.h>

static double smooth(double t) {
    return t * t * (3 - 2 * t);
}

static void add_octave(field *f, gnt_stream *s, double step_x, double step_y, double strength) {
    enum { MOST = 34 };
    double knot[MOST][MOST];
    int nx = (int)(CANVAS / step_x) + 3, ny = (int)(CANVAS / step_y) + 3;
    nx = nx > MOST ? MOST : nx;
    ny = ny > MOST ? MOST : ny;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            knot[j][i] = (double)gnt_random_u32(s) * 0x1p-31 - 1;
    double shift_x = gnt_random_uniform(s), shift_y = gnt_random_uniform(s);
    int column[CANVAS];
    double across[CANVAS];
    for (int x = 0; x < CANVAS; x++) {
        double at = x / step_x + shift_x;
        column[x] = (int)at;
        across[x] = smooth(at - column[x]);
    }
    for (int y = 0; y < CANVAS; y++) {
        double at = y / step_y + shift_y;
        int row = (int)at;
        double down = smooth(at - row);
        for (int x = 0; x < CANVAS; x++) {
            const double *a = &knot[row][column[x]], *b = &knot[row + 1][column[x]];
            double top = a[0] + (a[1] - a[0]) * across[x], low = b[0] + (b[1] - b[0]) * across[x];
            f->at[y * CANVAS + x] += strength * (top + (low - top) * down);
        }
    }
}

void field_draw(field *f, gnt_stream *s, double coarsest, int octaves, double stretch) {
    for (int i = 0; i < CANVAS_CELLS; i++)
        f->at[i] = 0;
    double step = coarsest, strength = 0.8;
    for (int o = 0; o < octaves; o++, step /= 2, strength /= 2) {
        double step_y = step < 1.1 ? 1.1 : step, step_x = step_y * stretch;
        add_octave(f, s, step_x, step_y, strength);
    }
}

static void bounds(double least, double most, int *from, int *to) {
    *from = (int)draw_clamp(least, 0, CANVAS);
    *to = (int)draw_clamp(most + 2, 0, CANVAS);
}

/* Paints a convex polygon; corners in clockwise order as seen (y down). Colour c at the top of the
 * polygon, c_low at its bottom. */
void canvas_convex(canvas *v, const double (*corner)[2], int n, rgb c, rgb c_low, const field *texture,
                   double rough) {
    double x_low = 1e9, x_high = -1e9, y_low = 1e9, y_high = -1e9, normal[8][3];
    for (int i = 0; i < n; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % n];
        double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy) + 1e-9;
        normal[i][0] = -dy / length; /* points inward */
        normal[i][1] = dx / length;
        normal[i][2] = -(normal[i][0] * a[0] + normal[i][1] * a[1]);
        x_low = a[0] < x_low ? a[0] : x_low;
        x_high = a[0] > x_high ? a[0] : x_high;
        y_low = a[1] < y_low ? a[1] : y_low;
        y_high = a[1] > y_high ? a[1] : y_high;
    }
    int x0, x1, y0, y1;
    bounds(x_low, x_high, &x0, &x1);
    bounds(y_low, y_high, &y0, &y1);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double inside = 1e9;
            for (int i = 0; i < n; i++) {
                double e = normal[i][0] * x + normal[i][1] * y + normal[i][2];
                inside = e < inside ? e : inside;
            }
            if (inside <= -0.5)
                continue;
            double t = draw_clamp((y - y_low) / (y_high - y_low + 1e-9), 0, 1);
            rgb paint = rgb_mix(c, c_low, t);
            if (texture)
                paint = rgb_scale(paint, 1 + rough * texture->at[y * CANVAS + x]);
            canvas_dab(v, x, y, paint, draw_clamp(inside + 0.5, 0, 1));
        }
}

/* Paints an ellipse that is lit from the upper left. */
void canvas_disk(canvas *v, double x, double y, double rx, double ry, rgb lit, rgb dark, const field *texture,
                 double rough) {
    int x0, x1, y0, y1;
    bounds(x - rx - 1, x + rx, &x0, &x1);
    bounds(y - ry - 1, y + ry, &y0, &y1);
    double least = rx < ry ? rx : ry;
    for (int j = y0; j < y1; j++)
        for (int i = x0; i < x1; i++) {
            double u = (i - x) / rx, w = (j - y) / ry, r = sqrt(u * u + w * w);
            double wobble = texture ? 1 + 0.25 * rough * texture->at[j * CANVAS + i] : 1;
            double cover = draw_clamp((wobble - r) * least + 0.5, 0, 1);
            if (cover <= 0)
                continue;
            rgb paint = rgb_mix(lit, dark, draw_clamp(0.5 + 0.35 * u + 0.45 * w, 0, 1));
            if (texture)
                paint = rgb_scale(paint, 1 + rough * texture->at[j * CANVAS + i]);
            canvas_dab(v, i, j, paint, cover);
        }
}

void canvas_rect(canvas *v, double x0, double y0, double x1, double y1, rgb c) {
    int left, right, top, low;
    bounds(x0 - 1, x1, &left, &right);
    bounds(y0 - 1, y1, &top, &low);
    for (int y = top; y < low; y++)
        for (int x = left; x < right; x++) {
            double ax = draw_clamp(x1 - x + 0.5, 0, 1) - draw_clamp(x0 - x + 0.5, 0, 1);
            double ay = draw_clamp(y1 - y + 0.5, 0, 1) - draw_clamp(y0 - y + 0.5, 0, 1);
            if (ax > 0 && ay > 0)
                canvas_dab(v, x, y, c, ax * ay);
        }
}

void canvas_blur(canvas *v, double amount) {
    static const double side = 0.25, middle = 0.5;
    canvas half;
    for (int y = 0; y < CANVAS; y++)
        for (int x = 0; x < CANVAS; x++) {
            const rgb *row = &v->at[y * CANVAS];
            rgb a = row[x ? x - 1 : 0], b = row[x], c = row[x < CANVAS - 1 ? x + 1 : x];
            half.at[y * CANVAS + x] =
                (rgb){side * (a.r + c.r) + middle * b.r, side * (a.g + c.g) + middle * b.g,
                      side * (a.b + c.b) + middle * b.b};
        }
    for (int y = 0; y < CANVAS; y++)
        for (int x = 0; x < CANVAS; x++) {
            rgb a = half.at[(y ? y - 1 : 0) * CANVAS + x], b = half.at[y * CANVAS + x];
            rgb c = half.at[(y < CANVAS - 1 ? y + 1 : y) * CANVAS + x];
            rgb blurred = {side * (a.r + c.r) + middle * b.r, side * (a.g + c.g) + middle * b.g,
                           side * (a.b + c.b) + middle * b.b};
            v->at[y * CANVAS + x] = rgb_mix(b, blurred, amount);
        }
}
