"""A reader of feedback and a writer of predicates that look their answers up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.learning.feedback import Action, Feedback, FeedbackKind
from sayso.learning.predicate_code import compile_learned
from sayso.learning.synthesis.labels import Concept, Label, contradictions, usable
from sayso.learning.synthesis.synthesizer import Learned


class TableReader:
    """Reads the texts of its table; `reached` answers get the goal's literals."""

    def __init__(self, answers: Mapping[str, Feedback]) -> None:
        self._answers = dict(answers)

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Mapping[str, Predicate] | None = None,
    ) -> Feedback:
        """See `teaching.FeedbackReader`. Raises NOT_UNDERSTOOD for any other text."""
        answer = self._answers.get(text)
        if answer is None:
            raise SaySoError(
                Code.NOT_UNDERSTOOD, f"'{text}' is not in the table.", choices=self._answers
            )
        if answer.kind is FeedbackKind.REACHED:
            return replace(answer, literals=tuple(goal), text=text)
        return replace(answer, text=text)


class TableWriter:
    """Writes each predicate with the text of its table, whatever the labels say."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        """See `teaching.PredicateWriter`.

        Raises:
            SaySoError: NOT_UNDERSTOOD for a predicate that the table has not, INVALID for a text
                that is not allowed.
        """
        source = self._sources.get(concept.name)
        if source is None:
            raise SaySoError(
                Code.NOT_UNDERSTOOD, f"'{concept.name}' is not there.", choices=self._sources
            )
        function = compile_learned(concept.name, source, len(concept.parameters))
        known = usable(labels)
        predicate = Predicate(
            concept.name,
            concept.parameters,
            function,
            concept.english,
            concept.english_not,
            source,
            version,
        )
        views = {id(x): SceneView(x.scene, {**(predicates or {}), concept.name: predicate})
                 for x in known}  # fmt: skip
        wrong = [x for x in known if views[id(x)].holds(concept.name, *x.args) is not x.truth]
        provenance = {
            "origin": "learned",
            "by": "table",
            "words": list(dict.fromkeys(x.words for x in labels if x.words)),
            "labels": [{"args": list(x.args), "truth": x.truth} for x in labels],
            "disagreeing": len(wrong),
        }
        return Learned(replace(predicate, provenance=provenance), (), None, contradictions(known))
