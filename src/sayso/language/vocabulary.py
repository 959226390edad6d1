"""A library's predicates towards a language model: how they are told, and how replies are held
to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import COLORS, COMPARATORS, SIZES, Formula, propositions
from sayso.logic.text import parse

_MEANINGS: Mapping[str, str] = {
    "on": "resting on top of it",
    "in": "inside of it, as in a container",
    "placed": "on it, in it or right beside it, whatever suits; use this one to bring or fetch "
    "something to a place, and where the person does not say on or in",
    "near": "the robot itself stands close to it; going somewhere is this",
    "on_table": "lying on the table itself; the table is not a thing in the list",
    "touching": "in contact with it in any way, holding it included; leaving alone is G(!...)",
    "holding": "in the hand; picking up and fetching begin with this",
}
"""What English alone does not tell of states that many libraries have."""


def check_vocabulary(formula: Formula, lexicon: Lexicon) -> None:
    """Raises INVALID unless every proposition is a predicate of the library, rightly used."""
    for prop in propositions(formula):
        predicate = lexicon.predicates.get(prop.predicate)
        if predicate is None:
            raise SaySoError(
                Code.INVALID,
                f"there is no predicate '{prop.predicate}'.",
                choices=lexicon.predicates,
            )
        if len(prop.args) != predicate.arity:
            raise SaySoError(
                Code.INVALID,
                f"{prop.predicate} takes {predicate.arity} arguments, got {len(prop.args)}.",
            )


def predicates_in_words(lexicon: Lexicon) -> str:
    """A line for each predicate: its name, its parameters, and its English."""
    return "\n".join(
        f"- {p.name}({', '.join(p.parameters)}): {p.english.format(*p.parameters)}"
        for p in lexicon.predicates.values()
    )


def told_to_model(lexicon: Lexicon) -> dict[str, str]:
    """What fills the template of the prompt `interpret`."""
    meanings = (f"- {n}: {m}." for n, m in _MEANINGS.items() if n in lexicon.predicates)
    return {
        "predicates": predicates_in_words(lexicon),
        "meanings": "What some of them mean:\n" + "\n".join(meanings) + "\n",
        "comparators": ", ".join(f"{n} (of {count})" for n, count in COMPARATORS.items()),
        "colors": ", ".join(COLORS),
        "sizes": ", ".join(SIZES),
        "examples": "\n".join(_shown(examples_for(lexicon.predicates))),
    }


def examples_for(predicates: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
    """The worked examples with no other states than these, or all if there are none."""
    known = frozenset(predicates)
    fitting = tuple(e for e in _examples() if _states(e["reply"]["formula"]) <= known)
    return fitting if any(e["reply"]["formula"] for e in fitting) else _examples()


@lru_cache(maxsize=1)
def _examples() -> tuple[Mapping[str, Any], ...]:
    file = resources.files("sayso") / "language" / "prompts" / "interpret_examples.v2.jsonl"
    return tuple(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


def _states(formula: str) -> frozenset[str]:
    return frozenset(p.predicate for p in propositions(parse(formula))) if formula else frozenset()


def _shown(examples: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """The first as it has to be written; of the others no empty fields, to be brief."""
    for number, example in enumerate(examples):
        reply = example["reply"] if number == 0 else _without_empty(example["reply"])
        if number == 1:
            yield "(From here on empty fields are left out. Write them all the same.)"
        yield f'"{example["says"]}"\n{json.dumps(reply)}'


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_empty(v) for k, v in value.items() if v not in ("", [])}
    return [_without_empty(v) for v in value] if isinstance(value, list) else value
