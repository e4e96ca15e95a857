/* The networks of a setting, and the updates that clients compute with them. */
#include "vet/defense.h"
#include "vet/setting_impl.h"

#define LAYERS(list) "{\"init\": \"kaiming\", \"layers\": [" list "]}"
#define CONV(name)                                                                                           \
    "{\"type\": \"conv\", \"name\": \"" name "\", \"out\": 4, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
#define DENSE(name, out) "{\"type\": \"dense\", \"name\": \"" name "\", \"out\": " out "}"
#define PLAIN(type) "{\"type\": \"" type "\"},"

static const char convolutions[] = LAYERS(CONV("conv1") PLAIN("sigmoid") CONV("conv2") PLAIN("sigmoid")
                                              PLAIN("flatten") DENSE("fc", "\"classes\""));
static const char normalised[] = LAYERS(CONV("conv1") "{\"type\": \"batch_norm\", \"name\": \"bn1\"}," PLAIN(
    "relu") PLAIN("flatten") DENSE("fc1", "16") "," PLAIN("relu") DENSE("fc2", "\"classes\""));
static const char map[] =
    "{\"output\": \"map\", \"layers\": [" PLAIN("flatten") DENSE("fc", "\"classes\"") "]}";
static const char dense[] =
    LAYERS(PLAIN("flatten") DENSE("fc1", "16") "," PLAIN("relu") DENSE("fc2", "\"classes\""));

#define SMALL(name)                                                                                          \
    "{\"type\": \"conv\", \"name\": \"" name "\", \"out\": 3, \"kernel\": 3, \"pad\": 1}," PLAIN("relu")
static const char deep[] = LAYERS(CONV("conv1") PLAIN("relu") SMALL("conv2") SMALL("conv3") SMALL(
    "conv4") SMALL("conv5") SMALL("conv6") PLAIN("flatten") DENSE("fc", "\"classes\""));

gnt_key gnt_vet_key(const char *name) {
    gnt_key all = gnt_key_of_seed(1);
    return gnt_key_derive(&all, name);
}

/* Makes a network for samples like these, with initial weights. */
static int make_network(gnt_vet_setting *s, gnt_work_model *m, const char *name, const char *json,
                        const gnt_samples *like, float **weights, float **buffers, gnt_err *err) {
    m->name = name;
    m->sample.rank = like->rank;
    for (int32_t i = 0; i < like->rank; i++)
        m->sample.dim[i] = like->dim[i];
    if (gnt_model_parse(&m->model, name, json, &m->sample, like->classes, NULL, NULL, err) != 0)
        return -1;
    *weights = gnt_guard_put(s->guard, "weights", NULL, (size_t)gnt_model_size(m->model) * sizeof **weights);
    *buffers =
        gnt_guard_put(s->guard, "buffers", NULL, (size_t)gnt_model_buffer_size(m->model) * sizeof **buffers);
    if (!*weights || !*buffers)
        return gnt_fail(err, "out of memory for a network");
    gnt_key key = gnt_vet_key("init");
    gnt_stream random = gnt_stream_open(&key, name);
    gnt_model_init(m->model, &random, *weights, *buffers);
    return 0;
}

int gnt_vet_make_models(gnt_vet_setting *s, const gnt_samples *like, gnt_err *err) {
    const int image = like->rank == 3;
    const char *name = s->spec.map     ? "map"
                       : s->spec.dense ? "dense"
                       : s->spec.steps ? "normalised"
                                       : "convolutions";
    const char *json = s->spec.map ? map : s->spec.dense ? dense : s->spec.steps ? normalised : convolutions;
    /* clients of the network with batch norm send their statistics, which is for defenses to change */
    s->model.training_stats = s->spec.goals == 0 && json == normalised;
    if (make_network(s, &s->model, name, json, like, &s->weights, &s->buffers, err) != 0)
        return -1;
    return make_network(s, &s->extractor, "extractor", image ? deep : dense, like, &s->extractor_weights,
                        &s->extractor_buffers, err);
}

int gnt_vet_share(gnt_vet_setting *s, const gnt_samples *samples, float *update, float *rates, gnt_err *err) {
    gnt_fl_config config = gnt_vet_config(s);
    const gnt_chain none = {.n_params = gnt_model_size(s->model.model),
                            .n_buffers = gnt_model_buffer_size(s->model.model)};
    const gnt_chain *chain = s->defense ? gnt_vet_defense_chain(s->defense) : &none;
    if (s->defense)
        config.hidden = gnt_vet_defense_hidden(s->defense);
    gnt_fl_shared shared = {.update = update, .rates = rates};
    gnt_key key = gnt_vet_key("train");
    gnt_fl *fl = NULL;
    int rc = gnt_fl_new(&fl, s->model.model, &config, chain, &key, err);
    if (rc == 0)
        rc = gnt_fl_client(fl, 0, 0, samples, NULL, s->public_data, s->weights, s->buffers, GNT_FL_WHOLE,
                           &shared, err);
    gnt_fl_free(fl);
    return rc;
}
