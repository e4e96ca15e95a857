/* What a worker writes into its pipes: the status pipe (progress, walls, one JSON object) and its standard
 * error. Input: the status pipe's bytes, a line "%%", those of standard error. */
#include <sys/mman.h>

#include "fuzz.h"
#include "plugin/hook_times.h"
#include "process/child_wire.h"

static int pipe_of(fuzz_bytes bytes) {
    int fd = memfd_create("pipe", MFD_CLOEXEC);
    MUST(fd >= 0);
    MUST(gnt_fd_write(fd, "pipe", bytes.at, bytes.left, NULL) == 0);
    MUST(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void progress(void *user, uint64_t done, uint64_t total) {
    *(uint64_t *)user += done + total;
}

static void is_text(const char *text) {
    json_t *json = json_string(text); /* NULL where it is not UTF-8 */
    MUST(json);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const gnt_child_end ends[] = {GNT_CHILD_EXITED, GNT_CHILD_CRASHED, GNT_CHILD_TIMED_OUT,
                                         GNT_CHILD_OVER_MEMORY, GNT_CHILD_STOPPED};
    fuzz_bytes all = {data, size};
    uint64_t seen = 0;
    gnt_child *child = gnt_alloc(sizeof *child);
    MUST(child);
    child->progress = progress;
    child->user = &seen;
    fuzz_bytes said = fuzz_text(&all);
    child->status_fd = pipe_of(said);
    child->stderr_fd = pipe_of(all);
    gnt_child_listen(child);
    MUST(child->status_fd < 0 && child->stderr_fd < 0);
    is_text(child->sandbox);
    child->returned = 1;
    child->result.stderr_tail = child->tail;
    child->result.sandbox = child->sandbox;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        gnt_err reason = {0};
        child->result.end = ends[i];
        child->result.exit_code = ends[i] == GNT_CHILD_EXITED ? (int)(said.left % 2) : -1;
        child->result.signal = ends[i] == GNT_CHILD_CRASHED ? 11 : 0;
        const char *verdict = gnt_child_verdict(child, &reason);
        MUST(strcmp(verdict, "ok") == 0 || reason.text[0]);
    }
    json_t *hooks = json_array();
    gnt_hook_times_join(hooks, json_object_get(child->result.status, "hooks"));
    for (size_t i = 0; i < json_array_size(hooks); i++)
        MUST(json_integer_value(json_object_get(json_array_get(hooks, i), "calls")) > 0);
    json_decref(hooks);
    char *text = fuzz_string(all), *clean = gnt_wire_clean(text);
    gnt_wire_peak(text);
    is_text(clean);
    gnt_free(clean);
    gnt_free(text);
    json_decref(child->result.status);
    gnt_free(child->line);
    gnt_free(child);
    return 0;
}
