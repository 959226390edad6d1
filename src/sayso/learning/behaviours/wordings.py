"""What people say of a piece of play, with places for its things.

"put the red block in the drawer" becomes "put {0} in {1}"; the things come first that the words'
state is about (`spoken`). Articles may be left out: "red on blue".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Vocabulary
from sayso.learning.behaviours.spoken import (
    DETERMINERS,
    FROM,
    INTO,
    PRONOUNS,
    WAYS,
    clause_of,
    is_verb,
    tokens_of,
)

_ADJECTIVES = frozenset({"open", "shut", "closed"})
_NO_THINGS = frozenset({"top", "side", "end", "middle", "table", *WAYS})
"""Nouns after "the" that are no things of the scene by themselves."""
_ANY_NOUN = frozenset({"one", "thing", "piece", "cube", "handle"})
"""Nouns that go with what tells a thing: "the pink one"."""
_LINKS = ("of", "to", "with", "using", "by", "at", "and", "is", "are", "so", "that")
_ENDS = (
    frozenset({*_LINKS, "comes", "goes", "gets", ",", *INTO}) | DETERMINERS | FROM | WAYS
    | _ADJECTIVES
)  # fmt: skip
"""What no noun phrase goes on over."""
_PLACE = re.compile(r"\{(\d)\}")
_Span = tuple[int, int]


@dataclass(frozen=True)
class Said:
    """An annotation taken apart.

    Attributes:
        wording: with `{0}`, `{1}` for the things that it names.
        things: names in the scene: those that the state is about which the words speak of, then
            others that are named, then those that the annotation is about unsaid.
        named: how many things the words name.
    """

    wording: str
    things: tuple[str, ...]
    named: int


@dataclass(frozen=True)
class _Thing:
    """What a thing may be called: its own words, its role, and nouns of its kind."""

    name: str
    own: frozenset[str]
    role: str
    nouns: frozenset[str]

    def likeness(self, words: Sequence[str]) -> float:
        """How well a noun phrase names it."""
        phrase = set(words) - DETERMINERS
        told = len(phrase & self.own) + 0.5 * (self.role in phrase)
        return told or 0.25 * bool(phrase & self.nouns)

    def told_by(self, word: str) -> bool:
        return word in self.own or word == self.role or word in self.nouns


def said_of(
    words: str, things: Mapping[str, str], scene: Scene, vocabulary: Vocabulary | None = None
) -> Said:
    """An annotation with places for its things.

    Args:
        things: what it is about: roles, and names in the scene; those that are not seen are matched
            by their names alone.
        vocabulary: tells of which kinds nouns are, such as that a light is a lamp.
    """
    tokens, seen = tokens_of(words), scene.by_name()
    about = [_thing(r, n, seen.get(n), vocabulary) for r, n in things.items()]
    spans = [*_noun_phrases(tokens)]
    spans += _bare_mentions(tokens, about, spans)
    fits = {(s, t): t.likeness(tokens[slice(*s)]) for s in spans for t in about}
    chosen: dict[_Span, str] = {}
    for span, thing in sorted(fits, key=lambda k: (-fits[k], k[0])):
        if fits[span, thing] > 0 and span not in chosen and thing.name not in chosen.values():
            chosen[span] = thing.name
    heads = {s: tokens[s[1] - 1] for s in sorted(spans) if s not in chosen}
    free = [s for s, head in heads.items() if head not in _NO_THINGS and not is_verb(head)]
    by_name = {t.name: t for t in about}
    chosen = {_shortened(s, tokens, by_name[n]): n for s, n in chosen.items()}
    left = [n for n in things.values() if n not in chosen.values()]
    # What no word tells apart, such as "it" or "the door", is named in the order of the things.
    if len(free) <= len(left):
        chosen |= dict(zip(free, left, strict=False))
    return _with_places(tokens, chosen, tuple(things.values()))


def _thing(
    role: str, name: str, thing: SceneObject | None, vocabulary: Vocabulary | None
) -> _Thing:
    category = thing.category if thing is not None else ""
    own = {*name.split("_"), *category.split(), *(thing.color.split() if thing else ())}
    kinds = () if vocabulary is None else vocabulary.kinds
    nouns = (n for k in kinds if (category or name) in k.nouns for n in k.nouns)
    return _Thing(name, frozenset(own), role, frozenset(w for n in nouns for w in n.split()))


def _shortened(span: _Span, tokens: Sequence[str], thing: _Thing) -> _Span:
    """The noun phrase up to the last word that is the thing's own: "the block clockwise"."""
    ends = [i + 1 for i in range(*span) if thing.told_by(tokens[i])]
    end = max(ends, default=span[1])
    while end < len(tokens) and tokens[end] in _ANY_NOUN:
        end += 1
    return span[0], end


def _with_places(tokens: Sequence[str], chosen: Mapping[_Span, str], things: Sequence[str]) -> Said:
    """The things of the clause that tells the state come first."""
    spans = sorted(chosen)
    clause = clause_of(_filled(tokens, spans, {s: i for i, s in enumerate(spans)}))
    told = [spans[int(m[1])] for t in clause if (m := _PLACE.match(t))]
    ordered = list(dict.fromkeys([*told, *spans]))
    named = [chosen[s] for s in ordered]
    text = _filled(tokens, spans, {s: i for i, s in enumerate(ordered)})
    said = " ".join(text).replace(" ,", ",")
    return Said(said, (*named, *(n for n in things if n not in named)), len(named))


def _filled(
    tokens: Sequence[str], spans: Sequence[_Span], numbers: Mapping[_Span, int]
) -> list[str]:
    text: list[str] = []
    at = 0
    for span in spans:
        text += [*tokens[at : span[0]], f"{{{numbers[span]}}}"]
        at = span[1]
    return [*text, *tokens[at:]]


def _noun_phrases(tokens: Sequence[str]) -> Iterator[_Span]:
    """From a determiner or pronoun up to the next word that links."""
    at = 0
    while at < len(tokens):
        end = at + 1
        if tokens[at] in DETERMINERS and tokens[max(0, at - 1)] != "so":
            if end + 1 < len(tokens) and tokens[end] in _ADJECTIVES:
                end += 1  # "the open drawer"
            while end < len(tokens) and tokens[end] not in _ENDS:
                end += 1
            if end == at + 1 and end < len(tokens):
                end += 1  # "the top", "the left"
            yield at, end
        elif tokens[at] in PRONOUNS:
            yield at, end
        at = end


def _bare_mentions(
    tokens: Sequence[str], about: Sequence[_Thing], phrases: Sequence[_Span]
) -> Iterator[_Span]:
    """Words of one thing without an article: "red", "blue block"; a verb is none."""
    taken = {i for s in phrases for i in range(*s)}
    at = 0
    while at < len(tokens):
        end = at
        some = list(about)
        while end < len(tokens) and end not in taken and not _is_verb_at(tokens, end):
            if not (fit := [t for t in some if t.told_by(tokens[end])]):
                break
            some, end = fit, end + 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _is_verb_at(tokens: Sequence[str], at: int) -> bool:
    """Whether a word that may be a verb, such as "switch", is one."""
    return is_verb(tokens[at]) and (at == 0 or tokens[at - 1] not in ("with", "by", "using"))


def name_of(wording: str, types: Sequence[str]) -> str:
    """A behaviour's name: "put {0} in {1}" of a block and a drawer is `put_block_in_drawer`."""
    text = _PLACE.sub(lambda m: types[int(m[1])], wording)
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "_".join(w for w in words if w not in DETERMINERS)
