"""The suite `language`: sentences drawn with their meanings, and how SaySo reads them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sayso.core.errors import Code
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.language.constructs import constructs, draw
from sayso.evaluation.language.insertion import TELLING, swallowed
from sayso.evaluation.language.judging import Verdict, judge
from sayso.evaluation.language.meanings import Trace
from sayso.evaluation.language.system import LIBRARIES, System, World
from sayso.logic.text import to_text

INSERTED = "inserted words"
_SHOWN = 10
_OUTCOMES = ("right", "misread", "asked", "offered", "offered wrong", "hinted", "refused")


class Language:
    """Instructions of all constructs, and some with words inserted, for each library."""

    def __init__(self, sentences: int, insertions: int) -> None:
        self._sentences = sentences
        self._insertions = insertions
        self._systems = {world: System(world) for world in LIBRARIES}

    def cases(self) -> Sequence[Case]:
        return [case for world in LIBRARIES for case in self._of(world)]

    def _of(self, world: World) -> list[Case]:
        names = constructs(world == "flat")
        asking = [n for n in names if n not in TELLING]
        found = [
            Case(f"{world}/{i}", f"{world}: {names[i % len(names)]}",
                 {"world": world, "construct": names[i % len(names)], "insert": False})
            for i in range(self._sentences)
        ]  # fmt: skip
        return found + [
            Case(f"{world}/inserted/{i}", f"{world}: {INSERTED}",
                 {"world": world, "construct": asking[i % len(asking)], "insert": True})
            for i in range(self._insertions)
        ]  # fmt: skip

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is a sentence that is read rightly; of insertions, that none is swallowed."""
        world: World = case.data["world"]
        rng, system = Random(seed), self._systems[world]
        instruction = draw(rng, world == "flat", case.data["construct"])
        if not case.data["insert"]:
            return _outcome(judge(instruction, system, rng))
        verdict = judge(instruction, system, rng, hints=False)
        return _inserted(verdict, system, rng)

    def summary(self, rows: Sequence[Row]) -> str:
        """The first sentences that were misread, and words that were swallowed, by library."""
        wrong = [r for r in rows if r.measures.get("misread") or r.measures.get("swallowed")]
        lines = [f"- {r.group}: {r.detail}" for w in LIBRARIES for r in _first(wrong, w)]
        head = f"## Misread\n\n{len(wrong)} of {len(rows)}; all of them are in rows.jsonl."
        return "\n".join((head, "", *lines))


def _first(rows: Sequence[Row], world: str) -> list[Row]:
    return [r for r in rows if r.group.startswith(world)][:_SHOWN]


def _outcome(verdict: Verdict) -> Outcome:
    error, formula = verdict.answer.error, verdict.answer.formula
    measures: dict[str, Measure] = {o: verdict.outcome == o for o in _OUTCOMES}
    measures |= {
        "text": verdict.instruction.text,
        "formula": to_text(formula) if formula else "",
        "meaning": str(verdict.instruction.meaning),
        "trace": _in_words(verdict.witness),
    }
    detail = f'"{verdict.instruction.text}" '
    detail += f"was read as {to_text(formula)}." if formula else str(error)
    code = error.code if error else Code.OK
    return Outcome(verdict.outcome == "right", code, measures, detail)


def _inserted(verdict: Verdict, system: System, rng: Random) -> Outcome:
    """A sentence that was not read rightly has nothing to insert into: it counts as a success."""
    formula = verdict.answer.formula
    if formula is None or verdict.outcome != "right":
        return Outcome(True, measures={"swallowed": 0, "insertions": 0})
    found, tried = swallowed(verdict.instruction, formula, system, rng)
    detail = "; ".join(
        f'"{s.word}" in "{s.text}" ' + ("became a noun" if s.in_noun else "changed nothing")
        for s in found
    )
    measures: dict[str, Measure] = {"swallowed": len(found), "insertions": tried}
    return Outcome(not found, measures=measures, detail=detail)


def _in_words(trace: Trace) -> str:
    """Steps apart by semicolons."""
    return "; ".join(
        ", ".join(sorted(f"{a[0]}({', '.join(a[1:])})" for a in step)) for step in trace
    )
