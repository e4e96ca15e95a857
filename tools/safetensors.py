"""safetensors without the package of that name: named tensors in, one block of bytes out (safetensors_block.py)."""
import json
import struct

import torch

import safetensors_block

TYPES = {
    torch.float32: "F32",
    torch.float64: "F64",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int32: "I32",
    torch.int64: "I64",
    torch.uint8: "U8",
}


def to_bytes(tensors, metadata=None):
    """`tensors`: name -> torch tensor. `metadata`: JSON text of one object for gauntlet, or None."""
    entries = []
    for name, tensor in tensors.items():
        if tensor.dtype not in TYPES:
            raise ValueError(f"tensor {name} is {tensor.dtype}; {', '.join(map(str, TYPES))} can be written")
        data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        entries.append((name, TYPES[tensor.dtype], tensor.shape, data))
    return safetensors_block.pack(entries, metadata)


def load(path):
    """Named tensors, and the JSON text of gauntlet's metadata or None. For files one trusts."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {}).get("gauntlet")
    types = {name: dtype for dtype, name in TYPES.items()}
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        dtype = types[entry["dtype"]]
        if start == end:
            tensors[name] = torch.empty(entry["shape"], dtype=dtype)
            continue
        # a copy of its own, so that it is aligned as PyTorch's tensors are
        flat = torch.frombuffer(data, dtype=torch.uint8, offset=8 + size + start, count=end - start).clone()
        tensors[name] = flat.view(dtype).reshape(entry["shape"])
    return tensors, metadata


def save(path, tensors, metadata=None):
    """Writes the whole file or nothing."""
    safetensors_block.write(path, to_bytes(tensors, metadata))
