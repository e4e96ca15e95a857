/* What an attack's process could do with what it is handed. Its request holds one key, its own, and no other
 * job's, no seed and no path but its plugin's. Under a secret run key nobody finds the streams by trying
 * seeds: not the noise of a defense, not the targets, not who holds what; under a run key made from a seed
 * everybody does, which proves that the trial tries the right names. And the attempts of
 * tests/plugins/break_in.c succeed where there is no sandbox: its zeros behind one are the sandbox's. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "data/data.h"
#include "fake_plugins.h"
#include "fl/partition.h"
#include "request/request_fields.h"
#include "run/request/requests.h"
#include "try_plugin.h"

enum { SEEDS = 10000, THE_SEED = 4711, MOST_JOBS = 64 };

static gnt_plugin_list plugins;
static char folder[] = "/tmp/gauntlet-trust-XXXXXX";
static char suite_path[64];

static int open_all(void **state) {
    (void)state;
    gnt_err err = {0};
    if (!mkdtemp(folder))
        return -1;
    snprintf(suite_path, sizeof suite_path, "%s/suite.json", folder);
    return fake_plugins(&plugins, &err);
}

static int close_all(void **state) {
    (void)state;
    char key[64];
    snprintf(key, sizeof key, "%s/run.key", folder);
    unlink(key);
    rmdir(folder);
    gnt_plugin_list_free(&plugins);
    return 0;
}

/* ---- the jobs of a suite, as the scheduler requests them ---- */

typedef struct jobs {
    gnt_suite suite;
    gnt_plan plan;
    run_jobs table;
    run_requests r;
} jobs;

