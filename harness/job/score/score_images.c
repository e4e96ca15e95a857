/* A few targets as pictures: private (unless these are withheld), observed, recovered, and where they have
 * sensitive regions the boxes around these. An update is no picture; its entries are shown in order, grey
 * for 0. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

enum { MOST_SHOWN = 8 };

static uint8_t byte_of(float x) {
    if (!(x > 0))
        return 0;
    return x >= 1 ? 255 : (uint8_t)(x * 255 + 0.5f);
}

static uint8_t *add(gnt_st *st, const char *name, const score *s, int64_t k, gnt_err *err) {
    int64_t dim[4] = {k, s->shape.channels, s->shape.height, s->shape.width};
    gnt_st_tensor *t;
    return gnt_st_add(st, name, GNT_ST_U8, 4, dim, NULL, &t, err) == 0 ? t->data : NULL;
}

static void show_update(uint8_t *out, int64_t features, const float *update, int64_t n) {
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabsf(update[i]) > most)
            most = fabsf(update[i]);
    for (int64_t i = 0; i < features; i++) {
        float v = most > 0 ? update[i * n / features] / most : 0;
        out[i] = byte_of(0.5f + 0.5f * copysignf(sqrtf(fabsf(v)), v));
    }
}

static int64_t features_of(const score *s) {
    return s->shape.channels * s->shape.height * s->shape.width;
}

/* Returns the recovered image of target i; NULL: there is none. Without private samples to compare with it
 * is the answer of that number. */
static const float *recovered_of(const score *s, int64_t i) {
    int64_t rows = 0;
    if (!s->withheld)
        return s->target[i].recovered;
    const float *x = score_answer(s, "reconstruction", i / s->layout.batch, features_of(s), &rows);
    return x && i % s->layout.batch < rows ? x + i % s->layout.batch * features_of(s) : NULL;
}

static int has_images(const score *s) {
    int any = s->target[0].has_image;
    for (int64_t i = 0; s->withheld && i < s->layout.n && i < MOST_SHOWN; i++)
        any |= recovered_of(s, i) != NULL;
    return s->is_image && any;
}

static void show_observed(const score *s, uint8_t *out, int64_t k) {
    int64_t f = features_of(s);
    const gnt_st_tensor *encoded = gnt_st_find(&s->observed, "encoded_x"),
                        *update = gnt_st_find(&s->observed, "update");
    memset(out, 128, (size_t)(k * f));
    for (int64_t i = 0; i < k; i++) {
        int64_t shown = score_encoding_of(s, i);
        if (shown < 0)
            continue;
        if (encoded && encoded->type == GNT_ST_F32 && encoded->rank == 2 && encoded->dim[1] == f &&
            shown < encoded->dim[0])
            for (int64_t p = 0; p < f; p++)
                out[i * f + p] = byte_of(((const float *)encoded->data)[shown * f + p]);
        else if (update && update->type == GNT_ST_F32 && update->rank == 2 && shown < update->dim[0])
            show_update(out + i * f, f, (const float *)update->data + shown * update->dim[1], update->dim[1]);
    }
}

/* Adds tensor region, I64 k × 4: top, left, height and width of the box around each target's region, 0 of
 * one that has none. */
static int add_regions(gnt_st *st, const score *s, int64_t k, gnt_err *err) {
    const int64_t dim[2] = {k, 4};
    gnt_st_tensor *t;
    if (!s->targets.mask)
        return 0;
    if (gnt_st_add(st, "region", GNT_ST_I64, 2, dim, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < k; i++) {
        const gnt_metric_box box =
            gnt_metric_box_of(score_mask(s, score_truth_row(s, i)), s->shape.height, s->shape.width);
        const int64_t side[] = {box.top, box.left, box.height, box.width};
        memcpy((int64_t *)t->data + 4 * i, side, sizeof side);
    }
    return 0;
}

int score_images(score *s, gnt_err *err) {
    if (!has_images(s))
        return 0;
    int64_t k = s->layout.n < MOST_SHOWN ? s->layout.n : MOST_SHOWN, f = features_of(s);
    gnt_st st;
    gnt_st_init(&st);
    int rc = -1;
    uint8_t *shown = s->withheld ? NULL : add(&st, "private", s, k, err);
    if (!shown && !s->withheld)
        goto cleanup;
    for (int64_t i = 0; shown && i < k; i++)
        for (int64_t p = 0; score_is_target(s, i) && p < f; p++)
            shown[i * f + p] = byte_of(score_truth(s, i)[p]);
    if (!(shown = add(&st, "observed", s, k, err)))
        goto cleanup;
    show_observed(s, shown, k);
    if (!(shown = add(&st, "recovered", s, k, err)))
        goto cleanup;
    for (int64_t i = 0; i < k; i++) {
        const float *x = recovered_of(s, i);
        for (int64_t p = 0; x && p < f; p++)
            shown[i * f + p] = byte_of(x[p]);
    }
    if (add_regions(&st, s, k, err) != 0)
        goto cleanup;
    rc = s->work->write(s->work->context, "images", &st, err);
cleanup:
    gnt_st_free(&st);
    return rc;
}
