"""Asking a language model so that whoever waits can give up at any moment."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Cancelled, LanguageModel, Message, Reply

_LOOK_S = 0.05


class Interruptible:
    """Asks another model in a thread, which is left behind when nobody wants the reply any more.

    The thread ends with the model's own time for a call at the latest.
    """

    def __init__(self, inner: LanguageModel, cancelled: Cancelled) -> None:
        self._inner = inner
        self._cancelled = cancelled

    def __bool__(self) -> bool:
        return bool(self._inner)

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The other model's reply. Raises CANCELLED, and what the other one raises."""
        told: Future[Reply] = Future()

        def ask() -> None:
            try:
                told.set_result(self._inner.complete(messages, schema=schema))
            except BaseException as error:  # noqa: BLE001 - the thread that waits gets it
                told.set_exception(error)

        threading.Thread(target=ask, name="asking a language model", daemon=True).start()
        while not told.done():
            if self._cancelled():
                raise SaySoError(
                    Code.CANCELLED, "the language model's reply is not wanted any more."
                )
            try:
                return told.result(_LOOK_S)
            except FutureTimeoutError:
                continue
        return told.result()
