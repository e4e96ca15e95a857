/* The table of fields of every kind of job. One row defines encoding, decoding and bounds of a field. */
#include "request/request_fields.h"

#include "data/data.h"
#include "gauntlet/plugin.h"
#include "metric/embedding.h"
#include "plugin/info.h"
#include "plugin/abi_words.h"
#include "request/inputs.h"

static const gnt_word partitions[] = {{"iid", GNT_PARTITION_IID},
                                      {"shards", GNT_PARTITION_SHARDS},
                                      {"dirichlet", GNT_PARTITION_DIRICHLET},
                                      {"labels", GNT_PARTITION_LABELS},
                                      {"group", GNT_PARTITION_GROUP},
                                      {"sized-shards", GNT_PARTITION_SIZED_SHARDS}};
static const gnt_words partition_words = {partitions, sizeof partitions / sizeof *partitions};

static const gnt_word sides[] = {
    {"client", GNT_SIDE_CLIENT}, {"server", GNT_SIDE_SERVER}, {"query", GNT_SIDE_QUERY}};
const gnt_words gnt_side_words = {sides, sizeof sides / sizeof *sides};

enum { MOST_MODELS = 256, MOST_CLIENTS = 1 << 24 };

/* ---- parts ---- */

static const gnt_field model_rows[] = {
    {GNT_FIELD(gnt_request_model, name, TEXT)},
    {GNT_FIELD(gnt_request_model, json, TEXT)},
    {GNT_FIELD(gnt_request_model, sample, INTS), .least = 1, .most = INT32_MAX, .most_entries = 3},
    {GNT_FIELD(gnt_request_model, classes, INT), .least = 1, .most = INT32_MAX},
    {GNT_FIELD(gnt_request_model, mean, REALS)},
    {GNT_FIELD(gnt_request_model, deviation, REALS)},
};
static const gnt_fields model_fields = GNT_FIELDS_OF(gnt_request_model, model_rows);

static const gnt_field named_model_rows[] = {
    {GNT_FIELD(gnt_request_named_model, parameter, TEXT)},
    {GNT_FIELD(gnt_request_named_model, id, TEXT)},
    {GNT_FIELD(gnt_request_named_model, input, TEXT)},
    {GNT_FIELD(gnt_request_named_model, model, GROUP), .group = &model_fields},
};
static const gnt_fields named_model_fields = GNT_FIELDS_OF(gnt_request_named_model, named_model_rows);

static const gnt_field plugin_rows[] = {
    {GNT_FIELD(gnt_request_plugin, file, TEXT), .is_place = 1},
    {GNT_FIELD(gnt_request_plugin, id, TEXT)},
    {GNT_FIELD(gnt_request_plugin, digest, TEXT)},
    {GNT_FIELD(gnt_request_plugin, params, TEXT)},
    {GNT_FIELD(gnt_request_plugin, hooks, BITS), .words = &gnt_hook_words},
    {GNT_FIELD(gnt_request_plugin, private_artefacts, FLAG)},
    {GNT_FIELD(gnt_request_plugin, models, LIST), .group = &named_model_fields, .most_entries = MOST_MODELS},
};
static const gnt_fields plugin_fields = GNT_FIELDS_OF(gnt_request_plugin, plugin_rows);

static const gnt_field federated_rows[] = {
    {GNT_FIELD(gnt_request_federated, clients, INT), .least = 1, .most = MOST_CLIENTS},
    {GNT_FIELD(gnt_request_federated, partition, WORD), .words = &partition_words},
    {GNT_FIELD(gnt_request_federated, shards, INT), .most = MOST_CLIENTS},
    {GNT_FIELD(gnt_request_federated, shard_size, INT)},
    {GNT_FIELD(gnt_request_federated, least, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, most, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, rows, INTS), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, n_labels, INTS), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, labels, INTS), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, alpha, REAL)},
    {GNT_FIELD(gnt_request_federated, by, TEXT)},
    {GNT_FIELD(gnt_request_federated, rounds, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, participation, REAL), .low = 0, .high = 1},
    {GNT_FIELD(gnt_request_federated, all_train, FLAG)},
    {GNT_FIELD(gnt_request_federated, local_steps, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, batch, INT)},
    {GNT_FIELD(gnt_request_federated, rate, REAL)},
    {GNT_FIELD(gnt_request_federated, momentum, REAL)},
    {GNT_FIELD(gnt_request_federated, decay, REAL)},
    {GNT_FIELD(gnt_request_federated, adam, FLAG)},
    {GNT_FIELD(gnt_request_federated, flip, FLAG)},
    {GNT_FIELD(gnt_request_federated, shift, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, cutout, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_federated, cosine, FLAG)},
    {GNT_FIELD(gnt_request_federated, training_stats, FLAG)},
};
static const gnt_fields federated_fields = GNT_FIELDS_OF(gnt_request_federated, federated_rows);

