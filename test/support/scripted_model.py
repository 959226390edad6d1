"""A language model that says what it was told to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply, UnusableReplyError
from sayso.language.model import checked


class ScriptedModel:
    """Gives its replies in turn, and keeps what it was asked.

    Args:
        replies: texts, or errors to raise instead.
    """

    model = "scripted"

    def __init__(self, replies: Iterable[str | SaySoError] = ()) -> None:
        self._replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The next reply. Raises MODEL_UNAVAILABLE when there is none left."""
        self.asked.append(tuple(messages))
        if not self._replies:
            raise SaySoError(Code.MODEL_UNAVAILABLE, "the scripted model has no reply left.")
        reply = self._replies.pop(0)
        if isinstance(reply, SaySoError):
            raise reply
        said = Reply(reply, None, sum(len(m.content) for m in messages), len(reply), self.model)
        if not reply:
            raise UnusableReplyError("the reply is empty.", said)
        return said if schema is None else checked(said, schema)
