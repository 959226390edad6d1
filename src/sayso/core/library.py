"""The library on disk: predicates, operators and their provenance, as files a person can read.

A library is a folder:

    library.json           the index: names, parameters, English, versions, provenance, operators,
                           and how actions, states and kinds of things are spoken of
    predicates/NAME.py     one predicate each: a docstring and one function

`save` writes the sources first and replaces the index last, atomically, so that a reader
never meets a half-written library.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from sayso.core import vocabulary
from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_text
from sayso.core.predicates import ManyFunction, Predicate, PredicateFunction
from sayso.core.symbols import Atom, Domain, Literal, Operator
from sayso.core.vocabulary import Vocabulary

FORMAT = 2
_READABLE = (1, 2)
"""Format 1 has no `english`."""
Compiler = Callable[[str, str, int, Mapping[str, Any]], PredicateFunction]
"""Makes the function of a learned predicate from its name, text, arity and provenance."""

_Named = TypeVar("_Named", Predicate, Operator)
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_ATOM = re.compile(r"^(not )?([a-z][a-z0-9_]*)\(([^()]*)\)$")


@dataclass(frozen=True)
class Library:
    """Predicates and operators by name, each with provenance, and what all is called.

    The predicates' functions tell types of things by this vocabulary, whatever they knew before.
    """

    name: str
    predicates: Mapping[str, Predicate]
    operators: Mapping[str, Operator]
    operator_provenance: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def __post_init__(self) -> None:
        if self.vocabulary.types:
            typed = {n: replace(p, vocabulary=self.vocabulary) for n, p in self.predicates.items()}
            object.__setattr__(self, "predicates", typed)

    def domain(self) -> Domain:
        return Domain(
            tuple(self.operators.values()), {p.name: p.arity for p in self.predicates.values()}
        )


def function_name(predicate: str) -> str:
    """The Python function's name for a predicate: its own, `in_` for keywords such as `in`."""
    return predicate + "_" if keyword.iskeyword(predicate) else predicate


def builtin_path(name: str = "tabletop") -> Path:
    """Folder of a library that ships with SaySo."""
    return Path(str(resources.files("sayso") / "library" / name))


def named(name: str) -> Path:
    """Folder of a library that ships with SaySo, or the one that is named, with a slash.

    Raises:
        SaySoError: CONFIG for a name that none has.
    """
    if "/" in name:
        return Path(name).expanduser()
    shipped = builtin_path(name)
    if not shipped.is_dir():
        raise SaySoError(
            Code.CONFIG,
            f"there is no library '{name}'.",
            choices=sorted(p.parent.name for p in shipped.parent.glob("*/library.json")),
            hint="name a folder of your own with a slash.",
        )
    return shipped


def load(path: Path, learned: Compiler | None = None) -> Library:
    """Read a library folder. Raises CORRUPT with the file at fault, or INVALID for a new format.

    The sources are run in this process: load only libraries that you trust. What a language model
    wrote is not, unless `learned` does so.

    Args:
        learned: makes the functions of learned predicates. Without it those that a language model
            wrote can be read and kept, and raise UNSUPPORTED when they are asked.
    """
    file = path / "library.json"
    index = _read_index(file)
    try:
        predicates = _by_name(_predicate(path, e, learned) for e in index["predicates"])
        operators = _by_name(_operator(e) for e in index["operators"])
        provenance = {e["name"]: e.get("provenance", {}) for e in index["operators"]}
        name = str(index["name"])
        arities = {p.name: p.arity for p in predicates.values()}
        words = vocabulary.read(index.get("english", {}), arities)
        for predicate in predicates.values():
            _check_types(predicate, words)
            _check_asked_types(predicate, words)
            _check_attributes(predicate, words)
            _check_pictures(predicate)
        for operator in operators.values():
            _check_types(operator, words)
    except KeyError as error:
        raise _corrupt(file, f"an entry lacks {error}") from error
    except (TypeError, ValueError, AttributeError, SyntaxError) as error:
        raise _corrupt(file, str(error)) from error
    for op in operators.values():
        _check_operator(op, predicates)
    return Library(name, predicates, operators, provenance, words)


def save(library: Library, path: Path) -> None:
    """Write a library folder, sources first, index last.

    Raises:
        SaySoError: INVALID, before anything is written, for a predicate without a source text.
    """
    for predicate in library.predicates.values():
        if not predicate.source:
            raise SaySoError(
                Code.INVALID,
                f"predicate '{predicate.name}' has no source text, so it cannot be kept.",
                hint="make it with `compile_predicate` from a text.",
            )
    (path / "predicates").mkdir(parents=True, exist_ok=True)
    for predicate in library.predicates.values():
        replace_text(path / "predicates" / f"{predicate.name}.py", predicate.source)
    index = {
        "format": FORMAT,
        "name": library.name,
        "predicates": [
            {
                "name": p.name,
                "parameters": list(p.parameters),
                "english": p.english,
                "english_not": p.english_not,
                **({"types": list(p.types)} if p.types else {}),
                **({} if p.within_m is None else {"within_m": p.within_m}),
                "version": p.version,
                "provenance": dict(p.provenance),
            }
            for p in library.predicates.values()
        ],
        "operators": [
            _operator_entry(o, library.operator_provenance.get(o.name, {}))
            for o in library.operators.values()
        ],
        "english": vocabulary.entry(library.vocabulary),
    }
    replace_text(path / "library.json", json.dumps(index, indent=2) + "\n")


