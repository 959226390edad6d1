"""Everything that was seen, said and tried while learning, kept raw and in order.

From it labels and refusals are made anew whenever predicates change, so that nothing that was said
is lost to a predicate that was wrong at the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal
from sayso.learning.feedback import Action, Feedback, FeedbackKind
from sayso.learning.synonyms import Synonym
from sayso.learning.synthesis.labels import Label, alike
from sayso.learning.transitions import lifted, variable


@dataclass(frozen=True, eq=False)
class Said:
    """What a person said, and how it was read.

    Attributes:
        feedback: None where the words were not understood.
        action: that was in question.
        goal: that was worked for.
    """

    scene: Scene
    words: str
    feedback: Feedback | None
    action: Action | None = None
    goal: tuple[Literal, ...] = ()

    @property
    def refused(self) -> Action | None:
        """The action that cannot be done, as the person says."""
        kind = self.feedback.kind if self.feedback else None
        return self.action if kind is FeedbackKind.INFEASIBLE else None

    @property
    def needs(self) -> tuple[Literal, ...]:
        """What would have had to hold for it."""
        return self.feedback.preconditions if self.feedback else ()


@dataclass(frozen=True, eq=False)
class Tried:
    """An action that was carried out; `succeeded` as far as the robot itself could tell."""

    before: Scene
    action: Action
    after: Scene
    succeeded: bool


@dataclass(frozen=True, eq=False)
class Answered:
    """What is so in a scene, as the person says when asked.

    Attributes:
        final: whether all that was said otherwise of scenes that look the same is taken back.
    """

    scene: Scene
    literal: Literal
    words: str
    final: bool = False


@dataclass(frozen=True)
class Compared:
    """Whether two predicates with the same truth are one, as the person says."""

    synonym: Synonym
    same: bool
    words: str


Entry: TypeAlias = Said | Tried | Answered | Compared

_TELLING = (FeedbackKind.UNSATISFIED, FeedbackKind.INFEASIBLE, FeedbackKind.REACHED)
"""Feedback whose literals are true now; a goal's are wanted."""


class Experience:
    """Entries in the order in which they came, and what follows from them."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self.scenes: list[Scene] = []
        self._numbers: dict[int, int] = {}
        self._labels: dict[tuple[int, Literal], Label] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """One more entry, with its scenes."""
        for scene in scenes_of(entry):
            self.number(scene)
        self.entries.append(entry)

    def number(self, scene: Scene) -> int:
        """The place of a scene in `scenes`; the same object is the same scene."""
        if id(scene) not in self._numbers:
            self._numbers[id(scene)] = len(self.scenes)
            self.scenes.append(scene)
        return self._numbers[id(scene)]

    def set_aside(self, arities: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Take entries out of force that cannot be used; yields the words of each, and why.

        Args:
            arities: how many arguments each predicate takes that was written.
        """
        known = dict(arities)
        for i, entry in enumerate(self.entries):
            why = misfit(entry, known)
            if why and isinstance(entry, Said | Answered):
                action = entry.action if isinstance(entry, Said) else None
                self.entries[i] = Said(entry.scene, entry.words, None, action)
                yield entry.words, why

    def until(self, count: int) -> Experience:
        """The first so many entries; scenes and labels are the same objects."""
        first = Experience()
        first.entries = self.entries[:count]
        first.scenes, first._numbers, first._labels = self.scenes, self._numbers, self._labels
        return first

    def labels(self, certain: int = 1) -> Labels:
        """All labels by predicate, in the order in which the scenes came: what follows from what
        worked and, last of a scene, what was said of it.

        Args:
            certain: how often it must have been said that an action needs something until it
                is concluded that this held wherever the action worked.
        """
        facts = (*self._implied(certain), *self._stated())
        return self._by_predicate(sorted(facts, key=lambda fact: self.number(fact[0])))

    def stated(self) -> Labels:
        """What was said, by predicate, without what was taken back."""
        return self._by_predicate(self._stated())

    def _by_predicate(self, facts: Iterable[tuple[Scene, Literal, str]]) -> Labels:
        found: dict[str, dict[Label, None]] = {}
        for scene, literal, words in facts:
            label = self._label(scene, literal, words)
            found.setdefault(literal.atom.predicate, {})[label] = None
        return {name: list(labels) for name, labels in found.items()}

    def requirements(self) -> Counter[tuple[str, Literal]]:
        """How often each skill was said to need each literal, over `?a`, `?b`, ..."""
        counts: Counter[tuple[str, Literal]] = Counter()
        for _, action, because in self.refusals():
            general = {lifted(x, action.args) for x in because}
            counts.update((action.name, x) for x in general if x is not None)
        return counts

    def refusals(self) -> Iterator[tuple[Said, Action, tuple[Literal, ...]]]:
        """What the person said cannot be done, and what it would have needed."""
        for entry in self.entries:
            if isinstance(entry, Said) and (refused := entry.refused):
                yield entry, refused, self.renamed(entry.needs)

    def renamed(self, literals: Iterable[Literal]) -> tuple[Literal, ...]:
        """The literals with the names that merged predicates go by now."""
        merged = [e.synonym for e in self.entries if isinstance(e, Compared) and e.same]
        return tuple(reduce(_renamed, merged, literal) for literal in literals)

    def gone(self) -> set[str]:
        """Names that merged predicates had."""
        return {e.synonym.other for e in self.entries if isinstance(e, Compared) and e.same}

    def _label(self, scene: Scene, literal: Literal, words: str) -> Label:
        key = (self.number(scene), literal)
        if key not in self._labels:
            self._labels[key] = Label(scene, literal.atom.args, literal.positive, words)
        return self._labels[key]

    def _stated(self) -> Iterator[tuple[Scene, Literal, str]]:
        final = [e for e in self.entries if isinstance(e, Answered) and e.final]
        for entry in self.entries:
            if isinstance(entry, Answered):
                yield entry.scene, entry.literal, entry.words
            if isinstance(entry, Said) and entry.feedback:
                for literal in self.renamed(_said_literals(entry)):
                    if not any(_takes_back(e, entry.scene, literal) for e in final):
                        yield entry.scene, literal, entry.words

    def _implied(self, certain: int) -> Iterator[tuple[Scene, Literal, str]]:
        """What a skill needs held where it worked."""
        needs: dict[str, list[Literal]] = {}
        for (skill, literal), count in self.requirements().items():
            if count >= certain:
                needs.setdefault(skill, []).append(literal)
        for entry in self.entries:
            if isinstance(entry, Tried) and entry.succeeded:
                binding = {variable(i): name for i, name in enumerate(entry.action.args)}
                for literal in needs.get(entry.action.name, ()):
                    yield entry.before, literal.substitute(binding), ""


