/* sandbox_filter: the seccomp layer. Unlisted calls fail with EPERM, so that a library that only tries one
 * continues. Calls that only an attack would make kill the process, so that the attempt is noticed. */
#include "process/sandbox_layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include "process/child_wire.h"

/* Reading and writing open descriptors, memory, clocks, waiting, the process itself. */
static const int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(pwritev),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    /* the loader stats files before it opens them; the existence of other files can be seen */
    SCMP_SYS(newfstatat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(brk),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(nanosleep),
    SCMP_SYS(times),
    SCMP_SYS(sched_yield),
    SCMP_SYS(getcpu),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getppid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getrlimit),
    SCMP_SYS(uname),
    SCMP_SYS(getrandom),
};

/* Calls that kill the process: access to other processes, changes to the kernel or to its state for the user,
 * ways around the filter. */
static const int killing[] = {
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(reboot),
    SCMP_SYS(personality),
    SCMP_SYS(modify_ldt),
};

/* Calls for threads, forks and waiting, allowed to detect whether a plugin leaves any; and for the plugin's
 * files, which are copied again for each fork (sandbox_private.c). */
static const int forking[] = {SCMP_SYS(clone),           SCMP_SYS(fork),        SCMP_SYS(vfork),
                              SCMP_SYS(wait4),           SCMP_SYS(waitid),      SCMP_SYS(rseq),
                              SCMP_SYS(set_robust_list), SCMP_SYS(memfd_create)};

/* Refuses shared memory, in which one fork could leave data for the next. */
static int add_mapping(scmp_filter_ctx filter, int may_fork) {
    if (!may_fork)
        return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 0);
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                            SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_TYPE, MAP_PRIVATE));
}

/* Advice on the caller's own mappings, as malloc and the host give. All other advice reads, drops or merges
 * pages that processes share, and one process could leave data for another in which of them are resident. */
static const int advice[] = {MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE};

static int add_advice(scmp_filter_ctx filter) {
    int rc = 0;
    for (size_t i = 0; i < sizeof advice / sizeof *advice && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(madvise), 1,
                              SCMP_A2(SCMP_CMP_EQ, (scmp_datum_t)advice[i]));
    return rc;
}

/* Allows the fixed clocks. Negative ids are clocks of other processes, which count their processor time. */
static int add_clocks(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep)};
    const scmp_datum_t above_15 = 0xfffffff0;
    int rc = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1, SCMP_A0(SCMP_CMP_MASKED_EQ, above_15, 0));
    return rc;
}

/* Allows futexes of this process. Others are found by the file that is mapped there, read-only mappings of
 * libc among them, and any two processes could wait and wake on them. Joining a thread needs one. */
static int add_futex(scmp_filter_ctx filter, int may_fork) {
    const scmp_datum_t own = may_fork ? 0 : FUTEX_PRIVATE_FLAG;
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(futex), 1,
                            SCMP_A1(SCMP_CMP_MASKED_EQ, own, own));
}

/* Allows further seccomp filters, without flags: a listener would let another process decide. */
static int add_further_filters(scmp_filter_ctx filter) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(seccomp), 2,
                            SCMP_A0(SCMP_CMP_EQ, SECCOMP_SET_MODE_FILTER), SCMP_A1(SCMP_CMP_EQ, 0));
}

/* Calls that libc tries first, and replaces by older ones if the kernel lacks them; their arguments are in
 * memory, where a filter cannot check them. */
static const int unknown[] = {SCMP_SYS(clone3), SCMP_SYS(openat2), SCMP_SYS(statx), SCMP_SYS(faccessat2)};

static int add_all(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n) {
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = seccomp_rule_add(filter, action, calls[i], 0);
    return rc;
}

/* Allows opening for reading only: without any flag that could write or create a file, and without O_PATH,
 * which Landlock does not check. */
static int add_opening(scmp_filter_ctx filter) {
    const scmp_datum_t writing =
        O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY) | O_PATH;
    int rc =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, writing, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, writing, 0));
    return rc;
}

/* Allows signals to this process only (for abort and raise), and reading, not changing, limits and descriptor
 * flags. Real-time signals are refused: one limit on those that are pending holds for all processes of a
 * user. */
