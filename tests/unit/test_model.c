/* Architectures: the shipped files have the parameters their papers and PyTorch count, weights go in and out
 * by name, and a bad file is refused with place and reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "nn/model/model.h"

static gnt_nn_shape image(int64_t c, int64_t h, int64_t w) {
    return (gnt_nn_shape){.rank = 3, .dim = {c, h, w}};
}

static gnt_nn_shape row(int64_t n) {
    return (gnt_nn_shape){.rank = 1, .dim = {n}};
}

static gnt_model *load(const char *name, gnt_nn_shape sample, int32_t classes) {
    char path[200];
    gnt_model *m = NULL;
    gnt_err err = {0};
    snprintf(path, sizeof path, "models/%s.json", name);
    if (gnt_model_load(&m, path, &sample, classes, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

#define CONV3(in, out) (9 * (in) * (out) + (out))
enum {
    UNET_SIZE = CONV3(1, 16) + CONV3(16, 16) + CONV3(16, 32) + CONV3(32, 32) + CONV3(32, 64) + CONV3(64, 64) +
                CONV3(96, 32) + CONV3(32, 32) + CONV3(48, 16) + CONV3(16, 16) + 17
};

static void shipped_models_have_the_sizes_of_their_sources(void **state) {
    (void)state;
    const struct {
        const char *name;
        gnt_nn_shape sample;
        int32_t classes;
        int64_t size, buffers;
        const char *representation;
    } cases[] = {
        {"mlp", image(1, 28, 28), 10, 784 * 256 + 256 + 256 * 256 + 256 + 2560 + 10, 0, "relu_2"},
        {"mlp", row(103), 2, 103 * 256 + 256 + 256 * 256 + 256 + 512 + 2, 0, "relu_2"},
        /* 12·25·c + 12, twice 12·12·25 + 12, and 588 or 768 features */
        {"lenet", image(1, 28, 28), 10, 312 + 2 * 3612 + 5890, 0, "flatten_1"},
        {"lenet", image(3, 32, 32), 100, 912 + 2 * 3612 + 76900, 0, "flatten_1"},
        {"convnet", image(3, 32, 32), 10, 2904970, 2 * 1600, "flatten_1"},
        {"resnet18", image(3, 32, 32), 10, 11173962, 2 * 4800, "flatten_1"},
        {"resnet34", image(3, 32, 32), 10, 21282122, 2 * 8512, "flatten_1"},
        /* 14,714,688 of torchvision's convolutions with biases, 8448 of batch norms, 5130 of the last layer
         */
        {"vgg16", image(3, 32, 32), 10, 14714688 + 2 * 4224 + 5130, 2 * 4224, "flatten_1"},
        /* torchvision's 7,978,856 less its first convolution and norm (9408 + 128) and its 1000 classes, with
           ours */
        {"densenet121", image(3, 32, 32), 10, 7978856 - 9536 - 1025 * 1000 + 1728 + 1025 * 10,
         2 * (41824 - 64), "flatten_1"},
        {"resnet20", image(3, 32, 32), 10, 269722, 2 * 688, "flatten_1"}, /* "0.27M" in He et al. */
        /* "0.46M", "0.66M" and "0.85M" there */
        {"resnet32", image(3, 32, 32), 10, 464154, 2 * 1136, "flatten_1"},
        {"resnet44", image(3, 32, 32), 10, 658586, 2 * 1584, "flatten_1"},
        {"resnet56", image(3, 32, 32), 10, 853018, 2 * 2032, "flatten_1"},
        {"softmax", image(1, 28, 28), 10, 7850, 0, "flatten_1"},
        {"cnn_mnist", image(1, 28, 28), 10, 1663370, 0, "relu_3"}, /* as McMahan et al. count them */
        /* convolutions of 3 × 3 with biases, and one of 1 × 1 */
        {"unet", image(1, 32, 32), 1024, UNET_SIZE, 0, "bottom"},
        {"unet", image(1, 64, 64), 4096, UNET_SIZE, 0, "bottom"},
        {"unet", image(1, 128, 128), 16384, UNET_SIZE, 0, "bottom"},
        {"recup_audiomnist", image(1, 224, 224), 10, 160 + 32 + 4640 + 64 + 18496 + 128 + 18464 + 330, 224,
         "relu_4"},
        {"recup_adult", row(103), 2, 5251, 0, "relu_1"},
        {"recup_lfw", image(3, 62, 47), 2, 896 + 18496 + 73856 + 786688 + 514, 0, "relu_4"},
        {"recup_celeba", image(3, 32, 32), 2, 448 + 4640 + 18496 + 73856 + 16512 + 258, 0, "sigmoid_1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnt_model *m = load(cases[i].name, cases[i].sample, cases[i].classes);
        assert_int_equal(gnt_model_size(m), cases[i].size);
        assert_int_equal(gnt_model_buffer_size(m), cases[i].buffers);
        assert_string_equal(gnt_model_layer_name(m, gnt_model_representation(m)), cases[i].representation);
        gnt_model_free(m);
    }
}

