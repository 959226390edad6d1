"""The runs of before: what their reports say, and their pictures, read from the runs folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sayso.reporting.report import REPORT

MOST_LISTED = 30
SHOWN = frozenset({".gif", ".jpg", ".json", ".jsonl", ".md", ".png", ".svg"})
"""What is shown of a run: neither logs nor bags."""


def listed(root: Path) -> list[dict[str, Any]]:
    """The newest runs, each with its folder, instruction and result; no list where no folder is.

    A report that cannot be read is listed with code CORRUPT.
    """
    reports = sorted(_reports(root), key=lambda r: r.stat().st_mtime, reverse=True)
    return [_summary(report, root) for report in reports[:MOST_LISTED]]


def file_below(root: Path, path: str) -> Path | None:
    """A file of a run; None for one that is not there, is not shown, or is not below the root.

    Links are followed first: one that leads out of the root leads nowhere.
    """
    try:
        file = (root / path).resolve()
        inside = file.is_relative_to(root.resolve()) and file.is_file()
    except (OSError, ValueError):
        return None
    return file if inside and file.suffix in SHOWN else None


def run_routes(root: Path) -> tuple[BaseRoute, ...]:
    """The list at `runs`, and the files of runs below it."""

    async def runs(_: Request) -> Response:
        return JSONResponse(await anyio.to_thread.run_sync(listed, root))

    async def file(request: Request) -> Response:
        found = file_below(root, request.path_params["path"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return FileResponse(found)

    return Route("/runs", runs), Route("/runs/{path:path}", file)


def _reports(root: Path) -> Iterator[Path]:
    """Of runs, and of the further tasks of a run."""
    for pattern in (f"*/{REPORT}", f"*/task_*/{REPORT}"):
        yield from root.glob(pattern)


def _summary(report: Path, root: Path) -> dict[str, Any]:
    folder = report.parent.relative_to(root).as_posix()
    try:
        data = json.loads(report.read_text(encoding="utf-8"))
        result = data["result"] or {"code": "", "succeeded": False}
        return {
            "folder": folder,
            "instruction": str(data["instruction"]),
            "code": str(result["code"]),
            "good": bool(result["succeeded"]),
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {"folder": folder, "instruction": "", "code": "CORRUPT", "good": False}
