"""The bytes of a safetensors file, of named arrays as bytes. No package beyond Python's own.

Layout: u64 little-endian header size, JSON header padded with spaces to a multiple of 8, data in header order.
The same entries in the same order always give the same bytes.
"""
import json
import os
import struct


def pack(entries, metadata=None):
    """`entries`: (name, dtype such as "F32", shape, bytes). `metadata`: JSON text of one object for gauntlet, or None."""
    header, pieces, at = {}, [], 0
    if metadata is not None:
        header["__metadata__"] = {"gauntlet": metadata}
    for name, dtype, shape, data in entries:
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        pieces.append(data)
        at += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(pieces)


def write(path, data):
    """Writes the whole file or nothing."""
    beside = f"{path}.part"
    try:
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
