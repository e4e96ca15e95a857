/* Readers on a machine without memory: each runs once for every allocation that it makes, which fails, alone
 * or with all that come after it. It must end with a sentence, or as if nothing had failed, and leave no
 * block behind. What is fresh is filled with junk, but where the C library promises zeros.
 *
 * The allocators are the linker's (-Wl,--wrap, see the Makefile), so that the program knows nothing
 * of this. Libraries keep their own. Of jansson's the blocks are counted, but none fails: its lexer
 * stops on an assertion then. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "data_files.h"
#include "fake_plugins.h"
#include "made_capture.h"
#include "nn/model/model.h"
#include "nn/io/safetensors.h"
#include "onnx/onnx.h"
#include "plugin/params.h"
#include "render/png.h"
#include "suite/plan.h"

/* ---- allocators that fail ---- */

static struct {
    long count, fail_at; /* 0: none fails */
    int for_good;        /* all that follow fail too */
    long live;           /* blocks given and not taken back */
} memory;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *block);

static int fails_now(void) {
    memory.count++;
    return memory.fail_at &&
           (memory.count == memory.fail_at || (memory.for_good && memory.count > memory.fail_at));
}

static void *given(void *block, size_t from) {
    size_t bytes = block ? malloc_usable_size(block) : 0;
    if (bytes > from)
        memset((char *)block + from, 0xa5, bytes - from);
    return block;
}

void *__wrap_malloc(size_t bytes) {
    void *block = fails_now() ? NULL : given(__real_malloc(bytes), 0);
    memory.live += block != NULL;
    return block;
}

void *__wrap_calloc(size_t n, size_t size) {
    void *block = fails_now() ? NULL : __real_calloc(n, size);
    memory.live += block != NULL;
    return block;
}

void *__wrap_realloc(void *old, size_t bytes) {
    size_t before = old ? malloc_usable_size(old) : 0;
    void *block = fails_now() ? NULL : given(__real_realloc(old, bytes), before);
    memory.live += block && !old;
    return block;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    void *block = fails_now() ? NULL : given(__real_aligned_alloc(alignment, bytes), 0);
    memory.live += block != NULL;
    return block;
}

void __wrap_free(void *block) {
    memory.live -= block != NULL;
    __real_free(block);
}

static void *for_jansson(size_t bytes) {
    void *block = given(__real_malloc(bytes), 0);
    memory.live += block != NULL;
    return block;
}

static void from_jansson(void *block) {
    free(block);
}

/* ---- every allocation in turn ---- */

/* Reads, and frees what it read. Returns 0, or −1 with a sentence. */
typedef int (*reader)(gnt_err *err);

enum { MOST_TRIES = 600 };

static void try_all(const char *name, reader read) {
    gnt_err err = {0};
    long refused = 0, all;
    memory.fail_at = 0;
    if (read(&err)) /* once, for what is made at a first use and stays */
        fail_msg("%s: %s", name, err.text);
    memory.count = 0;
    assert_int_equal(read(&err), 0);
    all = memory.count;
    assert_true(all > 0);
    const long stride = all / MOST_TRIES + 1;
    for (int for_good = 0; for_good < 2; for_good++)
        for (long at = 1; at <= all; at += stride) {
            const long before = memory.live;
            err = (gnt_err){0};
            memory.count = 0;
            memory.for_good = for_good;
            memory.fail_at = at;
            int rc = read(&err);
            memory.fail_at = 0;
            refused += rc != 0;
            if (rc && !*err.text)
                fail_msg("%s: allocation %ld of %ld fails, and no sentence says so", name, at, all);
            if (memory.live != before)
                fail_msg("%s: allocation %ld of %ld fails, and %ld blocks are left (%s)", name, at, all,
                         memory.live - before, err.text);
        }
    assert_true(refused > 0);
    printf("# %s: %ld allocations, %ld refusals\n", name, all, refused);
}

/* ---- documents, parameters, models ---- */

static const char document[] = "{\"name\": \"ä\", \"list\": [1, 2.5, {\"deep\": null}], \"flag\": true}";

