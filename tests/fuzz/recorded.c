/* The record of a training run's rounds, and the private data behind it, as `observe` reads both on its way
 * to an attacker. Input: a byte (the surface; bit 2: two local steps), then tensors as work.h describes them,
 * of the record up to a byte 255 where a tensor would begin, then of the private data behind it. What the
 * bytes do not name is sound. */
#include "job/observe/observe.h"
#include "job/record/record.h"
#include "work.h"

enum { TARGETS = 2, ROWS = 8, MEMBERS = 3 };

static void sound(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, int64_t rows, int64_t columns,
                  int64_t value) {
    const int64_t dim[2] = {rows, columns};
    gnt_st_tensor *t;
    if (gnt_st_find(st, name))
        return;
    MUST(gnt_st_add(st, name, type, rank, dim, NULL, &t, NULL) == 0);
    for (int64_t i = 0; type == GNT_ST_I64 && i < rows * (rank == 2 ? columns : 1); i++)
        ((int64_t *)t->data)[i] = value < 0 ? i % ROWS : value;
}

static void make_sound(gnt_st *record, gnt_st *secret, int steps) {
    sound(record, "client.0", GNT_ST_I64, 1, TARGETS, 0, -1);
    sound(record, "update.0", GNT_ST_F32, 2, TARGETS, FUZZ_WEIGHTS, 0);
    sound(record, "count.0", GNT_ST_I64, 1, TARGETS, 0, 2);
    sound(record, "encoded_x.0", GNT_ST_F32, 2, 2 * TARGETS, FUZZ_FEATURES, 0);
    sound(record, "encoded_y.0", GNT_ST_F32, 2, 2 * TARGETS, FUZZ_CLASSES, 0);
    sound(secret, "rows.0", GNT_ST_I64, 2, TARGETS, MEMBERS, -1);
    sound(secret, "whole.0", GNT_ST_I64, 2, TARGETS, 1, 0);
    sound(secret, "sizes.0", GNT_ST_I64, 2, TARGETS, 2, MEMBERS);
    sound(secret, "labels.0", GNT_ST_F32, 2, TARGETS, MEMBERS * FUZZ_CLASSES, 0);
    sound(secret, "rates.0", GNT_ST_F32, 2, TARGETS, steps, 0);
    sound(secret, "set.0", GNT_ST_I64, 2, TARGETS, 4, -1);
    for (int j = 0; j < TARGETS; j++) {
        char name[32];
        snprintf(name, sizeof name, "weight.%d.r0", j);
        sound(secret, name, GNT_ST_F32, 2, 2, 4, 0);
        snprintf(name, sizeof name, "source.%d.r0", j);
        sound(secret, name, GNT_ST_I64, 1, 2, 0, 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const recorded[] = {"client.0", "update.0", "count.0", "encoded_x.0", "encoded_y.0"};
    static const char *const behind[] = {"rows.0", "whole.0",     "labels.0",    "rates.0",
                                         "set.0",  "weight.0.r0", "source.1.r0", "sizes.0"};
    static const uint32_t surfaces[] = {GNT_SURFACE_UPDATE, GNT_SURFACE_ENCODING, GNT_SURFACE_REPRESENTATION};
    fuzz_bytes all = {data, size};
    fuzz_work w;
    gnt_err err = {0};
    const uint8_t choice = fuzz_byte(&all);
    const int steps = choice & 4 ? 2 : 0;
    const int64_t n = FUZZ_WEIGHTS, none = 0;
    fuzz_work_open(
        &w, (gnt_request){.kind = GNT_JOB_OBSERVE,
                          .observe = {.model = fuzz_model_request(),
                                      .federated = {.clients = 3,
                                                    .rounds = 2,
                                                    .local_steps = steps,
                                                    .batch = MEMBERS,
                                                    .rate = 0.1,
                                                    .participation = 1},
                                      .observe = {.surface = surfaces[choice % 4 % 3], .targets = TARGETS}}});
    const uint8_t *cut = all.left ? memchr(all.at, 255, all.left) : NULL;
    fuzz_bytes first = fuzz_part(&all, cut ? (size_t)(cut - all.at) : all.left);
    gnt_st *record = fuzz_input(&w, "record");
    fuzz_tensors(record, &first, recorded, 5);
    if (all.left)
        fuzz_byte(&all);
    gnt_st *secret = fuzz_input(&w, "held");
    fuzz_tensors(secret, &all, behind, 8);
    make_sound(record, secret, steps);
    fuzz_samples(fuzz_input(&w, "clients"), ROWS);
    gnt_st *trained = fuzz_input(&w, "trained");
    MUST(gnt_st_add(trained, "weights.0", GNT_ST_F32, 1, &n, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(trained, "buffers.0", GNT_ST_F32, 1, &none, NULL, NULL, &err) == 0);
    const int rc = gnt_job_observe(&w.work, &err);
    fuzz_ok(rc, &err);
    MUST(size > 1 || rc == 0); /* what is sound is shown */
    fuzz_work_close(&w);
    return 0;
}
