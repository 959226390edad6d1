"""Code from a model: what runs, and what attacks come to."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.sandbox.process import Limits, SandboxProcess
from sayso.core.sandbox.program import Granted, run

QUICK = Limits(wall_s=3.0, cpu_s=1, memory_mb=128, output_bytes=10_000)


def refused(source: str, code: Code = Code.INVALID, limits: Limits = QUICK) -> str:
    with pytest.raises(SaySoError) as caught:
        run(source, actions={"go": 1}, limits=limits)
    assert caught.value.code is code, caught.value
    return caught.value.message


def test_actions_are_recorded_in_order() -> None:
    outcome = run(
        "for name in sorted(things):\n    go(name)\nif len(things) > 1:\n    put(things[0], 1.5)",
        variables={"things": ["b", "a"]},
        actions={"go": 1, "put": 2},
    )
    assert outcome.calls == (("go", "a"), ("go", "b"), ("put", "b", 1.5))


def test_a_function_gets_arguments_and_returns_a_plain_value() -> None:
    source = "def f(x, y):\n    return {'sum': x + y, 'pair': (x, [y, None, True])}"
    assert run(source, function="f", arguments=[1, 2.5]).value == {
        "sum": 3.5,
        "pair": [1, [2.5, None, True]],
    }


def test_comprehensions_lambdas_and_fstrings_work() -> None:
    source = (
        "def f(n):\n    names = [f'thing {i:02d}' for i in range(n)]\n"
        "    return max(names, key=lambda s: s.upper())"
    )
    assert run(source, function="f", arguments=[3]).value == "thing 02"


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "from os import system",
        "__import__('os')",
        "open('/etc/passwd')",
        "eval('1')",
        "exec('1')",
        "compile('1', '', 'eval')",
        "getattr(1, 'real')",
        "globals()",
        "vars()",
        "type(1)",
        "object()",
        "print('x')",
        "input()",
        "breakpoint()",
        "().__class__.__base__.__subclasses__()",
        "x = ''.__class__",
        "(lambda: 0).__globals__",
        "go.__closure__",
        "[].append.__self__",
        "'{0.__class__}'.format(1)",
        "'{a.__class__}'.format_map({'a': 1})",
        "(x for x in [1]).gi_frame",
        "class A: pass",
        "try:\n    go(1)\nexcept BaseException as e:\n    e.__traceback__.tb_frame",
        "while True:\n    try:\n        pass\n    finally:\n        continue",
        "with go as f: pass",
        "async def f(): pass",
        "def f(): yield 1",
        "global x",
        "def f():\n    nonlocal x",
        "@go\ndef f(): pass",
        "del go",
        "match 1:\n    case int(): pass",
        "__builtins__['len'] = 1",
        "__name__",
        "def __getattr__(x): pass",
        "go(__x__=1)",
        "lambda __class__: 1",
        "[].append = 1",
        "x = b'bytes'",
        "x = 1j",
        "x = ...",
        "(y := 1)",
        "1 +",
        "\x00",
    ],
)
def test_code_outside_the_allow_list_is_refused(source: str) -> None:
    refused(source)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "x = 9 ** 9 ** 9 ** 9",
        "sum(i * i for i in range(10 ** 12))",
        "x = [0] * 10 ** 10",
        "x = 'a' * 10 ** 10",
        "x = f'{1:1000000000}'",
        "x = [0]\nwhile True: x = x + x",
        "x = '%1000000000d' % 1",
        "x = 1 << 10 ** 10",
    ],
)
def test_loops_and_allocations_end(source: str) -> None:
    refused(source, Code.LIMIT)


def test_deep_nesting_hurts_nobody() -> None:
    for source in ("-" * 15_000 + "1", "(" * 5_000 + ")" * 5_000, "[" * 150 + "]" * 150 + "+1"):
        with pytest.raises(SaySoError) as caught:
            run(source, limits=QUICK)
        assert caught.value.code in (Code.INVALID, Code.LIMIT)


def test_recursion_is_an_error_of_the_code() -> None:
    assert "RecursionError" in refused("def f(): return f()\nf()")


def test_exceptions_name_the_line() -> None:
    assert "line 2: ZeroDivisionError" in refused("x = 1\ny = x / 0")
    assert "line 1" in refused("import os")
    assert "NameError" in refused("go(unknown)")


@pytest.mark.parametrize(
    "value",
    [
        "{1, 2}",
        "{1: 2}",
        "10 ** 400",
        "1e999",
        "lambda: 0",
        "go",
        "range(3)",
        "map(abs, [1])",
        "len",
    ],
)
def test_only_plain_values_come_back(value: str) -> None:
    with pytest.raises(SaySoError) as caught:
        run(f"def f():\n    return {value}", actions={"go": 1}, function="f", limits=QUICK)
    assert caught.value.code is Code.INVALID
    with pytest.raises(SaySoError):
        run(f"go({value})", actions={"go": 1}, limits=QUICK)


def test_a_value_within_itself_is_refused() -> None:
    refused("x = []\nx.append(x)\ngo(x)")


def test_truths_cannot_be_redefined_for_others() -> None:
    assert run("len = 3\ngo(len)", actions={"go": 1}).calls == (("go", 3),)
    assert run("go(len('ab'))", actions={"go": 1}).calls == (("go", 2),)


def test_wrong_calls_of_actions_are_refused() -> None:
    assert "takes 1 argument" in refused("go()")
    assert "takes 1 argument" in refused("go(1, 2)")
    refused("go(x=1)")
    assert "10000 calls" in refused("for i in range(20000): go(i)")


def test_granted_calls_are_answered_while_the_code_runs() -> None:
    """A condition is asked of the world as it is by then, not as it was at first."""
    held: list[str] = []
    granted = {
        "holding": Granted(1, lambda name: name in held),
        "pick": Granted(1, held.append),
        "position": Granted(1, lambda name: [0.1, 0.2, 0.3]),
    }
    source = (
        "def f():\n    before = holding('cup')\n    if not before:\n        pick('cup')\n"
        "    return [before, holding('cup'), position('cup')[2]]"
    )
    assert run(source, granted=granted, function="f", limits=QUICK).value == [False, True, 0.3]


def test_what_a_granted_call_hands_out_is_a_copy() -> None:
    place = [0.1, 0.2]
    run("p = at()\np.append(3)", granted={"at": Granted(0, lambda: place)}, limits=QUICK)
    assert place == [0.1, 0.2]


def test_what_a_granted_call_refuses_ends_the_code_naming_the_line() -> None:
    def holding(name: str) -> bool:
        raise SaySoError(Code.UNKNOWN_OBJECT, f"there is no '{name}'.")

    source = "try:\n    holding('moon')\nexcept ValueError:\n    pass"
    with pytest.raises(SaySoError, match="line 2: there is no 'moon'") as caught:
        run(source, granted={"holding": Granted(1, holding)}, limits=QUICK)
    assert caught.value.code is Code.INVALID


def test_granted_calls_are_held_to_their_limits() -> None:
    holding = {"holding": Granted(1, lambda name: True)}
    for source, why in (
        ("holding()", "takes 1 arguments"),
        ("holding(len)", "cannot be given back"),
        ("holding('x' * 9000)\nholding('x' * 9000)", "bytes of answer"),
        ("while True: holding('cup')", "used up"),
        ("holding.__class__", "not allowed"),
    ):
        with pytest.raises(SaySoError, match=why):
            run(source, granted=holding, limits=QUICK)


@pytest.mark.parametrize("source", ["größe = 1", "def grün(): pass", "go(naïve=1)"])
def test_names_beyond_ascii_are_refused_by_name(source: str) -> None:
    name = next(word for word in ("größe", "grün", "naïve") if word in source)
    assert f"the name '{name}' is not allowed; use the letters a to z" in refused(source)


def test_a_named_function_must_be_one() -> None:
    for source in ("x = 1", "f = 1", "f = len"):
        with pytest.raises(SaySoError) as caught:
            run(source, function="f", limits=QUICK)
        assert "no function 'f'" in caught.value.message


def test_large_answers_and_texts_are_stopped() -> None:
    refused("go('x' * 20000)", Code.LIMIT)
    refused("#" * 30_000, Code.LIMIT)


_PROBE = """
import os
def _opened():
    open("/etc/passwd")
