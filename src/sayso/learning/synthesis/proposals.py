"""The atomic programs that the grammar allows for a predicate, with limits fitted to its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from sayso.core.predicates import Predicate
from sayso.learning.priors import Priors
from sayso.learning.synthesis.columns import Examples, guarded
from sayso.learning.synthesis.labels import Bound, Concept, Members
from sayso.learning.synthesis.limits import limits
from sayso.learning.synthesis.meaning import Meaning
from sayso.learning.synthesis.measures import FLAGS, MEASURES
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


def proposals(
    concept: Concept, examples: Examples, meaning: Meaning, predicates: Mapping[str, Predicate]
) -> tuple[Program, ...]:
    """Every atomic program, "some other ..." included, and what denies it; no duplicates."""
    found: list[Program] = []
    for part in _comparisons(concept.parameters, examples, meaning.priors):
        program: Program = Exists(part) if OTHER in part.args else part
        found.append(program)
        if OTHER in part.args or guarded(part):
            found.append(Not(program))
    kinds = _kinds(concept, examples, meaning)
    for plain in (*_flags(concept), *_holding(concept, predicates), *kinds):
        found += [plain, Not(plain)]
    found += _defined(concept, meaning)
    found += _groups(concept, examples, meaning)
    return tuple(dict.fromkeys(found))


def arrangements(parameters: Sequence[str], arity: int) -> Iterator[tuple[str, ...]]:
    """Arguments for something about `arity` objects: distinct parameters, at most one OTHER.

    With two parameters, a relation to another object is about one of them.
    """
    yield from permutations(parameters, arity)
    if arity == 1 and not parameters:
        yield (OTHER,)
    if arity == 2:
        for parameter in parameters:
            yield OTHER, parameter
            yield parameter, OTHER


def _comparisons(
    parameters: Sequence[str], examples: Examples, priors: Priors
) -> Iterator[Compare]:
    for measure in MEASURES.values():
        for args in arrangements(parameters, measure.arity):
            for below in measure.sides:
                usual = priors.words(measure.name, below).usual
                part = Compare(measure.name, args, below, 0.0)
                values, seen = examples.numbers(part), examples.unlabelled(part)
                found = limits(values, examples.wanted, below, usual, seen)
                # What guards make hold and fail may just as well be denied.
                if guarded(part) or OTHER in args:
                    denied = limits(values, ~examples.wanted, below, usual, seen)
                    found = tuple(dict.fromkeys((*found, *denied)))
                yield from (replace(part, limit=limit) for limit in found)


def _flags(concept: Concept) -> Iterator[Program]:
    for flag in FLAGS.values():
        for args in arrangements(concept.parameters, flag.arity):
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
        categories = examples.categories(number)
        votes: Counter[str] = Counter()
        for category, wanted in zip(categories, examples.wanted, strict=True):
            votes[category] += 1 if wanted else -1
        wanted_ones = tuple(sorted(c for c, n in votes.items() if n > 0))
        unwanted = tuple(sorted(c for c, n in votes.items() if n < 0))
        for names in (wanted_ones, unwanted):
            if names:
                yield Kind(parameter, names)
        for name in sorted(votes)[:_MAX_SINGLE_KINDS]:
            yield Kind(parameter, (name,))


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
            pairs = list(zip(examples.categories(number), examples.wanted, strict=True))
            wanted = {c for c, w in pairs if w} - {c for c, w in pairs if not w}
            wrong = {c for c, w in pairs if not w} - {c for c, w in pairs if w}
            names = tuple(sorted((set(members) | wanted) - wrong))
            exceptions = len(wanted - set(members)) + len(wrong & set(members))
            if names and name not in names:
                kind = Kind(parameter, names, spelled=1 + exceptions)
                meaning.set(kind, likeness)
                yield kind
