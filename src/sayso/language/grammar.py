"""A grammar as readable text, read into rules for a chart (`chart.py`).

Each rule has a name and alternatives, one a line:

    order = in any order | in no particular order            words, as they are said
    place = [just] side:<side> of what:<thing> -> Place       a meaning made of labelled parts
          | ( here | there ) -> Place side=here !2

`<name>` is a rule, `{name}` a slot that the vocabulary fills, `"."` a mark, `[x]` optional,
`(a | b)` a choice, `x*` and `x+` repeated. A part may have a label. After `->` comes the name of
what makes the meaning from the labelled parts (repeated ones are a tuple) and from constants;
without an arrow the meaning is that of the part labelled `_`, of the only rule or slot, or the
words. `!n` makes an alternative dearer: of several derivations the cheapest count. `#` begins a
comment. A rule is defined once, by `=`; `+=` adds alternatives to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from sayso.language.rule_parts import (
    Alternative,
    Beginning,
    Called,
    Choice,
    Filled,
    Known,
    Labelled,
    Maker,
    Many,
    Part,
    Slot,
    Step,
    Words,
    deep,
    rule_of,
)

NUMERAL = "<number>"
"""Stands in what a part begins with for every number in digits."""
OTHER = "<other>"
"""Stands for every word with which no part begins by name."""
_END = "<end>"
_MOST_BEGINNINGS = 200_000
"""Of rules and two words for which it is remembered what may begin with them."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<label>[a-z_]\w*):(?=[<{(\["]|\w)|(?P<rule><\w+>)|(?P<slot>\{\w+\})"""
    r"""|(?P<arrow>->)|(?P<cost>!\d+)|(?P<set>[a-z_]\w*=\S+)|"(?P<mark>[^"]+)"|(?P<op>[\[\]()|*+])"""
    r"""|(?P<word>[\w'-]+))"""
)


