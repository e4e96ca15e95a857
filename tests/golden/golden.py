#!/usr/bin/python3
"""Writes the golden values that tests/unit/test_golden.c and test_optim.c compare with: PyTorch in float64.

Run it from anywhere; it rewrites the *.safetensors files beside it. PyTorch (Debian's python3-torch) is needed here
and not to test. Inputs and weights come from a formula that the tests repeat, so only results are stored: small
tensors whole, large ones at the positions of `sample`, and the norm of each gradient.

The networks are written out by hand, after their sources, so that the JSON files are judged and not repeated.
"""
import collections
import math
import os
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import safetensors  # noqa: E402

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

# ---- the formula: exact in float32 and in float64 (tests/formula.h)

X, X_SEEN, Y, Y_SEEN, PLACES, WEIGHTS = 1, 2, 3, 4, 5, 16  # streams
SAMPLE, SAMPLE_X = 24, 256


def mix(z):
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def bits(stream, n):
    return mix((np.uint64(stream) << np.uint64(40)) + np.arange(n, dtype=np.uint64))


def unit(stream, shape):
    """Multiples of 2^-23 in [-1, 1)."""
    n = int(np.prod(shape))
    return torch.tensor((bits(stream, n) >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1).reshape(shape)


def sample(tensor, most):
    flat = tensor.detach().reshape(-1)
    if flat.numel() <= most:
        return flat.clone()
    places = (bits(PLACES, most) % np.uint64(flat.numel())).astype(np.int64)
    return flat[torch.tensor(places)].clone()


def bound(shape):
    fan_in = int(np.prod(shape[1:]))
    return 2.0 ** math.floor(0.5 * math.log2(6 / fan_in) + 0.5)


def fill(model, uniform):
    """Weights of the formula: uniform in ±1/2 throughout (LeNet), or a power of two near He's bound."""
    norms = (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm)
    normed = {id(p) for m in model.modules() if isinstance(m, norms) for p in m.parameters()}
    params = list(model.named_parameters())
    buffers = [(n, b) for n, b in model.named_buffers() if not n.endswith("num_batches_tracked")]
    with torch.no_grad():
        for i, (name, tensor) in enumerate(params + buffers):
            u = unit(WEIGHTS + i, tuple(tensor.shape))
            if name.endswith("running_var"):
                u = 1 + u / 2
            elif name.endswith("running_mean"):
                u = u / 4
            elif id(tensor) in normed:
                u = u / 4 + (1 if name.endswith("weight") else 0)
            elif uniform:
                u = u / 2
            else:
                u = u * bound(tensor.shape) if tensor.dim() > 1 else u / 16
            tensor.copy_(u)
    return params


# ---- staying away from kinks
#
# Where an input of ReLU or the two best of a max pool's window lie within float rounding of a tie, float and
# double take different branches, and any two float32 programs differ by 1e-3. So x is taken from the stream
# (of TRIED) whose closest tie is furthest away, measured against the layer's root mean square.

TRIED = range(1000, 1040)
margins = []


def relu(x):
    margins.append(float(x.detach().abs().min() / x.detach().square().mean().sqrt()))
    return F.relu(x)


def max_pool(x, size):
    windows = F.unfold(x.detach().flatten(0, 1)[:, None], size, stride=size)
    best = windows.topk(2, 1).values
    gap = best[:, 0] - best[:, 1]
    alive = gap[best[:, 0] > 0]  # a window of zeros passes nothing on
    margins.append(float(alive.min() / x.detach().square().mean().sqrt()))
    return F.max_pool2d(x, size)


def furthest_stream(forward, shape):
    def closest(stream):
        margins.clear()
        with torch.no_grad():
            forward(unit(stream, shape) / 2 + .5)
        return min(margins, default=1.0)

    stream = max(TRIED, key=closest)
    print(f"  stream {stream}, closest tie {closest(stream):.1e}")
    return stream


# ---- the networks, after their sources


def lenet(channels, hidden, classes):
    """DLG: three 5x5 convolutions of 12, sigmoid, one dense layer."""
    model = nn.Module()
    model.body = nn.Sequential(
        nn.Conv2d(channels, 12, 5, padding=2, stride=2), nn.Sigmoid(),
        nn.Conv2d(12, 12, 5, padding=2, stride=2), nn.Sigmoid(),
        nn.Conv2d(12, 12, 5, padding=2, stride=1), nn.Sigmoid())
    model.fc = nn.Sequential(nn.Linear(hidden, classes))
    model.forward = lambda x: model.fc(model.body(x).flatten(1))
    return model


class ConvNet(nn.Module):
    """Inverting Gradients: ConvNet of width 64."""

    def __init__(self, classes, features=36 * 64):
        super().__init__()
        widths = [3, 64, 128, 128, 256, 256, 256, 256, 256]
        for i in range(8):
            setattr(self, f"conv{i}", nn.Conv2d(widths[i], widths[i + 1], 3, padding=1))
            setattr(self, f"bn{i}", nn.BatchNorm2d(widths[i + 1]))
        self.linear = nn.Linear(features, classes)

    def forward(self, x):
        for i in range(8):
            x = relu(getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x)))
            if i in (5, 7):
                x = max_pool(x, 3)
        return self.linear(x.flatten(1))


