#include "job/work/hidden.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* Fills a client's own table of attributes: those that its group does not name have weight 0, whatever
 * other groups hide. */
static void weigh(gnt_attribute *to, const gnt_sampleset *s, const gnt_request_hider *group) {
    for (int32_t i = 0; i < s->view.n_attributes; i++) {
        to[i] = s->attribute[i];
        to[i].weight = 0;
        for (size_t k = 0; group && k < group->hide.n; k++)
            if (strcmp(to[i].name, group->hide.at[k].attribute) == 0)
                to[i].weight = (float)group->hide.at[k].weight;
    }
}

static int deal(const gnt_request_hiders *of, int32_t *group, int32_t clients) {
    double *share = gnt_array(of->group.n, sizeof *share);
    for (size_t k = 0; share && k < of->group.n; k++)
        share[k] = of->group.at[k].share;
    const int rc = share ? gnt_hide_deal(group, clients, share, of->group.n, &of->key) : -1;
    gnt_free(share);
    return rc;
}

int gnt_work_hidden_open(gnt_work_hidden *out, const gnt_request_samples *of, int64_t clients,
                         const gnt_sampleset *s, gnt_err *err) {
    const int32_t n = s->view.n_attributes;
    *out = (gnt_work_hidden){0};
    if (!of->hiders || n == 0 || clients < 1 || clients > INT32_MAX)
        return 0;
    int32_t *group = gnt_array((size_t)clients, sizeof *group);
    out->attribute = gnt_array((size_t)clients * (size_t)n, sizeof *out->attribute);
    if (!group || !out->attribute || deal(of->hiders, group, (int32_t)clients) != 0) {
        gnt_free(group);
        return gnt_fail(err, "out of memory for what %" PRId64 " clients hide", clients);
    }
    for (int64_t k = 0; k < clients; k++)
        weigh(out->attribute + k * n, s, group[k] >= 0 ? &of->hiders->group.at[group[k]] : NULL);
    out->view = (gnt_fl_hidden){out->attribute, n, (int32_t)clients};
    gnt_free(group);
    return 0;
}

void gnt_work_hidden_free(gnt_work_hidden *h) {
    gnt_free(h->attribute);
    *h = (gnt_work_hidden){0};
}
