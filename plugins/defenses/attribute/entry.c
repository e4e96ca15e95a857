#include "attribute_defenses.h"

static const gnt_descriptor *const list[] = {&recup,     &recup_random_target, &fgsm_one,  &fgsm_avg,
                                             &fgsm_iter, &fgsm_momentum,       &sign_noise};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
