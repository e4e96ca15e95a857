/* bad_attack: an attack that does one forbidden thing, named by `how`; "nothing" (or "slow") and it is a
 * sound one. Its twin bad-attack-prepares has a prepare hook, where the same can go wrong. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gauntlet/plugin.h"

typedef enum way {
    NOTHING,
    CRASH_IN_CREATE,
    CRASH,
    CRASH_IN_DESTROY,
    HANG,
    HOARD,
    OUTPUT_FLOOD,
    NAN_ANSWER,
    NO_ANSWER,
    TOO_MANY,
    NO_COUNT,
    WRONG_CLASSES,
    TWICE,
    EXIT,
    EXIT_IN_CREATE,
    PRINT,
    THREAD,
    UNKNOWN_STATUS,
    NOT_SUPPORTED,
    SILENT_FAILURE,
    WRITE_INPUT,
    FORGE,
    FORGE_ANSWER,
    FORGE_FACTS,
    SLOW,
    LATE,
    CHATTER,
    CLOSE_ALL,
    STACK,
    MEAN_IMAGE,
    FORK_BOMB,
    FILL_DISK,
    RESERVE,
    DEAF,
    BURN,
    CONTRADICT
} way;

static const char *const ways[] = {"nothing",
                                   "crash-in-create",
                                   "crash",
                                   "crash-in-destroy",
                                   "hang",
                                   "hoard",
                                   "output-flood",
                                   "nan",
                                   "no-answer",
                                   "too-many",
                                   "no-count",
                                   "wrong-classes",
                                   "twice",
                                   "exit",
                                   "exit-in-create",
                                   "print",
                                   "thread",
                                   "unknown-status",
                                   "unsupported",
                                   "silent-failure",
                                   "write-input",
                                   "forge",
                                   "forge-answer",
                                   "forge-facts",
                                   "slow",
                                   "late",
                                   "chatter",
                                   "close-all",
                                   "stack",
                                   "mean-image",
                                   "fork-bomb",
                                   "fill-disk",
                                   "reserve",
                                   "deaf",
                                   "burn",
                                   "contradict",
                                   NULL};

typedef struct plugin {
    const gnt_host *host;
    way how;
} plugin;

static void crash(void) {
    volatile int *nowhere = NULL;
    *nowhere = 1;
}

static void hang(void) { /* deaf, but not busy: tests share their machine */
    for (;;)
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
}

/* Three seconds, and ready to stop: for tests that interrupt a run. */
static gnt_status doze(const gnt_host *host) {
    for (int i = 0; i < 150; i++) {
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return GNT_OK;
}

static void hoard(void) {
    for (;;) {
        char *block = malloc(1 << 20);
        if (block)
            memset(block, 1, 1 << 20);
    }
}

/* Fills whatever it was given to write to until there is no more. */
static void flood(void) {
    static char block[1 << 20];
    for (;;)
        for (int fd = 5; fd < 64; fd++)
            if (write(fd, block, sizeof block) < 0 && fd == 63)
                continue;
}

/* Words without end into every pipe, and lines that are nearly what the host listens for. */
static void chatter(void) {
    static const char line[] =
        "progress 18446744073709551616 -1\nsandbox weak\n{\"status\":\"ok\",\"facts\":{\"a\":1e999}}\n"
        "{\"status\":\"ok\",\"status\":\"failed\"}\n[[[[[[[[\n\"\x80\xff\n";
    static char block[65536];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = line[i % (sizeof line - 1)];
    for (int i = 0; i < 256; i++)
        if (write(4, block, sizeof block) < 0 || write(2, block, sizeof block) < 0)
            return;
}

static void *spin(void *unused) {
    hang();
    return unused;
}

/* Processes and threads, each of which would go on with it; stops short of harm where nothing stops it. */
static gnt_status bomb(const gnt_host *host) {
    enum { ENOUGH = 20 };
    int made = 0;
    for (int i = 0; i < 1000 && made < ENOUGH; i++) {
        pthread_t thread;
        const pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        made += pid > 0;
        made += pthread_create(&thread, NULL, spin, NULL) == 0;
    }
    return made ? host->fail(host->context, "processes could be made") : GNT_OK;
}

/* Files wherever there could be a place for them, each as long as it may become. */
static gnt_status fill(const gnt_host *host) {
    static const char *const places[] = {".", "/tmp", "/var/tmp", "/dev/shm", "/run", "/", "/home", "/root"};
    static char block[1 << 20];
    char path[64];
    int made = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/gauntlet-filled", places[i]);
        const int fd = open(path, O_WRONLY | O_CREAT, 0600);
        if (fd < 0)
            continue;
        for (int k = 0; k < 16 && write(fd, block, sizeof block) > 0; k++)
            made = 1;
        close(fd);
        unlink(path);
    }
    return made ? host->fail(host->context, "files could be written") : GNT_OK;
}

