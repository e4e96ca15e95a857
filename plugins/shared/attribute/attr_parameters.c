#include "shared/attribute/attr_parameters.h"

#include <stddef.h>

const char *const attr_weightings[] = {"none", "balanced", NULL};
