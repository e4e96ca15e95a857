#!/usr/bin/python3
"""PyTorch's side of a row of the benchmark: the same step, on the same problem, as people write it in PyTorch.

bench/side.c tells the words that are spoken on standard input and output. One thread.
"""
import ctypes
import gc
import json
import os
import sys
import time
import warnings

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.dont_write_bytecode = True
import safetensors  # noqa: E402

torch.set_num_threads(1)


def written_out(layers, count=None, first=False):
    """Layers with their repeats written out; docs/models.md says what a # and "first" mean."""
    for layer in layers:
        layer = {**layer, **(layer.get("first", {}) if first else {})}
        if layer["type"] == "repeat":
            begin = layer.get("from", 0)
            for i in range(layer["times"]):
                yield from written_out(layer["body"], begin + i, i == 0)
            continue
        if count is not None and "name" in layer:
            layer["name"] = layer["name"].replace("#", str(count))
        for inner in ("body", "shortcut"):
            if isinstance(layer.get(inner), list):
                layer[inner] = list(written_out(layer[inner], count, first))
        yield layer


class Model:
    """A model file as a function of x; `seen` collects the outputs of convolutions."""

    def __init__(self, path, classes, params, buffers):
        with open(path) as file:
            model = json.load(file)
        self.layers = list(written_out(model["layers"]))
        self.representation = model.get("representation")
        self.is_map = model.get("output") == "map"
        self.classes, self.params, self.buffers = classes, params, buffers

    def __call__(self, x, training=False, seen=None):
        return self.run(self.layers, "", x, training, seen)

    def features(self, x):
        """Up to the representation, a layer that the model file names."""
        for layer in self.layers:
            x = self.one(layer, "", x, False, None)
            if layer.get("name") == self.representation:
                return x

    def run(self, layers, prefix, x, training, seen):
        for layer in layers:
            x = self.one(layer, prefix, x, training, seen)
        return x

    def one(self, layer, prefix, x, training, seen):
        kind, name = layer["type"], prefix + layer.get("name", "")
        if kind == "conv":
            x = F.conv2d(x, self.params[name + ".weight"], self.params.get(name + ".bias"), layer.get("stride", 1),
                         layer.get("pad", 0))
            if seen is not None:
                seen.append(x)
            return x
        if kind == "dense":
            return F.linear(x, self.params[name + ".weight"], self.params.get(name + ".bias"))
        if kind == "batch_norm":
            return F.batch_norm(x, self.buffers[name + ".running_mean"], self.buffers[name + ".running_var"],
                                self.params.get(name + ".weight"), self.params.get(name + ".bias"), training, 0.1,
                                layer.get("eps", 1e-5))
        if kind in ("relu", "sigmoid", "tanh"):
            return getattr(torch, kind)(x)
        if kind == "max_pool":
            return F.max_pool2d(x, layer["kernel"], layer.get("stride", layer["kernel"]), layer.get("pad", 0))
        if kind == "avg_pool":
            return F.avg_pool2d(x, layer["kernel"], layer.get("stride", layer["kernel"]), layer.get("pad", 0))
        if kind == "global_avg_pool":
            return F.adaptive_avg_pool2d(x, 1)
        if kind == "flatten":
            return x.flatten(1)
        if kind == "upsample":
            return F.interpolate(x, scale_factor=layer["factor"])
        if kind == "concat":
            return torch.cat([self.run(branch, prefix, x, training, seen) for branch in layer["branches"]], 1)
        if kind == "residual":
            shortcut = layer.get("shortcut", "identity")
            body = self.run(layer["body"], name + ".", x, training, seen)
            return body + (x if shortcut == "identity" else self.run(shortcut, name + ".", x, training, seen))
        raise ValueError(f"layer type {kind} is not known here")


def cross_entropy(z, y):
    return -(y * torch.log_softmax(z, 1)).sum() / len(z)


def loss_of(model, z, y):
    return F.binary_cross_entropy_with_logits(z.flatten(1), y) if model.is_map else cross_entropy(z, y)


