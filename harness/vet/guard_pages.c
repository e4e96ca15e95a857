#include "vet/guard_pages.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

enum { ALIGN = 64, MOST_PIECES = 16384, MOST_FENCES = 1024, CANARY = 0xa5 };

typedef struct guarded_piece {
    const char *name;
    size_t from, to;
} guarded_piece;

/* A mapping: `all` bytes from `base`, of which the last page and the first have no access; the output is
 * [from, to). */
typedef struct fence {
    const char *name;
    uint8_t *base, *from, *to;
    size_t all;
} fence;

struct gnt_guard {
    uint8_t *base, *saved;
    size_t most, used;
    guarded_piece piece[MOST_PIECES];
    size_t n;
    int full, closed;
    fence fence[MOST_FENCES];
    size_t n_fences;
    /* The fenced output beyond whose ends something was accessed. */
    const fence *beyond;
};

/* State for the signal handler, which has no argument: the pages that gnt_guard_watch watches, and the point
 * to return to. */
static gnt_guard *volatile active;
static const char *volatile written;
static sigjmp_buf return_point;

static const char *name_at(const gnt_guard *g, const void *address) {
    size_t at = (size_t)((const uint8_t *)address - g->base);
    for (size_t i = 0; i < g->n; i++)
        if (at >= g->piece[i].from && at < g->piece[i].to)
            return g->piece[i].name;
    return "memory next to its input";
}

static const fence *fence_at(const gnt_guard *g, const uint8_t *at) {
    for (size_t i = 0; i < g->n_fences; i++)
        if (at >= g->fence[i].base && at < g->fence[i].base + g->fence[i].all)
            return &g->fence[i];
    return NULL;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    gnt_guard *g = active;
    const uint8_t *at = info->si_addr;
    (void)context;
    if (g && (g->beyond = fence_at(g, at)))
        siglongjmp(return_point, 1);
    if (!g || !g->closed || at < g->base || at >= g->base + g->most) {
        signal(number, SIG_DFL); /* not on our pages: the fault recurs and ends the process */
        return;
    }
    written = name_at(g, at);
    siglongjmp(return_point, 1);
}

int gnt_guard_new(gnt_guard **out, size_t most, gnt_err *err) {
    gnt_guard *g = gnt_alloc(sizeof *g);
    if (!g)
        return gnt_fail(err, "out of memory");
    g->most = most;
    g->base = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    g->saved = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->base == MAP_FAILED || g->saved == MAP_FAILED) {
        gnt_guard_free(g);
        return gnt_fail(err, "out of memory for %zu bytes of input", most);
    }
    /* where it can be: inputs are megabytes, and each small page costs a fault */
    madvise(g->base, most, MADV_HUGEPAGE);
    madvise(g->saved, most, MADV_HUGEPAGE);
    *out = g;
    return 0;
}

void gnt_guard_free(gnt_guard *g) {
    if (!g)
        return;
    if (g->base != MAP_FAILED && g->base)
        munmap(g->base, g->most);
    if (g->saved != MAP_FAILED && g->saved)
        munmap(g->saved, g->most);
    for (size_t i = 0; i < g->n_fences; i++)
        munmap(g->fence[i].base, g->fence[i].all);
    gnt_free(g);
}

void *gnt_guard_put(gnt_guard *g, const char *name, const void *bytes, size_t n) {
    size_t from = (g->used + ALIGN - 1) / ALIGN * ALIGN;
    if (g->full || g->closed || g->n == MOST_PIECES || from > g->most || n >= g->most - from) {
        g->full = 1;
        return NULL;
    }
    g->piece[g->n++] = (guarded_piece){name, from, from + (n ? n : 1)};
    g->used = from + (n ? n : 1);
    if (bytes && n)
        memcpy(g->base + from, bytes, n);
    return g->base + from;
}

int gnt_guard_full(const gnt_guard *g) {
    return g->full;
}

void gnt_guard_save(gnt_guard *g) {
    memcpy(g->saved, g->base, g->used);
}

void gnt_guard_restore(gnt_guard *g) {
    memcpy(g->base, g->saved, g->used);
}

int gnt_guard_close(gnt_guard *g) {
    if (mprotect(g->base, g->most, PROT_READ) != 0)
        return -1;
    g->closed = 1;
    return 0;
}

void gnt_guard_open(gnt_guard *g) {
    mprotect(g->base, g->most, PROT_READ | PROT_WRITE);
    g->closed = 0;
}

const char *gnt_guard_watch(gnt_guard *g, void (*act)(void *context), void *context) {
    struct sigaction mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
    active = g;
    g->beyond = NULL;
    written = NULL;
    sigaction(SIGSEGV, &mine, &before);
    if (sigsetjmp(return_point, 1) == 0)
        act(context);
    sigaction(SIGSEGV, &before, NULL);
    active = NULL;
    return written;
}

/* ---- fenced outputs ---- */

void *gnt_guard_fence(gnt_guard *g, const char *name, size_t n) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (n + page - 1) / page * page;
    if (g->n_fences == MOST_FENCES || inner < n)
        return NULL;
    uint8_t *base = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    fence *f = &g->fence[g->n_fences];
    *f = (fence){name, base, base + page + inner - n, base + page + inner, inner + 2 * page};
    if (inner && mprotect(base + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(base, f->all);
        return NULL;
    }
    memset(base + page, CANARY, inner - n);
    g->n_fences++;
    return f->from;
}

const char *gnt_guard_beyond(const gnt_guard *g) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (g->beyond)
        return g->beyond->name;
    for (size_t i = 0; i < g->n_fences; i++)
        for (const uint8_t *at = g->fence[i].base + page; at < g->fence[i].from; at++)
            if (*at != CANARY)
                return g->fence[i].name;
    return NULL;
}
