/* Digests the data sets, weights and starting points that a suite reads, each file once. */
#include <gnu/libc-version.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/request/requests.h"

static int same_data(const gnt_suite_task *a, const gnt_suite_task *b) {
    return strcmp(a->data, b->data) == 0 && a->data_seed == b->data_seed &&
           memcmp(a->rows, b->rows, sizeof a->rows) == 0;
}

/* Returns the digest of t's data if one of the first n_tasks tasks or n_models models has the same; else
 * NULL. */
static const gnt_digest *known_data(const run_requests *r, const gnt_suite_task *t, size_t n_tasks,
                                    size_t n_models) {
    for (size_t i = 0; i < n_tasks; i++)
        if (same_data(&r->suite->task[i], t))
            return &r->inputs.data[i];
    for (size_t i = 0; i < n_models; i++)
        if (same_data(&r->suite->model[i].of, t))
            return &r->inputs.model_data[i];
    return NULL;
}

/* ---- built-in sets: the digest of their rows is kept, since to draw all of them takes longer than the rest
 * of a plan, and jobs draw the few that they need ---- */

static gnt_digest sum_of(const gnt_digest *digest, const gnt_digest *key) {
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_bytes(&h, digest->b, sizeof digest->b);
    gnt_hasher_bytes(&h, key->b, sizeof key->b);
    return gnt_hasher_end(&h);
}

/* Returns the path at which the digest of a built-in set is kept; NULL where none can be. */
static char *kept_at(const run_requests *r, const gnt_suite_task *t, gnt_digest *key) {
    char hex[GNT_HEX_SIZE],
        *folder = r->host && gnt_data_is_builtin(t->data) ? gnt_cache_folder("data") : NULL;
    gnt_hasher h;
    if (!folder || gnt_make_dirs(folder, NULL) != 0) {
        gnt_free(folder);
        return NULL;
    }
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, r->host);
    gnt_hasher_text(&h, gnu_get_libc_version()); /* with its mathematics rows are drawn */
    gnt_hasher_text(&h, t->data);
    gnt_hasher_u64(&h, t->data_seed);
    gnt_hasher_bytes(&h, t->rows, sizeof t->rows);
    *key = gnt_hasher_end(&h);
    gnt_digest_hex(key, hex);
    char *path = gnt_format("%s/%s", folder, hex);
    gnt_free(folder);
    return path;
}

/* Reads a digest, after which comes its sum: a bit flip on the disk would leave another one. */
static int read_kept(const char *path, const gnt_digest *key, gnt_digest *digest) {
    gnt_digest sum, kept[2];
    uint8_t *bytes;
    size_t size;
    if (!path || gnt_file_read(path, sizeof kept, &bytes, &size, NULL) != 0)
        return -1;
    int rc = size == sizeof kept ? 0 : -1;
    if (rc == 0) {
        memcpy(kept, bytes, sizeof kept);
        sum = sum_of(&kept[0], key);
        rc = memcmp(&sum, &kept[1], sizeof sum) == 0 ? 0 : -1;
    }
    if (rc == 0)
        *digest = kept[0];
    gnt_free(bytes);
    return rc;
}

static int digest_of_rows(const run_requests *r, const gnt_suite_task *t, gnt_digest *digest, gnt_err *err) {
    gnt_data *data;
    gnt_digest key = {{0}};
    char *path = kept_at(r, t, &key);
    int rc = read_kept(path, &key, digest);
    if (rc != 0 && (rc = gnt_suite_open_data(t, r->data_folder, &data, err)) == 0) {
        *digest = data->digest;
        gnt_data_free(data);
        if (path) {
            const gnt_digest both[2] = {*digest, sum_of(digest, &key)};
            gnt_file_write(path, both, sizeof both, NULL);
        }
    }
    gnt_free(path);
    return rc;
}

