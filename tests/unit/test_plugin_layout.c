/* layout: scores of samples in chunks, groups of masks, and which region the noise of a defense was dealt
 * for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "../../plugins/attacks/gradient/defense/kth_entry.c"
#include "../../plugins/attacks/gradient/defense/layer_noise.c"
#include "../../plugins/attacks/gradient/region/profile.c"
#include "../../plugins/shared/region/seeded_draws.c"
#include "../../plugins/shared/region/layers.c"
#include "../../plugins/shared/region/psi.c"
#include <cmocka.h>

#include "../drowned.h"
#include "../plain_host.h"

static const char small_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"conv\", \"name\": \"c1\", \"out\": 4, \"kernel\": 5, "
    "\"stride\": 2}, {\"type\": \"tanh\"}, {\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", "
    "\"out\": \"classes\"}]}";

enum { SIDE = 28, FORMATS = 2, EXAMPLES = 48, FIRST = 60, OWN = 12, MOST_LAYERS = 8 };

static uint8_t masks[IMAGES * FEATURES];
static int32_t format_of[IMAGES];
static const gnt_attribute format = {.name = "format", .values = FORMATS};

/* Images are of two formats in turn: ink on black, or on white, with the region at the upper edge or in the
 * middle. */
static int open_formats(void **state) {
    if (open_glyphs(state))
        return -1;
    for (int64_t i = 0; i < IMAGES; i++) {
        format_of[i] = (int32_t)(i % FORMATS);
        for (int64_t p = 0; p < FEATURES; p++) {
            const int64_t y = p / SIDE, x = p % SIDE;
            const int above = y < 4, inner = y >= 10 && y < 18 && x >= 10 && x < 18;
            masks[i * FEATURES + p] = (uint8_t)(format_of[i] ? inner : above);
        }
    }
    return 0;
}

static gnt_samples part(int64_t from, int64_t n) {
    return (gnt_samples){.size = sizeof(gnt_samples),
                         .kind = GNT_KIND_IMAGE,
                         .n = n,
                         .rank = 3,
                         .classes = CLASSES,
                         .dim = {1, SIDE, SIDE},
                         .features = FEATURES,
                         .x = images + from * FEATURES,
                         .y = labels + from * CLASSES,
                         .n_attributes = 1,
                         .attribute = &format,
                         .a = format_of + from,
                         .mask = masks + from * FEATURES};
}

static const char *no_error(void *context) {
    (void)context;
    return "";
}

/* Scores the layers for each of n samples alone: n × layers. */
static gnt_status measure(plain_host *p, const attacked *a, const gnt_samples *s, const int64_t *row,
                          int64_t n, int64_t probes, layers *l, double *score) {
    plain_open(p, 3);
    p->host.model = gnt_service_table(a->own);
    p->host.last_error = no_error;
    const psi_request of = {.samples = s,
                            .row = row,
                            .n = n,
                            .weights = a->weights,
                            .buffers = a->buffers,
                            .probes = probes,
                            .seed = 5};
    assert_int_equal(layers_of_model(&p->host, l), GNT_OK);
    assert_true(l->n <= MOST_LAYERS);
    return psi_of_each(&p->host, l, &of, score);
}

/* Rows in chunks are what they are alone, up to their probes. */
static void rows_in_chunks_are_as_alone(void **state) {
    (void)state;
    enum { ROWS = 19, PROBES = 256 };
    attacked a;
    plain_host all, one;
    layers l;
    double score[ROWS * MOST_LAYERS], alone[MOST_LAYERS];
    int64_t row[ROWS];
    const gnt_samples s = part(0, IMAGES);
    open_client(&a, small_json, 0, 1);
    for (int64_t i = 0; i < ROWS; i++)
        row[i] = 3 * i;
    assert_int_equal(measure(&all, &a, &s, row, ROWS, PROBES, &l, score), GNT_OK);
    assert_int_equal(l.n, 2);
    plain_close(&all);
    for (int64_t i = 0; i < ROWS; i += 6) {
        assert_int_equal(measure(&one, &a, &s, row + i, 1, PROBES, &l, alone), GNT_OK);
        for (int64_t k = 0; k < 2; k++)
            assert_true(fabs(score[i * 2 + k] / alone[k] - 1) < 0.05);
        plain_close(&one);
    }
    forget(&a);
}

