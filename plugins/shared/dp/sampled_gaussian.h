/* sampled_gaussian: the privacy of one sample of a client whose steps take random batches, clip the gradient
 * of each sample to C, and add N(0, (σC)²) to their sum (DP-SGD). Rényi accountant:
 *
 *   Poisson batches   each sample with probability q: Mironov, Talwar and Zhang, "Rényi differential privacy
 *                     of the sampled Gaussian mechanism", 2019, section 3.3, at integer orders
 *   fixed batches     q·n of n samples, drawn without replacement: Wang, Balle and Kasiviswanathan,
 *                     "Subsampled Rényi differential privacy and analytical moments accountant", 2019,
 *                     Theorem 9, where the Gaussian's ε(j) is 2j/σ², for one sample is exchanged for another
 *
 * Steps add up order by order, and an order a with ρ in all gives (ε, δ) with
 * ε = ρ + ln((a − 1)/a) − (ln δ + ln a)/(a − 1) (Canonne, Kamath and Steinke, "The discrete Gaussian for
 * differential privacy", 2020, Proposition 12). */
#ifndef SHARED_SAMPLED_GAUSSIAN_H
#define SHARED_SAMPLED_GAUSSIAN_H

enum { SAMPLED_POISSON, SAMPLED_FIXED };

typedef struct sampled_gaussian {
    int sampling;
    double q;     /* share of the samples in a batch, 0 to 1 */
    double sigma; /* deviation of the noise in units of C */
    double steps; /* all of a training */
} sampled_gaussian;

/* Returns ρ of one step at an order from 2 to 512; infinity where σ is 0 or numbers overflow. */
double sampled_gaussian_rdp(const sampled_gaussian *s, int order);

/* Returns ε of all steps at δ, where the client holds one sample more or less: of Poisson batches. NaN for
 * fixed batches, whose size would change with it. */
double sampled_gaussian_add(const sampled_gaussian *s, double delta);

/* Returns ε of all steps at δ, where one sample is exchanged for another. For Poisson batches these are one
 * removed and one added: (2ε, (1 + e^ε)·δ′) if one alone is (ε, δ′). */
double sampled_gaussian_replace(const sampled_gaussian *s, double delta);

#endif
