#include "cli/env.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "plugin/find.h"
#include "process/describe.h"

/* Lists `given` or `own`, then the folders of that name next to the program as built and as installed. */
static void list_folders(char *folder[CLI_MODEL_FOLDERS], const char *given, const char *own) {
    static const char *const nearby[] = {"..", "../share/gauntlet"};
    char self[4096];
    size_t n = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    folder[n++] = gnt_strdup(given ? given : own);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < sizeof nearby / sizeof *nearby; i++)
        folder[n++] = gnt_format("%s/%s/%s", self, nearby[i], own);
    folder[n] = NULL;
}

void cli_find_models(char *folder[CLI_MODEL_FOLDERS], const char *given) {
    list_folders(folder, given, "models");
}

void cli_find_lists(char *folder[CLI_MODEL_FOLDERS]) {
    list_folders(folder, NULL, "suites/standard");
}

static int is_file(const char *path) {
    struct stat st;
    return path && stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Fails, and names the suite of a folder that is written most like `given`. */
static int no_suite(const char *given, const char *folder, gnt_err *err) {
    enum { MOST = 256 };
    char *name[MOST] = {NULL};
    size_t n = 0;
    DIR *all = folder ? opendir(folder) : NULL;
    for (struct dirent *e; all && n < MOST && (e = readdir(all));) {
        const size_t length = strlen(e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".json") == 0 &&
            (name[n] = gnt_format("%.*s", (int)length - 5, e->d_name)))
            n++;
    }
    if (all)
        closedir(all);
    const char *near = gnt_nearest(given, (const char *const *)name, n);
    gnt_fail(err,
             "%.200s: there is no such file, and no suite of this name%s%s%s; expected the file of a suite",
             given, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    while (n)
        gnt_free(name[--n]);
    return -1;
}

int cli_find_suite(char **path, const char *given, gnt_err *err) {
    char *folder[CLI_MODEL_FOLDERS], *found = NULL, *near = NULL;
    if (strcmp(given, "-") == 0 || is_file(given) || cli_is_folder(given))
        return (*path = gnt_strdup(given)) ? 0 : gnt_fail(err, "out of memory");
    list_folders(folder, NULL, "suites");
    for (size_t i = 0; folder[i] && !found; i++) {
        found = gnt_format("%s/%s.json", folder[i], given);
        if (*given != '/' && is_file(found))
            break;
        gnt_free(found);
        found = NULL;
        if (!near && cli_is_folder(folder[i]))
            near = folder[i];
    }
    *path = found;
    const int rc = found ? 0 : no_suite(given, near, err);
    cli_free_models(folder);
    return rc;
}

void cli_free_models(char *folder[CLI_MODEL_FOLDERS]) {
    for (size_t i = 0; folder[i]; i++)
        gnt_free(folder[i]);
}

/* Prints a note if a folder has no plugins: most likely it is the wrong one. */
static void warn_of_nothing(const char *folder) {
    gnt_paths found;
    if (!folder || gnt_find_plugins(&found, NULL, NULL, folder, NULL) != 0)
        return;
    if (found.n == 0)
        fprintf(stderr,
                "gauntlet: note: --plugins %s: there is no plugin; expected *.so or *.py files in it or in "
                "its folders "
                "defenses and attacks\n",
                folder);
    gnt_paths_free(&found);
}

int cli_list_plugins(gnt_plugin_list *out, const char *folder, const gnt_sandbox_options *sandbox,
                     gnt_err *err) {
    warn_of_nothing(folder);
    return gnt_list_plugins(out, folder, sandbox, err);
}

int cli_env_open(cli_env *w, const cli_paths *paths, const gnt_sandbox_options *sandbox, gnt_err *err) {
    *w = (cli_env){0};
    cli_find_models(w->models, paths->models);
    cli_find_lists(w->lists);
    w->suite = (gnt_suite_env){.plugins = &w->plugins,
                               .data_folder = paths->data,
                               .model_folders = (const char *const *)w->models,
                               .list_folders = (const char *const *)w->lists,
                               .key_file = paths->key};
    return cli_list_plugins(&w->plugins, paths->plugins, sandbox, err);
}

void cli_env_close(cli_env *w) {
    gnt_plugin_list_free(&w->plugins);
    cli_free_models(w->models);
    cli_free_models(w->lists);
}

static int read_key(const char **to, const char *text, const char *option) {
    gnt_key key;
    gnt_err err = {""};
    const int rc = gnt_suite_read_key(text, &key, &err);
    explicit_bzero(&key, sizeof key);
    if (rc != 0)
        fprintf(stderr, "gauntlet: --%s: %s\n", option, err.text);
    *to = text;
    return rc;
}

int cli_read_key(void *to, char *text) {
    return read_key(to, text, "key");
}

int cli_read_season_key(void *to, char *text) {
    return read_key(to, text, "season-key");
}

char *cli_find_shared(const char *name) {
    char *folder[CLI_MODEL_FOLDERS], *found = NULL;
    list_folders(folder, NULL, name);
    for (size_t i = 1; folder[i] && !found; i++) /* 0 is in the working folder */
        found = cli_is_folder(folder[i]) ? gnt_strdup(folder[i]) : NULL;
    cli_free_models(folder);
    return found;
}

int cli_is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *cli_results_of(const char *path) {
    return cli_is_folder(path) ? gnt_format("%s/results.json", path) : gnt_strdup(path);
}

const char *cli_run_of(char *word) {
    static const char name[] = "results.json";
    const size_t n = strlen(word), own = sizeof name - 1;
    if (n < own || strcmp(word + n - own, name) != 0 || !is_file(word))
        return word;
    if (n == own)
        return ".";
    if (word[n - own - 1] == '/')
        word[n - own - (n - own > 1)] = 0;
    return word;
}

int cli_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > CLI_MOST_JOBS ? CLI_MOST_JOBS : (int)n;
}
