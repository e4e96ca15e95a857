/* samples: the synthetic samples of a setting, and samples on guard pages. */
#ifndef GNT_VET_SAMPLES_H
#define GNT_VET_SAMPLES_H

#include "vet/setting.h"

/* Makes samples of a generated data set: first the private rows, then the public ones. With spec->map they
 * have masks, which are also the target of the prediction. Rows are drawn once in a process, by one thread.
 * The caller frees *out, after a failure too. */
int gnt_vet_make_samples(gnt_sampleset *out, const gnt_vet_spec *spec, int64_t private_rows,
                         int64_t public_rows, gnt_err *err);
/* Copies samples to the guard pages of the setting, which owns them. Their ids are 0 … n − 1. NULL: the
 * pages are full. */
gnt_samples *gnt_vet_put_samples(gnt_vet_setting *s, const char *name, const gnt_samples *from);

#endif
