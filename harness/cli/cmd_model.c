/* gauntlet model: imports networks in the ONNX format, and shows the layers of models. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/named_model.h"
#include "nn/graph/graph.h"
#include "onnx/onnx.h"

/* ---- import ---- */

/* Writes NAME.json and NAME.safetensors, which must not exist yet. */
static int write_files(const gnt_onnx_network *network, const char *json, const char *weights, gnt_err *err) {
    const char *const path[] = {json, weights};
    for (int i = 0; i < 2; i++)
        if (gnt_file_exists(path[i]))
            return gnt_fail(err, "%s: exists already; expected the name of new files", path[i]);
    return gnt_st_save(&network->weights, weights, err) ||
                   gnt_file_write(json, network->json, strlen(network->json), err)
               ? -1
               : 0;
}

static void print_imported(const gnt_onnx_network *network, const char *json, const char *weights) {
    int64_t entries = 0;
    for (size_t i = 0; i < network->weights.n; i++)
        entries += (int64_t)(network->weights.tensor[i].bytes / sizeof(float));
    printf("%s: samples of %s, %d classes\n%s: %zu tensors of %" PRId64 " entries\n", json,
           gnt_shape_print(&network->sample).s, (int)network->classes, weights, network->weights.n, entries);
    for (const char *line = network->notes; *line; line = strchr(line, '\n') + 1)
        fprintf(stderr, "note: %.*s\n", (int)(strchr(line, '\n') - line), line);
}

static int import_network(int argc, char **argv) {
    const char *out = NULL;
    const cli_option options[] = {{.name = "output", .letter = 'o', .kind = CLI_TEXT, .to = &out}, {0}};
    const cli_command command = {.name = "model import", .options = options};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1 || !out)
        return cli_wrong(&command, "expected one file in the ONNX format, and -o NAME");
    gnt_err err = {{0}};
    gnt_onnx_network network = {0};
    uint8_t *bytes = NULL;
    size_t size;
    char *json = gnt_format("%s.json", out), *weights = gnt_format("%s.safetensors", out);
    int rc = !json || !weights ? gnt_fail(&err, "out of memory for names") : 0;
    if (rc == 0)
        rc = gnt_file_read(words.word[0], GNT_ONNX_MOST, &bytes, &size, &err) ||
             gnt_onnx_read(&network, words.word[0], bytes, size, &err) ||
             write_files(&network, json, weights, &err);
    if (rc == 0)
        print_imported(&network, json, weights);
    else
        cli_error("model import", &err, GNT_EXIT_FAILED);
    gnt_onnx_free(&network);
    gnt_free(bytes);
    gnt_free(json);
    gnt_free(weights);
    return rc == 0 ? GNT_EXIT_OK : GNT_EXIT_FAILED;
}

/* ---- show ---- */

/* Entries of the parameters of a layer; of all layers if it is −1. */
static int64_t entries_of(const gnt_model *m, int32_t layer) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    int64_t entries = 0;
    for (int32_t i = 0; i < n; i++)
        if (!list[i].buffer && (layer < 0 || list[i].layer == layer))
            entries += gnt_nn_count(&list[i].shape);
    return entries;
}

static void print_model(const gnt_model *m) {
    int width = 5; /* of the names */
    for (int32_t i = 0; i < gnt_model_layers(m); i++) {
        const int n = (int)strlen(gnt_model_layer_name(m, i));
        width = n > width ? n : width;
    }
    const gnt_nn_shape sample = gnt_model_sample(m);
    printf("%-*s  %-17s %14s  output\n", width, "layer", "type", "parameters");
    printf("%-*s  %-17s %14s  %s\n", width, "", "sample", "", gnt_shape_print(&sample).s);
    for (int32_t i = 0; i < gnt_model_layers(m); i++) {
        const gnt_nn_shape s = gnt_model_layer_shape(m, i);
        char count[24] = "";
        if (entries_of(m, i) > 0)
            snprintf(count, sizeof count, "%" PRId64, entries_of(m, i));
        printf("%-*s  %-17s %14s  %s\n", width, gnt_model_layer_name(m, i), gnt_model_layer_type(m, i), count,
               gnt_shape_print(&s).s);
    }
    printf("\n%" PRId64 " parameters", entries_of(m, -1));
    if (gnt_model_buffer_size(m) > 0)
        printf(", %" PRId64 " running statistics", gnt_model_buffer_size(m));
    const int32_t r = gnt_model_representation(m);
    printf("; the representation is %s\n", r < 0 ? "the sample" : gnt_model_layer_name(m, r));
}

static int show(int argc, char **argv) {
    gnt_nn_shape sample = {3, {3, 32, 32}};
    uint64_t classes = 10;
    const cli_option options[] = {CLI_SAMPLE(&sample), CLI_CLASSES(&classes), {0}};
    const cli_command command = {.name = "model show", .options = options};
    cli_words words;
    const int code = cli_args(&command, argc, argv, &words);
    if (code != CLI_GO_ON)
        return code;
    if (words.n != 1)
        return cli_wrong(&command, "expected one model");
    gnt_err err = {{0}};
    gnt_model *m = NULL;
    if (cli_load_model(&m, words.word[0], &sample, (int32_t)classes, &err))
        return cli_error("model show", &err, GNT_EXIT_WRONG);
    print_model(m);
    gnt_model_free(m);
    return GNT_EXIT_OK;
}

int gnt_cmd_model(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : NULL;
    if (command && !strcmp(command, "import"))
        return import_network(argc - 1, argv + 1);
    if (command && !strcmp(command, "show"))
        return show(argc - 1, argv + 1);
    if (command && (!strcmp(command, "--help") || !strcmp(command, "-h")))
        return fputs(cli_help("model"), stdout), GNT_EXIT_OK;
    static const char *const names[] = {"import", "show"};
    const char *near = command ? gnt_nearest(command, names, 2) : NULL;
    if (command)
        return cli_wrong(&(cli_command){.name = "model"},
                         "there is no command \"%.60s\"%s%s%s; expected import or show", command,
                         near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    fputs(cli_help("model"), stderr);
    return GNT_EXIT_WRONG;
}
