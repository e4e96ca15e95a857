#!/usr/bin/python3
"""Writes attr_nn.safetensors, which tests/unit/test_attr_twin.c compares attr-nn with: the same attack in PyTorch.

Samples and the model's weights come from the formula of golden.py, as in the test. Their updates, gradients of model
recup_adult, are max-pooled and standardised here, and a network of 512, 256 and 128 neurons learns from them by plain
SGD, as RecUP-FL's section 5.4 has it. It is done from many initialisations, for 80 epochs and for 3, after which a
wrong order of the rows shows most. Kept for each: accuracy and cross entropy on fresh updates, cross entropy on those
it learnt from.

    python3 tests/golden/attr_nn.py             the golden file; minutes
    python3 tests/golden/attr_nn.py --mutants   what mistakes would do to these numbers
"""
import os
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

sys.dont_write_bytecode = True
import golden  # noqa: E402
import safetensors  # noqa: E402

SHADOW, FRESH, FEATURES = 320, 400, 103
TOLD, SHIFT = 20, 0.125  # so many features are higher or lower by this with the attribute
SEEDS = {80: 10, 3: 20}  # initialisations for so many epochs


def samples(n, stream):
    def bit(at):
        return torch.tensor((golden.bits(at, n) & np.uint64(1)).astype(np.int64))

    x, attribute, label = golden.unit(stream, (n, FEATURES)) / 2 + .5, bit(stream + 1), bit(stream + 2)
    x[:, :TOLD] += SHIFT * (2 * attribute - 1)[:, None]
    return x, attribute, label


def pooled(x, label):
    """The greatest of each four entries of each sample's gradient."""
    model = golden.recup_adult()
    golden.fill(model, False)
    weights, rows = list(model.parameters()), []
    for one, of in zip(x, F.one_hot(label, 2).double()):
        grad = torch.autograd.grad(F.mse_loss(model.forward(one[None]), of[None]), weights)
        rows.append(torch.cat([g.flatten() for g in grad]))
    return F.max_pool1d(torch.stack(rows)[None], 4, ceil_mode=True)[0]


def train(x, attribute, seed, epochs, rate=0.01, shuffled=True, reduction="mean"):
    torch.manual_seed(seed)
    layers, wide = [], [x.shape[1], 512, 256, 128, 2]
    for columns, rows in zip(wide, wide[1:]):
        layer = nn.Linear(columns, rows, dtype=torch.float32)
        nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    net = nn.Sequential(*layers[:-1])
    sgd = torch.optim.SGD(net.parameters(), lr=rate)
    for _ in range(epochs):
        order = torch.randperm(len(x)) if shuffled else torch.argsort(attribute, stable=True)
        for batch in order.split(32):
            sgd.zero_grad(set_to_none=True)
            F.cross_entropy(net(x[batch]), attribute[batch], reduction=reduction).backward()
            sgd.step()
    return net


def measured(net, learnt, fresh):
    """Of two pairs of updates and attributes."""
    with torch.no_grad():
        z = net(fresh[0])
        return [float((z.argmax(1) == fresh[1]).double().mean()), float(F.cross_entropy(z, fresh[1])),
                float(F.cross_entropy(net(learnt[0]), learnt[1]))]


def main():
    x, attribute, label = samples(SHADOW, 300)
    fresh_x, fresh_attribute, fresh_label = samples(FRESH, 310)
    learnt, fresh = pooled(x, label), pooled(fresh_x, fresh_label)
    mean, deviation = learnt.mean(0), learnt.std(0, unbiased=False)
    scale = torch.where(deviation > 1e-7 * mean.abs(), 1 / deviation, torch.zeros_like(deviation))
    learnt, fresh = (((u - mean) * scale).clamp(-10, 10).float() for u in (learnt, fresh))

    def of_seeds(epochs, n, **how):
        return torch.tensor([measured(train(learnt, attribute, seed, epochs, **how), (learnt, attribute),
                                      (fresh, fresh_attribute)) for seed in range(1, n + 1)])

    if "--mutants" in sys.argv:
        for how in ({}, {"rate": 0.02}, {"rate": 0.005}, {"shuffled": False}, {"reduction": "sum"}):
            print(how, {epochs: of_seeds(epochs, 5, **how).mean(0).tolist() for epochs in SEEDS})
        return
    out = {f"epochs.{epochs}": of_seeds(epochs, n) for epochs, n in SEEDS.items()}
    for name, rows in out.items():
        print(name, rows.mean(0).tolist(), rows.std(0).tolist())
    safetensors.save(os.path.join(golden.HERE, "attr_nn.safetensors"), {"mean": mean, "scale": scale, **out})


if __name__ == "__main__":
    main()
