"""Reading a domain of one's own: the folder's `domain.yaml`, with every error at its line."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from sayso.core.errors import SaySoError
from sayso.core.library import Compiler, Library, asked_attributes, function_name
from sayso.core.predicates import Predicate, PredicateFunction
from sayso.core.sandbox.allow_list import BUILTINS, RefusedError, check
from sayso.core.symbols import Atom, Literal, Operator
from sayso.core.vocabulary import ATTRIBUTE_KINDS, Attribute
from sayso.learning.predicate_code import compile_learned
from sayso.learning.spoken import english_of
from sayso.worlds.domains.description import Deed, Description, Kind
from sayso.worlds.domains.entries import literals, name_of, named, range_of, values_of
from sayso.worlds.domains.located import Entry, read
from sayso.worlds.domains.motions import GRANTED, SKILLS
from sayso.worlds.domains.templates import TemplateReader
from sayso.worlds.persons.sayings import Sayings

FILE = "domain.yaml"
_MOST_THINGS = 3


def read_description(folder: Path, compiled: Compiler | None = None) -> Description:
    """The description in a folder's `domain.yaml`.

    Args:
        compiled: makes the functions of rules; none given: they run in this process.

    Raises:
        SaySoError: CONFIG for anything that the form does not allow, naming file and line.
    """
    entry = read(folder / FILE)
    top = entry.table(
        ("name", "about", "kinds", "predicates", "actions", "operators", "tasks"), ("attributes",)
    )
    attributes = _attributes(top.get("attributes"))
    kinds = {n: _kind(n, e, attributes) for n, e in named(top["kinds"])}
    predicates = {n: _predicate(n, e, attributes, compiled) for n, e in named(top["predicates"])}
    deeds = {n: _deed(n, e) for n, e in named(top["actions"])}
    made = [_operator(i, e, deeds, predicates) for i, e in enumerate(top["operators"].entries())]
    operators = {o.name: o for o, _ in made}
    tasks = top["tasks"].table(("simple", "complex"))
    reader = TemplateReader(kinds, attributes, predicates)
    return Description(
        folder,
        name_of(top["name"], top["name"].text()),
        top["about"].text(),
        attributes,
        kinds,
        deeds,
        Library(folder.name, predicates, operators),
        _sayings(top["predicates"], predicates),
        tuple(map(reader.read, tasks["simple"].entries())),
        tuple(map(reader.read, tasks["complex"].entries())),
        {o.name: line for o, line in made},
    )


def _attributes(entry: Entry | None) -> dict[str, Attribute]:
    found = {}
    for name, below in named(entry) if entry else ():
        rows = below.table(("is",), ("low", "high", "observable"))
        kind = rows["is"].text()
        if kind not in ATTRIBUTE_KINDS:
            raise rows["is"].fails(f"'{kind}' is no type", "choose one.", ATTRIBUTE_KINDS)
        low, high = (rows[k].of(float, "a number") if k in rows else None for k in ("low", "high"))
        seen = rows["observable"].of(bool, "true or false") if "observable" in rows else True
        found[name] = Attribute(name, kind, low, high, seen)
    return found


def _kind(name: str, entry: Entry, attributes: Mapping[str, Attribute]) -> Kind:
    rows = entry.table(("size_m", "colors"), ("has", "hollow", "fixed"))
    sizes = rows["size_m"].entries()
    if len(sizes) != 3:
        raise rows["size_m"].fails("a size has three extents", "write [width, depth, height].")
    depth = None if sizes[1].value() == "same" else range_of(sizes[1])
    flags = [rows[k].of(bool, "true or false") if k in rows else False for k in ("hollow", "fixed")]
    return Kind(
        name,
        (range_of(sizes[0]), depth, range_of(sizes[2])),
        rows["colors"].texts(),
        values_of(rows.get("has"), attributes),
        *flags,
    )


def _predicate(
    name: str, entry: Entry, attributes: Mapping[str, Attribute], compiled: Compiler | None
) -> Predicate:
    rows = entry.table(("takes", "rule", "says"), ("so", "not_so", "goals", "not_goals"))
    parameters = tuple(name_of(rows["takes"], t) for t in rows["takes"].texts())
    if len(parameters) > _MOST_THINGS:
        raise rows["takes"].fails("this is no list of parameters", "write up to three.")
    says = rows["says"].texts()
    if len(says) != 2:
        raise rows["says"].fails("two texts are needed", "say it where it is so, and where not.")
    given = ", ".join(("scene", *parameters))
    rule = " ".join(rows["rule"].text().split())
    source = f'"""{says[0]}."""\n\n\ndef {function_name(name)}({given}):\n    return {rule}\n'
    try:
        compile_learned(name, source, len(parameters))
        function = (compiled or _here)(name, source, len(parameters), {})
    except SaySoError as error:
        raise rows["rule"].fails(
            error.message.rstrip("."), error.hint or "use only what the scene answers."
        ) from error
    for asked in asked_attributes(source):
        if asked not in attributes:
            raise rows["rule"].fails(
                f"nothing has the attribute '{asked}'", "declare it in `attributes`.", attributes
            )
        if not attributes[asked].observable:
            raise rows["rule"].fails(
                f"'{asked}' cannot be observed", "a rule is told by what can be seen."
            )
    return Predicate(name, parameters, function, says[0], says[1], source=source)


def _here(name: str, source: str, arity: int, _: object) -> PredicateFunction:
    return compile_learned(name, source, arity)


def _deed(name: str, entry: Entry) -> Deed:
    rows = entry.table((), ("skill", "takes", "code"))
    if ("skill" in rows) == ("code" in rows):
        raise entry.fails("an action is a skill or code", "write either `skill:` or `code:`.")
    if "skill" in rows:
        skill = rows["skill"].text()
        if skill not in SKILLS:
            raise rows["skill"].fails(f"there is no skill '{skill}'", "choose one.", SKILLS)
        if skill != name:
            raise rows["skill"].fails("an action has its skill's name", f"call it {skill}.")
        return Deed(name, tuple("ab"[: SKILLS[skill]]), line=entry.line)
    if "takes" not in rows:
        raise entry.fails("'takes' is missing", "name the things that it is done to.")
    takes = tuple(name_of(rows["takes"], t) for t in rows["takes"].texts())
    body = "".join(f"    {line}\n" for line in rows["code"].text().splitlines())
    code = f"def act({', '.join(takes)}):\n{body}"
    if not 1 <= len(takes) <= _MOST_THINGS:
        raise rows["takes"].fails(f"it takes {len(takes)} things", "let it take one to three.")
    _check_code(rows["code"], code, takes)
    return Deed(name, takes, code, rows["code"].line)


def _check_code(entry: Entry, code: str, takes: Iterable[str]) -> None:
    """Raises CONFIG for code that the sandbox refuses, or that calls what is not granted."""
    try:
        tree = check(code)
    except RefusedError as error:
        raise entry.fails(str(error), "only plain Python on plain values is allowed.") from error
    bound = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound | {*takes, *GRANTED, *BUILTINS}:
            raise entry.fails(
                f"line {node.lineno - 1}: '{node.id}' is not granted", "use what is.", GRANTED
            )


def _operator(
    number: int, entry: Entry, deeds: Mapping[str, Deed], predicates: Mapping[str, Predicate]
) -> tuple[Operator, int]:
    rows = entry.table(("action", "takes", "needs"), ("adds", "ends"))
    action, takes = rows["action"].text(), rows["takes"].texts()
    if action not in deeds:
        raise rows["action"].fails(f"there is no action '{action}'", "describe it.", deeds)
    arity = len(deeds[action].takes)
    if len(takes) < arity:
        raise rows["takes"].fails(f"{action} takes {arity} things", "name them first.")
    needs, adds, ends = (
        tuple(literals(rows[k], predicates, takes)) if k in rows else ()
        for k in ("needs", "adds", "ends")
    )
    if not adds + ends:
        raise entry.fails("it changes nothing", "say what it `adds` or `ends`.")
    for found in needs:
        if Literal(found.atom, not found.positive) in needs:
            raise rows["needs"].fails(f"it needs {found} and its opposite", "leave one out.")
    for found in (*adds, *ends):
        if not found.positive:
            raise entry.fails(f"'{found}' is no effect", "write it under `ends`, without not.")
    if both := set(adds) & set(ends):
        raise entry.fails(f"it adds and ends {min(both)}", "leave one out.")
    variables = {n: f"?{n}" for n in takes}

    def atoms(found: Iterable[Literal]) -> frozenset[Atom]:
        return frozenset(x.atom.substitute(variables) for x in found)

    return Operator(
        f"{action}_{number}", tuple(variables.values()),
        frozenset(Literal(x.atom.substitute(variables), x.positive) for x in needs),
        atoms(adds), atoms(ends), skill=action, english=english_of(action, arity),
    ), entry.line  # fmt: skip


def _sayings(entry: Entry, predicates: Mapping[str, Predicate]) -> Sayings:
    reasons: dict[tuple[str, bool], tuple[str, ...]] = {}
    goals: dict[tuple[str, bool], tuple[str, ...]] = {}
    meant = {
        "so": (reasons, True), "not_so": (reasons, False),
        "goals": (goals, True), "not_goals": (goals, False),
    }  # fmt: skip
    for name, below in entry.items():
        rows = dict(below.items())
        for key, (said, truth) in meant.items():
            if key in rows:
                said[name, truth] = _wordings(rows[key], predicates[name].arity)
    return Sayings(reasons, goals, tuple(predicates))


def _wordings(entry: Entry, arity: int) -> tuple[str, ...]:
    """As `sayings` has them: `{a}` for `{0}`."""
    try:
        return tuple(e.text().format(*("{a}", "{b}", "{c}")[:arity]) for e in entry.entries())
    except (IndexError, KeyError, ValueError) as error:
        raise entry.fails(
            "a wording has other things than the predicate", "write {0}, {1}."
        ) from error
