/* An attack's answer and the ground truth: the job that scores it, with sound targets and a hostile answer.
 * Input: a byte that chooses the goal, metadata of the answer (its cost curves), a line "%%", tensors as
 * work.h describes them, a quarter of the bytes for what was seen, the rest for the answer. */
#include "gauntlet/plugin.h"
#include "job/score/score.h"
#include "result/result.h"
#include "work.h"

/* The scheduler takes over a score only if it has the right form. */
static int write_score(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    if (strcmp(name, "score") == 0) {
        json_t *all = json_loads(st->metadata, JSON_REJECT_DUPLICATES, NULL);
        gnt_arena memory = {0};
        gnt_outcome found = {0};
        MUST(gnt_fields_decode(&gnt_score_fields, &found, all, &memory, "", NULL) == 0);
        gnt_arena_free(&memory);
        json_decref(all);
    }
    return fuzz_write(context, name, st, err);
}

enum { TARGETS = 4, CLIENTS = 2, ENTRIES = 3 };

typedef struct goal {
    uint32_t goals, surface;
    int64_t targets, batch, set;
    int members;
    int few; /* rows behind the last observation; 0: as many as behind the others */
} goal;

static const goal goals[] = {
    {GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, TARGETS, 1, 0, 0, 0},
    {GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, TARGETS / 2, 2, 0, 0, 0},
    {GNT_GOAL_ATTRIBUTE, GNT_SURFACE_UPDATE, TARGETS, 1, 0, 0, 0},
    {GNT_GOAL_CONTRIBUTION, GNT_SURFACE_UPDATE, TARGETS, 1, 0, 0, 0},
    {GNT_GOAL_CONTRIBUTION, GNT_SURFACE_TRANSCRIPT, 1, CLIENTS, 0, 0, 0},
    {GNT_GOAL_RECONSTRUCTION, GNT_SURFACE_ENCODING, TARGETS / 2, 2, 2, 0, 0},
    {GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, TARGETS / 2, 2, 2, 0, 0},
    {GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, 1, 2, 0, TARGETS, 0},
    {GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, GNT_SURFACE_UPDATE, TARGETS / 2, 2, 0, 2, 1},
};

static void add_truth(fuzz_work *w, const goal *g) {
    static const float weight[] = {1, 0, 0.5F, 0.5F, 0, 1};
    static const int64_t source[] = {0, 1, 1}, w_dim[2] = {3, 2}, c_dim[2] = {CLIENTS, ENTRIES};
    static const double given[CLIENTS * ENTRIES] = {1, 2, 3, -1, 0, 7};
    fuzz_samples(fuzz_input(w, "targets"), TARGETS);
    fuzz_samples(fuzz_input(w, "public"), 3);
    MUST(gnt_st_add(fuzz_input(w, "contributions"), "contribution.0", GNT_ST_F64, 2, c_dim, given, NULL,
                    NULL) == 0);
    gnt_st *mixing = fuzz_input(w, "mixing");
    for (int j = 0; g->set && j < 2; j++) {
        char name[16];
        snprintf(name, sizeof name, "weight.%d", j);
        MUST(gnt_st_add(mixing, name, GNT_ST_F32, 2, w_dim, weight, NULL, NULL) == 0);
        snprintf(name, sizeof name, "source.%d", j);
        MUST(gnt_st_add(mixing, name, GNT_ST_I64, 1, w_dim, source, NULL, NULL) == 0);
    }
}

/* Sets the number of rows behind an observation, as the job that observes states it. */
static void set_members(gnt_st *seen, int members, int few) {
    char text[64], rows[32] = "";
    if (few)
        snprintf(rows, sizeof rows, ", \"rows\": [%d, %d]", members, few);
    snprintf(text, sizeof text, "{\"members\": %d%s}", members, rows);
    MUST(gnt_st_set_metadata(seen, text, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"reconstruction.#", "labels.#",       "attribute.#",     "mixture.#",
                                        "similarity.#",     "contribution.#", "reconstruction.#"};
    static const char *const shown[] = {"update", "encoded_x"};
    fuzz_bytes all = {data, size};
    const uint8_t choice = fuzz_byte(&all);
    const goal *g = &goals[choice % (sizeof goals / sizeof *goals)];
    fuzz_work w;
    gnt_err err = {0};
    const int64_t region[] = {1, 1, 2, 2};
    const gnt_request_attribute style = {.index = 0, .values = 2};
    fuzz_work_open(&w, (gnt_request){.kind = GNT_JOB_SCORE,
                                     .score = {.samples = {.region = {region, choice & 128 ? 4 : 0}},
                                               .goals = g->goals,
                                               .observe = {.surface = g->surface,
                                                           .targets = g->targets,
                                                           .batch = g->batch,
                                                           .set = g->set},
                                               .attribute = &style,
                                               .key = gnt_key_of_seed(1)}});
    w.work.write = write_score;
    add_truth(&w, g);
    gnt_st *answer = fuzz_input(&w, "answer"), *seen = fuzz_input(&w, "seen");
    if (g->members)
        set_members(seen, g->members, g->few);
    fuzz_metadata(answer, &all);
    fuzz_bytes some = fuzz_part(&all, all.left / 4);
    fuzz_tensors(seen, &some, shown, 2);
    fuzz_tensors(answer, &all, names, sizeof names / sizeof *names);
    fuzz_ok(gnt_job_score(&w.work, &err), &err);
    fuzz_work_close(&w);
    return 0;
}
