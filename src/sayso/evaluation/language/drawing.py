"""What instructions are drawn from: a scene, and actions and descriptions that suit its things."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from sayso.evaluation.language.drawn_scenes import flat_scene, table_scene
from sayso.evaluation.language.meanings import Fact, Goal, Meaning, Never, Open, State
from sayso.evaluation.language.phrases import Noun, Phrase, Words, listed, plural, the, wordings
from sayso.evaluation.language.scenes import Thing


class NotHereError(Exception):
    """The scene has not what a construct needs; another one is drawn."""


Drawn: TypeAlias = "tuple[Meaning, Mapping[str, object]]"
"""A meaning, and what fills the wordings of its construct."""
Construct: TypeAlias = "Callable[[Draw], Drawn]"
PLACING = ("put_on", "put_in")


@dataclass(frozen=True)
class Kinds:
    """What the things of a world are for, by category."""

    carried: tuple[str, ...]
    on: tuple[str, ...]
    inside: tuple[str, ...]
    goals: tuple[str, ...]
    bans: tuple[str, ...]
    states: tuple[str, ...]
    visited: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


TABLE = Kinds(
    carried=("block", "mug"),
    on=("plate", "coaster", "tray"),
    inside=("bowl", "drawer"),
    goals=("put_on",) * 4 + ("put_in",) * 3 + ("pick",) * 2 + ("touch", "open", "close"),
    bans=("touch", "touch", "pick", "put_in", "put_on", "open"),
    states=("put_on", "put_in", "open", "close", "pick"),
    opened=("drawer",),
)
FLAT = Kinds(
    carried=("mug", "can", "box"),
    on=("desk", "table", "bed", "sofa"),
    inside=("trash bin",),
    goals=("go",) * 5 + ("put_on",) * 3 + ("put_in", "pick", "pick", "bring", "bring"),
    bans=("approach", "approach", "approach", "pick"),
    states=("put_on", "put_in", "go", "pick"),
    visited=("sofa", "bed", "fridge", "table", "desk", "chair", "trash bin", "plant", "television",
             "person", "cat"),
)  # fmt: skip


@dataclass
class Draw:
    """Draws the parts of one instruction: nothing is spoken of in two roles."""

    rng: Random
    drives: bool
    things: tuple[Thing, ...] = ()
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        scene = flat_scene if self.drives else table_scene
        self.things = self.things or scene(self.rng)

    @property
    def kinds(self) -> Kinds:
        return FLAT if self.drives else TABLE

    @property
    def words(self) -> Words:
        return wordings()

    def of(self, kinds: Collection[str]) -> list[Thing]:
        """Things of some kinds that were not spoken of yet."""
        return [t for t in self.things if t.category in kinds and t.name not in self.used]

    def noun(self, kinds: Collection[str]) -> Noun:
        """One such thing."""
        found = self.of(kinds)
        if not found:
            raise NotHereError
        thing = self.rng.choice(found)
        self.used.add(thing.name)
        return self.called(thing)

    def called(self, thing: Thing) -> Noun:
        """A description of a thing."""
        return the(thing, self.things, self.rng)

    def phrase(self, verbs: Sequence[str], x: Noun | None = None) -> Phrase:
        """One of some actions with things that suit it."""
        verb = self.rng.choice(verbs)
        x = x or self.noun(self._objects(verb))
        place = {"put_on": self.kinds.on, "put_in": self.kinds.inside, "bring": self.kinds.visited}
        y = self.place(place[verb], x) if verb in place else None
        return Phrase(self.rng, verb, x, y)

    def place(self, kinds: Collection[str], x: Noun) -> Noun:
        """Where something is put; two things may be put in one place."""
        found = [t for t in self.things if t.category in kinds and t.name not in x.names]
        free = [t for t in found if t.name not in self.used] or found
        thing = self.rng.choice(free)
        self.used.add(thing.name)
        return self.called(thing)

    def _objects(self, verb: str) -> tuple[str, ...]:
        if verb in ("open", "close"):
            return self.kinds.opened
        if verb in ("go", "approach"):
            return self.kinds.visited
        return (*self.kinds.carried, *self.kinds.on) if verb == "touch" else self.kinds.carried

    def goal(self) -> Phrase:
        """Something to do."""
        return self.phrase(self.kinds.goals)

    def ban(self) -> Phrase:
        """Something to leave undone."""
        return self.phrase(self.kinds.bans)

    def condition(self) -> Phrase:
        """A state."""
        return self.phrase(self.kinds.states)

    def several(self, least: int, kinds: Collection[str]) -> tuple[Thing, ...]:
        """All things of a kind of which there are enough, none of them spoken of yet."""
        groups = [[t for t in self.things if t.category == k] for k in kinds]
        fit = [g for g in groups if len(g) >= least and not {t.name for t in g} & self.used]
        if not fit:
            raise NotHereError
        group = tuple(self.rng.choice(fit))
        self.used.update(t.name for t in group)
        return group

    def described(
        self, how: str, group: Sequence[Thing], *, count: int = 0, left_out: Noun | None = None
    ) -> Noun:
        """All of a group in words; a description that leaves one out does not name it."""
        kind = group[0].category
        number = self.words["numbers"].get(count, "")
        template = self.rng.choice(self.words["several"][how])
        text = template.format(
            k=kind, ks=kind if count == 1 and " of " not in template else plural(kind), n=number,
            e=left_out.text if left_out else "",
        )  # fmt: skip
        names = tuple(t.name for t in group if not left_out or t.name not in left_out.names)
        return Noun(text, names, "{ks}" in template)

    def told_apart(self, how: str, thing: Thing, landmark: Thing) -> Noun:
        """One of its kind, described by another thing, or by its size."""
        self.used.update((thing.name, landmark.name))
        template = self.rng.choice(self.words["told apart"][how])
        kind = thing.category
        text = template.format(k=kind, ks=plural(kind), l=self.called(landmark).text)
        return Noun(text, (thing.name,))

    def several_banned(self) -> Phrase:
        """Something to leave undone with all of a group."""
        x = self.described("forbidden", self.visited_group())
        return self.phrase(_SIMPLE_BANS[self.drives], x)

    def listed_banned(self) -> Phrase:
        """Something to leave undone with either of two things."""
        verb = self.rng.choice(_SIMPLE_BANS[self.drives])
        kinds = self.kinds.visited if self.drives else self.kinds.carried
        x = listed([self.noun(kinds), self.noun(kinds)], self.rng.choice(("and", "or")))
        return self.phrase((verb,), x)

    def group(self, least: int) -> tuple[Thing, ...]:
        """All things of a kind that can be carried, of which there are enough."""
        return self.several(least, self.kinds.carried)

    def visited_group(self) -> tuple[Thing, ...]:
        """All things of a kind to go to, or to touch where nobody drives."""
        return self.several(2, ("chair", "desk") if self.drives else self.kinds.carried)

    def going(self, x: Noun | None = None) -> Phrase:
        """Going somewhere, or touching something where nobody drives."""
        return self.phrase(("go",) if self.drives else ("touch",), x)

    def done_with(self, x: Noun) -> Phrase:
        """An action that can be done with several things."""
        return self.phrase((*PLACING, "pick"), x)


_SIMPLE_BANS = {True: ("approach",), False: ("touch", "pick", "put_in", "put_on")}


def states_of(phrase: Phrase) -> tuple[State, ...]:
    """What a ban on an action forbids."""
    return tuple(Fact(atom) for atom in phrase.atoms())


def state_of(phrase: Phrase, *, true: bool = True) -> Fact:
    """The state that an action on one thing leads to, or its opposite."""
    (atom,) = phrase.atoms()
    return Fact(atom, true)


def goals_of(d: Draw, *phrases: Phrase) -> tuple[Goal, ...]:
    """The goals of actions on one thing each."""
    return tuple(p.goal(d.drives) for p in phrases)


def never_put(d: Draw, a: Phrase) -> Meaning:
    """Beside it counts as put there by the convention of LIMP's instructions: then never that."""
    beside = tuple(g.beside for g in a.goals(d.drives) if g.beside)
    never = Never(states_of(a))
    return Open("put", (never, Never(beside))) if beside else never
