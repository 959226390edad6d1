"""What goes to a chat server and what comes back, for servers as they are.

Servers that speak OpenAI's format differ in what they take and in what they send. A `Dialect` is
what one takes; `reply_of` reads whatever one sends.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, Reply, UnusableReplyError

ReplyFormat: TypeAlias = Literal["json_schema", "json_object", "text"]

_WEAKER: Mapping[ReplyFormat, ReplyFormat] = {"json_schema": "json_object", "json_object": "text"}
_REFUSING_STATUS = frozenset({400, 404, 415, 422, 500, 501})
_ABOUT_FORMAT = re.compile(
    r"response.?format|json.?(schema|object|mode)|guided|grammar|structured.?output", re.IGNORECASE
)
_ABOUT_SYSTEM = re.compile(
    r"system.{0,20}(role|message|prompt|instruction)|role.{0,20}system|developer instruction"
    r"|roles must alternate|only user and assistant",
    re.IGNORECASE,
)
_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_THINKING = re.compile(r"^\s*<think(?:ing)?>")


@dataclass(frozen=True)
class Dialect:
    """What a server takes; at first everything.

    Attributes:
        format: the strictest reply format.
        limit: its name for the limit of a reply's length.
        temperature: whether another one than its own may be asked for.
        system: whether its chat template has system messages.
        logprobs: whether it tells how probable a reply's tokens were.
    """

    format: ReplyFormat = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    system: bool = True
    logprobs: bool = True

    def request(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The messages, and the reply format if a schema is asked for, as the server wants them."""
        if schema is None:
            return {"messages": self._turns(messages)}
        if self.format != "json_schema":
            messages = (*messages, Message("user", _in_words(schema)))
        return {"messages": self._turns(messages), **_response_format(self.format, schema)}

    def conceding(self, status: int, said: str) -> Dialect | None:
        """What the server takes instead, by what it said; None if it refuses something else."""
        if status not in _REFUSING_STATUS:
            return None
        if self.limit == "max_tokens" and "max_tokens" in said:
            return replace(self, limit="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.logprobs and "logprobs" in said:
            return replace(self, logprobs=False)
        if self.system and _ABOUT_SYSTEM.search(said):
            return replace(self, system=False)
        if self.format in _WEAKER and _ABOUT_FORMAT.search(said):
            return replace(self, format=_WEAKER[self.format])
        return None

    def _turns(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        """The system's words first, then person and model in turns: some templates want it so."""
        system = "\n\n".join(m.content for m in messages if m.role == "system")
        turns = [{"role": "system" if self.system else "user", "content": system}] if system else []
        for message in messages:
            if message.role == "system":
                continue
            if turns and turns[-1]["role"] == message.role:
                turns[-1]["content"] += f"\n\n{message.content}"
            else:
                turns.append({"role": message.role, "content": message.content})
        return turns


def _response_format(name: ReplyFormat, schema: Mapping[str, Any]) -> dict[str, Any]:
    if name == "text":
        return {}
    if name == "json_object":
        return {"response_format": {"type": "json_object"}}
    body = {k: v for k, v in schema.items() if k not in ("$schema", "title")}
    title = str(schema.get("title", "reply"))
    wanted = {"name": title, "schema": body, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _in_words(schema: Mapping[str, Any]) -> str:
    return f"Reply with one JSON object, and nothing else, that matches: {json.dumps(schema)}"


# -- what comes back --------------------------------------------------------------------------


def reply_of(body: bytes, model: str, max_tokens: int) -> Reply:
    """The reply in a server's answer; `model` is its name if the server tells none.

    Raises:
        SaySoError: MODEL_REPLY saying what is wrong; an `UnusableReplyError` for an empty reply.
    """
    answer = _answer(body)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise _malformed("the server's answer holds no reply", _error_in(answer))
    text = _content(message)
    prompt, completion = _usage(answer)
    named = answer.get("model")
    reply = Reply(
        _THOUGHT.sub("", text), None, prompt, completion,
        named if isinstance(named, str) and named else model, tokens=_tokens(choice),
    )  # fmt: skip
    _check_whole(message, choice.get("finish_reason"), reply, max_tokens)
    if not reply.text.strip():
        raise UnusableReplyError("the reply is empty.", reply)
    return reply


def _answer(body: bytes) -> dict[str, Any]:
    try:
        # Half a pair of surrogates, as JSON can write it, is no text that can be passed on.
        answer = json.loads(body.decode("utf-8-sig"))
        json.dumps(answer, ensure_ascii=False).encode("utf-8")
    except UnicodeError as error:
        raise _malformed("the server's answer is not UTF-8 text", str(error)) from error
    except RecursionError as error:
        raise _malformed("the server's answer is JSON that is nested too deeply") from error
    except ValueError as error:
        what = "a page for people" if body.lstrip().startswith(b"<") else str(error)
        raise _malformed("the server's answer is not JSON", what) from error
    if not isinstance(answer, dict):
        raise _malformed("the server's answer holds no reply")
    return answer


def _malformed(what: str, more: str = "") -> SaySoError:
    return SaySoError(
        Code.MODEL_REPLY,
        f"{what}: {more}." if more else f"{what}.",
        hint="check that OPENAI_BASE_URL is that of an OpenAI-compatible server (it often ends in "
        "/v1).",
    )


def _error_in(answer: Mapping[str, Any]) -> str:
    """The error that some servers send with status 200."""
    error = answer.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else ""


def _content(message: Mapping[str, Any]) -> str:
    """A message's text: one, or several parts."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise _malformed("the reply's content is neither text nor a list of parts")
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(part for part in parts if isinstance(part, str))


def _check_whole(message: Mapping[str, Any], finish: object, reply: Reply, max_tokens: int) -> None:
    """Raises MODEL_REPLY for a reply that was refused or cut short."""
    if refusal := _refusal(message):
        raise _refused(f"the language model refuses to answer: {refusal}")
    if finish == "content_filter":
        raise _refused("the server's content filter withheld the reply.")
    if finish != "length":
        return
    hint = "raise the limit with --max-tokens, or the parameter llm_max_tokens."
    if _THINKING.match(reply.text) or (not reply.text and _reasoning(message)):
        what = f"the model used up the limit by reasoning, after {max_tokens} tokens."
        raise SaySoError(Code.MODEL_REPLY, what, hint=hint)
    # A shorter one may do.
    raise UnusableReplyError(f"the reply was cut short after {max_tokens} tokens.", reply, hint)


def _refusal(message: Mapping[str, Any]) -> str:
    """Why the model does not answer, as a field of its message or as parts of its content."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    told = (part.get("refusal") for part in (message, *parts) if isinstance(part, dict))
    return " ".join(refusal for refusal in told if isinstance(refusal, str))


def _refused(message: str) -> SaySoError:
    return SaySoError(
        Code.MODEL_REPLY, message, hint="say it in other words, or take another model."
    )


def _tokens(choice: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    """Tokens with their log probabilities; none where the server tells none that make sense."""
    told = choice.get("logprobs")
    listed = told.get("content") if isinstance(told, dict) else None
    try:
        pairs = tuple((str(t["token"]), float(t["logprob"])) for t in listed or ())
    except (TypeError, KeyError, ValueError):
        return ()
    return pairs if all(math.isfinite(chance) for _, chance in pairs) else ()


def _reasoning(message: Mapping[str, Any]) -> bool:
    return any(message.get(name) for name in ("reasoning", "reasoning_content"))


def _usage(answer: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens of prompt and completion; 0 where the server does not tell."""
    usage = answer.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    prompt, completion = (counts.get(n) for n in ("prompt_tokens", "completion_tokens"))
    return _count(prompt), _count(completion)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
