"""What people ask for in words that nobody knew, tied to what they came to mean in a lesson.

A goal that is not understood is said otherwise, or is reached by an action that the person allows
and then says to have done it. Either tells what the first words ask for: the goal in the words that
were understood, or what that action brings about. So the words become a wording of that, with
places for the things that they name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sayso.core.errors import SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.core.vocabulary import ANY, SpokenAction, Wanted
from sayso.learning.experience import Entry, Said, Tried
from sayso.learning.feedback import Action, FeedbackKind
from sayso.learning.feedback_mentions import read_words
from sayso.learning.feedback_words import split_at
from sayso.learning.operators import Learned

PREFIX = "asked_"
"""How the names of these wordings begin, beside those of actions."""
_ENDS = (".", "!", "?")
_JOINING = (",", ";", ":", "and", "then", "or", "but", *_ENDS)
_PEOPLE = frozenset({"i", "we", "you", "it", "there", "that", "this"})


@dataclass(frozen=True)
class Asked:
    """Words for one thing that is wanted.

    Attributes:
        say: with `{0}`, `{1}` for the things, in the order in which they are named.
        things: what these were.
        verb: the first word.
        words: all but the things.
    """

    say: str
    things: tuple[str, ...]
    verb: str
    words: tuple[str, ...]


def asked(text: str, scene: Scene) -> Asked | None:
    """The words of a goal of one step that begin with what is to be done; None of others."""
    try:
        read = read_words(text, {o.name: o.category for o in scene.objects})
    except SaySoError:
        return None
    runs = split_at(read, _ENDS)
    if len(runs) != 1 or len(split_at(runs[0], _JOINING)) != 1:
        return None
    words = [w.text for w in runs[0].words]
    things = tuple(w[1:] for w in words if w.startswith("@"))
    others = tuple(w for w in words if not w.startswith("@"))
    if not things or len(set(things)) < len(things) or not words[0].isalpha():
        return None
    if words[0] in _PEOPLE or not all(w.isalpha() for w in others):
        return None
    place = {f"@{name}": f"{{{i}}}" for i, name in enumerate(things)}
    return Asked(" ".join(place.get(w, w) for w in words), things, words[0], others)


def like(words: Asked, skill: str) -> bool:
    """Whether the words may ask for an action: one is of its name, or part of its verb, or it of
    one ("take the cap off": uncap)."""
    verb = skill.split("_")[0]
    long = [w for w in words.words if len(w) > 2 and w != "the"]
    return any(w in verb or (len(verb) > 2 and verb in w) for w in long)


def tied(
    entries: Iterable[Entry],
    learned: Learned,
    renamed: Callable[[Iterable[Literal]], tuple[Literal, ...]],
) -> Iterator[SpokenAction]:
    """A wording for each goal that was not understood at first, with what it asks for.

    Args:
        renamed: gives literals the names that predicates go by now.
    """
    found: dict[str, tuple[Wanted, ...]] = {}
    for words, meant in _meant(entries):
        if isinstance(meant, Action):
            literals = learned.brings_about(meant.name, meant.args, words.things)
        else:
            literals = renamed(meant)
        if literals and {a for x in literals for a in x.atom.args} <= set(words.things):
            place = words.things.index
            found[words.say] = tuple(
                Wanted(x.atom.predicate, tuple(map(place, x.atom.args)), x.positive)
                for x in literals
            )
    for number, (say, goal) in enumerate(found.items()):
        yield SpokenAction(f"{PREFIX}{number}", (ANY,) * say.count("{"), (say,), (goal,))


def _meant(entries: Iterable[Entry]) -> Iterator[tuple[Asked, tuple[Literal, ...] | Action]]:
    """Words that were not understood, with the goal read next, or the action that did it."""
    waiting: list[Said] = []
    last: Tried | None = None
    for entry in entries:
        if isinstance(entry, Tried):
            last = entry
        if not isinstance(entry, Said) or entry.action or entry.goal:
            continue
        kind = entry.feedback.kind if entry.feedback else None
        if waiting and kind is FeedbackKind.GOAL and entry.scene is waiting[0].scene:
            yield from _pairs(waiting, entry.feedback.literals if entry.feedback else ())
        elif waiting and last and kind is FeedbackKind.REACHED and entry.scene is last.after:
            yield from _pairs(waiting, last.action)
        elif kind is None and (last is None or entry.scene is not last.after):
            same = bool(waiting) and waiting[0].scene is entry.scene
            waiting = [*(waiting if same else ()), entry]
            last = None
            continue
        elif kind is None:
            continue  # a remark that was not understood
        waiting = []


def _pairs(
    waiting: Iterable[Said], meant: tuple[Literal, ...] | Action
) -> Iterator[tuple[Asked, tuple[Literal, ...] | Action]]:
    for said in waiting:
        if words := asked(said.words, said.scene):
            yield words, meant
