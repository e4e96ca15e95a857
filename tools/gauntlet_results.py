"""Reads what gauntlet writes as tables: results.json, leaderboard.csv and the images of a run (docs/results.md).

    import sys; sys.path.append(".../gauntlet/tools")
    import gauntlet_results
    run = gauntlet_results.load("results/quick")
    for row in gauntlet_results.defenses(run): print(row["rank"], row["defense"], row["leakage"], row["utility"])

Needs no package. Tables are lists of dictionaries with the same keys in each row, None where there is no number, or with
as_frame=True a pandas.DataFrame. Images are arrays if numpy is installed. A file that is not as expected is refused with a
ResultsError, one sentence. A `run` is the folder of a run, the path of its results.json, or what load() returned.
"""
import csv
import gzip
import io
import json
import math
import os
import re
import stat
import struct
import zlib

FORMAT = 1
LARGEST = 256 << 20  # bytes of a file, as gauntlet itself reads

# measure -> +1 if higher values leak more, else -1; in the order in which reports prefer them (harness/metric/measure.c)
MEASURES = {
    "psnr": 1, "ssim": 1, "region_psnr": 1, "region_ssim": 1, "region_mse": -1, "identification": 1, "label_accuracy": 1,
    "attribute_relabelled": 1, "attribute_balanced": 1, "attribute_accuracy": 1, "mse": -1, "contribution_error": -1,
    "contribution_rank": 1, "lpips_alex": -1, "lpips_vgg": -1, "lpips_squeeze": -1, "feature_distance": -1, "mse255": -1,
    "representation_mse": -1, "region_lpips_alex": -1, "region_lpips_vgg": -1, "region_lpips_squeeze": -1,
}
UNDRAWN = {"region_mse", "mse255"}  # never the leading measure
STATISTICS = ("mean", "low", "high", "deviation", "median", "worst", "n", "trainings", "interval")
FLOORS = ("random", "mean_image", "nearest_public", "other")


class ResultsError(ValueError):
    """Says which file is not as expected, what was expected, and what to do."""


def fail(text):
    raise ResultsError(text)


# ---- files ----

def path_of(value, what):
    try:
        return os.fsdecode(value)
    except TypeError:
        fail(f"{what}: is {type(value).__name__}; expected a path")


