"""What benchmarks import of SaySo is there: nothing else runs them regularly."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = sorted((ROOT / "benchmarks").glob("*.py"))


@cache
def defined(module: Path) -> frozenset[str]:
    """The names at the top of a module, and of the modules in a package."""
    names = {p.stem for p in module.parent.iterdir()} if module.name == "__init__.py" else set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name):
                names.add(name)
            case ast.ImportFrom(names=imported) | ast.Import(names=imported):
                names |= {a.asname or a.name for a in imported}
    return frozenset(names)


def lacking(benchmark: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(benchmark.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sayso":
            place = ROOT / "src" / (node.module or "").replace(".", "/")
            module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            there = defined(module) if module.is_file() else frozenset()
            yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in there)


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda p: p.stem)
def test_what_a_benchmark_imports_is_there(benchmark: Path) -> None:
    assert not list(lacking(benchmark))
