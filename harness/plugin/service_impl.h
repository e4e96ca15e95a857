/* service_impl: shared by the files of the model service. */
#ifndef GNT_PLUGIN_SERVICE_IMPL_H
#define GNT_PLUGIN_SERVICE_IMPL_H

#include "plugin/model_service.h"

struct gnt_service {
    gnt_model_service table; /* its context is this service */
    gnt_model_info info;
    const gnt_model *model;
    const gnt_param *param; /* n_params trained ones, then n_buffers */
    int32_t n_params, n_buffers;
    int32_t n_update, *update; /* tensors of an update: numbers of the parameters that clients share */
    int training;
    size_t memory, bytes;
    gnt_function *functions; /* all live functions */
    gnt_err error;
    gnt_service *errors; /* service that gets the error messages: itself, or another */
    /* memory that info points to */
    char *name;
    gnt_view *views;
    gnt_layer_info *layers;
    float *mean, *deviation;
};

enum { STAGE_EVAL, STAGE_COMMON, STAGE_VJP, STAGE_JVP }; /* common: what vjp and jvp both need beyond eval */

struct gnt_function {
    gnt_service *service;
    gnt_function *next;
    int32_t kind, masked;
    uint32_t vjp, jvp, constant;
    int64_t n;
    int32_t steps;
    int uses_y, uses_buffers;
    int evaluated, prepared; /* eval has run; the common stage has run since */
    gnt_program *program;
    size_t bytes;

    /* inputs; −1 where the function takes none */
    gnt_node x, y, rates;
    gnt_node *params, *buffers;
    gnt_node *observed, *mask; /* n_update each, MATCH */

    /* outputs of eval */
    int32_t n_out;
    gnt_node *out;
    gnt_view *view;
    gnt_views outputs;

    /* vjp: inputs (cotangents) and outputs */
    gnt_node *cotangent;   /* n_out */
    int32_t n_wrt;         /* nodes of the derivatives: x, y, parameters, rates, as far as requested */
    const float **weights; /* n_params pointers */
    gnt_gradient gradient;

    /* jvp: inputs (directions) and outputs */
    gnt_node dx, dy, drates;
    gnt_node *dparams;
    gnt_view *jvp_view;
    gnt_views jvp_outputs;

    float *zeros; /* used for a missing direction or cotangent */
};

/* Build into `g` and fill f->x … f->out and the names of f->view; return −1 with a message. */
int gnt_build_forward(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err);
int gnt_build_update(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err);
int gnt_build_match(gnt_function *f, gnt_graph *g, const gnt_function_spec *spec, gnt_err *err);

/* Compiles the graph into f->program with its vjp and jvp, within the service's memory. */
int gnt_service_compile(gnt_function *f, gnt_graph *g, gnt_err *err);

gnt_status gnt_service_eval(void *context, gnt_function *f, const gnt_function_args *args,
                            const gnt_views **outputs);
gnt_status gnt_service_vjp(void *context, gnt_function *f, const float *const *u, const gnt_gradient **out);
gnt_status gnt_service_jvp(void *context, gnt_function *f, const gnt_function_args *direction,
                           const gnt_views **outputs);

#endif
