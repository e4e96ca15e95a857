#include "process/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/child_wire.h"

/* Set by SIGTERM only. */
static volatile sig_atomic_t asked_to_stop;

static void on_stop(int signal_number) {
    (void)signal_number;
    asked_to_stop = 1;
}

/* /proc/self/status, opened at the start because it cannot be opened later; −1 without /proc. */
static int own_status = -1;

/* Makes the kernel count this thread's resident pages. Before Linux 6.2 it adds them up only after 64 page
 * faults, each of which maps up to 16 pages of a file, and when pages are unmapped. */
static void count_pages(void) {
    volatile char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    *page = 1;
    munmap((void *)page, 1);
}

/* Returns the peak resident memory since the exec, in bytes; 0 if unknown. getrusage would include the
 * parent's. */
static uint64_t own_peak(void) {
    char text[4096];
    count_pages();
    ssize_t n = own_status >= 0 ? pread(own_status, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    return gnt_wire_peak(text);
}

int gnt_worker_should_stop(void) {
    return asked_to_stop != 0;
}

static int read_message(gnt_worker *out, gnt_err *err) {
    uint8_t *text = NULL;
    size_t size = 0;
    if (gnt_wire_read(GNT_FD_REQUEST, "the request", GNT_REQUEST_MOST, &text, &size, err) != 0)
        return -1;
    json_error_t where;
    out->message = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES, &where);
    gnt_free(text);
    if (!json_is_object(out->message))
        return gnt_fail(err, "worker: the request is not a JSON object: %s", where.text);
    out->request = json_object_get(out->message, "request");
    return gnt_fields_decode(&gnt_launch_fields, &out->launch, json_object_get(out->message, "process"),
                             &out->memory, "worker", err);
}

int gnt_worker_open(gnt_worker *out, gnt_err *err) {
    struct stat st;
    *out = (gnt_worker){0};
    if (fstat(GNT_FD_REQUEST, &st) != 0 || !S_ISREG(st.st_mode) || fcntl(GNT_FD_STATUS, F_GETFD) < 0)
        return gnt_fail(err,
                        "worker: is started by gauntlet itself, with a request on descriptor %d; use a "
                        "subcommand such as `gauntlet run`",
                        GNT_FD_REQUEST);
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGTERM, &action, NULL);
    own_status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (read_message(out, err) == 0)
        return 0;
    gnt_worker_close(out);
    return -1;
}

void gnt_worker_close(gnt_worker *w) {
    json_decref(w->message);
    gnt_arena_free(&w->memory);
    *w = (gnt_worker){0};
}

static const gnt_launch_piece *find(const gnt_launch_pieces *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].name, name) == 0 && list->at[i].fd > GNT_FD_STATUS)
            return &list->at[i];
    return NULL;
}

static int need(const gnt_launch_pieces *list, const char *kind, const char *name, gnt_err *err) {
    const gnt_launch_piece *piece = find(list, name);
    return piece ? (int)piece->fd : gnt_fail(err, "worker: there is no %s \"%s\"", kind, name);
}

int gnt_worker_has_input(const gnt_worker *w, const char *name) {
    return find(&w->launch.inputs, name) != NULL;
}

int gnt_worker_input(const gnt_worker *w, const char *name, gnt_err *err) {
    return need(&w->launch.inputs, "input", name, err);
}

int gnt_worker_output(const gnt_worker *w, const char *name, gnt_err *err) {
    return need(&w->launch.outputs, "output", name, err);
}

int gnt_worker_socket(const gnt_worker *w, const char *name, gnt_err *err) {
    return need(&w->launch.sockets, "socket", name, err);
}

/* Checks that an input from the store has the digest under which it was stored. */
static int has_digest(const gnt_launch_piece *input, const uint8_t *bytes, size_t size, gnt_err *err) {
    char found[GNT_HEX_SIZE];
    if (!input->digest)
        return 0;
    gnt_digest d = gnt_digest_bytes(bytes, size);
    gnt_digest_hex(&d, found);
    return strcmp(found, input->digest) == 0
               ? 0
               : gnt_fail(err,
                          "the input \"%s\" was changed since it was stored; run again to recompute "
                          "it",
                          input->name);
}

int gnt_worker_read(const gnt_worker *w, const char *name, size_t most, uint8_t **bytes, size_t *size,
                    gnt_err *err) {
    const int fd = gnt_worker_input(w, name, err);
    if (fd < 0 || gnt_wire_read(fd, name, most, bytes, size, err) != 0)
        return -1;
    if (has_digest(find(&w->launch.inputs, name), *bytes, *size, err) == 0)
        return 0;
    gnt_free(*bytes);
    *bytes = NULL;
    return -1;
}

