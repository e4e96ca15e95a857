/* What an attack hands over while it runs: counts, values, costs, facts and words of a plugin that says
 * whatever the bytes say. Input: a byte that chooses the surface, then calls.
 *
 * The job's file is taken in whole, so that its sinks can be reached without a shared object. */
#include "job/attack.c"

#include "work.h"

enum { SPACE = 64 }; /* more than any answer that is expected */

typedef struct speaker {
    const gnt_host *host;
} speaker;

static fuzz_bytes script; /* what the plugin of this input says */

static gnt_status speak(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                        const gnt_answer *out) {
    static const char *const names[] = {"a", "cosine_loss", "Not an id", "", "a\n\xff", NULL};
    const gnt_host *host = ((speaker *)self)->host;
    float x[SPACE];
    double d[SPACE];
    (void)own, (void)seen;
    for (int calls = 0; script.left > 2 && calls < 200; calls++) {
        const uint8_t what = fuzz_byte(&script);
        const int64_t n = fuzz_whole(&script), m = fuzz_whole(&script);
        const double value = fuzz_value(&script);
        for (size_t i = 0; i < SPACE; i++)
            x[i] = (float)value;
        for (size_t i = 0; i < SPACE; i++)
            d[i] = value;
        switch (what % 15) {
        case 0:
            out->reconstruction(out->context, n, x);
            break;
        case 1:
            out->labels(out->context, n, (int32_t)m, x);
            break;
        case 2:
            out->attribute(out->context, (int32_t)n, x);
            break;
        case 3:
            out->cost(out->context, (int32_t)n, m, value);
            break;
        case 4:
            out->chosen(out->context, (int32_t)n, value);
            out->ended(out->context, (int32_t)n, m);
            break;
        case 5:
            out->mixture(out->context, n, m, x);
            break;
        case 6:
            out->similarity(out->context, n, x);
            break;
        case 7:
            out->contribution(out->context, n, d);
            break;
        case 8:
            host->fact(host->context, names[(uint64_t)n % 5], value);
            break;
        case 9:
            host->fail(host->context, names[(uint64_t)n % 6]);
            break;
        case 10:
            host->log(host->context, (int32_t)m, names[(uint64_t)n % 6]);
            break;
        case 11:
            host->progress(host->context, value, (double)m);
            break;
        case 12:
            host->normal(host->context, names[(uint64_t)n % 6], m < SPACE ? m : 1, x);
            break;
        case 13:
            return (gnt_status)n; /* what is left is for the next observation */
        default:
            if (host->scratch(host->context, (size_t)n * 64) == NULL)
                return GNT_FAILED;
        }
    }
    return script.left ? (gnt_status)fuzz_whole(&script) : GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    speaker *s = gnt_alloc(sizeof *s);
    (void)values;
    MUST(s);
    s->host = host;
    return s;
}

static void destroy(void *self) {
    gnt_free(self);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = speak};
static const gnt_descriptor speaks = {.size = sizeof speaks,
                                      .kind = GNT_PLUGIN_ATTACK,
                                      .id = "speaks",
                                      .version = "1",
                                      .line = "says what it is told",
                                      .licence = "MIT",
                                      .citation = "",
                                      .create = create,
                                      .destroy = destroy,
                                      .attack = &hooks};

/* Two observations on one of the surfaces. */
static void add_seen(fuzz_work *w, int surface) {
    static const char *const settings[] = {"{\"surface\": 1, \"round\": 2, \"steps\": 0, \"n\": 2, \"rate\": "
                                           "0.1, \"observations\": 2, \"clients\": 3, "
                                           "\"n_contribution\": 4}",
                                           "{\"surface\": 2, \"round\": 2, \"steps\": 0, \"n\": 2, \"rate\": "
                                           "0.1, \"observations\": 2, \"set\": 2, "
                                           "\"encodings\": [3, 1]}",
                                           "{\"surface\": 8, \"round\": 0, \"steps\": 0, \"n\": 0, \"rate\": "
                                           "0.1, \"observations\": 1, \"clients\": 3, "
                                           "\"n_contribution\": 4}"};
    const int64_t p = FUZZ_WEIGHTS, none = 0, update[2] = {2, FUZZ_WEIGHTS}, x[2] = {4, FUZZ_FEATURES},
                  y[2] = {4, FUZZ_CLASSES}, words[2] = {3, 4};
    gnt_st *st = fuzz_input(w, "seen");
    gnt_err err = {0};
    MUST(gnt_st_set_metadata(st, settings[surface], &err) == 0);
    MUST(gnt_st_add(st, "weights", GNT_ST_F32, 1, &p, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(st, "buffers", GNT_ST_F32, 1, &none, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(st, "update", GNT_ST_F32, 2, update, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(st, "encoded_x", GNT_ST_F32, 2, x, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(st, "encoded_y", GNT_ST_F32, 2, y, NULL, NULL, &err) == 0);
    MUST(gnt_st_add(st, "transcript", GNT_ST_I64, 2, words, NULL, NULL, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_work w;
    gnt_err err = {0};
    gnt_params params = {0};
    script = (fuzz_bytes){data, size};
    const int surface = fuzz_byte(&script) % 3;
    fuzz_work_open(
        &w, (gnt_request){.kind = GNT_JOB_ATTACK, .attack = {.attacker = {.plugin = {.id = "speaks"}}}});
    add_seen(&w, surface);
    attacking a = {.work = &w.work, .targets = json_array()};
    gnt_instance_spec spec = {
        .descriptor = &speaks, .params = &params, .context = &w.work, .memory = 1 << 16};
    a.plugin.work = &w.work;
    a.model = *fuzz_model();
    MUST(gnt_observations_open(&a.observations, &w.work, "seen", &a.model, &err) == 0);
    MUST(gnt_instance_new(&a.plugin.instance, &spec, NULL, &err) == 0);
    a.observations.common.attribute_values = 2;
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < a.observations.n; j++)
        rc = answer_one(&a, j, &err);
    if (fuzz_ok(rc, &err))
        MUST(write_answer(&a, &err) == 0);
    a.model = (gnt_work_model){0}; /* is not its own */
    close_all(&a);
    fuzz_work_close(&w);
    return 0;
}
