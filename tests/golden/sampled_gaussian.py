#!/usr/bin/python3
"""Rényi divergences of (1 - q) N(0, s²) + q N(1, s²) from N(0, s²), by quadrature, for tests/unit/test_plugin_dp_sgd.c."""
import math

import numpy as np


def divergence(q, s, order):
    z = np.linspace(-60 * s - 5, order + 60 * s + 5, 4000001)
    base = -z * z / (2 * s * s) - math.log(s * math.sqrt(2 * math.pi))
    moved = -(z - 1) ** 2 / (2 * s * s) - math.log(s * math.sqrt(2 * math.pi))
    log_f = order * np.logaddexp(math.log1p(-q) + base, math.log(q) + moved) - (order - 1) * base
    top = log_f.max()
    return (top + math.log(np.trapz(np.exp(log_f - top), z))) / (order - 1)


for case in ((0.01, 1, 2), (0.01, 1, 8), (0.1, 2, 16), (256 / 60000, 1.12, 10), (0.5, 0.8, 3), (0.02, 4, 64)):
    print(*case, "%.12g" % divergence(*case))
