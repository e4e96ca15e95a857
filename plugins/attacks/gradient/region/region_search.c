#include "region/region_search.h"

#include "region/known_region.h"
#include "hook.h"

static gnt_status bind_region(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    known_region region;
    TRY(known_region_open(&region, host, seen));
    gnt_host_fact(host, "pixels_sought", (double)region.sought);
    s->known = region.known;
    s->given = region.image;
    s->begin = region.image;
    return GNT_OK;
}

gnt_status region_search(search *s, invert *self, const gnt_observation *seen, public_images *images) {
    TRY(likely_search_open(s, self, seen, images));
    TRY(bind_region(s, seen));
    return likely_search_run(s, seen);
}
