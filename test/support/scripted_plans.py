"""What a model that knows VirtualHome's own programs says: a script, to test what it is said to.

It reads the prompts as a model does, from the messages of a request, and answers in JSON. It can be
told to err in every n-th step; what it is told of a failure it then heeds.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sayso.evaluation.cape.wordings import english
from sayso.worlds.virtualhome.tasks import Task, tasks
from support.chat_server import Answer

_BLOCK = re.compile(r"<<<DATA ([^\n]+)\n(.*?)\nDATA>>>", re.DOTALL)
_ACTION = re.compile(r"\w+\([^)]*\)")
_TOKEN = re.compile(r"\s*\S+|\s+$")
_LOOKAHEAD = 3
"""Steps of a program that may have been left out."""
NONSENSE = "hum a little tune about nothing"
_SURE, _UNSURE = -0.02, -1.5


class ScriptedPlans:
    """Answers requests for steps, plans and repairs.

    Args:
        err_every: which steps of a program it says wrongly at first, by their number; 0 for none.
            In turn it leaves one out, names another thing, and talks nonsense.
    """

    def __init__(self, err_every: int = 0) -> None:
        self._err_every = err_every
        self._tasks: dict[str, list[Task]] = defaultdict(list)
        for task in tasks().values():
            self._tasks[f"{task.title}. {task.words}"].append(task)

    def __call__(self, request: Mapping[str, Any]) -> Answer:
        """The answer to a request of the wire format."""
        said = "\n".join(m["content"] for m in request["messages"])
        blocks = dict(_BLOCK.findall(said))
        if "ways that a program found" in blocks:
            return _answer(_repair(blocks))
        steps = self._steps(blocks)
        first = steps[:1] if "prompt next_step" in said else steps
        wrong = first != self._right(blocks)[: len(first)]
        return _answer({"steps": first}, _UNSURE if wrong else _SURE)

    def _steps(self, blocks: Mapping[str, str]) -> list[str]:
        """All that are left, with this model's errors."""
        right = self._right(blocks)
        program = self._program(blocks)
        done = blocks["steps so far"].splitlines()
        at = len(program) - len(right)
        heeds = "could not be done" in blocks or (at > 0 and done[-1:] != [program[at - 1]])
        if not self._err_every or heeds:
            return right
        return [line for i in range(at, len(program)) for line in self._said(program, i, blocks)]

    def _said(self, program: Sequence[str], at: int, blocks: Mapping[str, str]) -> list[str]:
        if (at + 1) % self._err_every:
            return [program[at]]
        kind = (at // self._err_every + len(program)) % 3
        if kind == 0:
            return []
        thing = _of_classes(blocks)[len(program) % 7]
        other = thing.split(",")[0]
        verb = program[at].split()[0]
        return [f"{verb} {other}"] if kind == 1 else [NONSENSE]

    def _right(self, blocks: Mapping[str, str]) -> list[str]:
        """The lines of the program after what was done of it; after a failure, from the first one
        on that was left out."""
        program, at = self._program(blocks), 0
        ahead = 1 if "could not be done" in blocks else _LOOKAHEAD
        for line in blocks["steps so far"].splitlines():
            near = program[at : at + ahead]
            at += near.index(line) + 1 if line in near else 0
        return program[at:]

    def _program(self, blocks: Mapping[str, str]) -> list[str]:
        """Of the task that is meant: several may have the same words, with other things about."""
        named = {
            f"{group.rstrip('0123456789, ')} {n}"
            for group in _of_classes(blocks)
            for n in re.findall(r"\d+", group)
        }
        fitting = [
            t
            for t in self._tasks[blocks["task"]]
            if all(x.replace("_", " ") in named for s in t.program for x in s.things)
        ]
        return [english(step) for step in fitting[0].program]


def _of_classes(blocks: Mapping[str, str]) -> list[str]:
    """ "cup 3, 7" and so on, of whatever rooms."""
    return re.split(r"; |\n", re.sub(r"^[a-z ]+ \d+: ", "", blocks["things"], flags=re.MULTILINE))


def _repair(blocks: Mapping[str, str]) -> dict[str, Any]:
    """What a program found, or the rest of the plan without its first step."""
    ways = _ACTION.findall(blocks["ways that a program found"])
    rest = _ACTION.findall(blocks["rest of the plan"])[1:]
    return {"steps": ways or rest, "reason": "it is what the program says"}


def _answer(data: Mapping[str, Any], log_probability: float = _SURE) -> Answer:
    text = json.dumps(data)
    return Answer(text, tokens=tuple((t, log_probability) for t in _TOKEN.findall(text)))