def parse_literal(text: str) -> Literal:
    """`on(?a, ?b)` or `not on(?a, ?b)`."""
    match = _ATOM.match(text.strip())
    if match is None:
        raise SaySoError(
            Code.INVALID,
            f"'{text}' is not an atom.",
            hint="write name(arg, arg), with 'not ' in front for a negation.",
        )
    args = tuple(a.strip() for a in match[3].split(",") if a.strip())
    return Literal(Atom(match[2], args), match[1] is None)


def _by_name(items: Iterable[_Named]) -> dict[str, _Named]:
    found: dict[str, _Named] = {}
    for item in items:
        if item.name in found:
            raise ValueError(f"'{item.name}' is there twice")
        found[item.name] = item
    return found


def _corrupt(file: Path, what: str) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{file} is not the index of a library: {what}.",
        hint="see the built-in library.json for the form.",
    )


def _read_index(path: Path) -> dict[str, Any]:
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{path} cannot be read: {error.strerror}.",
            hint="name a folder that holds a library.json.",
        ) from error
    except ValueError as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{path} is not valid JSON: {error}.",
            hint="mend it, or restore it from where it is kept.",
        ) from error
    if not isinstance(index, dict):
        raise _corrupt(path, "it is no table of predicates and operators")
    if index.get("format") not in _READABLE:
        raise SaySoError(
            Code.INVALID,
            f"{path} has format {index.get('format')!r}, this SaySo reads format {FORMAT}.",
            hint="use the SaySo version that wrote it, or migrate the library.",
        )
    return index


def _predicate(path: Path, entry: Mapping[str, Any], learned: Compiler | None) -> Predicate:
    if not _NAME.match(entry["name"]):
        raise ValueError(f"'{entry['name']}' is no name of a predicate")
    file = path / "predicates" / f"{entry['name']}.py"
    try:
        source = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{file} is named in library.json but cannot be read: {error.strerror}.",
            hint="restore the file, or take the predicate out of library.json.",
        ) from error
    return Predicate(
        name=entry["name"],
        parameters=tuple(entry["parameters"]),
        function=_function(entry, source, file, learned),
        english=entry.get("english", ""),
        english_not=entry.get("english_not", ""),
        source=source,
        version=entry.get("version", 1),
        provenance=entry.get("provenance", {}),
        within_m=entry.get("within_m"),
        types=tuple(entry.get("types", ())),
    )


def _check_types(entry: Predicate | Operator, words: Vocabulary) -> None:
    what = f"{type(entry).__name__.lower()} '{entry.name}'"
    if entry.types and len(entry.types) != len(entry.parameters):
        raise ValueError(
            f"{what} has types for {len(entry.types)} arguments and takes {len(entry.parameters)}"
        )
    if words.types:  # where no words are, they may have come from a library with words
        words.check_types(entry.types, what)


def _check_asked_types(predicate: Predicate, words: Vocabulary) -> None:
    asked = (*_asked(predicate.source, ("is_a",), 1), *_asked(predicate.source, ("of_type",), 0))
    words.check_types(asked, f"predicate '{predicate.name}'")


def _check_attributes(predicate: Predicate, words: Vocabulary) -> None:
    """A predicate that asks for what nothing has would be unknown for ever."""
    declared = {a.name for t in words.types for a in t.attributes}
    unknown = [n for n in asked_attributes(predicate.source) if n not in declared]
    if words.types and unknown:
        raise ValueError(
            f"predicate '{predicate.name}' asks for the attribute '{unknown[0]}', which no type "
            f"has; there are {', '.join(sorted(declared)) or 'none'}"
        )


def _check_pictures(predicate: Predicate) -> None:
    if predicate.sees_pictures and predicate.arity != 1:
        raise ValueError(
            f"predicate '{predicate.name}' asks for pictures: it takes one thing, "
            f"not {predicate.arity}"
        )


def asked_attributes(source: str) -> tuple[str, ...]:
    """The attributes of things that a predicate's text asks its scene for, by name."""
    return _asked(source, ("attribute", "observes"), 1)


def _asked(source: str, methods: Container[str], position: int) -> tuple[str, ...]:
    """The words that stand at a position of the arguments where methods are called."""
    calls = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call))
    asking = (
        c.args[position]
        for c in calls
        if isinstance(c.func, ast.Attribute)
        and c.func.attr in methods
        and len(c.args) == position + 1
    )
    return tuple(
        a.value for a in asking if isinstance(a, ast.Constant) and isinstance(a.value, str)
    )


