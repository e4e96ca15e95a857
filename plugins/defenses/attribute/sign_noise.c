/* sign-noise: a control beside recup. It moves the entries that recup may move, the greatest of each
 * pooling window, as far and as often, but by signs drawn at random: what an attacker loses to that is
 * lost to noise, and no perturbation against classifiers was needed for it. */
#include <stdlib.h>

#include "attribute.h"
#include "shared/attribute/pool.h"

enum { EPSILON, ITERATIONS, WINDOW, INPUTS };

typedef struct noise {
    const gnt_host *host;
    double epsilon;
    int64_t iterations, window, inputs;
} noise;

static void *create(const gnt_host *host, const gnt_value *v) {
    noise *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (noise){host, v[EPSILON].r, v[ITERATIONS].i, v[WINDOW].i, v[INPUTS].i};
    return s;
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const noise *s = self;
    const gnt_host *host = s->host;
    const float step = (float)(s->epsilon * (client->steps > 0 ? client->rate : 1));
    const int64_t size = attr_tensors_size(update);
    const int64_t window = attr_window(s->window, s->inputs, size), columns = attr_pooled_size(size, window);
    float *flat = host->scratch(host->context, (size_t)size * sizeof *flat);
    float *pooled = host->scratch(host->context, (size_t)columns * sizeof *pooled);
    int64_t *where = host->scratch(host->context, (size_t)columns * sizeof *where);
    double *sign = host->scratch(host->context, (size_t)columns * sizeof *sign);
    if (!flat || !pooled || !where || !sign)
        return host->fail(host->context, "no memory for a copy of the update");
    attr_flatten_tensors(update, flat);
    for (int64_t p = 0; p < s->iterations; p++) {
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        attr_pool(flat, size, window, pooled, where);
        host->uniform(host->context, "signs", columns, sign);
        for (int64_t j = 0; j < columns; j++)
            flat[where[j]] += sign[j] < 0.5 ? -step : step;
    }
    for (int64_t k = 0, at = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            update->tensor[k].data[i] = flat[at++];
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const families[] = {GNT_FAMILY_NOISE, NULL};

static const gnt_parameter parameters[] = {
    {.id = "epsilon",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-7,
     .most = 10,
     .preset = 1e-3,
     .strength = 1,
     .help = "how far one iteration moves an entry of the update; of a weight delta, times the rate"},
    {.id = "iterations",
     .type = GNT_TYPE_INT,
     .unit = "iterations",
     .least = 1,
     .most = 1000,
     .preset = 10,
     .help = "how often the greatest entry of each window is moved, each time anew"},
    {.id = "window",
     .type = GNT_TYPE_INT,
     .unit = "entries",
     .least = 0,
     .most = 1000000000,
     .preset = 0,
     .help = "width of the windows over the flat update; 1: every entry; 0: the least that leaves at most "
             "`inputs`"},
    {.id = "inputs",
     .type = GNT_TYPE_INT,
     .unit = "entries",
     .least = 1,
     .most = 1000000,
     .preset = 1024,
     .help = "greatest number of windows where their width is chosen by itself"},
};

const gnt_descriptor sign_noise = {
    .size = sizeof sign_noise,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "sign-noise",
    .version = "1.0",
    .line =
        "moves the greatest entry of each window of an update by signs drawn at random: a control for recup",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};
