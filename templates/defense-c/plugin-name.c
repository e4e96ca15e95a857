/* A defense: adds normal noise to each tensor of an update, in proportion to its root mean square. */
#include <math.h>

#include <gauntlet/plugin.h>

typedef struct defense {
    const gnt_host *host; /* always the first member */
    double noise;
} defense;

static double root_mean_square(const gnt_tensor *t) {
    double sum = 0;
    for (int64_t i = 0; i < t->count; i++)
        sum += (double)t->data[i] * t->data[i];
    return sqrt(sum / (double)t->count);
}

/* Modifies the update in place, after the client computed it. */
static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const defense *d = self;
    (void)client;
    for (int64_t k = 0; k < update->n; k++) {
        gnt_tensor *t = &update->tensor[k];
        const double scale = d->noise * root_mean_square(t);
        float *z = gnt_host_scratch(d->host, t->count, sizeof *z);
        if (gnt_host_should_stop(d->host))
            return GNT_STOPPED;
        if (!z)
            return gnt_host_fail(d->host, "no memory for the noise of one tensor");
        gnt_host_normal(d->host, "noise", t->count, z);
        for (int64_t i = 0; i < t->count; i++)
            t->data[i] += (float)(scale * z[i]);
    }
    return GNT_OK;
}

static const gnt_parameter parameters[] = {
    /* 1: the larger it is, the stronger is the defense; searches take equal steps on its logarithm */
    GNT_STRENGTH_REAL(defense, noise, 1e-3, 1e3, 1, GNT_SCALE_LOG, 1, "",
                      "standard deviation of the noise, per root mean square of the tensor"),
};

/* The mechanism, by the name under which attacks adapt to it. */
static const char *const families[] = {GNT_FAMILY_NOISE, NULL};

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const gnt_descriptor descriptor = {
    GNT_DEFENSE("plugin-name", "0.1", "adds noise in proportion to each tensor", "MIT", ""),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED,
    .families = families,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(defense),
};

GNT_DEFINE_ENTRY(descriptor)
