#include "job/work/defense_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fl/input_sums.h"
#include "fl/secure_sum.h"
#include "request/inputs.h"

enum { NAME_SIZE = GNT_ST_NAME };

/* ---- secure sums ---- */

/* Counts the different labels of a client's samples; 0 if these have maps. found: one flag for each class. */
static int64_t labels_of(const gnt_sampleset *s, const gnt_partition *part, int32_t client, uint8_t *found) {
    int64_t n = 0;
    if (s->has_maps)
        return 0;
    memset(found, 0, (size_t)s->view.classes);
    for (int64_t i = part->start[client]; i < part->start[client + 1]; i++) {
        uint8_t *mark = &found[s->label[part->index[i]]];
        n += !*mark;
        *mark = 1;
    }
    return n;
}

int gnt_state_holdings(const gnt_sampleset *clients, const gnt_partition *part, gnt_st *out, gnt_err *err) {
    const int64_t dim[2] = {part->clients, 2};
    gnt_st_tensor *t;
    uint8_t *found = gnt_alloc((size_t)clients->view.classes);
    int rc = found ? gnt_st_add(out, "holdings", GNT_ST_I64, 2, dim, NULL, &t, err)
                   : gnt_fail(err, "out of memory for the clients' holdings");
    for (int32_t k = 0; rc == 0 && k < part->clients; k++) {
        ((int64_t *)t->data)[2 * k] = part->start[k + 1] - part->start[k];
        ((int64_t *)t->data)[2 * k + 1] = labels_of(clients, part, k, found);
    }
    gnt_free(found);
    return rc;
}

int gnt_state_holding(gnt_fl_holding *out, const gnt_st *trained, int32_t client) {
    const gnt_st_tensor *t = gnt_st_find(trained, "holdings");
    if (!t || t->type != GNT_ST_I64 || t->rank != 2 || t->dim[1] != 2 || t->dim[0] < 1)
        return 0;
    const int64_t *count = t->data;
    const int64_t most = (int64_t)1 << 53; /* so that sums are exact, and no sum overflows */
    for (int64_t i = 0; i < 2 * t->dim[0]; i++)
        if (count[i] < 0 || count[i] > most)
            return 0;
    if (client != GNT_STATE_AVERAGE) {
        *out = (gnt_fl_holding){count[2 * (client % t->dim[0])], count[2 * (client % t->dim[0]) + 1]};
        return 1;
    }
    double samples = 0, labels = 0;
    for (int64_t k = 0; k < t->dim[0]; k++) {
        samples += (double)count[2 * k] / (double)t->dim[0];
        labels += (double)count[2 * k + 1] / (double)t->dim[0];
    }
    *out = (gnt_fl_holding){(int64_t)(samples + 0.5), (int64_t)(labels + 0.5)};
    return 1;
}

/* Computes client k's vector from the samples that it has. */
static int contribute_one(const gnt_state_sum_spec *s, const gnt_member *m, int32_t k, double *vector,
                          gnt_err *err) {
    gnt_fl_holding holding = {0, 0};
    gnt_batch own = {0};
    const int64_t first = s->part->start[k], n = s->part->start[k + 1] - first;
    gnt_state_holding(&holding, s->trained, k);
    if (gnt_batch_gather(&own, &s->samples->view, s->part->index + first, n) != 0)
        return gnt_fail(err, "out of memory for the samples of client %d", k);
    for (int64_t i = 0; i < n; i++)
        own.id[i] = i;
    gnt_hide_for(&s->config->hidden, k, &own.view);
    const gnt_client client = {.size = sizeof client,
                               .index = k,
                               .n_clients = s->part->clients,
                               .n_samples = holding.samples,
                               .n_labels = holding.labels,
                               .rate = gnt_fl_rate(s->config, 0),
                               .rounds = s->config->rounds,
                               .per_round = gnt_fl_per_round(s->config),
                               .steps = s->config->steps,
                               .batch = s->config->batch,
                               .samples = n ? &own.view : NULL,
                               .weights = s->weights,
                               .buffers = s->buffers,
                               .artefacts = m->artefacts};
    const int rc = gnt_chain_contribute(m, s->chain, &client, vector, err);
    gnt_batch_free(&own);
    return rc;
}

