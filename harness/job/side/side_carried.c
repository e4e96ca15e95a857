#include "job/side/side_carried.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/info.h"
#include "request/inputs.h"

enum { LONGEST = 96, LONGEST_STREAM = 256, LONGEST_LEVEL = 32 };
static const char fact_word[] = "fact.", stream_word[] = "stream.", name_word[] = "name.";

int side_carried_level(gnt_st *out, const gnt_work *w, gnt_err *err) {
    const char *level = w->sandbox ? w->sandbox : "";
    const int64_t n = (int64_t)strlen(level) + 1;
    return gnt_st_add(out, "sandbox", GNT_ST_U8, 1, &n, level, NULL, err);
}

static int add_fact(gnt_st *out, int32_t member, const char *name, double value, int64_t reports,
                    gnt_err *err) {
    const double pair[2] = {value, (double)reports};
    const int64_t two = 2;
    char full[LONGEST];
    const int length = snprintf(full, sizeof full, "%" PRId32 ".fact.%s", member, name);
    return (size_t)length < sizeof full ? gnt_st_add(out, full, GNT_ST_F64, 1, &two, pair, NULL, err)
                                        : gnt_fail(err, "the fact %.60s has too long a name", name);
}

static int add_stream(gnt_st *out, int32_t member, size_t k, const char *name, uint64_t words, gnt_err *err) {
    const int64_t one = 1, length = (int64_t)strlen(name) + 1;
    char full[LONGEST];
    snprintf(full, sizeof full, "%" PRId32 ".stream.%zu", member, k);
    if (gnt_st_add(out, full, GNT_ST_I64, 1, &one, &words, NULL, err) != 0)
        return -1;
    snprintf(full, sizeof full, "%" PRId32 ".name.%zu", member, k);
    return gnt_st_add(out, full, GNT_ST_U8, 1, &length, name, NULL, err);
}

/* Adds what its memo has, if anything: the place of the first value that was not found yet is all that there
 * is to carry, for the values are in the job's file. */
static int add_memo(gnt_st *out, int32_t member, gnt_instance *of, gnt_err *err) {
    const int64_t pair[2] = {gnt_instance_memo_size(of), gnt_instance_memo_used(of)}, two = 2;
    char full[LONGEST];
    if (pair[0] == 0)
        return 0;
    snprintf(full, sizeof full, "%" PRId32 ".memo", member);
    return gnt_st_add(out, full, GNT_ST_I64, 1, &two, pair, NULL, err);
}

int side_carried_of_chain(gnt_st *out, const gnt_work_chain *c, int with_streams, gnt_err *err) {
    for (int32_t i = 0; i < c->chain.n; i++) {
        gnt_instance *of = c->plugin[i].instance;
        const gnt_fact *f;
        const char *name;
        uint64_t words;
        for (size_t k = 0; (f = gnt_instance_fact_sum(of, k)); k++)
            if (add_fact(out, i, f->name, f->mean, f->n, err) != 0)
                return -1;
        if (add_memo(out, i, of, err) != 0)
            return -1;
        for (size_t k = 0; with_streams && (name = gnt_instance_stream(of, k, &words)); k++)
            if (add_stream(out, i, k, name, words, err) != 0)
                return -1;
    }
    return 0;
}

