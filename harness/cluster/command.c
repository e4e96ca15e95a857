#include "cluster/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { SECONDS = 120 };

extern char **environ;

static void close_both(int pair[2]) {
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

/* Starts the program with its output and its errors in two pipes. */
static int start(const char *const *argv, pid_t *pid, int out[2], int errors[2], gnt_err *err) {
    posix_spawn_file_actions_t actions;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 ||
        posix_spawn_file_actions_init(&actions) != 0)
        return gnt_fail(err, "no pipe to %s can be made: %s", argv[0], strerror(errno));
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
    int why = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return why == 0 ? 0
                    : gnt_fail(err, "%s cannot be started: %s; Slurm's commands must be on the PATH", argv[0],
                               strerror(why));
}

/* Reads both until they are closed; −1 after SECONDS. */
static int listen_to(int out, int errors, gnt_text *said, gnt_text *wrong) {
    struct pollfd polls[2] = {{.fd = out, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
    gnt_text *to[2] = {said, wrong};
    const double until = gnt_clock() + SECONDS;
    while (polls[0].fd >= 0 || polls[1].fd >= 0) {
        char piece[1 << 14];
        if (gnt_clock() > until)
            return -1;
        if (poll(polls, 2, 1000) < 0 && errno != EINTR)
            return -1;
        for (int i = 0; i < 2; i++) {
            if (polls[i].fd < 0 || !polls[i].revents)
                continue;
            ssize_t n = read(polls[i].fd, piece, sizeof piece);
            if (n > 0)
                gnt_text_bytes(to[i], piece, (size_t)n);
            else if (n == 0 || errno != EINTR)
                polls[i].fd = -1;
        }
    }
    return 0;
}

int gnt_command(const char *const *argv, gnt_text *out, gnt_text *errors, int *code, gnt_err *err) {
    int said[2] = {-1, -1}, wrong[2] = {-1, -1}, status = 0;
    pid_t pid = 0;
    int rc = start(argv, &pid, said, wrong, err);
    if (rc == 0) {
        close(said[1]);
        close(wrong[1]);
        said[1] = wrong[1] = -1;
        if (listen_to(said[0], wrong[0], out, errors) != 0) {
            kill(pid, SIGKILL);
            rc = gnt_fail(err, "%s did not end within %d s and was ended; is slurmctld there?", argv[0],
                          SECONDS);
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close_both(said);
    close_both(wrong);
    return rc;
}
