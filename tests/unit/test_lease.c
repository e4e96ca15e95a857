/* Leases: one of several claimants gets a job; who shows no sign of life loses it, whatever clocks say;
 * nothing is left behind. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/lease/lease.h"
#include "run/lease/share.h"

typedef struct place {
    char folder[64];
    json_t *holder;
    gnt_digest key;
    char *file;
} place;

/* A term that passes within a test, and one that does not. */
static const double brief = 0.2, lasting = 1000;

static int set_up(void **state) {
    char hex[GNT_HEX_SIZE];
    place *p = gnt_alloc(sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/gauntlet-lease-XXXXXX");
    if (!mkdtemp(p->folder))
        return -1;
    p->holder = json_pack("{s:s}", "node", "here");
    p->key = gnt_digest_bytes("k", 1);
    gnt_digest_hex(&p->key, hex);
    p->file = gnt_format("%s/%s", p->folder, hex);
    *state = p;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static int tear_down(void **state) {
    place *p = *state;
    nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    json_decref(p->holder);
    gnt_free(p->file);
    gnt_free(p);
    return 0;
}

static gnt_leases *begin(const place *p, double term) {
    gnt_leases *l = NULL;
    gnt_err err = {0};
    assert_int_equal(gnt_leases_open(&l, p->folder, p->holder, term, &err), 0);
    assert_string_equal(err.text, "");
    return l;
}

static int claim(gnt_leases *l, const place *p) {
    gnt_err err = {0};
    assert_int_equal(gnt_leases_look(l, &err), 0);
    int got = gnt_leases_claim(l, &p->key, &err);
    assert_string_equal(err.text, "");
    return got;
}

static void wait_for(double seconds) {
    usleep((useconds_t)(1e6 * seconds));
}

/* Moves the lease's time by so many seconds. */
static void shift(const char *file, long seconds) {
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    st.st_mtim.tv_sec += seconds;
    const struct timespec times[2] = {st.st_mtim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
}

static int n_files;

static int count_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)path, (void)st, (void)where;
    n_files += kind != FTW_D && kind != FTW_DP;
    return 0;
}

static int count_files(const place *p) {
    n_files = 0;
    nftw(p->folder, count_one, 8, FTW_PHYS);
    return n_files;
}

static void one_of_two_gets_it(void **state) {
    place *p = *state;
    gnt_leases *a = begin(p, lasting), *b = begin(p, lasting);
    assert_int_equal(claim(a, p), 1);
    assert_int_equal(claim(a, p), 1); /* it has it already */
    assert_int_equal(claim(b, p), 0);
    gnt_leases_release(b, &p->key); /* not its own: nothing happens */
    assert_true(gnt_file_exists(p->file));
    gnt_leases_release(a, &p->key);
    assert_false(gnt_file_exists(p->file));
    assert_int_equal(claim(b, p), 1);
    gnt_leases_close(a);
    assert_true(gnt_file_exists(p->file));
    gnt_leases_close(b);
    assert_int_equal(count_files(p), 0);
}

/* Neither has looked since: the second learns it from the claim. */
static void a_claim_is_decided_by_the_file(void **state) {
    place *p = *state;
    gnt_err err = {0};
    gnt_leases *a = begin(p, lasting), *b = begin(p, lasting);
    assert_int_equal(gnt_leases_look(a, &err) + gnt_leases_look(b, &err), 0);
    assert_int_equal(gnt_leases_claim(a, &p->key, &err), 1);
    assert_int_equal(gnt_leases_claim(b, &p->key, &err), 0);
    gnt_leases_close(a);
    gnt_leases_close(b);
}

/* Eight processes at once, many times: the number of winners is one each time. */
static void one_of_many_processes_gets_it(void **state) {
    place *p = *state;
    enum { PROCESSES = 8, ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        int won = 0, gate[2];
        char byte;
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < PROCESSES; i++)
            if (fork() == 0) {
                gnt_leases *l = begin(p, lasting);
                close(gate[1]);
                if (read(gate[0], &byte, 1) != 0)
                    _exit(2);
                _exit(claim(l, p) == 1); /* its lease stays, as that of a killed one */
            }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < PROCESSES; i++) {
            int status = 0;
            wait(&status);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            won += WEXITSTATUS(status);
        }
        assert_int_equal(won, 1);
        assert_int_equal(unlink(p->file), 0);
    }
}