/* Distinct masks are groups; of more than 16 the nearest are joined. */
static void masks_are_grouped(void **state) {
    (void)state;
    enum { N = 40, PLANE = 100 };
    static float mask[N * PLANE];
    int32_t group[N], groups;
    for (int i = 0; i < N; i++)
        for (int p = 0; p < PLANE; p++)
            mask[i * PLANE + p] = p / 25 == i % 4;
    profile_group_masks(mask, N, PLANE, group, &groups);
    assert_int_equal(groups, 4);
    for (int i = 0; i < N; i++)
        assert_int_equal(group[i], group[i % 4]);
    assert_true(group[0] != group[1] && group[1] != group[2] && group[2] != group[3]);
    for (int i = 0; i < N; i++)
        for (int p = 0; p < PLANE; p++)
            mask[i * PLANE + p] = p >= 2 * i && p < 2 * i + 20;
    profile_group_masks(mask, N, PLANE, group, &groups);
    assert_int_equal(groups, PROFILE_MASKS);
    for (int i = 1; i < N; i++)
        for (int k = 0; k < i; k++)
            assert_true(group[i] != group[k] || i - k < 10); /* they have a pixel in common */
}

/* ---- the attack ---- */

static gnt_view left[3];
static gnt_artefacts artefacts;

static gnt_status keep(void *context, const char *name, int32_t rank, const int64_t *dim, const float *data) {
    gnt_view *v = &left[artefacts.tensors.n++];
    (void)context;
    assert_true(artefacts.tensors.n <= 3 && rank == 2);
    float *copy = gnt_array((size_t)(dim[0] * dim[1]), sizeof *copy);
    memcpy(copy, data, (size_t)(dim[0] * dim[1]) * sizeof *copy);
    *v = (gnt_view){.name = strcmp(name, "scores") == 0  ? "scores"
                            : strcmp(name, "masks") == 0 ? "masks"
                                                         : "values",
                    .rank = 2,
                    .dim = {dim[0], dim[1]},
                    .count = dim[0] * dim[1],
                    .data = copy};
    return GNT_OK;
}

/* Prepares, and answers on an update that is noise of deviation `unit` times the scores of the client's own
 * images, all of one format; 0: no noise. All of it is then multiplied by the factor. */
static gnt_status try_to_reveal(attacked *a, int32_t of_format, double unit, float factor) {
    gnt_samples own = part(FIRST + EXAMPLES, 2 * OWN), public_data = part(FIRST, EXAMPLES);
    int64_t row[OWN];
    plain_host p;
    layers l;
    double score[OWN * MOST_LAYERS];
    for (int64_t i = 0; i < OWN; i++)
        row[i] = 2 * i + of_format;
    assert_int_equal(measure(&p, a, &own, row, OWN, 32, &l, score), GNT_OK);
    for (int32_t k = 0; k < l.n; k++) {
        double s = 0;
        int64_t first = 0;
        for (int64_t i = 0; i < OWN; i++)
            s += score[i * l.n + k] / OWN;
        while (l.of[first] != k)
            first++;
        drown(a, ROUNDS, a->view[ROUNDS][first].layer, unit * s);
    }
    plain_close(&p);
    for (int64_t t = 0; t < a->update[ROUNDS].n; t++)
        for (int64_t e = 0; e < a->view[ROUNDS][t].count; e++)
            a->entry[ROUNDS][t][e] *= factor;
    a->id = "layout";
    a->seen.goals = GNT_GOAL_ATTRIBUTE | GNT_GOAL_REGION;
    a->seen.attribute = 0;
    a->seen.attribute_values = FORMATS;
    gnt_attack_prepare in = {.size = sizeof in,
                             .public_data = &public_data,
                             .attribute = 0,
                             .attribute_values = FORMATS,
                             .weights = a->weights,
                             .buffers = a->buffers,
                             .setting = &a->seen};
    gnt_sink sink = {.size = sizeof sink, .context = a, .tensor = keep};
    gnt_instance *instance = open_attack(a, "{}");
    artefacts = (gnt_artefacts){.size = sizeof artefacts, .tensors = {0, left}};
    gnt_instance_enter(instance, "prepare");
    gnt_status status = gnt_instance_attack(instance)->prepare(gnt_instance_self(instance), &in, &sink);
    status = gnt_instance_leave(instance, status, &a->err);
    gnt_instance_free(instance);
    if (status != GNT_OK)
        fail_msg("%s", a->err.text);
    status = attack_with(a, "{}", &artefacts);
    for (int64_t i = 0; i < artefacts.tensors.n; i++)
        gnt_free((void *)(uintptr_t)left[i].data);
    return status;
}

