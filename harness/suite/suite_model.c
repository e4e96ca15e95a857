/* A task's model: finds its file, applies the task's changes, and checks that it fits the data and its
 * weights. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "nn/io/safetensors.h"
#include "suite/suite_impl.h"

static const char *const default_folders[] = {"models", NULL};

static int ends_with(const char *text, const char *tail) {
    size_t n = strlen(text), k = strlen(tail);
    return n > k && strcmp(text + n - k, tail) == 0;
}

/* ---- finding the file ---- */

enum { MOST_NAMES = 256 };

/* Lists the models in a folder, for "did you mean"; the caller frees each name. */
static size_t list_models(const char *folder, char *names[MOST_NAMES], size_t n) {
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && n < MOST_NAMES && (e = readdir(dir));)
        if (ends_with(e->d_name, ".json"))
            if ((names[n] = gnt_format("%.*s", (int)strlen(e->d_name) - 5, e->d_name)))
                n++;
    if (dir)
        closedir(dir);
    return n;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int fail_unknown_model(suite_reader *r, const char *path, const char *name,
                              const char *const *folders) {
    char *names[MOST_NAMES];
    size_t n = 0;
    gnt_text known;
    gnt_text_init(&known, 4000);
    for (size_t i = 0; folders[i]; i++)
        n = list_models(folders[i], names, n);
    qsort(names, n, sizeof *names, by_name); /* readdir has no defined order */
    const char *near = gnt_nearest(name, (const char *const *)names, n);
    gnt_list_names(&known, (const char *const *)names, n, 300);
    if (n)
        suite_fail(r, path,
                   "is %s, which is not a known model; %s%s%sexpected %s, or the path of a .json file",
                   gnt_show_text(name).text, near ? "did you mean \"" : "", near ? near : "",
                   near ? "\"? " : "", gnt_text_get(&known));
    else
        suite_fail(r, path, "is %s, but the folder %s has no models; expected the path of a .json file",
                   gnt_show_text(name).text, folders[0] ? folders[0] : "models");
    gnt_text_free(&known);
    for (size_t i = 0; i < n; i++)
        gnt_free(names[i]);
    return -1;
}

static char *find_model(suite_reader *r, const char *path, const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const char *const *folders = r->env->model_folders ? r->env->model_folders : default_folders;
    if (ends_with(name, ".json"))
        return suite_find_file(r, path, name, "the path of a model's JSON file");
    for (size_t i = 0; folders[i] && !name[strspn(name, letters)]; i++) {
        char *file = gnt_format("%s/%s.json", folders[i], name);
        if (!file || gnt_file_exists(file)) {
            if (!file)
                suite_no_memory(r);
            return file;
        }
        gnt_free(file);
    }
    fail_unknown_model(r, path, name, folders);
    return NULL;
}

/* ---- its text ---- */

/* Keys of a model file that a task may override; "share" is allowed in a task only. */
static const char *const own_keys[] = {"init", "width", "representation", "loss", "share"};
enum { OWN_KEYS = 5 };

static const json_t *own_value(const json_t *task, const char *key) {
    return json_object_get(strcmp(key, "share") == 0 ? json_object_get(task, "federated") : task, key);
}

/* Writes the file's JSON with the task's keys in place of the file's. */
static int make_json(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    gnt_doc doc;
    const gnt_path at = gnt_path_key(path, "model");
    if (gnt_doc_load(&doc, t->model_path, GNT_DOC_MOST, r->err))
        return suite_fail_in(r, at.text);
    if (!json_is_object(doc.root)) {
        gnt_doc_free(&doc);
        return suite_fail(r, at.text, "%s is not a model; expected a JSON object with a list of layers",
                          t->model_path);
    }
    if (json_object_get(doc.root, "share")) {
        gnt_doc_free(&doc);
        return suite_fail(
            r, at.text,
            "%s says what clients share, which belongs to a task; move \"share\" out of it and into "
            "federated.share",
            t->model_path);
    }
    for (int i = 0; i < OWN_KEYS; i++) {
        const json_t *own = own_value(object, own_keys[i]);
        if (own && json_object_set_new(doc.root, own_keys[i], json_deep_copy(own)) != 0) {
            gnt_doc_free(&doc);
            return suite_no_memory(r);
        }
    }
    t->width = json_number_value(json_object_get(object, "width"));
    t->model_json = gnt_json_canonical(doc.root);
    gnt_doc_free(&doc);
    return t->model_json ? 0 : suite_no_memory(r);
}

