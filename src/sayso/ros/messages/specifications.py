"""Specifications to messages and back; formulas and referents travel as text."""

from __future__ import annotations

from typing import Any

from sayso_ros.msg import Grounding
from sayso_ros.msg import Specification as SpecificationMsg

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import Formula, Prop, Referent
from sayso.logic.specification import Asked, GroundedSpecification, Specification
from sayso.logic.text import parse, to_text
from sayso.reporting.events import Understanding


def understanding_to_msg(understanding: Understanding) -> SpecificationMsg:
    grounded = understanding.specification
    specification = grounded.specification
    asked = specification.asked
    unsettled = understanding.trouble is not None or asked is not None
    return SpecificationMsg(
        instruction=specification.instruction,
        formula=to_text(specification.formula),
        grounded_formula="" if unsettled else to_text(grounded.formula),
        english=understanding.english,
        structure=list(understanding.structure),
        grounding=[
            Grounding(referent=str(referent), objects=list(objects))
            for referent, objects in grounded.grounding.items()
        ],
        source=specification.source,
        version=specification.version,
        corrections=list(specification.corrections),
        assumptions=list(specification.assumptions),
        asked=asked is not None,
        not_understood=list(asked.words) if asked else [],
        limiting=asked.limiting if asked else False,
    )


def specification_from_msg(msg: Any) -> Specification:
    """The part before grounding. Raises NOT_UNDERSTOOD if the formula cannot be read."""
    return Specification(
        msg.instruction,
        parse(msg.formula),
        msg.source,
        int(msg.version),
        tuple(msg.corrections),
        tuple(msg.assumptions),
        Asked(tuple(msg.not_understood), msg.limiting) if msg.asked else None,
    )


def understanding_from_msg(msg: Any, trouble: SaySoError | None = None) -> Understanding:
    """`trouble` is why the specification is not grounded, if it is not.

    Raises NOT_UNDERSTOOD for a formula that cannot be read, INVALID if it is not grounded though
    there is no trouble.
    """
    formula = parse(msg.formula) if trouble else grounded_formula(msg)
    grounding = {referent_from_text(g.referent): tuple(g.objects) for g in msg.grounding}
    grounded = GroundedSpecification(specification_from_msg(msg), formula, grounding)
    return Understanding(grounded, msg.english, tuple(msg.structure), trouble)


def referent_from_text(text: str) -> Referent:
    """A descriptor such as `red_block::isleftof(mug)`. Raises NOT_UNDERSTOOD."""
    prop = parse(f"p({text})")
    if not isinstance(prop, Prop) or len(prop.referents) != 1:
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            f"'{text}' does not describe one kind of thing.",
            hint="write a descriptor such as red_block or red_block::isleftof(mug).",
        )
    return prop.referents[0]


def grounded_formula(msg: Any) -> Formula:
    """The formula over object names. Raises NOT_UNDERSTOOD, or INVALID if it is not grounded, or
    the person has not answered what they were asked about it."""
    if msg.asked:
        raise SaySoError(
            Code.INVALID,
            "what the person was asked about the specification is not answered.",
            hint="answer it by /correct.",
        )
    if not msg.grounded_formula:
        raise SaySoError(
            Code.INVALID,
            "the specification is not grounded.",
            hint="get it from /interpret, with the scene in view.",
        )
    return parse(msg.grounded_formula, grounded=True)
