#include "representation.h"

static const gnt_descriptor *const list[] = {&tappfl_descriptor, &adversarial_descriptor, &dpfe_descriptor};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
