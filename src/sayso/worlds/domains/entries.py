"""What stands in several places of a domain's file: names, literals, lengths, values."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping

from sayso.core.errors import SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import Predicate
from sayso.core.symbols import Literal
from sayso.core.vocabulary import Attribute
from sayso.worlds.domains.description import Range, Values
from sayso.worlds.domains.located import Entry

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_BETWEEN = re.compile(r",(?![^()]*\))")


def name_of(entry: Entry, name: str) -> str:
    """The name, if it is one."""
    if not _NAME.fullmatch(name) or (keyword.iskeyword(name) and name != "in"):
        raise entry.fails(f"'{name}' is no name", "use the letters a to z, digits and _.")
    return name


def named(entry: Entry) -> Iterator[tuple[str, Entry]]:
    """What a table holds, by names."""
    for name, below in entry.items():
        yield name_of(below, name), below


def literals(
    entry: Entry, predicates: Mapping[str, Predicate], names: Iterable[str]
) -> Iterator[Literal]:
    """The literals of a text such as `on(a, b), not open(b)`, over these names."""
    for part in filter(None, (p.strip() for p in _BETWEEN.split(entry.text()))):
        try:
            found = parse_literal(part)
        except SaySoError as error:
            raise entry.fails(error.message.rstrip("."), error.hint) from error
        atom = found.atom
        if atom.predicate not in predicates:
            raise entry.fails(
                f"there is no predicate '{atom.predicate}'", "describe it in `predicates`.",
                predicates,
            )  # fmt: skip
        wanted = predicates[atom.predicate].arity
        if len(atom.args) != wanted:
            raise entry.fails(f"{atom} has {len(atom.args)} things", f"give it {wanted}.")
        for name in atom.args:
            if name not in names:
                raise entry.fails(f"nothing is called '{name}' in {atom}", "name it.", names)
        yield found


def range_of(entry: Entry) -> Range:
    """A number above 0, or two of which the second is not lower."""
    ends = [e.of(float, "a number") for e in entry.entries()]
    if len(ends) not in (1, 2) or ends[0] <= 0 or ends[-1] < ends[0]:
        raise entry.fails("this is no length", "write a number above 0, or [least, most].")
    return ends[0], ends[-1]


def values_of(entry: Entry | None, attributes: Mapping[str, Attribute]) -> dict[str, Values]:
    found: dict[str, Values] = {}
    for name, below in entry.items() if entry else ():
        if name not in attributes:
            raise below.fails(
                f"there is no attribute '{name}'", "declare it in `attributes`.", attributes
            )
        values = tuple(e.value() for e in below.entries())
        for value in values:
            if not isinstance(value, bool | int | float | str):
                raise below.fails(f"{value!r} is no value", "write true, a number, or words.")
            if trouble := attributes[name].trouble(value):
                raise below.fails(f"the value {trouble}", f"it is a {attributes[name].kind}.")
        found[name] = values
    return found
