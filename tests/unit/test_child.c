/* Children: this program starts itself as a worker and plays the parts that children play - one that answers,
 * one that crashes, hangs, floods, eats memory, writes too much, inherits what it should not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/mem.h"
#include "process/child.h"
#include "process/worker.h"

/* The worker's parts. */

static int part_answer(const gnt_worker *w, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_worker_read(w, "in", 1 << 20, &bytes, &size, err) != 0)
        return -1;
    for (size_t i = 0; i < size; i++)
        bytes[i] ^= 0x5a;
    int rc = gnt_worker_write(w, "out", bytes, size, err);
    gnt_free(bytes);
    gnt_worker_progress(3, 3);
    return rc;
}

/* Memory that is really resident: a memset before a free may be optimised away. */
static volatile char *touched(size_t bytes) {
    volatile char *block = malloc(bytes);
    for (size_t i = 0; block && i < bytes; i += 1024)
        block[i] = 1;
    return block;
}

/* Touches 64 MiB and gives them back. */
static int part_peak(void) {
    volatile char *block = touched(64 << 20);
    if (!block)
        return 1;
    free((void *)block);
    return gnt_worker_finish("ok", NULL, NULL, NULL, NULL);
}

static int part_read_only(const gnt_worker *w, gnt_err *err) {
    int fd = gnt_worker_input(w, "in", err);
    if (fd < 0)
        return -1;
    if (write(fd, "x", 1) >= 0 || ftruncate(fd, 0) == 0)
        return gnt_fail(err, "an input could be changed");
    if (write(3, "x", 1) >= 0 || ftruncate(3, 0) == 0)
        return gnt_fail(err, "the request could be changed");
    return 0;
}

/* 0–4, the input 5, the output 6, the process's own status and the folder's own descriptor, nothing else. */
static int part_descriptors(gnt_err *err) {
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        return gnt_fail(err, "cannot list descriptors");
    int rc = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        int fd = e->d_name[0] == '.' ? 0 : (int)strtol(e->d_name, NULL, 10);
        if (fd > 7 && fd != dirfd(dir))
            rc = gnt_fail(err, "descriptor %d was inherited", fd);
    }
    closedir(dir);
    return rc;
}

static int part_surroundings(gnt_err *err) {
    struct rlimit core;
    char folder[512];
    if (getenv("HOME") || getenv("GNT_TEST_SECRET"))
        return gnt_fail(err, "the environment was not cleaned");
    if (!getenv("OPENBLAS_NUM_THREADS") || strcmp(getenv("OPENBLAS_NUM_THREADS"), "1") != 0)
        return gnt_fail(err, "OpenBLAS may start threads");
    if (!getenv("GNT_TEST_KEPT"))
        return gnt_fail(err, "a kept variable is missing");
    if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_max != 0)
        return gnt_fail(err, "core files are allowed");
    if (getpgrp() != getpid())
        return gnt_fail(err, "not in a group of its own");
    int made = open("made", O_WRONLY | O_CREAT, 0600);
    if (made >= 0 || errno != ENOENT || getcwd(folder, sizeof folder))
        return gnt_fail(err, "something can be made in the working folder");
    if (isatty(0) || read(0, folder, 1) != 0)
        return gnt_fail(err, "standard input is not empty");
    return 0;
}

static int part_hog(void) {
    for (size_t i = 0; i < 4000; i++) {
        char *block = malloc(1 << 20);
        if (!block)
            _exit(9);
        memset(block, (int)i | 1, 1 << 20);
        usleep(500);
    }
    return 0;
}

/* More than the limit and what is spared for code and libraries: refused at once, before it is touched. */
static int part_reserve(gnt_err *err) {
    char *volatile block = malloc((size_t)3 << 30);
    int refused = !block;
    free(block);
    return refused ? 0 : gnt_fail(err, "3 GiB of address space were given");
}

static int part_write_much(const gnt_worker *w, gnt_err *err) {
    int fd = gnt_worker_output(w, "out", err);
    char block[4096] = {1};
    for (int i = 0; i < 64; i++)
        if (write(fd, block, sizeof block) < 0)
            return gnt_fail(err, "refused: %s", strerror(errno));
    return 0;
}

