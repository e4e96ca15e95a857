/* What the painters of scenes share: draws within bounds, colours, and the sky. */
#include "data/scene.h"

double scene_between(scene *c, double least, double most) {
    return draw_between(c->s, least, most);
}

rgb scene_vary(scene *c, rgb base, double by) {
    double all = 1 + by * draw_bell(c->s);
    double r = 1 + 0.6 * by * draw_bell(c->s), g = 1 + 0.6 * by * draw_bell(c->s),
           b = 1 + 0.6 * by * draw_bell(c->s);
    return (rgb){base.r * all * r, base.g * all * g, base.b * all * b};
}

rgb scene_far(const scene *c, rgb paint, double distance) {
    return rgb_mix(paint, c->air, draw_clamp(c->haze * distance, 0, 1));
}

void scene_sky(scene *c) {
    double cloud_at = c->weather == CLEAR ? scene_between(c, 0.35, 0.8) : scene_between(c, -0.35, 0.05);
    rgb cloud = c->time == NIGHT ? (rgb){.16, .18, .26} : rgb_mix((rgb){.96, .95, .95}, c->sky_low, 0.45);
    rgb shade = rgb_scale(rgb_mix(cloud, c->sky_high, 0.35), 0.85);
    double sun_x = scene_between(c, 3, 29),
           sun_y = c->horizon - scene_between(c, c->time == DAY ? 8 : 1, c->time == DAY ? 16 : 9);
    rgb sun = c->time == NIGHT ? (rgb){.92, .92, .84}
              : c->time == DAY ? (rgb){1.1, 1.08, .95}
                               : (rgb){1.1, .85, .5};
    int shines = c->weather == CLEAR && draw_chance(c->s, 0.6);
    double radius = scene_between(c, 1.6, 2.8), glow = c->time == NIGHT ? 0.15 : 0.55;
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
