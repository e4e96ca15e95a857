"""The part in Python of libgauntlet-python (core.h): loads scripts, makes arrays of the host's structs, checks what
hooks return, and words what went wrong. Scripts are untrusted; what they can reach is the sandbox's matter, not this
file's. A tuple (type, shape, memory) is an array over the host's memory, a dictionary a struct."""
import gc
import re
import site
import sys
import types

import _gauntlet

np = None
sys.path += [folder for folder in site.getsitepackages() if folder not in sys.path]
WORDS = _gauntlet.words
NAMES = {table: {value: name for name, value in words.items()} for table, words in WORDS.items()}

# ---- modules: loaded before the sandbox is entered, and none after ----

# What a script may import, where it is installed, besides numpy and parts of modules that are loaded.
PERMITTED = set(
    "abc array base64 bisect breaching cmath collections contextlib copy csv dataclasses datetime decimal enum fractions "
    "functools gc hashlib heapq io itertools json logging math numbers numpy operator pprint queue random re scipy sklearn "
    "statistics string struct sys textwrap time torch torchvision traceback types typing unicodedata warnings "
    "weakref zlib".split())
LINE = re.compile(r"^(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.M)


def imported(text):
    """The modules that lines of a script name which begin with `import` or `from`."""
    for one, several in LINE.findall(text):
        for part in (one or several).split(","):
            name = part.split()[0] if part.split() else ""
            if name:
                yield name


def preload(text):
    """Imports what a script names and may have. One that is not installed is for the script to meet."""
    global np
    try:
        import numpy
    except ImportError as why:
        raise ImportError(f"plugins in Python need numpy; install python3-numpy ({why})") from None
    import encodings.ascii, encodings.latin_1, encodings.utf_8  # codecs are imported when first used
    np = numpy
    for name in imported(text.decode("utf-8", "replace")):
        parts = name.split(".")
        if parts[0] not in PERMITTED or not name.isascii() or len(name) > 100 or any(p[:1] in ("", "_") for p in parts):
            continue  # such as numpy.f2py.__main__, which is a program
        try:
            __import__(name)
        except BaseException:  # reported where the script imports it
            pass


class Refusal:
    """The last finder of modules: says what may be imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        first = name.split(".")[0]
        if first in PERMITTED:
            raise ImportError(f"the module {name} is not loaded: it is not installed, or imported too late; a script "
                              f"imports at the start of a line, before the sandbox closes files", name=name)
        raise ImportError(f"the module {name} is not among those that a script may import, which are "
                          f"{', '.join(sorted(PERMITTED))}", name=name)


def close_imports():
    """From now on there are only modules that are loaded or part of the interpreter."""
    own = ("BuiltinImporter", "FrozenImporter")
    sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__name__", "") in own] + [Refusal]


# ---- sentences ----


def sentence(error, name):
    """`mine.py:12: ValueError: …`: the last line of the script that was reached."""
    line, at = None, error.__traceback__
    if isinstance(error, SyntaxError) and error.filename == name:
        line = error.lineno
    while at is not None:
        if at.tb_frame.f_code.co_filename == name:
            line = at.tb_lineno
        at = at.tb_next
    try:
        words = str(error)
    except BaseException:
        words = "it has no words"
    what = type(error).__name__
    if isinstance(error, SystemExit):
        what, words = f"the script called exit({words})", ""
    where = f"{name}:{line}: " if line else f"{name}: "
    text = f"{where}{what}: {words}" if words else where + what
    return text.replace("\n", " ").replace("\0", " ")[:900]


# ---- a script and its `plugin` ----

HOOKS = {
    "defense": ("prepare contribute_size contribute receive_sum encode_set encode_batch encode_query local_rate "
                "client_update transform_update aggregate save load").split(),
    "attack": ["prepare", "run"],
}
MEMBERS = {
    "defense", "attack", "version", "line", "licence", "citation", "parameters", "scope", "surfaces", "goals", "needs",
    "uses", "data_kinds", "flags", "families", "conditions", "least_public", "least_shadow"
}
COLUMNS = {"id", "type", "least", "most", "default", "scale", "unit", "choices", "strength", "help"}


class Script:

    def __init__(self, name, functions):
        self.name = name
        self.functions = functions
        self.kind = ""


def known(given, expected, what):
    for key in given:
        if key not in expected:
            raise ValueError(f"{what} has the unknown key {key!r}; expected some of {', '.join(sorted(expected))}")


def text_of(value, what):
    if not isinstance(value, str):
        raise ValueError(f"{what} is {value!r}; expected text")
    value.encode()
    if "\0" in value:
        raise ValueError(f"{what} has a zero byte")
    return value


def number_of(value, what, whole=False):
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise ValueError(f"{what} is {value!r}; expected a{' whole' if whole else ''} number")
    if whole and abs(value) > 2**53:
        raise ValueError(f"{what} is {value}; expected at most 2**53")
    return value if whole else float(value)


def word_of(value, table, what):
    if not isinstance(value, str) or value not in WORDS[table]:
        raise ValueError(f"{what} is {value!r}; expected one of {', '.join(WORDS[table])}")
    return WORDS[table][value]


def list_of(value, what):
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{what} is {value!r}; expected a list")
    return list(value)


def bits_of(value, table, what):
    bits = 0
    for one in list_of(value, what):
        bits |= word_of(one, table, what)
    return bits


def json_list(values, what, whole):
    numbers = [number_of(v, what, whole) for v in list_of(values, what)]
    return "[" + ", ".join(repr(v) for v in numbers) + "]"


def row_of(row, at):
    if not isinstance(row, dict):
        raise ValueError(f"{at} is {row!r}; expected a dictionary")
    known(row, COLUMNS, at)
    at = f"{at} ({row.get('id')})"
    kind = row.get("type", "real")
    out = {
        "id": text_of(row.get("id"), f"{at}: id"),
        "type": word_of(kind, "types", f"{at}: type"),
        "scale": word_of(row.get("scale", "linear"), "scales", f"{at}: scale"),
        "unit": text_of(row.get("unit", ""), f"{at}: unit"),
        "help": text_of(row.get("help"), f"{at}: help"),
        "strength": number_of(row.get("strength", 0), f"{at}: strength", True),
        "least": 0.0, "most": 0.0, "preset": 0.0, "preset_text": None, "choices": None,
    }
    if kind in ("int", "real", "int_list", "real_list"):
        out["least"] = float(number_of(row.get("least"), f"{at}: least"))
        out["most"] = float(number_of(row.get("most"), f"{at}: most"))
    default = row.get("default")
    if kind == "bool":
        if not isinstance(default, bool):
            raise ValueError(f"{at}: default is {default!r}; expected True or False")
        out["preset"] = float(default)
    elif kind in ("int", "real"):
        out["preset"] = float(number_of(default, f"{at}: default", kind == "int"))
    elif kind in ("int_list", "real_list"):
        out["preset_text"] = json_list(default, f"{at}: default", kind == "int_list")
    elif kind == "model":
        out["preset_text"] = None if default is None else text_of(default, f"{at}: default")
    else:
        out["preset_text"] = text_of(default, f"{at}: default")
    if kind == "choice":
        out["choices"] = [text_of(c, f"{at}: choices") for c in list_of(row.get("choices"), f"{at}: choices")]
    return out


def describe(plugin, functions):
    if not isinstance(plugin, dict):
        raise ValueError("the script defines no dictionary `plugin`")
    known(plugin, MEMBERS, "plugin")
    kinds = [k for k in ("defense", "attack") if k in plugin]
    if len(kinds) != 1:
        raise ValueError('plugin has one of the keys "defense" and "attack", whose value is the id')
    kind = kinds[0]
    other = "attack" if kind == "defense" else "defense"
    for name in HOOKS[other]:
        if name not in HOOKS[kind] and callable(functions.get(name)):
            raise ValueError(f"the script of a {kind} defines {name}, a hook of {other}s; expected another name")
    get = plugin.get
    return kind, {
        "kind": 1 if kind == "defense" else 2,
        "id": text_of(plugin[kind], kind),
        "version": text_of(get("version"), "version"),
        "line": text_of(get("line"), "line"),
        "licence": text_of(get("licence", "MIT"), "licence"),
        "citation": text_of(get("citation", ""), "citation"),
        "parameters": [row_of(r, f"parameters[{i}]") for i, r in enumerate(list_of(get("parameters", []), "parameters"))],
        "scope": word_of(get("scope", "task" if callable(functions.get("prepare")) else "none"), "scopes", "scope"),
        "surfaces": bits_of(get("surfaces", ["update"]), "surfaces", "surfaces"),
        "goals": bits_of(get("goals", ["reconstruction"] if kind == "attack" else []), "goals", "goals"),
        "needs": bits_of(get("needs", []), "knowledge", "needs"),
        "uses": bits_of(get("uses", []), "knowledge", "uses"),
        "data_kinds": bits_of(get("data_kinds", list(WORDS["data_kinds"])), "data_kinds", "data_kinds"),
        "flags": bits_of(get("flags", []), "flags", "flags"),
        "conditions": bits_of(get("conditions", []), "conditions", "conditions"),
        "families": [text_of(f, "families") for f in list_of(get("families", []), "families")],
        "least_public": number_of(get("least_public", 0), "least_public", True),
        "least_shadow": number_of(get("least_shadow", 0), "least_shadow", True),
        "hooks": [h for h in HOOKS[kind] if callable(functions.get(h))],
    }


def load(name, text):
    """Runs a script; returns it and what its `plugin` says."""
    try:
        functions = {"__name__": name.removesuffix(".py"), "__file__": name, "__builtins__": __builtins__}
        exec(compile(text, name, "exec", dont_inherit=True), functions)
        script = Script(name, functions)
        script.kind, of = describe(functions.get("plugin"), functions)
    except BaseException as error:
        words = sentence(error, name)
    else:
        return script, of
    raise ValueError(words)


# ---- arrays of trees ----

TYPES = {"f": "f4", "d": "f8", "i": "i4", "q": "i8", "Q": "u8", "B": "u1"}
BITS = {"surface": "surfaces", "granted": "knowledge", "goals": "goals"}


def array(tree, kept):
    code, shape, memory = tree
    if len(memory) == 0:
        return np.zeros(shape, TYPES[code])
    base = np.frombuffer(memory, TYPES[code])
    if kept is not None:
        kept.append(base)
    return base.reshape(shape)


def words_of(bits, table):
    return [name for name, bit in WORDS[table].items() if bits & bit]


def build(tree, kept, named=False):
    """Arrays and structs of a tree. `kept`: to which the arrays over the host's memory are added. named: a dictionary
    by name, not a struct."""
    if isinstance(tree, tuple):  # an array, or the dimensions of one
        return array(tree, kept) if tree and isinstance(tree[0], str) else tree
    if isinstance(tree, list):
        return tuple(build(one, kept) for one in tree)
    if not isinstance(tree, dict):
        return tree
    if named:
        return {key: build(value, kept) for key, value in tree.items()}
    out = types.SimpleNamespace()
    for key, value in tree.items():
        if key in BITS:
            value = words_of(value, BITS[key])
        elif key == "kind" and isinstance(value, int):
            value = "+".join(words_of(value, "data_kinds"))
        elif key == "update_kind":
            value = {1: "gradient", 2: "delta"}.get(value)
        elif key == "output":
            value = {0: "classes", 1: "map"}.get(value)
        elif key == "loss":
            value = {0: "cross_entropy", 1: "mse"}.get(value)
        else:
            value = build(value, kept, key in ("artefacts", "values"))
        setattr(out, key, value)
    if hasattr(out, "surface"):
        out.surface = out.surface[0] if out.surface else None
    return out


# ---- what hooks return ----


def floats(value, shape, what, dtype="f4"):
    """A copy as floats. shape: None for a length that is not given."""
    given = np.asarray(value)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{what} is of the type {given.dtype}; expected numbers")
    if len(given.shape) != len(shape) or any(w is not None and w != g for w, g in zip(shape, given.shape)):
        wanted = ", ".join("n" if w is None else str(w) for w in shape)
        raise ValueError(f"{what} has the shape {given.shape}; expected ({wanted}{',' if len(shape) == 1 else ''})")
    return np.array(given, dtype, order="C")


def no_result(value, arguments):
    if value is not None:
        raise ValueError(f"returned a {type(value).__name__}; expected nothing: what it is given is changed in place")


def tensors(value, arguments):
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise ValueError(f"returned a {type(value).__name__}; expected a dictionary of arrays and bytes by name")
    out = {}
    for name, one in value.items():
        text_of(name, "the name of an artefact")
        if isinstance(one, (bytes, bytearray)):
            out[name] = bytes(one)
            continue
        given = np.asarray(one)
        if given.dtype.kind != "f" or given.ndim > 6:
            raise ValueError(f"{name} is an array of {given.dtype} and {given.ndim} dimensions; expected floats of at "
                             f"most 6, or bytes for anything else")
        out[name] = (np.array(given, "f4", order="C"), given.shape)
    return out


def rows(value, arguments, query=False):
    samples = arguments[0].samples
    given = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(given) <= 4 or (len(given) == 1 and not query):
        raise ValueError("returned neither (x, y), (x, y, ids) nor (x, y, ids, mixed)")
    x = floats(given[0], (None, *samples.dim), "x of the encodings")
    y = None if query else floats(given[1], (len(x), samples.classes), "y of the encodings")
    if len(given) > 2 and given[2] is not None:
        ids = np.array(given[2], "i8", order="C")
        if ids.shape != (len(x),):
            raise ValueError(f"the ids have the shape {ids.shape}; expected ({len(x)},)")
    elif query:
        ids = np.zeros(len(x), "i8")
    elif len(x) == samples.n:
        ids = np.array(samples.id, "i8")
    else:
        raise ValueError(f"{len(x)} encodings of {samples.n} samples; expected their ids, too: (x, y, ids)")
    mixed = None
    if len(given) > 3 and given[3] is not None:
        mixed = [(np.array(i, "i8").reshape(-1), np.array(w, "f8").reshape(-1)) for i, w in given[3]]
        if len(mixed) != len(x) or any(len(i) != len(w) for i, w in mixed):
            raise ValueError("mixed has other lengths than the encodings; expected (ids, weights) for each")
    return x, y, ids, mixed


def rate(value, arguments):
    return number_of(float(value), "the rate")


def size(value, arguments):
    return number_of(value, "contribute_size", True)


def weights(value, arguments):
    if value is None:
        raise ValueError("returned None; expected the new weights")
    return floats(value, (arguments[0].n_params,), "the new weights")


def vector(value, arguments, instance):
    return floats(value, (instance.size,), "the contribution", "f8")


def parts(value, arguments, instance):
    """The parts of an attack's answer, as (name, array, rows, columns, index)."""
    seen = arguments[0]
    if not isinstance(value, dict):
        raise ValueError(f"returned a {type(value).__name__}; expected a dictionary of answers by name")
    info = instance.model.info if instance.model else None
    out = []
    for name, one in value.items():
        if name == "reconstruction":
            given = np.asarray(one)
            shape = tuple(info.dim) if info else given.shape[1:]
            a = floats(given, (None, *shape) if given.ndim != 2 else (None, int(np.prod(shape))), name)
            out.append((name, a, len(a), 0, 0))
        elif name == "labels":
            a = floats(one, (seen.n, seen.classes), name)
            out.append((name, a, *a.shape, 0))
        elif name == "attribute":
            a = floats(one, (seen.attribute_values,), name)
            out.append((name, a, 1, len(a), 0))
        elif name == "attributes":
            for index, scores in dict(one).items():
                a = floats(scores, (seen.n, None), name)
                out.append((name, a, *a.shape, number_of(index, "an attribute's index", True)))
        elif name == "mixture":
            a = floats(one, (None, None), name)
            out.append((name, a, *a.shape, 0))
        elif name == "similarity":
            a = floats(one, (None, None), name)
            if a.shape[0] != a.shape[1]:
                raise ValueError(f"similarity has the shape {a.shape}; expected a square")
            out.append((name, a, len(a), 0, 0))
        elif name == "contribution":
            a = floats(np.asarray(one).reshape(-1), (None,), name, "f8")
            out.append((name, a, len(a), 0, 0))
        elif name in ("region", "membership"):
            a = floats(one, (seen.n, None, None) if name == "region" else (None,), name)
            out.append((name, a, len(a), 0, 0))
        elif name == "ended":
            why, steps = one
            out.append((name, None, number_of(steps, "ended", True), 0, word_of(why, "endings", "ended")))
        else:
            raise ValueError(f"the answer has the unknown part {name!r}; expected reconstruction, labels, attribute, "
                             f"attributes, mixture, similarity, contribution, region, membership or ended")
    return out


RESULTS = {"prepare": tensors, "save": tensors, "encode_set": rows, "encode_batch": rows,
           "encode_query": lambda value, arguments: rows(value, arguments, True), "local_rate": rate,
           "aggregate": weights, "contribute_size": size}
OF_INSTANCE = {"contribute": vector, "run": parts}

# ---- the services of the host ----


def flat(value, n, what):
    return None if value is None else floats_once(value, (n,), what)


def floats_once(value, shape, what):
    """The array itself if it is as the host needs it, else a copy; its length counts, not its shape."""
    given = np.asarray(value)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{what} is of the type {given.dtype}; expected numbers")
    count = 1
    for one in shape:
        count *= one
    if given.size != count:
        raise ValueError(f"{what} has {given.size} entries; expected {count}")
    return np.ascontiguousarray(given, "f4")


class Function:
    """A function of a model, prepared once: eval, then vjp or jvp. What it returns are copies."""

    def __init__(self, model, kind, n, *, layers=None, steps=0, batch=0, order=None, training=-1, cost="cosine",
                 layer_weight=None, masked=False, vjp=(), jvp=(), constant=False, momentum=0.0, decay=0.0):
        self.model, self.n, self.steps, self.constant = model, n, steps, constant
        self.federated = [p for p, shared in zip(model.info.params, model.info.federated) if shared]
        wrt = lambda names: bits_of([names] if isinstance(names, str) else names, "variables", "vjp or jvp")
        self.last = None
        self.address = _gauntlet.prepare(
            model.instance, model.address, word_of(kind, "functions", "the function"), n,
            None if layers is None else np.ascontiguousarray(layers, "i4"), steps, batch,
            None if order is None else np.ascontiguousarray(order, "i8"), training, word_of(cost, "costs", "cost"),
            None if layer_weight is None else np.ascontiguousarray(layer_weight, "f4"), int(masked), wrt(vjp), wrt(jvp),
            3 if constant else 0, float(momentum), float(decay))

    def list(self, arrays, what):
        if arrays is None:
            return None
        if len(arrays) != len(self.federated):
            raise ValueError(f"{what} has {len(arrays)} arrays; expected {len(self.federated)}")
        return [floats_once(a, p.dim, what) for a, p in zip(arrays, self.federated)]

    def direction(self, x, y, weights, rates):
        info = self.model.info
        return (None if x is None else floats_once(x, (self.n, *info.dim), "x"),
                None if y is None else floats_once(y, (self.n, info.classes), "y"),
                flat(weights, info.n_params, "weights"), flat(rates, self.steps, "rates"))

    def eval(self, x, y=None, weights=None, buffers=None, rates=None, observed=None, mask=None):
        given = (weights, buffers, observed, mask)
        if not (self.constant and self.last and all(a is b for a, b in zip(given, self.last))):
            if self.constant and self.last:
                _gauntlet.changed(self.model.address, self.address)
            self.same = (flat(weights, self.model.info.n_params, "weights"),
                         flat(buffers, self.model.info.n_buffers, "buffers"), self.list(observed, "observed"),
                         self.list(mask, "mask"))
            self.last = given
        x, y, _, rates = self.direction(x, y, None, rates)
        self.arguments = x, y, rates  # they must stay as they are until the next call
        outputs, *self.room = _gauntlet.evaluate(self.model.instance, self.model.address, self.address, x, y,
                                                 *self.same[:2], rates, *self.same[2:])
        return copies(outputs)

    def vjp(self, u=None):
        u = None if u is None else [None if one is None else np.ascontiguousarray(one, "f4") for one in u]
        x, y, of_weights, rates = _gauntlet.vjp(self.model.instance, self.model.address, self.address, u, self.n,
                                                self.steps)
        return types.SimpleNamespace(x=copies(x), y=copies(y), weights=copies(of_weights), rates=copies(rates))

    def jvp(self, x=None, y=None, weights=None, rates=None):
        self.jvp_arguments = self.direction(x, y, weights, rates)
        return copies(_gauntlet.jvp(self.model.instance, self.model.address, self.address, *self.jvp_arguments))


def copies(tree):
    if isinstance(tree, list):
        return [copies(one) for one in tree]
    return None if tree is None else array(tree, None).copy()


class Model:

    def __init__(self, instance, address, info):
        self.instance, self.address, self.info = instance, address, build(info, None)

    def function(self, kind, n, **options):
        return Function(self, kind, n, **options)


class Host:
    """`self.host` of a script's hooks."""

    def __init__(self, instance):
        self.instance = instance
        model = _gauntlet.model(instance)
        self.model = model and Model(instance, *model)

    def _fill(self, which, name, shape, dtype):
        out = np.empty(shape, dtype)
        _gauntlet.fill(self.instance, which, name, out)
        return out

    def uniform(self, name, shape):
        return self._fill("uniform", name, shape, "f8")

    def normal(self, name, shape):
        return self._fill("normal", name, shape, "f4")

    def laplace(self, name, shape):
        return self._fill("laplace", name, shape, "f4")

    def below(self, name, n):
        return _gauntlet.below(self.instance, name, n)

    def should_stop(self):
        return _gauntlet.should_stop(self.instance)

    def fact(self, name, value):
        _gauntlet.fact(self.instance, name, float(value))

    def log(self, text, level=1):
        _gauntlet.log(self.instance, level, str(text))

    def progress(self, done, total):
        _gauntlet.progress(self.instance, float(done), float(total))

    def cost(self, restart, step, cost):
        _gauntlet.cost(self.instance, restart, step, float(cost), 0)

    def chosen(self, restart, cost):
        _gauntlet.cost(self.instance, restart, 0, float(cost), 1)

    def open(self, parameter):
        """The suite's model that a parameter names: its id, model, weights and buffers."""
        id, address, info, of_weights, of_buffers = _gauntlet.open_model(self.instance, parameter)
        return types.SimpleNamespace(id=id, model=Model(self.instance, address, info), weights=build(of_weights, None),
                                     buffers=build(of_buffers, None))


# ---- instances and calls ----


class Instance:

    def __init__(self, script, address, values):
        self.script = script
        self.self = types.SimpleNamespace(**values)
        self.self.host = Host(address)
        self.model = self.self.host.model
        self.size = 0


def create(script, address, values):
    """An instance, and a sentence if its start failed."""
    try:
        instance = Instance(script, address, values)
        if callable(script.functions.get("start")):
            script.functions["start"](instance.self)
        return instance, None
    except BaseException as error:
        return None, sentence(error, script.name)


def still_used(kept):
    """True if something besides `kept` has one of its arrays."""
    return any(sys.getrefcount(kept[i]) > 2 for i in range(len(kept)))


def run(instance, hook, trees, kept):
    arguments = [build(t, kept, hook in ("load", "run") and i == 1) for i, t in enumerate(trees)]
    try:
        value = instance.script.functions[hook](instance.self, *arguments)
        if hook in OF_INSTANCE:
            result = OF_INSTANCE[hook](value, arguments, instance)
        else:
            result = RESULTS.get(hook, no_result)(value, arguments)
        if hook == "contribute_size":
            instance.size = result
        return 0, None, result
    except NotImplementedError as error:
        return 2, sentence(error, instance.script.name), None
    except TimeoutError as error:
        return 3, sentence(error, instance.script.name), None
    except BaseException as error:
        return 1, sentence(error, instance.script.name), None


def call(instance, hook, trees):
    """Calls a hook: status, sentence and checked result. An array over the host's memory may not outlive it."""
    kept = []
    answer = run(instance, hook, trees, kept)
    if answer[0] == 0 and still_used(kept):
        gc.collect()
        if still_used(kept):
            return 1, f"{instance.script.name}: keeps an array of the host beyond the hook; expected a copy of it " \
                      f"(.copy())", None
    return answer
