/* scenes: ten kinds of landscape, painted back to front: sky, clouds, sun or moon, the far, the ground, the
 * object that names the class, something in front; then light, haze, blur and grain.
 *
 * Time of day and weather are the private attributes. They colour everything; they depend on one another and
 * a little on the class. The ground's kind and all hues vary within a class, so that colour alone does not
 * tell it. */
#include "data/canvas.h"
#include "data/draw.h"
#include "data/source.h"

enum { CLASSES = 10, TIMES = 4, WEATHERS = 3 };
enum { SEA, MOUNTAIN, FOREST, CITY, DUNES, HOUSE, ROAD, BALLOON, BOAT, TREE };
enum { MORNING, DAY, EVENING, NIGHT };
enum { CLEAR, CLOUDY, FOG };

static const char *const class_names[CLASSES] = {"sea",   "mountain", "forest",  "city", "dunes",
                                                 "house", "road",     "balloon", "boat", "tree"};
static const char *const time_names[TIMES] = {"morning", "day", "evening", "night"};
static const char *const weather_names[WEATHERS] = {"clear", "cloudy", "fog"};

static const int time_weight[CLASSES][TIMES] = {
    {20, 45, 25, 10}, {25, 50, 20, 5},  {25, 50, 15, 10}, {15, 35, 20, 30}, {20, 50, 22, 8},
    {20, 45, 20, 15}, {20, 45, 20, 15}, {35, 45, 18, 2},  {25, 42, 25, 8},  {25, 45, 22, 8}};
static const int weather_weight[TIMES][WEATHERS] = {{35, 30, 35}, {55, 38, 7}, {50, 40, 10}, {55, 30, 15}};

typedef struct scene {
    gnt_stream *s;
    canvas v;
    field coarse, fine, streaks;
    int time, weather, mirror;
    double horizon; /* y of the skyline */
    rgb sky_high, sky_low, ground, light;
    rgb air_high, air; /* the sky's colours before the light that everything under it gets in the end */
    double haze;       /* share of the sky's colour at the horizon's distance */
} scene;

static double between(scene *c, double least, double most) {
    return draw_between(c->s, least, most);
}

static rgb vary(scene *c, rgb base, double by) {
    double all = 1 + by * draw_bell(c->s);
    rgb out = {base.r * all * (1 + 0.6 * by * draw_bell(c->s)),
               base.g * all * (1 + 0.6 * by * draw_bell(c->s)),
               base.b * all * (1 + 0.6 * by * draw_bell(c->s))};
    return out;
}

static rgb some_hue(scene *c) {
    static const rgb hue[] = {{.78, .16, .13}, {.86, .55, .12}, {.90, .80, .20},
                              {.20, .48, .25}, {.15, .30, .65}, {.48, .20, .50},
                              {.90, .88, .84}, {.25, .22, .22}, {.20, .60, .65}};
    return vary(c, hue[gnt_random_below(c->s, sizeof hue / sizeof *hue)], 0.12);
}

static rgb far_off(const scene *c, rgb paint, double distance) {
    return rgb_mix(paint, c->air, draw_clamp(c->haze * distance, 0, 1));
}

static rgb rgb_over(rgb a, rgb b) {
    return (rgb){a.r / b.r, a.g / b.g, a.b / b.b};
}

static void choose_palette(scene *c) {
    static const rgb high[TIMES] = {{.55, .65, .82}, {.25, .48, .82}, {.35, .33, .55}, {.03, .05, .14}};
    static const rgb low[TIMES] = {{.95, .80, .68}, {.70, .84, .95}, {.96, .55, .28}, {.10, .13, .26}};
    static const rgb light[TIMES] = {{1.0, .92, .84}, {1.05, 1.03, 1.0}, {.92, .72, .58}, {.30, .34, .50}};
    static const rgb grey[TIMES] = {{.74, .73, .74}, {.72, .75, .78}, {.60, .50, .48}, {.10, .11, .16}};
    static const rgb soil[] = {{.30, .50, .18}, {.45, .52, .22}, {.70, .60, .36},
                               {.48, .36, .25}, {.86, .88, .92}, {.24, .40, .22}};
    c->sky_high = vary(c, high[c->time], 0.13);
    c->sky_low = vary(c, low[c->time], 0.10);
    c->light = light[c->time];
    if (c->weather != CLEAR) {
        double dull = c->weather == FOG ? 0.85 : 0.55;
        c->sky_high = rgb_mix(c->sky_high, grey[c->time], dull);
        c->sky_low = rgb_mix(c->sky_low, grey[c->time], dull);
        c->light = rgb_mix(c->light, rgb_scale(grey[c->time], 1.15), 0.4);
    }
    c->air = rgb_over(c->sky_low, c->light);
    c->air_high = rgb_over(c->sky_high, c->light);
    c->ground = vary(c, soil[gnt_random_below(c->s, sizeof soil / sizeof *soil)], 0.12);
    c->haze = c->weather == FOG ? between(c, 0.6, 0.8) : c->weather == CLOUDY ? 0.35 : between(c, 0.12, 0.3);
}

