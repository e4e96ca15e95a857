#include "job/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "job/checkpoint_file.h"

enum { NAME = GNT_ST_NAME, PRODUCTS = 6, TOTALS = 6, MOST_UPDATES = 1 << 24 };
static const char of_out[] = "out/";
/* Writing takes at most one part in so many of the time. */
static const double seldom = 100;

static int64_t clients_of(const gnt_checkpoint *c) {
    return c->request->federated.clients;
}

static int64_t size_of_own(const gnt_checkpoint *c) {
    return clients_of(c) * gnt_model_own_size(c->model);
}

static void state_prefix(char name[NAME], int64_t client) {
    snprintf(name, NAME, "state/%" PRId64 "/", client);
}

/* ---- saving ---- */

static int save_added(const gnt_fl_added *a, gnt_saved *out, gnt_err *err) {
    const gnt_fl_totals *t = &a->totals;
    const double totals[TOTALS + 2] = {t->rounds, t->added,    t->plain,    t->each,
                                       t->step,   t->received, t->observed, a->n_updates};
    double *products = gnt_arena_array(&out->copies, (size_t)a->n_updates, PRODUCTS * sizeof *products);
    if (a->lacks_room || !products)
        return gnt_fail(err, "out of memory for a checkpoint");
    for (int32_t k = 0; k < a->n_updates; k++) {
        const gnt_fl_products *u = &a->update[k];
        const double row[PRODUCTS] = {u->sent_plain, u->plain,        u->sent,
                                      u->observed,   (double)u->kept, u->largest};
        memcpy(products + (int64_t)PRODUCTS * k, row, sizeof row);
    }
    if (a->n == 0)
        return 0;
    return gnt_saved_copy(out, "added.totals", GNT_ST_F64, TOTALS + 2, totals, err) == 0 &&
                   gnt_saved_vector(out, "added.all", GNT_ST_F64, a->n, a->all, err) == 0
               ? gnt_saved_vector(out, "added.updates", GNT_ST_F64, (int64_t)PRODUCTS * a->n_updates,
                                  products, err)
               : -1;
}

static int save_states(const gnt_checkpoint *c, gnt_saved *out, gnt_err *err) {
    for (int64_t k = 0; c->state && k < clients_of(c); k++) {
        char prefix[NAME];
        state_prefix(prefix, k);
        if (gnt_saved_bundle(out, prefix, &c->state[k], 0, err) != 0)
            return -1;
    }
    return 0;
}

static int save_metadata(const gnt_checkpoint *c, gnt_saved *out, gnt_err *err) {
    json_t *all = json_pack("{s:O}", "utility", c->utility);
    if (all && c->learnt && json_object_set(all, "learnt", c->learnt) != 0) {
        json_decref(all);
        all = NULL;
    }
    return gnt_st_set_json(&out->st, all, JSON_COMPACT, "a checkpoint", err);
}

static int save(const gnt_checkpoint *c, const gnt_fl_carried *carried, gnt_saved *out, gnt_err *err) {
    const gnt_model *m = c->model;
    const double effect[2] = {c->effect->added, c->effect->shuffled};
    if (gnt_saved_vector(out, "weights", GNT_ST_F32, gnt_model_size(m), c->weights, err) != 0 ||
        gnt_saved_vector(out, "buffers", GNT_ST_F32, gnt_model_buffer_size(m), c->buffers, err) != 0 ||
        (c->own && gnt_saved_vector(out, "own", GNT_ST_F32, size_of_own(c), c->own, err) != 0) ||
        gnt_saved_vector(out, "rows", GNT_ST_F32, 2 * c->n_test, c->rows, err) != 0 ||
        gnt_saved_copy(out, "effect", GNT_ST_F64, 2, effect, err) != 0 ||
        (carried->velocity && gnt_saved_vector(out, "velocity", GNT_ST_F32, gnt_model_shared_size(m),
                                               carried->velocity, err) != 0))
        return -1;
    return save_added(carried->added, out, err) == 0 &&
                   gnt_saved_bundle(out, of_out, c->out, c->n_out, err) == 0 &&
                   save_states(c, out, err) == 0 && gnt_remote_save(c->remote, out, err) == 0 &&
                   (!c->record || gnt_record_save(c->record, out, err) == 0)
               ? save_metadata(c, out, err)
               : -1;
}

