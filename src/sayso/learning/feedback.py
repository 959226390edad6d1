"""What people say while a robot learns, read without a model: goals, explanations, signals.

    feedback    = goal                                               (see feedback_goals)
                | unsatisfied [reasons]      "You have not reached the goal because ..."
                | reached                    "Well done." "The goal is reached."
                | infeasible [reasons]       "You cannot pick up the can because ..."
                | feasible                   "Yes, go ahead." "You can pick up the can."
                | clause {joiner clause}     an explanation, while an action or goal is in question
    reasons     = ("because" | "since" | "as" | ":" | ",") clause {("and" | "," | "as") clause}
    clause      = see feedback_clauses: "the can is not on the shelf", "something is on the can",
                  "the gripper is occupied", "its height is greater than 2 cm", ...

One text has one reading. What is outside is refused, pointing at the words, with an example that
fits what is in question; so are questions, and what is said to be uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, in_words
from sayso.learning.feedback_clauses import (
    COMPARATIVE,
    Clause,
    concept,
    concept_of,
    is_rule,
    read_clause,
    read_definition,
)
from sayso.learning.feedback_forms import forms
from sayso.learning.feedback_goals import read_goal
from sayso.learning.feedback_mentions import read_words, unknown_object
from sayso.learning.feedback_words import Words, split_at
from sayso.learning.spoken import spoken
from sayso.learning.synthesis.kinds import KINDS
from sayso.learning.synthesis.labels import Concept


class FeedbackKind(Enum):
    """What feedback is for."""

    GOAL = "specify goal"
    UNSATISFIED = "explain unsatisfied goal"
    REACHED = "signal goal reached"
    INFEASIBLE = "explain infeasible action"
    FEASIBLE = "signal feasible action"


@dataclass(frozen=True)
class Action:
    """An action that the robot proposed: its name and the objects it takes."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True)
class Feedback:
    """What a person said.

    Attributes:
        literals: wanted (of a goal), or true now, as the person says (otherwise).
        preconditions: ground literals that would have had to hold for an action that cannot be
            done; their arguments are among the action's.
        concepts: the predicates that are spoken of, with the words for them.
        text: what was said.
    """

    kind: FeedbackKind
    literals: tuple[Literal, ...] = ()
    preconditions: tuple[Literal, ...] = ()
    concepts: tuple[Concept, ...] = ()
    text: str = ""

    @property
    def vague(self) -> bool:
        """Whether something is said to be wrong, but not what."""
        return self.kind in _EXPLAINED and not self.literals


_EXPLAINED = (FeedbackKind.UNSATISFIED, FeedbackKind.INFEASIBLE)
_WHY = re.compile(r" ?,? ?(?:because of|because|since|as|for|but|while|:|,|\.|!) ?|$")
_JOINING = ", ; . ! and also as because since but so though although while whereas ( )"
_JOINERS = tuple(_JOINING.split())
_QUESTIONS = "why what where who how which whose is are was were am does did has have should shall"
_ASKING = frozenset(_QUESTIONS.split())
_ASKED = re.compile(r"(?:can|could|would|will|do) (?:you|i|we|the|it) ")
_QUALITIES = (
    "hot|cold|wet|dry|full|empty|clear|raw|soft|hard|sharp|light|thin|thick|wide|tall|big|small|"
    "large|long|short|flat|open"
)
_ENDINGS = "y|ed|en|ous|ful|less|ive|ble|ant|ent"
_QUALITY = re.compile(rf"(?:not |too )?(?:{_QUALITIES}|[a-z]{{2,}}(?:{_ENDINGS}))")
"""What goes on with "is" after "and": verbs, as in "and stop", must not."""
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|probably|unsure|i guess|not (?:so )?sure|no idea)\b"
)


def read_feedback(
    text: str,
    objects: Mapping[str, str],
    *,
    action: Action | None = None,
    goal: Sequence[Literal] = (),
    known: Mapping[str, Predicate] | None = None,
) -> Feedback:
    """What a person said.

    Args:
        objects: name -> category of what can be spoken about.
        action: that the robot has proposed, if it waits for an answer.
        goal: what the robot works for; "well done" says that it all holds.
        known: predicates whose own English is understood besides.

    Raises:
        SaySoError: NOT_UNDERSTOOD or AMBIGUOUS, pointing at the words, or UNKNOWN_OBJECT.
    """
    args = {a for x in goal for a in x.atom.args} if action is None else {*action.args}
    moment = _Moment(objects, action, tuple(goal), known or {})
    try:
        return moment.read(read_words(text, objects, args))
    except SaySoError as error:
        raise moment.with_example(error) from error


