"""No language model: only controlled English is understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply


class NoModel:
    """Refuses every question. It is falsy, so `if model:` asks whether there is a model."""

    model = "none"

    def __bool__(self) -> bool:
        return False

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Raises MODEL_UNAVAILABLE."""
        del messages, schema
        raise SaySoError(
            Code.MODEL_UNAVAILABLE,
            "no language model is configured.",
            hint="choose one, such as llm:=openai, or use the words of controlled English.",
        )
