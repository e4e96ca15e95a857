/* vet_samples: the made-up samples of a setting, and samples on guard pages. */
#ifndef GNT_JOB_VET_SAMPLES_H
#define GNT_JOB_VET_SAMPLES_H

#include "vet/setting.h"

/* Samples of a generated set: so many private ones, then so many public ones; of a map with masks, and with
 * these as what is to be predicted. The caller frees *out, after a failure too. */
int gnt_vet_make_samples(gnt_sampleset *out, const gnt_vet_spec *spec, int64_t private_rows,
                         int64_t public_rows, gnt_err *err);
/* Copies samples into the guard pages of the setting, which owns them; their ids are 0 … n − 1. NULL when it
 * is full. */
gnt_samples *gnt_vet_put_samples(gnt_vet_setting *s, const char *name, const gnt_samples *from);

#endif
