/* child_wire: what both ends of child.h agree on, and the parent's record of a child. Private to
 * run/child*.c. */
#ifndef GNT_RUN_CHILD_WIRE_H
#define GNT_RUN_CHILD_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/child.h"

enum {
    GNT_FD_REQUEST = 3,
    GNT_FD_STATUS = 4,
    GNT_FD_FIRST = 5, /* of the inputs */
    GNT_REQUEST_MOST = 64 << 20,
    GNT_STATUS_MOST = 1 << 20, /* bytes of the status line */
    GNT_TAIL_MOST = 4096,
    GNT_WALLS_MOST = 500,  /* of the words on walls */
    GNT_PIECES_MOST = 4096 /* inputs and outputs of one child */
};

typedef struct gnt_child_sink {
    char *name;
    int fd;
    uint64_t most;
} gnt_child_sink;

struct gnt_child {
    pid_t pid;     /* 0 once reaped */
    int pidfd;     /* -1 where the kernel has none */
    int status_fd; /* -1 after its end */
    int stderr_fd;
    char folder[256]; /* its working folder until it runs; then "" */
    gnt_child_sink *sinks;
    size_t n_sinks;
    double seconds, grace;
    double cpu; /* limit on processor time in whole seconds; 0: none */
    uint64_t memory;
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;

    double started, asked; /* seconds of the monotonic clock; asked 0 until it was asked to stop */
    double looked;         /* when its memory was last read */
    uint64_t peak;         /* the most seen by looking */
    int killed, timed_out, over_memory, stopped;

    char *line; /* of the status pipe, so far */
    size_t line_size, line_room;
    int line_lost; /* too long, or no memory: skip to its end */
    char tail[2 * GNT_TAIL_MOST + 1];
    size_t tail_size;

    char walls[GNT_WALLS_MOST + 1]; /* the first line "sandbox …" */
    int handed_out;
    gnt_child_result result;
};

/* Seconds of the monotonic clock. */
double gnt_wire_now(void);

/* The kernel's high-water mark of resident memory in the text of a /proc/PID/status, in bytes; 0 when it is missing. */
uint64_t gnt_wire_peak(const char *status);

/* A copy that is valid UTF-8 without control characters, '?' standing for what is not; freed by gnt_free. */
char *gnt_wire_clean(const char *text);

/* The whole of a regular file or memfd from its start, by offset, so that a shared position does no harm.
 * *bytes is terminated by a zero that is not counted; freed by gnt_free. */
int gnt_wire_read(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err);

/* Reads what the pipes hold; calls progress; keeps the tail. */
void gnt_child_listen(gnt_child *child);

/* The environment of a child: "NAME=value" strings, NULL-terminated, in one block each; NULL when out of
 * memory. */
char **gnt_child_environment(const char *const *keep, const char *const *set);
void gnt_child_environment_free(char **environment);

#endif
