"""Values expected by tests/unit/test_metric_stats.c: mpmath (30 digits) for the distributions, formulas for the rest."""
from mpmath import mp, mpf, betainc, erfinv, sqrt

mp.dps = 30


def above(t, v):
    half = betainc(mpf(v) / 2, mpf(1) / 2, 0, v / (v + mpf(t) ** 2), regularized=True) / 2
    return half if t >= 0 else 1 - half


print("/* t, freedom, P(T > t) */")
for t, v in [(0, 3), (1, 1), (2.5, 4.7), (-1.3, 10), (12, 2), (4, 200), (0.01, 1000), (40, 6)]:
    print("{%r, %r, %s}," % (t, v, mp.nstr(above(mpf(t), mpf(v)), 18)))
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