/* Digests a data set (copied from `known` unless that is NULL) and its weights, if it has any. */
static int digest_of(const run_requests *r, const gnt_suite_task *t, const gnt_digest *known,
                     gnt_digest *of_data, gnt_digest *weights, gnt_err *err) {
    if (t->weights && gnt_digest_file(t->weights, weights, err) != 0)
        return -1;
    if (t->captures && !t->captures->has_data)
        return 0;
    if (known) {
        *of_data = *known;
        return 0;
    }
    return digest_of_rows(r, t, of_data, err);
}

static int digest_of_other_set(const run_requests *r, const gnt_suite_other_set *set, gnt_digest *digest,
                               gnt_err *err) {
    gnt_data *data;
    if (!set->data)
        return 0;
    if (gnt_suite_open_other_set(set, r->data_folder, &data, err) != 0)
        return -1;
    *digest = data->digest;
    gnt_data_free(data);
    return 0;
}

/* Digests the weights of LPIPS, which are in the data folder. Missing ones are no error: the measure says
 * so. */
static int digest_lpips(run_requests *r, gnt_err *err) {
    const char *folder = r->data_folder;
    for (int i = 0; i < GNT_LPIPS_NETS; i++) {
        if (!folder || !gnt_lpips_is_wanted(r->suite->measures, (gnt_lpips_net)i))
            continue;
        char *path = gnt_format("%s/weights/lpips/%s.safetensors", folder, gnt_lpips_names[i]);
        if (!path)
            return gnt_fail(err, "out of memory for a run");
        if (!gnt_file_exists(path)) {
            gnt_free(path);
            continue;
        }
        r->inputs.lpips_path[i] = path;
        if (gnt_digest_file(path, &r->inputs.lpips[i], err) != 0)
            return -1;
    }
    return 0;
}

int run_requests_open_blank(run_requests *r) {
    const gnt_suite *s = r->suite;
    run_inputs *in = &r->inputs;
    in->data = gnt_array(s->n_tasks, sizeof *in->data);
    in->public_set = gnt_array(s->n_tasks, sizeof *in->public_set);
    in->prior_set = gnt_array(s->n_tasks, sizeof *in->prior_set);
    in->weights = gnt_array(s->n_tasks, sizeof *in->weights);
    in->start = gnt_array(s->n_attacks, sizeof *in->start);
    in->model_data = gnt_array(s->n_models, sizeof *in->model_data);
    in->model_weights = gnt_array(s->n_models, sizeof *in->model_weights);
    const int has_all = in->data && in->public_set && in->prior_set && in->weights && in->start &&
                        in->model_data && in->model_weights;
    return has_all ? 0 : -1;
}

int run_requests_open(run_requests *r, gnt_err *err) {
    const gnt_suite *s = r->suite;
    run_inputs *in = &r->inputs;
    if (run_requests_open_blank(r) != 0)
        return gnt_fail(err, "out of memory for a run");
    for (size_t t = 0; t < s->n_tasks; t++)
        if (digest_of(r, &s->task[t], known_data(r, &s->task[t], t, 0), &in->data[t], &in->weights[t], err) !=
                0 ||
            digest_of_other_set(r, &s->task[t].public_set, &in->public_set[t], err) != 0 ||
            digest_of_other_set(r, &s->task[t].prior_set, &in->prior_set[t], err) != 0)
            return -1;
    for (size_t m = 0; m < s->n_models; m++)
        if (digest_of(r, &s->model[m].of, known_data(r, &s->model[m].of, s->n_tasks, m), &in->model_data[m],
                      &in->model_weights[m], err) != 0)
            return -1;
    for (size_t a = 0; a < s->n_attacks; a++)
        if (s->attack[a].start && gnt_digest_file(s->attack[a].start, &in->start[a], err) != 0)
            return -1;
    return digest_lpips(r, err);
}

void run_requests_close(run_requests *r) {
    gnt_free(r->inputs.data);
    gnt_free(r->inputs.public_set);
    gnt_free(r->inputs.prior_set);
    gnt_free(r->inputs.weights);
    gnt_free(r->inputs.model_data);
    gnt_free(r->inputs.model_weights);
    gnt_free(r->inputs.start);
    for (int i = 0; i < GNT_LPIPS_NETS; i++)
        gnt_free(r->inputs.lpips_path[i]);
}
