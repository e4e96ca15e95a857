#include "loda.h"

static const gnt_descriptor *const descriptors[] = {&loda_inverse, &loda_kkt};

GNT_DEFINE_ENTRY_LIST(descriptors, sizeof descriptors / sizeof *descriptors)
