#!/usr/bin/python3
"""Writes lpips.safetensors, which tests/unit/test_features.c compares with: distances of images in PyTorch in float64.

The networks and the distance are written out after Zhang et al. (2018) and their version 0.1, and after torchvision's
definitions; weights come from a formula that the test repeats (see golden.py), so the file holds only the names and shapes
of tensors, in order, and the distances. The published weights are not needed, and whether they are good is not tested.
"""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

from golden import HERE, WEIGHTS, X, X_SEEN, bound, fill, lenet, safetensors, unit

SHIFT, SCALE = torch.tensor([-.030, -.088, -.188]), torch.tensor([.458, .448, .450])


class Fire(nn.Module):
    def __init__(self, inside, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(inside, squeeze, 1)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x))
        return torch.cat((F.relu(self.expand1x1(x)), F.relu(self.expand3x3(x))), 1)


def alex():
    """features of torchvision's alexnet; taps after each ReLU."""
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(),
        nn.MaxPool2d(3, 2), nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU()), (1, 4, 7, 9, 11)


def vgg():
    """features of torchvision's vgg16; taps relu1_2, relu2_2, relu3_3, relu4_3, relu5_3."""
    layers, inside = [], 3
    for outside in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512):
        if outside:
            layers += [nn.Conv2d(inside, outside, 3, padding=1), nn.ReLU()]
            inside = outside
        else:
            layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers), (3, 8, 15, 22, 29)


def squeeze():
    """features of torchvision's squeezenet1_1; taps as in LPIPS."""
    def pool():
        return nn.MaxPool2d(3, 2, ceil_mode=True)
    return nn.Sequential(
        nn.Conv2d(3, 64, 3, 2), nn.ReLU(), pool(), Fire(64, 16, 64), Fire(128, 16, 64), pool(), Fire(128, 32, 128),
        Fire(256, 32, 128), pool(), Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256),
        Fire(512, 64, 256)), (1, 4, 7, 9, 10, 11, 12)


def distances(a, b):
    """At one tap: squared differences of unit vectors, N x C x H x W."""
    def one(x):
        return x / (x.square().sum(1, keepdim=True).sqrt() + 1e-10)
    return (one(a) - one(b)).square()


class Lpips:
    def __init__(self, net):
        self.features, self.taps = net()
        self.tensors, stream = {}, WEIGHTS
        for name, p in self.features.named_parameters():
            with torch.no_grad():
                p.copy_(unit(stream, tuple(p.shape)) * (bound(p.shape) if p.dim() > 1 else 1 / 16))
            self.tensors[f"features.{name}"] = tuple(p.shape)
            stream += 1
        x, self.lin = torch.zeros(1, 3, 64, 64), []
        for i, layer in enumerate(self.features):
            x = layer(x)
            if i in self.taps:
                self.lin.append((unit(stream, (1, x.shape[1], 1, 1)) + 1) / 2)
                self.tensors[f"lin{len(self.lin) - 1}.model.1.weight"] = (1, x.shape[1], 1, 1)
                stream += 1

    def __call__(self, a, b):
        a, b = [((2 * x - 1).expand(-1, 3, -1, -1) - SHIFT.view(3, 1, 1)) / SCALE.view(3, 1, 1) for x in (a, b)]
        total, lin = 0, iter(self.lin)
        for i, layer in enumerate(self.features):
            a, b = layer(a), layer(b)
            if i in self.taps:
                total = total + (distances(a, b) * next(lin)).sum(1).mean()
        return total


def pair(shape):
    """An image, and the same with every fourth entry taken from another."""
    a, b = unit(X, shape) / 2 + .5, unit(X_SEEN, shape) / 2 + .5
    mixed = torch.where(torch.arange(a.numel()).reshape(shape) % 4 == 0, b, a)
    return a[None], mixed[None]


def main():
    out = {}
    with torch.no_grad():
        for net in (alex, vgg, squeeze):
            judge = Lpips(net)
            for name, shape in judge.tensors.items():
                out[f"{net.__name__}/{name}"] = torch.tensor(shape)
            for shape in ((3, 32, 32), (3, 45, 64), (1, 36, 33)):
                key = f"{net.__name__}.{'x'.join(map(str, shape))}"
                out[key] = judge(*pair(shape))
                print(key, float(out[key]))
        model = lenet(3, 768, 10)
        fill(model, True)
        a, b = pair((3, 32, 32))
        parts = []
        for layer in model.body:
            a, b = layer(a), layer(b)
            if isinstance(layer, nn.Sigmoid):
                parts.append(distances(a, b).sum(1).mean())
        out["lenet"] = sum(parts) / len(parts)
        print("lenet", float(out["lenet"]))
    safetensors.save(os.path.join(HERE, "lpips.safetensors"), out)


if __name__ == "__main__":
    main()
