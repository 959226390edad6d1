"""Helper functions that a language model wrote for one predicate, offered for the next.

A helper is kept in the text of each predicate that uses it, so that every file of a library stands
for itself; the predicate's provenance tells for which predicate each helper was first written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sayso.core.library import function_name
from sayso.core.predicates import Predicate
from sayso.learning.model.predicate_sandbox import written_by_model


@dataclass(frozen=True)
class Utility:
    """A helper function.

    Attributes:
        source: its text.
        origin: the predicate that it was first written for.
        calls: other helpers that it needs.
    """

    name: str
    source: str
    origin: str
    calls: frozenset[str]


def utilities_of(predicates: Iterable[Predicate]) -> dict[str, Utility]:
    """The helpers of all predicates that a model wrote, by name; the first of a name counts.

    Those that need constants of their file are left out.
    """
    found: dict[str, Utility] = {}
    for predicate in predicates:
        if written_by_model(predicate):
            origins = predicate.provenance.get("utilities", {})
            for helper in helpers(predicate.name, predicate.source):
                origin = str(origins.get(helper.name, predicate.name))
                found.setdefault(
                    helper.name, Utility(helper.name, helper.source, origin, helper.calls)
                )
    return found


def helpers(name: str, source: str) -> tuple[Utility, ...]:
    """The functions beside the predicate's own in a text that has passed the allow-list."""
    tree = ast.parse(source)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    constants = {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    } & {t.id for n in tree.body if isinstance(n, ast.Assign) for t in _targets(n)}
    made = []
    for helper, node in functions.items():
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if helper != function_name(name) and not names & constants:
            text = ast.get_source_segment(source, node) or ""
            calls = frozenset(names & functions.keys() - {helper})
            made.append(Utility(helper, text, name, calls))
    return tuple(made)


def completed(source: str, known: Mapping[str, Utility]) -> str:
    """A text with the helpers appended that it calls but does not write, and numpy imported."""
    added: list[str] = []
    waiting = [n for n in known if _calls(source, n) and not _writes(source, n)]
    while waiting:
        name = waiting.pop(0)
        if name not in added and name in known:
            added.append(name)
            waiting += sorted(c for c in known[name].calls if not _writes(source, c))
    text = "\n\n\n".join((source.strip(), *(known[n].source.strip() for n in added))) + "\n"
    if re.search(r"\bnp\.", text) and not re.search(r"^import numpy as np", text, re.MULTILINE):
        text = _with_numpy(text)
    return text


def clashes(name: str, source: str, known: Mapping[str, Utility]) -> tuple[str, ...]:
    """Helpers that a text writes in another way than they are known."""
    return tuple(
        h.name
        for h in helpers(name, source)
        if h.name in known and _shape(h.source) != _shape(known[h.name].source)
    )


def _targets(node: ast.Assign) -> list[ast.Name]:
    return [t for t in node.targets if isinstance(t, ast.Name)]


def _calls(source: str, name: str) -> bool:
    return re.search(rf"\b{name}\s*\(", source) is not None


def _writes(source: str, name: str) -> bool:
    return re.search(rf"^def {name}\(", source, re.MULTILINE) is not None


def _with_numpy(text: str) -> str:
    """The import below the file's docstring, where there is one."""
    match = re.match(r'("""(?:[^"\\]|"(?!""))*""")\s*', text)
    if match is None:
        return f"import numpy as np\n\n{text}"
    return f"{match[1]}\n\nimport numpy as np\n\n{text[match.end() :]}"


def _shape(source: str) -> str:
    """A function without its docstring, comments and layout."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:]
    return ast.dump(function)
