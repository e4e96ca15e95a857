/* child_wire: what both ends of child.h agree on, and the parent's record of a child. Private to
 * process/child*.c and process/worker.c.
 *
 * Owner and lifetime: a gnt_child owns everything it points to but `user`; gnt_child_free frees it.
 * Thread: one thread of the parent handles all children.
 * Errors: −1 with a sentence, or what the function says. */
#ifndef GNT_PROCESS_CHILD_WIRE_H
#define GNT_PROCESS_CHILD_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/child.h"

enum {
    GNT_FD_REQUEST = 3,
    GNT_FD_STATUS = 4,
    /* Of the inputs. */
    GNT_FD_FIRST = 5,
    GNT_REQUEST_MOST = 64 << 20,
    /* Bytes of the status line. */
    GNT_STATUS_MOST = 1 << 20,
    GNT_TAIL_MOST = 4096,
    /* Bytes of the line "sandbox …". */
    GNT_SANDBOX_LINE_MOST = 500,
    /* Inputs, outputs and sockets of one child. */
    GNT_PIECES_MOST = 4096
};

/* An output as the parent holds it: a memfd. */
typedef struct gnt_child_output_file {
    char *name;
    int fd;
    uint64_t most;
} gnt_child_output_file;

struct gnt_child {
    /* 0 once reaped. */
    pid_t pid;
    /* −1 where the kernel has none. */
    int pidfd;
    /* −1 after its end. */
    int status_fd, stderr_fd;
    /* Its working folder until it runs; then "". */
    char folder[256];
    gnt_child_output_file *outputs;
    size_t n_outputs;

    double seconds, grace;
    /* Limit on processor time in whole seconds; 0: none. */
    double cpu;
    uint64_t memory;
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;

    /* Seconds of the monotonic clock: when it started, when it was asked to stop (0: it was not), when
     * its memory was last read. */
    double started, asked_to_stop, memory_read;
    /* The most resident memory that was read, in bytes. */
    uint64_t peak;
    /* What the parent did to it, or saw it do. Several may hold. */
    int killed, timed_out, over_memory, stopped;

    /* The line of the status pipe that has not ended yet. */
    char *line;
    size_t line_size, line_room;
    /* The line is too long, or there is no memory for it: skip to its end. */
    int line_lost;
    char tail[2 * GNT_TAIL_MOST + 1];
    size_t tail_size;

    /* The first line "sandbox …". */
    char sandbox[GNT_SANDBOX_LINE_MOST + 1];
    /* gnt_children_wait has returned it: its result can be read. */
    int returned;
    gnt_child_result result;
};

/* Seconds of the monotonic clock. */
double gnt_wire_now(void);

/* The kernel's high-water mark of resident memory in the text of a /proc/PID/status, in
 * bytes; 0 when it is missing. */
uint64_t gnt_wire_peak(const char *status);

/* A copy that is valid UTF-8 without control characters, '?' standing for what is not. Freed by gnt_free. */
char *gnt_wire_clean(const char *text);

/* The whole of a regular file or memfd from its start, by offset, so that a shared position does no harm.
 * *bytes is terminated by a zero that is not counted. Freed by gnt_free. */
int gnt_wire_read(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);

/* Reads what the pipes hold, calls progress, keeps the tail. */
void gnt_child_listen(gnt_child *child);

/* The environment of a child: "NAME=value" strings, NULL-terminated, in one block each.
 * NULL when out of memory. */
char **gnt_child_environment(const char *const *keep, const char *const *set);
void gnt_child_environment_free(char **environment);

#endif
