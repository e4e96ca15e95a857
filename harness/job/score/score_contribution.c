/* Each client's part in the secure sum: what was answered, compared with what it gave. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "job/work/defense_state.h"
#include "job/score/score.h"
#include "metric/contribution.h"

/* Reads the clients behind the observations of a round, which are in the order in which they were drawn. */
static int read_clients(score *s, gnt_err *err) {
    if (s->work->read(s->work->context, "targets", &s->sum.behind, err) != 0)
        return -1;
    const gnt_st_tensor *t = gnt_st_find(&s->sum.behind, "client");
    if (!t)
        return 0;
    if (t->type != GNT_ST_I64 || t->rank != 1 || t->dim[0] < s->layout.observations)
        return gnt_fail(err, "the targets do not say which clients were observed");
    s->sum.client = t->data;
    for (int64_t j = 0; j < s->layout.observations; j++)
        if (s->sum.client[j] < 0 || s->sum.client[j] >= s->sum.clients)
            return gnt_fail(err, "observation %lld is of client %lld, of %lld in the secure sum",
                            (long long)j, (long long)s->sum.client[j], (long long)s->sum.clients);
    return 0;
}

int score_read_contributions(score *s, gnt_err *err) {
    if (!s->work->has(s->work->context, "contributions"))
        return gnt_fail(err, "the training left no contributions to a secure sum to score against");
    if (s->work->read(s->work->context, "contributions", &s->sum.bundle, err) != 0)
        return -1;
    const gnt_st_tensor *t = gnt_state_first(&s->sum.bundle, "contribution", GNT_ST_F64, 2);
    if (!t || t->dim[0] < 1 || t->dim[1] < 1)
        return gnt_fail(err, "the training left no contributions to a secure sum to score against");
    s->sum.given = t->data;
    s->sum.clients = t->dim[0];
    s->sum.entries = t->dim[1];
    return s->is_transcript ? 0 : read_clients(s, err);
}

/* Returns the answered row of a unit, which is an update or a client of a transcript; NULL if there is
 * none. */
static const double *answer_of(const score *s, int64_t unit) {
    char name[64];
    int64_t rows = s->is_transcript ? s->sum.clients : 1;
    snprintf(name, sizeof name, "contribution.%lld", s->is_transcript ? 0LL : (long long)unit);
    const gnt_st_tensor *t = gnt_st_find(&s->answer, name);
    if (!t || t->type != GNT_ST_F64 || t->rank != 2 || t->dim[0] != rows || t->dim[1] != s->sum.entries)
        return NULL;
    return (const double *)t->data + (s->is_transcript ? unit * s->sum.entries : 0);
}

static const double *truth_of(const score *s, int64_t unit) {
    return s->sum.given + (s->sum.client ? s->sum.client[unit] : unit % s->sum.clients) * s->sum.entries;
}

static int64_t units_of(const score *s) {
    return s->is_transcript ? s->sum.clients : s->layout.observations;
}

static double mean_of_entry(const score *s, int64_t e, int size) {
    double sum = 0;
    for (int64_t k = 0; k < s->sum.clients; k++) {
        double v = s->sum.given[k * s->sum.entries + e];
        sum += size ? fabs(v) : v;
    }
    return sum / (double)s->sum.clients;
}

/* Returns the mean over entries of the relative error; answer may be NULL: no answer. */
static double error_of(const score *s, const double *answer, const double *truth, const double *usual) {
    double sum = 0;
    for (int64_t e = 0; e < s->sum.entries; e++)
        sum += gnt_metric_relative_error(answer ? answer[e] : (double)NAN, truth[e], usual[e]);
    return sum / (double)s->sum.entries;
}

/* Computes the mean rank correlation over the entries that differ between clients. */
static int rank_entries(score *s, gnt_err *err) {
    size_t n = (size_t)units_of(s), counted = 0;
    double *answer = gnt_array(2 * n, sizeof *answer), *truth = answer ? answer + n : NULL, sum = 0;
    int rc = answer ? 0 : gnt_fail(err, "out of memory for the ranks of %zu clients", n);
    for (int64_t e = 0; rc == 0 && e < s->sum.entries; e++) {
        for (size_t i = 0; i < n; i++) {
            const double *row = answer_of(s, (int64_t)i);
            answer[i] = row ? row[e] : (double)NAN;
            truth[i] = truth_of(s, (int64_t)i)[e];
        }
        double r;
        rc = gnt_metric_rank_correlation(&r, answer, truth, n, err);
        if (rc == 0 && isfinite(r)) {
            sum += r;
            counted++;
        }
    }
    s->sum.rank = counted ? sum / (double)counted : (double)NAN;
    gnt_free(answer);
    return rc;
}

int score_contributions(score *s, gnt_err *err) {
    double *average = gnt_array(2 * (size_t)s->sum.entries, sizeof *average);
    if (!average)
        return gnt_fail(err, "out of memory for the contributions");
    double *usual = average + s->sum.entries;
    for (int64_t e = 0; e < s->sum.entries; e++) {
        average[e] = mean_of_entry(s, e, 0);
        usual[e] = mean_of_entry(s, e, 1);
    }
    int64_t units = units_of(s), each = s->is_transcript ? 1 : s->layout.batch;
    s->sum.floor = 0;
    for (int64_t u = 0; u < units; u++) {
        const double *answer = answer_of(s, u), *truth = truth_of(s, u);
        s->sum.floor += error_of(s, average, truth, usual) / (double)units;
        for (int64_t i = u * each; i < (u + 1) * each; i++) {
            s->target[i].has_contribution = 1;
            s->target[i].contribution_error = error_of(s, answer, truth, usual);
            s->target[i].contribution_answer = answer;
            s->target[i].contribution_truth = truth;
        }
    }
    /* without the sum there is no average to answer with: 0 is as good as anything */
    if (!s->is_transcript && !(s->request->granted & GNT_KNOWS_SUM))
        s->sum.floor = 1;
    gnt_free(average);
    return rank_entries(s, err);
}
