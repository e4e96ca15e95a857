/* exif: how a photograph has to be turned to be upright, as its camera wrote into it. */
#ifndef GNT_DATA_EXIF_H
#define GNT_DATA_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* Returns the orientation, 1 to 8, in the n bytes of EXIF data that begin with TIFF's header ("II" or "MM");
 * 1 (upright) where they state none, or nothing that is understood. */
int data_exif_orientation(const uint8_t *at, size_t n);

#endif