class Grammar:
    """Rules by name, read from texts.

    Args:
        slots: what fills `{name}`, and the words that it may begin with (None: any); no filler
            for those that differ from one text to the next.
        makers: what makes meanings, by the names after `->`.
    """

    def __init__(
        self,
        texts: Iterable[str],
        slots: Mapping[str, tuple[Slot | None, frozenset[str] | None]],
        makers: Mapping[str, Maker],
    ) -> None:
        self.rules: dict[str, list[Alternative]] = {}
        self.slots = slots
        self.makers = makers
        for text in texts:
            _Reader(text, self.rules).read()
        self._starts: dict[str, frozenset[str]] = {}
        self._close()
        self._by_word: dict[str, dict[str, Known]] = {n: {} for n in self.rules}
        self._by_words: dict[tuple[str, str, str], Beginning] = {}
        self._seconds: dict[tuple[str, str], frozenset[str] | None] = {}
        parts = deep(
            p for alternatives in self.rules.values() for a in alternatives for p in a.parts
        )
        self._sorts = frozenset[str]().union(self.words, *(p.first or () for p in parts))

    def sort(self, word: str) -> str:
        """What a word counts as where it is asked what begins with it: itself, a number, or a
        word that no rule says by itself or in a slot."""
        if word in self._sorts or not word:
            return word
        return NUMERAL if word.isdecimal() else OTHER

    def beginning(self, rule: str, word: str, after: str) -> Beginning:
        """What of a rule may begin with words of these sorts."""
        key = (rule, word, after)
        found = self._by_words.get(key)
        if found is None:
            found = Beginning(self._alternatives(rule, word), after)
            if len(self._by_words) >= _MOST_BEGINNINGS:
                self._by_words.clear()
            self._by_words[key] = found
        return found

    def _alternatives(self, rule: str, word: str) -> Known:
        """Those of a rule that may begin with a word of this sort."""
        index = self._by_word[rule]
        found = index.get(word)
        if found is None:
            fit = (a for a in self.rules[rule] if a.empty or a.first is None or word in a.first)
            found = tuple((a, self._told(a, word)) for a in fit)
            index[word] = found
        return found

    def _told(self, alternative: Alternative, word: str) -> frozenset[str] | None:
        """What has to come behind the word for it to be what an alternative begins with."""
        after = None if alternative.empty else self._second(alternative.parts, word)
        return None if after is None or _END in after else after

    def _second(self, parts: Sequence[Part], word: str) -> frozenset[str] | None:
        """The words that may come behind a word with which some parts begin, with `_END` where
        they may end there; None: any."""
        found: frozenset[str] = frozenset()
        for i, part in enumerate(parts):
            after = self._after(part, word)
            if after is not None and _END in after:
                rest, empty = self._first(parts[i + 1 :])
                end = frozenset({_END}) if empty else frozenset[str]()
                after = None if rest is None else (after - {_END}) | rest | end
            if after is None:
                return None
            found |= after
            if not part.empty:
                break
        return found

    def _after(self, part: Part, word: str) -> frozenset[str] | None:
        """The same of one part."""
        if part.first is not None and word not in part.first:
            return frozenset()
        match part:
            case Words(words):
                return frozenset(words[1:2] or (_END,))
            case Labelled(_, inner):
                return self._after(inner, word)
            case Many(inner, _, most):
                after = self._after(inner, word)
                if after is None or _END not in after or most == 1:
                    return after
                return None if inner.first is None else after | inner.first
            case Called(name) | Choice(name):
                return self._after_rule(name, word)
        return None

    def _after_rule(self, rule: str, word: str) -> frozenset[str] | None:
        key = (rule, word)
        if key not in self._seconds:
            self._seconds[key] = None  # of a rule within itself nothing is told
            found: frozenset[str] | None = frozenset()
            for a in self.rules[rule]:
                if found is None or not (a.empty or a.first is None or word in a.first):
                    continue
                after = None if a.empty else self._second(a.parts, word)
                found = None if after is None else found | after
            self._seconds[key] = found
        return self._seconds[key]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that a rule says itself."""
        return frozenset(
            w
            for alternatives in self.rules.values()
            for a in alternatives
            for p in deep(a.parts)
            if isinstance(p, Words)
            for w in p.words
        )

    def starts(self, rule: str) -> frozenset[str]:
        """The words that a rule may begin with, as far as they are its own."""
        found = self._starts.get(rule)
        if found is None:
            found = frozenset().union(*(a.first or frozenset() for a in self.rules[rule]))
            self._starts[rule] = found
        return found

    def _close(self) -> None:
        """Finds what each part may begin with, until nothing changes."""
        for alternatives in self.rules.values():
            for a in alternatives:
                for p in deep(a.parts):
                    if isinstance(p, Called | Choice) and p.name not in self.rules:
                        raise ValueError(f"the grammar has no rule '{p.name}'")
                    if isinstance(p, Filled) and p.name not in self.slots:
                        raise ValueError(f"the grammar has no slot '{p.name}'")
                if a.maker and a.maker not in self.makers:
                    raise ValueError(f"nothing makes '{a.maker}'")
        changed = True
        while changed:
            changed = False
            for alternatives in self.rules.values():
                for a in alternatives:
                    first, empty = self._first(a.parts)
                    if (first, empty) != (a.first, a.empty):
                        a.first, a.empty, changed = first, empty, True
        for alternatives in self.rules.values():
            for part in deep(p for a in alternatives for p in a.parts):
                part.first, part.empty = self._first_of(part)
                part.rule, part.toll = rule_of(part)
                if isinstance(part, Many) and not part.least and not part.part.empty:
                    part.lacking = part.first
            for order, a in enumerate(alternatives):
                a.order = order
                if a.parts and not a.parts[0].empty:
                    a.lead, a.toll = a.parts[0].rule, a.parts[0].toll
                behind = [None if p.empty else p.first for p in a.parts[1:]]
                a.steps = tuple(map(Step, a.parts, (*behind, None)))

    def _first(self, parts: Sequence[Part]) -> tuple[frozenset[str] | None, bool]:
        found: frozenset[str] | None = frozenset()
        for part in parts:
            first, empty = self._first_of(part)
            found = None if found is None or first is None else found | first
            if not empty:
                return found, False
        return found, True

    def _first_of(self, part: Part) -> tuple[frozenset[str] | None, bool]:
        match part:
            case Words(words):
                return frozenset(words[:1]), False
            case Filled(name):
                return self.slots[name][1], False
            case Labelled(_, inner):
                return self._first_of(inner)
            case Many(inner, least, _):
                first, empty = self._first_of(inner)
                return first, empty or least == 0
            case Called(name) | Choice(name):
                alternatives = self.rules[name]
                first = frozenset()
                for a in alternatives:
                    first = None if first is None or a.first is None else first | a.first
                return first, any(a.empty for a in alternatives)
        raise AssertionError(part)


class _Reader:
    """Reads the text of a grammar into rules."""

    def __init__(self, text: str, rules: dict[str, list[Alternative]]) -> None:
        self._rules = rules
        self._text = text
        self._choices = 0

    def read(self) -> None:
        for name, sign, body in self._definitions():
            if sign == "=" and name in self._rules:
                raise ValueError(f"rule '{name}' is defined before; '+=' adds to it")
            self._tokens = [
                (m.lastgroup or "", m[m.lastgroup or 0])
                for m in _TOKEN.finditer(body)
                if m.lastgroup
            ]
            self._at = 0
            self._name = name
            self._rules.setdefault(name, []).extend(self._alternatives())
            if self._at < len(self._tokens):
                raise ValueError(f"rule '{name}': {self._tokens[self._at]} is out of place")

    def _definitions(self) -> Iterable[tuple[str, str, str]]:
        """Names of rules, "=" or "+=", and what follows."""
        lines = [line.split("#")[0].rstrip() for line in self._text.splitlines()]
        name, sign, body = "", "", ""
        for line in filter(None, lines):
            if match := re.match(r"(\w+) (\+?=) (.*)", line):
                if name:
                    yield name, sign, body
                name, sign, body = match[1], match[2], match[3]
            else:
                body += " " + line.strip()
        if name:
            yield name, sign, body

    def _now(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _take(self, text: str) -> bool:
        kind, now = self._now()
        if kind == "op" and now == text:
            self._at += 1
            return True
        return False

    def _alternatives(self) -> list[Alternative]:
        found = [self._alternative()]
        while self._take("|"):
            found.append(self._alternative())
        return found

    def _alternative(self) -> Alternative:
        parts: list[Part] = []
        maker, constants, cost = "", [], 0
        while True:
            kind, text = self._now()
            if kind == "arrow":
                self._at += 1
                maker = self._now()[1]
                self._at += 1
            elif kind == "set":
                key, value = text.split("=", 1)
                spaced = value if key == "predicate" else value.replace("_", " ")
                constants.append((key, spaced))
                self._at += 1
            elif kind == "cost":
                cost = int(text[1:])
                self._at += 1
            elif not kind or (kind == "op" and text in "|)]"):
                return Alternative(_joined(parts), maker, tuple(constants), cost)
            else:
                parts.append(self._repeated(self._part()))

    def _repeated(self, part: Part) -> Part:
        if self._take("*"):
            return _many(part, 0, 99)
        if self._take("+"):
            return _many(part, 1, 99)
        return part

    def _part(self) -> Part:
        kind, text = self._now()
        self._at += 1
        match kind:
            case "label":
                return Labelled(text, self._repeated(self._part()))
            case "rule":
                return Called(text[1:-1])
            case "slot":
                return Filled(text[1:-1])
            case "mark" | "word":
                return Words((text,))
            case "op" if text in "([":
                choice = self._choice()
                if not self._take(")" if text == "(" else "]"):
                    raise ValueError(f"rule '{self._name}': a bracket is open")
                return choice if text == "(" else _many(choice, 0, 1)
        raise ValueError(f"rule '{self._name}': {text!r} is out of place")

    def _choice(self) -> Part:
        alternatives = self._alternatives()
        if len(alternatives) == 1 and not alternatives[0].maker:
            only = alternatives[0]
            if len(only.parts) == 1 and not only.constants:
                return only.parts[0]
        self._choices += 1
        name = f"{self._name}.{self._choices}"
        while name in self._rules:
            self._choices += 1
            name = f"{self._name}.{self._choices}"
        self._rules[name] = alternatives
        return Choice(name)


def _many(part: Part, least: int, most: int) -> Part:
    if isinstance(part, Labelled):
        return Labelled(part.label, Many(part.part, least, most))
    return Many(part, least, most)


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Neighbouring words as one part."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Words) and found and isinstance(found[-1], Words):
            found[-1] = Words(found[-1].words + part.words)
        else:
            found.append(part)
    return tuple(found)