static int64_t size_at_width(const char *json, gnt_err *err) {
    gnt_nn_shape sample = image(3, 8, 8);
    gnt_model *m = NULL;
    if (gnt_model_parse(&m, "wide.json", json, &sample, 10, NULL, NULL, err))
        return -1;
    int64_t size = gnt_model_size(m);
    gnt_model_free(m);
    return size;
}

/* One convolution of 10 channels on 3, without bias, its mean, and a dense layer of 7 before that of the 10
 * classes. */
static void width_multiplies_and_rounds_what_is_no_class(void **state) {
    (void)state;
    const struct {
        const char *width;
        int64_t channels, hidden;
    } cases[] = {{"1", 10, 7}, {"0.5", 5, 4}, {"0.25", 3, 2}, {"0.01", 1, 1}, {"2", 20, 14}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[600];
        gnt_err err = {0};
        int64_t c = cases[i].channels, h = cases[i].hidden;
        snprintf(
            json, sizeof json,
            "{\"width\": %s, \"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 10, \"kernel\": 3, "
            "\"bias\": false}, {\"type\": \"global_avg_pool\"}, {\"type\": \"flatten\"}, {\"type\": "
            "\"dense\", "
            "\"name\": \"a\", \"out\": 7}, {\"type\": \"dense\", \"name\": \"b\", \"out\": \"classes\"}]}",
            cases[i].width);
        assert_int_equal(size_at_width(json, &err), 27 * c + (c + 1) * h + (h + 1) * 10);
    }
}

