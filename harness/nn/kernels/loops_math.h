/* loops_math: scalar functions for the loops. In double they are the C library's. In float they are
 * polynomials without branches or tables, so that loops over them become vector code; each is within 3 units
 * in the last place.
 *
 * The polynomials are minimax fits of the relative error, in the variable and on the interval each comment
 * states. Included by loops_body.h only. */

#ifdef GNT_REAL_F64

static inline real real_exp(real x) {
    return exp(x);
}
static inline real real_log(real x) {
    return log(x);
}
static inline real real_sqrt(real x) {
    return sqrt(x);
}
static inline real real_tanh(real x) {
    return tanh(x);
}
static inline real real_erf(real x) {
    return erf(x);
}
static inline real real_sigmoid(real x) { /* neither case takes the exponential of a large number */
    real e = exp(-fabs(x));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
static inline real real_softplus(real x) {
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

#else

static inline uint32_t bits_of(float x) {
    uint32_t u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
static inline float float_of(uint32_t u) {
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

/* Computes eˣ = 2ⁿ·eʳ, |r| ≤ ½ log 2, with eʳ = 1 + r + r²·P(r). 2ⁿ is applied as two factors, so that
 * results below 2⁻¹²⁶ and infinity are correct. */
static inline float real_exp(float x) {
    const float round = 12582912.f; /* 1.5·2²³: adding it rounds to an integer */
    float v = x > 89.f ? 89.f : x;
    v = v < -104.f ? -104.f : v;
    float shifted = v * 1.44269504f + round, n = shifted - round;
    float r = v - n * 0.693145752f;
    r = r - n * 1.42860677e-6f;
    float p = 1.97902709e-4f;
    p = p * r + 1.39447581e-3f;
    p = p * r + 8.33349768e-3f;
    p = p * r + 4.16662954e-2f;
    p = p * r + 1.66666657e-1f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.f;
    uint32_t k =
        bits_of(shifted) - bits_of(round); /* n as an integer; nonsense for NaN, and harmless there */
    uint32_t half = (k >> 1) | (k & 0x80000000u);
    return p * float_of((half + 127u) << 23) * float_of((k - half + 127u) << 23);
}

/* Computes log x = e·log 2 + log(1 + f), 1 + f in [√½, √2), with log(1 + f) = f − f²/2 + f³·P(f). */
static inline float real_log(float x) {
    int tiny = x < 1.17549435e-38f;
    float v = tiny ? x * 8388608.f : x;
    uint32_t u = bits_of(v) - 0x3f3504f3u; /* √½ */
    float e = (float)(int32_t)((u >> 23) | (u & 0x80000000u ? 0xfffffe00u : 0u)) - (tiny ? 23.f : 0.f);
    float f = float_of((u & 0x7fffffu) + 0x3f3504f3u) - 1.f;
    float p = 6.74666315e-2f;
    p = p * f - 1.16756402e-1f;
    p = p * f + 1.18881449e-1f;
    p = p * f - 1.24055892e-1f;
    p = p * f + 1.42195553e-1f;
    p = p * f - 1.66679963e-1f;
    p = p * f + 2.00021192e-1f;
    p = p * f - 2.50000089e-1f;
    p = p * f + 3.33333135e-1f;
    float f2 = f * f, low = p * f2 * f + e * 1.42860677e-6f;
    float y = e * 0.693145752f + (f + (low - 0.5f * f2));
    y = x < 0 ? float_of(0x7fc00000u) : y;
    y = x == 0 ? float_of(0xff800000u) : y;
    return x < float_of(0x7f800000u) ? y : x; /* +∞ and NaN unchanged */
}

static inline float real_sqrt(float x) {
    return sqrtf(x);
}

static inline float real_sigmoid(float x) {
    float a = x < 0 ? x : -x, e = real_exp(a), d = 1.f / (1.f + e);
    return x < 0 ? e * d : d;
}

/* Computes x + x³·T(x²) if |x| < 0.625, else 1 − 2/(e²ˣ + 1). */
static inline float real_tanh(float x) {
    float a = x < 0 ? -x : x, z = x * x;
    float t = -5.71704190e-3f;
    t = t * z + 2.06505843e-2f;
    t = t * z - 5.37434965e-2f;
    t = t * z + 1.33314908e-1f;
    t = t * z - 3.33332837e-1f;
    float near = x + x * (z * t);
    float far = 1.f - 2.f / (real_exp(2.f * a) + 1.f);
    far = x < 0 ? -far : far;
    return a < 0.625f ? near : far;
}

/* Computes x + x·P(x²) if |x| < 0.96, else 1 − exp(−t·Q(t)) with t = |x| up to 4, beyond which erf is 1 in
 * float. */
static inline float real_erf(float x) {
    float a = x < 0 ? -x : x, z = x * x, t = a > 4.f ? 4.f : a;
    float p = 8.11905338e-5f;
    p = p * z - 8.08097480e-4f;
    p = p * z + 5.19537274e-3f;
    p = p * z - 2.68570222e-2f;
    p = p * z + 1.12836510e-1f;
    p = p * z - 3.76126319e-1f;
    p = p * z + 1.28379166e-1f;
    float near = x + x * p;
    float q = -2.12488725e-4f;
    q = q * t + 3.20251565e-3f;
    q = q * t - 2.28496864e-2f;
    q = q * t + 1.05198339e-1f;
    q = q * t + 6.35767102e-1f;
    q = q * t + 1.12849975f;
    float far = 1.f - real_exp(-t * q);
    far = x < 0 ? -far : far;
    return a < 0.96f ? near : far;
}

/* Computes max(x, 0) + log(1 + e), e = exp(−|x|), with log(1 + e) = 2s·(1 + s²·Q(s²)), s = e/(2 + e) ≤ ⅓. */
static inline float real_softplus(float x) {
    float a = x < 0 ? x : -x, e = real_exp(a), s = e / (2.f + e), z = s * s;
    float q = 1.21541552e-1f;
    q = q * z + 1.07129276e-1f;
    q = q * z + 1.43085182e-1f;
    q = q * z + 1.99994370e-1f;
    q = q * z + 3.33333373e-1f;
    float tail = 2.f * s;
    tail = tail + tail * (z * q);
    return (x > 0 ? x : 0.f) + tail;
}

#endif
