/* region_search: the search of likely_search.h over the pixels of the sensitive region alone, where the rest
 * of the image is known. It begins at the mean of public images, where they are granted, else at grey. */
#ifndef GRADIENT_REGION_SEARCH_H
#define GRADIENT_REGION_SEARCH_H

#include "search/likely_search.h"

/* s: with `answer` set, the rest zero. Afterwards s->winner holds the images, s->n × features, whose other
 * pixels are as they were granted. images outlives s. GNT_OK, or a status after host->fail. */
gnt_status region_search(search *s, invert *self, const gnt_observation *seen, public_images *images);

#endif
