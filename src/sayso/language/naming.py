"""Names of things as a model or a program writes them, made the same as people's words are.

`the_sofa`, `gray_sofa`, `large_television` and `red_tins` are the sofa, the grey sofa, the big
television and some red tin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.logic.english import plural
from sayso.logic.formula import COLORS, SIZES, Referent, Relation

_ARTICLES = frozenset({"the", "a", "an"})
_PEOPLE = frozenset((
    "me", "i", "myself", "us", "speaker", "user", "here", "somebody", "someone", "anybody",
    "anyone",
))  # fmt: skip
"""What language models call the person who speaks, or any person."""
_SPELT: Mapping[str, str] = {
    "gray": "grey",
    **dict.fromkeys(("little", "tiny", "smaller", "smallest"), "small"),
    **dict.fromkeys(("large", "huge", "bigger", "biggest", "larger", "largest"), "big"),
}
_IRREGULAR: Mapping[str, str] = {
    "knives": "knife", "leaves": "leaf", "loaves": "loaf", "shelves": "shelf", "people": "person",
    "men": "man", "women": "woman", "children": "child", "mice": "mouse",
}  # fmt: skip
_TAIL = frozenset({"of", "with", "without", "from", "for", "that"})
"""Words after which a noun's own number is not told any more."""
_NO_PLURAL = ("ss", "us", "is")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """The words of a text or a name, in small letters."""
    return _WORD.findall(text.lower())


def standard(word: str) -> str:
    """A colour or size as formulas name it; other words as they are."""
    return _SPELT.get(word, word)


def singular(word: str, known: Iterable[str] = ()) -> str:
    """The singular of a noun in the plural, by the nouns that are known, else by rule."""
    for noun in known:
        if word == plural(noun):
            return noun
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(_NO_PLURAL) and len(word) > 3:
        return word[:-1]
    return word


def in_singular(noun: str, known: Iterable[str] = ()) -> str:
    """A noun of several words in the singular: "cans of beans" is "can of beans"."""
    words = noun.split()
    last = next((i for i, w in enumerate(words) if i and w in _TAIL), len(words)) - 1
    return " ".join((*words[:last], singular(words[last], known), *words[last + 1 :]))


def forms(word: str) -> frozenset[str]:
    """The word, spelt as in formulas, and what it may be the plural of."""
    word = standard(word)
    return frozenset({word, singular(word)})


def normal_noun(text: str) -> tuple[tuple[str, ...], str]:
    """Colours and sizes at the beginning of a name, and the noun: without articles.

    Raises:
        SaySoError: INVALID if there is no noun.
    """
    words = [standard(w) for w in words_of(text)]
    # Inside, too: "mug with the shape of a ring". A last one is a name: "vitamin a".
    words = [w for i, w in enumerate(words, 1) if w not in _ARTICLES or 1 < i == len(words)]
    attributes = []
    while words and words[0] in (*COLORS, *SIZES):
        attributes.append(words.pop(0))
    if not words:
        raise SaySoError(Code.INVALID, f"'{text}' names no kind of thing.")
    noun = " ".join(words)
    return tuple(attributes), "person" if noun in _PEOPLE else noun


def normal(referent: Referent) -> Referent:
    """A description with its words made the same; raises as `normal_noun`."""
    attributes, noun = normal_noun(referent.noun)
    return replace(
        referent,
        noun=noun if referent.quantifier == "the" else in_singular(noun),
        attributes=tuple(sorted({*referent.attributes, *attributes})),
        relations=tuple(
            Relation(r.comparator, tuple(normal(o) for o in r.others)) for r in referent.relations
        ),
    )
