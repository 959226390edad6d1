"""One instruction carried out in a simulated flat, and what truly came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sayso.adapters import registry
from sayso.core.clock import Clock
from sayso.core.errors import Code
from sayso.core.library import Library, builtin_path, load
from sayso.core.ports import Navigator
from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import Action
from sayso.evaluation.flat_run.judge import TrueTrace, Violation
from sayso.evaluation.flat_run.known_boxes import true_things
from sayso.evaluation.flat_run.robot import SKILLS, FlatRobot, Sight, robot_of
from sayso.evaluation.flat_run.stages import FlatStages
from sayso.mission.recovery import TaskLimits
from sayso.mission.tour_execution import PersonChannel
from sayso.mission.understanding import TaskInterpreter
from sayso.pipeline import Outcome, perform
from sayso.planning.navigation.paths import PathPlanner
from sayso.reporting.events import Event, EventKind
from sayso.skills.senses import Senses
from sayso.skills.skill import Skills
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.stepped_senses import Pace, SteppedSenses

LIMITS = TaskLimits(failures=10)
"""People and cats walk into the way: more than one new plan may be needed."""


@dataclass(frozen=True)
class Result:
    """What came of an instruction.

    Attributes:
        truly_done: whether the whole was truly fulfilled when it ended; None where it was not
            understood.
        vetoes: how often the gate refused, by code.
        touched: what the robot ran into or took hold of.
        time_s: simulated.
        stops: how often something that only the laser met stopped the robot.
        retreats: how often it stepped back from somebody.
    """

    outcome: Outcome
    truly_done: bool | None
    violations: tuple[Violation, ...]
    vetoes: Counter[str]
    touched: frozenset[str]
    time_s: float
    stops: int = 0
    retreats: int = 0
    events: tuple[Event, ...] = field(repr=False, default=())


@dataclass
class FlatRun:
    """A world with its robot, ready for instructions; `on_step` scripts changes.

    Args:
        sight: what makes scenes of the world.
        on_step: called after every step of the clock, before the truth is read.
        before: called with each action before it is carried out.
        cancelled: whether the person asked to end the task.
        path_planner: backend, by name, of the way of each leg of a tour.
        skills: what the robot can do.
        navigator: makes what leads it along legs that are free; None: they are driven as planned.
    """

    world: FlatWorld
    sight: Sight
    pace: Pace = field(default_factory=Pace)
    seed: int = 0
    library: Library = field(default_factory=lambda: load(builtin_path("flat")))
    on_step: Callable[[], None] = lambda: None
    before: Callable[[Action], None] = lambda _: None
    on_phase: Callable[[str], None] = lambda _: None
    cancelled: Callable[[], bool] = lambda: False
    path_planner: str = "grid"
    skills: Skills = SKILLS
    navigator: Callable[[Senses], Navigator] | None = None

    def __post_init__(self) -> None:
        self._trace: TrueTrace | None = None
        self._planner: PathPlanner = registry.create("path_planner", self.path_planner)
        self._senses = SteppedSenses(self.world, self._look, self.pace)
        self._senses.on_step = self._step
        navigator = None if self.navigator is None else self.navigator(self._senses)
        self.robot: FlatRobot = robot_of(
            self.world,
            self._senses,
            self.sight,
            self.library,
            self.seed,
            self.skills,
            navigator,
        )

    def perform(self, instruction: str, limits: TaskLimits = LIMITS) -> Result:
        """Carry out an instruction in controlled English."""
        events: list[Event] = []
        begun_s = self.world.time_s
        self._senses.touched.clear()
        channel = PersonChannel(self.on_phase, self.cancelled)
        stages = FlatStages(self.robot, channel, self._planner, self.before)

        def listen(event: Event) -> None:
            events.append(event)
            if event.kind is EventKind.PROGRESS and self._trace is None:
                self._trace = self._judge(instruction)
                self._trace.step()  # a task may be true, or broken, before anything moves

        outcome = perform(instruction, stages, listen, limits, _SenseClock(self.robot.senses))
        trace, self._trace = self._trace, None
        execution = stages.execution
        vetoes = Counter(
            e.skill.code.name
            for e in events
            if e.skill is not None and e.skill.finished and e.skill.code is not Code.OK
        )
        return Result(
            outcome,
            trace.done if trace else None,
            tuple(trace.violations) if trace else (),
            vetoes,
            frozenset(self._senses.touched),
            self.world.time_s - begun_s,
            execution.obstacle_watch.stops if execution else 0,
            execution.retreats if execution else 0,
            tuple(events),
        )

    def _look(self) -> Scene:
        """What is seen, with what the map shows beside."""
        scene = self.sight.look()
        return replace(scene, occupied=self.sight.grid().occupied)

    def _judge(self, instruction: str) -> TrueTrace:
        """The same words about what truly is there."""
        things = true_things(self.world)

        def look_for(_: frozenset[str]) -> Scene:
            return Scene(0.0, things, RobotState(base=self.world.true_base()), frame="map")

        understood = TaskInterpreter(self.library, look_for).interpret(instruction)
        if understood.trouble is not None:
            raise understood.trouble
        return TrueTrace(self.world, self.library, understood.specification.formula)

    def _step(self) -> None:
        self.on_step()
        if self._trace is not None:
            self._trace.step()


@dataclass(frozen=True)
class _SenseClock(Clock):
    """Simulated time."""

    senses: SteppedSenses

    def now_s(self) -> float:
        return self.senses.now_s()