static void say(const gnt_checkpoint *c, int is_warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const gnt_checkpoint *c, int is_warning, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (c->work->say)
        c->work->say(c->work->context, is_warning, text);
}

void gnt_checkpoint_keep(gnt_checkpoint *c, int32_t rounds_done, const gnt_fl_carried *carried) {
    const gnt_work_checkpoint *to = c->work->checkpoint;
    const double now = gnt_clock();
    gnt_saved saved = {0};
    gnt_err err = {0};
    if (now < c->next && !c->work->should_stop(c->work->context))
        return;
    if (save(c, carried, &saved, &err) != 0 || gnt_checkpoint_write(to, &saved.st, rounds_done, &err) != 0)
        say(c, 1, "the checkpoint after round %" PRId32 " is left out: %s", rounds_done, err.text);
    gnt_saved_free(&saved);
    const double end = gnt_clock(), pause = seldom * (end - now);
    c->next = to->seconds > 0 ? end + (pause > to->seconds ? pause : to->seconds) : end;
}

/* ---- checks ---- */

static int refuse(const char *what, gnt_err *err) {
    return gnt_fail(err, "the checkpoint: its \"%s\" is not what a training leaves", what);
}

/* True if it is a list of what was measured, by rounds that rise. */
static int check_measured(const json_t *list, const char *what, int32_t rounds_done, gnt_err *err) {
    const json_t *one;
    json_int_t last = -1;
    size_t i;
    if (!json_is_array(list))
        return refuse(what, err);
    json_array_foreach(list, i, one) {
        const json_t *round = json_object_get(one, "round");
        if (!json_is_integer(round) || json_integer_value(round) <= last ||
            json_integer_value(round) > rounds_done)
            return refuse(what, err);
        last = json_integer_value(round);
    }
    return 0;
}

static int check_metadata(const gnt_checkpoint *c, const json_t *all, int32_t rounds_done, gnt_err *err) {
    return check_measured(json_object_get(all, "utility"), "utility", rounds_done, err) == 0
               ? c->learnt ? check_measured(json_object_get(all, "learnt"), "learnt", rounds_done, err) : 0
               : -1;
}

/* Returns the i-th round whose weights the output has; −1: there are not so many. */
static int64_t stage_at(const gnt_request_train *q, size_t i) {
    return i < q->stages.n ? q->stages.at[i] : i == q->stages.n ? q->federated.rounds : -1;
}

static int is_stage_done(const gnt_request_train *q, const char *number, int32_t rounds_done) {
    int64_t round;
    for (size_t i = 0; (round = stage_at(q, i)) >= 0; i++) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, round);
        if (round <= rounds_done && strcmp(number, text) == 0)
            return 1;
    }
    return 0;
}

static int is_output(const gnt_checkpoint *c, const gnt_st_tensor *t, int32_t rounds_done) {
    const int64_t own[2] = {clients_of(c), gnt_model_own_size(c->model)};
    const struct {
        const char *name;
        int32_t rank;
        int64_t dim[2];
    } kinds[] = {{"out/weights.", 1, {gnt_model_size(c->model), 0}},
                 {"out/buffers.", 1, {gnt_model_buffer_size(c->model), 0}},
                 {"out/own.", 2, {own[0], own[1]}}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t n = strlen(kinds[i].name);
        if (strncmp(t->name, kinds[i].name, n) == 0)
            return t->type == GNT_ST_F32 && t->rank == kinds[i].rank &&
                   memcmp(t->dim, kinds[i].dim, (size_t)t->rank * sizeof *t->dim) == 0 &&
                   is_stage_done(c->request, t->name + n, rounds_done);
    }
    return strncmp(t->name, "out/state.", 10) == 0;
}

