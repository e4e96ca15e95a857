"""Reads what torch.save wrote, both the zip files and the older bare pickles, without running anything from it.

torch.load is not used: in PyTorch 1.13 it takes any class a file names unless weights_only is set, and then it refuses
plain floats, which many checkpoints hold beside their weights. Here only the names in Plain.find_class are known, and
none of them is code from the file or from torch.
"""
import collections
import pickle
import struct
import zipfile

import torch

MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001

STORAGES = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}


class Refused(Exception):
    """The file is not a whole checkpoint of plain tensors; the text says why."""


class Lazy:
    """A tensor whose storage is not read yet."""

    def __init__(self, storage, offset, size, stride, *_ignored):
        if not isinstance(storage, Storage):
            raise Refused("a tensor has no storage")
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def tensor(self):
        data = self.storage.data
        if len(data) == 0:
            return torch.empty(self.size, dtype=self.storage.dtype)
        flat = torch.frombuffer(bytearray(data), dtype=self.storage.dtype)
        return flat.as_strided(self.size, self.stride, self.offset).clone()


class Storage:
    def __init__(self, dtype, key, count):
        self.dtype, self.key, self.count, self.data = dtype, key, count, b""

    def bytes(self):
        return self.count * torch.empty(0, dtype=self.dtype).element_size()


def parameter(data, *_ignored):
    return data


class Plain(pickle.Unpickler):
    def __init__(self, file, storages):
        super().__init__(file, encoding="utf-8")
        self.storages = storages

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch", "Size"):
            return tuple
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        if module == "torch._utils" and name in ("_rebuild_tensor", "_rebuild_tensor_v2"):
            return Lazy
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return parameter
        raise Refused(f"it asks for {module}.{name}, which is not among the plain things that are read")

    def persistent_load(self, saved):
        kind, dtype, key, _device, count = saved[:5]
        view = saved[5] if len(saved) > 5 else None
        if kind != "storage" or not isinstance(dtype, torch.dtype) or not isinstance(count, int) or count < 0 or view:
            raise Refused(f"it holds a storage of an unknown kind ({kind})")
        return self.storages.setdefault(key, Storage(dtype, key, count))


def read_zip(file):
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        pickles = [n for n in names if n.count("/") == 1 and n.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise Refused("the zip file has no data.pkl as torch.save writes it")
        prefix = pickles[0][: -len("data.pkl")]
        order = prefix + "byteorder"
        if order in names and archive.read(order).strip() != b"little":
            raise Refused("its numbers are not little-endian")
        storages = {}
        with archive.open(pickles[0]) as inner:
            value = Plain(inner, storages).load()
        for key, storage in storages.items():
            record = f"{prefix}data/{key}"
            if record not in names or archive.getinfo(record).file_size < storage.bytes():
                raise Refused(f"storage {key} is missing or cut")
            storage.data = archive.read(record)
        return value


def read_legacy(file):
    """Five pickles (magic, protocol, machine, the object, keys of storages), then each storage: count, data."""
    storages = {}
    head = [Plain(file, storages).load() for _ in range(3)]
    if head[0] != MAGIC or head[1] != PROTOCOL or not isinstance(head[2], dict) or not head[2].get("little_endian"):
        raise Refused("it does not begin as torch.save's files do")
    value = Plain(file, storages).load()
    for key in Plain(file, storages).load():
        storage = storages.get(key)
        count = file.read(8)
        if storage is None or len(count) < 8 or struct.unpack("<q", count)[0] != storage.count:
            raise Refused(f"storage {key} is unknown or of another size than stated")
        storage.data = file.read(storage.bytes())
        if len(storage.data) < storage.bytes():
            raise Refused(f"storage {key} is cut: {len(storage.data)} of {storage.bytes()} bytes")
    missing = [s.key for s in storages.values() if len(s.data) < s.bytes()]
    if missing:
        raise Refused(f"storage {missing[0]} is missing")
    return value


def resolve(value):
    """Tensors in place of what stood for them, in plain dicts and lists."""
    if isinstance(value, Lazy):
        return value.tensor()
    if isinstance(value, dict):
        return {key: resolve(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [resolve(entry) for entry in value]
    return value


def read(path):
    """The checkpoint: dicts, lists, numbers, text and tensors. Raises OSError or Refused."""
    with open(path, "rb") as file:
        is_zip = file.read(4) == b"PK\x03\x04"
        file.seek(0)
        try:
            return resolve(read_zip(file) if is_zip else read_legacy(file))
        except (Refused, OSError):
            raise
        except Exception as error:  # pickle and zipfile raise nearly anything on a damaged file
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise Refused(reason[:300]) from None
