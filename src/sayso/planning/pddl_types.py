"""The types of a domain's operators as those of PDDL, which form a tree.

A library's types overlap: a plate is movable and a surface, a mug only movable, a shelf only a
surface. Of such types those that fit into one tree become PDDL's `:types`, the widest first; the
others become predicates that never change, which is how planners read types anyway (Helmert, "The
Fast Downward planning system", JAIR 26, 2006, section 5.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sayso.core.symbols import Domain
from sayso.core.vocabulary import ANY, Vocabulary
from sayso.planning.problem import PlanningProblem

Members = Mapping[str, frozenset[str]]
"""Of each type, or several joined by "|", what is of it."""


@dataclass(frozen=True)
class TypeTree:
    """Some types as a tree.

    Attributes:
        parents: of each type in the tree, widest first; None below the type of all things.
        members: of every type, in the tree or not.
    """

    parents: Mapping[str, str | None]
    members: Members

    @staticmethod
    def of(members: Members) -> TypeTree:
        parents: dict[str, str | None] = {}
        for name in sorted(members, key=lambda t: (-len(members[t]), t)):
            mine = members[name]
            if all(mine <= members[t] or mine.isdisjoint(members[t]) for t in parents):
                above = [t for t in parents if mine and mine <= members[t]]
                parents[name] = above[-1] if above else None
        return TypeTree(parents, members)

    def type_of(self, member: str) -> str | None:
        """The narrowest type of the tree that something is of."""
        return next((t for t in reversed(tuple(self.parents)) if member in self.members[t]), None)


def problem_types(problem: PlanningProblem) -> TypeTree:
    """Of a problem's operators, with its objects as members."""
    names = _asked(problem.domain)
    return TypeTree.of(
        {t: frozenset(o for o in problem.objects if problem.may_be(o, t)) for t in names}
    )


def domain_types(domain: Domain, vocabulary: Vocabulary) -> TypeTree:
    """Of a domain's operators, with nouns as members."""
    return TypeTree.of({t: frozenset(vocabulary.nouns_of(t)) for t in _asked(domain)})


def _asked(domain: Domain) -> Iterable[str]:
    return dict.fromkeys(t for op in domain.operators for t in op.types if t != ANY)
