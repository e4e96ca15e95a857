/* Networks in the ONNX format: what is refused, with its sentence, and layers as model files write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "nn/model/model.h"
#include "onnx/onnx.h"
#include "onnx_bytes.h"

#define ROWS "in x N,4\nout y\n"
#define IMAGE "in x N,2,8,8\nout y\n"
#define END "t fc.weight 3,128\nn Flatten z f\nn Gemm f,fc.weight y transB=1\n" /* from z of 2×8×8 */

/* Networks that are refused, and a piece of the sentence. */
static const struct {
    const char *text, *says;
} refused[] = {
    /* the file */
    {"opset 9\n" ROWS "n Relu x y", "it is of operator set 9; sets 11 to 22 are read"},
    {"opset 99\n" ROWS "n Relu x y", "it is of operator set 99"},
    {ROWS "out z\nn Relu x y", "the network has 2 outputs; expected one"},
    {"in x N,4\nn Relu x y", "the network has 0 outputs; expected one"},
    {"out y\nn Relu x y", "the network has no input; expected one"},
    {ROWS "in x2 N,4\nn Add x,x2 y", "the network has two inputs, \"x\" and \"x2\"; expected one"},
    {"in x N,4 11\nout y\nn Relu x y", "input \"x\" is no tensor of floats; export in float32"},
    {"in x N,4,4\nout y\nn Relu x y", "input \"x\" has 3 dimensions; expected batch×features"},
    {"in x N,2,H,8\nout y\nn Relu x y", "input \"x\": dimension 2 has no known size"},
    {"in x N,2,-5,8\nout y\nn Relu x y", "input \"x\": dimension 2 has no known size"},
    {"in x N,1,1,1,1,1,1,1,1\nout y\nn Relu x y", "the network's input has more than 8 dimensions"},
    {ROWS "n Relu x z", "the network's output \"y\" is given by no node"},
    {ROWS "t w 3,4\ni y 1\nn Gemm x,w y transB=1", "two values have the name \"y\""},
    {ROWS "n Relu x y\nn Tanh x y", "two values have the name \"y\""},
    {ROWS "n Relu z y", "node /y (Relu): its input \"z\" is given by nothing in the file"},
    {ROWS "n Relu z y\nn Tanh y z", "node /y (Relu): its input \"z\" comes from this or a later node"},
    {ROWS "n Relu y y", "node /y (Relu): its input \"y\" comes from this or a later node"},
    {ROWS "t a 3\nt b 3\nn Mul a,b y", "node /y (Mul): it computes with constants that are no two integers"},
    {ROWS "i a 3\ni b 3\nn Mul a,b y", "the network's output does not depend on its input"},
    {ROWS "n Identity x y", "the network has no layers"},
    /* tensors */
    {ROWS "t w 3,4 11\nn Gemm x,w y transB=1", "tensor w is double; weights are read as float"},
    {ROWS "t w 3,4 10\nn Gemm x,w y transB=1", "tensor w is float16"},
    {ROWS "t w 3,4 77\nn Gemm x,w y transB=1", "tensor w is of a type that ONNX has not"},
    {ROWS "t w 3,4 1 11\nn Gemm x,w y transB=1", "tensor w: its shape has 12 entries but its data 11"},
    {ROWS "t w 3000000000,4 1 4\nn Gemm x,w y",
     "tensor w: dimension 0 is 3000000000; a tensor has at most 2^31"},
    {ROWS "t w 65536,65536 1 4\nn Gemm x,w y", "tensor w: dimension 1 is 65536; a tensor has at most 2^31"},
    {ROWS "t w -1,4 1 4\nn Gemm x,w y", "tensor w: dimension 0 is -1"},
    {ROWS "t w 1,1,1,1,1,1,1,1,4\nn Gemm x,w y", "tensor w has 9 dimensions; at most 8 are read"},
    {ROWS "t w 3,4\nn Gemm x,w z transB=1\nt v 3,3\nn Gemm z,w y transB=1",
     "its weight is for 4 values but its input has 3"},
    {ROWS "t w 4,4\nn Gemm x,w z\nn Gemm z,w y", "weight \"w\" is that of another layer, too"},
    /* operators and attributes */
    {ROWS "n HardSwish x y", "node /y (HardSwish): gauntlet has no layer for this operator"},
    {ROWS "n Relu x,x y", "node /y (Relu): it has 2 inputs; expected 1 to 1"},
    {ROWS "n Relu x y alpha=1", "node /y (Relu): it has an attribute \"alpha\", which is not known"},
    {ROWS "n LeakyRelu x y alpha=0.5 alpha=0.5", "it has the attribute \"alpha\" twice"},
    {ROWS "n LeakyRelu x y alpha=1", "its attribute \"alpha\" has another type than in ONNX"},
    {ROWS "n LeakyRelu x y alpha=1.5", "\"slope\" must be a number from 0 to 1"},
    {ROWS "n Softmax x y axis=0", "it is over axis 0 of 2"},
    {ROWS "n Dropout x z,mask\nn Mul z,mask y",
     "it takes a further output of node /z,mask, which is not read"},
    {ROWS "t w 4,3\nn Gemm x,w y alpha=0.5", "it scales by alpha 0.5 and beta 1; a dense layer has 1 and 1"},
    {ROWS "t w 4,3\nn Gemm x,w y transA=1", "it is no product of a batch of rows by a constant weight"},
    {ROWS "n MatMul x,x y", "gauntlet has no layer that does this with two computed inputs"},
    {ROWS "t c 4\nn Add x,c y", "node /y (Add): it is no part of a layer that gauntlet has"},
    {ROWS "t c 4\nn Sub c,x y", "node /y (Sub): it is no part of a layer that gauntlet has"},
    {ROWS "t c 5\nn Add x,c y", "the shapes of its two inputs do not meet"},
    /* images */
    {IMAGE "t w 3,2,3,3\nn Conv x,w z pads=1,1,0,0\n" END, "it pads 1 and 0 rows, 1 and 0 columns"},
    {IMAGE "t w 2,2,3,3\nn Conv x,w z auto_pad=SAME_UPPER\n" END,
     "its auto_pad is SAME_UPPER; export with explicit pads"},
    {IMAGE "t w 2,2,3,3\nn Conv x,w z strides=0,1\n" END, "its stride is 0; expected 1 to 1024"},
    {IMAGE "t w 2,2,3,3\nn Conv x,w z pads=1,1\n" END, "its attribute \"pads\" has 2 integers; expected 4"},
    {IMAGE "t w 2,2,3,3\nn Conv x,w z kernel_shape=5,5\n" END,
     "its kernel_shape differs from the shape of its weight"},
    {IMAGE "t w 2,2,9,9\nn Conv x,w z\n" END, "its output would have the size 0 along axis 2"},
    {IMAGE "t w 2,3,3,3\nn Conv x,w z\n" END, "its weight is for 3 channels in 1 groups but its input has 2"},
    {IMAGE "t w 2,2,3,3\nn Conv x,w z group=0\n" END, "in 0 groups but its input has 2"},
    {IMAGE "t w 2,2,3\nn Conv x,w z\n" END,
     "it is no convolution of an image by a constant weight of four dimensions"},
    {IMAGE "n MaxPool x z kernel_shape=3,3 dilations=2,2 pads=2,2,2,2\n" END, "its window is dilated"},
    {IMAGE "n Flatten x f axis=2\nt w 16,3\nn Gemm f,w y", "it flattens from axis 2"},
    {IMAGE "i s 0,-1,16\nn Reshape x r\nn Relu r y", "node /r (Reshape): it has 1 inputs; expected 2 to 2"},
    {IMAGE "i s 0,-1,16\nn Reshape x,s r\nn Flatten r f\nt w 128,3\nn Gemm f,w y",
     "it gives samples another shape"},
    {IMAGE "i s -1,64\nn Reshape x,s r\nt w 64,3\nn Gemm r,w y",
     "it does not keep the batch as its first dimension"},
    {IMAGE "i s 0,100000\nn Reshape x,s r\nt w 64,3\nn Gemm r,w y",
     "it gives a sample of 128 entries another size"},
    {IMAGE "n Transpose x z perm=1,0,2,3\n" END, "its perm moves the batch or is no order of the axes"},
    {IMAGE "n Transpose x z perm=0,1,3,2\n" END,
     "node /z (Transpose): it is no part of a layer that gauntlet has"},
    {IMAGE "n Concat x,x c axis=2\nn Flatten c f\nt w 256,3\nn Gemm f,w y",
     "or along axis 2; gauntlet joins channels"},
    {IMAGE "i a 0\nn ReduceMean x y axes=0,", "its axis 0 is the batch"},
    {IMAGE "n ReduceMean x r axes=1,\nn Flatten r f\nt w 64,3\nn Gemm f,w y",
     "node /r (ReduceMean): it is no mean over the places of an image"},
    {IMAGE "i p 0,0,1,1,0,0,1,1\nn Pad x,p z mode=reflect\n" END, "it pads with other values than zero"},
    {IMAGE "t s 4\nn Resize x,-,s z\n" END, "it resizes by nearest, half_pixel, round_prefer_floor"},
    {IMAGE "t one.weight 2\nt zero 2\nn LayerNormalization x,one.weight,zero z axis=2\n" END,
     "it norms over other axes than"},
    {IMAGE "t w 2\nn LayerNormalization x,w z axis=1\n" END, "it has no constant weight and bias"},
    {IMAGE "t w 2\nn GroupNormalization x,w,w z num_groups=2\n" END,
     "its weight is one for each group in operator set 17"},
    {IMAGE "t w 2\nn BatchNormalization x,w,w,w,w z\n" END, "bias \"w\" is that of another layer, too"},
    {IMAGE "n Relu x r\nn Tanh r a\nn Sigmoid a b\nn Softplus a c\nn Add b,r d\nn Add d,c z\n" END,
     "its output goes to several places, which no nesting of residual and concat layers gives"},
};