static void paint_sky(scene *c) {
    double cloud_at = c->weather == CLEAR ? between(c, 0.35, 0.8) : between(c, -0.35, 0.05);
    rgb cloud = c->time == NIGHT ? (rgb){.16, .18, .26} : rgb_mix((rgb){.96, .95, .95}, c->sky_low, 0.45);
    rgb shade = rgb_scale(rgb_mix(cloud, c->sky_high, 0.35), 0.85);
    double sun_x = between(c, 3, 29),
           sun_y = c->horizon - between(c, c->time == DAY ? 8 : 1, c->time == DAY ? 16 : 9);
    rgb sun = c->time == NIGHT ? (rgb){.92, .92, .84}
              : c->time == DAY ? (rgb){1.1, 1.08, .95}
                               : (rgb){1.1, .85, .5};
    int shines = c->weather == CLEAR && draw_chance(c->s, 0.6);
    double radius = between(c, 1.6, 2.8), glow = c->time == NIGHT ? 0.15 : 0.55;
    for (int y = 0; y < CANVAS; y++)
        for (int x = 0; x < CANVAS; x++) {
            int i = y * CANVAS + x;
            c->v.at[i] = rgb_mix(c->sky_high, c->sky_low, draw_clamp(y / (c->horizon + 1e-9), 0, 1));
            if (shines) {
                double dx = x - sun_x, dy = y - sun_y, r2 = dx * dx + dy * dy;
                canvas_dab(&c->v, x, y, sun, glow / (1 + r2 / 14));
            }
        }
    if (shines)
        canvas_disk(&c->v, sun_x, sun_y, radius, radius, sun, sun, NULL, 0);
    for (int i = 0; c->weather != FOG && i < CANVAS_CELLS; i++) {
        double thick = draw_clamp((c->streaks.at[i] - cloud_at) * 2.2, 0, 1);
        canvas_dab(&c->v, i % CANVAS, i / CANVAS,
                   rgb_mix(shade, cloud, draw_clamp(0.5 - 0.8 * c->coarse.at[i], 0, 1)), 0.9 * thick);
    }
    for (int i = 0; i < CANVAS_CELLS; i++)
        c->v.lit[i] = 0;
}

/* Everything below the line y = level(x) in colour near → far by depth. */
static void paint_below(scene *c, const double level[CANVAS], rgb far, rgb near, double rough) {
    for (int x = 0; x < CANVAS; x++)
        for (int y = 0; y < CANVAS; y++) {
            double cover = draw_clamp(y - level[x] + 0.5, 0, 1);
            if (cover <= 0)
                continue;
            int i = y * CANVAS + x;
            double t = draw_clamp((y - level[x]) / (CANVAS - level[x] + 1e-9), 0, 1);
            rgb paint = rgb_scale(rgb_mix(far, near, t),
                                  1 + rough * (0.4 + 0.6 * t) * (c->fine.at[i] + 0.5 * c->coarse.at[i]));
            canvas_dab(&c->v, x, y, paint, cover);
        }
}

static void rolling(scene *c, double level[CANVAS], double height, double swing) {
    double turn = gnt_random_uniform(c->s), waves = between(c, 0.3, 1.1), slope = 0.06 * draw_bell(c->s);
    for (int x = 0; x < CANVAS; x++)
        level[x] = height + swing * draw_sin(turn + waves * x / CANVAS) + slope * (x - 15.5);
}

static void paint_ground(scene *c, double swing) {
    double level[CANVAS];
    rolling(c, level, c->horizon, swing);
    paint_below(c, level, far_off(c, rgb_scale(c->ground, 1.05), 0.8), rgb_scale(c->ground, 0.8), 0.28);
}

