"""Plants small faults in the package and counts how many the tests find; run by hand after a change of tests or code.

    .venv/bin/python scripts/mutate.py occusite/book/parts/bars.py occusite/book/widgets

Each mutant changes one place: a comparison, a number, a word, a budget's name, the length of a list. Its file's own
tests (tests/test_mirror.py says which) run until one fails. Survivors are printed; those that tests/data/mutants.toml
accepts, each with a reason, do not count. Exit status 1 when fewer than 95 % of the others die.

mutmut 3.8 skips decorated functions (every property, every cached table) and constants of modules; cosmic-ray 8.7
changes no strings or lists and starts an interpreter a mutant. So mutants are made here, as syntax trees, each
imported by a fork of a process that has run the file's tests once and forgets what depends on that file.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import json
import os
import re
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ACCEPTED = ROOT / "tests" / "data" / "mutants.toml"
TARGET = 95.0
MOST_MEMORY = 2 << 30

FLIPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
}
# Names that stand for each other in a slip of the pen.
PAIRS = (
    *(("memory", "registers"), ("registers", "shared_memory"), ("warps", "blocks"), ("barriers", "virtual")),
    *(("first", "last"), ("better", "worse"), ("before", "after"), ("min", "max"), ("any", "all")),
    *(("used", "spare"), ("answer", "other"), ("exact", "on_paper")),
)
SWAPPED = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """One planted fault: the whole mutated tree, the line, the function it is in, and the change as text."""

    tree: ast.Module
    line: int
    where: str
    change: str


Edit = Callable[[ast.AST], ast.AST | None]


def edits(node: ast.AST) -> Iterator[Edit]:
    """What can be changed about one node; each edit takes a copy of it and returns what takes its place."""
    match node:
        case ast.Compare():
            for i in range(len(node.ops)):
                yield lambda n, i=i: _put(n, "ops", [*n.ops[:i], FLIPPED[type(n.ops[i])](), *n.ops[i + 1 :]])
        case ast.BoolOp():
            yield lambda n: _put(n, "op", FLIPPED[type(n.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield lambda n: n.operand
        case ast.BinOp() | ast.AugAssign() if type(node.op) in FLIPPED and not _is_text(node):
            yield lambda n: _put(n, "op", FLIPPED[type(n.op)]())
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield lambda n: _put(n, "test", ast.UnaryOp(ast.Not(), n.test))
        case ast.Constant(value=bool()):
            yield lambda n: _put(n, "value", not n.value)
        case ast.Constant(value=int() | float()):
            yield lambda n: _put(n, "value", n.value + 1)
            yield lambda n: _put(n, "value", n.value - 1)
        case ast.Constant(value=str()):
            for text in other_words(node.value):
                yield lambda n, text=text: _put(n, "value", text)
        case ast.Name(ctx=ast.Load()) if node.id in SWAPPED:
            yield lambda n: _put(n, "id", SWAPPED[n.id])
        case ast.Attribute(ctx=ast.Load()) if node.attr in SWAPPED:
            yield lambda n: _put(n, "attr", SWAPPED[n.attr])
        case ast.List() | ast.Tuple() if len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
            yield lambda n: _put(n, "elts", n.elts[:-1])
        case ast.Dict() if len(node.keys) > 1:
            yield lambda n: _put(_put(n, "keys", n.keys[:-1]), "values", n.values[:-1])
        case ast.ListComp() | ast.GeneratorExp():
            yield lambda n: ast.Subscript(ast.ListComp(n.elt, n.generators), _all_but_last(), ast.Load())
        case ast.Expr(value=ast.Call()):
            yield lambda n: ast.Pass()
        case ast.Return(value=ast.Constant(value=bool()) | None):
            pass
        case ast.Call(func=ast.Name(id="sorted" | "reversed")):
            yield lambda n: ast.Call(ast.Name("list", ast.Load()), n.args, [])


def other_words(text: str) -> Iterator[str]:
    """The text with a word changed, with an attribute's value changed, with a number changed: what it has of these."""
    if text in SWAPPED:
        yield SWAPPED[text]
        return
    tags = [(m.start(), m.end()) for m in re.finditer(r"<[^<>]*>?|^[^<>]*>", text)]
    words = [m for m in re.finditer(r"[^\W\d_]+", text) if not any(a <= m.start() < b for a, b in tags)]
    values = [m for m in re.finditer(r'(?<=[="\s-])[a-z]+(?=[\s"-]|$)', text) if m not in words] if tags else []
    numbers = list(re.finditer(r"\d+", text))
    for match in (*words[:1], *values[:1]):
        yield f"{text[: match.end()]}§{text[match.end() :]}"
    for match in numbers[:1]:
        yield f"{text[: match.start()]}{int(match[0]) + 1}{text[match.end() :]}"
    if text and not tags and not words and not numbers:
        yield f"{text}§"


