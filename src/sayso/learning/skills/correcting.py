"""What a person corrects of the read-back of a taught skill: its conditions and its effects.

    correction = part {("and" | "but" | "," | ".") part}
    part       = "only if" clause | thing "must be" ... | clause "first"         a condition more
               | thing "need not be" ... | "it does not matter whether" clause   a condition less
               | "afterwards" clause | clause "then"                             an effect

Clauses are those of feedback (`learning.feedback_clauses`), over the skill's own things and the
predicates that the library knows. What was seen in the demonstrations is not overruled: an effect
that was observed not to come about is refused with what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Literal, Operator
from sayso.language.judgements import Judgement, judged
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback_clauses import read_clause
from sayso.learning.feedback_explanation import JOINERS
from sayso.learning.feedback_mentions import read_words
from sayso.learning.feedback_words import Words, split_at
from sayso.learning.priors import household
from sayso.learning.skills.symbols import Symbols, said_literal, things_called


class Part(Enum):
    """What a part of a correction changes."""

    NEED = "needs"
    NEEDLESS = "does not need"
    EFFECT = "brings about"


_THING = r"(?:@\w+|it|you|the (?:hand|gripper|robot|table)|your hand)"
_FORMS: tuple[tuple[Part, str, str], ...] = (
    (Part.NEEDLESS, r"(?:it )?(?:does not|no) matter (?:whether|if|that) (.+)", r"\1"),
    (Part.NEEDLESS, r"it makes no difference (?:whether|if|that) (.+)", r"\1"),
    (Part.NEEDLESS, r"whether (.+?)(?: or not)? (?:does not matter|makes no difference)", r"\1"),
    (Part.NEEDLESS, rf"({_THING}) need(?:s)? not (?:to )?be (.+)", r"\1 is \2"),
    (Part.NEEDLESS, rf"({_THING}) do(?:es)? not (?:need|have) to be (.+)", r"\1 is \2"),
    (Part.NEEDLESS, rf"({_THING}) need not have (.+)", r"\1 has \2"),
    (Part.NEEDLESS, rf"({_THING}) do(?:es)? not (?:need|have) to have (.+)", r"\1 has \2"),
    (Part.NEEDLESS, r"you (?:need not|do not (?:need|have) to) hold (.+)", r"you hold \1"),
    (Part.NEED, r"only (?:if|when|while) (.+)", r"\1"),
    (Part.NEED, r"(?:if|when|as long as|provided(?: that)?|not unless|it needs) (.+)", r"\1"),
    (Part.NEED, rf"({_THING}) (?:must|should|can) not be (.+)", r"\1 is not \2"),
    (Part.NEED, rf"({_THING}) (?:must|should|ha(?:s|ve) to|needs? to) be (.+)", r"\1 is \2"),
    (Part.NEED, rf"({_THING}) (?:must|should|ha(?:s|ve) to|needs? to) have (.+)", r"\1 has \2"),
    (Part.NEED, r"you (?:must|should|have to|need to) hold (.+)", r"you hold \1"),
    (Part.NEED, r"(.+) (?:first|before|beforehand|before that)", r"\1"),
    (Part.EFFECT, r"(?:(?:afterwards?|then|after that|(?:in|at) the end) )+(.+)", r"\1"),
    (Part.EFFECT, r"(.+) (?:afterwards?|then|after that|(?:in|at) the end)(?: too)?", r"\1"),
    (Part.EFFECT, rf"(?:it|this|that) makes ({_THING}) (.+)", r"\1 is \2"),
)  # fmt: skip
_DISAGREEING = re.compile(
    r"(?:.* )?(?:no|nope|nah|not|wrong|false|incorrect|right|correct|true|quite|really|exactly|so"
    r"|(?:like|at|not|it|way) (?:that|this|all))"
)
_READ = tuple((part, re.compile(form), clause) for part, form, clause in _FORMS)
_OPENING = re.compile(
    r"^(?:(?:yes|yeah|no|well|right|almost|ok|okay|true|correct|fine|please|and|but|so|not quite)"
    r" )+"
)


def corrected(symbols: Symbols, words: str) -> Symbols:
    """What was learned, as a person corrected it.

    Raises:
        SaySoError: NOT_UNDERSTOOD or AMBIGUOUS for the words; UNSUPPORTED for what the robot cannot
            observe; CONTRADICTION where the demonstrations showed otherwise. Nothing is changed.
    """
    operator, library = symbols.operator, symbols.library
    for part, literal in _said(words, operator, library):
        _require_known(literal, library)
        operator = _changed(replace(symbols, library=_with(library, operator)), part, literal)
    known = library.operator_provenance.get(symbols.name, {})
    provenance = {**known, "corrections": [*known.get("corrections", ()), words]}
    changed = _with(library, operator)
    by_name = {**changed.operator_provenance, symbols.name: provenance}
    return replace(symbols, library=replace(changed, operator_provenance=by_name))


def _with(library: Library, operator: Operator) -> Library:
    return replace(library, operators={**library.operators, operator.name: operator})


# -- reading ------------------------------------------------------------------------------------


def _said(words: str, operator: Operator, library: Library) -> Iterator[tuple[Part, Literal]]:
    """Each part with a literal over the operator's variables. Raises as `corrected`."""
    called = things_called(operator)
    names = {n.removeprefix("the ").replace(" ", "_"): v for v, n in called.items()}
    kinds = dict(zip(names, operator.types, strict=True))
    read = read_words(words.replace("needn't", "need not"), kinds, set(kinds))
    lexicon = Lexicon.of(library)
    part: Part | None = None
    about = next(iter(kinds)) if len(kinds) == 1 else ""
    runs = split_at(read, JOINERS)
    while runs:
        new, literals, count = _first(runs, about, lexicon)
        if not literals and not _is_talk(runs[0].text):
            raise _not_understood(runs[0], operator)
        part = new or part
        for literal in literals:
            if part is None:
                raise read.refused(
                    "I cannot tell whether that is so before it is done, or afterwards.",
                    hint="say 'only if ...', or 'afterwards ...'.",
                )
            about = literal.atom.args[-1] if literal.atom.args else about
            yield part, literal.substitute(names)
        runs = runs[count:]


