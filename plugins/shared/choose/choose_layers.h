/* choose_layers: layers of a model by one line of text: names, "convs:firstN", "convs:lastN", "convs:all" and
 * "dense", joined by '+' or ','. */
#ifndef SHARED_CHOOSE_LAYERS_H
#define SHARED_CHOOSE_LAYERS_H

#include "gauntlet/plugin.h"

enum { CHOOSE_WHY = 400 };

/* Sets the flag of each of info->n_layers layers: 1 if it is chosen. Returns 0, or −1 with a sentence. */
int choose_layers(const gnt_model_info *info, const char *text, uint8_t *taken, char why[CHOOSE_WHY]);

#endif
