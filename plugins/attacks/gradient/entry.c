/* The attacks that read or match one client's gradient, in one shared object because they share how a label
 * and a first dense layer are read. */
#include "gauntlet/plugin.h"

extern const gnt_descriptor gradient_dlg, gradient_idlg, gradient_invert_gradients, gradient_linear_layer,
    gradient_lrp_search, gradient_ggl, gradient_dlg_whitened, gradient_region_known, gradient_region_read,
    gradient_string_hypothesis, gradient_layout, gradient_auto, gradient_sample_attribute,
    gradient_shadow_likelihood;

static const gnt_descriptor *const descriptors[] = {&gradient_dlg,
                                                    &gradient_idlg,
                                                    &gradient_invert_gradients,
                                                    &gradient_linear_layer,
                                                    &gradient_lrp_search,
                                                    &gradient_ggl,
                                                    &gradient_dlg_whitened,
                                                    &gradient_region_known,
                                                    &gradient_string_hypothesis,
                                                    &gradient_region_read,
                                                    &gradient_layout,
                                                    &gradient_auto,
                                                    &gradient_sample_attribute,
                                                    &gradient_shadow_likelihood};

GNT_DEFINE_ENTRY_LIST(descriptors, sizeof descriptors / sizeof *descriptors)
