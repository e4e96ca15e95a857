#include "region.h"

static const gnt_descriptor *const list[] = {&fedre_descriptor,    &fedre_sample_descriptor,
                                             &uniform_descriptor,  &pda_pam_descriptor,
                                             &blur_lus_descriptor, &pixel_noise_descriptor};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
