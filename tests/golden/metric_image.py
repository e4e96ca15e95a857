"""Values expected by tests/unit/test_metric_image.c, from the formulas in numpy (double), with no code shared.

Images come from an integer formula that the test repeats: a = (i*7919 % 251)/250, b = a*0.4 + (i*104729 % 199)/199.
SSIM sums over explicit windows: two-dimensional weights, variances as weighted squared deviations from the mean."""
import numpy as np


def images(c, h, w):
    i = np.arange(c * h * w, dtype=np.int64)
    a = ((i * 7919 % 251) / 250.0).astype(np.float32)
    b = (a.astype(np.float64) * 0.4 + (i * 104729 % 199) / 199.0).astype(np.float32)
    return a.astype(np.float64).reshape(c, h, w), b.astype(np.float64).reshape(c, h, w)


def window(n):
    n = 11 if n >= 11 else n if n % 2 else max(n - 1, 1)
    g = np.exp(-((np.arange(n) - n // 2) ** 2) / (2 * 1.5 ** 2))
    return g / g.sum()


def ssim(a, b):
    c, h, w = a.shape
    k = np.outer(window(h), window(w))
    out = []
    for ch in range(c):
        for y in range(h - k.shape[0] + 1):
            for x in range(w - k.shape[1] + 1):
                p, q = a[ch, y:y + k.shape[0], x:x + k.shape[1]], b[ch, y:y + k.shape[0], x:x + k.shape[1]]
                mp, mq = (k * p).sum(), (k * q).sum()
                vp, vq = (k * (p - mp) ** 2).sum(), (k * (q - mq) ** 2).sum()
                cov = (k * (p - mp) * (q - mq)).sum()
                c1, c2 = 0.01 ** 2, 0.03 ** 2
                out.append((2 * mp * mq + c1) * (2 * cov + c2) / ((mp ** 2 + mq ** 2 + c1) * (vp + vq + c2)))
    return np.mean(out)


for shape in [(1, 28, 28), (3, 16, 13), (2, 8, 12), (1, 1, 1)]:
    a, b = images(*shape)
    mse = ((np.clip(a, 0, 1) - np.clip(b, 0, 1)) ** 2).mean()
    psnr = min(60, -10 * np.log10(mse)) if mse else 60
    print("{{%d, %d, %d}, %.17g, %.17g, %.17g}," % (*shape, mse, psnr, ssim(np.clip(a, 0, 1), np.clip(b, 0, 1))))
