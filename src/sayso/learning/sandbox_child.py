"""The sandbox's own process: checks code against an allow-list, then runs it.

Started by `sandbox` as a script of its own with `python -I -S`; imports only the standard
library. The request is a line of JSON on standard input, the answer one on standard output; in
between, each call of a granted function is a line out and its answer a line in. The check runs
here too, so that a text which overwhelms the parser overwhelms this process alone.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import sys
import unicodedata  # noqa: F401 - Python reads it for names beyond ASCII: later it cannot
from collections.abc import Callable, Iterator, Mapping
from typing import Any

MAX_CALLS = 10_000
MAX_DEPTH = 20
MAX_INTEGER = 2**63

_NODES = (
    "Module Expression Expr Assign AugAssign AnnAssign If For While Break Continue Pass Return "
    "FunctionDef arguments arg Lambda BoolOp And Or BinOp UnaryOp Add Sub Mult Div FloorDiv Mod "
    "Pow LShift RShift BitOr BitXor BitAnd Invert Not UAdd USub IfExp Dict Set List Tuple ListComp "
    "SetComp DictComp GeneratorExp comprehension Compare Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn "
    "Call keyword Constant JoinedStr FormattedValue Attribute Subscript Slice Starred Name Load "
    "Store Assert Try ExceptHandler"
)
ALLOWED_NODES = frozenset(_NODES.split())
_METHODS = (
    "add append copy count discard endswith extend get index insert intersection isdisjoint "
    "issubset issuperset items join keys lower pop remove replace reverse setdefault sort split "
    "splitlines startswith strip symmetric_difference title union update upper values"
)
ALLOWED_ATTRIBUTES = frozenset(_METHODS.split())
"""Methods of plain values. `format` is absent: its templates reach any attribute."""

BUILTINS: Mapping[str, Any] = {
    f.__name__: f
    for f in (
        abs, all, any, bool, dict, divmod, enumerate, filter, float, frozenset, int, iter, len,
        list, map, max, min, next, range, reversed, round, set, sorted, str, sum, tuple, zip,
        ArithmeticError, IndexError, KeyError, LookupError, StopIteration, TypeError, ValueError,
        ZeroDivisionError,
    )
}  # fmt: skip
CAUGHT = frozenset(
    n for n, f in BUILTINS.items() if isinstance(f, type) and issubclass(f, Exception)
)
"""The exceptions that code may catch: its own mistakes, and never what stops it."""


class RefusedError(Exception):
    """Code that is not allowed, or a result that is no plain value."""


def check(source: str, attributes: frozenset[str] = ALLOWED_ATTRIBUTES) -> ast.Module:
    """The syntax tree of allowed code, which may read these attributes.

    Raises RefusedError naming the line otherwise.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RefusedError(f"the code is not Python: {error or type(error).__name__}") from error
    for node in ast.walk(tree):
        if reason := _objection(node, attributes):
            raise RefusedError(f"line {getattr(node, 'lineno', 1)}: {reason}")
    return tree


def _objection(node: ast.AST, attributes: frozenset[str]) -> str:
    """Why a node is not allowed, or ''."""
    kind = type(node).__name__
    if kind not in ALLOWED_NODES:
        return f"{kind} is not allowed"
    if isinstance(node, ast.Attribute):
        if not isinstance(node.ctx, ast.Load) or node.attr not in attributes:
            return f"the attribute '{node.attr}' is not allowed"
    elif isinstance(node, ast.Constant):
        if type(node.value) not in (bool, int, float, str, type(None)):
            return f"a constant of type {type(node.value).__name__} is not allowed"
    elif isinstance(node, ast.FunctionDef) and node.decorator_list:
        return "decorators are not allowed"
    elif isinstance(node, ast.Try) and node.finalbody:
        return "finally is not allowed"
    elif isinstance(node, ast.ExceptHandler) and not _caught(node.type) <= CAUGHT:
        return f"except must name errors of {', '.join(sorted(CAUGHT))}"
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in CAUGHT:
        return f"the name '{node.id}' is taken by Python"
    for name in _names(node):
        if not name.isascii():
            return f"the name '{name}' is not allowed; use the letters a to z"
        if name.startswith("__") or name.endswith("__"):
            return f"the name '{name}' is not allowed"
    return ""


