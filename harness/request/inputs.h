/* inputs: the names of a job's inputs that come several times, which the scheduler gives and a job reads. */
#ifndef GNT_REQUEST_INPUTS_H
#define GNT_REQUEST_INPUTS_H

enum {
    /* Members of a composed defense. */
    GNT_INPUT_MOST_MEMBERS = 16,
    /* Models that a job's plugins work with. */
    GNT_INPUT_MOST_MODELS = 16,
    /* Observations of the same targets at earlier stages, and for prepare what was broadcast there. */
    GNT_INPUT_MOST_HISTORY = 8
};

/* "artefacts.I": what member I of the defense that works here prepared. */
extern const char *const gnt_input_artefacts[GNT_INPUT_MOST_MEMBERS];
/* "defense_artefacts.I": the same, as an attacker is granted it. */
extern const char *const gnt_input_defense_artefacts[GNT_INPUT_MOST_MEMBERS];
/* "model.I": weights and buffers of the suite's model I. */
extern const char *const gnt_input_models[GNT_INPUT_MOST_MODELS];
/* "history.I", the earliest first. */
extern const char *const gnt_input_history[GNT_INPUT_MOST_HISTORY];

#endif