def _put(node: ast.AST, field: str, value: object) -> ast.AST:
    setattr(node, field, value)
    return node


def _all_but_last() -> ast.Slice:
    return ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1)), None)


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether `+` joins texts or lists: its opposite could only raise an error, which any test finds."""
    if not isinstance(node.op, ast.Add):
        return False
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    kinds = (ast.JoinedStr, ast.List, ast.Tuple, ast.IfExp, ast.ListComp)
    return any(
        isinstance(s, kinds)
        or (isinstance(s, ast.Constant) and isinstance(s.value, str))
        or (isinstance(s, ast.BinOp) and _is_text(s))
        for s in sides
    )


def places(tree: ast.Module) -> Iterator[tuple[list[tuple[str, int | None]], str]]:
    """The way from the tree to every node worth changing, and the function or class it stands in.

    Left out: docstrings, annotations, imports, decorators, and what only type checkers or `zip(strict=…)` read.
    """

    def walk(
        node: ast.AST, way: list[tuple[str, int | None]], where: str
    ) -> Iterator[tuple[list[tuple[str, int | None]], str]]:
        yield way, where
        inner = f"{where}.{node.name}".strip(".") if isinstance(node, ast.FunctionDef | ast.ClassDef) else where
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "ctx", "format_spec"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST) and not _unread(child, field, index, node):
                    yield from walk(child, [*way, (field, index)], inner)

    yield from walk(tree, [], "")


def _unread(child: ast.AST, field: str, index: int | None, parent: ast.AST) -> bool:
    if isinstance(child, ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(child, ast.keyword) and child.arg in ("strict", "maxsize"):
        return True
    if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name) and child.targets[0].id == "__all__":
        return True
    if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
        return True
    text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
    return text and field == "body"


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a file's source."""
    original = ast.parse(source)
    known = {"min", "max", "any", "all", *re.findall(r"\w+", source)}
    for way, where in places(original):
        count = len(list(edits(_node(original, way))))
        for index in range(count):
            tree = copy.deepcopy(original)
            node, parent = _node(tree, way), _node(tree, way[:-1])
            edit = list(edits(node))[index]
            before, line = _shown(original, way), _line(original, way)
            made = edit(node)
            field, at = way[-1]
            if at is None:
                setattr(parent, field, made)
            else:
                getattr(parent, field)[at] = made
            ast.fix_missing_locations(tree)
            after = _shown(tree, way)
            if isinstance(made, ast.Name) and made.id not in known:
                continue
            if before != after:
                yield Mutant(tree, line, where, f"{before}  →  {after}")


def _node(tree: ast.AST, way: Sequence[tuple[str, int | None]]) -> ast.AST:
    for field, index in way:
        value = getattr(tree, field)
        tree = value if index is None else value[index]
    return tree


def _shown(tree: ast.AST, way: Sequence[tuple[str, int | None]]) -> str:
    """The smallest part of the program around a node that shows what changed, on one line."""
    nodes = [_node(tree, way[:i]) for i in range(len(way), 0, -1)]
    kinds = (ast.Compare, ast.BoolOp, ast.BinOp, ast.Call, ast.Dict, ast.keyword, ast.stmt, ast.Subscript)
    shown = nodes[0]
    if isinstance(shown, ast.Constant | ast.Name | ast.Attribute | ast.FormattedValue):
        shown = next((n for n in nodes[1:] if isinstance(n, kinds)), shown)
    text = " ".join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(shown))).split())
    if len(text) > 160:
        text = " ".join(ast.unparse(nodes[0]).split())
    return text if len(text) <= 240 else f"{text[:200]} … {text[-36:]}"


