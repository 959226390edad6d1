"""The OpenAI adapter against a real HTTP server that misbehaves in every way we know."""

from __future__ import annotations

import email.utils
import json
import logging
import traceback
from datetime import datetime, timedelta, timezone

import pytest

from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, UnusableReplyError
from support.chat_server import Answer, ChatServer

MESSAGES = (Message("user", "colour?"),)
SCHEMA = {
    "title": "colour",
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}
GOOD = '{"colour": "green"}'


def client(
    server: ChatServer, waits: list[float] | None = None, timeout_s: float = 20.0
) -> OpenAIChat:
    wait = (waits if waits is not None else []).append
    return OpenAIChat("test-model", server.base_url, timeout_s=timeout_s, wait=wait)


def failure(server: ChatServer, timeout_s: float = 20.0) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        client(server, timeout_s=timeout_s).complete(MESSAGES, schema=SCHEMA)
    return caught.value


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_with_growing_waits(status: int) -> None:
    waits: list[float] = []
    with ChatServer([Answer("busy", status), Answer("busy", status), GOOD]) as server:
        reply = client(server, waits).complete(MESSAGES, schema=SCHEMA)
        assert reply.data == {"colour": "green"}
        assert len(server.requests) == 3
    assert waits == [0.5, 1.0]


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    waits: list[float] = []
    with ChatServer([Answer("busy", 429, headers={"retry-after": "7"}), GOOD]) as server:
        client(server, waits).complete(MESSAGES, schema=SCHEMA)
    assert waits == [7.0]


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    with ChatServer([Answer("busy", 429, headers={"retry-after": "600"}), GOOD]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_UNAVAILABLE


def test_a_server_that_keeps_failing_is_given_up() -> None:
    with ChatServer([Answer("out of order", 500)]) as server:
        error = failure(server)
        assert len(server.requests) == 3
    assert error.code is Code.MODEL_UNAVAILABLE
    assert "500" in error.message
    assert "out of order" in error.message


def test_a_refused_key_is_not_tried_again() -> None:
    with ChatServer([Answer("bad key", 401)]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_UNAVAILABLE
    assert "OPENAI_API_KEY" in error.hint


def test_a_silent_server_times_out() -> None:
    with ChatServer([Answer(silent=True)]) as server:
        error = failure(server, timeout_s=0.3)
    assert error.code is Code.MODEL_TIMEOUT
    assert "0.3 s" in error.message


def test_a_dropped_connection_is_tried_again() -> None:
    with ChatServer([Answer(drop=True), GOOD]) as server:
        reply = client(server).complete(MESSAGES, schema=SCHEMA)
    assert reply.data == {"colour": "green"}


def test_an_unreachable_server_is_named_as_such() -> None:
    with ChatServer([GOOD]) as server:
        url = server.base_url
    model = OpenAIChat("test-model", url, wait=lambda _: None)
    with pytest.raises(SaySoError) as caught:
        model.complete(MESSAGES)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "reached" in caught.value.message


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Answer(raw=b"{not json"), "JSON"),
        (Answer(raw=b"{}"), "no reply"),
        (Answer(raw=b'{"choices": []}'), "no reply"),
        (Answer(GOOD[:9], finish_reason="length"), "cut short"),
        (Answer(""), "empty"),
        (Answer("It is green."), "not JSON"),
        (Answer('{"colour": 3}'), "schema"),
    ],
)
def test_unusable_replies_are_named(answer: Answer, cause: str) -> None:
    with ChatServer([answer]) as server:
        error = failure(server)
    assert error.code is Code.MODEL_REPLY
    assert cause in error.message


DEEP = b"[" * 100_000
NO_TEXT = "neither text nor a list"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Answer(raw=GOOD.encode() + b"\xff"), "UTF-8"),
        (Answer(raw=DEEP), "too deeply"),
        (Answer(raw=b"<!DOCTYPE html><html></html>"), "page for people"),
        (Answer(raw=b"[]"), "no reply"),
        (Answer(raw=b'{"choices": "none"}'), "no reply"),
        (Answer(raw=b'{"choices": [3]}'), "no reply"),
        (Answer(raw=b'{"choices": [{"message": null}]}'), "no reply"),
        (Answer(raw=b'{"error": {"message": "no such model is loaded"}}'), "no such model"),
        (Answer(raw=b'{"choices": [{"message": {"content": "\\ud800"}}]}'), "UTF-8"),
        (Answer(message={"content": 7}), NO_TEXT),
        (Answer(message={"content": {"text": GOOD}}), NO_TEXT),
        (Answer(message={"content": [{"type": "audio", "data": "x"}, 3]}), "empty"),
        (Answer(message={"content": None, "refusal": "I must not."}), "refuses to answer: I must"),
        (Answer(message={"content": [{"type": "refusal", "refusal": "No."}]}), "refuses to"),
        (Answer(finish_reason="content_filter"), "content filter"),
        (Answer(DEEP.decode()), "too deeply"),
        (Answer('{"colour": "\\ud800"}'), "no text"),
        (Answer("x" * 1_000_000), "larger than 1000 kB"),
        (Answer(GOOD, headers={"content-encoding": "gzip"}), "packed as 'gzip'"),
    ],
)  # fmt: skip
def test_malformed_answers_are_named(answer: Answer, cause: str) -> None:
    with ChatServer([answer]) as server:
        error = failure(server)
    assert error.code is Code.MODEL_REPLY
    assert cause in error.message