@dataclass(frozen=True)
class _Moment:
    """What is in question while a person speaks, and what there is to speak of."""

    objects: Mapping[str, str]
    action: Action | None
    goal: tuple[Literal, ...]
    known: Mapping[str, Predicate]

    @property
    def _asked(self) -> bool:
        return self.action is not None or bool(self.goal)

    @property
    def _denied(self) -> FeedbackKind:
        return FeedbackKind.INFEASIBLE if self.action else FeedbackKind.UNSATISFIED

    def read(self, words: Words) -> Feedback:
        kind, reasons = self._opening(words)
        if kind is FeedbackKind.REACHED:
            return Feedback(kind, self.goal, (), (), words.whole)
        if kind is FeedbackKind.FEASIBLE:
            return Feedback(kind, (), (), (), words.whole)
        self._check_told(words)
        if kind is None and not self._asked:
            return self._read_goal(words)
        if kind is not None:
            vague = reasons is words
            clause = _Explanation(self, reasons).clause(vague=vague)
            return self._explained(kind, clause, words.whole)
        try:
            clause = _Explanation(self, words).clause()
        except SaySoError as unexplained:
            try:
                return self._read_goal(words)
            except SaySoError as no_goal:
                raise _farther(unexplained, no_goal) from no_goal
        return self._explained(self._denied, clause, words.whole)

    def with_example(self, error: SaySoError) -> SaySoError:
        """The error with what could be said here, if it does not say itself what comes next."""
        if error.code is not Code.NOT_UNDERSTOOD or error.hint:
            return error
        return SaySoError(
            error.code,
            error.message,
            choices=error.choices,
            hint=self.example(),
            span=error.span,
        )

    def example(self) -> str:
        """What could be said here; everything in quotes is understood."""
        if self.action:
            args = self.action.args
            why = f"{in_words(args[0])} is too heavy" if args else "the gripper is occupied"
            act = spoken(self.action.name, args)
            return f"say 'go ahead', or why not: 'you cannot {act} because {why}'."
        if self.goal:
            lacking = concept_of(
                self.goal[0].atom.predicate, self.known, len(self.goal[0].atom.args)
            )
            clause = lacking.english_not if self.goal[0].positive else lacking.english
            why = clause.format(*map(in_words, self.goal[0].atom.args))
            return f"say 'well done', or what is missing: 'the goal is not reached because {why}'."
        names = [in_words(n) for n in self.objects]
        where = names[1] if len(names) > 1 else "the table"
        return f"say what to put where: 'put {names[0]} on {where}'." if names else ""

    def _opening(self, words: Words) -> tuple[FeedbackKind | None, Words]:
        """The kind that the first words show, and the words of the reasons; all where they may
        be reason enough: "you cannot reach it".
        """
        text = words.text.rstrip(" .!")
        for opening in forms().openings:
            kind = self._kind(opening.kind)
            match = opening.pattern.match(text)
            why = _WHY.match(text, match.end()) if match else None
            if match is None or why is None or kind is None:
                continue
            if kind is not FeedbackKind.UNSATISFIED:
                self._check_action(words.part(0, len(text[: match.end()].split())))
            if match.end() == len(text):
                return kind, words if kind in _EXPLAINED else words.part(0, 0)
            if kind in _EXPLAINED:
                return kind, words.after(why.end())
        return None, words

    def _kind(self, name: str) -> FeedbackKind | None:
        """What NO and YES say here; other names are of kinds."""
        if name == "NO":
            return self._denied if self._asked else None
        if name == "YES":
            agreed = self.goal and self.action is None
            return FeedbackKind.REACHED if agreed else FeedbackKind.FEASIBLE
        return FeedbackKind[name]

    def _check_action(self, words: Words) -> None:
        """ "You can pick up the tin", or that one cannot, says nothing of another action."""
        if self.action is None:
            return
        asked = spoken(self.action.name, self.action.args)
        spoken_of = {w.text for w in read_words(asked, self.objects, self.action.args).words}
        for word in words.words:
            if word.text.startswith("@") and word.text not in spoken_of:
                raise Words((word,), words.whole).refused(f"I asked about another action: {asked}.")

    def _check_told(self, words: Words) -> None:
        """Refuse questions, what is not sure, and what is not whole."""
        text, last = words.text, words.words[-1]
        if last.text.isalpha() and last.text in _JOINERS:
            raise Words((last,), words.whole).refused("here the sentence breaks off.")
        asking = text.endswith("?") or bool(_ASKED.match(text))
        if words.words[0].text in _ASKING or (asking and self._asked):
            raise words.refused("this is a question, and I wait to be told something.")
        if _UNSURE.search(text):
            raise words.refused(
                "this does not sound sure.", hint="leave it out, or say it plainly if it is so."
            )

    def _read_goal(self, words: Words) -> Feedback:
        try:
            clause = read_goal(words, self.known)
        except SaySoError as error:
            raise unknown_object(words, self.objects) or error from error
        return Feedback(FeedbackKind.GOAL, clause.literals, (), clause.concepts, words.whole)

    def _explained(self, kind: FeedbackKind, clause: Clause, text: str) -> Feedback:
        if kind is FeedbackKind.UNSATISFIED:
            return Feedback(kind, clause.literals, (), clause.concepts, text)
        return _infeasible(clause, self.action, text)


