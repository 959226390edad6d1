"""Find out from the output of launched nodes which of them has failed, and why."""

from __future__ import annotations

import re

_ENDED = re.compile(
    r"^\[launch\] (\w+) has ended, (?:exit code (?!0\b)|signal )"  # sayso.ros.launch.launch_runner
    r"|^\[ERROR\] \[(\w+)-\d+\]: process has died",  # ros2 launch
    re.MULTILINE,
)
_FATAL = r"^\[{}(?:-\d+)?\] \[FATAL\] .*?\]: (.*)$"


def failed_node(log: str) -> tuple[str, str] | None:
    """The first node that ended by itself with a failure, and its last words or ''."""
    ended = _ENDED.search(log)
    if ended is None:
        return None
    name = ended[1] or ended[2]
    words = re.findall(_FATAL.format(re.escape(name)), log, re.MULTILINE)
    return name, words[-1] if words else ""


def page_address(log: str) -> str:
    """Where the node `console` serves its page, or ''."""
    found = re.search(r"\bconsole: (https?://\S+/)$", log, re.MULTILINE)
    return found[1] if found else ""
