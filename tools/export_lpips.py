#!/usr/bin/python3
"""Puts the weights of LPIPS v0.1 into the safetensors file that gauntlet reads.

LPIPS is a published network for classifying ImageNet, here its convolutions, and a weight for each of its features:

  alex     https://download.pytorch.org/models/alexnet-owt-7be5be79.pth
  vgg      https://download.pytorch.org/models/vgg16-397923af.pth
  squeeze  https://download.pytorch.org/models/squeezenet1_1-b8a52dc0.pth
  weights  https://github.com/richzhang/PerceptualSimilarity/tree/master/lpips/weights/v0.1 (NET.pth)

This program fetches nothing. Put what it writes at weights/lpips/NET.safetensors in the folder of --data. Nothing is run
from the files (see torch_file.py).
"""
import argparse
import os
import re
import sys

from export_torch import clean, fail, find_state, load

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import safetensors  # noqa: E402

# the tensors of each: (convolutions, channel weights)
EXPECTED = {"alex": (10, 5), "vgg": (26, 5), "squeeze": (50, 7)}


def part(path, pattern, count, what):
    tensors = clean(find_state(load(path), None, path), None, path)
    kept = {name: tensor.float() for name, tensor in tensors.items() if re.fullmatch(pattern, name)}
    if len(kept) != count:
        fail(f"{path}: holds {len(kept)} tensors of {what}, not {count}; its tensors are called "
             + ", ".join(list(tensors)[:6]))
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", choices=sorted(EXPECTED))
    parser.add_argument("backbone", help="the classifier, as torchvision publishes it")
    parser.add_argument("weights", help="NET.pth of LPIPS v0.1")
    parser.add_argument("out", help="the safetensors file to write")
    args = parser.parse_args()
    convolutions, channels = EXPECTED[args.net]
    tensors = part(args.backbone, r"features\..*", convolutions, f"convolutions of {args.net}")
    tensors.update(part(args.weights, r"lin\d\.model\.1\.weight", channels, f"channel weights of {args.net}"))
    try:
        safetensors.save(args.out, tensors)
    except OSError as error:
        fail(f"{args.out}: {error.strerror}")


if __name__ == "__main__":
    main()