def content(path):
    """The bytes of a regular file, unpacked if its name ends in .gz."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            fail(f"{path}: is no regular file; expected one that gauntlet wrote")
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        fail(f"{path}: is damaged, or no gzip file; expected results.json.gz of `gauntlet scores`; copy it again")
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        if isinstance(error, ResultsError):
            raise
        fail(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}; expected a file that gauntlet wrote")
    if len(data) > LARGEST:
        fail(f"{path}: has more than {LARGEST >> 20} MiB; expected a file that gauntlet wrote")
    return data


def no_number(word):
    raise ValueError(f"{word} is no number of JSON")


def parsed(path, source):
    try:
        return json.loads(content(path).decode("utf-8"), parse_constant=no_number)
    except ResultsError:
        raise
    except RecursionError:
        fail(f"{path}: is nested too deeply; expected {source}")
    except ValueError as error:
        fail(f"{path}: is no JSON ({error}); expected {source}; copy or make it again")


# ---- values ----

def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def is_number(value):
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


KINDS = {
    "text": lambda value: isinstance(value, str),
    "a number": is_number,
    "a whole number": is_whole,
    "true or false": lambda value: isinstance(value, bool),
    "an object": lambda value: isinstance(value, dict),
    "a list": lambda value: isinstance(value, list),
}


def checked(value, kind, where):
    if not KINDS[kind](value):
        shown = json.dumps(value) if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
        fail(f"{where}: is {shown[:60]}; expected {kind}; make the file again with `gauntlet run`")
    return value


def needed(entry, key, kind, where):
    if key not in entry:
        fail(f"{where}.{key}: is missing; expected {kind}; make the file again with `gauntlet run`")
    return checked(entry[key], kind, f"{where}.{key}")


def maybe(entry, key, kind, where):
    """None if the key is missing or null, as keys of other builds may be."""
    value = entry.get(key)
    return None if value is None else checked(value, kind, f"{where}.{key}")


def entries(root, key, path):
    """The objects of a list of the file, each with its place for messages."""
    listed = maybe(root, key, "a list", path) or []
    return [(checked(entry, "an object", f"{path}: {key}[{i}]"), f"{path}: {key}[{i}]") for i, entry in enumerate(listed)]


def by_name(entry, key, kind, where):
    """The members of an object within an entry: name -> value of a kind."""
    members = maybe(entry, key, "an object", where) or {}
    return {name: checked(value, kind, f"{where}.{key}.{name}") for name, value in members.items() if value is not None}


# ---- runs ----

class Run:
    """The results of a run: `folder`, `path` of results.json, and `results`, its content."""

    def __init__(self, folder, path, results):
        self.folder, self.path, self.results = folder, path, results

    def __repr__(self):
        return f"Run({self.path!r})"


def load(run):
    """Reads results.json of a run's folder, or results.json.gz of its scores."""
    if isinstance(run, Run):
        return run
    given = path = path_of(run, "run")
    if not os.path.exists(given):
        fail(f"{given}: does not exist; expected the folder of a run (`gauntlet run SUITE -o FOLDER`)")
    if os.path.isdir(given):
        names = [name for name in ("results.json", "results.json.gz") if os.path.exists(os.path.join(given, name))]
        if not names:
            hint = "it has plan.json alone: `gauntlet run` again finishes the run" \
                if os.path.exists(os.path.join(given, "plan.json")) else "name the folder that `gauntlet run` wrote"
            fail(f"{given}: has no results.json; {hint}")
        path = os.path.join(given, names[0])
    root = parsed(path, "results.json of a run")
    if not isinstance(root, dict) or "format" not in root or "cells" not in root:
        fail(f"{path}: has no format and cells; expected results.json of a run")
    if root["format"] != FORMAT or isinstance(root["format"], bool):
        fail(f"{path}: has format {json.dumps(root['format'])[:40]}; this module reads {FORMAT}; use the one of the gauntlet "
             "that wrote the file")
    for key in "cells", "groups":
        if not isinstance(root.get(key), list):
            fail(f"{path}: {key} is no list; expected results.json of a run; make the file again with `gauntlet run`")
    return Run(os.path.dirname(os.path.abspath(path)), path, root)


def table(rows, as_frame):
    """Gives each row the keys of all, in the order of their first appearance."""
    keys = {key: None for row in rows for key in row}
    rows = [{**keys, **row} for row in rows]
    if not as_frame:
        return rows
    try:
        import pandas
    except ImportError:
        raise ImportError("as_frame=True needs pandas, which is not installed; install it (Debian: python3-pandas), or leave "
                          "as_frame out for a list of dictionaries") from None
    return pandas.DataFrame(rows)


def coordinates(entry, where):
    """What places a cell, and its group but for the cell's own keys."""
    return {
        "task": needed(entry, "task", "text", where),
        "stage": needed(entry, "stage", "a whole number", where),
        "defense": needed(entry, "defense", "text", where),
        "strength": maybe(entry, "strength", "a number", where),
        "mode": needed(entry, "mode", "text", where),
        "attack": needed(entry, "attack", "text", where),
        "status": needed(entry, "status", "text", where),
    }


def of_cell(entry, where):
    out = {"cell": needed(entry, "cell", "text", where), **coordinates(entry, where)}
    out["round"] = maybe(entry, "round", "a whole number", where)
    out["seed"] = needed(entry, "seed", "a whole number", where)
    return out


def statistics(entry, where):
    """NAME_mean, NAME_low … of each measure, NAME_floor_random … of its baselines, and NAME_chance."""
    out = {}
    for name, numbers in by_name(entry, "measures", "an object", where).items():
        for key in STATISTICS:
            kind = "text" if key == "interval" else "a number"
            out[f"{name}_{key}"] = maybe(numbers, key, kind, f"{where}.measures.{name}")
    for name, numbers in by_name(entry, "floors", "an object", where).items():
        for key in FLOORS:
            out[f"{name}_floor_{key}"] = maybe(numbers, key, "a number", f"{where}.floors.{name}")
    for name, number in by_name(entry, "chance", "a number", where).items():
        out[f"{name}_chance"] = number
    return out