/* 3 channels to 4, to the 2 that the map of 10·10 entries has places for, whatever activation ends it. */
static void width_leaves_the_values_of_a_map(void **state) {
    (void)state;
    static const char *const ends[] = {"", ", {\"type\": \"sigmoid\"}"};
    const struct {
        const char *width;
        int64_t channels;
    } cases[] = {{"1", 4}, {"2", 8}, {"0.5", 2}, {"0.01", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 2; k++) {
            gnt_nn_shape sample = image(3, 5, 10);
            char json[600];
            gnt_err err = {0};
            gnt_model *m = NULL;
            snprintf(
                json, sizeof json,
                "{\"width\": %s, \"output\": \"map\", \"loss\": \"mse\", \"layers\": [{\"type\": \"conv\", "
                "\"name\": \"c\", "
                "\"out\": 4, \"kernel\": 1}, {\"type\": \"conv\", \"name\": \"d\", \"out\": 2, \"kernel\": "
                "1}%s]}",
                cases[i].width, ends[k]);
            if (gnt_model_parse(&m, "map.json", json, &sample, 100, NULL, NULL, &err))
                fail_msg("%s", err.text);
            assert_int_equal(gnt_model_size(m), 4 * cases[i].channels + 2 * (cases[i].channels + 1));
            gnt_model_free(m);
        }
}

static void parameters_are_called_and_placed_as_in_pytorch(void **state) {
    (void)state;
    gnt_model *m = load("resnet18", image(3, 32, 32), 10);
    const gnt_param *list;
    int32_t n = gnt_model_params(m, &list), buffers = 0;
    int64_t at[2] = {0, 0};
    assert_int_equal(n, 62 + 40); /* 20 convolutions, 20 batch norms, weight and bias of fc */
    for (int32_t i = 0; i < n; i++) {
        assert_true(list[i].buffer >= buffers); /* buffers come last */
        buffers = list[i].buffer;
        assert_int_equal(list[i].offset, at[buffers]);
        at[buffers] += gnt_nn_count(&list[i].shape);
    }
    assert_string_equal(list[0].name, "conv1.weight");
    assert_string_equal(list[3].name, "layer1.0.conv1.weight");
    assert_string_equal(list[15 + 6].name, "layer2.0.downsample.0.weight");
    assert_string_equal(list[15 + 7].name, "layer2.0.downsample.1.weight");
    assert_string_equal(list[60].name, "fc.weight");
    assert_string_equal(list[62].name, "bn1.running_mean");
    assert_string_equal(list[63].name, "bn1.running_var");
    const int64_t down[] = {128, 64, 1, 1}, fc[] = {10, 512};
    assert_memory_equal(list[21].shape.dim, down, sizeof down);
    assert_memory_equal(list[60].shape.dim, fc, sizeof fc);
    gnt_model_free(m);
}

/* A stage of repeated blocks: layer2.0, layer2.1, … and within each conv1, bn1, conv2, bn2. */
static void repeated_blocks_are_called_as_in_pytorch(void **state) {
    (void)state;
    static const char *const parts[] = {"conv1.weight", "bn1.weight", "bn1.bias",
                                        "conv2.weight", "bn2.weight", "bn2.bias"};
    static const struct {
        const char *name;
        int blocks;
    } nets[] = {{"resnet20", 3}, {"resnet32", 5}, {"resnet44", 7}, {"resnet56", 9}};
    for (int k = 0; k < 4; k++) {
        gnt_model *m = load(nets[k].name, image(3, 32, 32), 10);
        const gnt_param *list;
        gnt_model_params(m, &list);
        int at = 3;
        for (int stage = 1; stage <= 3; stage++)
            for (int block = 0; block < nets[k].blocks; block++)
                for (int part = 0; part < 6; part++) {
                    char name[80];
                    snprintf(name, sizeof name, "layer%d.%d.%s", stage, block, parts[part]);
                    assert_string_equal(list[at++].name, name);
                }
        assert_string_equal(list[at].name, "linear.weight");
        /* three before the blocks, seven in each and the block itself; its ReLU follows */
        assert_string_equal(gnt_model_layer_name(m, 3 + 5), "layer1.0");
        assert_string_equal(gnt_model_layer_name(m, 3 + 5 + 7), "layer1.1");
        assert_int_equal(gnt_model_layers(m), 3 + 3 * nets[k].blocks * 7 + 3);
        gnt_model_free(m);
    }
}

/* Counted from 1, one repeat within another, and what is otherwise the first time. */
static void repeats_count_and_nest(void **state) {
    (void)state;
    static const char json[] =
        "{\"layers\": [{\"type\": \"repeat\", \"times\": 2, \"from\": 1, \"body\": ["
        "{\"type\": \"residual\", \"name\": \"stage#\", \"first\": {\"shortcut\": ["
        "{\"type\": \"conv\", \"name\": \"down\", \"out\": 4, \"kernel\": 1}]}, \"body\": ["
        "{\"type\": \"repeat\", \"times\": 2, \"body\": [{\"type\": \"conv\", \"name\": \"c#.#\", "
        "\"out\": 4, \"kernel\": 3, \"pad\": 1, \"bias\": false, \"first\": {\"bias\": true}}]}]}]},"
        "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
    static const char *const names[] = {"stage1.c0.0.weight", "stage1.c0.0.bias",
                                        "stage1.c1.1.weight", "stage1.down.weight",
                                        "stage1.down.bias",   "stage2.c0.0.weight",
                                        "stage2.c0.0.bias",   "stage2.c1.1.weight",
                                        "fc.weight",          "fc.bias"};
    gnt_nn_shape sample = image(3, 8, 8);
    gnt_model *m = NULL;
    gnt_err err = {0};
    const gnt_param *list;
    if (gnt_model_parse(&m, "nest", json, &sample, 10, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(gnt_model_params(m, &list), 10);
    for (int i = 0; i < 10; i++)
        assert_string_equal(list[i].name, names[i]);
    gnt_model_free(m);
}

/* PyTorch's weights: of a transposed convolution input channels first; of groups, those of one group. */
static void weights_have_the_shapes_of_pytorch(void **state) {
    (void)state;
    static const char json[] =
        "{\"layers\": [{\"type\": \"conv\", \"name\": \"a\", \"out\": 12, \"kernel\": [3, 1], "
        "\"groups\": 3}, {\"type\": \"conv_transpose\", \"name\": \"b\", \"out\": 8, \"kernel\": 2, "
        "\"stride\": [2, 3], \"out_pad\": [1, 2], \"groups\": 4}, {\"type\": \"group_norm\", \"name\": "
        "\"g\", \"groups\": 2}, {\"type\": \"layer_norm\", \"name\": \"l\"}, {\"type\": \"layer_norm\", "
        "\"name\": \"p\", \"over\": \"channels\"}, {\"type\": \"global_avg_pool\"}, {\"type\": \"flatten\"},"
        "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
    static const struct {
        const char *name;
        gnt_nn_shape shape;
    } params[] = {{"a.weight", {4, {12, 1, 3, 1}}},
                  {"a.bias", {1, {12}}},
                  {"b.weight", {4, {12, 2, 2, 2}}},
                  {"b.bias", {1, {8}}},
                  {"g.weight", {1, {8}}},
                  {"g.bias", {1, {8}}},
                  /* (6 − 1)·2 + 2 + 1 rows, (8 − 1)·3 + 2 + 2 columns */
                  {"l.weight", {3, {8, 13, 25}}},
                  {"l.bias", {3, {8, 13, 25}}},
                  {"p.weight", {1, {8}}},
                  {"p.bias", {1, {8}}}};
    gnt_nn_shape sample = image(3, 8, 8);
    gnt_model *m = NULL;
    gnt_err err = {0};
    const gnt_param *list;
    if (gnt_model_parse(&m, "shapes", json, &sample, 10, NULL, NULL, &err))
        fail_msg("%s", err.text);
    gnt_model_params(m, &list);
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        assert_string_equal(list[i].name, params[i].name);
        assert_int_equal(list[i].shape.rank, params[i].shape.rank);
        assert_memory_equal(list[i].shape.dim, params[i].shape.dim, sizeof params[i].shape.dim);
    }
    gnt_model_free(m);
}

/* ---- bad files */

typedef struct bad {
    const char *json;
    const char *say[3]; /* parts of the sentence */
} bad;

#define L(text) "{\"layers\": [" text "]}"
#define CONV "{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 3}"
#define CONV_WITH(keys) "{\"type\": \"conv\", \"name\": \"c\", \"out\": 6, \"kernel\": 3, " keys "}"
#define UP_WITH(keys) "{\"type\": \"conv_transpose\", \"name\": \"c\", \"out\": 6, \"kernel\": 3, " keys "}"
#define REPEAT(times, body) "{\"type\": \"repeat\", \"times\": " times ", \"body\": [" body "]}"
#define RELU "{\"type\": \"relu\"}"
#define FLAT "{\"type\": \"flatten\"}"
#define FC "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}"

/* The sample is 3×8×8, with ten classes. */
static const bad cases[] = {
    {"", {"bad.json"}},
    {"[]", {"object"}},
    {"{\"layers\": []}", {"\"layers\" is empty"}},
    {"{\"layer\": []}", {"did you mean \"layers\"?"}},
    {"{\"layers\": [], \"layers\": []}", {"layers"}},
    {"{\"layers\": 3}", {"must be a list"}},
    {"{\"width\": 0, \"layers\": []}", {"\"width\" must be a number from 0.01 to 16"}},
    {"{\"width\": \"half\", \"layers\": []}", {"\"width\" must be a number"}},
    {L("3"), {"layers[0]", "must be an object"}},
    {L("{\"type\": \"flaten\"}"),
     {"layers[0]: a layer without a name", "\"flaten\"", "did you mean \"flatten\"?"}},
    {L("{\"name\": \"c\"}"), {"layers[0]: layer c", "\"type\" is missing"}},
    {L(CONV ",\n" CONV "," FLAT "," FC), {"bad.json:2: layers[1]", "two layers have the name c"}},
    {L("{\"type\": \"conv\", \"out\": 4, \"kernel\": 3}"), {"\"name\" is missing"}},
    {L("{\"type\": \"relu\", \"name\": \"a b\"}"), {"letters, digits"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 3, \"strides\": 2}"),
     {"layer c", "no key \"strides\"", "did you mean \"stride\"?"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4}"), {"layer c (conv)", "\"kernel\" is missing"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 0, \"kernel\": 3}"),
     {"\"out\" must be a whole number from 1"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4.0, \"kernel\": 3}"),
     {"\"out\" must be a whole number"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": \"class\", \"kernel\": 3}"),
     {"or \"classes\", not \"class\""}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": [3]}"), {"[height, width]"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 3, \"bias\": 1}"),
     {"\"bias\" must be true or false"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 9}"),
     {"layer c (conv)", "9×9", "3×8×8"}},
    {L(FLAT "," CONV), {"layers[1]: layer c (conv)", "wants an image", "192"}},
    {L(CONV "," FC), {"layers[1]: layer fc (dense)", "gets 4×6×6", "flatten"}},
    {L(CONV "," FLAT), {"the last layer, flatten_1, gives 144", "10 classes"}},
    {L("{\"type\": \"max_pool\", \"kernel\": 2, \"pad\": 2}"), {"max_pool_1", "more than half"}},
    {L("{\"type\": \"leaky_relu\", \"slope\": -1}"), {"\"slope\" must be a number from 0"}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 1048576, \"kernel\": 1024, \"pad\": 512}"),
     {"more than 2147483648 entries"}},
    {L(CONV_WITH("\"groups\": 2")), {"layer c (conv)", "3 channels, which 2 groups do not divide"}},
    {L(CONV_WITH("\"groups\": 0")), {"\"groups\" must be a whole number from 1"}},
    {L(CONV_WITH("\"groups\": \"all\"")), {"or \"channels\", not \"all\""}},
    {L("{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 3, \"groups\": 3}"),
     {"\"out\" of 4 cannot be divided into 3 groups"}},
    {L(CONV_WITH("\"dilation\": 4")), {"dilated", "3×8×8"}},
    {L(CONV_WITH("\"pad\": [1]")), {"\"pad\" must be", "[height, width], each from 0"}},
    {L(CONV_WITH("\"pad\": [1, -1]")), {"each from 0"}},
    {L(CONV_WITH("\"stride\": [1, 0]")), {"\"stride\"", "each from 1"}},
    {L(CONV_WITH("\"out_pad\": 1")), {"no key \"out_pad\""}},
    {L(UP_WITH("\"out_pad\": 1")), {"\"out_pad\" of 1 must be below its stride of 1"}},
    {L(UP_WITH("\"pad\": 5")), {"padding of 5 leaves nothing"}},
    {L("{\"type\": \"group_norm\", \"name\": \"g\"}"), {"\"groups\" is missing"}},
    {L("{\"type\": \"group_norm\", \"groups\": 1}"), {"\"name\" is missing"}},
    {L("{\"type\": \"layer_norm\", \"name\": \"l\", \"over\": \"batch\"}"), {"\"sample\" or \"channels\""}},
    {L("{\"type\": \"gelu\", \"approximate\": true}"), {"\"none\" or \"tanh\""}},
    {L(FLAT ", {\"type\": \"adaptive_avg_pool\", \"size\": 1}"), {"wants an image"}},
    {L("{\"type\": \"adaptive_avg_pool\"}"), {"\"size\" is missing"}},
    {L(FLAT "," FC ", {\"type\": \"softmax\"}"), {"is a softmax, but cross entropy takes scores"}},
    {L(REPEAT("0", RELU)), {"layers[0]: a repeat", "\"times\" must be a whole number from 1 to 4096"}},
    {L(REPEAT("1000000000", RELU)), {"\"times\" must be a whole number from 1 to 4096"}},
    {L(REPEAT("\"3\"", RELU)), {"\"times\" must be a whole number"}},
    {L(REPEAT("2", "")), {"\"body\" must be a list of at least one layer"}},
    {L("{\"type\": \"repeat\", \"times\": 2}"), {"\"body\" must be a list of at least one layer"}},
    {L("{\"type\": \"repeat\", \"body\": [" RELU "]}"), {"\"times\" is missing"}},
    {L("{\"type\": \"repeat\", \"name\": \"r\", \"times\": 1, \"body\": [" RELU "]}"), {"no key \"name\""}},
    {L(REPEAT("4096", REPEAT("4096", REPEAT("4096", RELU)))),
     {"layers[0].body[0].body[0].body[0]", "more than 4096 layers"}},
    {L(REPEAT("2", CONV)), {"two layers have the name c", "# in a name is the count"}},
    {L("{\"type\": \"relu\", \"name\": \"r#\"}"), {"\"r#\"", "this is in none"}},
    {L(CONV_WITH("\"first\": {\"stride\": 2}")), {"\"first\" is for layers of a repeat"}},
    {L(REPEAT("2", "{\"type\": \"relu\", \"first\": {\"type\": \"tanh\"}}")), {"type and name stay"}},
    {L(REPEAT("2", "{\"type\": \"relu\", \"first\": 3}")), {"\"first\" must be an object"}},
    {L(REPEAT("2", "{\"type\": \"relu\", \"first\": {\"slope\": 3}}")), {"relu has no key \"slope\""}},
    {L("{\"type\": \"residual\", \"name\": \"b\", \"body\": [" CONV "]}"),
     {"layers[0]: layer b (residual)", "body gives 4×6×6", "shortcut 3×8×8"}},
    {L("{\"type\": \"residual\", \"name\": \"b\", \"body\": [" FLAT ",\n" CONV "]}"),
     {"bad.json:2: layers[0].body[1]: layer b.c (conv)", "wants an image"}},
    {L("{\"type\": \"residual\", \"name\": \"b\", \"shortcut\": \"none\", \"body\": []}"),
     {"\"shortcut\" must be"}},
    {L("{\"type\": \"residual\", \"name\": \"b\", \"shortcut\": \"pad\", \"stride\": 2, \"body\": [" CONV
       "]}"),
     {"4×6×6", "3×8×8", "every pixel 2 apart"}},
    {L("{\"type\": \"residual\", \"name\": \"b\", \"stride\": 2, \"body\": []}"), {"goes with"}},
    {L("{\"type\": \"concat\", \"branches\": []}"), {"1 to 64"}},
    {L("{\"type\": \"concat\", \"branches\": [[], [" CONV "]]}"), {"branch 1 gives 4×6×6", "3×8×8"}},
    {"{\"init\": \"he\", \"layers\": []}", {"\"init\" must be"}},
    {"{\"init\": {\"kind\": \"xavier\", \"bound\": 1}, \"layers\": []}", {"\"bound\" goes with"}},
    {"{\"representation\": \"x\", \"layers\": [" FLAT "," FC "]}", {"none called x"}},
};

