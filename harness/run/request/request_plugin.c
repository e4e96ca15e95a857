/* Plugins in requests: their parameters at a strength, and the suite's models that these name. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "request/inputs.h"
#include "run/request/request_parts.h"

_Static_assert((int)GNT_SUITE_MOST_MODELS == (int)GNT_INPUT_MOST_MODELS &&
                   (int)GNT_SUITE_MOST_MEMBERS == (int)GNT_INPUT_MOST_MEMBERS,
               "every model and member of a suite has an input");

int request_params(gnt_params *out, const gnt_suite_member *m, int swept, double strength) {
    const gnt_plugin_info *info = m->info;
    if (gnt_params_parse(out, info->parameters, info->n_parameters, info->id, m->params, NULL) != 0)
        return -1;
    if (swept && isfinite(strength) &&
        gnt_params_set_strength(out, info->parameters, info->n_parameters, strength, info->id, NULL) != 0) {
        gnt_params_free(out);
        return -1;
    }
    return 0;
}

static int add_input_once(run_requests *r, run_job *j, size_t model) {
    const char *name = gnt_input_models[model];
    for (size_t i = 0; i < j->n_inputs; i++)
        if (strcmp(j->input[i].name, name) == 0)
            return 0;
    return run_job_add_input(j, name, run_model_job(r, model), "model");
}

static int names_model(const gnt_request_plugin *p, const char *parameter) {
    for (size_t i = 0; i < p->models.n; i++)
        if (strcmp(p->models.at[i].parameter, parameter) == 0)
            return 1;
    return 0;
}

/* Appends one model. */
static int append_model(run_job *j, gnt_request_named_models *list, const gnt_request_named_model *one) {
    gnt_request_named_model *grown = gnt_arena_array(&j->request.memory, list->n + 1, sizeof *grown);
    if (!grown)
        return -1;
    if (list->n)
        memcpy(grown, list->at, list->n * sizeof *grown);
    grown[list->n++] = *one;
    list->at = grown;
    return 0;
}

int request_add_models(run_requests *r, run_job *j, gnt_request_plugin *p, const gnt_params *params) {
    for (int32_t i = 0; i < params->n; i++) {
        const gnt_value *v = &params->value[i];
        const gnt_suite_model *m = v->type == GNT_TYPE_MODEL ? gnt_suite_find_model(r->suite, v->text) : NULL;
        if (!m || names_model(p, v->id))
            continue;
        const size_t index = (size_t)(m - r->suite->model);
        const gnt_request_named_model one = {.parameter = request_text(j, v->id),
                                             .id = m->of.id,
                                             .input = gnt_input_models[index],
                                             .model = request_model(&m->of)};
        if (add_input_once(r, j, index) != 0 || !one.parameter || append_model(j, &p->models, &one) != 0)
            return -1;
    }
    return 0;
}

gnt_request_plugin request_plugin(run_requests *r, run_job *j, const gnt_suite_member *m, int swept,
                                  double strength) {
    gnt_request_plugin p = {.file = m->info->file,
                            .id = m->info->id,
                            .digest = m->info->digest,
                            .hooks = m->info->hooks,
                            .private_artefacts = (m->info->flags & GNT_FLAG_ARTEFACTS_PRIVATE) != 0};
    gnt_params params;
    if (j->n_plugins == RUN_MOST_PLUGINS || request_params(&params, m, swept, strength) != 0) {
        j->request_error = "a plugin's parameters";
        return p;
    }
    char *text = gnt_params_canonical(&params);
    p.params = request_text(j, text);
    if (!p.params || request_add_models(r, j, &p, &params) != 0)
        j->request_error = "a plugin's parameters";
    gnt_free(text);
    gnt_params_free(&params);
    j->plugin[j->n_plugins++] = m->info->file;
    for (int32_t i = 0; i < m->info->n_services; i++)
        j->has_memo |= strcmp(m->info->services[i], GNT_EXTENSION_MEMO) == 0;
    return p;
}

void request_divide_steps(run_job *j, gnt_request_plugin *p, const gnt_suite_member *m, int64_t by) {
    gnt_params params;
    if (request_params(&params, m, 0, NAN) != 0) {
        j->request_error = "a plugin's parameters";
        return;
    }
    for (int32_t i = 0; i < params.n; i++) {
        gnt_value *v = &params.value[i];
        if (v->type == GNT_TYPE_INT && strcmp(v->id, "steps") == 0 && v->i > 1)
            v->i = v->i > by ? v->i / by : 1;
    }
    char *text = gnt_params_canonical(&params);
    p->params = request_text(j, text);
    if (!p->params)
        j->request_error = "a plugin's parameters";
    gnt_free(text);
    gnt_params_free(&params);
}

gnt_request_plugins request_chain(run_requests *r, run_job *j, int defense, double strength) {
    if (defense < 0)
        return (gnt_request_plugins){0};
    const gnt_suite_defense *d = &r->suite->defense[defense];
    gnt_request_plugin *list = gnt_arena_array(&j->request.memory, d->n_members, sizeof *list);
    for (size_t i = 0; list && i < d->n_members; i++)
        list[i] = request_plugin(r, j, &d->member[i], (int32_t)i == d->swept, strength);
    return (gnt_request_plugins){list, list ? d->n_members : 0};
}
