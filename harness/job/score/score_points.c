/* Observed representations, and for comparison the samples themselves, as points of a plane that a report
 * draws, coloured by the attribute: {"value": […], "representation": {"components": [[x, y], …], "share":
 * […], "neighbours": [[x, y], …], "probe": …}, "samples": …}. Coordinates are scaled to [−1, 1]. */
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "job/score/score.h"
#include "metric/embedding.h"

/* To four decimals of the greatest: no eye sees more. */
static json_t *pairs_json(const double *xy, size_t n) {
    json_t *list = json_array();
    double most = 0;
    for (size_t i = 0; i < 2 * n; i++)
        most = fmax(most, fabs(xy[i]));
    const double scale = most > 0 ? 1 / most : 0;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("[f, f]", round(xy[2 * i] * scale * 1e4) / 1e4,
                                              round(xy[2 * i + 1] * scale * 1e4) / 1e4));
    return list;
}

static json_t *embedding_json(const gnt_gram *g, const int32_t *value, int32_t values, double *xy,
                              gnt_err *err) {
    double share[2], balanced;
    json_t *all = json_object();
    if (gnt_embed_pca(xy, share, g, err) != 0)
        goto failed;
    json_object_set_new(all, "components", pairs_json(xy, g->n));
    json_object_set_new(all, "share", json_pack("[f, f]", share[0], share[1]));
    if (gnt_embed_tsne(xy, g, err) != 0 || gnt_linear_probe(&balanced, g, value, values, err) != 0)
        goto failed;
    json_object_set_new(all, "neighbours", pairs_json(xy, g->n));
    json_object_set_new(all, "probe", gnt_json_real(balanced));
    return all;
failed:
    json_decref(all);
    return NULL;
}

/* Adds rows × d as `name`; rows that are not finite have no picture. */
static int add_embedding(const score *s, json_t *out, const char *name, const float *x, size_t n, size_t d,
                         gnt_err *err) {
    gnt_gram g;
    gnt_err why = {0};
    double *xy = gnt_array(2 * n, sizeof *xy);
    if (!xy)
        return gnt_fail(err, "out of memory for %zu points", n);
    const int made = gnt_gram_make(&g, x, n, d, &why);
    json_t *one = made == 0 ? embedding_json(&g, s->attribute.truth, s->attribute.values, xy, err) : NULL;
    gnt_gram_free(&g);
    gnt_free(xy);
    if (one)
        json_object_set_new(out, name, one);
    return made == 0 && !one ? -1 : 0;
}

int score_points(const score *s, json_t **out, gnt_err *err) {
    const gnt_request_score *q = s->request;
    const gnt_st_tensor *seen = gnt_st_find(&s->observed, "representation");
    const int64_t wanted = q->points < s->layout.observations ? q->points : s->layout.observations;
    *out = NULL;
    if (!s->attribute.truth || s->layout.batch != 1 || wanted < GNT_EMBEDDING_LEAST || !seen ||
        seen->type != GNT_ST_F32 || seen->rank != 2 || seen->dim[0] < wanted || seen->dim[1] < 1)
        return 0;
    json_t *all = json_object(), *value = json_array();
    for (int64_t i = 0; i < wanted; i++)
        json_array_append_new(value, json_integer(s->attribute.truth[i]));
    json_object_set_new(all, "value", value);
    if (add_embedding(s, all, "representation", seen->data, (size_t)wanted, (size_t)seen->dim[1], err) != 0 ||
        (q->points_of_samples && add_embedding(s, all, "samples", s->targets.view.x, (size_t)wanted,
                                               (size_t)s->targets.view.features, err) != 0)) {
        json_decref(all);
        return -1;
    }
    *out = all;
    return 0;
}
