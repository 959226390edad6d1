"""Python text of a learned predicate, turned into a function through the sandbox's allow-list.

The text holds a docstring, imports of numpy (as np) and math, constants and functions, and asks of
a scene only what `SceneView` offers. It sees no builtins but the sandbox's, and may not so much as
name another one, so that it is as harmless where a library is loaded. Code that was not written by
this program belongs into a process of its own besides (`model.predicate_sandbox`): nothing here
limits its time.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.library import function_name
from sayso.core.predicates import PredicateFunction
from sayso.core.sandbox.allow_list import ALLOWED_ATTRIBUTES, BUILTINS, RefusedError, check

SCENE_ATTRIBUTES = frozenset({
    "base_distance", "bottom", "carried", "category", "color", "gripper_distance",
    "gripper_max_width", "gripper_position", "gripper_width", "high", "holds",
    "horizontal_distance", "horizontal_gap", "low", "objects", "offset", "opening", "opens",
    "position", "seen", "senses_water", "size", "table_height", "top", "visible", "water",
})  # fmt: skip
"""What a learned predicate may ask of a scene."""

_NUMPY = (
    "abs all allclose any arctan2 argmax argmin argsort array asarray ceil clip cos cross diff dot "
    "floor hypot inf isclose logical_and logical_not logical_or max maximum mean median min "
    "minimum pi prod round sign sin sort sqrt square std sum where"
)
NUMPY = SimpleNamespace(
    **{name: getattr(np, name) for name in _NUMPY.split()},
    linalg=SimpleNamespace(norm=np.linalg.norm),
)
"""What stands for numpy: nothing that reads, writes, or makes an array of a size that is told."""
_MATH = (
    "acos asin atan atan2 ceil copysign cos degrees dist e exp fabs floor fsum hypot inf isclose "
    "isfinite isinf isnan log pi radians sin sqrt tan tau"
)
MATHEMATICS = SimpleNamespace(**{name: getattr(math, name) for name in _MATH.split()})
"""What stands for Python's math: numbers from numbers, in short time."""
_ARRAYS = "T linalg ndim norm shape tolist"
_MEASURED = frozenset({
    "attribute", "depth_m", "mask", "observes", "picture", "points", "rgb", "rotation",
})  # fmt: skip
"""What the synthesiser's programs, and people's, ask of a scene besides."""
ATTRIBUTES = ALLOWED_ATTRIBUTES | SCENE_ATTRIBUTES | _MEASURED | {
    *_NUMPY.split(), *_MATH.split(), *_ARRAYS.split()
}  # fmt: skip
"""Every attribute that a learned predicate may name."""

_IMPORT = re.compile(r"^import (?:numpy as np|math)[ \t]*$", re.MULTILINE)
_COLLECTIONS = ("frozenset", "set", "tuple", "list")
_FOREIGN = (frozenset(dir(builtins)) | {"exit", "help", "quit"}) - set(BUILTINS)

_HINT = "write constants and functions `name(scene, a, b)` over the scene's questions only."
_QUESTIONS = f"a scene answers {', '.join(sorted(SCENE_ATTRIBUTES | _MEASURED))}."


def compile_learned(name: str, source: str, arity: int) -> PredicateFunction:
    """The function that the text of a learned predicate defines.

    Raises:
        SaySoError: INVALID for text that is not allowed, naming the line, or that lacks a
            function of this name over `arity` objects.
    """
    tree = _checked(name, source, arity)
    space: dict[str, Any] = {"__builtins__": dict(BUILTINS), "np": NUMPY, "math": MATHEMATICS}
    exec(compile(tree, f"<{name}>", "exec"), space)
    function: PredicateFunction = space[function_name(name)]
    return function


