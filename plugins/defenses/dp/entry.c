#include "dp_plugins.h"

static const gnt_descriptor *const list[] = {&dp_gaussian, &dp_laplace, &dp_clip_alone, &dp_sgd_descriptor,
                                             &dp_fedavg_descriptor};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
