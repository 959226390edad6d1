"""Chat completions over HTTP with the `openai` package: OpenAI, vLLM, Ollama, llama.cpp, ..."""

from __future__ import annotations

import email.utils
import json
import logging
import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import httpx2
import openai

from sayso.adapters.llm.chat_format import Dialect, reply_of
from sayso.adapters.llm.exchange import Exchange, OverdueError
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply, UnusableReplyError
from sayso.language.model import checked

_LOG = logging.getLogger(__name__)
for _library in ("openai", "httpx2", "httpcore2"):
    # They log what a server puts into its headers, which may be the key that it was sent.
    logging.getLogger(_library).setLevel(logging.WARNING)
_RETRIED_STATUS = frozenset({408, 409, 429})
_NO_KEY = "none"
_HIDDEN = "***"
_SHORTEST_KEY = 8
"""What is shorter stands for a key where a server wants none ("x", "none", "EMPTY"): no secret, and
a word that replies may have."""
_SHOWN_CHARACTERS = 600
_HINTS: Mapping[int, str] = {
    401: "check OPENAI_API_KEY.",
    402: "pay for the account, or take another model.",
    403: "check what OPENAI_API_KEY may do.",
    404: "check the model's name and OPENAI_BASE_URL.",
    429: "wait, or check the account's limits.",
}
_SPENT = ("insufficient_quota", "billing", "credit", "exceeded your current quota")
"""What servers say that refuse because of money: asking again does not help."""


class OpenAIChat:
    """A model behind an OpenAI-compatible server.

    The server's address and the key come from `OPENAI_BASE_URL` and `OPENAI_API_KEY` unless
    `base_url` is given; a server of one's own needs no key. What a server does not take (a name
    for the limit, a temperature, a reply format, a system message, log probabilities) is left out
    from then on.

    Args:
        model: the model's name at the server, with its revision where it has one.
        timeout_s: for a call as a whole, with its retries.
        max_tokens: limit of a reply, with the reasoning before it.
        attempts: calls for one question when the server is busy, failing or unreachable.
        backoff_s: wait before the second call; doubles for each further one. A wait that the
            server asks for takes precedence.
        logprobs: whether to ask for the log probabilities of a reply's tokens.
        wait: how to wait, in seconds.

    Raises:
        SaySoError: CONFIG for a missing name or an option out of its range.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "",
        *,
        timeout_s: float = 60.0,
        temperature: float = 0.0,
        max_tokens: int = 4000,
        attempts: int = 3,
        backoff_s: float = 0.5,
        logprobs: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model:
            raise SaySoError(
                Code.CONFIG, "no model is named.", hint="set model:=NAME as the server knows it."
            )
        if not (timeout_s > 0 and 0 <= temperature <= 2 and max_tokens >= 1 and attempts >= 1):
            raise SaySoError(
                Code.CONFIG,
                "a timeout is more than 0 s, a temperature 0 to 2, max_tokens and attempts are at "
                f"least 1; got {timeout_s:g}, {temperature:g}, {max_tokens} and {attempts}.",
            )
        self.model = model
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._attempts = attempts
        self._backoff_s = backoff_s
        self._logprobs = logprobs
        self._wait = wait
        self._key = ""
        self._client: openai.OpenAI | None = None
        self._dialect = Dialect()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The model's reply, within the time for a call.

        Raises:
            SaySoError: MODEL_TIMEOUT; MODEL_UNAVAILABLE (unreachable, refused, still failing);
                MODEL_REPLY (refused by the model, cut short, not JSON, not matching the schema).
        """
        try:
            body = self._answered(messages, schema)
            reply = self._without_key(reply_of(body, self.model, self._max_tokens))
            return reply if schema is None else self._without_key(checked(reply, schema))
        except SaySoError as error:
            raise self._shown(error) from None

    def _answered(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> bytes:
        deadline = time.monotonic() + self._timeout_s
        failure = _unavailable("the language model was not asked.")
        wait_s: float | None = None
        for attempt in range(self._attempts):
            if attempt and not self._pause(attempt, wait_s, deadline):
                break
            try:
                return self._ask(messages, schema, deadline)
            except (openai.APITimeoutError, OverdueError) as error:
                raise _timeout(self._timeout_s) from error
            except openai.APIConnectionError as error:
                cause = error.__cause__ or error
                failure = _unavailable(f"the language model's server cannot be reached: {cause}.")
                wait_s = None
            except openai.APIStatusError as error:
                failure, wait_s = _status_failure(error), _asked_wait_s(error)
                if not _worth_retrying(error):
                    raise failure from error
            shown = self._shown(failure).message
            _LOG.warning("call %d of %d: %s", attempt + 1, self._attempts, shown)
        raise failure

    def _pause(self, attempt: int, asked_s: float | None, deadline: float) -> bool:
        """Waits before a further call; False if that would be past the deadline."""
        wait_s = self._backoff_s * 2 ** (attempt - 1) if asked_s is None else asked_s
        if time.monotonic() + wait_s >= deadline:
            return False
        self._wait(wait_s)
        return True

    def _ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, deadline: float
    ) -> bytes:
        """The server's answer, to the strictest request that the server takes."""
        while True:
            dialect = self._dialect
            try:
                return self._call(dialect.request(messages, schema), dialect, deadline)
            except openai.APIStatusError as error:
                weaker = dialect.conceding(error.status_code, _said(error))
                if weaker is None:
                    raise
                _LOG.info("the server does not take %s; using %s", dialect, weaker)
                self._dialect = weaker

    def _call(self, request: Mapping[str, Any], dialect: Dialect, deadline: float) -> bytes:
        """The body of the server's answer. Raises what `openai` does, OverdueError, SaySoError."""
        connected = self._connected()
        left_s = max(deadline - time.monotonic(), 0.001)
        options: dict[str, Any] = {dialect.limit: self._max_tokens}
        if dialect.temperature:
            options["temperature"] = self._temperature
        if self._logprobs and dialect.logprobs:
            options["logprobs"] = True

        def send(http: httpx2.Client) -> bytes:
            chat = connected.with_options(http_client=http).chat.completions
            answer = chat.with_raw_response.create(
                model=self.model, timeout=left_s, **options, **request
            )
            return bytes(answer.content)

        return Exchange(deadline).run(send)

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            base_url = self._base_url or os.environ.get("OPENAI_BASE_URL") or None
            self._key = _key()
            key = self._key or (_NO_KEY if base_url else None)
            try:
                self._client = openai.OpenAI(api_key=key, base_url=base_url, max_retries=0)
            except openai.OpenAIError as error:
                raise _unavailable(
                    "there is no key for the language model.",
                    "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",
                ) from error
            except httpx2.InvalidURL as error:
                raise SaySoError(
                    Code.CONFIG,
                    f"'{base_url}' is no address of a server: {error}.",
                    hint="write it as http://HOST:PORT/v1.",
                ) from error
        return self._client

    def _shown(self, error: SaySoError) -> SaySoError:
        """The error without the key, and without what a terminal would obey, whatever a server or
        a library put into its words.
        """
        plain = "".join(c if c.isprintable() else " " for c in error.message)
        hidden = self._hidden(plain)
        if len(hidden) > _SHOWN_CHARACTERS:
            hidden = f"{hidden[:_SHOWN_CHARACTERS]} ..."
        error.message, error.args = hidden, (hidden,)
        if isinstance(error, UnusableReplyError):
            error.reply = self._without_key(error.reply)
        return error

    def _without_key(self, reply: Reply) -> Reply:
        data = self._hidden_in(reply.data)
        # JSON can write the key in other letters than its own.
        text = reply.text if data == reply.data else json.dumps(data, ensure_ascii=False)
        said = "".join(token for token, _ in reply.tokens)
        return replace(
            reply,
            text=self._hidden(text),
            data=data,
            model=self._hidden(reply.model),
            tokens=reply.tokens if self._hidden(said) == said else (),
        )

    def _hidden_in(self, data: Any) -> Any:
        """The same data, with the key in none of its texts."""
        if isinstance(data, str):
            return self._hidden(data)
        if isinstance(data, Mapping):
            return {self._hidden(k): self._hidden_in(v) for k, v in data.items()}
        return [self._hidden_in(v) for v in data] if isinstance(data, list) else data

    def _hidden(self, text: str) -> str:
        if len(self._key) < _SHORTEST_KEY:
            return text
        return re.sub(re.escape(self._key), _HIDDEN, text, flags=re.IGNORECASE)


