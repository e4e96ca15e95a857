/* tools/export_torch.py, and through it networks nobody here trained: the public CIFAR-10 ResNets must
 * classify as many of the 1,017 official test images in GAUNTLET_DATA as in PyTorch; and
 * tools/export_lpips.py. Needs PyTorch; skips where there is none. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "metric/features.h"
#include "nn/model/train.h"

extern char **environ;

static char folder[] = "/tmp/gauntlet-export-XXXXXX";
static const char python[] = "/usr/bin/python3";
static int has_torch;

/* Runs one python after another with the words that come in: each in a copy of a process that has PyTorch,
 * since to import it takes longer than the rest of a test. First comes how many bytes follow, which are the
 * file for what the copy says and its words, each after a 0 but the first; its exit code is answered. */
static const char serving[] =
    "import os, runpy, sys, torch, traceback\n"
    "while True:\n"
    "    size = int.from_bytes(sys.stdin.buffer.read(8), sys.byteorder)\n"
    "    out, *sys.argv = sys.stdin.buffer.read(size).decode().split('\\0')\n"
    "    copy = os.fork() if size else sys.exit()\n"
    "    if copy == 0: break\n"
    "    os.write(1, bytes([os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) & 255]))\n"
    "out = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)\n"
    "os.dup2(out, 1), os.dup2(out, 2)\n"
    "code = 0\n"
    "try:\n"
    "    if sys.argv[0] == '-c': exec(sys.argv.pop(1), {'__name__': '__main__'})\n"
    "    else:\n"
    "        sys.path[0] = os.path.dirname(sys.argv[0])\n"
    "        runpy.run_path(sys.argv[0], run_name='__main__')\n"
    "except SystemExit as end:\n"
    "    code = end.code if isinstance(end.code, int) else int(end.code is not None)\n"
    "    if code and end.code is not code: print(end.code, file=sys.stderr)\n"
    "except BaseException:\n"
    "    code = 1\n"
    "    traceback.print_exc()\n"
    "sys.stdout.flush(), sys.stderr.flush()\n"
    "os._exit(code)\n"; /* at once: to take PyTorch apart takes as long as to import it */
static pid_t server;
static int to_server, from_server;

static int open_server(void) {
    int to[2], from[2];
    posix_spawn_file_actions_t actions;
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || posix_spawn_file_actions_init(&actions))
        return -1;
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    char *argv[] = {(char *)python, "-B", "-c", (char *)serving, NULL};
    const int failed = posix_spawn(&server, python, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    to_server = to[1];
    from_server = from[0];
    return failed ? -1 : 0;
}

/* Exit code of python3 with these words; what it says goes to `said` in the folder. */
static int run_python(const char *const *words) {
    char text[1 << 13];
    uint8_t code;
    uint64_t size = (uint64_t)snprintf(text + 8, sizeof text - 8, "%s/said", folder);
    for (; *words; words++) {
        assert_true(8 + size + 1 + strlen(*words) < sizeof text);
        memcpy(text + 8 + size + 1, *words, strlen(*words));
        text[8 + size] = 0;
        size += 1 + strlen(*words);
    }
    memcpy(text, &size, 8);
    if (write(to_server, text, 8 + size) != (ssize_t)(8 + size) || read(from_server, &code, 1) != 1)
        return -1;
    return code;
}

static char *in_folder(char path[200], const char *name) {
    snprintf(path, 200, "%s/%s", folder, name);
    return path;
}

static int setup(void **state) {
    (void)state;
    has_torch = mkdtemp(folder) && access(python, X_OK) == 0 && open_server() == 0 &&
                run_python((const char *[]){"-c", "", NULL}) == 0;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    static const char *const names[] = {"said",        "zip.pth", "old.pth",         "evil.pth",
                                        "cut.pth",     "trace",   "out.safetensors", "a.npz",
                                        "objects.npz", "cut.npz", "in.safetensors"};
    char path[200];
    if (server) {
        close(to_server);
        close(from_server);
        waitpid(server, NULL, 0);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(path, names[i]));
    return rmdir(folder);
}