static int part_fill(const gnt_worker *w, gnt_err *err) {
    static char block[1 << 20];
    int fd = gnt_worker_output(w, "out", err);
    memset(block, 1, sizeof block);
    for (int i = 0; i < 1000 && write(fd, block, sizeof block) > 0; i++)
        usleep(1000);
    return 0;
}

static int part_stop(int listens) {
    if (!listens)
        signal(SIGTERM, SIG_IGN);
    if (write(4, "progress 1 2\n", 13) != 13)
        return 1;
    while (!listens || !gnt_worker_should_stop())
        usleep(1000);
    return gnt_worker_finish("stopped", "as asked", NULL, NULL, NULL);
}

static int part_flood(void) {
    static char line[4096];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 1024; i++) /* 4 MiB without a newline on both pipes */
        if (write(4, line, sizeof line) < 0 || write(2, line, sizeof line) < 0)
            return 1;
    if (write(4, "\n{\"status\": 3}\n", 15) != 15)
        return 1;
    static const char last[] = "\nthe last \x1b[31mwords\n";
    return write(2, last, sizeof last - 1) < 0;
}

/* Busy for ever; deaf: to the signal that says so, too. */
static void part_burn(int deaf) {
    if (deaf)
        signal(SIGXCPU, SIG_IGN);
    for (volatile unsigned i = 0;; i++)
        ;
}

/* Starts a child that nobody stops, prints its pid on stderr; then both ignore signals. */
static void part_family(void) {
    signal(SIGTERM, SIG_IGN);
    pid_t pid = fork();
    if (pid > 0)
        fprintf(stderr, "child %ld\n", (long)pid);
    for (;;)
        pause();
}

static int part_orphan(void) {
    if (fork() == 0) {
        for (;;)
            pause();
    }
    return gnt_worker_finish("ok", NULL, "weak: none", NULL, NULL);
}

static int worker(void) {
    gnt_err err = {0};
    gnt_worker w;
    if (gnt_worker_open(&w, &err) != 0)
        return 2;
    const char *part = json_string_value(json_object_get(w.request, "part"));
    int rc = 0;
    if (strcmp(part, "answer") == 0)
        rc = part_answer(&w, &err);
    else if (strcmp(part, "read-only") == 0)
        rc = part_read_only(&w, &err);
    else if (strcmp(part, "descriptors") == 0)
        rc = part_descriptors(&err);
    else if (strcmp(part, "surroundings") == 0)
        rc = part_surroundings(&err);
    else if (strcmp(part, "hog") == 0)
        rc = part_hog();
    else if (strcmp(part, "write-much") == 0)
        rc = part_write_much(&w, &err);
    else if (strcmp(part, "fill") == 0)
        rc = part_fill(&w, &err);
    else if (strcmp(part, "reserve") == 0)
        rc = part_reserve(&err);
    else if (strcmp(part, "crash") == 0)
        raise(SIGKILL);
    else if (strcmp(part, "exit") == 0)
        _exit(7);
    else if (strcmp(part, "listen") == 0 || strcmp(part, "deaf") == 0)
        _exit(part_stop(part[0] == 'l'));
    else if (strcmp(part, "peak") == 0)
        _exit(part_peak());
    else if (strcmp(part, "flood") == 0)
        _exit(part_flood());
    else if (strcmp(part, "orphan") == 0)
        _exit(part_orphan());
    else if (strcmp(part, "burn") == 0 || strcmp(part, "burn-deaf") == 0)
        part_burn(part[4] != 0);
    else if (strcmp(part, "family") == 0)
        part_family();
    else if (strcmp(part, "own-signal") == 0)
        raise(SIGXCPU);
    json_t *facts = json_pack("{s:i}", "n", 12);
    int code = gnt_worker_finish(rc ? "failed" : "ok", rc ? err.text : NULL, NULL, facts, NULL);
    json_decref(facts);
    gnt_worker_close(&w);
    return code;
}

/* The parent's tests. */