static int read_document(gnt_err *err) {
    gnt_doc doc;
    if (gnt_doc_parse(&doc, "input.json", document, sizeof document - 1, err) != 0)
        return -1;
    char *text = gnt_json_canonical(doc.root);
    int rc = text ? 0 : gnt_fail(err, "out of memory");
    gnt_free(text);
    gnt_doc_free(&doc);
    return rc;
}

static int read_bad_document(gnt_err *err) {
    static const char bad[] = "{\"list\": [1, 2,]}";
    gnt_doc doc;
    gnt_err why = {0};
    if (gnt_doc_parse(&doc, "bad.json", bad, sizeof bad - 1, &why) == 0)
        gnt_doc_free(&doc);
    else if (*why.text && !strstr(why.text, "memory"))
        return 0;
    return gnt_fail(err, "%s", why.text);
}

static int read_params(gnt_err *err) {
    static const char text[] = "{\"sigma\": 0.5, \"norm\": \"max\", \"adaptive\": true}";
    gnt_params p = {0}, copy = {0};
    if (gnt_params_parse(&p, fake_dp, FAKE_COUNT(fake_dp), "params", text, err) != 0)
        return -1;
    int rc = gnt_params_copy(&copy, &p, err);
    char *canonical = rc ? NULL : gnt_params_canonical(&copy);
    if (rc == 0 && !canonical)
        rc = gnt_fail(err, "out of memory");
    gnt_free(canonical);
    gnt_params_free(&copy);
    gnt_params_free(&p);
    return rc;
}

static int read_plugins(gnt_err *err) {
    gnt_plugin_list list;
    if (fake_plugins(&list, err) != 0)
        return -1;
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    for (size_t i = 0; i < list.n; i++)
        gnt_info_write(&text, &list.info[i]);
    char *all = gnt_text_take(&text);
    gnt_text_free(&text);
    gnt_plugin_list_free(&list);
    int rc = all ? 0 : gnt_fail(err, "out of memory");
    gnt_free(all);
    return rc;
}

static int read_model(gnt_err *err) {
    gnt_model *m = NULL;
    const gnt_nn_shape sample = {3, {1, 28, 28}};
    if (gnt_model_load(&m, "models/lenet.json", &sample, 10, NULL, NULL, err) != 0)
        return -1;
    gnt_model_free(m);
    return 0;
}

static int read_weights(gnt_err *err) {
    const float values[6] = {1, 2, 3, 4, 5, 6};
    gnt_st st, again;
    uint8_t *bytes = NULL;
    size_t size = 0;
    gnt_st_init(&st);
    gnt_st_init(&again);
    int rc = gnt_st_add(&st, "w", GNT_ST_F32, 2, (int64_t[]){2, 3}, values, NULL, err) ||
                     gnt_st_set_metadata(&st, "{\"round\": 3}", err) ||
                     gnt_st_write(&st, &bytes, &size, err) ||
                     gnt_st_parse(&again, "w.safetensors", bytes, size, err)
                 ? -1
                 : 0;
    gnt_free(bytes);
    gnt_st_free(&st);
    gnt_st_free(&again);
    return rc;
}

static int read_network(gnt_err *err) {
    gnt_onnx_network network;
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_file_read("tests/golden/onnx_residual.onnx", GNT_ONNX_MOST, &bytes, &size, err) != 0)
        return -1;
    const int rc = gnt_onnx_read(&network, "net.onnx", bytes, size, err);
    gnt_free(bytes);
    if (rc != 0)
        return -1;
    if (!strstr(network.json, "Imported from net.onnx") || network.weights.n != 33)
        fail_msg("a network is not whole: %s", network.json);
    gnt_onnx_free(&network);
    return 0;
}

/* ---- captures ---- */

static made_files captured;

static void pass_over(void *user, const char *line) {
    (void)user, (void)line;
}

/* Reads a capture and computes its update again. */
static int read_capture(gnt_err *err) {
    gnt_capture c;
    if (gnt_capture_parse(&c, &captured.files, err) != 0)
        return -1;
    const int contradictions = gnt_capture_check(&c, pass_over, NULL, err);
    gnt_capture_free(&c);
    return contradictions ? -1 : 0;
}

