/* inputs: the names of numbered inputs of a job, shared by the scheduler and the jobs. */
#ifndef GNT_REQUEST_INPUTS_H
#define GNT_REQUEST_INPUTS_H

enum {
    /* Members of a composed defense. */
    GNT_INPUT_MOST_MEMBERS = 16,
    /* Models that a job's plugins use. */
    GNT_INPUT_MOST_MODELS = 16,
    /* Observations of the same targets at earlier stages, and for prepare the weights broadcast there. */
    GNT_INPUT_MOST_HISTORY = 8
};

/* "artefacts.I": artefacts of member I of the defense that runs in this job. */
extern const char *const gnt_input_artefacts[GNT_INPUT_MOST_MEMBERS];
/* "defense_artefacts.I": the same, granted to an attacker. */
extern const char *const gnt_input_defense_artefacts[GNT_INPUT_MOST_MEMBERS];
/* "model.I": weights and buffers of the suite's model I. */
extern const char *const gnt_input_models[GNT_INPUT_MOST_MODELS];
/* "history.I", from the earliest stage. */
extern const char *const gnt_input_history[GNT_INPUT_MOST_HISTORY];

#endif
