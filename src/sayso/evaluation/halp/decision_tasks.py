"""Tasks about which it is to be decided whether a skill is lacking, as data; and what is right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Operator

BASIC = ("pick", "place", "open", "close", "push")
"""Skills that the robot has from the start; a task may name fewer."""
_HOLDER = re.compile(r"\b(in|on|at|under)(?: the)? (\w+)")


@dataclass(frozen=True)
class Thing:
    """One thing of a task: `where` and `state` are words."""

    name: str
    category: str
    where: str
    state: tuple[str, ...] = ()

    @property
    def holder(self) -> tuple[str, str] | None:
        """How, and in or on what, it is: ("in", "tray")."""
        found = _HOLDER.search(self.where)
        return (found[1], found[2]) if found else None


@dataclass(frozen=True)
class Added:
    """A skill that was taught before."""

    name: str
    parameters: tuple[str, ...]
    docstring: str = ""
    effect: str = ""

    @property
    def operator(self) -> Operator:
        """Its effect is an atom of its own: what was done with which things."""
        variables = tuple(f"?{p}" for p in self.parameters)
        said = self.name.replace("_", " ")
        things = ", ".join(f"{{{i}}}" for i in range(len(variables)))
        return Operator(
            self.name, variables, frozenset(), frozenset({Atom(f"done_{self.name}", variables)}),
            frozenset(), skill=self.name, english=f"{said}: {things}",
        )  # fmt: skip


@dataclass(frozen=True)
class Task:
    """What is asked, where, with which skills, and what is right.

    Attributes:
        kind: needed, not_needed or reuse.
        uses: skills that a right plan cannot do without.
        avoids: skills that a right plan does not call.
        teaches: what is true after the skill that is lacking, in words; "" if none is.
    """

    key: str
    kind: str
    instruction: str
    things: tuple[Thing, ...]
    skills: tuple[Added, ...]
    basic: tuple[str, ...]
    learn: bool
    uses: frozenset[str]
    avoids: frozenset[str]
    teaches: str = ""

    @property
    def scene(self) -> str:
        """The things in words, a line each."""
        lines = (
            f"- {t.name}: {t.category}, {t.where.strip(' ,')}{''.join(f'; {s}' for s in t.state)}"
            for t in self.things
        )
        return "\n".join(lines)


@dataclass(frozen=True)
class Decision:
    """What is to be done about a task.

    Attributes:
        learns: the effects of skills that are asked for.
        uses: names of skills that are called.
        question: what a person is asked instead; "" if nothing.
    """

    learns: tuple[str, ...] = ()
    uses: frozenset[str] = field(default_factory=frozenset)
    question: str = ""


def wrong(task: Task, decision: Decision) -> str:
    """What is wrong with a decision that is no question; "" if nothing is."""
    if bool(decision.learns) != task.learn:
        return "a skill is asked for" if decision.learns else "no skill is asked for"
    if lacking := sorted(task.uses - decision.uses):
        return f"{', '.join(lacking)} not called"
    if called := sorted(task.avoids & decision.uses):
        return f"{', '.join(called)} called"
    return ""


SETS = {
    "paper": "decisions.jsonl",
    "first": "decisions_first.jsonl",
    "second": "decisions_second.jsonl",
    "deployed": "decisions_deployed.jsonl",
}
"""The 31 tasks of Parakh et al. 2023, appendix A9 (their facts, in words of our own), and 45 and 45
more of the same kinds: rules were written with the first in view, the second was tried once. Last,
the three tasks that they had a real robot do (their section IV-A)."""


def bundled(name: str = "paper") -> Path:
    """The file of one of `SETS`."""
    return Path(str(resources.files("sayso") / "evaluation" / "halp" / SETS[name]))


def read(path: Path) -> tuple[Task, ...]:
    """Tasks of a file of JSON lines. Raises CONFIG for a file that holds none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return tuple(_task(json.loads(line)) for line in lines if line.strip())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SaySoError(
            Code.CONFIG, f"{path} holds no tasks about skills: {error!r}.",
            hint=f"see {bundled()} for the form.",
        ) from error  # fmt: skip


def _task(data: Mapping[str, Any]) -> Task:
    expected = data["expected"]
    return Task(
        str(data["id"]),
        str(data["kind"]),
        str(data["instruction"]),
        tuple(_thing(t) for t in data["scene"]),
        tuple(
            Added(s["name"], tuple(s["parameters"]), s["docstring"], s["effect"])
            for s in data["skills"]
        ),
        tuple(data.get("basic", BASIC)),
        bool(expected["learn"]),
        frozenset(expected["uses"]),
        frozenset(expected["avoids"]),
        (expected["teaches"] or {}).get("effect", ""),
    )


def _thing(data: Mapping[str, Any]) -> Thing:
    return Thing(data["name"], data["category"], data["where"], _words(data["state"]))


def _words(state: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(str, state))