class Block(nn.Module):
    def __init__(self, inside, outside, stride, option):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.more = outside - inside if option == "A" else 0
        if option == "B" and (stride > 1 or inside != outside):
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        y = self.bn2(self.conv2(relu(self.bn1(self.conv1(x)))))
        if self.more:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, self.more // 2, self.more // 2))
        elif hasattr(self, "downsample"):
            x = self.downsample(x)
        return relu(x + y)


class ResNet(nn.Module):
    """`blocks`: how many in each stage."""

    def __init__(self, widths, blocks, option, classes, head):
        super().__init__()
        self.conv1 = nn.Conv2d(3, widths[0], 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(widths[0])
        inside = widths[0]
        for stage, width in enumerate(widths):
            layers = []
            for i in range(blocks[stage]):
                layers.append(Block(inside, width, 2 if stage and not i else 1, option))
                inside = width
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        setattr(self, head, nn.Linear(inside, classes))
        self.head, self.stages = head, len(widths)

    def forward(self, x):
        x = relu(self.bn1(self.conv1(x)))
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return getattr(self, self.head)(x.mean((2, 3)))


def vgg16(width, classes):
    """Simonyan and Zisserman's configuration D with batch norm, one dense layer as is usual for 32x32."""
    layers, inside = [], 3
    for step in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0):
        if step:
            outside = int(step * width)
            layers += [nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), Call(relu)]
            inside = outside
        else:
            layers.append(Call(lambda x: max_pool(x, 2)))
    model = nn.Module()
    model.features, model.classifier = nn.Sequential(*layers), nn.Linear(inside, classes)
    model.forward = lambda x: model.classifier(model.features(x).flatten(1))
    return model


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


class DenseLayer(nn.Module):
    """Huang et al.: norm, ReLU, 1x1 convolution to 4k channels, norm, ReLU, 3x3 convolution to k, beside its input."""

    def __init__(self, inside, growth):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(inside), nn.Conv2d(inside, 4 * growth, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * growth), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, x):
        return torch.cat((x, self.conv2(relu(self.norm2(self.conv1(relu(self.norm1(x))))))), 1)


