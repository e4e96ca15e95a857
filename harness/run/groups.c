/* Cells that differ in the seed alone, joined: means over targets and seeds with a bootstrap interval that
 * draws seeds first and targets inside them. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/measure.h"
#include "run/run_impl.h"

static int same_group(const gnt_cell *a, const gnt_cell *b) {
    return a->task == b->task && a->stage == b->stage && a->defense == b->defense && a->attack == b->attack &&
           a->mode == b->mode &&
           (a->mode == GNT_MODE_NONE || a->mode == GNT_MODE_MATCHED || a->strength == b->strength);
}

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

typedef struct group {
    const run_cell **cell;
    size_t n;
} group;

static int is_ok(const run_cell *c) {
    return c->status && strcmp(c->status, "ok") == 0;
}

/* Scores of all targets of all cells that are ok; cluster: which seed. */
static size_t gather(const group *g, const char *name, double **x, int64_t **cluster) {
    size_t n = 0, room = 0;
    for (size_t i = 0; i < g->n; i++)
        room += json_array_size(json_object_get(g->cell[i]->score, "targets"));
    *x = gnt_array(room, sizeof **x);
    *cluster = gnt_array(room, sizeof **cluster);
    for (size_t i = 0; *x && *cluster && i < g->n; i++) {
        const json_t *targets = json_object_get(g->cell[i]->score, "targets");
        for (size_t t = 0; t < json_array_size(targets); t++) {
            const json_t *value = json_object_get(json_array_get(targets, t), name);
            if (!json_is_number(value))
                continue;
            (*x)[n] = json_number_value(value);
            (*cluster)[n++] = (int64_t)i;
        }
    }
    return n;
}

static void add_stat(json_t *measures, const gnt_measure *m, const double *x, const int64_t *cluster,
                     size_t n) {
    gnt_key key = gnt_key_of_seed(0);
    json_t *stat = n ? gnt_measure_stat(m, x, cluster, n, &key, NULL) : NULL;
    if (stat)
        json_object_set_new(measures, m->name, stat);
}

static void add_measure(const group *g, json_t *measures, const gnt_measure *m) {
    double *x;
    int64_t *cluster;
    size_t n = gather(g, m->name, &x, &cluster);
    add_stat(measures, m, x, cluster, n);
    gnt_free(x);
    gnt_free(cluster);
}

/* What the private attribute of each observation was, and what was told; batch: targets behind one observation,
 * which share both. */
static size_t gather_attributes(const group *g, int64_t batch, int32_t **truth, int32_t **told,
                                int64_t **cluster) {
    size_t n = 0, room = 0;
    for (size_t i = 0; i < g->n; i++)
        room += json_array_size(json_object_get(g->cell[i]->score, "targets"));
    *truth = gnt_array(room, sizeof **truth);
    *told = gnt_array(room, sizeof **told);
    *cluster = gnt_array(room, sizeof **cluster);
    for (size_t i = 0; *truth && *told && *cluster && i < g->n; i++) {
        const json_t *targets = json_object_get(g->cell[i]->score, "targets");
        for (size_t t = 0; t < json_array_size(targets); t += (size_t)batch) {
            const json_t *one = json_array_get(targets, t), *was = json_object_get(one, "attribute_truth");
            if (!json_is_integer(was))
                continue;
            (*truth)[n] = (int32_t)json_integer_value(was);
            (*told)[n] = (int32_t)json_integer_value(json_object_get(one, "attribute_told"));
            (*cluster)[n++] = (int64_t)i;
        }
    }
    return n;
}

/* Balanced accuracy belongs to a cell as a whole, not to a target; worst: the seed that leaked most. */
static void add_balanced(const group *g, json_t *measures, int64_t batch) {
    static const char name[] = "attribute_balanced";
    int32_t *truth, *told;
    int64_t *cluster;
    size_t n = gather_attributes(g, batch, &truth, &told, &cluster);
    gnt_key key = gnt_key_of_seed(0);
    gnt_metric_resample how = {.key = gnt_key_derive(&key, name)};
    gnt_metric_bootstrap b;
    double most = -INFINITY;
    for (size_t i = 0; i < g->n; i++) {
        const json_t *all = json_object_get(g->cell[i]->score, "measures");
        const json_t *mean = json_object_get(json_object_get(all, name), "mean");
        if (json_is_number(mean))
            most = fmax(most, json_number_value(mean));
    }
    if (n && isfinite(most) && gnt_metric_bootstrap_balanced(&b, truth, told, cluster, n, &how, NULL) == 0)
        json_object_set_new(measures, name, gnt_measure_stat_whole(b.mean, most, b.low, b.high, n));
    gnt_free(truth);
    gnt_free(told);
    gnt_free(cluster);
}

