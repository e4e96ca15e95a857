/* scenes: ten kinds of landscape, painted back to front: sky, clouds, sun or moon, the far, the ground, the
 * object that names the class, something in front; then light, haze, blur and grain.
 *
 * Time of day and weather are the private attributes. They colour everything; they depend on one another and
 * a little on the class. The ground's kind and all hues vary within a class, so that colour alone does not
 * reveal it. */
#include "data/scene.h"
#include "data/source.h"

static const char *const class_names[SCENE_KINDS] = {"sea",   "mountain", "forest",  "city", "dunes",
                                                     "house", "road",     "balloon", "boat", "tree"};
static const char *const time_names[SCENE_TIMES] = {"morning", "day", "evening", "night"};
static const char *const weather_names[SCENE_WEATHERS] = {"clear", "cloudy", "fog"};

static const int time_weight[SCENE_KINDS][SCENE_TIMES] = {
    {20, 45, 25, 10}, {25, 50, 20, 5},  {25, 50, 15, 10}, {15, 35, 20, 30}, {20, 50, 22, 8},
    {20, 45, 20, 15}, {20, 45, 20, 15}, {35, 45, 18, 2},  {25, 42, 25, 8},  {25, 45, 22, 8}};
static const int weather_weight[SCENE_TIMES][SCENE_WEATHERS] = {
    {35, 30, 35}, {55, 38, 7}, {50, 40, 10}, {55, 30, 15}};

static rgb rgb_over(rgb a, rgb b) {
    return (rgb){a.r / b.r, a.g / b.g, a.b / b.b};
}

static void choose_palette(scene *c) {
    static const rgb high[SCENE_TIMES] = {{.55, .65, .82}, {.25, .48, .82}, {.35, .33, .55}, {.05, .07, .18}};
    static const rgb low[SCENE_TIMES] = {{.95, .80, .68}, {.70, .84, .95}, {.96, .55, .28}, {.16, .20, .36}};
    static const rgb light[SCENE_TIMES] = {
        {1.0, .92, .84}, {1.05, 1.03, 1.0}, {.92, .72, .58}, {.42, .45, .60}};
    static const rgb grey[SCENE_TIMES] = {{.74, .73, .74}, {.72, .75, .78}, {.60, .50, .48}, {.17, .18, .24}};
    static const rgb soil[] = {{.30, .50, .18}, {.45, .52, .22}, {.70, .60, .36},
                               {.48, .36, .25}, {.80, .82, .86}, {.24, .40, .22}};
    c->sky_high = scene_vary(c, high[c->time], 0.13);
    c->sky_low = scene_vary(c, low[c->time], 0.10);
    c->light = light[c->time];
    if (c->weather != CLEAR) {
        double dull = c->weather == FOG ? 0.85 : 0.55;
        c->sky_high = rgb_mix(c->sky_high, grey[c->time], dull);
        c->sky_low = rgb_mix(c->sky_low, grey[c->time], dull);
        c->light = rgb_mix(c->light, rgb_scale(grey[c->time], 1.15), 0.4);
    }
    c->air = rgb_over(c->sky_low, c->light);
    c->air_high = rgb_over(c->sky_high, c->light);
    c->ground = scene_vary(c, soil[gnt_random_below(c->s, sizeof soil / sizeof *soil)], 0.12);
    c->haze = c->weather == FOG      ? scene_between(c, 0.6, 0.8)
              : c->weather == CLOUDY ? 0.35
                                     : scene_between(c, 0.12, 0.3);
}

/* Paints something near that hides a part and says nothing of the class: a bush, a post, or a branch from
 * above. */
static void paint_front(scene *c) {
    if (!draw_chance(c->s, 0.4))
        return;
    int kind = (int)gnt_random_below(c->s, 3);
    double x = draw_chance(c->s, 0.5) ? scene_between(c, -1, 6) : scene_between(c, 25, 32);
    rgb leaf = scene_vary(c, (rgb){.18, .26, .12}, 0.25);
    if (kind == 1) {
        double top = scene_between(c, 12, 22), width = scene_between(c, 0.8, 1.8);
        canvas_rect(&c->v, x, top, x + width, 33, scene_vary(c, (rgb){.33, .27, .22}, 0.3));
        return;
    }
    for (int k = 0; k < 4; k++) {
        double at = x + scene_between(c, -4, 4),
               y = kind ? scene_between(c, -1, 4) : scene_between(c, 29, 32);
        double rx = scene_between(c, 1.5, 3.5), ry = scene_between(c, 1.2, 3);
        canvas_disk(&c->v, at, y, rx, ry, rgb_scale(leaf, 1.2), rgb_scale(leaf, 0.5), &c->fine, 0.5);
    }
}

/* Applies light below the sky, fog, the lens's blur and grain, then converts to bytes. */
static void finish(scene *c, uint8_t *pixels) {
    double gain = 1 + 0.07 * draw_bell(c->s), warm = 0.03 * draw_bell(c->s),
           grain = c->time == NIGHT ? 0.022 : 0.012;
    double fog = c->weather == FOG ? scene_between(c, 0.2, 0.45) : 0, fog_lean = scene_between(c, 0, 1);
    canvas_blur(&c->v, scene_between(c, 0.0, 0.4));
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
    scene c = {.s = s, .time = time, .weather = weather};
    c.mirror = draw_chance(s, 0.5);
    c.horizon = draw_between(s, 10, 22);
    field_draw(&c.coarse, s, 11, 3, 1.3);
    field_draw(&c.fine, s, 4.4, 3, 1);
    field_draw(&c.streaks, s, 7, 3, 2.2);
    choose_palette(&c);
    if (kind != BALLOON)
        scene_sky(&c);
    if (kind == SEA || kind == BOAT || kind == HOUSE || kind == ROAD || kind == TREE || kind == DUNES)
        scene_backdrop(&c);
    scene_paint[kind](&c);
    if (kind == HOUSE || kind == ROAD || kind == CITY || kind == MOUNTAIN || kind == DUNES)
        scene_company(&c);
    paint_front(&c);
    finish(&c, pixels);
}

static void shape(gnt_data *d) {
    data_shape_image(d, 3, CANVAS, CANVAS, SCENE_KINDS);
    d->class_name = class_names;
    data_add_attr(d, "time", SCENE_TIMES, time_names);
    data_add_attr(d, "weather", SCENE_WEATHERS, weather_names);
}

static void draw(gnt_data *d, int64_t row, gnt_stream *s) {
    int kind = (int)gnt_random_below(s, SCENE_KINDS);
    int time = draw_weighted(s, time_weight[kind], SCENE_TIMES);
    int weather = draw_weighted(s, weather_weight[time], SCENE_WEATHERS);
    d->label[row] = kind;
    d->attrs[2 * row] = time;
    d->attrs[2 * row + 1] = weather;
    draw_scene(d->pixels + row * 3 * CANVAS_CELLS, kind, time, weather, s);
}

const data_source data_scenes = {.name = "scenes",
                                 .about = "drawn landscapes, 32x32 colour, built in",
                                 .rows = {4000, 1000, 2000},
                                 .shape = shape,
                                 .draw = draw};