static void bad_files_are_refused_with_place_and_reason(void **state) {
    (void)state;
    gnt_nn_shape sample = image(3, 8, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnt_model *m = NULL;
        gnt_err err = {0};
        if (gnt_model_parse(&m, "bad.json", cases[i].json, &sample, 10, NULL, NULL, &err) != -1)
            fail_msg("accepted: %s", cases[i].json);
        assert_null(m);
        for (int j = 0; j < 3; j++)
            if (cases[i].say[j] && !strstr(err.text, cases[i].say[j]))
                fail_msg("wanted \"%s\" in: %s", cases[i].say[j], err.text);
        assert_memory_equal(err.text, "bad.json", 8);
    }
}

static void blocks_nest_only_so_deep(void **state) {
    (void)state;
    char json[4000] = "{\"layers\": [";
    size_t at = strlen(json);
    for (int i = 0; i < 12; i++)
        at += (size_t)snprintf(json + at, sizeof json - at, "{\"type\": \"residual\", \"body\": [");
    for (int i = 0; i < 12; i++)
        at += (size_t)snprintf(json + at, sizeof json - at, "]}");
    snprintf(json + at, sizeof json - at, "]}");
    gnt_nn_shape sample = image(3, 8, 8);
    gnt_model *m = NULL;
    gnt_err err = {0};
    assert_int_equal(gnt_model_parse(&m, "deep", json, &sample, 10, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.text, "more than 8 deep"));
}

