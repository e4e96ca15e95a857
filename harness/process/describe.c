#include "process/describe.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/cache_folder.h"
#include "base/mem.h"
#include "process/child.h"
#include "request/request.h"

static const double describe_seconds = 20;
static const uint64_t describe_memory = (uint64_t)1 << 30, longest_answer = (uint64_t)16 << 20;

static int add_existing(gnt_paths *out, const char *path, gnt_err *err) {
    char real[PATH_MAX];
    if (!path)
        return gnt_fail(err, "out of memory");
    if (!realpath(path, real))
        return 0;
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->path[i], real) == 0)
            return 0;
    char *copy = GNT_GROW(out->path, out->n) == 0 ? gnt_strdup(real) : NULL;
    if (!copy)
        return gnt_fail(err, "out of memory");
    out->path[out->n++] = copy;
    return 0;
}

static int folder_of(char *folder, const char *file) {
    if (!realpath(file, folder))
        return -1;
    *strrchr(folder, '/') = 0;
    return 0;
}

int gnt_plugin_files(gnt_paths *out, const char *path, gnt_err *err) {
    static const char *const from_plugin[] = {".", "..", "../.."}, *const from_program[] = {
                                                                       ".", "../lib/gauntlet"};
    char plugin[PATH_MAX], program[PATH_MAX];
    if (folder_of(plugin, path))
        return gnt_fail(err, "%s: %s", path, strerror(errno));
    if (folder_of(program, "/proc/self/exe"))
        return gnt_fail(err, "/proc/self/exe: %s; is /proc mounted?", strerror(errno));
    int bad = add_existing(out, path, err);
    for (size_t i = 0; i < 5 && !bad; i++) {
        char *library = gnt_format("%s/%s/libgauntlet-nn.so.0", i < 3 ? plugin : program,
                                   i < 3 ? from_plugin[i] : from_program[i - 3]);
        bad = add_existing(out, library, err);
        gnt_free(library);
    }
    return bad;
}

int gnt_describe_in_child(void *context, const char *path, char **json, size_t *size, gnt_err *err) {
    gnt_paths files = {0};
    *json = NULL;
    if (gnt_plugin_files(&files, path, err)) {
        gnt_paths_free(&files);
        return -1;
    }
    const gnt_sandbox_options *options = context, none = {0};
    const gnt_sandbox_spec sandbox = {.files = {(const char *const *)files.path, files.n},
                                      .options = options ? *options : none};
    const gnt_request job = {.kind = GNT_JOB_DESCRIBE, .describe = {.file = path}};
    json_t *request = gnt_request_encode(&job, GNT_FIELDS_ALL);
    if (!request) {
        gnt_paths_free(&files);
        return gnt_fail(err, "%s: its path is not UTF-8, or out of memory", path);
    }
    gnt_child_output output = {"description", longest_answer};
    gnt_child_spec spec = {.request = request,
                           .sandbox = &sandbox,
                           .outputs = &output,
                           .n_outputs = 1,
                           .seconds = describe_seconds,
                           .memory = describe_memory};
    gnt_child *child = NULL;
    gnt_err why = {0};
    uint8_t *bytes = NULL;
    int bad = gnt_child_start(&child, &spec, err);
    if (!bad) {
        gnt_children_wait(&child, 1, -1);
        if (!gnt_child_result_of(child))
            bad = gnt_fail(err, "%s: interrupted", path);
        else if (strcmp(gnt_child_verdict(child, &why), "ok") != 0)
            bad = strstr(why.text, path) ? gnt_fail(err, "%s", why.text)
                                         : gnt_fail(err, "%s: %s", path, why.text);
        else
            bad = gnt_child_output_read(child, "description", &bytes, size, err);
    }
    *json = (char *)bytes;
    gnt_child_free(child);
    json_decref(request);
    gnt_paths_free(&files);
    return bad;
}

int gnt_list_plugins(gnt_plugin_list *out, const char *plugins, const gnt_sandbox_options *options,
                     gnt_err *err) {
    char *cache = gnt_cache_folder("plugins");
    gnt_catalog_spec spec = {.plugins = plugins,
                             .cache = cache,
                             .describe = gnt_describe_in_child,
                             .context = (void *)(uintptr_t)options};
    int bad = gnt_catalog(out, &spec, err);
    gnt_free(cache);
    return bad;
}
