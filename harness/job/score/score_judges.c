/* Recovered images compared by networks: LPIPS, by weights that came with the job, and the features and the
 * representation of networks that gauntlet trained. Where a network cannot judge, the reason takes the place
 * of a number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

const char *const score_judge_names[SCORE_JUDGES] = {"lpips_alex", "lpips_vgg", "lpips_squeeze",
                                                     "feature_distance", "representation_mse"};

/* Computes the mean distance of the mean public image from the targets; within a set, from those that it
 * is assigned to. */
static void judge_mean(score *s, int which, gnt_features *f) {
    double sum = 0;
    for (int64_t i = 0; s->mean && i < s->layout.n; i++)
        if (score_is_target(s, i))
            sum += gnt_features_distance(
                f, s->targets.x + s->target[i].mean_member * s->targets.view.features, s->mean);
    s->judges.mean[which] = s->mean ? sum / (double)score_targets(s) : NAN;
}

/* Judges the answers to all targets by f, and frees f. A broken or missing answer counts as the largest
 * distance. */
static void judge_all(score *s, int which, gnt_features *f) {
    for (int64_t i = 0; i < s->layout.n; i++) {
        score_target *t = &s->target[i];
        int whole = t->recovered && !t->image.broken && !t->image.missing;
        double d = whole ? gnt_features_distance(f, score_truth(s, i), t->recovered) : NAN;
        t->distance[which] = isfinite(d) ? d : gnt_features_worst(f, score_truth(s, i));
    }
    s->judges.judged[which] = 1;
    judge_mean(s, which, f);
    gnt_features_free(f);
}

static int judge_by_lpips(score *s, gnt_lpips_net net, const char *digest, gnt_err *err) {
    gnt_work *w = s->work;
    gnt_features *f = NULL;
    gnt_err why = {0};
    gnt_st weights;
    if (!digest[0]) {
        snprintf(s->judges.unjudged[net], sizeof s->judges.unjudged[net],
                 "there is no weights/lpips/%s.safetensors in the folder of --data; tools/export_lpips.py "
                 "makes it",
                 gnt_lpips_names[net]);
        return 0;
    }
    gnt_st_init(&weights);
    if (w->read(w->context, score_judge_names[net], &weights, &why) != 0 ||
        gnt_lpips_new(&f, net, &weights, score_judge_names[net], s->shape, sizeof(float), &why) != 0)
        snprintf(s->judges.unjudged[net], sizeof s->judges.unjudged[net], "%.299s", why.text);
    if (f)
        judge_all(s, net, f);
    const int rc = f && s->targets.mask ? score_judge_regions(s, net, &weights, err) : 0;
    gnt_st_free(&weights);
    return rc;
}

/* Networks that gauntlet trained: the input that has one's weights, and what it makes of a pair of images. */
typedef struct trained_judge {
    int which;
    const char *input;
    int (*make)(gnt_features **out, const gnt_model *m, const float *params, const float *buffers,
                int32_t precision, gnt_err *err);
} trained_judge;

static int judge_by_weights(score *s, const trained_judge *j, const gnt_work_model *m, const gnt_st *st,
                            gnt_err *err) {
    const gnt_nn_shape sample = gnt_model_sample(m->model);
    const int64_t n = gnt_model_size(m->model), n_buffers = gnt_model_buffer_size(m->model);
    const gnt_st_tensor *weights = gnt_st_need(st, j->input, "weights", GNT_ST_F32, 1, &n, err);
    const gnt_st_tensor *buffers =
        weights ? gnt_st_need(st, j->input, "buffers", GNT_ST_F32, 1, &n_buffers, err) : NULL;
    gnt_features *f = NULL;
    gnt_err why = {0};
    if (!buffers)
        return -1;
    if (sample.rank != 3 || sample.dim[0] != s->shape.channels || sample.dim[1] != s->shape.height ||
        sample.dim[2] != s->shape.width)
        gnt_fail(&why, "the network that compares images was trained on images of another shape");
    else
        j->make(&f, m->model, weights->data, buffers->data, sizeof(float), &why);
    snprintf(s->judges.unjudged[j->which], sizeof s->judges.unjudged[j->which], "%.299s", why.text);
    if (f)
        judge_all(s, j->which, f);
    return 0;
}

static int judge_by_trained(score *s, const trained_judge *j, const gnt_request_model *model, gnt_err *err) {
    gnt_work *w = s->work;
    gnt_work_model m = {0};
    gnt_st st;
    gnt_st_init(&st);
    int rc = gnt_work_model_open(&m, model, 0, err);
    if (rc == 0)
        rc = w->read(w->context, j->input, &st, err);
    if (rc == 0)
        rc = judge_by_weights(s, j, &m, &st, err);
    gnt_work_model_free(&m);
    gnt_st_free(&st);
    return rc;
}

int score_judges(score *s, gnt_err *err) {
    static const trained_judge features = {SCORE_FEATURES, "judge", gnt_features_new},
                               representation = {SCORE_REPRESENTATION, "representation",
                                                 gnt_representation_new};
    const gnt_request_score *q = s->request;
    for (size_t k = 0; k < q->lpips.n; k++)
        for (int i = 0; i < GNT_LPIPS_NETS; i++)
            if (strcmp(q->lpips.at[k].net, gnt_lpips_names[i]) == 0 &&
                judge_by_lpips(s, (gnt_lpips_net)i, q->lpips.at[k].digest, err) != 0)
                return -1;
    if (q->judge && judge_by_trained(s, &features, q->judge, err) != 0)
        return -1;
    return q->representation ? judge_by_trained(s, &representation, q->representation, err) : 0;
}
