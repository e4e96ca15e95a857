#include "data/exif.h"

#include <string.h>

enum { ORIENTATION = 0x0112, SHORT = 3, ENTRY = 12 };

static uint32_t number(const uint8_t *at, int bytes, int big) {
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)at[i] << 8 * (big ? bytes - 1 - i : i);
    return v;
}

/* A header of 8 bytes, of which the last four give the offset of the first directory: the number of its
 * entries, in two bytes, then the entries: tag, type, count, and the value or where it is. */
int data_exif_orientation(const uint8_t *at, size_t n) {
    if (n < 8 || (memcmp(at, "II", 2) != 0 && memcmp(at, "MM", 2) != 0))
        return 1;
    const int big = at[0] == 'M';
    const size_t directory = number(at + 4, 4, big);
    if (number(at + 2, 2, big) != 42 || directory > n - 2)
        return 1;
    const size_t entries = number(at + directory, 2, big);
    for (size_t i = 0, from = directory + 2; i < entries && from + ENTRY <= n; i++, from += ENTRY)
        if (number(at + from, 2, big) == ORIENTATION && number(at + from + 2, 2, big) == SHORT) {
            const uint32_t v = number(at + from + 8, 2, big);
            return v >= 1 && v <= 8 ? (int)v : 1;
        }
    return 1;
}
