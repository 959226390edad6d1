"""Plans from words without a model: the most alike task's program, adapted to the scene."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

import numpy as np

from sayso.core.ports import Embedder
from sayso.core.symbols import Atom, Operator
from sayso.language.inflection import gerund, participle, third
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.tasks import ACTOR, Step, Task, class_of, number_of
from sayso.worlds.virtualhome.world import VirtualHome, foreseen

MOST_ALIKE = 20
"""Of other titles' tasks so many are looked into."""
POINTLESS, OF_SEVERAL, OF_VERBS, OF_AGREEMENT = 10, 5, 2, 3
"""As much as so many steps speak against a program that brings about nothing, and against each
thing that is left of several, and each verb; and for one that comes to the same as all others."""
_PLURAL = ("s", "es")
_ALSO_SAID = {
    "drink": ("drank",), "eat": ("ate", "eaten"), "lie": ("lay", "laying", "lying"),
    "plug": ("plugged", "plugging"), "sleep": ("asleep", "slept"), "take": ("took",),
    "wake": ("woke",),
}  # fmt: skip
_PARTICLES = ("in", "off", "on", "up")
_ALSO_PARTED = {"switch": ("turn", "power"), "stand": ("get",)}
_ALSO_CALLED = {
    "bathroom": ("bath room",), "bedroom": ("bed room",), "dining_room": ("kitchen",),
    "home_office": ("office", "living room"),
}  # fmt: skip
"""What people call rooms of the house: it has no other kitchen and no other living room."""


class Programs:
    """Programs of other tasks, found by the likeness of titles and descriptions.

    Args:
        embedder: says which sentences are alike.
    """

    def __init__(self, embedder: Embedder, tasks: Mapping[str, Task]) -> None:
        self._tasks = tuple(tasks.values())
        self._vectors = embedder.embed([f"{t.title}. {t.words}" for t in self._tasks])
        self._place = {t.key: i for i, t in enumerate(self._tasks)}

    def nearest(self, given: Task, *, same_title: bool) -> Task:
        """The most alike task, never the task itself nor one with an equal program.

        Args:
            same_title: whether other tasks of its title may be taken; else no such one is.
        """
        return next(t for t in self._alike(given) if same_title or t.title != given.title)

    def fitting(self, world: VirtualHome, *, same_title: bool) -> Task:
        """The task whose program needs least to be changed in a house: one of its title, where
        that may be taken and there is one, else one of the most alike.

        Of a title's programs what most do is likely to be meant: that a program comes to the same
        as they do speaks for it, and against it each verb that few of them do and no word names.
        Of several the most alike.
        """
        given = world.task
        others = self.of_title(given) if same_title else ()
        if others:
            fits = [_fit(t.program, world) for t in others]
            return others[min(range(len(fits)), key=lambda i: _strangeness(fits[i], fits))]
        allowed = (t for t in self._alike(given) if same_title or t.title != given.title)
        return min(islice(allowed, MOST_ALIKE), key=lambda t: misfits(t.program, world))

    def of_title(self, given: Task) -> tuple[Task, ...]:
        """The other tasks of its title with another program, the most alike first."""
        return tuple(t for t in self._alike(given) if t.title == given.title)

    def _alike(self, given: Task) -> Iterator[Task]:
        """The other tasks with another program, the most alike first."""
        likeness = self._vectors @ self._vectors[self._place[given.key]]
        for i in np.argsort(-likeness, kind="stable"):
            if self._tasks[i].key != given.key and self._tasks[i].program != given.program:
                yield self._tasks[i]


@dataclass(frozen=True)
class _Fit:
    """How a program fits into a house, as far as the operators foresee.

    Attributes:
        misfits: how much speaks against it.
        comes_to: what it brings about that lasts, or does, about classes of things.
        unnamed_verbs: those that bring something about which lasts, and that no word names.
    """

    misfits: int
    comes_to: frozenset[tuple[str, ...]]
    unnamed_verbs: frozenset[str]

    def agreement(self, other: _Fit) -> float:
        """How much of what one of two comes to both do, 0 to 1."""
        either = self.comes_to | other.comes_to
        return len(self.comes_to & other.comes_to) / len(either) if either else 1.0


def misfits(program: Sequence[Step], world: VirtualHome) -> int:
    """How much speaks against a program in a house: steps that are left out, steps that could then
    not be taken, as far as the operators foresee, and kinds of things and verbs that the task's
    words name and no step is about.

    Far more speaks against one of which nothing but ways and looks can be done in this house, and
    against each thing that is left of several that the words name ("turn on the lights") where the
    program does the same to another one.
    """
    return _fit(program, world).misfits


