"""Predicates learned without a model: programs ranked by labels, simplicity and a person's words.

concept + labels -> atomic programs with fitted limits -> search -> distinct candidates
  -> the best as Python through the allow-list, the runners-up, and a question that splits them

What neither the words nor the labels tie to anything that is seen ("hot") is not guessed: it holds
of what people said it of, and is unknown of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations
from typing import Any

import numpy as np

from sayso.core.library import function_name
from sayso.core.ports import Embedder
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.learning.predicate_code import compile_learned
from sayso.learning.priors import Priors, household
from sayso.learning.synthesis.columns import Examples, Tables
from sayso.learning.synthesis.kinds import for_new_kinds
from sayso.learning.synthesis.labels import (
    Concept,
    Contradiction,
    Label,
    contradictions,
    usable,
)
from sayso.learning.synthesis.meaning import NAMED, CachedEmbedder, Meaning
from sayso.learning.synthesis.programs import Compare, Program, atoms
from sayso.learning.synthesis.proposals import proposals
from sayso.learning.synthesis.search import Scored, Search, Settings
from sayso.learning.synthesis.source import english_of, source_of

_WATCHED = 8
"""In how many of the latest scenes candidates are compared."""
_DOUBT = 0.15
"""Share of belief against the best answer from which it is worth a question."""
_NEAR = 1.0
"""Programs whose scores differ by less are told apart by what is not seen yet, or not at all."""
_VARIANTS = 4
_AWAY = 0.3
"""So much less like the words than another means something else, such as the opposite."""


@dataclass(frozen=True)
class Candidate:
    """A program for a predicate.

    Attributes:
        errors: labels that it contradicts.
        likeness: of its meaning to the person's words.
        belief: share of all candidates' probability.
    """

    program: Program
    source: str
    errors: int
    likeness: float
    belief: float


@dataclass(frozen=True, eq=False)
class Question:
    """What to ask where candidates differ: does the predicate hold of these objects, here?

    Attributes:
        doubt: share of belief in the less likely answer.
        pressing: whether labels begin to deny what the words say.
    """

    scene: Scene
    args: tuple[str, ...]
    text: str
    doubt: float
    pressing: bool = False


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned of a predicate.

    Attributes:
        candidates: the best first, then the runners-up; they differ on some seen scene.
        question: that best splits them; None where there is no doubt.
        contradictions: labels that cannot all be right.
        variants: texts of programs that are nearly as good as the best, and agree with it on all
            that was seen so far.
    """

    predicate: Predicate
    candidates: tuple[Candidate, ...]
    question: Question | None = None
    contradictions: tuple[Contradiction, ...] = field(default_factory=tuple)
    variants: tuple[str, ...] = ()

    @property
    def observable(self) -> bool:
        """Whether anything that is seen tells it, and not people alone."""
        return self.predicate.provenance.get("observable") is not False


