/* The sandbox, from inside: a worker enters it and then tries one act. Forbidden acts must fail behind the
 * walls that are said to stop them, alone and together, and the same acts must succeed without a sandbox, or
 * the test would show nothing. What plugins need must go on working. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "gauntlet/nn.h"
#include "nn/kernels/blas.h"
#include "process/child.h"
#include "process/child_wire.h"
#include "process/sandbox.h"
#include "sandbox_acts.h"

enum { ALL = GNT_SANDBOX_NAMESPACES | GNT_SANDBOX_LANDLOCK | GNT_SANDBOX_SECCOMP };
static const unsigned only_landlock = ALL & ~GNT_SANDBOX_LANDLOCK;
static const unsigned only_namespaces = ALL & ~GNT_SANDBOX_NAMESPACES;
static const unsigned only_filter = ALL & ~GNT_SANDBOX_SECCOMP;
enum { NO_SANDBOX = ALL + 1 }; /* is not even entered */

/* A convolution whose kernel is compiled when the program is planned: ones, so each inner place sums 3·3·16.
 */
static int convolve(gnt_err *err) {
    enum { N = 16 * 5 * 5, M = 16 * 16 * 3 * 3 };
    static float x[N], w[M];
    for (int i = 0; i < M; i++)
        w[i] = 1;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    gnt_graph *g = gnt_graph_new();
    gnt_node in[2] = {gnt_nn_input(g, "x", 4, (int64_t[]){1, 16, 5, 5}, 0),
                      gnt_nn_input(g, "w", 4, (int64_t[]){16, 16, 3, 3}, 0)};
    gnt_node y = gnt_nn_conv(g, in[0], in[1], 1, 1);
    char why[200] = "";
    gnt_program *p = gnt_program_new(g, &y, NULL, 1, 4, why, sizeof why);
    float centre = 0;
    if (p && !gnt_program_bind(p, in[0], x) && !gnt_program_bind(p, in[1], w) && !gnt_program_run(p, 0))
        centre = ((const float *)gnt_program_output(p, 0))[12];
    gnt_program_free(p);
    gnt_graph_free(g);
    return centre == 144 ? 0 : gnt_fail(err, "a convolution gives %g %s", (double)centre, why);
}

/* True if reading changes the access time, for which the kernel uses a clock of some milliseconds. */
static int leaves_a_time(int fd) {
    const struct timespec nap = {0, 20000000};
    struct stat before, after;
    char byte;
    if (fstat(fd, &before) != 0 || nanosleep(&nap, NULL) != 0 || pread(fd, &byte, 1, 0) < 0 ||
        fstat(fd, &after) != 0)
        return 1;
    return before.st_atim.tv_sec != after.st_atim.tv_sec || before.st_atim.tv_nsec != after.st_atim.tv_nsec;
}

