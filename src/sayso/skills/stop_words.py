"""Words that stop the robot at once, whatever else would be made of them."""

from __future__ import annotations

import re

_HALT = frozenset({"stop", "halt", "freeze", "cancel"})
_ADDRESS = {
    "hey",
    "ok",
    "okay",
    "please",
    "no",
    "oh",
    "and",
    "just",
    "robot",
    "sayso",
    "your",
    "arm",
}
_AT_ONCE = {"now", "at", "once", "immediately", "right", "away", "emergency"}
_WHAT = {
    "it",
    "that",
    "this",
    "everything",
    "all",
    "the",
    "a",
    "task",
    "moving",
    "motion",
    "motions",
}
_DOING = {"what", "you", "are", "you're", "doing", "hand"}
_BESIDE = frozenset(_ADDRESS | _AT_ONCE | _WHAT | _DOING)
"""Words that may stand beside them without making them mean anything else."""
_LONGEST = 8


def asks_to_halt(words: str) -> bool:
    """Whether the words ask for nothing but to stop: "Stop!", "please halt", "cancel that".

    "Stop at the sofa" asks for something else, and so does "don't stop".
    """
    said = re.findall(r"[a-z']+", words.lower())
    others = [w for w in said if w not in _HALT]
    known = not re.search(r"\d", words) and all(w in _BESIDE for w in others)
    return len(others) < len(said) <= _LONGEST and known