/* Requested at one go: refused, or killed while it is touched. */
static gnt_status reserve(const gnt_host *host) {
    const size_t all = (size_t)1 << 40;
    char *block = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return host->fail(host->context, "a TiB is refused");
    for (size_t i = 0; i < all; i += 4096)
        block[i] = 1;
    return GNT_OK;
}

static void burn(void) {
    for (volatile unsigned i = 0;; i++)
        ;
}

static void print(void) {
    for (int i = 0; i < 10000; i++)
        printf("{\"status\":\"ok\"} progress 1 1 %d\n", i);
    fflush(stdout);
}

static int sink(int depth) { /* the loop of a stack that overflows */
    volatile char room[65536];
    room[depth % 65536] = 1;
    return depth > 1 << 30 ? room[0] : sink(depth + 1) + room[0];
}

/* Says for the host that all went well, with facts that no plugin could report. */
static void forge(void) {
    static const char line[] =
        "{\"status\":\"ok\",\"sandbox\":\"full\",\"sentence\":\"\\u0007\",\"facts\":{\"a\":\"text\","
        "\"b\":{\"c\":[1]},\"<script>\":1,\"d\":1e300}}\n";
    ssize_t n = write(4, line, sizeof line - 1);
    _exit(n < 0);
}

/* An answer past the host's checks, straight into the output: a header that claims more than there is. */
static void forge_answer(void) {
    static const char bundle[] = "\xff\xff\xff\xff\xff\xff\xff\x7f{\"reconstruction.0\":";
    for (int fd = 5; fd < 32; fd++)
        if (write(fd, bundle, sizeof bundle) > 0)
            break;
    forge();
}

/* The way for any hook but create. */
static gnt_status misbehave(plugin *p) {
    pthread_t thread;
    switch (p->how) {
    case CRASH:
        crash();
        break;
    case HANG:
        hang();
        break;
    case HOARD:
        hoard();
        break;
    case OUTPUT_FLOOD:
        flood();
        break;
    case EXIT:
        exit(0);
    case PRINT:
        print();
        break;
    case THREAD:
        if (pthread_create(&thread, NULL, spin, NULL) != 0)
            return p->host->fail(p->host->context, "no thread can be started here");
        break;
    case UNKNOWN_STATUS:
        return 77;
    case NOT_SUPPORTED:
        p->host->fail(p->host->context, "it wants a model with wings");
        return GNT_UNSUPPORTED;
    case SILENT_FAILURE:
        return GNT_FAILED;
    case FORGE:
        forge();
        break;
    case FORGE_ANSWER:
        forge_answer();
        break;
    case SLOW:
        return doze(p->host);
    case LATE: /* hears that it is to stop, and answers all the same */
        while (!p->host->should_stop(p->host->context))
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        break;
    case CHATTER:
        chatter();
        break;
    case CLOSE_ALL:
        for (int fd = 0; fd < 64; fd++)
            close(fd);
        break;
    case STACK:
        return sink(0);
    case FORK_BOMB:
        return bomb(p->host);
    case FILL_DISK:
        return fill(p->host);
    case RESERVE:
        return reserve(p->host);
    case DEAF:
        signal(SIGTERM, SIG_IGN);
        hang();
        break;
    case BURN:
        burn();
        break;
    default:
        break;
    }
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    plugin *p = self;
    const int64_t one = 1;
    const float value = p->how == NAN_ANSWER ? NAN : 0.5f;
    (void)in;
    gnt_status status = misbehave(p);
    if (status != GNT_OK)
        return status;
    if (p->how == TWICE)
        out->tensor(out->context, "level", 1, &one, &value);
    return out->tensor(out->context, "level", 1, &one, &value);
}

