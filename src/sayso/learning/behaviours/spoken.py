"""The state that people's words for a piece of play speak of.

Words are taken clause by clause: "press the button, the light goes on" speaks of the light. The
last clause that speaks of a known kind of state counts: where a thing comes to be, that it is
taken, that it is open, shut, on or off, or which way it went. Of other verbs what has been done is
the state: "paint {0}" speaks of `painted(a)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sayso.language.inflection import gerund, participle, third
from sayso.learning.synthesis.labels import Concept
from sayso.learning.transitions import variable

DETERMINERS = frozenset(["the", "a", "an", "that", "this", "my", "its", "your"])
PRONOUNS = frozenset({"it", "them"})
INTO: Mapping[str, str] = {
    "in": "in", "into": "in", "inside": "in", "on": "on", "onto": "on", "atop": "on",
    "upon": "on", "under": "under", "behind": "behind", "beside": "beside", "over": "over",
}  # fmt: skip
"""Prepositions of where a thing comes to be, as the predicate has them."""
FROM = frozenset({"from", "off", "out"})
_RESULTS: Mapping[str, str] = {"open": "open", "shut": "closed", "closed": "closed"}
"""Adjectives, and verbs that are adjectives too: the door is open."""
_SWITCH = (
    "turn", "switch", "flip", "flick", "power", "click", "put", "go", "come", "toggle", "snap",
)  # fmt: skip
_CAUSE = ("let", "make", "get", "keep", "leave", "have")
"""With these before a thing, what stands after it tells how it is: "make {0} go off"."""
TAKEN = "lifted"
"""The concept that a thing is in the hand."""
_TAKEN = (
    "lift", "take", "pick", "grab", "grasp", "raise", "hoist", "remove", "get", "fetch", "fish",
    "unstack", "leave", "retrieve", "collect",
)  # fmt: skip
"""Afterwards the thing is in the hand."""
_LEFT = ("leave", "get")
"""Taken away, but with a place told, brought there: "leave it on the table"."""
_BROUGHT = ("bring", "carry", "haul", "dig", "draw", "lug", "ferry")
"""Out of somewhere: in the hand; with a place told, brought there."""
_FALLEN = ("fall", "slip", "tumble", "roll", "drop")
"""What falls off something is in no hand."""
_MOVED = ("move", "slide", "push", "pull", "shift", "drag", "shove", "nudge", "scoot")
"""Of these, only where to matters for the state afterwards."""
_STRUCK = (
    "knock", "wipe", "sweep", "brush", "dust", "shake", "kick", "throw", "toss", "blow", "scrape",
    "rub", "wash", "rinse", "clean", "bump", "strike",
)  # fmt: skip
"""What is struck or swept off something is in no hand, and nothing is switched off by it."""
_ROTATED = ("rotate", "turn", "spin", "twist")
_TURNS: Mapping[str, str] = {"counterclockwise": "left", "clockwise": "right"}
_OPPOSITES: Mapping[str, str] = {
    "closed": "open", "turned_off": "turned_on", "moved_right": "moved_left",
    "moved_down": "moved_up", "moved_back": "moved_forward", "rotated_right": "rotated_left",
}  # fmt: skip
"""States that are the denial of another."""
WAYS = frozenset({"left", "right", "up", "down", "back", "forward", "away"})
_IS = ("be", "get", "go", "come", "stay")
"""Verbs after which the state itself is said."""
_OTHERS = (
    "open", "close", "shut", "put", "place", "set", "lay", "drop", "store", "stack", "hide", "use",
    "press", "give", "hold", "sweep", "reach", "keep", "stand",
)  # fmt: skip
_IRREGULAR: Mapping[str, str] = {
    "took": "take", "taken": "take", "got": "get", "gave": "give", "given": "give", "went": "go",
    "gone": "go", "came": "come", "left": "leave", "laid": "lay", "held": "hold", "hid": "hide",
    "hidden": "hide", "slid": "slide", "spun": "spin", "swept": "sweep", "kept": "keep",
    "stood": "stand", "are": "be", "is": "be", "was": "be", "were": "be", "being": "be",
    "flipped": "flip", "flipping": "flip", "dragged": "drag", "dragging": "drag",
    "spinning": "spin", "been": "be", "fell": "fall", "fallen": "fall", "slipped": "slip",
    "slipping": "slip", "brought": "bring", "dug": "dig", "digging": "dig", "drew": "draw",
    "drawn": "draw", "lugged": "lug", "lugging": "lug", "threw": "throw", "thrown": "throw",
    "blew": "blow", "blown": "blow", "shook": "shake", "shaken": "shake", "struck": "strike",
}  # fmt: skip
_VERBS = (*_SWITCH, *_TAKEN, *_BROUGHT, *_FALLEN, *_MOVED, *_ROTATED, *_IS, *_OTHERS)
_BASES: Mapping[str, str] = {
    **{f(v): v for v in (*_VERBS, *_STRUCK) for f in (gerund, participle, third)},
    **_IRREGULAR,
    **{v: v for v in (*_VERBS, *_STRUCK)},
    "left": "left", "open": "open", "shut": "shut", "closed": "closed", "put": "put",
}  # fmt: skip
"""What forms of verbs are forms of; "left" is a way, and only "leaves" is a verb."""
_SUBJECTS = frozenset(
    ["i", "we", "you", "he", "she", "they", "robot", "person", "m", "am", "ve", "have", "has", "s"]
)
_FILLERS = frozenset(
    ["now", "then", "next", "again", "please", "just", "finally", "first", "also", "and", "so",
     "carefully", "careful", "little", "bit", "slightly", "one", "thing", "hand", "handed", "side"]
)  # fmt: skip
_SPELT: Mapping[str, str] = {
    "leftwards": "left", "rightwards": "right", "leftward": "left", "rightward": "right",
    "upwards": "up", "downwards": "down", "tabletop": "table", "desk": "table",
}  # fmt: skip
_TRIED = frozenset(
    form for v in ("fail", "try", "attempt", "struggle") for form in (v, third(v), gerund(v))
) | {"failed", "tried", "attempted", "struggled", "failure"}  # fmt: skip
_DENIED = _TRIED | {
    "not", "t", "without", "never", "don", "dont", "wont", "cant", "cannot", "missed", "no",
    "nothing", "unable", "refuses", "refused", "almost", "nearly", "barely",
}  # fmt: skip
"""With these a clause tells no state; "t" is what is left of "won't"."""
_WAS = frozenset({"was", "were"})
_IN_HAND = frozenset({"air", "gripper"})
"""What is lifted into these is nowhere else."""
_PLACE = re.compile(r"\{(\d)\}")
_BREAK = ","
_ENDS = frozenset({*INTO, *FROM, "to", "with", "by", "at"})


@dataclass(frozen=True)
class Spoken:
    """The state that words speak of.

    Attributes:
        concept: over the first things of the annotation.
        positive: whether they speak of its denial, as "close" does of `open`.
        place: whether it is where a thing is, in the hand too: then it is nowhere else.
        source: where they say that it was: "{1}" for the second thing, else words such as "table".
    """

    concept: Concept
    positive: bool = True
    place: bool = False
    source: str = ""


_Read = tuple[str, int, str]
"""A state's name, of how many things it is said, and the clause that says it after "is"."""


