/* What gauntlet writes for Slurm and what it makes of Slurm's answers; neither holds a surprise for a shell,
 * and files that anybody may have written are read without harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "cluster/command.h"
#include "cluster/need.h"
#include "cluster/queue.h"
#include "cluster/script.h"
#include "cluster/status.h"
#include "cluster/submission.h"

/* A shell makes the words of it that went in. */
static void words_are_words_whatever_they_hold(void **state) {
    (void)state;
    static const char *const words[] = {"printf", "%s\\n", "a b",  "it's", "$(touch /tmp/x)", "`x`", "",
                                        "\"",     "*",     "a\nb", "~",    "plain-1.json",    NULL};
    gnt_text script, out, errors;
    gnt_err err = {0};
    int code = -1;
    gnt_text_init(&script, 1 << 16);
    gnt_text_init(&out, 1 << 16);
    gnt_text_init(&errors, 1 << 16);
    gnt_shell_words(&script, words);
    const char *const argv[] = {"sh", "-c", gnt_text_get(&script), NULL};
    assert_int_equal(gnt_command(argv, &out, &errors, &code, &err), 0);
    assert_int_equal(code, 0);
    assert_string_equal(gnt_text_get(&errors), "");
    assert_string_equal(gnt_text_get(&out),
                        "a b\nit's\n$(touch /tmp/x)\n`x`\n\n\"\n*\na\nb\n~\nplain-1.json\n");
    gnt_text_free(&script);
    gnt_text_free(&out);
    gnt_text_free(&errors);
}

static void the_end_of_a_command_is_known(void **state) {
    (void)state;
    gnt_text out, errors;
    gnt_err err = {0};
    int code = -1;
    gnt_text_init(&out, 1 << 16);
    gnt_text_init(&errors, 1 << 16);
    const char *const fails[] = {"sh", "-c", "echo no >&2; exit 3", NULL};
    assert_int_equal(gnt_command(fails, &out, &errors, &code, &err), 0);
    assert_int_equal(code, 3);
    assert_string_equal(gnt_text_get(&errors), "no\n");
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    assert_int_equal(gnt_command(killed, &out, &errors, &code, &err), 0);
    assert_int_equal(code, 137);
    const char *const none[] = {"no-such-program-of-slurm", NULL};
    assert_int_equal(gnt_command(none, &out, &errors, &code, &err), -1);
    assert_non_null(strstr(err.text, "must be on the PATH"));
    gnt_text_free(&out);
    gnt_text_free(&errors);
}

/* The script of a worker whose run is a stand-in: what it does on each signal. */
static int run_script(const char *body, const char *signal) {
    char folder[] = "/tmp/gauntlet-script-XXXXXX";
    gnt_text script, out, errors;
    gnt_err err = {0};
    int code = -1;
    assert_non_null(mkdtemp(folder));
    char *program = gnt_format("%s/program", folder), *file = gnt_format("%s/worker.sh", folder);
    char *scontrol = gnt_format("%s/scontrol", folder);
    assert_int_equal(gnt_file_write(program, body, strlen(body), &err), 0);
    static const char queues[] = "#!/bin/sh\necho \"$1 $2\"\n";
    assert_int_equal(gnt_file_write(scontrol, queues, sizeof queues - 1, &err), 0);
    assert_int_equal(chmod(program, 0755) + chmod(scontrol, 0755), 0);
    const char *const run[] = {"suite.json", NULL};
    gnt_text_init(&script, 1 << 16);
    gnt_slurm_script(&script, program, run, "--share");
    assert_int_equal(gnt_file_write(file, gnt_text_get(&script), script.size, &err), 0);
    char *line =
        gnt_format("PATH=%s:$PATH; export PATH; SLURM_JOB_ID=7 sh %s & p=$!; sleep 0.3; %s%s $p; wait $p; "
                   "c=$?; rm -r %s; exit $c",
                   folder, file, *signal ? "kill -" : ": ", signal, folder);
    const char *const argv[] = {"sh", "-c", line, NULL};
    gnt_text_init(&out, 1 << 16);
    gnt_text_init(&errors, 1 << 16);
    assert_int_equal(gnt_command(argv, &out, &errors, &code, &err), 0);
    const int queued = strcmp(gnt_text_get(&out), "requeue 7\n") == 0;
    assert_true(queued || *gnt_text_get(&out) == 0);
    gnt_text_free(&script);
    gnt_text_free(&out);
    gnt_text_free(&errors);
    gnt_free(program);
    gnt_free(file);
    gnt_free(scontrol);
    gnt_free(line);
    return code + (queued ? 1000 : 0);
}

