/* augment: images changed at random before a batch of them is computed with. They are mirrored, moved, and
 * blanked in one place, in this order; what comes in from outside and what is blanked is 0. */
#ifndef GNT_FL_AUGMENT_H
#define GNT_FL_AUGMENT_H

#include <stdint.h>

#include "base/random.h"

typedef struct gnt_augment {
    /* 1: mirrored left to right with probability ½. */
    int flip;
    /* Moved by −shift … shift pixels down and across, each as likely: a crop of the image's size out of the
     * image with a border that wide. */
    int64_t shift;
    /* Side of the blank square, pixels. Its middle is any pixel of the image. What lies outside is cut
     * off. */
    int64_t cutout;
} gnt_augment;

/* True if anything is changed. */
int gnt_augment_any(const gnt_augment *a);
/* Augments an image. x: channels × height × width, as dim says. map and mask: height × width each, or
 * NULL; they are mirrored and moved with the image. Nothing is drawn for what is off. */
void gnt_augment_image(const gnt_augment *a, float *x, float *map, uint8_t *mask, const int64_t dim[3],
                       gnt_stream *random);

#endif
