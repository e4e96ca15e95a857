/* sandbox_words: describes the level of a sandbox: missing layers, the reasons, and everything that is
 * open. */
#include "process/sandbox_layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
static const char *const relaxed =
    "; under AddressSanitizer without a leak check and a limit on address space";
#else
static const char *const relaxed = "";
#endif

/* Returns why a layer is missing. */
static const char *reason(int why) {
    switch (why) {
    case GNT_SANDBOX_LEFT_OUT:
        return "left out";
    case ENOSYS:
    case EINVAL:
        return "this kernel has none";
    case EOPNOTSUPP:
        return "switched off when this kernel started";
    case EPERM:
    case EACCES:
        return "not permitted here";
    case ENOSPC:
    case EUSERS:
        return "the system's limit on them is reached";
    default:
        return strerror(why);
    }
}

typedef struct words {
    char text[GNT_SANDBOX_WORDS];
    size_t n;
    int items;
} words;

static void put(words *w, const char *text) {
    int n = snprintf(w->text + w->n, sizeof w->text - w->n, "%s", text);
    if (n > 0)
        w->n = w->n + (size_t)n < sizeof w->text ? w->n + (size_t)n : sizeof w->text - 1;
}

static void item(words *w, const char *text) {
    put(w, w->items++ ? ", " : "");
    put(w, text);
}

static void missing(words *w, const char *layer, int why) {
    item(w, "no ");
    put(w, layer);
    put(w, " (");
    put(w, reason(why));
    put(w, ")");
}

/* Lists everything that a plugin can reach with these layers but not with all. Everything else is closed:
 * tests/unit/test_sandbox.c verifies it. */
static void list_open(words *w, const gnt_sandbox_report *r, const gnt_sandbox_layers *s) {
    const int namespaces = (r->layers & GNT_SANDBOX_NAMESPACES) != 0,
              filter = (r->layers & GNT_SANDBOX_SECCOMP) != 0;
    if (!s->root && !r->landlock)
        item(w, "the user's files");
    else if (!filter) /* Landlock never closes modes, and lengths from ABI 3 on */
        item(w, s->root || r->landlock >= 3 ? "modes of files" : "modes and lengths of files");
    if (!namespaces && !r->landlock)
        item(w, "the memory of other processes"); /* both check ptrace access */
    if (!filter && !(namespaces && s->root))
        item(w, "the network");
    if (!filter && !namespaces)
        item(w, "memory that other processes share");
    if (!filter)
        item(w,
             r->landlock >= 6 ? "limits of other processes" : "signals to other processes and their limits");
    if (s->may_fork)
        item(w, "new processes, even ones that outlive the job");
    if (!filter)
        item(w, "more of the kernel");
}

void gnt_sandbox_describe(gnt_sandbox_report *report, const gnt_sandbox_layers *s) {
    const int filtered = (report->layers & GNT_SANDBOX_SECCOMP) != 0, closed = s->root || report->landlock;
    words w = {.n = 0};
    put(&w, closed && filtered ? "full" : closed || filtered ? "partial: " : "weak: ");
    if (!closed) {
        missing(&w, "Landlock", s->no_landlock);
        missing(&w, "mount namespace", s->no_namespaces ? s->no_namespaces : s->no_root);
    }
    if (!filtered)
        missing(&w, "system-call filter", s->no_filter);
    if (!closed || !filtered) {
        put(&w, "; open: ");
        w.items = 0;
        list_open(&w, report, s);
    }
    snprintf(report->level, sizeof report->level, "%s", w.text);

    w = (words){.n = 0};
    char landlock[32];
    snprintf(landlock, sizeof landlock, "Landlock %d", report->landlock);
    if (!(report->layers & GNT_SANDBOX_NAMESPACES))
        missing(&w, "namespaces", s->no_namespaces);
    else if (!s->root)
        missing(&w, "mount namespace", s->no_root);
    else
        item(&w, "namespaces");
    if (report->landlock)
        item(&w, landlock);
    else
        missing(&w, "Landlock", s->no_landlock);
    if (filtered)
        item(&w, "system-call filter");
    else
        missing(&w, "system-call filter", s->no_filter);
    put(&w, relaxed);
    snprintf(report->remark, sizeof report->remark, "%.*s", (int)sizeof report->remark - 1, w.text);
}

gnt_sandbox_level gnt_sandbox_level_of(const char *level) {
    return strcmp(level, "full") == 0            ? GNT_SANDBOX_FULL
           : strncmp(level, "partial: ", 9) == 0 ? GNT_SANDBOX_PARTIAL
                                                 : GNT_SANDBOX_WEAK;
}