static void a_script_goes_back_into_the_queue_at_the_end_of_its_time_alone(void **state) {
    (void)state;
    static const char stops[] = "#!/bin/sh\ntrap 'exit 130' TERM\nwhile :; do sleep 0.05; done\n";
    assert_int_equal(run_script("#!/bin/sh\nexit 1\n", ""), 1);
    assert_int_equal(run_script("#!/bin/sh\nexit 0\n", ""), 0);
    assert_int_equal(run_script(stops, "TERM"), 130);
    assert_int_equal(run_script(stops, "USR1"), 1130);
    /* it had ended by itself while it was asked to stop */
    assert_int_equal(run_script("#!/bin/sh\ntrap 'exit 0' TERM\nwhile :; do sleep 0.05; done\n", "USR1"), 0);
}

static void what_is_submitted_is_shown(void **state) {
    (void)state;
    gnt_err err = {0};
    const char *const run[] = {"my suite.json", "-o", "/data/50% done", NULL};
    const char *const options[] = {"--constraint=avx2", NULL};
    const gnt_slurm_request request = {.folder = "/data/50% done",
                                       .working_folder = "/home/a b",
                                       .program = "/bin/gauntlet",
                                       .suite_name = "quick",
                                       .run = run,
                                       .partition = "long",
                                       .time = "60",
                                       .mem = "1000M",
                                       .workers = 5,
                                       .jobs = 2,
                                       .options = options};
    char *text = gnt_slurm_dry(&request, &err);
    static const char *const wanted[] = {"/bin/gauntlet run 'my suite.json' -o '/data/50% done' --share -q &",
                                         "--array=1-5",
                                         "--cpus-per-task=2",
                                         "--mem=1000M",
                                         "--time=60",
                                         "--partition=long",
                                         "--requeue",
                                         "--signal=B:USR1@60",
                                         "'--output=/data/50%% done/slurm/log/worker-%a.txt'",
                                         "'--chdir=/home/a b'",
                                         "--constraint=avx2",
                                         "--dependency=afterany:",
                                         "--gather &"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("%s is not in %s", wanted[i], text);
    gnt_free(text);
}

static void a_record_that_is_none_is_refused(void **state) {
    (void)state;
    char folder[] = "/tmp/gauntlet-record-XXXXXX";
    gnt_err err = {0};
    gnt_submission s;
    int there = 1;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(gnt_submission_load(folder, &s, &there, &err), 0);
    assert_false(there);
    char *slurm = gnt_format("%s/slurm", folder), *file = gnt_format("%s/submission.json", slurm);
    assert_int_equal(gnt_make_dirs(slurm, &err), 0);
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{\"array\":\"1\",\"gather\":\"2\",\"jobs\":1,\"name\":\"-x\",\"workers\":2}",
        "{\"array\":\"1 --all\",\"gather\":\"2\",\"jobs\":1,\"name\":\"gauntlet-x\",\"workers\":2}",
        "{\"array\":\"1\",\"gather\":\"\",\"jobs\":1,\"name\":\"gauntlet-x\",\"workers\":2}",
        "{\"array\":\"1\",\"gather\":\"2\",\"jobs\":1,\"name\":\"gauntlet-x,y\",\"workers\":2}",
        "{\"array\":1,\"gather\":2,\"jobs\":1,\"name\":\"gauntlet-x\",\"workers\":2}",
        "{\"array\":\"1\",\"gather\":\"2\",\"jobs\":1,\"name\":\"gauntlet-x\",\"workers\":0}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(gnt_file_write(file, bad[i], strlen(bad[i]), &err), 0);
        assert_int_equal(gnt_submission_load(folder, &s, &there, &err), -1);
    }
    static const char good[] =
        "{\"array\":\"1\",\"gather\":\"2\",\"jobs\":1,\"name\":\"gauntlet-x\",\"workers\":2}";
    assert_int_equal(gnt_file_write(file, good, sizeof good - 1, &err), 0);
    assert_int_equal(gnt_submission_load(folder, &s, &there, &err), 0);
    assert_string_equal(s.gather, "2");
    gnt_submission_free(&s);
    unlink(file);
    rmdir(slurm);
    rmdir(folder);
    gnt_free(slurm);
    gnt_free(file);
}

static void need_comes_from_what_was_taken(void **state) {
    (void)state;
    const gnt_taken nothing = {0}, taken = {.entries = 100,
                                            .scores = 10,
                                            .seconds = 600,
                                            .longest = 60,
                                            .peak_bytes = 200.0 * (1 << 20)};
    gnt_need need = gnt_need_from(&nothing, 600, 4096, 50, 4, 1);
    assert_int_equal(need.known, 0);
    assert_int_equal(need.memory_mb, 4096 + 512);
    assert_int_equal(need.minutes, 70);
    need = gnt_need_from(&taken, 600, 4096, 50, 4, 1);
    assert_int_equal(need.known, 100);
    assert_int_equal(need.memory_mb, 832); /* 300 + 512, in steps of 64 */
    assert_int_equal(need.minutes, 35); /* 40 cells of a minute on 4 workers, twice; twice the longest; 10 */
    need = gnt_need_from(&taken, 600, 256, 50, 4, 2); /* never more than the suite lets a job have */
    assert_int_equal(need.memory_mb, 1024);
    need = gnt_need_from(&taken, 1e300, 1 << 24, (size_t)1 << 60, 1, 1);
    assert_in_range(need.minutes, 1, 60 * 24 * 30);
}

static void queues_are_read(void **state) {
    (void)state;
    static const char *const names[] = {"id", "state"};
    json_t *list = gnt_queue_parse("12|RUNNING\n\n13\n14|A|B\n15|\xff\n16|", names, 2);
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "state")), "RUNNING");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "state")), "?");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "state")), "");
    json_decref(list);
}

