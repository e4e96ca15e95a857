/* The layout of WAVE files ("Multimedia Programming Interface and Data Specifications 1.0", 1991): RIFF, the
 * size of what follows, WAVE, then chunks, each a name of four bytes, a size and as many bytes, padded to an
 * even number. "fmt " comes before "data". */
#include <string.h>

#include "data/wav.h"

enum { HEAD = 12, TAG = 8, FORMAT = 16, PLAIN = 1, BYTES = 2 };

static uint32_t word(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static uint32_t half(const uint8_t *at) {
    return (uint32_t)at[1] << 8 | at[0];
}

static int check_format(const char *path, const uint8_t *at, size_t n, size_t offset, int32_t *rate,
                        gnt_err *err) {
    if (n < FORMAT)
        return gnt_fail(err, "%s: offset %zu: the format has %zu bytes; expected %d", path, offset, n,
                        FORMAT);
    const uint32_t kind = half(at), channels = half(at + 2), frequency = word(at + 4), block = half(at + 12),
                   bits = half(at + 14);
    if (kind != PLAIN || channels != 1 || bits != 8 * BYTES || block != BYTES)
        return gnt_fail(err,
                        "%s: offset %zu: samples of kind %u, %u channels, %u bits in %u bytes; expected "
                        "plain ones (1), 1 channel, 16 bits in 2 bytes",
                        path, offset, kind, channels, bits, block);
    if (frequency < DATA_WAV_LEAST_RATE || frequency > DATA_WAV_MOST_RATE)
        return gnt_fail(err, "%s: offset %zu: %u samples a second; expected %d to %d", path, offset + 4,
                        frequency, DATA_WAV_LEAST_RATE, DATA_WAV_MOST_RATE);
    *rate = (int32_t)frequency;
    return 0;
}

int data_wav_check(const char *path, const uint8_t *at, size_t size, int32_t *rate, int64_t *samples,
                   gnt_err *err) {
    *rate = 0;
    *samples = 0;
    if (size < HEAD)
        return gnt_fail(err, "%s: offset %zu: the file ends inside its header; expected %d bytes of it", path,
                        size, HEAD);
    if (memcmp(at, "RIFF", 4) != 0 || memcmp(at + 8, "WAVE", 4) != 0)
        return gnt_fail(err, "%s: offset 0: this is no WAVE file; expected RIFF … WAVE", path);
    if ((uint64_t)word(at + 4) + TAG != size)
        return gnt_fail(err,
                        "%s: offset 4: the header promises %llu bytes, but the file has %zu; fetch it again",
                        path, (unsigned long long)word(at + 4) + TAG, size);
    for (size_t here = HEAD; here < size;) {
        if (size - here < TAG)
            return gnt_fail(err, "%s: offset %zu: the file ends inside the tag of a chunk", path, here);
        const uint8_t *tag = at + here;
        const size_t n = word(tag + 4), begin = here + TAG;
        if (n > size - begin)
            return gnt_fail(err, "%s: offset %zu: a chunk of %zu bytes, but the file ends after %zu of them",
                            path, here, n, size - begin);
        if (memcmp(tag, "fmt ", 4) == 0 && check_format(path, at + begin, n, begin, rate, err))
            return -1;
        if (memcmp(tag, "data", 4) == 0) {
            if (!*rate || *samples)
                return gnt_fail(err, "%s: offset %zu: %s", path, here,
                                *samples ? "a second chunk of samples; expected one"
                                         : "samples before their format");
            if (n < BYTES || n % BYTES)
                return gnt_fail(err, "%s: offset %zu: %zu bytes of samples; expected 2 for each of 1 or more",
                                path, here, n);
            *samples = (int64_t)(n / BYTES);
        }
        here = begin + n + (n % 2 && n < size - begin);
    }
    return *samples ? 0 : gnt_fail(err, "%s: offset %zu: the file ends without samples", path, size);
}
