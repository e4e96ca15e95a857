#include "nn/conv/dnnl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "nn/kernels/cpu.h"

static int say(char *error, size_t size, const char *text) {
    if (error && size)
        snprintf(error, size, "%s", text);
    return -1;
}

#ifdef GNT_DNNL

#include <dnnl.h>

enum { MOST_ARGS = 4 };

struct gnt_dnnl {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr; /* scratch memory is the caller's */
    int64_t block;
};

/* The arguments are y, a, b and scratch, in this order. */
struct gnt_dnnl_op {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t arg[MOST_ARGS];
    int n;
    int has_b, has_scratch;
    int weights; /* a convolution: the layout of its weights */
};

/* ---- the library's functions ---- */

#define ALL_VERSIONS(X)                                                                                      \
    X(engine_create)                                                                                         \
    X(engine_destroy)                                                                                        \
    X(memory_create)                                                                                         \
    X(memory_desc_get_size)                                                                                  \
    X(memory_destroy)                                                                                        \
    X(memory_set_data_handle)                                                                                \
    X(primitive_attr_create)                                                                                 \
    X(primitive_attr_destroy)                                                                                \
    X(primitive_attr_set_scratchpad_mode)                                                                    \
    X(primitive_create)                                                                                      \
    X(primitive_desc_destroy)                                                                                \
    X(primitive_desc_query)                                                                                  \
    X(primitive_desc_query_md)                                                                               \
    X(primitive_destroy)                                                                                     \
    X(primitive_execute)                                                                                     \
    X(reorder_primitive_desc_create)                                                                         \
    X(set_max_cpu_isa)                                                                                       \
    X(get_effective_cpu_isa)                                                                                 \
    X(stream_create)                                                                                         \
    X(stream_destroy)                                                                                        \
    X(version)
#if DNNL_VERSION_MAJOR >= 3
#define THIS_VERSION(X)                                                                                      \
    X(convolution_forward_primitive_desc_create)                                                             \
    X(convolution_backward_data_primitive_desc_create)                                                       \
    X(convolution_backward_weights_primitive_desc_create)                                                    \
    X(memory_desc_create_with_tag)                                                                           \
    X(memory_desc_destroy)
#else
#define THIS_VERSION(X)                                                                                      \
    X(convolution_forward_desc_init)                                                                         \
    X(convolution_backward_data_desc_init)                                                                   \
    X(convolution_backward_weights_desc_init)                                                                \
    X(memory_desc_init_by_tag)                                                                               \
    X(primitive_desc_create)
#endif

static struct {
#define MEMBER(f) __typeof__(&dnnl_##f) f;
    ALL_VERSIONS(MEMBER) THIS_VERSION(MEMBER)
#undef MEMBER
} dnnl;

/* The function of the library's OpenMP; NULL: it has none. */
static void (*set_threads)(int);

static int open_library(gnt_err *err) {
    static int is_open;
    static const char *const files[] = {GNT_DNNL_FILE, NULL};
#define ROW(f) {.name = "dnnl_" #f, .to = &dnnl.f},
    const gnt_symbol wanted[] = {ALL_VERSIONS(ROW) THIS_VERSION(ROW)};
#undef ROW
    const gnt_symbol of_openmp = {.name = "omp_set_num_threads", .to = &set_threads};
    if (!is_open && gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                                     "oneDNN, which computes convolutions,",
                                     "libdnnl-dev, or set GAUNTLET_CONV=blas", err) != 0)
        return -1;
    if (!is_open)
        gnt_library_open(files, &of_openmp, 1, "", "", NULL); /* in a library that it is linked with */
    is_open = 1;
    return 0;
}

/* ---- what differs between versions 2 and 3: a memory descriptor is a struct, or a handle ---- */

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t layout_desc;
typedef const_dnnl_memory_desc_t layout_ref;
#define REF(d) (d)

static void forget(layout_desc *d) {
    if (*d)
        dnnl.memory_desc_destroy(*d);
    *d = NULL;
}

static int describe(layout_desc *d, const dnnl_dims_t dim, dnnl_format_tag_t tag) {
    return dnnl.memory_desc_create_with_tag(d, 4, dim, dnnl_f32, tag) != dnnl_success;
}

