#include "shared/attribute/parameters.h"

#include <stddef.h>

/* Places within the groups. */
enum { EPOCHS, RATE, MOMENTUM, BATCH };
enum { WINDOW, INPUTS };
enum { VALIDATION, WEIGHTS };

const char *const attr_weightings[] = {"none", "balanced", NULL};

void attr_read_sgd(attr_recipe *recipe, const gnt_value *first) {
    recipe->epochs = first[EPOCHS].i;
    recipe->rate = first[RATE].r;
    recipe->momentum = first[MOMENTUM].r;
    recipe->batch = first[BATCH].i;
}

void attr_read_pooling(attr_reading *reading, const gnt_value *first) {
    reading->window = first[WINDOW].i;
    reading->inputs = first[INPUTS].i;
}

int attr_read_judging(attr_reading *reading, const gnt_value *first) {
    reading->share = first[VALIDATION].r;
    return first[WEIGHTS].i == 1;
}
