"""Programs as Python text of the form of library predicates, and as English clauses."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from sayso.core.library import function_name
from sayso.learning.synthesis.guards import HELPERS, Guard, flag
from sayso.learning.synthesis.measures import measure
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Atomic,
    Compare,
    Either,
    Exists,
    Flag,
    Holds,
    Kind,
    Not,
    Program,
    atoms,
    used,
)

_WIDTH = 96
_NOUNS = {"category": "kind", "color": "colour"}
_LISTED = 8
"""How many kinds a docstring lists."""


def source_of(
    name: str, parameters: Sequence[str], program: Program, remarks: Sequence[str] = ()
) -> str:
    """A Python file: docstring, constants, the predicate's function and its helpers.

    Args:
        remarks: sentences for the docstring, below its first line.
    """
    constants = _constants(program)
    body = _returned(program, constants)
    helpers = [helper for call, helper in sorted(HELPERS.items()) if call in body]
    text = [_docstring(program, remarks), ""]
    if "math." in "".join((body, *helpers)):
        text += ["import math", ""]
    text += [line for c, v in _values(constants) for line in _assigned(c, v)]
    text += ["", ""] if constants else [""]
    text += [f"def {function_name(name)}({', '.join(('scene', *parameters))}):"]
    text += textwrap.indent(body, "    ").splitlines()
    for helper in helpers:
        text += ["", "", *helper.rstrip().splitlines()]
    return "\n".join(text) + "\n"


def english_of(program: Program) -> str:
    """When the program holds, with the parameters' own names."""
    if isinstance(program, Compare):
        return _compared(program)
    if isinstance(program, Flag):
        return flag(program.name).english.format(*program.args)
    if isinstance(program, Kind):
        noun = _NOUNS.get(program.attribute, program.attribute)
        names = _or(program.names) if len(program.names) <= _LISTED else "one of those below"
        return f"the {noun} of {program.arg} is {names}"
    if isinstance(program, Holds):
        return f"{program.predicate}({', '.join(program.args)})"
    if isinstance(program, Exists):
        some = f"some {OTHER} object" if program.least == 1 else f"at least {program.least} others"
        return f"for {some}, {english_of(program.part)}"
    if isinstance(program, Not):
        if isinstance(program.part, Exists) and program.part.least == 1:
            return f"for no {OTHER} object, {english_of(program.part.part)}"
        return f"it is not so that {english_of(program.part)}"
    word = " and " if isinstance(program, All) else ", or "
    return word.join(english_of(p) for p in program.parts)


def _compared(part: Compare) -> str:
    known = measure(part.measure)
    relation = "below" if part.below else "above"
    clauses = [_guard_english(g, [part.args[p] for p in places]) for g, places in known.guards]
    number = f"{known.english.format(*part.args)} is {relation} {_literal(part.limit)} {known.unit}"
    return " and ".join((*clauses, number))


def _guard_english(guard: Guard, args: Sequence[str]) -> str:
    return guard.english.format(*args)


def _or(names: Sequence[str]) -> str:
    return " or ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _docstring(program: Program, remarks: Sequence[str]) -> str:
    first = english_of(program)
    lines = textwrap.wrap(f'"""{first[:1].upper()}{first[1:]}.', _WIDTH)
    if not remarks:
        return "\n".join(lines) + '"""'
    for remark in remarks:
        lines += ["", *textwrap.wrap(_quoted(remark), _WIDTH)]
    return "\n".join(lines) + '\n"""'


def _quoted(text: str) -> str:
    """Text that cannot end or escape a docstring."""
    return " ".join(text.replace("\\", " ").replace('"', "'").split())


_Constants = dict[Atomic, str]


def _constants(program: Program) -> _Constants:
    """A name for the limit or the names of each atomic part that has such."""
    names: _Constants = {}
    taken: set[str] = set()
    for part in atoms(program):
        if part in names or not isinstance(part, Compare | Kind):
            continue
        base = _constant_base(part)
        name = next(n for n in (base, *(f"{base}_{i}" for i in range(2, 99))) if n not in taken)
        taken.add(name)
        names[part] = name
    return names


def _constant_base(part: Compare | Kind) -> str:
    if isinstance(part, Kind):
        return {"category": "KINDS", "color": "COLORS"}.get(part.attribute, part.attribute.upper())
    known = measure(part.measure)
    return (
        known.constant
        if part.below and not known.above
        else (("MAX_" if part.below else "MIN_") + known.constant)
    )


