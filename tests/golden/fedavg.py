"""A client's part of a round of FedAvg in PyTorch, captured: python3 tests/golden/fedavg.py writes tests/golden/fedavg
and, with steps by Adam, tests/golden/fedavg_adam.

Five local steps of two images each with momentum, from weights that were trained a little, as `gauntlet attack` gets
them from a federation. tests/e2e/attack attacks it, so that a test needs no PyTorch. The images are four strokes on 8×8
pixels.
"""
import copy
import os
import shutil
import sys

import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "..", "..", "tools"))
import capture  # noqa: E402

SIDE, CLASSES, STEPS, BATCH, RATE, MOMENTUM, DECAY = 8, 4, 5, 2, 0.05, 0.9, 0.01
MODEL = {"layers": [{"type": "flatten"}, {"type": "dense", "name": "fc1", "out": 24}, {"type": "relu"},
                    {"type": "dense", "name": "fc2", "out": "classes"}]}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(SIDE * SIDE, 24), torch.nn.Linear(24, CLASSES)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def images(n):
    """Strokes: across, down, and the two diagonals, at a random place, with a little noise."""
    y, at = torch.randint(CLASSES, (n,)), torch.randint(2, SIDE - 2, (n,))
    rows, columns = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    away = torch.stack([rows - SIDE // 2, columns - SIDE // 2, rows - columns, rows + columns - SIDE + 1])[y]
    shift = (at - SIDE // 2)[:, None, None]
    x = torch.exp(-((away - shift).float() / 1.2) ** 2) * 0.9 + 0.1 * torch.rand(n, SIDE, SIDE)
    return x[:, None].clamp(0, 1), y


def train(net, batches, optimizer):
    for x, y in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def write(name, net, steps, batches, **how):
    before = copy.deepcopy(net.state_dict())
    train(net, batches, steps)
    xs, ys = (torch.cat(parts) for parts in zip(*batches))
    folder = os.path.join(here, name)
    shutil.rmtree(folder, ignore_errors=True)
    capture.write(folder, model=MODEL, name="strokes", sample=(1, SIDE, SIDE), classes=CLASSES, before=before,
                  after=net.state_dict(), samples=STEPS * BATCH, local_steps=STEPS, batch=BATCH, rate=RATE,
                  defense=[], federation={"round": 40, "client": 7, "clients": 100, "per_round": 10},
                  private={"x": xs, "y": ys}, about="a client of FedAvg in PyTorch, written by tests/golden/fedavg.py",
                  **how)


torch.manual_seed(7)
torch.set_num_threads(1)
net = Net()
train(net, [images(16) for _ in range(40)], torch.optim.SGD(net.parameters(), lr=RATE, momentum=0.9))  # the rounds before
batches = [images(BATCH) for _ in range(STEPS)]
other = copy.deepcopy(net)
write("fedavg", net, torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM), batches, momentum=MOMENTUM)
write("fedavg_adam", other, torch.optim.Adam(other.parameters(), lr=RATE, weight_decay=DECAY), batches, optimizer="adam",
      decay=DECAY)
