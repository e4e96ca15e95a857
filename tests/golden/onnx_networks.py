#!/usr/bin/python3
"""Writes the networks onnx_*.onnx, as PyTorch's exporter writes them, and what PyTorch computes with them.

tests/unit/test_onnx_golden.c imports each network and compares outputs, loss and gradients (onnx_*.safetensors, in
float64, under the names of the imported parameters) as test_golden.c does. Needs PyTorch and python3-onnx, which nobody
needs to test. onnx_attention.onnx has no values: gauntlet refuses it.
"""
import os
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
import onnx
from onnx import numpy_helper

import golden
import safetensors

HERE = os.path.dirname(os.path.abspath(__file__))
torch.set_default_dtype(torch.float32)
warnings.simplefilter("ignore")
CLASSES = 10


class OverChannels(nn.LayerNorm):
    """As in ConvNeXt: each place of an image by its own channels."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Plain(nn.Module):
    """Flower's quick-start network with batch norms, a mean that counts its padding, and dropout."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 6, 5), nn.BatchNorm2d(6)
        self.conv2, self.bn2 = nn.Conv2d(6, 16, 5, bias=False), nn.BatchNorm2d(16, eps=1e-3)
        self.pool, self.mean, self.relu = nn.MaxPool2d(2, 2), nn.AvgPool2d(3, 2, 1), nn.ReLU()
        self.fc1, self.drop, self.fc2 = nn.Linear(16 * 5 * 5, 24), nn.Dropout(0.25), nn.Linear(24, CLASSES)

    def forward(self, x):
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.mean(self.relu(self.bn2(self.conv2(x))))
        x = x.view(-1, 16 * 5 * 5)
        return self.fc2(self.drop(torch.tanh(self.fc1(x))))


class Block(nn.Module):
    """A residual block with group norms and GELU; "pad": the shortcut without parameters."""

    def __init__(self, inside, outside, stride, shortcut):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.GroupNorm(4, outside)
        self.conv2, self.norm2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.GroupNorm(2, outside, 1e-4)
        if shortcut == "conv":
            self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.GroupNorm(outside, outside))
        self.shortcut, self.more, self.stride = shortcut, outside - inside, stride

    def forward(self, x):
        y = self.norm2(self.conv2(F.gelu(self.norm1(self.conv1(x)))))
        if self.shortcut == "conv":
            x = self.downsample(x)
        if self.shortcut == "pad":
            x = F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, self.more // 2, self.more // 2))
        return F.gelu(x + y)


class Residual(nn.Module):
    """Residual blocks with each kind of shortcut, and layer norms of each kind."""

    def __init__(self):
        super().__init__()
        self.conv1, self.norm0 = nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8, affine=False)
        self.layer1 = nn.Sequential(Block(8, 8, 1, "identity"), Block(8, 12, 2, "conv"))
        self.layer2 = nn.Sequential(Block(12, 16, 2, "pad"))
        self.norm1, self.norm2, self.fc1 = OverChannels(16, 1e-6), nn.LayerNorm((16, 4, 4)), nn.Linear(16, 20)
        self.norm3, self.norm4, self.fc = nn.LayerNorm(20), nn.LayerNorm(20, elementwise_affine=False), nn.Linear(20, CLASSES)

    def forward(self, x):
        x = self.layer2(self.layer1(F.silu(self.norm0(self.conv1(x)))))
        x = F.gelu(self.norm2(self.norm1(x)), approximate="tanh").mean((2, 3))
        return self.fc(self.norm4(self.norm3(self.fc1(x))))


class Branches(nn.Module):
    """A small U-Net and dense block, windows of each kind, and norms that are one node since operator set 17."""

    def __init__(self):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(2, 8, (3, 2), (2, 1), (1, 0)), nn.BatchNorm2d(8)
        self.wide, self.inorm = nn.Conv2d(8, 12, 3, padding=(1, 2), dilation=(1, 2), groups=4, bias=False), nn.InstanceNorm2d(12, affine=True)
        self.up = nn.ConvTranspose2d(20, 6, (3, 4), 2, 1, (1, 0), groups=2)
        self.norm1, self.norm2 = OverChannels(12), nn.LayerNorm((26, 8, 8))
        self.grow1, self.grow2, self.merge = nn.Conv2d(26, 4, 1), nn.Conv2d(30, 4, 1), nn.Conv2d(34, 6, 1, bias=False)
        self.pool, self.inorm2 = nn.AvgPool2d(2, ceil_mode=True), nn.InstanceNorm2d(6)
        self.fc = nn.Linear(6 * 2 * 2, CLASSES, bias=False)

    def forward(self, x):
        x = F.softplus(self.bn(self.stem(x)))                                         # 8x8x8
        y = F.leaky_relu(self.norm1(self.inorm(self.wide(self.pool(x)))), 0.2)        # 12x4x4
        x = torch.cat([x, F.interpolate(y, scale_factor=2)], 1)
        x = self.norm2(torch.cat([x, torch.sigmoid(self.up(self.pool(x)))], 1))       # 26x8x8
        y = F.softmax(self.grow1(torch.cat([x], 1)), 1)
        x = torch.cat([x, y, torch.tanh(self.grow2(torch.cat([x, y], 1)))], 1)
        x = self.inorm2(self.merge(x))
        return self.fc(F.adaptive_avg_pool2d(x, 2).reshape(x.shape[0], -1))


