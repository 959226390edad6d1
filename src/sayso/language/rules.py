"""Rules: what must hold, or must not come about, from the first step of a task to the last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sayso.language.clauses import Clauses
from sayso.language.events import at_least, negation
from sayso.language.lexicon import ENSURE, GERUNDS, VERBS
from sayso.language.tokens import Cursor
from sayso.logic.formula import (
    Always,
    Formula,
    Not,
    Or,
    Prop,
    Referent,
    Until,
    conjunction,
    disjunction,
    map_propositions,
)

_ALSO = ("either", "at all", "as well", "too")


class RuleClauses:
    """Reads rules at a cursor, after the word that introduces them."""

    def __init__(self, cursor: Cursor, clauses: Clauses) -> None:
        self._cursor = cursor
        self._clauses = clauses

    def prohibition(self, *, gerund: bool) -> list[Formula]:
        """What follows "never": actions whose outcome must not come about."""
        return self._limited(self.forbidden(gerund=gerund))

    def avoidance(self) -> list[Formula]:
        """What follows "avoid": "touching the mug", or "the mug", which means the same."""
        if self._cursor.at(*GERUNDS):
            return self.prohibition(gerund=True)
        states = self._clauses.touching().states
        return self._limited([map_propositions(s, _any_for_all) for s in states])

    def forbidden(self, *, gerund: bool) -> list[Formula]:
        """The states that the actions lead to, which "or" and "nor" join.

        "Never touch the blocks" forbids touching any of them.
        """
        forms = GERUNDS if gerund else VERBS
        states = list(self._clauses.action(gerund=gerund).states)
        while self._another(forms):
            states += self._clauses.action(gerund=gerund).states
        return [map_propositions(s, _any_for_all) for s in states]

    def always(self) -> list[Formula]:
        """What follows "always"."""
        if self._cursor.take("keep"):
            return [self.keep()]
        if self._cursor.take(*ENSURE):
            return [Always(self._clauses.state())]
        raise self._cursor.unexpected(("keep", "make sure that"), "after 'always'")

    def keep(self) -> Formula:
        """What follows "keep": a state that holds at every step, from the first one on."""
        state = self._clauses.kept_state()
        match self._cursor.take("until", "while"):
            case "until":
                return Until(state, self._limit())
            case "while":
                return Always(disjunction(negation(self._limit()), state))
            case _:
                return Always(state)

    def _another(self, forms: Iterable[str]) -> bool:
        start = self._cursor.position
        self._cursor.take(",")
        if self._cursor.take("or", "nor") and self._cursor.at(*forms):
            return True
        self._cursor.position = start
        return False

    def _limited(self, states: list[Formula]) -> list[Formula]:
        """Never, or not more often than said, or not until, before, while or after something."""
        count = self._clauses.count()
        rules: list[Formula]
        if count is not None:
            if count.high is not None or count.low < 2:
                raise self._cursor.error(
                    "this count does not go with 'never'.", hint="say 'more than once'."
                )
            rules = [Not(at_least(s, count.low)) for s in states]
        else:
            rules = self._bounded(states)
        self._cursor.take(*_ALSO)
        return rules

    def _bounded(self, states: list[Formula]) -> list[Formula]:
        match self._cursor.take("until", "before", "while", "after"):
            case "until" | "before":
                absent = conjunction(*(negation(s) for s in states))
                return [Or((Always(absent), Until(absent, self._limit())))]
            case "while":
                limit = self._limit()
                return [Always(Not(conjunction(s, limit))) for s in states]
            case "after":
                limit = self._limit()
                return [Always(disjunction(negation(limit), Always(negation(s)))) for s in states]
            case _:
                return [Always(negation(s)) for s in states]

    def _limit(self) -> Formula:
        """The state that ends or conditions a rule; an action stands for its outcome."""
        if self._cursor.at(*GERUNDS):
            return conjunction(*self._clauses.action(gerund=True).states)
        return self._clauses.states()


def _any_for_all(prop: Prop) -> Formula:
    return Prop(
        prop.predicate,
        tuple(
            replace(a, quantifier="a") if isinstance(a, Referent) and a.quantifier == "all" else a
            for a in prop.args
        ),
    )
