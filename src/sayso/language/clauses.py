"""Clauses: what the robot is asked to do, and states of the world, as formulas without time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.language.events import negation
from sayso.language.lexicon import (
    GERUNDS,
    IN,
    MAX_TIMES,
    ON,
    OPENING_NOUNS,
    STATE_OF_VERB,
    TIMES,
    VERBS,
    Lexicon,
    Template,
    VerbKind,
)
from sayso.language.phrases import Group, NounPhrases, Wanted
from sayso.language.tokens import Cursor
from sayso.logic.formula import Formula, Not, Prop, Referent, Top, conjunction, disjunction

_ToState: TypeAlias = Callable[[Referent], Formula]
_THE_TABLE = ("the table", "table")
_LIMITS = ("at least", "at most", "no more than", "exactly", "more than")


@dataclass(frozen=True)
class Outcomes:
    """The states that a verb phrase asks for, and how they are joined: "and", "or" or ''."""

    states: tuple[Formula, ...]
    joiner: str = ""


@dataclass(frozen=True)
class Count:
    """How often: at least `low` times, and at most `high` times unless that is None."""

    low: int
    high: int | None


class Clauses:
    """Reads clauses at a cursor."""

    def __init__(self, cursor: Cursor, things: NounPhrases, lexicon: Lexicon) -> None:
        self._cursor = cursor
        self._things = things
        self._lexicon = lexicon
        self._placing = ""

    # -- actions -------------------------------------------------------------------------

    def action_starts(self) -> bool:
        return bool(self._cursor.at(*VERBS))

    def action(self, *, gerund: bool = False) -> Outcomes:
        """A verb phrase: "put the mug on the plate", or "putting ..." when `gerund`."""
        forms: Iterable[str] = GERUNDS if gerund else VERBS
        spoken = self._cursor.take(*forms)
        if not spoken:
            raise self._cursor.unexpected(forms, "where an action is expected")
        verb = GERUNDS[spoken] if gerund else spoken
        kind = VERBS[verb][0]
        self._things.begin_clause()
        if kind == "place":
            self._placing = spoken
            return self._placement(spoken)
        group = self._handled(kind)
        if kind == "hold":
            return self._taking(verb, group)
        return self._outcomes(group, lambda r: self._prop(STATE_OF_VERB[kind], r))

    def _handled(self, kind: VerbKind) -> Group:
        """Things that are not put anywhere, so that "on the plate" says which one is meant."""
        self._things.on_describes = True
        try:
            return self._things.many(_wanted(kind))
        finally:
            self._things.on_describes = False

    def touching(self) -> Outcomes:
        """Things that follow "avoid"."""
        self._things.begin_clause()
        group = self._things.many()
        return self._outcomes(group, lambda r: self._prop("touching", r))

    def placement_goes_on(self) -> bool:
        """Whether "the blue block on ..." follows a clause whose verb it can share."""
        return bool(self._placing) and self._things.starts()

    def shared_placement(self) -> Outcomes:
        """ "the blue block on the coaster", with the verb of the clause before."""
        self._things.begin_clause()
        return self._placement(self._placing)

    def _placement(self, verb: str) -> Outcomes:
        group = self._things.many(_wanted("place"))
        self._cursor.take("either")
        relations = [self._destination(verb)]
        while self._another_destination():
            self._cursor.take("or")
            relations.append(self._destination(verb, relations[-1][0]))
        return self._outcomes(
            group, lambda r: disjunction(*(self._placed(r, p, where) for p, where in relations))
        )

    def _another_destination(self) -> bool:
        return bool(self._cursor.at("or")) and (
            bool(self._cursor.at(*ON, *IN, ahead=1)) or self._things.starts(ahead=1)
        )

    def _destination(self, verb: str, shared: str = "") -> tuple[str, Referent | None]:
        """("on" | "in", thing); the thing is None for the table."""
        cursor = self._cursor
        if cursor.take("to the table"):
            return "on", None
        preposition = cursor.take(*ON, *IN)
        if not preposition and not shared:
            raise cursor.unexpected(("on", "onto", "in", "into"), f"after '{verb} ...'")
        kind = ("in" if preposition in IN else "on") if preposition else shared
        cursor.take("either")
        if kind == "on" and cursor.take(*_THE_TABLE):
            return "on", None
        return kind, self._things.one()

    def _placed(self, thing: Referent, kind: str, where: Referent | None) -> Formula:
        if where is None:
            return self._prop("on_table", thing)
        return self._prop(kind, thing, where)

    def _taking(self, verb: str, group: Group) -> Outcomes:
        if verb in ("pick", "lift"):
            self._cursor.take("up")
        away = self._source()
        return self._outcomes(group, lambda r: conjunction(self._prop("holding", r), away(r)))

    def _source(self) -> _ToState:
        """ "off the plate", "out of the bowl": where the thing is no longer."""
        cursor = self._cursor
        if cursor.take("from the table", "off the table"):
            return lambda r: Not(self._prop("on_table", r))
        if cursor.take("off", "off of"):
            return self._away("on", self._things.one())
        if cursor.take("out of"):
            return self._away("in", self._things.one())
        if cursor.at("from"):
            raise cursor.error(
                "'from' does not say from where.", hint="say 'off the ...' or 'out of the ...'."
            )
        return lambda _: Top()

    def _away(self, predicate: str, where: Referent) -> _ToState:
        return lambda r: Not(self._prop(predicate, r, where))

    def _outcomes(self, group: Group, state: _ToState) -> Outcomes:
        states = tuple(state(r) for r in group.referents)
        if group.joiner == "or":
            return Outcomes((disjunction(*states),))
        return Outcomes(states, group.joiner)

    def _prop(self, predicate: str, *args: Referent) -> Prop:
        if predicate not in self._lexicon.predicates:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"the library has no predicate '{predicate}', which these words ask for.",
                hint="load a library that has it.",
                choices=self._lexicon.predicates,
            )
        return Prop(predicate, args)

    # -- how often -----------------------------------------------------------------------

    def count(self) -> Count | None:
        """ "twice", "exactly once", "at least three times"; None if nothing of that follows."""
        cursor = self._cursor
        start = cursor.position
        limit = cursor.take(*_LIMITS)
        times = self._times()
        if times is None:
            if limit:
                raise cursor.unexpected(("once", "twice", "three times"), f"after '{limit}'")
            return None
        if not 1 <= times <= MAX_TIMES:
            raise cursor.error(f"a count must be from 1 to {MAX_TIMES}.", start=start)
        return _count(limit, times)

    def _times(self) -> int | None:
        cursor = self._cursor
        if cursor.at("once", "twice", "thrice"):
            return TIMES[cursor.take("once", "twice", "thrice")]
        word = cursor.word()
        if cursor.word(1) not in ("times", "time") or not (word in TIMES or word.isdigit()):
            return None
        cursor.position += 2
        return TIMES[word] if word in TIMES else int(word)

    # -- states --------------------------------------------------------------------------

    def states(self) -> Formula:
        """States joined by "and" or by "or"."""
        found = [self.state()]
        joiner = ""
        while (word := self._cursor.at("and", "or")) and self._state_follows(word):
            if joiner and word != joiner:
                raise self._cursor.error(
                    "'and' and 'or' are mixed.", hint="use only one of them in a condition."
                )
            joiner = self._cursor.take(word)
            found.append(self.state())
        return disjunction(*found) if joiner == "or" else conjunction(*found)

    def state(self) -> Formula:
        """A state of the world, in the words of a predicate: "the drawer is open"."""
        self._things.begin_clause()
        if self._cursor.take("you are", "you have", "you"):
            return self._state_by_action()
        return self._match(self._lexicon.templates, None)

    def kept_state(self) -> Formula:
        """What follows "keep": "the drawer open", "the mug on the plate", "holding the mug"."""
        self._things.begin_clause()
        if self._cursor.at(*GERUNDS):
            return self.joint_state(self.action(gerund=True))
        thing = self._things.one()
        templates = tuple(t for t in self._lexicon.templates if t.pieces[:2] == (0, "is"))
        return self._match(templates, thing)

    def joint_state(self, outcomes: Outcomes) -> Formula:
        return conjunction(*outcomes.states)

    def _state_by_action(self) -> Formula:
        gerund = bool(self._cursor.at(*GERUNDS))
        return self.joint_state(self.action(gerund=gerund))

    def _state_follows(self, joiner: str) -> bool:
        """Whether a state, rather than an action, comes after the joiner."""
        start, mentions = self._cursor.position, self._things.mark()
        self._cursor.take(joiner)
        try:
            self.state()
        except SaySoError:
            return False
        finally:
            self._cursor.position = start
            self._things.reset(mentions)
        return True

    def _match(self, templates: tuple[Template, ...], first: Referent | None) -> Formula:
        start, mentions = self._cursor.position, self._things.mark()
        failures: list[SaySoError] = []
        for template in templates:
            try:
                return self._fill(template, first)
            except SaySoError as error:
                failures.append(error)
            self._cursor.position = start
            self._things.reset(mentions)
        raise self._furthest(failures)

    def _fill(self, template: Template, first: Referent | None) -> Formula:
        """The template's proposition, read at the cursor; raises if the words differ.

        With `first` the clause's subject and its "is" were read or left out already.
        """
        arguments: dict[int, Referent] = {} if first is None else {0: first}
        for piece in template.pieces if first is None else template.pieces[2:]:
            if isinstance(piece, int):
                arguments[piece] = self._things.one()
            elif not self._cursor.take(*(("is", "are") if piece == "is" else (piece,))):
                raise self._cursor.unexpected((piece,), "where a state is described")
        prop = Prop(template.predicate, tuple(arguments[i] for i in sorted(arguments)))
        return prop if template.positive else negation(prop)

    def _furthest(self, failures: list[SaySoError]) -> SaySoError:
        """The failure that got furthest, with everything that could have stood there."""
        reached = max((f.span.start for f in failures if f.span), default=0)
        last = [f for f in failures if f.span and f.span.start == reached]
        choices = tuple(dict.fromkeys(c for f in last for c in f.choices))
        if not last:
            return self._cursor.unexpected((), "where a state is described")
        return SaySoError(
            Code.NOT_UNDERSTOOD, last[0].message, hint=last[0].hint, choices=choices,
            span=last[0].span,
        )  # fmt: skip


def _count(limit: str, times: int) -> Count:
    match limit:
        case "exactly":
            return Count(times, times)
        case "at most" | "no more than":
            return Count(0, times)
        case "more than":
            return Count(times + 1, None)
        case _:
            return Count(times, None)


def _wanted(kind: VerbKind) -> Wanted:
    """Which of several things a pronoun may stand for, by what is done to it."""
    if kind in ("open", "close"):
        return lambda r: r.noun in OPENING_NOUNS
    return lambda r: r.noun not in OPENING_NOUNS
