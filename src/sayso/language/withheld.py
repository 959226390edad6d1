"""Offers that are not made: where what is left out may change what the rest means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sayso.language.lexicon import Lexicon
from sayso.language.tokens import sentences, tokenize

_SO_MANY_OF = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|neither|either|none|both|any|some|most"
    r"|half|few|several|each|all) of (?:the|my|our|your|these|those)\b"
)
_CHANGING = re.compile(
    r"\bin between\b|\bby the (?:time|end)\b|\bin (?:that|this|which|either) case\b"
    r"|\bfor the \w+ time\b|\bfor long\b|^from .* on\b$|^(?:if|unless)\b[^,]* but\b"
    rf"|\b{_SO_MANY_OF}"
)
"""What is left out with these words counts, limits or times what is offered."""
_LAYER = re.compile(r"\b(?:in the middle|at the (?:very )?bottom|on (?:the )?(?:very )?top)\b")
_STACKED = re.compile(r"\b(?:tower|stack|pile)\b")
_CONTRARY = re.compile(
    r"\bnot one\b.*\bbut\b|\bnot (?:past|via|by|through|on|in|to)\b.*"
    r"\bbut (?:past|via|by|through)\b"
)
"""With these what comes first is denied for what comes then."""
_INSIDE = re.compile(
    r"\b(?:put|place|drop) in (?:the|a|my)\b|\binside\b(?! (?:the|it|of|my|a|them)\b)"
)
_ALLOWED = re.compile(r"\b(?:may|might) (?:stay|remain|be)\b")
_TOPIC = frozenset({"the", "a", "an", "my", "our", "everything", "anything", "all", "any", "every"})
_STATING = frozenset({
    "is", "are", "was", "were", "goes", "go", "must", "should", "can", "may", "will", "has",
    "have", "had", "belongs", "belong", "needs", "need", "comes", "looks", "seems", "gets", "does",
})  # fmt: skip
_FOR_TOPIC = frozenset({"it", "them", "one", "they"})


def is_withheld(text: str, left: Iterable[str], wording: str, lexicon: Lexicon) -> bool:
    """Whether a reading is not offered since what is left out may change what it means.

    Args:
        text: the instruction.
        left: its words that are left out.
        wording: the controlled English that the offer stands in; "" for the person's own words.
    """
    said = [[t.text for t in tokens] for tokens in sentences(tokenize(text))]
    whole = " . ".join(" ".join(words) for words in said)
    parts = [" ".join(t.text for t in tokenize(part)) for part in left]
    if any(_is_of_topic(words, lexicon) for words in said):
        return True
    if wording and _ALLOWED.search(whole) and "must" in wording and "must" not in whole:
        return True
    if not parts:
        return bool(_CONTRARY.search(whole))
    asked = any("?" in words[:-1] for words in said) and any("?" in part for part in parts)
    layer = _STACKED.search(whole) and any(map(_LAYER.search, parts))
    other = " other" in whole and any("the one" in part for part in parts)
    inside = _INSIDE.search(whole) and any(lexicon.names(w) for p in parts for w in p.split())
    changing = any(map(_CHANGING.search, parts)) or _CONTRARY.search(whole)
    return bool(asked or layer or other or inside or changing)


def _is_of_topic(words: list[str], lexicon: Lexicon) -> bool:
    """ "the mug, not the plate, put it on the tray": what "it" stands for is named without a
    verb."""
    end = next((i for i, w in enumerate(words) if w in (",", ":")), 0)
    topic = words[:end]
    if not topic or topic[0] not in _TOPIC or not any(map(lexicon.names, topic)):
        return False
    return _STATING.isdisjoint(topic) and not _FOR_TOPIC.isdisjoint(words[end:])
