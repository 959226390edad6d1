"""Tables of kinds of things: YAML files with an entry of fields for each category."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml

from sayso.core.errors import Code, SaySoError

T = TypeVar("T")


@dataclass(frozen=True)
class KindTable(Generic[T]):
    """How to read one sort of table.

    Attributes:
        builtin: name of the file that comes along, in the package.
        key: under which the entries are.
        what: the entries are, for messages.
        entry: makes one of a category and its fields.
    """

    builtin: str
    key: str
    what: str
    entry: Callable[[str, Mapping[str, Any]], T]

    def built_in(self) -> dict[str, T]:
        """The table that comes along."""
        text = (resources.files("sayso.perception") / self.builtin).read_text(encoding="utf-8")
        return self.parse(text, self.builtin)

    def load(self, path: Path) -> dict[str, T]:
        """A table from a file. Raises CONFIG with the entry at fault."""
        try:
            return self.parse(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise SaySoError(Code.CONFIG, f"{path} cannot be read: {error.strerror}.") from error

    def parse(self, text: str, source: str) -> dict[str, T]:
        """A table from YAML. Raises CONFIG with the entry at fault, or where there is none."""
        try:
            entries = yaml.safe_load(text)[self.key]
            kinds = {category: self.entry(category, entry) for category, entry in entries.items()}
        except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise SaySoError(
                Code.CONFIG,
                f"{source} is not a table of {self.what}: {error}.",
                hint=f"start from the built-in {self.builtin}, which explains each field.",
            ) from error
        if not kinds:
            raise SaySoError(Code.CONFIG, f"{source} has no {self.what}.")
        return kinds


def typed(
    entry: Mapping[str, Any], known: Collection[str], ranges: Collection[str], whose: str
) -> dict[str, Any]:
    """The fields of an entry, ranges as pairs of numbers and colours as a tuple.

    Raises:
        SaySoError: CONFIG for fields that are not `known`, naming `whose` they are.
    """
    if unknown := set(entry) - set(known):
        raise SaySoError(
            Code.CONFIG, f"{whose}: unknown fields {sorted(unknown)}.", choices=sorted(known)
        )
    values = dict(entry)
    for name in ranges:
        if name in values:
            low, high = values[name]
            values[name] = (float(low), float(high))
    values["colors"] = tuple(values.get("colors", ()))
    return values
