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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.symbols import Literal, in_words
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback_clauses import Clause, concept_of
from sayso.learning.feedback_explanation import JOINERS, Explanation
from sayso.learning.feedback_forms import forms
from sayso.learning.feedback_goals import read_goal
from sayso.learning.feedback_mentions import read_words, unknown_object
from sayso.learning.feedback_words import Words
from sayso.learning.priors import Implied, Priors, household
from sayso.learning.spoken import spoken
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
_GIVING = frozenset({"for", "as", "since", "while", "but"})
"""Words that give a reason, unless they are an action's own."""
_QUESTIONS = "why what where who how which whose is are was were am does did has have should shall"
_ASKING = frozenset(_QUESTIONS.split())
_ASKED = re.compile(r"(?:can|could|would|will|do) (?:you|i|we|the|it) ")
_PRAISE = re.compile(r"(?:well|nicely) done\b|(?:good|great|nice) (?:job|work)\b")
_WRONG = re.compile(r"\bwrong (\w+)")
"""Of what kind the thing is that all that follows is said of: "wrong button, that is green"."""
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|probably|unsure|i guess|not (?:so )?sure|no idea)\b"
)


def read_feedback(
    text: str,
    objects: Mapping[str, str],
    *,
    action: Action | None = None,
    goal: Sequence[Literal] = (),
    known: Lexicon | None = None,
    priors: Priors | None = None,
) -> Feedback:
    """What a person said.

    Args:
        objects: name -> category of what can be spoken about.
        action: that the robot has proposed, if it waits for an answer.
        goal: what the robot works for; "well done" says that it all holds.
        known: predicates whose English is understood besides, and a library's words for them.
        priors: what is known of common predicates; none given: what SaySo comes with.

    Raises:
        SaySoError: NOT_UNDERSTOOD or AMBIGUOUS, pointing at the words, or UNKNOWN_OBJECT.
    """
    args = {a for x in goal for a in x.atom.args} if action is None else {*action.args}
    moment = _Moment(objects, action, tuple(goal), known or Lexicon({}), priors or household())
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
    known: Lexicon
    priors: Priors

    @property
    def _asked(self) -> bool:
        return self.action is not None or bool(self.goal)

    @property
    def _denied(self) -> FeedbackKind:
        return FeedbackKind.INFEASIBLE if self.action else FeedbackKind.UNSATISFIED

    def read(self, words: Words) -> Feedback:
        words = self._without_action(words)
        kind, reasons = self._opening(words)
        if kind is FeedbackKind.REACHED:
            return Feedback(kind, self.goal, (), (), words.whole)
        if kind is FeedbackKind.FEASIBLE:
            return Feedback(kind, (), (), (), words.whole)
        self._check_told(words)
        if kind is None and not self._asked:
            return self._read_goal(words)
        if kind is not None:
            clause = self._explanation(reasons).clause(vague=reasons is words)
            return self._explained(kind, clause, words.whole)
        if self.action and _PRAISE.match(words.text):
            raise words.refused(
                "this praises what I have only asked about.", hint="say whether I may do it."
            )
        try:
            clause = self._explanation(words).clause()
        except SaySoError as unexplained:
            try:
                return self._read_goal(words)
            except SaySoError as no_goal:
                raise _farther(unexplained, no_goal) from no_goal
        return self._explained(self._denied, clause, words.whole)

    def _without_action(self, words: Words) -> Words:
        """ "You cannot press the button for the lamp because ...": that "for" gives no reason."""
        if self.action is None or not self.action.args:
            return words
        asked = spoken(self.action.name, self.action.args)
        own = read_words(asked, self.objects, self.action.args).text.split()
        marks = [i for i, w in enumerate(own) if w in _GIVING]
        said = words.text.split()
        at = next((i for i in range(len(said)) if said[i : i + len(own)] == own), None)
        if not marks or at is None:
            return words
        return Words(
            tuple(w for i, w in enumerate(words.words) if i - at not in marks), words.whole
        )

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
            verb = "are" if args and re.search("[^s]s$", args[0]) else "is"
            why = f"{in_words(args[0])} {verb} too heavy" if args else "the gripper is occupied"
            act = spoken(self.action.name, args)
            return f"say 'go ahead', or why not: 'you cannot {act} because {why}'."
        if self.goal:
            why = self._lacking(self.goal[0])
            return f"say 'well done', or what is missing: 'the goal is not reached because {why}'."
        names = [in_words(n) for n in self.objects]
        done = (w for a in self.known.vocabulary.actions for step in a.goal for w in step)
        one = next((w for w in done if len(w.arguments) == 1), None)
        known = self.known.predicates.get(one.predicate) if one else None
        if one and known and names:
            state = known.english if one.positive else known.english_not
            return f"say what is to be so: 'make sure that {state.format(names[0])}'."
        where = names[1] if len(names) > 1 else "the table"
        return f"say what to put where: 'put {names[0]} on {where}'." if names else ""

    def _lacking(self, wanted: Literal) -> str:
        """That it does not hold; of a predicate without English something that may be said."""
        name, args = wanted.atom.predicate, wanted.atom.args
        spoken_of = {*self.known.predicates, *self.priors.predicates}
        if args and name not in spoken_of:
            return f"{in_words(args[0])} is too far away"
        lacking = concept_of(name, len(args), self.priors, self.known.predicates)
        clause = lacking.english_not if wanted.positive else lacking.english
        return clause.format(*map(in_words, args))

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
        if last.text.isalpha() and last.text in JOINERS:
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
            clause = read_goal(words, self.known, self.priors)
        except SaySoError as error:
            raise unknown_object(words, self.objects) or error from error
        return Feedback(FeedbackKind.GOAL, clause.literals, (), clause.concepts, words.whole)

    def _explanation(self, words: Words) -> Explanation:
        args = self.action.args if self.action else ()
        wanted = dict.fromkeys(x.atom.args[0] for x in self.goal if x.atom.args)
        subjects = args if self.action else tuple(wanted)
        if wrong := _WRONG.search(words.whole.lower()):
            named = tuple(a for a in args if self.objects.get(a) == wrong[1])
            subjects = named if len(named) == 1 else subjects
        return Explanation(words, self.objects, self.known, self.priors, subjects, args)

    def _explained(self, kind: FeedbackKind, clause: Clause, text: str) -> Feedback:
        if kind is FeedbackKind.UNSATISFIED:
            return Feedback(kind, clause.literals, (), clause.concepts, text)
        return _infeasible(clause, self.action, self.priors, text)