class Work:
    def __init__(self, path, dtype):
        self.tensors, spec = safetensors.load(path)
        self.tensors = {k: v if k.startswith("r.") else v.to(dtype) for k, v in self.tensors.items()}
        self.spec = json.loads(spec)

        def named(prefix):
            return {k[len(prefix):]: v for k, v in self.tensors.items() if k.startswith(prefix)}

        self.params, self.buffers, self.seen = named("param."), named("buffer."), list(named("seen.").values())
        for p in self.params.values():
            p.requires_grad_(True)
        self.first = {k: v.detach().clone() for k, v in {**self.params, **self.buffers}.items()}
        self.model = Model(os.path.join(ROOT, self.spec["model"]), self.spec["classes"], self.params, self.buffers)
        self.weights = list(self.params.values())
        self.results = {}
        self.start()

    def start(self):
        """Back to the problem as it is in the file."""
        with torch.no_grad():
            for k, v in {**self.params, **self.buffers}.items():
                v.copy_(self.first[k])

    def gradient(self, x, y):
        loss = loss_of(self.model, self.model(x), y)
        return torch.autograd.grad(loss, self.weights, create_graph=True)


class Match(Work):
    def start(self):
        self.x = self.tensors["x"].clone().requires_grad_(True)
        self.adam = torch.optim.Adam([self.x], lr=self.spec["rate"])

    def step(self):
        x, spec = self.x, self.spec
        dot = a = b = 0
        for g, o in zip(self.gradient(x, self.tensors["y"]), self.seen):
            dot = dot + (g * o).sum()
            a = a + g.square().sum()
            b = b + o.square().sum()
        tv = (x[:, :, 1:] - x[:, :, :-1]).abs().mean() + (x[:, :, :, 1:] - x[:, :, :, :-1]).abs().mean()
        cost = 1 - dot / ((a + 1e-12).sqrt() * (b + 1e-12).sqrt()) + spec["tv"] * tv
        dx, = torch.autograd.grad(cost, x)
        self.results = {"r.cost": cost.detach(), "r.dx": dx}
        x.grad = dx.sign()
        self.adam.step()
        with torch.no_grad():
            x.clamp_(0, 1)
        return 1


class Attack(Match):
    def attack(self):
        self.start()
        for _ in range(self.spec["steps"]):
            self.step()
        return 1


class Dlg(Work):
    def start(self):
        self.x = self.tensors["x"].clone().requires_grad_(True)
        self.y = self.tensors["y"].clone().requires_grad_(True)
        self.lbfgs = torch.optim.LBFGS([self.x, self.y], lr=1, max_iter=self.spec["inner"],
                                       history_size=self.spec["history"])

    def evaluate(self):
        grad = self.gradient(self.x, torch.softmax(self.y, 1))
        cost = sum((g - o).square().sum() for g, o in zip(grad, self.seen))
        self.x.grad, self.y.grad = torch.autograd.grad(cost, [self.x, self.y])
        self.evaluations += 1
        if not self.results:
            self.results = {"r.cost": cost.detach(), "r.dx": self.x.grad.clone(), "r.dy": self.y.grad.clone()}
        return cost

    def step(self):
        self.evaluations = 0
        self.lbfgs.step(self.evaluate)
        if self.evaluations < self.spec["inner"]:
            self.start()
        return self.evaluations


class Train(Work):
    def start(self):
        super().start()
        self.sgd = torch.optim.SGD(self.weights, lr=self.spec["sgd_rate"])

    def step(self):
        self.sgd.zero_grad(set_to_none=True)
        loss = loss_of(self.model, self.model(self.tensors["x"], training=True), self.tensors["y"])
        loss.backward()
        if not self.results:
            self.results = {"r.cost": loss.detach(), "r.grad": torch.cat([p.grad.flatten() for p in self.weights])}
        self.sgd.step()
        return 1


class Forward(Work):
    def step(self):
        with torch.no_grad():
            z = self.model(self.tensors["x"])
        if not self.results:
            self.results = {"r.z": z}
        return 1

    def export(self, path):
        """Writes the network as ONNX, whose operations fold what depends on weights alone."""
        work = self

        class Network(torch.nn.Module):
            def forward(self, x):
                return work.model(x)

        network = Network()
        for name, p in self.params.items():
            self.params[name] = torch.nn.Parameter(p.detach())
            network.register_parameter(name.replace(".", "_"), self.params[name])
        torch.onnx.export(network.eval(), self.tensors["x"], path, input_names=["x"], output_names=["z"],
                          opset_version=13)


class Round(Work):
    """Federated averaging: each client takes its steps from the server's weights, which then change by the mean of
    what the clients' did."""

    def step(self):
        x, y, n = self.tensors["x"], self.tensors["y"], self.spec["n"]
        server = [p.detach().clone() for p in self.weights]
        change = [torch.zeros_like(p) for p in server]
        order = self.tensors["order"].long()
        for rows in order:
            with torch.no_grad():
                for p, start in zip(self.weights, server):
                    p.copy_(start)
            sgd = torch.optim.SGD(self.weights, lr=self.spec["sgd_rate"])
            for batch in rows.split(n):
                sgd.zero_grad(set_to_none=True)
                cross_entropy(self.model(x[batch], training=True), y[batch]).backward()
                sgd.step()
            with torch.no_grad():
                for c, p, start in zip(change, self.weights, server):
                    c += (p - start) / len(order)
        with torch.no_grad():
            for p, start, c in zip(self.weights, server, change):
                p.copy_(start + c)
        if not self.results:
            self.results = {"r.grad": torch.cat([c.flatten() for c in change])}
        return 1


