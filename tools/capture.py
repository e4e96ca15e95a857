"""Writes captures, observed updates as files that gauntlet reads (docs/captures.md), from arrays. Needs numpy alone.

    import sys; sys.path.append(".../gauntlet/tools")
    import capture
    capture.write("kept/0", model="lenet", sample=(1, 28, 28), classes=10, before=..., update=..., samples=1)

Arrays are numpy's, or PyTorch's tensors, which are copied. What contradicts itself is refused with a CaptureError;
`gauntlet capture --check FOLDER` then compares with the network, and with the private batch where it is there.
"""
import hashlib
import json
import math
import os

import numpy as np

import safetensors_block

FORMAT, VERSION = "gauntlet capture", 1
STATISTICS = (".running_mean", ".running_var")
COUNTER = ".num_batches_tracked"
DTYPES = {"float32": "F32", "int32": "I32", "int64": "I64", "uint8": "U8"}


class CaptureError(ValueError):
    """Says what is wrong, where, and what was expected."""


def fail(text):
    raise CaptureError(text)


# ---- arrays ----

def array(value, what):
    """A numpy array of a number, an array or a tensor."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.double() if value.is_floating_point() else value).numpy()
    out = np.asarray(value)
    if out.dtype.kind not in "fiub":
        fail(f"{what}: holds {out.dtype}; expected numbers")
    return out


def finite(value, what):
    """The array in double precision."""
    out = array(value, what).astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(out))
    if bad.size:
        fail(f"{what}: entry {bad[0]} is {out.flat[bad[0]]}; expected finite numbers")
    return out


def of_shape(a, shape, what):
    if a.shape != tuple(shape):
        fail(f"{what}: has the shape {list(a.shape)}; expected {list(shape)}")
    return a


def single(a, what):
    """The array in single precision."""
    with np.errstate(over="ignore"):
        out = a.astype(np.float32)
    if not np.isfinite(out).all():
        fail(f"{what}: has numbers beyond single precision")
    return out


def named(tensors, what):
    """Name -> array in double precision, without counters of batches."""
    if not hasattr(tensors, "items"):
        fail(f"{what}: is {type(tensors).__name__}; expected a dictionary of arrays by name, such as a state_dict")
    return {name: finite(value, f"{what}: {name}") for name, value in tensors.items() if not name.endswith(COUNTER)}


def entry(name, a):
    a = np.ascontiguousarray(a).reshape(a.shape)
    return name, DTYPES[a.dtype.name], a.shape, a.astype(a.dtype.newbyteorder("<"), copy=False).tobytes()


# ---- what was observed ----

def sent_of(before, update, after, batch_norm):
    """The update by name: as given, or weights after less weights before."""
    if (update is None) == (after is None):
        fail("expected update or after: the update itself, or the weights after the local steps")
    what = "update" if after is None else "after"
    out = named(update if after is None else after, what)
    for name in out:
        if name not in before:
            fail(f"{what}: has {name}, which before has not; expected the names of the model's tensors")
        of_shape(out[name], before[name].shape, f"{what}: {name}")
        if after is not None:
            out[name] = out[name] - before[name]
    if batch_norm == "evaluation":  # such clients change no running statistics
        out = {name: value for name, value in out.items() if not name.endswith(STATISTICS)}
    return out


def observed(before, sent):
    entries = [entry(f"before.{name}", single(a, f"before: {name}")) for name, a in before.items()]
    entries += [entry(f"update.{name}", single(a, f"update: {name}")) for name, a in sent.items()]
    return safetensors_block.pack(entries)


# ---- the private batch ----

def labels(y, rows, classes):
    """Soft labels, of numbers of classes or of labels as they are."""
    y = finite(y, "private: y")
    if y.ndim == 1:
        of_shape(y, (rows,), "private: y")
        if ((y != np.floor(y)) | (y < 0) | (y >= classes)).any():
            fail(f"private: y: has numbers other than 0 to {classes - 1}; expected the classes of the samples")
        y = np.eye(classes)[y.astype(np.int64)]
    of_shape(y, (rows, classes), "private: y")
    if (y < 0).any() or (y > 1).any():
        fail("private: y: has values outside of 0 to 1; expected classes, or shares of classes")
    return y


def whole(value, shape, low, high, dtype, what):
    a = of_shape(finite(value, what), shape, what)
    if ((a != np.floor(a)) | (a < low) | (a > high)).any():
        fail(f"{what}: has numbers other than {low} to {high}")
    return a.astype(dtype)


def private_entries(private, model, training, attributes):
    known = {"x", "y", "labels", "a", "mask", "rates", "order"}
    if set(private) - known or not {"x", "y"} <= set(private):
        fail(f"private: has {', '.join(sorted(private)) or 'nothing'}; expected x and y, and of labels, a, mask, rates, "
             "order what is known")
    x = finite(private["x"], "private: x")
    rows, sample = x.shape[0] if x.ndim else 0, model["sample"]
    of_shape(x, [rows, *sample], "private: x")
    if rows < 1:
        fail("private: x: has no samples")
    if (x < 0).any() or (x > 1).any():
        fail("private: x: has values outside of 0 to 1; expected samples before any normalisation, which the keywords mean and "
             "deviation describe")
    steps = training["local_steps"]
    out = [entry("x", single(x, "private: x")), entry("y", single(labels(private["y"], rows, model["classes"]), "private: y"))]
    if "labels" in private:
        shape = (training["samples"], model["classes"])
        out.append(entry("labels", single(of_shape(finite(private["labels"], "private: labels"), shape, "private: labels"),
                                          "private: labels")))
    if "a" in private:
        if not attributes:
            fail("private: a: has values of attributes; expected the keyword attributes, which names them")
        out.append(entry("a", whole(private["a"], (rows, len(attributes)), 0, max(a["values"] for a in attributes) - 1,
                                    np.int32, "private: a")))
    if "mask" in private:
        if len(sample) != 3:
            fail("private: mask: is of samples that are no images")
        out.append(entry("mask", whole(private["mask"], (rows, *sample[1:]), 0, 1, np.uint8, "private: mask")))
    if "rates" in private:
        out.append(entry("rates", single(of_shape(finite(private["rates"], "private: rates"), (steps,), "private: rates"),
                                         "private: rates")))
    if "order" in private:
        out.append(entry("order", whole(private["order"], (steps, training["batch"]), 0, rows - 1, np.int64,
                                        "private: order")))
    return out


# ---- settings ----

def architecture(model):
    """The model's JSON and its name: given as an object, as a path of a .json file, or as a model of the repository."""
    if isinstance(model, dict):
        return model, "model"
    path = os.fspath(model)
    if not path.endswith(".json"):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", path + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            out = json.load(file)
    except OSError as error:
        fail(f"model: {path}: {error.strerror}; expected a model of the repository, the path of a .json file, or its content")
    except ValueError as error:
        fail(f"model: {path}: is no JSON: {error}")
    return out, os.path.basename(path)[:-len(".json")]


