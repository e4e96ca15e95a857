/* adequate: how well an attack must recover what is sent without a defense before its scores say anything
 * about defenses. */
#ifndef GNT_METRIC_ADEQUATE_H
#define GNT_METRIC_ADEQUATE_H

/* For measures of recovered data the first or the second suffices. */
typedef struct gnt_adequate_limits {
    /* share of targets that are named, 0 … 1 */
    double identified;
    /* dB of PSNR above the floor */
    double above_floor;
    /* of other measures: share of the way from the floor to the best possible, 0 … 1 */
    double gain;
} gnt_adequate_limits;

/* What holds where a task says nothing else: an initialiser. */
#define GNT_ADEQUATE_DEFAULTS                                                                                \
    { .identified = 0.9, .above_floor = 10, .gain = 0.2 }

#endif
