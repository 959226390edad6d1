"""A language model's double on the wire: it reads the prompt and does what a hasty model would.

It knows one task, "Put the A on the B": it picks A up, puts it on B and is done, whatever stands in
the way; told that something is on a thing, it moves that first.
"""

from __future__ import annotations

import json
import re
from typing import Any

from support.chat_server import Answer, ChatServer

PROGRAM = """
def policy(things, gripper, done):
    if things["{a}"]["held"]:
        return ["place_first_on_second", "{a}", "{b}"]
    return None if done else ["pick_up", "{a}"]
"""


class HastyModel(ChatServer):
    """Answers the prompts of the compared planners."""

    def __init__(self) -> None:
        super().__init__(["{}"])

    def next_answer(self, request: dict[str, Any]) -> Answer:
        super().next_answer(request)
        system, user = (m["content"] for m in request["messages"][:2])
        if "baseline_policy" in system:
            return Answer(json.dumps({"code": _program(user), "problem": ""}))
        action, things = _choice(user)
        return Answer(json.dumps({"thought": "", "action": action, "things": things}))


def _part(text: str, label: str) -> str:
    found = re.search(rf"<<<DATA {label}\n(.*?)\nDATA>>>", text, re.DOTALL)
    return found[1] if found else ""


def _objects(user: str) -> tuple[str, str]:
    words = re.match(r"Put the (.+) on the (.+)\.", _part(user, "task"))
    if words is None:
        return "", ""
    a, b = (w.replace(" ", "_") for w in words.groups())
    return a, b


def _program(user: str) -> str:
    a, b = _objects(user)
    return PROGRAM.format(a=a, b=b) if a and b != "table" else "def policy(t, g, d): return None"


def _choice(user: str) -> tuple[str, list[str]]:
    a, b = _objects(user)
    done = _part(user, "done")
    if not a or b == "table" or f"place_first_on_second({a}" in done:
        return "done", []
    if "pick_up" not in done:
        return "pick_up", [a]
    return "place_first_on_second", [a, b]
