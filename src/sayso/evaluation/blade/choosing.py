"""Compared ways to choose what is done next, with the same learned behaviours: nothing plans ahead.

After the compared methods of BLADE (Liu et al., CoRL 2024, appendix B.2), as far as they can be had
without their weights:

- `saycan` (Ichter et al. 2022): a language model is told which things there are, and says the next
  step; of what is most like it, what can be done now is done. Chat servers do not tell how probable
  an action is: the likeness of words stands for that.
- `text2motion` (Lin et al. 2023, its shooting): it is told what is so, and says all steps; the
  first such plan of which every step can be done is done. After one that cannot it is told why, in
  place of drawing another.
- `vila` (Hu et al. 2023): it is told how everything looks, and says all steps; the first one is
  done, whether it can be or not. It gets no pictures, but their content as text.
- `goal-conditioned`: without a model; what is done is what was done in the piece of play in which
  what was known, and what was said of it and of what came right after it, is most alike.

Whether something can be done is told by the learned operators' preconditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.core.errors import SaySoError
from sayso.core.library import Library
from sayso.core.ports import Embedder, LanguageModel
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Literal, SymbolicState, in_words
from sayso.evaluation.blade.options import GOAL_CONDITIONED, SAYCAN, TEXT2MOTION
from sayso.evaluation.blade.stages import Table, unwatched
from sayso.language.repertoire import Phrases, Repertoire
from sayso.learning.behaviours.learner import LearnedBehaviours
from sayso.learning.behaviours.pieces import Piece
from sayso.learning.behaviours.sights import IN_SIGHT
from sayso.mission.word_planner import CANDIDATES, LEAST_LIKENESS, ask_for_steps
from sayso.planning.words import fact

_SHOTS = 3
"""Plans that a model is asked for until all steps of one can be done."""
_MOST_DONE, _MOST_FAILED = 20, 5
"""Behaviours of a task, and tries in a row that came to nothing, after which it ends."""
_AFTER = 3
"""Of a piece of play and those right after it, so many are what it may have been done for."""
_LATER = 0.8
"""What is said of the next piece counts so much of what is said of the one before it."""


@dataclass(frozen=True)
class Told:
    """What whoever chooses may go by.

    Attributes:
        done: what was done so far, in words.
        failed: what came to nothing since, and why.
    """

    words: str
    scene: Scene
    state: SymbolicState
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


Choose = Callable[[Told], Sequence[Action]]
"""What is done next, up to what fails; nothing where nothing is left to do."""


@dataclass(frozen=True)
class Chosen:
    """What was done, whether it was said that nothing is left to do, and what failed last."""

    done: tuple[Action, ...]
    ended: bool
    failed: str


def chooser(method: str, learned: LearnedBehaviours, model: LanguageModel | None) -> Choose:
    """Who chooses by one of `options.METHODS`, which needs a model but for `goal-conditioned`."""
    embedder = registry.create("embedder", EMBEDDER)
    if method == GOAL_CONDITIONED or model is None:
        return AsInPlay(learned, embedder)
    return ByModel(method, learned, model, embedder)


def carry_out(
    table: Table,
    learned: LearnedBehaviours,
    words: str,
    choose: Choose,
    reached: Callable[[], bool] = lambda: False,
) -> Chosen:
    """Do what is chosen, again and again.

    Args:
        reached: tells whoever never says that nothing is left to do.

    Raises:
        SaySoError: as a model does.
    """
    predicates = learned.library.predicates
    watch = unwatched(predicates)
    done: list[Action] = []
    failed: list[str] = []
    table.look()
    while len(done) < _MOST_DONE and len(failed) < _MOST_FAILED and not reached():
        scene = table.seen()
        told = tuple(a.english for a in done), tuple(failed)
        actions = choose(Told(words, scene, symbolic_state(scene, predicates), *told))
        if not actions:
            return Chosen(tuple(done), True, "".join(failed[-1:]))
        for action in actions:
            try:
                table.carry_out(action, watch, frozenset(), lambda _: None)
            except SaySoError as error:
                failed.append(f"I cannot {action.english}: {error.message}")
                break
            done.append(action)
            failed.clear()
    return Chosen(tuple(done), False, "".join(failed[-1:]))


def possible(library: Library, scene: Scene) -> Iterator[Action]:
    """Each behaviour with all things of its kinds; what is in the way is not asked."""
    for operator in library.operators.values():
        kinds = (kind.split("|") for kind in operator.types)
        fit = [[o.name for o in scene.objects if o.category in kind] for kind in kinds]
        for args in product(*fit):
            if len(set(args)) == len(args):
                yield replace(operator.ground(*args), in_the_now=frozenset())


def lacking(action: Action, state: SymbolicState) -> list[Literal]:
    """What is needed and seen not to be so."""
    return sorted(x for x in action.preconditions if state.holds(x) is False)


# -- a language model ----------------------------------------------------------------------------


class ByModel:
    """A language model says what is done; see above.

    Args:
        method: which of the ways.
        learned: whose wordings are listened for.
        embedder: says which action is most like what was said.
    """

    def __init__(
        self, method: str, learned: LearnedBehaviours, model: LanguageModel, embedder: Embedder
    ) -> None:
        self._method, self._library, self._model = method, learned.library, model
        self._wordings = {b.name: b.wordings for b in learned.behaviours}
        self._repertoire = Repertoire(embedder)

    def __call__(self, told: Told) -> Sequence[Action]:
        """Raises MODEL_REPLY, MODEL_UNAVAILABLE, MODEL_TIMEOUT."""
        said = tuple(
            (wording.format(*map(in_words, action.args)), action)
            for action in possible(self._library, told.scene)
            for wording in (action.english, *self._wordings.get(action.skill, ()))
        )
        actions = tuple(action for _, action in said)
        phrases = self._repertoire.among([words for words, _ in said])
        failed = list(told.failed)
        for _ in range(_SHOTS):
            texts = self._asked(replace(told, failed=tuple(failed)), actions)
            if not texts:
                return ()
            meant, why = self._meant(texts, actions, phrases, told.state)
            if not why or (self._method == TEXT2MOTION and meant and len(failed) >= _SHOTS):
                return meant
            failed.append(why)
        return ()

    def _asked(self, told: Told, actions: Sequence[Action]) -> tuple[str, ...]:
        operators = self._library.operators.values()
        system = {
            "actions": "\n".join(f"- {o.english.format(*_THINGS)}" for o in operators),
            "count": str(CANDIDATES),
            "example": actions[0].english,
            "corrections": "",
        }
        situation = {
            "things": ", ".join(in_words(o.name) for o in told.scene.objects),
            "how they are": self._known(told),
            "task": told.words,
            "steps so far": "\n".join(told.done) or "none",
            "could not be done": "\n".join(told.failed),
        }
        return ask_for_steps(self._model, system, situation, whole=self._method != SAYCAN)[0]

    def _known(self, told: Told) -> str:
        if self._method == SAYCAN:
            return ""
        if self._method == TEXT2MOTION:
            return "\n".join(_facts(told.state, self._library.predicates))
        return "\n".join(_looks(told.scene))

    def _meant(
        self,
        texts: Sequence[str],
        actions: Sequence[Action],
        phrases: Phrases,
        state: SymbolicState,
    ) -> tuple[tuple[Action, ...], str]:
        """What will be done of what was said, and why not all of it."""
        likeness = phrases.likeness(texts)
        if self._method == SAYCAN:
            able = np.array([not lacking(a, state) for a in actions])
            best = np.where(able, likeness[:CANDIDATES].max(axis=0), -1.0)
            if best.max() < LEAST_LIKENESS:
                return (), f"I cannot {texts[0]} now."
            return (actions[int(best.argmax())],), ""
        if self._method == TEXT2MOTION:
            return self._feasible(texts, actions, likeness, state)
        if likeness[0].max() < LEAST_LIKENESS:
            return (), _no_such(texts[0])
        return (actions[int(likeness[0].argmax())],), ""

    def _feasible(
        self,
        texts: Sequence[str],
        actions: Sequence[Action],
        likeness: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
        state: SymbolicState,
    ) -> tuple[tuple[Action, ...], str]:
        """The steps of a plan as far as each can be done after those before."""
        found: list[Action] = []
        for text, alike in zip(texts, likeness, strict=True):
            if alike.max() < LEAST_LIKENESS:
                return tuple(found), _no_such(text)
            action = actions[int(alike.argmax())]
            if lacks := lacking(action, state):
                told = fact(Literal(lacks[0].atom, not lacks[0].positive), self._library.predicates)
                return tuple(found), f"I cannot {action.english} because {told}."
            found.append(action)
            ended = dict.fromkeys(action.delete, False)
            state = state.changed({**ended, **dict.fromkeys(action.add, True)})
        return tuple(found), ""


_THINGS = ("THING", "THING")


def _no_such(text: str) -> str:
    return f"I cannot {text} because there is no such action."


def _facts(state: SymbolicState, predicates: Mapping[str, Predicate]) -> Iterator[str]:
    """What is so, but for kinds of things and that they are seen."""
    kinds = {*state.categories.values(), IN_SIGHT}
    for atom in sorted(a for a in state.true_atoms() if a.predicate not in kinds):
        yield fact(Literal(atom), predicates)


def _looks(scene: Scene) -> Iterator[str]:
    """What a picture would show."""
    for o in scene.objects:
        at = ", ".join(f"{v:.2f}" for v in o.position)
        looks = (f"{name} {value}" for name, value in sorted(o.attributes.items()))
        told = "; ".join((f"at ({at}) m", *(["in the hand"] if o.carried else []), *looks))
        yield f"{in_words(o.name)}: {told}"


# -- the same play, without a model --------------------------------------------------------------


class AsInPlay:
    """Does what was done in play where words and what was known are most alike.

    Args:
        learned: from play, in the order in which it was played.
        embedder: says which words are alike.
    """

    def __init__(self, learned: LearnedBehaviours, embedder: Embedder) -> None:
        self._learned, self._embedder = learned, embedder
        pieces = sorted((p for b in learned.behaviours for p in b.pieces), key=lambda p: p.number)
        self._vectors = embedder.embed([p.demonstration.words for p in pieces])
        self._known = [self._before(p) for p in pieces]
        self._pieces: dict[str, list[tuple[int, list[int]]]] = {}
        names = {p.number: b.name for b in learned.behaviours for p in b.pieces}
        for at, piece in enumerate(pieces):
            later = [
                i for i in range(at, min(at + _AFTER, len(pieces))) if pieces[i].play == piece.play
            ]
            self._pieces.setdefault(names[piece.number], []).append((at, later))

    def __call__(self, told: Told) -> Sequence[Action]:
        """One behaviour, always: nothing tells it when the goal is reached."""
        alike = self._vectors @ self._embedder.embed([told.words])[0]
        options = [
            a
            for a in possible(self._learned.library, told.scene)
            if not any(f.startswith(f"I cannot {a.english}:") for f in told.failed)
        ]
        return [max(options, key=lambda a: self._score(a, told, alike))] if options else []

    def _score(
        self, action: Action, told: Told, alike: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    ) -> float:
        now = _about(told.state, action.args)
        shown = self._pieces.get(action.skill, ())
        return max(
            (
                max(float(alike[i]) * _LATER ** (i - at) for i in later)
                + _shared(now, self._known[at])
                for at, later in shown
            ),
            default=-1.0,
        )

    def _before(self, piece: Piece) -> frozenset[str]:
        state = symbolic_state(piece.before, self._learned.library.predicates)
        return _about(state, piece.said.things)


def _about(state: SymbolicState, things: Sequence[str]) -> frozenset[str]:
    """What is so of some things, by their place among them; others are all alike."""
    places = {name: str(i) for i, name in enumerate(things)}
    return frozenset(
        " ".join((a.predicate, *(places.get(x, "other") for x in a.args)))
        for a in state.true_atoms()
        if not a.args or places.keys() & set(a.args)
    )


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
