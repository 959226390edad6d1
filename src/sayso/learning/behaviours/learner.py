"""Behaviours from play and words: THE learner of this package. Read this first.

    plays -> pieces with wordings -> predicates invented -> wordings of one behaviour gathered
      -> operators from what was seen before and after -> verified on the plays -> library

Given are the robot's own sense of what it holds, the contact primitives, and English: which words
tell where a thing is, and which are opposites. All else is learned from the plays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.core.scene import SceneObject
from sayso.core.symbols import Atom, Literal, Operator
from sayso.learning.behaviours.invention import Invented, Inventor, manner
from sayso.learning.behaviours.partners import partners, shown_pairs, with_partners, works
from sayso.learning.behaviours.pieces import (
    Key,
    Piece,
    ReadWordings,
    Refused,
    States,
    by_play,
    in_english,
    key_of,
    pieces_of,
)
from sayso.learning.behaviours.sights import IN_SIGHT, in_sight, observed, seen_before
from sayso.learning.behaviours.spoken import TAKEN
from sayso.learning.behaviours.verification import (
    Call,
    Change,
    ChangeKind,
    Description,
    Verified,
    verify,
)
from sayso.learning.behaviours.vocabulary import spoken_library
from sayso.learning.behaviours.ways import (
    filling,
    moved_parameters,
    places_left,
    room_of,
    taking_away,
    way_of,
    with_way,
)
from sayso.learning.behaviours.wordings import name_of
from sayso.learning.clusters import Settings
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.operators import LearnedOperator, learn_operators
from sayso.learning.skills.symbols import PredicateLearner, kind_predicate
from sayso.learning.transitions import Transition, variable

_CHANCE = 0.05
"""What holds before every piece is needed, unless it holds so often anyway that this is likelier to
be chance. What the hand has to be like, and what is so of a behaviour's own things and not of all
such things, is needed in any case: nobody showed that it works otherwise."""
_ALWAYS = 0.98
_RARE = 0.1
"""Of a behaviour's pieces, a way in which fewer come out is taken to be observed wrongly."""
_FEW = 3
_COSTS: Mapping[ChangeKind, float] = {"drop need": 1.0, "drop effect": 3.0, "add effect": 2.0}


@dataclass(frozen=True, eq=False)
class Behaviour:
    """What was shown under some wordings that mean the same.

    Attributes:
        name: also of its skill.
        wordings: the commonest first.
        types: the categories of its things.
        aim: what it brings about, over `?a`, ...; None where nothing seen tells.
        body: the contact primitives, over the same.
        operators: none where it has no aim.
        pieces: that it was learned from.
    """

    name: str
    wordings: tuple[str, ...]
    types: tuple[str, ...]
    aim: Literal | None
    body: tuple[Atom, ...]
    operators: tuple[Operator, ...]
    pieces: tuple[Piece, ...]

    @property
    def takes(self) -> bool:
        """Whether it takes its first thing into the hand."""
        return self.pieces[0].spoken.concept.name == TAKEN and self.pieces[0].spoken.positive

    def showings(self) -> tuple[Demonstration, ...]:
        """The pieces that show its body, about its parameters `a`, `b`, ...; a motion can be
        learned from them."""
        return tuple(
            replace(
                p.demonstration,
                things={variable(i)[1:]: name for i, name in enumerate(p.said.things)},
            )
            for p in self.showing()
        )

    def showing(self) -> tuple[Piece, ...]:
        """The pieces that show its body with things of its kinds."""
        shown = (p for p in self.pieces if tuple(_lifted(p)) == self.body)
        return tuple(p for p in shown if p.types == self.types)


@dataclass(frozen=True, eq=False)
class LearnedBehaviours:
    """What plays teach.

    Attributes:
        library: predicates, operators, and the words for all.
        things: by name, all that were seen, as they were seen last.
        refused: what nothing could be learned from.
        verified: how descriptions and plays agreed; None where no agreement was found.
    """

    library: Library
    behaviours: tuple[Behaviour, ...]
    invented: Invented
    things: Mapping[str, SceneObject]
    refused: tuple[Refused, ...] = ()
    verified: Verified | None = None

    @property
    def unseen(self) -> tuple[str, ...]:
        """Behaviours of which nothing seen tells what they bring about."""
        return tuple(b.name for b in self.behaviours if b.aim is None)


