/* Where sets were encoded: which private samples are behind an observation, and how well an attack groups
 * encodings by sample. The claims come from the observe job and are read by scoring alone. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/identify.h"
#include "metric/mixing.h"
#include "metric/stats.h"

enum { MOST_JUDGED = 512 }; /* encodings whose identification is measured */

const gnt_st_tensor *score_mixing(const score *s, const char *kind, int64_t set) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, set);
    return gnt_st_find(&s->sets.mixing, name);
}

static int check_mixing(const score *s, int64_t sets, gnt_err *err) {
    for (int64_t j = 0; j < sets; j++) {
        const gnt_st_tensor *w = score_mixing(s, "weight", j), *from = score_mixing(s, "source", j);
        int good = w && from && w->type == GNT_ST_F32 && w->rank == 2 && w->dim[1] == s->sets.size &&
                   from->type == GNT_ST_I64 && from->rank == 1 && from->dim[0] == w->dim[0];
        for (int64_t e = 0; good && e < from->dim[0]; e++)
            good = ((const int64_t *)from->data)[e] >= 0 && ((const int64_t *)from->data)[e] < s->sets.size;
        if (!good)
            return gnt_fail(err, "what the encodings of set %" PRId64 " are made of cannot be read", j);
    }
    return 0;
}

/* Lays out the rows behind updates of single encodings, each of which may show any sample of its set. What
 * the defense claims of it is not used. */
static int open_members(score *s, int64_t sets, gnt_err *err) {
    int64_t n = 0, i = 0;
    for (int64_t j = 0; j < sets; j++)
        n += score_mixing(s, "source", j)->dim[0];
    s->layout.first = gnt_array((size_t)n, sizeof *s->layout.first);
    if (!s->layout.first)
        return gnt_fail(err, "out of memory for the targets of %" PRId64 " encodings", n);
    for (int64_t j = 0; j < sets; j++)
        for (int64_t e = 0; e < score_mixing(s, "source", j)->dim[0]; e++)
            s->layout.first[i++] = j * s->sets.size;
    s->layout.observations = n;
    s->layout.batch = 1;
    s->layout.members = s->sets.size;
    s->layout.rows = sets * s->sets.size;
    return 0;
}

int64_t score_n_sets(const score *s) {
    return s->sets.size ? s->layout.rows / s->sets.size : 0;
}

/* Lays out the rows behind updates without sets: the batch, or the larger set that the request names. */
static int open_batches(score *s, gnt_err *err) {
    if (s->layout.members == 0)
        s->layout.members = s->layout.batch;
    if (s->layout.members < s->layout.batch)
        return gnt_fail(err, "a batch of %" PRId64 " samples cannot come from a set of %" PRId64,
                        s->layout.batch, s->layout.members);
    s->layout.rows = s->layout.observations * s->layout.members;
    return 0;
}

int score_open_sets(score *s, gnt_err *err) {
    gnt_work *w = s->work;
    int64_t sets = s->sets.size ? s->layout.observations * s->layout.batch / s->sets.size : 0;
    if (!s->sets.size)
        return open_batches(s, err);
    if (w->read(w->context, "mixing", &s->sets.mixing, err) != 0 || check_mixing(s, sets, err) != 0)
        return -1;
    s->sets.as_sets = s->request->observe.surface == GNT_SURFACE_ENCODING || s->sets.chained;
    if (!s->sets.as_sets)
        return open_members(s, sets, err);
    s->layout.observations = sets;
    s->layout.batch = s->layout.members = s->sets.size;
    s->layout.rows = sets * s->sets.size;
    return 0;
}

int64_t score_encoding_of(const score *s, int64_t i) {
    int64_t first = 0;
    if (!s->sets.as_sets)
        return i / s->layout.batch;
    for (int64_t j = 0; j < i / s->layout.batch; j++)
        first += score_mixing(s, "source", j)->dim[0];
    const gnt_st_tensor *from = score_mixing(s, "source", i / s->layout.batch);
    for (int64_t e = 0; e < from->dim[0]; e++)
        if (((const int64_t *)from->data)[e] == i % s->layout.batch)
            return first + e;
    return -1;
}

/* ---- facts ---- */

typedef struct mean {
    double sum, n;
} mean;

static void take(mean *m, double x) {
    if (isfinite(x)) {
        m->sum += x;
        m->n++;
    }
}

/* Adds the mean as a fact. Without a finite term the fact is unmeasured, for the reason given (NULL: it is
 * left out). */
static void put(score *s, const char *name, const mean *m, const char *why_none) {
    if (m->n > 0)
        score_add_fact(s, name, m->sum / m->n);
    else if (why_none)
        score_add_unknown(s, name, why_none);
}

static const gnt_st_tensor *answer_table(const score *s, const char *kind, int64_t set, int64_t rows) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, set);
    const gnt_st_tensor *t = gnt_st_find(&s->answer, name);
    return t && t->type == GNT_ST_F32 && t->rank == 2 && t->dim[0] == rows && t->dim[1] >= 1 ? t : NULL;
}