static int check_output(const gnt_checkpoint *c, const gnt_st *from, int32_t rounds_done, gnt_err *err) {
    int64_t round;
    for (size_t i = 0; i < from->n; i++) {
        const gnt_st_tensor *t = &from->tensor[i];
        const char *in_state = strncmp(t->name, "state/", 6) == 0 ? strchr(t->name + 6, '/') : NULL;
        if (strncmp(t->name, of_out, sizeof of_out - 1) == 0 && !is_output(c, t, rounds_done))
            return refuse(t->name, err);
        if (in_state && strncmp(in_state + 1, "state.0.", 8) != 0)
            return refuse(t->name, err);
    }
    for (size_t i = 0; (round = stage_at(c->request, i)) >= 0; i++) {
        char name[NAME];
        snprintf(name, sizeof name, "out/weights.%" PRId64, round);
        if (round <= rounds_done && !gnt_st_find(from, name))
            return refuse(name, err);
    }
    return 0;
}

static int is_count(double v, double most) {
    return v >= 0 && v <= most && v == floor(v);
}

static int check_added(const gnt_checkpoint *c, const gnt_st *from, int32_t rounds_done, gnt_err *err) {
    if (!gnt_st_find(from, "added.totals"))
        return 0;
    const double *t = gnt_loaded_vector(from, "added.totals", GNT_ST_F64, TOTALS + 2, err);
    if (!t || !gnt_loaded_vector(from, "added.all", GNT_ST_F64, gnt_model_shared_size(c->model), err))
        return -1;
    if (!is_count(t[0], rounds_done) || !is_count(t[TOTALS], INT32_MAX) ||
        !is_count(t[TOTALS + 1], MOST_UPDATES))
        return refuse("added.totals", err);
    const int64_t n = (int64_t)t[TOTALS + 1];
    const double *u = gnt_loaded_vector(from, "added.updates", GNT_ST_F64, PRODUCTS * n, err);
    for (int64_t k = 0; u && k < n; k++)
        if (!is_count(u[PRODUCTS * k + 3], 1) || !is_count(u[PRODUCTS * k + 4], 0x1p53) ||
            !is_count(u[PRODUCTS * k + 5], 1))
            return refuse("added.updates", err);
    return u ? 0 : -1;
}

static int check(const gnt_checkpoint *c, const gnt_st *from, const json_t *metadata, int32_t rounds_done,
                 const gnt_fl_carried *carried, gnt_err *err) {
    const gnt_model *m = c->model;
    const int64_t own[1] = {size_of_own(c)};
    if (rounds_done > c->request->federated.rounds)
        return refuse("rounds", err);
    if (!gnt_loaded_vector(from, "weights", GNT_ST_F32, gnt_model_size(m), err) ||
        !gnt_loaded_vector(from, "buffers", GNT_ST_F32, gnt_model_buffer_size(m), err) ||
        (c->own && !gnt_loaded_vector(from, "own", GNT_ST_F32, own[0], err)) ||
        !gnt_loaded_vector(from, "rows", GNT_ST_F32, 2 * c->n_test, err) ||
        !gnt_loaded_vector(from, "effect", GNT_ST_F64, 2, err) ||
        (carried->velocity &&
         !gnt_loaded_vector(from, "velocity", GNT_ST_F32, gnt_model_shared_size(m), err)))
        return -1;
    return check_metadata(c, metadata, rounds_done, err) == 0 &&
                   check_output(c, from, rounds_done, err) == 0 &&
                   check_added(c, from, rounds_done, err) == 0 &&
                   (!c->record || gnt_record_check(c->record, from, rounds_done, c->classes, err) == 0)
               ? gnt_remote_check(c->remote, from, err)
               : -1;
}

/* ---- loading what was checked ---- */

static void copy(const gnt_st *from, const char *name, void *to) {
    const gnt_st_tensor *t = gnt_st_find(from, name);
    if (t && t->bytes)
        memcpy(to, t->data, t->bytes);
}

