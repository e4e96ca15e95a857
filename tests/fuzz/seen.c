/* Bundles of observations, as an attack's process reads them, and answers that a second attack of a chain
 * reads. Input: a byte (bit 0: a chain), metadata, a line "%%", tensors as work.h describes them. */
#include "job/observations.h"
#include "work.h"

/* Every byte that an attack could read. */
static double touch(const gnt_observation *o, const gnt_model *m) {
    double sum = 0;
    for (int64_t i = 0; i < gnt_model_size(m); i++)
        sum += (double)o->weights[i];
    for (int64_t t = 0; o->update && t < o->update->n; t++)
        for (int64_t i = 0; i < o->update->view[t].count; i++)
            sum += (double)o->update->view[t].data[i];
    for (int64_t t = 0; o->sent_buffers && t < o->sent_buffers->n; t++)
        for (int64_t i = 0; i < o->sent_buffers->view[t].count; i++)
            sum += (double)o->sent_buffers->view[t].data[i];
    for (int64_t i = 0; o->encoded && i < o->encoded->n * o->encoded->features; i++)
        sum += (double)o->encoded->x[i];
    for (int64_t i = 0; o->encoded && i < o->encoded->n * o->encoded->classes; i++)
        sum += (double)o->encoded->y[i];
    for (int64_t i = 0; o->representation && i < o->representation->view[0].count; i++)
        sum += (double)o->representation->view[0].data[i];
    for (int64_t i = 0; o->transcript && i < o->transcript->n_clients * o->transcript->n; i++)
        sum += (double)o->transcript->masked[i];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"update", "encoded_x", "encoded_y", "representation", "transcript"};
    static const char *const answers[] = {"reconstruction.#", "labels.#", "labels", "mixture.#"};
    static const float weights[FUZZ_WEIGHTS];
    fuzz_bytes all = {data, size};
    fuzz_work w;
    gnt_observations seen;
    gnt_err err = {0};
    const int64_t n = FUZZ_WEIGHTS, none = 0;
    const int chained = fuzz_byte(&all) & 1;
    fuzz_work_open(&w, (gnt_request){.kind = GNT_JOB_ATTACK});
    gnt_st *st = fuzz_input(&w, "seen");
    fuzz_metadata(st, &all);
    MUST(gnt_st_add(st, chained ? "weights.2" : "weights", GNT_ST_F32, 1, &n, weights, NULL, &err) == 0);
    MUST(gnt_st_add(st, chained ? "buffers.2" : "buffers", GNT_ST_F32, 1, &none, NULL, NULL, &err) == 0);
    fuzz_bytes half = fuzz_part(&all, chained ? all.left / 2 : all.left);
    fuzz_tensors(chained ? fuzz_input(&w, "recovered") : st, &half, chained ? answers : names,
                 chained ? 4 : 5);
    if (all.left)
        fuzz_tensors(fuzz_input(&w, "recovered_labels"), &all, answers, 4);
    if (fuzz_ok((chained ? gnt_observations_open_recovered(&seen, &w.work, fuzz_model(), &err)
                         : gnt_observations_open(&seen, &w.work, "seen", fuzz_model(), &err)),
                &err)) {
        volatile double sum = 0; /* so that a sanitizer sees what is not there */
        for (int64_t j = 0; j < seen.n && j < 16; j++) {
            gnt_observation o = gnt_observations_at(&seen, j);
            sum = sum + touch(&o, fuzz_model()->model);
        }
        if (seen.n > 16) {
            gnt_observation o = gnt_observations_at(&seen, seen.n - 1);
            sum = sum + touch(&o, fuzz_model()->model);
        }
        gnt_observations_free(&seen);
    }
    fuzz_work_close(&w);
    return 0;
}
