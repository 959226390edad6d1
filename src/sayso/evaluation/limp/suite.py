"""`sayso eval limp`: instructions carried out in flats made for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from sayso.adapters import registry
from sayso.adapters.llm.access import ModelAccess
from sayso.adapters.vision.finders import create_finder
from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceFinder
from sayso.evaluation import limp_language
from sayso.evaluation.backends import Stages, connect, interpreter
from sayso.evaluation.baselines.code_writing import CodeWritingPlanner
from sayso.evaluation.baselines.plans import InstructionPlanner
from sayso.evaluation.baselines.step_list import StepListPlanner
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.limp.acting import Actor
from sayso.evaluation.limp.judge import Verdict, judge, judge_patrol
from sayso.evaluation.limp.knowledge import Knowledge, known
from sayso.evaluation.limp.methods import PLAN_S, Course, plan_formula, plan_steps
from sayso.evaluation.limp.options import METHODS, PERCEPTIONS
from sayso.evaluation.limp.scenes import Stage, nouns_of, stage
from sayso.evaluation.limp.seeing import seen
from sayso.evaluation.limp.tables import tables
from sayso.evaluation.measures import WordErrors, equivalent
from sayso.logic.formula import Formula
from sayso.logic.text import to_text
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.paths import PathPlanner
from sayso.planning.navigation.patrol import mission_of
from sayso.planning.navigation.tour import plan_tour

ROUNDS = 2

_BASELINES: Mapping[str, Any] = {"saycan": StepListPlanner, "code": CodeWritingPlanner}


class Limp:
    """Each instruction in several generated flats, from words (or gold formulas) to the trace.

    Args:
        instructions, gold: files; see `limp_language`.
        scenes: flats for each instruction.
        sets: which of the paper's sets; all that the gold file has if empty.
        given: whether the gold formula is given instead of interpreting the words.
        perception: `known` or `camera`: what the robot knows of a flat.
        method: `limp`, or a compared planner.
        finder: which finds instances in the camera's frames.
        finder_settings: as `adapters.vision.finders.create_finder` takes them.
        path_planner: backend of the way of each leg, of the method `limp`.
    """

    def __init__(
        self,
        instructions: str,
        gold: str = "",
        scenes: int = 3,
        sets: Sequence[str] = (),
        given: bool = False,
        perception: str = "known",
        method: str = "limp",
        finder: str = "simulator",
        finder_settings: Mapping[str, Any] | None = None,
        stages: Mapping[str, Any] | None = None,
        access: Mapping[str, Any] | None = None,
        path_planner: str = "grid",
    ) -> None:
        path = Path(gold) if gold else limp_language.bundled_gold()
        read = limp_language.read_instructions(Path(instructions), limp_language.read_gold(path))
        self._by_key = {f"{i.set} {i.n}": i for i in read if not sets or i.set in sets}
        _check(method, METHODS, "method")
        _check(perception, PERCEPTIONS, "perception")
        there = dict.fromkeys(i.set for i in read)
        for each in sets:
            _check(each, there, "set")
        if scenes < 1:
            raise SaySoError(Code.CONFIG, "at least one scene is needed for each instruction.")
        self._scenes, self._given, self._method = scenes, given, method
        self._words: dict[str, limp_language.Row] = {}
        # Made here, so that what is missing is told before any case is run.
        self._finder: InstanceFinder | None = None
        if perception == "camera":
            self._finder = create_finder(finder, finder_settings or {})
        self._paths: PathPlanner = registry.create("path_planner", path_planner)
        self.model = connect(ModelAccess(**(access or {})))
        self._planner: InstructionPlanner | None = None
        if method != "limp":
            self._planner = _BASELINES[method](self.model)
        elif not given:
            self._interpret = interpreter(self.model, Stages(**(stages or {})))

    def cases(self) -> Sequence[Case]:
        """Every instruction in each of its flats."""
        return [
            Case(f"{key} scene {n}", i.set, {"instruction": key, "text": i.text})
            for key, i in self._by_key.items()
            for n in range(1, self._scenes + 1)
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is a true trace that satisfies a gold reading; of contradictions, to say so."""
        instruction = self._by_key[case.data["instruction"]]
        measures: dict[str, Measure] = {}
        formula = self._formula(instruction, measures)
        if isinstance(formula, Outcome):
            return formula
        flat = stage(_meant(instruction.gold.readings, formula), seed, instruction.gold.readings)
        trial = Trial(instruction, flat, measures)
        return trial.run(lambda flat: self._course(instruction.text, formula, flat, seed, measures))

    def summary(self, rows: Sequence[Row]) -> str:
        """The paper's tables, with this run beside them."""
        return tables(rows, interpreted=not self._given and self._method == "limp")

    def _formula(
        self, instruction: limp_language.Instruction, measures: dict[str, Measure]
    ) -> Formula | Outcome | None:
        """What is planned for; an outcome where the words were not understood."""
        if self._planner is not None:
            return None
        if self._given:
            return instruction.gold.readings[0]
        key = f"{instruction.set} {instruction.n}"
        if key not in self._words:
            self._words[key] = limp_language.evaluate_one(instruction, self._interpret)
        row = self._words[key]
        measures |= language_measures(row)
        if row.formula is None:
            refused = instruction.gold.code is Code.CONTRADICTION and row.right
            return Outcome(refused, row.code, measures, row.message)
        return row.formula

    def _known(self, flat: Stage, nouns: Sequence[str], seed: int) -> Knowledge:
        finder = self._finder
        if finder is None:
            return known(flat)
        if isinstance(finder, SimulatorInstances):
            finder = replace(finder, seed=seed)
        return seen(flat, nouns, seed, finder)

    def _course(
        self,
        text: str,
        formula: Formula | None,
        flat: Stage,
        seed: int,
        measures: dict[str, Measure],
    ) -> Course:
        started = perf_counter()
        knowledge = self._known(flat, nouns_of(formula or flat.spoken), seed)
        measures["perception s"] = perf_counter() - started
        if formula is None:
            if self._planner is None:
                raise SaySoError(Code.CONFIG, "there is neither a formula nor a planner.")
            return plan_steps(text, self._planner, knowledge)
        return plan_formula(text, formula, knowledge, self._paths)