/* Returns the text of `status` for these records and this queue. */
static char *status_of(const char *written, const char *queue, int *bad) {
    gnt_text text;
    gnt_err err = {0};
    json_t *records = json_loads(written, 0, NULL), *jobs = queue ? json_loads(queue, 0, NULL) : NULL;
    json_t *ended = json_array();
    assert_non_null(records);
    gnt_text_init(&text, 1 << 20);
    assert_int_equal(gnt_status_text(&text, records, jobs, ended, bad, &err), 0);
    json_decref(records);
    json_decref(jobs);
    json_decref(ended);
    return gnt_text_take(&text);
}

static void status_answers_what_a_person_wants_to_know(void **state) {
    (void)state;
    int bad;
    char *text = status_of(
        "[{\"state\": \"running\", \"node\": \"a\", \"slurm_job\": \"5\", \"cells\": 10, \"finished\": 4, "
        "\"bad\": 1,"
        "\"jobs\": 30, \"stored\": 20, \"computed\": 9, \"at_once\": 2, \"seconds_left\": 400, \"sandbox\": "
        "\"full\","
        "\"failed_cells\": [{\"cell\": \"t/r0/x\", \"status\": \"crashed\", \"node\": \"b\", \"reason\": "
        "\"fell\"}]},"
        "{\"state\": \"running\", \"node\": \"b\", \"slurm_job\": \"6\", \"cells\": 10, \"finished\": 3, "
        "\"at_once\": 2,"
        "\"sandbox\": \"partial\"}, {\"state\": \"refused\", \"node\": \"c\", \"reason\": \"another "
        "identity\"}]",
        "[{\"id\": \"5\", \"shown\": \"4_1\", \"state\": \"RUNNING\", \"node\": \"a\", \"reason\": \"None\"},"
        "{\"id\": \"4\", \"shown\": \"4_2\", \"state\": \"PENDING\", \"node\": \"\", \"reason\": "
        "\"Resources\"}]",
        &bad);
    assert_string_equal(
        text,
        "4 of 10 cells done, 1 of them failed; 20 of 30 known jobs stored; about 3 min left with 1 run\n"
        "node a: 1 running, 0 ended, 9 jobs computed; sandbox: full\n"
        "node b: 0 running, 1 ended, 0 jobs computed; sandbox: partial\n"
        "job 4_1: RUNNING on a\n"
        "job 4_2: PENDING for Resources\n"
        "refused to begin: another identity\n"
        "crashed t/r0/x on b: fell\n");
    assert_true(bad);
    gnt_free(text);
    text = status_of("[]", "[]", &bad);
    assert_non_null(strstr(text, "submit again to go on"));
    assert_true(bad);
    gnt_free(text);
    text =
        status_of("[{\"state\": \"ended\", \"gathers\": true, \"cells\": 3, \"finished\": 3}]", "[]", &bad);
    assert_null(strstr(text, "submit again"));
    assert_false(bad);
    gnt_free(text);
}

/* Anybody who can write the folder can write records. */
static void hostile_records_do_no_harm(void **state) {
    (void)state;
    int bad;
    char *text = status_of(
        "[{}, 7, null, [], {\"state\": 1, \"node\": [], \"cells\": \"x\", \"finished\": -5, "
        "\"seconds_left\": 1e308,"
        "\"failed_cells\": {\"a\": 1}}, {\"state\": \"running\", \"finished\": 9, \"node\": \"\\u001b[2J\","
        "\"sandbox\": \"\\u0007\", \"at_once\": 1, \"seconds_left\": 1e308,"
        "\"failed_cells\": [1, {\"cell\": \"\\u001b]0;x\"}]}]",
        NULL, &bad);
    assert_null(strchr(text, 27));
    assert_null(strchr(text, 7));
    gnt_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_words_whatever_they_hold),
        cmocka_unit_test(the_end_of_a_command_is_known),
        cmocka_unit_test(a_script_goes_back_into_the_queue_at_the_end_of_its_time_alone),
        cmocka_unit_test(what_is_submitted_is_shown),
        cmocka_unit_test(a_record_that_is_none_is_refused),
        cmocka_unit_test(need_comes_from_what_was_taken),
        cmocka_unit_test(queues_are_read),
        cmocka_unit_test(status_answers_what_a_person_wants_to_know),
        cmocka_unit_test(hostile_records_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