/* What nobody needs an attack for. */
static void mean_image(float *x, const gnt_samples *public) {
    for (int64_t i = 0; i < public->features; i++) {
        double sum = 0;
        for (int64_t k = 0; k < public->n; k++)
            sum += public->x[k * public->features + i];
        x[i] = (float)(sum / (double)public->n);
    }
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    plugin *p = self;
    const gnt_model_info *info = p->host->model->info;
    int64_t features = 1;
    for (int i = 0; i < info->rank; i++)
        features *= info->dim[i];
    gnt_status status = own->tensors.n ? GNT_OK : misbehave(p); /* its twin has misbehaved in prepare */
    if (status != GNT_OK)
        return status;
    float *x = p->host->scratch(p->host->context, (size_t)(2 * seen->n * features) * sizeof *x);
    if (!x)
        return p->host->fail(p->host->context, "no memory for an answer");
    for (int64_t i = 0; i < 2 * seen->n * features; i++)
        x[i] = p->how == NAN_ANSWER ? NAN : own->tensors.n ? own->tensors.view[0].data[0] : 0.5f;
    if (p->how == NO_ANSWER)
        return GNT_OK;
    if (p->how == MEAN_IMAGE)
        for (int64_t i = 0; i < seen->n; i++)
            mean_image(x + i * features, seen->public_data);
    if (p->how == WRITE_INPUT)
        ((float *)(uintptr_t)seen->weights)[0] += 1;
    if (p->how == WRONG_CLASSES)
        return answer->labels(answer->context, seen->n, seen->classes + 1, x);
    if (p->how == TWICE) /* and takes the refusal for a success */
        answer->reconstruction(answer->context, seen->n, x);
    if (p->how == CONTRADICT) /* four costs in two steps */
        for (int64_t step = 0; step < 4; step++)
            answer->cost(answer->context, 0, step, 1);
    if (p->how == CONTRADICT)
        gnt_answer_ended(answer, GNT_ENDED_STALL, 2);
    if (p->how == TOO_MANY || p->how == NO_COUNT)
        answer->reconstruction(answer->context, p->how == NO_COUNT ? 0 : 2 * seen->n, x);
    else
        answer->reconstruction(answer->context, seen->n, x);
    return GNT_OK;
}

static void destroy(void *self) {
    if (((plugin *)self)->how == CRASH_IN_DESTROY)
        crash();
    if (((plugin *)self)->how == FORGE_FACTS) /* after the host wrote its answer */
        forge();
    free(self);
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->host = host;
    p->how = (way)values[0].i;
    if (p->how == CRASH_IN_CREATE)
        abort();
    if (p->how == EXIT_IN_CREATE)
        exit(0);
    return p;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};
static const gnt_attack hooks_with_prepare = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "how",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "nothing",
     .choices = ways,
     .help = "what it does wrong"},
};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_ATTACK, .version = "1.0",                             \
    .line = "a test's attack that does one forbidden thing", .licence = "MIT", .citation = "",               \
    .parameters = parameters, .n_parameters = 1, .surfaces = GNT_SURFACE_UPDATE,                             \
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, .uses = GNT_KNOWS_PUBLIC, .data_kinds = GNT_KIND_ANY, \
    .create = create, .destroy = destroy

static const gnt_descriptor descriptors[] = {
    {COMMON, .id = "bad-attack", .attack = &hooks},
    {COMMON, .id = "bad-attack-prepares", .scope = GNT_SCOPE_TASK, .attack = &hooks_with_prepare},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 2 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof entry,
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = 2,
                                    .descriptor = descriptor_at};
    return &entry;
}