@pytest.mark.parametrize("usage", ["many", 3, {"prompt_tokens": "12"}, {"prompt_tokens": -1}, []])
def test_tokens_that_are_no_numbers_count_as_none(usage: object) -> None:
    with ChatServer([Answer(GOOD, usage=usage)]) as server:
        reply = client(server).complete(MESSAGES, schema=SCHEMA)
    assert (reply.prompt_tokens, reply.completion_tokens) == (0, 0)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}],
        [GOOD],
        f"Sure! Here it is:\n```json\n{GOOD}\n```\nAnything else?",
        f"```\n{GOOD}\n```",
        f"<think>\nIt could be red.\n</think>\n\n{GOOD}",
    ],
)
def test_content_in_parts_and_among_other_words_is_read(content: object) -> None:
    with ChatServer([Answer(message={"content": content})]) as server:
        reply = client(server).complete(MESSAGES, schema=SCHEMA)
    assert "think" not in reply.text
    assert reply.data == {"colour": "green"}


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "It could be red, or"},
        {"content": "", "reasoning": "It could be red, or"},
        {"content": "<think>It could be red, or"},
    ],
)
def test_reasoning_that_used_up_the_limit_is_told(message: dict[str, str]) -> None:
    with ChatServer([Answer(message=message, finish_reason="length")]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_REPLY
    assert "by reasoning, after 4000 tokens" in error.message
    assert "--max-tokens" in error.hint


def test_a_connection_that_closes_in_the_middle_is_tried_again() -> None:
    with ChatServer([Answer(GOOD, half=True), GOOD]) as server:
        assert client(server).complete(MESSAGES, schema=SCHEMA).text == GOOD
    with ChatServer([Answer(GOOD, half=True)]) as server:
        assert failure(server).code is Code.MODEL_UNAVAILABLE


@pytest.mark.parametrize(
    "slow",
    [
        Answer(GOOD, drip_s=0.02),
        Answer(GOOD, drip_s=0.02, drip_headers=True),
        Answer("busy", 400, drip_s=0.02),
    ],
)
def test_a_dripping_server_times_out_as_a_whole(slow: Answer) -> None:
    with ChatServer([slow]) as server:
        error = failure(server, timeout_s=0.3)
        assert len(server.requests) <= 1, "it is not asked again"
    assert error.code is Code.MODEL_TIMEOUT


def test_the_whole_body_of_an_error_is_bounded_too() -> None:
    with ChatServer([Answer("x" * 2_000_000, 500)]) as server:
        error = failure(server)
    assert error.code is Code.MODEL_REPLY
    assert "larger than" in error.message


@pytest.mark.parametrize("asked", ["-5", "soon", "nan", "inf", "", "Mon, 99 Foo 2020"])
def test_a_wait_that_makes_no_sense_is_chosen_here(asked: str) -> None:
    waits: list[float] = []
    with ChatServer([Answer("busy", 429, headers={"retry-after": asked}), GOOD]) as server:
        client(server, waits).complete(MESSAGES, schema=SCHEMA)
    assert waits == [0.5]


def test_a_wait_until_a_date_is_kept() -> None:
    waits: list[float] = []
    later = email.utils.format_datetime(
        datetime.now(timezone.utc) + timedelta(seconds=9), usegmt=True
    )
    busy = [
        Answer("busy", 429, headers={"retry-after": when})
        for when in (later, "Wed, 21 Oct 2015 07:28:00 GMT")
    ]
    with ChatServer([*busy, GOOD]) as server:
        client(server, waits).complete(MESSAGES, schema=SCHEMA)
    assert 0 < waits[0] <= 9
    assert waits[1] == 0


@pytest.mark.parametrize(
    "spent",
    [
        Answer("You exceeded your current quota, please check your plan.", 429),
        Answer(raw=b'{"error": {"message": "no", "code": "insufficient_quota"}}', status=429),
        Answer("Payment required", 402),
    ],
)
def test_an_exhausted_quota_is_not_tried_again(spent: Answer) -> None:
    with ChatServer([spent]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_UNAVAILABLE
    assert "pay for the account" in error.hint


NEW_LIMIT = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'."
ONLY_DEFAULT = "Unsupported value: 'temperature' does not support 0.0. Only the default (1)."


def test_what_a_server_does_not_take_is_left_out_and_that_is_remembered() -> None:
    refuses = {"max_tokens": NEW_LIMIT, "temperature": ONLY_DEFAULT}
    with ChatServer([GOOD], ("text",), refuses, ("no system",)) as server:
        model = client(server)
        messages = (Message("system", "Be brief."), *MESSAGES)
        model.complete(messages, schema=SCHEMA)
        assert len(server.requests) == 6
        model.complete(messages, schema=SCHEMA)
        assert len(server.requests) == 7
    last = server.requests[-1]
    assert "temperature" not in last
    assert last["max_completion_tokens"] == 4000
    assert [m["role"] for m in last["messages"]] == ["user"]
    assert "Be brief." in last["messages"][0]["content"]


TOKENS = (('{"colour": "', -0.5), ("green", -0.25), ('"}', -0.125))


def test_log_probabilities_come_with_the_reply_where_they_are_asked_for() -> None:
    with ChatServer([Answer(GOOD, tokens=TOKENS)]) as server:
        asking = OpenAIChat("m", server.base_url, logprobs=True)
        assert asking.complete(MESSAGES, schema=SCHEMA).tokens == TOKENS
        assert client(server).complete(MESSAGES, schema=SCHEMA).tokens == ()
    assert [r.get("logprobs") for r in server.requests] == [True, None]


def test_a_server_that_tells_no_log_probabilities_is_asked_without() -> None:
    refuses = {"logprobs": "logprobs are not supported with this model"}
    with ChatServer([Answer(GOOD, tokens=TOKENS)], refuses=refuses) as server:
        asking = OpenAIChat("m", server.base_url, logprobs=True)
        assert asking.complete(MESSAGES, schema=SCHEMA).tokens == ()
    assert [r.get("logprobs") for r in server.requests] == [True, None]


@pytest.mark.parametrize("chance", ["much", None, float("nan")])
def test_log_probabilities_that_are_no_numbers_count_as_none(chance: object) -> None:
    tokens = (("green", chance),)
    with ChatServer([Answer(GOOD, tokens=tokens)]) as server:  # type: ignore[arg-type]
        asking = OpenAIChat("m", server.base_url, logprobs=True)
        assert asking.complete(MESSAGES).tokens == ()


def test_options_go_over_the_wire() -> None:
    with ChatServer([GOOD]) as server:
        model = OpenAIChat("m", server.base_url, temperature=0.7, max_tokens=99)
        model.complete(MESSAGES)
    assert server.requests[0]["temperature"] == 0.7
    assert server.requests[0]["max_tokens"] == 99


@pytest.mark.parametrize("template", [(), ("alternating",), ("alternating", "no system")])
def test_any_messages_suit_any_template(template: tuple[str, ...]) -> None:
    said = [("user", "a"), ("system", "b"), ("user", "c"), ("assistant", "d"), ("user", "e")]
    messages = [Message(role, text) for role, text in said]  # type: ignore[arg-type]
    with ChatServer([GOOD], ("text",), template=template) as server:
        client(server).complete(messages, schema=SCHEMA)
    roles = [m["role"] for m in server.requests[-1]["messages"]]
    assert roles == [
        *(["system"] if "no system" not in template else []),
        "user",
        "assistant",
        "user",
    ]


def test_a_bad_reply_is_told_with_its_error() -> None:
    with ChatServer(["It is green."]) as server:
        error = failure(server)
    assert isinstance(error, UnusableReplyError)
    assert error.reply.text == "It is green."
    assert error.reply.prompt_tokens > 0


KEY = "sk-test-3141592653"


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_the_key_is_never_told(
    status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with caplog.at_level(logging.DEBUG), ChatServer([Answer(status=status, echo=True)]) as server:
        error = failure(server)
    assert isinstance(error, UnusableReplyError) == (status == 200)
    told = "".join(traceback.format_exception(error)) + repr(error) + caplog.text
    if isinstance(error, UnusableReplyError):
        told += str(error.reply)
    assert "***" in told
    assert KEY not in told


@pytest.mark.parametrize(
    "answer",
    [
        Answer(
            raw=json.dumps({"model": KEY, "choices": [{"message": {"content": GOOD}}]}).encode()
        ),
        Answer(json.dumps({"colour": KEY})),
        Answer(json.dumps({"colour": KEY.upper()})),
        Answer(json.dumps({"colour": KEY}).replace("-", "\\u002d")),
        Answer(GOOD, headers={"x-echo": f"Bearer {KEY}"}),
        Answer(f"bad key {KEY.upper()}", 401),
        Answer("no", 401, headers={"x-echo": f"Bearer {KEY}"}),
    ],
)
def test_the_key_is_in_nothing_that_comes_back(
    answer: Answer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with caplog.at_level(logging.DEBUG), ChatServer([answer]) as server:
        try:
            told = repr(client(server).complete(MESSAGES, schema=SCHEMA))
        except SaySoError as error:
            told = "".join(traceback.format_exception(error))
    assert KEY not in (told + caplog.text).lower().encode().decode("unicode_escape")


@pytest.mark.parametrize("key", ["x", "none", "EMPTY"])
def test_what_only_stands_for_a_key_is_left_in_replies(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = json.dumps({"colour": "none of the boxes is empty"})
    with ChatServer([Answer(said)]) as server:
        assert client(server).complete(MESSAGES, schema=SCHEMA).text == said


def test_the_key_is_not_in_the_log_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    tokens = tuple((part, -0.5) for part in ('{"colour": "', KEY[:7], KEY[7:], '"}'))
    with ChatServer([Answer(json.dumps({"colour": KEY}), tokens=tokens)]) as server:
        reply = OpenAIChat("m", server.base_url, logprobs=True).complete(MESSAGES, schema=SCHEMA)
    assert reply.tokens == ()


@pytest.mark.parametrize("status", [200, 400, 401, 500])
@pytest.mark.parametrize("charset", ["rot13", "klingon", "hex", "idna"])
def test_a_charset_that_is_none_is_no_matter(status: int, charset: str) -> None:
    headers = {"content-type": f"text/plain; charset={charset}"}
    with ChatServer([Answer(raw=b"\xff\xfe no", status=status, headers=headers)]) as server:
        error = failure(server)
    assert error.code in (Code.MODEL_REPLY, Code.MODEL_UNAVAILABLE)


@pytest.mark.parametrize(
    "answer", [Answer("\x1b[2Jno", 401), Answer(message={"content": None, "refusal": "\x1b[2Jno"})]
)
def test_what_a_server_says_cannot_steer_a_terminal(answer: Answer) -> None:
    with ChatServer([answer]) as server:
        error = failure(server)
    assert "[2Jno" in error.message
    assert error.message.isprintable()


def test_a_byte_order_mark_is_no_matter() -> None:
    raw = json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode("utf-8-sig")
    with ChatServer([Answer(raw=raw)]) as server:
        assert client(server).complete(MESSAGES, schema=SCHEMA).text == GOOD


@pytest.mark.parametrize("key", [f"{KEY}\n", "sch\u00fcssel", "two\nlines"])
def test_a_key_that_cannot_be_sent_is_named(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with ChatServer([GOOD]) as server:
        if key.startswith(KEY):
            assert client(server).complete(MESSAGES).text == GOOD
            return
        error = failure(server)
    assert error.code is Code.CONFIG
    assert "OPENAI_API_KEY" in error.message


@pytest.mark.parametrize("url", ["nonsense", "http://[", "ftp://x/v1", "http://localhost:99999/v1"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(SaySoError) as caught:
        OpenAIChat("m", url, wait=lambda _: None).complete(MESSAGES)
    assert caught.value.code in (Code.CONFIG, Code.MODEL_UNAVAILABLE)


@pytest.mark.parametrize("formats", [("json_object", "text"), ("text",)])
def test_weaker_reply_formats_are_used_and_remembered(formats: tuple[str, ...]) -> None:
    with ChatServer([f"```json\n{GOOD}\n```"], formats) as server:
        model = client(server)
        for _ in range(2):
            assert model.complete(MESSAGES, schema=SCHEMA).data == {"colour": "green"}
        refused = 3 - len(formats)
        assert len(server.requests) == refused + 2
        assert "JSON object" in server.requests[-1]["messages"][-1]["content"]


def test_the_strict_schema_goes_over_the_wire() -> None:
    with ChatServer([GOOD]) as server:
        client(server).complete(MESSAGES, schema=SCHEMA)
    wanted = server.requests[0]["response_format"]["json_schema"]
    assert wanted["name"] == "colour"
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["colour"]


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SaySoError) as caught:
        OpenAIChat("test-model").complete(MESSAGES)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "OPENAI_API_KEY" in caught.value.hint


def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer([GOOD]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert OpenAIChat("test-model").complete(MESSAGES).text == GOOD


def test_a_model_must_be_named() -> None:
    with pytest.raises(SaySoError) as caught:
        OpenAIChat("")
    assert caught.value.code is Code.CONFIG
