"""The words for a taught skill: its verb, its things, and how it is done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from sayso.core.errors import Code, SaySoError
from sayso.language.naming import in_singular
from sayso.logic.formula import COLORS, SIZES
from sayso.perception.categories import is_a

_ARTICLES = frozenset(("the", "a", "an", "my", "your", "this", "that"))
_LONGEST_NOUN = 3
_BY = re.compile(r"\bby (its|the)\b")


@dataclass(frozen=True)
class SkillPhrase:
    """What a person called a skill, taken apart.

    Attributes:
        adverbs: before its verb: "carefully" of "carefully lift the mug".
        verb: "hang".
        pieces: what is said after the verb and before its first thing, after that and before the
            next, and after the last; without articles and colours of the things.
    """

    adverbs: tuple[str, ...]
    verb: str
    pieces: tuple[tuple[str, ...], ...]

    @property
    def manner(self) -> tuple[str, ...]:
        """How a skill of one thing is done: "by its handle", "on" of "turn on the lamp"; in names,
        so letters and digits alone."""
        said = chain(*self.pieces, self.adverbs)
        return tuple(w.replace("'", "") for w in said if w not in ("a", "an"))

    @property
    def relation(self) -> str:
        """The word before the second thing: "on" of "hang the mug on the rack"."""
        between = self.pieces[1]
        return between[-1].replace("'", "") if between else "on"

    @property
    def english(self) -> str:
        """With slots for its things; of a skill of several things without how it is done."""
        if len(self.pieces) > 2:
            return f"{self.verb} {{0}} {self.relation} {{1}}"
        before, after = self.pieces
        return " ".join((self.verb, *before, "{0}", *after, *self.adverbs))

    @property
    def say(self) -> tuple[str, ...]:
        """How it may be asked for, as `SpokenAction.say`: also as it was taught."""
        first, *others = self.pieces
        later = [w for i, p in enumerate(others) for w in (f"{{{i}}}", _either(p)) if w]
        whole = " ".join((*self.adverbs, self.verb, *first, *later))
        if len(others) > 1:
            verb, on = self.verb, self.relation
            short = f"{verb}|{verb} up {{0}} {on}|{on}to {{1}}"
            return (short, *({whole} - {self.english}))
        moved = first if len(first) == 1 else ()
        tail = (*moved, *others[0], *self.adverbs)
        head = (self.verb, *(() if moved else first))
        return tuple(
            dict.fromkeys((whole, " ".join(w for w in (*head, "{0}", _either(tail)) if w)))
        )


def verb_of(words: str) -> str:
    """The verb with which a skill's words begin, but for adverbs; "" where there are none."""
    said = _tokens(words)
    return said[_place_of_verb(said)] if said else ""


def phrase_of(words: str, categories: Sequence[str]) -> SkillPhrase:
    """A skill's words, which name its things in order; or a verb alone.

    Raises:
        SaySoError: INVALID where they name no thing of a category though they say more than a verb.
    """
    said = _tokens(words)
    if len(categories) == 1:
        said = list(_with_its(said, categories[0]))
    at = _place_of_verb(said)
    adverbs, verb, left = said[:at], "".join(said[at : at + 1]).replace("'", ""), said[at + 1 :]
    pieces: list[tuple[str, ...]] = []
    if not left and verb:
        return SkillPhrase(tuple(adverbs), verb, ((),) * (len(categories) + 1))
    for category in categories:
        begin, end = _named(left, category)
        if not end:
            raise _not_named(words, category, categories)
        pieces.append(_without_description(left[:begin]))
        left = left[end:]
    return SkillPhrase(tuple(adverbs), verb, (*pieces, tuple(left)))


def _tokens(words: str) -> list[str]:
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", words.lower().replace("\u2019", "'"))


def _place_of_verb(said: Sequence[str]) -> int:
    """After adverbs; but "apply the glue" begins with its verb."""
    at = 0
    while said[at : at + 1] and said[at].endswith("ly") and {*said[at + 1 : at + 2]} - _ARTICLES:
        at += 1
    return at


def _with_its(said: Sequence[str], category: str) -> Iterable[str]:
    """ "by its handle" for "by the mug's handle"."""
    own = {w for w in said if w.endswith("'s") and is_a(category, w[:-2])}
    for word, following in zip(said, (*said[1:], ""), strict=True):
        if word in own:
            yield "its"
        elif not (word in _ARTICLES and following in own):
            yield word


def _named(said: Sequence[str], category: str) -> tuple[int, int]:
    """Where the first noun for a category begins and ends; the longest there; (0, 0) for none."""
    for begin in range(len(said)):
        for end in range(min(begin + _LONGEST_NOUN, len(said)), begin, -1):
            if is_a(category, in_singular(" ".join(said[begin:end]))):
                return begin, end
    return 0, 0


def _without_description(said: Sequence[str]) -> tuple[str, ...]:
    """What stands before a noun without its article and what follows that, or its colour."""
    articles = [i for i, word in enumerate(said) if word in _ARTICLES]
    end = articles[-1] if articles else len(said)
    while end and said[end - 1] in (*COLORS, *SIZES):
        end -= 1
    return tuple(said[:end])


def _either(said: Iterable[str]) -> str:
    """Who was taught "by its handle" is also told "by the handle", and the other way round."""
    text = " ".join(said)
    other = _BY.sub(lambda m: "by the" if m[1] == "its" else "by its", text)
    return "|".join(dict.fromkeys((text, other)))


def _not_named(words: str, category: str, categories: Sequence[str]) -> SaySoError:
    kind = category.replace("_", " ")
    order = " before the ".join(c.replace("_", " ") for c in categories)
    return SaySoError(
        Code.INVALID,
        f"'{words}' does not name the {kind} that it shows, or not in its place.",
        hint=f"call it '{kind}'" + (f", and name the {order}." if len(categories) > 1 else "."),
        choices=categories,
    )