def _line(tree: ast.AST, way: Sequence[tuple[str, int | None]]) -> int:
    return next(
        (n.lineno for i in range(len(way), 0, -1) if hasattr(n := _node(tree, way[:i]), "lineno")),
        0,
    )


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree, all others as ever."""

    def __init__(self, module: str, file: Path, tree: ast.Module) -> None:
        self.module, self.file, self.tree = module, file, tree

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.module:
            return None
        package = [str(self.file.parent)] if self.file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.file, loader=self, submodule_search_locations=package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: object) -> None:
        exec(compile(self.tree, str(self.file), "exec"), vars(module))


def plant(file: Path, tree: ast.Module, stale: frozenset[str]) -> None:
    """Forget the modules `stale`, so that the next import takes the file's module from `tree`."""
    for name in stale:
        sys.modules.pop(name, None)
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            vars(sys.modules[parent]).pop(last, None)
    sys.meta_path.insert(0, _Planted(_dotted(file), file, tree))


def dependents(file: Path) -> frozenset[str]:
    """The file's module and all loaded ones that import it, directly or not."""
    loaded = {
        name: Path(place)
        for name, found in list(sys.modules.items())
        if (place := getattr(found, "__file__", None)) and Path(place).is_relative_to(ROOT) and ".venv" not in place
    }
    stale = {_dotted(file)}
    imports = {name: _imports(place) for name, place in loaded.items()}
    while more := {name for name, wanted in imports.items() if name not in stale and wanted & stale}:
        stale |= more
    return frozenset(stale)


