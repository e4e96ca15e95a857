"""Values expected by tests/unit/test_dp.c: the delta formula of Balle and Wang as it is printed, in 120 digits."""
from mpmath import mp, mpf, erfc, sqrt, exp

mp.dps = 120


def below(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def delta(sigma, epsilon, d):
    return below(d / (2 * sigma) - epsilon * sigma / d) - exp(epsilon) * below(-d / (2 * sigma) - epsilon * sigma / d)


def root(falls, target, low, high):  # bisection for a falling function
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) > target else (low, middle)
    return high


print("/* sigma, epsilon, sensitivity, delta */")
for s, e, d in [(1, 1, 1), (0.5, 0.1, 1), (4, 0.25, 1), (100, 0.01, 1), (100, 0.03, 1), (1e4, 1e-4, 1), (1e4, 2e-3, 1),
                (1e6, 0, 1), (1e6, 8e-6, 1), (1, 8, 1), (1, 20, 1), (1, 35, 1), (0.1, 60, 1), (0.01, 5100, 1), (0.02, 800, 1), (3, 1, 2.5),
                (10.5, 0.2, 1), (9.5, 0.2, 1), (0.05, 1200, 1)]:
    print("{%r, %r, %r, %s}," % (s, e, d, mp.nstr(delta(mpf(s), mpf(e), mpf(d)), 18)))
print("/* sigma, delta, epsilon at sensitivity 1 */")
for s, dl in [(1, 1e-5), (0.5, 1e-5), (5, 1e-5), (50, 1e-6), (1, 1e-10), (0.01, 1e-5), (1000, 1e-5), (4, 1e-8)]:
    print("{%r, %r, %s}," % (s, dl, mp.nstr(root(lambda e: delta(mpf(s), e, mpf(1)), mpf(dl), mpf(0), mpf(20000)), 18)))
print("/* sigma 1, delta 1e-5, 60 rounds: a client takes part or not, its data are exchanged */")
for changed in (1, 2):
    print(mp.nstr(root(lambda e: delta(mpf(1), e, changed * sqrt(mpf(60))), mpf(1e-5), mpf(0), mpf(20000)), 18))
