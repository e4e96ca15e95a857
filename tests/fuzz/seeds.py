#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/corpus/, small files that are nearly or wholly right, from which searches start.

  tests/fuzz/seeds.py     run after a format changes; files called found-* are inputs that once broke a harness, and stay
"""
import glob
import gzip
import io
import json
import os
import struct
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
made = {}


def put(harness, name, content):
    folder = os.path.join(HERE, "corpus", harness)
    os.makedirs(folder, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    made.setdefault(harness, set()).add(name)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(content)


def text(value):
    return json.dumps(value, indent=None, ensure_ascii=False)


def bundle(tensors, metadata=None):
    """Safetensors of {name: (dtype, shape, bytes)}."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = {"gauntlet": text(metadata)}
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = text(header).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


# ---- documents

for name, path, document in [
    ("object", "none", {"none": 1, "matched": [1, 2.5, -0.0, 1e300], "sweep": {"a": None, "b": True}}),
    ("path", "sweep[1].a", {"sweep": [0, {"a": "\u00e9 \\ \" \n"}]}),
    ("quoted-key", "[\"a b\"][0]", {"a b": [[[[]]]]}),
    ("number", "", 0.1),
]:
    put("json", name, path + "\n%%\n" + text(document))
for i, broken in enumerate(['{"a": 1,}', "{'a': 1}", '{"a": NaN}', '{"a": 1 "b": 2}', '{"a": 1, "a": 2}', "[1, 2", "// no",
                            '{"a": "\\u0000"}', '{"a": 1e999}', "\ufeff{}", '{"a": tru}', '{"a" 1}', '["\\q"]', "{} x",
                            "[" * 40, '{"a": "b\n"}', '{"none": 7.0}', '{"noen": 7}']):
    put("json", "broken-%02d" % i, "a\n%%\n" + broken)

# ---- safetensors

f32 = ("F32", [2, 3], floats(0, 1, 2, 3, 4, 5))
put("safetensors", "plain", bundle({"a": f32, "b.weight": ("I64", [1], struct.pack("<q", -1))}))
put("safetensors", "types", bundle({"h": ("F16", [2], b"\x00\x3c\x01\x00"), "g": ("BF16", [1], b"\x80\x3f"),
                                    "i": ("I32", [1], b"\0" * 4), "u": ("U8", [3], b"abc"), "d": ("F64", [], b"\0" * 8)}))
put("safetensors", "metadata", bundle({"x": ("U8", [0, 5], b"")}, {"targets": [1, 2, {"a": None}]}))
put("safetensors", "empty", bundle({}))
put("safetensors", "hole", struct.pack("<Q", 58) + b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}     ' + b"xy")
put("safetensors", "short", b"\x08\0\0\0\0\0\0\0{}")

# ---- models

for path in sorted(glob.glob(os.path.join(TOP, "models", "*.json"))):
    name = os.path.basename(path)[:-5]
    sample = {"convnet": 1, "recup_adult": 2, "mlp": 2, "resnet20": 1}.get(name, 0)
    with open(path, "rb") as f:
        content = f.read()
    if name in ("convnet", "lenet", "mlp", "recup_adult", "recup_audiomnist", "resnet20"):
        put("model", name, bytes([sample]) + text(json.loads(content)).encode())
layers = {"every": [{"type": "conv", "name": "c1", "out": 4, "kernel": [3, 1], "stride": 2, "pad": 1, "bias": False},
                    {"type": "batch_norm", "name": "bn", "eps": 1e-3}, {"type": "relu"}, {"type": "max_pool", "kernel": 2, "ceil": True},
                    {"type": "residual", "body": [{"type": "conv", "name": "c2", "out": 4, "kernel": 1}], "shortcut": "identity"},
                    {"type": "concat", "branches": [[{"type": "tanh"}], [{"type": "conv", "name": "c3", "out": 2, "kernel": 1}]]},
                    {"type": "avg_pool", "kernel": 2}, {"type": "flatten"}, {"type": "dense", "name": "fc", "out": "classes"}],
          "repeat": [{"type": "repeat", "times": 2, "from": 1, "body": [{"type": "residual", "name": "b#", "first": {"shortcut": [
                        {"type": "conv_transpose", "name": "down", "out": 4, "kernel": 1}]}, "body": [
                        {"type": "conv", "name": "c", "out": 4, "kernel": [3, 1], "pad": [1, 0]}]}]},
                     {"type": "conv", "name": "d", "out": 8, "kernel": 3, "dilation": 2, "groups": "channels"},
                     {"type": "group_norm", "name": "g", "groups": 2}, {"type": "gelu", "approximate": "tanh"},
                     {"type": "conv_transpose", "name": "t", "out": 2, "kernel": 3, "stride": 2, "out_pad": [1, 0], "groups": 2},
                     {"type": "layer_norm", "name": "l", "over": "channels", "affine": False}, {"type": "silu"}, {"type": "softmax"},
                     {"type": "adaptive_avg_pool", "size": [2, 3]}, {"type": "flatten"}, {"type": "dense", "name": "fc", "out": "classes"}],
          "map": [{"type": "flatten"}, {"type": "dense", "name": "d", "out": 10}, {"type": "sigmoid"}]}
put("model", "every", b"\0" + text({"layers": layers["every"], "init": {"kind": "uniform", "bound": 0.5}}).encode())
put("model", "repeat", b"\0" + text({"layers": layers["repeat"]}).encode())
put("model", "map", b"\0" + text({"layers": layers["map"], "loss": "mse", "output": "map", "representation": "flatten"}).encode())
put("model", "share", b"\2" + text({"layers": [{"type": "dense", "name": "a", "out": 5}, {"type": "dense", "name": "b",
                                   "out": "classes"}], "share": ["a"]}).encode())

# ---- networks in the ONNX format


def pb(*fields):
    """A protobuf message of (number, value): integers, bytes and texts."""
    def varint(n):
        out = b""
        while n > 127:
            out, n = out + bytes([n & 127 | 128]), n >> 7
        return out + bytes([n])
    message = b""
    for number, value in fields:
        value = value.encode() if isinstance(value, str) else value
        message += varint(number << 3) + varint(value) if isinstance(value, int) else \
            varint(number << 3 | 2) + varint(len(value)) + value
    return message


def onnx_net(sample, nodes, tensors=(), lists=(), opset=17):
    """Nodes as "Op inputs outputs", with attributes of whole numbers or lists of them after these."""
    graph = []
    for line in nodes:
        op, inputs, outputs, *attributes = line.split()
        node = [(1, name) for name in inputs.split(",")] + [(2, name) for name in outputs.split(",")] + [(4, op)]
        for attribute in attributes:
            name, value = attribute.split("=")
            one = [(3, int(value)), (20, 2)] if "," not in value else [(8, int(v)) for v in value.split(",")] + [(20, 7)]
            node.append((5, pb((1, name), *one)))
        graph.append((1, pb(*node)))
    for name, *shape in tensors:
        n = 1
        for dim in shape:
            n *= dim
        graph.append((5, pb(*[(1, dim) for dim in shape], (2, 1), (8, name), (9, struct.pack("<%df" % n, *[{"i": 1, "j": 0}.get(name, 0.5)] * n)))))
    for name, *values in lists:
        graph.append((5, pb((1, len(values)), (2, 7), (8, name), (9, struct.pack("<%dq" % len(values), *values)))))
    shape = b"".join(pb((1, pb((1, dim)) if dim else pb((2, "N")))) for dim in (0,) + sample)
    graph += [(11, pb((1, "x"), (2, pb((1, pb((1, 1), (2, shape))))))), (12, pb((1, "y")))]
    return pb((7, pb(*graph)), (8, pb((2, opset))))


put("onnx", "dense", onnx_net((4,), ["Gemm x,fc.weight,b y transB=1"], [("fc.weight", 3, 4), ("b", 3)]))
put("onnx", "residual", onnx_net((2, 4, 4), [
    "Conv x,c.weight a kernel_shape=3,3 pads=1,1,1,1", "Sigmoid a s", "Mul a,s b", "Add b,x r", "MaxPool r p kernel_shape=2,2 strides=2,2",
    "Concat p,p q axis=1", "Flatten q f", "MatMul f,w y"], [("c.weight", 2, 2, 3, 3), ("w", 16, 3)]))
put("onnx", "norms", onnx_net((2, 4, 4), [
    "BatchNormalization x,w,v,m,n a", "Reshape a,s b", "InstanceNormalization b,i,j c", "Shape a t", "Reshape c,t d",
    "LayerNormalization d,o,p e axis=1", "ReduceMean e h axes=2,3 keepdims=0",
    "Softmax h y"], [("w", 2), ("v", 2), ("m", 2), ("n", 2), ("i", 1), ("j", 1), ("o", 2, 4, 4), ("p", 2, 4, 4)], [("s", 0, 1, -1)]))
put("onnx", "pad", onnx_net((2, 4, 4), [
    "Slice x,z,e,h,t a", "Pad a,p b", "Conv x,c.weight d strides=2,2 kernel_shape=1,1", "Add d,b r", "GlobalAveragePool r g",
    "Squeeze g,k f", "Gemm f,w y"], [("c.weight", 4, 2, 1, 1), ("w", 4, 3)],
    [("z", 0, 0), ("e", 9, 9), ("h", 2, 3), ("t", 2, 2), ("p", 0, 1, 0, 0, 0, 1, 0, 0), ("k", 2, 3)]))

