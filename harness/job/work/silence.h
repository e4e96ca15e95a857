/* silence: whether anything was sent at all, as a bundle of observations shows it. The job that attacks and
 * the one that scores have to agree. */
#ifndef GNT_JOB_WORK_SILENCE_H
#define GNT_JOB_WORK_SILENCE_H

#include <stdint.h>

#include "nn/io/safetensors.h"

/* True if all of observation j in a bundle is an update, with the running statistics that were sent with it,
 * and every number of these is zero. */
int gnt_is_silent(const gnt_st *bundle, int64_t j);

#endif
