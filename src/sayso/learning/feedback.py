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

One text has one reading. What is outside is refused, pointing at the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal
from sayso.learning.feedback_clauses import Clause, concept, is_rule, read_clause, read_definition
from sayso.learning.feedback_forms import forms
from sayso.learning.feedback_goals import read_goal
from sayso.learning.feedback_words import Words, read_words, split_at
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


_WHY = re.compile(r" ?,? ?(?:because of|because|since|as|for|:|,|\.) ?|$")
_JOINERS_TEXT = ", ; . and also as because since but so e i ( )"
_CLAUSE_JOINERS = tuple(_JOINERS_TEXT.split())
_CONSEQUENCE = re.compile(r"(?:(?:you|it|the robot) )?can not [^,.;:]*")
_EXPLAINED = (FeedbackKind.UNSATISFIED, FeedbackKind.INFEASIBLE)
_HINT = (
    "say for example 'you cannot pick up the can because something is on it', "
    "'the goal is not reached because the can is not on the shelf', 'go ahead' or 'well done'."
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
    words = read_words(text, objects)
    kind, reasons = _opening(words)
    predicates = known or {}
    if kind is None and (action or goal):
        kind = _bare_explanation(words, action, predicates, objects)
    if kind is None:
        return _goal(words, predicates, objects)
    if kind is FeedbackKind.REACHED:
        return Feedback(kind, tuple(goal), (), (), text)
    if kind is FeedbackKind.FEASIBLE:
        return Feedback(kind, (), (), (), text)
    clause = _reasons(reasons, action, predicates, objects)
    if kind is FeedbackKind.UNSATISFIED:
        return Feedback(kind, clause.literals, (), clause.concepts, text)
    return _infeasible(clause, action, text)


def _opening(words: Words) -> tuple[FeedbackKind | None, Words]:
    """The kind that the first words show, and the words of the reasons."""
    text = words.text.rstrip(" .!")
    for opening in forms().openings:
        kind = FeedbackKind[opening.kind]
        match = opening.pattern.match(text)
        why = _WHY.match(text, match.end()) if match else None
        if match is None or why is None:
            continue
        if kind in _EXPLAINED or match.end() == len(text):
            return kind, words.after(why.end())
    return None, words


def _bare_explanation(
    words: Words,
    action: Action | None,
    known: Mapping[str, Predicate],
    objects: Mapping[str, str],
) -> FeedbackKind | None:
    """The kind of an explanation without an opening: "the can is not on the shelf"."""
    try:
        _reasons(words, action, known, objects)
    except SaySoError:
        return None
    return FeedbackKind.INFEASIBLE if action else FeedbackKind.UNSATISFIED


def _goal(words: Words, known: Mapping[str, Predicate], objects: Mapping[str, str]) -> Feedback:
    try:
        clause = read_goal(words, known)
    except SaySoError as error:
        raise _unknown_object(words, objects) or error from error
    return Feedback(FeedbackKind.GOAL, clause.literals, (), clause.concepts, words.whole)


def _reasons(
    words: Words,
    action: Action | None,
    known: Mapping[str, Predicate],
    objects: Mapping[str, str],
) -> Clause:
    """All clauses of an explanation; limits and kinds that are named go to the clause before."""
    runs = split_at(words, _CLAUSE_JOINERS)
    literals: list[Literal] = []
    concepts: list[Concept] = []
    rule = ""
    subject = action.args[0] if action and action.args else ""
    while runs:
        for count in range(len(runs), 0, -1):
            text = _joined(words, runs[:count], subject)
            about = read_definition(text, concepts[-1]) if concepts else None
            clause = read_clause(text, known)
            if about or clause or is_rule(text) or _CONSEQUENCE.fullmatch(text):
                break
        else:
            raise _unknown_object(runs[0], objects) or runs[0].refused(
                "this explanation is not understood.", hint=_HINT
            )
        if about:
            concepts[-1] = about
        elif is_rule(text) and not rule and not concepts:
            rule = text
        elif clause:
            literals += [x for x in clause.literals if x not in literals]
            new = [x for x in clause.concepts if x.name not in {c.name for c in concepts}]
            concepts += [(read_definition(rule, x) or x) if rule else x for x in new]
            subject = next((x.atom.args[0] for x in clause.literals if x.atom.args), subject)
        runs = runs[count:]
    if rule and not literals:
        raise words.refused("this says nothing of what is wrong here.", hint=_HINT)
    return Clause(tuple(literals), tuple(concepts))


def _joined(words: Words, runs: Sequence[Words], subject: str) -> str:
    """The text from the first run to the last; "it" stands for the subject."""
    start = words.words.index(runs[0].words[0])
    end = words.words.index(runs[-1].words[-1]) + 1
    text = words.part(start, end).text
    return (
        re.sub(r"^it (?=is|has|does|can|contains|holds)", f"@{subject} ", text) if subject else text
    )


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


_OWN = (
    "gripper hand robot table goal task top object thing category kind height width water food "
    "following bottom breakfast same action"
)
_OWN_WORDS = frozenset(_OWN.split())


def _unknown_object(words: Words, objects: Mapping[str, str]) -> SaySoError | None:
    """UNKNOWN_OBJECT for "the ..." that names nothing there is, if that is what is wrong."""
    for i, word in enumerate(words.words[:-1]):
        named = words.words[i + 1]
        if word.text == "the" and named.text.isalpha() and named.text not in _OWN_WORDS:
            phrase = words.part(i, i + 2)
            return SaySoError(
                Code.UNKNOWN_OBJECT,
                f"there is no '{named.text}' here.",
                choices=(n.replace("_", " ") for n in objects),
                hint="name something that the robot sees.",
                span=phrase.span,
            )
    return None