def _values(constants: _Constants) -> Iterator[tuple[str, object]]:
    for part, name in constants.items():
        if isinstance(part, Compare):
            yield name, part.limit
        elif isinstance(part, Kind):
            yield name, part.names


def _literal(value: object) -> str:
    """A limit with five significant digits, or a tuple of names."""
    if isinstance(value, float):
        return repr(float(f"{value:.5g}"))
    return repr(value).replace("'", '"')


def _assigned(name: str, value: object) -> list[str]:
    line = f"{name} = {_literal(value)}"
    if len(line) <= _WIDTH:
        return [line]
    inner = textwrap.wrap(_literal(value)[1:-1], _WIDTH - 4)
    return [f"{name} = (", *(f"    {part}" for part in inner), ")"]


def _returned(program: Program, constants: _Constants) -> str:
    line = f"return {_code(program, constants)}"
    if len(line) <= _WIDTH - 4:
        return line
    if isinstance(program, Not):
        return f"return not (\n    {_code(program.part, constants)}\n)"
    if isinstance(program, Exists):
        return "return " + _some(program, constants, "\n    ")
    parts, word = _clauses(program, constants)
    return "return (\n    " + f"\n    {word} ".join(parts) + "\n)"


def _clauses(program: Program, constants: _Constants) -> tuple[list[str], str]:
    """The joined parts of a long program, and the word between them."""
    if isinstance(program, Either):
        return [_nested(p, constants) for p in program.parts], "or"
    parts: list[str] = []
    for part in program.parts if isinstance(program, All) else (program,):
        if isinstance(part, Compare):
            parts += _compare_code(part, constants)
        else:
            parts.append(_nested(part, constants))
    return parts, "and"


def _code(program: Program, constants: _Constants) -> str:
    if isinstance(program, Not):
        return f"not {_nested(program.part, constants)}"
    if isinstance(program, Exists):
        return _some(program, constants)
    if isinstance(program, All | Either):
        word = " and " if isinstance(program, All) else " or "
        return word.join(_nested(p, constants) for p in program.parts)
    return _atom_code(program, constants)


def _nested(program: Program, constants: _Constants) -> str:
    """Code that can stand beside other code."""
    code = _code(program, constants)
    simple = isinstance(program, Flag | Kind | Holds) or (
        isinstance(program, Exists) and program.least == 1
    )
    bare = isinstance(program, Compare) and not measure(program.measure).guards
    return code if simple or bare else f"({code})"


def _some(program: Exists, constants: _Constants, gap: str = "") -> str:
    """`any(...)`; with a gap, on lines of their own."""
    code = _code(program.part, constants)
    if gap and len(code) > _WIDTH - 8 and isinstance(program.part, All | Compare):
        code = f"{gap}and ".join(_clauses(program.part, constants)[0])
    apart = " and ".join(f"{OTHER} != {a}" for a in used(program.part))
    condition = f"{gap or ' '}if {apart}" if apart else ""
    end = gap[:1]
    if program.least > 1:
        return (
            f"sum({gap}bool({code}){gap or ' '}for {OTHER} in scene.objects(){condition}{end})"
            f" >= {program.least}"
        )
    return f"any({gap}{code}{gap or ' '}for {OTHER} in scene.objects(){condition}{end})"


def _atom_code(part: Atomic, constants: _Constants) -> str:
    if isinstance(part, Flag):
        return flag(part.name).code.format(*part.args)
    if isinstance(part, Kind):
        if part.attribute in _NOUNS:
            return f"scene.{part.attribute}({part.arg}) in {constants[part]}"
        asked = f'({part.arg}, "{part.attribute}")'
        return f"(scene.observes{asked} and scene.attribute{asked} in {constants[part]})"
    if isinstance(part, Holds):
        return f"scene.holds({', '.join((_literal(part.predicate), *part.args))})"
    return " and ".join(_compare_code(part, constants))


def _compare_code(part: Compare, constants: _Constants) -> list[str]:
    """The guards' clauses, then the comparison."""
    known = measure(part.measure)
    guards = [g.code.format(*(part.args[p] for p in places)) for g, places in known.guards]
    relation = "<" if part.below else ">"
    return [*guards, f"{known.code.format(*part.args)} {relation} {constants[part]}"]
