/* Describes how a child ended, in a word and a sentence. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "process/child_wire.h"

/* Writes the last line of stderr that is not blank; "" if there is none. */
static const char *last_line(const char *tail, char *line, size_t room) {
    const char *end = tail + strlen(tail);
    while (end > tail && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    const char *start = end;
    while (start > tail && start[-1] != '\n')
        start--;
    snprintf(line, room, "%s%.*s", end > start ? "; last line on stderr: " : "", (int)(end - start), start);
    return line;
}

static const char *explain_status(const gnt_child_result *r, gnt_err *reason) {
    static const char *const words[] = {"ok", "failed", "unsupported", "stopped"};
    const char *word = json_string_value(json_object_get(r->status, "status"));
    const char *sentence = json_string_value(json_object_get(r->status, "sentence"));
    char line[300];
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) != 0)
            continue;
        if (i == 0 && r->exit_code != 0)
            break;
        if (i > 0)
            gnt_fail(reason, "%s", sentence && *sentence ? sentence : "gave no reason");
        return words[i];
    }
    gnt_fail(reason, "ended with exit code %d without a status line%s", r->exit_code,
             last_line(r->stderr_tail, line, sizeof line));
    return "failed";
}

const char *gnt_child_verdict(const gnt_child *child, gnt_err *reason) {
    const gnt_child_result *r = gnt_child_result_of(child);
    char line[300];
    if (!r) {
        gnt_fail(reason, "is still running");
        return "failed";
    }
    switch (r->end) {
    case GNT_CHILD_OVER_MEMORY:
        gnt_fail(reason, "exceeded its memory limit of %llu MiB and was killed; raise limits.memory_mb",
                 (unsigned long long)(child->memory >> 20));
        return "failed";
    case GNT_CHILD_OVER_CPU:
        gnt_fail(reason,
                 "exceeded its limit of %g s of processor time and was killed; raise limits.cpu_seconds",
                 child->cpu);
        return "timeout";
    case GNT_CHILD_TIMED_OUT:
        gnt_fail(reason, "exceeded its time limit of %g s and %s; raise limits.seconds", child->seconds,
                 r->signal == SIGKILL ? "was killed, since it did not stop when asked to"
                                      : "stopped when asked to");
        return "timeout";
    case GNT_CHILD_STOPPED:
        gnt_fail(reason, "was stopped");
        return "stopped";
    case GNT_CHILD_CRASHED:
        gnt_fail(reason, "crashed: signal %d (%s)%s%s", r->signal, strsignal(r->signal),
                 r->signal == SIGSYS ? ", a system call that the sandbox forbids" : "",
                 last_line(r->stderr_tail, line, sizeof line));
        return "crashed";
    case GNT_CHILD_EXITED:
        break;
    }
    return explain_status(r, reason);
}