static gnt_child *start(const char *part, gnt_child_spec spec) {
    gnt_err err = {0};
    gnt_child *child = NULL;
    static const char *const kept[] = {"GNT_TEST_KEPT", NULL};
    gnt_child_input in = {.name = "in", .bytes = "hello", .size = 5};
    gnt_child_output out = {.name = "out", .most = 10000};
    json_t *request = json_pack("{s:s}", "part", part);
    spec.request = request;
    if (!spec.inputs) {
        spec.inputs = &in;
        spec.n_inputs = 1;
    }
    if (!spec.outputs) {
        spec.outputs = &out;
        spec.n_outputs = 1;
    }
    spec.keep = kept;
    if (gnt_child_start(&child, &spec, &err) != 0)
        fail_msg("%s", err.text);
    json_decref(request);
    return child;
}

static gnt_child *run(const char *part, gnt_child_spec spec) {
    gnt_child *child = start(part, spec);
    assert_int_equal(gnt_children_wait(&child, 1, 300000), 0);           /* processor time may be scarce */
    assert_int_equal(gnt_children_wait(&child, 1, 0), GNT_WAIT_NOTHING); /* handed out once */
    return child;
}

static void expect_ok(const char *part) {
    gnt_err reason = {0};
    gnt_child *child = run(part, (gnt_child_spec){.seconds = 20});
    const char *word = gnt_child_verdict(child, &reason);
    if (strcmp(word, "ok") != 0)
        fail_msg("%s: %s: %s", part, word, reason.text);
    gnt_child_free(child);
}

static void count_progress(void *user, uint64_t done, uint64_t total) {
    uint64_t *seen = user;
    seen[0]++;
    seen[1] = done;
    seen[2] = total;
}

static void answers_through_descriptors(void **state) {
    (void)state;
    gnt_err err = {0};
    uint64_t seen[3] = {0};
    gnt_child *child =
        run("answer", (gnt_child_spec){.seconds = 20, .progress = count_progress, .user = seen});
    assert_string_equal(gnt_child_verdict(child, &err), "ok");
    const gnt_child_result *r = gnt_child_result_of(child);
    assert_int_equal(r->exit_code, 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(r->status, "facts"), "n")), 12);
    assert_int_equal(seen[1], 3);
    assert_int_equal(seen[2], 3);
    assert_true(r->peak > (1 << 20) && r->wall_seconds > 0);
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(gnt_child_output_read(child, "out", &bytes, &size, &err), 0);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "\x32\x3f\x36\x36\x35", 5); /* "hello" xor 0x5a */
    gnt_free(bytes);
    assert_int_equal(gnt_child_output_read(child, "other", &bytes, &size, &err), -1);
    gnt_child_free(child);
}

/* A worker with an expected digest reads only bytes that have it. */
static void an_input_has_the_expected_digest(void **state) {
    (void)state;
    const char *const bytes[] = {"hello", "hullo"};
    char digest[GNT_HEX_SIZE];
    const gnt_digest d = gnt_digest_bytes(bytes[0], 5);
    gnt_digest_hex(&d, digest);
    for (int i = 0; i < 2; i++) {
        gnt_err reason = {0};
        gnt_child_input in = {.name = "in", .bytes = bytes[i], .size = 5, .digest = digest};
        gnt_child *child = run("answer", (gnt_child_spec){.seconds = 20, .inputs = &in, .n_inputs = 1});
        assert_string_equal(gnt_child_verdict(child, &reason), i ? "failed" : "ok");
        if (i && !strstr(reason.text, "the input \"in\" was changed since it was stored"))
            fail_msg("%s", reason.text);
        gnt_child_free(child);
    }
}

/* An output of one is the input of the next, sealed, and so is a file; offsets are not shared. */
static void outputs_become_inputs(void **state) {
    (void)state;
    gnt_err err = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_child *first = run("answer", (gnt_child_spec){.seconds = 20});
    int fd = gnt_child_output_fd(first, "out", &err);
    assert_true(fd >= 0);
    assert_true(pwrite(fd, "x", 1, 0) < 0);
    gnt_child_input in = {.name = "in", .fd = fd};
    gnt_child *second = run("answer", (gnt_child_spec){.inputs = &in, .n_inputs = 1});
    assert_int_equal(gnt_child_output_read(second, "out", &bytes, &size, &err), 0);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "hello", 5);
    gnt_free(bytes);
    gnt_child_free(first);
    gnt_child_free(second);
}

