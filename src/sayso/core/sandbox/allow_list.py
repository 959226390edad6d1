"""The code that a sandbox runs at all: an allow-list of syntax, names and values.

Imports only the standard library, for it is read in the sandbox too: there a text that overwhelms
the parser overwhelms that process alone.
"""

from __future__ import annotations

import ast
import math
import unicodedata  # noqa: F401 - Python reads it for names beyond ASCII: later it cannot
from collections.abc import Mapping
from typing import Any

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
