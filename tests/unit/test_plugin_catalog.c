/* Finding plugin files, opening them, and the cache of their descriptions: what is described again, and what
 * is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "plugin/catalog.h"
#include "plugin/own_ids.h"
#include "plugin/find.h"
#include "plugin/load.h"

static char root[64]; /* a folder of this test's own */

static const char *in(const char *name) {
    static char path[4][200];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static void put(const char *name, const char *text) {
    gnt_err err = {0};
    if (gnt_file_write(in(name), text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static int set_up(void **state) {
    static const char *const folders[] = {"exe/plugins/defenses", "exe/plugins/attacks",
                                          "lib/gauntlet/plugins/attacks", "one", "two/defenses"};
    (void)state;
    unsetenv("GAUNTLET_PLUGINS");
    snprintf(root, sizeof root, "/tmp/gauntlet-test-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (gnt_make_dirs(in(folders[i]), NULL))
            return -1;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char *command[] = {"rm", "-rf", root, NULL};
    pid_t child = fork();
    if (child == 0) {
        execvp("rm", command);
        _exit(1);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* ---- files ---- */

static void files_are_found_in_one_order(void **state) {
    (void)state;
    static const char *const expected[] = {"exe/plugins/defenses/b.so",
                                           "exe/plugins/attacks/a.so",
                                           "lib/gauntlet/plugins/attacks/z.so",
                                           "one/B.so",
                                           "one/a.so",
                                           "two/defenses/q.so"};
    for (size_t i = 0; i < 6; i++)
        put(expected[i], "x");
    put("one/readme.txt", "x");
    put("one/.hidden.so", "x");
    put("one/.so", "x");
    assert_int_equal(mkdir(in("one/folder.so"), 0700), 0);
    assert_int_equal(symlink(in("one/a.so"), in("two/again.so")), 0); /* the same file once more */
    assert_int_equal(symlink("/nowhere", in("two/gone.so")), 0);
    char *variable = gnt_format("%s::%s/", in("one"), in("one"));
    gnt_paths paths;
    gnt_err err = {0};
    if (gnt_find_plugins(&paths, in("exe"), variable, in("two"), &err))
        fail_msg("%s", err.text);
    assert_int_equal(paths.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(paths.path[i], in(expected[i]));
    gnt_paths_free(&paths);
    gnt_free(variable);
    assert_int_equal(gnt_find_plugins(&paths, in("nowhere"), NULL, NULL, NULL),
                     0); /* places of its own may be absent */
    assert_int_equal(paths.n, 0);
    gnt_paths_free(&paths);
    assert_int_equal(gnt_find_plugins(&paths, NULL, NULL, in("nowhere"), &err), -1);
    assert_non_null(strstr(err.text, "nowhere"));
    assert_int_equal(gnt_find_plugins(&paths, NULL, in("nowhere"), NULL, &err), -1);
    assert_non_null(strstr(err.text, "GAUNTLET_PLUGINS"));
}

static void junk_is_no_plugin(void **state) {
    (void)state;
    const gnt_entry *entry;
    gnt_err err = {0};
    put("one/junk.so", "\177ELF but not really");
    assert_int_equal(gnt_plugin_open(&entry, in("one/junk.so"), &err), -1);
    assert_non_null(strstr(err.text, "junk.so"));
    assert_int_equal(gnt_plugin_open(&entry, in("one/missing.so"), &err), -1);
    /* a library that is no plugin */
    assert_int_equal(gnt_plugin_open(&entry, "libz.so.1", &err), -1);
    assert_non_null(strstr(err.text, "gauntlet_entry"));
    unlink(in("one/junk.so"));
}

/* ---- the cache ---- */

static int described; /* how often a worker described a plugin */

/* Describes a file by its content: "bad …" is refused, anything else is the plugin's id. */
static int pretend(void *context, const char *path, char **json, size_t *size, gnt_err *err) {
    uint8_t *id;
    size_t n;
    gnt_digest digest;
    char hex[GNT_HEX_SIZE];
    (void)context;
    described++;
    assert_int_equal(gnt_file_read(path, 100, &id, &n, NULL), 0);
    if (strncmp((char *)id, "bad", 3) == 0) {
        gnt_free(id);
        return gnt_fail(err, "%s: it fell over", path);
    }
    assert_int_equal(gnt_digest_file(path, &digest, NULL), 0);
    gnt_digest_hex(&digest, hex);
    *json = gnt_format(
        "{\"format\":4,\"digest\":\"%s\",\"plugins\":[{\"kind\":\"attack\",\"id\":\"%s\",\"version\":\"1\","
        "\"line\":\"l\",\"licence\":\"MIT\",\"citation\":\"\",\"parameters\":[],\"scope\":\"none\","
        "\"surfaces\":[\"update\"],\"goals\":[\"label\"],\"needs\":[],\"uses\":[],\"data_kinds\":[\"image\"],"
        "\"flags\":[],\"hooks\":[\"run\"],\"services\":[],\"families\":[],\"conditions\":[],"
        "\"least_public\":0,\"least_shadow\":0,\"abi_major\":0,\"abi_minor\":9,"
        "\"index\":0,"
        "\"file\":\"elsewhere\",\"digest\":\"%s\"}]}",
        hex, (char *)id, hex);
    *size = strlen(*json);
    gnt_free(id);
    return 0;
}

static void list_and_count(size_t n, size_t refused, int questions) {
    gnt_plugin_list list;
    gnt_err err = {0};
    gnt_catalog_spec spec = {.plugins = in("two"), .cache = in("cache/deep"), .describe = pretend};
    described = 0;
    if (gnt_catalog(&list, &spec, &err))
        fail_msg("%s", err.text);
    assert_int_equal(list.n, n);
    assert_int_equal(list.n_refused, refused);
    assert_int_equal(described, questions);
    for (size_t i = 0; i < n; i++)
        assert_non_null(strstr(list.info[i].file, root));
    gnt_plugin_list_free(&list);
}

static char *cached_name(const char *file) {
    gnt_digest digest;
    char hex[GNT_HEX_SIZE];
    assert_int_equal(gnt_digest_file(in(file), &digest, NULL), 0);
    gnt_digest_hex(&digest, hex);
    return gnt_format("%s/%s.json", in("cache/deep"), hex);
}

static void answers_are_kept_by_content(void **state) {
    (void)state;
    unlink(in("two/again.so"));
    put("two/defenses/q.so", "alpha");
    put("two/b.so", "beta");
    put("two/c.so", "bad one");
    list_and_count(2, 1, 3);
    list_and_count(2, 1, 1);  /* what was refused is described again, the rest is known */
    put("two/b.so", "gamma"); /* another content is another file */
    list_and_count(2, 1, 2);
    char *cached = cached_name("two/b.so"), *other = cached_name("two/defenses/q.so");
    uint8_t *answer;
    size_t size;
    assert_int_equal(gnt_file_write(cached, "{\"format\":4,", 12, NULL), 0); /* cut short */
    list_and_count(2, 1, 2);
    list_and_count(2, 1, 1); /* and was written again */
    assert_int_equal(gnt_file_read(other, 1 << 20, &answer, &size, NULL), 0);
    assert_int_equal(gnt_file_write(cached, answer, size, NULL), 0); /* another file's answer */
    list_and_count(2, 1, 2);
    gnt_free(answer);
    assert_int_equal(gnt_file_read(cached, 1 << 20, &answer, &size, NULL), 0);
    for (size_t i = 0; i < size;
         i += 9) { /* a flipped bit, which may well leave an answer that can be read */
        answer[i] ^= 1;
        assert_int_equal(gnt_file_write(cached, answer, size, NULL), 0);
        answer[i] ^= 1;
        list_and_count(2, 1, 2);
    }
    gnt_free(answer);
    gnt_free(cached);
    gnt_free(other);
}

/* A third party's file does not pass for a built-in plugin, even where that is not installed;
 * tests/e2e/versions keeps the list of all of those. */
static void ids_of_built_in_plugins_are_reserved(void **state) {
    (void)state;
    gnt_plugin_list list;
    gnt_err err = {0};
    gnt_catalog_spec spec = {.plugins = in("two"), .describe = pretend};
    FILE *kept = fopen("tests/e2e/versions.txt", "r");
    char id[80];
    int n = 0;
    assert_non_null(kept);
    for (; fscanf(kept, "%79s %*s %*s", id) == 1; n++)
        assert_true(gnt_is_own_id(id));
    fclose(kept);
    assert_true(n > 30 && !gnt_is_own_id("alpha"));
    put("two/d.so", "dp-gaussian");
    assert_int_equal(gnt_catalog(&list, &spec, &err), -1);
    assert_non_null(
        strstr(err.text, "two/d.so: the attack has the id \"dp-gaussian\", which is that of a built-in"));
    unlink(in("two/d.so"));
}

static void the_same_id_twice_is_an_error(void **state) {
    (void)state;
    gnt_plugin_list list;
    gnt_err err = {0};
    gnt_catalog_spec spec = {.plugins = in("two"), .describe = pretend};
    put("two/d.so", "alpha");
    assert_int_equal(gnt_catalog(&list, &spec, &err), -1);
    assert_non_null(strstr(err.text, "two/d.so"));
    assert_non_null(strstr(err.text, "two/defenses/q.so"));
    assert_int_equal(list.n, 0);
    unlink(in("two/d.so"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_in_one_order), cmocka_unit_test(junk_is_no_plugin),
        cmocka_unit_test(answers_are_kept_by_content), cmocka_unit_test(ids_of_built_in_plugins_are_reserved),
        cmocka_unit_test(the_same_id_twice_is_an_error)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