static void inputs_cannot_be_changed(void **state) {
    (void)state;
    expect_ok("read-only");
    char path[] = "/tmp/gnt-test-XXXXXX"; /* even where the parent's own descriptor could */
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    gnt_child_input in = {.name = "in", .fd = fd};
    gnt_err reason = {0};
    gnt_child *child = run("read-only", (gnt_child_spec){.inputs = &in, .n_inputs = 1});
    assert_string_equal(gnt_child_verdict(child, &reason), "ok");
    gnt_child_free(child);
    close(fd);
    unlink(path);
}

static void inherits_nothing_else(void **state) {
    (void)state;
    int stray = open("/dev/null", O_RDONLY); /* not close-on-exec */
    int high = fcntl(stray, F_DUPFD, 200);
    setenv("GNT_TEST_SECRET", "1", 1);
    setenv("GNT_TEST_KEPT", "1", 1);
    expect_ok("descriptors");
    expect_ok("surroundings");
    close(stray);
    close(high);
}

static void says_how_it_ended(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("crash", (gnt_child_spec){.seconds = 20});
    assert_string_equal(gnt_child_verdict(child, &reason), "crashed");
    assert_non_null(strstr(reason.text, "signal 9"));
    assert_int_equal(gnt_child_result_of(child)->exit_code, -1);
    gnt_child_free(child);
    child = run("exit", (gnt_child_spec){.seconds = 20});
    assert_string_equal(gnt_child_verdict(child, &reason), "failed");
    assert_non_null(strstr(reason.text, "exit code 7"));
    gnt_child_free(child);
}

static void stops_when_time_is_up(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("listen", (gnt_child_spec){.seconds = 0.2, .grace = 10});
    assert_string_equal(gnt_child_verdict(child, &reason), "timeout"); /* although it answered */
    assert_int_equal(gnt_child_result_of(child)->exit_code, 0);
    assert_string_equal(json_string_value(json_object_get(gnt_child_result_of(child)->status, "status")),
                        "stopped");
    gnt_child_free(child);
    child = run("deaf", (gnt_child_spec){.seconds = 0.2, .grace = 0.1});
    assert_string_equal(gnt_child_verdict(child, &reason), "timeout");
    assert_int_equal(gnt_child_result_of(child)->signal, SIGKILL);
    gnt_child_free(child);
}

static void stops_on_request(void **state) {
    (void)state;
    gnt_err reason = {0};
    uint64_t seen[3] = {0};
    gnt_child *child =
        start("listen", (gnt_child_spec){.grace = 10, .progress = count_progress, .user = seen});
    while (!seen[0])
        assert_int_equal(gnt_children_wait(&child, 1, 10), GNT_WAIT_TIMEOUT);
    gnt_child_stop(child);
    assert_int_equal(gnt_children_wait(&child, 1, 20000), 0);
    assert_string_equal(gnt_child_verdict(child, &reason), "stopped");
    assert_int_equal(gnt_child_result_of(child)->exit_code, 0);
    gnt_child_free(child);
}

/* A child that crashed before it was asked to stop counts as crashed. */
static void a_crash_is_one_though_it_was_asked_to_stop(void **state) {
    (void)state;
    gnt_err reason = {0};
    siginfo_t info;
    gnt_child *child = start("crash", (gnt_child_spec){.seconds = 20});
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
    gnt_child_stop(child);
    assert_int_equal(gnt_children_wait(&child, 1, 20000), 0);
    assert_string_equal(gnt_child_verdict(child, &reason), "crashed");
    gnt_child_free(child);
}

