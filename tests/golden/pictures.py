#!/usr/bin/env python3
"""Writes pictures.safetensors, which tests/unit/test_bitmap.c compares with: PNG and JPEG files with the pixels that
Pillow reads from them, and pictures with what Pillow's Image.resize makes of them.

Needs python3-numpy and python3-pil, whose libjpeg is the one that gauntlet loads. Expected pixels of 16-bit files are by
the definition, round(255 v / 65535), which Pillow does not have."""
import io
import os
import struct
import sys
import zlib

import numpy as np
from PIL import Image, ImageOps

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import safetensors_block  # noqa: E402

entries = []


def put(name, array):
    array = np.ascontiguousarray(array, np.uint8)
    entries.append((name, "U8", array.shape, array.tobytes()))


def picture(h, w, channels, seed):
    """A smooth picture with edges and some noise."""
    y, x = np.mgrid[0:h, 0:w].astype(float)
    out = [127 + 90 * np.sin(0.3 * (c + 1) * x + 0.2 * y + c) + 40 * ((x + c * y) % 7 < 3) for c in range(channels)]
    noise = np.random.RandomState(seed).randint(-12, 13, (h, w, channels))
    return np.clip(np.stack(out, -1) + noise, 0, 255).astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(wide, high, bits, colour, rows, interlaced=0, before=b""):
    """A PNG file of rows without filters; bytes in `rows` include each row's filter type."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, bits, colour, 0, 0, interlaced))
            + before + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def lines(array):
    """Rows of bytes, each after the filter type 0."""
    return b"".join(b"\0" + row.tobytes() for row in array)


def adam7(pixels):
    """The seven passes of an interlaced picture of 8 bits for each channel."""
    out = b""
    for y, x, dy, dx in [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]:
        part = pixels[y::dy, x::dx]
        if part.size:
            out += lines(np.ascontiguousarray(part))
    return out


def saved(image, **how):
    to = io.BytesIO()
    image.save(to, **how)
    return to.getvalue()


def file(name, data, want=None):
    """want: the pixels that gauntlet is to read; None: those that Pillow does, upright."""
    if want is None:
        image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
        image = image.convert("L" if image.mode in ("1", "L", "LA") else "RGB")
        want = np.asarray(image)
    put("file." + name, np.frombuffer(data, np.uint8))
    put("want." + name, want.reshape(want.shape[0], want.shape[1], -1))


rgb, grey = picture(11, 13, 3, 1), picture(11, 13, 1, 2)[:, :, 0]
file("png.rgb", saved(Image.fromarray(rgb), format="PNG"))
file("png.grey", saved(Image.fromarray(grey), format="PNG"))
file("png.bits", saved(Image.fromarray(grey > 127), format="PNG"))
file("png.palette", saved(Image.fromarray(rgb).quantize(64), format="PNG"))
file("png.palette4", saved(Image.fromarray(rgb).quantize(9), format="PNG", bits=4))
alpha = np.full((11, 13, 1), 255, np.uint8)
file("png.rgba", saved(Image.fromarray(np.concatenate([rgb, alpha], 2)), format="PNG"))
file("png.la", saved(Image.fromarray(np.concatenate([grey[:, :, None], alpha], 2), "LA"), format="PNG"))
file("png.interlaced", png(13, 11, 8, 2, adam7(rgb), 1))
deep = np.random.RandomState(3).randint(0, 65536, (5, 6, 3)).astype(">u2")
to8 = np.floor(deep.astype(np.float64) * 255 / 65535 + 0.5).astype(np.uint8)
file("png.rgb16", png(6, 5, 16, 2, lines(deep)), to8)
file("png.grey16", png(6, 5, 16, 0, lines(deep[:, :, 0].copy())), to8[:, :, :1])
two = np.random.RandomState(4).randint(0, 4, (5, 8)).astype(np.uint8)
packed = two[:, 0::4] << 6 | two[:, 1::4] << 4 | two[:, 2::4] << 2 | two[:, 3::4]
file("png.grey2", png(8, 5, 2, 0, lines(packed)), two[:, :, None] * 85)
small = picture(3, 5, 3, 5)
turned = b"MM\0*\0\0\0\x08\0\1" + struct.pack(">HHIHH", 0x112, 3, 1, 6, 0) + b"\0\0\0\0"
file("png.turned", png(5, 3, 8, 2, lines(small), before=chunk(b"eXIf", turned)), np.rot90(small, -1))
file("png.gamma", png(5, 3, 8, 2, lines(small), before=chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(
    b"tEXt", b"Comment\0drawn")), small)

photo, shade = picture(37, 45, 3, 6), picture(37, 45, 1, 7)[:, :, 0]
file("jpeg.rgb", saved(Image.fromarray(photo), format="JPEG", quality=85, subsampling=0))
file("jpeg.420", saved(Image.fromarray(photo), format="JPEG", quality=75))
file("jpeg.grey", saved(Image.fromarray(shade), format="JPEG"))
file("jpeg.progressive", saved(Image.fromarray(photo), format="JPEG", progressive=True))
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    file("jpeg.turned%d" % orientation, saved(Image.fromarray(photo[:9, :14]), format="JPEG", exif=exif))

# files that are refused
see = alpha.copy()
see[2, 3] = 254
put("file.refused.rgba", np.frombuffer(saved(Image.fromarray(np.concatenate([rgb, see], 2)), format="PNG"), np.uint8))
put("file.refused.key", np.frombuffer(png(5, 3, 8, 2, lines(small), before=chunk(
    b"tRNS", b"".join(b"\0" + bytes([v]) for v in small[1, 2]))), np.uint8))
put("file.refused.palette", np.frombuffer(saved(Image.fromarray(rgb).quantize(8), format="PNG", transparency=0), np.uint8))
put("file.refused.index", np.frombuffer(png(5, 3, 8, 3, lines(np.full((3, 5), 2, np.uint8)), before=chunk(
    b"PLTE", bytes(6))), np.uint8))
put("file.refused.cmyk", np.frombuffer(saved(Image.fromarray(photo).convert("CMYK"), format="JPEG"), np.uint8))
put("file.refused.huge", np.frombuffer(png(100000, 100000, 8, 2, b""), np.uint8))

put("convert.rgb", photo)
put("convert.grey", np.asarray(Image.fromarray(photo).convert("L")))
for channels in (3, 1):
    source = picture(23, 37, channels, 8 + channels)
    image = Image.fromarray(source if channels == 3 else source[:, :, 0])
    put("resize.%d" % channels, source)
    for name, how in (("box", Image.Resampling.BOX), ("bilinear", Image.Resampling.BILINEAR)):
        for h, w in ((8, 8), (23, 12), (7, 37), (46, 50), (11, 64), (1, 1)):
            put("%s.%d.%dx%d" % (name, channels, h, w), np.asarray(image.resize((w, h), how)))

safetensors_block.write(os.path.join(HERE, "pictures.safetensors"), safetensors_block.pack(entries, None))
