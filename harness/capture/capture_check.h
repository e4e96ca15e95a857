/* capture_check: whether a capture can be what it says. What its files say by themselves was checked when it
 * was read; here its update is compared with what its loss, and its private batch, can give.
 *
 * Errors: −1 with a sentence: out of memory. A contradiction is no error but counted. */
#ifndef GNT_CAPTURE_CAPTURE_CHECK_H
#define GNT_CAPTURE_CAPTURE_CHECK_H

#include "capture/capture.h"

/* Says in lines what the capture holds and what was found; one that contradicts itself begins with
 * "contradiction: ". Returns the number of these. */
int gnt_capture_check(const gnt_capture *c, void (*say)(void *user, const char *line), void *user,
                      gnt_err *err);

/* Computes the update, and what is sent of running statistics (gnt_model_buffer_size; NULL: not wanted),
 * from the private batch without a defense. The capture has a private batch of training.samples samples. */
int gnt_capture_recompute(const gnt_capture *c, float *update, float *sent_buffers, gnt_err *err);

#endif