static void skip_for(const char *reason) {
    print_message("skip: %s\n", reason);
    skip();
}

static int export_file(const char *from, const char *to) {
    return run_python((const char *[]){"tools/export_torch.py", from, to, NULL});
}

/* What the exporter said holds these words. */
static void said(const char *words) {
    char path[200];
    uint8_t *text;
    size_t size;
    assert_int_equal(gnt_file_read(in_folder(path, "said"), 1 << 16, &text, &size, NULL), 0);
    if (!strstr((char *)text, words))
        fail_msg("wanted \"%s\" in: %s", words, (char *)text);
    gnt_free(text);
}

/* The same small table as a zip file and as an old pickle (wrapped, with DataParallel's prefix and a float
 * next to it); a file that would run a command; one cut short. */
static const char making[] = "import os, sys, torch\n"
                             "os.chdir(sys.argv[1])\n"
                             "table = {'module.fc.weight': torch.arange(6.).reshape(3, 2).t(), "
                             "'module.fc.bias': torch.tensor([1.5, -2]).half(),\n"
                             "         'module.bn.num_batches_tracked': torch.tensor(7)}\n"
                             "torch.save(table, 'zip.pth')\n"
                             "torch.save({'state_dict': table, 'best': 0.5, 'epoch': 3}, 'old.pth', "
                             "_use_new_zipfile_serialization=False)\n"
                             "class Evil:\n"
                             "    def __reduce__(self):\n"
                             "        return os.mkdir, (os.path.join(sys.argv[1], 'trace'),)\n"
                             "torch.save({'a': torch.zeros(2), 'b': Evil()}, 'evil.pth')\n"
                             "data = open('old.pth', 'rb').read()\n"
                             "open('cut.pth', 'wb').write(data[:-3])\n";

