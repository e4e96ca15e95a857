/* The attacks of this folder, in one shared object. */
#include "attribute_attacks.h"

static const gnt_descriptor *const list[] = {&attr_nn_descriptor,       &attr_nn_adaptive_descriptor,
                                             &attr_svm_descriptor,      &attr_forest_descriptor,
                                             &fresh_descriptor,         &via_task_descriptor,
                                             &decensor_descriptor,      &invert_descriptor,
                                             &recup_residue_descriptor, &rank1_descriptor};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