static void paint_water(scene *c) {
    rgb deep = vary(c, (rgb){.10, .27, .38}, 0.2);
    rgb near = rgb_mix(deep, c->air_high, 0.25), far = rgb_mix(deep, c->air, 0.55);
    double level[CANVAS], rough = between(c, 0.1, 0.45), glitter_x = between(c, 4, 28);
    int glitter = c->weather == CLEAR && draw_chance(c->s, 0.5);
    for (int x = 0; x < CANVAS; x++)
        level[x] = c->horizon;
    paint_below(c, level, far, near, 0.06);
    field waves;
    field_draw(&waves, c->s, 3.2, 2, 3.5);
    for (int y = (int)c->horizon + 1; y < CANVAS; y++)
        for (int x = 0; x < CANVAS; x++) {
            int i = y * CANVAS + x;
            double depth = (y - c->horizon) / (CANVAS - c->horizon), w = waves.at[i];
            c->v.at[i] = rgb_scale(c->v.at[i], 1 + rough * w * (0.4 + depth));
            double off = (x - glitter_x) / (1.5 + 4 * depth);
            if (glitter && w > 0)
                canvas_dab(&c->v, x, y, rgb_mix(c->air, (rgb){1, 1, .9}, 0.5), 0.8 * w / (1 + off * off));
        }
}

static void ridge(scene *c, double base, double height, int peaks, rgb paint, double snow) {
    double px[4], py[4], slope[4], level[CANVAS];
    for (int k = 0; k < peaks; k++) {
        px[k] = between(c, -2, 34);
        py[k] = base - height * between(c, 0.6, 1.0);
        slope[k] = between(c, 0.55, 1.15);
    }
    for (int x = 0; x < CANVAS; x++) {
        level[x] = base + 1;
        for (int k = 0; k < peaks; k++) {
            double off = x - px[k], y = py[k] + slope[k] * (off < 0 ? -off : off);
            level[x] = y < level[x] ? y : level[x];
        }
        level[x] += 0.9 * c->fine.at[7 * CANVAS + x];
    }
    for (int x = 0; x < CANVAS; x++)
        for (int y = 0; y < CANVAS; y++) {
            double cover = draw_clamp(y - level[x] + 0.5, 0, 1);
            if (cover <= 0 || y > base + 2)
                continue;
            int i = y * CANVAS + x;
            double lit = x && level[x] < level[x - 1] ? 1.15 : 0.72;
            double white = draw_clamp((base - height * (1 - snow) - y) / 1.5 + 1.2 * c->fine.at[i], 0, 1);
            rgb face = rgb_mix(paint, (rgb){.95, .96, 1.0}, snow > 0 ? white : 0);
            canvas_dab(&c->v, x, y, rgb_scale(face, lit * (1 + 0.25 * c->fine.at[i])), cover);
        }
}

static void paint_mountains(scene *c) {
    rgb rock = vary(c, (rgb){.42, .40, .42}, 0.15);
    double base = c->horizon + 3, height = between(c, 11, 17);
    ridge(c, base, height, 3, far_off(c, rock, 1.3), draw_chance(c->s, 0.7) ? between(c, 0.3, 0.6) : 0);
    ridge(c, base, height * between(c, 0.4, 0.6), 3, far_off(c, rgb_mix(rock, c->ground, 0.5), 0.7), 0);
    paint_ground(c, 0.8);
}

static void conifer(scene *c, double x, double foot, double height, rgb paint) {
    double half = height * between(c, 0.2, 0.28);
    canvas_rect(&c->v, x - 0.4, foot - 1.5, x + 0.4, foot, (rgb){.22, .15, .10});
    for (int tier = 0; tier < 3; tier++) {
        double low = foot - 1 - height * 0.26 * tier, w = half * (1 - 0.24 * tier);
        double top = tier == 2 ? foot - height : low - height * 0.42;
        double corner[3][2] = {{x, top}, {x + w, low}, {x - w, low}};
        canvas_convex(&c->v, (const double(*)[2])corner, 3, rgb_scale(paint, 1.2), rgb_scale(paint, 0.75),
                      &c->fine, 0.35);
    }
}

