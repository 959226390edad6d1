"""Words and phrases that limit: they forbid, bound, count or leave out, or say when something
holds.

Everything that passes words over, offers a text without them or words them otherwise asks here, so
that a limit is lost nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from typing import Any

import yaml


def _data() -> dict[str, Any]:
    text = (resources.files(__package__) / "limiting_words.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_DATA = _data()
_PHRASES = {name: _any_of(patterns) for name, patterns in _DATA.pop("phrases").items()}
_GROUPS = {name: frozenset(words) for name, words in _DATA.items()}
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
CHANGING = (_PHRASES["counting"], _PHRASES["timing"], _PHRASES["conditional"])
"""What is left out with these counts, limits or times what is offered."""
CONTRARY = _PHRASES["contrary"]
"""With these what comes first is denied for what comes then."""
STACKED, LAYER = _PHRASES["stacked"], _PHRASES["layer"]
"""Things one on the other, and where one of them is among these."""
INSIDE = _PHRASES["inside"]
"""Where something is put in what is named elsewhere."""
ALLOWED = _PHRASES["allowed"]
"""What may be so, other than must."""
