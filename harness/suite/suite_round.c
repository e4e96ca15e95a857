/* Observations in the round: an update, an encoded set or a representation of a participating client, as the
 * training run computed it. The federation determines how many rows one observation depends on.
 *
 * A client with fewer rows than it draws samples uses them repeatedly, and an observation of it is of fewer
 * rows. Encoded sets alone must be of one size. */
#include <math.h>

#include "suite/suite_impl.h"

enum { MOST_TARGETS = 16 };

/* ---- rows of clients ---- */

static int64_t fewest_named(const gnt_suite_federated *f) {
    int64_t fewest = f->rows[0];
    for (size_t k = 1; k < f->n_dealt; k++)
        fewest = f->rows[k] < fewest ? f->rows[k] : fewest;
    return fewest;
}

static int64_t most_named(const gnt_suite_federated *f) {
    int64_t most = f->rows[0];
    for (size_t k = 1; k < f->n_dealt; k++)
        most = f->rows[k] > most ? f->rows[k] : most;
    return most;
}

/* True if the number of a client's rows is only known in the run. */
static int rows_are_open(const gnt_suite_federated *f) {
    return f->partition == GNT_PARTITION_DIRICHLET || f->partition == GNT_PARTITION_GROUP;
}

/* Returns the rows that every client has at least; 0 if that is open. */
static int64_t least_rows(const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    int64_t rows = t->role_rows[GNT_ROLE_CLIENTS];
    if (f->partition == GNT_PARTITION_SHARDS) /* rows that fill no shard are not used */
        return rows / (f->clients * f->shards) * f->shards;
    if (f->partition == GNT_PARTITION_SIZED_SHARDS)
        return f->shard_size * f->least;
    if (f->partition == GNT_PARTITION_LABELS)
        return fewest_named(f);
    return f->partition == GNT_PARTITION_IID ? rows / f->clients : 0;
}

/* Returns the rows that a client has at most. */
static int64_t most_rows(const gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    const int64_t rows = t->role_rows[GNT_ROLE_CLIENTS];
    if (f->partition == GNT_PARTITION_LABELS)
        return most_named(f);
    if (f->partition == GNT_PARTITION_SIZED_SHARDS)
        return f->shard_size * f->most;
    if (f->partition == GNT_PARTITION_IID)
        return (rows + f->clients - 1) / f->clients;
    return rows_are_open(f) ? rows : least_rows(t);
}

/* Returns the clients in a round, as the server draws them: a share, rounded up. */
static int64_t clients_a_round(const gnt_suite_federated *f) {
    int64_t n = (int64_t)ceil(f->participation * (double)f->clients - 1e-9);
    return n < 1 ? 1 : n > f->clients ? f->clients : n;
}

/* ---- rows of one observation ---- */

/* Sets the samples that a client uses in one round at most: those that it draws, or all of its rows if these
 * are fewer. */
static void fit_samples(gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    const int64_t drawn = (f->local_steps ? f->local_steps : 1) * f->batch, most = most_rows(t);
    t->observe.batch = drawn < most ? drawn : most;
}

/* Sets one observation to everything that a client encodes. */
static int fit_set(suite_reader *r, const char *path, gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    const gnt_path at = gnt_path_key(path, "federated");
    if (rows_are_open(f))
        return suite_fail(
            r, gnt_path_key(gnt_path_key(at.text, "partition").text, "kind").text,
            "is \"%s\", under which clients hold different numbers of rows, but on the surface "
            "\"encoding\" one observation is all of a client's and must be of one size; expected "
            "\"iid\" or \"shards\", or \"from\": \"probe\" in observe",
            f->partition == GNT_PARTITION_GROUP ? "group" : "dirichlet");
    if (least_rows(t) != most_rows(t) && f->partition != GNT_PARTITION_IID)
        return suite_fail_key(
            r, at.text, "partition",
            "lets clients hold %lld to %lld rows, but on the surface \"encoding\" one observation is all of "
            "a "
            "client's and must be of one size; let all hold as many, or say \"from\": \"probe\" in observe",
            (long long)least_rows(t), (long long)most_rows(t));
    if (least_rows(t) != most_rows(t))
        return suite_fail_key(
            r, at.text, "clients",
            "is %lld, which does not divide the %lld rows of data.clients, but on the surface "
            "\"encoding\" one observation is all of a client's and must be of one size; make "
            "data.clients a multiple of federated.clients, or say \"from\": \"probe\" in observe",
            (long long)f->clients, (long long)t->role_rows[GNT_ROLE_CLIENTS]);
    t->observe.set = t->observe.batch = least_rows(t);
    return 0;
}