static onnx_bytes file;

/* Counts and prints what is accepted, or refused with another sentence. */
static void refuse(const uint8_t *bytes, size_t n, const char *text, const char *says, int *wrong) {
    gnt_onnx_network network;
    gnt_err err = {0};
    if (gnt_onnx_read(&network, "net.onnx", bytes, n, &err) == 0) {
        print_message("accepted: %s\n", text);
        gnt_onnx_free(&network);
        ++*wrong;
        return;
    }
    assert_null(network.json);
    if (strncmp(err.text, "net.onnx: ", 10) == 0 && strstr(err.text, says))
        return;
    print_message("%s\n  says \"%s\", not \"%s\"\n", text, err.text, says);
    ++*wrong;
}

static void bad_networks_are_refused(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        onnx_write(&file, refused[i].text);
        refuse(file.at, file.n, refused[i].text, refused[i].says, &wrong);
    }
    assert_int_equal(wrong, 0);
}

/* Networks and their lists of layers; lines are joined, spaces at their beginning left out. */
static const struct {
    const char *text, *layers;
} read[] = {
    {ROWS "t fc.weight 3,4\nt fc.bias 3\nn Gemm x,fc.weight,fc.bias y transB=1",
     "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}"},
    {ROWS "t w 4,3\nt b 3\nn MatMul x,w m\nn Add b,m y",
     "{\"type\": \"dense\", \"name\": \"dense_1\", \"out\": \"classes\"}"},
    {"in x 1,4\nout y\ni s 1,4\nn Reshape x,s r\nt w 4,3\nn Gemm r,w y",
     "{\"type\": \"dense\", \"name\": \"dense_1\", \"out\": \"classes\", \"bias\": false}"},
    {"opset 21\n" IMAGE "t g.weight 2\nt v 2\nn GroupNormalization x,g.weight,v z num_groups=1\n" END,
     "{\"type\": \"group_norm\", \"name\": \"g\", \"groups\": 1},{\"type\": \"flatten\"},"
     "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\", \"bias\": false}"},
    {"opset 20\n" ROWS "n Gelu x g approximate=tanh\nn Dropout g d\nn Softmax d y",
     "{\"type\": \"gelu\", \"approximate\": \"tanh\"},{\"type\": \"dropout\", \"rate\": 0.5},{\"type\": "
     "\"softmax\"}"},
    {IMAGE "i p 0,0,1,0,0,0,1,0\nn Pad x,p a\nt w 2,2,3,3\nn Conv a,w z pads=0,1,0,1\n" END,
     "{\"type\": \"conv\", \"name\": \"conv_1\", \"out\": 2, \"kernel\": 3, \"pad\": 1, \"bias\": false},"
     "{\"type\": \"flatten\"},{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\", \"bias\": "
     "false}"},
    {IMAGE "n Add x,x z\n" END,
     "{\"type\": \"residual\", \"body\": []},{\"type\": \"flatten\"},"
     "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\", \"bias\": false}"},
    {IMAGE "n Sigmoid x s\nn Mul s,x y", "{\"type\": \"silu\"}"},
    {IMAGE "t w 2,2\nt one.weight 2\nt two.weight 2\nt three 2\nt four 2\nn BatchNormalization "
           "x,one.weight,two.weight,three,four z\n" END,
     "{\"type\": \"batch_norm\", \"name\": \"one\"},{\"type\": \"flatten\"},"
     "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\", \"bias\": false}"},
};

