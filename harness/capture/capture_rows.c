/* The rows of capture.json. */
#include "capture/capture.h"
#include "plugin/abi_words.h"

enum { MOST_FEATURES = 100000000, MOST_CLASSES = 100000, MOST_ROUNDS = 1000000000, MOST_ENTRIES = 64 };

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define OPEN(of, rows)                                                                                       \
    { .field = rows, .n = COUNT(rows), .size = sizeof(of), .open = 1 }
/* A number that may be missing. */
#define MAYBE .nullable = 1, .optional = 1

static const gnt_word optimizer_list[] = {
    {"sgd", GNT_CAPTURE_SGD}, {"adam", GNT_CAPTURE_ADAM}, {"other", GNT_CAPTURE_OTHER}};
static const gnt_words optimizers = {optimizer_list, COUNT(optimizer_list)};
static const gnt_word batch_norm_list[] = {{"training", GNT_CAPTURE_TRAINING},
                                           {"evaluation", GNT_CAPTURE_EVALUATION}};
static const gnt_words batch_norms = {batch_norm_list, COUNT(batch_norm_list)};

static const gnt_field model_rows[] = {
    {GNT_FIELD(gnt_capture_model, name, TEXT), .needed = 1, .help = "name of the model, for sentences"},
    {GNT_FIELD(gnt_capture_model, architecture, JSON), .needed = 1,
     .help = "the model's JSON object ([models.md](models.md)), its `loss` included"},
    {GNT_FIELD(gnt_capture_model, sample, INTS), .needed = 1, .least = 1, .most = MOST_FEATURES,
     .most_entries = 3, .help = "shape of one sample: `[features]` or `[channels, height, width]`"},
    {GNT_FIELD(gnt_capture_model, classes, INT), .needed = 1, .least = 1, .most = MOST_CLASSES,
     .help = "width of the model's output"},
    {GNT_FIELD(gnt_capture_model, mean, REALS), .optional = 1, .most_entries = MOST_CLASSES,
     .help =
         "mean of each channel (or feature) by which the model normalises its input; missing: it does not"},
    {GNT_FIELD(gnt_capture_model, deviation, REALS), .optional = 1, .most_entries = MOST_CLASSES,
     .help = "the deviations, with `mean`"},
};
static const gnt_fields model_fields = OPEN(gnt_capture_model, model_rows);

static const gnt_field training_rows[] = {
    {GNT_FIELD(gnt_capture_training, samples, INT), .needed = 1, .least = 1, .most = INT32_MAX,
     .help = "samples that the update was computed with"},
    {GNT_FIELD(gnt_capture_training, local_steps, INT), .needed = 1, .least = 0, .most = INT32_MAX,
     .help = "local steps; 0: the update is one gradient of the mean loss"},
    {GNT_FIELD(gnt_capture_training, batch, INT), .least = 1, .most = INT32_MAX, MAYBE,
     .help = "samples of each local step; may be missing of one gradient, where it is `samples`"},
    {GNT_FIELD(gnt_capture_training, rate, REAL), .high = 1e9, MAYBE,
     .help = "learning rate as announced; may be missing of one gradient"},
    {GNT_FIELD(gnt_capture_training, optimizer, WORD), .words = &optimizers, .optional = 1,
     .help =
         "optimizer of the local steps; missing: `sgd`; `adam`: with PyTorch's betas and eps. An update by "
         "another one is read, but not computed again"},
    {GNT_FIELD(gnt_capture_training, momentum, REAL), .high = 1, .optional = 1,
     .help = "momentum of the local steps, as PyTorch's SGD has it; missing: 0"},
    {GNT_FIELD(gnt_capture_training, decay, REAL), .high = 1e9, .optional = 1,
     .help = "weight decay of the local steps, as PyTorch's SGD and Adam have it; missing: 0"},
    {GNT_FIELD(gnt_capture_training, batch_norm, WORD), .words = &batch_norms, .optional = 1,
     .help = "statistics by which batch norms normalise: `training`: the batch's, `evaluation`: the running "
             "ones; "
             "missing: `training`"},
    {GNT_FIELD(gnt_capture_training, augmented, FLAG), .optional = 1,
     .help =
         "true if the batches were augmented at random, so that the private batch does not give the update "
         "again; missing: false"},
};
static const gnt_fields training_fields = OPEN(gnt_capture_training, training_rows);

