#include "learnt.h"

static const gnt_descriptor *const descriptors[] = {&learnt_ridge, &learnt_decoder, &learnt_update_decoder};

GNT_DEFINE_ENTRY_LIST(descriptors, sizeof descriptors / sizeof *descriptors)