# ---- tables ----

def cells(run, as_frame=False):
    """A row for each planned cell: coordinates, status, utility, NAME_mean … of each measure, fact_NAME of each fact."""
    run, rows = load(run), []
    for entry, where in entries(run.results, "cells", run.path):
        utility = maybe(entry, "utility", "an object", where) or {}
        row = of_cell(entry, where)
        row["reason"] = maybe(entry, "reason", "text", where)
        row["matched"] = maybe(entry, "matched", "true or false", where)
        row["plugin"] = maybe(entry, "plugin", "text", where)
        row["attack_plugin"] = maybe(entry, "attack_plugin", "text", where)
        row["surface"] = maybe(entry, "surface", "text", where)
        for key in "grants", "goals":
            row[key] = ", ".join(str(word) for word in maybe(entry, key, "a list", where) or [])
        row["marks"] = ", ".join(str(mark.get("what")) for mark, _ in entries(entry, "marks", where))
        row["utility"] = maybe(utility, "value", "a number", f"{where}.utility")
        row["utility_measure"] = maybe(utility, "measure", "text", f"{where}.utility")
        row["utility_standard_error"] = maybe(utility, "standard_error", "a number", f"{where}.utility")
        row["utility_none"] = maybe(utility, "none", "a number", f"{where}.utility")
        row["images"] = maybe(entry, "images", "text", where)
        row.update(statistics(entry, where))
        row.update({f"fact_{name}": value for name, value in by_name(entry, "facts", "a number", where).items()})
        rows.append(row)
    return table(rows, as_frame)


def targets(run, as_frame=False):
    """A row for each target of each cell: coordinates of the cell, `target` (its number from 0, also that of its image),
    and its scores."""
    run, rows = load(run), []
    for entry, where in entries(run.results, "cells", run.path):
        row = of_cell(entry, where)
        for number, (target, _) in enumerate(entries(entry, "targets", where)):
            rows.append({**row, "target": number, **{key: value for key, value in target.items() if key not in row}})
    return table(rows, as_frame)


def known(value, choices, what, path):
    """Refuses a name that the file does not have, with those that it has."""
    if value not in choices:
        fail(f"{path}: has no {what} {repr(value)[:60]}; it has {', '.join(map(str, choices)) or 'none'}")
    return value


def names_in(run, key, name, member):
    """Labels of a list of the file, then those that its groups alone have."""
    own = [maybe(entry, name, "text", where) for entry, where in entries(run.results, key, run.path)]
    seen = [needed(entry, member, "text", where) for entry, where in entries(run.results, "groups", run.path)]
    return list(dict.fromkeys([label for label in own if label is not None] + seen))


def leading(found):
    """The measure by which reports summarise a task and stage, of those that have a number there."""
    for name in () if "ssim" in found else ("attribute_relabelled", "attribute_balanced"):
        if name in found:
            return name
    for name in MEASURES:
        if name in found and name not in UNDRAWN and not (name == "mse" and "psnr" in found):
            return name
    return None


def floor_of(group, measure, where):
    """The guess without an observation that leaks most."""
    of_guesses = by_name(group, "floors", "an object", where).get(measure, {})
    guesses = [maybe(of_guesses, key, "a number", f"{where}.floors.{measure}") for key in FLOORS]
    guesses.append(by_name(group, "chance", "a number", where).get(measure))
    guesses = [guess for guess in guesses if guess is not None]
    return (max if MEASURES.get(measure, 1) > 0 else min)(guesses, default=None)


