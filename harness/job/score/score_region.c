/* The sensitive region by itself: the same measures on what each image's mask marks. */
#include "job/score/score.h"

const uint8_t *score_mask(const score *s, int64_t row) {
    return s->targets.mask ? s->targets.mask + row * s->shape.height * s->shape.width : NULL;
}

int score_has_region(const score *s, int64_t row) {
    const uint8_t *mask = score_mask(s, row);
    return mask && gnt_metric_box_of(mask, s->shape.height, s->shape.width).height > 0;
}

/* Uses the assignment of answers to targets that was made for whole images. */
void score_regions(score *s) {
    for (int64_t i = 0; i < s->layout.n; i++) {
        score_target *t = &s->target[i];
        const int64_t row = score_truth_row(s, i);
        t->has_region = score_is_target(s, i) && score_has_region(s, row);
        t->region = t->recovered && t->has_region ? gnt_metric_judge_region(score_truth(s, i), t->recovered,
                                                                            score_mask(s, row), s->shape)
                                                  : gnt_metric_no_answer();
    }
}
