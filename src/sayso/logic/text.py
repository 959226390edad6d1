"""Formulas as text, both ways: `F(on(red_block, plate)) & G(!touching(mug))`.

Grammar, loosest binding first; binary temporal operators and `->` associate to the right:

    formula  = implies { "<->" implies }
    implies  = or [ "->" implies ]
    or       = and { ("|" | "||") and }
    and      = until { ("&" | "&&") until }
    until    = unary [ ("U" | "R") until ]
    unary    = ("!" | "~" | "X" | "WX" | "F" | "G") unary | "(" formula ")"
             | "true" | "false" | word [ "(" [ term { "," term } ] ")" ]
             | quantity word "in" term ["other" "than" term { "," term }] ":" "(" formula ")"
    quantity = "all" [number] | "some" | "only" | ("at" "least" | "at" "most" | "exactly") number
    term     = [ "a" | "all" ] word { "::" comparator "(" term { "," term } ")" }

In a referent's word, leading colours and sizes are attributes and the rest is the noun:
`small_red_block::isleftof(mug)`. In grounded text a term is one word, the object's name.
`all x in block: (G(!touching(x)))` speaks of each block; within the brackets `x` is that block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from sayso.core.errors import Code, SaySoError, Span
from sayso.logic.formula import (
    ATTRIBUTES,
    COMPARATORS,
    SO_MANY,
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Quantified,
    Quantifier,
    Quantity,
    Referent,
    Relation,
    Release,
    Term,
    Top,
    Until,
    Variable,
    WeakNext,
)

MAX_DEPTH = 100
"""How deep operators and brackets may nest in a text."""

_UNARY: Mapping[str, Callable[[Formula], Formula]] = {
    "!": Not, "~": Not, "X": Next, "WX": WeakNext, "F": Eventually, "G": Always,
}  # fmt: skip
_BINARY: Mapping[str, Callable[[Formula, Formula], Formula]] = {"U": Until, "R": Release}
_CONSTANTS: Mapping[str, Formula] = {"true": Top(), "false": Bottom()}
_RESERVED = frozenset({*_UNARY, *_BINARY, *_CONSTANTS})
_QUANTIFIERS: dict[str, Quantifier] = {"a": "a", "all": "all", **{q: q for q in SO_MANY}}
_QUANTITIES = frozenset({"all", "some", "only", "at", "exactly"})
_TOKEN = re.compile(r"\s*(?:(\w+(?:-\w+)*)|(<->|->|::|&&?|\|\|?|[!~(),:])|(\S))")


def to_text(formula: Formula) -> str:
    """The formula as text.

    `parse(to_text(f))` equals f where every And and Or has at least two members (shorter ones
    come back as what they mean), words are written canonically (attributes sorted, known and
    not at the start of a noun of several words), and all terms are referents or, for grounded
    text, all are names.
    """
    match formula:
        case Top():
            return "true"
        case Bottom():
            return "false"
        case Prop(predicate, args):
            return f"{predicate}({', '.join(map(str, args))})"
        case Not(a):
            return f"!{_operand(a)}"
        case And(args):
            return " & ".join(map(_operand, args)) if args else "true"
        case Or(args):
            return " | ".join(map(_operand, args)) if args else "false"
        case Until(left, right):
            return f"{_operand(left)} U {_operand(right)}"
        case Release(left, right):
            return f"{_operand(left)} R {_operand(right)}"
        case Next(a):
            return f"X({to_text(a)})"
        case WeakNext(a):
            return f"WX({to_text(a)})"
        case Eventually(a):
            return f"F({to_text(a)})"
        case Always(a):
            return f"G({to_text(a)})"
        case Quantified(quantity, variable, domain, body, apart):
            others = f" other than {', '.join(map(str, apart))}" if apart else ""
            return f"{quantity} {variable} in {_plain(domain)}{others}: ({to_text(body)})"


def _plain(domain: Referent) -> Referent:
    """A domain's quantifier says nothing."""
    return replace(domain, quantifier="the")


def _operand(formula: Formula) -> str:
    match formula:
        case And(args) | Or(args) if len(args) == 1:
            return _operand(args[0])
        case And(args) | Or(args) if args:
            return f"({to_text(formula)})"
        case Until() | Release():
            return f"({to_text(formula)})"
        case _:
            return to_text(formula)


def parse(text: str, grounded: bool = False) -> Formula:
    """The formula that a text says.

    Args:
        grounded: arguments are names of objects and become plain strings; otherwise they are
            descriptions and become referents.

    Raises:
        SaySoError: NOT_UNDERSTOOD, pointing at the first word that does not fit.
    """
    parser = _Parser(_tokens(text), grounded)
    formula = parser.formula()
    if parser.now.text:
        parser.fail("an operator or the end")
    return formula


@dataclass(frozen=True)
class _Token:
    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + max(1, len(self.text)))

    @property
    def is_word(self) -> bool:
        return self.text[:1].isalnum() or self.text.startswith("_")


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(text):
        group = match.lastindex or 0
        token = _Token(match[group], match.start(group))
        if group == 3:
            raise _misunderstood(f"'{token.text}' is no part of a formula.", token)
        found.append(token)
    return [*found, _Token("", len(text.rstrip()))]


def _misunderstood(message: str, token: _Token, choices: tuple[str, ...] = ()) -> SaySoError:
    return SaySoError(
        Code.NOT_UNDERSTOOD,
        f"formula, character {token.start + 1}: {message}",
        choices=choices,
        span=token.span,
    )


