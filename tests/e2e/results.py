"""tools/gauntlet_results.py on a run, a board and hostile files: results.py RUN BOARD WORK. Prints ok NAME and not ok NAME: why."""
import gzip
import json
import os
import re
import shutil
import struct
import sys
import types

sys.path.insert(0, "tools")
import gauntlet_results as results  # noqa: E402

run_folder, board_folder, work = sys.argv[1:]


def check(name, good, why="is otherwise"):
    print(f"ok results-{name}" if good else f"not ok results-{name}: {why}")


def refused(name, text, call, *args, error=results.ResultsError, **keywords):
    """The call raises one sentence that has the text."""
    try:
        call(*args, **keywords)
    except error as sentence:
        check(name, text in str(sentence) and "\n" not in str(sentence), f"{sentence!s:.200} has no {text!r}")
    except Exception as wrong:  # whatever else it is, it is no sentence
        check(name, False, f"raised {type(wrong).__name__}: {wrong}")
    else:
        check(name, False, "raised nothing")


def write(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


run = results.load(run_folder)
root = run.results

# ---- tables ----

cells = results.cells(run)
check("a-row-a-cell", [row["cell"] for row in cells] == [cell["cell"] for cell in root["cells"]])
check("rows-have-the-same-keys", len({tuple(row) for row in cells}) == 1)
first = root["cells"][0]
check("a-cell-as-in-the-file", (cells[0]["psnr_mean"], cells[0]["psnr_low"], cells[0]["psnr_n"], cells[0]["utility"],
      cells[0]["psnr_floor_mean_image"]) == tuple(first["measures"]["psnr"][key] for key in ("mean", "low", "n")) +
      (first["utility"]["value"], first["floors"]["psnr"]["mean_image"]), str(cells[0]))
targets = results.targets(run_folder)
check("a-row-a-target", len(targets) == sum(len(cell.get("targets", [])) for cell in root["cells"]) and
      targets[1]["target"] == 1 and targets[1]["psnr"] == first["targets"][1]["psnr"])
check("results-json-itself", results.cells(os.path.join(run_folder, "results.json")) == cells)

# the trade-off is what the report draws: its first panel's points, leakage by utility in per cent
points = results.curve(run)
with open(f"{run_folder}/report/tables/groups.json", encoding="utf-8") as file:
    drawn = [row for row in json.load(file) if row["measure"] == "psnr"]
worst = {}
for row in drawn:
    worst[row["defense"]] = max(worst.get(row["defense"], 0), row["mean"])
check("a-point-is-the-worst-of-all-attacks", {row["defense"]: row["leakage"] for row in points} == worst, str(points))
check("a-point-has-its-utility", all(any(row["utility"] == other["utility"] for other in drawn
      if other["defense"] == row["defense"]) for row in points))
check("each-attack", len(results.curve(run, attack="*")) == len(drawn))
check("one-defense", [row["defense"] for row in results.curve(run, defense="prune")] == ["prune"])
check("a-rate", results.curve(run, measure="identification")[0]["measure"] == "identification")
refused("no-such-defense", "has no defense 'x'; it has none, dp-gaussian, prune", results.curve, run, defense="x")
refused("no-such-stage", "has no stage 7; it has 2", results.curve, run, stage=7)
refused("no-such-measure", "has no measure 'x'", results.curve, run, measure="x")

judged = results.defenses(run)
with open(f"{run_folder}/report/tables/ranking.json", encoding="utf-8") as file:
    ranking = [row for row in json.load(file) if row["measure"] == "psnr"]
check("judged-as-in-the-report", [{key: row[key] for key in ranking[0]} for row in judged] == ranking)
check("with-utility-and-strength", all((row["strength"], row["utility"]) == next((group["strength"], group["utility"]["mean"])
      for group in root["groups"] if (group["defense"], group["attack"]) == (row["defense"], row["worst_attack"])) for row in judged))
check("every-measure-is-judged", len(results.defenses(run, measure="*")) > len(judged))

places = results.leaderboard(board_folder)
with open(f"{board_folder}/leaderboard.json", encoding="utf-8") as file:
    board = json.load(file)["places"]
check("a-row-a-place", len(places) == len(board) and list(places[0]) == list(board[0]))
for place, row in zip(places, board):
    wrong = [key for key in row if place[key] != ("" if row[key] is None and key not in results.NUMBERS else row[key])]
    if wrong:
        check("places-as-in-the-json", False, f"{wrong[0]} is {place[wrong[0]]!r}, not {row[wrong[0]]!r}")
        break
else:
    check("places-as-in-the-json", True)

# ---- the table of measures is the program's ----

with open("harness/metric/measure.c", encoding="utf-8") as file:
    rows = re.findall(r'\.name = "(\w+)".*?\.leak = (-?1).*?\.order = (\d+)(.*?)\.bounds', file.read(), re.S)
rows = sorted((int(order), name, int(leak), "undrawn" in rest) for name, leak, order, rest in rows)
check("measures-are-those-of-the-program", list(results.MEASURES.items()) == [(name, leak) for _, name, leak, _ in rows])
with open("docs/leaderboard.schema.json", encoding="utf-8") as file:
    columns = json.load(file)["properties"]["places"]["items"]["properties"]
check("columns-are-those-of-the-schema", {name for name, column in columns.items() if "number" in column["type"]} == results.NUMBERS)

# ---- images ----

numpy = sys.modules.pop("numpy", None)
sys.modules["numpy"] = None  # not installed
plain = results.images(run, cells[0])
check("images-without-numpy", len(plain["recovered"]) == 3 and plain["recovered"][0].shape == (1, 28, 28) and
      len(plain["recovered"][0]) == 784)
del sys.modules["numpy"]
try:
    import numpy
except ImportError:
    print("skip results-images-with-numpy: numpy is not installed (a dev package)")
else:
    arrays = results.images(run, cells[0]["cell"])
    check("images-with-numpy", all(arrays[name][i].tobytes() == image for name in plain for i, image in enumerate(plain[name])))
refused("a-cell-that-is-not-there", "has no cell 'x'", results.images, run, "x")

# ---- pandas ----

sys.modules["pandas"] = None
refused("frames-need-pandas", "needs pandas, which is not installed", results.cells, run, as_frame=True, error=ImportError)
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
check("frames-are-made-of-rows", results.cells(run, as_frame=True) == ("frame", cells))
del sys.modules["pandas"]

# ---- the example of the page, with a matplotlib that only notes what it is given ----

with open("docs/results.md", encoding="utf-8") as file:
    example = re.search(r"## From Python.*?```python\n(.*?)```", file.read(), re.S).group(1)
noted = []
pyplot = types.ModuleType("matplotlib.pyplot")
pyplot.__getattr__ = lambda name: lambda *args, **keywords: noted.append((name, args, keywords))
sys.modules["matplotlib"] = types.SimpleNamespace(pyplot=pyplot)
sys.modules["matplotlib.pyplot"] = pyplot
try:
    exec(example.replace("results/quick", run_folder), {})
    lines = [keywords["label"] for name, _, keywords in noted if name == "errorbar"]
    check("the-example-draws-each-defense", lines == ["none", "dp-gaussian", "prune"], str(noted))
except Exception as wrong:
    check("the-example-draws-each-defense", False, f"{type(wrong).__name__}: {wrong}")

# ---- hostile files ----


def with_results(name, value):
    return os.path.dirname(write(f"{work}/{name}/results.json", value))


def changed(name, change, *more):
    """A run whose results.json is changed."""
    copy = json.loads(json.dumps(root))
    change(copy, *more)
    return with_results(name, copy)


refused("nothing-there", "nowhere: does not exist; expected the folder of a run", results.load, f"{work}/nowhere")
os.makedirs(f"{work}/empty")
refused("a-folder-without-results", "empty: has no results.json; name the folder", results.load, f"{work}/empty")
write(f"{work}/begun/plan.json", {})
refused("a-run-that-only-began", "`gauntlet run` again finishes the run", results.load, f"{work}/begun")
os.makedirs(f"{work}/folder/results.json")
refused("a-folder-as-file", "is no regular file", results.load, f"{work}/folder")
refused("a-number-as-run", "run: is int; expected a path", results.load, 3)
for name, text in (("no-json", b"{"), ("nothing", b""), ("no-utf-8", b"\xff{}"), ("nan", b'{"format": NaN}'),
                   ("long-number", b"9" * 5000), ("infinite", b'{"format": Infinity}')):
    refused(name, "is no JSON", results.load, with_results(name, text))
refused("deep", "is nested too deeply", results.load, with_results("deep", b"[" * 200000))
refused("a-list", "has no format and cells", results.load, with_results("list", b"[]"))
refused("another-file", "has no format and cells", results.load, with_results("plan", {"format": 1}))
refused("another-version", "has format 2; this module reads 1; use the one", results.load, changed("two", lambda r: r.update(format=2)))
refused("no-groups", "groups is no list", results.load, changed("groupless", lambda r: r.pop("groups")))
for key, value, text in (("status", None, "cells[0].status: is null; expected text"), ("seed", 1.5, "cells[0].seed: is 1.5; expected a whole"),
                         ("measures", [], "cells[0].measures: is list; expected an object"), ("strength", "x", 'strength: is "x"; expected a number'),
                         ("stage", 10 ** 400, "expected a whole number"), ("facts", {"x": "y"}, 'facts.x: is "y"; expected a number'),
                         ("marks", [1], "marks[0]: is 1; expected an object")):
    refused(f"a-cell-with-another-{key}", text, results.cells, changed(f"of-{key}", lambda r: r["cells"][0].update({key: value})))
refused("a-cell-without-task", "cells[1].task: is missing; expected text", results.cells, changed("taskless", lambda r: r["cells"][1].pop("task")))
refused("targets-as-text", "targets: is \"x\"; expected a list", results.targets, changed("aims", lambda r: r["cells"][0].update(targets="x")))
refused("a-group-with-another-mean", "measures.psnr.mean: is \"x\"; expected a number", results.curve,
        changed("means", lambda r: r["groups"][0]["measures"]["psnr"].update(mean="x")))

alone = changed("alone", lambda r: None)
refused("no-report", "ranking.json: does not exist, and gauntlet alone judges defenses; make the report again", results.defenses, alone)
write(f"{alone}/report/tables/ranking.json", [{**ranking[0], "defense": "other"}])
refused("another-run-s-report", "'other' is not in", results.defenses, alone)
write(f"{alone}/report/tables/ranking.json", [{**ranking[0], "worst_stage": []}])
refused("a-ranking-of-lists", "worst_stage: is list; expected a whole number", results.defenses, alone)
refused("images-that-were-not-copied", "does not exist; expected images of the cell", results.images, alone, cells[0])

packed = f"{work}/packed"
write(f"{packed}/results.json.gz", gzip.compress(json.dumps(root).encode()))
check("scores-without-pictures", results.cells(packed) == cells)
write(f"{packed}/results.json.gz", gzip.compress(json.dumps(root).encode())[:-20])
refused("a-torn-gzip-file", "is damaged, or no gzip file", results.load, packed)

refused("images-elsewhere", "expected a file in images/", results.images,
        changed("away", lambda r: r["cells"][0].update(images="../x.safetensors")), cells[0])
refused("no-images", "has no images: its status is", results.images, changed("bare", lambda r: r["cells"][0].update(images=None)), cells[0])
file = f"{alone}/{first['images']}"
shutil.copytree(f"{run_folder}/images", f"{alone}/images")
with open(file, "rb") as whole:
    whole = whole.read()
for name, data, text in (("torn-images", whole[:-1], "has another type or size"), ("short-images", b"1234", "is no safetensors file"),
                         ("images-without-header", struct.pack("<Q", 2) + b"[]", "its header is no JSON object"),
                         ("images-of-another-shape", whole.replace(b"[3,1,28,28]", b"[3,1,14,56]", 1).replace(b"[3,1,28,28]", b"[3,9,28,28]", 1),
                          "has another type or size"),
                         ("images-of-another-type", whole.replace(b'"U8"', b'"F9"', 1), "has another type or size")):
    refused(name, text, results.images, alone, cells[0]) if write(file, data) else None

with open(f"{board_folder}/leaderboard.csv", "rb") as table:
    table = table.read()
head = table.split(b"\r\n" if b"\r\n" in table else b"\n")[0]
for name, data, text in (("an-empty-board", b"", "has no column section"), ("another-csv", b"a,b\n1,2\n", "has no column section"),
                         ("a-torn-board", table[:len(table) // 2], "expected"), ("a-column-twice", head + b",rank\n", "has a column twice"),
                         ("a-board-of-bytes", b"\xff\xfe", "is no CSV"),
                         ("a-short-row", head + b"\n1,2\n", f"row 2 has 2 fields; expected {head.count(b',') + 1}"),
                         ("a-rank-as-text", head + b"\nx" + b"," * head.count(b",") + b"\n", "section is 'x'; expected a number")):
    refused(name, text, results.leaderboard, write(f"{work}/boards/{name}.csv", data))
refused("no-board", "cannot be read", results.leaderboard, f"{work}/none.csv")