def _strangeness(fit: _Fit, fits: Sequence[_Fit]) -> float:
    """How little a program may be meant, among all that may be."""
    common = {
        v for v in fit.unnamed_verbs if 2 * sum(v in f.unnamed_verbs for f in fits) >= len(fits)
    }
    agreement = sum(map(fit.agreement, fits)) / len(fits)
    return fit.misfits + len(fit.unnamed_verbs - common) - OF_AGREEMENT * agreement


def _fit(program: Sequence[Step], world: VirtualHome) -> _Fit:
    seen = world.observe()
    steps = adapted(program, sorted(set(seen.objects) - {ACTOR}))
    course = _Course.of(steps, seen.true_atoms(), world)
    words, kinds = f"{world.task.title} {world.task.words}", set(map(class_of, seen.objects))
    about = {class_of(thing) for step in steps for thing in step.things}
    said, named = named_verbs(words), named_kinds(words, kinds) - about
    several = named_kinds(words, kinds, _PLURAL)
    left = len(_left(course.tried, several, seen.objects, course.begun)) + len(named & several)
    verbs = {step.verb for step in steps}
    unnamed = frozenset(verbs & _verb_forms().keys()) - said
    elsewhere = _is_elsewhere(words, steps, {world.nodes.names[n] for n in world.nodes.rooms})
    undone = any(brought in said and by in unnamed for brought, by in course.undone)
    other = len(named - several) + len(said - verbs) * OF_VERBS + elsewhere + undone
    changed = len(program) - len(steps)
    against = changed + course.refused + other + left * OF_SEVERAL + course.pointless * POINTLESS
    return _Fit(against, course.comes_to, unnamed)


@dataclass(frozen=True)
class _Course:
    """What comes of steps, as the operators foresee.

    Attributes:
        begun: what was true before.
        refused: how many cannot be taken.
        pointless: whether nothing comes of them but ways and looks.
        tried: operators, and the thing that each is done to.
        comes_to: what they bring about that lasts, or do, about classes of things.
        undone: verbs of which something that they brought about was ended, and what ended it.
    """

    begun: frozenset[Atom]
    refused: int
    pointless: bool
    tried: frozenset[tuple[Operator, str]]
    comes_to: frozenset[tuple[str, ...]]
    undone: frozenset[tuple[str, str]]

    @staticmethod
    def of(steps: Sequence[Step], seen: frozenset[Atom], world: VirtualHome) -> _Course:
        """From what is seen in a house."""
        things = {thing for step in steps for thing in step.things}
        true = begun = seen | world.within_reach(things)
        refused, pointless = 0, True
        tried, undone = set[tuple[Operator, str]](), set[tuple[str, str]]()
        brought, by = frozenset[Atom](), dict[Atom, str]()
        done = set[tuple[str, ...]]()
        for action in (step.action for step in foreseen(steps, true, sorted(things))):
            able, verb = action.applicable(true), library().operators[action.name].skill
            refused += not able
            pointless &= not (able and _lasts(action.add))
            tried.add((library().operators[action.name], "".join(action.args[:1])))
            done |= {(atom.predicate,) for atom in action.during if able}
            undone |= {(by[atom], verb) for atom in action.delete & by.keys() if able}
            by = {a: v for a, v in by.items() if a not in action.delete}
            by |= dict.fromkeys(action.add if able else (), verb)
            true, brought = action.apply(true), (brought - action.delete) | action.add
        lasting = {a for a in (true - begun) | (brought & true) if a.predicate not in _passing()}
        comes_to = done | {(a.predicate, *map(class_of, a.args)) for a in lasting}
        return _Course(
            begun, refused, pointless, frozenset(tried), frozenset(comes_to), frozenset(undone)
        )


def _is_elsewhere(words: str, steps: Iterable[Step], rooms: Collection[str]) -> bool:
    """Whether words name rooms, and steps lead into others alone."""
    named = {
        room
        for room in rooms
        if named_kinds(words, (class_of(room), *_ALSO_CALLED.get(class_of(room), ())))
    }
    entered = {step.things[0] for step in steps if step.things} & set(rooms)
    return bool(named and entered) and named.isdisjoint(entered)


def _lasts(add: Collection[Atom]) -> bool:
    """Whether something that actions add does not pass alone, as being near does; or they add
    nothing, so that the doing is all, as of typing."""
    return not add or any(a.predicate not in _passing() for a in add)