class Loda(Work):
    def __init__(self, path, dtype):
        super().__init__(path, dtype)
        for p in self.weights:
            p.requires_grad_(False)
        self.target = self.tensors["target"].reshape(self.tensors["x"].shape)
        self.kept = []
        with torch.no_grad():
            self.model(self.target, seen=self.kept)

    def start(self):
        self.x = self.tensors["x"].clone().requires_grad_(True)

    def step(self):
        x, seen = self.x, []
        self.model(x, seen=seen)
        with torch.no_grad():
            pull = [2 * (f - k) for f, k in zip(seen, self.kept)]
        dx, = torch.autograd.grad(seen, x, pull)
        with torch.no_grad():
            dx -= 2 * self.spec["c"] * (x - self.target)
            x -= self.spec["rate"] * dx / dx.flatten(1).norm(dim=1).reshape(-1, 1, 1, 1)
            x.clamp_(0, 1)
        self.results = {"r.dx": dx}
        return 1


class Attr(Work):
    def start(self):
        super().start()
        self.sgd = torch.optim.SGD(self.weights, lr=self.spec["sgd_rate"], momentum=self.spec["momentum"])

    def step(self):
        table, labels, n = self.tensors["table"], self.tensors["labels"], self.spec["n"]
        for at in range(0, len(table), n):
            self.sgd.zero_grad(set_to_none=True)
            cross_entropy(self.model(table[at:at + n]), labels[at:at + n]).backward()
            self.sgd.step()
        if not self.results:
            self.results = {"r.grad": torch.cat([(p.detach() - self.first[k]).flatten()
                                                 for k, p in self.params.items()])}
        return 1


class Recup(Work):
    """One update is one vector: its products with the weights are addmv, which autograd turns into mv, in place of
    F.linear, which would multiply matrices; and the pool's indices say which entries a derivative falls on."""

    def __init__(self, path, dtype):
        tensors, spec = safetensors.load(path)
        self.spec = json.loads(spec)
        self.tensors = {k: v if k.startswith("r.") else v.to(dtype) for k, v in tensors.items()}
        self.mean, self.scale = self.tensors["zoo.mean"], self.tensors["zoo.scale"]
        self.drawn = tensors["drawn"].long().tolist()
        self.label = torch.tensor(self.spec["label"])
        self.nets = []
        while f"zoo.{len(self.nets)}.weight.0" in tensors:
            at = f"zoo.{len(self.nets)}"
            layers = sum(k.startswith(at + ".weight.") for k in tensors)
            self.nets.append([(self.tensors[f"{at}.weight.{i}"], self.tensors[f"{at}.bias.{i}"])
                              for i in range(layers)])
        self.results = {}

    def start(self):
        pass

    def add_sign(self, net, u, step, to):
        """to += step * sign of the derivative of the cross entropy at u."""
        best, where = F.max_pool1d(u[None], self.spec["window"], ceil_mode=True, return_indices=True)
        best = best[0].requires_grad_(True)
        z = (best - self.mean) * self.scale
        h = z.detach().clamp(-10, 10) + (z - z.detach())  # the derivative passes the cut
        for i, (weight, bias) in enumerate(net):
            h = torch.addmv(bias, weight, h)
            if i + 1 < len(net):
                h = torch.relu(h)
        slope, = torch.autograd.grad(F.cross_entropy(h, self.label), best)
        to.index_add_(0, where[0], slope.sign_(), alpha=step)

    def step(self):
        epsilon, update = self.spec["epsilon"], self.tensors["update"]
        now = update.clone()
        for drawn in self.drawn:
            work = now.clone()
            for k in drawn[:-1]:
                self.add_sign(self.nets[k], work, epsilon / len(drawn), work)
            self.add_sign(self.nets[drawn[-1]], work, epsilon, now)
        if not self.results:
            self.results = {"r.delta": now - update}
        return 1