def _function(
    entry: Mapping[str, Any], source: str, file: Path, learned: Compiler | None
) -> PredicateFunction | ManyFunction:
    name, provenance = entry["name"], entry.get("provenance", {})
    if learned is not None and provenance.get("origin") == "learned":
        return learned(name, source, len(entry["parameters"]), provenance)
    if provenance.get("by") == "model":
        return partial(_not_run, name)
    return compile_predicate(name, source, str(file))


def _not_run(name: str, *_: object) -> bool | None:
    raise SaySoError(
        Code.UNSUPPORTED,
        f"a language model wrote the predicate '{name}', and there is no process to run it in.",
        hint="load the library with `sayso.learning.model.libraries.compiler`.",
    )


def compile_predicate(
    name: str, source: str, file: str = "<predicate>"
) -> PredicateFunction | ManyFunction:
    """The function that a trusted predicate source defines. Raises CORRUPT if it does not."""
    namespace: dict[str, Any] = {"__name__": f"sayso_predicate_{name}"}
    try:
        exec(compile(source, file, "exec"), namespace)
    except Exception as error:  # any error of the file's own code
        raise SaySoError(Code.CORRUPT, f"{file} cannot be loaded: {error!r}.") from error
    if callable(many := namespace.get(f"{name}_many")):
        return ManyFunction(many)
    function = namespace.get(function_name(name))
    if not callable(function):
        raise SaySoError(
            Code.CORRUPT,
            f"{file} defines no function '{function_name(name)}' and no '{name}_many'.",
        )
    result: PredicateFunction = function
    return result


def _operator(entry: Mapping[str, Any]) -> Operator:
    return Operator(
        name=entry["name"],
        parameters=tuple(entry["parameters"]),
        preconditions=frozenset(parse_literal(t) for t in entry["preconditions"]),
        add=frozenset(parse_literal(t).atom for t in entry["add"]),
        delete=frozenset(parse_literal(t).atom for t in entry["delete"]),
        during=frozenset(parse_literal(t).atom for t in entry.get("during", ())),
        motion=frozenset(parse_literal(t).atom for t in entry.get("motion", ())),
        observes=frozenset(parse_literal(t).atom for t in entry.get("observes", ())),
        in_the_now=frozenset(parse_literal(t) for t in entry.get("in_the_now", ())),
        body=tuple(parse_literal(t).atom for t in entry.get("body", ())),
        add_where=frozenset(
            (parse_literal(effect).atom, parse_literal(condition).atom)
            for effect, conditions in entry.get("add_where", {}).items()
            for condition in conditions
        ),
        skill=entry["skill"],
        cost=float(entry.get("cost", 1.0)),
        english=entry.get("english", ""),
        types=tuple(entry.get("types", ())),
    )


def _operator_entry(op: Operator, provenance: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": op.name,
        "parameters": list(op.parameters),
        **({"types": list(op.types)} if op.types else {}),
        "preconditions": sorted(str(x) for x in op.preconditions),
        "add": sorted(str(a) for a in op.add),
        "delete": sorted(str(a) for a in op.delete),
        "during": sorted(str(a) for a in op.during),
        **({"motion": sorted(str(a) for a in op.motion)} if op.motion else {}),
        **({"observes": sorted(str(a) for a in op.observes)} if op.observes else {}),
        **({"in_the_now": sorted(str(x) for x in op.in_the_now)} if op.in_the_now else {}),
        **({"body": [str(a) for a in op.body]} if op.body else {}),
        **({"add_where": _conditions(op)} if op.add_where else {}),
        "skill": op.skill,
        "cost": op.cost,
        "english": op.english,
        "provenance": dict(provenance),
    }


def _conditions(op: Operator) -> dict[str, list[str]]:
    """Conditional effects, each with what brings it about."""
    found: dict[str, list[str]] = {}
    for effect, condition in sorted(op.add_where):
        found.setdefault(str(effect), []).append(str(condition))
    return found


def _check_operator(op: Operator, predicates: Mapping[str, Predicate]) -> None:
    atoms = {x.atom for x in op.preconditions} | op.add | op.delete | op.during | op.observes
    now = {x.atom for x in op.in_the_now}.union(*op.add_where)
    for atom in sorted(atoms | now):
        if atom.predicate not in predicates:
            raise SaySoError(
                Code.CORRUPT,
                f"operator {op.name} uses the unknown predicate '{atom.predicate}'.",
                choices=predicates,
            )
        if len(atom.args) != predicates[atom.predicate].arity:
            raise SaySoError(Code.CORRUPT, f"operator {op.name} uses {atom} with wrong arity.")
    for atom in sorted((atoms - op.delete - op.observes) | op.motion):
        if unbound := set(atom.args) - set(op.parameters):
            raise SaySoError(Code.CORRUPT, f"operator {op.name}: {sorted(unbound)} is unbound.")
