/* A picture of the report on its pages. */
#include <stdio.h>

#include "report/report_impl.h"

void gnt_report_show(gnt_pen *pen, const gnt_picture *of, const char *says) {
    const char *shown = of->formats & GNT_FORMAT_SVG ? "svg" : "png";
    const char *linked = of->formats & GNT_FORMAT_PNG ? "png" : "svg";
    char file[2][GNT_PICTURE_NAME + 8];
    snprintf(file[0], sizeof file[0], "%s.%s", of->name, shown);
    snprintf(file[1], sizeof file[1], "%s.%s", of->name, linked);
    gnt_pen_image(pen, file[0], file[1], says);
}