static int add_own(scmp_filter_ctx filter) {
    const scmp_datum_t self = (scmp_datum_t)getpid(), real_time = 32;
    static const int commands[] = {F_GETFD, F_SETFD, F_GETFL, F_GET_SEALS};
    int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 2, SCMP_A0(SCMP_CMP_EQ, self),
                              SCMP_A2(SCMP_CMP_LT, real_time));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 2, SCMP_A0(SCMP_CMP_EQ, self),
                              SCMP_A1(SCMP_CMP_LT, real_time));
    if (rc == 0)
        rc =
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sched_getaffinity), 1, SCMP_A0(SCMP_CMP_EQ, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                              SCMP_A2(SCMP_CMP_EQ, 0));
    for (size_t i = 0; i < sizeof commands / sizeof *commands && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                              SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)commands[i]));
    return rc;
}

gnt_layer_outcome gnt_sandbox_enter_filter(int may_fork, gnt_err *err) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter)
        return gnt_fail(err, "out of memory for a system-call filter");
    int rc = add_all(filter, SCMP_ACT_ALLOW, allowed, sizeof allowed / sizeof *allowed);
    if (rc == 0 && may_fork)
        rc = add_all(filter, SCMP_ACT_ALLOW, forking, sizeof forking / sizeof *forking);
    if (rc == 0)
        rc = add_all(filter, SCMP_ACT_KILL_PROCESS, killing, sizeof killing / sizeof *killing);
    if (rc == 0)
        rc = add_all(filter, SCMP_ACT_ERRNO(ENOSYS), unknown, sizeof unknown / sizeof *unknown);
    if (rc == 0)
        rc = add_mapping(filter, may_fork);
    if (rc == 0)
        rc = add_advice(filter);
    if (rc == 0)
        rc = add_clocks(filter);
    if (rc == 0)
        rc = add_futex(filter, may_fork);
    if (rc == 0 && may_fork)
        rc = add_further_filters(filter);
    if (rc == 0)
        rc = add_opening(filter);
    if (rc == 0)
        rc = add_own(filter);
    if (rc != 0) {
        seccomp_release(filter);
        return gnt_fail(err, "a system-call filter cannot be built: %s", strerror(-rc));
    }
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS); /* 32-bit and x32 calls */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a binary tree: calls are frequent, rules many */
    rc = seccomp_load(filter);
    seccomp_release(filter);
    errno = -rc;
    return rc == 0 ? GNT_LAYER_ENTERED : GNT_LAYER_MISSING;
}

/* Architectures that are younger than fork and vfork, as AArch64, have neither: clone does it all. */
#ifdef SYS_fork
#define FORK SYS_fork
#define VFORK SYS_vfork
#else
#define FORK UINT32_MAX /* the number of no call */
#define VFORK UINT32_MAX
#endif

/* Adds a filter to the one in force; the strictest result counts. Written by hand, since the library needs
 * calls that the first filter refuses. In addition to processes it refuses what one copy could leave in the
 * pipes that all copies inherit, for their times change when they are used, and in futexes. */
void gnt_sandbox_forbid_processes(void) {
#define REFUSED(call, jumps) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), (jumps), 0)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
    static struct sock_filter code[] = {
        LOAD(offsetof(struct seccomp_data, nr)),
        REFUSED(SYS_clone, 17),
        REFUSED(SYS_clone3, 16),
        REFUSED(FORK, 15),
        REFUSED(VFORK, 14),
        REFUSED(SYS_kill, 13),
        REFUSED(SYS_tgkill, 12),
        REFUSED(SYS_seccomp, 11),
        REFUSED(SYS_memfd_create, 10),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 3, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        /* futex: its operation */
        LOAD(offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, FUTEX_PRIVATE_FLAG, 3, 4),
        /* fstat and newfstatat: the descriptor */
        LOAD(offsetof(struct seccomp_data, args[0])),
        REFUSED(STDERR_FILENO, 2),
        REFUSED(GNT_FD_STATUS, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
#undef LOAD
#undef REFUSED
    const struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    gnt_sandbox_close_files();
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