def _dotted(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def _imports(file: Path) -> frozenset[str]:
    """Every module of the project that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            # Modules loaded by name, as the widgets and exercises are: all of that folder.
            place = file.parent
            found |= {_dotted(other) for other in place.rglob("*.py")}
    return frozenset(found)


def run(file: Path, tree: ast.Module, stale: frozenset[str], tests: Sequence[str], seconds: float) -> int:
    """Fork, import the file from `tree` and anew the modules `stale`, run its tests until one fails.

    Returns pytest's exit status: 0 all passed, 1 one failed; 124 when they took longer than `seconds`.
    """
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        status = 99
        gc.disable()
        # A fault may fill the memory without end.
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        try:
            plant(file, tree, stale)
            status = suite(tests)
        finally:
            os._exit(status)
    return _wait(child, seconds)


def suite(tests: Sequence[str]) -> int:
    """Run tests in this process, silently, until one fails; pytest's exit status."""
    import pytest

    null, kept = os.open(os.devnull, os.O_RDWR), [os.dup(stream) for stream in (1, 2)]
    for stream in (1, 2):
        os.dup2(null, stream)
    left_out = ("cacheprovider", "terminalreporter", "unraisableexception", "threadexception")
    options = ["-x", "-q", "--tb=no", "-W", "ignore", *(f"-pno:{name}" for name in left_out)]
    try:
        return int(pytest.main([*options, *tests]))
    finally:
        sys.stdout.flush()
        for stream, copy_of in zip((1, 2), kept, strict=True):
            os.dup2(copy_of, stream)


def _wait(child: int, seconds: float) -> int:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 124


def warm_up(tests: Sequence[str]) -> int:
    """Run the tests once, so that a fork has loaded all they need; pytest's exit status.

    Hypothesis always draws the same from then on, and stops at the first miss.
    """
    import hypothesis

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", phases=phases, derandomize=True, database=None, deadline=None)
    hypothesis.settings.load_profile("mutants")
    return suite(tests)


def tests_of(file: Path, table: dict[str, list[str]]) -> list[str]:
    """The test modules that mirror a file of the package, or those the table names for it or its folder."""
    place = file.relative_to(ROOT / "occusite")
    for key in (str(place), *(str(p) for p in place.parents)):
        if key in table:
            return table[key]
    stem = place.parent.name if place.stem == "__init__" else place.stem
    mirror = Path("tests") / place.parent / f"test_{stem}.py"
    if not (ROOT / mirror).is_file():
        sys.exit(f"{place}: no {mirror}; name its tests under [tests] in {ACCEPTED.relative_to(ROOT)}")
    return [str(mirror)]


def files(named: Sequence[str]) -> list[Path]:
    """Python files of the package among the arguments, folders taken apart."""
    found = []
    for name in named:
        path = (ROOT / name).resolve()
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [f for f in found if f.read_text(encoding="utf-8").count("\n") > 1]


def check(file: Path, tests: list[str], accepted: Sequence[dict[str, str]], part: tuple[int, int]) -> Counter[str]:
    """Try every mutant of one file; print the survivors; count what became of each."""
    source, counts, used = file.read_text(encoding="utf-8"), Counter[str](), set()
    start = time.monotonic()
    if warm_up(tests) != 0 or run(file, ast.parse(source), stale := dependents(file), tests, 600) != 0:
        sys.exit(f"{file.relative_to(ROOT)}: its tests fail without any change: pytest {' '.join(tests)}")
    seconds = time.monotonic() - start
    gc.freeze()
    name = file.relative_to(ROOT)
    for mutant in itertools.islice(mutants(source), part[0] - 1, None, part[1]):
        reason = next((a for a in accepted if a["where"] == mutant.where and a["change"] == mutant.change), None)
        if reason:
            counts["accepted"] += 1
            used.add(reason["change"])
            continue
        survived = run(file, mutant.tree, stale, tests, 20 + 5 * seconds) == 0
        counts["survived" if survived else "killed"] += 1
        if survived:
            print(f"{name}:{mutant.line} {mutant.where or 'module'}\n    {mutant.change}", flush=True)
    if part == (1, 1):
        for entry in accepted:
            if entry["change"] not in used:
                print(f"{name}: accepted, but no such mutant: {entry['where']}: {entry['change']}")
    tried = counts["killed"] + counts["survived"]
    print(
        f"{name}: {counts['killed']} of {tried} die ({_share(counts):.1f} %), {counts['accepted']} accepted, "
        f"{time.monotonic() - start:.0f} s",
        flush=True,
    )
    return counts


def apart(function: Callable[..., Counter[str]], *arguments: object) -> Counter[str]:
    """Call the function in a process of its own: what one file's tests load does not reach the next file's."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writer, json.dumps(function(*arguments)).encode())
            status = 0
        except SystemExit as left:
            print(left.code, file=sys.stderr)
        finally:
            sys.stdout.flush()
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(1)
    return Counter(json.loads(answer))


def _share(counts: Counter[str]) -> float:
    tried = counts["killed"] + counts["survived"]
    return 100 * counts["killed"] / tried if tried else 100.0


def main() -> int:
    about, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(description=about, epilog=more, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", nargs="+", help="a file or folder of the package")
    parser.add_argument("--part", default="1/1", help="2/5: the second of five parts of each file's mutants")
    parser.add_argument("--list", action="store_true", help="print the mutants, try none")
    given = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    # Bytecode of tests and package is read again by every fork.
    sys.dont_write_bytecode = False
    table = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    part, parts = map(int, given.part.split("/"))
    counts = Counter[str]()
    for file in files(given.file):
        if given.list:
            for mutant in mutants(file.read_text(encoding="utf-8")):
                print(f"{file.relative_to(ROOT)}:{mutant.line} {mutant.where}: {mutant.change}")
            continue
        name = str(file.relative_to(ROOT / "occusite"))
        accepted = [a for a in table.get("accepted", []) if a["file"] == name]
        counts += apart(check, file, tests_of(file, table.get("tests", {})), accepted, (part, parts))
    if not given.list:
        print(f"all: {counts['killed']} killed, {counts['survived']} survived, {counts['accepted']} accepted: ", end="")
        print(f"{_share(counts):.1f} % of the mutants that change an output die")
    return int(_share(counts) < TARGET)


if __name__ == "__main__":
    sys.exit(main())