def _first(
    runs: Sequence[Words], about: str, lexicon: Lexicon
) -> tuple[Part | None, tuple[Literal, ...], int]:
    """What the longest part at the beginning says, and of how many runs it is; of none, one."""
    for count in range(len(runs), 0, -1):
        text = " and ".join(r.text for r in runs[:count])
        part, clause = _form(_OPENING.sub("", text))
        if about:
            clause = re.sub(r"\bit\b", f"@{about}", clause)
        if literals := _literals(clause, lexicon):
            return part, literals, count
    return None, (), 1


def _is_talk(text: str) -> bool:
    """Whether words say no more than that something is so, or is not; "do not keep it" does."""
    disagrees = judged(text) is Judgement.NO and _DISAGREEING.fullmatch(text)
    return text in ("too", "as well") or judged(text) is Judgement.YES or bool(disagrees)


def _form(text: str) -> tuple[Part | None, str]:
    """What a part of a correction changes, and its clause; None where its words do not tell."""
    for part, form, clause in _READ:
        if found := form.fullmatch(text):
            return part, found.expand(clause)
    return None, text


def _literals(text: str, lexicon: Lexicon) -> tuple[Literal, ...]:
    clause = read_clause(text, lexicon, household())
    return clause.literals if clause else ()


def _not_understood(words: Words, operator: Operator) -> SaySoError:
    thing = next(iter(things_called(operator).values()))
    return words.refused(
        "I do not understand this of a correction.",
        hint=f"say such as 'only if {thing} is on the table', '{thing} need not be on the table', "
        f"or 'afterwards {thing} is not on the table'; or yes, or no.",
    )


# -- changing -----------------------------------------------------------------------------------


def _require_known(literal: Literal, library: Library) -> None:
    name = literal.atom.predicate
    known = library.predicates.get(name)
    if known is None or known.arity != len(literal.atom.args):
        raise SaySoError(
            Code.UNSUPPORTED,
            f"I know no way to see whether '{name.replace('_', ' ')}' is so.",
            hint="say it with what I can see; or agree to the rest, and teach me that word.",
            choices=sorted(
                p.english.format("something", "another thing")
                for p in library.predicates.values()
                if p.english
            ),
        )


def _changed(symbols: Symbols, part: Part, literal: Literal) -> Operator:
    operator, opposite = symbols.operator, Literal(literal.atom, not literal.positive)
    said = said_literal(literal, operator, symbols.library.predicates)
    match part:
        case Part.NEED:
            _require_seen(symbols, literal, said, before=True)
            needs = operator.preconditions - {opposite} | {literal}
            return replace(operator, preconditions=needs)
        case Part.NEEDLESS:
            return replace(operator, preconditions=_without(operator, literal, opposite, said))
        case Part.EFFECT:
            _require_seen(symbols, literal, said, before=False)
            if literal.positive:
                return replace(
                    operator,
                    add=operator.add | {literal.atom},
                    delete=operator.delete - {literal.atom},
                )
            return replace(
                operator,
                add=operator.add - {literal.atom},
                delete=operator.delete | {literal.atom},
            )


def _without(
    operator: Operator, literal: Literal, opposite: Literal, said: str
) -> frozenset[Literal]:
    if not {literal, opposite} & operator.preconditions:
        raise SaySoError(
            Code.CONTRADICTION,
            f"I do not ask for it anyway that {said}.",
            hint="say which of the conditions is not needed; or yes, or no.",
        )
    if literal.atom.predicate == "gripper_empty" and operator.during:
        raise SaySoError(
            Code.CONTRADICTION,
            "I begin with taking something, as I was shown: for that my hand has to be empty.",
            hint="show it once more with something in the hand.",
        )
    return operator.preconditions - {literal, opposite}


def _require_seen(symbols: Symbols, literal: Literal, said: str, *, before: bool) -> None:
    """Raises CONTRADICTION where demonstrations showed that it is not so."""
    seen = [(t.before if before else t.after, t.args) for t in symbols.shown]
    parameters = symbols.operator.parameters
    against = sum(
        state is not None
        and state.holds(literal.substitute(dict(zip(parameters, args, strict=True)))) is False
        for state, args in seen
    )
    if against == 0 or (before and against < len(symbols.shown)):
        return  # that it was done without it once does not say that it may be
    when = "before" if before else "after"
    raise SaySoError(
        Code.CONTRADICTION,
        f"{when} {against} of {len(symbols.shown)} demonstrations I saw that it was not so that "
        f"{said}.",
        hint="show it once more as you mean it, or correct it otherwise; or yes, or no.",
    )
