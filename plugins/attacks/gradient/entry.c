#include "gradient.h"

static const gnt_descriptor *const descriptors[] = {
    &gradient_dlg,          &gradient_idlg,         &gradient_invert_gradients,
    &gradient_linear_layer, &gradient_lrp_search,   &gradient_ggl,
    &gradient_dlg_whitened, &gradient_region_known, &gradient_string_hypothesis,
    &gradient_region_read,  &gradient_layout};

GNT_DEFINE_ENTRY_LIST(descriptors, sizeof descriptors / sizeof *descriptors)
