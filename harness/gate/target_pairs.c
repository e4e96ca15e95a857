#include "gate/target_pairs_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const double most_score = 1e100;

/* ---- which measures ---- */

size_t gnt_lead_measures(const gnt_outcome *o, const gnt_measure *lead[GNT_RECOVERS_KINDS]) {
    size_t n = 0;
    for (int kind = 0; kind < GNT_RECOVERS_KINDS; kind++) {
        const gnt_measure *first = NULL;
        for (size_t i = 0; i < GNT_MEASURES; i++) {
            const gnt_measure *m = gnt_measure_of((gnt_measure_id)i);
            const gnt_score *s = gnt_score_find(o, m->name);
            if ((int)m->recovers == kind && m->check_order && s && isfinite(s->stat.mean) &&
                (!first || m->check_order < first->check_order))
                first = m;
        }
        if (first)
            lead[n++] = first;
    }
    return n;
}

int64_t gnt_targets_together(const gnt_results *r, const gnt_outcome *o) {
    const gnt_result_task *task = gnt_task_of(r, o->task);
    if (!task)
        return 1;
    const int64_t batch = task->batch, set = task->set;
    const int64_t together = strcmp(o->surface, "encoding") == 0 && set > batch ? set : batch;
    return together > 1 ? together : 1;
}

/* ---- scores of targets ---- */

typedef struct scored {
    int64_t id, truth;
    double x;
} scored;

static int by_id(const void *a, const void *b) {
    const scored *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* True for the measures of a cell as a whole that are compared by each target's answer. */
static int is_answer(const gnt_measure *m) {
    return m == gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED) ||
           m == gnt_measure_of(GNT_MEASURE_ATTRIBUTE_RELABELLED);
}

/* Returns what a target scores: for a balanced accuracy, whether its attribute was inferred (after
 * renaming, for the relabelled one). NAN where the file does not say. */
static double score_of(const gnt_target *t, const gnt_measure *m) {
    if (!is_answer(m))
        return t->score[gnt_measure_id_of(m)];
    const int64_t *answer =
        m == gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED) ? &t->attribute_told : &t->attribute_renamed;
    return gnt_fields_has(&gnt_target_fields, t, answer) ? *answer == t->attribute_truth : NAN;
}

/* Reads the targets, sorted by id; −1 when out of memory. */
static int read_targets(const gnt_outcome *o, const gnt_measure *m, scored **out, size_t *n) {
    const gnt_score *cell = gnt_score_find(o, m->name);
    scored *list = *out = gnt_array(o->targets.n + 1, sizeof *list);
    *n = 0;
    if (!list)
        return -1;
    if (m == gnt_measure_of(GNT_MEASURE_CONTRIBUTION_RANK)) {
        if (cell && isfinite(cell->stat.mean))
            list[(*n)++] = (scored){0, 0, cell->stat.mean};
        return 0;
    }
    for (size_t i = 0; i < o->targets.n; i++) {
        const gnt_target *t = &o->targets.at[i];
        const double x = score_of(t, m);
        if (isfinite(x))
            list[(*n)++] = (scored){t->id, t->attribute_truth, x};
    }
    qsort(list, *n, sizeof *list, by_id);
    return 0;
}

/* Orders targets by their true class. Each class of the attribute has the same weight, so a target counts by
 * how rare its class is. */
static int by_truth(const void *a, const void *b) {
    const scored *x = *(const scored *const *)a, *y = *(const scored *const *)b;
    return (x->truth > y->truth) - (x->truth < y->truth);
}

static int weigh_classes(const scored *list, size_t n, double *weight) {
    const scored **order = gnt_array(n ? n : 1, sizeof *order);
    size_t classes = 0;
    if (!order)
        return -1;
    for (size_t i = 0; i < n; i++)
        order[i] = &list[i];
    qsort(order, n, sizeof *order, by_truth);
    for (size_t i = 0, end; i < n; i = end, classes++) {
        for (end = i; end < n && order[end]->truth == order[i]->truth; end++)
            ;
        for (size_t k = i; k < end; k++)
            weight[order[k] - list] = (double)n / (double)(end - i);
    }
    for (size_t i = 0; i < n; i++)
        weight[i] /= (double)classes;
    gnt_free(order);
    return 0;
}

/* ---- differences ---- */

