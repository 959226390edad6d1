"""Predicates invented from what people say is done and from what is seen to change.

Each state that words speak of becomes a concept. Scenes in which it is so, and in which it is not,
follow from the words along each play (`labels`); the synthesiser writes a program for it; on pieces
of play that it was not learned from it has to come about as often as annotations are right, or
nothing that is seen tells it. Concepts that are so in the same scenes are one predicate under
several words, and one that is so exactly where another is not is its denial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal
from sayso.learning.behaviours.labels import Done, ends_alone, propagated
from sayso.learning.behaviours.pieces import Piece, by_play
from sayso.learning.predicate_code import compile_learned
from sayso.learning.skills.symbols import PredicateLearner
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.programs import All, Kind, Program
from sayso.learning.synthesis.source import source_of
from sayso.learning.transitions import variable
from sayso.skills.boxes import in_frame
from sayso.skills.poses import upright

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

_ELSEWHERE = ((0.0, 0.0, 0.0), (0.4, -0.2, 1.3), (-0.3, 0.5, 2.9), (0.1, -0.7, 4.4))
"""Frames: x, y [m] and turn [rad] of the robot's foot."""

Types = tuple[str, ...]
Key = tuple[str, Types]
"""A concept's name and the categories of the things that it is said of."""


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


def key_of(piece: Piece) -> Key:
    """What a piece's words speak of."""
    concept = piece.spoken.concept
    return concept.name, piece.types[: len(concept.parameters)]


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
        for group in sorted(groups.values(), key=lambda g: (-len(g), g[0].number)):
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
        predicate = self._written(self._named(group, suffix), told, types)
        disputed = _DISPUTED + 2 * self.wrong
        if predicate is None or _errors(predicate, told) > disputed * len(told):
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
        self, concept: Concept, told: Sequence[Label], types: tuple[frozenset[str], ...]
    ) -> Predicate | None:
        """The program that agrees with most labels, of those learned from few and from more."""
        best: tuple[int, Predicate] | None = None
        for most in LABELS:
            learned = self.learner.learn(concept, list(_spread(told, most)))
            if learned.observable:
                program = learned.candidates[0].program
                found = _guarded(concept, program, learned.predicate, types)
                errors = _errors(found, told)
                best = (errors, found) if best is None or errors < best[0] else best
            if most >= len(told) or (best and best[0] <= _DOUBT * len(told)):
                break
        return best[1] if best else None

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


def labels_of(
    pieces: Sequence[Piece],
    shown: Collection[int],
    ends: bool = False,
    aside: Collection[int] = (),
) -> dict[Key, list[Label]]:
    """Where each concept is so and where it is not, by what the words tell along each play.

    Args:
        shown: numbers of the pieces whose scenes may be used.
        ends: whether to use only what is told just before and after a piece.
        aside: numbers of the pieces whose words are not believed.
    """
    places = sorted({key_of(p) for p in pieces if p.spoken.place})
    found: dict[Key, list[Label]] = {}
    for play in by_play(pieces):
        atoms = {Atom(p.spoken.concept.name, p.about) for p in play}
        known = [
            _involving(p, atoms, Done(frozenset(), frozenset()))
            if p.number in aside
            else _involving(p, atoms, _done(p, places))
            for p in play
        ]
        told = (ends_alone if ends else propagated)(known)
        frames = [
            (scene, truths)
            for t, piece in enumerate(play)
            if piece.number in shown
            for scene, truths in zip(
                (piece.before, piece.after), told.truths[t : t + 2], strict=True
            )
        ]
        for key, label in (x for scene, truths in frames for x in _labels(scene, truths)):
            mine = found.setdefault(key, [])
            mine.append(_elsewhere(label, len(mine)) if key in places else label)
    return found


def _elsewhere(label: Label, number: int) -> Label:
    """The same as seen from elsewhere: where a thing is among others is not where on the table."""
    x, y, turn = _ELSEWHERE[number % len(_ELSEWHERE)]
    return replace(label, scene=in_frame(label.scene, upright((x, y, 0.0), turn)))


def _labels(scene: Scene, truths: Mapping[Atom, bool]) -> Iterator[tuple[Key, Label]]:
    """Labels of what is seen, each in a scene with its things alone: it is about no others."""
    seen = scene.by_name()
    for atom, truth in truths.items():
        if all(n in seen for n in atom.args):
            things = tuple(o for o in scene.objects if o.name in atom.args)
            types = tuple(seen[n].category for n in atom.args)
            label = Label(replace(scene, objects=things), atom.args, truth)
            yield (atom.predicate, types), label


def _done(piece: Piece, places: Sequence[Key]) -> Done:
    """What the words of a piece say that it needs and brings about.

    Args:
        places: all that is said of where things are: a thing that is at one is at no other.
    """
    spoken, first = piece.spoken, piece.about[0]
    own = Atom(spoken.concept.name, piece.about)
    if not spoken.place:
        return Done(frozenset(), frozenset({Literal(own, spoken.positive)}))
    names = {o.name: o.category for o in piece.before.objects}
    others = {
        Atom(name, (first, *rest))
        for name, types in places
        if types[0] == names.get(first)
        for rest in product(*([n for n, c in names.items() if c == t] for t in types[1:]))
        if first not in rest
    }
    source = [a for a in others if _was_at(a, piece)]
    before = {a: a in source for a in others - {own}} if len(source) == 1 else {}
    return Done(
        frozenset(Literal(a, there) for a, there in before.items()),
        frozenset({Literal(own)}),
        frozenset(others - {own}),
    )


def _involving(piece: Piece, atoms: Collection[Atom], told: Done) -> Done:
    """With what its words do not tell of its things: that may have changed, too."""
    mine = {x.atom for x in told.effects} | told.ends
    forgets = (a for a in atoms if a.args[0] in piece.said.things and a not in mine)
    return replace(told, forgets=frozenset(forgets))


def _was_at(place: Atom, piece: Piece) -> bool:
    """Whether the words say that the thing was there."""
    source = piece.spoken.source
    if source == "{1}":
        return place.args[1:] == piece.said.things[1:2]
    return bool(source) and len(place.args) == 1 and place.predicate.endswith(f"_{source}")


def _errors(predicate: Predicate, labels: Sequence[Label]) -> int:
    """How many labels the predicate contradicts."""
    predicates = {predicate.name: predicate}
    atoms = ((SceneView(x.scene, predicates), Atom(predicate.name, x.args), x) for x in labels)
    return sum(view.truth(atom) is not x.truth for view, atom, x in atoms)


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
    whole = All((*kinds, program))
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