@dataclass(frozen=True)
class BehaviourLearner:
    """Learns behaviours from plays; the same from the same plays.

    Args:
        predicates: writes predicates from labelled scenes.
        given: a library with what is known already: the robot's own state, nouns and their types.
        wrong: share of annotations that may be wrong.
        ends: whether predicates are learned from scenes just before and after pieces alone.
        read: tells what wordings speak of.
    """

    predicates: PredicateLearner
    given: Library
    wrong: float = 0.0
    ends: bool = False
    read: ReadWordings = in_english

    def learn(self, plays: Sequence[Demonstration]) -> LearnedBehaviours:
        """Raises INVALID where nothing can be learned from any of them, saying why; as `read`."""
        pieces, refused = pieces_of(plays, self.given.vocabulary, self.read)
        if not pieces:
            why = "; ".join(dict.fromkeys(r.error.message for r in refused)) or "there are none."
            raise SaySoError(
                Code.INVALID,
                f"nothing can be learned from these plays: {why}",
                hint="record play with key frames, and annotate what is done to which things.",
            )
        inventor = Inventor(self.predicates, self.given.predicates, self.wrong, self.ends)
        invented = inventor.invent(pieces)
        believed = [p for p in pieces if p.number not in invented.aside]
        groups = _gathered(believed, invented)
        states = States(invented.predicates, pieces)
        found = [self._behaviour(aim, some, states) for aim, some in groups]
        behaviours = _named_apart(found)
        behaviours = _with_sights(behaviours, invented, states)
        behaviours, partners = _with_partners(behaviours)
        behaviours, ways = _with_ways(behaviours)
        behaviours, verified = self._verified(behaviours, pieces)
        kinds = {t: kind_predicate(t) for t in _categories(behaviours)}
        kinds |= {IN_SIGHT: in_sight()}
        predicates = {**kinds, **invented.predicates, **partners, **ways}
        library = replace(self.given, predicates=predicates)
        library = _with_operators(library, behaviours)
        library = spoken_library(library, behaviours, invented, (p.after for p in pieces))
        things = {o.name: o for p in pieces for o in p.after.objects}
        return LearnedBehaviours(library, behaviours, invented, things, refused, verified)

    def _behaviour(
        self, aim: Literal | None, pieces: tuple[Piece, ...], states: States
    ) -> Behaviour:
        wordings = tuple(w for w, _ in Counter(p.said.wording for p in pieces).most_common())
        types = Counter(p.types for p in pieces).most_common(1)[0][0]
        behaviour = Behaviour(
            name_of(wordings[0], types), wordings, types, aim, _body(pieces), (), pieces
        )
        if aim is None:
            return behaviour
        transitions = [
            Transition(states.of(p.before), behaviour.name, p.said.things, states.of(p.after))
            for p in pieces
        ]
        learned = learn_operators(transitions, states.arities, Settings(self.wrong / 2))
        enough = max(2.0 if len(pieces) > _FEW else 1.0, _RARE * len(pieces))
        wanted = [
            o
            for o in learned.operators
            if o.successes >= enough
            and aim.atom in (o.operator.add if aim.positive else o.operator.delete)
        ]
        told = [o for o in wanted if not in_passing(o)] or wanted
        operators = tuple(_operator(behaviour, o, i, states) for i, o in enumerate(told))
        return replace(behaviour, operators=operators)

    def _verified(
        self, behaviours: tuple[Behaviour, ...], pieces: Sequence[Piece]
    ) -> tuple[tuple[Behaviour, ...], Verified | None]:
        """The behaviours after the fewest changes with which the plays agree."""
        descriptions = {b.name: _description(b) for b in behaviours if b.operators}
        names = {p.number: b.name for b in behaviours for p in b.pieces if b.operators}
        plays = [calls for play in by_play(pieces) for calls in _known(play, names)]
        costs = {
            Change(d.name, kind, x): _COSTS[kind]
            for d in descriptions.values()
            for kind, x in _conditions(d)
        }
        try:
            verified = verify(descriptions, plays, min(0.5, 3 * self.wrong), costs)
        except SaySoError as error:
            if error.code is not Code.LIMIT:
                raise
            return behaviours, None
        return tuple(_changed(b, verified.changes) for b in behaviours), verified


def _categories(behaviours: Iterable[Behaviour]) -> tuple[str, ...]:
    """Of all things that operators are about."""
    types = (t for b in behaviours for o in b.operators for t in o.types)
    return tuple(sorted({t for t in types if "|" not in t}))


# -- gathering ----------------------------------------------------------------------------------


def _gathered(
    pieces: Sequence[Piece], invented: Invented
) -> list[tuple[Literal | None, tuple[Piece, ...]]]:
    """Pieces of one behaviour together: the same aim, kinds of things, and way to take them."""
    by_wording: dict[tuple[str, tuple[str, ...]], list[Piece]] = {}
    for piece in pieces:
        by_wording.setdefault((piece.said.wording, piece.types), []).append(piece)
    groups: dict[object, tuple[Literal | None, list[Piece]]] = {}
    for some in by_wording.values():
        aim = _aim(some[0], invented.meanings)
        usual = Counter(map(manner, some)).most_common(1)[0][0]
        own: object = key_of(some[0]) if aim is None else aim
        source = some[0].spoken.source
        key = own, some[0].spoken.positive, some[0].types, usual, source
        groups.setdefault(key, (aim, []))[1].extend(some)
    ordered = sorted(groups.values(), key=lambda g: (-len(g[1]), g[1][0].number))
    return [(aim, tuple(sorted(some, key=lambda p: p.number))) for aim, some in ordered]


