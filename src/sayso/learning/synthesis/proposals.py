"""The atomic programs that the grammar allows for a predicate, with limits fitted to its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from sayso.core.predicates import Predicate
from sayso.learning.priors import Priors
from sayso.learning.synthesis.columns import Examples, guarded
from sayso.learning.synthesis.guards import flags_of, words_of
from sayso.learning.synthesis.labels import Bound, Concept, Members
from sayso.learning.synthesis.limits import best_rows, interval, limits
from sayso.learning.synthesis.meaning import Meaning
from sayso.learning.synthesis.measures import MORE, measures_of
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Exists,
    Flag,
    Holds,
    Kind,
    Not,
    Program,
)

_MAX_SINGLE_KINDS = 8
_SPARED = 3
"""So many labels more than by one limit must be told rightly by two."""
_MAX_OTHERS = 12
_TELLING = 6
"""So many comparisons with another thing are joined with others about the same thing."""


def proposals(
    concept: Concept, examples: Examples, meaning: Meaning, predicates: Mapping[str, Predicate]
) -> tuple[Program, ...]:
    """Every atomic program, "some other ..." included, and what denies it; no duplicates."""
    found: list[Program] = []
    comparisons = tuple(_comparisons(concept.parameters, examples, meaning.priors))
    for part in comparisons:
        program: Program = Exists(part) if OTHER in part.args else part
        found.append(program)
        if OTHER in part.args or guarded(part):
            found.append(Not(program))
    kinds = _kinds(concept, examples, meaning)
    for plain in (*_flags(concept, examples), *_holding(concept, predicates), *kinds):
        found += [plain, Not(plain)]
    found += _intervals(comparisons, examples)
    for some in _quantified(concept, examples, comparisons, meaning.priors):
        found += [some, Not(some)]
    found += _defined(concept, meaning)
    found += _groups(concept, examples, meaning)
    return tuple(dict.fromkeys(found))


def arrangements(
    parameters: Sequence[str], arity: int, alone: bool = False
) -> Iterator[tuple[str, ...]]:
    """Arguments for something about `arity` objects: distinct parameters, at most one OTHER.

    With two parameters, a relation to another object is about one of them.

    Args:
        alone: whether no scene has another object.
    """
    yield from permutations(parameters, arity)
    if alone:
        return
    if arity == 1 and not parameters:
        yield (OTHER,)
    if arity == 2:
        for parameter in parameters:
            yield OTHER, parameter
            yield parameter, OTHER


def _alone(parameters: Sequence[str], examples: Examples) -> bool:
    """Whether the things that the predicate is about were always seen by themselves."""
    tables = examples.seen_tables
    return bool(tables) and max(t.count for t in tables) <= max(1, len(parameters))


def _comparisons(
    parameters: Sequence[str], examples: Examples, priors: Priors
) -> Iterator[Compare]:
    for measure in measures_of(examples.seen_tables):
        for args in arrangements(parameters, measure.arity, _alone(parameters, examples)):
            for below in measure.sides:
                usual = _usual(priors, measure.name, below)
                part = Compare(measure.name, args, below, 0.0)
                values, seen = examples.numbers(part), examples.unlabelled(part)
                if len(values) and not (len(seen) or np.isfinite(values).any()):
                    continue  # of nothing that was seen it can be told
                found = limits(values, examples.wanted, below, usual, seen)
                # What guards make hold and fail may just as well be denied.
                if guarded(part) or OTHER in args:
                    denied = limits(values, ~examples.wanted, below, usual, seen)
                    found = tuple(dict.fromkeys((*found, *denied)))
                yield from (replace(part, limit=limit) for limit in found)


def _intervals(comparisons: Sequence[Compare], examples: Examples) -> Iterator[All]:
    """Neither too little nor too much, where that tells far more than either does."""
    measured = dict.fromkeys((c.measure, c.args) for c in comparisons if OTHER not in c.args)
    sides = {(c.measure, c.args, c.below) for c in comparisons}
    for measure, args in measured:
        if {(measure, args, True), (measure, args, False)} <= sides:
            below = Compare(measure, args, True, 0.0)
            between = interval(examples.numbers(below), examples.wanted, _SPARED)
            if between is not None:
                low, high = between
                yield All((Compare(measure, args, False, low), replace(below, limit=high)))


def _usual(priors: Priors, measure: str, below: bool) -> float | None:
    """More than another is more than nothing more, whatever it is."""
    return 0.0 if measure.startswith(MORE) else priors.words(measure, below).usual


def _flags(concept: Concept, examples: Examples) -> Iterator[Program]:
    for flag in flags_of(examples.seen_tables):
        alone = _alone(concept.parameters, examples)
        for args in arrangements(concept.parameters, flag.arity, alone):
            yield Exists(Flag(flag.name, args)) if OTHER in args else Flag(flag.name, args)


def _holding(concept: Concept, predicates: Mapping[str, Predicate]) -> Iterator[Program]:
    for predicate in predicates.values():
        for args in arrangements(concept.parameters, predicate.arity):
            part = Holds(predicate.name, args)
            yield Exists(part) if OTHER in args else part


def _kinds(concept: Concept, examples: Examples, meaning: Meaning) -> Iterator[Kind]:
    seen = examples.seen_categories()
    for noun in meaning.nouns(seen):
        if noun in meaning.priors.kinds and noun not in seen:
            continue  # a common word for many kinds; see `_groups`
        yield from (Kind(parameter, (noun,)) for parameter in concept.parameters)
    for number, parameter in enumerate(concept.parameters):
        for attribute in ("category", *words_of(examples.seen_tables)):
            yield from _voted(parameter, attribute, examples.words(attribute, number), examples)


def _voted(
    parameter: str, attribute: str, words: Sequence[str], examples: Examples
) -> Iterator[Kind]:
    """The words that labels speak for, those that they speak against, and some by themselves."""
    votes: Counter[str] = Counter()
    for word, wanted in zip(words, examples.wanted, strict=True):
        votes[word] += 1 if wanted else -1
    del votes[""]
    for names in (
        tuple(sorted(c for c, n in votes.items() if n > 0)),
        tuple(sorted(c for c, n in votes.items() if n < 0)),
    ):
        if names:
            yield Kind(parameter, names, attribute)
    for name in sorted(votes)[:_MAX_SINGLE_KINDS]:
        yield Kind(parameter, (name,), attribute)


def _quantified(
    concept: Concept, examples: Examples, comparisons: Sequence[Compare], priors: Priors
) -> Iterator[Program]:
    """Others of a kind, a colour or a state, and more than one other; for one argument or none."""
    if len(concept.parameters) > 1 or not len(examples.wanted):
        return
    if _alone(concept.parameters, examples):
        return
    conditions = tuple(_of_others(concept, examples))
    if not concept.parameters:
        pairs = (All(pair) for pair in combinations(conditions, 2))
        yield from (Exists(pair) for pair in pairs)
    rows: list[Program | int] = [*conditions, 2, 3]
    for part in dict.fromkeys(replace(c, limit=0.0) for c in comparisons if OTHER in c.args):
        values = examples.best_of_some(part, conditions)
        usual = _usual(priors, part.measure, part.below)
        for i in best_rows(values, examples.wanted):
            for wanted in (examples.wanted, ~examples.wanted):
                for limit in limits(values[i], wanted, part.below, usual, np.zeros(0))[:1]:
                    yield _some(replace(part, limit=limit), rows[i])
    yield from _of_two_measures(_telling(comparisons, examples), examples)


def _of_two_measures(parts: Sequence[Compare], examples: Examples) -> Iterator[Exists]:
    """Another thing of which two comparisons hold, each limit fitted to where the other does."""
    for part in parts:
        rest = [p for p in parts if p.measure != part.measure]
        values = examples.best_of_some(part, rest)[:-2]
        for i in best_rows(values, examples.wanted)[:2] if rest else ():
            for wanted in (examples.wanted, ~examples.wanted):
                for limit in limits(values[i], wanted, part.below, None, np.zeros(0))[:1]:
                    fitted = replace(part, limit=limit)
                    yield _some(fitted, rest[i])
                    again = examples.best_of_some(rest[i], (fitted,))[0]
                    for other in limits(again, wanted, rest[i].below, None, np.zeros(0))[:1]:
                        yield _some(replace(rest[i], limit=other), fitted)


def _telling(comparisons: Sequence[Compare], examples: Examples) -> tuple[Compare, ...]:
    """The comparisons with another thing that tell most by themselves, each of another measure."""
    right: dict[str, tuple[int, Compare]] = {}
    for part in (c for c in comparisons if OTHER in c.args):
        hits = int((examples.truth(Exists(part)) == examples.wanted).sum())
        hits = max(hits, len(examples.wanted) - hits)
        right[part.measure] = max(right.get(part.measure, (0, part)), (hits, part), key=_hits)
    best = sorted(right.values(), key=_hits, reverse=True)
    return tuple(part for _, part in best[:_TELLING])


def _hits(told: tuple[int, Compare]) -> int:
    return told[0]


def _some(part: Compare, row: Program | int) -> Exists:
    return Exists(part, row) if isinstance(row, int) else Exists(All((part, row)))


def _of_others(concept: Concept, examples: Examples) -> Iterator[Program]:
    """What another thing may be, by itself or as the argument is."""
    tables = examples.seen_tables
    for attribute in ("category", *words_of(tables)):
        names = sorted({w for t in tables for w in t.words(attribute)} - {""})
        yield from (Kind(OTHER, (name,), attribute) for name in names[:_MAX_OTHERS])
    for flag in flags_of(tables):
        if flag.arity == 1 and flag.name.startswith("true "):
            yield Flag(flag.name, (OTHER,))
        elif flag.arity == 2 and flag.name.startswith("same ") and concept.parameters:
            yield Flag(flag.name, (OTHER, concept.parameters[0]))


def _defined(concept: Concept, meaning: Meaning) -> Iterator[Program]:
    """What people named outright: it could not be closer to their words."""
    programs: list[Program] = []
    for said in concept.definitions:
        parameter = concept.parameters[said.parameter]
        if isinstance(said, Members):
            programs.append(Kind(parameter, said.categories, spelled=1))
        elif isinstance(said, Bound):
            programs.append(Compare(said.measure, (parameter,), said.below, said.limit, True))
    if len(programs) > 1:
        programs.append(All(tuple(dict.fromkeys(programs))))
    for program in programs:
        meaning.set(program, 1.1)
        yield program


def _groups(concept: Concept, examples: Examples, meaning: Meaning) -> Iterator[Program]:
    """Common kinds of things that were mentioned, mended by what the labels say."""
    for name, members, likeness in meaning.groups():
        for number, parameter in enumerate(concept.parameters):
            pairs = list(zip(examples.words("category", number), examples.wanted, strict=True))
            wanted = {c for c, w in pairs if w} - {c for c, w in pairs if not w}
            wrong = {c for c, w in pairs if not w} - {c for c, w in pairs if w}
            names = tuple(sorted((set(members) | wanted) - wrong))
            exceptions = len(wanted - set(members)) + len(wrong & set(members))
            if names and name not in names:
                kind = Kind(parameter, names, spelled=1 + exceptions)
                meaning.set(kind, likeness)
                yield kind
