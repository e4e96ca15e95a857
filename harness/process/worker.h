/* worker: a worker process, from its own side; child.h is the parent's side and lists the descriptors.
 * Everything here works inside the sandbox too.
 *
 * Ownership: gnt_worker_open fills a gnt_worker, which the caller closes; inputs are read into the caller's
 * memory. Threads: the worker's only one. Errors: −1 with a message. */
#ifndef GNT_PROCESS_WORKER_H
#define GNT_PROCESS_WORKER_H

#include <jansson.h>

#include "base/err.h"
#include "process/launch.h"

typedef struct gnt_worker {
    gnt_launch launch;
    /* The parent's request, an object. */
    const json_t *request;
    /* The memory that launch and request point into. */
    json_t *message;
    gnt_arena memory;
} gnt_worker;

/* Reads the message, and makes SIGTERM turn gnt_worker_should_stop true. */
int gnt_worker_open(gnt_worker *out, gnt_err *err);
void gnt_worker_close(gnt_worker *w);

/* True if there is an input with that name. */
int gnt_worker_has_input(const gnt_worker *w, const char *name);
/* Return the descriptor of an input, output or socket; −1 with a message if there is none of that name. */
int gnt_worker_input(const gnt_worker *w, const char *name, gnt_err *err);
int gnt_worker_output(const gnt_worker *w, const char *name, gnt_err *err);
int gnt_worker_socket(const gnt_worker *w, const char *name, gnt_err *err);

/* Reads a whole input and checks the digest that the parent gave, if any. *bytes ends with a zero that is not
 * counted. Freed by gnt_free. */
int gnt_worker_read(const gnt_worker *w, const char *name, size_t most, uint8_t **bytes, size_t *size,
                    gnt_err *err);
int gnt_worker_write(const gnt_worker *w, const char *name, const void *bytes, size_t size, gnt_err *err);
/* Sets the offsets of the message and of all inputs to 0. Copies of a process share them. */
void gnt_worker_rewind(const gnt_worker *w);

/* Overwrites the output "note" with a short text, from which the parent knows where a child was that did not
 * end by itself; does nothing without such an output. */
void gnt_worker_note(const gnt_worker *w, const char *text);
/* Returns the number of other threads and child processes; also 0 if the kernel does not report it. */
int gnt_worker_others(void);
/* Reports progress; cheap: writes at most once in 50 ms. */
void gnt_worker_progress(uint64_t done, uint64_t total);
int gnt_worker_should_stop(void);
/* Shows the user a sentence, or a warning, if the parent lets this process. */
void gnt_worker_say(int is_warning, const char *text);
/* Reports the level of this process's sandbox. The parent only accepts the first report: since it precedes
 * the opening of a plugin, no plugin can change it. */
void gnt_worker_sandbox(const char *level);
/* Sends the status line. word: "ok", "failed", "unsupported" or "stopped"; sentence and sandbox may be NULL;
 * facts and hooks (plugin/hook_times.h) are borrowed, may be NULL. Returns the exit code for main: 0 if the
 * line was sent. */
int gnt_worker_finish(const char *word, const char *sentence, const char *sandbox, const json_t *facts,
                      const json_t *hooks);

#endif
