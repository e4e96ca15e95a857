/* child_wire: constants shared by both sides of child.h, and the parent's record of a child. Private to
 * process/child*.c and process/worker.c.
 *
 * Ownership: a gnt_child owns everything it points to except `user`; gnt_child_free frees it. Threads: one
 * thread of the parent handles all children. Errors: −1 with a message, unless stated otherwise. */
#ifndef GNT_PROCESS_CHILD_WIRE_H
#define GNT_PROCESS_CHILD_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/child.h"

enum {
    GNT_FD_REQUEST = 3,
    GNT_FD_STATUS = 4,
    /* The first input. */
    GNT_FD_FIRST = 5,
    GNT_REQUEST_MOST = 64 << 20,
    /* Most bytes of the status line. */
    GNT_STATUS_MOST = 1 << 20,
    GNT_TAIL_MOST = 4096,
    /* Most bytes of the line "sandbox …". */
    GNT_SANDBOX_LINE_MOST = 500,
    /* Most inputs, outputs and sockets of one child. */
    GNT_PIECES_MOST = 4096
};

/* An output in the parent: a memfd. */
typedef struct gnt_child_output_file {
    char *name;
    int fd;
    uint64_t most;
} gnt_child_output_file;

struct gnt_child {
    /* 0 once reaped. */
    pid_t pid;
    /* −1: the kernel has no pidfd. */
    int pidfd;
    /* −1 after its end. */
    int status_fd, stderr_fd;
    /* Its working directory until it runs; then "". */
    char folder[256];
    gnt_child_output_file *outputs;
    size_t n_outputs;

    double seconds, grace;
    /* Limit on processor time in whole seconds; 0: none. */
    double cpu;
    uint64_t memory;
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void (*said)(void *user, int is_warning, const char *text);
    void *user;

    /* Seconds of the monotonic clock: start, when it was asked to stop (0: never), last reading of its
     * memory. */
    double started, asked_to_stop, memory_read;
    /* The largest resident memory read so far, in bytes. */
    uint64_t peak;
    /* Flags of what the parent did to it, or observed. Several may be set. */
    int killed, timed_out, over_memory, stopped;

    /* The incomplete last line of the status pipe. */
    char *line;
    size_t line_size, line_room;
    /* The line is too long, or out of memory: skip to its end. */
    int line_lost;
    char tail[2 * GNT_TAIL_MOST + 1];
    size_t tail_size;

    /* The first line "sandbox …". */
    char sandbox[GNT_SANDBOX_LINE_MOST + 1];
    /* gnt_children_wait has returned it, so its result is valid. */
    int returned;
    gnt_child_result result;
};

/* Returns the peak resident memory in the text of a /proc/PID/status, in bytes; 0 if it is missing. */
uint64_t gnt_wire_peak(const char *status);

/* Copies text as valid UTF-8 without control characters, with '?' for all else. Freed by gnt_free. */
char *gnt_wire_clean(const char *text);

/* Reads a whole regular file or memfd by offset, independent of a shared position. *bytes ends with a zero
 * that is not counted. Freed by gnt_free. */
int gnt_wire_read(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);

/* Reads what is in the pipes, calls progress, keeps the tail of stderr. */
void gnt_child_listen(gnt_child *child);

/* Returns the environment of a child: "NAME=value" strings, NULL-terminated, one block each; NULL: out of
 * memory. */
char **gnt_child_environment(const char *const *keep, const char *const *set);
void gnt_child_environment_free(char **environment);

#endif
