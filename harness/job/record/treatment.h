/* treatment: does a defense do the same to the observed updates as to all others?
 *
 * Of each update the host notes what the defense made of it: the cosine between before and after, the ratio
 * of their norms, the share of entries that changed. Observed clients are drawn at random, so in each round
 * they are like the rest but for chance. The rank sum test (Mann and Whitney, ties corrected), summed over
 * rounds as van Elteren does, says what chance gives. A difference counts that is both beyond chance (|z| >
 * 4, p < 10⁻⁴) and large.
 *
 * Every function returns 1 with a sentence in `says` where it finds what it looks for, and 0 where not. */
#ifndef GNT_JOB_TREATMENT_H
#define GNT_JOB_TREATMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fl/undefended.h"

enum {
    /* By the hooks that change updates: cosine, log₁₀ of the ratio of norms, share of entries changed. */
    GNT_TREATMENT_COSINE,
    GNT_TREATMENT_RATIO,
    GNT_TREATMENT_CHANGED,
    /* Cosine and log₁₀ of the ratio of norms against what would have been sent without any defense. These
     * also cover hooks that encode samples or compute the update by themselves. */
    GNT_TREATMENT_PLAIN_COSINE,
    GNT_TREATMENT_PLAIN_RATIO,
    GNT_TREATMENTS
};

/* How one update was treated. */
typedef struct gnt_treatment {
    /* Updates are compared within one stratum, such as a round; ≥ 0. */
    int32_t stratum;
    /* It is one of the observed updates. */
    int observed;
    /* The two GNT_TREATMENT_PLAIN_* are known. */
    int compared;
    float value[GNT_TREATMENTS];
} gnt_treatment;

/* Tests whether the observed updates were treated differently. Returns 0 also if there are too few to say;
 * −1 when memory ran out. */
int gnt_treatment_differs(const gnt_treatment *t, size_t n, gnt_err *says);
/* Tests one GNT_TREATMENT_*: all strata together, then the one with the largest difference. */
int gnt_treatment_differs_in(const gnt_treatment *t, size_t n, int what, gnt_err *says);

/* True if the server's step follows what the clients would have sent undefended much more closely than
 * what they did send does, by their cosines over the rounds: the server then knows something that attacks
 * are not shown. */
int gnt_treatment_server_knows_more(const gnt_fl_round *round, size_t n, gnt_err *says);
/* True if in an observed round clients sent something else than their updates and the server took hardly any
 * of it, though it does in the training: what it learns from was not observed. */
int gnt_treatment_is_ignored(const gnt_fl_round *round, size_t n, const gnt_fl_totals *all, gnt_err *says);
/* True if what the defense added to single updates cancels over the clients of a round, as masks that
 * clients agreed on do: in the sum, less than a tenth is left of what independent additions would leave. */
int gnt_treatment_masks_cancel(const gnt_fl_round *round, size_t n, gnt_err *says);
/* True if most updates of the rounds, or of the whole training, hold little of what their clients would have
 * sent (fl/undefended.h), so that a few make up the steps, and what these leak is observed by chance; of
 * fewer than 8 updates nothing follows. True too if an observed one was withheld. */
int gnt_treatment_few_send(const gnt_fl_round *round, size_t n, const gnt_fl_totals *all, gnt_err *says);
/* True if hooks add much more to updates than these contain and subtract it again in other rounds, so that
 * an observer of all rounds sees what no attack on one round is shown. 0 for fewer than 8 rounds. */
int gnt_treatment_is_taken_back(const gnt_fl_totals *t, gnt_err *says);

#endif