static void a_dead_holder_loses_it(void **state) {
    place *p = *state;
    gnt_leases *dead = begin(p, brief), *b = begin(p, brief);
    assert_int_equal(claim(dead, p), 1);
    assert_int_equal(claim(b, p), 0);
    wait_for(1.5 * brief);
    assert_int_equal(claim(b, p), 1);
    /* it was suspended rather than dead: what is there now is not its own */
    gnt_leases_renew(dead);
    gnt_leases_release(dead, &p->key);
    assert_true(gnt_file_exists(p->file));
    gnt_leases_close(dead);
    gnt_leases_close(b);
    assert_int_equal(count_files(p), 0);
}

static void a_living_holder_keeps_it(void **state) {
    place *p = *state;
    gnt_leases *a = begin(p, brief), *b = begin(p, brief);
    assert_int_equal(claim(a, p), 1);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(claim(b, p), 0);
        wait_for(brief / 10);
        gnt_leases_renew(a);
    }
    gnt_leases_close(a);
    assert_int_equal(claim(b, p), 1);
    gnt_leases_close(b);
}

/* A lease that was there all along but looks old at first sight was perhaps made by a clock that was
 * wrong: it is watched for a term before it is taken. */
static void clocks_take_no_lease_away(void **state) {
    place *p = *state;
    gnt_leases *a = begin(p, lasting), *b = begin(p, lasting);
    assert_int_equal(claim(a, p), 1);
    shift(p->file, -100000);
    assert_int_equal(claim(b, p), 0);
    shift(p->file, 200000);
    assert_int_equal(claim(b, p), 0);
    gnt_leases_close(a);
    gnt_leases_close(b);
}

/* One whose time lies ahead of the file system's is no safer than one behind it. */
static void a_dead_holder_s_clock_does_not_matter(void **state) {
    place *p = *state;
    for (long ahead = -100000; ahead <= 100000; ahead += 200000) {
        gnt_leases *dead = begin(p, brief), *b = begin(p, brief);
        assert_int_equal(claim(dead, p), 1);
        shift(p->file, ahead);
        assert_int_equal(claim(b, p), 0);
        wait_for(1.5 * brief);
        assert_int_equal(claim(b, p), 1);
        gnt_leases_close(dead);
        gnt_leases_close(b);
    }
}

/* Two find the same dead holder; both claim in turn. */
static void one_of_two_takes_over(void **state) {
    place *p = *state;
    gnt_leases *dead = begin(p, brief), *b = begin(p, brief), *c = begin(p, brief);
    assert_int_equal(claim(dead, p), 1);
    assert_int_equal(claim(b, p) + claim(c, p), 0);
    wait_for(1.5 * brief);
    gnt_err err = {0}; /* c has looked before b took it */
    assert_int_equal(gnt_leases_look(b, &err) + gnt_leases_look(c, &err), 0);
    assert_int_equal(gnt_leases_claim(b, &p->key, &err), 1);
    assert_int_equal(gnt_leases_claim(c, &p->key, &err), 0);
    gnt_leases_renew(b);
    gnt_leases_close(c);
    gnt_leases_close(dead);
    assert_true(gnt_file_exists(p->file));
    gnt_leases_close(b);
}

static void leftovers_are_swept(void **state) {
    place *p = *state;
    gnt_leases *a = begin(p, 50);
    assert_int_equal(claim(a, p), 1);
    static const char *const names[] = {
        "clock.0123456789abcdef", "0123456789012345678901234567890123456789012345678901234567890123",
        "0123456789012345678901234567890123456789012345678901234567890123.0123.part", "x.stale"};
    for (size_t i = 0; i < 4; i++) {
        char *name = gnt_format("%s/%s", p->folder, names[i]);
        assert_int_equal(gnt_file_write(name, "", 0, NULL), 0);
        shift(name, -100);
        gnt_free(name);
    }
    assert_int_equal(gnt_leases_sweep(a), 4);
    assert_true(gnt_file_exists(p->file));
    assert_int_equal(gnt_leases_sweep(a), 0);
    gnt_leases_close(a);
    assert_int_equal(count_files(p), 0);
}