static const gnt_field hidden_rows[] = {{GNT_FIELD(gnt_request_hidden, attribute, TEXT)},
                                        {GNT_FIELD(gnt_request_hidden, weight, REAL), .low = 0, .high = 1}};
static const gnt_fields hidden_fields = GNT_FIELDS_OF(gnt_request_hidden, hidden_rows);

static const gnt_field hider_rows[] = {
    {GNT_FIELD(gnt_request_hider, share, REAL), .low = 0, .high = 1},
    {GNT_FIELD(gnt_request_hider, hide, LIST), .group = &hidden_fields},
};
static const gnt_fields hider_fields = GNT_FIELDS_OF(gnt_request_hider, hider_rows);

static const gnt_field hiders_rows[] = {
    {GNT_FIELD(gnt_request_hiders, group, LIST), .group = &hider_fields},
    {GNT_FIELD(gnt_request_hiders, key, KEY)},
};
static const gnt_fields hiders_fields = GNT_FIELDS_OF(gnt_request_hiders, hiders_rows);

static const gnt_field samples_rows[] = {
    {GNT_FIELD(gnt_request_samples, region, INTS), .most_entries = 4},
    {GNT_FIELD(gnt_request_samples, hide, LIST), .group = &hidden_fields},
    {GNT_FIELD(gnt_request_samples, hiders, GROUP), .group = &hiders_fields, .optional = 1},
};
static const gnt_fields samples_fields = GNT_FIELDS_OF(gnt_request_samples, samples_rows);

static const gnt_field observe_rows[] = {
    {GNT_FIELD(gnt_request_observe, probe, FLAG)},
    {GNT_FIELD(gnt_request_observe, surface, WORD), .words = &gnt_surface_words},
    {GNT_FIELD(gnt_request_observe, batch, INT)},
    {GNT_FIELD(gnt_request_observe, local_steps, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_observe, targets, INT)},
    {GNT_FIELD(gnt_request_observe, set, INT)},
    {GNT_FIELD(gnt_request_observe, epochs, INT)},
};
static const gnt_fields observe_fields = GNT_FIELDS_OF(gnt_request_observe, observe_rows);

static const gnt_field record_rows[] = {
    {GNT_FIELD(gnt_request_record, stages, INTS)},    {GNT_FIELD(gnt_request_record, targets, INT)},
    {GNT_FIELD(gnt_request_record, encodings, FLAG)}, {GNT_FIELD(gnt_request_record, epochs, INT)},
    {GNT_FIELD(gnt_request_record, influence, INT)},  {GNT_FIELD(gnt_request_record, shadow, FLAG)},
    {GNT_FIELD(gnt_request_record, key, KEY)},
};
static const gnt_fields record_fields = GNT_FIELDS_OF(gnt_request_record, record_rows);

static const gnt_field head_rows[] = {
    {GNT_FIELD(gnt_request_head, hidden, INTS), .least = 1, .most = INT32_MAX, .most_entries = 16},
    {GNT_FIELD(gnt_request_head, epochs, INT)},
    {GNT_FIELD(gnt_request_head, batch, INT), .least = 1, .most = INT32_MAX},
    {GNT_FIELD(gnt_request_head, rate, REAL)},
    {GNT_FIELD(gnt_request_head, key, KEY)},
};
static const gnt_fields head_fields = GNT_FIELDS_OF(gnt_request_head, head_rows);

static const gnt_field attribute_rows[] = {
    {GNT_FIELD(gnt_request_attribute, index, INT), .most = INT32_MAX},
    {GNT_FIELD(gnt_request_attribute, values, INT), .most = INT32_MAX}};
static const gnt_fields attribute_fields = GNT_FIELDS_OF(gnt_request_attribute, attribute_rows);

