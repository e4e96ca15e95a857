/* Observed representations, and for comparison the samples themselves, as points of a plane that a report
 * draws, coloured by the attribute. Coordinates are scaled to [−1, 1]. */
#include <math.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/embedding.h"

/* Returns points to four decimals of the greatest coordinate: no eye sees more. */
static gnt_xys points_of(const double *xy, size_t n, gnt_arena *arena) {
    gnt_xy *list = gnt_arena_array(arena, n, sizeof *list);
    double most = 0;
    for (size_t i = 0; i < 2 * n; i++)
        most = fmax(most, fabs(xy[i]));
    const double scale = most > 0 ? 1 / most : 0;
    for (size_t i = 0; list && i < n; i++)
        list[i] = (gnt_xy){round(xy[2 * i] * scale * 1e4) / 1e4, round(xy[2 * i + 1] * scale * 1e4) / 1e4};
    return (gnt_xys){list, n};
}

static int fill_plane(gnt_plane *out, const gnt_gram *g, const score *s, double *xy, gnt_arena *arena,
                      gnt_err *err) {
    double share[2];
    if (gnt_embed_pca(xy, share, g, err) != 0)
        return -1;
    out->components = points_of(xy, g->n, arena);
    out->share = (gnt_reals){gnt_arena_copy(arena, share, 2, sizeof *share), 2};
    if (gnt_embed_tsne(xy, g, err) != 0 ||
        gnt_linear_probe(&out->probe, g, s->attribute.truth, s->attribute.values, err) != 0)
        return -1;
    out->neighbours = points_of(xy, g->n, arena);
    return arena->failed ? gnt_fail(err, "out of memory for %zu points", g->n) : 0;
}

/* Makes a plane of n rows of d numbers; *out is NULL for rows that are not finite, which have no picture. */
static int make_plane(score *s, const gnt_plane **out, const float *x, size_t n, size_t d, gnt_err *err) {
    gnt_gram g;
    gnt_err why = {0};
    double *xy = gnt_array(2 * n, sizeof *xy);
    gnt_plane *plane = gnt_arena_array(&s->memory, 1, sizeof *plane);
    int rc = xy && plane ? 0 : gnt_fail(err, "out of memory for %zu points", n);
    if (rc == 0 && gnt_gram_make(&g, x, n, d, &why) == 0) {
        rc = fill_plane(plane, &g, s, xy, &s->memory, err);
        gnt_gram_free(&g);
        *out = plane;
    }
    gnt_free(xy);
    return rc;
}

int score_points(score *s, gnt_points **out, gnt_err *err) {
    const gnt_request_score *q = s->request;
    const gnt_st_tensor *seen = gnt_st_find(&s->observed, "representation");
    const int64_t wanted = q->points < s->layout.observations ? q->points : s->layout.observations;
    *out = NULL;
    if (!s->attribute.truth || s->layout.batch != 1 || wanted < GNT_EMBEDDING_LEAST || !seen ||
        seen->type != GNT_ST_F32 || seen->rank != 2 || seen->dim[0] < wanted || seen->dim[1] < 1)
        return 0;
    const size_t n = (size_t)wanted;
    gnt_points *all = gnt_arena_array(&s->memory, 1, sizeof *all);
    int64_t *value = gnt_arena_array(&s->memory, n, sizeof *value);
    if (!all || !value)
        return gnt_fail(err, "out of memory for %zu points", n);
    for (size_t i = 0; i < n; i++)
        value[i] = s->attribute.truth[i];
    all->value = (gnt_ints){value, n};
    *out = all;
    if (make_plane(s, &all->representation, seen->data, n, (size_t)seen->dim[1], err) != 0)
        return -1;
    return q->points_of_samples
               ? make_plane(s, &all->samples, s->targets.view.x, n, (size_t)s->targets.view.features, err)
               : 0;
}
