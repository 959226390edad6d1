"""What people say of a piece of play, with places for its things, and the state it speaks of.

"put the red block in the drawer" becomes "put {0} in {1}", and that speaks of `in(a, b)`;
"turn off the lamp" becomes "turn off {0}" and speaks of `turned_off(a)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Vocabulary
from sayso.language.inflection import participle
from sayso.learning.synthesis.labels import Concept
from sayso.learning.transitions import variable

_DETERMINERS = frozenset(["the", "a", "an", "that", "this", "my", "its", "your"])
_PRONOUNS = frozenset({"it", "them"})
_INTO: Mapping[str, str] = {
    "in": "in", "into": "in", "inside": "in", "on": "on", "onto": "on", "atop": "on",
    "under": "under", "behind": "behind", "beside": "beside", "over": "over",
}  # fmt: skip
"""Prepositions of where a thing comes to be, as the predicate has them."""
_FROM = frozenset({"from", "off", "out"})
_RESULTS: Mapping[str, str] = {"open": "open", "shut": "closed", "closed": "closed"}
"""Adjectives, and verbs that are adjectives too: the door is open."""
_SWITCHED = frozenset({"on", "off"})
_SWITCH = frozenset({"turn", "switch", "flip", "power", "click"})
TAKEN = "lifted"
"""The concept that a thing is in the hand."""
_TAKEN = frozenset(["lift", "take", "pick", "grab", "grasp", "raise", "remove", "get", "fetch"])
"""Afterwards the thing is in the hand."""
_MOVED = frozenset(["move", "slide", "push", "pull", "shift", "drag"])
"""Of these, only where to matters for the state afterwards."""
_ROTATED = frozenset(["rotate", "turn", "spin", "twist"])
_TURNS: Mapping[str, str] = {"counterclockwise": "left", "clockwise": "right"}
_OPPOSITES: Mapping[str, str] = {
    "closed": "open", "turned_off": "turned_on", "moved_right": "moved_left",
    "moved_down": "moved_up", "moved_back": "moved_forward", "rotated_right": "rotated_left",
}  # fmt: skip
"""States that are the denial of another."""
_WAYS = frozenset({"left", "right", "up", "down", "back", "forward", "away"})
_IS = frozenset({"is", "are"})
_LINKS = frozenset({"of", "to", "with", "using", "by", "at", "top", "and", *_FROM, *_INTO, *_WAYS})
_NO_THINGS = frozenset({"top", "side", "end", "middle", "table", *_WAYS})
"""Nouns after "the" that are no things of the scene by themselves."""
_VERBS: Mapping[str, str] = {"close": "closed", "open": "open", "shut": "closed"}
_PLACE = re.compile(r"\{(\d)\}")


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


def said_of(
    words: str, things: Mapping[str, str], scene: Scene, vocabulary: Vocabulary | None = None
) -> Said:
    """An annotation with places for its things.

    Args:
        things: what it is about: roles, and names in the scene; those that are not seen are matched
            by their names alone.
        vocabulary: tells of which kinds nouns are, such as that a light is a lamp.
    """
    tokens = re.findall(r"[a-z0-9]+", words.lower())
    spans = _noun_phrases(tokens)
    seen = scene.by_name()
    fits = {
        (span, name): _likeness(tokens[span[0] : span[1]], role, name, seen.get(name), vocabulary)
        for span in spans
        for role, name in things.items()
    }
    chosen: dict[tuple[int, int], str] = {}
    for span, name in sorted(fits, key=lambda k: (-fits[k], k[0])):
        if fits[span, name] > 0 and span not in chosen and name not in chosen.values():
            chosen[span] = name
    shortened = {_named_by(s, n, tokens, seen.get(n)): n for s, n in chosen.items()}
    spans = [s for s in spans if s not in chosen]
    chosen = shortened
    free = [s for s in spans if tokens[s[1] - 1] not in _NO_THINGS]
    left = [n for n in things.values() if n not in chosen.values()]
    # What no word tells apart, such as "it" or "the door", is named in the order of the things.
    if len(free) <= len(left):
        chosen |= dict(zip(free, left, strict=False))
    return _with_places(tokens, chosen, tuple(things.values()))


def _named_by(
    span: tuple[int, int], name: str, tokens: Sequence[str], thing: SceneObject | None
) -> tuple[int, int]:
    """The noun phrase up to the last word that is the thing's own: "the block clockwise"."""
    own = _own_words(name, thing)
    ends = [i + 1 for i in range(*span) if tokens[i] in own]
    return span[0], max(ends, default=span[1])


