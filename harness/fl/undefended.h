/* undefended: one round, compared with what its clients would have sent without any defense.
 *
 * A defense hides single updates from all who see them. It shows nothing of the price, and nothing of the
 * gain, where the server makes of the updates what no attack is shown (it knows how to take a mask off, or
 * has the data from elsewhere), or where what is added to the updates was agreed between clients, so that it
 * cancels in the sum. Both are seen in sums over the round, for which p_k is the plain update of client k,
 * s_k what it sent, e_k = s_k − p_k, a_k its share:
 *
 *     sent = cos(Σ a_k p_k, Σ a_k s_k)     server = cos(Σ a_k p_k, the server's own step)
 *     added = Σ a_k²‖e_k‖²                 left = ‖Σ a_k e_k‖²
 *     plain = Σ a_k²‖p_k‖²                 plain_left = ‖Σ a_k p_k‖²
 *     taken = ‖the server's own step‖ / ‖Σ a_k s_k‖
 *
 * Where clients draw independently, `left` is as large as `added`.
 *
 * A few clients may send for all, and the others what hides itself. Let c_k = ⟨s_k, p_k⟩ / ‖p_k‖² say how
 * much of its plain update a client sent, and c the same of all together, Σ a_k²⟨s_k, p_k⟩ / Σ a_k²‖p_k‖². It
 * sent little if c_k is surely below c / 4, by three standard errors of what is orthogonal to p_k, and its
 * update is smaller than half the root mean square over clients. It withheld its update if, besides, the
 * cosine of s_k and p_k is below ½: it is not the same update made smaller. An update that was pruned
 * like all others did not send little, however small c_k is: s_k holds the largest entries of p_k, unchanged,
 * and at least half as many as the updates hold on average. */
#ifndef GNT_FL_UNDEFENDED_H
#define GNT_FL_UNDEFENDED_H

#include "base/err.h"

#include <stdint.h>

typedef struct gnt_fl_round {
    int32_t round;
    int aggregated; /* a defense took the server's step */
    double sent, server, added, left, plain, plain_left, taken;
    int32_t clients, little; /* that were compared, and that sent little; both 0 where memory ran out */
} gnt_fl_round;

/* a_k²⟨s_k, p_k⟩, a_k²‖p_k‖², a_k²‖s_k‖² of one client, and what pruning left of it. */
typedef struct gnt_fl_products {
    double sent_plain, plain, sent;
    int observed;
    int64_t kept; /* entries that were sent */
    int largest;  /* they are the largest of p_k, unchanged */
} gnt_fl_products;

typedef struct gnt_fl_undefended {
    int64_t n;
    float *update;           /* n: of the client at hand, to be filled before gnt_fl_undefended_add */
    double *plain, *sent;    /* n: Σ a_k p_k, Σ a_k s_k */
    gnt_fl_products *client; /* n_clients, of those added since _begin */
    int32_t n_clients;
    int lacks_room; /* for one of these */
    gnt_fl_round round;
} gnt_fl_undefended;

int gnt_fl_undefended_open(gnt_fl_undefended *u, int64_t n, gnt_err *err);
void gnt_fl_undefended_free(gnt_fl_undefended *u);
void gnt_fl_undefended_begin(gnt_fl_undefended *u, int32_t round);
/* Adds one client: u->update is its undefended update. Computes the cosine between that and what it sent (0
 * if one is zero), and the ratio of their norms. */
void gnt_fl_undefended_add(gnt_fl_undefended *u, const float *sent, double share, double *cosine,
                           double *ratio);
/* Computes the server's step as an update would have it, from `old` to `next`; reversed for gradients, and in
 * units of `rate`, which is 1 otherwise. */
void gnt_fl_undefended_end(gnt_fl_undefended *u, const float *old, const float *next, int is_gradient,
                           double rate);

/* Overwrites u->update with scale · Σ a_k e_k. */
void gnt_fl_undefended_added(gnt_fl_undefended *u, double scale);

/* What the hooks that change updates added, over a whole training. Σ_k a_k e_k of a round is E_r; where it
 * is drawn again in each round ‖Σ E_r‖² is about Σ‖E_r‖², and more where it always points the same way;
 * less where it is taken back. */
typedef struct gnt_fl_totals {
    int32_t rounds;
    double added, plain; /* Σ a_k²‖e_k‖², Σ a_k²‖p_k‖² of all rounds and clients; p_k: before these hooks */
    double each, left;          /* Σ‖E_r‖², ‖Σ E_r‖² */
    int32_t updates, little;    /* of all rounds, and those that sent little; both 0 where memory ran out */
    int32_t observed, withheld; /* of these updates; and of the observed ones, those that were withheld */
    /* Squares of the steps that a defense took, in units of the rate, and of Σ a_k s_k in these rounds. */
    double step, received;
} gnt_fl_totals;

typedef struct gnt_fl_added {
    int64_t n;
    double *round, *all;     /* n: E_r of the round at hand, their sum */
    gnt_fl_products *update; /* n_updates, of all rounds */
    int32_t n_updates;
    int lacks_room; /* for one of these */
    gnt_fl_totals totals;
} gnt_fl_added;

int gnt_fl_added_open(gnt_fl_added *a, int64_t n, gnt_err *err);
void gnt_fl_added_free(gnt_fl_added *a);
void gnt_fl_added_client(gnt_fl_added *a, const float *before, const float *after, double share,
                         int observed);
void gnt_fl_added_end_round(gnt_fl_added *a);
/* Adds a defense's step of a round, and what it was made of. */
void gnt_fl_added_step(gnt_fl_added *a, double step, double received);
gnt_fl_totals gnt_fl_added_totals(const gnt_fl_added *a);
/* Sets what was added in earlier rounds: all (n), the products of n_updates updates, and totals so far. */
int gnt_fl_added_set(gnt_fl_added *a, int64_t n, const double *all, const gnt_fl_products *update,
                     int32_t n_updates, const gnt_fl_totals *totals, gnt_err *err);

#endif