int gnt_worker_write(const gnt_worker *w, const char *name, const void *bytes, size_t size, gnt_err *err) {
    int fd = gnt_worker_output(w, name, err);
    return fd < 0 ? -1 : gnt_fd_write(fd, name, bytes, size, err);
}

void gnt_worker_rewind(const gnt_worker *w) {
    for (size_t i = 0; i < w->launch.inputs.n; i++)
        lseek((int)w->launch.inputs.at[i].fd, 0, SEEK_SET);
    lseek(GNT_FD_REQUEST, 0, SEEK_SET);
}

void gnt_worker_note(const gnt_worker *w, const char *text) {
    enum { SIZE = 64 };
    char padded[SIZE] = {0};
    const gnt_launch_piece *output = find(&w->launch.outputs, "note");
    snprintf(padded, sizeof padded, "%s", text);
    if (output && pwrite((int)output->fd, padded, sizeof padded, 0) < 0)
        return; /* only a note for a person is lost */
}

int gnt_worker_others(void) {
    char text[4096];
    ssize_t n = own_status >= 0 ? pread(own_status, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "\nThreads:");
    const long threads = at ? strtol(at + sizeof "\nThreads:" - 1, NULL, 10) : 1;
    siginfo_t info = {0};
    /* counts a child that has ended and was not waited for */
    const int child = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    return (int)(threads > 1 ? threads - 1 : 0) + child;
}

/* True if the pipe has room: a line of progress is dropped rather than block the work. */
static int pipe_has_room(void) {
    struct pollfd p = {.fd = GNT_FD_STATUS, .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

void gnt_worker_progress(uint64_t done, uint64_t total) {
    static double last; /* there is one status pipe per process */
    const double now = gnt_clock();
    if ((now - last < 0.05 && done != total) || !pipe_has_room())
        return;
    last = now;
    char line[64];
    int n = snprintf(line, sizeof line, "progress %llu %llu\n", (unsigned long long)done,
                     (unsigned long long)total);
    gnt_fd_write(GNT_FD_STATUS, "the status pipe", line, (size_t)n, NULL);
}

void gnt_worker_say(int is_warning, const char *text) {
    char line[1024];
    const int n = snprintf(line, sizeof line - 1, "%s %s", is_warning ? "warning" : "note", text);
    size_t size = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
    for (size_t i = 0; i < size; i++)
        line[i] = line[i] == '\n' ? ' ' : line[i];
    line[size++] = '\n';
    gnt_fd_write(GNT_FD_STATUS, "the status pipe", line, size, NULL);
}

void gnt_worker_sandbox(const char *level) {
    char line[GNT_SANDBOX_LINE_MOST + 16];
    int n = snprintf(line, sizeof line, "sandbox %.*s\n", GNT_SANDBOX_LINE_MOST, level);
    gnt_fd_write(GNT_FD_STATUS, "the status pipe", line, (size_t)n, NULL);
}

int gnt_worker_finish(const char *word, const char *sentence, const char *sandbox, const json_t *facts,
                      const json_t *hooks) {
    json_t *line = json_pack("{s:s, s:I}", "status", word, "peak", (json_int_t)own_peak());
    /* a message may have a plugin's bytes: what is not UTF-8 is replaced */
    char *clean = sentence ? gnt_wire_clean(sentence) : NULL;
    int bad = !line || (clean && json_object_set_new(line, "sentence", json_string(clean)) != 0);
    if (!bad && sandbox)
        bad = json_object_set_new(line, "sandbox", json_string(sandbox)) != 0;
    if (!bad && facts)
        bad = json_object_set(line, "facts", (json_t *)(uintptr_t)facts) != 0;
    if (!bad && json_array_size(hooks) > 0)
        bad = json_object_set(line, "hooks", (json_t *)(uintptr_t)hooks) != 0;
    char *text = bad ? NULL : json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII);
    /* on a line of its own, whatever a plugin may have written to the pipe */
    int rc = text && strlen(text) < GNT_STATUS_MOST &&
                     gnt_fd_write(GNT_FD_STATUS, "the status pipe", "\n", 1, NULL) == 0 &&
                     gnt_fd_write(GNT_FD_STATUS, "the status pipe", text, strlen(text), NULL) == 0 &&
                     gnt_fd_write(GNT_FD_STATUS, "the status pipe", "\n", 1, NULL) == 0
                 ? 0
                 : 1;
    free(text);
    gnt_free(clean);
    json_decref(line);
    return rc;
}