def points_of(run, task, stage, defense):
    """The groups that were asked for, each with its means by measure."""
    out = []
    for group, where in entries(run.results, "groups", run.path):
        at = coordinates(group, where)
        if task not in (None, at["task"]) or stage not in (None, at["stage"]) or defense not in (None, at["defense"]):
            continue
        means = by_name(group, "measures", "an object", where)
        means = {name: numbers for name, numbers in means.items()
                 if maybe(numbers, "mean", "a number", f"{where}.measures.{name}") is not None}
        out.append((at, means, group, where))
    return out


def curve(run, task=None, stage=None, defense=None, attack=None, measure=None, as_frame=False):
    """Points of the trade-off, means over seeds: a row for each task, stage, defense and strength, with `utility`, its
    least and greatest seed, `leakage`, and its 95 % interval `low` … `high`.

    attack   None: of all attacks the one that leaks most at that point; "*": each; or a label
    measure  None: the leading one of the task and stage; or a name, such as "identification"
    """
    run = load(run)
    of_task = {maybe(entry, "id", "text", where): maybe(entry, "utility", "text", where)
               for entry, where in entries(run.results, "tasks", run.path)}
    attacks = names_in(run, "attacks", "label", "attack")
    labels = names_in(run, "defenses", "label", "defense")
    for value, choices, what in ((task, names_in(run, "tasks", "id", "task"), "task"), (defense, labels, "defense"),
                                 (None if attack == "*" else attack, attacks, "attack")):
        if value is not None:
            known(value, choices, what, run.path)
    groups = points_of(run, task, stage, defense)
    lead = {}
    for at, means, _, _ in points_of(run, task, stage, None):
        lead.setdefault((at["task"], at["stage"]), set()).update(means)
    if stage is not None:
        known(stage, sorted({at["stage"] for at, _, _, _ in points_of(run, task, None, None)}), "stage", run.path)
    if measure is not None:
        known(measure, sorted(set().union(*lead.values())), "measure", run.path)
    lead = {place: measure or leading(found) for place, found in lead.items()}
    points = {}
    for at, means, group, where in sorted(groups, key=lambda one: attacks.index(one[0]["attack"])):
        name = lead[at["task"], at["stage"]]
        utility = maybe(group, "utility", "an object", where) or {}
        value = maybe(utility, "mean", "a number", f"{where}.utility")
        if name not in means or value is None or attack not in (None, "*", at["attack"]):
            continue
        numbers = {key: maybe(means[name], key, "a number", f"{where}.measures.{name}") for key in ("mean", "low", "high", "n")}
        row = {
            "task": at["task"], "stage": at["stage"], "defense": at["defense"], "strength": at["strength"], "mode": at["mode"],
            "matched": maybe(group, "matched", "true or false", where), "attack": at["attack"],
            "utility_measure": of_task.get(at["task"]), "utility": value,
            "utility_low": maybe(utility, "low", "a number", f"{where}.utility"),
            "utility_high": maybe(utility, "high", "a number", f"{where}.utility"),
            "measure": name, "leakage": numbers["mean"], "low": numbers["low"], "high": numbers["high"], "n": numbers["n"],
            "floor": floor_of(group, name, where),
        }
        setting = tuple(at[key] for key in ("task", "stage", "defense", "mode", "strength")) + ((at["attack"],) if attack else ())
        held = points.get(setting)
        if held is None or MEASURES.get(name, 1) * (row["leakage"] - held["leakage"]) > 0:
            points[setting] = row
    tasks = list(dict.fromkeys(row["task"] for row in points.values()))
    rows = sorted(points.values(), key=lambda row: (tasks.index(row["task"]), row["stage"], labels.index(row["defense"]),
                                                   row["strength"] or 0, row["utility"], attacks.index(row["attack"])))
    return table(rows, as_frame)


