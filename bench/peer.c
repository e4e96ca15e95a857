#include "peer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int read_line(peer *p, char *line, int size) {
    return p->from && fgets(line, size, p->from) ? 0 : -1;
}

static int is_ready(peer *p, char *line) {
    static const char word[] = "ready";
    const size_t n = sizeof word - 1;
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
        return 0;
    snprintf(p->version, sizeof p->version, "%.63s", line[n] ? line + n + 1 : "");
    return 1;
}

int peer_open(peer *p, char *const argv[]) {
    int in[2], out[2];
    char line[256];
    *p = (peer){0};
    if (pipe2(in, O_CLOEXEC))
        return -1;
    if (pipe2(out, O_CLOEXEC)) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    p->pid = fork();
    if (p->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execv(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    if (p->pid > 0 && p->to && p->from && read_line(p, line, sizeof line) == 0 && is_ready(p, line))
        return 0;
    peer_close(p);
    return -1;
}

int peer_request(peer *p, const char *request, double *numbers, int n) {
    char line[256] = "";
    if (!p->pid)
        return -1;
    int rc = fprintf(p->to, "%s\n", request) < 0 || fflush(p->to) || read_line(p, line, sizeof line);
    char *at = line;
    for (int i = 0; i < n && !rc; i++) {
        char *end;
        numbers[i] = strtod(at, &end);
        rc = end == at;
        at = end;
    }
    if (rc)
        peer_close(p);
    return rc ? -1 : 0;
}

void peer_close(peer *p) {
    if (p->to)
        fclose(p->to);
    if (p->from)
        fclose(p->from);
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
    *p = (peer){0};
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int peer_time(char *const argv[], double *wall, double *peak) {
    int status;
    struct rusage usage;
    double began = now();
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        execv(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return -1;
    *wall = now() - began;
    *peak = 1024 * (double)usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