static dnnl_primitive_desc_t describe_conv(gnt_dnnl *d, int op, dnnl_alg_kind_t how, const layout_desc *x,
                                           const layout_desc *w, const layout_desc *y,
                                           const dnnl_dims_t stride, const dnnl_dims_t pad,
                                           dnnl_primitive_desc_t hint) {
    static const dnnl_dims_t dense = {0, 0};
    dnnl_primitive_desc_t p = NULL;
    dnnl_status_t s;
    if (op == GNT_OP_CONV)
        s = dnnl.convolution_forward_primitive_desc_create(&p, d->engine, dnnl_forward_training, how, *x, *w,
                                                           NULL, *y, stride, dense, pad, pad, d->attr);
    else if (op == GNT_OP_CONV_DX)
        s = dnnl.convolution_backward_data_primitive_desc_create(&p, d->engine, how, *x, *w, *y, stride,
                                                                 dense, pad, pad, hint, d->attr);
    else
        s = dnnl.convolution_backward_weights_primitive_desc_create(&p, d->engine, how, *x, *w, NULL, *y,
                                                                    stride, dense, pad, pad, hint, d->attr);
    return s == dnnl_success ? p : NULL;
}
#else
typedef dnnl_memory_desc_t layout_desc;
typedef const dnnl_memory_desc_t *layout_ref;
#define REF(d) (&(d))

static void forget(layout_desc *d) {
    (void)d;
}

static int describe(layout_desc *d, const dnnl_dims_t dim, dnnl_format_tag_t tag) {
    return dnnl.memory_desc_init_by_tag(d, 4, dim, dnnl_f32, tag) != dnnl_success;
}

static dnnl_primitive_desc_t describe_conv(gnt_dnnl *d, int op, dnnl_alg_kind_t how, const layout_desc *x,
                                           const layout_desc *w, const layout_desc *y,
                                           const dnnl_dims_t stride, const dnnl_dims_t pad,
                                           dnnl_primitive_desc_t hint) {
    dnnl_convolution_desc_t c;
    dnnl_primitive_desc_t p = NULL;
    dnnl_status_t s;
    if (op == GNT_OP_CONV)
        s = dnnl.convolution_forward_desc_init(&c, dnnl_forward_training, how, x, w, NULL, y, stride, pad,
                                               pad);
    else if (op == GNT_OP_CONV_DX)
        s = dnnl.convolution_backward_data_desc_init(&c, how, x, w, y, stride, pad, pad);
    else
        s = dnnl.convolution_backward_weights_desc_init(&c, how, x, w, NULL, y, stride, pad, pad);
    if (s == dnnl_success)
        s = dnnl.primitive_desc_create(&p, &c, d->attr, d->engine, hint);
    return s == dnnl_success ? p : NULL;
}
#endif

/* ---- opening ---- */

