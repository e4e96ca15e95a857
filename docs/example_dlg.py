"""dlg, in numpy: searches for the sample whose gradient is the observed one, by L-BFGS on the model service."""
import numpy as np

plugin = {
    "attack": "dlg-numpy", "version": "1.0", "line": "searches for a sample with the observed gradient, by L-BFGS",
    "goals": ["reconstruction", "label"], "flags": ["randomised"], "conditions": ["one_sample", "one_step", "classes"],
    "citation": "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019",
    "parameters": [{"id": "steps", "type": "int", "least": 1, "most": 100000, "default": 300, "help": "most steps"},
                   {"id": "restarts", "type": "int", "least": 1, "most": 100, "default": 2, "help": "starts"}],
}

def search(self, value_and_slope, x, restart, steps):
    pairs, (cost, slope) = [], value_and_slope(x)
    for step in range(steps):
        if self.host.should_stop():
            break
        self.host.cost(restart, step, cost)
        d, alphas = -slope, []
        for s, g in reversed(pairs):
            alphas.append((s @ d) / (s @ g))
            d = d - alphas[-1] * g
        if pairs:
            d = d * (pairs[-1][0] @ pairs[-1][1]) / (pairs[-1][1] @ pairs[-1][1])
        for (s, g), a in zip(pairs, reversed(alphas)):
            d = d + (a - (g @ d) / (s @ g)) * s
        length = 1.0 if pairs else min(1.0, 1.0 / np.abs(slope).sum())
        while length > 1e-8:
            near = x + length * d
            near_cost, near_slope = value_and_slope(near)
            if near_cost <= cost + 1e-4 * length * (slope @ d):
                break
            length /= 2
        else:
            break
        if (near - x) @ (near_slope - slope) > 1e-12:
            pairs = pairs[-99:] + [(near - x, near_slope - slope)]
        x, cost, slope = near, near_cost, near_slope
    return cost, x

def run(self, seen, own):
    if seen.n > 1 or seen.update_kind != "gradient":
        raise NotImplementedError("searches for one sample in one gradient")
    model = self.host.model
    match = model.function("match", 1, cost="l2", vjp="x", constant=True)
    label = np.eye(seen.classes, dtype="f4")[[np.argmin(seen.update[-1])]]  # as in iDLG
    def value_and_slope(x):
        cost, = match.eval(x, label, seen.weights, seen.buffers, observed=seen.update)
        return float(cost), match.vjp().x.ravel().astype("f8")
    found = []
    for restart in range(self.restarts):
        start = self.host.normal("start", int(np.prod(model.info.dim))).astype("f8")
        found.append(search(self, value_and_slope, start, restart, seen.budget or self.steps))
    best = min(range(len(found)), key=lambda r: found[r][0])
    self.host.chosen(best, found[best][0])
    return {"reconstruction": found[best][1].reshape(1, *model.info.dim), "labels": label}
