"""safetensors without the package of that name: named tensors in, one block of bytes out.

Layout: u64 little-endian header size, JSON header padded with spaces to a multiple of 8, data in header order.
The same tensors in the same order always give the same bytes.
"""
import json
import os
import struct

import torch

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
    header, pieces, at = {}, [], 0
    if metadata is not None:
        header["__metadata__"] = {"gauntlet": metadata}
    for name, tensor in tensors.items():
        if tensor.dtype not in TYPES:
            raise ValueError(f"tensor {name} is {tensor.dtype}; {', '.join(map(str, TYPES))} can be written")
        data = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        header[name] = {
            "dtype": TYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [at, at + len(data)],
        }
        pieces.append(data)
        at += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(pieces)


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
    beside = f"{path}.part"
    try:
        with open(beside, "wb") as file:
            file.write(to_bytes(tensors, metadata))
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