static void paint_forest(scene *c) {
    rgb leaf = vary(c, draw_chance(c->s, 0.2) ? (rgb){.50, .38, .14} : (rgb){.14, .32, .16}, 0.15);
    double height = between(c, 11, 17);
    paint_ground(c, 1.0);
    for (int layer = 0; layer < 3; layer++) {
        double foot = c->horizon + 1 + 4.2 * layer, x = between(c, -3, 2),
               size = height * (0.62 + 0.2 * layer);
        rgb paint = far_off(c, rgb_scale(leaf, 1.1 - 0.1 * layer), 1.0 - 0.4 * layer);
        for (; x < 34; x += size * between(c, 0.28, 0.5))
            conifer(c, x, foot + between(c, -0.8, 0.8), size * between(c, 0.75, 1.2), paint);
    }
}

static void tower(scene *c, double x, double width, double top, double foot, rgb wall) {
    canvas_rect(&c->v, x, top, x + width, foot, wall);
    canvas_rect(&c->v, x + width * 0.72, top, x + width, foot, rgb_scale(wall, 0.72));
    rgb lamp = {2.6, 2.1, 1.2}, glass = rgb_mix(rgb_scale(wall, 0.55), c->air_high, 0.3);
    double lit = c->time == NIGHT ? 0.6 : c->time == DAY ? 0 : 0.25;
    for (double y = top + 1.2; y < foot - 1; y += 2.1)
        for (double at = x + 0.8; at < x + width - 1; at += 1.9)
            canvas_rect(&c->v, at, y, at + 0.95, y + 1.1, draw_chance(c->s, lit) ? lamp : glass);
}

static void paint_city(scene *c) {
    double foot = c->horizon + between(c, 1, 4);
    paint_ground(c, 0.3);
    for (int layer = 0; layer < 2; layer++)
        for (double x = between(c, -3, 1); x < CANVAS;) {
            double width = between(c, 3.2, 7), top = foot - between(c, 4, layer ? 13 : 18);
            rgb wall = vary(c, draw_chance(c->s, 0.3) ? (rgb){.55, .40, .33} : (rgb){.52, .53, .56}, 0.18);
            tower(c, x, width, top, foot, layer ? wall : far_off(c, wall, 1.2));
            x += width + (layer ? between(c, 0, 4) : between(c, -0.5, 1));
        }
}

static void paint_dunes(scene *c) {
    rgb sand = vary(c, draw_chance(c->s, 0.25) ? (rgb){.88, .89, .93} : (rgb){.84, .66, .40}, 0.13);
    int folds = 3 + (int)gnt_random_below(c->s, 2);
    for (int k = 0; k < folds; k++) {
        double t = (double)k / folds, turn = gnt_random_uniform(c->s),
               waves = between(c, 0.5, 1.2) * (1 + 0.3 * (1 - t));
        double height = c->horizon + t * (CANVAS - c->horizon) + 1.5,
               swing = between(c, 1.5, 3.2) * (0.7 + t);
        double slope = 0.1 * draw_bell(c->s);
        rgb lit = far_off(c, rgb_scale(sand, between(c, 1.0, 1.15)), 1 - t);
        rgb dark = far_off(c, rgb_scale(sand, between(c, 0.55, 0.7)), 1 - t);
        for (int x = 0; x < CANVAS; x++) {
            double phase = turn + waves * x / CANVAS,
                   level = height + swing * draw_sin(phase) + slope * (x - 16);
            double lee = draw_clamp(0.5 + 1.3 * draw_cos(phase), 0, 1);
            for (int y = 0; y < CANVAS; y++) {
                double cover = draw_clamp(y - level + 0.5, 0, 1), below = draw_clamp((y - level) / 8, 0, 1);
                if (cover <= 0)
                    continue;
                rgb paint = rgb_mix(rgb_mix(dark, lit, lee), rgb_scale(lit, 0.9), below);
                canvas_dab(&c->v, x, y, rgb_scale(paint, 1 + 0.08 * c->fine.at[y * CANVAS + x]), cover);
            }
        }
    }
}

