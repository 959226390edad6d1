"""How close a formula is to the one that was meant: words of its referents, order, equivalence.

The first four measures are those of LIMP (Quartey, Rosen, Tellex, Konidaris: "Verifiably Following
Complex Robot Instructions with Foundation Models", section 6), made exact here because the paper
gives no procedure:

- A word error rate is the fewest words inserted, left out or replaced, over the words of the
  correct answer. Things are compared pairwise, in the pairing with the fewest errors that is
  found greedily, so their order in the formula makes no difference.
- Referents: the words of all things in the formula, landmarks of descriptions left out.
  Avoidance: those of the things that must not come about (negated in negation normal form).
  Spatial relations: the comparators with the words of their landmarks.
- A formula is temporally aligned if it is equivalent to the correct one after some renaming of
  its referents, so that only the structure of the task counts.
- Two formulas are equivalent if their automata accept the same finite traces. "a" and "the" are
  not told apart: a descriptor of the paper has no article.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations, product

from sayso.logic.automaton import automaton_of
from sayso.logic.formula import (
    COUNTED,
    And,
    Formula,
    Not,
    Or,
    Prop,
    Quantified,
    Quantifier,
    Referent,
    Relation,
    Term,
    Variable,
    children,
    conjunction,
    map_propositions,
    propositions,
    with_children,
)
from sayso.logic.scope import scoped

MAX_RENAMINGS = 720
Words = tuple[str, ...]


@dataclass(frozen=True)
class WordErrors:
    """Errors among the words of the correct answer."""

    errors: int
    words: int

    @property
    def rate(self) -> float:
        """Errors for each word; for no words, 0 without errors and 1 with any."""
        return self.errors / self.words if self.words else float(self.errors > 0)


@dataclass(frozen=True)
class Closeness:
    """A formula against the correct one.

    Attributes:
        avoidance: None where neither formula forbids anything.
        spatial: None where neither has a spatial relation.
    """

    referents: WordErrors
    avoidance: WordErrors | None
    spatial: WordErrors | None
    aligned: bool
    equivalent: bool


def closeness(said: Formula | None, meant: Formula) -> Closeness:
    """All measures of a formula; None stands for one that was not given."""
    answer: tuple[Formula, ...] = () if said is None else (said,)
    return Closeness(
        word_errors(_all_words(answer, referents), _all_words((meant,), referents)),
        _unless_empty(_all_words(answer, avoided), _all_words((meant,), avoided)),
        _unless_empty(_relations(answer), _relations((meant,))),
        said is not None and aligned(said, meant),
        said is not None and equivalent(said, meant),
    )


# -- equivalence ------------------------------------------------------------------------------


def equivalent(a: Formula, b: Formula, given: Formula | None = None) -> bool:
    """Whether the same finite traces satisfy both, of those that satisfy what is `given`.

    Raises:
        SaySoError: UNSUPPORTED where an automaton is too large.
    """
    a, b = normal(a), normal(b)
    if a == b:
        return True
    differ: Formula = Or((And((a, Not(b))), And((b, Not(a)))))
    return not automaton_of(differ if given is None else And((normal(given), differ))).satisfiable


def normal(formula: Formula) -> Formula:
    """The formula with "a" read as "the" and with relations in one order."""
    plain = inlined(scoped(formula))
    return map_propositions(plain, lambda p: Prop(p.predicate, tuple(map(_normal_term, p.args))))


def inlined(formula: Formula) -> Formula:
    """The formula with quantified descriptions back in the places of their variables.

    Several things of one description are told apart by numbers: "a can", "a can 1".
    """
    return _inlined(formula, {})


def _inlined(formula: Formula, terms: Mapping[Variable, Referent]) -> Formula:
    match formula:
        case Prop(predicate, args):
            named = (terms.get(a, a) if isinstance(a, Variable) else a for a in args)
            return Prop(predicate, tuple(named))
        case Quantified(quantity, variable, domain, body):
            number = quantity.number if quantity.kind in COUNTED else 1
            things = _told_apart(domain, number, tuple(terms.values()))
            return conjunction(*(_inlined(body, {**terms, variable: t}) for t in things))
        case _:
            return with_children(formula, [_inlined(c, terms) for c in children(formula)])


def _told_apart(domain: Referent, count: int, taken: Sequence[Referent]) -> list[Referent]:
    """That many descriptions, unlike those taken."""
    alone = count == 1 and domain not in taken
    if alone or domain.quantifier == "all":
        return [domain]
    most = count + len(taken)
    numbered = (replace(domain, noun=f"{domain.noun} {n}") for n in range(1, most + 1))
    return [r for r in (domain, *numbered) if r not in taken][:count]


def _normal_term(term: Term) -> Term:
    return _normal_referent(term) if isinstance(term, Referent) else term


def _normal_referent(referent: Referent) -> Referent:
    relations = tuple(
        sorted(
            Relation(r.comparator, tuple(map(_normal_referent, r.others)))
            for r in referent.relations
        )
    )
    quantifier: Quantifier = "all" if referent.quantifier == "all" else "the"
    return replace(referent, relations=relations, quantifier=quantifier)


def aligned(said: Formula, meant: Formula) -> bool:
    """Whether some renaming of its referents makes a formula equivalent to the correct one.

    Of more than `MAX_RENAMINGS` renamings that keep the predicates, only the first are tried.
    """
    said, meant = normal(said), normal(meant)
    return any(
        equivalent(_renamed(said, names), meant)
        for names in islice(_renamings(said, meant), MAX_RENAMINGS)
    )


def _renamings(said: Formula, meant: Formula) -> Iterator[Mapping[Term, Term]]:
    """Bijections between terms that stand in the same places of the same predicates."""
    ours, theirs = _terms_by_use(said), _terms_by_use(meant)
    if {k: len(v) for k, v in ours.items()} != {k: len(v) for k, v in theirs.items()}:
        return
    uses = list(ours)
    for choice in product(*(permutations(theirs[use]) for use in uses)):
        yield {
            a: b
            for use, targets in zip(uses, choice, strict=True)
            for a, b in zip(ours[use], targets, strict=True)
        }


def _terms_by_use(formula: Formula) -> dict[frozenset[tuple[str, int]], list[Term]]:
    """Terms, grouped by the predicates and places in which they stand."""
    uses: dict[Term, set[tuple[str, int]]] = {}
    for prop in propositions(formula):
        for place, term in enumerate(prop.args):
            uses.setdefault(term, set()).add((prop.predicate, place))
    groups: dict[frozenset[tuple[str, int]], list[Term]] = {}
    for term, use in uses.items():
        groups.setdefault(frozenset(use), []).append(term)
    return groups


def _renamed(formula: Formula, names: Mapping[Term, Term]) -> Formula:
    return map_propositions(
        formula, lambda p: Prop(p.predicate, tuple(names.get(a, a) for a in p.args))
    )


# -- words ------------------------------------------------------------------------------------


def referents(formula: Formula) -> tuple[Referent, ...]:
    """The distinct things that a formula is about, without the landmarks of descriptions."""
    found = (a for p in propositions(normal(formula)) for a in p.args)
    return tuple(dict.fromkeys(a for a in found if isinstance(a, Referent)))


def avoided(formula: Formula) -> tuple[Referent, ...]:
    """The things of propositions that must not hold at some time."""
    negated = _negated(normal(formula), positive=True)
    return tuple(dict.fromkeys(a for p in negated for a in p.args if isinstance(a, Referent)))


def _negated(formula: Formula, positive: bool) -> Iterator[Prop]:
    if isinstance(formula, Prop):
        if not positive:
            yield formula
    elif isinstance(formula, Not):
        yield from _negated(formula.arg, not positive)
    else:
        for child in children(formula):
            yield from _negated(child, positive)


def word_errors(said: Iterable[Words], meant: Iterable[Words]) -> WordErrors:
    """Errors of one list of names against another, whatever their order."""
    left, right = sorted(said), sorted(meant)
    total = sum(map(len, right))
    pairs = sorted(
        ((edit_distance(a, b) - max(len(a), len(b)), i, j)
         for i, a in enumerate(left) for j, b in enumerate(right)),
    )  # fmt: skip
    errors, used_left, used_right = 0, set[int](), set[int]()
    for _, i, j in pairs:
        if i not in used_left and j not in used_right:
            errors += edit_distance(left[i], right[j])
            used_left.add(i)
            used_right.add(j)
    errors += sum(len(a) for i, a in enumerate(left) if i not in used_left)
    errors += sum(len(b) for j, b in enumerate(right) if j not in used_right)
    return WordErrors(errors, total)


def edit_distance(said: Words, meant: Words) -> int:
    """The fewest words to insert, leave out or replace (Wagner and Fischer, 1974)."""
    row = list(range(len(meant) + 1))
    for i, word in enumerate(said, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(meant, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other)),
            )
    return row[-1]


def _unless_empty(said: list[Words], meant: list[Words]) -> WordErrors | None:
    return word_errors(said, meant) if said or meant else None


def _all_words(
    formulas: Iterable[Formula], which: Callable[[Formula], Iterable[Referent]]
) -> list[Words]:
    return [_words(r) for f in formulas for r in which(f)]


def _words(referent: Referent) -> Words:
    """The name's words; the number that tells apart instances of one kind is none of them."""
    noun = referent.noun.split()
    if len(noun) > 1 and noun[-1].isdigit():
        noun.pop()
    return (*referent.attributes, *noun)


def _relations(formulas: Iterable[Formula]) -> list[Words]:
    things = dict.fromkeys(r for f in formulas for r in referents(f))
    found: dict[Relation, None] = {}
    todo = [r for thing in things for r in thing.relations]
    while todo:
        relation = todo.pop()
        found[relation] = None
        todo += [r for other in relation.others for r in other.relations]
    return [
        (relation.comparator, *(w for other in relation.others for w in _words(other)))
        for relation in found
    ]