def _left(
    tried: Collection[tuple[Operator, str]],
    several: Collection[str],
    objects: Iterable[str],
    true: frozenset[Atom],
) -> frozenset[str]:
    """Of kinds of which several are spoken of the things to which the same could be done, and is
    not."""
    of_kind = {o for o, thing in tried if class_of(thing) in several and len(o.parameters) == 1}
    ways = [o for o in of_kind if o.add and _lasts(o.add)]
    others = [n for n in objects if class_of(n) in several]
    actions = (o.ground(n) for o in ways for n in others if (o, n) not in tried)
    return frozenset(
        a.args[0]
        for a in actions
        if not a.add <= true
        and all((x.atom in true) == x.positive or x.atom.predicate in _passing()
                for x in a.preconditions)
    )  # fmt: skip


@lru_cache(maxsize=1)
def _passing() -> frozenset[str]:
    """What some action ends of all things alike, such as being near."""
    operators = library().operators.values()
    ended = ((a, o.parameters) for o in operators for a in o.delete)
    return frozenset(a.predicate for a, own in ended if a.args and not {*a.args} & {*own})


def named_kinds(
    words: str, kinds: Iterable[str], ends: Iterable[str] = ("", *_PLURAL)
) -> frozenset[str]:
    """Of some kinds of things those that words name, one or several of them."""
    said = f" {' '.join(re.findall('[a-z]+', words.lower()))} "
    return frozenset(
        k for k in kinds if any(f" {k.replace('_', ' ')}{end} " in said for end in ends)
    )


def named_verbs(words: str) -> frozenset[str]:
    """The verbs that words name, of those whose doing brings something about that does not pass
    alone, or is all: "lie" and "watch", not "walk"; "switch it off" as well as "switch off"."""
    told = " ".join(re.findall("[a-z]+|[.,;]", words.lower()))
    said = set(told.split())
    whole = {verb for verb, forms in _verb_forms().items() if not forms.isdisjoint(said)}
    return frozenset(whole | {verb for verb, form in _parted() if re.search(form, told)})


@lru_cache(maxsize=1)
def _verb_forms() -> Mapping[str, frozenset[str]]:
    verbs = {
        o.skill
        for o in library().operators.values()
        if o.english.split()[0] == o.skill and _lasts(o.add)
    }
    return {v: frozenset(_forms(v)) for v in verbs}


@lru_cache(maxsize=1)
def _parted() -> tuple[tuple[str, str], ...]:
    """Verbs of two words, and an expression for each: "switch on", "turned the light on."."""
    found = []
    for operator in library().operators.values():
        verb, *rest = operator.english.replace("{0} ", "").replace(" {0}", "").split()
        if verb != operator.skill and len(rest) == 1 and rest[0] in _PARTICLES:
            forms = (f for v in (verb, *_ALSO_PARTED.get(verb, ())) for f in _forms(v))
            apart = rf"( (?!and\b|then\b|to\b)[a-z]+){{1,3}} {rest[0]}(?! (the|a|an|my|your|it)\b)"
            found.append((operator.skill, rf"\b({'|'.join(forms)})( {rest[0]}\b|{apart}\b)"))
    return tuple(dict.fromkeys(found))


def _forms(verb: str) -> tuple[str, ...]:
    return (verb, third(verb), gerund(verb), participle(verb), *_ALSO_SAID.get(verb, ()))


def adapted(program: Sequence[Step], things: Sequence[str]) -> tuple[Step, ...]:
    """A program about a scene's own things: the same, or others of the same class.

    Of several it is the one with the highest number, the last that was put there, which the program
    is not about otherwise. Steps about what the scene has nothing like of are left out; so are
    those that only come again since the scene has fewer of a class than the program is about.
    """
    chosen = _parts(program, things)
    found: dict[Step, Step] = {}
    steps = []
    for step in program:
        own = tuple(chosen.get(t, "") for t in step.things)
        if all(own) and len(set(own)) == len(own):
            here = replace(step, things=own)
            if found.setdefault(here, step) == step:
                steps.append(here)
    return tuple(steps)


def _parts(program: Sequence[Step], things: Sequence[str]) -> Mapping[str, str]:
    """Which of a scene's things plays the part of each thing of a program that one can play."""
    free: dict[str, list[str]] = defaultdict(list)
    named, known = dict.fromkeys(t for step in program for t in step.things), set(things)
    for thing in sorted(things, key=number_of):
        free[class_of(thing)].append(thing)
    last = {cls: of_class[-1] for cls, of_class in free.items()}
    found = {}
    for thing in named:
        others = [t for t in free[class_of(thing)] if t not in named]
        if thing not in known and others:
            free[class_of(thing)].remove(others[-1])
        played = thing if thing in known else (others or [last.get(class_of(thing), "")])[-1]
        if played:
            found[thing] = played
    return found