/* Any one byte of a good file changed to another: accepted or refused, never a crash. */
static void every_changed_byte_is_survived(void **state) {
    (void)state;
    static const char good[] =
        "{\"init\": {\"kind\": \"uniform\", \"bound\": 1}, \"layers\": [{\"type\": \"residual\", \"name\": "
        "\"b\", \"shortcut\":"
        " [{\"type\": \"conv\", \"name\": \"d\", \"out\": 4, \"kernel\": [1, 1]}], \"body\": [{\"type\": "
        "\"batch_norm\", \"name\":"
        " \"n\", \"eps\": 0.1}, {\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 3, \"pad\": "
        "1}]}, {\"type\": \"concat\","
        " \"branches\": [[], [{\"type\": \"max_pool\", \"kernel\": 3,  \"stride\": 1, \"pad\": 1, \"ceil\": "
        "true}]]}, {\"type\": \"repeat\", \"times\": 2, \"body\": [{\"type\": \"conv_transpose\", \"name\": "
        "\"u#\", "
        "\"out\": 3, \"kernel\": 1, \"groups\": \"channels\", \"first\": {\"groups\": 1}}]}, {\"type\": "
        "\"group_norm\", \"name\": \"g\", \"groups\": 3}, {\"type\": \"adaptive_avg_pool\", \"size\": [3, "
        "2]}," FLAT "," FC "]}";
    static const char other[] = "{}[]\"0129.-,x# ";
    gnt_nn_shape sample = image(3, 8, 8);
    char json[sizeof good];
    gnt_model *whole = NULL;
    assert_int_equal(gnt_model_parse(&whole, "good.json", good, &sample, 10, NULL, NULL, NULL), 0);
    gnt_model_free(whole);
    for (size_t at = 0; at < sizeof good - 1; at++)
        for (const char *c = other; *c; c++) {
            gnt_model *m = NULL;
            gnt_err err = {0};
            memcpy(json, good, sizeof json);
            json[at] = *c;
            if (gnt_model_parse(&m, "bad.json", json, &sample, 10, NULL, NULL, &err))
                assert_memory_equal(err.text, "bad.json", 8);
            gnt_model_free(m);
        }
}

