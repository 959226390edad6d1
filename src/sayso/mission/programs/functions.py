"""The functions that a program may call, told with their docstrings to whoever writes programs."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from sayso.core.library import Library
from sayso.core.symbols import Literal, Operator
from sayso.mission.programs.rehearsal import API, Rehearsal, by_function, held_predicate
from sayso.planning.words import fact, joined

_LEARN = """
def learn_skill(skill_name, parameters, effect, when):
    known = ask_robot("learn_skill", [skill_name, parameters, effect, when])
    def skill(*object_ids):
        return ask_robot(known, list(object_ids))
    return skill
"""


def described(library: Library) -> str:
    """All functions that a program may call, as Python with docstrings."""
    told = [_signature(name, str(inspect.getdoc(getattr(Rehearsal, name)))) for name in API]
    told += [_signature_of(op, library) for op in by_function(library).values()]
    return "\n\n".join(told)


def prelude(library: Library) -> str:
    """The functions that a program may call, as Python that asks `ask_robot` for them."""
    lines = [_LEARN]
    for name in API[:-1]:
        names = [p.name for p in _parameters(name)]
        lines.append(_asking(name, _given(name), ", ".join(names)))
    for name, operator in by_function(library).items():
        names = [p[1:] for p in operator.parameters]
        lines.append(_asking(name, ", ".join(names), ", ".join(names)))
    return "\n".join(lines)


def listed(library: Library) -> str:
    """A line for each operator: what it is called and does, and how the hand has to be before."""
    lines = (
        f"- {_heading(op)}{_hand_before(op, library)}{_when(op, library)}"
        for op in by_function(library).values()
    )
    return "\n".join(lines)


def _hand_before(op: Operator, library: Library) -> str:
    """ " Before: the robot holds the o." where the operator tells; else ''."""
    held = held_predicate(library.vocabulary)
    needs = [x for x in op.preconditions if x.atom.predicate == held or not x.atom.args]
    return f" Before: {_facts(op, needs, library)}." if needs else ""


def _asking(name: str, given: str, names: str) -> str:
    return f"def {name}({given}):\n    return ask_robot('{name}', [{names}])\n"


def _signature(name: str, docstring: str) -> str:
    return f'def {name}({_given(name)}):\n    """{_indented(docstring)}\n    """'


def _parameters(name: str) -> list[inspect.Parameter]:
    """Of a function of `API`."""
    return list(inspect.signature(getattr(Rehearsal, name)).parameters.values())[1:]


def _given(name: str) -> str:
    return ", ".join(p.name + ("=None" if p.default is None else "") for p in _parameters(name))


def _signature_of(op: Operator, library: Library) -> str:
    """An operator as a function, with what it needs and brings about."""
    gone = [Literal(a, False) for a in op.delete if set(a.args) <= set(op.parameters)]
    told = {  # what is not known of a skill that only has a name is not told
        "before": _facts(op, op.preconditions, library),
        "after": _facts(op, [*map(Literal, op.add), *gone], library),
        "when": _when(op, library).strip(" :"),
    }
    lines = [_heading(op), "", *(f"{label}: {text}" for label, text in told.items() if text)]
    names = ", ".join(p[1:] for p in op.parameters)
    return f'def {op.name}({names}):\n    """{_indented(chr(10).join(lines))}\n    """'


def _facts(op: Operator, literals: Iterable[Literal], library: Library) -> str:
    binding = {p: p[1:] for p in op.parameters}
    return joined(fact(x.substitute(binding), library.predicates) for x in sorted(literals))


def _heading(op: Operator) -> str:
    said = op.english.format(*(p[1:] for p in op.parameters)) or op.name
    return f"{said[0].upper()}{said[1:]}."


def _when(op: Operator, library: Library) -> str:
    """What is known of when a taught operator is to be used, and when not."""
    note = library.operator_provenance.get(op.name, {}).get("when", "")
    return f" {note}" if note else ""


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ").replace("\n    \n", "\n\n")