def is_verb(word: str) -> bool:
    """Whether a word may be a verb that is known here."""
    return _BASES.get(word) in _VERBS


def tokens_of(words: str) -> list[str]:
    """Words in lower case, with a comma for each break between clauses."""
    breaks = re.sub(r"\s*(?:[,;:.!?]+|->|=>| - )\s*", " , ", words.lower())
    tokens = re.findall(r"\{\d\}|[a-z0-9]+|,", breaks)
    while tokens and tokens[-1] == _BREAK:
        tokens.pop()
    return [_SPELT.get(t, t) for t in tokens]


def clause_of(tokens: Sequence[str]) -> tuple[str, ...]:
    """The clause that tells the state, things being `{0}`, `{1}`, ... in any order; else none."""
    clauses = _clauses(tokens)
    told = [(c, read) for c in clauses if (read := _place_read(c) or _other_known(c))]
    if not told:
        return next((c for c in clauses if _led_by_verb(c)), ())
    return next(
        c for c, read in told if (read, _subject(c)) == (told[-1][1], _subject(told[-1][0]))
    )


def spoken_of(wording: str) -> Spoken | None:
    """The state that a wording speaks of, over the things that it names; None without a thing.

    Where something comes to be is a relation: "put {0} in {1}" is `in(a, b)`, "put {0} on table"
    is `on_table(a)`. Else it is what has been done: "lift {0} from {1}" is `lifted(a)`.
    """
    tokens = clause_of(tokens_of(wording))
    if not tokens:
        return None
    place = _place_read(tokens)
    name, arity, clause = place or _other_known(tokens) or _done(tokens)
    parameters = tuple(variable(i)[1:] for i in range(arity))
    text = f"{{0}} is {clause}"
    denied = text.replace(" is ", " is not ", 1)
    if name in _OPPOSITES:
        text, denied = f"{{0}} is {_OPPOSITES[name].replace('_', ' ')}", text
    elif opposite := next((o for o, n in _OPPOSITES.items() if n == name), ""):
        denied = f"{{0}} is {opposite.replace('_', ' ')}"
    concept = Concept(_OPPOSITES.get(name, name), parameters, text, denied)
    taken = place is not None and name == TAKEN
    return Spoken(
        concept, name not in _OPPOSITES, place is not None, _source(tokens) if taken else ""
    )