static void paint_house(scene *c) {
    paint_ground(c, 0.9);
    double width = between(c, 10, 17), tall = width * between(c, 0.45, 0.65), x = between(c, 3, 29 - width);
    double foot = c->horizon + between(c, 4, 8), top = foot - tall,
           ridge_y = top - width * between(c, 0.3, 0.5);
    double eave = between(c, 0.6, 1.4);
    rgb wall = vary(c, draw_chance(c->s, 0.5) ? (rgb){.85, .80, .70} : some_hue(c), 0.1);
    rgb roof = vary(c, draw_chance(c->s, 0.5) ? (rgb){.55, .22, .16} : (rgb){.30, .28, .30}, 0.15);
    rgb window = c->time == NIGHT || c->time == EVENING ? (rgb){2.2, 1.7, .8} : (rgb){.25, .32, .42};
    canvas_rect(&c->v, x, top, x + width, foot, wall);
    canvas_rect(&c->v, x + width * 0.66, top, x + width, foot, rgb_scale(wall, 0.75));
    double gable[3][2] = {{x + width * 0.5, ridge_y}, {x + width + eave, top + 0.4}, {x - eave, top + 0.4}};
    canvas_convex(&c->v, (const double(*)[2])gable, 3, rgb_scale(roof, 1.1), rgb_scale(roof, 0.8), &c->fine,
                  0.25);
    double door = x + width * between(c, 0.38, 0.55);
    canvas_rect(&c->v, door, foot - tall * 0.6, door + width * 0.15, foot, rgb_scale(roof, 0.6));
    canvas_rect(&c->v, x + width * 0.1, top + tall * 0.25, x + width * 0.3, top + tall * 0.6, window);
    canvas_rect(&c->v, x + width * 0.7, top + tall * 0.25, x + width * 0.9, top + tall * 0.6, window);
}

static void paint_road(scene *c) {
    paint_ground(c, 0.5);
    double end = between(c, 9, 23), start = between(c, 10, 22), half = between(c, 7, 13),
           far = between(c, 0.5, 1.1);
    rgb tar = vary(c, draw_chance(c->s, 0.25) ? (rgb){.55, .45, .34} : (rgb){.33, .33, .35}, 0.12);
    double y0 = c->horizon - 0.3, y1 = 32.5;
    double lane[4][2] = {{end - far, y0}, {end + far, y0}, {start + half, y1}, {start - half, y1}};
    canvas_convex(&c->v, (const double(*)[2])lane, 4, far_off(c, tar, 0.7), tar, &c->fine, 0.12);
    rgb line = draw_chance(c->s, 0.3) ? (rgb){.95, .78, .20} : (rgb){.93, .93, .90};
    double step = between(c, 0.16, 0.24), at = between(c, 0.0, 0.2);
    for (double t = at; t < 1; t += step * (0.5 + t)) {
        double u = t + step * (0.25 + 0.25 * t), a = end + (start - end) * t, b = end + (start - end) * u;
        double wa = 0.15 + 0.6 * t, wb = 0.15 + 0.6 * u, ya = y0 + (y1 - y0) * t, yb = y0 + (y1 - y0) * u;
        double dash[4][2] = {{a - wa, ya}, {a + wa, ya}, {b + wb, yb}, {b - wb, yb}};
        canvas_convex(&c->v, (const double(*)[2])dash, 4, line, line, NULL, 0);
    }
}

static void balloon(scene *c, double x, double y, double r, double distance) {
    rgb one = far_off(c, some_hue(c), distance), two = far_off(c, some_hue(c), distance);
    int stripes = 2 + (int)gnt_random_below(c->s, 2);
    rgb dark = rgb_scale(one, 0.6), rope = {.25, .18, .12};
    double skirt[4][2] = {{x - r * 0.72, y + r * 0.62},
                          {x + r * 0.72, y + r * 0.62},
                          {x + r * 0.2, y + r * 1.5},
                          {x - r * 0.2, y + r * 1.5}};
    canvas_convex(&c->v, (const double(*)[2])skirt, 4, rgb_scale(one, 0.85), dark, NULL, 0);
    canvas_disk(&c->v, x, y, r, r, rgb_scale(one, 1.1), dark, NULL, 0);
    for (int k = 0; k < stripes; k++) {
        double at = (k + 0.5) / stripes * 2 - 1;
        canvas_disk(&c->v, x + at * r * 0.62, y, r * 0.17, r * 0.88, rgb_scale(two, 1.05),
                    rgb_scale(two, 0.65), NULL, 0);
    }
    canvas_rect(&c->v, x - r * 0.22, y + r * 1.6, x + r * 0.22, y + r * 1.95, far_off(c, rope, distance));
}