def _own_words(name: str, thing: SceneObject | None) -> set[str]:
    if thing is None:
        return set(name.split("_"))
    return {*name.split("_"), *thing.category.split(), *thing.color.split()}


def _with_places(
    tokens: Sequence[str], chosen: Mapping[tuple[int, int], str], things: Sequence[str]
) -> Said:
    """What follows "to" with a verb is what it is done for, and its things come first."""
    spans = sorted(chosen)
    purpose = _purpose(tokens, spans)
    ordered = sorted(spans, key=lambda s: (s[0] < purpose, s))
    numbers = {span: i for i, span in enumerate(ordered)}
    text: list[str] = []
    at = 0
    for span in spans:
        text += [*tokens[at : span[0]], f"{{{numbers[span]}}}"]
        at = span[1]
    text += tokens[at:]
    named = [chosen[s] for s in ordered]
    return Said(" ".join(text), (*named, *(n for n in things if n not in named)), len(named))


def _purpose(tokens: Sequence[str], spans: Sequence[tuple[int, int]]) -> int:
    """Where the clause begins for whose sake it is done; 0 if that is the whole."""
    for at in range(1, len(tokens) - 1):
        if tokens[at : at + 2] == ["so", "that"]:
            return at + 2
        verb = tokens[at + 1]
        if tokens[at] == "to" and verb not in _DETERMINERS | _PRONOUNS | _NO_THINGS | _LINKS:
            return at + 1 if any(s[0] > at for s in spans) else 0
    return 0


_ENDS = _LINKS | _DETERMINERS | {*_RESULTS} | _IS | {"so", "that"}
"""What no noun phrase goes on over."""