static const gnt_field source_rows[] = {
    {GNT_FIELD(gnt_request_source, name, TEXT)},
    {GNT_FIELD(gnt_request_source, seed, INT), .least = INT64_MIN, .most = INT64_MAX},
    {GNT_FIELD(gnt_request_source, rows, INTS), .least = -1, .most = INT64_MAX, .most_entries = 3},
    {GNT_FIELD(gnt_request_source, digest, TEXT)},
};
static const gnt_fields source_fields = GNT_FIELDS_OF(gnt_request_source, source_rows);

/* ---- data, models, training ---- */

static const gnt_field split_rows[] = {
    {GNT_FIELD(gnt_request_split, n, INTS), .least = -1, .most = INT64_MAX, .count = GNT_ROLES},
    {GNT_FIELD(gnt_request_split, first, INTS), .count = 3},
    {GNT_FIELD(gnt_request_split, target_rows, INTS)},
    {GNT_FIELD(gnt_request_split, target_part, INT), .most = 2},
    {GNT_FIELD(gnt_request_split, apart, FLAG)},
    {GNT_FIELD(gnt_request_split, balance, INTS), .most = INT32_MAX},
};
static const gnt_fields split_fields = GNT_FIELDS_OF(gnt_request_split, split_rows);

static const gnt_field data_rows[] = {
    {GNT_FIELD(gnt_request_data, data, GROUP), .group = &source_fields},
    {GNT_FIELD(gnt_request_data, split, GROUP), .group = &split_fields},
    {GNT_FIELD(gnt_request_data, coin, INT), .least = 0, .most = 64},
    {GNT_FIELD(gnt_request_data, without, INTS), .most = GNT_DATA_ATTRS - 1, .most_entries = GNT_DATA_ATTRS},
    {GNT_FIELD(gnt_request_data, folder, TEXT), .is_place = 1},
    {GNT_FIELD(gnt_request_data, public_rows, GROUP), .group = &source_fields, .optional = 1},
    {GNT_FIELD(gnt_request_data, prior_rows, GROUP), .group = &source_fields, .optional = 1},
    {GNT_FIELD(gnt_request_data, key, KEY)},
};
static const gnt_fields data_fields = GNT_FIELDS_OF(gnt_request_data, data_rows);

static const gnt_field central_rows[] = {
    {GNT_FIELD(gnt_request_central, epochs, INT)},
    {GNT_FIELD(gnt_request_central, batch, INT), .least = 1, .most = INT32_MAX},
    {GNT_FIELD(gnt_request_central, rate, REAL)},
    {GNT_FIELD(gnt_request_central, momentum, REAL)},
    {GNT_FIELD(gnt_request_central, decay, REAL)},
    {GNT_FIELD(gnt_request_central, cosine, FLAG)},
    {GNT_FIELD(gnt_request_central, flip, FLAG)},
};
static const gnt_fields central_fields = GNT_FIELDS_OF(gnt_request_central, central_rows);

static const gnt_field public_model_rows[] = {
    {GNT_FIELD(gnt_request_public_model, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_public_model, train, GROUP), .group = &central_fields, .optional = 1},
    {GNT_FIELD(gnt_request_public_model, weights_digest, TEXT), .optional = 1},
    {GNT_FIELD(gnt_request_public_model, init_key, KEY)},
    {GNT_FIELD(gnt_request_public_model, train_key, KEY)},
};
static const gnt_fields public_model_fields = GNT_FIELDS_OF(gnt_request_public_model, public_model_rows);

