"""Skills that somebody's words ask for, by a verb that the library does not have."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError, SkillLackingError
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
_POURING = re.compile(r"empty\b.* (?:into|in|onto|on|over)\b")
"""What is in it goes to another place, and is not taken out piece by piece."""
_PARTS = "lid|cap|cover|flap|knob|stopper|cork"
"""What is done to "the cap of the bottle" is another skill than what is done to the bottle."""
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
        part: of a thing, to which something is to be done: "lid" of "lift the box's lid".
    """

    words: str
    things: tuple[str, ...]
    shown: bool = False
    part: str = ""

    @property
    def name(self) -> str:
        """Of the skill: "hang_mug_on_rack"."""
        words = self.words.replace("'s ", " ").split()
        return "_".join(w for w in words if w not in ("the", "a", "an", "my", "this", "that"))

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

    def lacking_for_part(self) -> SkillLackingError:
        """What is said where the words were read, but what they name is a part of a thing."""
        return SkillLackingError(
            self.words,
            f"nobody taught me to {self.words}: I see no {self.part} as a thing of its own.",
            code=Code.UNSUPPORTED,
            hint=self.offer,
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
    of_thing = _part_said(part, library, nouns)
    known = _is_known(plain, library) and not (of_thing or _TURNED.search(part))
    if not 2 <= len(plain) <= _MOST_WORDS or (known and not offer):
        return None
    many_steps = plain[0] in _ARRANGING and not _POURING.match(part)
    if many_steps or plain[0] in _NO_VERBS or "'" in plain[0]:
        return None
    text = " ".join(plain[1:])
    found = {n: m.start() for n in nouns if (m := re.search(rf"\b{re.escape(n.lower())}\b", text))}
    things = tuple(sorted(found, key=lambda n: found[n]))
    if not (things or offer):
        return None
    return Wish(" ".join(re.findall(r"[a-z'_]+", part)), things, bool(offer), of_thing)


def _part_said(words: str, library: Library, nouns: Collection[str]) -> str:
    """The part of a thing that words name; "" for none, and of what can be opened as it is."""
    for noun in nouns:
        name = re.escape(noun.lower())
        of, off = rf"{name}'s ({_PARTS})", rf"({_PARTS}) (?:of|off|from) (?:the |a |my )?{name}"
        if (found := re.search(rf"\b(?:{of}|{off})\b", words)) and not _opens(noun, library):
            return found.group(1) or found.group(2)
    return ""


def _opens(noun: str, library: Library) -> bool:
    fits, actions = library.vocabulary.fits, library.vocabulary.actions
    return any(a.name == "open" and fits(noun, a.arguments[0]) for a in actions)


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