static const char one_kind_of_pair[] =
    "every pair of encodings shares a sample, or none does: an area under the ROC curve needs both kinds";

/* Scores an attack's answers on the mixing, set by set; a set without an answer scores no better than
 * chance. */
static int judge_mixing(score *s, gnt_err *err) {
    mean all = {0}, visible = {0}, purity = {0}, assigned = {0}, correlation = {0};
    int said_similar = 0, said_mixture = 0;
    for (int64_t j = 0; j < s->layout.observations; j++) {
        const gnt_st_tensor *w = score_mixing(s, "weight", j);
        size_t n = (size_t)w->dim[0], m = (size_t)w->dim[1];
        const gnt_st_tensor *similar = answer_table(s, "similarity", j, w->dim[0]),
                            *mixture = answer_table(s, "mixture", j, w->dim[0]);
        gnt_metric_pairs pairs = {0.5, 0.5};
        gnt_metric_clusters clusters = {NAN, 0, 0};
        if (similar && similar->dim[1] == w->dim[0]) {
            said_similar = 1;
            if (gnt_metric_similarity(&pairs, similar->data, w->data, n, m, err) != 0)
                return -1;
        }
        if (mixture && mixture->dim[1] <= s->sets.size) {
            said_mixture = 1;
            if (gnt_metric_mixture(&clusters, mixture->data, (size_t)mixture->dim[1], w->data, n, m, err) !=
                0)
                return -1;
        }
        take(&all, pairs.all);
        take(&visible, pairs.visible);
        take(&purity, clusters.purity);
        take(&assigned, clusters.assigned);
        take(&correlation, clusters.correlation);
    }
    if (said_similar) {
        put(s, "similarity_auc", &all, one_kind_of_pair);
        put(s, "similarity_auc_visible", &visible, one_kind_of_pair);
    }
    if (said_mixture) {
        put(s, "cluster_purity", &purity, "the attack claims no membership");
        put(s, "assigned", &assigned, NULL);
        put(s, "weight_correlation", &correlation, "the claimed weights or the true ones do not vary");
    }
    return 0;
}

static int judge_images(score *s, gnt_err *err) {
    double *psnr = gnt_array((size_t)s->layout.n, sizeof *psnr);
    mean good = {0};
    gnt_metric_summary sum;
    if (!psnr)
        return gnt_fail(err, "out of memory for %" PRId64 " scores", s->layout.n);
    for (int64_t i = 0; i < s->layout.n; i++) {
        psnr[i] = s->target[i].image.psnr;
        take(&good, psnr[i] >= 16);
    }
    int rc = gnt_metric_summarize(&sum, psnr, (size_t)s->layout.n, err);
    gnt_free(psnr);
    if (rc != 0)
        return -1;
    score_add_fact(s, "psnr_quartile_1", sum.quartile1);
    score_add_fact(s, "psnr_median", sum.median);
    score_add_fact(s, "psnr_quartile_3", sum.quartile3);
    put(s, "psnr_16", &good, NULL);
    return 0;
}

/* Measures identification from the encodings themselves, of the sample that each is claimed to be mostly
 * of and of any of its set, and the PSNR to the former. */
static int judge_encodings(score *s, const gnt_metric_rows *candidates, gnt_err *err) {
    const gnt_st_tensor *x = gnt_st_find(&s->observed, "encoded_x");
    int64_t f = s->targets.view.features, at = 0;
    mean hit = {0}, any = {0}, psnr = {0};
    if (!x || x->type != GNT_ST_F32 || x->rank != 2 || x->dim[1] != f)
        return 0;
    for (int64_t j = 0; j < s->layout.observations; j++) {
        const gnt_st_tensor *from = score_mixing(s, "source", j);
        for (int64_t e = 0; e < from->dim[0] && at < x->dim[0] && at < MOST_JUDGED; e++, at++) {
            const float *one = (const float *)x->data + at * f;
            gnt_metric_identity who;
            double of_set;
            size_t first = (size_t)(j * s->layout.batch),
                   right = first + (size_t)((const int64_t *)from->data)[e];
            if (gnt_metric_identify(&who, one, candidates, right, err) != 0 ||
                gnt_metric_identify_any(&of_set, one, candidates, first, (size_t)s->layout.batch, err) != 0)
                return -1;
            take(&hit, who.hit);
            take(&any, of_set);
            take(&psnr, gnt_metric_psnr(who.mse, NULL));
        }
    }
    put(s, "encoding_identification", &hit, NULL);
    put(s, "encoding_member", &any, NULL);
    put(s, "encoding_psnr", &psnr, NULL);
    return 0;
}

int score_sets(score *s, const gnt_metric_rows *candidates, gnt_err *err) {
    if (!s->sets.as_sets)
        return 0;
    return judge_mixing(s, err) != 0 || judge_images(s, err) != 0 || judge_encodings(s, candidates, err) != 0
               ? -1
               : 0;
}

void score_close_sets(score *s) {
    gnt_st_free(&s->sets.mixing);
}