static void layers_are_those_of_model_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        gnt_onnx_network network;
        gnt_err err = {0};
        onnx_write(&file, read[i].text);
        if (gnt_onnx_read(&network, "net.onnx", file.at, file.n, &err))
            fail_msg("%s\n%s", read[i].text, err.text);
        char layers[4096] = "";
        size_t n = 0;
        for (const char *at = strstr(network.json, "\"layers\": [") + 11; *at && n < sizeof layers - 1; at++)
            if (*at == '\n')
                at += strspn(at, "\n ") - 1;
            else
                layers[n++] = *at;
        assert_true(n > 2 && strcmp(layers + n - 2, "]}") == 0);
        layers[n - 2] = 0;
        assert_string_equal(layers, read[i].layers);
        gnt_onnx_free(&network);
    }
}

static const char whole[] =
    IMAGE "t c.weight 2,2,3,3\nt c.bias 2\ni s 0,-1\nn Conv x,c.weight,c.bias a pads=1,1,1,1\nn Sigmoid a b\n"
          "n Mul a,b c\nn Add c,x z\nn Reshape z,s f\nt fc.weight 3,128\nn Gemm f,fc.weight y transB=1";

/* A file that is cut short is refused wherever it is cut: its last field, the operator set, is needed. */
static void a_cut_file_is_refused(void **state) {
    (void)state;
    int wrong = 0;
    onnx_write(&file, whole);
    for (size_t n = 0; n < file.n; n++) {
        uint8_t *part = gnt_array(n + 1, 1); /* so that sanitizers see a read behind it */
        memcpy(part, file.at, n);
        refuse(part, n, "cut", "", &wrong);
        gnt_free(part);
    }
    refuse((const uint8_t *)"\x89PNG\r\n", 6, "a picture", "byte 0: ", &wrong);
    refuse(file.at, 0, "nothing", "there is no graph in it; expected an ONNX file", &wrong);
    assert_int_equal(wrong, 0);
}