static void open_jobs(jobs *j, const char *key) {
    gnt_suite_env env = {.plugins = &plugins};
    gnt_err err = {0};
    *j = (jobs){0};
    char *text = gnt_format(
        "{\"suite\": \"s\", %s, \"seeds\": [3], \"tasks\": [{\"id\": \"t\", \"data\": {\"name\": \"glyphs\", "
        "\"clients\": 200, \"targets\": 16, \"test\": 50, \"public\": 50, \"shadow\": 50}, "
        "\"model\": \"mlp\", \"federated\": {\"rounds\": 2}, \"observe\": {\"from\": \"probe\", "
        "\"attribute\": \"style\"}, "
        "\"shadow\": {\"observations\": 8}}], "
        "\"defenses\": [{\"defense\": \"none\"}, {\"defense\": \"dp-gaussian\", \"strength\": 0.5}], "
        "\"attacks\": [{\"attack\": \"dlg\", \"grants\": [\"labels\", \"defense\", \"public\"]}, "
        "{\"attack\": \"attr-nn\", \"grants\": [\"shadow_observations\", \"attribute\"]}]}",
        key);
    if (gnt_suite_parse(&j->suite, suite_path, text, strlen(text), &env, &err) != 0 ||
        gnt_plan_make(&j->plan, &j->suite, &err) != 0)
        fail_msg("%s", err.text);
    gnt_free(text);
    assert_int_equal(run_jobs_open(&j->table), 0);
    j->r = (run_requests){.suite = &j->suite, .jobs = &j->table};
    if (run_requests_open(&j->r, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < j->plan.n; i++) {
        const gnt_cell *c = &j->plan.cell[i];
        if (c->reason)
            fail_msg("%s: %s", c->id, c->reason);
        run_job *attack = run_attack_job(&j->r, c, c->strength);
        assert_non_null(attack);
        assert_non_null(run_score_job(&j->r, c, c->strength, attack));
    }
    assert_true(j->table.n > 10 && j->table.n < MOST_JOBS);
}

static void close_jobs(jobs *j) {
    run_jobs_free(&j->table);
    run_requests_close(&j->r);
    gnt_plan_free(&j->plan);
    gnt_suite_free(&j->suite);
}

static run_job *job_of(const jobs *j, const char *name) {
    const json_t *at = json_object_get(j->table.index, name);
    if (!at)
        fail_msg("there is no job \"%s\"", name);
    return j->table.at[json_integer_value(at)];
}

/* Every name under which the harness derives a key for these jobs; `role` is one of six. */
static const char *const roles[] = {"data", "init", "train", "defense", "attack", "observe"};
static const char *const names[] = {"t/s3",
                                    "t/s3/score",
                                    "t/s3/none/train",
                                    "t/s3/dp-gaussian/train",
                                    "t/s3/(plain)/train",
                                    "t/s3/observe r2",
                                    "t/s3/observe r2/none",
                                    "t/s3/observe r2/dp-gaussian",
                                    "t/s3/shadow r2",
                                    "t/s3/shadow r2/none",
                                    "t/s3/shadow r2/dp-gaussian",
                                    "t/r2/dlg/s3",
                                    "t/r2/attr-nn/s3",
                                    "t/r2/attr-nn/s3/prepare"};
enum { ROLES = sizeof roles / sizeof *roles, NAMES = sizeof names / sizeof *names };

static gnt_key derived(uint64_t seed, int role, int name) {
    gnt_key run_key = gnt_key_of_seed(seed), of_role = gnt_key_derive(&run_key, roles[role]);
    return gnt_key_derive(&of_role, names[name]);
}

static int same(const gnt_key *a, const gnt_key *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- the keys of requests, by the table of their fields ---- */

enum { MOST_KEYS = 8 };

typedef struct key_list {
    gnt_key key[MOST_KEYS];
    size_t n;
} key_list;

/* Every key below, of groups and lists too. */
static void add_keys(key_list *out, const gnt_fields *fields, const void *from) {
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const char *at = (const char *)from + f->offset, *group = at;
        if (f->type == GNT_FIELD_KEY) {
            assert_true(out->n < MOST_KEYS);
            memcpy(&out->key[out->n++], at, sizeof(gnt_key));
        } else if (f->type == GNT_FIELD_GROUP) {
            if (f->optional)
                memcpy(&group, at, sizeof group);
            if (group)
                add_keys(out, f->group, group);
        } else if (f->type == GNT_FIELD_LIST) {
            size_t n;
            memcpy(&group, at, sizeof group);
            memcpy(&n, at + sizeof group, sizeof n);
            for (size_t k = 0; k < n; k++)
                add_keys(out, f->group, group + k * f->group->size);
        }
    }
}

static key_list keys_of(const gnt_request *request) {
    key_list keys = {.n = 0};
    add_keys(&keys, gnt_request_kinds[request->kind].fields, &request->data);
    return keys;
}

/* All keys of all requests, each once. */
static size_t gather(const jobs *j, gnt_key *keys) {
    size_t n = 0;
    for (size_t i = 0; i < j->table.n; i++) {
        const key_list of = keys_of(&j->table.at[i]->request);
        for (size_t m = 0; m < of.n; m++) {
            size_t k = 0;
            while (k < n && !same(&keys[k], &of.key[m]))
                k++;
            assert_true(k < MOST_KEYS * MOST_JOBS);
            keys[k] = of.key[m];
            n += k == n;
        }
    }
    return n;
}

/* How many of the keys somebody finds who tries this seed under all names. */
static size_t found_by(uint64_t seed, const gnt_key *keys, size_t n) {
    size_t found = 0;
    for (int role = 0; role < ROLES; role++)
        for (int name = 0; name < NAMES; name++) {
            gnt_key guess = derived(seed, role, name);
            for (size_t k = 0; k < n; k++)
                found += same(&guess, &keys[k]);
        }
    return found;
}

/* ---- what the keys decide ---- */

enum { NOISE = 64, ROWS = 240, TARGETS = 16, CLIENT_ROWS = 200 };

typedef struct drawn {
    float noise[NOISE]; /* of dp-gaussian on the first tensor that is observed */
    int64_t target[TARGETS];
    uint32_t holder[CLIENT_ROWS];
} drawn;

static int32_t labels[CLIENT_ROWS];

static void draw(drawn *out, const gnt_data *data, const gnt_key *noise, const gnt_key *deal) {
    gnt_err err = {0};
    gnt_key member = gnt_key_derive(noise, "member 0");
    gnt_stream stream = gnt_stream_open(&member, "fc1.weight");
    for (int i = 0; i < NOISE; i++)
        out->noise[i] = (float)gnt_random_normal(&stream);
    gnt_split_spec wish = {.n = {CLIENT_ROWS, TARGETS, 10, 10, 10}};
    gnt_split split;
    gnt_partition_spec spec = {.kind = GNT_PARTITION_IID, .clients = 10};
    gnt_partition part;
    if (gnt_split_make(&split, data, &wish, deal, &err) != 0 ||
        gnt_partition_make(&part, &spec, labels, CLIENT_ROWS, 10, deal, &err) != 0)
        fail_msg("%s", err.text);
    memcpy(out->target, split.rows[GNT_ROLE_TARGETS], sizeof out->target);
    memcpy(out->holder, part.index, sizeof out->holder);
    gnt_split_free(&split);
    gnt_partition_free(&part);
}

typedef struct finds {
    int keys, noise, targets, holders;
    uint64_t last; /* seed that found anything */
} finds;

/* Tries all seeds against the keys of the suite's jobs and what they decide. */
static finds try_seeds(const jobs *j) {
    gnt_key keys[MOST_KEYS * MOST_JOBS];
    gnt_err err = {0};
    gnt_data *data;
    gnt_data_spec spec = {.name = "glyphs", .rows = {ROWS, 20, 20}};
    if (gnt_data_open(&data, &spec, NULL, &err) != 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < CLIENT_ROWS; i++)
        labels[i] = i % 10;
    size_t n = gather(j, keys);
    const gnt_request *observed = &job_of(j, "observe t/r2/dp-gaussian@0.5/s3")->request;
    const gnt_request *dealt = &job_of(j, "data t/s3")->request;
    assert_true(observed->kind == GNT_JOB_OBSERVE && observed->observe.probe && dealt->kind == GNT_JOB_DATA);
    const gnt_key noise = observed->observe.probe->defense_key, deal = dealt->data.key;
    drawn truth, guess;
    draw(&truth, data, &noise, &deal);
    finds f = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        gnt_key its_noise = derived(seed, 3, 7), its_deal = derived(seed, 0, 0);
        draw(&guess, data, &its_noise, &its_deal);
        size_t known = found_by(seed, keys, n);
        int noise_hit = memcmp(guess.noise, truth.noise, sizeof guess.noise) == 0;
        int target_hit = memcmp(guess.target, truth.target, sizeof guess.target) == 0;
        int holder_hit = memcmp(guess.holder, truth.holder, sizeof guess.holder) == 0;
        f.keys += known == n;
        f.noise += noise_hit;
        f.targets += target_hit;
        f.holders += holder_hit;
        if (known || noise_hit || target_hit || holder_hit)
            f.last = seed + 1;
    }
    gnt_data_free(data);
    return f;
}