static int contribute(const gnt_state_sum_spec *s, const gnt_member *m, int64_t n, double *value,
                      gnt_err *err) {
    for (int32_t k = 0; k < s->part->clients; k++)
        if ((s->before_client && s->before_client(s->context, -1, k, err) != 0) ||
            contribute_one(s, m, k, value + k * n, err) != 0 ||
            (s->after_client && s->after_client(s->context, -1, k, err) != 0))
            return -1;
    return 0;
}

static int receive(const gnt_member *m, const double *sum, int64_t n, gnt_err *err) {
    m->begin(m->owner, "receive_sum");
    return m->done(m->owner, m->hooks->receive_sum(m->self, sum, n), err);
}

static int sum_of_member(const gnt_state_sum_spec *s, const gnt_member *m, int32_t index, const gnt_key *key,
                         gnt_st *out, gnt_st *contributions, gnt_err *err) {
    m->begin(m->owner, "contribute_size");
    int64_t n = m->hooks->contribute_size(m->self), dim[2] = {s->part->clients, n};
    if (m->done(m->owner, GNT_OK, err) != 0)
        return -1;
    if (n < 1 || n > GNT_SUM_MOST_ENTRIES)
        return gnt_fail(err, "the defense wants a secure sum of %" PRId64 " entries, expected 1 to %d", n,
                        GNT_SUM_MOST_ENTRIES);
    char name[NAME_SIZE];
    gnt_st_tensor *transcript, *sum, *given;
    snprintf(name, sizeof name, "contribution.%d", index);
    if (gnt_st_add(contributions, name, GNT_ST_F64, 2, dim, NULL, &given, err) != 0)
        return -1;
    double *value = given->data;
    int rc = contribute(s, m, n, value, err);
    snprintf(name, sizeof name, "transcript.%d", index);
    if (rc == 0)
        rc = gnt_st_add(out, name, GNT_ST_I64, 2, dim, NULL, &transcript, err);
    uint64_t *masked = rc == 0 ? transcript->data : NULL; /* the next add may move the tensor, not its data */
    snprintf(name, sizeof name, "sum.%d", index);
    if (rc == 0)
        rc = gnt_st_add(out, name, GNT_ST_F64, 1, &n, NULL, &sum, err);
    snprintf(name, sizeof name, "member %d", index);
    gnt_key own = gnt_key_derive(key, name);
    if (rc == 0)
        rc = gnt_secure_sum(value, s->part->clients, n, &own, masked, sum->data, err);
    if (rc == 0)
        rc = receive(m, sum->data, n, err);
    return rc;
}

int gnt_state_sums(const gnt_state_sum_spec *s, const gnt_key *key, gnt_st *out, gnt_st *contributions,
                   gnt_err *err) {
    for (int32_t i = 0; i < s->chain->n; i++)
        if (s->chain->member[i].hooks->contribute &&
            sum_of_member(s, &s->chain->member[i], i, key, out, contributions, err) != 0)
            return -1;
    return 0;
}

const gnt_st_tensor *gnt_state_first(const gnt_st *st, const char *kind, gnt_st_type type, int32_t rank) {
    for (int i = 0; i < GNT_INPUT_MOST_MEMBERS; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s.%d", kind, i);
        const gnt_st_tensor *t = gnt_st_find(st, name);
        if (t && t->type == type && t->rank == rank)
            return t;
    }
    return NULL;
}

/* ---- state ---- */

typedef struct prefixed {
    gnt_st *st;
    char prefix[80];
    gnt_err err;
} prefixed;

static gnt_status put(prefixed *p, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                      const void *data) {
    char *full = gnt_format("%s%s", p->prefix, name);
    int rc = full ? gnt_sink_add(p->st, full, type, rank, dim, data, &p->err) : -1;
    gnt_free(full);
    return rc == 0 ? GNT_OK : GNT_FAILED;
}

static gnt_status put_tensor(void *context, const char *name, int32_t rank, const int64_t *dim,
                             const float *data) {
    return put(context, name, GNT_ST_F32, rank, dim, data);
}

