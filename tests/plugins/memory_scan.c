/* memory_scan: an attack that reads all of its own process: every page that is mapped and every descriptor
 * that is open, in search of what it must not have. It needs no help of /proc: where mmap refuses to place a
 * new mapping over an old one there is an old one, so halving the address space finds every mapped page.
 *
 * What it looks for comes as a parameter, each byte XORed with a mask, and is never put together in memory: a
 * find is not its own copy. Pixels are found as bytes, and as floats or doubles after any shift and scale (so
 * that no normalisation hides them); a secret is found as bytes and as hexadecimal digits. With `plant` it
 * first puts a copy into its own heap, which it must then find. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gauntlet/plugin.h"

enum { MASK = 0xa5, LEAST = 8, MOST = 64, SPANS = 16384, PAGE = 4096, DESCRIPTORS = 256 };
enum { PLANT_NOTHING, PLANT_BYTES, PLANT_FLOATS, PLANT_NORMALISED, PLANT_TEXT };

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

typedef struct span { /* readable pages without a gap */
    uintptr_t from, to;
} span;

typedef struct scan {
    const gnt_host *host;
    uint8_t masked[MOST];
    int n, is_secret, plant;
    int low, high; /* two entries that differ the most */
    void *planted;
    span *spans;
    size_t n_spans, n_bytes;
    int n_descriptors, done;
} scan;

static int needle(const scan *s, int i) {
    return s->masked[i] ^ MASK;
}

/* ---- comparing ---- */

static int same_bytes(const scan *s, const uint8_t *at) {
    for (int i = 0; i < s->n; i++)
        if (at[i] != needle(s, i))
            return 0;
    return 1;
}

static int same_digits(const scan *s, const uint8_t *at) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < s->n; i++)
        if ((at[2 * i] | 32) != digits[needle(s, i) >> 4] && at[2 * i] != digits[needle(s, i) >> 4])
            return 0;
        else if ((at[2 * i + 1] | 32) != digits[needle(s, i) & 15] &&
                 at[2 * i + 1] != digits[needle(s, i) & 15])
            return 0;
    return 1;
}

static double number_at(const uint8_t *at, int i, size_t size) {
    float f;
    double d;
    if (size == sizeof d) {
        memcpy(&d, at + (size_t)i * sizeof d, sizeof d);
        return d;
    }
    memcpy(&f, at + (size_t)i * sizeof f, sizeof f);
    return f;
}

/* Values that are the pixels after a shift and a scale; a quarter of a grey level is the tolerance. */
static int same_numbers(const scan *s, const uint8_t *at, size_t size) {
    double low = number_at(at, s->low, size), high = number_at(at, s->high, size);
    double scale = (high - low) / (needle(s, s->high) - needle(s, s->low));
    if (!(fabs(scale) > 1e-12 && fabs(scale) < 1e12))
        return 0;
    for (int i = 0; i < s->n; i++) {
        double wish = low + scale * (needle(s, i) - needle(s, s->low));
        if (!(fabs(number_at(at, i, size) - wish) <= 0.25 * fabs(scale)))
            return 0;
    }
    return 1;
}

/* Finds in `size` bytes; numbers are looked for at multiples of `step`. */
static double count_finds(const scan *s, const uint8_t *at, size_t size, size_t step) {
    double found = 0;
    size_t n = (size_t)s->n;
    for (size_t i = 0; i + n <= size; i++) {
        found += same_bytes(s, at + i);
        if (s->is_secret && i + 2 * n <= size)
            found += same_digits(s, at + i);
    }
    for (size_t i = 0; !s->is_secret && i + n * sizeof(float) <= size; i += step)
        found += same_numbers(s, at + i, sizeof(float));
    for (size_t i = 0; !s->is_secret && i + n * sizeof(double) <= size; i += step)
        found += same_numbers(s, at + i, sizeof(double));
    return found;
}

/* ---- what is mapped ---- */

static sigjmp_buf back; /* a signal's handler has no other way */