class Tappfl(Work):
    """One forward pass through f, g and h; then f's derivatives by its objective, and those of g and h by
    theirs."""

    def start(self):
        super().start()
        self.side = [p for k, p in self.params.items() if k.startswith("side.")]
        self.shared = [p for k, p in self.params.items() if not k.startswith(("side.", "head."))]
        self.sgd = torch.optim.SGD(self.shared + self.side, lr=self.spec["sgd_rate"])
        x, u = self.tensors["x"], self.tensors["u"]
        other = x.reshape(-1, 2, *x.shape[1:]).flip(1).reshape(x.shape)  # samples of one value are neighbours
        self.both, self.both_u = torch.cat([x, other]), torch.cat([u, u])

    @staticmethod
    def convs(layers, x, plan):
        for kind in plan:
            if kind == "c":
                x = torch.relu(F.conv2d(x, next(layers), next(layers), padding=1))
            elif min(x.shape[2:]) > 1:
                x = F.max_pool2d(x, 2)
        return x

    @staticmethod
    def dense(layers, x, hidden):
        for _ in range(hidden):
            x = torch.relu(F.linear(x, next(layers), next(layers)))
        return F.linear(x, next(layers), next(layers))

    def g(self, layers, r):
        return self.dense(layers, self.convs(layers, r, "cccpcccpcccp").flatten(1), 2)

    def h(self, layers, x, r, u):
        x = F.adaptive_avg_pool2d(self.convs(layers, x, "cpcp"), r.shape[2:])
        planes = u[:, :, None, None].expand(-1, -1, *r.shape[2:])
        return self.dense(layers, self.convs(layers, torch.cat([x, r, planes], 1), "ccpcccpcccpccc").flatten(1), 2)

    def step(self):
        spec, x, u, layers = self.spec, self.tensors["x"], self.tensors["u"], iter(self.side)
        r = self.model.features(x)
        hidden = cross_entropy(self.g(layers, r), u)
        score, other = self.h(layers, self.both, torch.cat([r, r]), self.both_u).chunk(2)
        kept = F.softplus(-score).mean() + F.softplus(other).mean()
        by_shared = torch.autograd.grad(-spec["lambda"] * hidden + (1 - spec["lambda"]) * kept, self.shared,
                                        retain_graph=True)
        by_side = torch.autograd.grad(hidden + kept, self.side)
        for p, d in zip(self.shared + self.side, by_shared + by_side):
            p.grad = d
        if not self.results:
            self.results = {"r.losses": torch.stack([hidden, kept]),
                            "r.grad": torch.cat([d.flatten() for d in by_shared]),
                            "r.own": torch.cat([d.flatten() for d in by_side])}
        self.sgd.step()
        return 1


KINDS = {"match": Match, "attack": Attack, "dlg": Dlg, "train": Train, "loda": Loda, "attr": Attr, "recup": Recup,
         "tappfl": Tappfl, "forward": Forward, "round": Round}


def worst(work):
    """Greatest relative L2 distance of a first step's results from those in the file."""
    work.start()
    work.results = {}
    work.step()
    far = 0.0
    for name, right in work.tensors.items():
        if name.startswith("r."):
            got = work.results[name].detach().double().flatten()
            apart = float((got - right).norm() / right.norm())
            far = apart if not apart <= far else far
    return far


def forget_peak():
    """What the check took in double is no part of the step's memory."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def peak():
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def run(work, n):
    work.start()
    step = work.attack if hasattr(work, "attack") else work.step
    wall, cpu, units = time.perf_counter(), time.process_time(), 0
    while units < n:
        units += step()
    return units, time.process_time() - cpu, time.perf_counter() - wall


class Operations(TorchDispatchMode):
    """Counts the operations that write entries; a view of a tensor, or a new tensor without values, is none."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        aliases = [r.alias_info for r in func._schema.returns]
        is_view = bool(aliases) and all(a is not None and not a.is_write for a in aliases)
        self.count += not is_view and "empty" not in func._schema.name
        return func(*args, **(kwargs or {}))


def operations(work):
    """Operations of one unit below autograd: on a GPU each is at least one launch from Python's thread."""
    work.start()
    with Operations() as seen:
        units = (work.attack if hasattr(work, "attack") else work.step)()
    return seen.count / units


def main(path):
    spec = json.loads(safetensors.load(path)[1])
    work = KINDS[spec["kind"]](path, torch.float32)
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "check":
            print(worst(KINDS[spec["kind"]](path, torch.float64)), worst(work), flush=True)
            forget_peak()
        elif words[0] == "run":
            print(*run(work, int(words[1])), flush=True)
        elif words[0] == "operations":
            print(operations(work), flush=True)
        elif words[0] == "onnx":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                KINDS[spec["kind"]](path, torch.float32).export(words[1])
            print(1, flush=True)
        elif words[0] == "peak":
            print(peak(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
