/* Every data set by name. */
#include <string.h>

#include "data/source.h"

/* A data set takes one row here, and a file that defines data_NAME. Lists show them in this order. */
#define SETS(SET)                                                                                            \
    SET(glyphs)                                                                                              \
    SET(scenes)                                                                                              \
    SET(census)                                                                                              \
    SET(faces)                                                                                               \
    SET(faces32)                                                                                             \
    SET(receipts)                                                                                            \
    SET(receipts32)                                                                                          \
    SET(mnist)                                                                                               \
    SET(cifar10)                                                                                             \
    SET(cifar100)                                                                                            \
    SET(svhn)                                                                                                \
    SET(adult)                                                                                               \
    SET(adult_codes) SET(loans) SET(loans_ratios) SET(audiomnist) SET(sroie64) SET(sroie128)

#define DECLARE(set) extern const data_source data_##set;
#define ADDRESS(set) &data_##set,
#define NAME(set) #set,
SETS(DECLARE)
static const data_source *const sources[] = {SETS(ADDRESS)};
static const char *const names[] = {SETS(NAME)};
enum { SOURCES = sizeof sources / sizeof sources[0] };

const char *const *gnt_data_names(size_t *n) {
    *n = SOURCES;
    return names;
}

const data_source *data_find(const char *name) {
    for (int i = 0; name && i < SOURCES; i++)
        if (!strcmp(sources[i]->name, name))
            return sources[i];
    return NULL;
}

int gnt_data_is_builtin(const char *name) {
    const data_source *source = data_find(name);
    return source && !source->load;
}