static int read_channels(suite_reader *r, const char *path, const json_t *object, const char *key,
                         double least, const gnt_suite_task *t, double **out) {
    const int64_t n = t->facts.dim[0];
    const json_t *list = NULL;
    const gnt_path at = gnt_path_key(path, key);
    if (suite_need(r, path, object, key, "a list of numbers, one for each channel") ||
        suite_list(r, path, object, key, 1, 1 << 20, &list))
        return -1;
    if (json_array_size(list) != (size_t)n)
        return suite_fail(r, at.text, "is %s, but %s has %lld %s%s; expected one number for each",
                          gnt_show(list).text, t->data, (long long)n,
                          t->facts.rank == 3 ? "channel" : "feature", n == 1 ? "" : "s");
    *out = gnt_array((size_t)n, sizeof **out);
    if (!*out)
        return suite_no_memory(r);
    for (size_t i = 0; i < (size_t)n; i++)
        if (suite_real_at(r, gnt_path_item(at.text, i).text, json_array_get(list, i), least, 1e6, &(*out)[i]))
            return -1;
    return 0;
}

static int read_normalise(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const json_t *n = NULL;
    const gnt_path at = gnt_path_key(path, "normalise");
    if (suite_object(r, path, object, "normalise", &n))
        return -1;
    if (!n)
        return 0;
    return suite_keys(r, at.text, n, "mean", "deviation") ||
           read_channels(r, at.text, n, "mean", -1e6, t, &t->mean) ||
           read_channels(r, at.text, n, "deviation", 1e-6, t, &t->deviation);
}

/* ---- does it fit? ---- */

static gnt_nn_shape sample_shape(const gnt_suite_task *task) {
    gnt_nn_shape sample = {.rank = task->facts.rank};
    for (int32_t i = 0; i < sample.rank; i++)
        sample.dim[i] = task->facts.dim[i];
    return sample;
}

int gnt_suite_open_model(const gnt_suite_task *task, gnt_model **out, gnt_err *err) {
    const gnt_nn_shape sample = sample_shape(task);
    return gnt_model_parse(out, task->model_path, task->model_json, &sample, task->facts.classes, task->mean,
                           task->deviation, err);
}

static int shares_dense(const gnt_model *m) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(m);
    const int32_t n = gnt_model_params(m, &list);
    for (int32_t i = 0; i < n && !list[i].buffer; i++)
        if (strcmp(gnt_model_layer_type(m, list[i].layer), "dense") == 0 && (!shared || shared[i]))
            return 1;
    return 0;
}

void suite_note_layers(gnt_suite_task *t, const gnt_model *m) {
    for (int32_t i = 0; i < gnt_model_layers(m); i++) {
        const char *type = gnt_model_layer_type(m, i);
        if (strcmp(type, "flatten") == 0)
            continue;
        t->first_dense = strcmp(type, "dense") == 0;
        break;
    }
    t->has_buffers = gnt_model_buffer_size(m) > 0;
    t->has_representation = gnt_model_representation(m) >= 0;
    t->is_map = gnt_model_is_map(m);
    t->shares_dense = shares_dense(m);
    t->shares_part = gnt_model_shared(m) != NULL;
    t->update_size = gnt_model_shared_size(m);
}