/* The order in which clients were put belongs to a cell as a whole too: mean over seeds, each counted once. */
static void add_rank(const group *g, json_t *measures) {
    static const char name[] = "contribution_rank";
    double *x = gnt_array(g->n, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; x && i < g->n; i++) {
        const json_t *all = json_object_get(g->cell[i]->score, "measures");
        const json_t *mean = json_object_get(json_object_get(all, name), "mean");
        if (json_is_number(mean))
            x[n++] = json_number_value(mean);
    }
    add_stat(measures, gnt_measure_find(name), x, NULL, n);
    gnt_free(x);
}

static json_t *utility_json(const group *g, double *none) {
    double sum = 0, sum_none = 0, least = INFINITY, most = -INFINITY;
    size_t n = 0, n_none = 0;
    for (size_t i = 0; i < g->n; i++) {
        double u = g->cell[i]->utility, z = g->cell[i]->utility_none;
        if (isfinite(z)) {
            sum_none += z;
            n_none++;
        }
        if (!isfinite(u))
            continue;
        sum += u;
        least = fmin(least, u);
        most = fmax(most, u);
        n++;
    }
    *none = n_none ? sum_none / (double)n_none : NAN;
    if (!n)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "mean", sum / (double)n, "low", least, "high", most);
}

/* Mean over cells of every number in `part`, of objects one level deep at most. */
static json_t *average(const group *g, const char *part) {
    json_t *out = json_object();
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += json_object_get(g->cell[i]->score, part) != NULL;
    for (size_t i = 0; i < g->n; i++) {
        const char *name, *inner;
        json_t *value, *x;
        json_object_foreach(json_object_get(g->cell[i]->score, part), name, value) {
            if (json_is_number(value)) {
                double before = json_number_value(json_object_get(out, name));
                json_object_set_new(out, name, json_real(before + json_number_value(value) / (double)n));
            } else if (json_is_object(value)) {
                if (!json_object_get(out, name))
                    json_object_set_new(out, name, json_object());
                json_t *mine = json_object_get(out, name);
                json_object_foreach(value, inner, x) if (json_is_number(x)) {
                    double before = json_number_value(json_object_get(mine, inner));
                    json_object_set_new(mine, inner, json_real(before + json_number_value(x) / (double)n));
                }
            }
        }
    }
    return out;
}

/* One status for several cells: ok when any is, else that of the first. */
static const char *status_of(const group *g, size_t n_ok) {
    if (n_ok)
        return "ok";
    return g->cell[0]->status ? g->cell[0]->status : "unfinished";
}

static json_t *group_json(const run *r, const group *g) {
    size_t n_known;
    const gnt_measure *known = gnt_measures(&n_known);
    const gnt_cell *c = g->cell[0]->cell;
    size_t n_ok = 0;
    double none;
    for (size_t i = 0; i < g->n; i++)
        n_ok += (size_t)is_ok(g->cell[i]);
    json_t *measures = json_object(), *utility = utility_json(g, &none);
    for (size_t i = 0; i < n_known; i++)
        if (!known[i].whole)
            add_measure(g, measures, &known[i]);
    add_balanced(g, measures, r->suite->task[c->task].observe.batch);
    add_rank(g, measures);
    const char *why = n_ok ? NULL : g->cell[0]->reason;
    return json_pack("{s:s, s:I, s:s, s:o, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b}",
                     "task", r->suite->task[c->task].id, "stage", (json_int_t)c->stage, "defense",
                     r->suite->defense[c->defense].label, "strength", number(g->cell[0]->strength), "mode",
                     gnt_mode_names[c->mode], "attack", r->suite->attack[c->attack].label, "status",
                     status_of(g, n_ok), "reason", why ? json_string(why) : json_null(), "n_cells",
                     (json_int_t)g->n, "n_ok", (json_int_t)n_ok, "utility", utility, "utility_none",
                     number(none), "measures", measures, "floors", average(g, "floors"), "chance",
                     average(g, "chance"), "matched", g->cell[0]->matched);
}

json_t *run_groups(const run *r) {
    json_t *list = json_array();
    size_t n = r->plan->n;
    const run_cell **members = gnt_array(n, sizeof *members);
    uint8_t *taken = gnt_array(n, 1);
    for (size_t i = 0; members && taken && i < n; i++) {
        if (taken[i])
            continue;
        group g = {members, 0};
        /* seeds vary fastest in a plan, so the rest of a group follows its first cell */
        for (size_t k = i; k < n && same_group(r->cell[i].cell, r->cell[k].cell); k++) {
            taken[k] = 1;
            members[g.n++] = &r->cell[k];
        }
        json_array_append_new(list, group_json(r, &g));
    }
    gnt_free(members);
    gnt_free(taken);
    return list;
}
