#include "report/plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, SAID = 400, FAILED_EXEC = 127 };

/* Makes the environment of gnuplot with what it needs; its own variables (GNUTERM, GNUPLOT_LIB, …) would
 * change pictures. */
static char *const *environment(char *slots[4], char *path, size_t size) {
    const char *found = getenv("PATH");
    int n = snprintf(path, size, "PATH=%s", found && found[0] ? found : "/usr/local/bin:/usr/bin:/bin");
    slots[0] = n > 0 && (size_t)n < size ? path : "PATH=/usr/local/bin:/usr/bin:/bin";
    slots[1] = "LC_ALL=C.UTF-8";
    slots[2] = "HOME=/nonexistent";
    slots[3] = NULL;
    return slots;
}

static pid_t start(const char *folder, char *const argv[], int output[2]) {
    char path[4096], *slots[4];
    char *const *envp = environment(slots, path, sizeof path);
    if (pipe2(output, O_CLOEXEC))
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* or it would go on drawing where the next report draws */
        if (getppid() != parent)
            _exit(FAILED_EXEC);
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (null >= 0 && dup2(null, 0) >= 0 && dup2(output[1], 1) >= 0 && dup2(output[1], 2) >= 0 &&
            chdir(folder) == 0) {
            setpgid(0, 0);
            execvpe(argv[0], argv, envp);
        }
        _exit(FAILED_EXEC);
    }
    int saved = errno;
    close(output[1]);
    if (pid < 0)
        close(output[0]);
    errno = saved;
    return pid;
}

/* Reads until the child closes its end or stays silent for SECONDS; keeps the beginning. */
static void listen(int fd, pid_t pid, char said[SAID]) {
    size_t n = 0;
    char rest[512];
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, SECONDS * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0) {
            kill(-pid, SIGKILL);
            break;
        }
        ssize_t got = n < SAID - 1 ? read(fd, said + n, SAID - 1 - n) : read(fd, rest, sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        if (n < SAID - 1)
            n += (size_t)got;
    }
    said[n] = 0;
}

static int run(const char *folder, char *const argv[], char said[SAID], gnt_err *err) {
    int output[2], status = 0;
    said[0] = 0;
    pid_t pid = start(folder, argv, output);
    if (pid < 0)
        return gnt_fail(err, "gnuplot: could not be started: %s", strerror(errno));
    listen(output[0], pid, said);
    close(output[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == FAILED_EXEC)
        return gnt_fail(err, "gnuplot: not found on the PATH; install gnuplot-nox for plots");
    if (WIFSIGNALED(status))
        return gnt_fail(err, "gnuplot: stopped by signal %d: %s", WTERMSIG(status), said);
    return gnt_fail(err, "gnuplot: exit status %d: %s", WEXITSTATUS(status), said);
}

int gnt_gnuplot_present(void) {
    char said[SAID];
    char *const argv[] = {"gnuplot", "--version", NULL};
    return run("/", argv, said, NULL) == 0;
}

int gnt_gnuplot_try(const char *terminal, gnt_err *err) {
    char said[SAID], script[96];
    snprintf(script, sizeof script, "set terminal %s; set output \"/dev/null\"; plot x", terminal);
    char *const argv[] = {"gnuplot", "--default-settings", "-e", script, NULL};
    return run("/", argv, said, err);
}

int gnt_gnuplot_run(const char *folder, const char *script, gnt_err *err) {
    char said[SAID];
    char *const argv[] = {"gnuplot", "--default-settings", (char *)script, NULL};
    if (run(folder, argv, said, err))
        return gnt_fail_in(err, "%s", script);
    if (said[0])
        return gnt_fail(err, "%s: gnuplot said: %s", script, said);
    return 0;
}