Labels: TypeAlias = dict[str, list[Label]]
"""By predicate, in the order in which they were given."""


def misfit(entry: Entry, arities: dict[str, int]) -> str:
    """Why an entry cannot be used: a predicate with another number of arguments than it takes.

    Args:
        arities: by predicate; those that a fitting entry brings are added.
    """
    found: list[tuple[str, int]] = []
    if isinstance(entry, Said):
        feedback = entry.feedback or Feedback(FeedbackKind.FEASIBLE)
        found += [(c.name, len(c.parameters)) for c in feedback.concepts]
        literals = (*feedback.literals, *feedback.preconditions, *entry.goal)
    else:
        literals = (entry.literal,) if isinstance(entry, Answered) else ()
    found += [(x.atom.predicate, len(x.atom.args)) for x in literals]
    takes = dict(arities)
    for name, count in found:
        if takes.setdefault(name, count) != count:
            return f"{name} takes {takes[name]} things, here it has {count}"
    arities.update(takes)
    return ""


def scenes_of(entry: Entry) -> tuple[Scene, ...]:
    """The scenes that an entry is about."""
    if isinstance(entry, Tried):
        return entry.before, entry.after
    return () if isinstance(entry, Compared) else (entry.scene,)


def _said_literals(said: Said) -> tuple[Literal, ...]:
    """The literals that hold, as the person says."""
    feedback = said.feedback
    if feedback is None or feedback.kind not in _TELLING:
        return ()
    if feedback.kind is FeedbackKind.UNSATISFIED and len(said.goal) == 1:
        # All that is wanted is one thing, so that is not so, whatever is told of the reasons.
        lacking = said.goal[0]._replace(positive=not said.goal[0].positive)
        return tuple(dict.fromkeys((*feedback.literals, lacking)))
    return feedback.literals


def _takes_back(answer: Answered, scene: Scene, literal: Literal) -> bool:
    opposite = answer.literal._replace(positive=not answer.literal.positive)
    return literal == opposite and alike(answer.scene, scene)


def _renamed(literal: Literal, synonym: Synonym) -> Literal:
    if literal.atom.predicate != synonym.other:
        return literal
    args = literal.atom.args
    places = tuple(args[synonym.order.index(i)] for i in range(len(args)))
    return Literal(Atom(synonym.kept, places), literal.positive)