static void a_seed_gives_every_stream_away(void **state) {
    (void)state;
    char key[64];
    jobs j;
    snprintf(key, sizeof key, "\"seed\": %d", THE_SEED);
    open_jobs(&j, key);
    finds f = try_seeds(&j);
    close_jobs(&j);
    /* one seed of all explains every key there is: the names above are all names the harness uses */
    assert_int_equal(f.keys, 1);
    assert_int_equal(f.noise, 1);
    assert_int_equal(f.targets, 1);
    assert_int_equal(f.holders, 1);
    assert_int_equal(f.last, THE_SEED + 1);
}

/* The secret is any 32 bytes that are no seed's key; these are fixed, so that the test is. */
static void a_secret_key_gives_none_away(void **state) {
    (void)state;
    char path[64], digits[65] = "";
    jobs j;
    gnt_err err = {0};
    gnt_digest secret = gnt_digest_bytes("a secret", 8);
    gnt_digest_hex(&secret, digits);
    snprintf(path, sizeof path, "%s/run.key", folder);
    assert_int_equal(gnt_file_write(path, digits, 64, &err), 0);
    open_jobs(&j, "\"key_file\": \"run.key\"");
    finds f = try_seeds(&j);
    close_jobs(&j);
    assert_int_equal(f.keys + f.noise + f.targets + f.holders, 0);
    assert_int_equal(f.last, 0);
}

