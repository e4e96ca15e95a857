#include "job/job.h"
int gnt_job_replay(gnt_work *w, gnt_err *err) { (void)w; return gnt_fail(err, "not yet"); }
