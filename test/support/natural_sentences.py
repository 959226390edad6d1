"""The natural sentences of test/data/language, read by SaySo and judged by their gold readings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sayso.core.ports import DependencyParser
from sayso.evaluation.language.scenes import Thing, read_scene
from sayso.evaluation.language.system import System, World
from sayso.language.offers import PartlyUnderstoodError
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import And, Formula, Not
from sayso.logic.text import parse

FOLDER = Path(__file__).parent.parent / "data" / "language"
MOST_ANSWERS = 2
WINDING_WORDS = 30
"""From so many words on a sentence counts as long and winding."""
FILES = ("natural_table.jsonl", "natural_flat.jsonl")


@dataclass(frozen=True)
class Sentence:
    """A sentence to be read with one library.

    Attributes:
        key: its id, and the library's world where it is for both.
        golds: formulas that are right; none if it is to be asked about or refused.
    """

    key: str
    world: World
    split: str
    text: str
    things: tuple[Thing, ...]
    golds: tuple[Formula, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of a sentence.

    Attributes:
        outcome: read "right" or "misread"; "offered" or "offered wrong" where a question holds the
            reading of all but some words; "asked" which thing is meant, or "refused".
        said: the question of an offer.
    """

    sentence: Sentence
    outcome: str
    said: str = ""


def sentences() -> Iterator[Sentence]:
    """All sentences; those for both worlds twice."""
    for file in FILES:
        yield from read(FOLDER / file)


def read(file: Path) -> Iterator[Sentence]:
    """The sentences of a file in the format of the folder's README, whose scenes are used."""
    for line in file.read_text(encoding="utf-8").splitlines():
        yield from _readings(json.loads(line))


def _readings(entry: Mapping[str, Any]) -> Iterator[Sentence]:
    things = read_scene(FOLDER / entry["scene"])
    texts = [entry["gold"], *entry.get("also", ())] if entry["gold"] else []
    golds = tuple(parse(t, grounded=True) for t in texts)
    both = entry["world"] == "both"
    worlds: tuple[World, ...] = ("table", "flat") if both else (entry["world"],)
    for world in worlds:
        key = f"{entry['id']} {world}" if both else entry["id"]
        yield Sentence(key, world, entry["split"], entry["text"], things, golds)


@lru_cache(maxsize=4)
def system(world: World, parser: DependencyParser | None = None) -> System:
    """One system for all sentences of a world."""
    return System(world, parser)


def judge(sentence: Sentence) -> Verdict:
    """Reads the sentence; "misread" is an accepted meaning that none of the golds has."""
    answer = system(sentence.world).read(sentence.text, sentence.things)
    meaning = answer.formula or answer.offered
    if meaning is None:
        return Verdict(sentence, "asked" if answer.asked else "refused")
    right = _means(meaning, sentence)
    if answer.formula is None:
        return Verdict(sentence, "offered" if right else "offered wrong", str(answer.error))
    return Verdict(sentence, "right" if right else "misread")


def is_winding(sentence: Sentence) -> bool:
    """Whether it is long."""
    return len(sentence.text.split()) >= WINDING_WORDS


def effort(sentence: Sentence, parser: DependencyParser) -> str:
    """How much a person has to say until a sentence is read: "outright"; "1", "2" or "more"
    answers; "whole", where they have to say all of it again.

    "misread" is an accepted meaning that none of the golds has, and "wrong" an offered one that
    none of them implies: it holds something that was not said.
    """
    answer = system(sentence.world, parser).read(sentence.text, sentence.things)
    if answer.formula is not None:
        return "outright" if _means(answer.formula, sentence) else "misread"
    if answer.offered is None or not isinstance(answer.error, PartlyUnderstoodError):
        return "whole"
    if not any(_implies(gold, answer.offered) for gold in sentence.golds):
        return "wrong"
    answers = max(1, len(answer.error.asked.words))
    return str(answers) if answers <= MOST_ANSWERS else "more"


def _means(meaning: Formula, sentence: Sentence) -> bool:
    return any(equivalent(meaning, gold) for gold in sentence.golds)


def _implies(formula: Formula, other: Formula) -> bool:
    """Whether one is true of no trace without the other; part by part, which keeps them small."""
    parts = other.args if isinstance(other, And) else (other,)
    return not any(automaton_of(And((formula, Not(part)))).satisfiable for part in parts)


def equivalent(a: Formula, b: Formula) -> bool:
    """Whether two grounded formulas are true of the same traces."""
    return _implies(a, b) and _implies(b, a)


@cache
def fulfillable(formula: Formula) -> bool:
    """Whether a grounded formula is true of some trace."""
    return automaton_of(formula).satisfiable
