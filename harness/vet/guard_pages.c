#include "vet/guard_pages.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum { ALIGN = 64, MOST_PIECES = 16384 };

typedef struct guarded_piece {
    const char *name;
    size_t from, to;
} guarded_piece;

struct gnt_guard {
    uint8_t *base, *saved;
    size_t most, used;
    guarded_piece piece[MOST_PIECES];
    size_t n;
    int full, closed;
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

static void on_fault(int number, siginfo_t *info, void *context) {
    gnt_guard *g = active;
    const uint8_t *at = info->si_addr;
    (void)context;
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
    written = NULL;
    sigaction(SIGSEGV, &mine, &before);
    if (sigsetjmp(return_point, 1) == 0)
        act(context);
    sigaction(SIGSEGV, &before, NULL);
    active = NULL;
    return written;
}
