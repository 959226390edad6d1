"""Recorded replies: a JSONL file keyed by a hash of model, messages and schema.

One line for each recorded call:

    {"key": "...", "model": "...", "prompt": "...", "messages": [...], "reply": {...}}

A reply that was no answer, such as one that breaks the schema, has `unusable` in place of `reply`:
the model said it, and a replay has to meet it again. What it said is in it as `reply`, or null
there where nothing was said that could be mended.
`prompt` is the first line of the system message, where SaySo's prompts state their name and
version, and such lines of other messages. The key changes with any change of prompt, so a
stale recording is never replayed; the error then names the versions.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply, UnusableReplyError

_LOG = logging.getLogger(__name__)
_NAMED = re.compile(r"SaySo prompt (\w+), version (\d+)\.")


class NamedModel(Protocol):
    """A language model that tells which model it asks."""

    @property
    def model(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply: ...


def key_of(model: str, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
    """The hash under which a call's reply is kept."""
    call = {
        "model": model,
        "messages": [[m.role, m.content] for m in messages],
        "schema": schema,
    }
    text = json.dumps(call, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Replay:
    """Answers from a cassette and asks nobody.

    Args:
        cassette: the JSONL file.
        model: whose recorded replies; `inner` tells it for `replay[openai]`.
        record_with: how replies are recorded, as it is said where the cassette was named.

    Raises:
        SaySoError: MODEL_UNAVAILABLE if there is no such file; CORRUPT naming the line.
    """

    def __init__(
        self,
        cassette: str | Path,
        model: str = "",
        inner: NamedModel | None = None,
        record_with: str = "llm:=record[openai] cassette:=FILE",
    ) -> None:
        self.model = inner.model if inner is not None else model
        self._path = Path(cassette)
        self._record_with = record_with
        self._entries = _read(self._path, record_with)

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The recorded reply. Raises MODEL_UNAVAILABLE with the key and file if there is none."""
        model = self.model or _only_model(self._entries)
        key = key_of(model, messages, schema)
        if key not in self._entries:
            asked = _prompt(messages)
            raise SaySoError(
                Code.MODEL_UNAVAILABLE,
                f"{self._path} has no reply under {key} (model '{model}', {asked})."
                + _other_versions(asked, self._entries),
                hint=f"record it with {self._record_with}, and the same file.",
            )
        return _replayed(self._entries[key])


class Record:
    """Asks another model and appends what it replies to a cassette."""

    def __init__(self, cassette: str | Path, inner: NamedModel) -> None:
        self._path = Path(cassette)
        self._inner = inner

    @property
    def model(self) -> str:
        return self._inner.model

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The inner model's reply; that it cannot be reached is not recorded."""
        call = {
            "key": key_of(self.model, messages, schema),
            "model": self.model,
            "prompt": _prompt(messages),
            "messages": [{"role": m.role, "content": m.content} for m in messages],
        }
        try:
            reply = self._inner.complete(messages, schema=schema)
        except SaySoError as error:
            if error.code is Code.MODEL_REPLY:
                self._append({**call, "unusable": _as_json(error)})
            raise
        self._append({**call, "reply": asdict(reply)})
        return reply

    def _append(self, entry: Mapping[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8") + b"\n"
        # In one piece, since other processes may append too; after what was cut off, a new line.
        with self._path.open("a+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)
        _LOG.info("recorded a reply of %s in %s", self.model, self._path)


class Cached:
    """Asks another model what a cassette has no reply for, and adds it there.

    Of processes and threads that ask the same at once, one asks the model and the others wait for
    its reply. A line that was cut off counts as none.
    """

    def __init__(self, cassette: str | Path, inner: NamedModel) -> None:
        self._path = Path(cassette)
        self._record = Record(cassette, inner)
        self._entries: dict[str, dict[str, Any]] = {}
        self._read_bytes = 0
        self._asking: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    @property
    def model(self) -> str:
        return self._record.model

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The reply that is kept, or the model's."""
        key = key_of(self.model, messages, schema)
        if key in self._entries:
            return _replayed(self._entries[key])
        with self._asking[key], self._alone(key):
            self._read_on()
            if key in self._entries:
                return _replayed(self._entries[key])
            return self._record.complete(messages, schema=schema)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """No other process asks the same meanwhile; a process that dies lets the others go on."""
        place = int(key[:15], 16)
        fcntl.lockf(self._lock_file, fcntl.LOCK_EX, 1, place)
        try:
            yield
        finally:
            fcntl.lockf(self._lock_file, fcntl.LOCK_UN, 1, place)

    @cached_property
    def _lock_file(self) -> BinaryIO:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Open as long as this lives: closing it would give up every lock of this process.
        return Path(f"{self._path}.lock").open("ab")

    def _read_on(self) -> None:
        """Takes in what was appended since."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read_bytes)
            added = file.read()
        whole = added[: added.rfind(b"\n") + 1]
        self._read_bytes += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError, KeyError, TypeError):
                key, entry = _entry(line)
                self._entries[key] = entry


def _lines(path: Path, record_with: str) -> list[str]:
    hint = f"name another file, or record one with {record_with}."
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        message = f"the cassette {path} does not exist."
        raise SaySoError(Code.MODEL_UNAVAILABLE, message, hint=hint) from None
    except OSError as error:
        message = f"the cassette {path} cannot be read: {error.strerror}."
        raise SaySoError(Code.MODEL_UNAVAILABLE, message, hint=hint) from error
    except UnicodeDecodeError as error:
        message = f"the cassette {path} is not UTF-8 text: {error.reason}."
        raise SaySoError(Code.CORRUPT, message, hint=hint) from error


def _read(path: Path, record_with: str) -> dict[str, dict[str, Any]]:
    """Entries by key; of several under one key the last counts."""
    entries: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(_lines(path, record_with), start=1):
        try:
            key, entry = _entry(line)
        except (ValueError, KeyError, TypeError) as error:
            raise SaySoError(
                Code.CORRUPT,
                f"line {number} of {path} is no recorded reply: {error!r}.",
                hint=f"remove the line, and record its reply anew with {record_with}.",
            ) from error
        entries[key] = entry
    return entries


def _entry(line: str | bytes) -> tuple[str, dict[str, Any]]:
    """A line's key and what is recorded. Raises ValueError, KeyError or TypeError."""
    entry = json.loads(line)
    return entry["key"], {
        "model": entry["model"],
        "prompt": str(entry.get("prompt", "")),
        "unusable": dict(entry.get("unusable", {})),
        "reply": {} if "unusable" in entry else dict(entry["reply"]),
    }


def _only_model(entries: Mapping[str, Mapping[str, Any]]) -> str:
    models = {str(e["model"]) for e in entries.values()}
    if len(models) > 1:
        raise SaySoError(
            Code.CONFIG,
            "the cassette holds replies of several models.",
            hint="name the model.",
            choices=sorted(models),
        )
    return models.pop() if models else ""


def _replayed(entry: Mapping[str, Any]) -> Reply:
    """What was recorded, raised where it was unusable."""
    if entry["unusable"]:
        raise _unusable(entry["unusable"])
    return _reply(entry["reply"])


def _reply(recorded: Mapping[str, Any]) -> Reply:
    return Reply(
        text=str(recorded.get("text", "")),
        data=recorded.get("data"),
        prompt_tokens=int(recorded.get("prompt_tokens", 0)),
        completion_tokens=int(recorded.get("completion_tokens", 0)),
        model=str(recorded.get("model", "")),
        recorded=True,
        tokens=tuple((str(token), float(chance)) for token, chance in recorded.get("tokens", ())),
    )


def _as_json(error: SaySoError) -> dict[str, Any]:
    reply = asdict(error.reply) if isinstance(error, UnusableReplyError) else None
    return {"message": error.message, "hint": error.hint, "reply": reply}


def _unusable(recorded: Mapping[str, Any]) -> SaySoError:
    message, hint = str(recorded.get("message", "")), str(recorded.get("hint", ""))
    # Recordings of old do not tell what was said.
    reply = recorded.get("reply", {})
    if reply is None:
        return SaySoError(Code.MODEL_REPLY, message, hint=hint)
    return UnusableReplyError(message, _reply(reply), hint)


def _prompt(messages: Sequence[Message]) -> str:
    """The first lines that name a prompt and its version; the system message's in any case."""
    firsts = [(m.role, m.content.split("\n", 1)[0]) for m in messages]
    named = [line for role, line in firsts if role == "system" or _NAMED.match(line)]
    return " ".join(named)


def _other_versions(asked: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """A sentence for each prompt that was recorded in other versions than the one asked now."""
    recorded: dict[str, set[str]] = {}
    for entry in entries.values():
        for name, version in _NAMED.findall(entry["prompt"]):
            recorded.setdefault(name, set()).add(version)
    return "".join(
        f" It was recorded with prompt {name} version {', '.join(sorted(recorded[name]))}; "
        f"this is version {version}."
        for name, version in _NAMED.findall(asked)
        if name in recorded and version not in recorded[name]
    )