static void reveal(attacked *a, int32_t of_format, double unit) {
    if (try_to_reveal(a, of_format, unit, 1) != GNT_OK)
        fail_msg("%s", a->err.text);
}

/* The mean belief of a format's region, less that of the other's. */
static double region_lead(const attacked *a, int32_t of_format) {
    double sum[2] = {0}, n[2] = {0};
    for (int64_t f = 0; f < FORMATS; f++)
        for (int64_t p = 0; p < FEATURES; p++)
            if (masks[f * FEATURES + p]) {
                sum[f] += (double)a->regions[p];
                n[f]++;
            }
    return sum[of_format] / n[of_format] - sum[1 - of_format] / n[1 - of_format];
}

static void the_noise_reveals_the_region(void **state) {
    (void)state;
    for (int32_t f = 0; f < FORMATS; f++)
        for (int64_t seed = 0; seed < 3; seed++) {
            attacked a;
            open_client(&a, lenet_json, seed, 1);
            observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
            reveal(&a, f, 1000);
            print_message("format %d: log odds %g, lead of its region %g\n", f,
                          (double)(a.scores[f] - a.scores[1 - f]), region_lead(&a, f));
            assert_true(fact_of(&a, "layers_compared") == 3);
            forget(&a);
        }
}

/* Without noise, or with a defense that deals it otherwise, the shares of public images are the answer. */
static void what_reveals_nothing_leaves_the_shares(void **state) {
    (void)state;
    attacked a;
    open_client(&a, lenet_json, 0, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    reveal(&a, 1, 0);
    assert_true(fact_of(&a, "layers_compared") == 0);
    assert_true(fabs((double)a.scores[0] - log(0.5)) < 1e-5 && a.scores[0] == a.scores[1]);
    a.seen.defense = "dp-gaussian";
    reveal(&a, 1, 1000);
    assert_true(fact_of(&a, "layers_compared") == 0 && a.scores[0] == a.scores[1]);
    forget(&a);
}

/* Where the noise cannot be compared there is no belief, and the shares would be a guess; its size alone says
 * nothing. */
static void what_cannot_be_compared_fails(void **state) {
    (void)state;
    static const float factors[] = {NAN, INFINITY, 0, 1e-25f, 1e25f};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        attacked a;
        open_client(&a, lenet_json, 0, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        const gnt_status status = try_to_reveal(&a, 1, 1000, factors[k]);
        if (k < 3) {
            assert_int_equal(status, GNT_FAILED);
            assert_non_null(strstr(a.err.text, k < 2 ? "NaN or infinite" : "nothing to match"));
        } else {
            assert_int_equal(status, GNT_OK);
            assert_true(fact_of(&a, "layers_compared") == 3);
        }
        forget(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_chunks_are_as_alone),
        cmocka_unit_test(masks_are_grouped),
        cmocka_unit_test(the_noise_reveals_the_region),
        cmocka_unit_test(what_reveals_nothing_leaves_the_shares),
        cmocka_unit_test(what_cannot_be_compared_fails),
    };
    return cmocka_run_group_tests(tests, open_formats, close_glyphs);
}