def defenses(run, measure=None, report=None, as_frame=False):
    """How gauntlet judged each defense of each task and stage: the rows of the report's ranking, with the
    `strength` of the worst attack's cells, and their `utility`, or the target's if `at_target` is "yes" (as is `mean`).

    measure  None: the leading one of the task and stage; "*": each; or a name
    report   the folder of the report, if it is not RUN/report
    """
    run = load(run)
    folder = os.path.join(run.folder, "report") if report is None else path_of(report, "report")
    path = os.path.join(folder, "tables", "ranking.json")
    again = f"make the report again: `gauntlet report {run.folder}`"
    if not os.path.exists(path):
        fail(f"{path}: does not exist, and gauntlet alone judges defenses; {again}")
    listed = checked(parsed(path, "ranking.json of a report"), "a list", path)
    groups, lead, target = {}, {}, {}
    for at, means, group, where in points_of(run, None, None, None):
        if at["mode"] != "sweep":
            groups[at["task"], at["stage"], at["defense"], at["attack"]] = at, group, where
        for stage in at["stage"], None:  # None: the worst of the rounds that the host drew
            lead.setdefault((at["task"], stage), set()).update(means)
    for match, where in entries(run.results, "matches", run.path):
        target.setdefault(needed(match, "task", "text", where), maybe(match, "target", "a number", where))
    labels = set(names_in(run, "defenses", "label", "defense"))
    rows = []
    for i, row in enumerate(listed):
        where = f"{path}: [{i}]"
        row = dict(checked(row, "an object", where))
        task, defense, name = (needed(row, key, "text", where) for key in ("task", "defense", "measure"))
        stage, worst = (maybe(row, key, "a whole number", where) for key in ("stage", "worst_stage"))
        if defense not in labels or (task, stage) not in lead:
            fail(f"{where}: {task[:60]!r} with {defense[:60]!r} is not in {run.path}; {again}")
        if name != (leading(lead[task, stage]) if measure is None else measure) and measure != "*":
            continue
        attack = maybe(row, "worst_attack", "text", where)
        at, group, place = groups.get((task, worst, defense, attack), ({}, {}, path))
        utility = maybe(group, "utility", "an object", place) or {}
        row["strength"] = at.get("strength")
        row["utility"] = maybe(utility, "mean", "a number", f"{place}.utility")
        for key in "low", "high":
            row[f"utility_{key}"] = maybe(utility, key, "a number", f"{place}.utility")
        row["utility_none"] = maybe(group, "utility_none", "a number", place)
        if row.get("at_target") == "yes" and target.get(task) is not None:
            row["utility"], row["utility_low"], row["utility_high"] = target[task], None, None
        rows.append(row)
    if measure not in (None, "*") and not rows:
        known(measure, list(dict.fromkeys(row["measure"] for row in listed)), "measure with a ranking", path)
    return table(rows, as_frame)


# ---- leaderboard.csv ----

NUMBERS = {
    "section", "stage", "rank", "utility", "claimed", "measured", "low", "high", "floor", "leakage", "leakage_low",
    "leakage_high", "utility_surplus", "attacks_with_number", "attacks", "worst_stage", "public_only", "identified",
    "identified_low", "identified_high", "at_strength", "at_strength_low", "at_strength_high", "submitted", "submitted_low",
    "submitted_high", "listed", "others", "clipped",
}
COLUMNS = ("section", "task", "stage", "measure", "rank", "defense", "contributors", "measured", "leakage")


def of_field(text, column, where):
    """The value of a field: an empty number is None. Text that a spreadsheet would take for a formula has an apostrophe
    before it."""
    if column not in NUMBERS:
        return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "\t") else text
    if text == "":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        fail(f"{where}: {column} is {text[:40]!r}; expected a number; make the board again with `gauntlet leaderboard`")
    return int(number) if number.is_integer() and re.fullmatch(r"-?\d+", text) else number


