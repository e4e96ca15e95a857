/* hidden: which attributes each client wants hidden, as a request says it. */
#ifndef GNT_JOB_HIDDEN_H
#define GNT_JOB_HIDDEN_H

#include "job/work/work.h"

/* Owner: the caller; gnt_work_hidden_free, after a failure too. */
typedef struct gnt_work_hidden {
    gnt_fl_hidden view;
    gnt_attribute *attribute;
} gnt_work_hidden;

/* Opens the view for so many clients, whose samples have the attributes of `s`, which outlives it. Where all
 * clients hide the same the view is empty. */
int gnt_work_hidden_open(gnt_work_hidden *out, const gnt_request_samples *of, int64_t clients,
                         const gnt_sampleset *s, gnt_err *err);
void gnt_work_hidden_free(gnt_work_hidden *h);

#endif
