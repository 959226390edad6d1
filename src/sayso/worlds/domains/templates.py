"""Reading the tasks of a domain of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sayso.core.predicates import Predicate
from sayso.core.symbols import Literal
from sayso.core.vocabulary import Attribute
from sayso.worlds.domains.description import Kind, Template, Wanted
from sayso.worlds.domains.entries import literals, range_of, values_of
from sayso.worlds.domains.located import Entry


class TemplateReader:
    """Reads templates of tasks, against what the domain has."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        attributes: Mapping[str, Attribute],
        predicates: Mapping[str, Predicate],
    ) -> None:
        self._kinds, self._attributes, self._predicates = kinds, attributes, predicates

    def read(self, entry: Entry) -> Template:
        rows = entry.table(("things", "goal", "words"))
        things: list[Wanted] = []
        for row in rows["things"].entries():
            things.append(self._thing(row, [t.name for t in things if t.name]))
        names = [t.name for t in things if t.name]
        goal = tuple(literals(rows["goal"], self._predicates, names))
        for found in goal:
            if Literal(found.atom, not found.positive) in goal:
                raise rows["goal"].fails(f"it wants {found} and its opposite", "leave one out.")
        words = rows["words"].text()
        try:
            words.format(**dict.fromkeys(names, ""))
        except (KeyError, IndexError, ValueError) as error:
            raise rows["words"].fails(f"there is no thing {error}", "name it.", names) from error
        return Template(tuple(things), goal, words, entry.line)

    def _thing(self, entry: Entry, before: list[str]) -> Wanted:
        rows = entry.table(
            ("kind",), ("name", "new", "on", "same", "has", "width_m", "x_m", "chance", "more")
        )
        name = rows["name"].text() if "name" in rows else ""
        if name in before:
            raise rows["name"].fails(f"'{name}' is there twice", "call it otherwise.")
        kinds, new = (
            tuple(self._known(e, self._kinds) for e in rows[k].entries()) if k in rows else ()
            for k in ("kind", "new")
        )
        same = {
            what: self._known(e, before) for what, e in rows["same"].items()
        } if "same" in rows else {}  # fmt: skip
        for what in same:
            if what != "color" and what not in self._attributes:
                raise rows["same"].fails(
                    f"there is no attribute '{what}'", "choose one.", ("color", *self._attributes)
                )
        chance = rows["chance"].of(float, "a number") if "chance" in rows else 1.0
        if not 0 < chance <= 1:
            raise rows["chance"].fails("this is no chance", "write a number above 0, up to 1.")
        if name and chance < 1:
            raise rows["chance"].fails("what the task speaks of is there", "leave one out.")
        width, away = (range_of(rows[k]) if k in rows else None for k in ("width_m", "x_m"))
        return Wanted(
            name, kinds, new,
            tuple(self._known(e, before) for e in rows["on"].entries()) if "on" in rows else (),
            same, values_of(rows.get("has"), self._attributes), width, away, chance,
            rows["more"].of(int, "a whole number") if "more" in rows else 0,
        )  # fmt: skip

    @staticmethod
    def _known(entry: Entry, known: Iterable[str]) -> str:
        name = entry.text()
        if name not in known:
            raise entry.fails(f"there is no '{name}'", "describe it before.", tuple(known))
        return name