static const gnt_field train_rows[] = {
    {GNT_FIELD(gnt_request_train, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_train, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_train, federated, GROUP), .group = &federated_fields},
    {GNT_FIELD(gnt_request_train, stages, INTS)},
    {GNT_FIELD(gnt_request_train, measure_every, INT)},
    {GNT_FIELD(gnt_request_train, keep_rows, FLAG)},
    {GNT_FIELD(gnt_request_train, defense, LIST), .group = &plugin_fields,
     .most_entries = GNT_INPUT_MOST_MEMBERS},
    {GNT_FIELD(gnt_request_train, sides, BITS), .words = &gnt_side_words},
    {GNT_FIELD(gnt_request_train, copies, FLAG)},
    {GNT_FIELD(gnt_request_train, client_states, FLAG)},
    {GNT_FIELD(gnt_request_train, shuffle_labels, FLAG)},
    {GNT_FIELD(gnt_request_train, secret_labels, FLAG)},
    {GNT_FIELD(gnt_request_train, weights_digest, TEXT), .optional = 1},
    {GNT_FIELD(gnt_request_train, partition_key, KEY)},
    {GNT_FIELD(gnt_request_train, init_key, KEY)},
    {GNT_FIELD(gnt_request_train, train_key, KEY)},
    {GNT_FIELD(gnt_request_train, defense_key, KEY)},
    {GNT_FIELD(gnt_request_train, record, GROUP), .group = &record_fields, .optional = 1},
    {GNT_FIELD(gnt_request_train, head, GROUP), .group = &head_fields, .optional = 1},
};
static const gnt_fields train_fields = GNT_FIELDS_OF(gnt_request_train, train_rows);

static const gnt_field replay_rows[] = {
    {GNT_FIELD(gnt_request_replay, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_replay, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_replay, federated, GROUP), .group = &federated_fields},
    {GNT_FIELD(gnt_request_replay, defense, LIST), .group = &plugin_fields,
     .most_entries = GNT_INPUT_MOST_MEMBERS},
    {GNT_FIELD(gnt_request_replay, sides, BITS), .words = &gnt_side_words},
    {GNT_FIELD(gnt_request_replay, copies, FLAG)},
    {GNT_FIELD(gnt_request_replay, forgets, FLAG)},
    {GNT_FIELD(gnt_request_replay, partition_key, KEY)},
    {GNT_FIELD(gnt_request_replay, train_key, KEY)},
    {GNT_FIELD(gnt_request_replay, defense_key, KEY)},
    {GNT_FIELD(gnt_request_replay, record, GROUP), .group = &record_fields},
};
static const gnt_fields replay_fields = GNT_FIELDS_OF(gnt_request_replay, replay_rows);

static const gnt_field side_rows[] = {
    {GNT_FIELD(gnt_request_side, side, WORD), .words = &gnt_side_words},
    {GNT_FIELD(gnt_request_side, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_side, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_side, defense, LIST), .group = &plugin_fields,
     .most_entries = GNT_INPUT_MOST_MEMBERS},
    {GNT_FIELD(gnt_request_side, key, KEY)},
    {GNT_FIELD(gnt_request_side, training_stats, FLAG)},
};
static const gnt_fields side_fields = GNT_FIELDS_OF(gnt_request_side, side_rows);

/* ---- defenses' artefacts, observations ---- */

static const gnt_field prepare_rows[] = {
    {GNT_FIELD(gnt_request_prepare, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_prepare, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_prepare, federated, GROUP), .group = &federated_fields},
    {GNT_FIELD(gnt_request_prepare, stage, INT)},
    {GNT_FIELD(gnt_request_prepare, told_stage, INT), .least = -1, .most = INT64_MAX},
    {GNT_FIELD(gnt_request_prepare, plugin, GROUP), .group = &plugin_fields},
    {GNT_FIELD(gnt_request_prepare, key, KEY)},
};
static const gnt_fields prepare_fields = GNT_FIELDS_OF(gnt_request_prepare, prepare_rows);

static const gnt_field probe_rows[] = {
    {GNT_FIELD(gnt_request_probe, defense, LIST), .group = &plugin_fields,
     .most_entries = GNT_INPUT_MOST_MEMBERS},
    {GNT_FIELD(gnt_request_probe, train_key, KEY)},
    {GNT_FIELD(gnt_request_probe, defense_key, KEY)},
};
static const gnt_fields probe_fields = GNT_FIELDS_OF(gnt_request_probe, probe_rows);

static const gnt_field observation_rows[] = {
    {GNT_FIELD(gnt_request_observation, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_observation, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_observation, federated, GROUP), .group = &federated_fields},
    {GNT_FIELD(gnt_request_observation, stage, INT)},
    {GNT_FIELD(gnt_request_observation, observe, GROUP), .group = &observe_fields},
    {GNT_FIELD(gnt_request_observation, shadow, FLAG)},
    {GNT_FIELD(gnt_request_observation, influence, FLAG)},
    {GNT_FIELD(gnt_request_observation, probe, GROUP), .group = &probe_fields, .optional = 1},
};
static const gnt_fields observation_fields = GNT_FIELDS_OF(gnt_request_observation, observation_rows);

