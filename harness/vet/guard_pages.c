#include "vet/guard_pages.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum { ALIGN = 64, MOST_PIECES = 16384 };

typedef struct piece {
    const char *name;
    size_t from, to;
} piece;

struct gnt_guard {
    uint8_t *base, *kept;
    size_t most, used;
    piece piece[MOST_PIECES];
    size_t n;
    int full, closed;
};

/* A signal handler has no argument of ours: the pages that are watched, and where its watcher waits. */
static gnt_guard *volatile watched;
static const char *volatile touched;
static sigjmp_buf waiting;

static const char *name_at(const gnt_guard *g, const void *address) {
    size_t at = (size_t)((const uint8_t *)address - g->base);
    for (size_t i = 0; i < g->n; i++)
        if (at >= g->piece[i].from && at < g->piece[i].to)
            return g->piece[i].name;
    return "the memory beside its input";
}

static void hear_fault(int number, siginfo_t *info, void *context) {
    gnt_guard *g = watched;
    const uint8_t *at = info->si_addr;
    (void)context;
    if (!g || !g->closed || at < g->base || at >= g->base + g->most) {
        signal(number, SIG_DFL); /* not ours: the same fault comes again and ends the process */
        return;
    }
    touched = name_at(g, at);
    siglongjmp(waiting, 1);
}

int gnt_guard_new(gnt_guard **out, size_t most, gnt_err *err) {
    gnt_guard *g = gnt_alloc(sizeof *g);
    if (!g)
        return gnt_fail(err, "out of memory");
    g->most = most;
    g->base = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    g->kept = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->base == MAP_FAILED || g->kept == MAP_FAILED) {
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
    if (g->kept != MAP_FAILED && g->kept)
        munmap(g->kept, g->most);
    gnt_free(g);
}

void *gnt_guard_put(gnt_guard *g, const char *name, const void *bytes, size_t n) {
    size_t from = (g->used + ALIGN - 1) / ALIGN * ALIGN;
    if (g->full || g->closed || g->n == MOST_PIECES || from > g->most || n >= g->most - from) {
        g->full = 1;
        return NULL;
    }
    g->piece[g->n++] = (piece){name, from, from + (n ? n : 1)};
    g->used = from + (n ? n : 1);
    if (bytes && n)
        memcpy(g->base + from, bytes, n);
    return g->base + from;
}

int gnt_guard_full(const gnt_guard *g) {
    return g->full;
}

void gnt_guard_keep(gnt_guard *g) {
    memcpy(g->kept, g->base, g->used);
}

void gnt_guard_restore(gnt_guard *g) {
    memcpy(g->base, g->kept, g->used);
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
    struct sigaction mine = {.sa_sigaction = hear_fault, .sa_flags = SA_SIGINFO}, before;
    watched = g;
    touched = NULL;
    sigaction(SIGSEGV, &mine, &before);
    if (sigsetjmp(waiting, 1) == 0)
        act(context);
    sigaction(SIGSEGV, &before, NULL);
    watched = NULL;
    return touched;
}
