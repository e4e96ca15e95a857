/* Captures. Input: capture.json up to a line "%%", a byte, then tensors as work.h describes them. Where the
 * settings are sound and the model is small, the observed tensors are zeros of its shapes, and so is the
 * private batch, if the byte has bit 0; bits 1 to 4 leave out that many of the last observed tensors. The
 * tensors that the input describes are added to the one or, with bit 5, to the other. What is accepted can
 * be written and read again. */
#include "capture/capture_check.h"
#include "work.h"

enum { MOST_WEIGHTS = 1 << 12, MOST_ROWS = 16, MOST_NAMES = 12 };

static void add_zeros(gnt_st *st, const char *prefix, const gnt_param *p) {
    char name[400];
    gnt_err err = {0};
    snprintf(name, sizeof name, "%s.%s", prefix, p->name);
    fuzz_ok(gnt_st_add(st, name, GNT_ST_F32, p->shape.rank, p->shape.dim, NULL, NULL, &err), &err);
}

static void observe(gnt_st *st, const gnt_model *m, unsigned without) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(m);
    const int32_t n = gnt_model_params(m, &list);
    for (int32_t i = 0; i < n; i++)
        add_zeros(st, "before", &list[i]);
    for (int32_t i = 0; i < n - (int32_t)without; i++)
        if (list[i].buffer || !shared || shared[i])
            add_zeros(st, "update", &list[i]);
}

/* Samples of zeros, each of the first class. */
static void add_batch(gnt_st *st, const gnt_capture_settings *s) {
    int64_t x[4] = {s->training.samples}, y[2] = {x[0], s->model.classes};
    gnt_st_tensor *t;
    for (size_t i = 0; i < s->model.sample.n; i++)
        x[1 + i] = s->model.sample.at[i];
    MUST(gnt_st_add(st, "x", GNT_ST_F32, (int32_t)s->model.sample.n + 1, x, NULL, NULL, NULL) == 0);
    MUST(gnt_st_add(st, "y", GNT_ST_F32, 2, y, NULL, &t, NULL) == 0);
    for (int64_t i = 0; i < y[0]; i++)
        ((float *)t->data)[i * y[1]] = 1;
}

static int is_small(const gnt_capture *c) {
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    return gnt_model_size(c->model) + gnt_model_buffer_size(c->model) <= MOST_WEIGHTS &&
           c->settings.training.samples <= MOST_ROWS && gnt_nn_count(&sample) <= FUZZ_MOST_ENTRIES &&
           c->settings.model.classes <= FUZZ_MOST_ENTRIES;
}

static void pass_over(void *user, const char *line) {
    (void)user;
    MUST(line[0] != 0);
}

/* Writes an accepted capture and reads it again. What a batch gives is not computed: any architecture may be
 * here. */
static void use(gnt_capture *c) {
    static const char *const names[] = {"capture.json", "observed.safetensors", "private.safetensors"};
    gnt_capture again;
    gnt_err err = {0};
    for (size_t i = 0; i < 3; i++)
        fuzz_no_file(names[i]);
    MUST(gnt_capture_write(c, fuzz_folder(), 1, &err) == 0);
    MUST(gnt_capture_read(&again, fuzz_folder(), &err) == 0);
    MUST(again.batch.rows == c->batch.rows);
    MUST(memcmp(again.update, c->update, (size_t)gnt_model_shared_size(c->model) * sizeof *c->update) == 0);
    gnt_capture_free(&again);
    c->batch.rows = 0;
    MUST(gnt_capture_check(c, pass_over, NULL, &err) >= 0);
}

/* Makes the tensors, as bytes. */
static void make_tensors(const gnt_capture *c, fuzz_bytes *all, gnt_capture_files *files) {
    static const char *const names[] = {"a",
                                        "mask",
                                        "rates",
                                        "order",
                                        "x",
                                        "y",
                                        "update.fc.bias",
                                        "before.fc.bias",
                                        "after.fc.bias",
                                        "update.fc.weight",
                                        "update.bn.running_mean",
                                        "more#"};
    const uint8_t how = fuzz_byte(all);
    gnt_st observed, batch;
    gnt_err err = {0};
    uint8_t *bytes;
    char hex[GNT_HEX_SIZE];
    gnt_st_init(&observed);
    gnt_st_init(&batch);
    observe(&observed, c->model, how >> 1 & 15);
    if (how & 1)
        add_batch(&batch, &c->settings);
    fuzz_tensors(how & 32 ? &batch : &observed, all, names, MOST_NAMES);
    MUST(gnt_st_write(&observed, &bytes, &files->observed.size, &err) == 0);
    files->observed.bytes = bytes;
    const gnt_digest d = gnt_digest_bytes(bytes, files->observed.size);
    gnt_digest_hex(&d, hex);
    MUST(gnt_st_set_json(&batch, json_pack("{s:s}", "observed", hex), JSON_COMPACT, "", &err) == 0);
    if (how & 33) {
        MUST(gnt_st_write(&batch, &bytes, &files->private_batch.size, &err) == 0);
        files->private_batch.bytes = bytes;
    }
    gnt_st_free(&observed);
    gnt_st_free(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size}, first = fuzz_text(&all);
    char *text = fuzz_string(first);
    gnt_capture_files files = {
        {"settings", (const uint8_t *)text, first.left}, {"observed", NULL, 0}, {"batch", NULL, 0}};
    gnt_capture c;
    gnt_err err = {0};
    if (fuzz_ok(gnt_capture_parse_settings(&c, &files.settings, &err), &err)) {
        const int small = is_small(&c);
        if (small)
            make_tensors(&c, &all, &files);
        gnt_capture_free(&c);
        if (small && fuzz_ok(gnt_capture_parse(&c, &files, &err), &err)) {
            use(&c);
            gnt_capture_free(&c);
        }
    }
    gnt_free((uint8_t *)(uintptr_t)files.observed.bytes);
    gnt_free((uint8_t *)(uintptr_t)files.private_batch.bytes);
    gnt_free(text);
    return 0;
}