static const gnt_field captured_rows[] = {
    {GNT_FIELD(gnt_request_captured, folder, TEXT), .is_place = 1},
    {GNT_FIELD(gnt_request_captured, digest, TEXT)},
};
static const gnt_fields captured_fields = GNT_FIELDS_OF(gnt_request_captured, captured_rows);

static const gnt_field capture_rows[] = {
    {GNT_FIELD(gnt_request_capture, folders, LIST), .group = &captured_fields},
    {GNT_FIELD(gnt_request_capture, stage, INT), .most = INT32_MAX},
};
static const gnt_fields capture_fields = GNT_FIELDS_OF(gnt_request_capture, capture_rows);

/* ---- attacks ---- */

static const gnt_field value_rows[] = {
    {GNT_FIELD(gnt_request_value, id, TEXT)},
    {GNT_FIELD(gnt_request_value, type, WORD), .words = &gnt_type_words},
    {GNT_FIELD(gnt_request_value, i, INT), .least = INT64_MIN, .most = INT64_MAX},
    {GNT_FIELD(gnt_request_value, r, REAL)},
    {GNT_FIELD(gnt_request_value, text, TEXT)},
    {GNT_FIELD(gnt_request_value, list, REALS)},
};
static const gnt_fields value_fields = GNT_FIELDS_OF(gnt_request_value, value_rows);

static const gnt_field known_rows[] = {{GNT_FIELD(gnt_request_known, ids, TEXT)},
                                       {GNT_FIELD(gnt_request_known, values, LIST), .group = &value_fields}};
static const gnt_fields known_fields = GNT_FIELDS_OF(gnt_request_known, known_rows);

static const gnt_field attacker_rows[] = {
    {GNT_FIELD(gnt_request_attacker, model, GROUP), .group = &model_fields},
    {GNT_FIELD(gnt_request_attacker, federated, GROUP), .group = &federated_fields},
    {GNT_FIELD(gnt_request_attacker, granted, BITS), .words = &gnt_knowledge_words},
    {GNT_FIELD(gnt_request_attacker, goals, BITS), .words = &gnt_goal_words},
    {GNT_FIELD(gnt_request_attacker, budget, INT)},
    {GNT_FIELD(gnt_request_attacker, plugin, GROUP), .group = &plugin_fields},
    {GNT_FIELD(gnt_request_attacker, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_attacker, attribute, GROUP), .group = &attribute_fields, .optional = 1},
    {GNT_FIELD(gnt_request_attacker, known, GROUP), .group = &known_fields, .optional = 1},
};
static const gnt_fields attacker_fields = GNT_FIELDS_OF(gnt_request_attacker, attacker_rows);

static const gnt_field prepare_attack_rows[] = {
    {GNT_FIELD(gnt_request_prepare_attack, attacker, GROUP), .group = &attacker_fields},
    {GNT_FIELD(gnt_request_prepare_attack, stage, INT)},
    {GNT_FIELD(gnt_request_prepare_attack, told_stage, INT), .least = -1, .most = INT64_MAX},
    {GNT_FIELD(gnt_request_prepare_attack, history, INTS), .most = INT32_MAX,
     .most_entries = GNT_INPUT_MOST_HISTORY},
    {GNT_FIELD(gnt_request_prepare_attack, observe, GROUP), .group = &observe_fields},
    {GNT_FIELD(gnt_request_prepare_attack, key, KEY)},
};
static const gnt_fields prepare_attack_fields =
    GNT_FIELDS_OF(gnt_request_prepare_attack, prepare_attack_rows);

static const gnt_field attack_rows[] = {
    {GNT_FIELD(gnt_request_attack, attacker, GROUP), .group = &attacker_fields},
    {GNT_FIELD(gnt_request_attack, start_digest, TEXT), .optional = 1},
    {GNT_FIELD(gnt_request_attack, start_targets, INT)},
    {GNT_FIELD(gnt_request_attack, chained, FLAG)},
    {GNT_FIELD(gnt_request_attack, key, KEY)},
};
static const gnt_fields attack_fields = GNT_FIELDS_OF(gnt_request_attack, attack_rows);