def _noun_phrases(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """From a determiner or pronoun up to the next word that links."""
    found = []
    at = 0
    while at < len(tokens):
        end = at + 1
        if tokens[at] in _DETERMINERS and tokens[max(0, at - 1)] != "so":
            while end < len(tokens) and tokens[end] not in _ENDS:
                end += 1
            if end == at + 1 and end < len(tokens):
                end += 1  # "the top", "the left"
            found.append((at, end))
        elif tokens[at] in _PRONOUNS:
            found.append((at, end))
        at = end
    return found


def _likeness(
    phrase: Sequence[str],
    role: str,
    name: str,
    thing: SceneObject | None,
    vocabulary: Vocabulary | None,
) -> float:
    """How well a noun phrase names a thing: by its name, colour, category, role, or kind."""
    words = {w for w in phrase if w not in _DETERMINERS}
    category = thing.category if thing is not None else ""
    shared = len(words & _own_words(name, thing)) + 0.5 * (role in words)
    if shared or vocabulary is None or not phrase:
        return shared
    kinds = vocabulary.types_of(phrase[-1]), vocabulary.types_of(category or name)
    return 0.25 if kinds[0] and kinds[1] and kinds[0] & kinds[1] else 0.0


def spoken_of(wording: str) -> Spoken | None:
    """The state that a wording speaks of, over the things that it names; None without a thing.

    Where something comes to be is a relation: "put {0} in {1}" is `in(a, b)`, "put {0} on table"
    is `on_table(a)`. Else it is what has been done: "lift {0} from {1}" is `lifted(a)`.
    """
    tokens = [t for t in wording.split() if t not in _DETERMINERS]
    if "{0}" not in tokens or tokens[0].startswith("{"):
        return None
    if "{1}" in tokens[: tokens.index("{0}")]:
        at = tokens.index("{1}")
        starts = [i for i, t in enumerate(tokens) if i > at and t in ("to", "so")]
        tokens = tokens[starts[0] + 1 :] if starts else tokens
    if "{0}" not in tokens:
        return None
    place = _taken(tokens) or _relation(tokens)
    name, arity, clause = place or _state(tokens) or _adjective(tokens) or _done(tokens)
    parameters = tuple(variable(i)[1:] for i in range(arity))
    text = f"{{0}} is {clause}"
    denied = text.replace(" is ", " is not ", 1)
    if name in _OPPOSITES:
        text, denied = f"{{0}} is {_OPPOSITES[name].replace('_', ' ')}", text
    elif opposite := next((o for o, n in _OPPOSITES.items() if n == name), ""):
        denied = f"{{0}} is {opposite.replace('_', ' ')}"
    concept = Concept(_OPPOSITES.get(name, name), parameters, text, denied)
    return Spoken(concept, name not in _OPPOSITES, place is not None, _source(tokens))


def _source(tokens: Sequence[str]) -> str:
    """What stands after "from", "off", "in", ..., if a thing was taken from there."""
    if tokens[0] not in _TAKEN:
        return ""
    starts = [i for i, t in enumerate(tokens) if t in _FROM or t in _INTO]
    rest = [t for t in tokens[starts[-1] + 1 :] if t not in ("of", "top")] if starts else []
    return "_".join(rest[: rest.index("and")] if "and" in rest else rest)


def _taken(tokens: Sequence[str]) -> tuple[str, int, str] | None:
    """ "lift {0} from {1}", "pick {0} up": it is in the hand."""
    return (TAKEN, 1, TAKEN) if tokens[0] in _TAKEN else None


def _relation(tokens: Sequence[str]) -> tuple[str, int, str] | None:
    """Where the first thing comes to be: after it, and not away from there."""
    for at in range(tokens.index("{0}") + 1, len(tokens) - 1):
        if tokens[at] in _WAYS - {"down", "back"}:
            return None  # where to, and not where
        if tokens[at] not in _INTO:
            continue
        word = _INTO[tokens[at]]
        rest = [t for t in tokens[at + 1 :] if t not in ("of", "top")]
        if rest == ["{1}"]:
            return word, 2, f"{word} {{1}}"
        if rest and not any(map(_PLACE.match, rest)):
            return f"{word}_{'_'.join(rest)}", 1, f"{word} the {' '.join(rest)}"
    return None


def _state(tokens: Sequence[str]) -> tuple[str, int, str] | None:
    """ "{0} is on", "{0} is open"."""
    after = tokens[tokens.index("{0}") + 1 :]
    if len(after) != 2 or after[0] not in _IS:
        return None
    if after[1] in _SWITCHED:
        return f"turned_{after[1]}", 1, f"turned {after[1]}"
    word = _RESULTS.get(after[1], after[1])
    return word, 1, word


def _adjective(tokens: Sequence[str]) -> tuple[str, int, str] | None:
    """ "pull {0} open", "turn on {0}", "shut {0}"."""
    others = [t for t in tokens[1:] if not _PLACE.match(t)]
    if found := [_RESULTS[t] for t in others if t in _RESULTS]:
        return found[0], 1, found[0]
    switched = [t for t in others if t in _SWITCHED]
    if switched and tokens[0] in _SWITCH:
        return f"turned_{switched[0]}", 1, f"turned {switched[0]}"
    if tokens[0] in _VERBS and not others:
        return _VERBS[tokens[0]], 1, _VERBS[tokens[0]]
    return None


def _done(tokens: Sequence[str]) -> tuple[str, int, str]:
    """What has been done to the first thing, with the way it went, if one is told."""
    ways = [_TURNS.get(t, t) for t in tokens[1:] if t in _WAYS or t in _TURNS][:1]
    verb = tokens[0]
    if ways and verb in _MOVED | _ROTATED:
        verb = "move" if verb in _MOVED else "rotate"
    phrase = " ".join([participle(verb), *ways])
    return phrase.replace(" ", "_"), 1, phrase


def name_of(wording: str, types: Sequence[str]) -> str:
    """A behaviour's name: "put {0} in {1}" of a block and a drawer is `put_block_in_drawer`."""
    text = _PLACE.sub(lambda m: types[int(m[1])], wording)
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "_".join(w for w in words if w not in _DETERMINERS)