def _farther(one: SaySoError, other: SaySoError) -> SaySoError:
    """The error of the reading that came farther."""
    places = [(e.span or Span(0, 0)).start for e in (one, other)]
    return other if places[1] > places[0] or other.code is Code.UNKNOWN_OBJECT else one


class _Explanation:
    """Reads the clauses of an explanation one after another."""

    def __init__(self, moment: _Moment, words: Words) -> None:
        self._moment = moment
        self._words = words
        self._literals: list[Literal] = []
        self._concepts: list[Concept] = []
        self._rule = ""
        self._subjects = self._at_first()
        self._headed = False

    def clause(self, vague: bool = False) -> Clause:
        """All that is said; limits and kinds that are named go to the clause before.

        Args:
            vague: whether nothing need be understood.

        Raises:
            SaySoError: as `read_feedback`.
        """
        runs = split_at(self._words, _JOINERS)
        while runs:
            for count in range(len(runs), 0, -1):
                if self._take(self._together(runs[:count])):
                    break
            else:
                if vague:
                    return Clause((), ())
                raise self._not_understood(runs[0])
            runs = runs[count:]
        if not self._literals and not vague:
            raise self._words.refused("this says nothing of what is wrong here.")
        self._check_consistent()
        return Clause(tuple(self._literals), tuple(self._concepts))

    def _at_first(self) -> tuple[str, ...]:
        """What "it" may stand for before anything was named."""
        if self._moment.action:
            return self._moment.action.args
        return tuple(dict.fromkeys(x.atom.args[0] for x in self._moment.goal if x.atom.args))

    def _take(self, said: str) -> bool:
        """Whether this much is a clause, or tells more of the one before."""
        for text in map(self._furnished, self._with_subject(said)):
            if self._concepts and (about := read_definition(text, self._concepts[-1])):
                self._concepts[-1] = about
                return True
            if is_rule(text) and not self._rule and not self._concepts:
                self._rule = text
                return True
            clause = read_clause(self._compared(text), self._moment.known) or self._elliptic(text)
            if clause:
                self._add(clause)
                return True
        return forms().skips(said)

    def _add(self, clause: Clause) -> None:
        self._literals += [x for x in clause.literals if x not in self._literals]
        new = [x for x in clause.concepts if x.name not in {c.name for c in self._concepts}]
        rule = self._rule
        self._concepts += [(read_definition(rule, x) or x) if rule else x for x in new]
        named = tuple(dict.fromkeys(a for x in clause.literals for a in x.atom.args))
        self._subjects = named or self._subjects
        self._headed = self._headed or bool(named)

    def _elliptic(self, text: str) -> Clause | None:
        """ "the blue one is not", "not in the basket": the rest is as in the clause before."""
        last = self._literals[-1] if self._literals else None
        if last is None:
            return None
        concepts = tuple(c for c in self._concepts if c.name == last.atom.predicate)
        if match := re.fullmatch(r"@(\w+) (?:is|does|has)( not)?", text):
            args = (match[1], *last.atom.args[1:])
            truth = last.positive if not match[2] else not last.positive
            return Clause((Literal(Atom(last.atom.predicate, args), truth),), concepts)
        if re.fullmatch(_QUALITY, text) and len(last.atom.args) == 1:
            return read_clause(f"@{last.atom.args[0]} is {text}", self._moment.known)
        if match := re.fullmatch(r"not ([a-z].*)", text):
            if not last.positive:
                return Clause((), ())  # what was wanted is not so, and this was not wanted
            subject = last.atom.args[0] if last.atom.args else ""
            return read_clause(f"@{subject} is not {match[1]}", self._moment.known)
        return None

    def _together(self, runs: Sequence[Words]) -> str:
        start = self._words.words.index(runs[0].words[0])
        end = self._words.words.index(runs[-1].words[-1]) + 1
        return self._words.part(start, end).text

    def _with_subject(self, text: str) -> tuple[str, ...]:
        """The text with a name for "it": at its head, and everywhere ("nothing is on it")."""
        text = re.sub(r"\bon top$", "on top of it", text)
        text = re.sub(r"^(?:that|this) (?=is |has |does |can )", "it ", text)
        text = re.sub(r"^(?=(?:way |far |much )?too [a-z]+)", "it is ", text)
        if not self._subjects:
            return (text,)
        name = f"@{self._subjects[0]}"
        alone = len(self._subjects) == 1 or "hold" in text or "held" in text
        if alone:
            return re.sub(r"^it\b", name, text), re.sub(r"\bit\b", name, text)
        # What was spoken of first goes on being spoken of: "the tin is on the can; it is wet".
        return (re.sub(r"^it\b", name, text),) if self._headed else (text,)

    def _compared(self, text: str) -> str:
        """ "It is smaller" compares with the other thing that the action takes."""
        match = re.fullmatch(rf"@(\w+) is (?:not )?{COMPARATIVE}", text)
        args = self._moment.action.args if self._moment.action else ()
        others = [a for a in args if match and a != match[1]]
        return f"{text} than @{others[0]}" if match and len(others) == 1 else text

    def _furnished(self, text: str) -> str:
        """A shelf that is full has no room, unlike a cup."""
        match = re.match(r"@(\w+) is (?:not )?(?:full|empty)$", text)
        if not match or self._moment.objects.get(match[1]) not in KINDS["furniture"]:
            return text
        return text.replace("is full", "has no room").replace("is empty", "is clear")

    def _not_understood(self, run: Words) -> SaySoError:
        if unknown := unknown_object(run, self._moment.objects):
            return unknown
        if "it" in run.text.split() and len(self._subjects) > 1:
            return SaySoError(
                Code.AMBIGUOUS,
                "what is 'it'?",
                choices=(s.replace("_", " ") for s in self._subjects),
                hint="name the thing.",
                span=run.span,
            )
        before = run.whole[: run.span.start].strip(" ,;.!")
        if self._literals:
            return run.refused(f"I understand '{before}', but not this.")
        return run.refused("this explanation is not understood.")

    def _check_consistent(self) -> None:
        for literal in self._literals:
            if replace(literal, positive=not literal.positive) in self._literals:
                raise self._words.refused(f"this says {literal.atom} both ways.")


