#include "job/record/record_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/defense_state.h"
#include "job/record/treated_rounds.h"
#include "job/record/treatment.h"

/* ---- who is drawn ---- */

static int draw_clients(gnt_record *r, recorded_stage *s, const gnt_fl *fl, const gnt_key *key,
                        gnt_err *err) {
    uint32_t *taking_part = gnt_array((size_t)r->part->clients, sizeof *taking_part);
    char name[NAME_SIZE];
    if (!taking_part)
        return gnt_fail(err, "out of memory for %d clients", r->part->clients);
    const int32_t n = gnt_fl_choose(fl, r->part->start, s->round, taking_part);
    snprintf(name, sizeof name, "clients of round %" PRId32, s->round);
    gnt_stream random = gnt_stream_open(key, name);
    gnt_random_shuffle(&random, taking_part, (size_t)n);
    int rc = n >= r->targets ? 0
                             : gnt_fail(err,
                                        "%d clients take part in round %" PRId32 ", of which %" PRId64
                                        " are to be observed; lower observe.targets",
                                        n, s->round, r->targets);
    for (int64_t j = 0; rc == 0 && j < r->targets; j++)
        s->client[j] = (int32_t)taking_part[j];
    gnt_free(taking_part);
    return rc;
}

static int open_stage(gnt_record *r, recorded_stage *s, int32_t round, const gnt_fl *fl, const gnt_key *key,
                      gnt_err *err) {
    char name[NAME_SIZE];
    gnt_st_tensor *t;
    s->round = round;
    s->client = gnt_array((size_t)r->targets, sizeof *s->client);
    s->batch = gnt_array((size_t)r->targets, sizeof *s->batch);
    if (!s->client || !s->batch)
        return gnt_fail(err, "out of memory for %" PRId64 " observed clients", r->targets);
    if (draw_clients(r, s, fl, key, err) != 0)
        return -1;
    snprintf(name, sizeof name, "client.%" PRId32, round);
    if (gnt_st_add(&r->record, name, GNT_ST_I64, 1, &r->targets, NULL, &t, err) != 0)
        return -1;
    for (int64_t j = 0; j < r->targets; j++)
        ((int64_t *)t->data)[j] = s->client[j];
    if (!r->encodings)
        return 0;
    s->encoded = gnt_array((size_t)r->targets, sizeof *s->encoded);
    return s->encoded ? 0 : gnt_fail(err, "out of memory for %" PRId64 " sets of encodings", r->targets);
}

int gnt_record_open(gnt_record **out, gnt_work *w, const gnt_request_train *q, const gnt_model *m,
                    const gnt_fl *fl, const gnt_partition *part, gnt_err *err) {
    const gnt_request_record *of = q->record;
    *out = NULL;
    if (!of)
        return 0;
    const size_t n = of->stages.n;
    gnt_record *r = gnt_alloc(sizeof *r);
    if (!r)
        return gnt_fail(err, "out of memory for a record");
    r->work = w;
    r->part = part;
    r->targets = of->targets;
    r->encodings = of->encodings;
    r->defended = q->defense.n > 0;
    r->epochs = of->epochs;
    r->influence = of->influence < of->targets ? of->influence : of->targets;
    r->n_shared = gnt_model_shared_size(m);
    r->n_buffers = gnt_model_buffer_size(m);
    r->config = gnt_work_config(&q->federated);
    gnt_st_init(&r->record);
    gnt_st_init(&r->behind);
    r->marks = json_array();
    r->stage = gnt_array(n + 1, sizeof *r->stage);
    int rc = r->stage ? 0 : gnt_fail(err, "out of memory for a record");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        r->n_stages = i + 1;
        rc = open_stage(r, &r->stage[i], (int32_t)of->stages.at[i], fl, &of->key, err);
    }
    r->first_of_record = r->record.n;
    r->first_behind = r->behind.n;
    if (rc != 0) {
        gnt_record_free(r);
        return -1;
    }
    *out = r;
    return 0;
}

void gnt_record_free(gnt_record *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->n_stages; i++) {
        for (int64_t j = 0; r->stage[i].encoded && j < r->targets; j++)
            gnt_encoded_set_free(&r->stage[i].encoded[j]);
        gnt_free(r->stage[i].encoded);
        for (int64_t j = 0; r->stage[i].batch && j < r->targets; j++) {
            gnt_free(r->stage[i].batch[j].row);
            gnt_free(r->stage[i].batch[j].y);
        }
        gnt_free(r->stage[i].batch);
        gnt_free(r->stage[i].client);
    }
    gnt_free(r->stage);
    gnt_free(r->treatment);
    json_decref(r->marks);
    gnt_st_free(&r->record);
    gnt_st_free(&r->behind);
    gnt_free(r);
}

