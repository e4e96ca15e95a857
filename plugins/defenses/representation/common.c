#include "representation.h"

extractor_setting representation_setting(const gnt_value *v, objective_build *build, double sign) {
    return (extractor_setting){.build = build,
                               .lambda = v[REPRESENTATION_LAMBDA].r,
                               .sign = sign,
                               .pretrain = (int32_t)v[REPRESENTATION_PRETRAIN].i,
                               .rate = v[REPRESENTATION_RATE].r,
                               .g_rate = v[REPRESENTATION_G_RATE].r,
                               .width = v[REPRESENTATION_WIDTH].r,
                               .g_width = v[REPRESENTATION_G_WIDTH].r,
                               .validation = v[REPRESENTATION_VALIDATION].r};
}

const gnt_defense representation_hooks = {.size = sizeof representation_hooks,
                                          .client_update = extractor_client_update,
                                          .save = extractor_save,
                                          .load = extractor_load};
