"""Sentences: the order of what is asked for, and the rules that hold throughout.

    instruction = sentence {("." | "!" | ";") sentence}
    sentence    = ["first"] steps {"then" steps} | condition
    steps       = item {("," | "and" | "or" | "but") item} {modifier}
    item        = action [count] | rule | "make sure that" state
    rule        = ("never" | "do not") action | "avoid" ...ing | "always keep" ...
    modifier    = "before" ... | "after" ... | "without" ...ing | "if" state | "in any order"

`docs/controlled-english.md` gives the whole grammar with the formula for each construction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sayso.core.errors import SaySoError
from sayso.language.clauses import Clauses, Count, Outcomes
from sayso.language.events import (
    MAX_STEPS,
    AnyOrder,
    Either,
    Event,
    Guarded,
    Repeated,
    Sequence,
    State,
    achieve,
    at_most,
    negation,
    together,
    too_long,
)
from sayso.language.lexicon import ENSURE, GERUNDS, NEVER, POLITE, THEN, VERBS, Lexicon
from sayso.language.phrases import Group, NounPhrases
from sayso.language.rules import RuleClauses
from sayso.language.tokens import Cursor
from sayso.logic.formula import (
    Always,
    Formula,
    Referent,
    conjunction,
    disjunction,
)

_STOPS = (".", "!", "?", ";")
_ANY_ORDER = (
    "in any order", "do the following in any order", "do these in any order",
    "in any order you like",
)  # fmt: skip
_BEFORE_THAT = ("before that", "before this")
_MODIFIERS = (
    "before", "after", "without", "if", "until", "while", "in any order", "first", "please",
    "otherwise", "else", "whenever",
)  # fmt: skip
_ITEM_STARTS = ("never", "do not", "avoid", "always", "keep", "make sure", "please")


@dataclass
class _List:
    """Items joined in one go, as they are read."""

    start: int
    events: list[Event] = field(default_factory=list)
    joiners: set[str] = field(default_factory=set)
    ends_with_rule: bool = False

    def add(self, events: list[Event], joiner: str) -> None:
        if self.events and events and joiner:
            self.joiners.add(joiner)
        self.events += events
        self.ends_with_rule = not events


class Sentences:
    """Reads a whole instruction; pronouns at its start may stand for what is `mentioned`."""

    def __init__(self, text: str, lexicon: Lexicon, mentioned: Iterable[Referent] = ()) -> None:
        self._cursor = Cursor(text)
        self._things = NounPhrases(self._cursor, lexicon)
        self._things.remember(Group((r,)) for r in mentioned)
        self._clauses = Clauses(self._cursor, self._things, lexicon)
        self._rule_clauses = RuleClauses(self._cursor, self._clauses)
        self._steps: list[Event] = []
        self._rules: list[Formula] = []

    def formula(self) -> Formula:
        """The instruction's meaning. Raises NOT_UNDERSTOOD pointing at the words at fault."""
        event, rules = self.parts()
        return conjunction(achieve(event), *rules)

    def parts(self) -> tuple[Sequence, tuple[Formula, ...]]:
        """What is to happen, and what holds throughout; raises like `formula`."""
        while not self._cursor.ended:
            if not self._cursor.take(*_STOPS):
                self._sentence()
        if not self._steps and not self._rules:
            raise self._cursor.error("nothing is asked for.", choices=VERBS)
        self._release_last_guard()
        event = Sequence(tuple(self._steps))
        self._refuse_too_long(event)
        return event, tuple(self._rules)

    def _achieved(self, event: Event) -> Formula:
        self._refuse_too_long(event)
        return achieve(event)

    def _refuse_too_long(self, event: Event) -> None:
        if too_long(event):
            raise self._cursor.error(
                f"more than {MAX_STEPS} steps, or too many orders of them, are asked for at once.",
                hint="give the task in parts.",
                start=0,
            )

    def _release_last_guard(self) -> None:
        """ "without ..." at the very end of an instruction holds from beginning to end."""
        if self._steps and isinstance(last := self._steps[-1], Guarded):
            self._steps[-1] = last.event
            self._rules.append(Always(last.guard))

    # -- sentences -----------------------------------------------------------------------

    def _sentence(self) -> None:
        cursor = self._cursor
        self._polite()
        if cursor.at("if", "whenever"):
            self._condition()
        elif cursor.take(*_ANY_ORDER):
            cursor.take(",", ":")
            self._steps_in_any_order()
        else:
            self._steps_in_order()
        cursor.take(", please", "please")
        if not cursor.ended and not cursor.at(*_STOPS):
            raise cursor.unexpected((".", ",", "and", "then", "before", "after", "without"))

    def _steps_in_order(self) -> None:
        self._then()
        if self._cursor.take("first", "firstly"):
            self._cursor.take(",")
        self._add(self._group())
        while self._then():
            self._add(self._group())

    def _steps_in_any_order(self) -> None:
        items = self._list()
        if self._cursor.at(*THEN):
            raise self._cursor.error("'in any order' and an order contradict each other.")
        self._steps.append(self._in_any_order(items))

    def _add(self, event: Event | None) -> None:
        if event is not None:
            self._steps.append(event)
        if self._earlier():
            before = self._group()
            if before is None or not self._steps:
                raise self._cursor.error("'before that' needs two steps.")
            self._steps.insert(len(self._steps) - 1, before)

    def _then(self) -> bool:
        """Moves past "then" and its like, with the comma and the "and" around it."""
        cursor = self._cursor
        start = cursor.position
        cursor.take(",")
        cursor.take("and")
        if cursor.at("next to") or not cursor.take(*THEN):
            cursor.position = start
            return False
        while cursor.take(*THEN, ","):
            pass
        return True

    def _earlier(self) -> bool:
        """Moves past ", but before that"."""
        cursor = self._cursor
        start = cursor.position
        cursor.take(",")
        cursor.take("but", "and")
        if cursor.take(*_BEFORE_THAT):
            cursor.take(",")
            return True
        cursor.position = start
        return False

    def _polite(self) -> None:
        while not self._cursor.at(*NEVER) and self._cursor.take(*POLITE):
            self._cursor.take(",")

    # -- conditions ----------------------------------------------------------------------

    def _condition(self) -> None:
        """ "If STATE, STEPS, otherwise STEPS": the state at the beginning decides."""
        whenever = self._cursor.take("if", "whenever") == "whenever"
        condition = self._clauses.states()
        self._things.forget_indefinite()
        self._cursor.take(",")
        self._cursor.take("then")
        self._conditional(condition, self._consequence(), whenever)
        start = self._cursor.position
        self._cursor.take(",", ";")
        if self._cursor.take("otherwise", "else"):
            self._cursor.take(",")
            self._conditional(negation(condition), self._consequence(), whenever)
        else:
            self._cursor.position = start

    def _consequence(self) -> Formula:
        """Steps and rules as one formula, taken out of the instruction's own."""
        rules, self._rules = self._rules, []
        steps, self._steps = self._steps, []
        self._add(self._group())
        while self._then():
            self._add(self._group())
        self._release_last_guard()
        meaning = conjunction(self._achieved(Sequence(tuple(self._steps))), *self._rules)
        self._rules, self._steps = rules, steps
        return meaning

    def _conditional(self, condition: Formula, meaning: Formula, whenever: bool) -> None:
        implication = disjunction(negation(condition), meaning)
        self._rules.append(Always(implication) if whenever else implication)

    # -- steps ---------------------------------------------------------------------------

    def _group(self) -> Event | None:
        """Items and their modifiers; None if they are all rules."""
        cursor = self._cursor
        if lead := cursor.take("before", "after"):
            other = self._subordinate()
            cursor.need(",", after=f"'{lead} ...'")
            event = self._required(self._combined(self._list()), lead)
            both = (event, other) if lead == "before" else (other, event)
            return Sequence(both)
        items = self._list()
        if self._takes_modifier(*_ANY_ORDER):
            return self._modified(self._in_any_order(items))
        return self._modified(self._combined(items))

    def _modified(self, event: Event | None) -> Event | None:
        while word := self._takes_modifier("before", "after", "without", "if", "first", "until"):
            if word == "first":
                if self._steps:
                    raise self._back("'first' comes after other steps.", "name it first.")
                continue
            event = self._modify(self._required(event, word), word)
        return event

    def _modify(self, event: Event, word: str) -> Event | None:
        match word:
            case "before":
                return Sequence((event, self._subordinate()))
            case "after":
                return Sequence((self._subordinate(), event))
            case "without":
                return Guarded(event, self._without())
            case "if":
                self._conditional(self._clauses.states(), self._achieved(event), False)
                return None
            case _:
                raise self._back(
                    "'until' does not go with an action that ends by itself.",
                    "say 'keep ... until ...' or 'do not ... until ...'.",
                )

    def _back(self, cause: str, hint: str) -> SaySoError:
        self._cursor.position -= 1
        return self._cursor.error(cause, hint=hint)

    def _takes_modifier(self, *words: str) -> str:
        cursor = self._cursor
        start = cursor.position
        cursor.take(",")
        cursor.take("and", "but")
        if not cursor.at(*_BEFORE_THAT, "after that") and (word := cursor.take(*words)):
            return word
        cursor.position = start
        return ""

    def _required(self, event: Event | None, word: str) -> Event:
        if event is None:
            raise self._back(f"'{word}' has no step to go with.", "say what to do.")
        return event

    def _subordinate(self) -> Event:
        """What follows "before" or "after": an action, "putting ...", or a state."""
        cursor = self._cursor
        if cursor.at(*GERUNDS):
            return self._event(self._clauses.action(gerund=True))
        start = cursor.position
        cursor.take("you have", "you")
        if self._clauses.action_starts():
            return self._event(self._clauses.action())
        cursor.position = start
        return State(self._clauses.states())

    def _event(self, outcomes: Outcomes) -> Event:
        return together(State(s) for s in outcomes.states)

    def _without(self) -> Formula:
        """The prohibition that "without ...ing" stands for."""
        return conjunction(*(negation(s) for s in self._rule_clauses.forbidden(gerund=True)))

    # -- lists ---------------------------------------------------------------------------

    def _list(self) -> _List:
        marker = self._cursor.take("either", "both")
        items = _List(self._cursor.position)
        events, inner = self._item()
        items.add(events, "")
        items.joiners |= {inner} - {""}
        while joiner := self._joiner():
            if items.ends_with_rule and joiner != "," and self._clauses.action_starts():
                self._refuse_unclear_scope(joiner)
            events, inner = self._item()
            items.add(events, "and" if joiner == "but" else joiner)
            items.joiners |= {inner} - {""}
        if marker and marker != {"or": "either", "and": "both"}.get(self._joined_by(items)):
            raise self._cursor.error(
                f"'{marker}' needs '{'or' if marker == 'either' else 'and'}' after it.",
                start=items.start,
            )
        return items

    def _refuse_unclear_scope(self, joiner: str) -> None:
        if joiner != "but":
            raise self._cursor.error(
                "it is not clear whether this is forbidden too.",
                hint="begin a new sentence, or say 'and never ...' or 'but ...'.",
            )

    def _joined_by(self, items: _List) -> str:
        kinds = items.joiners - {","}
        if len(kinds) > 1:
            raise self._cursor.error(
                "'and' and 'or' are mixed, so it is not clear what belongs together.",
                hint="use a new sentence or 'then' for one of them.",
                start=items.start,
            )
        return next(iter(kinds), "")

    def _combined(self, items: _List) -> Event | None:
        joiner = self._joined_by(items)
        if len(items.events) < 2:
            return items.events[0] if items.events else None
        events = tuple(items.events)
        if joiner == "or":
            return Either(events)
        return together(events) if joiner == "and" else Sequence(events)

    def _in_any_order(self, items: _List) -> Event:
        if len(items.events) < 2 or self._joined_by(items) == "or":
            raise self._cursor.error("'in any order' needs several steps.", start=items.start)
        return AnyOrder(tuple(items.events))

    def _joiner(self) -> str:
        """Moves past what joins two items; '' if the list ends here."""
        cursor = self._cursor
        start = cursor.position
        comma = cursor.take(",")
        word = cursor.take("and", "or", "but")
        at_then = cursor.at(*THEN) and not cursor.at("next to")
        if not (comma or word) or at_then or cursor.at(*_MODIFIERS):
            cursor.position = start
            return ""
        return word or comma

    # -- items ---------------------------------------------------------------------------

    def _item(self) -> tuple[list[Event], str]:
        """Events and how they are joined; no events for a rule."""
        self._polite()
        cursor = self._cursor
        if cursor.take(*NEVER) or (self._after_polite() and cursor.take("not")):
            self._rules += self._rule_clauses.prohibition(gerund=False)
        elif cursor.take("avoid"):
            self._rules += self._rule_clauses.avoidance()
        elif cursor.take("always"):
            self._rules += self._rule_clauses.always()
        elif cursor.take("keep"):
            self._rules.append(self._rule_clauses.keep())
        elif cursor.take(*ENSURE):
            return self._ensured()
        else:
            return self._action()
        return [], ""

    def _after_polite(self) -> bool:
        return self._cursor.position > 0 and self._cursor.word(-1) in ("must", "should")

    def _action(self) -> tuple[list[Event], str]:
        if self._clauses.action_starts():
            outcomes = self._clauses.action()
        elif self._clauses.placement_goes_on():
            outcomes = self._clauses.shared_placement()
        else:
            raise self._cursor.unexpected(
                (*VERBS, *_ITEM_STARTS), "where an instruction should begin"
            )
        events = self._counted(outcomes.states, self._clauses.count())
        return events, outcomes.joiner if len(events) > 1 else ""

    def _counted(self, states: tuple[Formula, ...], count: Count | None) -> list[Event]:
        if count is None:
            return [State(s) for s in states]
        if count.high is not None:
            self._rules += [at_most(s, count.high) for s in states]
        return [Repeated(s, count.low) for s in states] if count.low else []

    def _ensured(self) -> tuple[list[Event], str]:
        cursor = self._cursor
        if cursor.take("not to", "you never", "never", "to never", "you do not"):
            self._rules += self._rule_clauses.prohibition(gerund=False)
            return [], ""
        if cursor.take("you always keep", "to always keep", "to keep", "you keep"):
            self._rules.append(self._rule_clauses.keep())
            return [], ""
        cursor.take("to", "you")
        if self._clauses.action_starts():
            return self._action()
        return [State(self._clauses.state())], ""
