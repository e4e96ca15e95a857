/* wav: recordings in WAVE files of one channel and 16 bits, read by libsndfile, which is opened only when
 * such a file is. Every file is first checked whole: libsndfile takes what there is of one that was cut. */
#ifndef GNT_DATA_WAV_H
#define GNT_DATA_WAV_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DATA_WAV_LEAST_RATE = 8000, DATA_WAV_MOST_RATE = 192000 };

/* Finds where the content is and how large. `at` is the file's bytes; sentences name the file by `path`. */
int data_wav_check(const char *path, const uint8_t *at, size_t size, int32_t *rate, int64_t *samples,
                   gnt_err *err);

typedef struct data_wav {
    int32_t rate;    /* samples a second */
    int64_t samples; /* 1 or more */
    float *x;        /* in [−1, 1) */
} data_wav;

int data_wav_read(data_wav *out, const char *path, gnt_err *err);
void data_wav_free(data_wav *w);

#endif
