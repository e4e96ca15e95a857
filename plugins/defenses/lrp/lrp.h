/* lrp: what lrp, ada-lrp and scheme-one share. Each local step of a client has a rate of its own, drawn about
 * an expectation that depends on what the client holds; see lrp.c for the paper's terms. */
#ifndef LRP_H
#define LRP_H

#include "gauntlet/plugin.h"

enum { LAW_UNIFORM, LAW_GAUSSIAN, LAW_LAPLACE };
enum { SUM_SAMPLES, SUM_LABELS, SUM_ENTRIES }; /* of the secure sum: Σ n_k and Σ |Y_k| */

typedef struct lrp {
    const gnt_host *host;
    int adaptive;      /* K is ζ·(|Y_k| − mean |Y|) + β, else 1 */
    double spread;     /* 0: the expectation itself; 1: uniform from 0 to twice of it */
    int64_t law;       /* of the rates about their expectation; LAW_* */
    double share;      /* p_k·N where it is fixed; 0: from the secure sum */
    double zeta, beta; /* of K */
    gnt_list rates; /* each client's expectation, in place of p_k·N times the announced rate; may be empty */
    int received;   /* `sum` is there */
    double sum[SUM_ENTRIES];
} lrp;

/* The expectation of one client's rate. */
typedef struct lrp_mean {
    double rate;  /* the expectation */
    double share; /* p_k·N = n_k·N / Σ n; 1 where rates are given */
    double k;     /* K of ada-lrp, else 1 */
} lrp_mean;

/* Computes the client's mean rate. Returns GNT_UNSUPPORTED, after host->fail, where K is not positive or
 * the list of rates does not fit these clients, and GNT_FAILED without a sum. */
gnt_status lrp_mean_of(const lrp *self, const gnt_client *client, lrp_mean *out);

#endif