static void captures_refuse(void **state) {
    (void)state;
    gnt_doc doc;
    gnt_st observed, batch;
    gnt_err err = {0};
    if (gnt_doc_load(&doc, "tests/cases/capture.json", GNT_DOC_MOST, &err) != 0)
        fail_msg("%s", err.text);
    made_tensors(&observed, &batch, doc.text);
    made_files_of(&captured, doc.text, &observed, &batch, 0);
    try_all("capture", read_capture);
    made_files_free(&captured);
    gnt_st_free(&observed);
    gnt_st_free(&batch);
    gnt_doc_free(&doc);
}

/* ---- readers ---- */

static void readers_refuse(void **state) {
    (void)state;
    try_all("document", read_document);
    try_all("bad document", read_bad_document);
    try_all("parameters", read_params);
    try_all("plugins", read_plugins);
    try_all("model", read_model);
    try_all("weights", read_weights);
    try_all("network", read_network);
}

/* ---- suites ---- */

static const char suite_text[] =
    "{\"suite\": \"hostile\", \"scale\": \"small\", \"scales\": {\"small\": {\"says\": \"a\", \"set\": "
    "{\"n\": 60}}},"
    " \"seeds\": [1, 2], \"measures\": [\"psnr\", \"mse\"], \"check\": {\"alpha\": 0.05},"
    " \"tasks\": [{\"id\": \"a\", \"data\": {\"name\": \"glyphs\", \"rows\": {\"train\": 200, \"test\": 40, "
    "\"public\": "
    "20}, \"clients\": \"$n\", \"public\": 20}, \"model\": \"mlp_small\", \"stages\": {\"drawn\": 2}, "
    "\"hide\": [\"style\"],"
    " \"federated\": {\"clients\": 3, \"rounds\": 3, \"batch\": 4, \"rate\": 0.05}},"
    " {\"id\": \"b\", \"like\": \"a\", \"observe\": {\"targets\": 2}}],"
    " \"models\": [{\"id\": \"m\", \"model\": \"mlp_small\", \"data\": {\"name\": \"glyphs\", \"seed\": 3},"
    " \"train\": {\"epochs\": 1}}],"
    " \"defenses\": [{\"defense\": \"none\"}, {\"defense\": [\"mixup\", \"dp-gaussian\"], \"params\": [{}, "
    "{\"clip\": 2}],"
    " \"swept\": \"dp-gaussian\", \"sweep\": [0.1, 0.2], \"label\": \"two\"}, {\"defense\": \"prune\", "
    "\"match\": true}],"
    " \"attacks\": [{\"attack\": \"dlg\", \"budget\": 5}, {\"attack\": \"invert-gradients\", \"grants\": "
    "[\"labels\"]}],"
    " \"tables\": [{\"id\": \"t\", \"title\": \"T\", \"columns\": [{\"label\": \"c\", \"attack\": \"dlg\"}],"
    " \"rows\": [{\"label\": \"r\", \"defense\": \"two\"}], \"paper\": [[1.5]]}]}";

static gnt_plugin_list plugins;

static int read_suite(gnt_err *err) {
    const gnt_suite_env env = {.plugins = &plugins};
    gnt_suite s;
    gnt_plan plan = {0};
    if (gnt_suite_parse(&s, "hostile.json", suite_text, sizeof suite_text - 1, &env, err) != 0)
        return -1;
    int rc = gnt_plan_make(&plan, &s, err);
    char *text = rc ? NULL : gnt_plan_text(&plan, &s), *json = rc ? NULL : gnt_plan_json(&plan, &s);
    if (rc == 0 && (!text || !json))
        rc = gnt_fail(err, "out of memory");
    gnt_free(text);
    gnt_free(json);
    if (plan.cell)
        gnt_plan_free(&plan);
    gnt_suite_free(&s);
    return rc;
}

static void suites_refuse(void **state) {
    (void)state;
    gnt_err err = {0};
    assert_int_equal(fake_plugins(&plugins, &err), 0);
    try_all("suite", read_suite);
    gnt_plugin_list_free(&plugins);
}