/* ---- what a request reveals ---- */

static int mentions(const char *text, const gnt_key *key) {
    char hex[GNT_HEX_SIZE];
    gnt_digest d;
    memcpy(d.b, key->b, sizeof d.b);
    gnt_digest_hex(&d, hex);
    return strstr(text, hex) != NULL;
}

static int is_attack(gnt_job_kind kind) {
    return kind == GNT_JOB_ATTACK || kind == GNT_JOB_PREPARE_ATTACK;
}

static void an_attack_holds_its_own_key_alone(void **state) {
    (void)state;
    jobs j;
    open_jobs(&j, "\"seed\": 4711");
    size_t attacks = 0;
    for (size_t i = 0; i < j.table.n; i++) {
        const gnt_request *mine = &j.table.at[i]->request;
        const key_list keys = keys_of(mine);
        json_t *json = gnt_request_encode(mine, GNT_FIELDS_ALL);
        char *text = gnt_json_canonical(json);
        assert_false(mentions(text, &j.suite.key));
        attacks += (size_t)is_attack(mine->kind);
        assert_true(!is_attack(mine->kind) || (keys.n == 1 && mentions(text, &keys.key[0])));
        for (size_t k = 0; is_attack(mine->kind) && k < j.table.n; k++) {
            const key_list other = keys_of(&j.table.at[k]->request);
            for (size_t m = 0; k != i && m < other.n; m++)
                if (!is_attack(j.table.at[k]->request.kind) || !same(&other.key[m], &keys.key[0]))
                    assert_false(mentions(text, &other.key[m]));
        }
        gnt_free(text);
        json_decref(json);
    }
    assert_true(attacks >= 4);
    close_jobs(&j);
}

/* Members of the JSON whose names end in "key", at any depth. */
static size_t count_keys(const json_t *json) {
    const char *name;
    json_t *value;
    size_t i, n = 0;
    json_object_foreach((json_t *)(uintptr_t)json, name, value) {
        const size_t length = strlen(name);
        n += length >= 3 && strcmp(name + length - 3, "key") == 0;
        n += count_keys(value);
    }
    json_array_foreach(json, i, value) n += count_keys(value);
    return n;
}

/* Or the laws here would be of nothing. */
static void the_walk_finds_every_key(void **state) {
    (void)state;
    jobs j;
    open_jobs(&j, "\"seed\": 4711");
    for (size_t i = 0; i < j.table.n; i++) {
        json_t *json = gnt_request_encode(&j.table.at[i]->request, GNT_FIELDS_ALL);
        assert_int_equal(keys_of(&j.table.at[i]->request).n, count_keys(json));
        json_decref(json);
    }
    close_jobs(&j);
}

/* By the table, so whatever is written into it: no seed, no folder, and no path but those of plugins. */
static void assert_no_places(const gnt_fields *fields) {
    for (size_t i = 0; i < fields->n; i++) {
        const gnt_field *f = &fields->field[i];
        const int of_plugin = fields->size == sizeof(gnt_request_plugin) &&
                              f->offset == offsetof(gnt_request_plugin, file) && strcmp(f->name, "file") == 0;
        if (strstr(f->name, "seed") || strstr(f->name, "folder") || strstr(f->name, "path") ||
            (f->is_place && !of_plugin))
            fail_msg("an attack is told \"%s\"", f->name);
        if (f->group)
            assert_no_places(f->group);
    }
}