# ---- data files

images = struct.pack(">4I", 0x803, 2, 28, 28) + bytes(range(256)) * 6 + bytes(32)
labels = struct.pack(">2I", 0x801, 2) + b"\x03\x09"
put("idx", "train", struct.pack("<H", len(images)) + images + labels)
put("idx", "test", struct.pack("<H", len(images) | 0x8000) + images + labels)
put("idx", "short", struct.pack("<H", len(images) - 1) + images[:-1] + labels)
put("idx", "label", struct.pack("<H", len(images)) + images + labels[:-1] + b"\x0a")
put("idx", "many", struct.pack("<H", 16) + struct.pack(">4I", 0x803, 2**31, 28, 28) + labels)
packed = gzip.compress(b"abcd" * 50, mtime=0)
put("gzip", "whole", struct.pack("<H", 200) + packed)
put("gzip", "larger", struct.pack("<H", 199) + packed)
put("gzip", "cut", struct.pack("<H", 4000) + packed[:-9])
put("gzip", "after", struct.pack("<H", 4000) + packed + b"x")
put("gzip", "two", struct.pack("<H", 4000) + packed * 2)
put("gzip", "none", struct.pack("<H", 4000) + b"\x1f\x8b")
def archive(method, **files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as made_here:
        for name, content in files.items():
            made_here.writestr(zipfile.ZipInfo(name), content, method)
    return held.getvalue()
whole = archive(zipfile.ZIP_DEFLATED, __about=b"x", set=b"a,b\n1,2\n" * 20)
put("zip", "whole", struct.pack("<H", 160) + whole)
put("zip", "larger", struct.pack("<H", 159) + whole)
put("zip", "stored", struct.pack("<H", 4000) + archive(zipfile.ZIP_STORED, set=b"a,b\n1,2\n"))
put("zip", "other", struct.pack("<H", 4000) + archive(zipfile.ZIP_STORED, sets=b"a,b\n"))
put("zip", "cut", struct.pack("<H", 4000) + whole[:-9])
put("zip", "checksum", struct.pack("<H", 4000) + whole.replace(struct.pack("<I", zlib.crc32(b"a,b\n1,2\n" * 20)), b"\0\0\0\1"))
put("zip", "empty", struct.pack("<H", 4000) + archive(zipfile.ZIP_STORED))
def npy(descr, shape, elements, order="False"):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + elements
def own(description, files):
    words = text(dict({"format": "gauntlet data", "version": 1, "name": "own"}, **description)).encode()
    return struct.pack("<H", len(words)) + words + files
arrays = {"kind": "image", "layout": "NHW", "classes": 2, "attributes": [{"name": "sex", "values": ["f", "m"]}]}
square = npy("|u1", "(2, 3, 3)", bytes(range(18)))
whole = archive(zipfile.ZIP_DEFLATED, **{"x.npy": square, "y.npy": npy("<i8", "(2,)", struct.pack("<2q", 0, 1)),
                                         "sex.npy": npy("|b1", "(2,)", b"\1\0")})
put("own", "npz", own(dict(arrays, parts={"train": "file.npz", "test": "file.npz"}), whole))
put("own", "cut", own(dict(arrays, parts={"train": "file.npz", "test": "file.npz"}), whole[:-30]))
put("own", "npy", own({"kind": "image", "layout": "NHW", "maps": True, "parts": {
    part: {name: "file.npy" for name in ("x", "map", "mask")} for part in ("train", "test")}},
    npy("|u1", "(1, 2, 2)", b"\0\1\1\0")))
put("own", "fortran", own({"kind": "tabular", "classes": 2, "parts": {"train": {"x": "file.npy"}, "test": {"x": "file.npy"}}},
                          npy("<f4", "(2, 2)", bytes(16), "True")))
columns = [{"column": "age", "as": "number", "range": [0, 100]}, {"column": "work", "as": "category", "values": ["a", "b"]},
           {"column": "income", "as": "label", "values": ["lo", "hi"]}, {"column": "sex", "as": "attribute",
           "values": ["f", "m"], "feature": True}, {"column": "id", "as": "group"}]
table = {"kind": "tabular", "separator": ";", "decimal": ",", "missing": ["?"], "columns": columns,
         "parts": {"train": "file.csv", "test": "file.csv"}}
put("own", "table", own(table, b"\xef\xbb\xbfage;sex;work;income;id\r\n20,5;f;a;lo;1\r\n?;m;b;hi;2\r\n1e1;\"m\";b;hi;2\r\n"))
put("own", "quote", own(table, b"age;sex;work;income;id\n20,5;\"f;a;lo;1\n"))
put("own", "safetensors", own({"kind": "tabular", "classes": 2, "parts": {"train": "file.safetensors",
    "test": "file.safetensors"}}, bundle({"x": ("F32", [1, 2], struct.pack("<2f", 0, 1)), "y": ("U8", [1], b"\1")})))
own_images = {"kind": "image", "images": {"colour": "rgb", "crop": "centre square", "size": [2, 2], "filter": "box"}}
put("own", "folders", own(dict(own_images, images={"colour": "grey", "folder": "p"}, classes=["a", "b"], split={"test": 0.2}), b""))
put("own", "folder-parts", own(dict(own_images, classes=["a", "b"], parts={"train": "p", "test": "q"}), b""))
image_columns = [{"column": "path", "as": "file"}, {"column": "kind", "as": "label", "values": ["x", "y"]},
                 {"column": "age", "as": "attribute", "name": "old", "values": 3, "above": [1, 2]},
                 {"column": "who", "as": "group"}]
put("own", "list", own(dict(own_images, list="file.csv", missing=["?"], columns=image_columns + [
    {"column": "part", "as": "part", "test": ["t"], "train": ["r"], "unused": ["u"]}]),
    b"path,kind,age,who,part\np/a/1.png,x,0.5,Ann,r\nq/b/4.png,y,3,Bob,t\nq/b/4.png,y,?,Bob,t\np/a/1.png,x,3,2,u\n"))
put("own", "boxes", own(dict(own_images, parts={"train": "file.csv", "test": "file.csv"}, columns=image_columns[:2] + [
    {"column": name, "as": as_} for name, as_ in [("l", "left"), ("t", "top"), ("w", "width"), ("h", "height")]]),
    b"path,kind,l,t,w,h\np/a/1.png,x,0,0,1,1\n"))
put("own", "masks", own(dict(own_images, parts={"train": "file.csv", "test": "file.csv"}, columns=[
    {"column": "path", "as": "file"}, {"column": "map", "as": "map"}, {"column": "mask", "as": "mask"}]),
    b"path,map,mask\np/a/1.png,p/a/1.png,q/b/4.png\n"))
put("own", "outside", own(dict(own_images, list="file.csv", split={"test": 0.5}, columns=image_columns[:2]),
                          b"path,kind\n../x.png,x\n"))
put("own", "celeba", own(dict(own_images, list={"format": "celeba", "attributes": "file.csv"},
                              split={"test": 0.5}, columns=[{"column": "file", "as": "file"}, {
                                  "column": "Male", "as": "label", "values": ["no", "yes"], "above": 0}]),
                         b"2\nMale\np/a/1.png 1\nq/b/4.png -1\n"))
put("own", "lfw", own(dict(own_images, list={"format": "lfw", "attributes": "file.csv", "flat": True}, split={"test": 0.5},
                           columns=[{"column": "file", "as": "file"}, {"column": "Male", "as": "label", "values": 2,
                                                                       "above": 0}]),
                      b"#\tperson\timagenum\tMale\nAn\t1\t-0.5\nBo\t1\t2\n"))
for number, name, content in [
        (0, "list", b"path,part,sex,person,smile\n0.png,train,f,Ann,yes\n0.png,test,m,Bob,no\n"),
        (1, "table", b"id;age;sex;work;income\n1;20,5;f;a;lo\n2;?;m;b;hi\n3;40;m;a;lo\n"),
        (2, "lfw", b"#\tperson\timagenum\tMale\tSmiling\nAn\t1\t-0.5\t1\nAn\t1\t-0.5\t1\n"),
        (3, "celeba", b"2\nMale Smiling\n0.png 1 -1\n0.png -1 1\n"), (4, "npz", whole),
        (5, "safetensors", bundle({"x": ("F32", [1, 2], struct.pack("<2f", 0, 1)), "y": ("U8", [1], b"\1")})),
        (6, "npy", square)]:
    put("draft", name, bytes([number]) + content)
put("faces", "celeba", "2\nMale Young \n000001.jpg -1  1\n000002.jpg  1 -1\n\n%%\n000002.jpg 2\n000001.jpg 0\n%%\n"
                       "000001.jpg 2880\n000002.jpg 2937\n")
put("faces", "comma", "image_id,Male\na.jpg,1\n%%\nimage_id,partition\na.jpg,1\n%%\na.jpg 1\n")
put("faces", "count", "3\nMale\na.jpg 1\n")
put("faces", "lfw", "# scores\n#\tperson\timagenum\tMale\tWhite\nAnn Lee\t1\t1.5\t-0.25\nBob\t12\t0\t\"x\"\n")
put("faces", "lacks", "1\nMale\na.jpg 1\n%%\nb.jpg 1\n%%\na.jpg x\n")


def png(wide, high, bits, colour, rows, interlaced=0, **chunks):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, bits, colour, 0, 0, interlaced)) +
            b"".join(chunk(kind.encode(), data) for kind, data in chunks.items()) +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


