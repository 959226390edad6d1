"""Why an action cannot be done, or what a goal lacks: the clauses of an explanation, in turn.

Between them go words such as "and" and "because". "It" is what was spoken of last, where that is
one thing; "the blue one is not" and "not in the basket" go on with the clause before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback_clauses import Clause, concept_of, read_clause
from sayso.learning.feedback_definitions import is_rule, read_definition
from sayso.learning.feedback_forms import forms
from sayso.learning.feedback_goals import read_step
from sayso.learning.feedback_mentions import plural, unknown_object
from sayso.learning.feedback_words import COMPARATIVE, Words, split_at
from sayso.learning.priors import Priors
from sayso.learning.synthesis.labels import Concept

_JOINING = ", ; . ! and also as because since but so though although while whereas ( )"
JOINERS = tuple(_JOINING.split())
_QUALITIES = (
    "hot|cold|wet|dry|full|empty|clear|raw|soft|hard|sharp|light|thin|thick|wide|tall|big|small|"
    "large|long|short|flat|open"
)
_ENDINGS = "y|ed|en|ous|ful|less|ive|ble|ant|ent"
_QUALITY = re.compile(rf"(?:not |too )?(?:{_QUALITIES}|[a-z]{{2,}}(?:{_ENDINGS}))")
"""What goes on with "is" after "and": verbs, as in "and stop", must not."""
_OWED = re.compile(
    r"(?:you|the robot|we) (?:would |will )?(?:have|has|need|needs|must|should) (?:to )?"
    r"(?P<what>.+?)(?: first| before)?|(?P<bidden>(?!not|never|is|has|do|does).+) first"
)

_COMPARED = re.compile(rf"{COMPARATIVE}|(?:not )?(?P<as>as) [a-z]+")
"""What goes on comparing the two of before: "but lighter", "not as tall"."""
_LIKEWISE = re.compile(
    r"(?:(?P<nor>nor |neither )?(?:is|has|does) @(?P<inverted>\w+)|"
    r"@(?P<plain>\w+)(?: (?:is|has|does))? (?:(?P<also>too|as well)|not (?P<either>either)))"
)
"""As of the thing before: "so is the tin", "the tin too", "nor is the tin"."""


class Explanation:
    """Reads the clauses of an explanation one after another.

    Args:
        objects: name -> category of what can be spoken about.
        known: predicates whose English is understood besides, and a library's words for them.
        priors: what is known of common predicates and kinds.
        subjects: what "it" may stand for before anything was named.
        compared: the things that the action in question takes.
    """

    def __init__(
        self,
        words: Words,
        objects: Mapping[str, str],
        known: Lexicon,
        priors: Priors,
        subjects: tuple[str, ...] = (),
        compared: tuple[str, ...] = (),
    ) -> None:
        self._words = words
        self._objects = objects
        self._known = known
        self._priors = priors
        self._subjects = subjects
        self._compared_things = compared
        self._literals: list[Literal] = []
        self._concepts: list[Concept] = []
        self._rule = ""
        self._headed = False
        self._before = ""
        self._joiner = ""

    def clause(self, vague: bool = False) -> Clause:
        """All that is said; limits and kinds that are named go to the clause before.

        Args:
            vague: whether nothing need be understood.

        Raises:
            SaySoError: as `read_feedback`.
        """
        runs = split_at(self._words, JOINERS)
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

    def _take(self, said: str) -> bool:
        """Whether this much is a clause, or tells more of the one before."""
        for text in map(self._furnished, self._with_subject(said)):
            if self._concepts and (about := read_definition(text, self._concepts[-1])):
                self._concepts[-1] = about
                return True
            if is_rule(text) and not self._rule and not self._concepts:
                self._rule = text
                return True
            if self._literals and text[0] == "@" and text[1:] in self._literals[-1].atom.args:
                return True  # "It is too heavy, that pan."
            clause = self._clause(self._compared(text)) or self._elliptic(text) or self._owed(text)
            if clause:
                self._add(clause)
                self._before = text
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

    def _clause(self, text: str) -> Clause | None:
        clause = read_clause(text, self._known, self._priors)
        match = re.fullmatch(r"@(\w+) is (?:not )?(empty|full|dry)", text)
        water = clause and clause.literals[0].atom.predicate == "has_water"
        if (
            not match
            or not water
            or self._objects.get(match[1]) in self._priors.kinds.get("vessel", ())
        ):
            return clause
        # Of what is no vessel "empty" and "dry" say nothing of water in it: a basket, a towel.
        name = "dry" if match[2] == "dry" else "empty"
        about = concept_of(name, 1, self._priors, self._known.predicates)
        so = (match[2] == name) is ("is not" not in text)
        return Clause((Literal(Atom(name, (match[1],)), so),), (about,))

    def _elliptic(self, text: str) -> Clause | None:
        """ "the blue one is not", "not in the basket": the rest is as in the clause before."""
        last = self._literals[-1] if self._literals else None
        if last is None:
            return None
        rest = re.match(r"@\w+ (is|has|does)(?: not)? (.*)", self._before)
        if rest and (match := re.fullmatch(rf"@(\w+) {rest[1]}( not)?", text)):
            if rest[1] == "does":  # "it does not lie there, but the black one does"
                args = (match[1], *last.atom.args[1:])
                return Clause((Literal(last.atom._replace(args=args), not match[2]),), ())
            again = f"@{match[1]} {rest[1]}{match[2] or ''} {rest[2]}"
            return self._clause(again)
        if match := _LIKEWISE.fullmatch(text):
            denied = bool(match["nor"] or match["either"])
            asked = match["inverted"] and not denied and self._joiner != "so"
            # All that was said of that thing is said of this one: "it is hot and heavy, so is ...".
            same = [x for x in self._literals if x.atom.args == last.atom.args]
            mixed = any(x.positive is denied for x in same)
            if len(last.atom.args) != 1 or mixed or asked:
                return None
            name = match["inverted"] or match["plain"]
            likewise = (x._replace(atom=x.atom._replace(args=(name,))) for x in same)
            return Clause(tuple(likewise), ())
        if len(last.atom.args) == 2 and (compared := _COMPARED.fullmatch(text)):
            by = compared["as"] or "than"
            return self._clause(f"@{last.atom.args[0]} is {text} {by} @{last.atom.args[1]}")
        if re.fullmatch(_QUALITY, text) and len(last.atom.args) == 1:
            return self._clause(f"@{last.atom.args[0]} is {text}")
        if (match := re.fullmatch(r"not @(\w+)", text)) and len(last.atom.args) == 2:
            return self._instead(last, match[1])
        if match := re.fullmatch(r"not ([a-z].*)", text):
            if not last.positive:
                return Clause((), ())  # what was wanted is not so, and this was not wanted
            subject, *others = last.atom.args or ("",)
            said = re.sub(r"\bit\b", f"@{others[0]}", match[1]) if others else match[1]
            return self._clause(f"@{subject} is not {said}")
        return None

    def _instead(self, last: Literal, name: str) -> Clause | None:
        """ "It is in the blue basket, not the white one."""
        args = (last.atom.args[0], name)
        if not last.positive or name in last.atom.args:
            return None
        return Clause((Literal(last.atom._replace(args=args), False),), ())

    def _owed(self, text: str) -> Clause | None:
        """ "You have to open the box first", "open the box first": so far that is not so."""
        match = _OWED.fullmatch(text)
        what = match and (match["what"] or match["bidden"])
        wanted = read_step(what, self._known, self._priors) if what else None
        if not wanted or (
            match and match["bidden"] and not all(x.positive for x in wanted.literals)
        ):
            return None
        return Clause(
            tuple(x._replace(positive=not x.positive) for x in wanted.literals), wanted.concepts
        )

    def _together(self, runs: Sequence[Words]) -> str:
        start = self._words.words.index(runs[0].words[0])
        end = self._words.words.index(runs[-1].words[-1]) + 1
        self._joiner = self._words.words[start - 1].text if start else ""
        return self._words.part(start, end).text

    def _with_subject(self, text: str) -> tuple[str, ...]:
        """The text with a name for "it": at its head, and everywhere ("nothing is on it")."""
        text = re.sub(r"\bon top$", "on top of it", text)
        text = re.sub(r"^there is nothing (?:left )?in (@\w+|it)$", r"\1 is empty", text)
        text = re.sub(r"^there is something (?:left )?in (@\w+|it)$", r"\1 is not empty", text)
        text = re.sub(r"^(@\w+|it) has nothing left(?: in it)?$", r"\1 is empty", text)
        text = re.sub(r"(?<=can not reach )(?:that|so|this) far$", "it", text)
        text = re.sub(r"^(?:that|this)(?: one)? (?=is |has |does |can )", "it ", text)
        text = re.sub(r"\bare both\b", "are", text)
        text = re.sub(r"^(?=(?:way |far |much )?too [a-z]+)", "it is ", text)
        if not self._subjects:
            return (text,)
        name = f"@{self._subjects[0]}"
        if len(self._subjects) == 1 and self._is_several(self._subjects[0]):
            text = re.sub(r"^they\b", name, text)
        elif not self._headed and len(self._compared_things) == 2:
            both = " and ".join(f"@{a}" for a in self._compared_things)
            text = re.sub(
                r"^(?:they|the two|the two of them)(?= (?:are|have|do|match))", both, text
            )
        # A thing that the clause names is not "it": "it is on the tray" of a mug and a tray.
        others = [s for s in self._subjects if s not in re.findall(r"@(\w+)", text)]
        if not self._headed and len(others) == 1:
            name = f"@{others[0]}"
        alone = len(self._subjects) == 1 or "hold" in text or "held" in text
        if alone or (not self._headed and len(others) == 1):
            whole = re.sub(r"^it\b", name, text)
            apart = [a for a in self._compared_things if f"@{a}" != name]
            # "The tin is in the way, it stands on it": on the thing in question.
            beside = re.sub(r"\bit\b", f"@{apart[0]}", whole) if len(apart) == 1 else whole
            return whole, re.sub(r"\bit\b", name, text), beside
        # What was spoken of first goes on being spoken of: "the tin is on the can; it is wet".
        if not self._headed:
            return (text,)
        whole = re.sub(r"^it\b", name, text)
        if whole == text or len(self._subjects) != 2:
            return (whole,)
        # "The tin is not under the bowl, it is beside it."
        return whole, re.sub(r"\bit\b", f"@{self._subjects[1]}", whole)

    def _is_several(self, name: str) -> bool:
        """Whether "they" may be this thing: socks, or a peg of which "pegs" was said."""
        kinds = plural(self._objects[name])
        return bool(
            re.search("[^s]s$", name) or re.search(rf"\b{kinds}\b", self._words.whole.lower())
        )

    def _compared(self, text: str) -> str:
        """ "It is smaller" compares with the other thing that the action takes."""
        match = re.fullmatch(rf"@(\w+) is (?:not )?{COMPARATIVE}", text)
        spoken_of = self._compared_things
        if self._literals and "than" in self._literals[-1].atom.predicate:
            spoken_of = self._literals[-1].atom.args
        others = [a for a in spoken_of if match and a != match[1]]
        return f"{text} than @{others[0]}" if match and len(others) == 1 else text

    def _furnished(self, text: str) -> str:
        """A shelf that is full has no room, unlike a cup."""
        match = re.match(r"@(\w+) is (?:not )?(?:full|empty)$", text)
        if not match or self._objects.get(match[1]) not in self._priors.kinds.get("furniture", ()):
            return text
        return text.replace("is full", "has no room").replace("is empty", "is clear")

    def _not_understood(self, run: Words) -> SaySoError:
        if unknown := unknown_object(run, self._objects):
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
            if literal._replace(positive=not literal.positive) in self._literals:
                raise self._words.refused(f"this says {literal.atom} both ways.")
