/* secure_sum: the sum of all clients' vectors that shows the server no single one (Bonawitz et al.,
 * "Practical Secure Aggregation for Privacy-Preserving Machine Learning", 2017, without drop-outs).
 *
 * Every pair of clients agrees on a key by X25519 and draws the same mask from it; one adds it, the
 * other subtracts it, so that all masks cancel in the sum. Arithmetic is on 64-bit integers modulo 2⁶⁴,
 * values in steps of 2⁻²⁰. */
#ifndef GNT_FL_SECURE_SUM_H
#define GNT_FL_SECURE_SUM_H

#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

enum { GNT_SUM_MOST_CLIENTS = 4096, GNT_SUM_MOST_ENTRIES = 1 << 20 };
#define GNT_SUM_SCALE 1048576.0 /* words that a value of 1 is */

/* Computes a secure sum. value: clients × n, each finite and of size below 2⁴⁰/clients. masked (clients ×
 * n) is the server's transcript, sum (n) what everyone receives. Clients' secret keys are derived from
 * `key`. */
int gnt_secure_sum(const double *value, int32_t clients, int64_t n, const gnt_key *key, uint64_t *masked,
                   double *sum, gnt_err *err);

#endif
