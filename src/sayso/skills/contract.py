"""An action's contract: its preconditions and effects against an observed scene."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import AttributeValue, Scene, SceneObject
from sayso.core.symbols import Action, Check, Literal

_OF_THE_HAND = ("holding", "gripper_empty", "hand_empty", "touching")
_OF_THE_BASE = ("near", "near_in_room")


def found_in(scene: Scene, name: str) -> SceneObject:
    """A thing of a scene. Raises OBJECT_LOST where it is not observed."""
    obj = scene.by_name().get(name)
    if obj is None:
        raise SaySoError(
            Code.OBJECT_LOST,
            f"{name} is not in the observed scene.",
            hint="put it back in view, or ask for something else.",
            choices=scene.by_name(),
        )
    return obj


def require_known(scene: Scene, names: Iterable[str], avoid: Collection[str]) -> None:
    """Raises OBJECT_LOST for what is not observed, and VETO for what must not be touched."""
    for name in names:
        found_in(scene, name)
        if name in avoid:
            raise SaySoError(Code.VETO, f"{name} must not be touched.")


def check(
    scene: Scene, literals: Iterable[Literal], predicates: Mapping[str, Predicate]
) -> tuple[Check, ...]:
    """Each literal against a scene, with the observed values behind it."""
    view = SceneView(scene, predicates)
    checks = []
    for literal in literals:
        truth = view.truth(literal.atom)
        observed = None if truth is None else truth == literal.positive
        checks.append(Check(literal, observed, _values(scene, literal)))
    return tuple(checks)


def effects(action: Action) -> list[Literal]:
    """What must be observed after an action: what it adds, then what it deletes.

    What it ends of all things alike is asked of its own things alone: others may be out of sight.
    """
    own = frozenset(action.args)
    ended = (a for a in action.delete - action.add if own.issuperset(a.args))
    added = sorted(Literal(a) for a in action.add)
    return added + sorted(Literal(a, False) for a in ended if len(set(a.args)) == len(a.args))


def require(checks: tuple[Check, ...], code: Code, what: str) -> None:
    """Raise the code, with those checks that do not hold, unless all do."""
    missing = [c for c in checks if not c.observed]
    if not missing:
        return
    words = "; ".join(
        f"{c.literal} is {'unknown' if c.observed is None else 'not so'}"
        + (f" ({c.detail})" if c.detail else "")
        for c in missing
    )
    raise SaySoError(code, f"{what}: {words}.", checks=missing)


def _values(scene: Scene, literal: Literal) -> str:
    """The gripper's width or the objects' places, as a person would note them."""
    objects = scene.by_name()
    parts = []
    for name in literal.atom.args:
        obj = objects.get(name)
        if obj is None:
            parts.append(f"{name} not seen")
            continue
        x, y, z = obj.position
        state = "" if obj.visible else ", hidden"
        told = "".join(f", {_attribute_text(n, v)}" for n, v in obj.attributes.items())
        parts.append(f"{name} at ({x:.3f}, {y:.3f}, {z:.3f}){told}{state}")
    if literal.atom.predicate in _OF_THE_HAND:
        parts.append(f"gripper {scene.robot.gripper_width_m:.3f} m")
    if literal.atom.predicate in _OF_THE_BASE and scene.robot.base is not None:
        x, y, _ = scene.robot.base.position
        parts.append(f"base at ({x:.2f}, {y:.2f})")
    return ", ".join(parts)


def _attribute_text(attribute: str, value: AttributeValue) -> str:
    return f"{attribute} {value:.3f}" if isinstance(value, float) else f"{attribute} {value}"
