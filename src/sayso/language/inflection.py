"""Forms of English verbs: "putting", "taken", "lifts"."""

from __future__ import annotations

from collections.abc import Mapping

_PARTICIPLES: Mapping[str, str] = {
    "be": "been", "bring": "brought", "come": "come", "drive": "driven", "find": "found",
    "fling": "flung", "sling": "slung",
    "get": "got", "give": "given", "go": "gone", "have": "had", "hit": "hit", "hold": "held",
    "keep": "kept", "lay": "laid", "leave": "left", "let": "let", "make": "made", "put": "put",
    "run": "run", "see": "seen", "set": "set", "shut": "shut", "sit": "sat", "slide": "slid",
    "stand": "stood", "stick": "stuck", "blow": "blown", "shake": "shaken", "strike": "struck",
    "sweep": "swept", "swing": "swung", "take": "taken", "throw": "thrown",
}  # fmt: skip
_DOUBLED = frozenset({
    "bar", "bin", "cram", "dip", "lob", "pat", "plop", "prod", "tap", "transfer", "drop", "get",
    "grab", "hit", "let", "omit", "pop", "put", "run", "set",
    "shut", "sit", "skip", "stop", "swap", "rub", "snap",
})  # fmt: skip
"""Verbs whose last letter is doubled before "-ing" and "-ed"."""


def gerund(phrase: str) -> str:
    """ "pick up" to "picking up"; "go and get" to "going and getting"."""
    return _of_verbs(phrase, _ing)


def participle(phrase: str) -> str:
    """ "pick up" to "picked up"."""
    return _of_verbs(phrase, _ed)


def third(phrase: str) -> str:
    """ "pick up" to "picks up"."""
    return _of_verbs(phrase, _s)


def _of_verbs(phrase: str, form: object) -> str:
    assert callable(form)
    first, *rest = phrase.split()
    changed = [str(form(first))]
    for before, word in zip((first, *rest), rest, strict=False):
        chained = before == "and" or (first == "go" and before == "go" and word in _CHAINED)
        changed.append(str(form(word)) if chained else word)
    return " ".join(changed)


_CHAINED = frozenset({"bring", "find", "get", "pick", "put", "stand", "take", "visit"})


def _ing(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and verb not in ("be", "see"):
        return verb[:-1] + "ing"
    return verb + "ing"


def _ed(verb: str) -> str:
    if verb in _PARTICIPLES:
        return _PARTICIPLES[verb]
    if verb in _DOUBLED:
        return verb + verb[-1] + "ed"
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def _s(verb: str) -> str:
    if verb == "be":
        return "is"
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "sh", "ch", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
