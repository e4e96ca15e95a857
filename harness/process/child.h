/* child: a worker process, as its parent sees it. worker.h is the other end.
 *
 * A child is this very program executed anew (`/proc/self/exe worker`), never a fork that goes on running. It
 * shares no memory with its parent and inherits exactly these descriptors:
 *
 *     0, 1   /dev/null
 *     2      a pipe; its tail is kept
 *     3      the message: a sealed memfd with {"process": gnt_launch, "request": what the caller asks}
 *     4      the status pipe: lines "progress DONE TOTAL", a line "sandbox LEVEL", one line
 *            with a JSON object at the
 *            end
 *     5 …    the inputs, then the outputs, then the sockets, in the order of the specification
 *
 * Inputs are read-only. Outputs are memfds of limited size that the parent reads, sealed, after
 * the end. A child lives in its own process group, an empty working folder and a short
 * environment, and dies with its parent.
 *
 * Owner and lifetime: gnt_child_start gives a gnt_child, gnt_child_free takes it back; it kills and reaps a
 * running one. A specification is borrowed for the call, but for `user`, which outlives the child. A result
 * lives as long as its child. Thread: one thread of the parent handles all children. Errors: −1 with a
 * sentence; nothing is left behind. How a child ended is no error but its result. */
#ifndef GNT_PROCESS_CHILD_H
#define GNT_PROCESS_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "process/sandbox.h"

typedef struct gnt_child gnt_child;

typedef struct gnt_child_input {
    const char *name;
    /* Copied into a sealed memfd when the child starts. NULL: fd. */
    const void *bytes;
    size_t size;
    /* Of a regular file or memfd. The child gets its own read-only view of it with its own
     * offset; fd stays the caller's. */
    int fd;
    /* Digest that the bytes must have, which the worker checks; NULL: any. */
    const char *digest;
} gnt_child_input;

/* A memfd that the child writes. */
typedef struct gnt_child_output {
    const char *name;
    /* Bytes. A child that writes more gets EFBIG, or loses this output. */
    uint64_t most;
} gnt_child_output;

/* One end of a connected socket, over which the child talks to another child of the same job. The child
 * gets a duplicate; fd stays the caller's, who closes it once all ends are given to children, so that
 * an end that dies is seen. */
typedef struct gnt_child_socket {
    const char *name;
    int fd;
} gnt_child_socket;

typedef struct gnt_child_spec {
    /* An object; borrowed for the call. */
    const json_t *request;
    /* What the worker enters before it opens a plugin; NULL: it opens none. */
    const gnt_sandbox_spec *sandbox;
    const gnt_child_input *inputs;
    size_t n_inputs;
    const gnt_child_output *outputs;
    size_t n_outputs;
    const gnt_child_socket *sockets;
    size_t n_sockets;
    /* Wall time until it is asked to stop; 0: no limit. */
    double seconds;
    /* From being asked until it is killed; 0: 2 s. */
    double grace;
    /* Processor time until it is killed, rounded up; 0: what `seconds` leaves room for. */
    double cpu_seconds;
    /* Bytes resident or written out until it is killed; 0: no limit. */
    uint64_t memory;
    /* Names of further environment variables that pass through; NULL-terminated or NULL. */
    const char *const *keep;
    /* Further ones as "NAME=value"; likewise. */
    const char *const *set;
    /* Called from gnt_children_wait for each line of progress; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
} gnt_child_spec;

typedef enum gnt_child_end {
    /* By itself; exit_code says how. */
    GNT_CHILD_EXITED,
    /* By a signal that the parent did not send. */
    GNT_CHILD_CRASHED,
    /* It went over `seconds`, whether it then stopped by itself or was killed. */
    GNT_CHILD_TIMED_OUT,
    GNT_CHILD_OVER_CPU,
    GNT_CHILD_OVER_MEMORY,
    /* gnt_child_stop was called. */
    GNT_CHILD_STOPPED
} gnt_child_end;

typedef struct gnt_child_result {
    gnt_child_end end;
    /* −1 when it ended by a signal. */
    int exit_code;
    /* 0 when it exited. */
    int signal;
    /* Bytes resident at most. */
    uint64_t peak;
    double cpu_seconds, wall_seconds;
    /* The last 4 KiB of its stderr, control characters but newline made '?'. Never NULL. */
    const char *stderr_tail;
    /* The level of its sandbox, as it said before it opened a plugin; "" when it said nothing. */
    const char *sandbox;
    /* The status line, an object, borrowed. NULL when it never came or was no JSON. */
    json_t *status;
} gnt_child_result;

int gnt_child_start(gnt_child **child, const gnt_child_spec *spec, gnt_err *err);

enum { GNT_WAIT_TIMEOUT = -1, GNT_WAIT_INTERRUPTED = -2, GNT_WAIT_NOTHING = -3 };

/* Waits until one of the running `children` has ended and been reaped, and returns its index. Each child is
 * returned once; NULL entries and those returned before are passed over. Keeps limits, reads pipes and calls
 * progress meanwhile. timeout_ms < 0: no timeout. GNT_WAIT_INTERRUPTED: a signal asked the program to end
 * (gnt_interrupted). GNT_WAIT_NOTHING: no child is running. */
int gnt_children_wait(gnt_child *const *children, size_t n, int timeout_ms);

/* NULL until gnt_children_wait has returned the child. */
const gnt_child_result *gnt_child_result_of(const gnt_child *child);

/* A result in one word - "ok", "failed", "unsupported", "stopped" (the status line's own), "crashed" or
 * "timeout" - and, unless it is "ok", a sentence for a person in `reason`. "ok" needs exit code 0 and a
 * status line that says so. The word is constant text. */
const char *gnt_child_verdict(const gnt_child *child, gnt_err *reason);

/* An output after the end. The descriptor is sealed against every change, belongs to the child, and can be
 * handed to another child as an input. -1 when there is no such output, or it went over its limit. */
int gnt_child_output_fd(const gnt_child *child, const char *name, gnt_err *err);
/* A copy of it; *bytes is terminated by a zero that is not counted and freed by gnt_free. */
int gnt_child_output_read(const gnt_child *child, const char *name, uint8_t **bytes, size_t *size,
                          gnt_err *err);

/* Asks it to stop (gnt_worker_should_stop turns true); its group is killed after `grace`. */
void gnt_child_stop(gnt_child *child);
/* Kills and reaps a running one. NULL is fine. */
void gnt_child_free(gnt_child *child);

/* From the call on, SIGINT, SIGTERM and SIGHUP no longer end the program but make gnt_interrupted true and
 * gnt_children_wait return; a second SIGINT ends it at once (children die with their parent). */
void gnt_interrupt_catch(void);
int gnt_interrupted(void);

#endif
