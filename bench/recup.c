#include "recup.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/io/safetensors.h"
#include "shared/attribute/perturb.h"

struct bench_recup {
    gnt_host host;
    gnt_stream draws;
    char said[200]; /* why the plugin's code failed */
    gnt_st st;
    gnt_view *view; /* its tensors */
    attr_zoo zoo;
    attr_room room;
    void *scratch[4];
    int32_t n_scratch;
    size_t worked_in; /* bytes of these and of the updates */
    const float *update;
    float *moved, *delta;
    double read; /* weights, for one update */
};

gnt_stream bench_recup_draws(void) {
    const gnt_key key = gnt_key_of_seed(1);
    return gnt_stream_open(&key, "drawn");
}

/* ---- the services that the plugin's code asks for ---- */

static gnt_status host_fail(void *context, const char *text) {
    bench_recup *b = context;
    snprintf(b->said, sizeof b->said, "%s", text);
    return GNT_FAILED;
}

static uint64_t host_below(void *context, const char *name, uint64_t n) {
    bench_recup *b = context;
    (void)name;
    return gnt_random_below(&b->draws, n);
}

static void *host_scratch(void *context, size_t bytes) {
    bench_recup *b = context;
    if (b->n_scratch == (int32_t)(sizeof b->scratch / sizeof *b->scratch))
        return NULL;
    b->worked_in += bytes;
    return b->scratch[b->n_scratch++] = gnt_aligned(bytes, 1);
}

/* ---- from the file ---- */

static int take_views(bench_recup *b, gnt_artefacts *all, gnt_err *err) {
    b->view = gnt_array(b->st.n, sizeof *b->view);
    if (!b->view)
        return gnt_fail(err, "out of memory");
    *all = (gnt_artefacts){.size = sizeof *all, .tensors.view = b->view};
    for (size_t k = 0; k < b->st.n; k++) {
        const gnt_st_tensor *t = &b->st.tensor[k];
        if (t->type != GNT_ST_F32 || t->rank < 1 || t->rank > 2)
            continue;
        b->view[all->tensors.n++] = (gnt_view){.name = t->name,
                                               .rank = t->rank,
                                               .dim = {t->dim[0], t->rank > 1 ? t->dim[1] : 0},
                                               .count = (int64_t)(t->bytes / sizeof(float)),
                                               .data = t->data};
    }
    return 0;
}

static int take_zoo(bench_recup *b, const char *path, gnt_err *err) {
    static const attr_reading reading = {.window = BENCH_RECUP_WINDOW};
    gnt_artefacts all;
    if (gnt_st_load(&b->st, path, err) || take_views(b, &all, err))
        return -1;
    const gnt_st_tensor *update = gnt_st_need(&b->st, path, "update", GNT_ST_F32, -1, NULL, err);
    const gnt_st_tensor *read = gnt_st_need(&b->st, path, "read", GNT_ST_F64, 1, (int64_t[]){1}, err);
    if (!update || !read)
        return -1;
    b->update = update->data;
    b->read = *(const double *)read->data;
    if (attr_zoo_read(&b->zoo, &b->host, &all, "zoo.", &reading, (int64_t)(update->bytes / sizeof(float)),
                      BENCH_RECUP_VALUES) ||
        b->zoo.nets != BENCH_RECUP_NETS)
        return gnt_fail(err, "%s: holds no zoo of %d networks", path, BENCH_RECUP_NETS);
    return 0;
}

int bench_recup_open(bench_recup **out, const char *path, gnt_err *err) {
    bench_recup *b = *out = gnt_alloc(sizeof *b);
    if (!b)
        return gnt_fail(err, "out of memory");
    b->host = (gnt_host){.size = sizeof b->host,
                         .context = b,
                         .fail = host_fail,
                         .below = host_below,
                         .scratch = host_scratch};
    if (take_zoo(b, path, err))
        return -1;
    b->moved = host_scratch(b, 2 * (size_t)b->zoo.size * sizeof *b->moved);
    if (!b->moved)
        return gnt_fail(err, "out of memory");
    b->delta = b->moved + b->zoo.size;
    if (attr_zoo_open(&b->zoo, 1) != GNT_OK || attr_room_open(&b->room, &b->zoo) != GNT_OK)
        return gnt_fail(err, "%s: %s", path, b->said);
    return 0;
}

void bench_recup_free(bench_recup *b) {
    if (!b)
        return;
    attr_zoo_close(&b->zoo);
    for (int32_t i = 0; i < b->n_scratch; i++)
        gnt_free_aligned(b->scratch[i]);
    gnt_free(b->view);
    gnt_st_free(&b->st);
    gnt_free(b);
}

/* ---- a step ---- */

int bench_recup_step(bench_recup *b, gnt_err *err) {
    static const attr_perturbation how = {.method = ATTR_META,
                                          .iterations = BENCH_RECUP_ITERATIONS,
                                          .drawn = BENCH_RECUP_DRAWN,
                                          .epsilon = BENCH_RECUP_EPSILON};
    const int32_t label = BENCH_RECUP_LABEL;
    b->draws = bench_recup_draws();
    memcpy(b->moved, b->update, (size_t)b->zoo.size * sizeof *b->moved);
    if (attr_perturb(&how, &b->zoo, &b->room, &b->moved, &label) != GNT_OK)
        return gnt_fail(err, "%s", b->said);
    return 0;
}

const float *bench_recup_delta(const bench_recup *b, int64_t *size) {
    for (int64_t i = 0; i < b->zoo.size; i++)
        b->delta[i] = b->moved[i] - b->update[i];
    *size = b->zoo.size;
    return b->delta;
}

/* ---- what it costs ---- */

size_t bench_recup_arena(const bench_recup *b) {
    return b->worked_in + gnt_program_arena_bytes(b->zoo.entropy);
}

size_t bench_recup_set(const bench_recup *b) {
    size_t bytes = bench_recup_arena(b);
    for (size_t k = 0; k < b->st.n; k++)
        bytes += b->st.tensor[k].bytes;
    return bytes;
}

double bench_recup_flops(const bench_recup *b) {
    return 2 * b->read;
}

double bench_recup_bytes(const bench_recup *b) {
    return (double)sizeof(float) * b->read;
}
