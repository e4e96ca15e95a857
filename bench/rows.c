#include <string.h>

#include "own.h"
#include "recup.h"
#include "round.h"
#include "tappfl.h"

#define GRAY                                                                                                 \
    {                                                                                                        \
        3, {                                                                                                 \
            1, 28, 28                                                                                        \
        }                                                                                                    \
    }
#define COLOUR                                                                                               \
    {                                                                                                        \
        3, {                                                                                                 \
            3, 32, 32                                                                                        \
        }                                                                                                    \
    }

#define MAP                                                                                                  \
    {                                                                                                        \
        3, {                                                                                                 \
            1, 32, 32                                                                                        \
        }                                                                                                    \
    }

const bench_row bench_rows[] = {
    {"match-lenet-1x28x28", "matching step, LeNet, 1x28x28", BENCH_MATCH, "models/lenet.json", GRAY, 10, 1,
     0},
    {"match-lenet-3x32x32", "matching step, LeNet, 3x32x32", BENCH_MATCH, "models/lenet.json", COLOUR, 10, 1,
     0},
    {"match-convnet64-b1", "matching step, ConvNet-64", BENCH_MATCH, "models/convnet.json", COLOUR, 10, 1, 0},
    {"match-resnet18-b1", "matching step, ResNet-18", BENCH_MATCH, "models/resnet18.json", COLOUR, 10, 1, 0},
    {"match-resnet18-b8", "matching step, ResNet-18, batch 8", BENCH_MATCH, "models/resnet18.json", COLOUR,
     10, 8, 0},
    {"dlg-lenet", "L-BFGS evaluation of DLG, LeNet", BENCH_DLG, "models/lenet.json", COLOUR, 10, 1, 0},
    {"train-lenet-b32", "training step, LeNet, batch 32", BENCH_TRAIN, "models/lenet.json", COLOUR, 10, 32,
     0},
    {"train-resnet18-b32", "training step, ResNet-18, batch 32", BENCH_TRAIN, "models/resnet18.json", COLOUR,
     10, 32, 0},
    {"train-unet-b16", "training step, U-Net, batch 16", BENCH_TRAIN, "models/unet.json", MAP, 1024, 16, 0},
    {"loda-resnet18-b1", "LODA step, ResNet-18", BENCH_LODA, "models/resnet18.json", COLOUR, 100, 1, 0},
    {"loda-resnet18-b8", "LODA step, ResNet-18, batch 8", BENCH_LODA, "models/resnet18.json", COLOUR, 100, 8,
     0},
    {"attr-nn-epoch", "epoch of attr-nn's network", BENCH_ATTR, "bench/attr_nn.json", {1, {1024}}, 2, 32, 0},
    {"recup-zoo",
     "one update against a zoo of 20 networks up to 2,048 wide",
     BENCH_RECUP,
     "models/recup_adult.json",
     {1, {103}},
     2,
     1,
     0},
    {"tappfl-cifar", "local step of TAPPFL, narrow networks, batch 10", BENCH_TAPPFL,
     "bench/tappfl_cifar.json", COLOUR, 10, 10, 0},
    {"attack-lenet-500", "attack of 500 steps, LeNet", BENCH_ATTACK, "models/lenet.json", COLOUR, 10, 1, 500},
    {"attack-resnet18-100", "attack of 100 steps, ResNet-18", BENCH_ATTACK, "models/resnet18.json", COLOUR,
     10, 1, 100},
    {"forward-resnet18-b1", "output of ResNet-18", BENCH_FORWARD, "models/resnet18.json", COLOUR, 10, 1, 0},
    {"forward-resnet18-b8", "output of ResNet-18, batch 8", BENCH_FORWARD, "models/resnet18.json", COLOUR, 10,
     8, 0},
    {"forward-convnet64-b1", "output of ConvNet-64", BENCH_FORWARD, "models/convnet.json", COLOUR, 10, 1, 0},
    {"forward-unet-b1", "output of U-Net", BENCH_FORWARD, "models/unet.json", MAP, 1024, 1, 0},
    {"forward-cnn_mnist-b1", "output of cnn_mnist", BENCH_FORWARD, "models/cnn_mnist.json", GRAY, 10, 1, 0},
    {"train-mlp_small-b1", "training step, mlp_small, one sample", BENCH_TRAIN, "models/mlp_small.json", GRAY,
     10, 1, 0},
    {"train-cnn_mnist-b8", "training step, cnn_mnist a quarter as wide, batch 8", BENCH_TRAIN,
     "bench/cnn_mnist_quarter.json", GRAY, 10, 8, 0},
    {"round-cnn_mnist-b8", "round of 32 clients, five local steps each, the same network", BENCH_ROUND,
     "bench/cnn_mnist_quarter.json", GRAY, 10, 8, 0},
};
const size_t bench_n_rows = sizeof bench_rows / sizeof *bench_rows;

const bench_row *bench_find(const char *name) {
    for (size_t i = 0; i < bench_n_rows; i++)
        if (strcmp(bench_rows[i].name, name) == 0)
            return &bench_rows[i];
    return NULL;
}

const bench_own *bench_own_of(bench_kind kind) {
    switch (kind) {
    case BENCH_RECUP:
        return &bench_recup_own;
    case BENCH_ROUND:
        return &bench_round_own;
    case BENCH_TAPPFL:
        return &bench_tappfl_own;
    default:
        return NULL;
    }
}
