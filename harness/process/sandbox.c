/* sandbox: enters the layers in order and reports the result. */
#include "process/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "process/sandbox_layers.h"

/* Checks that there is one thread: Landlock and seccomp confine the calling thread only. */
static int check_one_thread(gnt_err *err) {
    struct stat st;
    if (stat("/proc/self/task", &st) == 0 && st.st_nlink > 3)
        return gnt_fail(err, "a worker must have one thread when it enters its sandbox; it has %ld",
                        (long)st.st_nlink - 2);
    return 0;
}

static int in_order(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Sorts two kilobytes: libc then reads the size of the memory, once, which the filter refuses later. */
static void sort_once(void) {
    int numbers[512] = {0};
    qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, in_order);
}

/* Drops all capabilities, the user's and those of a user namespace. */
static int drop_capabilities(gnt_err *err) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) != 0)
        return gnt_fail(err, "capabilities cannot be dropped: %s", strerror(errno));
    return 0;
}

/* True if this process can fork. */
static int can_fork(void) {
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return pid > 0;
}

/* Records a layer that was entered, or sets *why it was not; returns −1 after a failure. */
static int note_layer(gnt_sandbox_report *report, unsigned layer, gnt_layer_outcome outcome, int *why) {
    if (outcome == GNT_LAYER_ENTERED)
        report->layers |= layer;
    else
        *why = errno ? errno : ENOSYS;
    return outcome == GNT_LAYER_FAILED ? -1 : 0;
}

/* Gives the process its copies of the files. In a root of its own they have the files' paths, which become
 * readable; elsewhere they are memory files. */
static int place_files(gnt_readable *readable, int have_root, gnt_err *err) {
    if (!have_root)
        return gnt_sandbox_make_memory_files(err);
    for (size_t i = 0; i < gnt_sandbox_n_files(); i++)
        if (gnt_readable_add(readable, gnt_sandbox_file(i).path) != 0)
            return gnt_fail(err, "out of memory for a sandbox's files");
    return 0;
}

static int enter_layers(const gnt_sandbox_spec *spec, gnt_readable *readable, gnt_sandbox_report *report,
                        gnt_err *err) {
    const unsigned without = spec->options.without;
    gnt_sandbox_layers s = {.no_namespaces = GNT_SANDBOX_LEFT_OUT,
                            .no_landlock = GNT_SANDBOX_LEFT_OUT,
                            .no_filter = GNT_SANDBOX_LEFT_OUT};
    if (!(without & GNT_SANDBOX_NAMESPACES)) {
        s.no_namespaces = 0;
        if (note_layer(report, GNT_SANDBOX_NAMESPACES, gnt_sandbox_enter_namespaces(readable, &s.root, err),
                       &s.no_namespaces) != 0)
            return -1;
        s.no_root = errno;
    }
    if (place_files(readable, s.root, err) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return gnt_fail(err, "new privileges cannot be disabled: %s", strerror(errno));
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return gnt_fail(err, "the process cannot be made undumpable: %s", strerror(errno));
    if (!(without & GNT_SANDBOX_LANDLOCK) &&
        note_layer(
            report, GNT_SANDBOX_LANDLOCK,
            gnt_sandbox_enter_landlock(readable, (int)spec->options.landlock_most, &report->landlock, err),
            &s.no_landlock) != 0)
        return -1;
    if (drop_capabilities(err) != 0)
        return -1;
    const struct rlimit none = {0, 0}; /* counts the processes of a user; root is not bound by it */
    if (!spec->may_fork && setrlimit(RLIMIT_NPROC, &none) != 0)
        return gnt_fail(err, "the limit on processes cannot be set: %s", strerror(errno));
    if (!(without & GNT_SANDBOX_SECCOMP) &&
        note_layer(report, GNT_SANDBOX_SECCOMP, gnt_sandbox_enter_filter(spec->may_fork, err),
                   &s.no_filter) != 0)
        return -1;
    s.may_fork = !spec->may_fork && !(report->layers & GNT_SANDBOX_SECCOMP) && can_fork();
    gnt_sandbox_describe(report, &s);
    if (gnt_sandbox_level_of(report->level) < spec->options.least)
        return gnt_fail(err, "the sandbox is %s", report->level);
    return 0;
}

int gnt_sandbox_enter(const gnt_sandbox_spec *spec, gnt_sandbox_report *report, gnt_err *err) {
    gnt_readable readable = {0};
    *report = (gnt_sandbox_report){0};
    int rc = check_one_thread(err);
    sort_once();
    if (rc == 0)
        rc = gnt_sandbox_read_files(&spec->files, spec->whole, err);
    if (rc == 0)
        rc = gnt_sandbox_collect(&readable, err);
    if (rc == 0)
        rc = enter_layers(spec, &readable, report, err);
    if (rc == 0 && !spec->may_fork)
        gnt_sandbox_keep_files();
    for (size_t i = 0; i < readable.n; i++)
        gnt_free(readable.paths[i]);
    gnt_free(readable.paths);
    return rc;
}
