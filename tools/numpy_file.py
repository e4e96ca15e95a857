"""Reads what numpy.savez wrote: named arrays, as tensors. Nothing pickled is read."""
import zipfile
import zlib

import numpy as np
import torch


def is_npz(path):
    """A zip file of .npy files and nothing else."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def read(path):
    """Name -> tensor. Raises OSError or ValueError."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: tensor(name, arrays[name]) for name in arrays.files}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
        raise ValueError(str(error) or "it is cut") from None


def tensor(name, array):
    native = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("="), copy=False).reshape(array.shape)
    try:
        return torch.from_numpy(native)
    except TypeError:
        raise ValueError(f"array {name} holds {array.dtype}") from None
