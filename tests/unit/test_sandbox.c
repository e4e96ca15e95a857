/* The sandbox, from inside: a worker enters it and then tries one act. Forbidden acts must fail behind the
 * walls that are said to stop them, alone and together, and the same acts must succeed without a sandbox, or
 * the test would show nothing. What plugins need must go on working. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cblas.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "gauntlet/nn.h"
#include "run/child.h"
#include "run/sandbox.h"

enum { ALL = GNT_SANDBOX_NAMESPACES | GNT_SANDBOX_LANDLOCK | GNT_SANDBOX_SECCOMP };
static const unsigned only_landlock = ALL & ~GNT_SANDBOX_LANDLOCK;
static const unsigned only_namespaces = ALL & ~GNT_SANDBOX_NAMESPACES;
static const unsigned only_filter = ALL & ~GNT_SANDBOX_SECCOMP;

/* The acts: each returns 0 when it succeeded. They may use what the request says: "folder" holds plugin.so,
 * which is allowed, other.so and data.bin, which are not. */
typedef struct act {
    const char *name;
    int (*try_it)(const json_t *request);
    unsigned files;   /* stopped by closed files; else by the filter */
    unsigned control; /* must succeed without a sandbox for any user */
} act;

static char *within(const json_t *request, const char *name) {
    return gnt_format("%s/%s", json_string_value(json_object_get(request, "folder")), name);
}

static int open_and_close(const char *path, int flags) {
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return -1;
    char byte;
    ssize_t got = (flags & O_ACCMODE) == O_RDONLY ? read(fd, &byte, 1) : 0;
    close(fd);
    return got < 0 ? -1 : 0;
}

static int open_within(const json_t *request, const char *name, int flags) {
    char *path = within(request, name);
    int rc = open_and_close(path, flags);
    gnt_free(path);
    return rc;
}

static int read_passwd(const json_t *r) {
    (void)r;
    return open_and_close("/etc/passwd", O_RDONLY);
}

static int read_data(const json_t *r) {
    return open_within(r, "data.bin", O_RDONLY);
}

static int write_data(const json_t *r) {
    return open_within(r, "data.bin", O_WRONLY);
}

/* A descriptor that reads nothing but names a file: Landlock lets it through. */
static int name_data(const json_t *r) {
    char *path = within(r, "data.bin");
    int fd = open(path, O_PATH);
    gnt_free(path);
    return fd < 0 ? -1 : close(fd);
}

static int write_plugin(const json_t *r) {
    return open_within(r, "plugin.so", O_RDWR);
}

static int make_file(const json_t *r) {
    return open_within(r, "made", O_WRONLY | O_CREAT);
}

static int remove_file(const json_t *r) {
    char *path = within(r, "spare");
    int rc = unlink(path);
    gnt_free(path);
    return rc;
}

static int truncate_data(const json_t *r) {
    char *path = within(r, "data.bin");
    int rc = truncate(path, 8);
    gnt_free(path);
    return rc;
}

static int list_folder(const json_t *r) {
    DIR *dir = opendir(json_string_value(json_object_get(r, "folder")));
    if (!dir)
        return -1;
    int rc = -1; /* behind a mount namespace the folder holds the plugin alone */
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, "data.bin") == 0)
            rc = 0;
    closedir(dir);
    return rc;
}

static int list_root(const json_t *r) {
    (void)r;
    return open_and_close("/home", O_RDONLY | O_DIRECTORY) == 0 || errno == EISDIR ? 0 : -1;
}

static int read_parent_memory(const json_t *r) {
    (void)r;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)getppid());
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int read_own_maps(const json_t *r) {
    (void)r;
    return open_and_close("/proc/self/maps", O_RDONLY);
}

static int load_other(const json_t *r) {
    char *path = within(r, "other.so");
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    gnt_free(path);
    return object ? 0 : -1;
}

static int make_socket(const json_t *r) {
    (void)r;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 ? -1 : close(fd);
}