def leaderboard(path, as_frame=False):
    """The places of leaderboard.csv, or of the folder that has one: numbers as numbers, empty ones as None."""
    path = path_of(path, "leaderboard")
    if os.path.isdir(path):
        path = os.path.join(path, "leaderboard.csv")
    try:
        lines = list(csv.reader(io.StringIO(content(path).decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        fail(f"{path}: is no CSV ({error}); expected leaderboard.csv of `gauntlet leaderboard`")
    head = lines[0] if lines else []
    absent = [column for column in COLUMNS if column not in head]
    if absent or len(set(head)) != len(head):
        fail(f"{path}: {'has no column ' + absent[0] if absent else 'has a column twice'}; expected leaderboard.csv of "
             "`gauntlet leaderboard`")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(head):
            fail(f"{path}: row {number} has {len(line)} fields; expected {len(head)}; copy or make the board again")
        rows.append({column: of_field(text, column, f"{path}: row {number}") for column, text in zip(head, line)})
    return table(rows, as_frame)


# ---- images ----

class Image(bytes):
    """The bytes of one image, channel by channel, row by row, with its shape (C, H, W)."""

    shape = ()


def header_of(data, path):
    size = struct.unpack("<Q", data[:8])[0] if len(data) >= 8 else 0
    if not 2 <= size <= min(len(data) - 8, 1 << 20):
        fail(f"{path}: is no safetensors file; expected images of a run; copy them again")
    try:
        header = json.loads(data[8:8 + size].decode("utf-8"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        fail(f"{path}: its header is no JSON object; expected images of a run; copy them again")
    return header, data[8 + size:]


def tensor_of(name, entry, body, path):
    """Type, shape and bytes of a tensor, which lie within the file."""
    where = f"{path}: tensor {name[:60]}"
    shape, span, dtype = (checked(entry, "an object", where).get(key) for key in ("shape", "data_offsets", "dtype"))
    width = {"U8": 1, "I64": 8}.get(dtype if isinstance(dtype, str) else None)
    whole = all(isinstance(part, list) and all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= LARGEST for n in part)
                for part in (shape, span))
    if width is None or not whole or len(span) != 2 or len(shape) > 4 or math.prod(shape) * width != span[1] - span[0] or \
            span[1] > len(body):
        fail(f"{where}: has another type or size than its bytes; expected U8 or I64 within the file; copy the images again")
    return dtype, tuple(shape), body[span[0]:span[1]]


def images(run, cell):
    """The images of a cell, given by its id or its row: a dictionary of `private`, `recovered` and `observed`, each an array
    [k, C, H, W] of numpy, 0 to 255, or without numpy a list of k Images, which are bytes with a shape; and `region` [k, 4] if
    there is one. Image i is of the i-th target."""
    run = load(run)
    name = cell.get("cell") if hasattr(cell, "get") else cell
    found = [(entry, where) for entry, where in entries(run.results, "cells", run.path) if entry.get("cell") == name]
    if not found:
        fail(f"{run.path}: has no cell {str(name)[:120]!r}; expected an id, such as those of cells(run)")
    entry, where = found[0]
    file = maybe(entry, "images", "text", where)
    if file is None:
        fail(f"{where}: has no images: its status is {entry.get('status')}, its data {entry.get('surface')}; name another cell")
    if not re.fullmatch(r"images/[A-Za-z0-9_-][A-Za-z0-9._-]*", file):
        fail(f"{where}.images: is {file[:60]!r}; expected a file in images/")
    path = os.path.join(run.folder, file)
    if not os.path.exists(path):
        fail(f"{path}: does not exist; expected images of the cell; name the folder of the run itself, since `gauntlet scores` "
             "copies none")
    header, body = header_of(content(path), path)
    try:
        import numpy
    except ImportError:
        numpy = None
    out = {}
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        dtype, shape, data = tensor_of(name, tensor, body, path)
        if (dtype, len(shape)) != (("I64", 2) if name == "region" else ("U8", 4)) or (name == "region" and shape[1] != 4):
            fail(f"{path}: tensor {name[:60]}: is {dtype} of shape {list(shape)}; expected U8 [k, C, H, W], or I64 [k, 4] of region")
        if numpy is not None:
            out[name] = numpy.frombuffer(data, "<i8" if dtype == "I64" else "u1").reshape(shape).copy()
        elif name == "region":
            out[name] = [struct.unpack_from("<4q", data, 32 * i) for i in range(shape[0])]
        else:
            step = math.prod(shape[1:])
            out[name] = [Image(data[i * step:(i + 1) * step]) for i in range(shape[0])]
            for image in out[name]:
                image.shape = shape[1:]
    return out


if __name__ == "__main__":
    print(__doc__.strip())
