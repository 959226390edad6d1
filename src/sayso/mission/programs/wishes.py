"""Skills that somebody's words ask for, by a verb that the library does not have."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from sayso.core.errors import SaySoError, SkillLackingError
from sayso.core.library import Library
from sayso.language.naming import singular
from sayso.language.tokens import tokenize
from sayso.planning.words import joined

_OFFER = re.compile(
    r"\b(?:(?:let me|i will|i'll|i want to|i can) (?:show|teach) you|learn)(?: how)? to "
)
_OPENING = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|robot|please|now|then|so|well|just|kindly|also|first|finally|"
    r"[a-z]+ly|(?:can|could|would|will) you|i (?:want|need|would like) you to|you should)\b[ ,]*)+"
)
_NO_VERBS = frozenset(
    ("i", "it", "the", "a", "an", "my", "there", "if", "when", "what", "never", "do",
     "no", "not", "none", "neither", "nothing", "nobody", "either", "both", "only", "before",
     "after", "until", "unless", "make", "is", "are", "we", "all", "every", "he", "she", "this",
     "that")
)  # fmt: skip
_ARRANGING = frozenset(
    ("build", "arrange", "rearrange", "tidy", "sort", "clear", "set", "lay", "pile", "gather",
     "collect", "swap", "pack", "unpack", "load", "unload", "empty", "line", "serve", "prepare")
)  # fmt: skip
"""Verbs that ask for some order of things, and so for many steps: no skill of their own."""
_TURNED = re.compile(
    r"\b(?:upside down|sideways|horizontally|vertically|upright|face (?:down|up)|lying down|"
    r"on (?:its|their|the) (?:side|edge|head|back)|on (?:edge|end)|flat|inside out|"
    r"by (?:its|their) [a-z]+)\b"
)
"""How a thing is to lie, or to be taken: to place it is to put it down as it is held."""
_PARTICLES = frozenset(("up", "down", "over", "out", "off", "apart", "together"))
_MOST_WORDS = 16
"""Nobody calls a skill by more."""


@dataclass(frozen=True)
class Wish:
    """A skill that somebody's words ask for, by a verb that the library does not have.

    Attributes:
        words: the verb and what follows it.
        things: nouns among them, as they come.
        shown: whether they offer to show it, and so want nothing done now.
    """

    words: str
    things: tuple[str, ...]
    shown: bool = False

    @property
    def name(self) -> str:
        """Of the skill: "hang_mug_on_rack"."""
        kept = (w for w in self.words.split() if w not in ("the", "a", "an", "my", "this", "that"))
        return "_".join(kept)

    @property
    def offer(self) -> str:
        """How a person can see to it."""
        return f"Or teach it: say 'let me show you how to {self.words}'."

    def lacking(self, error: SaySoError) -> SkillLackingError:
        """What is said where the words were not understood for want of the skill."""
        hint = f"{error.hint} {self.offer}".strip()
        return SkillLackingError(
            self.words,
            error.message,
            code=error.code,
            hint=hint,
            choices=error.choices,
            span=error.span,
        )

    def to_be_shown(self) -> SkillLackingError:
        """What is said to somebody who offers to show it."""
        things = joined(f"the {t}" for t in self.things) or "the things that it works on"
        return SkillLackingError(
            self.words,
            f"'{self.words}' is to be shown before it can be done.",
            hint="show it about five times with other things in other places, and say what is "
            f"true of {things} afterwards, and whether it begins with an empty hand.",
        )


def wished(words: str, library: Library, nouns: Collection[str]) -> Wish | None:
    """What the words ask for; None where their verb is known and they do not say how a thing is to
    lie, where they name none of the nouns, begin with no verb, or are no words.

    Args:
        nouns: of things in the scene, in the singular.
    """
    if not _are_words(words):
        return None
    offer = _OFFER.search(words.lower())
    rest = words[offer.end() :] if offer else words
    part = re.split(r"[.,;:!?]", _OPENING.sub("", rest.lower().strip()), maxsplit=1)[0]
    plain = [singular(w) if w not in nouns else w for w in re.findall(r"[a-z'_]+", part)]
    known = _is_known(plain, library) and not _TURNED.search(part)
    if not 2 <= len(plain) <= _MOST_WORDS or (known and not offer):
        return None
    if plain[0] in _NO_VERBS | _ARRANGING or "'" in plain[0]:
        return None
    text = " ".join(plain[1:])
    found = {n: m.start() for n in nouns if (m := re.search(rf"\b{re.escape(n.lower())}\b", text))}
    things = tuple(sorted(found, key=lambda n: found[n]))
    if not (things or offer):
        return None
    return Wish(" ".join(re.findall(r"[a-z'_]+", part)), things, bool(offer))


def _are_words(text: str) -> bool:
    try:
        tokenize(text)
    except SaySoError:
        return False
    return True


def _is_known(words: list[str], library: Library) -> bool:
    """Whether a sentence begins with a verb of the library; "roll up" is another than "roll"."""
    wordings = [w for a in library.vocabulary.actions for w in a.wordings]
    known = [w for w in wordings if words[: len(v := w.verb.split())] == v]
    longest = max((len(w.verb.split()) for w in known), default=0)
    particle = words[longest] if longest < len(words) else ""
    if particle not in _PARTICLES:
        return bool(known)
    return any(particle in f"{w.verb} {w.tail}".split() for w in known)
