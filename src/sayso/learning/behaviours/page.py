"""What plays taught, as a page that a person reads."""

from __future__ import annotations

from pathlib import Path

from sayso.core.files import replace_text
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours


def summary(learned: LearnedBehaviours) -> str:
    """One line: how much was learned, and of how much nothing."""
    known = sum(bool(b.operators) for b in learned.behaviours)
    pieces = sum(len(b.pieces) for b in learned.behaviours)
    more = f", {len(learned.refused)} pieces refused" if learned.refused else ""
    return (
        f"learned from play: {known} behaviours that bring something about, "
        f"{len(learned.behaviours) - known} of which nothing seen tells what, "
        f"{len(learned.invented.types)} invented predicates; {pieces} pieces of play{more}"
    )


def write(file: Path, learned: LearnedBehaviours) -> None:
    """Behaviours with their bodies and operators, predicates with how often they came about on
    pieces that they were not learned from, and what was refused."""
    right = {
        f"`{learned.invented.meanings[key]}` of {', '.join(key[1])}": share
        for key, share in learned.invented.right.items()
        if key in learned.invented.meanings
    }
    lines = [
        "# Behaviours learned from play", "", summary(learned) + ".", "", "## Predicates", "",
        "| predicate | came about on held-out pieces |", "|---|---|",
        *(f"| {name} | {100 * share:.0f} % |" for name, share in sorted(right.items())),
        "", "## Behaviours", "",
        *(line for b in learned.behaviours for line in _behaviour_lines(b)),
    ]  # fmt: skip
    if learned.refused:
        lines += ["## Refused", ""]
        lines += [f"- play {r.play}, '{r.words}': {r.error.message}" for r in learned.refused]
    replace_text(file, "\n".join(lines) + "\n")


def _behaviour_lines(behaviour: Behaviour) -> list[str]:
    said = "; ".join(f'"{w}"' for w in behaviour.wordings)
    lines = [
        f"### {behaviour.name}", "", f"Said: {said} ({len(behaviour.pieces)} pieces).", "",
        f"Body: {', '.join(map(str, behaviour.body))}.", "",
    ]  # fmt: skip
    if not behaviour.operators:
        return [*lines, "Nothing that is seen tells what it brings about.", ""]
    for operator in behaviour.operators:
        effects = [*map(str, sorted(operator.add)), *(f"not {a}" for a in sorted(operator.delete))]
        lines += [
            f"- needs {', '.join(map(str, sorted(operator.preconditions)))}",
            *(f"- needs in the now: {x}" for x in sorted(operator.in_the_now)),
            f"- brings about {', '.join(effects)}",
            *(f"- may show {a}" for a in sorted(operator.observes)),
            "",
        ]
    return lines