def _checked(name: str, source: str, arity: int) -> ast.Module:
    try:
        tree = check(_IMPORT.sub("", source), ATTRIBUTES)
    except RefusedError as error:
        hint = _QUESTIONS if "the attribute" in str(error) else _HINT
        raise _refused(name, str(error), hint) from error
    numbers: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) and not _is_constant(node, numbers):
            raise _refused(
                name, f"line {node.lineno}: only constants and functions may stand there"
            )
    _check_names(name, tree)
    _check_dependencies(name, tree)
    _check_signatures(name, tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function_name(name):
            if len(node.args.args) != arity + 1 or node.args.vararg or node.args.kwonlyargs:
                raise _refused(name, f"{node.name} must take the scene and {arity} objects")
            return tree
    raise _refused(name, f"it defines no function '{function_name(name)}'")


def _check_names(name: str, tree: ast.Module) -> None:
    """Every name is a builtin of the sandbox, numpy, or bound somewhere in the text."""
    nodes = list(ast.walk(tree))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    bound |= {
        n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ExceptHandler) and n.name
    }
    # What the whole text calls `open` is its own function; what one function does might not be.
    own = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    if foreign := sorted((bound & _FOREIGN) - own):
        raise _refused(name, f"the name '{foreign[0]}' is taken by Python")
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in bound | set(BUILTINS) | {"np", "math"}:
            raise _refused(name, f"line {node.lineno}: there is no '{node.id}'")


def _check_dependencies(name: str, tree: ast.Module) -> None:
    """Which predicates the text asks for shows without running it: `scene.holds("on", a, b)`."""
    nodes = list(ast.walk(tree))
    calls = [n for n in nodes if isinstance(n, ast.Call) and _is_holds(n.func)]
    if len(calls) < sum(map(_is_holds, nodes)):
        raise _refused(name, "'holds' can only be called")
    for call in calls:
        first = call.args[0] if call.args else None
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            raise _refused(name, f"line {call.lineno}: 'holds' needs a predicate's name in quotes")


def _check_signatures(name: str, tree: ast.Module) -> None:
    """Nothing is calculated while a function is made: defaults are values, types are names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            for default in (*node.defaults, *filter(None, node.kw_defaults)):
                if not isinstance(default, ast.Constant):
                    raise _refused(name, f"line {default.lineno}: a default must be a plain value")
        types = [node.annotation] if isinstance(node, ast.arg | ast.AnnAssign) else []
        types += [node.returns] if isinstance(node, ast.FunctionDef) else []
        for kind in filter(None, types):
            if not isinstance(kind, ast.Name | ast.Constant):
                raise _refused(name, f"line {kind.lineno}: a type must be a plain name")


def _is_holds(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "holds"


def _is_constant(node: ast.stmt, numbers: set[str]) -> bool:
    """A docstring, or a name for a plain value; `numbers` gets the names of numbers."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    (target,) = node.targets
    if not isinstance(target, ast.Name):
        return False
    if _is_number(node.value, numbers):
        numbers.add(target.id)
        return True
    numbers.discard(target.id)
    return _is_plain(node.value)


def _is_number(node: ast.expr, numbers: set[str]) -> bool:
    """A number, or a sum, product and the like of numbers: `2 * WIDTH`. No powers: they grow."""
    match node:
        case ast.Constant():
            return type(node.value) in (int, float)
        case ast.Name():
            return node.id in numbers
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return _is_number(node.operand, numbers)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            return _is_number(node.left, numbers) and _is_number(node.right, numbers)
        case ast.Attribute(value=ast.Name(id="math" | "np"), attr="pi" | "inf"):
            return True
    return False


def _is_plain(node: ast.expr) -> bool:
    """A plain value, or a collection made of one: `frozenset({"cup", "mug"})`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        made = node.func.id in _COLLECTIONS and not node.keywords
        return made and len(node.args) <= 1 and all(map(_is_plain, node.args))
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _refused(name: str, why: str, hint: str = _HINT) -> SaySoError:
    return SaySoError(Code.INVALID, f"the code of '{name}' was refused: {why}.", hint=hint)
