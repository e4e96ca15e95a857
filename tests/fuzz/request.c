/* A job's request, as a worker reads it. */
#include "job/seen.h"
#include "process/child.h"
#include "work.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *request = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(request)) {
        json_decref(request);
        return 0;
    }
    fuzz_work w;
    gnt_err err = {0};
    gnt_work_model m;
    gnt_known known;
    gnt_sampleset samples;
    gnt_key key;
    fuzz_work_open(&w, request);
    fuzz_samples(fuzz_input(&w, "targets"), 2);
    if (gnt_worker_input(request, "seen", &err) < 0)
        MUST(err.text[0]);
    if (gnt_worker_output(request, "answer", &err) < 0)
        MUST(err.text[0]);
    fuzz_ok(gnt_request_key(&w.work, "keys.attack", &key, &err), &err);
    gnt_work_config(&w.work);
    if (fuzz_ok(gnt_work_samples(&samples, &w.work, "targets", &err), &err))
        gnt_sampleset_free(&samples);
    if (fuzz_ok(gnt_work_model_open(&m, &w.work, &err), &err)) {
        MUST(gnt_model_classes(m.model) >= 1);
        gnt_work_model_free(&m);
    }
    if (fuzz_ok(gnt_known_read(&known, gnt_request(&w.work, "known.values"), &err), &err))
        gnt_known_free(&known);
    fuzz_work_close(&w);
    return 0;
}
