/* The suite's models: networks trained in one place on public data, which plugins name by their id. Their
 * rows must be public, so a set that a task keeps private provides only its public part. */
#include <string.h>

#include "suite/suite_impl.h"

enum { SCHEDULES = 2 };

const gnt_suite_model *gnt_suite_find_model(const gnt_suite *s, const char *id) {
    for (size_t i = 0; i < s->n_models; i++)
        if (strcmp(s->model[i].of.id, id) == 0)
            return &s->model[i];
    return NULL;
}

static int same_rows(const gnt_suite_task *a, const gnt_suite_task *b) {
    return strcmp(a->data, b->data) == 0 && (!gnt_data_is_builtin(a->data) || a->data_seed == b->data_seed);
}

/* Checks that a model's rows (the public part of its set, else the train part) are not private to a task. */
static int check_disjoint(suite_reader *r, const char *path, const gnt_suite_task *of) {
    const gnt_suite *s = r->s;
    const gnt_path name = gnt_path_key(gnt_path_key(path, "data").text, "name");
    int has_public = of->facts.part[GNT_PART_PUBLIC] > 0;
    for (size_t t = 0; t < s->n_tasks; t++) {
        const gnt_suite_task *task = &s->task[t];
        if (!same_rows(of, task))
            continue;
        if (!has_public)
            return suite_fail(
                r, name.text,
                "is \"%s\", whose rows tasks[%zu] (%s) keeps private, and which has no public part; "
                "expected another data set",
                of->data, t, task->id);
        if (task->split.target_rows && task->split.target_part == GNT_PART_PUBLIC)
            return suite_fail(
                r, name.text,
                "is \"%s\", whose public part holds the targets of tasks[%zu] (%s); expected another "
                "data set, or targets of another part",
                of->data, t, task->id);
    }
    return 0;
}

static int read_train(suite_reader *r, const char *path, const json_t *object, gnt_suite_model *m) {
    const json_t *o = NULL;
    int schedule = GNT_SCHEDULE_COSINE;
    const gnt_path at = gnt_path_key(path, "train");
    m->batch = 64;
    m->rate = 0.05;
    m->momentum = 0.9;
    m->decay = 5e-4;
    if (suite_object(r, path, object, "train", &o))
        return -1;
    if (m->of.weights)
        return o ? suite_fail(r, at.text,
                              "is given in addition to \"weights\", which are used unchanged; remove one")
                 : 0;
    if (!o)
        return suite_fail(
            r, path,
            "has neither \"train\" nor \"weights\"; expected \"train\": {\"epochs\": …} or the path of a "
            ".safetensors file");
    if (suite_keys(r, at.text, o, "epochs", "batch", "rate", "schedule", "momentum", "decay", "flip") ||
        suite_need(r, at.text, o, "epochs", "how often every sample is seen, such as \"epochs\": 10") ||
        suite_int(r, at.text, o, "epochs", 1, 100000, &m->epochs) ||
        suite_int(r, at.text, o, "batch", 1, 1000000, &m->batch) ||
        suite_real(r, at.text, o, "rate", 1e-9, 1e6, &m->rate) ||
        suite_choice(r, at.text, o, "schedule", gnt_schedule_names, SCHEDULES, &schedule) ||
        suite_real(r, at.text, o, "momentum", 0, 0.9999, &m->momentum) ||
        suite_real(r, at.text, o, "decay", 0, 1, &m->decay) || suite_bool(r, at.text, o, "flip", &m->flip))
        return -1;
    m->schedule = (gnt_schedule_kind)schedule;
    if (m->flip && m->of.facts.rank != 3)
        return suite_fail_key(r, at.text, "flip", "is true, but the samples of %s are not images; remove it",
                              m->of.data);
    return 0;
}

static int read_one(suite_reader *r, const char *path, const json_t *object, gnt_suite_model *m) {
    const json_t *data = NULL;
    return suite_keys(r, path, object, "id", "model", "init", "width", "representation", "normalise", "data",
                      "train", "weights") ||
           suite_read_id(r, path, object, "id",
                         "a name for plugins' parameters, such as \"id\": \"extractor\"", &m->of.id) ||
           suite_need(r, path, object, "data", "a public data set: \"data\": {\"name\": …}") ||
           suite_object(r, path, object, "data", &data) ||
           suite_read_public(r, gnt_path_key(path, "data").text, data, &m->of) ||
           check_disjoint(r, path, &m->of) || suite_read_model(r, path, object, &m->of) ||
           read_train(r, path, object, m);
}

int suite_read_models(suite_reader *r, const json_t *list) {
    gnt_suite *s = r->s;
    size_t n = json_array_size(list);
    s->model = gnt_array(n, sizeof *s->model);
    if (!s->model)
        return suite_no_memory(r);
    s->n_models = n;
    for (size_t i = 0; i < n; i++) {
        const gnt_path at = gnt_path_item("models", i);
        if (read_one(r, at.text, json_array_get(list, i), &s->model[i]))
            return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->model[k].of.id, s->model[i].of.id) == 0)
                return suite_fail_key(r, at.text, "id",
                                      "is \"%s\", as models[%zu].id is; expected an id of its own",
                                      s->model[i].of.id, k);
    }
    return 0;
}
