/* Pictures: PNG and JPEG files, with libpng and libjpeg. What is read is as large as it says, and resizes. */
#include "data/bitmap_read.h"
#include "data/resample.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST_RESIZED = 1 << 20 };
    data_bitmap p;
    gnt_err err = {0};
    if (!fuzz_ok(data_bitmap_decode(&p, "picture", data, size, &err), &err))
        return 0;
    MUST(p.wide >= 1 && p.high >= 1 && (p.channels == 1 || p.channels == 3));
    volatile uint8_t last = p.at[(size_t)p.wide * (size_t)p.high * (size_t)p.channels - 1];
    (void)last;
    if ((int64_t)p.wide * p.high <= MOST_RESIZED) {
        const int wide = 1 + (int)(size % 40), high = 1 + (int)(size / 7 % 40);
        MUST(data_bitmap_resize(&p, "picture", wide, high, size % 2 ? DATA_BOX : DATA_BILINEAR, &err) == 0);
        MUST(data_bitmap_convert(&p, "picture", p.channels == 1 ? 3 : 1, &err) == 0);
        MUST(p.wide == wide && p.high == high);
    }
    data_bitmap_free(&p);
    return 0;
}
