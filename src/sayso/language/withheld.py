"""Offers that are not made: where what is left out may change what the rest means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sayso.core.vocabulary import ANY
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import ALLOWED, CHANGING, CONTRARY, INSIDE, LAYER, STACKED
from sayso.language.tokens import sentences, tokenize
from sayso.logic.formula import ALL, Formula, Quantified, Referent, walk

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
    if wording and ALLOWED.search(whole) and "must" in wording and "must" not in whole:
        return True
    if not parts:
        return bool(CONTRARY.search(whole))
    asked = any("?" in words[:-1] for words in said) and any("?" in part for part in parts)
    layer = STACKED.search(whole) and any(map(LAYER.search, parts))
    other = " other" in whole and any("the one" in part for part in parts)
    inside = INSIDE.search(whole) and any(lexicon.names(w) for p in parts for w in p.split())
    changing = any(phrase.search(part) for phrase in CHANGING for part in parts)
    return bool(asked or layer or other or inside or changing or CONTRARY.search(whole))


def may_except(told: Iterable[str], formula: Formula, lexicon: Lexicon) -> Iterator[str]:
    """Of what is told, what is of a thing that is one of all that are asked for: it may be left
    out ("put all blocks in the bowl, the red one is dirty")."""
    whole = [f for f in walk(formula) if isinstance(f, Quantified) and f.quantity == ALL]
    for words in told if whole else ():
        things = tuple(lexicon.told_of([t.text for t in tokenize(words)]))
        if any(_is_one_of(thing, every, lexicon) for thing in things for every in whole):
            yield words


def _is_one_of(thing: Referent, every: Quantified, lexicon: Lexicon) -> bool:
    """Whether a thing may be one of those that something is asked of, and is not left out."""
    named = (thing.noun, thing.attributes)
    out = [(t.noun, t.attributes) for t in every.apart_from if isinstance(t, Referent)]
    whole = every.domain
    types = lexicon.vocabulary.types_of(thing.noun)
    of_kind = whole.noun in {thing.noun, *(types or ())} or (
        lexicon.names(thing.noun) if whole.noun == ANY else thing.noun.endswith(whole.noun)
    )
    return of_kind and named not in out and set(whole.attributes) <= set(thing.attributes)


def _is_of_topic(words: list[str], lexicon: Lexicon) -> bool:
    """ "the mug, not the plate, put it on the tray": what "it" stands for is named without a
    verb."""
    end = next((i for i, w in enumerate(words) if w in (",", ":")), 0)
    topic = words[:end]
    if not topic or topic[0] not in _TOPIC or not any(map(lexicon.names, topic)):
        return False
    return _STATING.isdisjoint(topic) and not _FOR_TOPIC.isdisjoint(words[end:])
