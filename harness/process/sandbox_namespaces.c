/* sandbox_namespaces: the layer of namespaces. A root with only the readable files, a network without
 * devices, ids that own nothing. All of it belongs to this process and disappears with it. */
#include "process/sandbox_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

static int write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Maps the id of this process to nobody. */
static int map_ids(uid_t uid, gid_t gid) {
    char line[64];
    write_text("/proc/self/setgroups", "deny"); /* missing in older kernels */
    snprintf(line, sizeof line, "65534 %ld 1", (long)uid);
    if (write_text("/proc/self/uid_map", line) != 0)
        return -1;
    snprintf(line, sizeof line, "65534 %ld 1", (long)gid);
    return write_text("/proc/self/gid_map", line);
}

/* Makes all parent folders of a path that is relative to the new root. */
static int make_parents(char *path) {
    for (char *at = path; (at = strchr(at, '/')); *at++ = '/') {
        *at = 0;
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

/* Returns flags to repeat, without which an unprivileged remount is refused. */
static unsigned long kept_flags(const char *path) {
    struct statvfs fs;
    if (statvfs(path, &fs) != 0)
        return 0;
    unsigned long flags = 0;
    flags |= fs.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
    flags |= fs.f_flag & ST_NOATIME ? MS_NOATIME : 0;
    flags |= fs.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
    flags |= fs.f_flag & ST_RELATIME ? MS_RELATIME : 0;
    return flags;
}

/* Bind-mounts the file open at `source` to `path` (relative to the new root), read-only. */
static int bind_at(int source, char *path, unsigned long flags) {
    struct stat there;
    if (stat(path, &there) == 0)
        return 0; /* one of the process's own */
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", source);
    if (make_parents(path) != 0 || mknod(path, S_IFREG | 0644, 0) != 0 ||
        mount(from, path, NULL, MS_BIND, NULL) != 0)
        return -1;
    return mount(NULL, path, NULL,
                 MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept_flags(path) | flags, NULL);
}

/* Bind-mounts the file open at `source` to an absolute path of the new root, which is the working folder. */
static int bind_file(int source, const char *absolute, unsigned long flags) {
    char *path = gnt_strdup(absolute + 1);
    const int rc = path ? bind_at(source, path, flags) : -1;
    gnt_free(path);
    return rc;
}

/* Makes the process's own copy of file i in the folder `own` and mounts it. Reading it leaves no time. */
static int bind_own(size_t i) {
    char name[32];
    snprintf(name, sizeof name, "own/%zu", i);
    const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (fd < 0 || gnt_sandbox_write_file(i, fd) != 0)
        return -1;
    return bind_file(fd, gnt_sandbox_file(i).path, MS_NOATIME);
}

/* Mounts the process's own files. Their file system remains writable by open descriptors and has no path. */
static int bind_all_own(void) {
    size_t bytes = 1 << 20;
    char options[64];
    for (size_t i = 0; i < gnt_sandbox_n_files(); i++)
        bytes += gnt_sandbox_file(i).size;
    snprintf(options, sizeof options, "size=%zu,mode=755", bytes);
    if (mkdir("own", 0755) != 0 || mount("gauntlet", "own", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        return -1;
    for (size_t i = 0; i < gnt_sandbox_n_files(); i++)
        if (bind_own(i) != 0)
            return -1;
    return umount2("own", MNT_DETACH) != 0 ? -1 : rmdir("own");
}

/* Mounts an empty root over a folder that every system has, and enters it. */
static int mount_root(void) {
    static const char *const places[] = {"/tmp", "/var", "/usr"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (mount("gauntlet", places[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=1m,mode=755") == 0)
            return chdir(places[i]);
    return -1;
}

/* Opens sources before the new root may hide them. */
static int build_root(const gnt_readable *readable, int *sources) {
    for (size_t i = 0; i < readable->n; i++)
        if ((sources[i] = open(readable->paths[i], O_PATH | O_CLOEXEC)) < 0)
            return -1;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount_root() != 0)
        return -1;
    if (bind_all_own() != 0)
        return -1;
    for (size_t i = 0; i < readable->n; i++)
        if (bind_file(sources[i], readable->paths[i], 0) != 0)
            return -1;
    if (mount(NULL, ".", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) !=
        0)
        return -1;
    /* stacks the old root on the new one, then unmounts it */
    return syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0 ? -1
                                                                                                      : 0;
}

gnt_layer_outcome gnt_sandbox_enter_namespaces(const gnt_readable *readable, int *files_closed,
                                               gnt_err *err) {
    uid_t uid = geteuid();
    gid_t gid = getegid();
    *files_closed = 0;
    int *sources = gnt_array(readable->n + 1, sizeof *sources);
    if (!sources)
        return gnt_fail(err, "out of memory for a sandbox");
    for (size_t i = 0; i < readable->n; i++)
        sources[i] = -1;
    const int entered = unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) == 0;
    *files_closed = entered && map_ids(uid, gid) == 0 && build_root(readable, sources) == 0;
    const int why = errno;
    for (size_t i = 0; i < readable->n; i++)
        if (sources[i] >= 0)
            close(sources[i]);
    gnt_free(sources);
    errno = why;
    return entered ? GNT_LAYER_ENTERED : GNT_LAYER_MISSING;
}
