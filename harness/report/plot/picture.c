#include "report/plot/picture.h"

#include <inttypes.h>
#include <stdio.h>

#include "render/escape.h"

int gnt_picture_name(char name[GNT_PICTURE_NAME], const char *kind, const char *task, int64_t stage,
                     const char *last) {
    char slug[GNT_SLUG_SIZE], end[GNT_SLUG_SIZE] = "";
    gnt_slug(task, slug);
    if (last)
        gnt_slug(last, end);
    int n =
        snprintf(name, GNT_PICTURE_NAME, "%s-%s-r%" PRId64 "%s%s", kind, slug, stage, last ? "-" : "", end);
    return n > 0 && n < GNT_PICTURE_NAME;
}
