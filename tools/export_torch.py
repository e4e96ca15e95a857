#!/usr/bin/python3
"""Turns a PyTorch checkpoint into safetensors that gauntlet reads.

Both kinds of checkpoint are read, zip files and the older bare pickles, and only tensors and plain values are built
from them. A checkpoint that needs anything else is refused, so one from a stranger runs no code. NumPy's .npz and
safetensors are read too, names and layouts as they are.

From Python, export_torch.export(module, (3, 32, 32), "mine") writes a live nn.Module as mine.json, a model, and
mine.safetensors, its weights.
"""
import argparse
import inspect
import os
import struct
import subprocess
import sys
import tempfile
import warnings

WRAPPERS = ("state_dict", "model_state_dict", "model")  # preferred where there are several tables
PREFIXES = ("module.", "_orig_mod.", "_module.")  # added by DataParallel, by torch.compile, and by Opacus
MOST_NESTED = 8


def fail(text):
    sys.exit(f"export_torch: {text}")


try:
    import torch
except ImportError:
    fail("needs PyTorch: apt install python3-torch (this program is run by /usr/bin/python3)")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy_file  # noqa: E402  (files beside this one)
import safetensors  # noqa: E402
import torch_file  # noqa: E402


def load(path):
    try:
        if numpy_file.is_npz(path):
            return numpy_file.read(path)
        if path.endswith(".safetensors"):
            return safetensors.load(path)[0]
        return torch_file.read(path)
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError, struct.error) as error:
        fail(f"{path}: not a whole file of named tensors: {error}")
    except torch_file.Refused as error:
        fail(f"{path}: not a whole checkpoint of plain tensors: {error}")


def is_state(value):
    return isinstance(value, dict) and any(isinstance(v, torch.Tensor) for v in value.values())


def tables_in(value, place=(), depth=0):
    """The tables of tensors within a checkpoint: (keys on the way, table)."""
    if not isinstance(value, dict) or depth > MOST_NESTED:
        return []
    inside = [found for key in value if isinstance(key, str)  # an optimizer numbers its parameters
              for found in tables_in(value[key], place + (key,), depth + 1)]
    return inside or ([(place, value)] if is_state(value) else [])


def find_state(checkpoint, key, path):
    """The name -> tensor table, wherever it is. `key`: keys with dots between them."""
    has = ", ".join(map(str, list(checkpoint)[:10])) if isinstance(checkpoint, dict) else type(checkpoint).__name__
    if key is not None:
        inner = checkpoint
        for part in [key] if isinstance(checkpoint, dict) and key in checkpoint else key.split("."):
            if not isinstance(inner, dict) or part not in inner:
                fail(f"{path}: there is no \"{key}\" in it; it has {has or 'nothing'}")
            inner = inner[part]
        if not is_state(inner):
            fail(f"{path}: what is there is no table of tensors but {type(inner).__name__}")
        return inner
    tables = tables_in(checkpoint)
    if not tables:
        fail(f"{path}: found no table of tensors in it; it has {has or 'nothing'}")
    preferred = [table for wrapper in WRAPPERS for place, table in tables if place[-1:] == (wrapper,)]
    if len(tables) > 1 and not preferred:
        places = " or ".join(f"--key {'.'.join(place)}" for place, _ in tables[:5])
        fail(f"{path}: it has {len(tables)} tables of tensors; name one with {places}")
    return preferred[0] if preferred else tables[0][1]


def wrapped(names):
    """The prefixes that wrappers added to every name, one after another."""
    found = ""
    while names and any(all(name.startswith(found + prefix) for name in names) for prefix in PREFIXES):
        found += next(prefix for prefix in PREFIXES if all(name.startswith(found + prefix) for name in names))
    return found


def cut_of(names, strip, path):
    """How much is taken off every name."""
    if strip is None:
        return len(wrapped(names))
    if all(name.startswith(strip) for name in names):
        return len(strip)
    outer = wrapped(names)
    if all(name.startswith(outer + strip) for name in names):
        return len(outer + strip)
    if strip and outer.endswith(strip):
        return len(outer)
    lacking = next(name for name in names if not name.startswith(strip))
    fail(f"{path}: tensor {lacking} does not begin with {strip}, which --strip is to take off every name")


def unwrapped(names):
    """Names without what torch.compile and Opacus put inside them, unless two would then be the same."""
    cut = [name.replace("._orig_mod.", ".").replace("._module.", ".") for name in names]
    return cut if len(set(cut)) == len(cut) else names


def clean(state, strip, path):
    """Checked tensors under their final names. `strip` is taken off all; None: what wrappers put before all."""
    tensors = {}
    cut = cut_of([str(name) for name in state], strip, path)
    final = unwrapped([str(name)[cut:] for name in state])
    for (name, value), short in zip(state.items(), final):
        if not isinstance(name, str) or not isinstance(value, torch.Tensor):
            fail(f"{path}: {name} is no named tensor but {type(value).__name__}")
        if value.dtype not in safetensors.TYPES:
            fail(f"{path}: tensor {name} is {value.dtype}; {', '.join(map(str, safetensors.TYPES))} can be exported")
        tensors[short] = value
    return tensors


# ---- a live network


def program():
    """gauntlet as built next to this file, or as installed."""
    built = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "gauntlet")
    return built if os.path.exists(built) else "gauntlet"


def export(module, sample, out, gauntlet=None):
    """Writes OUT.json and OUT.safetensors of a network for samples of this shape. Raises ValueError with gauntlet's
    sentence for one with layers that gauntlet has not. `gauntlet`: the program."""
    while True:
        inner = next((getattr(module, name) for name in ("_orig_mod", "_module") if hasattr(module, name)), None)
        if inner is None and isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
            inner = module.module
        if inner is None:
            break
        module = inner
    modes = [(part, part.training) for part in module.modules()]
    place = next(iter(module.parameters())).device
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = os.path.join(folder, "net.onnx")
        module.eval()
        try:
            more = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
            torch.onnx.export(module, torch.zeros(1, *sample, device=place), path, opset_version=17,
                              training=torch.onnx.TrainingMode.PRESERVE, **more)
        finally:
            for part, training in modes:
                part.training = training
        done = subprocess.run([gauntlet or program(), "model", "import", path, "-o", out], text=True, capture_output=True)
    if done.returncode:
        raise ValueError(done.stderr.strip().replace(path, type(module).__name__))
    sys.stderr.write(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", help="what torch.save wrote: a state_dict, or a table that holds one; or .npz, "
                        ".safetensors")
    parser.add_argument("out", nargs="?", help="the safetensors file to write; without it the tensors are only listed")
    parser.add_argument("--key", help="the entry with the weights, keys with dots between them (default: the one table of "
                        "tensors, wherever it is; of several that under " + ", ".join(WRAPPERS) + ")")
    parser.add_argument("--strip", metavar="PREFIX", help="prefix taken off every name, such as backbone. (default: "
                        + ", ".join(PREFIXES) + ", which DataParallel, torch.compile and Opacus add, where every name has them)")
    args = parser.parse_args()
    tensors = clean(find_state(load(args.checkpoint), args.key, args.checkpoint), args.strip, args.checkpoint)
    if args.out is None:
        for name, tensor in tensors.items():
            print(f"{name}\t{safetensors.TYPES[tensor.dtype]}\t{'x'.join(map(str, tensor.shape)) or 'scalar'}")
        return
    try:
        safetensors.save(args.out, tensors)
    except OSError as error:
        fail(f"{args.out}: {error.strerror}")


if __name__ == "__main__":
    main()
