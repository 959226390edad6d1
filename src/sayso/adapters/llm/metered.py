"""What a language model was asked, and what that took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.ports import LanguageModel, Message, Reply, UnusableReplyError


@dataclass(frozen=True)
class Usage:
    """Calls and tokens; those paid for leave out what was recorded before."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    paid_prompt_tokens: int = 0
    paid_completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(a + b for a, b in zip(self._numbers, other._numbers, strict=True)))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*(a - b for a, b in zip(self._numbers, other._numbers, strict=True)))

    @property
    def _numbers(self) -> tuple[int, ...]:
        return (
            self.calls,
            self.prompt_tokens,
            self.completion_tokens,
            self.paid_prompt_tokens,
            self.paid_completion_tokens,
        )


class Metered:
    """Asks another model; `usage` is what that took so far, replies that could not be used too."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner
        self.usage = Usage()

    def __bool__(self) -> bool:
        return bool(self._inner)

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The other model's reply."""
        try:
            reply = self._inner.complete(messages, schema=schema)
        except UnusableReplyError as error:
            self._count(error.reply)
            raise
        self._count(reply)
        return reply

    def _count(self, reply: Reply) -> None:
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        paid = (0, 0) if reply.recorded else (prompt, completion)
        self.usage += Usage(1, prompt, completion, *paid)