/* A file with one changed byte is a network or is refused; what is read is a model with its weights. */
static void a_changed_byte_costs_a_sentence_at_most(void **state) {
    (void)state;
    onnx_write(&file, whole);
    int accepted = 0, n = 0;
    for (size_t i = 0; i < file.n; i++)
        for (int bit = 0; bit < 8; bit += 3, n++) {
            gnt_onnx_network network;
            gnt_err err = {0};
            file.at[i] ^= (uint8_t)(1 << bit);
            if (gnt_onnx_read(&network, "net.onnx", file.at, file.n, &err) == 0) {
                accepted++;
                assert_true(network.weights.n >= 2 && network.json[0] == '{');
                gnt_onnx_free(&network);
            } else {
                assert_true(strlen(err.text) > 20);
            }
            file.at[i] ^= (uint8_t)(1 << bit);
        }
    assert_in_range(accepted, 1, n - 1); /* bits of weights change nothing else */
}

static void add_extra(onnx_bytes *to, const char *text, int graph_twice, int field, const char *data) {
    onnx_write(&file, text);
    *to = file;
    if (graph_twice)
        onnx_block(to, 7, file.at, 0);
    if (field)
        onnx_word(to, field, data);
}

static void other_parts_of_the_file(void **state) {
    (void)state;
    int wrong = 0;
    static onnx_bytes bytes;
    add_extra(&bytes, whole, 1, 0, NULL);
    refuse(bytes.at, bytes.n, "two graphs", "the file has two graphs; expected one", &wrong);
    add_extra(&bytes, whole, 0, 2, "a\nb");
    refuse(bytes.at, bytes.n, "two lines", "the producer is no text on one line", &wrong);
    /* a tensor in another file: TensorProto.data_location = EXTERNAL */
    onnx_bytes tensor = {.n = 0}, graph = {.n = 0};
    onnx_word(&tensor, 8, "w");
    onnx_number(&tensor, 14, 1);
    onnx_block(&graph, 5, tensor.at, tensor.n);
    bytes.n = 0;
    onnx_block(&bytes, 7, graph.at, graph.n);
    onnx_block(&bytes, 8, "\x10\x11", 2);
    refuse(bytes.at, bytes.n, "external", "tensor w is stored in another file (external data)", &wrong);
    /* an attribute of a wrong wire type */
    bytes.n = 0;
    onnx_number(&bytes, 7, 5);
    refuse(bytes.at, bytes.n, "a number for a graph", "the graph is stored as wire type 0; expected 2",
           &wrong);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_networks_are_refused), cmocka_unit_test(layers_are_those_of_model_files),
        cmocka_unit_test(a_cut_file_is_refused),    cmocka_unit_test(a_changed_byte_costs_a_sentence_at_most),
        cmocka_unit_test(other_parts_of_the_file),
    };
    return cmocka_run_group_tests_name("onnx", tests, NULL, NULL);
}
