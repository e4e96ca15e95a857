/* glyphs: ten digits written by hand, drawn as chains of cubic curves.
 *
 * A row is a writer's style (slant and width of the hand), a pen, and one digit in that hand: the control
 * points wander, the whole is bent, sheared, turned, scaled and moved, then inked. Style and pen are the
 * private attributes; they depend on one another but not on the digit. */
#include <math.h>

#include "data/draw.h"
#include "data/source.h"

enum { SIDE = 28, CELLS = SIDE * SIDE, STEPS = 8, MOST_POINTS = 16, STYLES = 4, PENS = 3 };

/* A stroke: a start and then three control points for each cubic; (0, 0) is the upper left of the digit's
 * box. */
typedef struct stroke {
    int points; /* 1 + 3 × cubics */
    double at[MOST_POINTS][2];
} stroke;

typedef struct glyph {
    int strokes;
    stroke stroke[3];
} glyph;

/* A straight piece is a cubic whose control points lie at its thirds. */
#define LINE(ax, ay, bx, by)                                                                                 \
    {((ax)*2 + (bx)) / 3.0, ((ay)*2 + (by)) / 3.0}, {((ax) + (bx)*2) / 3.0, ((ay) + (by)*2) / 3.0}, {        \
        bx, by                                                                                               \
    }

static const glyph digits[10] = {
    {1,
     {{13,
       {{.5, .03},
        {.25, .03},
        {.17, .28},
        {.17, .5},
        {.17, .74},
        {.27, .97},
        {.5, .97},
        {.75, .97},
        {.83, .72},
        {.83, .5},
        {.83, .27},
        {.74, .03},
        {.5, .03}}}}},
    {1, {{7, {{.32, .24}, LINE(.32, .24, .53, .04), LINE(.53, .04, .5, .97)}}}},
    {1,
     {{10,
       {{.2, .27},
        {.24, -.04},
        {.78, -.04},
        {.78, .27},
        {.78, .5},
        {.36, .7},
        {.18, .95},
        LINE(.18, .95, .84, .93)}}}},
    {1,
     {{13,
       {{.22, .16},
        {.36, -.03},
        {.77, -.01},
        {.75, .25},
        {.73, .44},
        {.55, .47},
        {.42, .47},
        {.66, .47},
        {.82, .57},
        {.8, .74},
        {.78, 1.02},
        {.34, 1.04},
        {.19, .85}}}}},
    {2,
     {{7, {{.6, .03}, LINE(.6, .03, .16, .64), LINE(.16, .64, .86, .64)}},
      {4, {{.66, .36}, LINE(.66, .36, .63, .98)}}}},
    {1,
     {{13,
       {{.78, .05},
        LINE(.78, .05, .31, .06),
        LINE(.31, .06, .26, .44),
        {.46, .32},
        {.83, .37},
        {.81, .68},
        {.79, 1.03},
        {.34, 1.03},
        {.19, .86}}}}},
    {1,
     {{13,
       {{.7, .04},
        {.42, .1},
        {.19, .42},
        {.2, .7},
        {.22, 1.05},
        {.8, 1.05},
        {.8, .71},
        {.8, .42},
        {.32, .4},
        {.21, .7},
        {.21, .7},
        {.21, .7},
        {.21, .72}}}}},
    {1, {{7, {{.19, .08}, LINE(.19, .08, .81, .07), {.62, .38}, {.49, .65}, {.44, .97}}}}},
    {1,
     {{13,
       {{.5, .47},
        {.17, .38},
        {.18, .03},
        {.5, .03},
        {.82, .03},
        {.83, .38},
        {.5, .47},
        {.1, .57},
        {.11, .97},
        {.5, .97},
        {.89, .97},
        {.9, .57},
        {.5, .47}}}}},
    {1,
     {{13,
       {{.77, .3},
        {.77, -.05},
        {.23, -.05},
        {.22, .29},
        {.22, .6},
        {.7, .6},
        {.77, .3},
        {.78, .42},
        {.76, .55},
        {.74, .62},
        {.72, .75},
        {.66, .88},
        {.58, .97}}}}},
};