static void paint_balloon(scene *c) {
    c->horizon = between(c, 24, 30);
    paint_sky(c);
    paint_ground(c, 1.0);
    if (draw_chance(c->s, 0.45))
        balloon(c, between(c, 4, 28), between(c, 4, 14), between(c, 2.0, 3.2), 0.8);
    balloon(c, between(c, 9, 23), between(c, 8, 14), between(c, 5, 7.5), 0.15);
}

static void paint_boat(scene *c) {
    paint_water(c);
    double x = between(c, 8, 24), y = c->horizon + between(c, 3, 7), half = between(c, 4, 7),
           mast = between(c, 9, 14);
    rgb hull = some_hue(c),
        sail = draw_chance(c->s, 0.65) ? vary(c, (rgb){.94, .92, .87}, 0.05) : some_hue(c);
    double lean = between(c, -0.6, 0.6), low = y - 1.2;
    double body[4][2] = {
        {x - half, y - 1}, {x + half, y - 1}, {x + half * 0.68, y + 1.6}, {x - half * 0.75, y + 1.6}};
    double big[3][2] = {{x + lean, y - mast}, {x + half * 0.9, low}, {x + 0.3, low}};
    double jib[3][2] = {{x + lean - 0.4, y - mast * 0.85}, {x - 0.4, low}, {x - half * 0.8, low}};
    canvas_convex(&c->v, (const double(*)[2])big, 3, sail, rgb_scale(sail, 0.88), NULL, 0);
    canvas_convex(&c->v, (const double(*)[2])jib, 3, rgb_scale(sail, 0.86), rgb_scale(sail, 0.75), NULL, 0);
    canvas_rect(&c->v, x - 0.3, y - mast, x + 0.3, y - 1, (rgb){.30, .22, .16});
    canvas_convex(&c->v, (const double(*)[2])body, 4, rgb_scale(hull, 1.05), rgb_scale(hull, 0.65), NULL, 0);
    for (int j = 0; j < 5; j++) /* reflection */
        canvas_rect(&c->v, x - half * 0.6 + between(c, -1, 1), y + 2 + j, x + half * 0.6 + between(c, -1, 1),
                    y + 2.5 + j, rgb_mix(rgb_scale(hull, 0.6), c->air_high, 0.4));
}

static void paint_tree(scene *c) {
    paint_ground(c, 1.6);
    double x = between(c, 9, 23), foot = c->horizon + between(c, 4, 8), tall = between(c, 14, 20),
           r = tall * between(c, 0.28, 0.36);
    static const rgb leaves[] = {
        {.22, .45, .16}, {.35, .50, .18}, {.72, .38, .12}, {.85, .62, .70}, {.60, .20, .14}};
    rgb leaf = vary(c, leaves[gnt_random_below(c->s, 5)], 0.12), bark = vary(c, (rgb){.30, .21, .14}, 0.15);
    double w = between(c, 0.8, 1.5), crown = foot - tall + r;
    double trunk[4][2] = {
        {x - w * 0.7, crown}, {x + w * 0.7, crown}, {x + w * 1.3, foot}, {x - w * 1.3, foot}};
    canvas_disk(&c->v, x + r * 0.5, foot + 0.4, r * 1.1, 1.1, rgb_scale(c->ground, 0.5),
                rgb_scale(c->ground, 0.5), NULL, 0);
    canvas_convex(&c->v, (const double(*)[2])trunk, 4, bark, rgb_scale(bark, 0.7), NULL, 0);
    for (int k = 0; k < 6; k++) {
        double dx = r * between(c, -0.65, 0.65), dy = r * between(c, -0.45, 0.5),
               size = r * between(c, 0.5, 0.7);
        canvas_disk(&c->v, x + dx, crown + dy, size, size * 0.9, rgb_scale(leaf, 1.2), rgb_scale(leaf, 0.55),
                    &c->fine, 0.45);
    }
}

