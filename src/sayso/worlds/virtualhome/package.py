"""The package that holds VirtualHome, read from its wheel as it is.

`tools/virtualhome.sh` lays the wheel into the cache. Unpacked it would be 412 MB, most of it graphs
of which a task needs one; and what it depends on is not needed for what is used here.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import BadZipFile, ZipFile

from sayso.core.errors import Code, SaySoError

VERSION = "1.0.5"
LAY = "bash tools/virtualhome.sh"
"""The command that lays the wheel."""
_MODULES = "virtualhome_eval.simulation.evolving_graph"
_TASKS = "virtualhome_eval/resources/task_state_LTL_formula_accurate.json"
_DATASET = "virtualhome_eval/dataset/programs_processed_precond_nograb_morepreconds"
_GRAPHS = f"{_DATASET}/init_and_final_graphs"
_PROGRAMS = f"{_DATASET}/executable_programs"
_INITIAL = '"init_graph":'
_SCENE = "TrimmedTestScene1_graph/results_intentions_march-13-18"


def wheel_path() -> Path:
    """Where the wheel is laid."""
    cache = Path(os.environ.get("SAYSO_CACHE") or "~/.cache/sayso").expanduser()
    return cache / "virtualhome" / f"eai_eval-{VERSION}-py3-none-any.whl"


@lru_cache(maxsize=1)
def package() -> Package:
    """The package. Raises MISSING_DEPENDENCY where it is not laid, CORRUPT where it is broken."""
    path = wheel_path()
    if not path.exists():
        others = ", ".join(sorted(p.name for p in path.parent.glob("eai_eval-*.whl")))
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"VirtualHome is not there: {path} is missing"
            + (f"; {others} is another version." if others else "."),
            hint=f"run `{LAY}` in SaySo's checkout, once (27 MB).",
        )
    try:
        wheel = ZipFile(path)
    except (OSError, BadZipFile) as error:
        raise _broken(str(error)) from error
    if f"eai_eval-{VERSION}.dist-info/METADATA" not in wheel.namelist():
        raise _broken("it says that it is another package or version")
    return Package(wheel, path)


@dataclass(frozen=True)
class Package:
    """Data and simulator of the package."""

    files: ZipFile
    path: Path

    @cached_property
    def goals(self) -> dict[str, dict[str, Any]]:
        """By title, then by task: `tl_goal` (text) and `vh_goal` (lists), or empty ones."""
        found: dict[str, dict[str, Any]] = self._json(_TASKS)["scene_1"]
        return found

    def initial_graph(self, task: str) -> dict[str, Any]:
        """The scene in which a task begins: its `nodes` and `edges`.

        Nothing else of the file is read: as much again tells how the task ends.
        """
        name = f"{_GRAPHS}/{_SCENE}/file{task}.json"
        try:
            text = self._read(name).decode("utf-8")
            begin = text.index("{", text.index(_INITIAL) + len(_INITIAL))
            graph: dict[str, Any] = json.JSONDecoder().raw_decode(text, begin)[0]
        except ValueError as error:
            raise _broken(f"{name} has no initial graph: {error}") from error
        return graph

    def program(self, task: str) -> list[str]:
        """Title, description and, after empty lines, the steps of a task's gold program."""
        text = self._read(f"{_PROGRAMS}/{_SCENE}/file{task}.txt")
        return text.decode("utf-8").splitlines()

    def simulator(self, module: str) -> ModuleType:
        """A module of the simulator: `environment`, `execution` or `scripts`."""
        if str(self.path) not in sys.path:
            sys.path.append(str(self.path))
        try:
            return import_module(f"{_MODULES}.{module}")
        except ImportError as error:
            raise _broken(str(error)) from error

    def _json(self, name: str) -> Any:
        try:
            return json.loads(self._read(name))
        except ValueError as error:
            raise _broken(f"{name} is no JSON: {error}") from error

    def _read(self, name: str) -> bytes:
        try:
            return self.files.read(name)
        except (KeyError, OSError, BadZipFile) as error:
            raise _broken(f"{name} cannot be read: {error}") from error


def _broken(what: str) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{wheel_path()} is not VirtualHome as eai-eval {VERSION} holds it: {what}.",
        hint=f"remove it and run `{LAY}` again.",
    )