static int load_added(const gnt_checkpoint *c, const gnt_st *from, gnt_fl_added *to, gnt_err *err) {
    const gnt_st_tensor *totals = gnt_st_find(from, "added.totals");
    const double *t = totals ? totals->data : NULL;
    if (!t)
        return 0;
    const int32_t n = (int32_t)t[TOTALS + 1];
    const double *u = gnt_st_find(from, "added.updates")->data;
    const gnt_fl_totals so_far = {.rounds = (int32_t)t[0],
                                  .added = t[1],
                                  .plain = t[2],
                                  .each = t[3],
                                  .step = t[4],
                                  .received = t[5],
                                  .observed = (int32_t)t[TOTALS]};
    gnt_arena memory = {0};
    gnt_fl_products *products = gnt_arena_array(&memory, (size_t)n, sizeof *products);
    for (int64_t k = 0; products && k < n; k++, u += PRODUCTS)
        products[k] = (gnt_fl_products){.sent_plain = u[0],
                                        .plain = u[1],
                                        .sent = u[2],
                                        .observed = (int)u[3],
                                        .kept = (int64_t)u[4],
                                        .largest = (int)u[5]};
    const int rc = products
                       ? gnt_fl_added_set(to, gnt_model_shared_size(c->model),
                                          gnt_st_find(from, "added.all")->data, products, n, &so_far, err)
                       : gnt_fail(err, "out of memory for a checkpoint");
    gnt_arena_free(&memory);
    return rc;
}

static int load_states(const gnt_checkpoint *c, const gnt_st *from, gnt_err *err) {
    for (int64_t k = 0; c->state && k < clients_of(c); k++) {
        char prefix[NAME];
        state_prefix(prefix, k);
        gnt_st_free(&c->state[k]);
        gnt_st_init(&c->state[k]);
        if (gnt_loaded_bundle(from, prefix, &c->state[k], err) != 0)
            return -1;
    }
    return 0;
}

static int load(gnt_checkpoint *c, const gnt_st *from, const json_t *metadata, const gnt_fl_carried *carried,
                gnt_err *err) {
    const double *effect = gnt_st_find(from, "effect")->data;
    *c->effect = (gnt_effect){.added = effect[0], .shuffled = effect[1]};
    copy(from, "weights", c->weights);
    copy(from, "buffers", c->buffers);
    copy(from, "rows", c->rows);
    if (c->own)
        copy(from, "own", c->own);
    if (carried->velocity)
        copy(from, "velocity", carried->velocity);
    if (json_array_clear(c->utility) != 0 ||
        json_array_extend(c->utility, json_object_get(metadata, "utility")) != 0 ||
        (c->learnt && (json_array_clear(c->learnt) != 0 ||
                       json_array_extend(c->learnt, json_object_get(metadata, "learnt")) != 0)))
        return gnt_fail(err, "out of memory for a checkpoint");
    return load_added(c, from, carried->added, err) == 0 &&
                   gnt_loaded_bundle(from, of_out, c->out, err) == 0 && load_states(c, from, err) == 0 &&
                   (!c->record || gnt_record_load(c->record, from, err) == 0)
               ? gnt_remote_load(c->remote, from, err)
               : -1;
}

int gnt_checkpoint_resume(gnt_checkpoint *c, int32_t *rounds_done, const gnt_fl_carried *carried,
                          gnt_err *err) {
    const gnt_work_checkpoint *of = c->work->checkpoint;
    gnt_err why = {0};
    gnt_st from;
    int rc = 0;
    gnt_st_init(&from);
    c->next = gnt_clock() + of->seconds;
    int good = gnt_checkpoint_read(of, &from, rounds_done, &why) == 0;
    if (good && *rounds_done > 0) {
        json_t *metadata = from.metadata ? json_loads(from.metadata, JSON_REJECT_DUPLICATES, NULL) : NULL;
        good = check(c, &from, metadata, *rounds_done, carried, &why) == 0;
        if (good)
            rc = load(c, &from, metadata, carried, err);
        json_decref(metadata);
    }
    if (!good) {
        *rounds_done = 0;
        say(c, 1, "the training begins again, for its checkpoint does not count: %s", why.text);
    } else if (*rounds_done > 0)
        say(c, 0, "goes on after round %" PRId32 " of %" PRId64, *rounds_done, c->request->federated.rounds);
    gnt_st_free(&from);
    return rc;
}