/* Other ways to write the same digit, some hands prefer them: 1 with a foot, 4 open at the top, 7 with a bar.
 */
static const glyph other_1 = {2,
                              {{7, {{.3, .25}, LINE(.3, .25, .52, .04), LINE(.52, .04, .51, .95)}},
                               {4, {{.24, .95}, LINE(.24, .95, .78, .95)}}}};
static const glyph other_4 = {2,
                              {{7, {{.28, .06}, {.25, .25}, {.21, .4}, {.2, .55}, LINE(.2, .55, .84, .54)}},
                               {4, {{.72, .05}, LINE(.72, .05, .66, .98)}}}};
static const glyph other_7 = {
    2,
    {{7, {{.19, .08}, LINE(.19, .08, .81, .07), {.62, .38}, {.49, .65}, {.44, .97}}},
     {4, {{.3, .52}, LINE(.3, .52, .76, .5)}}}};

static const char *const style_names[STYLES] = {"upright", "forward", "backward", "round"};
static const char *const pen_names[PENS] = {"fine", "medium", "broad"};

/* Hands that lean forward write fast with fine pens, round ones like broad pens. */
static const int style_weight[STYLES] = {30, 40, 12, 18};
static const int pen_weight[STYLES][PENS] = {{30, 50, 20}, {50, 40, 10}, {25, 50, 25}, {10, 40, 50}};
static const int other_weight[STYLES] = {20, 55, 10, 35}; /* percent who write the other form */

typedef struct hand {
    double shear, wide, high, turn; /* of the box, in its own size; turn in turns */
    double x, y;                    /* centre of the digit, pixels */
    double bend[2][3];              /* quadratic warp: coefficients of u², uv, v² for x and y */
    double half_pen, ink;
} hand;

static hand draw_hand(gnt_stream *s, int style, int pen) {
    static const double shear[STYLES] = {0.0, 0.34, -0.30, 0.04};
    static const double aspect[STYLES] = {0.80, 0.78, 0.80, 1.12};
    static const double height[STYLES] = {19.0, 19.5, 19.0, 16.5};
    static const double width[PENS] = {1.5, 2.3, 3.4};
    hand h;
    h.high = height[style] * (1 + 0.08 * draw_bell(s));
    h.wide = h.high * aspect[style] * (1 + 0.10 * draw_bell(s));
    h.shear = shear[style] + 0.07 * draw_bell(s);
    h.turn = 0.012 * draw_bell(s);
    h.x = 13.5 + 1.2 * draw_bell(s);
    h.y = 13.5 + 1.2 * draw_bell(s);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            h.bend[i][j] = 0.16 * draw_bell(s);
    h.half_pen = 0.5 * width[pen] * (1 + 0.09 * draw_bell(s));
    h.ink = draw_between(s, 0.82, 1.0);
    return h;
}

/* Maps a point from the digit's box to pixels. */
static void place(const hand *h, const double at[2], double out[2]) {
    double u = at[0] - 0.5, v = at[1] - 0.5;
    double x = u + h->bend[0][0] * u * u + h->bend[0][1] * u * v + h->bend[0][2] * v * v;
    double y = v + h->bend[1][0] * u * u + h->bend[1][1] * u * v + h->bend[1][2] * v * v;
    double px = x * h->wide - h->shear * y * h->high, py = y * h->high;
    double c = draw_cos(h->turn), d = draw_sin(h->turn);
    out[0] = h->x + c * px - d * py;
    out[1] = h->y + d * px + c * py;
}

/* Lowers near[], the squared distance of every pixel to the ink, by the piece from a to b. */
static void draw_piece(double *near, const double a[2], const double b[2], double reach) {
    double low_x = (a[0] < b[0] ? a[0] : b[0]) - reach, high_x = (a[0] > b[0] ? a[0] : b[0]) + reach;
    double low_y = (a[1] < b[1] ? a[1] : b[1]) - reach, high_y = (a[1] > b[1] ? a[1] : b[1]) + reach;
    int x0 = (int)draw_clamp(low_x, 0, SIDE), x1 = (int)draw_clamp(high_x + 1, 0, SIDE);
    int y0 = (int)draw_clamp(low_y, 0, SIDE), y1 = (int)draw_clamp(high_y + 1, 0, SIDE);
    double dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy + 1e-9;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double t = draw_clamp(((x - a[0]) * dx + (y - a[1]) * dy) / length2, 0, 1);
            double ex = x - a[0] - t * dx, ey = y - a[1] - t * dy, e = ex * ex + ey * ey;
            near[y * SIDE + x] = e < near[y * SIDE + x] ? e : near[y * SIDE + x];
        }
}