def _aim(piece: Piece, meanings: Mapping[Key, Literal]) -> Literal | None:
    meant = meanings.get(key_of(piece))
    if meant is None or piece.spoken.positive:
        return meant
    return meant._replace(positive=not meant.positive)


def _body(pieces: Sequence[Piece]) -> tuple[Atom, ...]:
    """The commonest sequence of primitives, over the things' parameters."""
    bodies = Counter(tuple(_lifted(p)) for p in pieces)
    return min(bodies, key=lambda b: (-bodies[b], len(b), b))


def _lifted(piece: Piece) -> Iterator[Atom]:
    places = {name: variable(i) for i, name in enumerate(piece.said.things)}
    for primitive, thing in piece.deeds:
        yield Atom(primitive.replace("-", "_"), (places[thing],) if thing in places else ())


def _named_apart(behaviours: Sequence[Behaviour]) -> tuple[Behaviour, ...]:
    """Each with a name of its own."""
    taken: Counter[str] = Counter()
    found = []
    for one in behaviours:
        taken[one.name] += 1
        number = taken[one.name]
        found.append(one if number == 1 else _renamed(one, f"{one.name}_{number}"))
    return tuple(found)


def _renamed(one: Behaviour, name: str) -> Behaviour:
    operators = (
        replace(o, name=o.name.replace(one.name, name, 1), skill=name) for o in one.operators
    )
    return replace(one, name=name, operators=tuple(operators))


# -- operators ----------------------------------------------------------------------------------


def _operator(
    behaviour: Behaviour, learned: LearnedOperator, number: int, states: States
) -> Operator:
    """What was learned, with what is needed: all that always held and is not so anyway."""
    found = learned.operator
    types = dict(zip(found.parameters, behaviour.types, strict=False))
    for extra in found.parameters[len(behaviour.types) :]:
        types[extra] = _others(behaviour.pieces)
    tries, own = max(1, learned.tries), set(found.parameters[: len(behaviour.types)])
    needed = {
        x for x in learned.common
        if set(x.atom.args) <= set(types)
        and (
            not x.atom.args
            or (share := states.share(x, types)) ** tries < _CHANCE
            or (x.positive and share < _ALWAYS and own.issuperset(x.atom.args))
        )
    }  # fmt: skip
    kinds = {Literal(Atom(t, (p,))) for p, t in types.items() if "|" not in t}
    name = behaviour.name if number == 0 else f"{behaviour.name}_way_{number + 1}"
    return replace(
        found,
        name=name,
        skill=behaviour.name,
        preconditions=found.preconditions | needed | kinds,
        types=tuple(types[p] for p in found.parameters),
        body=behaviour.body,
        english=behaviour.wordings[0],
    )


def in_passing(learned: LearnedOperator) -> bool:
    """Whether it tells of a thing that the behaviour is not about, and that fared so but sometimes:
    nobody means that, and no plan may count on it."""
    more = len(learned.operator.parameters) > learned.arity
    return more and learned.successes < max(_FEW, _ALWAYS * learned.tries)


def _others(pieces: Sequence[Piece]) -> str:
    """The categories that a thing besides those that are named can be of."""
    return "|".join(sorted({o.category for p in pieces for o in p.before.objects}))


def _description(behaviour: Behaviour) -> Description:
    """What all of its operators have in common, over its own things."""
    own = {variable(i) for i in range(len(behaviour.types))}
    needs = frozenset.intersection(*(o.preconditions for o in behaviour.operators))
    effects = frozenset.intersection(*(frozenset(_effects(o)) for o in behaviour.operators))
    return Description(
        behaviour.name,
        tuple(sorted(own)),
        frozenset(x for x in needs if set(x.atom.args) <= own),
        frozenset(x for x in effects if set(x.atom.args) <= own),
    )


def _known(play: Sequence[Piece], names: Mapping[int, str]) -> Iterator[list[Call]]:
    """The stretches of a play of which it is known what each piece brings about."""
    for known, some in groupby(play, key=lambda p: p.number in names):
        if known:
            yield [(names[p.number], p.said.things) for p in some]


def _conditions(description: Description) -> Iterator[tuple[ChangeKind, Literal]]:
    yield from (("drop need", x) for x in description.needs)
    yield from (("drop effect", x) for x in description.effects)


def _effects(operator: Operator) -> Iterator[Literal]:
    yield from map(Literal, operator.add)
    yield from (Literal(a, False) for a in operator.delete)