/* ---- scores ---- */

static const gnt_field lpips_rows[] = {{GNT_FIELD(gnt_request_lpips, net, TEXT)},
                                       {GNT_FIELD(gnt_request_lpips, digest, TEXT)}};
static const gnt_fields lpips_fields = GNT_FIELDS_OF(gnt_request_lpips, lpips_rows);

static const gnt_field score_rows[] = {
    {GNT_FIELD(gnt_request_score, samples, GROUP), .group = &samples_fields},
    {GNT_FIELD(gnt_request_score, goals, BITS), .words = &gnt_goal_words},
    {GNT_FIELD(gnt_request_score, granted, BITS), .words = &gnt_knowledge_words},
    {GNT_FIELD(gnt_request_score, observe, GROUP), .group = &observe_fields},
    {GNT_FIELD(gnt_request_score, attribute, GROUP), .group = &attribute_fields, .optional = 1},
    {GNT_FIELD(gnt_request_score, chained, FLAG)},
    {GNT_FIELD(gnt_request_score, points, INT), .most = GNT_EMBEDDING_MOST},
    {GNT_FIELD(gnt_request_score, points_of_samples, FLAG)},
    {GNT_FIELD(gnt_request_score, lpips, LIST), .group = &lpips_fields},
    {GNT_FIELD(gnt_request_score, judge, GROUP), .group = &model_fields, .optional = 1},
    {GNT_FIELD(gnt_request_score, representation, GROUP), .group = &model_fields, .optional = 1},
    {GNT_FIELD(gnt_request_score, key, KEY)},
};
static const gnt_fields score_fields = GNT_FIELDS_OF(gnt_request_score, score_rows);

/* ---- plugin files ---- */

static const gnt_field vetted_rows[] = {
    {GNT_FIELD(gnt_request_vetted, file, TEXT), .is_place = 1},
    {GNT_FIELD(gnt_request_vetted, id, TEXT)},
    {GNT_FIELD(gnt_request_vetted, params, TEXT)},
    {GNT_FIELD(gnt_request_vetted, kind, WORD), .words = &gnt_kind_words},
};
static const gnt_fields vetted_fields = GNT_FIELDS_OF(gnt_request_vetted, vetted_rows);

static const gnt_field vet_rows[] = {
    {GNT_FIELD(gnt_request_vet, check, TEXT)},
    {GNT_FIELD(gnt_request_vet, seed, INT), .least = INT64_MIN, .most = INT64_MAX},
    {GNT_FIELD(gnt_request_vet, plugin, GROUP), .group = &vetted_fields},
    {GNT_FIELD(gnt_request_vet, behind, GROUP), .group = &vetted_fields, .optional = 1},
};
static const gnt_fields vet_fields = GNT_FIELDS_OF(gnt_request_vet, vet_rows);

static const gnt_field describe_rows[] = {{GNT_FIELD(gnt_request_describe, file, TEXT), .is_place = 1}};
static const gnt_fields describe_fields = GNT_FIELDS_OF(gnt_request_describe, describe_rows);

static const gnt_fields no_fields = {.n = 0};

const gnt_request_kind gnt_request_kinds[GNT_JOB_KINDS] = {
    [GNT_JOB_DATA] = {"data", &data_fields},
    [GNT_JOB_MODEL] = {"model", &public_model_fields},
    [GNT_JOB_TRAIN] = {"train", &train_fields},
    [GNT_JOB_SIDE] = {"side", &side_fields},
    [GNT_JOB_REPLAY] = {"replay", &replay_fields},
    [GNT_JOB_PREPARE_DEFENSE] = {"prepare-defense", &prepare_fields},
    [GNT_JOB_OBSERVE] = {"observe", &observation_fields},
    [GNT_JOB_CAPTURE] = {"capture", &capture_fields},
    [GNT_JOB_PREPARE_ATTACK] = {"prepare-attack", &prepare_attack_fields},
    [GNT_JOB_ATTACK] = {"attack", &attack_fields},
    [GNT_JOB_SCORE] = {"score", &score_fields},
    [GNT_JOB_VET] = {"vet", &vet_fields},
    [GNT_JOB_DESCRIBE] = {"describe", &describe_fields},
    [GNT_JOB_SANDBOX] = {"sandbox", &no_fields},
};