static gnt_status put_blob(void *context, const char *name, const uint8_t *data, int64_t count) {
    return put(context, name, GNT_ST_U8, 1, &count, data);
}

static void prefix_of(char *text, size_t size, int32_t round, int32_t member, int32_t client) {
    snprintf(text, size, "state.%d.%d.%d.", round, member, client);
}

int gnt_state_save(const gnt_chain *c, int32_t round, int32_t client, gnt_st *out, gnt_err *err) {
    for (int32_t i = 0; i < c->n; i++) {
        const gnt_member *m = &c->member[i];
        if (!m->hooks->save)
            continue;
        prefixed p = {.st = out};
        gnt_sink sink = {.size = sizeof sink, .context = &p, .tensor = put_tensor, .blob = put_blob};
        prefix_of(p.prefix, sizeof p.prefix, round, i, client);
        m->begin(m->owner, "save");
        if (m->done(m->owner, m->hooks->save(m->self, client, &sink), err) != 0)
            return p.err.text[0] ? gnt_fail(err, "%s", p.err.text) : -1;
        if (p.err.text[0])
            return gnt_fail(err, "%s", p.err.text);
    }
    return 0;
}

int gnt_state_copy(gnt_st *to, const gnt_st *from, int32_t from_round, int32_t to_round, gnt_err *err) {
    char prefix[NAME_SIZE];
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "state.%d.", from_round);
    for (size_t i = 0; i < from->n; i++) {
        const gnt_st_tensor *t = &from->tensor[i];
        if (strncmp(t->name, prefix, length) != 0)
            continue;
        char *name = gnt_format("state.%d.%s", to_round, t->name + length);
        const int rc = name ? gnt_st_add(to, name, t->type, t->rank, t->dim, t->data, NULL, err)
                            : gnt_fail(err, "out of memory for a defense's state");
        gnt_free(name);
        if (rc != 0)
            return -1;
    }
    return 0;
}

int gnt_state_exists(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !(c->member[i].hooks->save && c->member[i].hooks->load))
        i++;
    return i < c->n;
}

/* Gathers what save wrote under the prefix, as artefacts. */
static int gather(const gnt_st *trained, const char *prefix, gnt_artefact_set *out, size_t *n, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    size_t length = strlen(prefix);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < trained->n; i++) {
        const gnt_st_tensor *t = &trained->tensor[i];
        if (strncmp(t->name, prefix, length) == 0)
            rc = gnt_st_add(&st, t->name + length, t->type, t->rank, t->dim, t->data, NULL, err);
    }
    *n = st.n;
    if (rc == 0)
        rc = gnt_artefact_set_from(out, &st, err);
    gnt_st_free(&st);
    return rc;
}

static int load_state(const gnt_member *m, const gnt_st *trained, const char *prefix, int32_t client,
                      gnt_err *err) {
    gnt_artefact_set state;
    size_t n;
    if (gather(trained, prefix, &state, &n, err) != 0)
        return -1;
    int rc = 0;
    if (n) {
        m->begin(m->owner, "load");
        rc = m->done(m->owner, m->hooks->load(m->self, client, &state.view), err);
    }
    gnt_artefact_set_free(&state);
    return rc;
}

int gnt_state_load_sums(const gnt_chain *c, const gnt_st *trained, gnt_err *err) {
    for (int32_t i = 0; i < c->n; i++) {
        const gnt_member *m = &c->member[i];
        char name[80];
        snprintf(name, sizeof name, "sum.%d", i);
        const gnt_st_tensor *sum = gnt_st_find(trained, name);
        if (m->hooks->receive_sum && sum && sum->type == GNT_ST_F64 && sum->rank == 1 &&
            receive(m, sum->data, sum->dim[0], err) != 0)
            return -1;
    }
    return 0;
}

int gnt_state_load(const gnt_chain *c, const gnt_st *from, int32_t round, int32_t client, gnt_err *err) {
    for (int32_t i = 0; i < c->n; i++) {
        const gnt_member *m = &c->member[i];
        char name[80];
        prefix_of(name, sizeof name, round, i, client);
        if (m->hooks->load && load_state(m, from, name, client, err) != 0)
            return -1;
    }
    return 0;
}
