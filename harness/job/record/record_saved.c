/* What a checkpoint has of a record: its bundles as they are, and under "record." and "batch." what is not in
 * these yet. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "job/record/record_impl.h"

static const char of_record[] = "record/", of_behind[] = "held/";
enum { SIZES = 4, COUNTS = 6, COMPARED = 11, MOST_SAMPLES = 1 << 30 };

static void name_of(char name[NAME_SIZE], const char *kind, const recorded_stage *s, int64_t j) {
    snprintf(name, NAME_SIZE, "%s.%" PRId32 ".%" PRId64, kind, s->round, j);
}

static int save_batch(const recorded_stage *s, int64_t j, gnt_saved *out, gnt_err *err) {
    const recorded_batch *b = &s->batch[j];
    const int64_t sizes[SIZES] = {b->n, b->n_y, b->classes, b->whole};
    char name[NAME_SIZE];
    if (b->n < 1)
        return 0;
    name_of(name, "batch.sizes", s, j);
    if (gnt_saved_copy(out, name, GNT_ST_I64, SIZES, sizes, err) != 0)
        return -1;
    name_of(name, "batch.row", s, j);
    if (gnt_saved_vector(out, name, GNT_ST_I64, b->n, b->row, err) != 0)
        return -1;
    name_of(name, "batch.y", s, j);
    return gnt_saved_vector(out, name, GNT_ST_F32, b->n_y * b->classes, b->y, err);
}

static int save_compared(const recorded_stage *s, gnt_saved *out, gnt_err *err) {
    const gnt_fl_round *c = &s->compared;
    const double values[COMPARED] = {c->round, c->aggregated, c->sent,  c->server,  c->added, c->left,
                                     c->plain, c->plain_left, c->taken, c->clients, c->little};
    char name[NAME_SIZE];
    name_of(name, "record.compared", s, 0);
    return s->is_compared ? gnt_saved_copy(out, name, GNT_ST_F64, COMPARED, values, err) : 0;
}

int gnt_record_save(const gnt_record *r, gnt_saved *out, gnt_err *err) {
    const int64_t counts[COUNTS] = {r->with_statistics, r->in_the_clear, r->received, r->zero,
                                    r->withheld,        r->n_treated};
    if (gnt_saved_bundle(out, of_record, &r->record, r->first_of_record, err) != 0 ||
        gnt_saved_bundle(out, of_behind, &r->behind, r->first_behind, err) != 0 ||
        gnt_saved_copy(out, "record.counts", GNT_ST_I64, COUNTS, counts, err) != 0 ||
        gnt_saved_vector(out, "record.treatment", GNT_ST_F32, r->n_treated * TREATMENT, r->treatment, err) !=
            0)
        return -1;
    for (size_t i = 0; i < r->n_stages; i++) {
        if (save_compared(&r->stage[i], out, err) != 0)
            return -1;
        for (int64_t j = 0; j < r->targets; j++)
            if (save_batch(&r->stage[i], j, out, err) != 0)
                return -1;
    }
    return 0;
}

/* ---- checks ---- */

static int refuse(const char *what, gnt_err *err) {
    return gnt_fail(err, "the checkpoint: what it has of %s is not what a training records", what);
}

/* Returns the observed round whose number `number` begins with, in front of `end`; −1: none that was done. */
static int32_t round_of(const gnt_record *r, const char *number, char end, int32_t rounds_done) {
    for (size_t i = 0; i < r->n_stages; i++) {
        char text[16];
        const int n = snprintf(text, sizeof text, "%" PRId32, r->stage[i].round);
        if (r->stage[i].round < rounds_done && strncmp(number, text, (size_t)n) == 0 && number[n] == end)
            return r->stage[i].round;
    }
    return -1;
}

/* One kind of tensor with a row for each drawn client. columns −1: any number. */
typedef struct kind {
    const char *bundle, *name;
    gnt_st_type type;
    int64_t columns;
} kind;

