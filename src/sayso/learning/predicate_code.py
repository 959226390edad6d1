"""Python text of a learned predicate, turned into a function through the sandbox's allow-list.

The text holds a docstring, constants and functions, and asks of a scene only what `SceneView`
offers. It sees no builtins but the sandbox's. Code that was not written by this program belongs
into the sandbox's own process besides: nothing here limits its time.
"""

from __future__ import annotations

import ast
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import function_name
from sayso.core.predicates import PredicateFunction
from sayso.learning.sandbox_child import ALLOWED_ATTRIBUTES, BUILTINS, RefusedError, check

SCENE_ATTRIBUTES = frozenset({
    "base_distance", "bottom", "carried", "category", "color", "gripper_distance",
    "gripper_max_width", "gripper_position", "gripper_width", "high", "holds",
    "horizontal_distance", "horizontal_gap", "low", "objects", "offset", "opening", "opens",
    "position", "seen", "senses_water", "size", "table_height", "top", "visible", "water",
})  # fmt: skip
"""What a learned predicate may ask of a scene."""

_HINT = "write constants and functions `name(scene, a, b)` over the scene's questions only."


def compile_learned(name: str, source: str, arity: int) -> PredicateFunction:
    """The function that the text of a learned predicate defines.

    Raises:
        SaySoError: INVALID for text that is not allowed, naming the line, or that lacks a
            function of this name over `arity` objects.
    """
    tree = _checked(name, source, arity)
    space: dict[str, Any] = {"__builtins__": dict(BUILTINS)}
    exec(compile(tree, f"<{name}>", "exec"), space)
    function: PredicateFunction = space[function_name(name)]
    return function


def _checked(name: str, source: str, arity: int) -> ast.Module:
    try:
        tree = check(source, ALLOWED_ATTRIBUTES | SCENE_ATTRIBUTES)
    except RefusedError as error:
        raise _refused(name, str(error)) from error
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) and not _is_constant(node):
            raise _refused(
                name, f"line {node.lineno}: only constants and functions may stand there"
            )
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function_name(name):
            if len(node.args.args) != arity + 1 or node.args.vararg or node.args.kwonlyargs:
                raise _refused(name, f"{node.name} must take the scene and {arity} objects")
            return tree
    raise _refused(name, f"it defines no function '{function_name(name)}'")


def _is_constant(node: ast.stmt) -> bool:
    """A docstring, or a name for a plain value."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    try:
        ast.literal_eval(node.value)
    except ValueError:
        return False
    return isinstance(node.targets[0], ast.Name)


def _refused(name: str, why: str) -> SaySoError:
    return SaySoError(Code.INVALID, f"the code of '{name}' was refused: {why}.", hint=_HINT)
