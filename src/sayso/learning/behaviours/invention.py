"""Predicates invented from what people say is done and from what is seen to change.

Each state that words speak of becomes a concept. Scenes in which it is so, and in which it is not,
follow from the words along each play (`labels`); the synthesiser writes a program for it; on pieces
of play that it was not learned from it has to come about as often as annotations are right, or
nothing that is seen tells it. Concepts that are so in the same scenes are one predicate under
several words, and one that is so exactly where another is not is its denial.

A thing is at one place. Where a cabinet's floor is as high as the table, nothing of a kettle itself
tells that it is not on the table; that it is in the cabinet does (`Inventor._at_one_place`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal
from sayso.learning.behaviours.labels import labels_of, of_itself, places_of
from sayso.learning.behaviours.pieces import Key, Piece, key_of
from sayso.learning.behaviours.spoken import TAKEN
from sayso.learning.predicate_code import compile_learned
from sayso.learning.skills.symbols import PredicateLearner
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.programs import OTHER, All, Exists, Holds, Kind, Not, Program
from sayso.learning.synthesis.source import source_of
from sayso.learning.transitions import variable

HELD_OUT = 4
"""Every so-manieth piece of a concept is kept to judge by."""
LABELS = (24, 60, 120)
"""Of a concept, so many are learned from at first, and more where that does not suffice."""
_AGREE = 0.95
"""Share of scenes, among those where one holds and among those where it does not, from which two
concepts are the same."""
_PROBES = 60
_DOUBT = 0.02
"""Share of labels that may be wrong though no annotation is."""
_LEAST = 3
"""From fewer pieces no predicate is made up."""
_DISPUTED = 0.08
"""Share of labels that a program may contradict, beside what wrong annotations explain; of a state
that does not last, such as having been pushed, more are."""
_SLACK = 0.15
"""So much less often than annotations are right a state may be seen to come about."""


@dataclass(frozen=True)
class Invented:
    """Predicates, and what words mean in them.

    Attributes:
        predicates: those that were given, and those that were invented.
        meanings: by concept and categories, a literal over `?a`, `?b`, ...; concepts that nothing
            seen tells are not there.
        types: of each invented predicate, the categories of each argument.
        right: by concept and categories, the share of held-out pieces after which it held and
            before which it did not.
        aside: numbers of the pieces whose words are taken to be wrong.
    """

    predicates: Mapping[str, Predicate]
    meanings: Mapping[Key, Literal]
    types: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    right: Mapping[Key, float] = field(default_factory=dict)
    aside: frozenset[int] = frozenset()


@dataclass
class Inventor:
    """Invents predicates for the concepts of pieces of play.

    Args:
        learner: writes a program from labelled scenes.
        given: predicates that are known already, such as what the hand holds.
        wrong: share of annotations that may be wrong.
        ends: whether only scenes just before and after a piece are learned from.
    """

    learner: PredicateLearner
    given: Mapping[str, Predicate]
    wrong: float = 0.0
    ends: bool = False
    _predicates: dict[str, Predicate] = field(default_factory=dict)
    _meanings: dict[Key, Literal] = field(default_factory=dict)
    _types: dict[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    _right: dict[Key, float] = field(default_factory=dict)
    _aside: frozenset[int] = frozenset()
    _pieces: Sequence[Piece] = ()
    _places: Collection[Key] = ()

    def invent(self, pieces: Sequence[Piece]) -> Invented:
        """Predicates for all that the pieces' words speak of.

        Where annotations may be wrong, those are set aside that are said of what the hand mostly
        does otherwise; and then, once more, those whose states were not seen to come about.
        """
        if not self.wrong:
            return self._invented(pieces, frozenset())
        odd = frozenset(_odd(pieces))
        found = self._invented(pieces, odd)
        return self._invented(pieces, odd | frozenset(_not_seen(pieces, found)))

    def _invented(self, pieces: Sequence[Piece], aside: frozenset[int]) -> Invented:
        self._predicates, self._meanings = dict(self.given), {}
        self._types, self._right = {}, {}
        self._aside, self._pieces = aside, pieces
        groups: dict[str, list[Piece]] = {}
        for piece in pieces:
            concept = piece.spoken.concept
            groups.setdefault(f"{concept.name}/{len(concept.parameters)}", []).append(piece)
        shown = {p.number for group in groups.values() for p in _shown(group)}
        labels = labels_of(pieces, shown, self.ends, aside)
        self._places = places_of(pieces)
        # What is at no other place is learned when the other places are.
        order = sorted(groups.values(), key=lambda g: (_alone_there(g), -len(g), g[0].number))
        for group in order:
            self._take(group, labels)
        return Invented(
            dict(self._predicates),
            dict(self._meanings),
            dict(self._types),
            dict(self._right),
            aside,
        )

    def _take(self, group: Sequence[Piece], labels: Mapping[Key, Sequence[Label]]) -> None:
        """One concept, of all categories together where one program tells it, else of each."""
        kinds = _by_key(group)
        if self._learned(group, kinds, labels, "") or len(kinds) == 1:
            return
        for key, some in kinds.items():
            self._learned(some, {key: some}, labels, f"_{key[1][-1]}")

    def _learned(
        self,
        group: Sequence[Piece],
        kinds: Mapping[Key, Sequence[Piece]],
        labels: Mapping[Key, Sequence[Label]],
        suffix: str,
    ) -> bool:
        """Whether one program tells the concept of all these kinds."""
        told = [x for key in kinds for x in labels.get(key, ())]
        types = tuple(frozenset(c) for c in zip(*(k[1] for k in kinds), strict=True))
        if sum(map(len, kinds.values())) < _LEAST:
            return False
        elsewhere = self._elsewhere(types, told) if _alone_there(group) else {}
        lone = group[0].spoken.place and len(types) == 1
        alone = dict(zip(told, of_itself(told) if lone else told, strict=True))
        predicate = self._written(self._named(group, suffix), alone, types, elsewhere)
        disputed = _DISPUTED + 2 * self.wrong
        if predicate is None or self._errors(predicate, told) > disputed * len(told):
            return False
        right = {key: self._share(predicate, some) for key, some in kinds.items()}
        if min(right.values()) < 1.0 - self.wrong - _SLACK:
            return False
        self._right |= right
        literal = self._known(predicate, types, group)
        if literal is None:
            self._predicates[predicate.name] = predicate
            self._types[predicate.name] = types
            literal = Literal(Atom(predicate.name, _variables(predicate.arity)))
        elif literal.atom.predicate in self._types:
            self._widen(literal.atom.predicate, types)
        self._meanings |= dict.fromkeys(kinds, literal)
        return True

    def _written(
        self,
        concept: Concept,
        alone: Mapping[Label, Label],
        types: tuple[frozenset[str], ...],
        elsewhere: Mapping[Label, frozenset[str]],
    ) -> Predicate | None:
        """The program that agrees with most labels, of those learned from few and from more.

        Args:
            alone: labels, and what a program is learned from in place of each.
            elsewhere: as `_elsewhere` has it; programs are learned of the other labels, too.
        """
        best: tuple[int, Predicate] | None = None
        told = tuple(alone)
        free = [x for x in told if not elsewhere.get(x)]
        for most in LABELS:
            for some in (told, free)[: 1 + (len(free) < len(told))]:
                learned = self.learner.learn(concept, [alone[x] for x in _spread(some, most)])
                if learned.observable:
                    program = learned.candidates[0].program
                    found = _guarded(concept, program, learned.predicate, types)
                    if elsewhere:
                        program = self._at_one_place(concept, program, found, elsewhere)
                        found = _guarded(concept, program, learned.predicate, types)
                    errors = self._errors(found, told)
                    best = (errors, found) if best is None or errors < best[0] else best
            if most >= len(told) or (best and best[0] <= _DOUBT * len(told)):
                break
        return best[1] if best else None

    def _elsewhere(
        self, types: tuple[frozenset[str], ...], told: Sequence[Label]
    ) -> dict[Label, frozenset[str]]:
        """At which places, of those that other things give, the thing of each label is.

        A place is left out at which things are where the words say that they are here.
        """
        names = {
            meant.atom.predicate
            for key, meant in self._meanings.items()
            if key in self._places and len(key[1]) > 1 and key[1][0] in types[0] and meant.positive
        } & set(self._types)
        found = {x: frozenset(n for n in names if self._is_at(x, n)) for x in told}
        here = [x for x in told if x.truth]
        most = (_DISPUTED + self.wrong) * len(here)
        doubtful = {n for n in names if sum(n in found[x] for x in here) > most}
        return {x: at - doubtful for x, at in found.items()}

    def _is_at(self, label: Label, place: str) -> bool:
        view, (name,) = SceneView(label.scene, self._predicates), label.args
        others = (o.name for o in label.scene.objects if o.name != name)
        return any(view.truth(Atom(place, (name, other))) for other in others)

    def _at_one_place(
        self,
        concept: Concept,
        program: Program,
        found: Predicate,
        elsewhere: Mapping[Label, frozenset[str]],
    ) -> Program:
        """The program, and that the thing is at none of the places at which it holds, too."""
        predicates = {**self._predicates, found.name: found}
        both = {
            place
            for label, places in elsewhere.items()
            if places and SceneView(label.scene, predicates).truth(Atom(found.name, label.args))
            for place in places
        }
        (thing,) = concept.parameters
        nowhere = (Not(Exists(Holds(place, (thing, OTHER)))) for place in sorted(both))
        parts = program.parts if isinstance(program, All) else (program,)
        return All((*parts, *nowhere)) if both else program

    def _errors(self, predicate: Predicate, labels: Sequence[Label]) -> int:
        """How many labels the predicate contradicts."""
        predicates = {**self._predicates, predicate.name: predicate}
        atoms = ((SceneView(x.scene, predicates), Atom(predicate.name, x.args), x) for x in labels)
        return sum(view.truth(atom) is not x.truth for view, atom, x in atoms)

    def _widen(self, name: str, types: tuple[frozenset[str], ...]) -> None:
        mine = self._types[name]
        self._types[name] = tuple(a | b for a, b in zip(mine, types, strict=True))

    def _named(self, group: Sequence[Piece], suffix: str) -> Concept:
        concept = group[0].spoken.concept
        name = concept.name + suffix
        while name in self._predicates:
            name += "_"
        return replace(concept, name=name)

    def _share(self, predicate: Predicate, pieces: Sequence[Piece]) -> float:
        """Of held-out pieces, how often it comes about; of all, where there are very few."""
        believed = [p for p in pieces if p.number not in self._aside]
        if len(believed) < len(pieces) / 2:
            return 0.0
        judged = _held_out(believed) or believed
        predicates = {**self._predicates, predicate.name: predicate}
        came = 0
        for piece in judged:
            atom, wanted = Atom(predicate.name, piece.about), piece.spoken.positive
            before, after = (
                SceneView(s, predicates).truth(atom) for s in (piece.before, piece.after)
            )
            came += before is not wanted and after is wanted
        return came / len(judged)

    def _known(
        self, predicate: Predicate, types: tuple[frozenset[str], ...], group: Sequence[Piece]
    ) -> Literal | None:
        """What says the same already, or the opposite."""
        probes = [*_probes(group, types), *_probes(self._pieces, types)]
        predicates = {**self._predicates, predicate.name: predicate}
        views = {id(s): SceneView(s, predicates) for s, _ in probes}
        new = [views[id(s)].truth(Atom(predicate.name, args)) for s, args in probes]
        variables = _variables(predicate.arity)
        for name, other in self._predicates.items():
            if other.arity != predicate.arity:
                continue
            old = [views[id(s)].truth(Atom(name, args)) for s, args in probes]
            for positive in (True, False):
                if _alike(new, old, positive):
                    return Literal(Atom(name, variables), positive)
        return None


def _alone_there(group: Sequence[Piece]) -> bool:
    """Whether words tell where a thing is, by no other thing of the scene: "on the table"."""
    spoken = group[0].spoken
    return spoken.place and len(spoken.concept.parameters) == 1 and spoken.concept.name != TAKEN


def manner(piece: Piece) -> str:
    """How the hand has to do with the first of the things that it touches."""
    kinds = {d for d, thing in piece.deeds if thing in piece.said.things}
    return next((k for k in ("grasp", "place", "push") if k in kinds), "")


def _odd(pieces: Sequence[Piece]) -> Iterator[int]:
    """The numbers of pieces in which the hand does otherwise than mostly under such words."""
    groups: dict[object, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault((piece.said.wording, piece.types), []).append(piece)
    for some in groups.values():
        counts = Counter(map(manner, some))
        yield from (p.number for p in some if counts[manner(p)] < len(some) / 3)


def _not_seen(pieces: Sequence[Piece], found: Invented) -> Iterator[int]:
    """The numbers of pieces after which what was said is not so, or was so before."""
    for piece in pieces:
        meant = found.meanings.get(key_of(piece))
        if meant is not None:
            atom, wanted = Atom(meant.atom.predicate, piece.about), piece.spoken.positive
            views = (SceneView(s, found.predicates) for s in (piece.before, piece.after))
            before, after = (v.truth(atom) for v in views)
            if after is (wanted != meant.positive) or before is (wanted == meant.positive):
                yield piece.number


def _by_key(group: Iterable[Piece]) -> dict[Key, list[Piece]]:
    found: dict[Key, list[Piece]] = {}
    for piece in group:
        found.setdefault(key_of(piece), []).append(piece)
    return found


def _shown(pieces: Sequence[Piece]) -> list[Piece]:
    """Those to learn from."""
    return [p for i, p in enumerate(pieces) if i % HELD_OUT != HELD_OUT - 1]


def _held_out(pieces: Sequence[Piece]) -> list[Piece]:
    return [p for i, p in enumerate(pieces) if i % HELD_OUT == HELD_OUT - 1]


def _spread(labels: Sequence[Label], most: int) -> Iterator[Label]:
    """At most so many, evenly from those that are true and those that are false."""
    for truth in (False, True):
        mine = [x for x in labels if x.truth is truth]
        step = max(1.0, len(mine) / (most / 2))
        yield from (mine[int(i * step)] for i in range(int(len(mine) / step)))


def _guarded(
    concept: Concept,
    program: Program,
    learned: Predicate,
    types: tuple[frozenset[str], ...],
) -> Predicate:
    """The predicate, false of things of other categories than it was said of."""
    kinds = [Kind(p, tuple(sorted(t))) for p, t in zip(concept.parameters, types, strict=True)]
    whole = All((*kinds, *(program.parts if isinstance(program, All) else (program,))))
    source = source_of(concept.name, concept.parameters, whole)
    function = compile_learned(concept.name, source, len(concept.parameters))
    return replace(learned, function=function, source=source)


def _probes(
    group: Sequence[Piece], types: tuple[frozenset[str], ...]
) -> Iterator[tuple[Scene, tuple[str, ...]]]:
    """Scenes and things of the right categories in them, evenly from the pieces."""
    step = max(1, len(group) // _PROBES)
    for piece in group[::step]:
        for scene in (piece.before, piece.after):
            names = [[o.name for o in scene.objects if o.category in some] for some in types]
            for args in product(*names):
                if len(set(args)) == len(args):
                    yield scene, args


def _alike(new: Sequence[bool | None], old: Sequence[bool | None], positive: bool) -> bool:
    """Whether two are known to be so in the same cases; both ways have to have been seen."""
    pairs = [(a, b == positive) for a, b in zip(new, old, strict=True) if None not in (a, b)]
    for truth in (True, False):
        same = [a == b for a, b in pairs if b is truth]
        if not same or sum(same) / len(same) < _AGREE:
            return False
    return True


def _variables(arity: int) -> tuple[str, ...]:
    return tuple(map(variable, range(arity)))