static int has_kind(const gnt_record *r, const gnt_st_tensor *t, const kind *k, int32_t rounds_done) {
    const size_t bundle = strlen(k->bundle), length = strlen(k->name);
    if (strncmp(t->name, k->bundle, bundle) != 0 || strncmp(t->name + bundle, k->name, length) != 0 ||
        t->name[bundle + length] != '.' || round_of(r, t->name + bundle + length + 1, 0, rounds_done) < 0)
        return 0;
    return t->type == k->type && t->rank == 2 && t->dim[0] == r->targets &&
           (k->columns < 0 || t->dim[1] == k->columns);
}

static int is_known(const gnt_record *r, const gnt_st_tensor *t, int32_t rounds_done) {
    static const char state[] = "held/state.";
    const kind kinds[] = {{of_record, "update", GNT_ST_F32, r->n_shared},
                          {of_record, "buffers", GNT_ST_F32, r->n_buffers},
                          {of_record, "sends", GNT_ST_I64, 1},
                          {of_behind, "rates", GNT_ST_F32, r->config.steps},
                          {of_behind, "set", GNT_ST_I64, -1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_kind(r, t, &kinds[i], rounds_done))
            return 1;
    return strncmp(t->name, state, sizeof state - 1) == 0 &&
           round_of(r, t->name + sizeof state - 1, '.', rounds_done) >= 0;
}

static int check_bundles(const gnt_record *r, const gnt_st *from, int32_t rounds_done, gnt_err *err) {
    for (size_t i = 0; i < from->n; i++) {
        const char *name = from->tensor[i].name;
        if ((strncmp(name, of_record, sizeof of_record - 1) == 0 ||
             strncmp(name, of_behind, sizeof of_behind - 1) == 0) &&
            !is_known(r, &from->tensor[i], rounds_done))
            return refuse("updates", err);
    }
    return 0;
}

/* A round that was done has the batch of each drawn client, the others of none. */
static int check_batch(const recorded_stage *s, int64_t j, const gnt_st *from, int32_t rounds_done,
                       int64_t classes, gnt_err *err) {
    char name[NAME_SIZE];
    name_of(name, "batch.sizes", s, j);
    if (s->round >= rounds_done)
        return gnt_st_find(from, name) ? refuse("batches", err) : 0;
    const int64_t *sizes = gnt_loaded_vector(from, name, GNT_ST_I64, SIZES, err);
    if (!sizes)
        return -1;
    if (sizes[0] < 1 || sizes[0] > MOST_SAMPLES || sizes[1] < 0 || sizes[1] > MOST_SAMPLES ||
        sizes[2] != classes)
        return refuse("batches", err);
    name_of(name, "batch.row", s, j);
    const int64_t *row = gnt_loaded_vector(from, name, GNT_ST_I64, sizes[0], err);
    for (int64_t i = 0; row && i < sizes[0]; i++)
        if (row[i] < 0 || row[i] > UINT32_MAX)
            return refuse("batches", err);
    name_of(name, "batch.y", s, j);
    return row && gnt_loaded_vector(from, name, GNT_ST_F32, sizes[1] * classes, err) ? 0 : -1;
}

static int is_count(double v) {
    return v >= 0 && v <= INT32_MAX && v == floor(v);
}

static int check_compared(const recorded_stage *s, const gnt_st *from, int32_t rounds_done, gnt_err *err) {
    char name[NAME_SIZE];
    name_of(name, "record.compared", s, 0);
    if (!gnt_st_find(from, name))
        return 0;
    const double *c = gnt_loaded_vector(from, name, GNT_ST_F64, COMPARED, err);
    if (!c)
        return -1;
    return s->round < rounds_done && c[0] == s->round && is_count(c[1]) && is_count(c[9]) && is_count(c[10])
               ? 0
               : refuse("rounds", err);
}

static int check_treatment(const gnt_record *r, const gnt_st *from, int32_t rounds_done, gnt_err *err) {
    const int64_t *counts = gnt_loaded_vector(from, "record.counts", GNT_ST_I64, COUNTS, err);
    if (!counts)
        return -1;
    for (int i = 0; i < COUNTS; i++)
        if (counts[i] < 0 || counts[i] > INT64_MAX / 2)
            return refuse("counts", err);
    const int64_t n = counts[COUNTS - 1];
    if (n > MOST_TREATMENTS)
        return refuse("counts", err);
    const float *t = gnt_loaded_vector(from, "record.treatment", GNT_ST_F32, n * TREATMENT, err);
    for (int64_t i = 0; t && i < n; i++)
        if (!(t[TREATMENT * i] >= 0) || !(t[TREATMENT * i] < (float)rounds_done) ||
            !(t[TREATMENT * i + 1] >= 0) || !(t[TREATMENT * i + 1] < (float)r->part->clients))
            return refuse("treatments", err);
    return t ? 0 : -1;
}

int gnt_record_check(const gnt_record *r, const gnt_st *from, int32_t rounds_done, int64_t classes,
                     gnt_err *err) {
    if (check_bundles(r, from, rounds_done, err) != 0 || check_treatment(r, from, rounds_done, err) != 0)
        return -1;
    for (size_t i = 0; i < r->n_stages; i++) {
        if (check_compared(&r->stage[i], from, rounds_done, err) != 0)
            return -1;
        for (int64_t j = 0; j < r->targets; j++)
            if (check_batch(&r->stage[i], j, from, rounds_done, classes, err) != 0)
                return -1;
    }
    return 0;
}

/* ---- loading ---- */

static void *copy_of(const gnt_st *from, const char *name, size_t n, size_t size) {
    void *copy = gnt_array(n, size);
    if (copy && n)
        memcpy(copy, gnt_st_find(from, name)->data, n * size);
    return copy;
}

static int load_batch(recorded_stage *s, int64_t j, const gnt_st *from, gnt_err *err) {
    recorded_batch *b = &s->batch[j];
    char name[NAME_SIZE];
    name_of(name, "batch.sizes", s, j);
    const gnt_st_tensor *t = gnt_st_find(from, name);
    if (!t)
        return 0;
    const int64_t *sizes = t->data;
    *b = (recorded_batch){.n = sizes[0], .n_y = sizes[1], .classes = sizes[2], .whole = sizes[3] != 0};
    name_of(name, "batch.row", s, j);
    b->row = copy_of(from, name, (size_t)b->n, sizeof *b->row);
    name_of(name, "batch.y", s, j);
    b->y = copy_of(from, name, (size_t)(b->n_y * b->classes), sizeof *b->y);
    return b->row && b->y ? 0 : gnt_fail(err, "out of memory for the samples behind an update");
}

static void load_compared(recorded_stage *s, const gnt_st *from) {
    char name[NAME_SIZE];
    name_of(name, "record.compared", s, 0);
    const gnt_st_tensor *t = gnt_st_find(from, name);
    const double *c = t ? t->data : NULL;
    if (!c)
        return;
    s->is_compared = 1;
    s->compared = (gnt_fl_round){.round = s->round,
                                 .aggregated = (int)c[1],
                                 .sent = c[2],
                                 .server = c[3],
                                 .added = c[4],
                                 .left = c[5],
                                 .plain = c[6],
                                 .plain_left = c[7],
                                 .taken = c[8],
                                 .clients = (int32_t)c[9],
                                 .little = (int32_t)c[10]};
}

int gnt_record_load(gnt_record *r, const gnt_st *from, gnt_err *err) {
    const int64_t *counts = gnt_st_find(from, "record.counts")->data;
    r->with_statistics = counts[0];
    r->in_the_clear = counts[1];
    r->received = counts[2];
    r->zero = counts[3];
    r->withheld = counts[4];
    r->n_treated = r->room = counts[5];
    r->treatment =
        copy_of(from, "record.treatment", (size_t)(r->n_treated * TREATMENT), sizeof *r->treatment);
    if (!r->treatment)
        return gnt_fail(err, "out of memory for a record");
    for (size_t i = 0; i < r->n_stages; i++) {
        load_compared(&r->stage[i], from);
        for (int64_t j = 0; j < r->targets; j++)
            if (r->stage[i].batch && load_batch(&r->stage[i], j, from, err) != 0)
                return -1;
    }
    return gnt_loaded_bundle(from, of_record, &r->record, err) == 0
               ? gnt_loaded_bundle(from, of_behind, &r->behind, err)
               : -1;
}
