/* known_region: the part of each image that an attacker knows: all but its sensitive region. */
#ifndef GRADIENT_KNOWN_REGION_H
#define GRADIENT_KNOWN_REGION_H

#include "gauntlet/plugin.h"

/* Scratch of the hook. */
typedef struct known_region {
    const uint8_t *known; /* n × features: 1 outside the region */
    float *image;   /* n × features: what is known; inside the region the mean of public images, or grey */
    int64_t sought; /* entries inside */
} known_region;

/* Reads the region from the observation's masks; without masks it is the whole image. GNT_OK, or a status
 * after host->fail. */
gnt_status known_region_open(known_region *r, const gnt_host *host, const gnt_observation *seen);

/* The rows and columns about the pixels of a mask (height × width) that are 1, up to and without `bottom` and
 * `right`; all of them where mask is NULL. 0 where no pixel is. */
typedef struct region_box {
    int64_t top, left, bottom, right;
} region_box;
int region_box_of(const uint8_t *mask, int64_t height, int64_t width, region_box *box);

/* Puts what lies in the box about `from`'s mask into the pixels inside `to`'s, stretched to the box about
 * these (bilinear; boxes of one size are copied). Masks: height × width, NULL: the whole image. Images:
 * channels × height × width. Nothing where a mask is empty. */
void region_paste(float *to, const uint8_t *to_mask, const float *from, const uint8_t *from_mask,
                  int64_t channels, int64_t height, int64_t width);

#endif
