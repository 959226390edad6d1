"""What joins two clauses of an instruction in a flat."""

from __future__ import annotations

from typing import TypeAlias

from sayso.language.flat import words
from sayso.language.tokens import Cursor

STOPS = (".", "!", "?", ";")
BEFORE_THAT = ("before that", "before this", "before doing that")
Mode: TypeAlias = str
"""How a clause follows the one before it: "and", "then", "also", "at first", ","..."""


def connector(cursor: Cursor, *, after_remark: bool) -> Mode:
    """Moves past what joins two clauses; '' at the end.

    Raises:
        SaySoError: NOT_UNDERSTOOD where two clauses are not joined.
    """
    marks = _marks(cursor)
    if cursor.ended:
        return ""
    if cursor.take(*words.ALTERNATIVELY):
        cursor.take(",")
        return "alternatively"
    if after_remark and cursor.take("so"):
        marks = "."
    word = cursor.take("and", "or", "but")
    cursor.take(",")
    if cursor.take("only then"):
        return "only then"
    if cursor.take(*words.BEFORE_ALL) or (word == "but" and cursor.take("first")):
        cursor.take(",")
        return "at first"
    if cursor.take(*words.AT_LAST):
        cursor.take(",")
        return "or" if word == "or" else "at last"
    if cursor.take(*BEFORE_THAT):
        cursor.take(",")
        return "before"
    if not cursor.at("next to") and cursor.take(*words.AND_THEN):
        while cursor.take(*words.AND_THEN, ","):
            pass
        return "or" if word == "or" else "then"
    if cursor.take(*words.IN_ADDITION):
        cursor.take(",")
        return "also"
    if word or marks:
        return word or marks
    raise cursor.unexpected((",", ".", "then", "and", "in addition", "alternatively", "but"))


def _marks(cursor: Cursor) -> str:
    marks = ""
    while mark := cursor.take(*STOPS, ","):
        marks = "." if mark != "," or marks == "." else ","
    return marks