static recorded_stage *stage_of(const gnt_record *r, int32_t round) {
    for (size_t i = 0; i < r->n_stages; i++)
        if (r->stage[i].round == round)
            return &r->stage[i];
    return NULL;
}

/* Returns the client's place among those drawn; −1 if it was not drawn. */
static int64_t place_of(const gnt_record *r, const recorded_stage *s, int32_t client) {
    for (int64_t j = 0; s && j < r->targets; j++)
        if (s->client[j] == client)
            return j;
    return -1;
}

int gnt_record_is_drawn(const gnt_record *r, int32_t round, int32_t client) {
    return r && place_of(r, stage_of(r, round), client) >= 0;
}

/* ---- receipts ---- */

/* Returns row `place` of tensor KIND.ROUND with `columns` columns; NULL on failure. The first call adds
 * the tensor. */
static void *row_of(gnt_record *r, gnt_st *st, const char *kind, int32_t round, gnt_st_type type,
                    int64_t place, int64_t columns, gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%" PRId32, kind, round);
    const gnt_st_tensor *t = gnt_st_find(st, name);
    const int64_t dim[2] = {r->targets, columns};
    gnt_st_tensor *made;
    if (!t) {
        if (gnt_st_add(st, name, type, 2, dim, NULL, &made, err) != 0)
            return NULL;
        t = made;
    }
    if (t->dim[1] != columns) {
        gnt_fail(err, "observed clients of round %" PRId32 " have %" PRId64 " and %" PRId64 " of \"%s\"",
                 round, t->dim[1], columns, kind);
        return NULL;
    }
    return (uint8_t *)t->data + (size_t)(place * columns) * gnt_st_type_size(type);
}

static int add_treatment(gnt_record *r, const gnt_fl_receipt *c, gnt_err *err) {
    const gnt_fl_treatment *made = c->treatment;
    if ((!made->known && !made->plain_known) || r->n_treated == MOST_TREATMENTS)
        return 0;
    if (r->n_treated == r->room) {
        const int64_t room = r->room ? 2 * r->room : 256;
        float *larger = gnt_resize(r->treatment, (size_t)room, TREATMENT * sizeof *larger);
        if (!larger)
            return gnt_fail(err, "out of memory for a record");
        r->treatment = larger;
        r->room = room;
    }
    float *t = r->treatment + TREATMENT * r->n_treated++;
    t[0] = (float)c->round;
    t[1] = (float)c->client;
    t[2] = (float)(made->known ? made->cosine : 1);
    t[3] = made->known ? gnt_record_log(made->ratio) : 0;
    t[4] = (float)(made->known ? made->changed : 0);
    t[5] = (float)made->plain_known;
    t[6] = made->plain_known ? (float)made->plain_cosine : 1;
    t[7] = made->plain_known ? gnt_record_log(made->plain_ratio) : 0;
    t[8] = made->known ? gnt_record_log(made->norm) : 0;
    return 0;
}

/* Adds the rows of all samples of the client, in its own order, if encodings are recorded: they are made
 * of these. */
static int add_set(gnt_record *r, const gnt_fl_receipt *c, int64_t place, gnt_err *err) {
    const int64_t first = r->part->start[c->client], n = r->part->start[c->client + 1] - first;
    int64_t *rows = r->encodings ? row_of(r, &r->behind, "set", c->round, GNT_ST_I64, place, n, err) : NULL;
    if (!r->encodings)
        return 0;
    for (int64_t i = 0; rows && i < n; i++)
        rows[i] = r->part->index[first + i];
    return rows ? 0 : -1;
}

/* Keeps what the update was computed from until those of the round's others are known. */
static int add_batch(gnt_record *r, const gnt_fl_receipt *c, int64_t place, gnt_err *err) {
    const gnt_fl_used *u = c->used;
    recorded_batch *b = &stage_of(r, c->round)->batch[place];
    const size_t n_labels = (size_t)(u->n_y * u->classes);
    *b = (recorded_batch){.n = u->n,
                          .n_y = u->n_y,
                          .classes = u->classes,
                          .row = gnt_array((size_t)u->n, sizeof *b->row),
                          .y = gnt_array(n_labels, sizeof *b->y),
                          .whole = u->whole};
    if (!b->row || !b->y)
        return gnt_fail(err, "out of memory for the samples behind an update");
    for (int64_t i = 0; i < u->n; i++)
        b->row[i] = r->part->index[r->part->start[c->client] + u->row[i]];
    if (n_labels)
        memcpy(b->y, u->y, n_labels * sizeof *b->y);
    return 0;
}

