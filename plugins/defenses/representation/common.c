#include "representation.h"

const gnt_defense representation_hooks = {.size = sizeof representation_hooks,
                                          .client_update = extractor_client_update,
                                          .save = extractor_save,
                                          .load = extractor_load};
