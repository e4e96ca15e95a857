/* elsewhere: does a model come from elsewhere than from its clients? A control training takes from clients
 * what they could teach: their labels are those of others, or no update is what its client sent. A model
 * that stays as good does not come from them.
 *
 * That says something of good models only. One that learnt nothing, because of too much noise or too few
 * rounds, is as bad in the control, and then chance decides which of the two is a little better. So both
 * must be surely better, by more than three standard errors, than the best model that learnt nothing: the
 * one before the first round, the best constant outputs, or an undefended one of the same control. Else the
 * control decides nothing. Pure. */
#ifndef GNT_METRIC_ELSEWHERE_H
#define GNT_METRIC_ELSEWHERE_H

#include <stddef.h>

/* A utility and its standard error, by the finite test set. value NAN: unknown. */
typedef struct gnt_measured {
    double value, error;
} gnt_measured;

/* sign: +1 where a higher utility is better, −1 where a lower one is. Returns the best of the n; one that is
 * unknown is left out; {NAN, NAN} if all are. */
gnt_measured gnt_metric_best(const gnt_measured *list, size_t n, int sign);
/* True if a is better than b by more than three standard errors of the difference. */
int gnt_metric_surely_better(const gnt_measured *a, const gnt_measured *b, int sign);

/* True if the control left at least half of what the model is better than one that learnt nothing, so that
 * the model comes from elsewhere. with: the model that is ranked; left: that of the control; nothing: the
 * best that learnt nothing. */
int gnt_metric_leaves_half(const gnt_measured *with, const gnt_measured *left, const gnt_measured *nothing,
                           int sign);
/* True if the model is not surely better than that of the control (metric/public_only.h), in the same
 * terms. */
int gnt_metric_leaves_all(const gnt_measured *with, const gnt_measured *left, const gnt_measured *nothing,
                          int sign);

#endif