/* Adds what the server received of the client's running statistics. */
static int add_buffers(gnt_record *r, const gnt_fl_receipt *c, int64_t place, gnt_err *err) {
    if (c->statistics == GNT_FL_STATISTICS_NONE)
        return 0;
    float *sent = row_of(r, &r->record, "buffers", c->round, GNT_ST_F32, place, r->n_buffers, err);
    int64_t *sends = sent ? row_of(r, &r->record, "sends", c->round, GNT_ST_I64, place, 1, err) : NULL;
    if (!sends)
        return -1;
    memcpy(sent, c->sent_buffers, (size_t)r->n_buffers * sizeof *sent);
    *sends = c->statistics != GNT_FL_STATISTICS_WITHHELD;
    return 0;
}

static int is_zero(const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return 0;
    return 1;
}

static void count_zeros(gnt_record *r, const gnt_fl_receipt *c, int observed) {
    r->received++;
    if (!is_zero(c->update, r->n_shared))
        return;
    r->zero++;
    r->withheld += observed && c->plain && !is_zero(c->plain, r->n_shared);
}

int gnt_record_add_receipt(gnt_record *r, const gnt_fl_receipt *c, gnt_err *err) {
    const int64_t place = place_of(r, stage_of(r, c->round), c->client);
    if (add_treatment(r, c, err) != 0)
        return -1;
    count_zeros(r, c, place >= 0);
    r->with_statistics += c->statistics != GNT_FL_STATISTICS_NONE;
    r->in_the_clear += c->statistics == GNT_FL_STATISTICS_CLEAR;
    if (place < 0)
        return 0;
    float *update = row_of(r, &r->record, "update", c->round, GNT_ST_F32, place, r->n_shared, err);
    if (!update || add_buffers(r, c, place, err) != 0 || add_batch(r, c, place, err) != 0 ||
        add_set(r, c, place, err) != 0)
        return -1;
    memcpy(update, c->update, (size_t)r->n_shared * sizeof *update);
    float *rates = row_of(r, &r->behind, "rates", c->round, GNT_ST_F32, place, r->config.steps, err);
    if (!rates)
        return -1;
    if (r->config.steps)
        memcpy(rates, c->rates, (size_t)r->config.steps * sizeof *rates);
    return 0;
}

int gnt_record_add_state(gnt_record *r, int32_t round, const gnt_st *state, gnt_err *err) {
    return gnt_state_copy(&r->behind, state, 0, round, err);
}

/* ---- influence ---- */

int gnt_record_influenced(const gnt_record *r, size_t i, int32_t *round, int32_t *client) {
    const size_t each = (size_t)r->influence;
    if (!each || i / each >= r->n_stages)
        return 0;
    *round = r->stage[i / each].round;
    *client = r->stage[i / each].client[i % each];
    return 1;
}

int gnt_record_add_influence(gnt_record *r, size_t i, const float *influence, gnt_err *err) {
    const int64_t dim[2] = {r->influence, r->n_shared};
    char name[NAME_SIZE];
    gnt_st_tensor *made;
    snprintf(name, sizeof name, "influence.%" PRId32, r->stage[i / (size_t)r->influence].round);
    const gnt_st_tensor *t = gnt_st_find(&r->record, name);
    if (!t && gnt_st_add(&r->record, name, GNT_ST_F32, 2, dim, NULL, &made, err) != 0)
        return -1;
    float *rows = t ? t->data : made->data;
    memcpy(rows + (int64_t)(i % (size_t)r->influence) * r->n_shared, influence,
           (size_t)r->n_shared * sizeof *rows);
    return 0;
}

int gnt_record_add_undone(gnt_record *r, int32_t round, int undone, gnt_err *err) {
    const int64_t says = undone, one = 1;
    char name[64];
    snprintf(name, sizeof name, "undone.%" PRId32, round);
    return gnt_st_add(&r->record, name, GNT_ST_I64, 1, &one, &says, NULL, err);
}

