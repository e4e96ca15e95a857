#include "request/inputs.h"

#define EIGHT(name, a, b, c, d, e, f, g, h)                                                                  \
    name "." #a, name "." #b, name "." #c, name "." #d, name "." #e, name "." #f, name "." #g, name "." #h
#define FIRST_EIGHT(name) EIGHT(name, 0, 1, 2, 3, 4, 5, 6, 7)
#define NEXT_EIGHT(name) EIGHT(name, 8, 9, 10, 11, 12, 13, 14, 15)

const char *const gnt_input_artefacts[GNT_INPUT_MOST_MEMBERS] = {FIRST_EIGHT("artefacts"),
                                                                 NEXT_EIGHT("artefacts")};
const char *const gnt_input_defense_artefacts[GNT_INPUT_MOST_MEMBERS] = {FIRST_EIGHT("defense_artefacts"),
                                                                         NEXT_EIGHT("defense_artefacts")};
const char *const gnt_input_models[GNT_INPUT_MOST_MODELS] = {FIRST_EIGHT("model"), NEXT_EIGHT("model")};
const char *const gnt_input_history[GNT_INPUT_MOST_HISTORY] = {FIRST_EIGHT("history")};
