"""Lists as people type them: where their points begin.

Points are counted up from one ("1) ... 2) ...", "step 1: ...", "one, ..."), lettered, or begun by
dashes, at the beginnings of lines or after a colon. What only looks like it is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sayso.core.errors import Span
from sayso.language.limiting import BOUNDING, FORBIDDING

_LINE = re.compile(r"(?m)^[ \t]*(?:[-*\u2022\u2013\u2014]|\(?[a-h][.)])[ \t]+")
_NEW_LINE = re.compile(r"[ \t]*\n\s*(?=\S)")
_BEGUN = re.compile(r"(?:^|[.,:;!?\n])\s*$")
_DASH = re.compile(r"\s+[-\u2013\u2014](?=\s)")
_OF_EACH = BOUNDING | FORBIDDING - {"no"}  # "there is no hurry:"
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTED = (
    re.compile(
        r"(?<![\w'])(?:and )?(?:step|point|number|task|item) (\d{1,2}|[a-z]{3,5})[,:.)](?=\s)",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\S)\(?(\d{1,2})[.):](?=\s)"),
    re.compile(r"(?:(?<=[.:;!?]\s)|(?<=,\s)|^)(?:and )?([a-z]{3,5})[,:](?=\s)", re.IGNORECASE),
)  # fmt: skip


def points(text: str) -> tuple[Span, ...]:
    """What begins the points of a list in a text, in order; nothing where it holds no list."""
    counted = next(filter(None, (tuple(_counted(text, p)) for p in _COUNTED)), ())
    lines: Sequence[Span] = [Span(m.start(), m.end()) for m in _LINE.finditer(text)]
    if len(lines) < 2:
        lines = _dashed(text)
    found = sorted({*counted, *lines}, key=lambda s: s.start)
    if not found or _limits(text[: found[0].start]):
        return ()
    ends = (Span(m.start(), m.end()) for m in _NEW_LINE.finditer(text))
    plain = [e for e in ends if all(e.end <= s.start or s.end <= e.start for s in found)]
    return tuple(sorted((*found, *plain), key=lambda s: s.start))


def _limits(before: str) -> bool:
    """Whether what announces a list says something of each point: "if it is open, do this:"."""
    announcing = re.split(r"[.!?\n]", before.rstrip())[-1]
    return not _OF_EACH.isdisjoint(re.findall(r"[a-z']+", announcing.lower()))


def _counted(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """What counts from one up, if it is all that counts so and begins where a clause may: "on
    tray 1. ... on tray 2." numbers trays."""
    found = [(m, _number(m[1])) for m in pattern.finditer(text)]
    numbered = [(m, n) for m, n in found if n]
    if not numbered or not _BEGUN.search(text[: numbered[0][0].start()]):
        return
    if len(numbered) > 1 and [n for _, n in numbered] == list(range(1, len(numbered) + 1)):
        yield from (Span(m.start(), m.end()) for m, _ in numbered)


def _number(word: str) -> int:
    small = word.lower()
    return int(small) if small.isdecimal() else 1 + _WORDS.index(small) if small in _WORDS else 0


def _dashed(text: str) -> Sequence[Span]:
    """Dashes between points in one line: the first stands after a colon."""
    found = [Span(m.start(), m.end()) for m in _DASH.finditer(text)]
    listed = len(found) > 1 and text[: found[0].start].rstrip().endswith(":")
    return found if listed else ()