static void add_means(gnt_pairs *p, double is, double was, double weight) {
    p->targets++;
    p->is += (weight * is - p->is) / (double)p->targets;
    p->was += (weight * was - p->was) / (double)p->targets;
    p->differ |= is != was;
}

/* Keeps the targets that both have, in place; returns how many. */
static size_t keep_common(scored *a, size_t na, scored *b, size_t nb) {
    size_t n = 0;
    for (size_t i = 0, k = 0; i < na && k < nb;) {
        if (a[i].id == b[k].id && a[i].truth == b[k].truth) {
            a[n] = a[i];
            b[n++] = b[k];
        }
        int step = by_id(&a[i], &b[k]);
        i += step <= 0;
        k += step >= 0;
    }
    return n;
}

/* Adds units in the order of their ids. a, b: n scores of the same targets, or b NULL. */
static int add_units(gnt_pairs *p, const scored *a, const scored *b, const double *weight, size_t n,
                     int64_t group, int64_t seed, const gnt_measure *m) {
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && a[end].id / group == a[i].id / group; end++) {
            const double was = b ? b[end].x : 0;
            sum += weight[end] * m->leak * (a[end].x - was);
            add_means(p, a[end].x, was, weight[end]);
        }
        if (GNT_GROW(p->d, p->n) != 0 || GNT_GROW(p->seed, p->n) != 0)
            return -1;
        p->d[p->n] = sum / (double)(end - i);
        p->seed[p->n++] = seed;
    }
    return 0;
}

static int check_scores(const scored *a, size_t n, const gnt_outcome *o, const gnt_measure *m,
                        const char *name, gnt_err *err) {
    for (size_t i = 0; i < n; i++)
        if (fabs(a[i].x) > most_score)
            return gnt_fail(
                err, "%s: %.200s: target %" PRId64 " scores %g in %s; expected a number that can be one",
                name, o->id, a[i].id, a[i].x, m->name);
    return 0;
}

/* Returns the weight of each of the n targets; NULL when out of memory. */
static double *weights_of(const scored *a, size_t n, const gnt_measure *m) {
    double *weight = gnt_array(n + 1, sizeof *weight);
    for (size_t i = 0; weight && i < n; i++)
        weight[i] = 1;
    if (weight && is_answer(m) && weigh_classes(a, n, weight) != 0) {
        gnt_free(weight);
        return NULL;
    }
    return weight;
}

int gnt_pairs_add(gnt_pairs *p, const gnt_joined *j, const gnt_measure *m, int64_t group,
                  const char *now_name, gnt_err *err) {
    scored *a = NULL, *b = NULL;
    double *weight = NULL;
    size_t na = 0, nb = 0;
    int rc = read_targets(j->now, m, &a, &na) || read_targets(j->before, m, &b, &nb) ? -1 : 0;
    size_t n = rc == 0 ? keep_common(a, na, b, nb) : 0;
    weight = rc == 0 ? weights_of(a, n, m) : NULL;
    if (!weight)
        rc = gnt_fail(err, "out of memory for the targets of %.200s", j->key);
    else if (check_scores(a, n, j->now, m, now_name, err) || check_scores(b, n, j->before, m, now_name, err))
        rc = -1;
    else if (add_units(p, a, b, weight, n, group, j->seed, m) != 0)
        rc = gnt_fail(err, "out of memory for the targets of %.200s", j->key);
    gnt_free(a);
    gnt_free(b);
    gnt_free(weight);
    return rc;
}

int gnt_pairs_add_one(gnt_pairs *p, const gnt_outcome *o, const gnt_measure *m, int64_t group,
                      const char *name, gnt_err *err) {
    scored *a = NULL;
    size_t n = 0;
    double *weight = read_targets(o, m, &a, &n) == 0 ? weights_of(a, n, m) : NULL;
    int rc = 0;
    if (!weight)
        rc = gnt_fail(err, "out of memory for the targets of %.200s", o->id);
    else if (check_scores(a, n, o, m, name, err) != 0)
        rc = -1;
    else if (add_units(p, a, NULL, weight, n, group, o->seed, m) != 0)
        rc = gnt_fail(err, "out of memory for the targets of %.200s", o->id);
    gnt_free(a);
    gnt_free(weight);
    return rc;
}

void gnt_pairs_free(gnt_pairs *p) {
    gnt_free(p->d);
    gnt_free(p->seed);
    *p = (gnt_pairs){0};
}
