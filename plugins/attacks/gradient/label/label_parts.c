/* The ways in which a recipe finds the labels. */
#include "dlg.h"
#include "label/label.h"

/* One sample, whose class is read off the update. */
static gnt_status find_from_update(dlg_search *s, float *scores) {
    dlg_objective *o = &s->objective;
    gnt_status status = label_scores(s->self->host, s->seen, &o->residual.apart, scores);
    if (status == GNT_OK)
        label_one_hot(scores, o->classes, o->y);
    return status;
}

const label_part label_searched = {.name = "searched"};
const label_part label_from_update = {.name = "from update", .find = find_from_update};
