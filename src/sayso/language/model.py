"""Asking a language model: versioned prompts, fenced data, checked replies, one repair round."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from string import Template
from typing import Any, TypeVar

from jsonschema.exceptions import best_match
from jsonschema.validators import validator_for

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message, Reply, UnusableReplyError

T = TypeVar("T")


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
    inert = re.sub(r"[<>]{3,}", "", text)
    return f"<<<DATA {label}\n{inert}\nDATA>>>"


def checked(reply: Reply, schema: Mapping[str, Any]) -> Reply:
    """The reply with the JSON that its text is, checked against its schema.

    Raises:
        UnusableReplyError: saying what does not match.
    """
    try:
        data = _json_in(reply.text)
        # Half a pair of surrogates, as JSON can write it, is no text that can be passed on.
        json.dumps(data, ensure_ascii=False).encode("utf-8")
        fault = best_match(_validator(json.dumps(schema)).iter_errors(data))
    except RecursionError as error:
        raise UnusableReplyError("the reply is nested too deeply.", reply) from error
    except UnicodeError as error:
        raise UnusableReplyError(f"the reply is no text: {error}.", reply) from error
    except ValueError as error:
        raise UnusableReplyError(f"the reply is not JSON: {error}.", reply) from error
    if fault is not None:
        message = f"the reply does not match its schema: {fault.message}."
        raise UnusableReplyError(message, reply) from fault
    if not isinstance(data, dict):
        raise UnusableReplyError("the reply is not a JSON object.", reply)
    return replace(reply, data=data)


def _json_in(text: str) -> Any:
    """The JSON that a text is, or the object that stands in it among other words.

    Raises ValueError, RecursionError.
    """
    try:
        return json.loads(text)
    except ValueError:
        start, end = text.find("{"), text.rfind("}")
        if start < 0 or (start, end + 1) == (0, len(text)):
            raise
        try:
            return json.loads(text[start : end + 1])
        except ValueError:
            pass
        raise


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
) -> tuple[T, Reply]:
    """What `read` makes of the reply, after at most one repair round.

    `read` raises NOT_UNDERSTOOD or INVALID for a reply it cannot use; reply and error go back to
    the model once.

    Raises:
        SaySoError: MODEL_REPLY if the second reply cannot be used either, or there is none that
            could be mended; MODEL_UNAVAILABLE and MODEL_TIMEOUT from the model.
    """
    try:
        return _round(model, messages, schema, read)
    except UnusableReplyError as first:
        repair = [*messages, *_repair(first)]
    try:
        return _round(model, repair, schema, read)
    except UnusableReplyError as second:
        raise SaySoError(
            Code.MODEL_REPLY,
            f"the language model's reply could not be used, twice: {second.message}",
            hint="rephrase the instruction, or use the words of controlled English.",
        ) from second


def _repair(unusable: UnusableReplyError) -> list[Message]:
    """The bad reply, and what is wrong with it."""
    text = unusable.reply.text
    said = [Message("assistant", text)] if text.strip() else []
    cause = unusable.__cause__
    complaint = fenced("error", str(cause if isinstance(cause, SaySoError) else unusable))
    words = f"That reply cannot be used.\n{complaint}\nReply again, with this mended."
    return [*said, Message("user", words)]


def _round(
    model: LanguageModel,
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], T],
) -> tuple[T, Reply]:
    reply = model.complete(messages, schema=schema)
    reply = reply if reply.data is not None else checked(reply, schema)
    try:
        return read(reply.data or {}), reply
    except SaySoError as error:
        if error.code in (Code.NOT_UNDERSTOOD, Code.INVALID):
            raise UnusableReplyError(error.message, reply) from error
        raise
