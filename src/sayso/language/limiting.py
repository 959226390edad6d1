"""Words that limit: they forbid, bound, count or leave out, or say when something holds.

Everything that passes words over, offers a text without them or words them otherwise asks here, so
that a limit is lost nowhere.
"""

from __future__ import annotations

from importlib import resources

import yaml


def _groups() -> dict[str, frozenset[str]]:
    text = (resources.files(__package__) / "limiting_words.yaml").read_text(encoding="utf-8")
    return {name: frozenset(words) for name, words in yaml.safe_load(text).items()}


_GROUPS = _groups()
DENYING = _GROUPS["denying"]
"""With these a clause forbids, or says that something is not so."""
BOUNDING = _GROUPS["bounding"]
"""With these a clause says when, or unless what, something holds."""
EXCEPTING = _GROUPS["excepting"]
"""With these it leaves something out."""
REPLACING = _GROUPS["replacing"] | {"no"}
"""What they begin is an alternative to what was said before, or stands in its place."""
FORBIDDING = DENYING | EXCEPTING | _GROUPS["banning"]
"""With these a clause forbids or leaves out, so it orders nothing of its own."""
LASTING = _GROUPS["lasting"]
"""With these a clause says what must be, or stays, so."""
WARNING = _GROUPS["warning"]
"""With these it says how something is to be done."""
LIMITING = frozenset[str]().union(*_GROUPS.values())
"""All of them."""