static void draw_stroke(double *near, const stroke *k, const hand *h, gnt_stream *s) {
    double at[MOST_POINTS][2], wander_x = 0, wander_y = 0;
    for (int i = 0; i < k->points; i++) {
        /* neighbours wander together, or the joints would show corners */
        wander_x = 0.7 * wander_x + 0.026 * draw_bell(s);
        wander_y = 0.7 * wander_y + 0.026 * draw_bell(s);
        double moved[2] = {k->at[i][0] + wander_x, k->at[i][1] + wander_y};
        place(h, moved, at[i]);
    }
    for (int i = 0; i + 3 < k->points; i += 3) {
        double from[2] = {at[i][0], at[i][1]};
        for (int step = 1; step <= STEPS; step++) {
            double t = (double)step / STEPS, r = 1 - t, to[2];
            for (int c = 0; c < 2; c++)
                to[c] = r * r * r * at[i][c] + 3 * r * r * t * at[i + 1][c] + 3 * r * t * t * at[i + 2][c] +
                        t * t * t * at[i + 3][c];
            draw_piece(near, from, to, h->half_pen + 1.5);
            from[0] = to[0];
            from[1] = to[1];
        }
    }
}

static const glyph *form_of(int digit, int other) {
    if (other && digit == 1)
        return &other_1;
    if (other && digit == 4)
        return &other_4;
    if (other && digit == 7)
        return &other_7;
    return &digits[digit];
}

static void draw_glyph(uint8_t *pixels, int digit, int style, int pen, gnt_stream *s) {
    double near[CELLS];
    for (int i = 0; i < CELLS; i++)
        near[i] = 1e9;
    hand h = draw_hand(s, style, pen);
    int other = gnt_random_below(s, 100) < (uint64_t)other_weight[style];
    const glyph *g = form_of(digit, other);
    for (int k = 0; k < g->strokes; k++)
        draw_stroke(near, &g->stroke[k], &h, s);
    /* the pressure changes slowly across the page, the paper has grain */
    double tilt_x = 0.006 * draw_bell(s), tilt_y = 0.006 * draw_bell(s);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double reach = h.half_pen + 0.65, e = near[y * SIDE + x];
            double cover = 0;
            if (e < reach * reach)
                cover = draw_clamp((reach - sqrt(e)) / 1.3, 0, 1);
            double ink = h.ink * (1 + tilt_x * (x - 13.5) + tilt_y * (y - 13.5));
            uint32_t r = gnt_random_u32(s);
            double grain =
                ((double)(r & 255) + (double)(r >> 8 & 255) + (double)(r >> 16 & 255) - 382.5) / 127.5;
            pixels[y * SIDE + x] = draw_byte(cover * ink + (0.02 + 0.03 * cover) * grain);
        }
}

static void shape(gnt_data *d) {
    data_shape_image(d, 1, SIDE, SIDE, 10);
    d->class_name = data_digit_names;
    data_add_attr(d, "style", STYLES, style_names);
    data_add_attr(d, "pen", PENS, pen_names);
}

static void draw(gnt_data *d, int64_t row, gnt_stream *s) {
    int digit = (int)gnt_random_below(s, 10);
    int style = draw_weighted(s, style_weight, STYLES);
    int pen = draw_weighted(s, pen_weight[style], PENS);
    d->label[row] = digit;
    d->attrs[2 * row] = style;
    d->attrs[2 * row + 1] = pen;
    draw_glyph(d->pixels + row * CELLS, digit, style, pen, s);
}

const data_source data_glyphs = {.name = "glyphs",
                                 .about = "drawn digits, 28x28 grey, built in",
                                 .rows = {6000, 1000, 1000},
                                 .shape = shape,
                                 .draw = draw};