static const gnt_field federation_rows[] = {
    {GNT_FIELD(gnt_capture_federation, round, INT), .most = MOST_ROUNDS, MAYBE,
     .help = "round of the update, from 0: rounds that were aggregated before it"},
    {GNT_FIELD(gnt_capture_federation, rounds, INT), .most = MOST_ROUNDS, MAYBE,
     .help = "rounds of the whole training"},
    {GNT_FIELD(gnt_capture_federation, client, INT), .most = MOST_ROUNDS, MAYBE,
     .help = "number of the client, from 0, by which captures of one client are known"},
    {GNT_FIELD(gnt_capture_federation, clients, INT), .most = MOST_ROUNDS, MAYBE,
     .help = "clients of the federation"},
    {GNT_FIELD(gnt_capture_federation, per_round, INT), .most = MOST_ROUNDS, MAYBE,
     .help = "clients that take part in each round"},
};
static const gnt_fields federation_fields = OPEN(gnt_capture_federation, federation_rows);

static const gnt_field attribute_rows[] = {
    {GNT_FIELD(gnt_capture_attribute, name, TEXT), .needed = 1, .help = "name of a private attribute"},
    {GNT_FIELD(gnt_capture_attribute, values, INT), .needed = 1, .least = 1, .most = 1000000,
     .help = "number of its values, which are 0, 1, …"},
};
static const gnt_fields attribute_fields = OPEN(gnt_capture_attribute, attribute_rows);

static const gnt_field member_rows[] = {
    {GNT_FIELD(gnt_capture_member, id, TEXT), .needed = 1, .help = "id of the defense's plugin"},
    {GNT_FIELD(gnt_capture_member, version, TEXT), .optional = 1, .help = "version of the plugin"},
    {GNT_FIELD(gnt_capture_member, params, JSON), .optional = 1, .help = "object of its parameters"},
};
static const gnt_fields member_fields = OPEN(gnt_capture_member, member_rows);

static const gnt_field rows[] = {
    {GNT_FIELD(gnt_capture_settings, format, TEXT), .needed = 1, .help = "`gauntlet capture`"},
    {GNT_FIELD(gnt_capture_settings, version, INT), .needed = 1, .least = 1, .most = INT32_MAX,
     .help = "version of the format: 1"},
    {GNT_FIELD(gnt_capture_settings, about, TEXT), .optional = 1,
     .help = "free text: where the capture comes from"},
    {GNT_FIELD(gnt_capture_settings, surface, WORD), .needed = 1, .words = &gnt_surface_words,
     .help = "what was observed; version 1 has `update` alone"},
    {GNT_FIELD(gnt_capture_settings, data_kind, WORD), .words = &gnt_data_kind_words, .optional = 1,
     .help =
         "kind of the samples; missing: `image` where a sample has three sides, `tabular` where it has one"},
    {GNT_FIELD(gnt_capture_settings, model, GROUP), .needed = 1, .group = &model_fields,
     .help = "the network that clients train"},
    {GNT_FIELD(gnt_capture_settings, training, GROUP), .needed = 1, .group = &training_fields,
     .help = "how the client computed its update"},
    {GNT_FIELD(gnt_capture_settings, federation, GROUP), .group = &federation_fields, .optional = 1,
     .inside = 1, .help = "which client, and in which round; may be missing, as each of its keys"},
    {GNT_FIELD(gnt_capture_settings, goals, BITS), .words = &gnt_goal_words, .optional = 1,
     .help = "what is to be found out of the update; missing: not said"},
    {GNT_FIELD(gnt_capture_settings, attributes, LIST), .optional = 1, .group = &attribute_fields,
     .most_entries = MOST_ENTRIES, .help = "private attributes of a sample"},
    {GNT_FIELD(gnt_capture_settings, attribute, TEXT), .optional = 1,
     .help = "name of the one that is to be inferred"},
    {GNT_FIELD(gnt_capture_settings, defense, LIST), .nullable = 1, .optional = 1, .group = &member_fields,
     .most_entries = MOST_ENTRIES,
     .help = "plugins of the defense, in their order; `[]`: there was none; null or missing: not known"},
};
const gnt_fields gnt_capture_fields = OPEN(gnt_capture_settings, rows);