/* ---- encodings ---- */

int gnt_record_has_encodings(const gnt_record *r) {
    return r && r->encodings;
}

int gnt_record_add_encodings(gnt_record *r, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                             gnt_err *err) {
    const int64_t n = r->part->start[client + 1] - r->part->start[client];
    const int64_t begun = gnt_fl_passes_begun(&r->config, n);
    const int64_t within = pass - round * gnt_fl_passes(&r->config, n); /* its round */
    const int64_t number = round * begun + (within < begun ? within : begun - 1);
    for (size_t i = 0; i < r->n_stages; i++) {
        recorded_stage *s = &r->stage[i];
        const int64_t j = place_of(r, s, client);
        if (j < 0 || s->round < round)
            continue;
        if (r->epochs && number < (s->round + 1) * begun - r->epochs)
            continue; /* too long before the observed round */
        gnt_encoded_set *to = &s->encoded[j];
        if (!to->features)
            *to = gnt_encoded_set_of(b->made_of->originals, b->view.features, b->view.classes, 0);
        if (gnt_encoded_set_add(to, b, err) != 0)
            return -1;
    }
    return 0;
}

static int write_encodings(gnt_record *r, const recorded_stage *s, gnt_err *err) {
    gnt_st_tensor *count, *x, *y;
    int64_t n = 0, f = 0, c = 0;
    char name[NAME_SIZE];
    for (int64_t j = 0; j < r->targets; j++) {
        n += s->encoded[j].n;
        f = s->encoded[j].features > f ? s->encoded[j].features : f;
        c = s->encoded[j].classes > c ? s->encoded[j].classes : c;
    }
    const int64_t x_dim[2] = {n, f}, y_dim[2] = {n, c};
    snprintf(name, sizeof name, "count.%" PRId32, s->round);
    if (gnt_st_add(&r->record, name, GNT_ST_I64, 1, &r->targets, NULL, &count, err) != 0)
        return -1;
    for (int64_t j = 0; j < r->targets; j++)
        ((int64_t *)count->data)[j] = s->encoded[j].n;
    snprintf(name, sizeof name, "encoded_x.%" PRId32, s->round);
    if (gnt_st_add(&r->record, name, GNT_ST_F32, 2, x_dim, NULL, &x, err) != 0)
        return -1;
    float *at = x->data;
    for (int64_t j = 0; j < r->targets; at += s->encoded[j++].n * f)
        if (s->encoded[j].n)
            memcpy(at, s->encoded[j].x, (size_t)(s->encoded[j].n * f) * sizeof *at);
    snprintf(name, sizeof name, "encoded_y.%" PRId32, s->round);
    if (gnt_st_add(&r->record, name, GNT_ST_F32, 2, y_dim, NULL, &y, err) != 0)
        return -1;
    at = y->data;
    for (int64_t j = 0; j < r->targets; at += s->encoded[j++].n * c)
        if (s->encoded[j].n)
            memcpy(at, s->encoded[j].y, (size_t)(s->encoded[j].n * c) * sizeof *at);
    for (int64_t j = 0; j < r->targets; j++) {
        gnt_st claims;
        gnt_st_init(&claims);
        int rc = gnt_encoded_set_claims(&s->encoded[j], j, &claims, err);
        for (size_t i = 0; rc == 0 && i < claims.n; i++) {
            const gnt_st_tensor *t = &claims.tensor[i];
            snprintf(name, sizeof name, "%s.r%" PRId32, t->name, s->round);
            rc = gnt_st_add(&r->behind, name, t->type, t->rank, t->dim, t->data, NULL, err);
        }
        gnt_st_free(&claims);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* ---- how updates were treated ---- */

/* Gathers the treatments of all updates, or of those in the observed rounds alone; stratum: the round.
 * Returns their number. */
static size_t gather_treatments(const gnt_record *r, int all, gnt_treatment *out) {
    size_t n = 0;
    for (int64_t i = 0; i < r->n_treated; i++) {
        const float *t = r->treatment + TREATMENT * i;
        const recorded_stage *s = stage_of(r, (int32_t)t[0]);
        if (all || s)
            out[n++] = (gnt_treatment){.stratum = (int32_t)t[0],
                                       .observed = s && place_of(r, s, (int32_t)t[1]) >= 0,
                                       .compared = s && t[5] != 0,
                                       .value = {t[2], t[3], t[4], t[6], t[7]}};
    }
    return n;
}

/* True if the observed updates were treated differently; −1 when memory ran out. */
static int was_treated_differently(const gnt_record *r, gnt_treatment *space, gnt_err *says) {
    const int found = gnt_treatment_differs(space, gather_treatments(r, 0, space), says);
    return found ? found : gnt_treated_rounds_differ(space, gather_treatments(r, 1, space), says);
}

/* ---- comparison with what would have been sent without a defense ---- */

int gnt_record_compares(const gnt_record *r, int32_t round) {
    return r && stage_of(r, round) != NULL;
}

int gnt_record_add_comparison(gnt_record *r, const gnt_fl_round *round, gnt_err *err) {
    recorded_stage *s = stage_of(r, round->round);
    if (!s)
        return gnt_fail(err, "round %" PRId32 " is not observed", round->round);
    s->compared = *round;
    s->is_compared = 1;
    return 0;
}

void gnt_record_set_totals(gnt_record *r, const gnt_fl_totals *totals) {
    r->added = *totals;
}

static size_t gather_compared(const gnt_record *r, gnt_fl_round *out) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_stages; i++)
        if (r->stage[i].is_compared)
            out[n++] = r->stage[i].compared;
    return n;
}

