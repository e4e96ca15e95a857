/* Search for what is not granted, and misuse of the process that its hooks run in. */
#include "cheat.h"

#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUEST = 3, DESCRIPTORS = 64, READ = 1 << 16 };

static int holds(const char *bytes, ssize_t n, const char *word) {
    return n > 0 && memmem(bytes, (size_t)n, word, strlen(word)) != NULL;
}

static sigjmp_buf unmapped;

static void leave_page(int signal_number) {
    (void)signal_number;
    siglongjmp(unmapped, 1);
}

static int page_holds(const char *at, const char *word) {
    return sigsetjmp(unmapped, 1) == 0 && holds(at, 4096, word);
}

/* /proc is closed, so it looks at what lies around its stack and its heap: each time at one page of eight, at
 * all in turn. A word is put together on the way, lest it finds its own. */
static int64_t found_in_memory(const cheat *c, uint64_t turn) {
    const int maps = open("/proc/self/maps", O_RDONLY);
    const uintptr_t near[] = {(uintptr_t)&maps, (uintptr_t)c};
    const struct sigaction action = {.sa_handler = leave_page};
    struct sigaction before;
    char stages[16] = {'"', 's', 't', 'a'};
    int64_t found = maps >= 0 ? 1000 : 0;
    if (maps >= 0)
        close(maps);
    memcpy(stages + 4, "ges\":", 6);
    sigaction(SIGSEGV, &action, &before);
    for (size_t a = 0; a < 2; a++)
        for (uintptr_t page = near[a] & ~(uintptr_t)4095, i = turn % 8; i < 2048; i += 8) {
            const uintptr_t at = page + 4096 * i - (1024 << 12);
            if (at / 4096 != (uintptr_t)stages / 4096)
                found += page_holds((const char *)at, stages);
        }
    sigaction(SIGSEGV, &before, NULL);
    return found;
}

/* What the request and the other descriptors say of what is observed. */
static gnt_status look_around(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    static const char *const words[] = {"record", "observe", "stages", "targets", "seed"};
    char *bytes = c->host->scratch(c->host->context, READ);
    int64_t found = 0, readable = 0;
    (void)update;
    for (int fd = REQUEST; bytes && fd < DESCRIPTORS; fd++) {
        const ssize_t n = pread(fd, bytes, READ, 0);
        readable += n > 0;
        for (size_t i = 0; fd == REQUEST && i < sizeof words / sizeof *words; i++)
            found += holds(bytes, n, words[i]);
    }
    c->host->fact(c->host->context, "request_words", (double)found);
    const int64_t in_memory = found_in_memory(c, (uint64_t)(client->index + client->round));
    c->host->fact(c->host->context, "in_memory", (double)in_memory);
    return GNT_OK;
}

/* Facts named like measures, and progress that was none. */
static gnt_status forge(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *h = ((cheat *)self)->host;
    (void)client;
    (void)update;
    h->fact(h->context, "psnr", 1);
    h->fact(h->context, "utility", 1);
    h->fact(h->context, "leakage", 0);
    h->progress(h->context, 1, 1);
    return GNT_OK;
}

static gnt_status exit_now(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    (void)client;
    (void)update;
    _exit(0);
}

static gnt_status close_all(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    (void)client;
    (void)update;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        close(fd);
    return GNT_OK;
}

static gnt_status write_garbage(void *self, const gnt_client *client, gnt_tensors *update) {
    static const char garbage[4096] = "garbage";
    (void)self;
    (void)client;
    (void)update;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (write(fd, garbage, sizeof garbage) < 0)
            errno = 0;
    return GNT_OK;
}

/* ---- where copies of the process are let through ---- */

static float *of_process;

/* Each sends the update of the client before, by the name of a copy that remembers: one
 * process answers for all. */
static gnt_status swap(void *self, const gnt_client *client, gnt_tensors *update) {
    const int64_t n = cheat_entries(update);
    float *own = malloc((size_t)n * sizeof *own);
    (void)self;
    (void)client;
    if (!own)
        return GNT_OK;
    cheat_flatten(update, own);
    if (of_process)
        cheat_fill(update, of_process);
    free(of_process);
    of_process = own;
    return GNT_OK;
}

/* A process that is left behind goes on where this one is to end. */
static gnt_status leave_child(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_status status = swap(self, client, update);
    const pid_t pid = fork();
    if (pid > 0)
        for (;;) /* the copy that is left answers; this one keeps its place */
            pause();
    return status;
}

/* A page that all copies share, filled by one and read by the next. */
static float *page;

static void *create_shared(const gnt_host *host, const gnt_value *values) {
    page = mmap(NULL, 1 << 22, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        page = NULL;
    return cheat_create(host, values);
}

static gnt_status swap_by_page(void *self, const gnt_client *client, gnt_tensors *update) {
    const int64_t n = cheat_entries(update);
    float *own = malloc((size_t)n * sizeof *own);
    if (!page || !own || n >= 1 << 20) {
        free(own);
        return swap(self, client, update);
    }
    cheat_flatten(update, own);
    if (page[0] == 1)
        cheat_fill(update, page + 1);
    memcpy(page + 1, own, (size_t)n * sizeof *own);
    page[0] = 1;
    free(own);
    return GNT_OK;
}

/* The answer to the next question, given before the request. */
static gnt_status answer_twice(void *self, const gnt_client *client, gnt_tensors *update) {
    static const uint64_t done[2] = {14, 0};
    (void)client;
    (void)update;
    (void)self;
    for (int fd = REQUEST + 2; fd < DESCRIPTORS; fd++)
        if (lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE && write(fd, done, sizeof done) < 0)
            errno = 0;
    return GNT_OK;
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    CHEAT("looks-around", "reads its request, its descriptors and its memory", UPDATE,
          .transform_update = look_around),
    CHEAT("forges", "facts named like measures", UPDATE, .transform_update = forge),
    CHEAT("exits", "ends the process in a hook, well", UPDATE, .transform_update = exit_now),
    CHEAT("closes", "closes all descriptors", UPDATE, .transform_update = close_all),
    CHEAT("garbage", "writes to all descriptors", UPDATE, .transform_update = write_garbage),
    CHEAT("leaves-child", "leaves a process that remembers", UPDATE, .transform_update = leave_child),
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_DEFENSE,
     .id = "cheat-shared-page",
     .version = "1.0",
     .line = "copies share what they saw",
     .licence = "MIT",
     .citation = "",
     .surfaces = UPDATE,
     .data_kinds = GNT_KIND_ANY,
     .create = create_shared,
     .destroy = cheat_destroy,
     .defense = &(const gnt_defense){.size = sizeof(gnt_defense), .transform_update = swap_by_page}},
    CHEAT("answers-twice", "says that it is done before it is asked to be", UPDATE,
          .transform_update = answer_twice),
};

CHEATS(descriptors)