/* Something near and unimportant that hides a part: a bush, a post, or a branch from above. */
static void paint_front(scene *c) {
    if (!draw_chance(c->s, 0.4))
        return;
    int kind = (int)gnt_random_below(c->s, 3);
    double x = draw_chance(c->s, 0.5) ? between(c, -1, 6) : between(c, 25, 32);
    rgb leaf = vary(c, (rgb){.18, .26, .12}, 0.25);
    if (kind == 0)
        for (int k = 0; k < 3; k++)
            canvas_disk(&c->v, x + between(c, -3, 3), between(c, 29, 32), between(c, 2, 4), between(c, 2, 4),
                        rgb_scale(leaf, 1.2), rgb_scale(leaf, 0.5), &c->fine, 0.5);
    else if (kind == 1)
        canvas_rect(&c->v, x, between(c, 12, 22), x + between(c, 0.8, 1.8), 33,
                    vary(c, (rgb){.33, .27, .22}, 0.3));
    else
        for (int k = 0; k < 4; k++)
            canvas_disk(&c->v, x + between(c, -5, 5), between(c, -1, 4), between(c, 1.5, 3.5),
                        between(c, 1, 2.5), leaf, rgb_scale(leaf, 0.5), &c->fine, 0.6);
}

/* Light on everything below the sky, fog over all, softness of the lens, grain; then to bytes. */
static void finish(scene *c, uint8_t *pixels) {
    double gain = 1 + 0.07 * draw_bell(c->s), warm = 0.03 * draw_bell(c->s),
           grain = c->time == NIGHT ? 0.022 : 0.012;
    double fog = c->weather == FOG ? between(c, 0.2, 0.45) : 0, fog_lean = between(c, 0, 1);
    canvas_blur(&c->v, between(c, 0.15, 0.6));
    for (int y = 0; y < CANVAS; y++)
        for (int x = 0; x < CANVAS; x++) {
            int from = y * CANVAS + (c->mirror ? CANVAS - 1 - x : x), to = y * CANVAS + x;
            rgb p = c->v.at[from], under = {p.r * c->light.r, p.g * c->light.g, p.b * c->light.b};
            p = rgb_mix(rgb_mix(p, under, c->v.lit[from]), c->sky_low,
                        fog * (1 - 0.5 * fog_lean * y / CANVAS));
            uint32_t r = gnt_random_u32(c->s);
            double n = ((double)(r & 255) + (double)(r >> 8 & 255) - 255) / 105,
                   m = ((double)(r >> 16 & 255) - 127.5) / 74;
            pixels[to] = draw_byte(p.r * gain * (1 + warm) + grain * (n + 0.4 * m));
            pixels[CANVAS_CELLS + to] = draw_byte(p.g * gain + grain * (n - 0.2 * m));
            pixels[2 * CANVAS_CELLS + to] = draw_byte(p.b * gain * (1 - warm) + grain * (n - 0.4 * m));
        }
}

static void draw_scene(uint8_t *pixels, int kind, int time, int weather, gnt_stream *s) {
    static void (*const paint[CLASSES])(scene *) = {paint_water, paint_mountains, paint_forest, paint_city,
                                                    paint_dunes, paint_house,     paint_road,   paint_balloon,
                                                    paint_boat,  paint_tree};
    scene c = {.s = s, .time = time, .weather = weather};
    c.mirror = draw_chance(s, 0.5);
    c.horizon = draw_between(s, 12, 21);
    field_draw(&c.coarse, s, 11, 3, 1.3);
    field_draw(&c.fine, s, 3.4, 2, 1);
    field_draw(&c.streaks, s, 7, 3, 2.2);
    choose_palette(&c);
    if (kind != BALLOON)
        paint_sky(&c);
    paint[kind](&c);
    paint_front(&c);
    finish(&c, pixels);
}

int data_make_scenes(gnt_data *d, const gnt_data_spec *spec, gnt_err *err) {
    data_shape_image(d, 3, CANVAS, CANVAS, CLASSES);
    d->class_name = class_names;
    data_add_attr(d, "time", TIMES, time_names);
    data_add_attr(d, "weather", WEATHERS, weather_names);
    if (data_reserve(d, spec->rows, err))
        return -1;
    data_row_keys keys = data_keys("scenes", spec->seed);
    int64_t row = 0;
    for (int part = 0; part < 3; part++)
        for (int64_t i = 0; i < d->part[part]; i++, row++) {
            gnt_stream s = data_row_stream(&keys, part, i);
            int kind = (int)gnt_random_below(&s, CLASSES);
            int time = draw_weighted(&s, time_weight[kind], TIMES);
            int weather = draw_weighted(&s, weather_weight[time], WEATHERS);
            d->label[row] = kind;
            d->attrs[2 * row] = time;
            d->attrs[2 * row + 1] = weather;
            draw_scene(d->pixels + row * 3 * CANVAS_CELLS, kind, time, weather, &s);
        }
    return 0;
}
