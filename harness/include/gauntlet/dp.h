/* gauntlet/dp.h — differential privacy of added noise: exact accounting for the Gaussian mechanism, and
 * standard conversions. Link with -lgauntlet-nn. Pure functions of their arguments, on any thread; NaN for
 * invalid arguments (negative, NaN, delta above 1).
 *
 * Noise alone gives no guarantee: the sensitivity is finite only if the released value is clipped. For an L2
 * clip C, the sensitivity is C when neighbours differ by adding or removing one contribution, and 2 C when
 * one is replaced. */
#ifndef GAUNTLET_DP_H
#define GAUNTLET_DP_H

#ifdef __cplusplus
extern "C" {
#endif

#define GNT_DP_API __attribute__((visibility("default")))

/* The analytic Gaussian mechanism (Balle and Wang, "Improving the Gaussian mechanism for differential
 * privacy", 2018, Theorem 8): noise N(0, sigma²) in every coordinate on a value of L2 sensitivity D is
 * (epsilon, delta)-private exactly when  delta ≥ Φ(D/2σ − εσ/D) − e^ε Φ(−D/2σ − εσ/D). T releases of one
 * mechanism, chosen adaptively or not, are one release of sensitivity D √T.
 *
 * delta: the least one at (sigma, epsilon). epsilon: the least one at (sigma, delta), rounded up by at most a
 * few units of the last place; infinity when sigma or delta is 0. sigma: the least one at (epsilon, delta),
 * rounded up likewise; infinity when delta is 0. A sensitivity of 0 needs no noise. */
GNT_DP_API double gnt_dp_gaussian_delta(double sigma, double epsilon, double sensitivity);
GNT_DP_API double gnt_dp_gaussian_epsilon(double sigma, double delta, double sensitivity);
GNT_DP_API double gnt_dp_gaussian_sigma(double epsilon, double delta, double sensitivity);

/* Laplace noise of scale b on a value of L1 sensitivity D is (D/b, 0)-private. (An L2 clip bounds L1 only by
 * √n C.) */
GNT_DP_API double gnt_dp_laplace_epsilon(double scale, double sensitivity);
GNT_DP_API double gnt_dp_laplace_scale(double epsilon, double sensitivity);

/* Zero-concentrated privacy (Bun and Steinke 2016): a Gaussian release has rho = D²/2σ² (Proposition 1.6),
 * rhos of releases add up (Lemma 1.7), and rho gives (rho + 2 √(rho ln 1/δ), δ) for every δ
 * (Proposition 1.3); an epsilon-private release has rho = ε²/2 (Proposition 1.4). */
GNT_DP_API double gnt_dp_zcdp_gaussian(double sigma, double sensitivity);
GNT_DP_API double gnt_dp_zcdp_pure(double epsilon);
GNT_DP_API double gnt_dp_zcdp_epsilon(double rho, double delta);

#ifdef __cplusplus
}
#endif
#endif
