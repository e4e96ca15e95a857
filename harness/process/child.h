/* child: a worker process, from its parent's side; worker.h is the other side.
 *
 * A child executes this program again (`/proc/self/exe worker`); it is never a fork that continues. It shares
 * no memory with its parent and inherits exactly these descriptors:
 *
 *     0, 1   /dev/null
 *     2      a pipe; its tail is kept
 *     3      the message: a sealed memfd with {"process": gnt_launch, "request": the caller's request}
 *     4      the status pipe: lines "progress DONE TOTAL", "note TEXT" and "warning TEXT", a line
 *            "sandbox LEVEL", a JSON object as its last line
 *     5 …    the inputs, then the outputs, then the sockets, in the order of the specification
 *
 * Inputs are read-only. Outputs are memfds of limited size, which the parent seals and reads after the end. A
 * child has its own process group, an empty working directory and a short environment, and dies with its
 * parent.
 *
 * Ownership: gnt_child_start returns a gnt_child; gnt_child_free kills and reaps it if it runs, and frees it.
 * A specification is borrowed for the call, except `user`, which must outlive the child. A result lives as
 * long as its child. Threads: one thread of the parent handles all children. Errors: −1 with a message;
 * nothing is left behind. How a child ended is a result, not an error. */
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
    /* Descriptor of a regular file or memfd, owned by the caller. The child gets a read-only descriptor of it
     * with its own offset. */
    int fd;
    /* Expected digest, checked by the worker; NULL: any. */
    const char *digest;
} gnt_child_input;

/* A memfd that the child writes. */
typedef struct gnt_child_output {
    const char *name;
    /* Most bytes. A child that writes more gets EFBIG, or loses this output. */
    uint64_t most;
} gnt_child_output;

/* One end of a socket pair that connects the child with another child of the same job. The child gets a
 * duplicate; fd belongs to the caller, which closes it once all ends were passed to children, so that a lost
 * end is noticed. */
typedef struct gnt_child_socket {
    const char *name;
    int fd;
} gnt_child_socket;

typedef struct gnt_child_spec {
    /* An object; borrowed for the call. */
    const json_t *request;
    /* The sandbox that the worker enters before it opens a plugin; NULL: it opens none. */
    const gnt_sandbox_spec *sandbox;
    const gnt_child_input *inputs;
    size_t n_inputs;
    const gnt_child_output *outputs;
    size_t n_outputs;
    const gnt_child_socket *sockets;
    size_t n_sockets;
    /* Wall-clock seconds until it is asked to stop; 0: no limit. */
    double seconds;
    /* Seconds from then until it is killed; 0: 2 s. */
    double grace;
    /* Processor seconds until it is killed, rounded up; 0: derived from `seconds`. */
    double cpu_seconds;
    /* Bytes resident or written out until it is killed; 0: no limit. */
    uint64_t memory;
    /* Names of additional environment variables to pass through; NULL-terminated or NULL. */
    const char *const *keep;
    /* Additional variables as "NAME=value"; NULL-terminated or NULL. */
    const char *const *set;
    /* Called by gnt_children_wait for each line of progress; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    /* Called likewise with what the child says to the user, in printable characters. NULL: nothing. */
    void (*said)(void *user, int is_warning, const char *text);
    void *user;
    /* NULL: it keeps no state. */
    const struct gnt_launch_checkpoint *checkpoint;
    /* The child gets a duplicate of its descriptor. NULL: no file outlives the process. */
    const struct gnt_launch_memo *memo;
} gnt_child_spec;

typedef enum gnt_child_end {
    /* By itself; see exit_code. */
    GNT_CHILD_EXITED,
    /* By a signal that the parent did not send. */
    GNT_CHILD_CRASHED,
    /* It exceeded `seconds`, and then stopped by itself or was killed. */
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
    /* Peak resident bytes. */
    uint64_t peak;
    double cpu_seconds, wall_seconds;
    /* The last 4 KiB of its stderr, with '?' for control characters except newline. Never NULL. */
    const char *stderr_tail;
    /* The level of its sandbox, as it reported before it opened a plugin; "" if it did not. */
    const char *sandbox;
    /* The status line, an object, borrowed; NULL if it is missing or not JSON. */
    json_t *status;
} gnt_child_result;

int gnt_child_start(gnt_child **child, const gnt_child_spec *spec, gnt_err *err);

enum { GNT_WAIT_TIMEOUT = -1, GNT_WAIT_INTERRUPTED = -2, GNT_WAIT_NOTHING = -3 };

/* Waits until one of the running `children` has ended and been reaped, and returns its index. Each child is
 * returned once; NULL entries and children returned before are ignored. Meanwhile enforces limits, reads
 * pipes and calls progress. timeout_ms < 0: no timeout. GNT_WAIT_INTERRUPTED: a signal interrupted the
 * program (gnt_interrupted). GNT_WAIT_NOTHING: no child is running. */
int gnt_children_wait(gnt_child *const *children, size_t n, int timeout_ms);

/* Returns NULL until gnt_children_wait has returned the child. */
const gnt_child_result *gnt_child_result_of(const gnt_child *child);

/* Returns the result as a constant word: "ok", "failed", "unsupported", "stopped" (from the status line),
 * "crashed" or "timeout", with a message in `reason` unless it is "ok". "ok" needs exit code 0 and a status
 * line that says so. */
const char *gnt_child_verdict(const gnt_child *child, gnt_err *reason);

/* Returns the descriptor of an output after the end: sealed, owned by the child, usable as an input of
 * another child; −1 if there is no such output, or it exceeds its limit. */
int gnt_child_output_fd(const gnt_child *child, const char *name, gnt_err *err);
/* Copies an output; *bytes ends with a zero that is not counted, and is freed by gnt_free. */
int gnt_child_output_read(const gnt_child *child, const char *name, uint8_t **bytes, size_t *size,
                          gnt_err *err);

/* Asks it to stop (gnt_worker_should_stop turns true); its group is killed after `grace`. */
void gnt_child_stop(gnt_child *child);
/* Frees a child, which it kills and reaps if it runs. NULL is allowed. */
void gnt_child_free(gnt_child *child);

/* Makes SIGINT, SIGTERM and SIGHUP set gnt_interrupted and wake gnt_children_wait instead of ending the
 * program; a second SIGINT ends it at once (children die with their parent). */
void gnt_interrupt_catch(void);
int gnt_interrupted(void);

#endif