def count(value, least, what):
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        fail(f"{what}: is {value!r}; expected a whole number from {least}")
    return int(value)


def number(value, what):
    value = float(value)
    if not math.isfinite(value):
        fail(f"{what}: is {value}; expected a finite number")
    return value


def training_of(samples, local_steps, batch, rate, momentum, decay, optimizer, batch_norm, augmented):
    out = {"samples": count(samples, 1, "samples"), "local_steps": count(local_steps, 0, "local_steps")}
    out["batch"] = out["samples"] if batch is None else count(batch, 1, "batch")
    if rate is not None:
        out["rate"] = number(rate, "rate")
    if out["local_steps"] == 0 and out["batch"] != out["samples"]:
        fail(f"batch: is {batch}, but one gradient of {samples} samples was computed (local_steps is 0)")
    if out["local_steps"] == 0 and (momentum or decay):
        fail("momentum and decay: belong to local steps; local_steps is 0, which means one gradient")
    if optimizer == "adam" and momentum:
        fail("momentum: is for the optimizer sgd, but it is adam")
    if out["local_steps"] and not out.get("rate", 0) > 0:
        fail("rate: expected the learning rate of the local steps, a number above 0")
    if out["local_steps"] and out["local_steps"] * out["batch"] < out["samples"]:
        fail(f"samples: is {samples}, but {local_steps} steps of {out['batch']} use {out['local_steps'] * out['batch']} at most")
    for word, words, what in (optimizer, ("sgd", "adam", "other"), "optimizer"), (batch_norm, ("training", "evaluation"), "batch_norm"):
        if word not in words:
            fail(f"{what}: is {word!r}; expected one of {', '.join(words)}")
    return {**out, "optimizer": optimizer, "momentum": number(momentum, "momentum"), "decay": number(decay, "decay"),
            "batch_norm": batch_norm, "augmented": bool(augmented)}


