"""A draft of a predicate tried on what was seen and said, and its faults in words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.learning.model.predicate_sandbox import PredicateSandbox, Truths
from sayso.learning.model.scene_text import scene_in_words
from sayso.learning.synthesis.labels import Concept, Label, contradictions

_TOLD = 4
"""How many faults of a kind are told at once."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of a draft.

    Attributes:
        source: its text.
        unusable: why it cannot be used at all; '' if it can.
        errors: of execution, in words.
        wrong: labels that it does not meet.
        truths: by scene, in the order in which they were tried.
    """

    source: str
    unusable: str = ""
    errors: tuple[str, ...] = ()
    wrong: tuple[Label, ...] = ()
    truths: tuple[tuple[Scene, Truths], ...] = ()

    @property
    def badness(self) -> tuple[bool, int, int]:
        """Smaller is better."""
        return bool(self.unusable), len(self.wrong), len(self.errors)


def tried(
    process: PredicateSandbox,
    concept: Concept,
    source: str,
    labels: Sequence[Label],
    scenes: Sequence[Scene],
    known: Mapping[str, Predicate],
) -> Trial:
    """A draft on all labels, and on all objects of all labelled scenes and of these.

    Args:
        labels: whose objects were seen.
        known: predicates that it may use.
    """
    arity = len(concept.parameters)
    function = process.function(concept.name, source, arity)
    draft = Predicate(concept.name, concept.parameters, function, source=source)
    everything = {**known, concept.name: draft}
    # Without any scene, an empty one shows at least whether the text can be compiled.
    seen = (*(x.scene for x in labels), *scenes) or (Scene(0.0, ()),)
    distinct = {id(s): s for s in seen}
    truths: dict[int, Truths] = {}
    errors: list[str] = []
    for key, scene in distinct.items():
        found = process.evaluate(scene, everything, [concept.name])[concept.name]
        if found.unusable:
            return Trial(source, unusable=found.unusable)
        for failure in found.failures:
            said = f"{concept.name}({', '.join(failure.args)}) fails: {failure.message}"
            errors += [said] if said not in errors else []
        truths[key] = found
    if named := _names_objects(source, distinct.values()):
        return Trial(
            source, unusable=f"the code names the object '{named}'; it may name only kinds"
        )
    wrong = tuple(x for x in labels if truths[id(x.scene)].values[x.args] is not x.truth)
    return Trial(
        source, "", tuple(errors), wrong, tuple((s, truths[k]) for k, s in distinct.items())
    )


def faults(trial: Trial, concept: Concept, labels: Sequence[Label]) -> tuple[str, ...]:
    """What the Corrector is told; nothing where there is nothing to mend.

    Labels that contradict each other cannot all be met, and are not told.
    """
    if trial.unusable:
        return (f"It cannot be run: {trial.unusable}.",)
    disputed = {x for c in contradictions(labels) for x in (c.earlier, c.later)}
    open_labels = [x for x in trial.wrong if x not in disputed]
    errors = tuple(f"{e}." for e in trial.errors[:_TOLD])
    return (*errors, *(_mismatch(trial, concept, x) for x in open_labels[:_TOLD]))


def _mismatch(trial: Trial, concept: Concept, label: Label) -> str:
    truths = next(t for s, t in trial.truths if s is label.scene)
    found = truths.values[label.args]
    said = f' The person said: "{label.words}".' if label.words else ""
    return (
        f"{concept.name}({', '.join(label.args)}) should be {label.truth}, and is "
        f"{'unknown' if found is None else found}.{said} What was observed then:\n"
        f"{scene_in_words(label.scene, label.args)}"
    )


def _names_objects(source: str, scenes: Iterable[Scene]) -> str:
    """An object that the text names, unless the same word is a kind or a colour."""
    objects = [o for s in scenes for o in s.objects]
    words = {w for o in objects for w in (o.category, o.color)}
    names = {o.name for o in objects} - words
    texts = {
        n.value
        for n in ast.walk(ast.parse(source))
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    return min(names & texts, default="")
