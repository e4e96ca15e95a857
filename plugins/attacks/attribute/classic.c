#include "classic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shared/attribute/pool.h"
#include "shared/try.h"

gnt_status classic_table(const classic *c, attr_source *from, attr_table *t, const gnt_attack_prepare *in,
                         const gnt_sink *out) {
    TRY(attr_source_of_attack(from, c->host, &c->reading, in));
    TRY(attr_table_make(t, &c->reading, from));
    return attr_write_statistics(out, "", t->columns, from->mean, from->scale) != GNT_OK
               ? gnt_host_fail(c->host, "mean and scale of its inputs could not be kept")
               : GNT_OK;
}

static int32_t greatest(const float *scores, int32_t values) {
    int32_t best = 0;
    for (int32_t v = 1; v < values; v++)
        best = scores[v] > scores[best] ? v : best;
    return best;
}

gnt_status classic_accuracy(const classic *c, const attr_table *t, classic_scores scores,
                            const void *classifier, double *accuracy) {
    const gnt_host *host = c->host;
    const size_t values = (size_t)t->values;
    double sum = 0, present = 0;
    float *z = gnt_host_scratch(host, values, sizeof *z);
    int64_t *right = gnt_host_scratch(host, 2 * values, sizeof *right), *seen = right + values;
    TRY(have_memory(host, z && right, "no memory for its scores"));
    for (int64_t i = t->n_train; i < t->n; i++) {
        const int32_t row = t->row[i], v = t->label[row];
        TRY(may_go_on(host));
        scores(classifier, t->x + row * t->columns, z);
        right[v] += greatest(z, t->values) == v;
        seen[v]++;
    }
    for (size_t v = 0; v < values; v++) {
        present += seen[v] > 0;
        if (seen[v])
            sum += (double)right[v] / (c->balanced ? (double)seen[v] : 1);
    }
    const double of = c->balanced ? present : (double)(t->n - t->n_train);
    *accuracy = of > 0 ? sum / of : NAN;
    return GNT_OK;
}

gnt_status classic_judge(const classic *c, const attr_table *t, classic_scores scores,
                         const void *classifier) {
    const gnt_host *host = c->host;
    double accuracy;
    TRY(classic_accuracy(c, t, scores, classifier, &accuracy));
    gnt_host_fact(host, "inputs", (double)t->columns);
    if (!isnan(accuracy))
        gnt_host_fact(host, "validation_accuracy", accuracy);
    return GNT_OK;
}

gnt_status classic_see(const classic *c, const gnt_observation *seen, const gnt_artefacts *own,
                       const float **x, int64_t *columns) {
    if (attr_seen_size(seen) < 1)
        return unsupported(c->host, "it reads an update or a representation, and none was observed");
    *x = attr_read_seen(c->host, &c->reading, seen, own, columns);
    return *x ? GNT_OK : GNT_FAILED;
}

gnt_status classic_answer(const classic *c, const gnt_observation *seen, const float *x,
                          classic_scores scores, const void *classifier, const gnt_answer *answer) {
    const gnt_host *host = c->host;
    float *z = gnt_host_scratch(host, seen->attribute_values, sizeof *z);
    TRY(have_memory(host, z != NULL, "no memory for its scores"));
    scores(classifier, x, z);
    return answer->attribute(answer->context, seen->attribute_values, z);
}

gnt_status classic_net_open(classic_net *n, const gnt_host *host) {
    n->room = gnt_host_scratch(host, 2 * attr_widest(&n->net), sizeof *n->room);
    return n->room ? GNT_OK : gnt_host_fail(host, "no memory for the network's layers");
}

void classic_net_scores(const void *classifier, const float *x, float *scores) {
    const classic_net *n = classifier;
    attr_forward(&n->net, x, n->room, scores);
}

int classic_finite(const gnt_view *v) {
    for (int64_t i = 0; i < v->count; i++)
        if (!isfinite(v->data[i]))
            return 0;
    return 1;
}

int classic_matrix(const gnt_view *v, int64_t rows, int64_t columns) {
    return v->rank == 2 && columns > 0 && v->dim[1] == columns && v->dim[0] > 0 &&
           (rows < 0 || v->dim[0] == rows) && v->count % columns == 0 && v->count / columns == v->dim[0];
}

gnt_status classic_foreign(const gnt_host *host, const char *what) {
    char text[300];
    snprintf(text, sizeof text,
             "its artefacts are not %s for this attribute: they were prepared for another "
             "task",
             what);
    return gnt_host_fail(host, text);
}
