"""The learner: from what a person says and what actions do, to predicates, operators and plans.

    goal_said -> propose -> said_about -> (the robot acts) -> acted -> said_after -> propose -> ...

Each call keeps what it was given (`experience`, and the journal on disk), has the predicates
written or corrected that it calls for, and learns the operators anew where predicates changed.
The library is of use to the planner after every call.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import Action as GroundAction
from sayso.core.symbols import Domain, Literal, Operator, SymbolicState
from sayso.language.lexicon import Lexicon
from sayso.learning.asked import PREFIX, Asked, asked, like, tied
from sayso.learning.clusters import Settings as OperatorSettings
from sayso.learning.events import (
    GoalSet,
    LabelContradicted,
    LearningEvent,
    NotUnderstood,
    OperatorsChanged,
    PredicateLearned,
    Watcher,
)
from sayso.learning.experience import (
    Answered,
    Compared,
    Entry,
    Experience,
    Labels,
    Said,
    Tried,
    misfit,
)
from sayso.learning.exploration import Choice, Explorer, Step
from sayso.learning.feedback import Action, Feedback, FeedbackKind
from sayso.learning.memory import Memory
from sayso.learning.operators import Learned, OperatorLearner
from sayso.learning.priors import Priors, household
from sayso.learning.questions import (
    Ask,
    AskKind,
    agreed,
    agrees,
    ask_same,
    ask_what,
    ask_which,
    denied,
)
from sayso.learning.size_comparisons import against
from sayso.learning.supposed import presumed, supposed
from sayso.learning.synonyms import Synonym, merged, synonyms, usable
from sayso.learning.synthesis.labels import Contradiction, Label, alike
from sayso.learning.teaching import FeedbackReader, PredicateWriter
from sayso.learning.transitions import Transition, variable
from sayso.learning.unmet import Met, unmet
from sayso.learning.vocabulary import Vocabulary
from sayso.logic.formula import Eventually, conjunction, of_literal
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.search import SearchPlanner

GOALS = frozenset({FeedbackKind.GOAL})
"""What is waited for when a task begins; then to a proposal, and in remarks on how things stand."""
ANSWERS = frozenset({FeedbackKind.FEASIBLE, FeedbackKind.INFEASIBLE, FeedbackKind.UNSATISFIED})
REMARKS = frozenset(FeedbackKind) - GOALS
_WAITING = {
    GOALS: "say what to put where.",
    ANSWERS: "say 'go ahead', or why that cannot be done.",
    REMARKS: "say 'well done', or what is missing.",
}


@dataclass(frozen=True)
class LearnerSettings:
    """How a learner goes about it.

    Attributes:
        noise: share of what is said and observed that may be wrong; see `clusters.Settings`.
        strategy, plan_share: see `exploration.Explorer`.
        recheck: how often what was forbidden once is tried again, where there is noise.
        plan_timeout_s: for one plan.
    """

    noise: float = 0.0
    strategy: str = "doubt"
    plan_share: float = 0.5
    recheck: float = 0.1
    plan_timeout_s: float = 2.0


class Learner:
    """Learns symbols while it practises. It moves nothing and asks nothing by itself.

    Args:
        library: what is known to begin with; may be empty.
        skills: how many objects each action takes.
        watcher: told of every change; see `events`.
        keep: given each entry of the experience before anything is concluded from it.
        publish: given the library after each change, with the reason.
        experience: from before, whose predicates are in the library.
        priors: by which a comparison is doubted; none given: what SaySo comes with.
        rng: of the exploration.
    """

    def __init__(
        self,
        library: Library,
        skills: Mapping[str, int],
        reader: FeedbackReader,
        writer: PredicateWriter,
        *,
        settings: LearnerSettings | None = None,
        watcher: Watcher = lambda _: None,
        keep: Callable[[Entry], None] = lambda _: None,
        publish: Callable[[Library, str], Any] = lambda *_: None,
        experience: Experience | None = None,
        priors: Priors | None = None,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.settings = settings or LearnerSettings()
        self.experience = experience or Experience()
        self.goal: tuple[Literal, ...] = ()
        self.times: dict[str, list[float]] = {}
        self._begun = library
        self._reader = reader
        self._priors = priors or household()
        self._watcher = watcher
        self._keep = keep
        self._publish = publish
        self._clock = clock or SteadyClock()
        self._planner = SearchPlanner(self._clock)
        self._vocabulary = Vocabulary(library.predicates, writer)
        recheck = self.settings.recheck if self.settings.noise else 0.0
        self._skills = dict(skills)
        self._explorer = Explorer(
            skills,
            rng or random.Random(0),
            self.settings.strategy,
            self.settings.plan_share,
            recheck,
        )
        self._avoid: set[Step] = set()
        self._unread: Asked | None = None
        self._open: list[Ask] = []
        self._doubted: set[Literal] = set()
        self._operators: OperatorLearner | None = None
        self._learned = Learned()
        self._taken = 0
        self._lines = {
            _line(o)
            for n, o in library.operators.items()
            if library.operator_provenance.get(n, {}).get("origin") == "learned"
        }
        self._recall()

    @classmethod
    def resume(
        cls,
        folder: Path,
        skills: Mapping[str, int],
        reader: FeedbackReader,
        writer: PredicateWriter,
        *,
        begin: Library | None = None,
        **options: Any,
    ) -> Learner:
        """A learner that keeps all it knows in a folder, as it was when it last learned anything.

        The folder holds a library with its versions, and `experience.jsonl`.

        Args:
            begin: the library of a folder that is new or empty.
            options: as of the class.

        Raises:
            SaySoError: CORRUPT or INVALID, as `Versions` and `Journal`.
        """
        memory = Memory(folder)
        library = memory.library() if memory.versions.current else begin
        return cls(
            library or Library(folder.name, {}, {}),
            skills,
            reader,
            writer,
            keep=memory.keep,
            publish=memory.save,
            experience=memory.experience,
            **options,
        )

    @property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._vocabulary.predicates, self.library.vocabulary)

    @property
    def library(self) -> Library:
        """All predicates and operators as they are now."""
        library = replace(self._begun, predicates=dict(self._vocabulary.predicates))
        library = self._learned.into(library)
        kept = (a for a in library.vocabulary.actions if not a.name.startswith(PREFIX))
        told = tied(self.experience.entries, self._learned, self.experience.renamed)
        arities = self._vocabulary.arities
        fitting = (
            a
            for a in (*kept, *told)
            if all(arities.get(w.predicate) == len(w.arguments) for s in a.goal for w in s)
        )
        vocabulary = replace(library.vocabulary, actions=tuple(fitting))
        return replace(library, vocabulary=vocabulary)

    @property
    def learned(self) -> Learned:
        """The operators with what speaks for them."""
        return self._learned

    @property
    def labels(self) -> Labels:
        """All labels by predicate."""
        if not self.settings.noise:
            return self.experience.labels()
        return self.experience.labels(certain=2)

    def state(self, scene: Scene) -> SymbolicState:
        """A scene as the present predicates see it."""
        return self._vocabulary.states.of(scene)

    def questions(self, scene: Scene) -> tuple[Ask, ...]:
        """What to ask the person here, what matters most first."""
        doubts = sorted(
            ((n, q) for n, q in self._vocabulary.questions.items() if alike(q.scene, scene)),
            key=lambda pair: -pair[1].doubt,
        )
        return (*self._open, *(ask_what(n, q) for n, q in doubts))

    def synonyms(self) -> tuple[Ask, ...]:
        """Predicates that were always true together, which nobody has told apart yet."""
        states = map(self.state, self.experience.scenes)
        known = self._vocabulary.predicates
        same = synonyms(states, {p.name: p.arity for p in known.values()})
        found = (u for s in same if (u := usable(s, known)))
        told = {e.synonym.other for e in self.experience.entries if isinstance(e, Compared)}
        asked = (s for s in found if s.other not in told and s.kept in known)
        return tuple(ask_same(s, known[s.kept], known[s.other]) for s in asked)

    def answered(self, ask: Ask, words: str) -> bool:
        """Learn from the answer to a question; whether it told anything."""
        self._open = [a for a in self._open if a is not ask]
        if ask.literal is not None and ask.kind is AskKind.DOUBT:
            self._vocabulary.questions.pop(ask.literal.atom.predicate, None)
        yes = agreed(ask, words)
        if ask.synonym is not None:
            if yes is not None:
                self._compared(ask.synonym, yes, words)
            return yes is not None
        if ask.scene is None or ask.literal is None:
            return False
        literal = ask.literal if yes else denied(ask.literal)
        if yes is None:
            told = self._literal_said(words, ask.scene, ask.literal)
            if told is None:
                return False
            literal = told
        final = ask.kind is AskKind.CONTRADICTION
        self._add(Answered(ask.scene, literal, words, final), words)
        return True

    def goal_said(self, words: str, scene: Scene) -> tuple[Literal, ...]:
        """The task's goal, as literals; predicates that it names are learned.

        Raises:
            SaySoError: as the reader's; NOT_UNDERSTOOD also for words that are no goal.
        """
        self.goal, self._avoid = (), set()
        self._unread = asked(words, scene)
        feedback = self._read(words, scene, None, GOALS)
        self._unread = None
        self.goal = self.experience.renamed(feedback.literals)
        self._watcher(GoalSet(words, self.goal))
        return self.goal

    def believes_reached(self, scene: Scene) -> bool:
        """Whether all of the goal is seen to hold."""
        state = self.state(scene)
        return bool(self.goal) and all(state.holds(x) for x in self.goal)

    def propose(self, scene: Scene) -> Choice | None:
        """What to try next; None if nothing is left to try here.

        Where the goal was not understood: an action that its words may ask for, or what that needs.
        """
        if self._unread:
            return next(self._asked_for(self._unread, scene), None)
        plan = cache(lambda: self.plan(scene))  # planning is what takes long
        return self._explorer.choose(
            self.state(scene),
            self._learned,
            plan,
            self._avoid,
            self._trust,
            lambda: None if plan() else self._hoped(scene),
        )

    def _asked_for(self, words: Asked, scene: Scene) -> Iterator[Choice]:
        """Actions that words which are not understood may ask for, or the way to them."""
        state = self.state(scene)
        for skill, arity in sorted(self._skills.items()):
            if not like(words, skill):
                continue
            for args in permutations(sorted(state.objects), arity):
                if not set(words.things) <= set(args):
                    continue
                binding = {variable(i): name for i, name in enumerate(args)}
                needs = (x.substitute(binding) for x in self._learned.needs(skill))
                lacking = tuple(sorted(x for x in needs if state.holds(x) is False))
                steps = self.plan(scene, lacking) if lacking else ()
                step = (skill, args)
                if steps:
                    step = steps[0].skill, steps[0].args[: self._skills[steps[0].skill]]
                if step not in self._avoid and steps is not None:
                    yield Choice(*step, "asked")

    def _hoped(self, scene: Scene) -> tuple[GroundAction, ...] | None:
        """The way to a part of the goal if what was never done did it, where there is no other; see
        `supposed`.
        """
        operators = tuple(supposed(self.goal, self._learned, self._skills))
        if not operators:
            return None
        known, state = self._domain(), self._presumed(scene)
        domain = replace(known, operators=(*known.operators, *operators))
        plans = (self._solved(domain, state, (x,)) for x in self.goal if not state.holds(x))
        return next((p for p in plans if p), None)

    def _trust(self, literal: Literal) -> tuple[bool, int] | None:
        """See `exploration.Trust`."""
        predicate, args = literal.atom.predicate, literal.atom.args
        labels = self.labels.get(predicate, ())
        if any(x.args == args for x in labels):
            return None
        atoms = (
            a is literal.positive
            for scene in self.experience.scenes
            for atom, a in self.state(scene).truths.items()
            if atom.predicate == predicate
        )
        return any(atoms), len(labels)

    def unmet(self, scene: Scene, refused: Collection[Step] = ()) -> Choice | None:
        """An action that is believed to work here, in a way in which it was never tried.

        Args:
            refused: what the person would not have, whatever has changed since.
        """
        met = (
            Met(e.before, self.state(e.before), (e.action.name, e.action.args))
            for e in self.experience.entries
            if isinstance(e, Tried) and e.succeeded
        )
        avoid = {*self._avoid, *refused}
        disputed = self._vocabulary.disputed(scene)
        return unmet(scene, self.state(scene), self._learned, self._skills, met, avoid, disputed)

    def read_goal(self, words: str, scene: Scene) -> tuple[Literal, ...]:
        """A goal as literals, without learning anything. Raises as `goal_said`."""
        objects = {o.name: o.category for o in scene.objects}
        feedback = self._reader.read(words, objects, known=self._lexicon)
        return self.experience.renamed(feedback.literals)

    def plan(
        self, scene: Scene, goal: tuple[Literal, ...] | None = None
    ) -> tuple[GroundAction, ...] | None:
        """The way to the goal with what is known; None where there is none in time.

        Args:
            goal: other than the one that was said last.
        """
        wanted = self.goal if goal is None else goal
        if not wanted:
            return None
        return self._solved(self._domain(), self._presumed(scene), wanted)

    def _presumed(self, scene: Scene) -> SymbolicState:
        """How it is, as far as is known; see `supposed`."""
        operators = self.library.operators.values()
        return presumed(self.state(scene), self._vocabulary.predicates, operators)

    def _solved(
        self, domain: Domain, state: SymbolicState, wanted: tuple[Literal, ...]
    ) -> tuple[GroundAction, ...] | None:
        problem = PlanningProblem(
            domain,
            state.objects,
            state.true_atoms(),
            Progression.of(Eventually(conjunction(*map(of_literal, wanted)))),
            unknown=state.unknown_atoms(),
        )
        with self._timed("plan"):
            try:
                plan = self._planner.solve(problem, PlanLimits(self.settings.plan_timeout_s))
            except SaySoError:
                return None
        return plan.actions

    def _domain(self) -> Domain:
        """The operators of the skills that there are here."""
        whole = self.library.domain()
        usable = (o for o in whole.operators if (o.skill or o.name) in self._skills)
        return Domain(tuple(usable), whole.arities)

    def said_about(self, action: Action, words: str, scene: Scene) -> Feedback | None:
        """What the person says to a proposed action; None for no words at all.

        What cannot be done is not proposed again in this state.

        Raises:
            SaySoError: as the reader's; the action is taken to be refused then.
        """
        if not words.strip():
            return None
        try:
            feedback = self._read(words, scene, action, ANSWERS)
        except SaySoError:
            self._avoid.add((action.name, action.args))
            raise
        step = action.name, action.args
        self._avoid = self._avoid - {step} if feedback.kind is FeedbackKind.FEASIBLE else {
            *self._avoid, step
        }  # fmt: skip
        return feedback

    def acted(self, action: Action, before: Scene, after: Scene, succeeded: bool) -> None:
        """What an action that was carried out has led to."""
        self._add(Tried(before, action, after, succeeded), "what was tried")
        if self.state(before).truths == self.state(after).truths:
            self._avoid.add((action.name, action.args))
        else:
            self._avoid = set()

    def said_after(self, words: str, scene: Scene) -> Feedback | None:
        """What the person says of the task when an action has ended; None for no words at all.

        Raises:
            SaySoError: as the reader's.
        """
        return self._read(words, scene, None, REMARKS) if words.strip() else None

    def _read(
        self,
        words: str,
        scene: Scene,
        action: Action | None,
        expected: frozenset[FeedbackKind],
    ) -> Feedback:
        objects = {o.name: o.category for o in scene.objects}
        try:
            with self._timed("read"):
                # "Yes" tells that the goal is reached only where the robot believes it is.
                asked = self.believes_reached(scene) or not agrees(words)
                feedback = self._reader.read(
                    words,
                    objects,
                    action=action,
                    goal=self.goal if asked else (),
                    known=self._lexicon,
                )
            said = Said(scene, words, feedback, action, self.goal)
            self._check(said, feedback, expected)
        except SaySoError as error:
            self._add(Said(scene, words, None, action, self.goal), words)
            self._watcher(NotUnderstood(words, str(error)))
            raise
        self._add(said, words)
        return feedback

    def _check(self, said: Said, feedback: Feedback, expected: frozenset[FeedbackKind]) -> None:
        """Ask again, before anything is concluded, about what does not fit what is known."""
        if feedback.kind not in expected:
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"this is read as '{feedback.kind.value}', and I wait for something else.",
                hint=_WAITING[expected],
            )
        held = feedback.kind is FeedbackKind.UNSATISFIED and bool(said.goal)
        if held and set(said.goal) <= set(feedback.literals):
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                "that is all of the goal.",
                hint="say 'the goal is reached' if it is, or what is missing.",
            )
        if why := misfit(said, self._vocabulary.arities):
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"{why}.",
                hint="say it in other words, or name all that it is about.",
            )
        if feedback.kind is not FeedbackKind.GOAL:
            self._check_seen(feedback.literals, said.scene)

    def _check_seen(self, literals: Iterable[Literal], scene: Scene) -> None:
        """Ask once about what is clearly seen otherwise; said again, it counts."""
        for literal in literals:
            seen = "" if literal in self._doubted else against(literal, scene, self._priors)
            if seen:
                self._doubted.add(literal)
                raise SaySoError(
                    Code.CONTRADICTION, f"{seen}.", hint="say it again if I see it wrong."
                )
            self._doubted.discard(literal)

    def _literal_said(self, words: str, scene: Scene, about: Literal) -> Literal | None:
        """What a clause says of the literal in question."""
        objects = {o.name: o.category for o in scene.objects}
        try:
            said = self._reader.read(words, objects, goal=(about,), known=self._lexicon)
        except SaySoError:
            return None
        found = self.experience.renamed(said.literals)
        return next((x for x in found if x.atom == about.atom), None)

    def _compared(self, synonym: Synonym, same: bool, words: str) -> None:
        """Merge two predicates, or remember that they are not one."""
        if same:
            library = merged(self.library, synonym)
            self._begun = replace(self._begun, operators=library.operators)
            self._vocabulary.merge(synonym)
            self._operators = None
        self._add(Compared(synonym, same, words), words)

    def _contradicted(self, entry: Entry) -> None:
        """Note what an entry says against what was said before."""
        if not isinstance(entry, Said):
            return
        labels = self.experience.stated()
        for name, own in labels.items():
            new = [x for x in own if x.scene is entry.scene and x.words == entry.words]
            for label in new:
                for other in own:
                    if other.args == label.args and other.truth != label.truth:
                        self._note_contradiction(name, other, label)

    def _note_contradiction(self, name: str, earlier: Label, later: Label) -> None:
        if not alike(earlier.scene, later.scene):
            return
        contradiction = Contradiction(earlier, later)
        ask = ask_which(name, self._vocabulary.concept(name), contradiction)
        self._open.append(ask)
        self._watcher(LabelContradicted(name, contradiction, ask.text))

    def _recall(self) -> None:
        """Take up the experience from before."""
        written = {p.name: p.arity for p in self._begun.predicates.values()}
        for words, why in self.experience.set_aside(written):
            self._watcher(NotUnderstood(words, f"it cannot be used and is set aside: {why}"))
        entries = self.experience.entries
        read = [e.feedback for e in entries if isinstance(e, Said) and e.feedback]
        gone = self.experience.gone()
        concepts = [c for f in read for c in f.concepts if c.name not in gone]
        counts = [p.provenance.get("entries", 0) for p in self._begun.predicates.values()]
        before = self.experience.until(max(counts, default=0))
        certain = 2 if self.settings.noise else 1
        self._vocabulary.recall(concepts, before.labels(certain))
        self._mend("what was said before", recalling=True)

    def _add(self, entry: Entry, why: str) -> None:
        self._keep(entry)
        self.experience.add(entry)
        if isinstance(entry, Said) and entry.feedback:
            gone = self.experience.gone()
            self._vocabulary.meet(c for c in entry.feedback.concepts if c.name not in gone)
        self._mend(why)
        self._contradicted(entry)

    def _mend(self, why: str, *, recalling: bool = False) -> None:
        """Bring predicates, then operators, up to what is known."""
        self._vocabulary.entries = len(self.experience.entries)
        with self._timed("write"):
            events: list[LearningEvent] = [
                *self._vocabulary.mend(
                    self.labels, self.experience.scenes, why, recalling=recalling
                )
            ]
        if any(isinstance(e, PredicateLearned) for e in events):
            self._operators = None
        with self._timed("operators"):
            events += self._relearned()
        for event in events:
            self._watcher(event)
        if any(not isinstance(e, NotUnderstood) for e in events):
            self._publish(self.library, why)

    def _relearned(self) -> list[OperatorsChanged]:
        """Learn from the transitions that are new, or from all where predicates changed."""
        if self._operators is None:
            arities = {p.name: p.arity for p in self._vocabulary.predicates.values()}
            self._operators = OperatorLearner(arities, OperatorSettings(self.settings.noise))
            self._taken = 0
        for entry in self.experience.entries[self._taken :]:
            transition = self._transition(entry)
            if transition is not None:
                self._operators.add(transition)
        self._taken = len(self.experience.entries)
        self._learned = self._operators.learned()
        old, self._lines = self._lines, {_line(o.operator) for o in self._learned.operators}
        if old == self._lines:
            return []
        return [
            OperatorsChanged(tuple(sorted(self._lines - old)), tuple(sorted(old - self._lines)))
        ]

    def _transition(self, entry: Entry) -> Transition | None:
        if isinstance(entry, Tried):
            before, after = self.state(entry.before), self.state(entry.after)
            return Transition(before, entry.action.name, entry.action.args, after)
        if isinstance(entry, Said) and (refused := entry.refused):
            because = self.experience.renamed(entry.needs)
            before = self.state(entry.scene)
            return Transition(before, refused.name, refused.args, feasible=False, because=because)
        return None

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started_s = self._clock.now_s()
        yield
        self.times.setdefault(stage, []).append(self._clock.now_s() - started_s)


def _line(operator: Operator) -> str:
    effect = [*(f"+{a}" for a in sorted(operator.add)), *(f"-{a}" for a in sorted(operator.delete))]
    needs = ", ".join(sorted(map(str, operator.preconditions)))
    return f"{operator.name}({', '.join(operator.parameters)}): {needs} -> {', '.join(effect)}"
