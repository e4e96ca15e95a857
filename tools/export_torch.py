#!/usr/bin/python3
"""Turns a PyTorch checkpoint into safetensors that gauntlet reads.

Both kinds of checkpoint are read, zip files and the older bare pickles, and only tensors and plain values are built
from them. A checkpoint that asks for anything else is refused, so one from a stranger runs no code. NumPy's .npz and
safetensors are read too, names and layouts as they are.
"""
import argparse
import os
import struct
import sys

WRAPPERS = ("state_dict", "model_state_dict", "model")
PREFIXES = ("module.", "_orig_mod.")  # added by DataParallel, and by torch.compile


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


def find_state(checkpoint, key, path):
    """The name -> tensor table, unwrapped."""
    if key is not None:
        if not isinstance(checkpoint, dict) or key not in checkpoint:
            has = ", ".join(map(str, list(checkpoint)[:10])) if isinstance(checkpoint, dict) else type(checkpoint).__name__
            fail(f"{path}: there is no \"{key}\" in it; it holds {has}")
        checkpoint = checkpoint[key]
    elif isinstance(checkpoint, dict) and not is_state(checkpoint):
        inner = [name for name in WRAPPERS if is_state(checkpoint.get(name))]
        if not inner:
            has = ", ".join(str(name) for name in list(checkpoint)[:10]) or "nothing"
            tables = [str(name) for name in checkpoint if is_state(checkpoint[name])]
            place = f"--key {tables[0]}" if tables else "--key"
            fail(f"{path}: found no table of tensors in it, nor under {', '.join(WRAPPERS)}; it holds {has}; "
                 f"name its place with {place}")
        checkpoint = checkpoint[inner[0]]
    if not is_state(checkpoint):
        fail(f"{path}: what is there is no table of tensors but {type(checkpoint).__name__}")
    return checkpoint


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


def clean(state, strip, path):
    """Checked tensors under their final names. `strip` is taken off all; None: what wrappers put before all."""
    tensors = {}
    cut = cut_of([str(name) for name in state], strip, path)
    for name, value in state.items():
        if not isinstance(name, str) or not isinstance(value, torch.Tensor):
            fail(f"{path}: {name} is no named tensor but {type(value).__name__}")
        if value.dtype not in safetensors.TYPES:
            fail(f"{path}: tensor {name} is {value.dtype}; {', '.join(map(str, safetensors.TYPES))} can be exported")
        tensors[name[cut:]] = value
    return tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", help="what torch.save wrote: a state_dict, or a table that holds one; or .npz, "
                        ".safetensors")
    parser.add_argument("out", nargs="?", help="the safetensors file to write; without it the tensors are only listed")
    parser.add_argument("--key", help="the entry that holds the weights (default: the table itself, else the first of "
                        + ", ".join(WRAPPERS) + ")")
    parser.add_argument("--strip", metavar="PREFIX", help="prefix taken off every name, such as backbone. (default: "
                        + " and ".join(PREFIXES) + ", which DataParallel and torch.compile add, where every name has them)")
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
