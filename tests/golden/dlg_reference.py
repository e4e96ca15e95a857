#!/usr/bin/python3
"""Writes dlg_reference.safetensors, which tests/unit/test_dlg_reference.c compares mode reference of dlg and idlg with.

Weights, images and starting points are drawn here; then the search runs in PyTorch as the authors' programs have it:
main.py of mit-han-lab/dlg for DLG, iDLG.py of PatrickZH/Improved-Deep-Leakage-from-Gradients for iDLG. The program
itself is written again after them. Debian's python3-torch is needed here and not to test.

    python3 tests/golden/dlg_reference.py                    the golden file
    python3 tests/golden/dlg_reference.py --trial DIR N SEED IMAGES.npy LABELS.npy
        a trial of N of the given images on weights of that seed: weights.safetensors, start.safetensors for the key
        "start" of a suite's attack, and results.json with what PyTorch makes of them
"""
import json
import os
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import safetensors  # noqa: E402

torch.set_num_threads(1)
CLASSES, STEPS, FIRST = 10, 300, 12


def lenet(channels, side):
    """models/lenet.json, its weights and biases uniform in [-0.5, 0.5]."""
    net = nn.Sequential(
        nn.Conv2d(channels, 12, 5, 2, 2), nn.Sigmoid(), nn.Conv2d(12, 12, 5, 2, 2), nn.Sigmoid(),
        nn.Conv2d(12, 12, 5, 1, 2), nn.Sigmoid(), nn.Flatten(), nn.Linear(12 * (side // 4) ** 2, CLASSES))
    with torch.no_grad():
        for p in net.parameters():
            p.uniform_(-0.5, 0.5)
    return net


def named(net):
    """The parameters under the names that models/lenet.json gives them."""
    names = {"0": "body.0", "2": "body.2", "4": "body.4", "7": "fc.0"}
    return {names[k.split(".")[0]] + "." + k.split(".")[1]: p.detach() for k, p in net.named_parameters()}


def search(net, seen, start_x, start_y, labels_too):
    """Cost before each outer step, and the image at the end. seen: the gradient that was observed."""
    x = start_x.clone().requires_grad_(True)
    y = start_y.clone().requires_grad_(True)
    label = torch.argmin(torch.sum(seen[-2], dim=-1), dim=-1).reshape(1)
    optimizer = torch.optim.LBFGS([x, y] if labels_too else [x])

    def closure():
        optimizer.zero_grad()
        prediction = net(x)
        if labels_too:
            loss = torch.mean(torch.sum(-F.softmax(y, -1) * F.log_softmax(prediction, -1), 1))
        else:
            loss = F.cross_entropy(prediction, label)
        gradient = torch.autograd.grad(loss, net.parameters(), create_graph=True)
        distance = sum(((g - o) ** 2).sum() for g, o in zip(gradient, seen))
        distance.backward()
        return distance

    costs = []
    for step in range(STEPS):
        before = x.detach().clone(), y.detach().clone()
        costs.append(float(optimizer.step(closure)))
        still = torch.equal(before[0], x) and torch.equal(before[1], y)
        if still or not torch.isfinite(x).all():  # nor will they move in any later step
            break
        if not labels_too and step % 10 == 0 and closure().item() < 1e-6:
            break
    return costs, x.detach()


def observed(net, image, label):
    loss = F.cross_entropy(net(image), torch.tensor([label]))
    return [g.detach() for g in torch.autograd.grad(loss, net.parameters())]


def trial(net, images, labels, starts_x, starts_y):
    """For each image: costs and mean squared error of DLG, and of iDLG; pixels end in [0, 1], as gauntlet scores them."""
    found = []
    for i in range(len(images)):
        seen, one = observed(net, images[i:i + 1], int(labels[i])), []
        for labels_too in (True, False):
            costs, x = search(net, seen, starts_x[i:i + 1], starts_y[i:i + 1], labels_too)
            x = torch.nan_to_num(x, nan=0.5).clamp(0, 1)
            one.append((costs, float(((x - images[i:i + 1]) ** 2).mean())))
        found.append(one)
        print(i, ["%d steps, cost %.3g, MSE %.3g" % (len(c), c[-1], e) for c, e in one], flush=True)
    return found


def blobs(n, side):
    """Images made up of three soft discs each."""
    at = torch.arange(side) / side
    images = torch.zeros(n, 1, side, side)
    for i in range(n):
        for _ in range(3):
            row, column, size = torch.rand(3)
            distance = (at[:, None] - row) ** 2 + (at[None, :] - column) ** 2
            images[i, 0] += torch.exp(-distance / (0.01 + 0.05 * size))
    return images.clamp(0, 1)


def golden():
    torch.manual_seed(7)
    n, side = 4, 28
    net, images = lenet(1, side), blobs(n, side)
    labels = np.arange(n) * 3 % CLASSES
    starts_x, starts_y = torch.randn(n, 1, side, side), torch.randn(n, CLASSES)
    found = trial(net, images, labels, starts_x, starts_y)
    first = [[c[:FIRST] + [float("nan")] * (FIRST - len(c)) for c, _ in one] for one in found]
    out = named(net)
    out.update(x=images.reshape(n, -1), y=F.one_hot(torch.tensor(labels), CLASSES).float(),
               start_x=starts_x.reshape(n, -1), start_y=starts_y, costs=torch.tensor(first, dtype=torch.float64),
               error=torch.tensor([[e for _, e in one] for one in found], dtype=torch.float64))
    safetensors.save(os.path.join(HERE, "dlg_reference.safetensors"), out)


def own_trial(folder, n, seed, images, labels):
    """Starting points are written before the search, which takes long."""
    torch.manual_seed(int(seed))
    images = torch.tensor(np.load(images)[:int(n)]).float()
    labels = np.load(labels)[:int(n)]
    os.makedirs(folder, exist_ok=True)
    net = lenet(images.shape[1], images.shape[2])
    starts_x, starts_y = torch.randn(images.shape), torch.randn(len(images), CLASSES)
    safetensors.save(folder + "/weights.safetensors", named(net))
    safetensors.save(folder + "/start.safetensors",
                     {"x": starts_x.reshape(len(images), -1), "y": starts_y})
    found = trial(net, images, labels, starts_x, starts_y)
    with open(folder + "/results.json", "w") as file:
        json.dump([[{"steps": len(c), "cost": c[-1], "mse": e} for c, e in one] for one in found], file)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--trial":
        own_trial(*sys.argv[2:])
    else:
        golden()
