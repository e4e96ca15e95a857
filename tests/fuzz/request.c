/* The message that a worker reads: {"process": how to run it, "request": what its job is to do}. What is read
 * of either can be written, read and written again, and says the same. */
#include "job/attack_setting.h"
#include "process/launch.h"
#include "work.h"

/* What `fields` describe, written and read once more; freed by gnt_free. */
static char *write_again(const gnt_fields *fields, const void *from, char **first) {
    gnt_arena memory = {0};
    gnt_err err = {0};
    json_t *json = gnt_fields_encode(fields, from, GNT_FIELDS_ALL);
    void *to = gnt_arena_array(&memory, 1, fields->size);
    MUST(json && to && (*first = gnt_json_canonical(json)));
    if (gnt_fields_decode(fields, to, json, &memory, "again", &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        MUST(!"what was written can be read");
    }
    json_decref(json);
    json = gnt_fields_encode(fields, to, GNT_FIELDS_ALL);
    char *second = gnt_json_canonical(json);
    MUST(second);
    json_decref(json);
    gnt_arena_free(&memory);
    return second;
}

static void read_launch(const json_t *json) {
    gnt_launch launch;
    gnt_arena memory = {0};
    gnt_err err = {0};
    if (fuzz_ok(gnt_fields_decode(&gnt_launch_fields, &launch, json, &memory, "worker", &err), &err)) {
        char *first, *second = write_again(&gnt_launch_fields, &launch, &first);
        MUST(strcmp(first, second) == 0);
        gnt_free(first);
        gnt_free(second);
    }
    gnt_arena_free(&memory);
}

static char *text_of(const gnt_request *request, gnt_fields_part part) {
    json_t *json = gnt_request_encode(request, part);
    char *text = gnt_json_canonical(json);
    MUST(json && text);
    json_decref(json);
    return text;
}

static void assert_comes_back(const gnt_request *request) {
    gnt_request again;
    gnt_err err = {0};
    json_t *json = gnt_request_encode(request, GNT_FIELDS_ALL);
    MUST(json && gnt_request_decode(&again, json, &err) == 0);
    json_decref(json);
    for (int part = GNT_FIELDS_ALL; part <= GNT_FIELDS_IDENTITY; part++) {
        char *first = text_of(request, (gnt_fields_part)part),
             *second = text_of(&again, (gnt_fields_part)part);
        MUST(strcmp(first, second) == 0);
        gnt_free(first);
        gnt_free(second);
    }
    gnt_request_free(&again);
}

/* As the job of an attack takes it up. */
static void use_attacker(fuzz_work *w, const gnt_request_attacker *q) {
    gnt_work_model m;
    gnt_sampleset samples;
    gnt_attack_setting setting = {0};
    gnt_observation o = {.size = sizeof o};
    gnt_err err = {0};
    gnt_work_config(&q->federated);
    if (fuzz_ok(gnt_work_samples(&samples, &w->work, "targets", &q->samples, &err), &err))
        gnt_sampleset_free(&samples);
    if (fuzz_ok(gnt_work_model_open(&m, &q->model, q->federated.training_stats, &err), &err)) {
        MUST(gnt_model_classes(m.model) >= 1);
        gnt_work_model_free(&m);
    }
    if (fuzz_ok(gnt_attack_setting_open(&setting, &w->work, q, &o, &err), &err) && q->known)
        MUST(o.n_defense_values == (int64_t)q->known->values.n);
    gnt_attack_setting_free(&setting);
}

static void read_request(const json_t *json) {
    gnt_request request;
    fuzz_work w;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_request_decode(&request, json, &err), &err)) {
        MUST(!request.memory.last);
        return;
    }
    assert_comes_back(&request);
    fuzz_work_open(&w, request);
    fuzz_samples(fuzz_input(&w, "targets"), 2);
    if (request.kind == GNT_JOB_ATTACK)
        use_attacker(&w, &w.request.attack.attacker);
    fuzz_work_close(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *message = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *process = json_object_get(message, "process"),
                 *request = json_object_get(message, "request");
    if (process)
        read_launch(process);
    if (request)
        read_request(request);
    json_decref(message);
    return 0;
}