def model_of(model, name, sample, classes, mean, deviation):
    json_of, known = architecture(model)
    out = {"name": name or known, "architecture": json_of, "sample": [count(side, 1, "sample") for side in sample],
           "classes": count(classes, 1, "classes")}
    if len(out["sample"]) not in (1, 3):
        fail(f"sample: is {out['sample']}; expected (features,) or (channels, height, width)")
    if (mean is None) != (deviation is None):
        fail("mean and deviation: expected both, or neither")
    for key, values in ("mean", mean), ("deviation", deviation):
        if values is not None:
            out[key] = [number(value, key) for value in values]
            if len(out[key]) != out["sample"][0]:
                fail(f"{key}: has {len(out[key])} numbers; expected one for each of the {out['sample'][0]} "
                     f"{'channels' if len(out['sample']) == 3 else 'features'} of a sample")
    return out


def attributes_of(attributes):
    """Name -> number of values, as a list of objects."""
    return [{"name": name, "values": count(values, 1, f"attributes: {name}")} for name, values in (attributes or {}).items()]


def write(folder, *, model, sample, classes, before, samples, update=None, after=None, local_steps=0, batch=None, rate=None,
          momentum=0, decay=0, optimizer="sgd", batch_norm="training", augmented=False, mean=None, deviation=None, name=None,
          about=None, data_kind=None, federation=None, goals=None, attributes=None, attribute=None, defense=None, private=None):
    """Writes a capture into a folder that has none. Keywords are the keys of capture.json (docs/captures.md), but for:

    model       a model of the repository, the path of a JSON file, or its content as a dictionary
    before      arrays by name, as a state_dict: weights and running statistics that the client started from
    update      arrays by name: the gradient, or weights after less weights before; running statistics too, if sent
    after       in its place: weights and, if sent, running statistics after the local steps
    attributes  a dictionary: number of values by name
    defense     a list of {"id", "version", "params"}; []: there was none; None: not known
    private     the private batch, to be written into a file of its own: a dictionary of x (samples in [0, 1]), y
                (classes, or shares of classes), and where known labels, a, mask, rates, order
    """
    settings = {"format": FORMAT, "version": VERSION, "about": about, "surface": "update", "data_kind": data_kind,
                "model": model_of(model, name, sample, classes, mean, deviation),
                "training": training_of(samples, local_steps, batch, rate, momentum, decay, optimizer, batch_norm, augmented),
                "federation": federation, "goals": goals, "attributes": attributes_of(attributes), "attribute": attribute,
                "defense": defense}
    settings = {key: value for key, value in settings.items() if value is not None}
    before = named(before, "before")
    tensors = observed(before, sent_of(before, update, after, batch_norm))
    batch_entries = None
    if private is not None:
        batch_entries = private_entries(private, settings["model"], settings["training"], settings["attributes"])
    text = json.dumps(settings, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, name) for name in ("capture.json", "observed.safetensors", "private.safetensors")]
    for path in paths:
        if os.path.exists(path):
            fail(f"{path}: is there already; name a folder without a capture")
    safetensors_block.write(paths[1], tensors)
    if batch_entries is not None:
        of = hashlib.blake2b(tensors, digest_size=32).hexdigest()
        safetensors_block.write(paths[2], safetensors_block.pack(batch_entries, json.dumps({"observed": of})))
    safetensors_block.write(paths[0], text.encode())


if __name__ == "__main__":
    print(__doc__.strip())
