"""YAML whose entries know where they stand, for files of people: each error names its line.

`on`, `off`, `yes` and `no` are words there, as predicates are called so. An entry that repeats
another (`&name`, `*name`) is refused: a few of them could unfold without end.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import yaml

from sayso.core.errors import Code, SaySoError

_MAX_BYTES = 200_000
_MAX_DEPTH = 12
_TRUTH = "tag:yaml.org,2002:bool"
Value = TypeVar("Value")


class _Loader(yaml.SafeLoader):
    """Plain values; of truths only `true` and `false`."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, how) for tag, how in pairs if tag != _TRUTH or first in "tTfF"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Entry:
    """A value of a file and the line where it stands.

    Args:
        place: what it is, for errors: "kinds: lamp: size_m".
    """

    def __init__(self, file: Path, node: yaml.Node, place: str = "") -> None:
        self._file, self._node, self._place = file, node, place
        self._used: set[str] = set()

    @property
    def line(self) -> int:
        return int(self._node.start_mark.line) + 1

    def fails(self, what: str, hint: str, choices: Iterable[str] = ()) -> SaySoError:
        """An error that says where it is."""
        place = f"{self._place}: " if self._place else ""
        return SaySoError(
            Code.CONFIG, f"{self._file}, line {self.line}: {place}{what}.",
            hint=hint, choices=choices,
        )  # fmt: skip

    def value(self) -> Any:
        """The plain value of all that stands here."""
        loader = _Loader("")
        try:
            return loader.construct_document(self._node)
        except (yaml.YAMLError, ValueError) as error:
            raise self.fails(f"this is no plain value ({error})", "put it in quotes.") from error
        finally:
            loader.dispose()

    def of(self, kind: type[Value], what: str) -> Value:
        """The value, if it is of a kind. Raises CONFIG, saying `what` it should be."""
        value = self.value()
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise self.fails(f"{_short(value)} is not {what}", f"write {what}.")
        return value

    def text(self) -> str:
        return self.of(str, "a text")

    def items(self) -> Iterator[tuple[str, Entry]]:
        """What a table holds, by name. Raises CONFIG for anything else and for a name twice."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.fails("here a table is needed", "write `name: value` lines.")
        seen: set[str] = set()
        for key, node in self._node.value:
            name = Entry(self._file, key, self._place).text()
            entry = Entry(self._file, node, f"{self._place}: {name}" if self._place else name)
            if name in seen:
                raise entry.fails("it is there twice", "leave one out.")
            seen.add(name)
            yield name, entry

    def entries(self) -> list[Entry]:
        """What a list holds; a single value is a list of one."""
        if not isinstance(self._node, yaml.SequenceNode):
            return [self]
        return [
            Entry(self._file, node, f"{self._place} {number}")
            for number, node in enumerate(self._node.value, 1)
        ]

    def texts(self) -> tuple[str, ...]:
        return tuple(e.text() for e in self.entries())

    def table(self, needed: Iterable[str], also: Iterable[str] = ()) -> dict[str, Entry]:
        """A table with these names. Raises CONFIG for one that lacks, or that nobody reads."""
        needed, known = tuple(needed), (*needed, *also)
        found = dict(self.items())
        for name, entry in found.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean '{near[0]}'?" if near else "leave it out."
                raise entry.fails(f"there is no '{name}' here", hint, known)
        for name in needed:
            if name not in found:
                raise self.fails(f"'{name}' is missing", f"add `{name}:`.", known)
        return found


def read(file: Path) -> Entry:
    """What a file holds.

    Raises:
        SaySoError: CONFIG for a file that cannot be read, is too long, or is no YAML.
    """
    try:
        if file.stat().st_size > _MAX_BYTES:
            told = f"{file} has more than {_MAX_BYTES} bytes."
            raise SaySoError(Code.CONFIG, told, hint="split the domain.")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SaySoError(
            Code.CONFIG, f"{file} cannot be read: {error}.",
            hint="name a folder that holds a domain.yaml; `sayso domain new` makes one.",
        ) from error  # fmt: skip
    try:
        _refuse_unfolding(file, text)
        node = yaml.compose(text, _Loader)
    except yaml.YAMLError as error:
        raise SaySoError(
            Code.CONFIG, f"{file} is not YAML: {' '.join(str(error).split())}.",
            hint="mind the indentation, and put what holds `: ` in quotes.",
        ) from error  # fmt: skip
    if node is None:
        raise SaySoError(Code.CONFIG, f"{file} is empty.", hint="`sayso domain new` writes one.")
    return Entry(file, node)


def _refuse_unfolding(file: Path, text: str) -> None:
    """Raises CONFIG for repeated entries and for deep nesting, before anything is made of them."""
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        what = "repeats another entry" if isinstance(event, yaml.AliasEvent) else ""
        what = what or ("is nested too deeply" if depth > _MAX_DEPTH else "")
        if what:
            line = event.start_mark.line + 1 if event.start_mark else 1
            told = f"{file}, line {line}: an entry {what}."
            raise SaySoError(Code.CONFIG, told, hint="write it out, without `&` and `*`.")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