def _infeasible(clause: Clause, action: Action | None, text: str) -> Feedback:
    literals, concepts = list(clause.literals), list(clause.concepts)
    if action is not None:
        for literal in clause.literals:
            for general in _generalised(literal, action):
                literals += [general] if general not in literals else []
                concepts.append(concept(general.atom.predicate))
    args = set(action.args) if action else set()
    needed = tuple(
        replace(x, positive=not x.positive)
        for x in literals
        if action is None or set(x.atom.args) <= args
    )
    named = {c.name: c for c in reversed(concepts)}
    return Feedback(
        FeedbackKind.INFEASIBLE, tuple(literals), needed, tuple(reversed(named.values())), text
    )


def _generalised(literal: Literal, action: Action) -> Iterable[Literal]:
    """What a true relation to a thing that the action does not take says of one that it takes.

    "The tin is on the can" tells why the can cannot be picked up: something is on it.
    """
    name, args = literal.atom.predicate, literal.atom.args
    if not literal.positive:
        return
    if name == "on" and args[1] in action.args:
        yield Literal(Atom("clear", (args[1],)), False)
    if set(args) <= set(action.args):
        return
    if name == "in" and args[0] in action.args:
        yield Literal(Atom("contained", (args[0],)), True)
    if name == "holding":
        yield Literal(Atom("gripper_empty", ()), False)
