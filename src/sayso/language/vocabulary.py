"""A library's predicates towards a language model: how they are told, and how replies are held
to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.core.vocabulary import ANY, Vocabulary
from sayso.language.lexicon import MAX_NAMED, Lexicon
from sayso.logic.formula import (
    COLORS,
    COMPARATORS,
    SIZES,
    Always,
    And,
    Formula,
    Not,
    Prop,
    Quantified,
    Referent,
    Term,
    propositions,
    walk,
)
from sayso.logic.text import parse

_MEANINGS: Mapping[str, str] = {
    "on": "resting on top of it",
    "in": "inside of it, as in a container or a room",
    "placed": "on it, in it or right beside it, whatever suits; use this one to bring or fetch "
    "something to a place, and where the person does not say on or in",
    "near": "the robot itself stands close to it, or in that room; going somewhere is this",
    "on_table": "lying on the table itself; the table is not a thing in the list",
    "touching": "in contact with it in any way, holding it included; leaving alone is G(!...)",
    "holding": "in the hand; picking up and fetching begin with this",
}
"""What English alone does not tell of states that many libraries have."""


MAX_SHOWN = 16
"""How many nouns of a type a prompt lists."""


def check_vocabulary(formula: Formula, lexicon: Lexicon) -> tuple[str, ...]:
    """Raises INVALID unless every proposition is a predicate of the library, of things it fits.

    What is only forbidden may be of things that it does not fit: it is never so.

    Returns:
        a sentence for each such prohibition, to be told to the person.
    """
    nouns: dict[Term, str] = {
        q.variable: q.domain.noun for q in walk(formula) if isinstance(q, Quantified)
    }
    forbidden = Counter(_forbidden_by_itself(formula))
    counts = Counter(p for p in walk(formula) if isinstance(p, Prop))
    only_forbidden = {p: forbidden[p] == n for p, n in counts.items()}
    never: dict[str, None] = {}
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
        types = lexicon.types_of(predicate.name, predicate.arity)
        for argument, kind in zip(prop.args, types, strict=True):
            noun = argument.noun if isinstance(argument, Referent) else nouns.get(argument, "")
            if only_forbidden[prop] and not lexicon.vocabulary.fits(noun, kind):
                described = lexicon.vocabulary.described(kind)
                never[f"The {noun} is not {described}, so what is forbidden cannot happen."] = None
            else:
                _check_type(predicate.name, noun, kind, lexicon.vocabulary)
    return tuple(never)


def _forbidden_by_itself(formula: Formula) -> Iterator[Prop]:
    """The propositions of which a whole formula says that they are never so."""
    match formula:
        case And(parts):
            for part in parts:
                yield from _forbidden_by_itself(part)
        case Quantified(quantity=quantity, body=body) if quantity.kind == "all":
            yield from _forbidden_by_itself(body)
        case Always(Not(Prop() as prop)):
            yield prop
        case Always(And(parts)):
            yield from (p.arg for p in parts if isinstance(p, Not) and isinstance(p.arg, Prop))


def _check_type(predicate: str, noun: str, types: str, vocabulary: Vocabulary) -> None:
    if vocabulary.fits(noun, types):
        return
    nouns = ", ".join(vocabulary.nouns_of(types)[:MAX_NAMED])
    raise SaySoError(
        Code.INVALID,
        f"{predicate} needs {vocabulary.described(types)} ({nouns}, ...), and '{noun}' is not.",
        hint="name another thing, or say in 'problem' that this cannot be asked for.",
    )


def predicates_in_words(lexicon: Lexicon) -> str:
    """A line for each predicate: its name, its parameters with their types, and its English;
    then one for each type with some of its nouns."""
    lines = [_in_words(p, lexicon.vocabulary) for p in lexicon.predicates.values()]
    named = dict.fromkeys(t for p in lexicon.predicates.values() for t in p.types if t != ANY)
    return "\n".join((*lines, *(_type_in_words(t, lexicon.vocabulary) for t in named)))


def _in_words(predicate: Predicate, vocabulary: Vocabulary) -> str:
    types = "; ".join(
        f"{name} is {vocabulary.described(kind)}"
        for name, kind in zip(predicate.parameters, predicate.types, strict=False)
        if kind != ANY
    )
    english = predicate.english.format(*predicate.parameters)
    means = f": {english}" if english else ""
    where = f" ({types})" if types else ""
    return f"- {predicate.name}({', '.join(predicate.parameters)}){means}{where}"


def _type_in_words(types: str, vocabulary: Vocabulary) -> str:
    nouns = vocabulary.nouns_of(types)
    more = " and others" if len(nouns) > MAX_SHOWN else ""
    return f"{vocabulary.described(types).capitalize()}: {', '.join(nouns[:MAX_SHOWN])}{more}."


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
    file = resources.files("sayso") / "language" / "prompts" / "interpret_examples.v4.jsonl"
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
