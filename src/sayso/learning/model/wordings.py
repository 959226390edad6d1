"""What people say of pieces of play, read by a language model: which state each wording speaks of.

After BLADE (Liu et al., CoRL 2024), where a model describes behaviours from their words, contact
primitives, things and neighbours. There it also chooses needs and effects among predicates that
people named; here it names the states, and what they look like, what is needed and what comes about
is learned from what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.language.model import Prompt, ask, fenced
from sayso.learning.behaviours.pieces import Heard, Meant
from sayso.learning.behaviours.spoken import TAKEN, Spoken
from sayso.learning.synthesis.labels import Concept
from sayso.learning.transitions import variable

PROMPT = ("play_wordings", 1)
MOST_WORDINGS = 30
"""Of so many at most a model is asked at once."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_PLACE = re.compile(r"\{(\d)\}")
_MOST_CHARACTERS = 80
_WAYS = ("moved_", "rotated_")
"""What only went some way may be anywhere."""


@dataclass(frozen=True)
class ModelWordings:
    """A `pieces.ReadWordings` that asks a language model."""

    model: LanguageModel

    def __call__(self, heard: Sequence[Heard]) -> Mapping[str, Meant]:
        """Raises MODEL_REPLY, MODEL_UNAVAILABLE, MODEL_TIMEOUT."""
        found: dict[str, Meant] = {}
        for at in range(0, len(heard), MOST_WORDINGS):
            found |= self._asked(heard[at : at + MOST_WORDINGS], found)
        return found

    def _asked(self, heard: Sequence[Heard], known: Mapping[str, Meant]) -> dict[str, Meant]:
        prompt = Prompt.load(*PROMPT)
        told = fenced("wordings", "\n".join(_told(heard)))
        states = sorted({_described(m) for m in known.values()})
        before = f"\n{fenced('states of earlier wordings', '; '.join(states))}" if states else ""
        messages = (prompt.system(), Message("user", told + before))
        return ask(self.model, messages, prompt.schema, lambda data: _read(data, heard))[0]


def _told(heard: Sequence[Heard]) -> Iterator[str]:
    for number, one in enumerate(heard, 1):
        yield f'{number}. "{one.wording}"'
        yield f"   things: {', '.join(f'{{{i}}} {t}' for i, t in enumerate(one.types))}"
        yield f"   the hand: {', '.join(one.deeds) or 'nothing'}"
        yield f"   before: {_listed(one.before)}; after: {_listed(one.after)}"


def _listed(wordings: Iterable[str]) -> str:
    return ", ".join(f'"{w}"' for w in wordings) or "nothing"


def _described(meant: Meant) -> str:
    concept = meant.spoken.concept
    return f"{concept.name} ({concept.english})"


def _read(data: Mapping[str, Any], heard: Sequence[Heard]) -> dict[str, Meant]:
    """Raises INVALID, naming the entries at fault."""
    entries = {int(e["number"]): e for e in data["wordings"]}
    if lacking := sorted(set(range(1, len(heard) + 1)) - set(entries)):
        raise SaySoError(Code.INVALID, f"there is no entry for {_numbers(lacking)}.")
    found = {
        one.wording: _meant(number, entries[number], one)
        for number, one in enumerate(heard, 1)
        if not str(entries[number]["problem"]).strip()
    }
    _check_alike(found)
    return found


def _meant(number: int, entry: Mapping[str, Any], heard: Heard) -> Meant:
    name, about = str(entry["state"]), tuple(map(int, entry["about"]))
    said = " ".join(str(entry["says"]).split())
    named = {int(m) for m in _PLACE.findall(heard.wording)}
    if not _NAME.fullmatch(name) or not said or len(said) > _MOST_CHARACTERS:
        raise SaySoError(
            Code.INVALID,
            f"entry {number} needs a name in small letters for its state, and some words for it.",
        )
    if not 1 <= len(about) <= 2 or len(set(about)) < len(about) or not named.issuperset(about):
        raise SaySoError(
            Code.INVALID,
            f"entry {number} has to be about one or two of the things of its wording.",
            choices=map(str, sorted(named)),
        )
    if not {int(m) for m in _PLACE.findall(said)} <= set(about[1:]):
        raise SaySoError(
            Code.INVALID, f"entry {number}: 'says' names things that the state is not about."
        )
    order = {old: new for new, old in enumerate(about)}
    clause = _PLACE.sub(lambda m: f"{{{order[int(m[1])]}}}", said)
    place = name == TAKEN or (bool(entry["place"]) and not name.startswith(_WAYS))
    concept = Concept(
        name,
        tuple(variable(i)[1:] for i in range(len(about))),
        f"{{0}} is {clause}",
        f"{{0}} is not {clause}",
    )
    source = _source(str(entry["source"]), heard, about) if name == TAKEN else ""
    return Meant(Spoken(concept, bool(entry["holds"]), place, source), about)


def _source(said: str, heard: Heard, about: Sequence[int]) -> str:
    """Where a thing was taken from, with the number that the thing there will have."""
    if not (place := _PLACE.fullmatch(said.strip())):
        return "_".join(re.findall(r"[a-z0-9]+", said.lower()))
    rest = (i for i in range(len(heard.types)) if i not in about)
    order = {old: new for new, old in enumerate((*about, *rest))}
    return f"{{{order[int(place[1])]}}}" if int(place[1]) in order else ""


def _check_alike(found: Mapping[str, Meant]) -> None:
    """Raises INVALID where one state is said to be of one thing and of two, or a place and none."""
    kinds: dict[str, set[tuple[int, bool]]] = {}
    for meant in found.values():
        concept = meant.spoken.concept
        kinds.setdefault(concept.name, set()).add((len(meant.about), meant.spoken.place))
    if torn := sorted(name for name, some in kinds.items() if len(some) > 1):
        raise SaySoError(
            Code.INVALID,
            f"{', '.join(torn)}: each state is of one thing or of two, and tells a place or not, "
            "the same in all entries.",
            hint="give states that differ in that other names.",
        )


def _numbers(numbers: Sequence[int]) -> str:
    return f"wording{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
