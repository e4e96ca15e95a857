"""Captures by tools/capture.py: python3 captures.py FOLDER writes some, and prints a line for each input that is refused.

The network is one dense layer, whose gradient is computed here: the host must find the same.
"""
import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import capture  # noqa: E402

CLASSES, FEATURES, ROWS = 3, 5, 4
MODEL = {"layers": [{"type": "dense", "name": "fc", "out": "classes"}]}
random = np.random.default_rng(1)
x, y = random.random((ROWS, FEATURES)), np.array([0, 2, 1, 2])
before = {"fc.weight": random.normal(size=(CLASSES, FEATURES)), "fc.bias": random.normal(size=CLASSES)}


def gradient(weights, rows):
    """Of the mean cross entropy of softmax regression."""
    scores = x[rows] @ weights["fc.weight"].T + weights["fc.bias"]
    p = np.exp(scores - scores.max(1, keepdims=True))
    error = (p / p.sum(1, keepdims=True) - np.eye(CLASSES)[y[rows]]) / len(rows)
    return {"fc.weight": error.T @ x[rows], "fc.bias": error.sum(0)}


def steps(order, rate, momentum, decay, start=None):
    weights, speed = dict(start or before), {name: 0 for name in before}
    for rows in order:
        g = gradient(weights, rows)
        for name in weights:
            speed[name] = momentum * speed[name] + g[name] + decay * weights[name]
            weights[name] = weights[name] - rate * speed[name]
    return weights


folder = sys.argv[1]
usual = {"model": MODEL, "name": "regression", "sample": (FEATURES,), "classes": CLASSES, "before": before, "samples": ROWS,
         "defense": []}
private = {"x": x, "y": y}
one = gradient(before, np.arange(ROWS))
order = np.array([[0, 1], [2, 3], [1, 0]])
local = {**usual, "local_steps": 3, "batch": 2, "rate": 0.1, "momentum": 0.9, "decay": 0.01}

capture.write(f"{folder}/gradient", **usual, update=one, private=private)
capture.write(f"{folder}/steps", **local, after=steps(order, 0.1, 0.9, 0.01), private={**private, "order": order},
              federation={"round": 3, "client": 7}, about="three steps, é")
five = np.array([[0, 1], [2, 3], [0, 1], [2, 3], [0, 1]])
fedavg = {**local, "local_steps": 5, "private": private}
once = steps(five, 0.1, 0.9, 0.01)
capture.write(f"{folder}/fedavg", **fedavg, after=once, federation={"round": 3, "client": 7, "clients": 100})
capture.write(f"{folder}/later", **{**fedavg, "before": once}, after=steps(five, 0.1, 0.9, 0.01, once),
              federation={"round": 4, "client": 7, "clients": 100})
capture.write(f"{folder}/rest", **usual, update={k: v.astype(np.float32) for k, v in one.items()}, goals=["reconstruction", "attribute"],
              attributes={"sex": 2}, attribute="sex",
              private={**private, "y": np.eye(CLASSES)[y], "a": [[0], [1], [1], [0]]})
capture.write(f"{folder}/summed", **usual, update={k: ROWS * v for k, v in one.items()}, private=private)
capture.write(f"{folder}/withheld", **{**usual, "defense": None}, update=one)


def refused(name, text, *, base=usual, drop=(), **changes):
    """Prints what is said if that is not the text, or nothing."""
    given = {**base, "update": one, **changes}
    given = {key: value for key, value in given.items() if key not in drop}
    try:
        capture.write(f"{folder}/refused", **given)
        said = "nothing"
    except capture.CaptureError as error:
        said = str(error)
    print(f"ok {name}" if text in said else f"not ok {name}: said \"{said}\", expected \"{text}\"")


refused("py-no-update", "expected update or after", drop=("update",))
refused("py-two-updates", "expected update or after", after=before)
refused("py-a-name-too-many", "update: has fc2.bias, which before has not", update={**one, "fc2.bias": one["fc.bias"]})
refused("py-another-shape", "update: fc.bias: has the shape [2]; expected [3]", update={**one, "fc.bias": np.zeros(2)})
refused("py-not-finite", "update: fc.bias: entry 1 is nan", update={**one, "fc.bias": [0, np.nan, 0]})
refused("py-beyond-single-precision", "update: fc.bias: has numbers beyond single precision", update={**one, "fc.bias": [0, 1e300, 0]})
refused("py-no-numbers", "before: fc.bias: holds <U1; expected numbers", before={**before, "fc.bias": np.array(["a"])})
refused("py-a-list-of-weights", "before: is list; expected a dictionary of arrays by name", before=[1])
refused("py-no-such-model", "expected a model of the repository", model="lenett")
refused("py-samples-of-nothing", "samples: is 0; expected a whole number from 1", samples=0)
refused("py-a-batch-of-one-gradient", "batch: is 2, but one gradient of 4 samples was computed", batch=2)
refused("py-momentum-of-one-gradient", "momentum and decay: belong to local steps", momentum=0.9)
refused("py-steps-without-a-rate", "rate: expected the learning rate", base=local, rate=None)
refused("py-too-few-steps", "samples: is 9, but 3 steps of 2 use 6 at most", base=local, samples=9)
refused("py-an-unknown-optimizer", "optimizer: is 'lion'; expected one of sgd, adam, other", optimizer="lion")
refused("py-a-mean-alone", "mean and deviation: expected both, or neither", mean=[0.5] * FEATURES)
refused("py-normalised-samples", "private: x: has values outside of 0 to 1", private={**private, "x": x - 0.5})
refused("py-samples-of-another-shape", "private: x: has the shape [4, 4]; expected [4, 5]", private={**private, "x": x[:, 1:]})
refused("py-a-class-too-many", "private: y: has numbers other than 0 to 2", private={**private, "y": y + 1})
refused("py-no-labels", "private: has x; expected x and y", private={"x": x})
refused("py-attributes-without-names", "private: a: has values of attributes", private={**private, "a": [[0]] * 4})
refused("py-a-mask-of-a-table", "private: mask: is of samples that are no images", private={**private, "mask": x})
refused("py-an-order-beyond-the-samples", "private: order: has numbers other than 0 to 3", base=local,
        private={**private, "order": order + 2})
os.makedirs(f"{folder}/refused", exist_ok=True)
print("ok py-nothing-is-left" if not os.listdir(f"{folder}/refused") else "not ok py-nothing-is-left")
