#include "data/bitmap.h"

#include <string.h>

#include "base/mem.h"

int data_bitmap_fits(const char *path, uint32_t wide, uint32_t high, gnt_err *err) {
    if (wide < 1 || high < 1)
        return gnt_fail(err, "%s: is a picture of %u by %u pixels; expected at least 1 either way", path,
                        wide, high);
    if (wide > DATA_BITMAP_MOST_SIDE || high > DATA_BITMAP_MOST_SIDE ||
        (int64_t)wide * high > DATA_BITMAP_MOST_PIXELS)
        return gnt_fail(err,
                        "%s: is a picture of %u by %u pixels; expected at most %d either way and %d in all",
                        path, wide, high, DATA_BITMAP_MOST_SIDE, DATA_BITMAP_MOST_PIXELS);
    return 0;
}

int data_bitmap_make(data_bitmap *out, const char *path, int wide, int high, int channels, gnt_err *err) {
    *out = (data_bitmap){.wide = wide, .high = high, .channels = channels};
    out->at = gnt_array((size_t)high * (size_t)wide, (size_t)channels);
    return out->at ? 0 : gnt_fail(err, "%s: out of memory for %d by %d pixels", path, wide, high);
}

void data_bitmap_free(data_bitmap *p) {
    gnt_free(p->at);
    *p = (data_bitmap){.wide = 0};
}

int data_bitmap_convert(data_bitmap *p, const char *path, int channels, gnt_err *err) {
    const size_t n = (size_t)p->wide * (size_t)p->high;
    if (channels == p->channels)
        return 0;
    if (channels == 1) {
        for (size_t i = 0; i < n; i++) {
            const uint8_t *rgb = p->at + 3 * i;
            p->at[i] = (uint8_t)((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
        }
        p->channels = 1;
        return 0;
    }
    data_bitmap out;
    if (data_bitmap_make(&out, path, p->wide, p->high, channels, err))
        return -1;
    for (size_t i = 0; i < n; i++)
        memset(out.at + 3 * i, p->at[i], 3);
    data_bitmap_free(p);
    *p = out;
    return 0;
}

void data_bitmap_crop(data_bitmap *p, data_box box) {
    const size_t row = (size_t)box.wide * (size_t)p->channels;
    for (int32_t y = 0; y < box.high; y++) {
        const size_t from = ((size_t)(box.top + y) * (size_t)p->wide + (size_t)box.left);
        memmove(p->at + (size_t)y * row, p->at + from * (size_t)p->channels, row);
    }
    p->wide = box.wide;
    p->high = box.high;
}

/* The eight orientations are a mirroring left to right, one top to bottom, and an exchange of rows and
 * columns, each done or not, in the picture that is made. */
int data_bitmap_turn(data_bitmap *p, const char *path, int orientation, gnt_err *err) {
    static const struct {
        int exchange, from_right, from_bottom;
    } of[9] = {[2] = {0, 1, 0}, [3] = {0, 1, 1}, [4] = {0, 0, 1}, [5] = {1, 0, 0},
               [6] = {1, 0, 1}, [7] = {1, 1, 1}, [8] = {1, 1, 0}};
    data_bitmap out;
    if (orientation < 2 || orientation > 8)
        return 0;
    const int exchange = of[orientation].exchange, wide = exchange ? p->high : p->wide,
              high = exchange ? p->wide : p->high;
    if (data_bitmap_make(&out, path, wide, high, p->channels, err))
        return -1;
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++) {
            int from_x = exchange ? y : x, from_y = exchange ? x : y;
            from_x = of[orientation].from_right ? p->wide - 1 - from_x : from_x;
            from_y = of[orientation].from_bottom ? p->high - 1 - from_y : from_y;
            memcpy(out.at + ((size_t)y * (size_t)wide + (size_t)x) * (size_t)p->channels,
                   p->at + ((size_t)from_y * (size_t)p->wide + (size_t)from_x) * (size_t)p->channels,
                   (size_t)p->channels);
        }
    data_bitmap_free(p);
    *p = out;
    return 0;
}
