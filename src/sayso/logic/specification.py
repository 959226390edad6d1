"""A task: what was said, the formula it means, and what its referents stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sayso.logic.formula import Formula, Referent


@dataclass(frozen=True)
class Asked:
    """What the person is asked about words of an instruction that were not understood.

    Attributes:
        words: as they were said; none where only how the clauses belong together is not certain.
        limiting: whether they may forbid or limit something.
        wording: what the rest is taken to mean in controlled English, where it was said otherwise
            and has not been corrected since.
    """

    words: tuple[str, ...] = ()
    limiting: bool = False
    wording: str = ""


@dataclass(frozen=True)
class Specification:
    """One version of a task's meaning.

    Attributes:
        instruction: the person's words, unchanged.
        formula: LTLf over propositions whose arguments are referents (or object names).
        source: what made it: "controlled English", or a model's name.
        version: counts corrections, from 1.
        corrections: the person's corrections of the instruction so far, unchanged, oldest first.
        assumptions: what was taken for granted in reading the words, in sentences.
        asked: an open question about its words; nothing is done for it until that is answered.
    """

    instruction: str
    formula: Formula
    source: str = "controlled English"
    version: int = 1
    corrections: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    asked: Asked | None = None


@dataclass(frozen=True)
class GroundedSpecification:
    """A specification whose propositions are about objects in the scene.

    Attributes:
        formula: LTLf whose propositions are all grounded.
        grounding: for each referent of the specification, the objects it stands for
            (one for "the", the candidates for "a", all of them for "all").
    """

    specification: Specification
    formula: Formula
    grounding: Mapping[Referent, tuple[str, ...]] = field(default_factory=dict)
