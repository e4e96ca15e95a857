"""Values expected by tests/unit/test_metric_stats.c and test_metric_estimate.c: mpmath (30 digits) for the distributions, formulas for the rest."""
from mpmath import mp, mpf, betainc, erfinv, findroot, sqrt

mp.dps = 30


def above(t, v):
    half = betainc(mpf(v) / 2, mpf(1) / 2, 0, v / (v + mpf(t) ** 2), regularized=True) / 2
    return half if t >= 0 else 1 - half


print("/* t, freedom, P(T > t) */")
for t, v in [(0, 3), (1, 1), (2.5, 4.7), (-1.3, 10), (12, 2), (4, 200), (0.01, 1000), (40, 6)]:
    print("{%r, %r, %s}," % (t, v, mp.nstr(above(mpf(t), mpf(v)), 18)))
print("/* P, freedom, t */")
for p, v in [("0.975", 1), ("0.975", 4), ("0.025", 9), ("0.975", 119), ("0.9995", 2)]:
    print("{%s, %d, %s}," % (p, v, mp.nstr(findroot(lambda t: above(t, mpf(v)) - (1 - mpf(p)), mpf(2 if p > "0.5" else -2)), 18)))
print("/* p, z */")
for p in [0.975, 0.5, 0.01, 1e-10, 0.9995]:
    print("{%r, %s}," % (p, mp.nstr(sqrt(mpf(2)) * erfinv(2 * mpf(p) - 1), 18)))
print("/* Welch: mean, error, freedom, p */")
a, b = [mpf(x) for x in ("27.5", "21.0", "19.0", "23.6", "17.0", "17.9")], [mpf(x) for x in ("27.1", "22.0", "20.8", "23.4")]
m = lambda x: sum(x) / len(x)
v = lambda x: sum((y - m(x)) ** 2 for y in x) / (len(x) - 1) / len(x)
va, vb = v(a), v(b)
nu = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
t = (m(a) - m(b)) / sqrt(va + vb)
print(*[mp.nstr(x, 18) for x in (m(a) - m(b), sqrt(va + vb), nu, 2 * above(abs(t), nu))])
d = [x - y for x, y in zip(a, b)]
print("/* paired, first four: mean, error, p */")
print(*[mp.nstr(x, 18) for x in (m(d), sqrt(v(d)), 2 * above(abs(m(d) / sqrt(v(d))), 3))])


# ---- tests/unit/test_metric_estimate.c ----
quantile = lambda p, v: findroot(lambda t: above(t, mpf(v)) - (1 - mpf(p)), mpf(2))
z = sqrt(mpf(2)) * erfinv(mpf("0.95"))
few = lambda k: (z / quantile("0.975", k - 1)) ** 2
show = lambda *x: print(*[mp.nstr(y, 15) for y in x])


def wilson(p, n):
    half = z * sqrt(p * (1 - p) / n + z ** 2 / (4 * n ** 2))
    return [(p + z ** 2 / (2 * n) + side * half) / (1 + z ** 2 / n) for side in (-1, 1)]


def student(x):
    half = quantile("0.975", len(x) - 1) * sqrt(v(x))
    return [m(x) - half, m(x), m(x) + half]


print("/* mean over trainings {1, 5, 6}, {2, 8}, {3}: low, mean, high; over the targets of {1, 5, 6} */")
show(*student([mpf(4), mpf(5), mpf(3)]))
show(*student([mpf(1), mpf(5), mpf(6)]))
print("/* share: 12 of 16; all of 16; all of 3 × 16 */")
show(*wilson(mpf(12) / 16, mpf(16)))
show(*wilson(mpf(1), mpf(16)))
show(*wilson(mpf(1), few(3) / ((mpf("0.95") * 3 / 16 + mpf("0.05") * 3) / 9)))
print("/* share of trainings {1, 0, 0, 0}, {1, 1, 1, 0}, {1, 1}: shares .25, .75, 1 */")
x = [mpf("0.25"), mpf("0.75"), mpf(1)]
seen = v(x) / (m(x) * (1 - m(x)))
least = (mpf("0.95") * (2 / mpf(4) + 1 / mpf(2)) + mpf("0.05") * 3) / 9
show(m(x), seen, least)
show(*wilson(m(x), few(3) / max(seen, least)))
print("/* balanced: 90 of 100 and 1 of 4 */")
a, b = wilson(mpf("0.9"), mpf(100)), wilson(mpf("0.25"), mpf(4))
show(mpf("0.575") - sqrt((mpf("0.9") - a[0]) ** 2 + (mpf("0.25") - b[0]) ** 2) / 2,
     mpf("0.575") + sqrt((mpf("0.9") - a[1]) ** 2 + (mpf("0.25") - b[1]) ** 2) / 2)
print("/* balanced: two trainings of 4 and 2, all right */")
tells = lambda k: (2 * k) ** 2 / (mpf("0.95") * 2 * k + mpf("0.05") * 2 * k ** 2) * few(2)
a, b = wilson(mpf(1), tells(4)), wilson(mpf(1), tells(2))
show(1 - sqrt((1 - a[0]) ** 2 + (1 - b[0]) ** 2) / 2)