/* A file in the place of a lease is never followed, written through or taken for more than it is. */
static void odd_files_are_no_trap(void **state) {
    place *p = *state;
    char *outside = gnt_format("%s/outside", p->folder);
    assert_int_equal(gnt_file_write(outside, "mine", 4, NULL), 0);
    assert_int_equal(symlink(outside, p->file), 0);
    gnt_leases *a = begin(p, brief);
    assert_int_equal(claim(a, p), 0);
    wait_for(1.5 * brief);
    assert_int_equal(claim(a, p), 0);
    unlink(p->file);
    assert_int_equal(mkdir(p->file, 0777), 0);
    assert_int_equal(claim(a, p), 0);
    gnt_leases_close(a);
    gnt_free(outside);
}

/* ---- what those that share know of each other ---- */

static void one_identity_for_all(void **state) {
    place *p = *state;
    gnt_share *a = NULL, *b = NULL;
    gnt_err err = {0};
    assert_int_equal(gnt_share_open(&a, p->folder, "host 1; cpu X", "", brief, &err), 0);
    assert_int_equal(gnt_share_open(&b, p->folder, "host 1; cpu X", "12", brief, &err), 0);
    gnt_share_close(b);
    assert_int_equal(gnt_share_open(&b, p->folder, "host 1; cpu Y", "13", brief, &err), -1);
    assert_non_null(strstr(err.text, "another numerics identity"));
    assert_non_null(strstr(err.text, "host 1; cpu X"));
    assert_non_null(strstr(err.text, "host 1; cpu Y"));
    assert_non_null(strstr(err.text, "--constraint"));
    gnt_share_close(a);
    json_t *all = gnt_share_read_all(p->folder, "worker");
    assert_int_equal(json_array_size(all), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 0), "state")), "refused");
    json_decref(all);
    assert_int_equal(gnt_share_reset(p->folder, &err), 0);
    assert_int_equal(gnt_share_open(&b, p->folder, "host 1; cpu Y", "13", brief, &err), 0);
    gnt_share_close(b);
}

static void an_identity_that_is_none_is_refused(void **state) {
    place *p = *state;
    gnt_share *a = NULL;
    gnt_err err = {0};
    char *file = gnt_format("%s/store/share/identity.json", p->folder);
    assert_int_equal(gnt_share_open(&a, p->folder, "x", "", brief, &err), 0);
    gnt_share_close(a);
    for (const char *const *text =
             (const char *const[]){"", "[1", "{}", "{\"identity\": 1, \"node\": \"n\"}", NULL};
         *text; text++) {
        assert_int_equal(gnt_file_write(file, *text, strlen(*text), NULL), 0);
        assert_int_equal(gnt_share_open(&a, p->folder, "x", "", brief, &err), -1);
        assert_non_null(strstr(err.text, "identity.json"));
    }
    gnt_free(file);
}

static void a_failure_is_reported_and_forgotten(void **state) {
    place *p = *state;
    gnt_share *a = NULL, *b = NULL;
    gnt_err err = {0};
    assert_int_equal(gnt_share_open(&a, p->folder, "x", "7", brief, &err), 0);
    assert_int_equal(gnt_share_open(&b, p->folder, "x", "", brief, &err), 0);
    json_t *failure = json_pack("{s:s, s:s, s:s}", "job", "attack t", "verdict", "crashed", "reason", "fell");
    assert_int_equal(gnt_share_put_failure(a, &p->key, failure, &err), 0);
    json_decref(failure);
    assert_null(gnt_share_failure(b, &p->key)); /* it has not looked */
    assert_int_equal(gnt_share_look(b, &err), 0);
    failure = gnt_share_failure(b, &p->key);
    assert_string_equal(json_string_value(json_object_get(failure, "reason")), "fell");
    assert_string_equal(json_string_value(json_object_get(failure, "slurm_job")), "7");
    json_decref(failure);
    gnt_share_forget_failure(b, &p->key);
    assert_int_equal(gnt_share_look(b, &err), 0);
    assert_null(gnt_share_failure(b, &p->key));
    gnt_share_close(a);
    gnt_share_close(b);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(one_of_two_gets_it),
        CASE(a_claim_is_decided_by_the_file),
        CASE(one_of_many_processes_gets_it),
        CASE(a_dead_holder_loses_it),
        CASE(a_living_holder_keeps_it),
        CASE(clocks_take_no_lease_away),
        CASE(a_dead_holder_s_clock_does_not_matter),
        CASE(one_of_two_takes_over),
        CASE(leftovers_are_swept),
        CASE(odd_files_are_no_trap),
        CASE(one_identity_for_all),
        CASE(an_identity_that_is_none_is_refused),
        CASE(a_failure_is_reported_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
