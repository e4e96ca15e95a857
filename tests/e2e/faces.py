#!/usr/bin/env python3
"""Draws faces for tests/e2e/own-data: FOLDER/img/NNN.png with list.csv, the same as arrays and in folders of classes,
and folders in the layouts of CelebA and LFW. Needs nothing beyond Python itself."""
import io
import os
import struct
import sys
import zipfile
import zlib

SIDE, FACES, PEOPLE = 24, 300, 60
top = sys.argv[1]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    """A PNG file of rows of (r, g, b)."""
    raw = b"".join(b"\0" + bytes(v for pixel in row for v in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def face(i, smiles, male):
    """An oval with hair, eyes and a mouth; person and number change colours and places."""
    person = i // (FACES // PEOPLE)
    skin = (150 + person * 37 % 90, 110 + person * 23 % 70, 80 + person * 11 % 60)
    hair = (40 + person * 29 % 120, 30 + person * 17 % 60, 20 + i * 7 % 40)
    back = (i * 13 % 200, 90 + i * 5 % 100, 255 - i * 3 % 120)
    across, down = 11.5 + i % 3 - 1, 12.0 + i % 2
    rows = []
    for y in range(SIDE):
        row = []
        for x in range(SIDE):
            u, v = (x - across) / 8, (y - down) / 10
            colour = back
            if u * u + v * v < (1.05 if male else 1.25) and v < (-0.2 if male else 0.5):
                colour = hair
            if u * u + (v - 0.1) ** 2 < 0.8:
                colour = skin
                mouth = 0.55 + (0.25 if smiles else -0.1) * (0.3 - u * u)
                if abs(abs(u) - 0.4) < 0.13 and abs(v + 0.1) < 0.1:
                    colour = (20, 20, 30)
                elif abs(u) < 0.5 and abs(v - mouth) < 0.08:
                    colour = (170, 40, 50)
            row.append(colour)
        rows.append(row)
    return rows


def put(name, content):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def npy(descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple(shape))
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data


person = [i // (FACES // PEOPLE) for i in range(FACES)]
part = ["train" if p < 40 else "test" if p < 52 else "public" for p in person]
smile = [i * 7 % 5 < 2 for i in range(FACES)]
sex = [p * 3 % 7 < 3 for p in person]
pictures = [face(i, smile[i], sex[i]) for i in range(FACES)]
for i in range(FACES):
    put("img/%03d.png" % i, png(pictures[i]))
    put("classes/%s/%s/%03d.png" % (part[i], "smiling" if smile[i] else "serious", i), png(pictures[i]))
put("list.csv", "path,smile,sex,person,part\n" + "".join("%03d.png,%s,%s,%d,%s\n" % (
    i, "yes" if smile[i] else "no", "1.5" if sex[i] else "-0.25", person[i], part[i]) for i in range(FACES)))
head = '{"format": "gauntlet data", "version": 1, "name": "faces24", "kind": "image",\n '
images = '"images": {"folder": "img", "colour": "rgb"}, "list": "%s",\n '
label = '{"column": "smile", "as": "label", "values": ["no", "yes"]}'
put("own.json", head + images % "list.csv" + '"columns": [{"column": "path", "as": "file"}, ' + label +
    ',\n  {"column": "sex", "as": "attribute", "values": ["female", "male"], "above": 0},\n'
    '  {"column": "person", "as": "group"}, {"column": "part", "as": "part"}]}')

# the same as arrays
for name in ("train", "test", "public"):
    rows = [i for i in range(FACES) if part[i] == name]
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("x.npy", npy("|u1", (len(rows), SIDE, SIDE, 3), b"".join(
            bytes(v for row in pictures[i] for pixel in row for v in pixel) for i in rows)))
        z.writestr("y.npy", npy("|b1", (len(rows),), bytes(smile[i] for i in rows)))
        z.writestr("sex.npy", npy("|b1", (len(rows),), bytes(sex[i] for i in rows)))
        z.writestr("group.npy", npy("|u1", (len(rows),), bytes(person[i] for i in rows)))
    put("arrays/%s.npz" % name, to.getvalue())


def parts(form):
    return ", ".join('"%s": "%s"' % (name, form % name) for name in ("train", "test", "public"))


put("arrays.json", head + '"layout": "NHWC", "classes": ["no", "yes"], "groups": "person",\n '
    '"attributes": [{"name": "sex", "values": ["female", "male"]}], "parts": {%s}}' % parts("arrays/%s.npz"))
# folders of classes, and a list of the same rows in their order
put("folders.json", head + '"images": {"folder": "classes", "colour": "rgb"}, "classes": ["serious", "smiling"], '
    '"parts": {%s}}' % parts("%s"))
put("plain.csv", "path,smile,part\n" + "".join("%03d.png,%s,%s\n" % (i, "yes" if smile[i] else "no", part[i]) for i in sorted(
    range(FACES), key=lambda i: smile[i])))
put("plain.json", head + images % "plain.csv" + '"columns": [{"column": "path", "as": "file"}, ' + label +
    ', {"column": "part", "as": "part"}]}')

# the layouts of CelebA and LFW; what a file is follows from its bytes, not its name
few = range(0, FACES, 5)
put("celeba/list_attr_celeba.txt", "%d\nBald Male Smiling Young \n" % len(few) + "".join("%06d.jpg -1 %2d %2d  1\n" % (
    i + 1, 1 if sex[i] else -1, 1 if smile[i] else -1) for i in few))
put("celeba/list_eval_partition.txt", "".join("%06d.jpg %d\n" % (i + 1, i // 5 % 3) for i in few))
put("celeba/identity_CelebA.txt", "".join("%06d.jpg %d\n" % (i + 1, 900 + i // 10) for i in few))
put("lfw/lfw_attributes.txt", "# made up\n#\tperson\timagenum\tMale\tSmiling\tEyeglasses\n" + "".join(
    "Person Number%d\t%d\t%g\t%g\t-1.5\n" % (i // 10, i % 10 + 1, 1.25 if sex[i] else -0.5, 2 if smile[i] else 0)
    for i in few))
for i in few:
    put("celeba/img_align_celeba/%06d.jpg" % (i + 1), png(pictures[i]))
    name = "Person_Number%d" % (i // 10)
    put("lfw/lfw/%s/%s_%04d.jpg" % (name, name, i % 10 + 1), png(pictures[i]))