int side_carried_of_copies(gnt_st *out, const json_t *facts, const json_t *reports, gnt_err *err) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)facts, name, value) {
        const json_int_t n = json_integer_value(json_object_get(reports, name));
        if (gnt_id_ok(name, '_') && add_fact(out, 0, name, json_number_value(value), n, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- reading ---- */

/* A tensor's name, taken apart. */
typedef struct carried {
    int32_t member;
    const char *fact;   /* NULL: it is none */
    const char *stream; /* its number; NULL: it is none */
    int is_name;        /* it is the name of a stream */
    int is_memo;
} carried;

static int take_apart(const char *name, carried *out) {
    char *end;
    *out = (carried){0};
    const long member = strtol(name, &end, 10);
    if (name[0] < '0' || name[0] > '9' || *end != '.' || member >= GNT_INPUT_MOST_MEMBERS)
        return -1;
    out->member = (int32_t)member;
    end++;
    if (strncmp(end, fact_word, sizeof fact_word - 1) == 0)
        out->fact = end + sizeof fact_word - 1;
    else if (strncmp(end, stream_word, sizeof stream_word - 1) == 0)
        out->stream = end + sizeof stream_word - 1;
    else if (strncmp(end, name_word, sizeof name_word - 1) == 0)
        out->is_name = 1;
    else if (strcmp(end, "memo") == 0)
        out->is_memo = 1;
    else
        return -1;
    return 0;
}

/* Returns the name of a stream; NULL if it has none that can be. */
static const char *stream_name(const gnt_st *st, const carried *of) {
    char full[LONGEST];
    const int length = snprintf(full, sizeof full, "%" PRId32 ".name.%.40s", of->member, of->stream);
    const gnt_st_tensor *t = (size_t)length < sizeof full ? gnt_st_find(st, full) : NULL;
    if (!t || t->type != GNT_ST_U8 || t->rank != 1 || t->dim[0] < 1 || t->dim[0] > LONGEST_STREAM + 1)
        return NULL;
    const char *name = t->data;
    return strnlen(name, (size_t)t->dim[0]) == (size_t)t->dim[0] - 1 ? name : NULL;
}

static int is_fact(const gnt_st_tensor *t, const char *name) {
    if (t->type != GNT_ST_F64 || t->rank != 1 || t->dim[0] != 2 || !gnt_id_ok(name, '_'))
        return 0;
    const double n = ((const double *)t->data)[1];
    return n >= 0 && n <= 0x1p53 && n == floor(n);
}

static int is_stream(const gnt_st *st, const gnt_st_tensor *t, const carried *of) {
    return t->type == GNT_ST_I64 && t->rank == 1 && t->dim[0] == 1 && stream_name(st, of);
}

/* Returns the level of the sandbox; NULL: there is none that can be. */
static const char *level_of(const gnt_st *st) {
    const gnt_st_tensor *t = gnt_st_find(st, "sandbox");
    const char *level = t ? t->data : NULL;
    return t && t->type == GNT_ST_U8 && t->rank == 1 && t->dim[0] >= 1 && t->dim[0] <= LONGEST_LEVEL &&
                   !level[t->dim[0] - 1]
               ? level
               : NULL;
}

static int is_memo(const gnt_st_tensor *t) {
    const int64_t *pair = t->data;
    return t->type == GNT_ST_I64 && t->rank == 1 && t->dim[0] == 2 && pair[1] >= 0 && pair[1] <= pair[0];
}

/* True if the process that is to go on has at least the values that were found or put. */
static int has_values(const gnt_st *now, const gnt_st_tensor *memo) {
    const gnt_st_tensor *t = gnt_st_find(now, memo->name);
    const int64_t there = t ? *(const int64_t *)t->data : 0;
    return there >= ((const int64_t *)memo->data)[1];
}

int side_carried_check(const gnt_st *st, const gnt_st *now, gnt_err *err) {
    const char *level = level_of(st);
    carried of;
    if (!level || (now && strcmp(level, level_of(now)) != 0))
        return gnt_fail(err, "the checkpoint was made by plugins in another sandbox than this one");
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        if (strcmp(t->name, "sandbox") == 0)
            continue;
        if (take_apart(t->name, &of) != 0 || (of.fact && !is_fact(t, of.fact)) ||
            (of.stream && !is_stream(st, t, &of)) || (of.is_memo && !is_memo(t)) ||
            (of.is_name && (t->type != GNT_ST_U8 || t->rank != 1)))
            return gnt_fail(err, "the checkpoint: what it has of a defense's process cannot be");
        if (now && of.is_memo && !has_values(now, t))
            return gnt_fail(err, "results that a defense computed before are lost");
    }
    return 0;
}

int side_carried_set_chain(const gnt_st *st, gnt_work_chain *c, gnt_err *err) {
    carried of;
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        if (take_apart(t->name, &of) != 0 || (!of.fact && !of.stream && !of.is_memo))
            continue;
        if (of.member >= c->chain.n)
            return gnt_fail(err, "the checkpoint is of a defense with more members");
        gnt_instance *instance = c->plugin[of.member].instance;
        const double *pair = t->data;
        const int rc = of.fact      ? gnt_instance_set_fact(instance, of.fact, pair[0], (int64_t)pair[1])
                       : of.is_memo ? gnt_instance_set_memo_used(instance, ((const int64_t *)t->data)[1])
                                    : gnt_instance_set_stream(instance, stream_name(st, &of),
                                                              *(const uint64_t *)t->data);
        if (rc != 0)
            return gnt_fail(err, "what a defense reported before cannot be put back");
    }
    return 0;
}

int side_carried_set_copies(const gnt_st *st, json_t *facts, json_t *reports, gnt_err *err) {
    carried of;
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        if (take_apart(t->name, &of) != 0 || !of.fact)
            continue;
        const double *pair = t->data;
        if (json_object_set_new(facts, of.fact, json_real(pair[0])) != 0 ||
            json_object_set_new(reports, of.fact, json_integer((json_int_t)pair[1])) != 0)
            return gnt_fail(err, "what a defense reported before cannot be put back");
    }
    return 0;
}