void gnt_record_add_mark(gnt_record *r, const char *what, const gnt_err *says) {
    json_array_append_new(r->marks, json_pack("{s:s, s:s}", "what", what, "says", says->text));
}

/* ---- secure sums ---- */

int gnt_record_check_sum(gnt_record *r, int64_t entries, int64_t features, gnt_err *err) {
    gnt_err says = {0};
    if (!r->marks)
        return gnt_fail(err, "out of memory for a record");
    if (64 * entries <= features * r->part->clients)
        return 0;
    gnt_fail(&says,
             "a secure sum of %" PRId64 " numbers has room for a sample of each client (%" PRId64
             " features): what everybody then knows is no part of what is attacked",
             entries, features);
    gnt_record_add_mark(r, "sum-holds-samples", &says);
    return 0;
}

/* ---- marks: what the host found, into the metadata of the record ---- */

/* Marks a defense whose clients sent running statistics as they computed them. */
static void mark_statistics(gnt_record *r) {
    gnt_err says = {0};
    if (!r->defended || r->in_the_clear == 0)
        return;
    gnt_fail(&says,
             "batch-norm statistics sent in the clear: those of %" PRId64 " of %" PRId64
             " updates are as the client computed them, without anything that the defense does to updates",
             r->in_the_clear, r->with_statistics);
    gnt_record_add_mark(r, "statistics-in-the-clear", &says);
}

/* Marks a defense that sends some updates and not others, where most of the observed ones are of the others,
 * or most of the compared ones are, so that some training's observed ones will be. Where fewer are, those
 * that were sent are measured alone and speak for the others. */
static void mark_withheld(gnt_record *r, const gnt_fl_round *round, size_t n) {
    gnt_err says = {0};
    const int64_t sent = r->received - r->zero, observed = (int64_t)r->n_stages * r->targets;
    if (2 * r->withheld <= observed || !sent) {
        if (gnt_treatment_few_send(round, n, &r->added, &says))
            gnt_record_add_mark(r, "sends-in-part", &says);
        return;
    }
    gnt_fail(&says,
             "of the %" PRId64 " observed updates %" PRId64
             " are zero throughout, and would not be without the defense, while %" PRId64 " of the %" PRId64
             " updates of the training are not: what those leak is not what was observed",
             observed, r->withheld, sent, r->received);
    gnt_record_add_mark(r, "sends-in-part", &says);
}

static int find_marks(gnt_record *r, gnt_err *err) {
    gnt_treatment *all = gnt_array(r->n_treated ? (size_t)r->n_treated : 1, sizeof *all);
    gnt_fl_round *round = gnt_array(r->n_stages ? r->n_stages : 1, sizeof *round);
    gnt_err says = {0};
    int rc = all && round ? 0 : gnt_fail(err, "out of memory for a record");
    const size_t n = rc == 0 ? gather_compared(r, round) : 0;
    const int found = rc == 0 ? was_treated_differently(r, all, &says) : 0;
    if (found < 0)
        rc = gnt_fail(err, "%s", says.text);
    if (found > 0)
        gnt_record_add_mark(r, "acts-otherwise", &says);
    if (gnt_treatment_server_knows_more(round, n, &says))
        gnt_record_add_mark(r, "server-knows-more", &says);
    if (gnt_treatment_is_ignored(round, n, &r->added, &says))
        gnt_record_add_mark(r, "learns-in-part", &says);
    if (gnt_treatment_masks_cancel(round, n, &says))
        gnt_record_add_mark(r, "cancels-in-the-sum", &says);
    if (gnt_treatment_is_taken_back(&r->added, &says))
        gnt_record_add_mark(r, "taken-back-later", &says);
    mark_statistics(r);
    mark_withheld(r, round, n);
    gnt_free(all);
    gnt_free(round);
    return rc;
}

