/* worker: a worker process, as it sees itself. child.h is the other end, and says what each descriptor is.
 * Everything here works inside the sandbox too.
 *
 * Owner and lifetime: gnt_worker_open fills a gnt_worker, which the caller closes; inputs are read into
 * memory of the caller's. Thread: the worker's only one. Errors: −1 with a sentence. */
#ifndef GNT_PROCESS_WORKER_H
#define GNT_PROCESS_WORKER_H

#include <jansson.h>

#include "base/err.h"
#include "process/launch.h"

typedef struct gnt_worker {
    gnt_launch launch;
    /* What the parent asks; an object. */
    const json_t *request;
    /* What launch and request point into. */
    json_t *message;
    gnt_arena memory;
} gnt_worker;

/* Takes up the message and makes SIGTERM turn gnt_worker_should_stop true. */
int gnt_worker_open(gnt_worker *out, gnt_err *err);
void gnt_worker_close(gnt_worker *w);

/* 1 where there is one of that name. */
int gnt_worker_has_input(const gnt_worker *w, const char *name);
/* Descriptors of named inputs, outputs and sockets; −1 with a sentence where there is none of that name. */
int gnt_worker_input(const gnt_worker *w, const char *name, gnt_err *err);
int gnt_worker_output(const gnt_worker *w, const char *name, gnt_err *err);
int gnt_worker_socket(const gnt_worker *w, const char *name, gnt_err *err);

/* The whole of an input. Its bytes must have the digest that the parent gave, where it gave one. *bytes is
 * terminated by a zero that is not counted. Freed by gnt_free. */
int gnt_worker_read(const gnt_worker *w, const char *name, size_t most, uint8_t **bytes, size_t *size,
                    gnt_err *err);
int gnt_worker_write(const gnt_worker *w, const char *name, const void *bytes, size_t size, gnt_err *err);
/* Sets the offsets of the message and of all inputs to 0. Copies of a process share them. */
void gnt_worker_rewind(const gnt_worker *w);

/* Writes a short text over the output "note", so that the parent can read where a child was that did not end
 * by itself; without such an output nothing happens. */
void gnt_worker_note(const gnt_worker *w, const char *text);
/* Threads and child processes beside this thread; 0 too where the kernel does not tell. */
int gnt_worker_others(void);
/* Cheap: of calls within 50 ms one writes. */
void gnt_worker_progress(uint64_t done, uint64_t total);
int gnt_worker_should_stop(void);
/* Reports the level of the sandbox that this process is in. The parent takes the first report alone: sent
 * before a plugin is opened, no plugin can change it. */
void gnt_worker_sandbox(const char *level);
/* Sends the status line. word: "ok", "failed", "unsupported" or "stopped"; sentence and sandbox may be NULL;
 * facts and hooks (plugin/hook_times.h) are borrowed, may be NULL. Returns the exit code for main: 0 when the
 * line was sent. */
int gnt_worker_finish(const char *word, const char *sentence, const char *sandbox, const json_t *facts,
                      const json_t *hooks);

#endif