/* Limits the library to the vectors that other kernels use; it accepts this before its first answer alone. */
static dnnl_cpu_isa_t instructions(void) {
#if defined(__x86_64__)
    if (!gnt_cpu_has_avx512())
        dnnl.set_max_cpu_isa(gnt_cpu_has_avx2() ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
#endif
    return dnnl.get_effective_cpu_isa();
}

static int64_t block_of_processor(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    dnnl_cpu_isa_t isa = instructions();
    if ((isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core)
        return 16;
    if ((isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2)
        return 8;
#endif
    return 0;
}

int gnt_dnnl_open(gnt_dnnl **out, int needed, char *error, size_t error_size) {
    const char *choice = getenv("GAUNTLET_CONV");
    gnt_err err;
    *out = NULL;
    if (choice && strcmp(choice, "blas") == 0)
        return 0;
    if (choice && strcmp(choice, "dnnl") != 0)
        return say(error, error_size, "program: GAUNTLET_CONV must be blas or dnnl, or not be set");
    if (!needed)
        return 0;
    if (open_library(&err) != 0) {
        gnt_fail_in(&err, "program");
        return say(error, error_size, err.text);
    }
    int64_t block = block_of_processor();
    if (block == 0)
        return choice ? say(error, error_size, "program: GAUNTLET_CONV=dnnl, but oneDNN needs AVX2") : 0;
    gnt_dnnl *d = gnt_alloc(sizeof *d);
    if (!d)
        return say(error, error_size, "program: out of memory");
    d->block = block;
    if (set_threads) /* of this thread, whatever the environment says: algorithms are chosen by it */
        set_threads(1);
    if (dnnl.engine_create(&d->engine, dnnl_cpu, 0) != dnnl_success ||
        dnnl.stream_create(&d->stream, d->engine, dnnl_stream_in_order) != dnnl_success ||
        dnnl.primitive_attr_create(&d->attr) != dnnl_success ||
        dnnl.primitive_attr_set_scratchpad_mode(d->attr, dnnl_scratchpad_mode_user) != dnnl_success) {
        gnt_dnnl_close(d);
        return say(error, error_size, "program: oneDNN cannot be started; GAUNTLET_CONV=blas does without");
    }
    *out = d;
    return 0;
}

void gnt_dnnl_close(gnt_dnnl *d) {
    if (!d)
        return;
    if (d->attr)
        dnnl.primitive_attr_destroy(d->attr);
    if (d->stream)
        dnnl.stream_destroy(d->stream);
    if (d->engine)
        dnnl.engine_destroy(d->engine);
    gnt_free(d);
}

int64_t gnt_dnnl_block(const gnt_dnnl *d) {
    return d->block;
}

/* ---- operations ---- */

static dnnl_format_tag_t tag_of(const gnt_dnnl *d, int layout, const int64_t *dim) {
    int wide = d->block == 16, point = dim[2] * dim[3] == 1;
    switch (layout) {
    case GNT_LAYOUT_BLOCKS:
        return wide ? dnnl_nChw16c : dnnl_nChw8c;
    case GNT_LAYOUT_WEIGHTS:
        return wide ? dnnl_OIhw16i16o : dnnl_OIhw8i8o;
    case GNT_LAYOUT_TURNED: /* as its kernels want it */
        return !wide ? dnnl_OIhw8o8i : point ? dnnl_IOhw16o16i : dnnl_OIhw16o16i;
    default:
        return dnnl_nchw;
    }
}

static int describe_as(gnt_dnnl *d, layout_desc *l, int layout, const int64_t *dim) {
    dnnl_dims_t dims = {dim[0], dim[1], dim[2], dim[3]};
    return describe(l, dims, tag_of(d, layout, dim));
}

static int add_argument(gnt_dnnl *d, gnt_dnnl_op *o, int name, layout_ref layout) {
    dnnl_exec_arg_t *a = &o->arg[o->n];
    a->arg = name;
    if (dnnl.memory_create(&a->memory, layout, d->engine, DNNL_MEMORY_NONE) != dnnl_success)
        return -1;
    o->n++;
    return 0;
}

static int add_scratch(gnt_dnnl *d, gnt_dnnl_op *o, const_dnnl_primitive_desc_t p, size_t *scratch) {
    layout_ref s = dnnl.primitive_desc_query_md(p, dnnl_query_scratchpad_md, 0);
    *scratch = s ? dnnl.memory_desc_get_size(s) : 0;
    o->has_scratch = *scratch > 0;
    return o->has_scratch ? add_argument(d, o, DNNL_ARG_SCRATCHPAD, s) : 0;
}

/* True if it is neither the library's plain loops nor its own im2col. */
static int is_vector_kernel(const_dnnl_primitive_desc_t p) {
    const char *name = NULL;
    return dnnl.primitive_desc_query(p, dnnl_query_impl_info_str, 0, &name) == dnnl_success && name &&
           (!strncmp(name, "jit", 3) || !strncmp(name, "brg", 3));
}

/* True if Winograd's algorithm, F(4×4, 3×3), takes less time than the direct one. It computes squares of 4×4
 * places with a quarter of the multiplications, but first rewrites the weights to four times as many, so
 * there must be enough squares, and few that are half outside. Measured: with 64 of them it takes two
 * thirds to half of the time, with 16 more than the direct one. Gradients by weights gain sooner. In float
 * its error is two to four times the direct one's. */
static int suits_winograd(const gnt_dnnl *d, int op, const gnt_conv *s) {
    int64_t squares = s->n * ((s->oh + 3) / 4) * ((s->ow + 3) / 4);
    int dw = op == GNT_OP_CONV_DW && s->o * s->c <= 1 << 16;
    return d->block == 16 && s->kh == 3 && s->kw == 3 && s->stride == 1 && s->pad <= 1 &&
           squares >= (dw ? 32 : 64) && 4 * s->n * s->oh * s->ow >= 3 * 16 * squares;
}

/* A convolution with its descriptors, which the caller destroys; NULL where the library has no vector
 * kernel. */
typedef struct described {
    layout_desc x, w, y, any;
    int weights;
} described;

static dnnl_primitive_desc_t describe_face(gnt_dnnl *d, int op, const gnt_conv *s, dnnl_alg_kind_t how,
                                           described *l) {
    const int64_t xd[4] = {s->n, s->c, s->h, s->w}, wd[4] = {s->o, s->c, s->kh, s->kw},
                  yd[4] = {s->n, s->o, s->oh, s->ow};
    const dnnl_dims_t stride = {s->stride, s->stride}, pad = {s->pad, s->pad},
                      wide = {s->o, s->c, s->kh, s->kw};
    dnnl_primitive_desc_t hint = NULL, p = NULL;
    int direct = how == dnnl_convolution_direct;
    l->weights = op == GNT_OP_CONV_DX && direct ? GNT_LAYOUT_TURNED : GNT_LAYOUT_WEIGHTS;
    if (describe_as(d, &l->x, GNT_LAYOUT_BLOCKS, xd) || describe_as(d, &l->y, GNT_LAYOUT_BLOCKS, yd) ||
        describe_as(d, &l->w, l->weights, wd) || describe(&l->any, wide, dnnl_format_tag_any))
        return NULL;
    if (op != GNT_OP_CONV)
        hint = describe_conv(d, GNT_OP_CONV, how, &l->x, &l->any, &l->y, stride, pad, NULL);
    if (op == GNT_OP_CONV || hint)
        p = describe_conv(d, op, how, &l->x, &l->w, &l->y, stride, pad, hint);
    if (hint)
        dnnl.primitive_desc_destroy(hint);
    if (p && is_vector_kernel(p))
        return p;
    if (p)
        dnnl.primitive_desc_destroy(p);
    return NULL;
}

static void forget_all(described *l) {
    forget(&l->x);
    forget(&l->w);
    forget(&l->y);
    forget(&l->any);
}

gnt_conv_fit gnt_dnnl_conv(gnt_dnnl *d, int op, const gnt_conv *s, int exact, gnt_dnnl_op **out,
                           size_t *scratch) {
    described l = {0};
    dnnl_primitive_desc_t p = NULL;
    gnt_dnnl_op *o = gnt_alloc(sizeof *o);
    int good = 0, unfit = 0;
    *out = NULL;
    if (!o)
        return GNT_CONV_FAILED;
    if (!exact && suits_winograd(d, op, s))
        p = describe_face(d, op, s, dnnl_convolution_winograd, &l);
    if (!p) {
        forget_all(&l);
        p = describe_face(d, op, s, dnnl_convolution_direct, &l);
    }
    unfit = !p;
    if (unfit || dnnl.primitive_create(&o->primitive, p) != dnnl_success)
        goto cleanup;
    o->stream = d->stream;
    o->has_b = 1;
    o->weights = l.weights;
    if (op == GNT_OP_CONV)
        good = !add_argument(d, o, DNNL_ARG_DST, REF(l.y)) && !add_argument(d, o, DNNL_ARG_SRC, REF(l.x)) &&
               !add_argument(d, o, DNNL_ARG_WEIGHTS, REF(l.w));
    else if (op == GNT_OP_CONV_DX)
        good = !add_argument(d, o, DNNL_ARG_DIFF_SRC, REF(l.x)) &&
               !add_argument(d, o, DNNL_ARG_DIFF_DST, REF(l.y)) &&
               !add_argument(d, o, DNNL_ARG_WEIGHTS, REF(l.w));
    else
        good = !add_argument(d, o, DNNL_ARG_DIFF_WEIGHTS, REF(l.w)) &&
               !add_argument(d, o, DNNL_ARG_SRC, REF(l.x)) &&
               !add_argument(d, o, DNNL_ARG_DIFF_DST, REF(l.y));
    good = good && !add_scratch(d, o, p, scratch);
cleanup:
    if (p)
        dnnl.primitive_desc_destroy(p);
    forget_all(&l);
    if (good)
        *out = o;
    else
        gnt_dnnl_free(o);
    return good ? GNT_CONV_FITS : unfit ? GNT_CONV_UNFIT : GNT_CONV_FAILED;
}

int gnt_dnnl_weights(const gnt_dnnl_op *o) {
    return o->weights;
}

gnt_dnnl_op *gnt_dnnl_copy(gnt_dnnl *d, int from, int to, const int64_t dim[4], size_t *scratch) {
    layout_desc a = {0}, y = {0};
    dnnl_primitive_desc_t p = NULL;
    gnt_dnnl_op *o = gnt_alloc(sizeof *o);
    int good = 0;
    if (!o || describe_as(d, &a, from, dim) || describe_as(d, &y, to, dim) ||
        dnnl.reorder_primitive_desc_create(&p, REF(a), d->engine, REF(y), d->engine, d->attr) !=
            dnnl_success ||
        dnnl.primitive_create(&o->primitive, p) != dnnl_success)
        goto cleanup;
    o->stream = d->stream;
    good = !add_argument(d, o, DNNL_ARG_TO, REF(y)) && !add_argument(d, o, DNNL_ARG_FROM, REF(a)) &&
           !add_scratch(d, o, p, scratch);
cleanup:
    if (p)
        dnnl.primitive_desc_destroy(p);
    forget(&a);
    forget(&y);
    if (good)
        return o;
    gnt_dnnl_free(o);
    return NULL;
}

void gnt_dnnl_free(gnt_dnnl_op *o) {
    if (!o)
        return;
    for (int i = 0; i < o->n; i++)
        dnnl.memory_destroy(o->arg[i].memory);
    if (o->primitive)
        dnnl.primitive_destroy(o->primitive);
    gnt_free(o);
}

static void *writable(const void *p) { /* the library only reads it */
    return (void *)(uintptr_t)p;
}

void gnt_dnnl_run(gnt_dnnl_op *o, void *y, const void *a, const void *b, void *scratch) {
    int n = 0;
    dnnl.memory_set_data_handle(o->arg[n++].memory, y);
    dnnl.memory_set_data_handle(o->arg[n++].memory, writable(a));
    if (o->has_b)
        dnnl.memory_set_data_handle(o->arg[n++].memory, writable(b));
    if (o->has_scratch)
        dnnl.memory_set_data_handle(o->arg[n++].memory, scratch);
    dnnl.primitive_execute(o->primitive, o->stream, n, o->arg);
}

const char *gnt_dnnl_version(char text[64]) {
    const dnnl_version_t *v = open_library(NULL) == 0 ? dnnl.version() : NULL;
    snprintf(text, 64, "none");
    if (v)
        snprintf(text, 64, "oneDNN %d.%d.%d isa %x", v->major, v->minor, v->patch, (unsigned)instructions());
    return text;
}

#else

int gnt_dnnl_open(gnt_dnnl **out, int needed, char *error, size_t error_size) {
    (void)needed;
    const char *choice = getenv("GAUNTLET_CONV");
    *out = NULL;
    if (!choice || strcmp(choice, "blas") == 0)
        return 0;
    return say(error, error_size,
               strcmp(choice, "dnnl") ? "program: GAUNTLET_CONV must be blas or dnnl, or not be set"
                                      : "program: GAUNTLET_CONV=dnnl, but this build has no oneDNN");
}

void gnt_dnnl_close(gnt_dnnl *d) {
    (void)d;
}

int64_t gnt_dnnl_block(const gnt_dnnl *d) {
    (void)d;
    return 0;
}

gnt_conv_fit gnt_dnnl_conv(gnt_dnnl *d, int op, const gnt_conv *s, int exact, gnt_dnnl_op **o,
                           size_t *scratch) {
    (void)d, (void)op, (void)s, (void)exact, (void)scratch;
    *o = NULL;
    return GNT_CONV_UNFIT;
}

int gnt_dnnl_weights(const gnt_dnnl_op *o) {
    (void)o;
    return GNT_LAYOUT_WEIGHTS;
}

gnt_dnnl_op *gnt_dnnl_copy(gnt_dnnl *d, int from, int to, const int64_t dim[4], size_t *scratch) {
    (void)d, (void)from, (void)to, (void)dim, (void)scratch;
    return NULL;
}

void gnt_dnnl_free(gnt_dnnl_op *o) {
    (void)o;
}

void gnt_dnnl_run(gnt_dnnl_op *o, void *y, const void *a, const void *b, void *scratch) {
    (void)o, (void)y, (void)a, (void)b, (void)scratch;
}

const char *gnt_dnnl_version(char text[64]) {
    snprintf(text, 64, "none");
    return text;
}

#endif