def _connected():
    __import__("socket").socket()
def _worker(request, ask):
    yield sorted(os.environ)
    for attack in (_opened, _connected):
        try:
            attack()
            yield attack.__name__
        except (OSError, ImportError):
            pass
def worker():
    return _worker
"""


def test_even_inside_the_child_there_is_nothing_to_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "probe.py").write_text(_PROBE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SECRET", "hush")
    with closing(SandboxProcess("probe:worker", QUICK)) as process:
        (environment,) = process.ask(None).answers
    assert "SECRET" not in environment and "HOME" not in environment


_FRAIL = """
import os, signal
def _worker(request, ask):
    yield "first"
    {}
    yield "second"
def worker():
    return _worker
"""
ENDS = {
    "os._exit(1)": "its memory or stack",
    "os.kill(os.getpid(), 24)": "its processor time",
    "os.write(1, b'\\0\\0\\0\\2no')": "what it may say: it was no answer",
    "signal.pause()": "3 s of time",
    "yield 'x' * 20_000": "10000 bytes of answer",
}


@pytest.mark.parametrize("end", ENDS)
def test_a_worker_that_ends_says_what_it_got_to_and_starts_anew(
    end: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "frail.py").write_text(_FRAIL.format(end))
    monkeypatch.syspath_prepend(str(tmp_path))
    with closing(SandboxProcess("frail:worker", QUICK)) as process:
        for _ in range(2):
            reply = process.ask(None)
            assert (reply.answers, reply.used_up) == (("first",), ENDS[end])


def test_a_worker_that_is_not_there_is_named() -> None:
    with pytest.raises(SaySoError, match="does not start") as caught:
        SandboxProcess("sayso.nowhere:worker", QUICK).ask(None)
    assert caught.value.code is Code.UNSUPPORTED and "sayso.nowhere" in caught.value.hint