static void jump_back(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static int readable(const volatile uint8_t *page) {
    if (sigsetjmp(back, 0))
        return 0;
    (void)*page;
    return 1;
}

static int is_free(uintptr_t from, size_t size) {
    void *got = mmap((void *)from, size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED)
        munmap(got, size);
    return got != MAP_FAILED || errno != EEXIST;
}

static void walk(scan *s, uintptr_t from, uintptr_t to) {
    if (is_free(from, to - from))
        return;
    if (to - from > PAGE) {
        uintptr_t middle = from + (to - from) / 2 / PAGE * PAGE;
        walk(s, from, middle);
        walk(s, middle, to);
        return;
    }
    if (!readable((const volatile uint8_t *)from))
        return;
    s->n_bytes += PAGE;
    if (s->n_spans && s->spans[s->n_spans - 1].to == from)
        s->spans[s->n_spans - 1].to = to;
    else if (s->n_spans < SPANS)
        s->spans[s->n_spans++] = (span){from, to};
}

static double scan_span(const scan *s, const span *at) {
    return sigsetjmp(back, 0) ? 0 : count_finds(s, (const uint8_t *)at->from, at->to - at->from, 4);
}

/* Returns the end of the address space: the stack is near it, below a power of two. x86-64 has no page there
 * that could be mapped. */
static uintptr_t end_of_addresses(void) {
    const char here = 0;
    uintptr_t end = 1;
    while (end <= (uintptr_t)&here)
        end *= 2;
    return end - PAGE;
}

static double scan_memory(scan *s) {
    struct sigaction jump = {.sa_handler = jump_back, .sa_flags = SA_NODEFER}, segv, bus;
    double found = 0;
    sigaction(SIGSEGV, &jump, &segv);
    sigaction(SIGBUS, &jump, &bus);
    walk(s, 0x10000, end_of_addresses());
    for (size_t i = 0; i < s->n_spans; i++)
        found += scan_span(s, &s->spans[i]);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    return found;
}

/* ---- what is open ---- */

static double scan_descriptor(scan *s, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return 0;
    s->n_descriptors++;
    if (!S_ISREG(st.st_mode)) { /* a pipe, or nothing: what waits in it */
        struct pollfd p = {.fd = fd, .events = POLLIN};
        uint8_t bytes[65536];
        ssize_t got = poll(&p, 1, 0) == 1 && (p.revents & POLLIN) ? read(fd, bytes, sizeof bytes) : 0;
        return got > 0 ? count_finds(s, bytes, (size_t)got, 1) : 0;
    }
    uint8_t *bytes = st.st_size > 0 ? malloc((size_t)st.st_size) : NULL;
    ssize_t got = bytes ? pread(fd, bytes, (size_t)st.st_size, 0) : 0;
    double found = got > 0 ? count_finds(s, bytes, (size_t)got, 1) : 0;
    free(bytes);
    return found;
}

/* ---- the plugin ---- */

static void plant(scan *s) {
    uint8_t *bytes = calloc(MOST, 2);
    float *floats = calloc(MOST, sizeof *floats);
    s->planted = s->plant == PLANT_BYTES || s->plant == PLANT_TEXT ? (void *)bytes : floats;
    if (!bytes || !floats || s->plant == PLANT_NOTHING) {
        free(bytes);
        free(floats);
        s->planted = NULL;
        return;
    }
    for (int i = 0; i < s->n; i++)
        if (s->plant == PLANT_BYTES)
            bytes[i] = (uint8_t)needle(s, i);
        else if (s->plant == PLANT_TEXT) {
            bytes[2 * i] = (uint8_t) "0123456789abcdef"[needle(s, i) >> 4];
            bytes[2 * i + 1] = (uint8_t) "0123456789abcdef"[needle(s, i) & 15];
        } else
            floats[i] = s->plant == PLANT_FLOATS ? (float)needle(s, i) / 255
                                                 : ((float)needle(s, i) / 255 - 0.4914f) / 0.2023f;
    free(s->planted == (void *)bytes ? (void *)floats : (void *)bytes);
}

enum { IN_MEMORY, IN_DESCRIPTORS, SCANNED_MB, SCANNED_DESCRIPTORS, FACTS };
static const char *const facts[FACTS] = {"in_memory", "in_descriptors", "scanned_mb", "scanned_descriptors"};

static void scan_all(scan *s, float out[FACTS]) {
    double hits = 0;
    plant(s);
    out[IN_MEMORY] = (float)scan_memory(s);
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        hits += scan_descriptor(s, fd);
    out[IN_DESCRIPTORS] = (float)hits;
    out[SCANNED_MB] = (float)s->n_bytes / 1048576;
    out[SCANNED_DESCRIPTORS] = (float)s->n_descriptors;
}

/* The twin looks while it prepares, and reports when it runs: facts of a prepare go nowhere. */
static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const int64_t n = FACTS;
    float found[FACTS];
    (void)in;
    scan_all(self, found);
    return out->tensor(out->context, "found", 1, &n, found);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    scan *s = self;
    const gnt_model_info *info = s->host->model->info;
    int64_t features = 1;
    if (!s->done) {
        float found[FACTS];
        if (own->tensors.n)
            memcpy(found, own->tensors.view[0].data, sizeof found);
        else
            scan_all(s, found);
        for (int i = 0; i < FACTS; i++)
            s->host->fact(s->host->context, facts[i], found[i]);
        s->done = 1;
    }
    for (int i = 0; i < info->rank; i++)
        features *= info->dim[i];
    float *x = s->host->scratch(s->host->context, (size_t)(seen->n * features) * sizeof *x);
    if (!x)
        return s->host->fail(s->host->context, "no memory for an answer");
    return answer->reconstruction(answer->context, seen->n, x);
}