class Synthesizer:
    """Learns predicates; fast when called again with more labels of the same scenes.

    Deterministic: the same concept, labels, scenes and predicates give the same program.

    Args:
        priors: what words mean and what is usual; none given: what SaySo comes with.
    """

    def __init__(
        self,
        embedder: Embedder,
        settings: Settings | None = None,
        priors: Priors | None = None,
    ) -> None:
        self._priors = priors or household()
        self._embedder = CachedEmbedder(embedder)
        self._settings = settings or Settings()
        self._tables: dict[tuple[tuple[str, str], ...], Tables] = {}

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        """The predicate that fits best, with its runners-up.

        Args:
            labels: all there are for it, in the order in which they were given; labels about
                objects that were not seen are kept but teach nothing.
            predicates: that it may use; those that use it, or it itself, are left out.
            scenes: seen without labels, oldest first; questions are asked about the latest.
            version: of the result.
        """
        allowed = _allowed(concept.name, predicates or {})
        labelled = usable(labels)
        seen = latest((*(x.scene for x in labelled), *scenes))
        examples = Examples(labelled, concept.parameters, self._tables_for(allowed), seen)
        words = _sayings(concept)
        meaning = Meaning(
            self._embedder, words, concept.parameters, allowed, self._priors, concept.english_not
        )
        atomic = proposals(concept, examples, meaning, allowed)
        ranked = Search(examples, meaning, self._settings).run(atomic)
        chosen = _by_the_words(_distinct(ranked, examples, self._settings.kept))
        chosen[0] = replace(chosen[0], program=for_new_kinds(chosen[0].program, examples))
        candidates = self._candidates(concept, chosen, labelled)
        named = max(map(meaning.of, atomic), default=0.0) >= NAMED
        question = _question(concept, candidates, examples)
        if question and _leaves_the_words(chosen):
            question = replace(question, pressing=True)
        different = len({examples.truth(p).tobytes() for p in atomic})
        if not named and not _shown(chosen[0], labelled, different, self._settings):
            untold = told_by_people(concept, labels, seen, version)
            return replace(untold, candidates=candidates, question=question or untold.question)
        return Learned(
            _predicate(concept, candidates, labels, version),
            candidates,
            question,
            contradictions(labelled),
            _variants(concept, candidates[0], ranked, chosen),
        )

    def _tables_for(self, predicates: Mapping[str, Predicate]) -> Tables:
        key = tuple((p.name, p.source) for p in predicates.values())
        if key not in self._tables:
            if len(self._tables) > 20:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = Tables(predicates)
        return self._tables[key]

    def _candidates(
        self, concept: Concept, chosen: Sequence[Scored], labels: Sequence[Label]
    ) -> tuple[Candidate, ...]:
        said = tuple(dict.fromkeys(x.words for x in labels if x.words))
        remarks = [f"Learned from {_count(len(labels), 'label')}; {chosen[0].errors} disagree."]
        remarks += [f"Said: '{words}'" for words in said[:3]]
        return tuple(
            Candidate(
                s.program,
                source_of(concept.name, concept.parameters, s.program, remarks),
                s.errors,
                round(s.likeness, 4),
                float(b),
            )
            for s, b in zip(chosen, _beliefs(chosen), strict=True)
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _sayings(concept: Concept) -> tuple[str, ...]:
    return (concept.name, concept.english, *concept.words)


def latest(scenes: Sequence[Scene]) -> tuple[Scene, ...]:
    """The latest distinct scenes, oldest first."""
    distinct = {id(s): s for s in scenes}
    return tuple(list(distinct.values())[-_WATCHED:])


_USES = re.compile(r"""(?:holds|known)\(\s*["'](\w+)["']""")


def uses(source: str) -> frozenset[str]:
    """The predicates that a predicate's text asks for."""
    return frozenset(_USES.findall(source))


def _allowed(name: str, predicates: Mapping[str, Predicate]) -> dict[str, Predicate]:
    """The predicates that do not depend on the one to be learned, and take two objects at most."""
    barred = {name}
    while True:
        more = {p.name for p in predicates.values() if uses(p.source) & barred} - barred
        if not more:
            break
        barred |= more
    return {n: p for n, p in predicates.items() if n not in barred and p.arity <= 2}


def _distinct(ranked: Sequence[Scored], examples: Examples, count: int) -> list[Scored]:
    """The best of each group of programs that agree on all seen scenes and labels."""
    found: dict[bytes, Scored] = {}
    for scored in ranked:
        if len(found) >= count:
            break
        parts = [np.packbits(examples.everywhere(scored.program, s)) for s in examples.seen]
        parts.append(np.packbits(examples.truth(scored.program)))
        found.setdefault(b"|".join(p.tobytes() for p in parts), scored)
    return list(found.values())


def _by_the_words(chosen: Sequence[Scored]) -> list[Scored]:
    """First the best that means what the words say, unless the labels deny that beyond doubt."""
    straight = [i for i, s in enumerate(chosen) if not _away(s, chosen)]
    if _beliefs(chosen)[straight].sum() < _DOUBT:
        return list(chosen)
    best = straight[0]
    return [chosen[best], *chosen[:best], *chosen[best + 1 :]]


def _variants(
    concept: Concept, best: Candidate, ranked: Sequence[Scored], chosen: Sequence[Scored]
) -> tuple[str, ...]:
    """Of the programs that were left out for one that agrees with them, those that are near."""
    kept = {best.program, *(s.program for s in chosen)}
    near = (s for s in ranked if s.program not in kept and s.score > ranked[0].score - _NEAR)
    return tuple(
        source_of(concept.name, concept.parameters, s.program) for s in islice(near, _VARIANTS)
    )


def _away(scored: Scored, chosen: Sequence[Scored]) -> bool:
    """Whether a program means something else than the words, which another says."""
    closest = max(s.likeness for s in chosen)
    return closest >= NAMED and scored.likeness < closest - _AWAY


def _leaves_the_words(chosen: Sequence[Scored]) -> bool:
    """Whether a program worth a question means something else than the words."""
    pairs = zip(chosen, _beliefs(chosen), strict=True)
    return any(b >= _DOUBT and _away(s, chosen) for s, b in pairs)


def _beliefs(chosen: Sequence[Scored]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    scores = np.array([s.score for s in chosen])
    beliefs = np.exp(scores - scores.max())
    return np.asarray(beliefs / beliefs.sum())


def _shown(best: Scored, labels: Sequence[Label], count: int, settings: Settings) -> bool:
    """Whether the labels alone single a program out: it is shorter than what it explains.

    Both in nats; a part of a program takes what it takes to choose it, one more to join it, and
    for a limit of its own half the logarithm of the labels that it was fitted to. The other end
    of a range is one of two.

    Args:
        count: how many atomic programs it was chosen from that differ on some label.
    """
    share = np.mean([x.truth for x in labels]) if labels else 0.0
    if share in (0.0, 1.0):
        return False
    told = -len(labels) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    parts = list(atoms(best.program))
    fitted = sum(isinstance(p, Compare) and not p.stated for p in parts)
    compared = [(p.measure, p.args) for p in parts if isinstance(p, Compare)]
    ends = len(compared) - len(set(compared))
    chosen = (len(parts) - ends) * np.log(count) + ends * np.log(2.0)
    cost = chosen + len(parts) + fitted * np.log(len(labels)) / 2
    return bool(told > cost + best.errors * settings.error_weight)


def told_by_people(
    concept: Concept, labels: Sequence[Label], seen: Sequence[Scene], version: int
) -> Learned:
    """A predicate that nothing seen tells, and a question about things nobody spoke of.

    Args:
        seen: scenes, the latest last.
    """
    known = usable(labels)
    question = _question_of_another(concept, known, seen)
    return Learned(_lookup_table(concept, labels, version), (), question, contradictions(known))


def _lookup_table(concept: Concept, labels: Sequence[Label], version: int) -> Predicate:
    """The predicate as people told it, thing by thing; of a thing the latest word counts."""
    told = {x.args: x.truth for x in labels}
    names = ", ".join(concept.parameters)
    key = f"({names},)" if names else "()"
    source = (
        f'"""Nothing that is seen tells this; people said it of each thing."""\n\n'
        f"TOLD = {told!r}\n\n\n"
        f"def {function_name(concept.name)}({', '.join(('scene', *concept.parameters))}):\n"
        f"    return TOLD.get({key})\n"
    )
    return _learned(concept, source, labels, version, {"observable": False, "disagreeing": 0})


def _question_of_another(
    concept: Concept, labels: Sequence[Label], seen: Sequence[Scene]
) -> Question | None:
    """About things of the latest scene of which nobody has said anything."""
    told = {x.args for x in labels}
    names = [o.name for o in seen[-1].objects] if seen else []
    for args in permutations(names, len(concept.parameters)):
        if args and args not in told:
            return Question(seen[-1], args, asked(concept, args), 0.5)
    return None


def _learned(
    concept: Concept,
    source: str,
    labels: Sequence[Label],
    version: int,
    more: Mapping[str, Any],
) -> Predicate:
    return Predicate(
        name=concept.name,
        parameters=concept.parameters,
        function=compile_learned(concept.name, source, len(concept.parameters)),
        english=concept.english,
        english_not=concept.english_not,
        source=source,
        version=version,
        provenance={
            "origin": "learned",
            "by": "synthesis",
            "words": list(dict.fromkeys(x.words for x in labels if x.words)),
            "labels": [
                {"args": list(x.args), "truth": x.truth, "stamp_s": x.scene.stamp_s} for x in labels
            ],
            **more,
        },
    )


def _predicate(
    concept: Concept, candidates: Sequence[Candidate], labels: Sequence[Label], version: int
) -> Predicate:
    best = candidates[0]
    others = [english_of(c.program) for c in candidates[1:4]]
    more = {"disagreeing": best.errors, "runners_up": others}
    return _learned(concept, best.source, labels, version, more)


def _question(
    concept: Concept, candidates: Sequence[Candidate], examples: Examples
) -> Question | None:
    """About the seen objects on which belief is divided most evenly; the latest scene of equals."""
    beliefs = np.array([c.belief for c in candidates])
    said = {(id(x.scene), x.args) for x in examples.labels}
    best: Question | None = None
    for scene in reversed(examples.seen):
        held = np.array([examples.everywhere(c.program, scene) for c in candidates], float)
        doubt = np.tensordot(beliefs, held, 1)
        doubt = np.minimum(doubt, 1 - doubt)
        found = _most_doubtful(doubt, scene, examples, said)
        if found and found[1] >= _DOUBT and (best is None or found[1] > best.doubt + 1e-9):
            text = asked(concept, found[0])
            best = Question(scene, found[0], text, found[1])
    return best


def _most_doubtful(
    doubt: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    scene: Scene,
    examples: Examples,
    said: set[tuple[int, tuple[str, ...]]],
) -> tuple[tuple[str, ...], float] | None:
    names = examples.tables.of(scene).names
    found: tuple[tuple[str, ...], float] | None = None
    for places in permutations(range(len(names)), doubt.ndim):
        args = tuple(names[p] for p in places)
        value = float(doubt[places])
        if (id(scene), args) not in said and (found is None or value > found[1] + 1e-9):
            found = args, value
    return found


def asked(concept: Concept, args: Sequence[str]) -> str:
    """The question whether a predicate holds of these objects, in words."""
    names = ["the " + a.replace("_", " ") for a in args]
    clause = concept.english or f"{concept.name.replace('_', ' ')} holds of {', '.join(names)}"
    return f"Is it so that {clause.format(*names)}?"
