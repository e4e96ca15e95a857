#include "recup.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "host.h"
#include "nn/io/safetensors.h"
#include "shared/attribute/perturb.h"

typedef struct recup {
    bench_host host;
    gnt_st st;
    gnt_view *view; /* its tensors */
    attr_zoo zoo;
    attr_room room;
    const float *update;
    float *moved, *delta;
    double read; /* weights, for one update */
} recup;

gnt_stream bench_recup_draws(void) {
    const gnt_key key = gnt_key_of_seed(1);
    return gnt_stream_open(&key, "drawn");
}

/* ---- from the file ---- */

static int take_views(recup *b, gnt_artefacts *all, gnt_err *err) {
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

static int take_zoo(recup *b, const char *path, gnt_err *err) {
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
    if (attr_zoo_read(&b->zoo, &b->host.host, &all, "zoo.", &reading,
                      (int64_t)(update->bytes / sizeof(float)), BENCH_RECUP_VALUES) ||
        b->zoo.nets != BENCH_RECUP_NETS)
        return gnt_fail(err, "%s: holds no zoo of %d networks", path, BENCH_RECUP_NETS);
    return 0;
}

static int recup_open(void **self, const bench_row *row, const char *path, gnt_err *err) {
    recup *b = *self = gnt_alloc(sizeof *b);
    (void)row;
    if (!b)
        return gnt_fail(err, "out of memory");
    bench_host_open(&b->host, NULL);
    if (take_zoo(b, path, err))
        return -1;
    b->moved = b->host.host.scratch(&b->host, 2 * (size_t)b->zoo.size * sizeof *b->moved);
    if (!b->moved)
        return gnt_fail(err, "out of memory");
    b->delta = b->moved + b->zoo.size;
    if (attr_zoo_open(&b->zoo, 1) != GNT_OK || attr_room_open(&b->room, &b->zoo) != GNT_OK)
        return gnt_fail(err, "%s: %s", path, b->host.said);
    return 0;
}

static void recup_free(void *self) {
    recup *b = self;
    if (!b)
        return;
    attr_zoo_close(&b->zoo);
    bench_host_leave(&b->host);
    gnt_free(b->view);
    gnt_st_free(&b->st);
    gnt_free(b);
}

/* ---- a step ---- */

/* Does nothing: each unit begins at the update of the file. */
static int recup_start(void *self, gnt_err *err) {
    (void)self;
    (void)err;
    return 0;
}

static int64_t recup_run(void *self, int64_t n, gnt_err *err) {
    static const attr_perturbation how = {.method = ATTR_META,
                                          .iterations = BENCH_RECUP_ITERATIONS,
                                          .drawn = BENCH_RECUP_DRAWN,
                                          .epsilon = BENCH_RECUP_EPSILON};
    const int32_t label = BENCH_RECUP_LABEL;
    recup *b = self;
    (void)n;
    b->host.draws = bench_recup_draws();
    memcpy(b->moved, b->update, (size_t)b->zoo.size * sizeof *b->moved);
    if (attr_perturb(&how, &b->zoo, &b->room, &b->moved, &label) != GNT_OK)
        return gnt_fail(err, "%s", b->host.said);
    return 1;
}

static int recup_first(void *self, bench_result out[BENCH_OWN_RESULTS], gnt_err *err) {
    recup *b = self;
    if (recup_run(b, 1, err) < 0)
        return -1;
    for (int64_t i = 0; i < b->zoo.size; i++)
        b->delta[i] = b->moved[i] - b->update[i];
    out[0] = (bench_result){"r.delta", b->delta, b->zoo.size};
    return 0;
}

/* Returns the cost of a unit. Bytes are those of the networks and of the other memory used; flops, and
 * bytes of weights read, leave out rows of inactive ReLUs. */
static bench_cost recup_cost(const void *self, double flop_rate, double byte_rate) {
    const recup *b = self;
    bench_cost c = {.flops = 2 * b->read, .bytes = (double)sizeof(float) * b->read};
    c.set = c.arena = b->host.worked_in + gnt_program_arena_bytes(b->zoo.entropy);
    for (size_t k = 0; k < b->st.n; k++)
        c.set += b->st.tensor[k].bytes;
    c.floor = fmax(c.flops / flop_rate, c.bytes / byte_rate);
    return c;
}

const bench_own bench_recup_own = {.write = bench_recup_write,
                                   .open = recup_open,
                                   .free = recup_free,
                                   .start = recup_start,
                                   .run = recup_run,
                                   .first = recup_first,
                                   .cost = recup_cost};