def _caught(kind: ast.expr | None) -> set[str]:
    """The names of the errors that a handler catches; '' for anything but names."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {k.id if isinstance(k, ast.Name) else "" for k in kinds}


def _names(node: ast.AST) -> list[str]:
    """Names that the node reads or binds."""
    candidates = (getattr(node, field, None) for field in ("id", "arg", "name"))
    return [c for c in candidates if isinstance(c, str)]


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON knows it, by exact type. Raises RefusedError for any other."""
    kind = type(value)
    if depth > MAX_DEPTH:
        raise RefusedError(f"the result nests deeper than {MAX_DEPTH}")
    if kind in (bool, str, type(None)):
        return value
    if kind is int and -MAX_INTEGER <= value < MAX_INTEGER:
        return value
    if kind is float and math.isfinite(value):
        return value
    if kind in (list, tuple):
        return [plain(v, depth + 1) for v in value]
    if kind is dict and all(type(k) is str for k in value):
        return {k: plain(v, depth + 1) for k, v in value.items()}
    raise RefusedError(f"a result of type {kind.__name__} cannot be given back")


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """Runs checked code: its recorded calls, and what the named function or variable holds."""
    calls: list[list[Any]] = []
    space: dict[str, Any] = {"__builtins__": dict(BUILTINS)}
    space.update(request["variables"])
    for name, arity in request["actions"].items():
        space[name] = _recorder(name, arity, calls)
    asked = itertools.count(1)
    for name, arity in request["granted"].items():
        space[name] = _asker(name, arity, asked)
    exec(compile(check(request["source"]), "<code>", "exec"), space)
    value = None
    if request["function"]:
        function = space.get(request["function"])
        if type(function) is not type(run):
            raise RefusedError(f"there is no function '{request['function']}'")
        value = plain(function(*request["arguments"]))
    return {"value": value, "calls": calls}


def _asker(name: str, arity: int, asked: Iterator[int]) -> Callable[..., Any]:
    def granted(*arguments: Any) -> Any:
        _require_count(name, arity, arguments)
        if next(asked) > MAX_CALLS:
            raise RefusedError(f"more than {MAX_CALLS} calls")
        _say({"ask": [name, *(plain(a) for a in arguments)]})
        answer = json.loads(sys.stdin.readline())
        if "denied" in answer:
            raise RefusedError(answer["denied"])
        return answer["told"]

    return granted


def _require_count(name: str, arity: int, arguments: tuple[Any, ...]) -> None:
    if len(arguments) != arity:
        raise RefusedError(f"{name} takes {arity} arguments, got {len(arguments)}")


def _say(what: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _recorder(name: str, arity: int, calls: list[list[Any]]) -> Callable[..., None]:
    def action(*arguments: Any) -> None:
        _require_count(name, arity, arguments)
        if len(calls) >= MAX_CALLS:
            raise RefusedError(f"more than {MAX_CALLS} actions")
        calls.append([name, *(plain(a) for a in arguments)])

    return action


def _limit(limits: Mapping[str, int]) -> None:
    """Takes from this process what the code has no need of, for good."""
    import resource  # Not on every platform; there, `sandbox` refuses to run at all.

    for name, amount in limits.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            resource.setrlimit(kind, (amount, amount))


def _line_of(error: BaseException) -> str:
    """Where in the code an exception came from."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<code>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: " if line else ""


def main() -> None:
    """Answers one request."""
    request = json.loads(sys.stdin.readline())
    _limit(request["limits"])
    try:
        answer = run(request)
    except RefusedError as error:
        answer = {"refused": f"{_line_of(error)}{error}"}
    except MemoryError:
        answer = {"exhausted": "memory"}
    except BaseException as error:  # noqa: BLE001 - the code under test may raise anything
        answer = {"raised": f"{_line_of(error)}{type(error).__name__}: {str(error)[:300]}"}
    _say(answer)


if __name__ == "__main__":
    main()