static void destroy(void *self) {
    scan *s = self;
    free(s->planted);
    free(s->spans);
    free(s);
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    scan *s = calloc(1, sizeof *s);
    const char *text = values[0].text;
    if (!s || !(s->spans = calloc(SPANS, sizeof *s->spans))) {
        free(s);
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    s->is_secret = (int)values[1].i;
    s->plant = (int)values[2].i;
    for (; s->n < MOST && digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2)
        s->masked[s->n++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
    for (int i = 0; i < s->n; i++) {
        s->low = needle(s, i) < needle(s, s->low) ? i : s->low;
        s->high = needle(s, i) > needle(s, s->high) ? i : s->high;
    }
    if (s->n >= LEAST && *text == 0 && needle(s, s->high) > needle(s, s->low))
        return s;
    destroy(s);
    host->fail(host->context, "needle: expected 8 to 64 bytes in hexadecimal, not all the same");
    return NULL;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};
static const gnt_attack hooks_with_prepare = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const kinds[] = {"image", "secret", NULL};
static const char *const plants[] = {"nothing", "bytes", "floats", "normalised", "text", NULL};

static const gnt_parameter parameters[] = {
    {.id = "needle",
     .type = GNT_TYPE_TEXT,
     .unit = "",
     .preset_text = "",
     .help = "bytes, each XORed with a5, in hex"},
    {.id = "kind",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "image",
     .choices = kinds,
     .help = "pixels, or a secret that is looked for exactly"},
    {.id = "plant",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "nothing",
     .choices = plants,
     .help = "what it puts into its own memory first, to be found"},
};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_ATTACK, .version = "1.0",                             \
    .line = "a test's attack that searches its whole process for what it must not have", .licence = "MIT",   \
    .citation = "", .parameters = parameters, .n_parameters = sizeof parameters / sizeof *parameters,        \
    .surfaces = GNT_SURFACE_UPDATE, .goals = GNT_GOAL_RECONSTRUCTION,                                        \
    .uses =                                                                                                  \
        GNT_KNOWS_LABELS | GNT_KNOWS_PUBLIC | GNT_KNOWS_DEFENSE | GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS,   \
    .data_kinds = GNT_KIND_ANY, .create = create, .destroy = destroy

static const gnt_descriptor descriptors[] = {
    {COMMON, .id = "memory-scan", .attack = &hooks},
    {COMMON, .id = "memory-scan-prepares", .scope = GNT_SCOPE_STAGE, .attack = &hooks_with_prepare},
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
