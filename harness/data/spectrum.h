/* spectrum: a recording as a picture of what frequencies it has when: 224 × 224 bytes, time to the right over
 * one second, frequency upwards from 18 to 3,938 Hz in steps of 17.58 Hz. A byte is the magnitude in dB below
 * the loudest of the picture: 255 is 0 dB, 0 is −80 dB or less.
 *
 * The recording's mean is taken off. The second is the one around the middle of its energy; before its
 * beginning and after its end is silence. Windows (Hann's) are 57 ms long whatever the rate, so that higher
 * rates only add frequencies that are left out, and nothing is resampled. By FFTW, which is opened when it is
 * needed. */
#ifndef GNT_DATA_SPECTRUM_H
#define GNT_DATA_SPECTRUM_H

#include "data/wav.h"

enum { DATA_SPECTRUM_SIDE = 224 };

/* Plan and windows for recordings of one rate. */
typedef struct data_spectrum data_spectrum;
void data_spectrum_free(data_spectrum *s);

/* Draws the spectrum of a recording. pixels: rows of the picture, the highest frequency first. *s is NULL
 * or comes from an earlier call, and is replaced if the rate is another; the caller frees it. A recording
 * of silence has no picture: an error that begins with `path`. */
int data_spectrum_draw(data_spectrum **s, const data_wav *recording, const char *path, uint8_t *pixels,
                       gnt_err *err);

#endif