static void check_table(const char *path) {
    gnt_st st;
    gnt_err err = {0};
    if (gnt_st_load(&st, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(st.n, 3);
    const gnt_st_tensor *w = gnt_st_need(&st, path, "fc.weight", GNT_ST_F32, 2, (int64_t[]){2, 3}, &err);
    const gnt_st_tensor *b = gnt_st_need(&st, path, "fc.bias", GNT_ST_F32, 1, (int64_t[]){2}, &err);
    const gnt_st_tensor *n = gnt_st_need(&st, path, "bn.num_batches_tracked", GNT_ST_I64, 0, NULL, &err);
    assert_true(w && b && n);
    assert_memory_equal(w->data, ((float[]){0, 2, 4, 1, 3, 5}), 24); /* the transposed one, laid out afresh */
    assert_memory_equal(b->data, ((float[]){1.5f, -2}), 8);
    assert_int_equal(*(int64_t *)n->data, 7);
    gnt_st_free(&st);
}

static void both_kinds_of_file_are_read_and_nothing_is_run(void **state) {
    (void)state;
    char from[200], to[200];
    if (!has_torch)
        skip_for("no PyTorch (python3-torch)");
    assert_int_equal(run_python((const char *[]){"-c", making, folder, NULL}), 0);
    in_folder(to, "out.safetensors");
    assert_int_equal(export_file(in_folder(from, "zip.pth"), to), 0);
    check_table(to);
    unlink(to);
    assert_int_equal(export_file(in_folder(from, "old.pth"), to), 0);
    check_table(to);
    unlink(to);
    assert_int_equal(export_file(in_folder(from, "evil.pth"), to), 1);
    said("posix.mkdir, which is not among");
    assert_int_not_equal(access(in_folder(from, "trace"), F_OK), 0);
    assert_int_equal(export_file(in_folder(from, "cut.pth"), to), 1);
    said("is cut");
    for (int i = 0; i < 2; i++) { /* given as weights, both kinds name the tool */
        gnt_st st;
        gnt_err err = {0};
        assert_int_equal(gnt_st_load(&st, in_folder(from, i ? "zip.pth" : "old.pth"), &err), -1);
        assert_non_null(strstr(err.text, "tools/export_torch.py CHECKPOINT OUT"));
    }
    assert_int_not_equal(access(to, F_OK), 0);
}

static const char making_arrays[] =
    "import os, sys, numpy as np\n"
    "os.chdir(sys.argv[1])\n"
    "sys.path.insert(0, sys.argv[2])\n"
    "import torch, safetensors\n"
    "table = {'net.fc.weight': np.arange(6, dtype='>f4').reshape(3, 2).T, 'net.fc.bias': np.array([1.5, -2], "
    "'f2'),\n"
    "         'net.bn.num_batches_tracked': np.int64(7)}\n"
    "np.savez_compressed('a.npz', **table)\n"
    "np.savez('objects.npz', a=np.array([{}], dtype=object))\n"
    "open('cut.npz', 'wb').write(open('a.npz', 'rb').read()[:-40])\n"
    "safetensors.save('in.safetensors', {name: torch.tensor(value.astype('=' + value.dtype.str[1:]))\n"
    "                                    for name, value in table.items()})\n";

static int export_stripped(const char *from, const char *to, const char *prefix) {
    return run_python((const char *[]){"tools/export_torch.py", from, to, "--strip", prefix, NULL});
}

/* Arrays of either byte order and layout, and a file that has the form but not the names. */
static void arrays_and_prefixes_are_converted(void **state) {
    (void)state;
    char from[200], to[200], here[300], tools[310];
    if (!has_torch)
        skip_for("no PyTorch (python3-torch)");
    assert_non_null(getcwd(here, sizeof here));
    snprintf(tools, sizeof tools, "%s/tools", here);
    if (run_python((const char *[]){"-c", making_arrays, folder, tools, NULL}))
        said("nothing");
    in_folder(to, "out.safetensors");
    assert_int_equal(export_stripped(in_folder(from, "a.npz"), to, "net."), 0);
    check_table(to);
    unlink(to);
    assert_int_equal(export_stripped(in_folder(from, "in.safetensors"), to, "net."), 0);
    check_table(to);
    unlink(to);
    assert_int_equal(export_stripped(from, to, "net.fc."), 1);
    said("net.bn.num_batches_tracked does not begin with net.fc.");
    assert_int_equal(export_file(in_folder(from, "objects.npz"), to), 1);
    said("Object arrays cannot be loaded");
    assert_int_equal(export_file(in_folder(from, "cut.npz"), to), 1);
    assert_int_not_equal(access(to, F_OK), 0);
}

/* The table under keys and prefixes that wrappers add, one within another. */
static const char making_wrapped[] =
    "import os, sys, torch\n"
    "os.chdir(sys.argv[1])\n"
    "table = {'fc.weight': torch.arange(6.).reshape(3, 2).t(), 'fc.bias': torch.tensor([1.5, -2]).half(),\n"
    "         'bn.num_batches_tracked': torch.tensor(7)}\n"
    "def named(form): return {form.format(*name.split('.')): value for name, value in table.items()}\n"
    "adam = {'state': {0: {'exp_avg': torch.zeros(2)}}, 'param_groups': [{'lr': .1}]}\n"
    "cases = [named('module.{}.{}'), named('_orig_mod.{}.{}'), named('_module.{}.{}'),\n"
    "         named('_orig_mod._module.{}.{}'), named('module._orig_mod.module.{}.{}'), "
    "named('{}._orig_mod.{}'),\n"
    "         {'net': {'weights': named('_module.{}._module.{}')}, 'epoch': 3},\n"
    "         {'optimizer': adam, 'client': {'state_dict': named('{}.{}')}},\n"
    "         {'ema': named('{}.{}'), 'model': named('module.{}.{}')},\n"
    "         {'net': table, 'optimizer': adam, 'rng': torch.zeros(3)}]\n"
    "for i, case in enumerate(cases):\n"
    "    torch.save(case, f'wrapped{i}.pth')\n"
    "torch.save({'teacher': table, 'student': table}, 'two.pth')\n";
enum { WRAPPED = 10 };

static void wrappers_are_taken_off(void **state) {
    (void)state;
    char from[200], to[200], name[30];
    if (!has_torch)
        skip_for("no PyTorch (python3-torch)");
    assert_int_equal(run_python((const char *[]){"-c", making_wrapped, folder, NULL}), 0);
    in_folder(to, "out.safetensors");
    for (int i = 0; i < WRAPPED; i++) {
        snprintf(name, sizeof name, "wrapped%d.pth", i);
        if (export_file(in_folder(from, name), to))
            said("nothing");
        check_table(to);
        unlink(to);
        unlink(from);
    }
    assert_int_equal(export_file(in_folder(from, "two.pth"), to), 1);
    said("it has 2 tables of tensors; name one with --key teacher or --key student");
    assert_int_equal(
        run_python((const char *[]){"tools/export_torch.py", from, to, "--key", "student", NULL}), 0);
    check_table(to);
    unlink(to);
    unlink(from);
}

/* ---- the public checkpoint */

enum { ROWS = 1017, ROW = 3073, PIXELS = 3072 };

/* How many of the test images the shipped `model` classifies rightly with these weights. */
static int classify(const char *model, const char *weights, const uint8_t *rows) {
    static const double mean[3] = {.485, .456, .406}, deviation[3] = {.229, .224, .225};
    gnt_nn_shape sample = {.rank = 3, .dim = {3, 32, 32}};
    gnt_model *m;
    gnt_evaluator *e;
    gnt_st st;
    gnt_err err = {0};
    if (gnt_model_load(&m, model, &sample, 10, mean, deviation, &err) || gnt_st_load(&st, weights, &err))
        fail_msg("%s", err.text);
    float *params = gnt_array((size_t)gnt_model_size(m), sizeof *params);
    float *buffers = gnt_array((size_t)gnt_model_buffer_size(m), sizeof *buffers);
    float *x = gnt_array((size_t)ROWS * PIXELS, sizeof *x);
    int32_t *label = gnt_array(ROWS, sizeof *label);
    float *logits = gnt_array((size_t)ROWS * 10, sizeof *logits);
    assert_true(params && buffers && x && label && logits);
    if (gnt_model_import(m, &st, params, buffers, &err))
        fail_msg("%s", err.text);
    for (int64_t i = 0; i < ROWS; i++) {
        label[i] = rows[i * ROW];
        for (int64_t j = 0; j < PIXELS; j++)
            x[i * PIXELS + j] = (float)rows[i * ROW + 1 + j] / 255;
    }
    if (gnt_evaluator_new(&e, m, GNT_EVALUATE_OUTPUT, 113, &err) ||
        gnt_evaluator_run(e, params, buffers, x, ROWS, logits, &err))
        fail_msg("%s", err.text);
    int right = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        int best = 0;
        for (int c = 1; c < 10; c++)
            if (logits[i * 10 + c] > logits[i * 10 + best])
                best = c;
        right += best == label[i];
    }
    gnt_evaluator_free(e);
    gnt_st_free(&st);
    gnt_model_free(m);
    gnt_free(params);
    gnt_free(buffers);
    gnt_free(x);
    gnt_free(label);
    gnt_free(logits);
    return right;
}

static void public_networks_are_as_good_here_as_in_pytorch(void **state) {
    (void)state;
    const char *data = getenv("GAUNTLET_DATA");
    char images[500] = "", checkpoint[500] = "", model[100], to[200];
    /* PyTorch 1.13 in float; its two highest scores never lie closer than 4.8e-4 */
    static const struct {
        const char *model, *file;
        int right;
    } nets[] = {{"resnet20", "resnet20-12fca82f.th", 932},
                {"resnet32", "resnet32-d509ac18.th", 944},
                {"resnet44", "resnet44-014dd654.th", 950},
                {"resnet56", "resnet56-4bfd9763.th", 943}};
    int found = 0;
    if (data)
        snprintf(images, sizeof images, "%s/cifar10/test_batch.bin", data);
    if (!data || !gnt_file_exists(images))
        skip_for("GAUNTLET_DATA names no folder with cifar10");
    if (!has_torch)
        skip_for("no PyTorch (python3-torch) to export the public ResNets");
    uint8_t *rows;
    size_t size;
    gnt_err err = {0};
    if (gnt_file_read(images, (size_t)1 << 26, &rows, &size, &err))
        fail_msg("%s", err.text);
    assert_true(size >= (size_t)ROWS * ROW);
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        snprintf(checkpoint, sizeof checkpoint, "%s/weights/pytorch_resnet_cifar10/%s", data, nets[i].file);
        if (!gnt_file_exists(checkpoint))
            continue;
        snprintf(model, sizeof model, "models/%s.json", nets[i].model);
        assert_int_equal(export_file(checkpoint, in_folder(to, "out.safetensors")), 0);
        assert_int_equal(classify(model, to, rows), nets[i].right);
        found++;
    }
    gnt_free(rows);
    if (!found)
        skip_for("GAUNTLET_DATA has none of the public ResNets");
}

