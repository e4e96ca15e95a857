/* The ten kinds of scene, and what may be behind or next to any of them. */
#include "data/scene.h"

static rgb some_hue(scene *c) {
    static const rgb hue[] = {{.78, .16, .13}, {.86, .55, .12}, {.90, .80, .20},
                              {.20, .48, .25}, {.15, .30, .65}, {.48, .20, .50},
                              {.90, .88, .84}, {.25, .22, .22}, {.20, .60, .65}};
    return scene_vary(c, hue[gnt_random_below(c->s, sizeof hue / sizeof *hue)], 0.12);
}

/* Paints everything below the line y = level(x), in a colour that goes from near to far with depth. */
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
    double turn = gnt_random_uniform(c->s), waves = scene_between(c, 0.3, 1.1),
           slope = 0.06 * draw_bell(c->s);
    for (int x = 0; x < CANVAS; x++)
        level[x] = height + swing * draw_sin(turn + waves * x / CANVAS) + slope * (x - 15.5);
}

static void paint_ground(scene *c, double swing) {
    double level[CANVAS];
    rolling(c, level, c->horizon, swing);
    paint_below(c, level, scene_far(c, rgb_scale(c->ground, 1.05), 0.8), rgb_scale(c->ground, 0.75),
                scene_between(c, 0.25, 0.6));
}

