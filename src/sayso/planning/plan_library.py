"""Plans that were carried out, kept with the words that they were for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.ports import Embedder
from sayso.core.symbols import Action, Atom
from sayso.logic.formula import Always, Formula, Prop, map_propositions, propositions
from sayso.logic.progression import parts_of
from sayso.logic.text import parse, to_text

LEAST_LIKENESS = 0.3
"""Of words and the words of a plan that may be one for them."""
MOST_WAYS = 50
"""Renamings of a plan's things that are looked at."""


@dataclass(frozen=True)
class KeptPlan:
    """A plan that reached its end.

    Attributes:
        words: what it was for, as it was said.
        formula: the same, about the things of that scene.
        steps: ground operators, name and arguments.
        categories: what kind of thing each of the steps' things was, where that was known.
    """

    words: str
    formula: Formula
    steps: tuple[Atom, ...]
    categories: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(
        words: str,
        formula: Formula,
        actions: Sequence[Action],
        categories: Mapping[str, str] | None = None,
    ) -> KeptPlan:
        known = categories or {}
        things = sorted({name for a in actions for name in a.args if name in known})
        steps = tuple(Atom(a.name, a.args) for a in actions)
        return KeptPlan(words, formula, steps, {name: known[name] for name in things})


class PlanLibrary:
    """Plans in a folder, each a JSON file that a person can read, change or delete.

    Args:
        folder: made with the first plan that is kept.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder).expanduser()

    def keep(self, plan: KeptPlan) -> Path:
        """Writes a plan; the same plan for the same words is kept once.

        Raises:
            SaySoError: CONFIG where the folder cannot be written.
        """
        data = {
            "words": plan.words,
            "formula": to_text(plan.formula),
            "steps": [str(step) for step in plan.steps],
            "categories": dict(plan.categories),
        }
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        path = self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise SaySoError(
                Code.CONFIG, f"the plan cannot be kept in {self._folder}: {error}.",
                hint="name a folder that can be written.",
            ) from error  # fmt: skip
        return path

    def plans(self) -> tuple[KeptPlan, ...]:
        """All of them. Raises CORRUPT for a file that holds none."""
        return tuple(_read(path) for path in sorted(self._folder.glob("*.json")))

    def alike(self, words: str, embedder: Embedder) -> tuple[KeptPlan, ...]:
        """Plans for words that are like these, the most alike first. Raises CORRUPT."""
        if not words or not (known := self.plans()):
            return ()
        wanted, *vectors = embedder.embed([words, *(p.words for p in known)])
        likeness = [float(v @ wanted) for v in vectors]
        order = sorted(range(len(known)), key=lambda i: -likeness[i])
        return tuple(known[i] for i in order if likeness[i] >= LEAST_LIKENESS)


def roles(plan: KeptPlan, wanted: Formula) -> Iterator[Mapping[str, str]]:
    """What the things of a plan's purpose are where all of that is wanted of other things.

    Each part of what the plan was to bring about is a part of what is wanted, but for the names.
    Those ways come first that leave most things what they are.
    """
    mine = [p.formula for p in parts_of(plan.formula) if not isinstance(p.formula, Always)]
    others = [p.formula for p in parts_of(wanted)]
    ways = islice(_matched(mine, others, {}), MOST_WAYS) if mine else ()
    yield from sorted(ways, key=lambda way: sum(a != b for a, b in way.items()))


def _matched(
    mine: Sequence[Formula], others: Sequence[Formula], bound: dict[str, str]
) -> Iterator[dict[str, str]]:
    if not mine:
        yield bound
        return
    for number, other in enumerate(others):
        more = _unified(mine[0], other, bound)
        if more is not None:
            yield from _matched(mine[1:], [*others[:number], *others[number + 1 :]], more)


def _unified(one: Formula, other: Formula, bound: dict[str, str]) -> dict[str, str] | None:
    """What the names of one have to be so that it is the other, if there is such a renaming."""
    if _shape(one) != _shape(other):
        return None
    found = dict(bound)
    for mine, yours in zip(_names(one), _names(other), strict=True):
        if found.setdefault(mine, yours) != yours:
            return None
    return found if len(set(found.values())) == len(found) else None


def _shape(formula: Formula) -> str:
    """The formula's text with numbers for names, in order of appearance."""
    numbers: dict[str, str] = {}
    return to_text(
        map_propositions(
            formula,
            lambda p: Prop(
                p.predicate, tuple(numbers.setdefault(str(a), f"x{len(numbers)}") for a in p.args)
            ),
        )
    )


def _names(formula: Formula) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(a) for p in propositions(formula) for a in p.args))


def _read(path: Path) -> KeptPlan:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        words, steps = str(data["words"]), tuple(parse_literal(s).atom for s in data["steps"])
        kinds = {str(thing): str(kind) for thing, kind in data.get("categories", {}).items()}
        return KeptPlan(words, parse(str(data["formula"]), grounded=True), steps, kinds)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SaySoError) as error:
        raise SaySoError(
            Code.CORRUPT, f"{path} holds no plan: {error!r}.", hint="mend it, or delete it."
        ) from error
