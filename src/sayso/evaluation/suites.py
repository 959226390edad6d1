"""The suites that `sayso eval` offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sayso.adapters.llm.access import ModelAccess
from sayso.core.errors import Code, SaySoError
from sayso.evaluation import lang2ltl, limp_language
from sayso.evaluation.backends import Stages, connect, interpreter
from sayso.evaluation.baselines.code_writing import CodeWritingPlanner
from sayso.evaluation.baselines.plans import InstructionPlanner, symbolic_trace
from sayso.evaluation.baselines.step_list import StepListPlanner
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.measures import WordErrors, inlined
from sayso.logic.english import describe
from sayso.logic.formula import (
    Formula,
    Prop,
    Referent,
    Term,
    map_propositions,
    propositions,
    referents_of,
)
from sayso.logic.semantics import satisfies
from sayso.logic.text import parse, to_text


class _Limp:
    """The instructions of the LIMP paper that have a gold formula, by set."""

    def __init__(self, instructions: str, gold: str) -> None:
        path = Path(gold) if gold else limp_language.bundled_gold()
        self._by_key = {
            f"{i.set} {i.n}": i
            for i in limp_language.read_instructions(
                Path(instructions), limp_language.read_gold(path)
            )
        }

    def cases(self) -> Sequence[Case]:
        return [Case(k, i.set, {"text": i.text}) for k, i in self._by_key.items()]


class LimpLanguage(_Limp):
    """Instructions to formulas, compared with gold formulas by their automata."""

    def __init__(
        self,
        instructions: str,
        gold: str = "",
        stages: Mapping[str, Any] | None = None,
        access: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(instructions, gold)
        # Made here, so that what is missing is told before any case is run.
        self.model = connect(ModelAccess(**(access or {})))
        self._interpret = interpreter(self.model, Stages(**(stages or {})))

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is equivalence with a gold reading."""
        row = limp_language.evaluate_one(self._by_key[case.key], self._interpret)
        measures: dict[str, Measure] = {
            "understood": row.formula is not None,
            "formula": None if row.formula is None else to_text(row.formula),
        }
        if near := row.closeness:
            measures["aligned"] = near.aligned
            for name in ("referents", "avoidance", "spatial"):
                errors: WordErrors | None = getattr(near, name)
                if errors is not None:
                    measures[f"{name} word error rate"] = errors.rate
        measures["language s"] = row.seconds
        return Outcome(row.right, row.code, measures, row.message)

    def summary(self, rows: Sequence[Row]) -> str:
        """The paper's tables, with this run beside them."""
        judged = [_again(self._by_key[r.case], r) for r in rows if r.case in self._by_key]
        return limp_language.report(judged, _backend(rows))


class Lang2Ltl:
    """Lifted utterances to formulas, compared with the data's."""

    def __init__(
        self,
        data: str,
        stages: Mapping[str, Any] | None = None,
        access: Mapping[str, Any] | None = None,
    ) -> None:
        self._pairs = lang2ltl.read_pairs(Path(data))
        # Made here, so that what is missing is told before any case is run.
        self.model = connect(ModelAccess(**(access or {})))
        self._interpret = interpreter(self.model, Stages(**(stages or {})))

    def cases(self) -> Sequence[Case]:
        return [Case(i, p.pattern, {"text": p.utterance}) for i, p in _numbered(self._pairs)]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is equivalence on finite traces."""
        row = lang2ltl.evaluate_one(self._pairs[int(case.key) - 1], self._interpret)
        measures: dict[str, Measure] = {
            "understood": row.formula is not None,
            "right if places are apart": row.right_apart,
            "language s": row.seconds,
            "formula": None if row.formula is None else to_text(row.formula),
        }
        detail = f"{row.utterance}: {row.message}" if row.message else row.utterance
        return Outcome(row.right, row.code, measures, detail)

    def summary(self, rows: Sequence[Row]) -> str:
        """Counts by pattern."""
        by_key = {r.case: r for r in rows}
        judged = [
            _lifted_again(pair, by_key[key])
            for key, pair in _numbered(self._pairs)
            if key in by_key
        ]
        return lang2ltl.report(judged, _backend(rows))


class LimpBaselines(_Limp):
    """Plans of the compared planners, judged by the gold formula on what the steps make true.

    The planner gets the things that the gold formula is about, each under a plain name with
    its description: finding them is not part of this suite, and there is no geometry.
    """

    def __init__(
        self,
        instructions: str,
        gold: str = "",
        planner: str = "steps",
        access: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(instructions, gold)
        if planner not in PLANNERS:
            raise SaySoError(
                Code.CONFIG, f"there is no baseline planner '{planner}'.", choices=PLANNERS
            )
        self.model = connect(ModelAccess(**(access or {})))
        self._planner: InstructionPlanner = PLANNERS[planner](self.model)

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is a trace that satisfies a gold reading; of contradictions, refusing."""
        gold = self._by_key[case.key].gold
        objects = _objects(gold.readings[0])
        told = {name: describe(r) for r, name in objects.items()}
        try:
            plan = self._planner.plan(case.data["text"], told)
        except SaySoError as error:
            if error.code is Code.NO_PLAN and gold.code is Code.CONTRADICTION:
                return Outcome(True, detail=error.message)
            raise
        trace = symbolic_trace(plan.steps)
        right = gold.code is not Code.CONTRADICTION and any(
            satisfies(f, trace) for f in _grounded(gold.readings, objects)
        )
        measures: dict[str, Measure] = {
            "steps": len(plan.steps), "prompt tokens": plan.tokens[0],
            "completion tokens": plan.tokens[1],
        }  # fmt: skip
        return Outcome(right, measures=measures, detail="; ".join(map(str, plan.steps)))

    def summary(self, rows: Sequence[Row]) -> str:
        """What the figures do not say."""
        return (
            "The planner was given the things that each gold formula is about, and its steps "
            "were judged without geometry: these are upper bounds on its success in a scene."
        )