/* A table with the names of torchvision's alexnet, its classifier among them, and one with those of LPIPS. */
static const char making_lpips[] =
    "import os, sys, torch\n"
    "os.chdir(sys.argv[1])\n"
    "net, inside = {'classifier.1.weight': torch.zeros(4, 9)}, 3\n"
    "for n, out, k in (0, 64, 11), (3, 192, 5), (6, 384, 3), (8, 256, 3), (10, 256, 3):\n"
    "    net[f'features.{n}.weight'] = torch.full((out, inside, k, k), .01)\n"
    "    net[f'features.{n}.bias'] = torch.zeros(out)\n"
    "    inside = out\n"
    "torch.save(net, 'zip.pth')\n"
    "lin = {f'lin{i}.model.1.weight': torch.ones(1, c, 1, 1) for i, c in enumerate((64, 192, 384, 256, "
    "256))}\n"
    "torch.save(lin, 'old.pth', _use_new_zipfile_serialization=False)\n";

static void lpips_is_put_together(void **state) {
    (void)state;
    char net[200], lin[200], to[200];
    gnt_st st;
    gnt_features *f = NULL;
    gnt_err err = {0};
    if (!has_torch)
        skip_for("no PyTorch (python3-torch)");
    assert_int_equal(run_python((const char *[]){"-c", making_lpips, folder, NULL}), 0);
    in_folder(net, "zip.pth");
    in_folder(lin, "old.pth");
    in_folder(to, "out.safetensors");
    assert_int_equal(run_python((const char *[]){"tools/export_lpips.py", "vgg", net, lin, to, NULL}), 1);
    said("holds 10 tensors of convolutions of vgg, not 26");
    assert_int_equal(run_python((const char *[]){"tools/export_lpips.py", "alex", net, lin, to, NULL}), 0);
    if (gnt_st_load(&st, to, &err) ||
        gnt_lpips_new(&f, GNT_LPIPS_ALEX, &st, to, (gnt_metric_shape){3, 32, 32}, sizeof(float), &err))
        fail_msg("%s", err.text);
    assert_int_equal(st.n, 15); /* and nothing of the classifier */
    gnt_features_free(f);
    gnt_st_free(&st);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_of_file_are_read_and_nothing_is_run),
        cmocka_unit_test(arrays_and_prefixes_are_converted),
        cmocka_unit_test(wrappers_are_taken_off),
        cmocka_unit_test(lpips_is_put_together),
        cmocka_unit_test(public_networks_are_as_good_here_as_in_pytorch),
    };
    return cmocka_run_group_tests_name("export", tests, setup, teardown);
}