static int set_marks(gnt_record *r, gnt_err *err) {
    if (find_marks(r, err) != 0)
        return -1;
    return gnt_st_set_json(&r->record, json_pack("{s:O}", "marks", r->marks), JSON_COMPACT, "a record", err);
}

/* ---- the outputs ---- */

/* Returns a row of tensor KIND.ROUND for each drawn client, all zeros; NULL on failure. */
static void *add_rows(gnt_record *r, const char *kind, const recorded_stage *s, gnt_st_type type,
                      int64_t columns, gnt_err *err) {
    return row_of(r, &r->behind, kind, s->round, type, 0, columns, err);
}

/* Writes what is behind the updates of a round. A client with fewer samples than another repeats its own, so
 * that rows are of one length. */
static int write_batches(gnt_record *r, const recorded_stage *s, gnt_err *err) {
    int64_t most = 0, most_y = 0, classes = 0;
    for (int64_t j = 0; j < r->targets; j++) {
        const recorded_batch *b = &s->batch[j];
        if (b->n < 1)
            return 0; /* the training ended in this round */
        most = b->n > most ? b->n : most;
        most_y = b->n_y > most_y ? b->n_y : most_y;
        classes = b->classes > classes ? b->classes : classes;
    }
    int64_t *rows = add_rows(r, "rows", s, GNT_ST_I64, most, err);
    int64_t *whole = rows ? add_rows(r, "whole", s, GNT_ST_I64, 1, err) : NULL;
    int64_t *sizes = whole ? add_rows(r, "sizes", s, GNT_ST_I64, 2, err) : NULL;
    float *labels = sizes ? add_rows(r, "labels", s, GNT_ST_F32, most_y * classes, err) : NULL;
    if (!labels)
        return -1;
    for (int64_t j = 0; j < r->targets; j++) {
        const recorded_batch *b = &s->batch[j];
        whole[j] = b->whole;
        sizes[2 * j] = b->n;
        sizes[2 * j + 1] = b->n_y;
        for (int64_t i = 0; i < most; i++)
            rows[j * most + i] = b->row[i % b->n];
        for (int64_t i = 0; b->n_y && i < most_y * classes; i++)
            labels[j * most_y * classes + i] = b->y[i % (b->n_y * classes)];
    }
    return 0;
}

static int is_whole(const gnt_record *r, const recorded_stage *s) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "rates.%" PRId32, s->round);
    return gnt_st_find(&r->behind, name) != NULL;
}

int gnt_record_write(gnt_record *r, int diverged, gnt_err *err) {
    const int64_t dim[2] = {r->n_treated, TREATMENT};
    for (size_t i = 0; i < r->n_stages; i++) {
        if (!is_whole(r, &r->stage[i]) && !diverged)
            return gnt_fail(err, "round %" PRId32 " was to be observed, but the training has no such round",
                            r->stage[i].round);
        if (is_whole(r, &r->stage[i]) && write_batches(r, &r->stage[i], err) != 0)
            return -1;
        if (r->encodings && write_encodings(r, &r->stage[i], err) != 0)
            return -1;
    }
    if (gnt_st_add(&r->behind, "treatment", GNT_ST_F32, 2, dim, r->treatment, NULL, err) != 0)
        return -1;
    gnt_work *w = r->work;
    if (set_marks(r, err) != 0)
        return -1;
    gnt_st alone;
    gnt_st_init(&alone);
    int rc = w->write(w->context, "record", &r->record, err) == 0
                 ? w->write(w->context, "held", &r->behind, err)
                 : -1;
    if (rc == 0)
        rc = gnt_st_add(&alone, "treatment", GNT_ST_F32, 2, dim, r->treatment, NULL, err);
    if (rc == 0)
        rc = w->write(w->context, "treatments", &alone, err);
    gnt_st_free(&alone);
    return rc;
}