static void paint_water(scene *c) {
    rgb deep = scene_vary(c, (rgb){.10, .27, .38}, 0.2);
    rgb near = rgb_mix(deep, c->air_high, 0.25), far = rgb_mix(deep, c->air, 0.55);
    double level[CANVAS], rough = scene_between(c, 0.1, 0.45), glitter_x = scene_between(c, 4, 28);
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

/* Paints peaks with a lit and a dark side; white above the snow line, which lies `snow` of the height
 * below the tops. */
static void ridge(scene *c, double base, double height, int peaks, rgb paint, double snow) {
    double px[4], py[4], slope[4], sun = draw_chance(c->s, 0.5) ? 1 : -1,
                                   contrast = scene_between(c, 0.18, 0.36);
    for (int k = 0; k < peaks; k++) {
        px[k] = scene_between(c, -2, 34);
        py[k] = base - height * scene_between(c, 0.6, 1.0);
        slope[k] = scene_between(c, 0.55, 1.15);
    }
    for (int x = 0; x < CANVAS; x++) {
        double level = base + 1, side = 0;
        for (int k = 0; k < peaks; k++) {
            double off = x - px[k], y = py[k] + slope[k] * (off < 0 ? -off : off);
            if (y < level) {
                level = y;
                side = draw_clamp(off, -1, 1);
            }
        }
        level += 0.8 * c->fine.at[7 * CANVAS + x];
        for (int y = 0; y < CANVAS && y <= base + 2; y++) {
            double cover = draw_clamp(y - level + 0.5, 0, 1);
            if (cover <= 0)
                continue;
            int i = y * CANVAS + x;
            double crag = c->fine.at[i], lit = 0.95 + contrast * draw_clamp(sun * side + 1.1 * crag, -1, 1);
            double white =
                snow > 0 ? draw_clamp((base - height * (1 - snow) - y) / 1.5 + 1.4 * crag, 0, 1) : 0;
            rgb face = rgb_mix(paint, (rgb){.95, .96, 1.0}, white);
            canvas_dab(&c->v, x, y, rgb_scale(face, lit * (1 + 0.2 * crag)), cover);
        }
    }
}

static void conifer(scene *c, double x, double foot, double height, rgb paint);

/* Paints what may be behind any scene: hills, distant mountains, a line of trees; never as large as the
 * object of a class. */
void scene_backdrop(scene *c) {
    if (draw_chance(c->s, 0.45))
        return;
    int kind = (int)gnt_random_below(c->s, 3);
    rgb dull = scene_vary(c, (rgb){.36, .40, .38}, 0.2);
    if (kind == 0) {
        double height = scene_between(c, 4, 8), snow = draw_chance(c->s, 0.3) ? 0.4 : 0;
        ridge(c, c->horizon + 1, height, 3, scene_far(c, dull, 1.4), snow);
    } else if (kind == 1) {
        double level[CANVAS], rise = scene_between(c, 0, 3), swing = scene_between(c, 0.8, 2.5);
        rolling(c, level, c->horizon - rise, swing);
        rgb hill = scene_far(c, rgb_mix(c->ground, dull, 0.5), 1);
        paint_below(c, level, hill, rgb_scale(hill, 0.7), 0.35);
    } else {
        for (double x = scene_between(c, -2, 6); x < 33; x += scene_between(c, 1.2, 3.5))
            conifer(c, x, c->horizon + 1.3, scene_between(c, 2.5, 5.5),
                    scene_far(c, rgb_scale(dull, 0.6), 0.9));
    }
}

static void paint_mountains(scene *c) {
    rgb rock = scene_vary(c, (rgb){.42, .40, .42}, 0.15);
    double base = c->horizon + 3, height = scene_between(c, 11, 17);
    ridge(c, base, height, 3, scene_far(c, rock, 1.3),
          draw_chance(c->s, 0.7) ? scene_between(c, 0.3, 0.6) : 0);
    ridge(c, base, height * scene_between(c, 0.4, 0.6), 3, scene_far(c, rgb_mix(rock, c->ground, 0.5), 0.7),
          0);
    paint_ground(c, 0.8);
}

static void conifer(scene *c, double x, double foot, double height, rgb paint) {
    double half = height * scene_between(c, 0.2, 0.28);
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
    rgb leaf = scene_vary(c, draw_chance(c->s, 0.2) ? (rgb){.50, .38, .14} : (rgb){.14, .32, .16}, 0.15);
    double height = scene_between(c, 11, 17);
    paint_ground(c, 1.0);
    for (int layer = 0; layer < 3; layer++) {
        double foot = c->horizon + 1 + 4.2 * layer, x = scene_between(c, -3, 2),
               size = height * (0.62 + 0.2 * layer);
        rgb paint = scene_far(c, rgb_scale(leaf, 1.1 - 0.1 * layer), 1.0 - 0.4 * layer);
        for (; x < 34; x += size * scene_between(c, 0.28, 0.5)) {
            double lower = scene_between(c, -0.8, 0.8), tall = size * scene_between(c, 0.75, 1.2);
            conifer(c, x, foot + lower, tall, paint);
        }
    }
}

static void tower(scene *c, double x, double width, double top, double foot, rgb wall) {
    canvas_rect(&c->v, x, top, x + width, foot, wall);
    canvas_rect(&c->v, x + width * 0.72, top, x + width, foot, rgb_scale(wall, 0.72));
    rgb lamp = {2.1, 1.7, 1.0}, glass = rgb_mix(rgb_scale(wall, 0.55), c->air_high, 0.3);
    double lit = c->time == NIGHT ? 0.6 : c->time == DAY ? 0 : 0.25;
    for (double y = top + 1.2; y < foot - 1; y += 2.1)
        for (double at = x + 0.8; at < x + width - 1; at += 1.9)
            canvas_rect(&c->v, at, y, at + 0.95, y + 1.1, draw_chance(c->s, lit) ? lamp : glass);
}

static void paint_city(scene *c) {
    double foot = c->horizon + scene_between(c, 1, 4);
    paint_ground(c, 0.3);
    for (int layer = 0; layer < 2; layer++)
        for (double x = scene_between(c, -3, 1); x < CANVAS;) {
            double width = scene_between(c, 3.2, 7), top = foot - scene_between(c, 4, layer ? 13 : 18);
            rgb wall =
                scene_vary(c, draw_chance(c->s, 0.3) ? (rgb){.55, .40, .33} : (rgb){.52, .53, .56}, 0.18);
            tower(c, x, width, top, foot, layer ? wall : scene_far(c, wall, 1.2));
            x += width + (layer ? scene_between(c, 0, 4) : scene_between(c, -0.5, 1));
        }
}

static void paint_dunes(scene *c) {
    rgb sand = scene_vary(c, draw_chance(c->s, 0.25) ? (rgb){.88, .89, .93} : (rgb){.84, .66, .40}, 0.13);
    int folds = 3 + (int)gnt_random_below(c->s, 2);
    for (int k = 0; k < folds; k++) {
        double t = (double)k / folds, turn = gnt_random_uniform(c->s),
               waves = scene_between(c, 0.5, 1.2) * (1 + 0.3 * (1 - t));
        double height = c->horizon + t * (CANVAS - c->horizon) + 1.5,
               swing = scene_between(c, 1.5, 3.2) * (0.7 + t);
        double slope = 0.1 * draw_bell(c->s);
        rgb lit = scene_far(c, rgb_scale(sand, scene_between(c, 1.0, 1.15)), 1 - t);
        rgb dark = scene_far(c, rgb_scale(sand, scene_between(c, 0.55, 0.7)), 1 - t);
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
    double width = scene_between(c, 10, 17), tall = width * scene_between(c, 0.45, 0.65),
           x = scene_between(c, 3, 29 - width);
    double foot = c->horizon + scene_between(c, 4, 8), top = foot - tall,
           ridge_y = top - width * scene_between(c, 0.3, 0.5);
    double eave = scene_between(c, 0.6, 1.4);
    rgb wall = scene_vary(c, draw_chance(c->s, 0.5) ? (rgb){.85, .80, .70} : some_hue(c), 0.1);
    rgb roof = scene_vary(c, draw_chance(c->s, 0.5) ? (rgb){.55, .22, .16} : (rgb){.30, .28, .30}, 0.15);
    rgb window = c->time == NIGHT || c->time == EVENING ? (rgb){1.8, 1.4, .7} : (rgb){.25, .32, .42};
    canvas_rect(&c->v, x, top, x + width, foot, wall);
    canvas_rect(&c->v, x + width * 0.66, top, x + width, foot, rgb_scale(wall, 0.75));
    double gable[3][2] = {{x + width * 0.5, ridge_y}, {x + width + eave, top + 0.4}, {x - eave, top + 0.4}};
    canvas_convex(&c->v, (const double(*)[2])gable, 3, rgb_scale(roof, 1.1), rgb_scale(roof, 0.8), &c->fine,
                  0.25);
    double door = x + width * scene_between(c, 0.38, 0.55);
    canvas_rect(&c->v, door, foot - tall * 0.6, door + width * 0.15, foot, rgb_scale(roof, 0.6));
    canvas_rect(&c->v, x + width * 0.1, top + tall * 0.25, x + width * 0.3, top + tall * 0.6, window);
    canvas_rect(&c->v, x + width * 0.7, top + tall * 0.25, x + width * 0.9, top + tall * 0.6, window);
}

static void paint_road(scene *c) {
    paint_ground(c, 0.5);
    double end = scene_between(c, 9, 23), start = scene_between(c, 10, 22), half = scene_between(c, 7, 13),
           far = scene_between(c, 0.5, 1.1);
    rgb tar = scene_vary(c, draw_chance(c->s, 0.25) ? (rgb){.55, .45, .34} : (rgb){.33, .33, .35}, 0.12);
    double y0 = c->horizon - 0.3, y1 = 32.5;
    double lane[4][2] = {{end - far, y0}, {end + far, y0}, {start + half, y1}, {start - half, y1}};
    canvas_convex(&c->v, (const double(*)[2])lane, 4, scene_far(c, tar, 0.7), tar, &c->fine, 0.12);
    rgb line = draw_chance(c->s, 0.3) ? (rgb){.95, .78, .20} : (rgb){.93, .93, .90};
    double step = scene_between(c, 0.16, 0.24), at = scene_between(c, 0.0, 0.2);
    for (double t = at; t < 1; t += step * (0.5 + t)) {
        double u = t + step * (0.25 + 0.25 * t), a = end + (start - end) * t, b = end + (start - end) * u;
        double wa = 0.15 + 0.6 * t, wb = 0.15 + 0.6 * u, ya = y0 + (y1 - y0) * t, yb = y0 + (y1 - y0) * u;
        double dash[4][2] = {{a - wa, ya}, {a + wa, ya}, {b + wb, yb}, {b - wb, yb}};
        canvas_convex(&c->v, (const double(*)[2])dash, 4, line, line, NULL, 0);
    }
}

static void balloon(scene *c, double x, double y, double r, double distance) {
    rgb one = scene_far(c, some_hue(c), distance), two = scene_far(c, some_hue(c), distance);
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
    canvas_rect(&c->v, x - r * 0.22, y + r * 1.6, x + r * 0.22, y + r * 1.95, scene_far(c, rope, distance));
}

static void paint_balloon(scene *c) {
    c->horizon = scene_between(c, 23, 30);
    scene_sky(c);
    scene_backdrop(c);
    paint_ground(c, 1.0);
    if (draw_chance(c->s, 0.45)) {
        double x = scene_between(c, 4, 28), y = scene_between(c, 4, 14), r = scene_between(c, 2.0, 3.2);
        balloon(c, x, y, r, 0.8);
    }
    double x = scene_between(c, 9, 23), y = scene_between(c, 8, 14), r = scene_between(c, 5, 7.5);
    balloon(c, x, y, r, 0.15);
}

static void paint_boat(scene *c) {
    paint_water(c);
    double x = scene_between(c, 8, 24), y = c->horizon + scene_between(c, 3, 7),
           half = scene_between(c, 4, 7), mast = scene_between(c, 9, 14);
    rgb hull = some_hue(c),
        sail = draw_chance(c->s, 0.65) ? scene_vary(c, (rgb){.94, .92, .87}, 0.05) : some_hue(c);
    double lean = scene_between(c, -0.6, 0.6), low = y - 1.2;
    double body[4][2] = {
        {x - half, y - 1}, {x + half, y - 1}, {x + half * 0.68, y + 1.6}, {x - half * 0.75, y + 1.6}};
    double big[3][2] = {{x + lean, y - mast}, {x + half * 0.9, low}, {x + 0.3, low}};
    double jib[3][2] = {{x + lean - 0.4, y - mast * 0.85}, {x - 0.4, low}, {x - half * 0.8, low}};
    canvas_convex(&c->v, (const double(*)[2])big, 3, sail, rgb_scale(sail, 0.88), NULL, 0);
    canvas_convex(&c->v, (const double(*)[2])jib, 3, rgb_scale(sail, 0.86), rgb_scale(sail, 0.75), NULL, 0);
    canvas_rect(&c->v, x - 0.3, y - mast, x + 0.3, y - 1, (rgb){.30, .22, .16});
    canvas_convex(&c->v, (const double(*)[2])body, 4, rgb_scale(hull, 1.05), rgb_scale(hull, 0.65), NULL, 0);
    for (int j = 0; j < 5; j++) { /* reflection */
        double left = x - half * 0.6 + scene_between(c, -1, 1),
               right = x + half * 0.6 + scene_between(c, -1, 1);
        canvas_rect(&c->v, left, y + 2 + j, right, y + 2.5 + j,
                    rgb_mix(rgb_scale(hull, 0.6), c->air_high, 0.4));
    }
}

static void paint_tree(scene *c) {
    paint_ground(c, 1.6);
    double x = scene_between(c, 9, 23), foot = c->horizon + scene_between(c, 4, 8),
           tall = scene_between(c, 14, 20), r = tall * scene_between(c, 0.28, 0.36);
    static const rgb leaves[] = {
        {.22, .45, .16}, {.35, .50, .18}, {.72, .38, .12}, {.85, .62, .70}, {.60, .20, .14}};
    rgb leaf = scene_vary(c, leaves[gnt_random_below(c->s, 5)], 0.12),
        bark = scene_vary(c, (rgb){.30, .21, .14}, 0.15);
    double w = scene_between(c, 0.8, 1.5), crown = foot - tall + r;
    double trunk[4][2] = {
        {x - w * 0.7, crown}, {x + w * 0.7, crown}, {x + w * 1.3, foot}, {x - w * 1.3, foot}};
    canvas_disk(&c->v, x + r * 0.5, foot + 0.4, r * 1.1, 1.1, rgb_scale(c->ground, 0.5),
                rgb_scale(c->ground, 0.5), NULL, 0);
    canvas_convex(&c->v, (const double(*)[2])trunk, 4, bark, rgb_scale(bark, 0.7), NULL, 0);
    for (int k = 0; k < 6; k++) {
        double dx = r * scene_between(c, -0.65, 0.65), dy = r * scene_between(c, -0.45, 0.5),
               size = r * scene_between(c, 0.5, 0.7);
        canvas_disk(&c->v, x + dx, crown + dy, size, size * 0.9, rgb_scale(leaf, 1.2), rgb_scale(leaf, 0.55),
                    &c->fine, 0.45);
    }
}

/* Paints a few trees or bushes on the ground, smaller than what the scene is of. */
void scene_company(scene *c) {
    int n = (int)gnt_random_below(c->s, 4) - 1;
    rgb leaf = scene_vary(c, draw_chance(c->s, 0.3) ? (rgb){.50, .42, .16} : (rgb){.20, .36, .17}, 0.18);
    for (int k = 0; k < n; k++) {
        double x = draw_chance(c->s, 0.5) ? scene_between(c, 0, 9) : scene_between(c, 23, 32),
               foot = c->horizon + scene_between(c, 1.5, 5);
        double size = scene_between(c, 1.4, 3.0);
        if (draw_chance(c->s, 0.5))
            conifer(c, x, foot, 2.6 * size, leaf);
        else
            canvas_disk(&c->v, x, foot - 0.7 * size, size, 0.85 * size, rgb_scale(leaf, 1.2),
                        rgb_scale(leaf, 0.5), &c->fine, 0.45);
    }
}

void (*const scene_paint[SCENE_KINDS])(scene *) = {paint_water, paint_mountains, paint_forest, paint_city,
                                                   paint_dunes, paint_house,     paint_road,   paint_balloon,
                                                   paint_boat,  paint_tree};
