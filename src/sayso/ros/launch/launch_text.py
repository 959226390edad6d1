"""The texts in XML launch files: `$(kind ARGUMENT ...)` within them, read as `launch` reads them.

A text is a template: letters and substitutions. A substitution's arguments are separated by single
blanks, may hold substitutions themselves and may be quoted. A backslash takes the next letter as it
is. What a substitution gives is never split or read again.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError

_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_TEXT = re.compile(r"(?:\\\$|[^$]|\$(?!\())+", re.DOTALL)
_IN_QUOTES = {
    quote: re.compile(rf"(?:\\.|[^{quote}\\$]|\$(?!\())+", re.DOTALL) for quote in ("'", '"')
}
_WORD = re.compile(r"(?:\\.|[^ '\"\\$()]|\$(?!\())+", re.DOTALL)


@dataclass(frozen=True)
class Substitution:
    """`$(kind ARGUMENT ...)`; each argument is a template."""

    kind: str
    arguments: tuple[Template, ...]


Template: TypeAlias = "tuple[str | Substitution, ...]"


def parse(text: str) -> Template:
    """The template that a text is. Raises SaySoError: CONFIG, where it is none."""
    reader = _TemplateReader(text)
    template = reader.read(_TEXT)
    if reader.position < len(text):
        raise reader.unexpected()
    return template


def split(template: Template) -> tuple[Template, ...]:
    """A command's words: letters are split as a shell does, what a substitution gives never is.

    A substitution is one word with the letters that touch it. As in `launch`, each stretch of
    letters must close its own quotes, and blanks alone at the beginning are an empty word.

    Raises:
        SaySoError: CONFIG, for a quote that is left open.
    """
    words: list[Template] = []
    word: list[str | Substitution] = []
    for part in template or ("",):
        if isinstance(part, Substitution):
            word.append(part)
            continue
        tokens = _shell_words(part)
        if not tokens or (part[0].isspace() and word):
            words.append(tuple(word))
            word = []
        for number, token in enumerate(tokens):
            if number:
                words.append(tuple(word))
                word = []
            word.append(token)
        if tokens and part[-1].isspace():
            words.append(tuple(word))
            word = []
    return (*words, tuple(word)) if word else tuple(words)


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SaySoError(
            Code.CONFIG,
            f"'{text}' in a command: {str(error).lower()}.",
            hint="a substitution is one word as it is: take the quotes around it away.",
        ) from error


class _TemplateReader:
    """Reads a text from its beginning; `position` is how far it has come."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.position = 0

    def unexpected(self) -> SaySoError:
        """What is wrong at the present position."""
        found = self._text[self.position : self.position + 1] or "the end"
        message = f"'{self._text}' has {found} where none may be, at letter {self.position + 1}."
        hint = "substitutions are such as $(var NAME) or $(env NAME default)."
        return SaySoError(Code.CONFIG, message, hint=hint)

    def read(self, letters: re.Pattern[str]) -> Template:
        """Substitutions and such letters, as many as there are."""
        parts: list[str | Substitution] = []
        while True:
            if self._next_is("$("):
                parts.append(self._substitution())
            elif match := letters.match(self._text, self.position):
                self.position = match.end()
                parts.append(re.sub(r"\\(.)", r"\1", match[0]))
            else:
                return tuple(parts)

    def _substitution(self) -> Substitution:
        self._take("$(")
        kind = _KIND.match(self._text, self.position)
        if kind is None:
            raise self.unexpected()
        self.position = kind.end()
        arguments: list[Template] = []
        while self._next_is(" "):
            self._take(" ")
            arguments.append(self._argument())
        self._take(")")
        return Substitution(kind[0], tuple(arguments))

    def _argument(self) -> Template:
        for quote, letters in _IN_QUOTES.items():
            if self._next_is(quote):
                self._take(quote)
                quoted = self.read(letters)
                self._take(quote)
                return quoted
        word = self.read(_WORD)
        if not word:
            raise self.unexpected()
        return word

    def _next_is(self, token: str) -> bool:
        return self._text.startswith(token, self.position)

    def _take(self, token: str) -> None:
        if not self._next_is(token):
            raise self.unexpected()
        self.position += len(token)
