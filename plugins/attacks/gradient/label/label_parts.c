/* The ways in which a recipe finds the labels. */
#include "dlg.h"
#include "label/label_scores.h"
#include "hook.h"

/* Reads the class of a single sample off the update. */
static gnt_status find_from_update(dlg_search *s, float *scores) {
    dlg_objective *o = &s->objective;
    TRY(label_scores(s->self->host, s->seen, &o->residual.apart, scores));
    label_one_hot(scores, o->classes, o->y);
    return GNT_OK;
}

const label_part label_searched = {.name = "searched"};
const label_part label_from_update = {.name = "from update", .find = find_from_update};
