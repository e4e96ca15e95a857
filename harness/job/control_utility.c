#include "job/control_utility.h"

#include "base/mem.h"

static json_t *as_json(const gnt_test_utility *utility, gnt_err *err) {
    json_t *all = gnt_test_utility_json(utility);
    if (!all)
        gnt_fail(err, "out of memory for the utility");
    return all;
}

static json_t *utility_at(const gnt_control_spec *s, const float *weights, const float *buffers,
                          gnt_err *err) {
    gnt_test_utility utility;
    if ((s->head
             ? gnt_head_utility(&utility, s->head, s->test, weights, buffers, s->key, NULL, err)
             : gnt_test_utility_at(&utility, s->model, weights, buffers, s->test, s->key, NULL, err)) != 0)
        return NULL;
    return as_json(&utility, err);
}

json_t *gnt_control_floor(const gnt_control_spec *s, gnt_err *err) {
    gnt_test_utility utility;
    json_t *before = utility_at(s, s->weights, s->buffers, err), *constant = NULL, *all = NULL;
    if (before && gnt_test_constant(&utility, s->model, s->test, s->key, err) == 0)
        constant = as_json(&utility, err);
    if (constant && !(all = json_pack("{s:O, s:O}", "untrained", before, "constant", constant)))
        gnt_fail(err, "out of memory for the utility");
    json_decref(before);
    json_decref(constant);
    return all;
}

json_t *gnt_control_measure(const gnt_control_spec *s, gnt_err *err) {
    float *weights = gnt_array((size_t)gnt_model_size(s->model), sizeof *weights);
    float *buffers = gnt_array((size_t)gnt_model_buffer_size(s->model), sizeof *buffers);
    json_t *all = NULL;
    gnt_err why;
    if (!weights || !buffers)
        gnt_fail(err, "out of memory for weights");
    else if (!gnt_influence_control(s->influence, weights, buffers, &why))
        all = json_pack("{s:s}", "refused", why.text);
    else {
        json_t *left = utility_at(s, weights, buffers, err);
        all = left ? gnt_control_floor(s, err) : NULL;
        if (all && json_object_set(all, "utility", left) != 0) {
            json_decref(all);
            all = NULL;
            gnt_fail(err, "out of memory for the utility");
        }
        json_decref(left);
    }
    gnt_free(weights);
    gnt_free(buffers);
    return all;
}