class _Parser:
    """Recursive descent over tokens; the last token is the empty end."""

    def __init__(self, tokens: list[_Token], grounded: bool) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.grounded = grounded
        self.bound: list[Variable] = []

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, expected: str) -> NoReturn:
        found = f"'{self.now.text}'" if self.now.text else "the end"
        raise _misunderstood(f"expected {expected}, found {found}.", self.now)

    def take(self) -> _Token:
        token = self.now
        self.at += 1
        return token

    def accept(self, *texts: str) -> bool:
        if self.now.text in texts:
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"'{text}'")

    def formula(self) -> Formula:
        left = self.implies()
        while self.accept("<->"):
            right = self.implies()
            left = And((Or((Not(left), right)), Or((Not(right), left))))
        return left

    def implies(self) -> Formula:
        left = self.either()
        if self.accept("->"):
            return Or((Not(left), self.implies()))
        return left

    def either(self) -> Formula:
        members = [self.both()]
        while self.accept("|", "||"):
            members.append(self.both())
        return members[0] if len(members) == 1 else Or(tuple(members))

    def both(self) -> Formula:
        members = [self.until()]
        while self.accept("&", "&&"):
            members.append(self.until())
        return members[0] if len(members) == 1 else And(tuple(members))

    def until(self) -> Formula:
        left = self.unary()
        kind = _BINARY.get(self.now.text)
        if kind is None:
            return left
        self.take()
        return kind(left, self.until())

    def unary(self) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _misunderstood(f"nested deeper than {MAX_DEPTH}.", self.now)
        result = self._unary()
        self.depth -= 1
        return result

    def _unary(self) -> Formula:
        if kind := _UNARY.get(self.now.text):
            self.take()
            return kind(self.unary())
        if self.accept("("):
            inner = self.formula()
            self.expect(")")
            return inner
        if not self.now.is_word or self.now.text in _BINARY:
            self.fail("a proposition, an operator or '('")
        if self.now.text in _QUANTITIES and self.tokens[self.at + 1].is_word:
            return self.quantified()
        word = self.take().text
        return _CONSTANTS.get(word) or Prop(word, self.arguments())

    def quantified(self) -> Quantified:
        quantity = self.quantity()
        variable = Variable(self.word("a variable"))
        self.expect("in")
        domain = self.referent()
        apart: tuple[Term, ...] = ()
        if self.accept("other"):
            self.expect("than")
            apart = self.listed()
        self.expect(":")
        self.expect("(")
        self.bound.append(variable)
        body = self.formula()
        self.bound.pop()
        self.expect(")")
        return Quantified(quantity, variable, domain, body, apart)

    def quantity(self) -> Quantity:
        word = self.take().text
        if word == "all" and self.now.text.isdecimal() and len(self.now.text) <= 4:
            return Quantity("all", there=int(self.take().text))
        if word in ("all", "some", "only"):
            return Quantity(word)  # type: ignore[arg-type]
        if word == "at" and not self.accept("least", "most"):
            self.fail("'least' or 'most'")
        kind = "exactly" if word == "exactly" else f"at {self.tokens[self.at - 1].text}"
        if not self.now.text.isdecimal() or len(self.now.text) > 4:
            self.fail("a number")
        return Quantity(kind, int(self.take().text))  # type: ignore[arg-type]

    def arguments(self) -> tuple[Term, ...]:
        if not self.accept("("):
            return ()
        if self.accept(")"):
            return ()
        return self.terms()

    def terms(self) -> tuple[Term, ...]:
        """Terms up to and with the closing bracket."""
        found = self.listed()
        self.expect(")")
        return found

    def listed(self) -> tuple[Term, ...]:
        found = [self.term()]
        while self.accept(","):
            found.append(self.term())
        return tuple(found)

    def term(self) -> Term:
        variable = Variable(self.now.text)
        if variable in self.bound:
            self.take()
            return variable
        return self.word("an object's name") if self.grounded else self.referent()

    def word(self, expected: str) -> str:
        if not self.now.is_word:
            self.fail(expected)
        return self.take().text

    def referent(self) -> Referent:
        first = self.word("a description")
        quantified = first in _QUANTIFIERS and self.now.is_word
        attributes, noun = _split(self.take().text if quantified else first)
        relations = []
        while self.accept("::"):
            relations.append(self.relation())
        quantifier = _QUANTIFIERS[first] if quantified else "the"
        return Referent(noun, attributes, tuple(relations), quantifier)

    def relation(self) -> Relation:
        token = self.now
        name = self.word("a comparator")
        if name not in COMPARATORS:
            raise _misunderstood(f"there is no comparator '{name}'.", token, tuple(COMPARATORS))
        self.expect("(")
        others = [self.referent()]
        while self.accept(","):
            others.append(self.referent())
        if len(others) != COMPARATORS[name]:
            message = f"{name} takes {COMPARATORS[name]} descriptions, got {len(others)}."
            raise _misunderstood(message, token)
        self.expect(")")
        return Relation(name, tuple(others))


def _split(word: str) -> tuple[tuple[str, ...], str]:
    """Attributes and noun of `small_red_block`; the last part always belongs to the noun."""
    parts = [p for p in word.split("_") if p] or [word]
    count = 0
    while count < len(parts) - 1 and parts[count] in ATTRIBUTES:
        count += 1
    return tuple(sorted(set(parts[:count]))), " ".join(parts[count:])