static void samples_and_normalisation_are_checked(void **state) {
    (void)state;
    static const char json[] = L(FLAT "," FC);
    gnt_nn_shape good = image(3, 8, 8), plane = {.rank = 2, .dim = {8, 8}};
    gnt_model *m = NULL;
    gnt_err err = {0};
    assert_int_equal(gnt_model_parse(&m, "m", json, &plane, 10, NULL, NULL, &err), -1);
    assert_int_equal(gnt_model_parse(&m, "m", json, &good, 0, NULL, NULL, &err), -1);
    const double mean[3] = {0}, zero[3] = {1, 0, 1}, nan[3] = {1, 1, NAN};
    assert_int_equal(gnt_model_parse(&m, "m", json, &good, 10, mean, zero, &err), -1);
    assert_non_null(strstr(err.text, "channel 1"));
    assert_int_equal(gnt_model_parse(&m, "m", json, &good, 10, mean, nan, &err), -1);
}

/* ---- weights */

typedef struct weights {
    gnt_model *m;
    float *params, *buffers;
} weights;

static weights fresh(const char *name, gnt_nn_shape sample, int32_t classes, const char *stream) {
    weights w = {.m = load(name, sample, classes)};
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream random = gnt_stream_open(&key, stream);
    w.params = gnt_array((size_t)gnt_model_size(w.m), sizeof(float));
    w.buffers = gnt_array((size_t)gnt_model_buffer_size(w.m), sizeof(float));
    gnt_model_init(w.m, &random, w.params, w.buffers);
    return w;
}

