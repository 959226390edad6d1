"""A chat-completions server that reads SaySo's learning prompts and answers from tables.

It knows the plain words of StoreObjects as Reasoner and Goal Translator, and as Coder has for each
predicate a series of drafts: the Corrector's request brings the next one, if it names the fault
that the last one has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from support.chat_server import Answer, ChatServer

_PROMPT = re.compile(r"SaySo prompt (\w+), version (\d+)\.")
_DATA = re.compile(r"<<<DATA ([^\n]*)\n(.*?)\nDATA>>>", re.DOTALL)

PREDICATES: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "on": (("a", "b"), "{0} is on {1}", "{0} is not on {1}"),
    "on_table": (("a",), "{0} is on the table", "{0} is not on the table"),
    "holding": (("a",), "the gripper holds {0}", "the gripper does not hold {0}"),
    "gripper_empty": ((), "the gripper is empty", "the gripper is occupied"),
    "graspable": (("a",), "{0} can be grasped", "{0} is too wide to be grasped"),
    "clear": (("a",), "nothing is on {0}", "something is on {0}"),
}
SAYINGS = (
    (r"put the (?P<a>[\w ]+) on the table", "on_table", True),
    (r"put the (?P<a>[\w ]+) on the (?P<b>[\w ]+)", "on", True),
    (r"the (?P<a>[\w ]+) is not on the table", "on_table", False),
    (r"the (?P<a>[\w ]+) is not on the (?P<b>[\w ]+)", "on", False),
    (r"the (?P<a>[\w ]+) is not in the gripper", "holding", False),
    (r"the gripper is already occupied", "gripper_empty", False),
    (r"the (?P<a>[\w ]+) is too wide to be grasped", "graspable", False),
    (r"something is on the (?P<a>[\w ]+)", "clear", False),
)
"""What is said -> which predicate of which things, and whether it holds."""
_STACK = re.compile(r"in a stack on the ([\w ]+), from the bottom up: the ([\w ,]+)")

_OVER = '''def over(scene, a, b):
    """Whether a's middle is above b."""
    x, y = scene.position(a)[0], scene.position(a)[1]
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
'''
_ON = f'''"""a rests on b."""

GAP = 0.01


{_OVER}

def on(scene, a, b):
    return over(scene, a, b) and np.abs(scene.bottom(a) - scene.INDEX) < GAP
'''
DRAFTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "on": (
        (_ON.replace("INDEX", "high(b)[3]"), "IndexError: index 3 is out of bounds"),
        (_ON.replace("INDEX", "top(b)"), ""),
    ),
    "on_table": (
        (
            "HEIGHT = 0.01\n\n\ndef on_table(scene, a):\n"
            "    return abs(scene.bottom(a) - scene.table_height) < HEIGHT\n",
            "",
        ),
    ),
    "holding": (
        ("import os\n\n\ndef holding(scene, a):\n    return os.getpid()\n", "Import"),
        ("def holding(scene, a):\n    return scene.carried(a)\n", ""),
    ),
    "gripper_empty": (
        ("def gripper_empty(scene):\n    return 'yes'\n", "a value of type str"),
        ("def gripper_empty(scene):\n"
         "    return not any(scene.carried(x) for x in scene.objects())\n", ""),
    ),
    "graspable": (
        ("def graspable(scene, a):\n    return scene.size(a)[0] < 0.5\n", "is True"),
        ("def graspable(scene, a):\n"
         "    return scene.size(a)[0] < scene.gripper_max_width\n", ""),
    ),
    "clear": (
        # `over` is called, not written: it is a helper that the library has from `on`.
        ("def clear(scene, a):\n    return not any(\n"
         "        over(scene, x, a) and abs(scene.bottom(x) - scene.top(a)) < 0.01\n"
         "        for x in scene.objects()\n        if x != a\n    )\n", ""),
    ),
}  # fmt: skip
"""Predicate -> drafts in turn, each with what the Corrector must be told before the next."""


class ScriptedMind(ChatServer):
    """Answers as Reasoner, Goal Translator, Coder and Corrector.

    Attributes:
        prompts: the prompts that it was asked, in turn.
    """

    def __init__(self) -> None:
        super().__init__([""])
        self.prompts: list[str] = []

    def next_answer(self, request: dict[str, Any]) -> Answer:
        super().next_answer(request)
        messages = [m["content"] for m in request["messages"]]
        named = [m[1] for text in messages if (m := _PROMPT.match(text))]
        self.prompts.append(named[-1])
        data = {label: text for text in messages[1:] for label, text in _DATA.findall(text)}
        if named[-1] == "learning_code":
            return _reply(verdict="code", code=_draft(data, 0))
        if named[-1] == "learning_correct":
            return _reply(verdict="code", code=_corrected(messages, data))
        return _reasoned(named[-1], data)


def _reply(**values: object) -> Answer:
    return Answer(json.dumps({"reasoning": "By the table.", **values}))


def _draft(data: Mapping[str, str], number: int) -> str:
    name = data["predicate to write"].split("(")[0]
    return DRAFTS[name][number][0]


def _corrected(messages: list[str], data: Mapping[str, str]) -> str:
    """The next draft, if the faults name what is wrong with the last one."""
    name = data["predicate to write"].split("(")[0]
    last = messages[-2]
    for number, (code, fault) in enumerate(DRAFTS[name][:-1]):
        if code.strip().splitlines()[-1] == last.strip().splitlines()[-1]:
            return _draft(data, number + (fault in data["faults"]))
    return last


def _reasoned(prompt: str, data: Mapping[str, str]) -> Answer:
    things = [line.split(":")[0] for line in data["objects"].splitlines()]
    known = {line.split("(")[0] for line in data["known predicates"].splitlines()}
    words = data["what the person says"].lower().split("because ")[-1]
    explained = prompt in ("learning_infeasible", "learning_unsatisfied")
    read = _understood(words, things)
    problem = "" if read or (explained and "does not work" in words) else "I do not understand."
    state = [_literal(name, args, truth) for name, args, truth in read]
    values: dict[str, object] = {"problem": problem}
    if prompt != "learning_translate":
        new = dict.fromkeys(name for name, _, _ in read if name not in known)
        values["predicates"] = [_introduced(name) for name in new]
    if not explained:
        return _reply(goal=state, **values)
    if prompt == "learning_infeasible":
        values["preconditions"] = [_literal(name, args, not truth) for name, args, truth in read]
    return _reply(state=state, verdict=prompt.removeprefix("learning_"), **values)


_Read = tuple[str, list[str], bool]


def _literal(name: str, args: list[str], truth: bool) -> str:
    return ("" if truth else "not ") + f"{name}({', '.join(args)})"


def _understood(words: str, things: list[str]) -> list[_Read]:
    """Predicate, arguments and truth of each thing that is said."""
    if stack := _STACK.search(words):
        names = [n.replace(" ", "_") for n in (stack[1], *stack[2].split(", then the "))]
        return [("on", [a, b], True) for b, a in pairwise(names)]
    for pattern, name, truth in SAYINGS:
        match = re.search(pattern, words)
        if match is None:
            continue
        args = [match[k].replace(" ", "_") for k in PREDICATES[name][0]]
        return [(name, args, truth)] if set(args) <= set(things) else []
    return []


def _introduced(name: str) -> dict[str, object]:
    parameters, holds, fails = PREDICATES[name]
    entry = {"name": name, "parameters": list(parameters), "holds": holds, "fails": fails}
    return {**entry, "limits": [], "kinds": []}
