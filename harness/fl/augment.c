#include "fl/augment.h"

#include <string.h>

enum { ENTRY = 8 }; /* greatest size of an entry of a plane, bytes */

/* Mirrors rows of `width` entries of `each` bytes. */
static void mirror(uint8_t *row, size_t each, int64_t rows, int64_t width) {
    uint8_t left[ENTRY];
    for (; rows > 0; rows--, row += (size_t)width * each)
        for (int64_t i = 0, j = width - 1; i < j; i++, j--) {
            memcpy(left, row + (size_t)i * each, each);
            memcpy(row + (size_t)i * each, row + (size_t)j * each, each);
            memcpy(row + (size_t)j * each, left, each);
        }
}

/* Moves a plane: entry (r, c) becomes that of (r − down, c − across), or 0 outside. Rows are processed in an
 * order in which none is overwritten before it was read. */
static void move_plane(uint8_t *plane, size_t each, int64_t height, int64_t width, int64_t down,
                       int64_t across) {
    const size_t row = (size_t)width * each;
    const size_t kept = (size_t)(width - (across < 0 ? -across : across)) * each;
    const size_t to = across > 0 ? row - kept : 0, from = across < 0 ? row - kept : 0;
    for (int64_t i = 0; i < height; i++) {
        const int64_t r = down > 0 ? height - 1 - i : i, source = r - down;
        uint8_t *at = plane + (size_t)r * row;
        if (source < 0 || source >= height) {
            memset(at, 0, row);
            continue;
        }
        memmove(at + to, plane + (size_t)source * row + from, kept);
        memset(across > 0 ? at : at + kept, 0, row - kept);
    }
}

static int64_t draw_move(int64_t most, gnt_stream *random) {
    return (int64_t)gnt_random_below(random, 2 * (uint64_t)most + 1) - most;
}

/* Draws one side of a square around a random pixel: rows, or columns, from … to − 1. */
static void draw_side(int64_t side, int64_t length, int64_t *from, int64_t *to, gnt_stream *random) {
    const int64_t first = (int64_t)gnt_random_below(random, (uint64_t)length) - side / 2;
    *from = first > 0 ? first : 0;
    *to = first + side < length ? first + side : length;
}

static void blank(float *x, const int64_t dim[3], int64_t side, gnt_stream *random) {
    int64_t top, bottom, left, right;
    draw_side(side, dim[1], &top, &bottom, random);
    draw_side(side, dim[2], &left, &right, random);
    for (int64_t c = 0; c < dim[0]; c++)
        for (int64_t r = top; r < bottom; r++)
            memset(x + (c * dim[1] + r) * dim[2] + left, 0, (size_t)(right - left) * sizeof *x);
}

int gnt_augment_any(const gnt_augment *a) {
    return a->flip || a->shift > 0 || a->cutout > 0;
}

void gnt_augment_image(const gnt_augment *a, float *x, float *map, uint8_t *mask, const int64_t dim[3],
                       gnt_stream *random) {
    if (a->flip && gnt_random_below(random, 2)) {
        mirror((uint8_t *)x, sizeof *x, dim[0] * dim[1], dim[2]);
        if (map)
            mirror((uint8_t *)map, sizeof *map, dim[1], dim[2]);
        if (mask)
            mirror(mask, 1, dim[1], dim[2]);
    }
    if (a->shift > 0) {
        const int64_t down = draw_move(a->shift, random), across = draw_move(a->shift, random);
        for (int64_t c = 0; c < dim[0]; c++)
            move_plane((uint8_t *)(x + c * dim[1] * dim[2]), sizeof *x, dim[1], dim[2], down, across);
        if (map)
            move_plane((uint8_t *)map, sizeof *map, dim[1], dim[2], down, across);
        if (mask)
            move_plane(mask, 1, dim[1], dim[2], down, across);
    }
    if (a->cutout > 0)
        blank(x, dim, a->cutout, random);
}