class Transition(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(inside), nn.Conv2d(inside, outside, 1, bias=False)

    def forward(self, x):
        return F.avg_pool2d(self.conv(relu(self.norm(x))), 2)


class DenseNet(nn.Module):
    def __init__(self, growth, blocks, classes):
        super().__init__()
        channels = 2 * growth
        features = {"conv0": nn.Conv2d(3, channels, 3, padding=1, bias=False)}
        for i, layers in enumerate(blocks, 1):
            block = {f"denselayer{k + 1}": DenseLayer(channels + k * growth, growth) for k in range(layers)}
            features[f"denseblock{i}"] = nn.Sequential(collections.OrderedDict(block))
            channels += layers * growth
            if i < len(blocks):
                features[f"transition{i}"] = Transition(channels, channels // 2)
                channels //= 2
        features["norm5"] = nn.BatchNorm2d(channels)
        self.features = nn.Sequential(collections.OrderedDict(features))
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        return self.classifier(relu(self.features(x)).mean((2, 3)))


def mlp(features, classes):
    model = nn.Module()
    model.fc1, model.fc2, model.fc3 = nn.Linear(features, 256), nn.Linear(256, 256), nn.Linear(256, classes)
    model.forward = lambda x: model.fc3(relu(model.fc2(relu(model.fc1(x.flatten(1))))))
    return model


def recup_adult():
    """RecUP-FL, Table 2b: one sigmoid output p, here with its complement, as the outputs 1 - p and p of two classes."""
    model = nn.Module()
    model.fc1, model.fc2 = nn.Linear(103, 50), nn.Linear(50, 1)

    def forward(x):
        p = torch.sigmoid(model.fc2(relu(model.fc1(x))))
        return torch.cat((1 - p, p), 1)

    model.forward = forward
    return model


class OverChannels(nn.LayerNorm):
    """As in ConvNeXt: each place of an image by its own channels."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def every_layer(classes):
    """tests/golden/every_layer.json, of 3x9x11."""
    model = nn.Module()
    steps = {
        "stem": nn.Conv2d(3, 8, (3, 2), (2, 1), (1, 0)), "norm1": nn.GroupNorm(4, 8), "gelu": nn.GELU(),
        "depth": nn.Conv2d(8, 16, 3, padding=1, groups=8, bias=False), "norm2": OverChannels(16, 1e-6), "silu": nn.SiLU(),
        "wide": nn.Conv2d(16, 12, 3, padding=(1, 2), dilation=(1, 2), groups=4),
        "up": nn.ConvTranspose2d(12, 6, (3, 4), (2, 3), (1, 0), (1, 2), groups=3), "tanh": nn.GELU(approximate="tanh"),
        "softmax": nn.Softmax(1), "pool1": nn.AdaptiveAvgPool2d((4, 5)), "norm3": nn.LayerNorm((6, 4, 5)),
        "pool2": nn.AdaptiveAvgPool2d((2, 5)), "norm4": nn.GroupNorm(6, 6, affine=False), "flatten": nn.Flatten(),
        "fc1": nn.Linear(60, 12), "norm5": nn.LayerNorm(12), "softmax2": nn.Softmax(1), "fc2": nn.Linear(12, classes),
    }
    for name, step in steps.items():
        setattr(model, name, step)

    def forward(x):
        for step in steps.values():
            x = step(x)
        return x

    model.forward = forward
    return model


def decoder(classes):
    """tests/golden/decoder.json, of 3x16x16."""
    model = nn.Module()
    model.down, model.up = nn.Conv2d(3, 32, 3, 2, 1), nn.ConvTranspose2d(32, 16, 3, 2, 1, 1)
    model.mix, model.last = nn.Conv2d(16, 16, 3, padding=1), nn.ConvTranspose2d(16, 16, 4, 2, 1, bias=False)
    model.fc = nn.Linear(256, classes)

    def forward(x):
        x = F.silu(model.mix(F.gelu(model.up(F.silu(model.down(x))))))
        return model.fc(F.adaptive_avg_pool2d(F.silu(model.last(x)), 4).flatten(1))

    model.forward = forward
    return model


class UNet(nn.Module):
    """Ronneberger, Fischer and Brox, with two steps, padded convolutions, and nearest neighbours on the way up."""

    def __init__(self, channels, width):
        super().__init__()

        def pair(inside, outside):
            return nn.ModuleDict({"conv1": nn.Conv2d(inside, outside, 3, padding=1),
                                  "conv2": nn.Conv2d(outside, outside, 3, padding=1)})

        self.down1, self.down2 = pair(channels, width), pair(width, 2 * width)
        self.bottom = pair(2 * width, 4 * width)
        self.up2, self.up1 = pair(6 * width, 2 * width), pair(3 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    @staticmethod
    def both(pair, x):
        return relu(pair["conv2"](relu(pair["conv1"](x))))

    def forward(self, x):
        large = self.both(self.down1, x)
        small = self.both(self.down2, max_pool(large, 2))
        low = F.interpolate(self.both(self.bottom, max_pool(small, 2)), scale_factor=2)
        small = self.both(self.up2, torch.cat([small, low], 1))
        low = F.interpolate(small, scale_factor=2)
        return self.out(self.both(self.up1, torch.cat([large, low], 1))).flatten(1)


# ---- gradient matching


def cross_entropy(logits, y):
    return -(y * F.log_softmax(logits, 1)).sum(1).mean()


def total_variation(x):
    return (x[..., 1:] - x[..., :-1]).abs().mean() + (x[..., 1:, :] - x[..., :-1, :]).abs().mean()


def normalised(x):
    return (x - torch.tensor([.485, .456, .406]).view(3, 1, 1)) / torch.tensor([.229, .224, .225]).view(3, 1, 1)


def matching(forward, params, shape, classes, stream, loss_of):
    """Everything about one network; `seen` is what the attacker matches."""
    def gradient(x, y, create_graph):
        logits = forward(x)
        loss = loss_of(logits, y)
        return logits, loss, torch.autograd.grad(loss, params, create_graph=create_graph)

    n = shape[0]
    x = (unit(stream, shape) / 2 + .5).requires_grad_()
    y = ((unit(Y, (n, classes)) + 1) / 16).requires_grad_()
    seen = gradient(unit(X_SEEN, shape) / 2 + .5, (unit(Y_SEEN, (n, classes)) + 1) / 16, False)[2]
    logits, loss, grads = gradient(x, y, True)
    dot = sum((g * s).sum() for g, s in zip(grads, seen))
    norms = [torch.sqrt(sum((g * g).sum() for g in side)) for side in (grads, seen)]
    costs = {"cosine": 1 - dot / (norms[0] * norms[1]), "l2": sum(((g - s) ** 2).sum() for g, s in zip(grads, seen))}
    if len(shape) == 4:
        costs["cosine"] = costs["cosine"] + total_variation(x) / 128
    return x, y, logits, loss, grads, costs


def write_model(name, model, shape, classes, training, uniform=False, normalise=False, loss_of=cross_entropy):
    print(name)
    named = fill(model, uniform)
    model.train(training)

    def forward(x):
        return model(normalised(x) if normalise else x)

    stream = furthest_stream(forward, shape)
    x, y, logits, loss, grads, costs = matching(forward, [p for _, p in named], shape, classes, stream, loss_of)
    out = {"stream": torch.tensor(stream), "logits": logits.detach(), "loss": loss.detach()}
    for (param, _), grad in zip(named, grads):
        out[f"grad.{param}"] = sample(grad, SAMPLE)
        out[f"norm.{param}"] = grad.detach().norm()
    for cost, value in costs.items():
        dx, dy = torch.autograd.grad(value, (x, y), retain_graph=True)
        out.update({cost: value.detach(), f"{cost}.x": sample(dx, SAMPLE_X), f"{cost}.y": dy.detach()})
    safetensors.save(os.path.join(HERE, f"{name}.safetensors"), out)


# ---- optimisers on a small function: f = sum c (x - a)^2 / 2 + sum (1 - cos(x_i + x_(i+1))) * 2

N = 12


def start():
    return unit(X, (N,)) * 2


def cost_and_gradient(x):
    a, c = unit(X_SEEN, (N,)), torch.tensor([2.0 ** (i % 6 - 2) for i in range(N)])
    pair = x[:-1] + x[1:]
    value = (c * (x - a) ** 2).sum() / 2 + 2 * (1 - torch.cos(pair)).sum()
    grad = c * (x - a)
    grad[:-1] += 2 * torch.sin(pair)
    grad[1:] += 2 * torch.sin(pair)
    return value, grad


def trajectory(make, steps, dtype, signed=False):
    x = start().to(dtype).requires_grad_()
    optimiser = make([x])
    path, costs = [], []

    def closure():
        value, grad = cost_and_gradient(x.detach().double())
        x.grad = (grad.sign() if signed else grad).to(dtype)
        return value

    for _ in range(steps):
        costs.append(float(optimiser.step(closure)))
        path.append(x.detach().double().clone())
    calls = optimiser.state[x].get("func_evals", 0) if optimiser.state else 0
    return torch.stack(path), torch.tensor(costs), torch.tensor(calls)


def write_optimisers():
    cases = {
        "adam": (lambda p: torch.optim.Adam(p, lr=.1, betas=(.9, .999), eps=1e-8), 40, False),
        "adam_signed": (lambda p: torch.optim.Adam(p, lr=.05, betas=(.8, .99), eps=1e-8), 40, True),
        "sgd": (lambda p: torch.optim.SGD(p, lr=.02), 20, False),
        "sgd_momentum": (lambda p: torch.optim.SGD(p, lr=.02, momentum=.9, weight_decay=.05), 40, False),
        "lbfgs": (lambda p: torch.optim.LBFGS(p, lr=1, max_iter=20, history_size=100), 2, False),
        "lbfgs_short": (lambda p: torch.optim.LBFGS(p, lr=.5, max_iter=4, history_size=3), 5, False),
        "lbfgs_two": (lambda p: torch.optim.LBFGS(p, lr=1, max_iter=2, history_size=100), 5, False),
    }
    out = {}
    for name, (make, steps, signed) in cases.items():
        for dtype, word in ((torch.float64, "f64"), (torch.float32, "f32")):
            path, costs, calls = trajectory(make, steps, dtype, signed)
            out[f"{name}.{word}"], out[f"{name}.{word}.cost"], out[f"{name}.{word}.calls"] = path, costs, calls
    safetensors.save(os.path.join(HERE, "optim.safetensors"), out)


def main():
    write_optimisers()
    write_model("mlp", mlp(784, 10), (3, 1, 28, 28), 10, False)
    write_model("mlp_table", mlp(103, 2), (4, 103), 2, False)
    write_model("lenet_gray", lenet(1, 588, 10), (1, 1, 28, 28), 10, False, uniform=True)
    write_model("lenet", lenet(3, 768, 10), (2, 3, 32, 32), 10, False, uniform=True)
    write_model("recup_adult", recup_adult(), (4, 103), 2, False, loss_of=F.mse_loss)
    write_model("lenet_map", lenet(1, 588, 10), (2, 1, 28, 28), 10, False, uniform=True,
                loss_of=F.binary_cross_entropy_with_logits)
    write_model("every_layer", every_layer(10), (3, 3, 9, 11), 10, False)
    write_model("decoder", decoder(10), (2, 3, 16, 16), 10, False)
    write_model("unet", UNet(1, 16), (2, 1, 8, 16), 128, False, loss_of=F.binary_cross_entropy_with_logits)
    for mode, training in (("eval", False), ("train", True)):
        # training: statistics over few values make float32 ill-conditioned, so the deep ones have four images
        wide, size = (4 if training else 1), (16 if training else 32)
        few = 2 if training else 1
        write_model(f"convnet_{mode}", ConvNet(10, 256), (few, 3, 16, 16), 10, training)
        write_model(f"resnet18_{mode}", ResNet([64, 128, 256, 512], [2] * 4, "B", 10, "fc"), (wide, 3, size, size), 10, training)
        write_model(f"resnet34_{mode}", ResNet([8, 16, 32, 64], [3, 4, 6, 3], "B", 10, "fc"), (wide, 3, 16, 16), 10, training)
        write_model(f"vgg16_{mode}", vgg16(1 / 8, 10), (wide, 3, 32, 32), 10, training)
        write_model(f"densenet121_{mode}", DenseNet(4, (6, 12, 24, 16), 10), (wide, 3, 16, 16), 10, training)
        write_model(f"resnet20_{mode}", ResNet([16, 32, 64], [3] * 3, "A", 10, "linear"), (few, 3, size, size), 10, training,
                    normalise=True)


if __name__ == "__main__":
    main()