/* ---- data ---- */

static const char *set;
static gnt_digest content; /* of the set at hand, as it is where nothing fails */

static int read_set(gnt_err *err) {
    static const gnt_digest none;
    gnt_data *d = NULL;
    const gnt_data_spec spec = {.name = set, .rows = {3, 2, 1}};
    if (gnt_data_open(&d, &spec, folder, err) != 0)
        return -1;
    if (memcmp(&content, &none, sizeof none) == 0)
        content = d->digest;
    assert_memory_equal(&d->digest, &content, sizeof content);
    gnt_data_free(d);
    return 0;
}

static int check_set(gnt_err *err, int json) {
    char *text = NULL;
    int rc = gnt_data_check(set, folder, json, &text, err);
    if (rc == 0 && !text)
        rc = gnt_fail(err, "it says nothing");
    gnt_free(text);
    return rc;
}

static int check_as_text(gnt_err *err) {
    return check_set(err, 0);
}

static int check_as_json(gnt_err *err) {
    return check_set(err, 1);
}

static void put_files(void) {
    static uint8_t images[16 + 2 * 784] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28};
    static const uint8_t labels[8 + 2] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 1};
    static uint8_t batch[2 * 3073];
    static char person[] = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, "
                           "Not-in-family, White, Male, 2174, 0, 40, "
                           "United-States, <=50K\n";
    put("train-images-idx3-ubyte", images, sizeof images);
    put("train-labels-idx1-ubyte", labels, sizeof labels);
    images[16] = images[16 + 784] = 1; /* a set whose test rows are its train rows is unsound */
    put_gz("t10k-images-idx3-ubyte.gz", images, sizeof images);
    put_gz("t10k-labels-idx1-ubyte.gz", labels, sizeof labels);
    put("data_batch_1.bin", batch, sizeof batch);
    put("data_batch_2.bin", batch, sizeof batch);
    batch[1] = batch[1 + 3073] = 1;
    put("test_batch.bin", batch, sizeof batch);
    put("adult.data", person, sizeof person - 1);
    person[0] = '4';
    put("adult.test", person, sizeof person - 1);
}

/* Puts pictures, their list and its description. */
static void put_images(void) {
    static const char
        list[] = "path,kind,owner,part\n0.png,b,Ann,train\n1.png,a,Bob,test\n",
        description[] =
            "{\"format\": \"gauntlet data\", \"version\": 1, \"name\": \"own\", \"kind\": \"image\", "
            "\"images\": {\"colour\": \"grey\", \"crop\": \"centre square\", \"size\": [2, 2]}, \"list\": "
            "\"list.csv\", \"columns\": [{\"column\": \"path\", \"as\": \"file\"}, {\"column\": "
            "\"kind\", \"as\": \"label\", \"values\": [\"a\", \"b\"]}, {\"column\": \"owner\", \"as\": "
            "\"group\"}, {\"column\": \"part\", \"as\": \"part\"}]}";
    for (int i = 0; i < 2; i++) {
        uint8_t rgb[4 * 3 * 3];
        char path[512];
        memset(rgb, 100 * i + 7, sizeof rgb);
        in_folder(path, sizeof path, i ? "1.png" : "0.png");
        assert_int_equal(gnt_png_write(path, rgb, 4, 3, NULL), 0);
    }
    put("list.csv", list, sizeof list - 1);
    put("own.json", description, sizeof description - 1);
}

static void sets_refuse(void **state) {
    (void)state;
    static const char *const sets[] = {"glyphs", "scenes", "census", "mnist", "cifar10", "adult", "own.json"};
    put_files();
    put_images();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        set = sets[i];
        content = (gnt_digest){0};
        try_all(set, read_set);
        if (i < 3) /* the whole of a generated set is made for its check */
            continue;
        try_all("its check", check_as_text);
        try_all("its check as JSON", check_as_json);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_refuse),
        cmocka_unit_test(captures_refuse),
        cmocka_unit_test(suites_refuse),
        cmocka_unit_test_setup_teardown(sets_refuse, make_folder, remove_folder),
    };
    json_set_alloc_funcs(for_jansson, from_jansson);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