@dataclass
class Trial:
    """One instruction in one flat.

    Attributes:
        measures: filled in as it goes.
    """

    instruction: limp_language.Instruction
    stage: Stage
    measures: dict[str, Measure]

    def run(self, plan: Callable[[Stage], Course]) -> Outcome:
        """Plan, carry out, judge."""
        impossible = self.instruction.gold.code is Code.CONTRADICTION
        try:
            course = plan(self.stage)
        except SaySoError as error:
            right = impossible and error.code in (Code.CONTRADICTION, Code.NO_PLAN)
            return Outcome(right, error.code, self.measures, error.message)
        self.measures |= course.seconds
        actor = Actor(self.stage, self.stage.propositions)
        try:
            verdict = self._carried_out(actor, course)
        except SaySoError as error:
            return Outcome(False, error.code, self.measures, error.message)
        self.measures |= {"violation": verdict.violated, "way m": actor.way_m}
        if verdict.fulfilled and not course.loop:
            self.measures |= self._against_optimum(actor.way_m)
        return Outcome(verdict.fulfilled, measures=self.measures, detail=_course_text(course))

    def _carried_out(self, actor: Actor, course: Course) -> Verdict:
        """The verdict by the reading that suits the trace best: each is as right."""
        actor.carry_out(course.there)
        prefix = list(actor.trace)
        rounds = []
        for _ in range(ROUNDS if course.loop else 0):
            before = len(actor.trace)
            actor.carry_out(course.loop)
            rounds.append(actor.trace[before:])
        verdicts = [
            judge_patrol(f, prefix, rounds) if mission_of(f).again else judge(f, actor.trace)
            for f in self.stage.readings
        ]
        return min(verdicts, key=lambda v: (not v.fulfilled, v.violated))

    def _against_optimum(self, way_m: float) -> dict[str, Measure]:
        """How much longer the way was than that of the fastest tour for one who knows all."""
        best = plan_tour(known(self.stage).outset(obligations_of(self.stage.gold)), PLAN_S).length_m
        return {"path length ratio": way_m / best} if best > 0 else {}


def language_measures(row: limp_language.Row) -> dict[str, Measure]:
    """How well the words were understood."""
    found: dict[str, Measure] = {
        "understood": row.formula is not None,
        "equivalent": row.right,
        "language s": row.seconds,
        "formula": None if row.formula is None else to_text(row.formula),
    }
    if near := row.closeness:
        found["aligned"] = near.aligned
        for name in ("referents", "avoidance", "spatial"):
            errors: WordErrors | None = getattr(near, name)
            if errors is not None:
                found[f"{name} word error rate"] = errors.rate
    return found


def _meant(readings: Sequence[Formula], formula: Formula | None) -> Formula:
    """The reading that a formula gives, or the first."""
    said = (r for r in readings if formula is not None and equivalent(formula, r))
    return next(said, readings[0])


def _course_text(course: Course) -> str:
    deeds = [*course.there, *course.loop]
    return "; ".join(" ".join((d.operator.name, *d.args)) for d in deeds)


def _check(value: str, choices: Any, what: str) -> None:
    if value not in choices:
        raise SaySoError(Code.CONFIG, f"there is no {what} '{value}'.", choices=choices)
