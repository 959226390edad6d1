"""Files that are whole at any moment."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sayso.core.errors import Code, SaySoError


def below(roots: Iterable[Path], named: Path, hint: str) -> Path:
    """A folder or file that somebody else names, without links; roots may begin with `~`.

    Args:
        hint: what to do about another one.

    Raises:
        SaySoError: INVALID where it is neither one of the roots nor below one.
    """
    allowed = [root.expanduser().resolve() for root in roots]
    path = named.resolve()
    if not any(path.is_relative_to(root) for root in allowed):
        choices = " or ".join(map(str, allowed))
        raise SaySoError(Code.INVALID, f"{path} is not below {choices}.", hint=hint)
    return path


def replace_text(path: Path, text: str) -> None:
    """Write a file, or leave the one that is there as it was; raises OSError where it cannot.

    Whoever reads meanwhile, or after a crash, finds the old text or the new one.
    """
    replace_bytes(path, text.encode())


def replace_bytes(path: Path, data: bytes) -> None:
    """As `replace_text`, of what is no text."""
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=path.name, suffix=".tmp", delete=False
    ) as file:
        draft = Path(file.name)
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            draft.chmod(0o644)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def check_format(path: Path, found: object, known: int) -> None:
    """Raises INVALID for a file or folder in another format than the one that is known."""
    if found != known:
        raise SaySoError(
            Code.INVALID,
            f"{path} has format {found!r}, this SaySo reads format {known}.",
            hint="use the SaySo version that wrote it.",
        )