static void ends_what_burns_time(void **state) {
    (void)state;
    const char *const parts[] = {"burn", "burn-deaf"};
    for (int i = 0; i < 2; i++) {
        gnt_err reason = {0};
        gnt_child *child = run(parts[i], (gnt_child_spec){.seconds = 300, .cpu_seconds = 0.7});
        assert_string_equal(gnt_child_verdict(child, &reason), "timeout");
        assert_string_equal(reason.text, "exceeded its limit of 1 s of processor time and was killed; raise "
                                         "limits.cpu_seconds");
        assert_int_equal(gnt_child_result_of(child)->signal, i ? SIGKILL : SIGXCPU);
        assert_true(gnt_child_result_of(child)->cpu_seconds < 3);
        gnt_child_free(child);
    }
    gnt_err reason = {0};
    gnt_child *child = run("own-signal", (gnt_child_spec){.seconds = 100, .cpu_seconds = 10});
    assert_string_equal(gnt_child_verdict(child, &reason), "crashed"); /* it only says so */
    gnt_child_free(child);
}

/* Over its time, and deaf, with a child that is as deaf: nothing of either is left. */
static void kills_the_whole_group(void **state) {
    (void)state;
    gnt_child *child = run("family", (gnt_child_spec){.seconds = 0.5, .grace = 0.1});
    gnt_err reason = {0};
    assert_string_equal(gnt_child_verdict(child, &reason), "timeout");
    long pid = 0;
    assert_int_equal(sscanf(gnt_child_result_of(child)->stderr_tail, "child %ld", &pid), 1);
    gnt_child_free(child);
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    for (int i = 0; i < 500; i++) { /* until the process that inherited it has reaped it */
        int fd = open(path, O_RDONLY);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        text[n > 0 ? n : 0] = 0;
        if (n <= 0 || strstr(text, ") Z "))
            return;
        usleep(10000);
    }
    fail_msg("the child's child is still there: %s", text);
}

static void ends_what_eats_memory(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("hog", (gnt_child_spec){.seconds = 20, .memory = 150 << 20});
    assert_string_equal(gnt_child_verdict(child, &reason), "failed");
    assert_non_null(strstr(reason.text, "150 MiB"));
    assert_true(gnt_child_result_of(child)->peak > (150 << 20));
    gnt_child_free(child);
}

static void counts_outputs_as_memory(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child_output out = {.name = "out", .most = 1 << 30};
    gnt_child_spec spec = {.seconds = 20, .memory = 150 << 20, .outputs = &out, .n_outputs = 1};
    gnt_child *child = run("fill", spec);
    if (strcmp(gnt_child_verdict(child, &reason), "failed") != 0 || !strstr(reason.text, "150 MiB"))
        fail_msg("%s", reason.text);
    gnt_child_free(child);
}

/* The peak is the child's own, however much memory its parent has. */
static void reports_its_peak(void **state) {
    (void)state;
    volatile char *mine = touched(200 << 20);
    assert_non_null(mine);
    gnt_child *small = run("answer", (gnt_child_spec){.seconds = 20});
    gnt_child *large = run("peak", (gnt_child_spec){.seconds = 20});
    uint64_t least = gnt_child_result_of(small)->peak, most = gnt_child_result_of(large)->peak;
    free((void *)mine);
    gnt_child_free(small);
    gnt_child_free(large);
    assert_in_range(least, 1 << 20, 60 << 20);
    assert_in_range(most, 64 << 20, 190 << 20);
}

static void bounds_address_space(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    print_message("skip: AddressSanitizer needs the whole address space\n");
    skip();
#endif
    gnt_err reason = {0};
    gnt_child *child = run("reserve", (gnt_child_spec){.seconds = 20, .memory = 150 << 20});
    if (strcmp(gnt_child_verdict(child, &reason), "ok") != 0)
        fail_msg("%s", reason.text);
    gnt_child_free(child);
}

static void bounds_outputs(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("write-much", (gnt_child_spec){.seconds = 20}); /* 256 KiB into 10,000 bytes */
    assert_string_equal(gnt_child_verdict(child, &reason), "failed");
    assert_non_null(strstr(reason.text, "refused: File too large"));
    struct stat st;
    assert_int_equal(fstat(gnt_child_output_fd(child, "out", &reason), &st), 0);
    assert_true(st.st_size <= 10000);
    gnt_child_free(child);
}

