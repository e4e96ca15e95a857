#include "job/work/work.h"

#include <string.h>

#include "base/mem.h"

gnt_region gnt_work_region(const gnt_request_samples *of) {
    const int64_t *side = of->region.at;
    return of->region.n == 4 ? (gnt_region){side[0], side[1], side[2], side[3]} : (gnt_region){0};
}

/* Sets the attributes' weights to those of the suite; an attribute that it does not name is not to be
 * hidden. */
static void hide(gnt_sampleset *s, const gnt_request_samples *of) {
    for (size_t i = 0; i < of->hide.n; i++)
        gnt_samples_hide(s, of->hide.at[i].attribute, of->hide.at[i].weight);
}

int gnt_work_samples(gnt_sampleset *out, gnt_work *w, const char *name, const gnt_request_samples *of,
                     gnt_err *err) {
    *out = (gnt_sampleset){0};
    if (!w->has(w->context, name))
        return 0;
    gnt_st st;
    gnt_st_init(&st);
    int rc = w->read(w->context, name, &st, err) || gnt_samples_unpack(out, &st, name, err) ? -1 : 0;
    gnt_st_free(&st);
    if (rc != 0 || !of)
        return rc;
    hide(out, of);
    const gnt_region region = gnt_work_region(of);
    if (region.height && gnt_samples_mark(out, &region, err) != 0) {
        gnt_sampleset_free(out);
        return -1;
    }
    return 0;
}

int gnt_work_artefacts(gnt_artefact_set *out, gnt_work *w, const char *name, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    if (w->has(w->context, name) && w->read(w->context, name, &st, err) != 0)
        return -1;
    int rc = gnt_artefact_set_from(out, &st, err);
    gnt_st_free(&st);
    return rc;
}

gnt_fl_config gnt_work_config(const gnt_request_federated *of) {
    return (gnt_fl_config){.rounds = (int32_t)of->rounds,
                           .steps = (int32_t)of->local_steps,
                           .batch = of->batch,
                           .rate = of->rate,
                           .momentum = of->momentum,
                           .decay = of->decay,
                           .adam = of->adam,
                           .augment = {of->flip, of->shift, of->cutout},
                           .cosine = of->cosine,
                           .participation = of->participation,
                           .all_train = of->all_train,
                           .training_stats = of->training_stats,
                           .clients = (int32_t)of->clients};
}

/* True if the three lists of labels fit together. */
static int names_labels(const gnt_request_federated *of) {
    int64_t left = (int64_t)of->labels.n;
    if (of->rows.n != (size_t)of->clients || of->n_labels.n != of->rows.n)
        return 0;
    for (size_t k = 0; k < of->n_labels.n && left >= 0; k++)
        left -= of->n_labels.at[k];
    return left == 0;
}

/* Returns the values by which the rows are partitioned: their group, or an attribute, of which *values is
 * a copy. */
static const int32_t *dealt_by(const char *by, const gnt_sampleset *s, int32_t **values) {
    if (strcmp(by, GNT_PARTITION_BY_GROUP) == 0)
        return s->group;
    for (int32_t a = 0; a < s->view.n_attributes; a++) {
        if (strcmp(s->attribute[a].name, by) != 0)
            continue;
        *values = gnt_array((size_t)s->view.n, sizeof **values);
        for (int64_t i = 0; *values && i < s->view.n; i++)
            (*values)[i] = s->a[i * s->view.n_attributes + a];
    }
    return *values;
}

int gnt_work_partition(gnt_partition *out, const gnt_request_federated *of, const gnt_key *key,
                       const gnt_sampleset *clients, gnt_err *err) {
    gnt_partition_spec spec = {.kind = of->partition,
                               .clients = (int32_t)of->clients,
                               .shards = (int32_t)of->shards,
                               .alpha = of->alpha,
                               .size = of->shard_size,
                               .least = (int32_t)of->least,
                               .most = (int32_t)of->most,
                               .rows = of->rows.at,
                               .n_labels = of->n_labels.at,
                               .labels = of->labels.at};
    if (of->partition == GNT_PARTITION_LABELS && !names_labels(of))
        return gnt_fail(err, "the request does not say which labels each of %d clients holds", spec.clients);
    int32_t *values = NULL;
    if (of->partition == GNT_PARTITION_GROUP) {
        spec.group = dealt_by(of->by, clients, &values);
        spec.whole = strcmp(of->by, GNT_PARTITION_BY_GROUP) == 0;
        if (!spec.group)
            return gnt_fail(err, "the clients' rows cannot be dealt by \"%.60s\", which they do not have",
                            of->by);
    }
    const int rc =
        gnt_partition_make(out, &spec, clients->label, clients->view.n, clients->view.classes, key, err);
    gnt_free(values);
    return rc;
}