static int weights_fit(const char *path, const gnt_model *m, int *has_statistics, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    float *params = gnt_array((size_t)gnt_model_size(m) + 1, sizeof *params);
    float *buffers = gnt_array((size_t)gnt_model_buffer_size(m) + 1, sizeof *buffers);
    int rc = !params || !buffers ? gnt_fail(err, "%s: out of memory", path) : gnt_st_load(&st, path, err);
    if (rc == 0 && gnt_model_import(m, &st, params, buffers, err) != 0)
        rc = strstr(err->text, path) ? -1 : gnt_fail_in(err, "%s", path);
    *has_statistics = rc == 0 && gnt_model_has_statistics(m, buffers);
    gnt_free(params);
    gnt_free(buffers);
    gnt_st_free(&st);
    return rc;
}

/* Checks the file alone first, so that messages name its own lines, then with the task's changes. */
static int check_model(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t,
                       gnt_model **out) {
    const gnt_nn_shape sample = sample_shape(t);
    if (gnt_suite_open_model(t, out, r->err) == 0)
        return 0;
    const gnt_err said = *r->err;
    gnt_model *alone;
    if (gnt_model_load(&alone, t->model_path, &sample, t->facts.classes, t->mean, t->deviation, r->err))
        return suite_fail_in(r, gnt_path_key(path, "model").text);
    gnt_model_free(alone);
    const char *key = NULL, *from = said.text;
    for (int i = 0; i < OWN_KEYS; i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", own_keys[i]);
        const char *at = strstr(said.text, quoted);
        if (!own_value(object, own_keys[i]) || (key && !at))
            continue;
        key = own_keys[i];
        from = at ? at : said.text;
        if (at)
            break;
    }
    key = key ? key : "model";
    const int is_share = strcmp(key, "share") == 0;
    return suite_fail(r, gnt_path_key(is_share ? gnt_path_key(path, "federated").text : path, key).text,
                      "is %s; %s", gnt_show(own_value(object, key)).text, from);
}

static int read_weights(suite_reader *r, const char *path, const json_t *object, const gnt_model *m,
                        gnt_suite_task *t) {
    const gnt_suite_env *w = r->env;
    const char *name = NULL;
    const gnt_path at = gnt_path_key(path, "weights");
    if (suite_text(r, path, object, "weights", 4000, &name))
        return -1;
    if (!name)
        return 0;
    if (w->files_may_lack) {
        t->weights = gnt_strdup(name);
        return t->weights ? 0 : suite_no_memory(r);
    }
    t->weights = suite_find_file(r, at.text, name, "the path of a .safetensors file");
    if (!t->weights)
        return -1;
    int rc = w->weights_fit ? w->weights_fit(w->context, t->weights, m, r->err)
                            : weights_fit(t->weights, m, &t->has_statistics, r->err);
    return rc ? suite_fail_in(r, at.text) : 0;
}

/* Checks that a model on samples with maps has a map as its output: they have no class. */
static int check_output(suite_reader *r, const char *path, const gnt_suite_task *t) {
    return t->facts.has_maps && !t->is_map
               ? suite_fail_key(r, path, "model",
                                "is %s, whose output is classes, but samples of %s have maps to find; "
                                "expected a model with \"output\": \"map\", such as unet",
                                gnt_show_text(t->model).text, t->data)
               : 0;
}

int suite_read_model(suite_reader *r, const char *path, const json_t *object, gnt_suite_task *t) {
    const char *name = NULL;
    gnt_model *m = NULL;
    const gnt_path at = gnt_path_key(path, "model");
    if (suite_need(r, path, object, "model", "a model's name, such as \"model\": \"lenet\"") ||
        suite_text(r, path, object, "model", 4000, &name))
        return -1;
    t->model = gnt_strdup(name);
    t->model_path = find_model(r, at.text, name);
    if (!t->model)
        return suite_no_memory(r);
    if (!t->model_path || make_json(r, path, object, t) || read_normalise(r, path, object, t))
        return -1;
    if (check_model(r, path, object, t, &m))
        return -1;
    suite_note_layers(t, m);
    int rc = check_output(r, path, t) || read_weights(r, path, object, m, t) ? -1 : 0;
    gnt_model_free(m);
    return rc;
}
