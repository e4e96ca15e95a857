/* Mode reference: the search as its authors' programs make it.
 *
 * One start, from N(0, 1) or as the suite says, of the image and for dlg of the label's logits, then outer
 * steps of torch.optim.LBFGS as it comes: rate 1, 20 iterations of at most 25 evaluations, history 100, no
 * line search. The answer is where the search ends, not the best place that it passed. dlg (main.py of
 * mit-han-lab/dlg) takes every step; idlg (iDLG.py of PatrickZH/Improved-Deep-Leakage-from-Gradients)
 * looks at the cost after steps 1, 11, 21 … and ends where it is below 10⁻⁶. */
#include <math.h>
#include <string.h>

#include "dlg.h"

enum { LOOK_EVERY = 10 };
static const double converged = 1e-6;

/* True if the cost at z is below the tolerance. The next step would evaluate it first anyway. grad: memory
 * for a gradient. */
static int is_converged(dlg_search *s, float *grad) {
    return dlg_cost(&s->objective, s->z, grad) < converged;
}

static void run_as_published(dlg_search *s) {
    dlg_objective *o = &s->objective;
    double first = NAN;
    dlg_start(s, 0, 1);
    dlg_objective_begin(o, 0);
    for (int64_t k = 0; s->step < s->steps; k++) {
        double cost = dlg_step(s, 0, k);
        if (o->stopped || o->failed)
            return;
        if (k == 0)
            first = cost;
        if (isnan(cost))
            break;
        s->matched = !dlg_searches_labels(o) && k % LOOK_EVERY == 0 && is_converged(s, s->winner);
        if (s->matched)
            break;
    }
    /* Where the search left all numbers behind, pixels are grey and the cost is the first: a failure that is
     * scored as one. */
    double last = dlg_cost(o, s->z, s->winner);
    s->least = isfinite(last) ? last : first;
    memcpy(s->winner, s->z, (size_t)o->size * sizeof *s->winner);
    for (int64_t i = 0; i < o->size; i++)
        if (!isfinite(s->winner[i]))
            s->winner[i] = i < o->unknowns ? 0.5f : 0;
}

const search_part search_as_published = {.name = "L-BFGS as published", .run = run_as_published};