static void an_attack_is_given_no_seed_and_no_path(void **state) {
    (void)state;
    jobs j;
    assert_no_places(gnt_request_kinds[GNT_JOB_ATTACK].fields);
    assert_no_places(gnt_request_kinds[GNT_JOB_PREPARE_ATTACK].fields);
    open_jobs(&j, "\"seed\": 4711");
    for (size_t i = 0; i < j.table.n; i++) {
        const run_job *mine = j.table.at[i];
        if (!is_attack(mine->request.kind))
            continue;
        const gnt_request_plugin *plugin = mine->request.kind == GNT_JOB_ATTACK
                                               ? &mine->request.attack.attacker.plugin
                                               : &mine->request.prepare_attack.attacker.plugin;
        assert_int_equal(mine->n_plugins, 1);
        assert_string_equal(plugin->file, mine->plugin[0]);
    }
    close_jobs(&j);
}

/* ---- break_in without a sandbox ---- */

static const char *const ways[] = {
    "opened_paths", "named_in_environment", "opened_proc", "walked_proc", "parents_descriptors", "listed",
    "wrote",        "wrote_inputs",         "sockets",     "processes",   "shared_memory",       "limits"};

static gnt_status take(void *context, int64_t count, const float *x) {
    (void)x;
    *(int64_t *)context = count;
    return GNT_OK;
}

/* In a process of its own. 0, or the number of the first way that did not lead out, from 1 on; 100 and more:
 * the trial itself went wrong. */
static int try_to_break_in(void) {
    static const char model_json[] =
        "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
    char path[4096];
    gnt_err err = {0};
    tried t;
    gnt_model *model;
    gnt_service *service;
    gnt_nn_shape sample = {.rank = 1, .dim = {3}};
    int64_t count = 0;
    FILE *file = tmpfile();
    if (chdir(folder) != 0 || setenv("GAUNTLET_FOR_TEST", "/etc/passwd", 1) != 0 || !file ||
        fputs("text", file) < 0 || fflush(file) != 0 || dup2(fileno(file), 6) != 6)
        return 100;
    if (gnt_model_parse(&model, "small", model_json, &sample, 2, NULL, NULL, &err) != 0)
        return 101;
    gnt_service_spec spec = {.model = model, .name = "small"};
    if (gnt_service_new(&service, &spec, &err) != 0 ||
        try_load(&t, built("tests/so/break_in.so", path), GNT_PLUGIN_ATTACK, "break-in",
                 "{\"paths\": \"/etc/passwd\"}", &err) != 0 ||
        try_start(&t, 1, (gnt_instance_spec){.model = service}, &err) != 0)
        return 102;
    gnt_observation seen = {.size = sizeof seen, .n = 1};
    gnt_artefacts own = {.size = sizeof own};
    gnt_answer answer = {.size = sizeof answer, .context = &count, .reconstruction = take};
    gnt_instance_enter(t.instance, "run");
    gnt_status status =
        gnt_instance_attack(t.instance)->run(gnt_instance_self(t.instance), &seen, &own, &answer);
    if (gnt_instance_leave(t.instance, status, &err) != GNT_OK || count != 1)
        return 103;
    for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++)
        if (!(try_fact(&t, ways[i]) >= 1))
            return i + 1;
    return 0;
}

static void without_a_sandbox_every_way_leads_out(void **state) {
    (void)state;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(try_to_break_in());
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    int which = WEXITSTATUS(status);
    if (which && which <= (int)(sizeof ways / sizeof *ways))
        fail_msg("no attempt of the kind \"%s\" succeeded, though nothing stood in its way", ways[which - 1]);
    assert_int_equal(which, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_every_stream_away),
        cmocka_unit_test(a_secret_key_gives_none_away),
        cmocka_unit_test(an_attack_holds_its_own_key_alone),
        cmocka_unit_test(the_walk_finds_every_key),
        cmocka_unit_test(an_attack_is_given_no_seed_and_no_path),
        cmocka_unit_test(without_a_sandbox_every_way_leads_out),
    };
    return cmocka_run_group_tests_name("trust", tests, open_all, close_all);
}