static int make_local_socket(const json_t *r) {
    (void)r;
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static int start_process(const json_t *r) {
    (void)r;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static int start_clone3(const json_t *r) {
    (void)r;
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
    long pid = syscall(435 /* clone3 */, arguments, sizeof arguments);
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : waitpid((pid_t)pid, NULL, 0) == pid ? 0 : -1;
}

static void *nothing(void *user) {
    return user;
}

static int start_thread(const json_t *r) {
    (void)r;
    pthread_t thread;
    if ((errno = pthread_create(&thread, NULL, nothing, NULL)) != 0)
        return -1;
    return pthread_join(thread, NULL);
}

/* The same numbers mean other calls there: 41 is dup, which 64-bit filters know as socket. */
static int call_through_the_old_gate(const json_t *r) {
    (void)r;
#if defined(__x86_64__)
    long rc;
    __asm__ volatile("int $0x80" : "=a"(rc) : "a"(41), "b"(2) : "r8", "r9", "r10", "r11", "memory");
    return rc >= 0 ? 0 : -1;
#else
    errno = ENOSYS;
    return -1;
#endif
}

static int execute(const json_t *r) {
    (void)r;
    char name[] = "/proc/self/exe", *arguments[] = {name, NULL}, *environment[] = {NULL};
    execve(name, arguments, environment); /* if this succeeds, no status line comes */
    return -1;
}

static int trace(const json_t *r) {
    (void)r;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -1 : 0;
}

static int read_process(const json_t *r) {
    char to[8];
    /* the parent is this very program without the same addresses: its own stack serves as well */
    struct iovec mine = {to, sizeof to}, theirs = {&mine, sizeof to};
    (void)r;
    return process_vm_readv(getpid(), &mine, 1, &theirs, 1, 0) < 0 ? -1 : 0;
}

static int signal_parent(const json_t *r) {
    (void)r;
    return kill(getppid(), 0);
}

static int signal_everyone(const json_t *r) {
    (void)r;
    return kill(-1, 0);
}

static int raise_limit(const json_t *r) {
    (void)r;
    struct rlimit core = {0, 0};
    return setrlimit(RLIMIT_CORE, &core);
}

static int make_memory_file(const json_t *r) {
    (void)r;
    int fd = memfd_create("x", 0);
    return fd < 0 ? -1 : close(fd);
}

static int change_folder(const json_t *r) {
    (void)r;
    return chdir("/");
}

static const act forbidden[] = {
    {"read /etc/passwd", read_passwd, 1, 1},
    {"read the data", read_data, 1, 1},
    {"write the data", write_data, 1, 1},
    {"write the plugin", write_plugin, 1, 1},
    {"make a file", make_file, 1, 1},
    {"list the folder", list_folder, 1, 1},
    {"list /home", list_root, 1, 1},
    {"read the parent's memory", read_parent_memory, 1, 0},
    {"read its own maps", read_own_maps, 1, 1},
    {"load another file", load_other, 1, 1},
    {"remove a file", remove_file, 1, 1},
    {"truncate the data", truncate_data, 0, 1},
    {"name the data", name_data, 0, 1},
    {"open a socket", make_socket, 0, 1},
    {"open a local socket", make_local_socket, 0, 1},
    {"fork", start_process, 0, 1},
    {"clone3", start_clone3, 0, 1},
    {"start a thread", start_thread, 0, 1},
    {"call through the 32-bit gate", call_through_the_old_gate, 0, 0},
    {"execve", execute, 0, 0},
    {"ptrace", trace, 0, 1},
    {"process_vm_readv", read_process, 0, 1},
    {"signal the parent", signal_parent, 0, 1},
    {"signal everyone", signal_everyone, 0, 0},
    {"set a limit", raise_limit, 0, 1},
    {"make a memory file", make_memory_file, 0, 1},
    {"change the folder", change_folder, 0, 1},
};
enum { N_FORBIDDEN = sizeof forbidden / sizeof *forbidden };

/* A convolution whose kernel is compiled when the program is planned: ones, so each inner place sums 3·3·16. */
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

/* What a plugin needs, all in one child. */
static int needed(const json_t *request, gnt_err *err) {
    char *path = within(request, "plugin.so");
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    gnt_free(path);
    if (!object)
        return gnt_fail(err, "the allowed plugin does not load: %s", dlerror());
    /* a system library that was not loaded before */
    if (!dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL) && !dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL))
        return gnt_fail(err, "a system library does not load: %s", dlerror());
    char *block = malloc(100 << 20);
    if (!block)
        return gnt_fail(err, "no 100 MB");
    memset(block, 1, 100 << 20);
    free(block);
    enum { N = 300 };
    float *a = gnt_aligned(N * N, sizeof *a), *c = gnt_aligned(N * N, sizeof *c);
    for (int i = 0; a && i < N * N; i++)
        a[i] = 1;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a, N, 0, c, N);
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
    if (gnt_worker_read(request, "in", 100, &bytes, &size, err) != 0)
        return -1;
    gnt_worker_progress(1, 2);
    int rc = gnt_worker_write(request, "out", bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int worker(void) {
    gnt_err err = {0};
    json_t *request = NULL;
    gnt_sandbox_report report = {0};
    if (gnt_worker_request(&request, &err) != 0)
        return 2;
    char *plugin = within(request, "plugin.so");
    const char *files[] = {plugin};
    const unsigned without = (unsigned)json_integer_value(json_object_get(request, "without"));
    gnt_sandbox_spec spec = {.files = files, .n_files = 1, .without = without};
    spec.landlock_most = (int)json_integer_value(json_object_get(request, "landlock_most"));
    const char *name = json_string_value(json_object_get(request, "act"));
    int rc = 0, why = 0;
    if (strcmp(name, "enter a missing file") == 0)
        files[0] = "/nowhere/plugin.so";
    if (without != ALL)
        rc = gnt_sandbox_enter(&spec, &report, &err);
    gnt_free(plugin);
    for (size_t i = 0; rc == 0 && i < N_FORBIDDEN; i++)
        if (strcmp(name, forbidden[i].name) == 0) {
            why = forbidden[i].try_it(request) == 0 ? 0 : errno ? errno : -1;
            break;
        }
    if (rc == 0 && strcmp(name, "needed") == 0)
        rc = needed(request, &err);
    if (rc == 0 && strcmp(name, "abort") == 0)
        abort();
    json_t *facts = json_pack("{s:i, s:i, s:i, s:s}", "errno", why, "walls", (int)report.walls, "landlock",
                              report.landlock, "remark", report.remark);
    int code = gnt_worker_finish(rc ? "failed" : "ok", err.text, report.level, facts);
    json_decref(facts);
    json_decref(request);
    return code;
}

/* The parent's side. */

static char folder[] = "/tmp/gnt-sandbox-XXXXXX";

static gnt_child *run(const char *name, unsigned without, int landlock_most) {
    gnt_err err = {0};
    gnt_child *child = NULL;
    json_t *request = json_pack("{s:s, s:s, s:i, s:i}", "act", name, "folder", folder, "without",
                                (int)without, "landlock_most", landlock_most);
    gnt_child_input in = {.name = "in", .bytes = "hello", .size = 5};
    gnt_child_output out = {.name = "out", .most = 100};
    gnt_child_spec spec = {
        .request = request, .inputs = &in, .n_inputs = 1, .outputs = &out, .n_outputs = 1, .seconds = 20};
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

static const char *level(const gnt_child *child) {
    return json_string_value(json_object_get(gnt_child_result_of(child)->status, "sandbox"));
}

/* The reason goes to whoever counts the tests. */
static void skip_for(const char *reason) {
    print_message("skip: %s\n", reason);
    skip();
}

/* Whether the act was stopped: refused, or the process ended by the filter. */
static int stopped(const act *a, unsigned without, int landlock_most) {
    gnt_err reason = {0};
    gnt_child *child = run(a->name, without, landlock_most);
    const char *word = gnt_child_verdict(child, &reason);
    int rc;
    if (strcmp(word, "ok") == 0)
        rc = fact(child, "errno") != 0;
    else
        rc = gnt_child_result_of(child)->signal == SIGSYS;
    if (strcmp(word, "ok") != 0 && !rc && strcmp(a->name, "execve") != 0)
        fail_msg("%s: %s: %s", a->name, word, reason.text);
    gnt_child_free(child);
    return rc;
}

static unsigned walls_here(int *landlock, int *closed) {
    gnt_child *child = run("nothing", 0, 0);
    gnt_err reason = {0};
    if (strcmp(gnt_child_verdict(child, &reason), "ok") != 0)
        fail_msg("%s", reason.text);
    unsigned walls = (unsigned)fact(child, "walls");
    *landlock = (int)fact(child, "landlock");
    gnt_child_free(child);
    child = run("nothing", GNT_SANDBOX_LANDLOCK, 0);
    *closed = strcmp(level(child), "full") == 0; /* by namespaces alone */
    gnt_child_free(child);
    return walls;
}

static void acts_succeed_without_a_sandbox(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FORBIDDEN; i++)
        if (forbidden[i].control && stopped(&forbidden[i], ALL, 0))
            fail_msg("%s: fails without a sandbox too", forbidden[i].name);
}

static void forbidden_acts_fail(void **state) {
    (void)state;
    int landlock, closed;
    unsigned walls = walls_here(&landlock, &closed);
    for (size_t i = 0; i < N_FORBIDDEN; i++) {
        if (forbidden[i].files && !landlock && !closed)
            continue; /* the kernel has no wall for files */
        if (!(walls & GNT_SANDBOX_SECCOMP) && !forbidden[i].files)
            continue;
        if (!stopped(&forbidden[i], 0, 0))
            fail_msg("%s: succeeds inside the sandbox", forbidden[i].name);
    }
}

static void landlock_alone_closes_files(void **state) {
    (void)state;
    int landlock, closed;
    walls_here(&landlock, &closed);
    if (!landlock)
        skip_for("this kernel has no Landlock");
    const int caps[] = {1, 2, 3, 0};
    for (size_t k = 0; k < sizeof caps / sizeof *caps; k++)
        for (size_t i = 0; i < N_FORBIDDEN; i++)
            if (forbidden[i].files && !stopped(&forbidden[i], only_landlock, caps[k]))
                fail_msg("%s: succeeds behind Landlock (ABI at most %d)", forbidden[i].name, caps[k]);
}

static void namespaces_alone_close_files(void **state) {
    (void)state;
    int landlock, closed;
    walls_here(&landlock, &closed);
    if (!closed)
        skip_for("no user and mount namespaces here");
    for (size_t i = 0; i < N_FORBIDDEN; i++)
        if (forbidden[i].files && !stopped(&forbidden[i], only_namespaces, 0))
            fail_msg("%s: succeeds behind a mount namespace", forbidden[i].name);
}

static void the_filter_alone_stops_calls(void **state) {
    (void)state;
    int landlock, closed;
    if (!(walls_here(&landlock, &closed) & GNT_SANDBOX_SECCOMP))
        skip_for("this kernel has no system-call filter");
    for (size_t i = 0; i < N_FORBIDDEN; i++)
        if (!forbidden[i].files && !stopped(&forbidden[i], only_filter, 0))
            fail_msg("%s: succeeds behind the filter", forbidden[i].name);
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

static void crashes_stay_visible(void **state) {
    (void)state;
    gnt_child *child = run("abort", 0, 0);
    assert_int_equal(gnt_child_result_of(child)->signal, SIGABRT);
    gnt_child_free(child);
}

static void the_level_says_what_is_missing(void **state) {
    (void)state;
    int landlock, closed;
    walls_here(&landlock, &closed);
    if (!landlock)
        skip_for("this kernel has no Landlock");
    gnt_child *child = run("nothing", 0, 0);
    assert_string_equal(level(child), "full");
    gnt_child_free(child);
    child = run("nothing", only_landlock, 2);
    assert_int_equal(fact(child, "landlock"), 2);
    assert_ptr_equal(strstr(level(child), "partial: no system-call filter"), level(child));
    gnt_child_free(child);
    child = run("nothing", only_filter, 0);
    assert_ptr_equal(strstr(level(child), "partial: no Landlock"), level(child));
    gnt_child_free(child);
    child = run("nothing", GNT_SANDBOX_LANDLOCK | GNT_SANDBOX_SECCOMP, 0);
    assert_int_equal(fact(child, "landlock"), 0);
    assert_null(strstr(level(child), "full"));
    gnt_child_free(child);
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

static void put(const char *name, const void *bytes, size_t size) {
    gnt_err err = {0};
    char *path = gnt_format("%s/%s", folder, name);
    if (gnt_file_write(path, bytes, size, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(path);
}

/* Any shared object will do for a plugin: a copy is another file and is loaded anew. */
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
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    const char *const names[] = {"plugin.so", "other.so", "data.bin", "spare", "made"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = gnt_format("%s/%s", folder, names[i]);
        unlink(path);
        gnt_free(path);
    }
    return rmdir(folder);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "worker") == 0)
        return worker();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forbidden_acts_fail),
        cmocka_unit_test(landlock_alone_closes_files),
        cmocka_unit_test(namespaces_alone_close_files),
        cmocka_unit_test(the_filter_alone_stops_calls),
        cmocka_unit_test(acts_succeed_without_a_sandbox),
        cmocka_unit_test(needed_acts_work),
        cmocka_unit_test(crashes_stay_visible),
        cmocka_unit_test(the_level_says_what_is_missing),
        cmocka_unit_test(a_missing_file_is_a_failure),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
