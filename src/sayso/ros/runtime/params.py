"""Parameters of a node from one frozen dataclass: defaults, descriptions, ranges, choices.

    @dataclass(frozen=True)
    class PlannerConfig:
        planner: str = param("portfolio", "task planner backend")
        timeout_s: float = param(10.0, "search budget [s]", low=0.1, high=600.0)

    config = declare(node, PlannerConfig)

Cross-field checks belong in the dataclass's `__post_init__` and raise CONFIG.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from sayso.core.errors import Code, SaySoError

T = TypeVar("T")
C = TypeVar("C")

_NOT_OURS = ("use_sim_time", "qos_overrides.", "start_type_description_service")
"""Parameters that rclpy itself declares on every node."""


@dataclasses.dataclass(frozen=True)
class _Meta:
    description: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    read_only: bool


def param(
    default: T,
    description: str,
    low: float | None = None,
    high: float | None = None,
    choices: Iterable[str] = (),
    read_only: bool = True,
) -> T:
    """A dataclass field that is a node parameter.

    Args:
        default: bool, int, float, str, or a tuple of one of them (never empty for tuples of
            numbers); its type is the parameter's type.
        description: what it is, with the unit in square brackets.
        low, high: inclusive range of a number; give both or neither.
        choices: the valid strings.
        read_only: False lets people change it while the node runs: see `on_change`. Any other
            is refused then, by name.
    """
    meta = _Meta(description, low, high, tuple(choices), read_only)
    return dataclasses.field(default=default, metadata={"param": meta})


def declare(node: Node, config: type[C]) -> C:
    """Declare every field as a parameter of the node; the values given to the node win.

    Raises:
        SaySoError: CONFIG for a key that is no field (with the valid names), a value of the
            wrong type, out of range or not among the choices.
    """
    fields = {f.name: f for f in dataclasses.fields(cast(Any, config))}
    check_keys(_overrides(node), fields, node.get_name())
    return config(**{name: _declare_field(node, f) for name, f in fields.items()})


def on_change(node: Node, config: C, take: Callable[[C], None]) -> None:
    """Have what people change while the node runs taken over, once it was found valid.

    Args:
        config: as it was declared.
        take: is handed all of it anew, with what is another now.
    """
    names = {f.name for f in dataclasses.fields(cast(Any, config))}
    now = config

    def changed(parameters: Iterable[Parameter]) -> C:
        given = {p.name: p.value for p in parameters if p.name in names}
        return dataclasses.replace(cast(Any, now), **given) if given else now

    def check(parameters: list[Parameter]) -> SetParametersResult:
        try:
            changed(parameters)
        except SaySoError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def taken(parameters: list[Parameter]) -> None:
        nonlocal now
        before, now = now, changed(parameters)
        if now is not before:
            take(now)

    node.add_on_set_parameters_callback(check)
    node.add_post_set_parameters_callback(taken)


def check_keys(given: Iterable[str], known: Iterable[str], node_name: str) -> None:
    """Raise CONFIG, with the valid names, for the first given key that is not known."""
    names = tuple(known)
    for key in given:
        if key not in names and not key.startswith(_NOT_OURS):
            raise SaySoError(
                Code.CONFIG,
                f"node '{node_name}' has no parameter '{key}'.",
                choices=names,
                hint="correct the name in the parameter file.",
            )


def _overrides(node: Node) -> dict[str, Any]:
    # rclpy offers no public way to see values given for parameters that nobody declared,
    # and those are exactly the misspelt ones.
    return cast(dict[str, Any], node._parameter_overrides)


def _declare_field(node: Node, field: dataclasses.Field[Any]) -> Any:
    meta: _Meta = field.metadata["param"]
    _take_whole_numbers(node, field)
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    try:
        value = node.declare_parameter(field.name, default, _descriptor(field.default, meta)).value
    except InvalidParameterTypeException as error:
        raise _wrong_type(node, field) from error
    except InvalidParameterValueException as error:
        raise _out_of_range(node, field.name, meta) from error
    if meta.choices and value not in meta.choices:
        raise SaySoError(
            Code.CONFIG,
            f"parameter '{field.name}' of node '{node.get_name()}' cannot be '{value}'.",
            choices=meta.choices,
        )
    return tuple(value) if isinstance(field.default, tuple) else value


def _take_whole_numbers(node: Node, field: dataclasses.Field[Any]) -> None:
    """A value such as 2 or [0, 1] that was given for a decimal number is taken for one."""
    given = _overrides(node).get(field.name)
    if given is None:
        return
    if given.type_ is Parameter.Type.INTEGER and isinstance(field.default, float):
        value: Any = float(given.value)
    elif given.type_ is Parameter.Type.INTEGER_ARRAY and isinstance(field.default, tuple):
        if not isinstance(field.default[0], float):
            return
        value = [float(number) for number in given.value]
    else:
        return
    _overrides(node)[field.name] = Parameter(field.name, value=value)


def _wrong_type(node: Node, field: dataclasses.Field[Any]) -> SaySoError:
    given = _overrides(node)[field.name].value
    return SaySoError(
        Code.CONFIG,
        f"parameter '{field.name}' of node '{node.get_name()}' must be "
        f"{_type_name(field.default)}, not {given!r}.",
        hint="correct the value in the parameter file.",
    )


def _out_of_range(node: Node, name: str, meta: _Meta) -> SaySoError:
    return SaySoError(
        Code.CONFIG,
        f"parameter '{name}' of node '{node.get_name()}' is outside {meta.low} to {meta.high}.",
        hint="correct the value in the parameter file.",
    )


def _descriptor(default: object, meta: _Meta) -> ParameterDescriptor:
    constraints = f"one of: {', '.join(meta.choices)}" if meta.choices else ""
    descriptor = ParameterDescriptor(
        description=meta.description,
        additional_constraints=constraints,
        read_only=meta.read_only,
    )
    if meta.low is None or meta.high is None:
        return descriptor
    if isinstance(default, int):
        descriptor.integer_range = [
            IntegerRange(from_value=int(meta.low), to_value=int(meta.high), step=0)
        ]
    else:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(meta.low), to_value=float(meta.high), step=0.0)
        ]
    return descriptor


def _type_name(default: object) -> str:
    if isinstance(default, tuple):
        return f"a list of {type(default[0]).__name__ if default else 'str'}"
    return f"of type {type(default).__name__}"
