"""Asking a language model: versioned prompts, fenced data, checked replies, one repair round."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from string import Template
from typing import Any, TypeVar

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message, Reply

T = TypeVar("T")

_FENCED_JSON = re.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """A prompt that ships with SaySo: `prompts/NAME.vN.txt` and its reply's JSON schema.

    A changed prompt is a new version in a new file, so that recorded replies stay valid.
    """

    name: str
    version: int
    template: str
    schema: Mapping[str, Any]

    @staticmethod
    @lru_cache(maxsize=64)
    def load(name: str, version: int) -> Prompt:
        folder = resources.files("sayso") / "language" / "prompts"
        template = (folder / f"{name}.v{version}.txt").read_text(encoding="utf-8")
        schema = (folder / f"{name}.v{version}.schema.json").read_text(encoding="utf-8")
        return Prompt(name, version, template, json.loads(schema))

    def text(self, **values: str) -> str:
        """The template with its values filled in."""
        return Template(self.template).substitute(values)

    def system(self, **values: str) -> Message:
        return Message("system", self.text(**values))


def fenced(label: str, text: str) -> str:
    """Text of the world as data: it cannot close its own fence."""
    inert = re.sub(r"<<<|>>>", "", text)
    return f"<<<DATA {label}\n{inert}\nDATA>>>"


def reply_data(text: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON of a reply, checked against its schema.

    Raises:
        SaySoError: MODEL_REPLY, saying what does not match.
    """
    match = _FENCED_JSON.match(text)
    try:
        data = json.loads(match[1] if match else text)
    except ValueError as error:
        raise SaySoError(Code.MODEL_REPLY, f"the reply is not JSON: {error}.") from error
    fault = best_match(_validator(json.dumps(schema)).iter_errors(data))
    if fault is not None:
        raise SaySoError(
            Code.MODEL_REPLY, f"the reply does not match its schema: {fault.message}."
        ) from fault
    if not isinstance(data, dict):
        raise SaySoError(Code.MODEL_REPLY, "the reply is not a JSON object.")
    return data


@lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    """Checks replies against a schema that is itself checked only once."""
    data = json.loads(schema)
    kind = validator_for(data)
    kind.check_schema(data)
    return kind(data)


def ask(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], T],
    timeout_s: float,
) -> tuple[T, Reply]:
    """What `read` makes of the reply, after at most one repair round.

    `read` raises NOT_UNDERSTOOD or INVALID for a reply it cannot use; the error goes back to
    the model once. `timeout_s` bounds each round.

    Raises:
        SaySoError: MODEL_REPLY if the second reply cannot be used either; MODEL_UNAVAILABLE and
            MODEL_TIMEOUT from the model.
    """
    try:
        return _round(model, messages, schema, read, timeout_s)
    except _UnusableError as first:
        repair = [*messages, *first.repair()]
    try:
        return _round(model, repair, schema, read, timeout_s)
    except _UnusableError as second:
        raise SaySoError(
            Code.MODEL_REPLY,
            f"the language model's reply could not be used, twice: {second.error.message}",
            hint="rephrase the instruction, or use the words of controlled English.",
        ) from second.error


class _UnusableError(Exception):
    """A reply that cannot be used, and why."""

    def __init__(self, reply: str, error: SaySoError) -> None:
        super().__init__(str(error))
        self.reply = reply
        self.error = error

    def repair(self) -> list[Message]:
        said = [Message("assistant", self.reply)] if self.reply else []
        complaint = fenced("error", str(self.error))
        return [
            *said,
            Message(
                "user", f"That reply cannot be used.\n{complaint}\nReply again, with this mended."
            ),
        ]


def _round(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], T],
    timeout_s: float,
) -> tuple[T, Reply]:
    try:
        reply = model.complete(messages, schema=schema, timeout_s=timeout_s)
    except SaySoError as error:
        if error.code is Code.MODEL_REPLY:
            raise _UnusableError("", error) from error
        raise
    data = reply.data if reply.data is not None else reply_data(reply.text, schema)
    try:
        return read(data), reply
    except SaySoError as error:
        if error.code in (Code.NOT_UNDERSTOOD, Code.INVALID):
            raise _UnusableError(reply.text, error) from error
        raise
