/* tensors: a client's flat update, or its running statistics, as the list of tensors that hooks see. */
#ifndef GNT_FL_TENSORS_H
#define GNT_FL_TENSORS_H

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "nn/model/model.h"

/* Makes one tensor for each shared parameter, in order, without data; out->tensor is to be freed. */
int gnt_fl_tensors(gnt_tensors *out, const gnt_model *m, gnt_err *err);
/* Makes one tensor for each running statistic, as above. */
int gnt_fl_buffer_tensors(gnt_tensors *out, const gnt_model *m, gnt_err *err);
/* Points the tensors, one behind the other, into `flat`. */
void gnt_fl_tensors_into(const gnt_tensors *t, float *flat);

#endif