def _farther(one: SaySoError, other: SaySoError) -> SaySoError:
    """The error of the reading that came farther."""
    places = [(e.span or Span(0, 0)).start for e in (one, other)]
    return other if places[1] > places[0] or other.code is Code.UNKNOWN_OBJECT else one


def _infeasible(clause: Clause, action: Action | None, priors: Priors, text: str) -> Feedback:
    literals, concepts = list(clause.literals), list(clause.concepts)
    if action is not None:
        for literal in clause.literals:
            told = (general for x in priors.implied if (general := _besides(x, literal, action)))
            for general in told:
                literals += [general] if general not in literals else []
                atom = general.atom
                concepts.append(concept_of(atom.predicate, len(atom.args), priors))
    args = set(action.args) if action else set()
    needed = tuple(
        x._replace(positive=not x.positive)
        for x in literals
        if action is None or set(x.atom.args) <= args
    )
    named = {c.name: c for c in reversed(concepts)}
    return Feedback(
        FeedbackKind.INFEASIBLE, tuple(literals), needed, tuple(reversed(named.values())), text
    )


def _besides(implied: Implied, literal: Literal, action: Action) -> Literal | None:
    """What a true relation says besides, of a thing that the action takes; None for nothing.

    "The tin is on the can" tells why the can cannot be picked up: something is on it.
    """
    said, args = implied.said, literal.atom.args
    if not literal.positive or (literal.atom.predicate, len(args)) != (
        said.predicate,
        len(said.args),
    ):
        return None
    named = dict(zip(said.args, args, strict=True))
    about = tuple(named[v] for v in implied.tells.atom.args)
    if not set(about) <= set(action.args) or (implied.beyond and set(args) <= set(action.args)):
        return None
    return implied.tells._replace(atom=implied.tells.atom._replace(args=about))
