/* An attack: in the gradient of a dense layer each row is the layer's input times the entry of the bias.
 * Dividing one by the other gives the input: for the first layer, the private sample. */
#include <math.h>

#include <gauntlet/plugin.h>

typedef struct attack {
    const gnt_host *host; /* always the first member */
    double least;
} attack;

static int64_t largest(const gnt_view *bias) {
    int64_t at = 0;
    for (int64_t i = 1; i < bias->count; i++)
        if (fabsf(bias->data[i]) > fabsf(bias->data[at]))
            at = i;
    return at;
}

/* Reads an observation, answers through `answer`. */
static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *a = self;
    const gnt_model_info *info = a->host->model->info;
    const gnt_view *weight = &seen->update->view[0], *bias = &seen->update->view[1];
    const int64_t features = weight->dim[1], unit = largest(bias);
    float *x = gnt_host_scratch(a->host, features, sizeof *x);
    (void)own;
    if (!x)
        return gnt_host_fail(a->host, "no memory for one sample");
    if (!(fabsf(bias->data[unit]) > a->least)) {
        gnt_host_fail(a->host, "the first layer's bias has no gradient above `least`: lower it");
        return GNT_UNSUPPORTED;
    }
    for (int64_t k = 0; k < features; k++) {
        const int64_t channel = k / (features / info->dim[0]); /* models may normalise each channel */
        x[k] = weight->data[unit * features + k] / bias->data[unit];
        if (info->mean)
            x[k] = x[k] * info->deviation[channel] + info->mean[channel];
    }
    return answer->reconstruction(answer->context, 1, x);
}

static const gnt_parameter parameters[] = {
    GNT_REAL(attack, least, 0, 1, 0, GNT_SCALE_LINEAR, "", "least bias gradient to divide by"),
};

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_descriptor descriptor = {
    GNT_ATTACK("plugin-name", "0.1", "divides a row of the first layer's gradient by its bias", "MIT", ""),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_FIRST_DENSE,   /* n/a unless the model's first layer is dense */
    .conditions = GNT_IF_ONE_SAMPLE, /* n/a for batches */
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(attack),
};

GNT_DEFINE_ENTRY(descriptor)
