"""Chat completions over HTTP with the `openai` package: OpenAI, vLLM, Ollama, llama.cpp, ..."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply
from sayso.language.model import reply_data

_LOG = logging.getLogger(__name__)
_FORMATS = ("json_schema", "json_object", "text")
_RETRIED_STATUS = frozenset({408, 409, 429})


class OpenAIChat:
    """A model behind an OpenAI-compatible server.

    The server's address and the key come from `OPENAI_BASE_URL` and `OPENAI_API_KEY` unless
    `base_url` is given; a server of one's own needs no key.

    Args:
        model: the model's name at the server, with its revision where it has one.
        attempts: calls for one question when the server is busy, failing or unreachable.
        backoff_s: wait before the second call; doubles for each further one. A wait that the
            server asks for takes precedence.
        wait: how to wait, in seconds.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "",
        *,
        temperature: float = 0.0,
        max_tokens: int = 2000,
        attempts: int = 3,
        backoff_s: float = 0.5,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        if not model:
            raise SaySoError(
                Code.CONFIG, "no model is named.", hint="set model:=NAME as the server knows it."
            )
        self.model = model
        self._base_url = base_url
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._attempts = attempts
        self._backoff_s = backoff_s
        self._wait = wait
        self._client: openai.OpenAI | None = None
        self._format = _FORMATS[0]

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        timeout_s: float = 60.0,
    ) -> Reply:
        """The model's reply within `timeout_s`, retries included.

        Raises:
            SaySoError: MODEL_TIMEOUT; MODEL_UNAVAILABLE (unreachable, refused, still failing);
                MODEL_REPLY (cut short, not JSON, not matching the schema).
        """
        deadline = time.monotonic() + timeout_s
        failure = _unavailable("the language model was not asked.")
        for attempt in range(self._attempts):
            if attempt and not self._pause(attempt, failure, deadline):
                break
            try:
                return self._reply(self._ask(messages, schema, deadline), schema)
            except openai.APITimeoutError as error:
                raise _timeout(timeout_s) from error
            except openai.APIConnectionError as error:
                failure = _unavailable(f"the language model's server cannot be reached: {error}")
            except openai.APIStatusError as error:
                failure = _status_failure(error)
                if not _worth_retrying(error):
                    raise failure from error
            _LOG.warning("call %d of %d: %s", attempt + 1, self._attempts, failure.message)
        raise failure

    def _pause(self, attempt: int, failure: SaySoError, deadline: float) -> bool:
        """Waits before a further call; False if that would be past the deadline."""
        asked = _asked_wait_s(failure.__cause__)
        wait_s = self._backoff_s * 2 ** (attempt - 1) if asked is None else asked
        if time.monotonic() + wait_s >= deadline:
            return False
        self._wait(wait_s)
        return True

    def _ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, deadline: float
    ) -> Any:
        """The server's answer, in the strictest reply format that the server takes."""
        while True:
            try:
                return self._call(messages, schema, deadline)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if schema is None or not self._weaken(error):
                    raise

    def _weaken(self, error: openai.APIStatusError) -> bool:
        """Turns to the next weaker reply format if the server refused this one."""
        index = _FORMATS.index(self._format)
        if "response_format" not in str(error) or index + 1 == len(_FORMATS):
            return False
        self._format = _FORMATS[index + 1]
        _LOG.info("the server does not take %s; using %s", _FORMATS[index], self._format)
        return True

    def _call(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, deadline: float
    ) -> Any:
        turns: list[Any] = [{"role": m.role, "content": m.content} for m in messages]
        options: dict[str, Any] = {}
        if schema is not None:
            if self._format != "json_schema":
                turns.append({"role": "system", "content": _in_words(schema)})
            options = _response_format(self._format, schema)
        try:
            return self._connected().chat.completions.create(
                model=self.model,
                messages=turns,
                temperature=self._temperature,
                max_tokens=self._max_tokens,
                timeout=max(deadline - time.monotonic(), 0.001),
                **options,
            )
        except openai.APIResponseValidationError as error:
            raise SaySoError(
                Code.MODEL_REPLY, f"the server's answer is malformed: {error}"
            ) from error
        except json.JSONDecodeError as error:
            raise SaySoError(
                Code.MODEL_REPLY, f"the server's answer is no JSON: {error}"
            ) from error

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            base_url = self._base_url or os.environ.get("OPENAI_BASE_URL") or None
            key = os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
            try:
                self._client = openai.OpenAI(api_key=key, base_url=base_url, max_retries=0)
            except openai.OpenAIError as error:
                raise SaySoError(
                    Code.MODEL_UNAVAILABLE,
                    "there is no key for the language model.",
                    hint="set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",
                ) from error
        return self._client

    def _reply(self, answer: Any, schema: Mapping[str, Any] | None) -> Reply:
        if not isinstance(answer, ChatCompletion) or not answer.choices:
            raise SaySoError(Code.MODEL_REPLY, "the server's answer holds no reply.")
        choice = answer.choices[0]
        if choice.finish_reason == "length":
            raise SaySoError(
                Code.MODEL_REPLY,
                f"the reply was cut short after {self._max_tokens} tokens.",
                hint="raise max_tokens.",
            )
        text = choice.message.content or ""
        if not text:
            raise SaySoError(Code.MODEL_REPLY, "the reply is empty.")
        return Reply(
            text=text,
            data=None if schema is None else reply_data(text, schema),
            prompt_tokens=answer.usage.prompt_tokens if answer.usage else 0,
            completion_tokens=answer.usage.completion_tokens if answer.usage else 0,
            model=answer.model or self.model,
        )


def _response_format(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    match name:
        case "json_schema":
            body = {k: v for k, v in schema.items() if k not in ("$schema", "title")}
            title = str(schema.get("title", "reply"))
            wanted = {"name": title, "schema": body, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": wanted}}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case _:
            return {}


def _in_words(schema: Mapping[str, Any]) -> str:
    return f"Reply with one JSON object, and nothing else, that matches: {json.dumps(schema)}"


def _worth_retrying(error: openai.APIStatusError) -> bool:
    return error.status_code in _RETRIED_STATUS or error.status_code >= 500


def _asked_wait_s(error: BaseException | None) -> float | None:
    """The wait that the server asked for in its headers."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
    return None


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
    hint = {
        401: "check OPENAI_API_KEY.",
        403: "check what OPENAI_API_KEY may do.",
        404: "check the model's name and OPENAI_BASE_URL.",
        429: "wait, or check the account's limits.",
    }.get(error.status_code, "")
    failure = _unavailable(
        f"the language model's server answered {error.status_code}: {error.message}", hint
    )
    failure.__cause__ = error
    return failure