static void survives_a_flood(void **state) {
    (void)state;
    gnt_err reason = {0};
    gnt_child *child = run("flood", (gnt_child_spec){.seconds = 20});
    assert_string_equal(gnt_child_verdict(child, &reason), "failed"); /* {"status": 3} is no status */
    const char *tail = gnt_child_result_of(child)->stderr_tail;
    assert_true(strlen(tail) <= 4096);
    assert_non_null(strstr(tail, "\nthe last ?[31mwords\n"));
    gnt_child_free(child);
}

/* What a child starts ends with it, and what a parent starts leaves no zombie and no descriptor. */
static void leaves_nothing_behind(void **state) {
    (void)state;
    int before = dup(0);
    close(before);
    gnt_child *many[5] = {NULL};
    for (size_t i = 0; i < 4; i++)
        many[i] = start(i % 2 ? "orphan" : "answer", (gnt_child_spec){.seconds = 20});
    for (int i = 0; i < 4; i++)
        assert_in_range(gnt_children_wait(many, 5, 20000), 0, 3);
    for (size_t i = 0; i < 4; i++) {
        gnt_err reason = {0};
        assert_string_equal(gnt_child_verdict(many[i], &reason), "ok");
        gnt_child_free(many[i]);
    }
    gnt_child *running = start("deaf", (gnt_child_spec){.seconds = 20});
    gnt_child_free(running);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    int after = dup(0);
    close(after);
    assert_int_equal(before, after); /* the lowest free descriptor is the same */
}

static void refuses_bad_specifications(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_child *child = NULL;
    json_t *request = json_object();
    gnt_child_input twice[2] = {{.name = "a", .bytes = "", .size = 0}, {.name = "a", .bytes = "", .size = 0}};
    gnt_child_spec spec = {.request = request, .inputs = twice, .n_inputs = 2};
    assert_int_equal(gnt_child_start(&child, &spec, &err), -1);
    assert_non_null(strstr(err.text, "\"a\""));
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    gnt_child_input no_file = {.name = "p", .fd = pipes[0]};
    spec = (gnt_child_spec){.request = request, .inputs = &no_file, .n_inputs = 1};
    assert_int_equal(gnt_child_start(&child, &spec, &err), -1);
    assert_non_null(strstr(err.text, "not a regular file"));
    close(pipes[0]);
    close(pipes[1]);
    json_decref(request);
}

/* Last: the signal stays heard. */
static void hears_an_interrupt(void **state) {
    (void)state;
    gnt_interrupt_catch();
    gnt_child *child = start("deaf", (gnt_child_spec){.seconds = 20});
    raise(SIGINT);
    assert_int_equal(gnt_children_wait(&child, 1, 20000), GNT_WAIT_INTERRUPTED);
    assert_int_equal(gnt_interrupted(), SIGINT);
    gnt_child_free(child);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "worker") == 0)
        return worker();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_through_descriptors),
        cmocka_unit_test(an_input_has_the_expected_digest),
        cmocka_unit_test(outputs_become_inputs),
        cmocka_unit_test(inputs_cannot_be_changed),
        cmocka_unit_test(inherits_nothing_else),
        cmocka_unit_test(says_how_it_ended),
        cmocka_unit_test(stops_when_time_is_up),
        cmocka_unit_test(stops_on_request),
        cmocka_unit_test(a_crash_is_one_though_it_was_asked_to_stop),
        cmocka_unit_test(ends_what_burns_time),
        cmocka_unit_test(kills_the_whole_group),
        cmocka_unit_test(ends_what_eats_memory),
        cmocka_unit_test(bounds_address_space),
        cmocka_unit_test(reports_its_peak),
        cmocka_unit_test(counts_outputs_as_memory),
        cmocka_unit_test(bounds_outputs),
        cmocka_unit_test(survives_a_flood),
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(refuses_bad_specifications),
        cmocka_unit_test(hears_an_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
