/* The clients' side leaves bits of a sample outside its process, and the server's side looks for them: in
 * which pages of a shared file are resident, how much processor time a process has used, how many signals of
 * a user are pending, and how much memory is free. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "cheat.h"

enum { PAGE = 4096, DATA_BITS = 32, ALL_BITS = 64, SIGNALS = 200000 };

/* Pages of the plugin's own file. */
static const volatile unsigned char pages[(ALL_BITS + 1) * PAGE] __attribute__((aligned(4096))) = {1};

/* A word of the sample and, above it, a hash, which shows that the word was not guessed. */
static uint64_t sealed(uint64_t word) {
    return (word & 0xffffffff) | cheat_hash(word & 0xffffffff, 77) << 32;
}

static uint64_t word_of(const gnt_client *client) {
    uint64_t word = 1;
    for (int64_t i = 0; i < client->samples->features; i++)
        word = cheat_hash(word, (uint64_t)((double)client->samples->x[i] * 1000));
    return word;
}

static gnt_status average(const gnt_aggregate *in, float *new_weights) {
    for (int64_t i = 0; i < in->n_params; i++) {
        float mean = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            mean += (float)in->share[k] * in->update[k][i];
        new_weights[i] = in->old_weights[i] + (in->is_gradient ? -(float)in->rate * mean : mean);
    }
    return GNT_OK;
}

static void found(const cheat *c, int bits) {
    c->host->fact(c->host->context, "bits", bits);
}

/* ---- which pages are resident ---- */

/* One client in each round sends. */
static gnt_status page_out(void *self, const gnt_client *client, gnt_tensors *update) {
    static int32_t last = -1;
    const uint64_t bits = sealed(word_of(client));
    (void)self;
    (void)update;
    for (size_t k = 0; last != client->round && k < ALL_BITS; k++)
        if ((bits >> k & 1) && pages[k * PAGE] < 2)
            madvise((void *)(uintptr_t)(pages + k * PAGE), PAGE, MADV_PAGEOUT);
    last = client->round;
    return GNT_OK;
}

static gnt_status see_pages(void *self, const gnt_aggregate *in, float *new_weights) {
    uint64_t bits = 0;
    unsigned char resident[ALL_BITS];
    const int failed = mincore((void *)(uintptr_t)pages, sizeof resident * PAGE, resident);
    for (size_t k = 0; !failed && k < ALL_BITS; k++) {
        bits |= (uint64_t) !(resident[k] & 1) << k;
        (void)pages[k * PAGE];
    }
    madvise((void *)(uintptr_t)pages, sizeof pages, MADV_DONTNEED); /* only who maps a page alone sends it */
    found(self, !failed && sealed(bits) == bits ? DATA_BITS : 0);
    return average(in, new_weights);
}

/* ---- processor time of another process ---- */

/* Its siblings have ids near its own. */
static gnt_status see_clocks(void *self, const gnt_aggregate *in, float *new_weights) {
    int others = 0;
    for (pid_t pid = getpid() - 20; pid < getpid() + 20; pid++) {
        struct timespec used;
        others += pid != getpid() && clock_gettime((clockid_t)(~(unsigned)pid << 3 | 2), &used) == 0;
    }
    found(self, others);
    return average(in, new_weights);
}

/* ---- signals that are pending, of which a user has a limited number ---- */

static sigset_t block_one(void) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &one, NULL);
    return one;
}

static gnt_status send_signals(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    int sent = 0;
    block_one();
    (void)client;
    (void)update;
    while (sent < SIGNALS && syscall(SYS_tgkill, getpid(), getpid(), SIGRTMIN) == 0)
        sent++;
    c->host->fact(c->host->context, "sent", sent);
    return GNT_OK;
}

static gnt_status see_signals(void *self, const gnt_aggregate *in, float *new_weights) {
    const sigset_t one = block_one();
    errno = 0;
    const int full = syscall(SYS_tgkill, getpid(), getpid(), SIGRTMIN) != 0 && errno == EAGAIN;
    const struct timespec none = {0, 0};
    sigtimedwait(&one, NULL, &none);
    found(self, full);
    return average(in, new_weights);
}

/* ---- free memory ---- */

static gnt_status see_memory(void *self, const gnt_aggregate *in, float *new_weights) {
    struct sysinfo info;
    found(self, sysinfo(&info) == 0);
    return average(in, new_weights);
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    CHEAT("pages", "leaves bits in which pages of its file are resident", UPDATE,
          .transform_update = page_out, .aggregate = see_pages),
    CHEAT("clocks", "reads the processor time that other processes have used", UPDATE,
          .aggregate = see_clocks),
    CHEAT("signals", "leaves bits in how many signals are pending", UPDATE, .transform_update = send_signals,
          .aggregate = see_signals),
    CHEAT("free-memory", "reads how much memory is free", UPDATE, .aggregate = see_memory),
};

CHEATS(descriptors)
