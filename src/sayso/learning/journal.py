"""The experience on disk: one line for each scene, entry and version, only ever appended.

    {"format": 1}
    {"scene": {...}}          numbered from 0 in the order of the file
    {"said": {...}}           entries name scenes by number
    {"tried": {...}}
    {"saved": 3}              the entry before this line led to version 3 of the library
    {"used": 2}               version 2 is in use again: what was in force with it is so again

So the words that are known always are those of the version in use. What was said with a version
that was undone stays in the file, and is in force again when that version is.

A line counts once it ends. What a killed process wrote of a line is cut off when the journal is
next opened; it had not been concluded from yet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.files import check_format
from sayso.core.library import parse_literal
from sayso.core.scene import Scene
from sayso.core.scene_data import Data, scene_from_data, scene_to_data, tuples
from sayso.core.symbols import Literal
from sayso.learning.experience import Answered, Compared, Entry, Experience, Said, Tried, scenes_of
from sayso.learning.feedback import Action, Feedback, FeedbackKind
from sayso.learning.synonyms import Synonym
from sayso.learning.synthesis.labels import Bound, Concept, Members

FORMAT = 1


class Journal:
    """A file that the experience is kept in. One process at a time may write.

    Raises:
        SaySoError: CORRUPT for a file that is no journal, naming the line; INVALID for a format
            that this SaySo does not know.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.experience = Experience()
        self._in_use = 0
        self._since = 0
        self._in_force: dict[int, tuple[Entry, ...]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = self._whole_lines()
        if not lines:
            self._write([{"format": FORMAT}])
        for number, line in enumerate(lines, 1):
            self._take(number, line)
        self._kept = len(self.experience.scenes)

    def saved(self, version: int) -> None:
        """The library has become this version, because of the entry that was kept last."""
        self._write([{"saved": version}])
        self._save(version)

    def use(self, version: int) -> None:
        """Take up what was in force with a version of the library that may be another one.

        One that this journal has not heard of, as after a change by hand, changes nothing.
        """
        if version != self._in_use:
            self._write([{"used": version}])
            self._use(version)

    def _save(self, version: int) -> None:
        entries = self.experience.entries
        known = self._since < len(entries)
        self._in_force[self._in_use] = tuple(entries[:-1] if known else entries)
        self._in_use, self._since = version, len(entries)

    def _use(self, version: int) -> None:
        entries = self.experience.entries
        self._in_force[self._in_use] = tuple(entries)
        entries[:] = self._in_force.get(version, entries)
        self._in_use, self._since = version, len(entries)

    def keep(self, entry: Entry) -> None:
        """Write an entry and the scenes that are new; on disk when this returns."""
        numbers = [self.experience.number(s) for s in scenes_of(entry)]
        lines = [{"scene": scene_to_data(s)} for s in self.experience.scenes[self._kept :]]
        self._write([*lines, entry_to_data(entry, numbers)])
        self._kept = len(self.experience.scenes)

    def _whole_lines(self) -> list[bytes]:
        """The lines that end; what follows the last of them is cut off."""
        if not self.path.exists():
            return []
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            os.truncate(self.path, end)
        return data[:end].splitlines()

    def _write(self, lines: Sequence[Data]) -> None:
        with self.path.open("ab") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines).encode())
            file.flush()
            os.fsync(file.fileno())

    def _take(self, number: int, line: bytes) -> None:
        try:
            data = json.loads(line)
            if number == 1:
                check_format(self.path, data["format"], FORMAT)
            elif "scene" in data:
                self.experience.number(scene_from_data(data["scene"]))
            elif "saved" in data:
                self._save(int(data["saved"]))
            elif "used" in data:
                self._use(int(data["used"]))
            else:
                self.experience.add(entry_from_data(data, self.experience.scenes))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise SaySoError(
                Code.CORRUPT,
                f"line {number} of {self.path} is no entry of a journal: {error!r}.",
                hint="restore the file, or take that line out.",
            ) from error


def entry_to_data(entry: Entry, scenes: Sequence[int]) -> Data:
    """An entry as plain values; its scenes by number."""
    if isinstance(entry, Said):
        feedback = entry.feedback and _feedback_to_data(entry.feedback)
        return {"said": {"scene": scenes[0], "words": entry.words, "feedback": feedback,
                         "action": _action_to_data(entry.action),
                         "goal": [str(x) for x in entry.goal]}}  # fmt: skip
    if isinstance(entry, Tried):
        return {"tried": {"before": scenes[0], "after": scenes[1],
                          "action": _action_to_data(entry.action),
                          "succeeded": entry.succeeded}}  # fmt: skip
    if isinstance(entry, Answered):
        return {"answered": {"scene": scenes[0], "literal": str(entry.literal),
                             "words": entry.words, "final": entry.final}}  # fmt: skip
    return {"compared": {**vars(entry.synonym), "same": entry.same, "words": entry.words}}


def entry_from_data(data: Mapping[str, Any], scenes: Sequence[Scene]) -> Entry:
    """The entry that `entry_to_data` wrote."""
    ((kind, body),) = data.items()
    if kind == "said":
        feedback = body["feedback"] and _feedback(body["feedback"])
        return Said(scenes[body["scene"]], body["words"], feedback, _action(body["action"]),
                    _literals(body["goal"]))  # fmt: skip
    if kind == "tried":
        action = Action(body["action"][0], tuple(body["action"][1:]))
        return Tried(scenes[body["before"]], action, scenes[body["after"]], body["succeeded"])
    if kind == "answered":
        literal = parse_literal(body["literal"])
        return Answered(scenes[body["scene"]], literal, body["words"], body["final"])
    if kind == "compared":
        rest = {k: v for k, v in body.items() if k not in ("same", "words")}
        return Compared(Synonym(**tuples(rest)), body["same"], body["words"])
    raise ValueError(f"'{kind}' is no kind of entry")


def _feedback_to_data(feedback: Feedback) -> Data:
    return {
        "kind": feedback.kind.name,
        "literals": [str(x) for x in feedback.literals],
        "preconditions": [str(x) for x in feedback.preconditions],
        "concepts": [_concept_to_data(c) for c in feedback.concepts],
        "text": feedback.text,
    }


def _feedback(data: Mapping[str, Any]) -> Feedback:
    return Feedback(
        FeedbackKind[data["kind"]],
        _literals(data["literals"]),
        _literals(data["preconditions"]),
        tuple(map(_concept, data["concepts"])),
        data["text"],
    )


def _concept_to_data(concept: Concept) -> Data:
    definitions = [{"kind": type(d).__name__, **vars(d)} for d in concept.definitions]
    return {**vars(concept), "definitions": definitions}


def _concept(data: Mapping[str, Any]) -> Concept:
    definitions = tuple(map(_definition, data["definitions"]))
    return Concept(**tuples({**data, "definitions": definitions}))


def _definition(data: Mapping[str, Any]) -> Bound | Members:
    kinds = {"Bound": Bound, "Members": Members}
    rest = tuples({k: v for k, v in data.items() if k != "kind"})
    made: Bound | Members = kinds[data["kind"]](**rest)
    return made


def _literals(texts: Sequence[str]) -> tuple[Literal, ...]:
    return tuple(map(parse_literal, texts))


def _action_to_data(action: Action | None) -> list[str] | None:
    return None if action is None else [action.name, *action.args]


def _action(data: Sequence[str] | None) -> Action | None:
    return None if data is None else Action(data[0], tuple(data[1:]))