put("picture", "rgb", png(3, 2, 8, 2, b"\0" + bytes(range(9)) + b"\1" + bytes(range(9))))
put("picture", "grey16", png(2, 2, 16, 0, b"\0" + bytes(range(4)) + b"\2" + bytes(range(4))))
put("picture", "bits", png(9, 1, 1, 0, b"\0\xa5\x80"))
put("picture", "interlaced", png(1, 1, 8, 2, b"\0\1\2\3", 1))
put("picture", "palette", png(2, 1, 8, 3, b"\0\0\1", PLTE=bytes(range(6))))
put("picture", "transparent", png(2, 1, 8, 3, b"\0\0\1", PLTE=bytes(range(6)), tRNS=b"\xff\x7f"))
put("picture", "turned", png(2, 1, 8, 0, b"\0\0\1", eXIf=
    b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0"))
put("picture", "huge", png(100000, 100000, 8, 2, b""))
pixels = bytes(range(256)) * 12
for which, head in [(0, b"\x07"), (1, b"\x13\x63"), (2, b"\x00"), (3, b"\x01\x02")]:
    put("cifar", "file-%d" % which, bytes([which]) + (head + pixels) * 2)
put("cifar", "label", b"\0\x0a" + pixels)
put("cifar", "cut", b"\1\x01\x01" + pixels[:-1])
train = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K"
other = "50, ?, 83311, HS-grad, 9, Divorced, ?, Husband, Black, Female, 0, 0, 13, ?, >50K"
test = "|1x3 Cross validator\n" + "\n".join(line + "." for line in (train, other)) + "\n\n"
put("adult", "plain", train + "\n" + other + "\n\n%%\n" + test)
put("adult", "windows", (train + "\n" + other).replace("\n", "\r\n") + "\n%%\n" + test)
put("adult", "columns", train + ", 1\n%%\n" + test)
put("adult", "dots", train + "\n" + other + ".\n%%\n" + test)
put("adult", "number", train.replace("39", "3x") + "\n%%\n" + test)
put("adult", "empty", "\n%%\n" + test)
loan = {"MSA": "99999", "MinPer": "5.18", "TraMedY": "52450", "LocMedY": "36240", "Tractrat": "1.07", "Income": "60000",
        "CurAreY": "57000", "IncRat": "1.0526", "LTV": "0.8", "Purpose": "2", "FedGuar": "0", "Term": "360", "Seller": '"Bank, FSB"',
        "NumBor": "2", "First": "2", "BoRace": "5", "BoGender": "1", "CoGender": "2", "BoAge": "40", "CoAge": "99", "Occup": "1",
        "NumUnits": "1", "Geog": "2", "Rate": "0.045", "Amount": "100000", "Front": "0.14", "Back": "9.99",
        "Borrower Credit Score": "5", "Co-Borrower Credit Score": "9", "PMI": "0", "Self": "2", "PropType": "PT01", "BoEth": "2",
        "Program": "1", "FIPSStateCode": "19"}
def loans(*changes, end="\n"):
    rows = [loan] + [dict(loan, **change) for change in changes] + [loan] * 5
    return end.join([",".join(loan)] + [",".join(row.values()) for row in rows]) + end
put("loans", "plain", loans({"BoRace": "3", "Tractrat": "0.8", "CoAge": "98"}, {"IncRat": "0.8", "BoAge": "99", "FIPSStateCode": "78"}))
put("loans", "windows", loans(end="\r\n"))
put("loans", "out", loans({"BoRace": "7"}, {"Income": "1"}, {"Tractrat": "0"}))
put("loans", "number", loans({"Rate": "4.5%"}))
put("loans", "code", loans({"BoRace": "6"}))
put("loans", "quote", loans({"Seller": '"Bank, FSB'}))
put("loans", "columns", loans({"Seller": "Bank, FSB"}))
put("loans", "twice", loans().replace("MSA", "IncRat", 1))
put("loans", "few", "\n".join(loans().split("\n")[:4]))
put("loans", "cut", loans()[:-40])
put("loans", "empty", "\n")
head = b"MATLAB 5.0 MAT-file".ljust(116) + b"\0" * 8 + b"\0\1IM"
body = struct.pack("<2I", 6, 8) + struct.pack("<2I", 9, 0) + struct.pack("<2I", 5, 8) + struct.pack("<2i", 2, 1)
body += struct.pack("<2H", 1, 1) + b"y\0\0\0" + struct.pack("<2H", 2, 2) + b"\1\2\0\0"
array = struct.pack("<2I", 14, len(body)) + body
squeezed = zlib.compress(array)
def wav(*chunks):
    inside = b"WAVE" + b"".join(name + struct.pack("<I", len(held)) + held for name, held in chunks)
    return b"RIFF" + struct.pack("<I", len(inside)) + inside
sound = (b"fmt ", struct.pack("<2H2I2H", 1, 1, 16000, 32000, 2, 16))
wave = (b"data", struct.pack("<4h", 0, 100, -100, 7))
put("wav", "plain", wav(sound, wave))
put("wav", "list", wav((b"LIST", b"INFO"), sound, (b"fact", b"\0\0\0\0"), wave))
put("wav", "cut", wav(sound, wave)[:-3])
put("wav", "stereo", wav((b"fmt ", struct.pack("<2H2I2H", 1, 2, 16000, 64000, 4, 16)), wave))
put("wav", "before", wav(wave, sound))
put("wav", "twice", wav(sound, wave, wave))
put("wav", "odd", wav(sound, (b"data", b"\1\2\3")))
put("wav", "none", wav(sound, (b"data", b"")))
def jpeg(wide, high, mean=lambda x, y: 200 - 9 * (x + y)):
    """Baseline JPEG of blocks of one grey each; a coefficient's code is four bits, its length, and then it."""
    def part(kind, held):
        return b"\xff" + bytes([kind]) + struct.pack(">H", len(held) + 2) + held
    bits, before = "", 0
    for y in range(high // 8):
        for x in range(wide // 8):
            value = 8 * (mean(x, y) - 128)
            by, before = value - before, value
            n = abs(by).bit_length()
            bits += format(n, "04b") + (format(by if by > 0 else by + (1 << n) - 1, "0%db" % n) if n else "") + "0"
    bits += "1" * (-len(bits) % 8)
    coded = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8" + part(0xdb, b"\0" + b"\1" * 64) + part(0xc0, struct.pack(">BHHB3B", 8, high, wide, 1, 1, 0x11, 0)) +
            part(0xc4, b"\0" + bytes([0, 0, 0, 12] + [0] * 12 + list(range(12)))) +
            part(0xc4, b"\x10" + bytes([1] + [0] * 15 + [0])) + part(0xda, bytes([1, 1, 0, 0, 63, 0])) + coded + b"\xff\xd9")
def sroie(*texts, key={"company": "HAPPY PHARMACY", "date": "01/02/2018", "address": "12, JALAN MAMANDA", "total": "20.50"},
          scan=jpeg(96, 96)):
    box = ""
    for i, said in enumerate(texts):
        y = 4 + 15 * i
        box += "4,%d,90,%d,90,%d,4,%d,%s\n" % (y, y, y + 12, y + 12, said)
    return (text(key) + "\n%%\n" + box + "\n%%\n").encode() + scan
lines = ("HAPPY PHARMACY", "DATE: 01/02/2018", "12, JALAN MAMANDA,", "COFFEE, 2 X 10.25", "TOTAL: 20.50")
put("picture", "jpeg", jpeg(16, 8))
put("picture", "exif", jpeg(16, 8).replace(b"\xff\xd8", b"\xff\xd8\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\x08"
                                           b"\0\0\0\0\0\0", 1))
put("picture", "progressive", jpeg(16, 8).replace(b"\xff\xc0", b"\xff\xc2"))
put("sroie", "plain", sroie(*lines))
put("sroie", "typo", sroie("HAPPY PHARNACY", "TAX INVOICE"))
put("sroie", "none", sroie("TAX INVOICE", key={}))
put("sroie", "large", sroie(*lines).replace(b"4,4,90,4,90,16,4,16", b"4,4,990,4,990,196,4,196"))
put("sroie", "short", sroie(*lines).replace(b"4,4,90,4,90,16,4,16,", b"4,4,90,4,90,16,4,"))
put("sroie", "number", sroie(*lines).replace(b"4,4,90,4,90,16,4,16,", b"4,4,90,4,90,-16,4,16,"))
put("sroie", "outside", sroie(*lines, scan=jpeg(16, 16)))
put("sroie", "cut", sroie(*lines)[:-60])
put("sroie", "progressive", sroie(*lines).replace(b"\xff\xc0", b"\xff\xc2"))
put("sroie", "list", sroie(*lines, key=[]))
put("mat", "plain", head + array)
put("mat", "packed", head + struct.pack("<2I", 15, len(squeezed)) + squeezed)
put("mat", "both", head + array + struct.pack("<2I", 15, len(squeezed)) + squeezed)
put("mat", "cut", head + array[:-3])
put("mat", "bomb", head + struct.pack("<2I", 15, len(zlib.compress(b"\0" * 70000))) + zlib.compress(b"\0" * 70000))
put("mat", "after", head + struct.pack("<2I", 15, len(squeezed) + 2) + squeezed + b"xx")

# ---- plugins

put("params", "all", text({"sigma": 0.5, "steps": 12, "norm": "max", "adaptive": True, "note": "a \u00e9", "schedule": [0, 0.5, 1],
                           "layers": [1, 2, 3], "judge": "convnet"}))
put("params", "none", "{}")
put("params", "forms", '{"steps": 1e3, "sigma": 1, "schedule": [], "layers": [1.0]}')
put("params", "wrong", '{"sigma": 11, "norm": "l3", "steps": 0.5, "schedule": [2]}')
put("params", "unknown", '{"sigmo": 1}')
parameters = [{"id": "sigma", "type": "real", "unit": "", "scale": "log", "least": 1e-6, "most": 10, "default": 0.1,
               "strength": 1, "help": "noise"},
              {"id": "norm", "type": "choice", "unit": "", "default": "l2", "choices": ["l2", "max"], "strength": 0, "help": ""},
              {"id": "hidden", "type": "int_list", "unit": "neurons", "scale": "linear", "least": 1, "most": 99,
               "default": [5, 6], "strength": 0, "help": "widths"},
              {"id": "adaptive", "type": "bool", "unit": "", "default": False, "strength": 0, "help": ""},
              {"id": "note", "type": "text", "unit": "", "default": "x", "strength": 0, "help": ""}]
plugins = [{"kind": "defense", "id": "dp", "version": "1.0", "line": "noise", "licence": "MIT", "citation": "",
            "parameters": parameters, "scope": "none", "surfaces": ["update"], "goals": [], "needs": [], "uses": [],
            "data_kinds": ["image", "tabular"], "flags": ["randomised"], "hooks": ["transform_update"], "services": [],
            "families": ["noise"],
            "abi_major": 0, "abi_minor": 9, "index": 0, "file": "a.so", "digest": "0" * 64},
           {"kind": "attack", "id": "guess", "version": "2", "line": "guesses", "licence": "MIT", "citation": "a paper",
            "parameters": [], "scope": "none", "surfaces": ["update", "encoding"], "goals": ["reconstruction"],
            "needs": ["labels"], "uses": ["public"], "data_kinds": ["image"], "flags": [], "hooks": ["run"],
            "services": ["gauntlet.models"], "families": ["noise", "any"], "abi_major": 0, "abi_minor": 9, "index": 1, "file": "", "digest": "0" * 64}]
put("describe", "two", text({"format": 3, "digest": "0" * 64, "plugins": plugins}))
put("describe", "one", text({"format": 3, "digest": "0" * 64, "plugins": plugins[:1]}))
put("describe", "twice", text({"format": 3, "digest": "0" * 64, "plugins": plugins[:1] * 2}))
put("describe", "other", text({"format": 3, "digest": "1" * 64, "plugins": plugins}))
put("describe", "bits", text({"format": 3, "digest": "0" * 64, "plugins": [{**plugins[1], "surfaces": ["sound"]}]}))

# ---- signatures

put("key", "secret", "gauntlet-ed25519-secret " + "0f" * 32 + "\n")
put("key", "public", "gauntlet-ed25519-public " + "f0" * 32 + "\r\n")
put("key", "short", "gauntlet-ed25519-public " + "f0" * 31)
put("key", "letters", "gauntlet-ed25519-public " + "xy" * 32)


def blake(raw):
    import hashlib
    return hashlib.blake2b(raw, digest_size=32).hexdigest()


def signed(files):
    return {"block": 4096, "files": [{"path": path, "size": len(raw), "digest": blake(raw),
                                      "blocks": "".join(blake(raw[i:i + 4096])[:16] for i in range(0, len(raw), 4096))}
                                     for path, raw in files]}


good = [("a.json", b"{}\n"), ("b", b"x" * 5000)]
for name, files, second in [("holds", good, b"x" * 5000), ("changed", good, b"x" * 4999 + b"y"), ("longer", good, b"x" * 6000),
                            ("shorter", good, b"x" * 4097), ("missing", good + [("images/c", b"")], b"x" * 5000),
                            ("added", good[:1], b"x")]:
    put("seal", name, b"\1" + text(signed(files)).encode() + b"\n%%\n" + second)
outer = {"format": 1, "public_key": "00" * 32, "signature": "00" * 64, "manifest": signed(good)}
put("seal", "other-key", b"\0" + text(outer).encode() + b"\n%%\n" + good[1][1])
put("seal", "way-out", b"\1" + text(signed([("../a", b""), ("/etc/passwd", b"")])).encode() + b"\n%%\nx")
put("seal", "no-object", b"\0[1]\n%%\n")

# ---- processes

status = {"status": "ok", "peak": 123456, "facts": {"loss": 0.5}, "sandbox": "full",
          "hooks": [{"plugin": "clip", "hook": "transform_update", "calls": 12, "seconds": 0.25}]}
put("status", "ok", "sandbox full\nprogress 1 2\nprogress 2 2\n\n" + text(status) + "\n\n%%\nall is well\n")
put("status", "failed", text({"status": "failed", "sentence": "it broke"}) + "\n\n%%\nthe last\x01 words\xff\n \n")
put("status", "twice", text(status) + "\n" + text({"status": "unsupported"}) + "\n{\"status\": 5}\n\n%%\n")
put("status", "torn", text(status)[:-4])
put("status", "odd", b"progress -1 99999999999999999999\nsandbox \xc3\x28 \xf0\x9f\x98\x80\x7f\n[]\n\n%%\n\nVmHWM:  77 kB\n")
model = {"name": "small", "json": text({"layers": [{"type": "flatten"}, {"type": "dense", "name": "a", "out": "classes"}]}),
         "sample": [1, 4, 4], "classes": 3, "mean": [0.5], "deviation": [0.25]}
key = "0f" * 32
federated = {"clients": 3, "partition": "dirichlet", "shards": 0, "shard_size": 5, "least": 1, "most": 2,
             "rows": [4, 6, 5], "n_labels": [1, 2, 1], "labels": [0, 1, 2, 0], "alpha": 0.5, "by": "style", "rounds": 2, "participation": 0.5,
             "all_train": True, "local_steps": 1, "batch": 4, "rate": 0.1, "momentum": 0.9, "decay": 1e-4, "adam": False, "flip": True, "shift": 2, "cutout": 3,
             "cosine": True, "training_stats": False}
hide = [{"attribute": "style", "weight": 0.5}]
samples = {"region": [1, 1, 2, 2], "hide": hide,
           "hiders": {"group": [{"share": 0.5, "hide": hide}, {"share": 0.25, "hide": []}], "key": "0e" * 32}}
plugin = {"file": "/a.so", "id": "dp", "digest": "1" * 64, "params": text({"sigma": 0.5}), "hooks": ["prepare", "transform_update"],
          "private_artefacts": True, "models": [{"parameter": "extractor", "id": "judge", "input": "model.0", "model": model}]}
keys = {"partition_key": key, "train_key": key, "defense_key": key}
record = {"stages": [0, 1], "targets": 2, "encodings": True, "epochs": 1, "influence": 1, "shadow": True, "key": key}
observed = {"probe": True, "surface": "update", "batch": 4, "local_steps": 1, "targets": 2, "set": 0, "epochs": 1}
source = {"name": "glyphs", "seed": -3, "rows": [20, 10, -1], "digest": ""}
value = {"id": "sigma", "type": "real", "i": 0, "r": 0.5, "text": "", "list": [1, 2.5]}
attacker = {"model": model, "federated": federated, "granted": ["labels", "defense"], "goals": ["reconstruction"], "budget": 0,
            "plugin": plugin, "samples": samples, "attribute": {"index": 0, "values": 2},
            "known": {"ids": "dp+prune", "values": [value, {**value, "id": "bits", "type": "int", "i": -8}]}}
training = {"model": model, "samples": samples, "federated": federated, "defense": [plugin, {**plugin, "id": "prune"}],
            "sides": ["client", "server"], "copies": True}
requests = {
    "data": {"data": source, "split": {"n": [200, 16, 50, 50, 0, -1], "first": [0, 0, 9], "target_rows": [1, 2], "target_part": 1,
                                      "apart": True, "balance": [1, 0, 3]},
             "coin": 0, "without": [0, 2], "folder": "/data", "public_rows": {**source, "name": "shapes"}, "key": key},
    "model": {"model": model, "train": {"epochs": 3, "batch": 8, "rate": 0.05, "momentum": 0.9, "decay": 5e-4, "cosine": True,
                                        "flip": False}, "weights_digest": "2" * 64, "init_key": key, "train_key": key},
    "train": {**training, **keys, "stages": [0, 1, 2], "measure_every": 5, "keep_rows": False, "client_states": True,
              "shuffle_labels": False, "secret_labels": True, "weights_digest": "2" * 64, "init_key": key,
              "record": record, "head": {"hidden": [16, 8], "epochs": 2, "batch": 8, "rate": 0.01, "key": key}},
    "side": {"side": "query", "model": model, "samples": samples, "defense": [plugin], "key": key, "training_stats": True},
    "replay": {**training, "forgets": True, **keys, "record": record},
    "prepare-defense": {"model": model, "samples": samples, "federated": federated, "stage": 2, "told_stage": -1, "plugin": plugin,
                        "key": key},
    "observe": {"model": model, "samples": samples, "federated": federated, "stage": 2, "observe": observed, "shadow": True,
                "influence": False, "probe": {"defense": [plugin], "train_key": key, "defense_key": key}},
    "capture": {"folders": [{"folder": "/kept/0", "digest": "5" * 64}, {"folder": "/kept/1", "digest": "6" * 64}], "stage": 3},
    "prepare-attack": {"attacker": attacker, "stage": 2, "told_stage": 2, "history": [0, 1], "observe": {**observed, "surface": "encoding", "set": 4},
                       "key": key},
    "attack": {"attacker": attacker, "start_targets": 2, "chained": True, "key": key},
    "score": {"samples": samples, "goals": ["reconstruction", "label"], "granted": [], "observe": observed,
              "attribute": {"index": 0, "values": 2}, "chained": False, "lpips": [{"net": "vgg", "digest": "3" * 64}], "judge": model,
              "points": 12, "points_of_samples": True, "key": key},
    "vet": {"check": "hooks", "seed": 7, "plugin": {"file": "/a.so", "id": "dp", "params": "", "kind": "defense"},
            "behind": {"file": "/b.so", "id": "guess", "params": "{}", "kind": "attack"}},
    "describe": {"file": "/a.so"},
    "sandbox": {},
}
process = {"inputs": [{"name": "seen", "fd": 5, "digest": "4" * 64}, {"name": "targets", "fd": 6}],
           "outputs": [{"name": "answer", "fd": 7}], "sockets": [{"name": "client", "fd": 8}], "memory": 1 << 26,
           "sandbox": {"files": ["/a.so"], "may_fork": False, "options.without": ["userns"], "options.landlock_most": 2,
                       "options.least": "partial"}}


def message(job, ask, of=process):
    return text({"process": of, "request": {"job": job, "ask": ask}})


for job, ask in requests.items():
    put("request", job, message(job, ask))
attack = requests["attack"]
put("request", "bare", message("data", {}, {"inputs": [], "outputs": [], "sockets": [], "memory": 0}))
put("request", "no-model", message("model", {k: v for k, v in requests["model"].items() if k not in ("train", "weights_digest")}))
put("request", "undefended", message("train", {**{k: v for k, v in requests["train"].items() if k not in ("record", "head",
                                                                                                      "weights_digest")},
                                               "defense": [], "sides": []}))
for name, odd in {"odd-key": {"key": "zz" * 32}, "upper-key": {"key": "0F" * 32}, "unknown": {"told": 1},
                  "no-flag": {"chained": 1}}.items():
    put("request", name, message("attack", {**attack, **odd}))
for name, odd in {"odd-region": {"samples": {**samples, "region": [0, 0, 9, 9]}},
                  "long-region": {"samples": {"region": [0] * 5, "hide": []}},
                  "short-mean": {"model": {**model, "sample": [3, 4, 4]}},
                  "mean": {"model": {**model, "mean": [1, 2], "deviation": []}},
                  "huge": {"model": {**model, "sample": [1, 4, 1 << 40]}},
                  "twice": {"goals": ["label", "label"]},
                  "no-word": {"granted": ["everything"]},
                  "list": {"known": [1]},
                  "far": {"federated": {**federated, "participation": 1.5}}}.items():
    put("request", name, message("attack", {"attacker": {**attacker, **odd}, "start_targets": 0, "chained": False, "key": key}))
put("request", "odd-process", message("sandbox", {}, {**process, "inputs": [{"name": "seen", "fd": -1}]}))
put("request", "odd-sandbox", message("sandbox", {}, {**process, "sandbox": {**process["sandbox"], "options.least": "most"}}))

# ---- the store

plain = bundle({"x": ("U8", [2], b"ab")}, {"a": 1})
record = {"status": "ok", "job": "train a", "sandbox": "full", "facts": {"loss": 1}}
whole = {**record, "outputs": {"o": blake(plain)}}
put("store", "whole", text(whole).encode() + b"\n%%\n" + plain)
put("store", "none", text({**record, "outputs": {}}).encode() + b"\n%%\n" + plain)
put("store", "other", text({**record, "outputs": {"o": "0" * 64}}).encode() + b"\n%%\n" + plain)
put("store", "way-out", text({**record, "outputs": {"../../o": blake(plain)}}).encode() + b"\n%%\n" + plain)
put("store", "torn", text(whole).encode()[:-7] + b"\n%%\n" + plain)
put("store", "no-tensors", text({**record, "outputs": {"o": blake(b"abc")}}).encode() + b"\n%%\nabc")

# ---- bundles: metadata, then tensors as work.h reads them

TYPES = {"F32": 0, "F64": 1, "I32": 2, "I64": 3, "U8": 4}


def tensor(name, dtype, shape, values=b"", number=0):
    return bytes([name, number, TYPES[dtype] + 5 * len(shape), *shape, len(values), *values])


of_samples = {"kind": 0, "classes": 3, "dim": [1, 2, 2], "attributes": [{"name": "style", "values": 2}]}
three = tensor(0, "U8", [3, 4], bytes(range(12))) + tensor(1, "I32", [3], b"\0\1\2") + tensor(2, "I32", [3, 1], b"\0\1\0")
put("bundle", "samples", text(of_samples).encode() + b"\n%%\n" + three)
put("bundle", "grouped", text(of_samples).encode() + b"\n%%\n" + three + tensor(13, "I32", [3], b"\4\4\1"))
put("bundle", "few-groups", text(of_samples).encode() + b"\n%%\n" + three + tensor(13, "I32", [2], b"\4\4"))
of_maps = text({**of_samples, "classes": 4, "attributes": []}).encode() + b"\n%%\n" + tensor(0, "U8", [3, 4], bytes(range(12))) + \
    tensor(1, "I32", [3], b"\0") + tensor(2, "I32", [3, 0]) + tensor(14, "U8", [3, 4], b"\0\1\1\0")
put("bundle", "maps", of_maps + tensor(15, "U8", [3, 4], b"\1\0\0"))
put("bundle", "odd-mask", of_maps + tensor(15, "U8", [3, 4], b"\3\0\0"))
put("bundle", "no-mask", of_maps)
put("bundle", "table", text({**of_samples, "kind": 1, "dim": [4], "attributes": []}).encode() + b"\n%%\n" +
    tensor(0, "F32", [2, 4], b"\x40" * 8) + tensor(1, "I32", [2], b"\0\1") + tensor(2, "I32", [2, 0]))
put("bundle", "large", text({**of_samples, "dim": [100000, 100000, 1], "classes": 100000}).encode() + b"\n%%\n" + three)
put("bundle", "trained", b"{}\n%%\n" + tensor(3, "F32", [43], b"\x50", 2) + tensor(4, "F32", [0], b"", 2) +
    tensor(5, "F64", [3], b"\x60") + tensor(6, "I64", [2, 2], b"\5\2\7\3") + tensor(7, "F32", [2], b"\x41") +
    tensor(8, "U8", [3], b"abc"))
put("bundle", "diverged", text({"diverged": "the loss is not finite", "n_contribution": 3}).encode() + b"\n%%\n")
put("bundle", "weights", b"{}\n%%\n" + tensor(9, "F32", [2, 16], b"\x50") + tensor(10, "F32", [2], b"\x50") +
    tensor(11, "F32", [3, 2], b"\x50") + tensor(12, "F32", [3], b"\xff"))
put("bundle", "holdings", b"{}\n%%\n" + tensor(6, "I64", [2, 2], b"\xfa\xfb\xfa\xfa"))
update = {"surface": 1, "round": 2, "steps": 0, "n": 1, "rate": 0.1, "observations": 2, "clients": 3, "n_contribution": 4}
encoding = {"surface": 2, "round": 2, "steps": 0, "n": 2, "observations": 2, "set": 2, "encodings": [3, 1]}
put("seen", "update", b"\0" + text(update).encode() + b"\n%%\n" + tensor(0, "F32", [2, 43], b"\x50\x60"))
put("seen", "encoding", b"\0" + text(encoding).encode() + b"\n%%\n" + tensor(1, "F32", [4, 16], b"\x50\x60") +
    tensor(2, "F32", [4, 3], b"\x50"))
put("seen", "representation", b"\0" + text({**update, "surface": 4}).encode() + b"\n%%\n" + tensor(3, "F32", [2, 5], b"\x50"))
put("seen", "transcript", b"\0" + text({**update, "surface": 8, "observations": 1, "n": 0}).encode() + b"\n%%\n" +
    tensor(4, "I64", [3, 4], b"\1\2\xfa"))
put("seen", "large", b"\0" + text({**update, "surface": 4, "n": 1 << 62, "observations": 4}).encode() + b"\n%%\n" +
    tensor(3, "F32", [2, 5], b"\x50"))
put("seen", "many", b"\0" + text({**encoding, "encodings": [2147483647] * 8}).encode() + b"\n%%\n")
chain = {**encoding, "observations": 4}

# ---- captures: settings, a byte, tensors

with open(os.path.join(TOP, "tests", "cases", "capture.json"), encoding="utf-8") as f:
    captured = json.load(f)
gradient = {**captured, "training": {"samples": 4, "local_steps": 0}}
table = {**captured, "model": {"name": "t", "architecture": {"layers": [{"type": "dense", "name": "fc", "out": "classes"}]}, "sample": [5],
                               "classes": 3}}
put("capture", "steps", text(captured) + "\n%%\n\1")
put("capture", "withheld", text(captured) + "\n%%\n\0")
put("capture", "gradient", text(gradient) + "\n%%\n\1")
put("capture", "no-statistics", text(captured) + "\n%%\n\5")
put("capture", "less", text(captured) + "\n%%\n\7")
put("capture", "newer", text({**captured, "version": 2}) + "\n%%\n\1")
put("capture", "unknown", text({**captured, "defense": None, "goals": None, "attributes": None, "attribute": None}) + "\n%%\n\1")
put("capture", "defended", text({**captured, "defense": [{"id": "clip", "version": "1.0", "params": {"bound": 1.5}}]}) + "\n%%\n\1")
put("capture", "table", text(table).encode() + b"\n%%\n\x21" + tensor(0, "I32", [4, 1], b"\0\1"))
put("capture", "order", text(captured).encode() + b"\n%%\n\x21" + tensor(0, "I32", [4, 1], b"\0\1") + tensor(1, "U8", [4, 4, 4], b"\1\0") +
    tensor(2, "F32", [2], b"\x44") + tensor(3, "I64", [2, 2], b"\0\3\1\2"))
put("capture", "odd", text(captured).encode() + b"\n%%\n\x21" + tensor(3, "I64", [2, 2], b"\xfa\xfb\xfc\xfd") + tensor(11, "F64", [1], b"\xff"))
put("capture", "extra", text(captured).encode() + b"\n%%\n\0" + tensor(8, "F32", [3], b"\x50"))
put("capture", "large", text({**captured, "model": {**captured["model"], "sample": [1, 10000, 10000]}}) + "\n%%\n\1")

answers = tensor(0, "F32", [1, 16], b"\x50", 0) + tensor(0, "F32", [2, 16], b"\xff", 1) + tensor(1, "F32", [1, 3], b"\x60\x40", 2)
put("seen", "chain", b"\1" + text(chain).encode() + b"\n%%\n" + answers + tensor(2, "F32", [4, 3], b"\x44" * 12))
for which in range(9):
    costs = {"targets": [{"costs": [[0, 0, 1.5], [0, 10, 0.5], [1, 0, 2]], "chosen": [0, 0.5]}] * 2}
    body = b"".join(tensor(kind, dtype, shape, b"\x50\x44\x60\x41", number) for number in range(2) for kind, dtype, shape in [
        (0, "F32", [2, 16]), (1, "F32", [2, 3]), (2, "F32", [1, 2]), (3, "F32", [3, 2]), (4, "F32", [3, 3]),
        (5, "F64", [2 if which == 4 else 1, 3])])
    put("score", "goal-%d" % which, bytes([which]) + text(costs).encode() + b"\n%%\n" + b"\0" * 24 + body)
put("score", "region", bytes([135]) + b"{}\n%%\n" + b"\0" * 8 + tensor(0, "F32", [1, 16], b"\x50") * 1)
put("score", "hostile", bytes([0]) + text({"targets": [{"costs": [[1e300, -1, "a"], [], 5], "chosen": None}, 3]}).encode() +
    b"\n%%\n" + b"\0" * 8 + tensor(0, "F32", [1, 16], b"\xff\xfe\xfd\xfc") + tensor(1, "F32", [1, 3], b"\xff"))

# ---- plugins that say anything

END = [13, 0, 0, 0]  # of what is said of one observation
every = [0, 1, 0, 0x50, 1, 2, 3, 0x44, 2, 2, 0, 0x60, 3, 0, 1, 0x41, 4, 0, 0, 0x41] + END
put("attack", "update", bytes([0] + every * 2))
put("attack", "encoding", bytes([1] + [0, 2, 0, 0x50, 5, 3, 2, 0x44, 6, 3, 0, 0x60] + END + [5, 1, 2, 0xff] + END))
put("attack", "transcript", bytes([2, 7, 12, 0, 0x50]))
put("attack", "nothing", bytes([2] + END))
put("attack", "services", bytes([0] + [8, 1, 0, 0x50, 9, 0, 0, 0, 10, 1, 2, 0, 11, 0, 9, 0x60, 12, 0, 5, 0, 14, 9, 0, 0, 0, 1, 0, 0x40]))
put("attack", "counts", bytes([0, 0, 250, 0, 0x50] + END))
put("attack", "twice", bytes([0] + [0, 1, 0, 0x50] * 2 + END))
put("attack", "costs", bytes([0] + [3, 0, 1, 0x41] * 190 + [0, 1, 0, 0x41] + END))
put("attack", "status", bytes([0, 0, 1, 0, 0x50, 13, 2, 0, 0]))
for which in range(3):
    put("defense", "encode-%d" % which, bytes([which | 128] + ([12, 0x50] * 3 + [0, 0]) * 2))
    put("defense", "mixed-%d" % which, bytes([which] + ([14, 0x50, 0x41, 0x42, 0x43, 0x44, 60, 0x44] * 3 + [0, 0]) * 2))
    put("defense", "far-%d" % which, bytes([which, 5, 0x50, 99, 0, 0, 0]))
for which in range(3, 7):
    put("defense", "update-%d" % which, bytes([which] + [0x50] * (1 if which == 5 else 8)))
    put("defense", "nan-%d" % which, bytes([which] + [0xff] * (1 if which == 5 else 8)))
put("defense", "contribution", bytes([8, 4, 0x50, 0, 0x60, 0, 0]))
put("defense", "infinite", bytes([8, 4, 0xfe, 0, 0x60, 0]))
put("defense", "tensors", bytes([7] + [0, 3, 2, 3, 1, 2, 5, 32, 0] * 3))
put("defense", "blobs", bytes([7] + [8, 2, 5, 32, 0] * 3))
put("defense", "no-data", bytes([7] + [16, 5, 249, 249, 249, 249, 32, 0] * 3))
put("defense", "names", bytes([7] + [14, 2, 5, 32, 0]))

# ---- results

# answers: fields are a kind, a count (or where it is written down) and bytes of values
nothing = [3, 0]


def whole(value):
    return [1, 0, value]


def real(value):
    return [2, 0, value]


def array(kind, size, *values):
    return [kind, size, len(values), *values]


def answer(name, choice, *answers):
    put("answers", name, bytes([choice] + [byte for one in answers for byte in one]))


images, one_each = array(6, 0, 0x50, 0x60), array(6, 1, 0x44) + array(8, 2, 0, 1, 2)
encoded = [0] + whole(3) + images + one_each
for which in (0, 1):
    answer("encode-%d" % which, which, encoded + whole(0) + whole(0) + [0])
answer("mixes", 0, encoded + whole(0) + whole(1) + [0])
made_of = [byte for r in range(3) for byte in whole(r) + whole(2) + whole(0) + real(0x50) + whole(2) + real(0x44)]
answer("claims", 128, encoded + whole(1) + whole(0) + made_of + [0])
asked = [0] + whole(3) + images + nothing
answer("query", 2, asked + nothing + whole(0) + whole(0) + [0])
answer("query-claims", 130, asked + array(8, 2, 0, 1, 2) + whole(1) + whole(1) + whole(0) + whole(1) + whole(0) + real(0x50) + [0])
answer("query-mixes", 2, asked + array(8, 2, 0, 1, 2) + whole(0) + whole(1) + [0])
answer("nan", 0, [0] + whole(3) + array(6, 0, 255) + one_each + whole(0) + whole(0) + [0])
answer("enormous", 0, [0] + whole(250) + images + [0])
for which in (3, 4, 6):
    answer("update-%d" % which, which, [0] + array(6, 3, 0x50, 0x60) + [0])
answer("short", 4, [0] + array(6, 2, 0x50) + [0])
answer("rate", 5, [0] + real(0x50) + [0])
answer("another-operation", 5, [1, 99] + real(0x50) + [0])
answer("refused", 4, [2, 1, 0])
answer("odd-status", 4, [2, 200, 0])
answer("cut", 4, [4] + array(6, 3, 0x50) + [0])
answer("silent", 4)
given = [0] + array(7, 5, 0x50, 0x60) + [0]
answer("sum", 7, [0] + whole(2) + [0], given, given, [0, 0])
answer("sum-grows", 7, [0] + whole(1) + [0], given, given, [0, 0])
answer("sum-enormous", 7, [0] + whole(250) + [0])
kept = [0, 0, 5, 4, 1, 0x50]
answer("state", 8, [0, 4, len(kept)] + kept + [0], [0, 0])
answer("message", 9, [1, 0])
answer("client", 9, [3, 3, 16, 1, 4, 4] + whole(0) + images + one_each + nothing + nothing + whole(1) + array(6, 3, 0x50) + whole(2) + [0])
answer("client-large", 9, [3, 252, 250, 251, 250, 250] + whole(0) + images + [0])

for number, name in enumerate(["update", "encoding", "representation"]):
    put("recorded", name, bytes([number]))
put("recorded", "steps", bytes([4]))
put("recorded", "wide", b"\1" + tensor(3, "F32", [4, 9], b"\x50"))
put("recorded", "whole", b"\0\xff" + tensor(1, "I64", [2, 0]))
put("recorded", "far", b"\0\xff" + tensor(0, "I64", [2, 3], b"\xfa"))
put("recorded", "sizes", b"\0\xff" + tensor(7, "I64", [2, 2], b"\x03\x03\x01\x02"))
put("recorded", "counts", b"\1" + tensor(2, "I64", [2], b"\x01\x03"))


def stat(mean, n=4):
    return {"mean": mean, "deviation": 0.1, "worst": mean + 1, "median": mean, "low": mean - 0.5, "high": mean + 0.5, "n": n,
            "trainings": 2, "interval": "trainings"}


def results(worse=0.0, seeds=(1, 2), tasks=("glyphs",)):
    cells, groups = [], []
    for task in tasks:
        for defense, mode, strength, leak in [("none", "none", None, 30), ("dp", "matched", 0.1, 15), ("dp sweep", "sweep", 0.01, 20),
                                              ("dp sweep", "sweep", 0.1, 14), ("prune", "fixed", 0.9, 28)]:
            leak += worse if mode != "none" else 0
            at = {"none": "none", "matched": "matched"}.get(mode, "%g" % (strength or 0))
            rest = {"task": task, "stage": 10, "defense": defense, "attack": "dlg", "plugin": defense.split()[0],
                    "attack_plugin": "dlg", "mode": mode, "strength": strength, "matched": mode == "matched", "status": "ok",
                    "reason": None, "floors": {"psnr": {"random": 7, "mean_image": 11, "nearest_public": 13, "other": None}},
                    "chance": {"identification": 0.1}}
            measures = {"psnr": stat(leak), "identification": stat(0.5), "mse": stat(0.01)}
            for seed in seeds:
                cells.append({"cell": "%s/r10/%s@%s/dlg/s%d" % (task, defense, at, seed), "seed": seed, "surface": "update",
                              "goals": ["reconstruction"], "grants": ["labels"], **rest, "measures": measures,
                              "utility": {"measure": "accuracy", "value": 0.8, "standard_error": 0.01, "none": 0.85},
                              "targets": [{"id": i, "psnr": leak + i / 10 + seed / 100, "identification": 1, "exact": False}
                                          for i in range(4)],
                              "convergence": [{"target": 0, "restart": 0, "points": [[0, 1.0], [10, 0.1], [20, 1e-3]]}],
                              "facts": {"noise": 0.1}, "images": "images/c.safetensors" if seed == 1 else None})
            groups.append({**rest, "n_cells": len(seeds), "n_ok": len(seeds), "measures": measures, "utility_none": 0.85,
                           "utility": {"mean": 0.8, "low": 0.79, "high": 0.81}})
    broken = {**cells[-1], "cell": "glyphs/r10/prune@0.9/idlg/s1", "attack": "idlg", "status": "crashed",
              "reason": "crashed: signal 11", "measures": {}, "targets": None, "convergence": None, "images": None, "utility": None}
    return {"format": 1, "suite": "made", "title": "Made up", "suite_digest": "d", "check": {"alpha": 0.05, "tolerance": {"psnr": 0.5}},
            "tasks": [{"id": t, "digest": "t"} for t in tasks],
            "defenses": [{"label": d, "plugin": d.split()[0], "strength": "sigma", "unit": "", "scale": "log",
                          "members": [{"id": d.split()[0], "version": "1", "flags": ["randomised"], "params": {}}]}
                         for d in ("none", "dp", "dp sweep", "prune")],
            "attacks": [{"label": a, "plugin": a, "members": []} for a in ("dlg", "idlg")],
            "matches": [{"task": "glyphs", "defense": "dp", "verdict": "matched", "target": 0.8, "tolerance": 0.02, "strength": 0.1,
                         "utility": 0.8, "utility_none": 0.85, "confirmed": True, "reason": None,
                         "history": [{"strength": 0.01, "utility": 0.84, "standard_error": 0.01, "seed": 1},
                                     {"strength": 0.1, "utility": 0.8, "standard_error": 0.01, "seed": 1}]}],
            "groups": groups, "cells": cells + [broken]}


papers = [{"id": "t2", "title": "Table 2", "note": "x", "attack": ["dlg"], "measure": "psnr", "show": "mean",
           "columns": [{"label": "PSNR"}, {"label": "worst", "show": "worst"}, {"label": "acc", "show": "utility"}],
           "rows": [{"label": "none", "defense": "none"}, {"label": "dp", "defense": "dp", "strength": 0.1}],
           "paper": [[1, "2", None], [3, 4, 5]]}]
small = {"format": 1, "suite": "s", "groups": [], "cells": []}
one = results(seeds=(1,))
one = {**one, "cells": one["cells"][:2], "groups": one["groups"][:2]}
worse = results(3.0, seeds=(1,))
worse = {**worse, "cells": worse["cells"][:2], "groups": worse["groups"][:2]}
put("results", "tables", text({**one, "tables": papers, "scale": {"name": "smoke", "says": "small"}}))
put("report", "tables", text({**one, "tables": papers, "facts": ["lost"], "scale": {"name": "smoke", "says": "small"}}))


def many(leak, seeds):
    """One cell over several seeds, with so many targets that a difference can be told from chance."""
    return {**small, "cells": [{"cell": "a/r0/dp@0.1/dlg/s%d" % seed, "task": "a", "stage": 0, "defense": "dp", "attack": "dlg",
                                "mode": "fixed", "strength": 0.1, "seed": seed, "status": "ok", "measures": {"psnr": stat(leak)},
                                "utility": {"measure": "accuracy", "value": 0.8 + seed / 100},
                                "targets": [{"id": i, "psnr": leak + (i * 7 + seed) % 11 / 10} for i in range(12)]}
                               for seed in range(seeds)]}


put("results", "many", text(many(18, 4)) + "\n%%\n" + text(many(15, 4)))
put("results", "redrawn", text({**many(18, 3), "cells": [{**cell, "targets": [{**t, "id": t["id"] + 50} for t in cell["targets"]]}
                                                         for cell in many(18, 3)["cells"]]}) + "\n%%\n" + text(many(15, 3)))
put("results", "small", text(small))
put("results", "one", text(one))
put("results", "worse", text(worse) + "\n%%\n" + text(one))
put("results", "whole", text(results()))
put("results", "two-tasks", text(results(seeds=(1,), tasks=("glyphs", "census"))))
put("results", "broken", text({**one, "cells": [{**one["cells"][0], "status": "fine"}]}))
pictures = b"".join(tensor(i, "U8", [1, 1, 5, 5], bytes(range(25))) for i in range(3))
put("report", "one", text(one).encode() + b"\n%%\n" + pictures)
put("report", "sweep", text({**results(seeds=(1,)), "matches": []}).encode() + b"\n%%\n" + pictures)
put("report", "small", text(small).encode() + b"\n%%\n")
put("report", "colour", text(one).encode() + b"\n%%\n" + tensor(0, "U8", [2, 3, 4, 4], b"\x20") + tensor(2, "U8", [1, 3, 9, 9], b"\x80"))
about = {"format": 1, "contributor": "A & B", "date": "2025-03-31", "note": "<b>",
         "links": [{"title": "code", "url": "https://example.org/a"}],
         "claims": [{"defense": "dp", "task": "glyphs", "stage": 10, "measure": "psnr", "value": 12, "source": "a paper"}]}
put("board", "two", text(one) + "\n%%\n" + text(about) + "\n%%\n" + text(worse))
put("board", "alone", text(one) + "\n%%\n" + text({"format": 1}))
put("board", "script", text({**one, "title": "</script><script>x"}) + "\n%%\n" +
    text({**about, "links": [{"title": "x", "url": "javascript:x"}]}))
put("board", "small", text(small) + "\n%%\n\n%%\n" + text(one))

score = {key: value for key, value in one["cells"][0].items() if key in ("measures", "floors", "chance", "targets", "convergence",
                                                                         "facts")}
attribute = {"targets": [{"id": i, "attribute_truth": i % 2, "attribute_told": 1, "attribute_accuracy": i % 2} for i in range(4)],
             "measures": {"attribute_balanced": {"mean": 0.5}, "contribution_rank": {"mean": 0.1}}, "unmeasured": {"lpips_vgg": "no"}}
put("cells", "scores", text(score) + "\n%%\n" + text(score))
put("cells", "attribute", text(attribute) + "\n%%\n" + text(attribute))
put("cells", "one", text(score) + "\n%%\n")
put("cells", "kinds", text({"measures": 5, "floors": [], "chance": "x", "targets": {}, "convergence": 1, "facts": []}))
pair = {"suite_digest": "d", "cells": [{**one["cells"][0], "cell": "a/r0/none@none/dlg/s%d" % seed, "seed": seed, "images": None}
                                       for seed in (1, 2)]}
other = json.loads(text(pair))
other["cells"][1]["measures"]["psnr"]["mean"] += 1
other["cells"][0]["targets"].append({"a": [[[]]]})
host = {"identity": "host x", "provenance": {"plugins": [{"id": "dlg", "digest": "1" * 64}, {"id": 5}]}}
host["jobs"] = [{"job": "train t/d@1/s1", "defense": "d", "attack": None,
                 "hooks": [{"plugin": "clip", "hook": "transform_update", "calls": 12, "seconds": 0.25}]}]
put("audit", "same", text(pair) + "\n%%\n" + text(host) + "\n%%\n" + text(pair))
put("audit", "different", text(pair) + "\n%%\n" + text(host) + "\n%%\n" + text(other))
put("audit", "failed", text(pair) + "\n%%\n{}\n%%\n" + text({"cells": [{"status": "failed", "reason": "it broke"}]}))
put("audit", "none", text({"suite_digest": "d", "cells": [{"cell": "x"}]}) + "\n%%\n")
pictured = {**pair, "cells": [{**cell, "images": "../a/b"} for cell in pair["cells"]]}
put("audit", "pictures", text(pictured) + "\n%%\n{}\n%%\n" + text(pictured))

# ---- suites: besides those of suites/ and tests/cases/

base = json.load(open(os.path.join(TOP, "tests", "cases", "base.json")))
tiny = {"suite": "tiny", "tasks": [{"id": "a", "data": {"name": "glyphs"}, "model": "mlp_small"}], "defenses": [{"defense": "none"}],
        "attacks": [{"attack": "dlg"}]}
put("suite", "tiny", text(tiny))
put("suite", "base", text(base))
put("suite", "round", text({**tiny, "seed": 3, "tasks": [
    {**tiny["tasks"][0], "federated": {"clients": 4, "rounds": 9, "local_steps": 2, "batch": 5, "partition": {"kind": "shards", "shards": 3}},
     "stages": {"drawn": 4}, "observe": {"from": "round", "surface": "encoding", "epochs": 0}},
    {"id": "b", "like": "a", "observe": {"from": "probe", "targets": 2}}]}))
put("suite", "scales", text({**tiny, "scale": "smoke", "scales": {"smoke": {"says": "small", "set": {"k": 4, "d": {"name": "glyphs"}}},
                                                                  "full": {"says": "large", "set": {"k": 8, "d": "mnist"}}},
                             "tasks": [{**tiny["tasks"][0], "data": "$d"}],
                             "defenses": [{"defense": "none"}, {"defense": "mixup", "params": {"k": "$k"}}]}))
put("suite", "models", text({**tiny, "models": [{"id": "judge", "model": "convnet", "width": 0.25, "data": {"name": "glyphs"},
                                                 "train": {"epochs": 1, "batch": 8, "rate": 0.05, "flip": True}}],
                             "defenses": [{"defense": "none"}, {"defense": "loda", "params": {"extractor": "judge"}}],
                             "check": {"alpha": 0.05, "tolerance": {"psnr": 0.5}},
                             "measures": {"psnr": True, "feature_distance": "judge", "representation_mse": "judge"}}))
put("suite", "chain", text({**tiny, "attacks": [{"attack": ["dlg", "decompose"], "params": [{}, {"steps": 5}], "budget": [1, 2],
                                                 "grants": ["public", "defense"]}],
                            "tasks": [{**tiny["tasks"][0], "observe": {"targets": 8, "set": 4, "epochs": 2}},
                                      {"id": "b", "like": "a", "observe": {"surface": "encoding", "targets": 8, "set": 4}}],
                            "defenses": [{"defense": "mixup", "strength": 4}]}))
put("suite", "tables", text({**tiny, "tables": papers, "facts": ["hidden_loss", "kept_loss"], "defenses": [{"defense": "none"}, {"defense": "dp-gaussian", "label": "dp", "strength": 0.1}]}))

# ---- check: all scores alike, so that their statistics are known; its harness puts digests in
def alike(x, n):
    """Of n trainings with one target each."""
    return {"mean": x, "deviation": 0.0, "worst": x, "median": x, "low": x, "high": x, "n": n, "trainings": n, "interval": "none"}


def all_right(n):
    """The same of a share of 1: Wilson's interval of n scores, or as many as n trainings count for (n = 2: t is 12.7)."""
    z = 1.959963984540054
    counts = n if n == 1 else n * (z / 12.706204736174705) ** 2
    return {**alike(1.0, n), "low": counts / (counts + z * z), "interval": "targets" if n == 1 else "trainings"}


def held(defense="none", strength=None, seeds=(1, 2)):
    matched = strength is not None
    mode = "matched" if matched else "none"
    utility, none = (0.76, 0.8) if matched else (0.8, 0.8)
    common = {"task": "a", "stage": 1, "defense": defense, "mode": mode, "attack": "dlg", "status": "ok", "reason": None,
              "strength": strength, "matched": matched, "floors": {"psnr": {"random": 5.0}}, "chance": {"label_accuracy": 0.1}}
    cells = [{**common, "cell": f"a/r1/{defense}@{mode}/dlg/s{seed}", "plugin": defense, "attack_plugin": "dlg", "seed": seed,
              "surface": "update", "goals": ["reconstruction", "label"], "grants": [],
              "utility": {"measure": "accuracy", "value": utility, "standard_error": 0.0, "none": none},
              "measures": {"psnr": alike(20.0, 1), "mse": alike(0.01, 1), "label_accuracy": all_right(1)},
              "targets": [{"id": 0, "mse": 0.01, "psnr": 20.0, "label_accuracy": 1.0}], "convergence": [], "images": None}
             for seed in seeds]
    group = {**common, "n_cells": len(cells), "n_ok": len(cells), "utility": {"mean": utility, "low": utility, "high": utility},
             "utility_none": none, "measures": {"psnr": alike(20.0, len(cells)), "mse": alike(0.01, len(cells)), "label_accuracy": all_right(len(cells))}}
    return cells, group


def check_seed(seeds=(1, 2), stranger=False):
    suite = {"suite": "small", "seeds": list(seeds),
             "tasks": [{"id": "a", "data": {"name": "glyphs"}, "model": "mlp_small", "federated": {"rounds": 1}, "observe": {"targets": 1}}],
             "defenses": [{"defense": "none"}] + ([{"defense": "prune", "match": True}] if stranger else []),
             "attacks": [{"attack": "dlg"}]}
    mine = {"label": "prune", "plugin": "prune", "strength": "s", "unit": "", "scale": "linear",
            "members": [{"id": "prune", "version": "3", "flags": [], "params": {"s": 0.5, "how": "well", "sizes": [1, 2], "on": True}}]}
    parts = [held(seeds=seeds)] + ([held("prune", 0.5, seeds)] if stranger else [])
    match = {"task": "a", "defense": "prune", "target": 0.76, "tolerance": 0.02, "verdict": "matched", "reason": None, "strength": 0.5,
             "utility": 0.76, "utility_none": 0.8, "confirmed": True,
             "history": [{"strength": 0.5, "utility": 0.76, "standard_error": 0.0, "seed": seed} for seed in (0, 3)]}
    results = {"format": 1, "suite": "small", "title": "", "suite_digest": "0",
               "tasks": [{"id": "a", "digest": "0", "data": "glyphs", "model": "mlp_small", "stages": [1], "utility": "accuracy",
                          "surface": "update", "targets": 1, "batch": 1, "local_steps": 0, "rounds": 1, "weights": False, "attribute": None}],
               "models": [],
               "defenses": [{"label": "none", "plugin": "none", "strength": None, "unit": None, "scale": None,
                             "members": [{"id": "none", "version": "1", "flags": [], "params": {}}]}] + ([mine] if stranger else []),
               "attacks": [{"label": "dlg", "plugin": "dlg", "grants": [], "budget": 0,
                            "members": [{"id": "dlg", "version": "1", "flags": [], "params": {"steps": 300, "schedule": [0.375, 0.625]}}]}],
               "matches": [match] if stranger else [], "groups": [group for _, group in parts], "cells": [c for cells, _ in parts for c in cells]}
    return text(results), text(suite)


for name, arguments in {"whole": {}, "stranger": {"stranger": True}, "one": {"seeds": (1,), "stranger": True}}.items():
    put("check", name, "\n%%\n".join(check_seed(**arguments)))
put("check", "alone", check_seed(stranger=True)[0])
put("check", "wrong", check_seed()[0].replace("20.0", "21.0", 1) + "\n%%\n" + check_seed()[1])

for harness, names in made.items():
    folder = os.path.join(HERE, "corpus", harness)
    for name in os.listdir(folder):
        if name not in names and not name.startswith("found-"):
            os.remove(os.path.join(folder, name))
