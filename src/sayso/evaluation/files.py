"""Reading the files that people name: what is missing or damaged, and what to do about it."""

from __future__ import annotations

from pathlib import Path

from sayso.core.errors import Code, SaySoError


def text_of(path: Path, what: str, hint: str) -> str:
    """A text file's content.

    Args:
        what: the file holds, for messages: "the gold file".
        hint: the next step where it is not there.

    Raises:
        SaySoError: CONFIG where there is no such file; CORRUPT where it is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SaySoError(Code.CONFIG, f"{what} {path} does not exist.", hint=hint) from None
    except OSError as error:
        message = f"{what} {path} cannot be read: {error.strerror}."
        raise SaySoError(Code.CONFIG, message, hint=hint) from error
    except UnicodeDecodeError as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{what} {path} is not UTF-8 text: {error.reason} at byte {error.start}.",
            hint="save it as UTF-8 text.",
        ) from error


def fault(error: Exception) -> str:
    """What is wrong with an entry, by what reading it raised, without a full stop."""
    if isinstance(error, SaySoError):
        return error.message.rstrip(".")
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error)
