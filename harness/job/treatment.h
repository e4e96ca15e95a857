/* treatment: does a defense do the same to the updates that are looked at as to all others?
 *
 * Of each update the host notes what the defense made of it: the cosine between before and after, the ratio of their norms,
 * the share of entries that changed. Clients are drawn at random, so in each round the drawn ones are like the rest but for
 * chance. The rank sum test (Mann and Whitney, ties corrected), summed over rounds as van Elteren does, says what chance
 * gives; a difference counts that is both beyond chance (|z| > 4, p < 10⁻⁴) and large. */
#ifndef GNT_JOB_TREATMENT_H
#define GNT_JOB_TREATMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fl/undefended.h"

enum {
    GNT_TREATMENT_COSINE,
    GNT_TREATMENT_RATIO,
    GNT_TREATMENT_CHANGED,
    GNT_TREATMENT_PLAIN_COSINE,
    GNT_TREATMENT_PLAIN_RATIO,
    GNT_TREATMENTS
};

/* What was done to one update: cosine, log₁₀ of the ratio of norms, share changed by the hooks that change updates; cosine
 * and log₁₀ of the ratio of norms against what would have been sent without any defense, which a hook that encodes samples or
 * computes the update by itself does not escape. */
typedef struct gnt_treatment {
    int32_t stratum; /* updates are compared within one, such as a round; ≥ 0 */
    int watched;     /* it is one of those looked at */
    int compared;    /* the last two are known */
    float value[GNT_TREATMENTS];
} gnt_treatment;

/* 1 where the watched ones were treated otherwise, with a sentence; 0 where not, or where there are too few to tell;
 * −1 out of memory. */
int gnt_treatment_differs(const gnt_treatment *t, size_t n, gnt_err *says);

/* 1 where the server's own step follows what the clients would have sent undefended much more closely than what they did
 * send: what it has of them is not what attacks are shown. Over the rounds, cosine against cosine. */
int gnt_server_knows_more(const gnt_fl_round *round, size_t n, gnt_err *says);
/* 1 where what a defense added to single updates cancels over the clients of a round: it was agreed upon, and whoever
 * knows of it takes it off. In the sum no tenth is left of what independent additions would leave. */
int gnt_masks_cancel(const gnt_fl_round *round, size_t n, gnt_err *says);

/* 1 where hooks add to updates much more than these hold, and take it back in other rounds: who sees all rounds sees what no
 * attack on one was shown. Not asked of fewer than 8 rounds. */
int gnt_is_taken_back(const gnt_fl_totals *t, gnt_err *says);

#endif
