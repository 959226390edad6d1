"""One task practised with a person who teaches, by InterPreT's protocol (section V).

The goal is said. Then, until it is reached: where the robot believes it reached, it says so and the
person agrees or explains; else it proposes an action, which the person allows or explains to be
infeasible, and carries it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.learning.exploration import Choice, Step
from sayso.learning.feedback import Action, FeedbackKind
from sayso.learning.learner import Learner
from sayso.learning.teaching import Practice, Teacher

_MISHEARD = (
    Code.NOT_UNDERSTOOD,
    Code.AMBIGUOUS,
    Code.UNKNOWN_OBJECT,
    Code.CONTRADICTION,
    Code.MODEL_REPLY,
    Code.MODEL_TIMEOUT,
)
"""What saying it otherwise may help."""


@dataclass(frozen=True)
class Limits:
    """When to give a task up.

    Attributes:
        steps: proposals.
        rephrasings: how often the person is asked to say again what was not understood.
        questions: how many the robot may ask: of what contradicts itself, and, where nothing
            else is left to do, of what its predicates mean.
        unmet: how many actions it may propose beside those for the goal, such as it believes to
            work in a way in which they were never tried: once it has a plan, and in the end.
    """

    steps: int = 40
    rephrasings: int = 2
    questions: int = 3
    unmet: int = 0


@dataclass(frozen=True)
class Point:
    """What was known after a step."""

    step: int
    predicates: int
    operators: int


@dataclass(frozen=True)
class TrainingReport:
    """What training took.

    Attributes:
        reached: of how many tasks the person said so.
        steps: proposals, those included that were refused.
        transitions: actions carried out.
        feedback: messages of the person by kind, `FeedbackKind.name`; besides ANSWER, and
            NOT_UNDERSTOOD for those that could not be read.
        times: seconds of each run of each stage: read, write, operators, plan.
        curve: after each step.
    """

    tasks: int = 0
    reached: int = 0
    steps: int = 0
    transitions: int = 0
    feedback: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    curve: tuple[Point, ...] = ()


def train(
    practice: Practice, teacher: Teacher, learner: Learner, limits: Limits | None = None
) -> TrainingReport:
    """Practise one task to its end."""
    return _Training(practice, teacher, learner, limits or Limits()).run()


def joined(reports: Iterable[TrainingReport]) -> TrainingReport:
    """The reports of tasks practised one after another as one."""
    whole = TrainingReport()
    for report in reports:
        feedback = Counter(whole.feedback) + Counter(report.feedback)
        stages = dict.fromkeys((*whole.times, *report.times))
        curve = (Point(p.step + whole.steps, p.predicates, p.operators) for p in report.curve)
        whole = TrainingReport(
            whole.tasks + report.tasks,
            whole.reached + report.reached,
            whole.steps + report.steps,
            whole.transitions + report.transitions,
            dict(feedback),
            {s: (*whole.times.get(s, ()), *report.times.get(s, ())) for s in stages},
            (*whole.curve, *curve),
        )
    return whole


class _Training:
    """The state of one task."""

    def __init__(
        self, practice: Practice, teacher: Teacher, learner: Learner, limits: Limits
    ) -> None:
        self.practice = practice
        self.teacher = teacher
        self.learner = learner
        self.limits = limits
        self.feedback: Counter[str] = Counter()
        self.steps = 0
        self.transitions = 0
        self._sought = 0
        self._refused: set[Step] = set()
        self.curve: list[Point] = []
        self.scene = practice.observe()
        self._before = {s: len(t) for s, t in learner.times.items()}

    def run(self) -> TrainingReport:
        reached = self._set_out() and self._practise()
        if reached:
            self._seek()
        times = {s: tuple(t[self._before.get(s, 0) :]) for s, t in self.learner.times.items()}
        return TrainingReport(
            tasks=1,
            reached=int(reached),
            steps=self.steps,
            transitions=self.transitions,
            feedback=dict(+self.feedback),
            times=times,
            curve=tuple(self.curve),
        )

    def _set_out(self) -> bool:
        """Whether the goal was understood, or its words may ask for an action that can be tried."""
        understood = self._heard(self.teacher.goal, self._goal_said) is not None
        return understood or self.learner.propose(self.scene) is not None

    def _goal_said(self, words: str) -> FeedbackKind:
        self.learner.goal_said(words, self.scene)
        return FeedbackKind.GOAL

    def _practise(self) -> bool:
        """Whether the person said that the goal is reached."""
        declared = False
        while self.steps < self.limits.steps:
            if not declared and self.learner.believes_reached(self.scene):
                if self._remark(None):
                    return True
                declared = True
            choice = self._wondered(planned=True) or self.learner.propose(self.scene)
            if choice is None and self._asked(uncertain=True):
                continue
            if choice is None:
                return False
            action = Action(choice.skill, choice.args)
            moved = self._allowed(action)
            if moved:
                self._carry_out(action)
                declared = False
            self._asked()
            self._count()
            if moved and self._remark(action):
                return True
        return not declared and self.learner.believes_reached(self.scene) and self._remark(None)

    def _seek(self) -> None:
        """Try, or hear about, what was never met."""
        while choice := self._wondered():
            action = Action(choice.skill, choice.args)
            if self._allowed(action):
                self._carry_out(action)
            self._count()

    def _wondered(self, planned: bool = False) -> Choice | None:
        """An action that was never tried so, as long as such may be proposed.

        Args:
            planned: only where the goal can be reached, as far as is known.
        """
        if self._sought >= self.limits.unmet or (planned and not self.learner.plan(self.scene)):
            return None
        choice = self.learner.unmet(self.scene, self._refused)
        self._sought += choice is not None
        return choice

    def _count(self) -> None:
        self.steps += 1
        known = len(self.learner.library.predicates), len(self.learner.learned.operators)
        self.curve.append(Point(self.steps, *known))

    def _asked(self, uncertain: bool = False) -> bool:
        """Ask what is open; whether any answer told something."""
        told = False
        for ask in self.learner.questions(self.scene):
            wanted = uncertain or ask.pressing
            if wanted and self.feedback["ANSWER"] < self.limits.questions:
                self.feedback["ANSWER"] += 1
                told = self.learner.answered(ask, self.teacher.answer(ask.text)) or told
        return told

    def _allowed(self, action: Action) -> bool:
        """Whether the person lets the robot go ahead; silence is consent."""

        def learn(words: str) -> FeedbackKind:
            said = self.learner.said_about(action, words, self.scene)
            return said.kind if said else FeedbackKind.FEASIBLE

        kind = self._heard(lambda: self.teacher.about(action), learn)
        if kind is not FeedbackKind.FEASIBLE:
            self._refused.add((action.name, action.args))
        return kind is FeedbackKind.FEASIBLE

    def _carry_out(self, action: Action) -> None:
        succeeded = self.practice.act(action.name, action.args)
        before, self.scene = self.scene, self.practice.observe()
        self.transitions += 1
        self.learner.acted(action, before, self.scene, succeeded)

    def _remark(self, action: Action | None) -> bool:
        """What the person says of the task: whether that it is done."""

        def learn(words: str) -> FeedbackKind:
            said = self.learner.said_after(words, self.scene)
            return said.kind if said else FeedbackKind.UNSATISFIED

        kind = self._heard(lambda: self.teacher.after(action), learn)
        return kind is FeedbackKind.REACHED

    def _heard(
        self, speak: Callable[[], str], learn: Callable[[str], FeedbackKind]
    ) -> FeedbackKind | None:
        """What the person says, again if it is not understood; None if it never is."""
        for _ in range(1 + self.limits.rephrasings):
            words = speak()
            try:
                kind = learn(words)
            except SaySoError as error:
                if error.code not in _MISHEARD:
                    raise
                self.feedback["NOT_UNDERSTOOD"] += 1
                continue
            if words.strip():
                self.feedback[kind.name] += 1
            return kind
        return None