# -- clauses -----------------------------------------------------------------------------------


def _clauses(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """Those that name a thing, without who does it and words that tell nothing."""
    found: list[list[str]] = [[]]
    first = ""
    for number, token in enumerate(tokens):
        after = tokens[number + 1] if number + 1 < len(tokens) else ""
        denied = token == "to" and not _DENIED.isdisjoint(found[-1])
        if _parts(token, after) and not denied and tokens[number - 1] not in _TRIED:
            found.append([])
        named = token if not first or token not in PRONOUNS else first
        first = first or (token if _PLACE.match(token) else "")
        found[-1].append(named)
    bare = [tuple(t for t in c if t not in DETERMINERS | {_BREAK}) for c in found]
    now = [c for i, c in enumerate(bare) if not _is_past(c, after_others=i > 0)]
    clauses = map(_without_source, map(_without_fillers, now))
    return [c for c in clauses if any(map(_PLACE.match, c))]


def _is_past(clause: Sequence[str], *, after_others: bool) -> bool:
    """Whether it tells how a thing was, and not what was done: "close it, it was open"."""
    states = {"open", "off", "out", *INTO, *(_RESULTS if after_others else ())}
    return any(a in _WAS and b in states for a, b in pairwise(clause))


def _without_source(clause: tuple[str, ...]) -> tuple[str, ...]:
    """The clause without where a thing was, if where it comes to be is told, too."""
    ends = [i for i, t in enumerate(clause) if t in ("onto", "into")]
    starts = [i for i, t in enumerate(clause) if t in FROM and any(map(_PLACE.match, clause[:i]))]
    if not starts or not ends or starts[0] > ends[-1] or _IN_HAND.intersection(clause):
        return clause
    return clause[: starts[0]] + clause[ends[-1] :]


def _parts(token: str, after: str) -> bool:
    """Whether a new clause begins here; what begins with a preposition goes on with the last."""
    if token == _BREAK:
        return after not in _ENDS
    if token in ("so", "until", "till", "while", "that"):
        return True
    base = _BASES.get(after, "")
    verb = base in (*_VERBS, *_STRUCK)
    return token in ("to", "and", "then") and (verb or bool(_PLACE.match(after)))


def _without_fillers(clause: tuple[str, ...]) -> tuple[str, ...]:
    kept = [t for t in clause if t not in _FILLERS]
    while kept and (kept[0] in _SUBJECTS or kept[0] in ("to", "that", "until", "till", "while")):
        kept = kept[1:]
    if _DENIED.intersection(kept):
        return ()
    return tuple(t if t in WAYS else _BASES.get(t, t) for t in kept)


def _led_by_verb(clause: Sequence[str]) -> bool:
    return not _PLACE.match(clause[0]) and len(clause) > 1


# -- states ------------------------------------------------------------------------------------


def _place_read(tokens: Sequence[str]) -> _Read | None:
    return _relation(tokens) or _taken(tokens)


def _other_known(tokens: Sequence[str]) -> _Read | None:
    return _adjective(tokens) or _way(tokens)


def _things(tokens: Sequence[str]) -> list[int]:
    return [i for i, t in enumerate(tokens) if _PLACE.match(t)]


def _subject(tokens: Sequence[str]) -> str:
    return tokens[_things(tokens)[0]]


def _takes(tokens: Sequence[str]) -> bool:
    """Whether a verb says that the first thing is taken; "it gets stacked" does not."""
    after = tokens[_things(tokens)[0] + 1 :]
    places = INTO if tokens[0] in _LEFT else ("into", "onto")
    brought = not set(places).isdisjoint(after) and _IN_HAND.isdisjoint(after)
    return not brought and (tokens[0] in _TAKEN or any(t in _TAKEN and t != "get" for t in after))


def _taken(tokens: Sequence[str]) -> _Read | None:
    """ "lift {0} from {1}", "pick {0} up", "{0} out of {1}": it is in the hand."""
    at = _things(tokens)[0]
    after = tokens[at + 1 :]
    apart = any(
        t in FROM and (_PLACE.match(n) or n in ("of", "table", "top")) for t, n in pairwise(after)
    )
    moved = any(t in (*_MOVED, *_FALLEN, *_STRUCK) for t in tokens)
    out = tokens[0] in _BROUGHT and not {"out", "off"}.isdisjoint(tokens)
    if _takes(tokens) or out or (apart and not moved):
        return TAKEN, 1, TAKEN
    return None


def _relation(tokens: Sequence[str]) -> _Read | None:
    """Where the first thing comes to be: after it, and not away from there."""
    first = _things(tokens)[0]
    if _takes(tokens):
        return None
    for at in range(first + 1, len(tokens) - 1):
        if tokens[at] in WAYS - {"down", "back"}:
            return None  # where to, and not where
        if tokens[at] == "from":
            return None
        if tokens[at] not in INTO:
            continue
        word = INTO[tokens[at]]
        rest = [t for t in tokens[at + 1 :] if t not in ("of", "top") and t not in INTO]
        if rest and _PLACE.match(rest[0]):
            return word, 2, f"{word} {{1}}"
        if rest and rest[0] in WAYS | {"to", "again", "with", "by"}:
            return None
        if rest and not any(map(_PLACE.match, rest)):
            return f"{word}_{'_'.join(rest)}", 1, f"{word} the {' '.join(rest)}"
    return None


def _adjective(tokens: Sequence[str]) -> _Read | None:
    """ "pull {0} open", "turn on {0}", "shut {0}", "{0} is on", "push {0} in"."""
    at = _things(tokens)
    others = [t for t in tokens if not _PLACE.match(t)]
    found = [t for t in others if t in ("open", "close", *_RESULTS)]
    if found and not (found[0] == "shut" and "off" in others):
        word = "closed" if found[0] == "close" else _RESULTS[found[0]]
        return word, 1, word
    tail = [t for t in tokens[at[0] + 1 :] if t != "back"]
    before = tokens[: at[0]]
    switched = tokens[0] in (*_SWITCH, "shut")
    said = [t for t in before if t in ("on", "off", "out")] if switched else []
    if switched or not before or before[0] in _CAUSE:  # knocked off is not switched off
        said += [t for t in tail if t not in _SWITCH and t not in _IS][:1]
    if said and said[0] in ("on", "off", "out"):
        word = "on" if said[0] == "on" else "off"
        return f"turned_{word}", 1, f"turned {word}"
    if tokens[0] in _MOVED and tail in (["in"], ["out"]):
        word = "closed" if tail == ["in"] else "open"
        return word, 1, word
    return None


def _way(tokens: Sequence[str]) -> _Read | None:
    """Which way it went, or was turned: "{0} pushed left", "give {0} a shove to the right"."""
    ways = [_TURNS.get(t, t) for t in tokens if t in WAYS or t in _TURNS]
    ways = [w for w in ways if w != "back" or len(ways) == 1]
    if not ways:
        return None
    turned = any(t in _ROTATED for t in tokens) and not any(t in _MOVED for t in tokens)
    if not turned and not any(t in _MOVED for t in tokens):
        return None
    phrase = f"{'rotated' if turned else 'moved'} {ways[0]}"
    return phrase.replace(" ", "_"), 1, phrase


def _done(tokens: Sequence[str]) -> _Read:
    """What has been done to the first thing, with the way it went, if one is told."""
    ways = [t for t in tokens[1:] if t in WAYS | {"off"}][:1]
    phrase = " ".join([participle(tokens[0]), *ways])
    return phrase.replace(" ", "_"), 1, phrase


def _source(tokens: Sequence[str]) -> str:
    """What stands after "from", "off", "in", ..., if a thing was taken from there."""
    starts = [i for i, t in enumerate(tokens) if t in FROM or t in INTO]
    rest = [t for t in tokens[starts[-1] + 1 :] if t not in ("of", "top")] if starts else []
    return rest[0] if rest and _PLACE.match(rest[0]) else "_".join(rest)
