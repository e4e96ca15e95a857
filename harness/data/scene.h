/* scene: one picture in the making, and what its painters share. Private to the `scenes` generator.
 *
 * Draw at most one random number in an expression whose parts C may evaluate in any order (arguments,
 * operands, initialisers): the pictures must be the same whatever the compiler. */
#ifndef GNT_DATA_SCENE_H
#define GNT_DATA_SCENE_H

#include "data/canvas.h"

enum { SCENE_KINDS = 10, SCENE_TIMES = 4, SCENE_WEATHERS = 3 };
enum { SEA, MOUNTAIN, FOREST, CITY, DUNES, HOUSE, ROAD, BALLOON, BOAT, TREE };
enum { MORNING, DAY, EVENING, NIGHT };
enum { CLEAR, CLOUDY, FOG };

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

double scene_between(scene *c, double least, double most);
rgb scene_vary(scene *c, rgb base, double by);             /* about `base`, relative deviation `by` */
rgb scene_far(const scene *c, rgb paint, double distance); /* the haze takes it towards the sky's colour */
void scene_sky(scene *c);

/* Everything but the sky behind and the things in front, by kind. */
extern void (*const scene_paint[SCENE_KINDS])(scene *);
void scene_company(scene *c); /* trees or bushes here and there on the ground */
void scene_backdrop(scene *c);

#endif