static void drop(weights *w) {
    gnt_model_free(w->m);
    gnt_free(w->params);
    gnt_free(w->buffers);
}

/* Uniform on ±bound: largest close to the bound, mean square bound²/3, mean 0 (five standard errors). */
static void check_uniform(const weights *w, const char *name, double bound) {
    const gnt_param *list;
    int32_t n = gnt_model_params(w->m, &list), found = 0;
    for (int32_t i = 0; i < n; i++) {
        if (strcmp(list[i].name, name) != 0)
            continue;
        double most = 0, sum = 0, square = 0, count = (double)gnt_nn_count(&list[i].shape);
        for (int64_t j = 0; j < (int64_t)count; j++) {
            double x = w->params[list[i].offset + j];
            most = fmax(most, fabs(x));
            sum += x;
            square += x * x;
        }
        found = 1;
        assert_true(most <= bound * (1 + 1e-6));
        if (bound == 0 || count < 100)
            continue;
        assert_true(most > 0.9 * bound);
        assert_true(fabs(sum / count) < 5 * bound / sqrt(3 * count));
        assert_true(fabs(square / count / (bound * bound / 3) - 1) < 5 * sqrt(0.8 / count));
    }
    assert_true(found);
}

static void fresh_weights_follow_their_laws(void **state) {
    (void)state;
    weights a = fresh("lenet", image(3, 32, 32), 10, "a"), b = fresh("resnet20", image(3, 32, 32), 10, "a");
    check_uniform(&a, "body.0.weight", 0.5);
    check_uniform(&a, "fc.0.weight", 0.5);
    check_uniform(&a, "fc.0.bias", 0.5);
    check_uniform(&b, "layer3.1.conv2.weight", 1 / sqrt(64 * 9)); /* PyTorch's default: 1/√fan_in */
    check_uniform(&b, "linear.weight", 1 / sqrt(64));
    for (int i = 0; i < 2 * 688; i++) /* mean 0, variance 1, sixteen of each to begin with */
        if (i < 32)
            assert_true(b.buffers[i] == (i < 16 ? 0 : 1));
    weights again = fresh("resnet20", image(3, 32, 32), 10, "a"),
            other = fresh("resnet20", image(3, 32, 32), 10, "b");
    size_t bytes = (size_t)gnt_model_size(b.m) * sizeof(float);
    assert_memory_equal(b.params, again.params, bytes);
    assert_int_not_equal(memcmp(b.params, other.params, bytes), 0);
    drop(&a);
    drop(&b);
    drop(&again);
    drop(&other);
    static const char json[] = "{\"init\": \"xavier\", \"layers\": [" FLAT "," FC "]}";
    gnt_nn_shape sample = image(3, 8, 8);
    weights x = {0};
    assert_int_equal(gnt_model_parse(&x.m, "x", json, &sample, 10, NULL, NULL, NULL), 0);
    float values[1930];
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "x");
    gnt_model_init(x.m, &random, values, NULL);
    x.params = values;
    check_uniform(&x, "fc.weight", sqrt(6.0 / (192 + 10)));
    check_uniform(&x, "fc.bias", 0);
    gnt_model_free(x.m);
}