/* What a plugin needs, all in one child. */
static int needed(const gnt_worker *w, gnt_err *err) {
    char *path = within(w, "plugin.so");
    void *object = dlopen(gnt_sandbox_place(path), RTLD_NOW | RTLD_LOCAL);
    gnt_free(path);
    if (!object)
        return gnt_fail(err, "the allowed plugin does not load: %s", dlerror());
    if (!dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL))
        return gnt_fail(err, "a library that is loaded already does not load: %s", dlerror());
    if (leaves_a_time(gnt_worker_input(w, "in", NULL)))
        return gnt_fail(err, "reading an input changes its access time, which other processes see");
    char *block = malloc(100 << 20);
    if (!block)
        return gnt_fail(err, "no 100 MB");
    memset(block, 1, 100 << 20);
    free(block);
    enum { N = 300 };
    float *a = gnt_aligned(N * N, sizeof *a), *c = gnt_aligned(N * N, sizeof *c);
    for (int i = 0; a && i < N * N; i++)
        a[i] = 1;
    if (gnt_blas_open(err) != 0)
        return -1;
    gnt_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a, N, 0, c, N);
    float last = c[N * N - 1];
    gnt_free_aligned(a);
    gnt_free_aligned(c);
    if (last != N)
        return gnt_fail(err, "sgemm gives %g", (double)last);
    struct timespec now, nap = {0, 1000};
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || nanosleep(&nap, NULL) != 0)
        return gnt_fail(err, "no clock");
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED || mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0)
        return gnt_fail(err, "no executable pages, which compiled kernels need: %s", strerror(errno));
    if (convolve(err) != 0)
        return -1;
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_worker_read(w, "in", 100, &bytes, &size, err) != 0)
        return -1;
    gnt_worker_progress(1, 2);
    int rc = gnt_worker_write(w, "out", bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int maps_shared(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        munmap(page, 4096);
    return page != MAP_FAILED;
}

static int forks(void) {
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

/* Which acts a copy of this process succeeds in, as bits. */
static int acts_of_copy(int alone) {
    const pid_t parent = getpid(), pid = fork();
    int status = 0;
    if (pid == 0) {
        struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        const struct sock_fprog program = {.len = 1, .filter = &allow};
        if (alone)
            gnt_sandbox_forbid_processes();
        _exit(forks() | (kill(parent, 0) == 0) << 1 | maps_shared() << 2 |
              (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0) << 3 |
              (memfd_create("x", 0) >= 0) << 4 | (wake_others(NULL) == 0) << 5 |
              (fstat(GNT_FD_STATUS, &(struct stat){0}) == 0) << 6);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Where copies of the process are let through: what they share, and what each gives up. */
static int copies(gnt_err *err) {
    if (maps_shared())
        return gnt_fail(err, "memory can be shared with copies");
    const int before = acts_of_copy(0), after = acts_of_copy(1);
    if (before != (1 | 2 | 8 | 16 | 32 | 64))
        return gnt_fail(err, "a copy succeeds in the acts %d, expected all but sharing memory", before);
    return after == 0 ? 0 : gnt_fail(err, "a copy that stands alone succeeds in the acts %d", after);
}

static int worker(void) {
    gnt_err err = {0};
    gnt_worker w;
    gnt_sandbox_report report = {0};
    if (gnt_worker_open(&w, &err) != 0)
        return 2;
    const char *name = given_text(&w, "act");
    int rc = 0, why;
    if (w.launch.sandbox)
        rc = gnt_sandbox_enter(w.launch.sandbox, &report, &err);
    json_t *stops = json_array();
    for (size_t i = 0; rc == 0 && i < N_FORBIDDEN; i++)
        if (strcmp(name, forbidden[i].name) == 0 ||
            (strcmp(name, "all") == 0 && !(forbidden[i].how & ALONE))) {
            why = forbidden[i].try_it(&w) == 0 ? 0 : errno ? errno : -1;
            json_array_append_new(stops, json_integer(why));
        }
    if (rc == 0 && strcmp(name, "needed") == 0)
        rc = needed(&w, &err);
    if (rc == 0 && strcmp(name, "copies") == 0)
        rc = copies(&err);
    if (rc == 0 && strcmp(name, "abort") == 0)
        abort();
    json_t *facts = json_pack("{s:o, s:i, s:i, s:s}", "stops", stops, "walls", (int)report.layers, "landlock",
                              report.landlock, "remark", report.remark);
    int code = gnt_worker_finish(rc ? "failed" : "ok", err.text, report.level, facts, NULL);
    json_decref(facts);
    gnt_worker_close(&w);
    return code;
}

/* The parent's side. */

static char folder[] = "/tmp/gnt-sandbox-XXXXXX";
static int port, shared = -1, listening[3];

static gnt_child *run(const char *name, unsigned without, int landlock_most) {
    gnt_err err = {0};
    gnt_child *child = NULL;
    char plugin[PATH_MAX];
    struct stat st = {0};
    snprintf(plugin, sizeof plugin, "%s/plugin.so", folder);
    assert_int_equal(stat(plugin, &st), 0);
    json_t *request = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I}", "act", name, "folder", folder, "port",
                                port, "shared", shared, "address", (json_int_t)(uintptr_t)truth, "number",
                                (json_int_t)st.st_ino, "device", (json_int_t)st.st_dev);
    const char *const file = strcmp(name, "enter a missing file") == 0 ? "/nowhere/plugin.so" : plugin;
    const gnt_sandbox_spec sandbox = {.files = {&file, 1},
                                      .options = {.without = without, .landlock_most = landlock_most},
                                      .may_fork = strcmp(name, "copies") == 0};
    gnt_child_input in = {.name = "in", .bytes = "hello", .size = 5};
    gnt_child_output out = {.name = "out", .most = 100};
    gnt_child_spec spec = {.request = request,
                           .sandbox = without == NO_SANDBOX ? NULL : &sandbox,
                           .inputs = &in,
                           .n_inputs = 1,
                           .outputs = &out,
                           .n_outputs = 1,
                           .seconds = 20};
    if (gnt_child_start(&child, &spec, &err) != 0)
        fail_msg("%s", err.text);
    json_decref(request);
    assert_int_equal(gnt_children_wait(&child, 1, 30000), 0);
    return child;
}

static json_int_t fact(const gnt_child *child, const char *name) {
    return json_integer_value(
        json_object_get(json_object_get(gnt_child_result_of(child)->status, "facts"), name));
}

static const json_t *stops_of(const gnt_child *child) {
    return json_object_get(json_object_get(gnt_child_result_of(child)->status, "facts"), "stops");
}

static const char *level(const gnt_child *child) {
    return json_string_value(json_object_get(gnt_child_result_of(child)->status, "sandbox"));
}

/* Skips the test; tests/run prints the reason. */
static void skip_for(const char *reason) {
    print_message("skip: %s\n", reason);
    skip();
}

/* True if the act, tried in a process of its own, was refused, or the filter ended the process. A kernel
 * without 32-bit calls ends it by a fault at the gate. */
static int stopped_alone(const act *a, unsigned without, int landlock_most) {
    gnt_err reason = {0};
    gnt_child *child = run(a->name, without, landlock_most);
    const char *word = gnt_child_verdict(child, &reason);
    int rc;
    if (strcmp(word, "ok") == 0)
        rc = json_integer_value(json_array_get(stops_of(child), 0)) != 0;
    else
        rc = gnt_child_result_of(child)->signal == SIGSYS || strstr(a->name, "32-bit gate");
    if (strcmp(word, "ok") != 0 && !rc && strcmp(a->name, "execve") != 0)
        fail_msg("%s: %s: %s", a->name, word, reason.text);
    gnt_child_free(child);
    return rc;
}

static void put(const char *name, const void *bytes, size_t size) {
    gnt_err err = {0};
    char *path = gnt_format("%s/%s", folder, name);
    if (gnt_file_write(path, bytes, size, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(path);
}

/* Tries all acts: stopped[i] is the result of forbidden[i]. words (may be NULL): the level. */
static void try_all(int stopped[N_FORBIDDEN], char words[GNT_SANDBOX_WORDS], unsigned without,
                    int landlock_most) {
    gnt_err reason = {0};
    put("spare", "x", 1);
    gnt_child *child = run("all", without, landlock_most);
    if (strcmp(gnt_child_verdict(child, &reason), "ok") != 0)
        fail_msg("without %u: %s", without, reason.text);
    if (words)
        snprintf(words, GNT_SANDBOX_WORDS, "%s", level(child));
    for (size_t i = 0, k = 0; i < N_FORBIDDEN; i++)
        if (!(forbidden[i].how & ALONE))
            stopped[i] = json_integer_value(json_array_get(stops_of(child), k++)) != 0;
    gnt_child_free(child);
    for (size_t i = 0; i < N_FORBIDDEN; i++)
        if (forbidden[i].how & ALONE)
            stopped[i] = stopped_alone(&forbidden[i], without, landlock_most);
}

static unsigned walls_here(int *landlock) {
    gnt_child *child = run("nothing", 0, 0);
    gnt_err reason = {0};
    if (strcmp(gnt_child_verdict(child, &reason), "ok") != 0)
        fail_msg("%s", reason.text);
    unsigned walls = (unsigned)fact(child, "walls");
    *landlock = (int)fact(child, "landlock");
    gnt_child_free(child);
    return walls;
}

static void acts_succeed_without_a_sandbox(void **state) {
    (void)state;
    int stopped[N_FORBIDDEN];
    try_all(stopped, NULL, NO_SANDBOX, 0);
    for (size_t i = 0; i < N_FORBIDDEN; i++)
        if ((forbidden[i].how & CONTROL) && stopped[i])
            fail_msg("%s: fails without a sandbox too", forbidden[i].name);
}

/* True if the level says that the act may succeed. */
static int said_to_be_open(const act *a, const char *words) {
    char all[200], *rest = all;
    snprintf(all, sizeof all, "%s", a->open);
    for (char *one; (one = strsep(&rest, "|"));)
        if (strstr(words, one))
            return 1;
    return 0;
}

/* What a level does not call open is closed, whatever walls are missing. */
static void what_is_called_closed_is_closed(void **state) {
    (void)state;
    static const struct {
        unsigned without;
        int landlock_most;
    } sets[] = {{0, 0},
                {0, 1},
                {GNT_SANDBOX_NAMESPACES, 1},
                {GNT_SANDBOX_NAMESPACES, 2},
                {GNT_SANDBOX_NAMESPACES, 3},
                {GNT_SANDBOX_NAMESPACES, 0},
                {GNT_SANDBOX_LANDLOCK, 0},
                {GNT_SANDBOX_SECCOMP, 0},
                {GNT_SANDBOX_SECCOMP, 2},
                {only_landlock, 1},
                {only_landlock, 2},
                {only_landlock, 3},
                {only_landlock, 0},
                {only_namespaces, 0},
                {only_filter, 0},
                {ALL, 0}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        char words[GNT_SANDBOX_WORDS];
        int stopped[N_FORBIDDEN];
        try_all(stopped, words, sets[k].without, sets[k].landlock_most);
        for (size_t i = 0; i < N_FORBIDDEN; i++)
            if (!stopped[i] && !said_to_be_open(&forbidden[i], words))
                fail_msg("%s: succeeds without %u and Landlock at most %d, where the sandbox is %s",
                         forbidden[i].name, sets[k].without, sets[k].landlock_most, words);
    }
}

/* What each wall alone closes, so that a level that calls everything open would be found out. */
static void each_wall_closes_its_own(void **state) {
    (void)state;
    int landlock;
    const unsigned walls = walls_here(&landlock);
    const struct {
        unsigned wall, without;
        const char *closed;
    } each[] = {{GNT_SANDBOX_LANDLOCK, only_landlock, FILES "|" MEMORY},
                {GNT_SANDBOX_NAMESPACES, only_namespaces, MEMORY "|" SHARED},
                {GNT_SANDBOX_SECCOMP, only_filter,
                 NETWORK "|" SHARED "|" SIGNALS "|" LIMITS "|" PROCESSES "|" KERNEL}};
    for (size_t k = 0; k < 3; k++) {
        if (!(walls & each[k].wall))
            continue;
        gnt_child *child = run("nothing", each[k].without, 0);
        char all[200], *rest = all;
        snprintf(all, sizeof all, "%s", each[k].closed);
        for (char *one; (one = strsep(&rest, "|"));)
            if (strstr(level(child), one))
                fail_msg("without %u: %s is called open: %s", each[k].without, one, level(child));
        gnt_child_free(child);
    }
}

static void needed_acts_work(void **state) {
    (void)state;
    const unsigned sets[] = {0, only_landlock, only_namespaces, only_filter, GNT_SANDBOX_NAMESPACES};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        gnt_err reason = {0};
        gnt_child *child = run("needed", sets[i], 0);
        const char *word = gnt_child_verdict(child, &reason);
        if (strcmp(word, "ok") != 0)
            fail_msg("without %u: %s: %s", sets[i], word, reason.text);
        uint8_t *bytes = NULL;
        size_t size = 0;
        assert_int_equal(gnt_child_output_read(child, "out", &bytes, &size, &reason), 0);
        assert_int_equal(size, 5);
        gnt_free(bytes);
        gnt_child_free(child);
    }
}

static void copies_share_nothing(void **state) {
    (void)state;
    int landlock;
    gnt_err reason = {0};
    if (!(walls_here(&landlock) & GNT_SANDBOX_SECCOMP))
        skip_for("this kernel lacks the system-call filter");
    gnt_child *child = run("copies", 0, 0);
    if (strcmp(gnt_child_verdict(child, &reason), "ok") != 0)
        fail_msg("%s", reason.text);
    gnt_child_free(child);
}

static void crashes_stay_visible(void **state) {
    (void)state;
    gnt_child *child = run("abort", 0, 0);
    assert_int_equal(gnt_child_result_of(child)->signal, SIGABRT);
    gnt_child_free(child);
}

static void expect_level(unsigned without, int landlock_most, const char *start) {
    gnt_child *child = run("nothing", without, landlock_most);
    if (strncmp(level(child), start, strlen(start)) != 0)
        fail_msg("without %u: \"%s\", expected \"%s\"", without, level(child), start);
    gnt_child_free(child);
}

static void the_level_says_what_is_missing(void **state) {
    (void)state;
    int landlock;
    const unsigned walls = walls_here(&landlock);
    if (!landlock || !(walls & GNT_SANDBOX_SECCOMP))
        skip_for("this kernel lacks Landlock or the system-call filter");
    expect_level(0, 0, "full");
    expect_level(GNT_SANDBOX_NAMESPACES, 1, "full");
    expect_level(only_landlock, 2,
                 "partial: no system-call filter (left out); open: modes and lengths of files, ");
    expect_level(only_filter, 0,
                 "partial: no Landlock (left out), no mount namespace (left out); open: the user's files, ");
    expect_level(
        ALL, 0,
        "weak: no Landlock (left out), no mount namespace (left out), no system-call filter (left out); ");
    gnt_child *child = run("nothing", only_landlock, 2);
    assert_int_equal(fact(child, "landlock"), 2);
    gnt_child_free(child);
    assert_int_equal(gnt_sandbox_level_of("full"), GNT_SANDBOX_FULL);
    assert_int_equal(gnt_sandbox_level_of("full of holes"), GNT_SANDBOX_WEAK);
    assert_int_equal(gnt_sandbox_level_of("partial: no x"), GNT_SANDBOX_PARTIAL);
    assert_int_equal(gnt_sandbox_level_of(""), GNT_SANDBOX_WEAK);
}

static void a_missing_file_is_a_failure(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("enter a missing file", 0, 0);
    assert_string_equal(gnt_child_verdict(child, &reason), "failed");
    assert_non_null(strstr(reason.text, "/nowhere/plugin.so"));
    gnt_child_free(child);
}

static int find_jansson(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    if (!strstr(info->dlpi_name, "libjansson"))
        return 0;
    snprintf(user, 512, "%s", info->dlpi_name);
    return 1;
}

/* A port, a name in the folder and an abstract one, for the acts to reach; memory to attach. */
static int listen_everywhere(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un named = name_of(folder, 0), abstract = name_of(folder, 1);
    socklen_t size = sizeof at;
    for (int i = 0; i < 3; i++)
        listening[i] = socket(i ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    shared = shmget(IPC_PRIVATE, 4096, 0600);
    if (bind(listening[0], (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(listening[0], (struct sockaddr *)&at, &size) != 0 ||
        bind(listening[1], (struct sockaddr *)&named, sizeof named) != 0 ||
        bind(listening[2], (struct sockaddr *)&abstract, sizeof abstract) != 0 || shared < 0)
        return -1;
    port = ntohs(at.sin_port);
    for (int i = 0; i < 3; i++)
        if (listen(listening[i], 1000) != 0)
            return -1;
    return 0;
}

/* Any shared object will do for a plugin: a copy is another file and is loaded again. */
static int set_up(void **state) {
    (void)state;
    char library[512] = "";
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_err err = {0};
    if (!mkdtemp(folder) || !dl_iterate_phdr(find_jansson, library) ||
        gnt_file_read(library, 64 << 20, &bytes, &size, &err) != 0)
        return -1;
    put("plugin.so", bytes, size);
    put("other.so", bytes, size);
    put("data.bin", "private.", 8);
    put("spare", "x", 1);
    gnt_free(bytes);
    return listen_everywhere();
}

static int tear_down(void **state) {
    (void)state;
    const char *const names[] = {"plugin.so", "other.so", "data.bin", "spare", "made", "socket"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = gnt_format("%s/%s", folder, names[i]);
        unlink(path);
        gnt_free(path);
    }
    for (int i = 0; i < 3; i++)
        close(listening[i]);
    shmctl(shared, IPC_RMID, NULL);
    return rmdir(folder);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "worker") == 0)
        return worker();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_called_closed_is_closed),
        cmocka_unit_test(each_wall_closes_its_own),
        cmocka_unit_test(acts_succeed_without_a_sandbox),
        cmocka_unit_test(needed_acts_work),
        cmocka_unit_test(copies_share_nothing),
        cmocka_unit_test(crashes_stay_visible),
        cmocka_unit_test(the_level_says_what_is_missing),
        cmocka_unit_test(a_missing_file_is_a_failure),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