class Attention(nn.Module):
    """A block of a vision transformer: gauntlet has no layer for its products of computed values."""

    def __init__(self):
        super().__init__()
        self.patch, self.norm, self.qkv = nn.Conv2d(3, 8, 4, 4), nn.LayerNorm(8), nn.Linear(8, 24)
        self.proj, self.fc = nn.Linear(8, 8), nn.Linear(8, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(self.norm(x)).chunk(3, 2)
        x = x + self.proj(F.softmax(q @ k.transpose(1, 2) / 8 ** 0.5, 2) @ v)
        return self.fc(x.mean(1))


def fill(model):
    """Weights away from their initial values, which are alike and which the exporter would store once."""
    with torch.no_grad():
        for i, (name, tensor) in enumerate(list(model.named_parameters()) + list(model.named_buffers())):
            if name.endswith("num_batches_tracked"):
                continue
            u = golden.unit(golden.WEIGHTS + i, tuple(tensor.shape)).float()
            if tensor.dim() in (2, 4):
                u = u * golden.bound(tensor.shape)
            elif name.endswith(("weight", "running_var")):
                u = 1 + u / 4
            else:
                u = u / 4
            tensor.copy_(u)


def margins(model, x):
    """The closest tie of a ReLU or a maximum, relative to the values there (golden.py explains why)."""
    found = []

    def relu(_, inputs):
        found.append(float(inputs[0].abs().min() / inputs[0].square().mean().sqrt()))

    def pool(_, inputs):
        best = F.unfold(inputs[0].flatten(0, 1)[:, None], 2, stride=2).topk(2, 1).values
        gap = (best[:, 0] - best[:, 1])[best[:, 0] > 0]
        found.append(float(gap.min() / inputs[0].square().mean().sqrt()))

    hooks = [m.register_forward_pre_hook(relu if isinstance(m, nn.ReLU) else pool)
             for m in model.modules() if isinstance(m, (nn.ReLU, nn.MaxPool2d))]
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()
    return min(found, default=1.0)


def fused(model, path):
    """The network whose batch norms are folded into convolutions, with the weights that the file has."""
    from torch.nn.utils.fusion import fuse_conv_bn_eval
    stored = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    convs = [n for n in onnx.load(path).graph.node if n.op_type == "Conv"]
    for i, node in enumerate(convs, 1):
        conv = fuse_conv_bn_eval(getattr(model, f"conv{i}"), getattr(model, f"bn{i}"))
        conv.weight.data, conv.bias.data = (torch.tensor(stored[name]) for name in node.input[1:3])
        setattr(model, f"conv{i}", conv)
        setattr(model, f"bn{i}", nn.Identity())
    return model


def write(name, model, shape, opset, fold=True, preserve=False, dynamic=False):
    path = os.path.join(HERE, f"onnx_{name}.onnx")
    fill(model)
    model.eval()
    mode = torch.onnx.TrainingMode.PRESERVE if preserve else torch.onnx.TrainingMode.EVAL  # EVAL folds batch norms
    torch.onnx.export(model, torch.zeros((2 if dynamic else 1,) + shape[1:]), path, opset_version=opset, training=mode,
                      do_constant_folding=fold, input_names=["x"], dynamic_axes={"x": {0: "batch"}} if dynamic else None)
    if name == "attention":
        return
    if name == "plain":
        model = fused(model, path)
    model.double()
    stream = max(golden.TRIED, key=lambda s: margins(model, golden.unit(s, shape) / 2 + .5))
    x = golden.unit(stream, shape) / 2 + .5
    y = (golden.unit(golden.Y, (shape[0], CLASSES)) + 1) / 16
    named = list(model.named_parameters())
    logits = model(x)
    loss = golden.cross_entropy(logits, y)
    grads = torch.autograd.grad(loss, [p for _, p in named])
    out = {"stream": torch.tensor(stream), "logits": logits.detach(), "loss": loss.detach()}
    for (param, _), grad in zip(named, grads):
        out[f"grad.{param}"] = golden.sample(grad, golden.SAMPLE)
        out[f"norm.{param}"] = grad.norm()
    safetensors.save(os.path.join(HERE, f"onnx_{name}.safetensors"), out)
    print(name, sum(p.numel() for _, p in named), "parameters, stream", stream, os.path.getsize(path), "bytes")


write("plain", Plain(), (2, 3, 32, 32), 13)
write("residual", Residual(), (2, 3, 16, 16), 13, fold=False, dynamic=True)
write("branches", Branches(), (2, 2, 16, 9), 17, preserve=True)
write("attention", Attention(), (1, 3, 8, 8), 17)