static void weights_go_out_and_in_by_name(void **state) {
    (void)state;
    weights a = fresh("resnet20", image(3, 32, 32), 10, "a"),
            b = fresh("resnet20", image(3, 32, 32), 10, "b");
    size_t bytes = (size_t)gnt_model_size(a.m) * sizeof(float);
    a.buffers[3] = 0.25f;
    gnt_st st;
    gnt_err err = {0};
    gnt_st_init(&st);
    assert_int_equal(gnt_model_export(a.m, a.params, a.buffers, &st, &err), 0);
    assert_int_equal(gnt_st_add(&st, "bn1.num_batches_tracked", GNT_ST_I64, 0, NULL, NULL, NULL, &err), 0);
    assert_int_equal(gnt_model_import(a.m, &st, b.params, b.buffers, &err), 0);
    assert_memory_equal(a.params, b.params, bytes);
    assert_memory_equal(a.buffers, b.buffers, 2 * 688 * sizeof(float));

    gnt_st_tensor *t = gnt_st_find(&st, "linear.weight");
    ((float *)t->data)[7] = NAN;
    assert_int_equal(gnt_model_import(a.m, &st, b.params, b.buffers, &err), -1);
    assert_non_null(strstr(err.text, "linear.weight: entry 7 is not finite"));
    ((float *)t->data)[7] = 0;
    t->dim[0] = 5;
    assert_int_equal(gnt_model_import(a.m, &st, b.params, b.buffers, &err), -1);
    assert_non_null(strstr(err.text, "linear.weight is 5×64 where 10×64"));
    t->dim[0] = 10;
    assert_int_equal(gnt_st_add(&st, "extra", GNT_ST_F32, 0, NULL, NULL, NULL, &err), 0);
    assert_int_equal(gnt_model_import(a.m, &st, b.params, b.buffers, &err), -1);
    assert_non_null(strstr(err.text, "tensor extra"));
    t = gnt_st_find(&st, "layer1.0.bn1.running_var");
    t->name[0] = 'L';
    assert_int_equal(gnt_model_import(a.m, &st, b.params, b.buffers, &err), -1);
    assert_non_null(strstr(err.text, "no tensor layer1.0.bn1.running_var"));
    gnt_st_free(&st);
    drop(&a);
    drop(&b);
}

/* As exported from a network that contained this one. */
static void a_prefix_of_all_names_is_named(void **state) {
    (void)state;
    static const char *const prefixes[] = {"backbone.", "module.net.0."};
    weights a = fresh("resnet20", image(3, 32, 32), 10, "a");
    for (int k = 0; k < 2; k++) {
        gnt_st plain, st;
        gnt_err err = {0};
        char name[200], word[100];
        gnt_st_init(&plain);
        gnt_st_init(&st);
        assert_int_equal(gnt_model_export(a.m, a.params, a.buffers, &plain, &err), 0);
        for (size_t i = 0; i < plain.n; i++) {
            const gnt_st_tensor *t = &plain.tensor[i];
            snprintf(name, sizeof name, "%s%s", prefixes[k], t->name);
            assert_int_equal(gnt_st_add(&st, name, t->type, t->rank, t->dim, t->data, NULL, &err), 0);
        }
        assert_int_equal(gnt_model_import(a.m, &st, a.params, a.buffers, &err), -1);
        snprintf(word, sizeof word, "--strip %s", prefixes[k]);
        size_t at = strlen(err.text) - strlen(word);
        assert_string_equal(err.text + at, word); /* no longer prefix, such as backbone.layer1. */
        st.tensor[9].name[0] = 'x';
        assert_int_equal(gnt_model_import(a.m, &st, a.params, a.buffers, &err), -1);
        assert_null(strstr(err.text, "--strip")); /* not all names have it */
        gnt_st_free(&plain);
        gnt_st_free(&st);
    }
    drop(&a);
}

static void statistics_of_a_training_are_distinguished_from_fresh_ones(void **state) {
    (void)state;
    weights a = fresh("resnet20", image(3, 32, 32), 10, "a");
    assert_int_equal(gnt_model_has_statistics(a.m, a.buffers), 0);
    a.buffers[2 * 688 - 1] = 0.5f; /* the last variance */
    assert_int_equal(gnt_model_has_statistics(a.m, a.buffers), 1);
    a.buffers[2 * 688 - 1] = 1;
    a.buffers[0] = 1; /* the first mean */
    assert_int_equal(gnt_model_has_statistics(a.m, a.buffers), 1);
    drop(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models_have_the_sizes_of_their_sources),
        cmocka_unit_test(width_multiplies_and_rounds_what_is_no_class),
        cmocka_unit_test(width_leaves_the_values_of_a_map),
        cmocka_unit_test(parameters_are_called_and_placed_as_in_pytorch),
        cmocka_unit_test(repeated_blocks_are_called_as_in_pytorch),
        cmocka_unit_test(repeats_count_and_nest),
        cmocka_unit_test(weights_have_the_shapes_of_pytorch),
        cmocka_unit_test(bad_files_are_refused_with_place_and_reason),
        cmocka_unit_test(blocks_nest_only_so_deep),
        cmocka_unit_test(every_changed_byte_is_survived),
        cmocka_unit_test(samples_and_normalisation_are_checked),
        cmocka_unit_test(fresh_weights_follow_their_laws),
        cmocka_unit_test(weights_go_out_and_in_by_name),
        cmocka_unit_test(a_prefix_of_all_names_is_named),
        cmocka_unit_test(statistics_of_a_training_are_distinguished_from_fresh_ones),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