def _key() -> str:
    """The key of the environment. Raises CONFIG if it cannot be sent."""
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SaySoError(
            Code.CONFIG,
            "OPENAI_API_KEY has characters that no key has.",
            hint="copy the key anew; it is letters, digits and signs in one line.",
        )
    return key


def _said(error: openai.APIStatusError) -> str:
    """What the server says of its refusal."""
    body = error.body
    said = body.get("message") if isinstance(body, Mapping) else body
    text = said if isinstance(said, str) and said else error.message
    return "a page for people" if text.lstrip().startswith("<") else text


def _worth_retrying(error: openai.APIStatusError) -> bool:
    spent = error.status_code == 429 and any(sign in _codes(error) for sign in _SPENT)
    return not spent and (error.status_code in _RETRIED_STATUS or error.status_code >= 500)


def _codes(error: openai.APIStatusError) -> str:
    """All that tells why, in small letters."""
    return f"{error.code} {error.type} {_said(error)}".lower()


def _asked_wait_s(error: openai.APIStatusError) -> float | None:
    """The wait that the server asks for in its headers; None if it asks for none that makes sense.

    `retry-after` is a number of seconds or a date (RFC 9110, section 10.2.3).
    """
    headers = error.response.headers
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait_s = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if math.isfinite(wait_s) and wait_s >= 0:
            return wait_s
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    # Without a zone the date is in UTC.
    until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
    return max((until - datetime.now(timezone.utc)).total_seconds(), 0.0)


def _unavailable(message: str, hint: str = "") -> SaySoError:
    return SaySoError(
        Code.MODEL_UNAVAILABLE,
        message,
        hint=hint or "check the server and OPENAI_BASE_URL, or use controlled English.",
    )


def _timeout(timeout_s: float) -> SaySoError:
    return SaySoError(
        Code.MODEL_TIMEOUT,
        f"the language model did not reply within {timeout_s:g} s.",
        hint="try again, raise the timeout, or use controlled English.",
    )


def _status_failure(error: openai.APIStatusError) -> SaySoError:
    status = error.status_code
    message = f"the language model's server answered {status}: {_said(error)}"
    if not _worth_retrying(error) and status == 429:
        return _unavailable(message, _HINTS[402])
    return _unavailable(message, _HINTS.get(status, ""))