/* ---- keys of the suite ---- */

static int refuse(suite_reader *r, const char *path, const json_t *object, const char *key, const char *why) {
    return json_object_get(object, key) ? suite_fail_key(r, path, key, "%s", why) : 0;
}

static const char *why_no_set(uint32_t surface) {
    if (surface == GNT_SURFACE_ENCODING)
        return "is all that a client holds where observations are made in the round: set data.clients and "
               "federated.clients, or say \"from\": \"probe\"";
    if (surface == GNT_SURFACE_UPDATE)
        return "goes with \"from\": \"probe\", where single encodings of a set can be observed; in a round a "
               "client "
               "sends one update of all that it used: remove it, or say that";
    return "goes with \"surface\": \"encoding\" or \"update\", where sets are encoded; remove it";
}

static int check_keys(suite_reader *r, const char *path, const json_t *object, const gnt_suite_task *t) {
    uint32_t surface = t->observe.surface;
    if (refuse(
            r, path, object, "batch",
            "is the federation's own where observations are made in the round: set federated.batch, or say "
            "\"from\": \"probe\"") ||
        refuse(r, path, object, "local_steps",
               "is the federation's own where observations are made in the round: set federated.local_steps, "
               "or say "
               "\"from\": \"probe\"") ||
        refuse(r, path, object, "set", why_no_set(surface)))
        return -1;
    return surface == GNT_SURFACE_ENCODING ? 0
                                           : refuse(r, path, object, "epochs",
                                                    "says how many of a client's passes are shown, which "
                                                    "goes with \"surface\": \"encoding\"; "
                                                    "remove it");
}

static int fit_targets(suite_reader *r, const char *path, gnt_suite_task *t) {
    const gnt_suite_federated *f = &t->federated;
    gnt_suite_observe *o = &t->observe;
    int64_t most = clients_a_round(f);
    if (!o->targets)
        o->targets = most < MOST_TARGETS ? most : MOST_TARGETS;
    if (o->targets > most)
        return suite_fail_key(
            r, path, "targets",
            "is %lld, but %lld of %lld clients take part in a round, and each is observed once; lower "
            "it, or raise federated.participation or federated.clients",
            (long long)o->targets, (long long)most, (long long)f->clients);
    return 0;
}

int suite_read_round(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_suite_observe *o = &t->observe;
    const gnt_path at = gnt_path_key(path, "observe");
    int encodes = o->surface == GNT_SURFACE_ENCODING;
    if (gnt_augment_any(&t->federated.augment))
        return suite_fail(
            r, gnt_path_key(gnt_path_key(path, "federated").text, "augment").text,
            "changes what clients compute with, so that behind an update of a round there are images that no "
            "data set has, none like another; say \"from\": \"probe\" in observe, or remove it");
    o->local_steps = t->federated.local_steps;
    o->epochs = encodes ? 0 : 1;
    o->client_rows =
        rows_are_open(&t->federated) ? t->role_rows[GNT_ROLE_CLIENTS] / t->federated.clients : least_rows(t);
    if (check_keys(r, at.text, object, t) ||
        (encodes && suite_int(r, at.text, object, "epochs", 0, 10000, &o->epochs)) ||
        fit_targets(r, at.text, t))
        return -1;
    fit_samples(t);
    return encodes ? fit_set(r, path, t) : 0;
}