def _changed(behaviour: Behaviour, changes: Sequence[Change]) -> Behaviour:
    mine = [c for c in changes if c.behaviour == behaviour.name]
    operators = behaviour.operators
    for change in mine:
        operators = tuple(_with_change(o, change) for o in operators)
    return replace(behaviour, operators=operators)


def _with_change(operator: Operator, change: Change) -> Operator:
    literal, atom = change.literal, frozenset({change.literal.atom})
    if change.kind == "drop need":
        return replace(operator, preconditions=operator.preconditions - {literal})
    dropped = change.kind == "drop effect"
    if literal.positive:
        return replace(operator, add=operator.add - atom if dropped else operator.add | atom)
    return replace(operator, delete=operator.delete - atom if dropped else operator.delete | atom)


def _movable(behaviours: Iterable[Behaviour]) -> frozenset[str]:
    """Categories of things that are taken in the hand."""
    return frozenset(b.types[0] for b in behaviours if b.pieces[0].spoken.concept.name == TAKEN)


def _with_sights(
    behaviours: Sequence[Behaviour], invented: Invented, states: States
) -> tuple[Behaviour, ...]:
    """With what each brings to light, what it needs to see, and where what it puts things into must
    not be."""
    movable = _movable(behaviours)
    relations = {n for n, types in invented.types.items() if len(types) == 2}
    plays = [p for b in behaviours for p in b.pieces]
    found = []
    for b in behaviours:
        shown = observed(b.pieces, relations, movable, states.of)
        seen = seen_before(b.pieces, movable)
        left = places_left(b.pieces, plays, relations, movable, states.of) if _puts(b) else set()
        operators = tuple(
            replace(
                o,
                observes=shown,
                preconditions=o.preconditions | seen,
                in_the_now=o.in_the_now | left,
            )
            for o in b.operators
        )
        found.append(replace(b, operators=operators))
    return tuple(found)


def _with_partners(
    behaviours: Sequence[Behaviour],
) -> tuple[tuple[Behaviour, ...], dict[str, Predicate]]:
    """Where a thing is worked by another, for the pairs that were shown alone."""
    movable = _movable(behaviours)
    worked = {
        b.name
        for b in behaviours
        if len(b.types) > 1 and movable.isdisjoint(b.types[:2])
        if all(variable(0) not in deed.args for deed in b.body)  # else it is touched itself
    }
    if not worked:
        return tuple(behaviours), {}
    pairs = shown_pairs(p for b in behaviours if b.name in worked for p in b.pieces)
    found = []
    for b in behaviours:
        own = partners(b.pieces, pairs) | ({(1, 0)} if b.name in worked else frozenset())
        operators = tuple(with_partners(o, own) for o in b.operators)
        found.append(replace(b, operators=operators))
    told = works(pairs)
    return tuple(found), {told.name: told}


def _with_ways(
    behaviours: Sequence[Behaviour],
) -> tuple[tuple[Behaviour, ...], dict[str, Predicate]]:
    """With what may stand in their way, and with what takes such things away."""
    planned = [b for b in behaviours if b.operators]
    movable = _movable(planned)
    rooms = {b.name: room_of(b.name, b.pieces, movable) for b in planned if _puts(b)}
    found = {b.name: way_of(b.name, b.pieces, movable) for b in planned}
    ways = {w.name: w for w in (*found.values(), *rooms.values()) if w is not None}
    holders = {b.name: b.types[1] for b in planned if _puts(b) and b.types[0] in movable}
    changed_: list[Behaviour] = []
    for b in behaviours:
        way, room = found.get(b.name), rooms.get(b.name)
        operators = [with_way(o, way, 0) if way else o for o in b.operators]
        operators = [with_way(o, room, 1) if room else o for o in operators]
        filled = [
            r.name
            for n, r in rooms.items()
            if r and b.name in holders and holders[b.name] == holders[n]
        ]
        for number in moved_parameters(b.pieces) if ways else ():
            if b.types[number] in movable:
                operators = [taking_away(o, ways, number) for o in operators]
        operators = [filling(o, filled) for o in operators]
        changed_.append(replace(b, operators=tuple(operators)))
    return tuple(changed_), ways


def _puts(behaviour: Behaviour) -> bool:
    """Whether it aims at where its first thing is, of its second."""
    aim = behaviour.aim
    own = tuple(map(variable, range(2)))
    return aim is not None and aim.positive and aim.atom.args == own


def _with_operators(library: Library, behaviours: Sequence[Behaviour]) -> Library:
    operators = {o.name: o for b in behaviours for o in b.operators}
    provenance = {
        o.name: {"origin": "learned", "by": "behaviours", "shown": len(b.pieces)}
        for b in behaviours
        for o in b.operators
    }
    return replace(
        library,
        operators={**library.operators, **operators},
        operator_provenance={**library.operator_provenance, **provenance},
    )