PLANNERS: Mapping[str, Any] = {"steps": StepListPlanner, "code": CodeWritingPlanner}


def _numbered(pairs: Sequence[lang2ltl.Pair]) -> list[tuple[str, lang2ltl.Pair]]:
    """Pairs with their number in the data as key."""
    return [(str(i), p) for i, p in enumerate(pairs, start=1)]


def _backend(rows: Sequence[Row]) -> str:
    return ", ".join(sorted({r.backend for r in rows})) or "nothing"


def _again(instruction: limp_language.Instruction, row: Row) -> limp_language.Row:
    """A recorded row, judged anew."""
    judged = limp_language.evaluate_one(instruction, _recorded(row))
    return replace(judged, seconds=_seconds(row))


def _lifted_again(pair: lang2ltl.Pair, row: Row) -> lang2ltl.Row:
    """A recorded row as the report's own kind; nothing is compared again."""
    formula = row.measures.get("formula")
    return lang2ltl.Row(
        pair.pattern,
        pair.utterance,
        Code[row.code],
        parse(formula) if isinstance(formula, str) else None,
        row.success,
        bool(row.measures.get("right if places are apart")),
        _seconds(row),
    )


def _recorded(row: Row) -> limp_language.Interpreter:
    """Answers as the row did."""

    def answer(_: str) -> Formula:
        formula = row.measures.get("formula")
        if isinstance(formula, str):
            return parse(formula)
        raise SaySoError(Code[row.code], row.detail)

    return answer


def _seconds(row: Row) -> float:
    value = row.measures.get("language s", 0.0)
    return float(value) if isinstance(value, int | float) else 0.0


def _objects(formula: Formula) -> dict[Referent, str]:
    """A name for each thing of a formula, nested ones too, whatever its quantifier."""
    names: dict[Referent, str] = {}
    counts: dict[str, int] = {}
    todo = list(referents_of(inlined(formula)))
    while todo:
        referent = _the(todo.pop(0))
        todo += [other for relation in referent.relations for other in relation.others]
        if referent not in names:
            noun = "_".join(referent.noun.split())
            counts[noun] = counts.get(noun, 0) + 1
            names[referent] = f"{noun}_{counts[noun]}"
    return names


def _grounded(readings: Sequence[Formula], objects: Mapping[Referent, str]) -> list[Formula]:
    """The readings that are about these objects, with their names in place."""
    found = []
    for reading in map(inlined, readings):
        terms = {a for p in propositions(reading) for a in p.args}
        if all(isinstance(t, Referent) and _the(t) in objects for t in terms):
            found.append(map_propositions(reading, lambda p: _named(p, objects)))
    return found


def _named(prop: Prop, objects: Mapping[Referent, str]) -> Prop:
    return Prop(prop.predicate, tuple(_name(a, objects) for a in prop.args))


def _name(term: Term, objects: Mapping[Referent, str]) -> str:
    return objects[_the(term)] if isinstance(term, Referent) else str(term)


def _the(referent: Referent) -> Referent:
    return replace(referent, quantifier="the")
