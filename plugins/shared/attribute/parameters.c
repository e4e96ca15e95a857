#include "shared/attribute/parameters.h"

#include <stddef.h>

const char *const attr_weightings[] = {"none", "balanced", NULL};
